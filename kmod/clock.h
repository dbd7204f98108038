/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fabric time, the event heap and the fabric thread: clock.c has the model.
 */
#ifndef FAB_CLOCK_H
#define FAB_CLOCK_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/timerqueue.h>
#include <linux/types.h>

/**
 * struct fab_event - something that happens at a fabric time
 * @node: place in the heap; @node.expires is in fabric ns
 * @fire: what happens; runs on the fabric thread and may schedule again
 *
 * Embedded in its owner (a wire, a generator). The owner cancels it, on the
 * fabric thread, before it goes away.
 */
struct fab_event {
	struct timerqueue_node node;
	void (*fire)(struct fab_event *event);
};

/**
 * struct fab_inbox - how the outside hands work to the fabric thread
 * @node: place in the list of inboxes that want to be drained
 * @queued: bit 0 is set while the inbox is in that list
 * @timeless: the work takes no fabric time: it is done also while that stands still
 * @drain: takes the work; runs on the fabric thread
 *
 * Embedded in its owner beside whatever lock-free list holds the work.
 */
struct fab_inbox {
	struct llist_node node;
	unsigned long queued;
	bool timeless;
	void (*drain)(struct fab_inbox *inbox);
};

/**
 * struct fab_deferred - something to do at the end of the thread's turn
 * @list: place in the list of what is to be done
 * @run: does it; runs on the fabric thread
 *
 * For what is better done once for many packets, such as raising an interrupt.
 */
struct fab_deferred {
	struct list_head list;
	void (*run)(struct fab_deferred *deferred);
};

int fab_clock_init(void);
void fab_clock_exit(void);

u64 fab_now(void);
bool fab_on_thread(void);

void fab_event_init(struct fab_event *event, void (*fire)(struct fab_event *event));
void fab_event_at(struct fab_event *event, u64 time);
void fab_event_cancel(struct fab_event *event);

static inline bool fab_event_pending(const struct fab_event *event)
{
	return !RB_EMPTY_NODE(&event->node.node);
}

void fab_inbox_init(struct fab_inbox *inbox, void (*drain)(struct fab_inbox *inbox));
void fab_inbox_init_timeless(struct fab_inbox *inbox, void (*drain)(struct fab_inbox *inbox));
void fab_inbox_post(struct fab_inbox *inbox);

void fab_defer_init(struct fab_deferred *deferred, void (*run)(struct fab_deferred *deferred));
void fab_defer(struct fab_deferred *deferred);
void fab_defer_cancel(struct fab_deferred *deferred);

/**
 * struct fab_watch - memory that programs write without telling anybody: doorbells
 * @list: place in the list of what is looked at
 * @look: looks, and does a bounded piece of what it finds; returns whether it found
 *	something; runs on the fabric thread
 */
struct fab_watch {
	struct list_head list;
	bool (*look)(struct fab_watch *watch);
};

void fab_watch_init(struct fab_watch *watch, bool (*look)(struct fab_watch *watch));
void fab_watch_start(struct fab_watch *watch);
void fab_watch_stop(struct fab_watch *watch);
void fab_watch_soon(void);

void fab_call(void (*fn)(void *arg), void *arg);
int fab_call_killable(void (*fn)(void *arg), void *arg);
void fab_call_sync(void);

/* Packets of real network stacks that are in the fabric: while there are any, time never jumps. */
void fab_clock_real_packets(int change);
/* A generator runs: with no real packet about, time may jump to the next event. Fabric thread. */
void fab_clock_may_jump(bool may);

/**
 * struct fab_clock_state - what the clock shows to the outside
 * @now: fabric time, ns
 * @lag: fabric ns that were lost because the machine was too slow
 * @events: events run since load
 * @thread_ns: CPU time of the fabric thread, real ns
 * @pace: real seconds that one fabric second takes at least
 * @frozen: time stands still
 */
struct fab_clock_state {
	u64 now;
	u64 lag;
	u64 events;
	u64 thread_ns;
	u32 pace;
	bool frozen;
};

void fab_clock_read(struct fab_clock_state *state);
void fab_clock_set_pace(u32 pace);
void fab_clock_freeze(bool frozen);
unsigned int fab_clock_step(unsigned int steps);
bool fab_clock_stepping(void);
void fab_clock_restart(void);

#endif /* FAB_CLOCK_H */
