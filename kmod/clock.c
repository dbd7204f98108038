// SPDX-License-Identifier: GPL-2.0
/*
 * Fabric time, the event heap and the one thread that owns the fabric.
 *
 * The fabric is a discrete-event simulation. Its state (queues, wires, what a
 * switch has learned) belongs to one kthread, so the data plane has no locks.
 * The thread does four things, in this order, for ever:
 *
 *  1. serve calls: control operations that the caller waits for;
 *  2. drain inboxes: frames that the network stacks of the hosts have sent;
 *  3. run the events that are due, in the order of their fabric time;
 *  4. look at doorbells: memory that verbs programs write without a system call.
 *
 * Nobody wakes the thread for a doorbell, so it has to come by. As long as looks
 * find something it looks again at once; after an empty look it spins only where
 * it has the CPU to itself, since a spin beside a program costs that program's
 * time slice, and not for long, since two programs may have to share the other
 * CPU as long as it spins; else it sleeps for some tens of microseconds, and the
 * longer nothing was found, the longer it sleeps.
 *
 * Fabric time and real time are tied at an anchor: fabric time f is due at the
 * real time anchor.real + (f - anchor.fabric) * pace. Time moves only from
 * event to event, never past one that has not run. Where the machine is so
 * slow that an event runs late, the anchor moves with it: the time is lost
 * (and counted as lag) and never caught up, so that queues and credits stay
 * exact. A lateness below LATE_NS is forgiven, because a timer of the host
 * kernel wakes us that late even on an idle machine.
 *
 * With no packet of a real network stack in the fabric there is nobody to
 * whom real time matters, and a generator run jumps from event to event.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/sched/cputime.h>
#include <linux/sched/signal.h>
#include <linux/sched/stat.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "clock.h"
#include "packet.h"

/* Lateness in real time that is not counted as lag. */
#define LATE_NS		(200 * NSEC_PER_USEC)
/*
 * Nearer than this (real time) the thread spins for an event: to sleep and wake
 * up would take longer. With the CPU to itself it spins a little more.
 */
#define SPIN_NS		(5 * NSEC_PER_USEC)
#define SPIN_ALONE_NS	(20 * NSEC_PER_USEC)
/* How long nothing was found (real time), and how long the thread then sleeps between two looks. */
#define LOOK_SPIN_NS	(300 * NSEC_PER_USEC)
#define LOOK_BUSY_NS	(2 * NSEC_PER_MSEC)
#define LOOK_QUIET_NS	(200 * NSEC_PER_MSEC)
#define LOOK_SOON_NS	(20 * NSEC_PER_USEC)
#define LOOK_LATER_NS	NSEC_PER_MSEC
#define LOOK_SELDOM_NS	(10 * NSEC_PER_MSEC)
/* Timers of looks need not be exact: this much later will do. */
#define LOOK_SLACK_NS	(30 * NSEC_PER_USEC)
/* Events between two looks at the real clock, and turns between two offers to reschedule. */
#define BATCH		32

/**
 * struct fab_call_request - a function that the thread runs for a caller
 * @node: place in the list of calls
 * @fn: the function
 * @arg: its argument
 * @state: CALL_*; decides whether the thread or a killed caller got it first
 * @done: completed when @fn has returned
 *
 * On the caller's stack, unless the caller may be killed while it waits.
 */
struct fab_call_request {
	struct llist_node node;
	void (*fn)(void *arg);
	void *arg;
	atomic_t state;
	struct completion done;
};

enum { CALL_QUEUED, CALL_TAKEN, CALL_ABANDONED };

static struct {
	struct task_struct *thread;
	struct llist_head calls;
	struct llist_head inboxes;
	struct llist_head timeless;	/* inboxes, too */
	unsigned int asleep;		/* 1: whoever adds work must wake the thread */

	/* The thread's own. Others read with READ_ONCE. */
	struct timerqueue_head events;
	struct list_head deferred;
	struct list_head watches;
	u64 found;			/* real time of the last look that found something */
	bool look_soon;
	u64 now;
	u64 lag;
	u64 n_events;
	u64 anchor_fabric;
	u64 anchor_real;
	u32 pace;
	bool frozen;
	bool stepping;
	bool may_jump;
	s64 real_packets;
} clk;

/**
 * fab_on_thread() - is this the fabric thread?
 *
 * Return: true on the fabric thread.
 */
bool fab_on_thread(void)
{
	return current == clk.thread;
}

/**
 * fab_now() - fabric time
 *
 * Context: any. Exact on the fabric thread; elsewhere the time of the last event.
 * Return: nanoseconds since the module was loaded.
 */
u64 fab_now(void)
{
	return READ_ONCE(clk.now);
}

static void set_now(u64 now)
{
	if (now > clk.now)
		WRITE_ONCE(clk.now, now);
}

static void set_anchor(u64 fabric, u64 real)
{
	clk.anchor_fabric = fabric;
	clk.anchor_real = real;
}

/* Which fabric time is it at @real, if the machine keeps up? */
static u64 fabric_at(u64 real)
{
	u64 passed = real - clk.anchor_real;

	return clk.anchor_fabric + (clk.pace == 1 ? passed : div_u64(passed, clk.pace));
}

/* At which real time is @fabric due? */
static u64 real_at(u64 fabric)
{
	u64 ahead = fabric - clk.anchor_fabric;
	u64 real;

	if (fabric <= clk.anchor_fabric)
		return clk.anchor_real;
	if (check_mul_overflow(ahead, (u64)clk.pace, &real) || real > KTIME_MAX / 2)
		return KTIME_MAX;
	return clk.anchor_real + real;
}

/* The fabric time of an event; ktime_t is signed, fabric time is not. */
static u64 when(const struct fab_event *event)
{
	return event->node.expires;
}

static struct fab_event *first_event(void)
{
	struct timerqueue_node *node = timerqueue_getnext(&clk.events);

	return node ? container_of(node, struct fab_event, node) : NULL;
}

/**
 * fab_event_init() - make an event ready for use
 * @event: event
 * @fire: what happens
 */
void fab_event_init(struct fab_event *event, void (*fire)(struct fab_event *event))
{
	timerqueue_init(&event->node);
	event->fire = fire;
}

/**
 * fab_event_at() - let an event happen at a fabric time
 * @event: event; a pending one is moved
 * @time: fabric ns; a time that has passed means now
 *
 * Events of equal time happen in the order in which they were scheduled.
 *
 * Context: fabric thread.
 */
void fab_event_at(struct fab_event *event, u64 time)
{
	if (fab_event_pending(event))
		timerqueue_del(&clk.events, &event->node);
	event->node.expires = max(time, clk.now);
	timerqueue_add(&clk.events, &event->node);
}

/**
 * fab_event_cancel() - an event shall not happen
 * @event: event, pending or not
 *
 * Context: fabric thread.
 */
void fab_event_cancel(struct fab_event *event)
{
	if (fab_event_pending(event))
		timerqueue_del(&clk.events, &event->node);
}

/* The list the caller has just added to is looked at before the thread sleeps. */
static void kick(void)
{
	/* Pairs with the barrier in sleep_until(): either we see it asleep, or it sees our work. */
	smp_mb();
	if (READ_ONCE(clk.asleep) && xchg(&clk.asleep, 0))
		wake_up_process(clk.thread);
}

/**
 * fab_inbox_init() - make an inbox ready for use
 * @inbox: inbox
 * @drain: takes the work, on the fabric thread
 */
void fab_inbox_init(struct fab_inbox *inbox, void (*drain)(struct fab_inbox *inbox))
{
	inbox->queued = 0;
	inbox->timeless = false;
	inbox->drain = drain;
}

/**
 * fab_inbox_init_timeless() - the same for work that takes no fabric time
 * @inbox: inbox
 * @drain: takes the work, on the fabric thread; also while time stands still
 */
void fab_inbox_init_timeless(struct fab_inbox *inbox, void (*drain)(struct fab_inbox *inbox))
{
	fab_inbox_init(inbox, drain);
	inbox->timeless = true;
}

/**
 * fab_inbox_post() - there is work in the lock-free list beside this inbox
 * @inbox: inbox
 *
 * Context: any, also with interrupts off.
 */
void fab_inbox_post(struct fab_inbox *inbox)
{
	if (test_and_set_bit(0, &inbox->queued))
		return;
	llist_add(&inbox->node, inbox->timeless ? &clk.timeless : &clk.inboxes);
	kick();
}

/* While frozen, what the hosts send waits in their transmit rings, as time stands still. */
static void drain_inboxes(struct llist_head *inboxes)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(inboxes));
	struct fab_inbox *inbox, *next;

	llist_for_each_entry_safe(inbox, next, list, node) {
		clear_bit(0, &inbox->queued);
		/* Pairs with test_and_set_bit(): work added after this posts again. */
		smp_mb__after_atomic();
		inbox->drain(inbox);
	}
}

/**
 * fab_defer_init() - make a deferred job ready for use
 * @deferred: job
 * @run: does it, on the fabric thread
 */
void fab_defer_init(struct fab_deferred *deferred, void (*run)(struct fab_deferred *deferred))
{
	INIT_LIST_HEAD(&deferred->list);
	deferred->run = run;
}

/**
 * fab_defer() - do something at the end of this turn, once
 * @deferred: job
 *
 * Context: fabric thread.
 */
void fab_defer(struct fab_deferred *deferred)
{
	if (list_empty(&deferred->list))
		list_add_tail(&deferred->list, &clk.deferred);
}

/**
 * fab_defer_cancel() - do not do it
 * @deferred: job, waiting or not
 *
 * Context: fabric thread.
 */
void fab_defer_cancel(struct fab_deferred *deferred)
{
	list_del_init(&deferred->list);
}

static void run_deferred(void)
{
	struct fab_deferred *deferred;

	while (!list_empty(&clk.deferred)) {
		deferred = list_first_entry(&clk.deferred, struct fab_deferred, list);
		list_del_init(&deferred->list);
		deferred->run(deferred);
	}
}

/**
 * fab_watch_init() - make a watch ready for use
 * @watch: watch
 * @look: looks, on the fabric thread
 */
void fab_watch_init(struct fab_watch *watch, bool (*look)(struct fab_watch *watch))
{
	INIT_LIST_HEAD(&watch->list);
	watch->look = look;
}

/**
 * fab_watch_start() - begin to look
 * @watch: watch; one that is looked at already stays so
 *
 * Context: fabric thread, but not in a look.
 */
void fab_watch_start(struct fab_watch *watch)
{
	if (list_empty(&watch->list))
		list_add_tail(&watch->list, &clk.watches);
	clk.look_soon = true;
}

/**
 * fab_watch_stop() - look no more
 * @watch: watch
 *
 * Context: fabric thread, but not in a look.
 */
void fab_watch_stop(struct fab_watch *watch)
{
	list_del_init(&watch->list);
}

/**
 * fab_watch_soon() - a program was told something and is likely to answer
 *
 * The next looks come as soon as after one that has found something.
 *
 * Context: fabric thread.
 */
void fab_watch_soon(void)
{
	clk.look_soon = true;
}

/* Look at every doorbell. While frozen, what programs post waits in their rings. */
static bool look(void)
{
	struct fab_watch *watch;
	bool found = false;

	list_for_each_entry(watch, &clk.watches, list)
		found |= watch->look(watch);
	if (found || clk.look_soon)
		clk.found = ktime_get_ns();
	clk.look_soon = false;
	return found;
}

static bool watching(void)
{
	return !clk.frozen && !list_empty(&clk.watches);
}

/* How long may the thread sleep before the next look? */
static u64 look_gap(u64 real)
{
	u64 idle = real - clk.found;

	if (idle < LOOK_BUSY_NS)
		return LOOK_SOON_NS;
	return idle < LOOK_QUIET_NS ? LOOK_LATER_NS : LOOK_SELDOM_NS;
}

/* Move fabric time to what @real says, but not past an event that has not run. */
static u64 advance(u64 real)
{
	struct fab_event *event = first_event();
	u64 due = fabric_at(real);
	u64 late;

	if (!event) {
		set_now(due);
		return due;
	}
	if (when(event) > due && clk.may_jump && clk.real_packets == 0) {
		set_anchor(when(event), real);
		return when(event);
	}
	late = clk.pace == 1 ? LATE_NS : div_u64(LATE_NS, clk.pace);
	if (due > when(event) + late) {
		WRITE_ONCE(clk.lag, clk.lag + due - when(event));
		set_anchor(when(event), real);
		due = when(event);
	}
	set_now(min(due, when(event)));
	return due;
}

static void serve_calls(void)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&clk.calls));
	struct fab_call_request *call, *next;

	/* What a call schedules begins now, not when the thread last had something to do. */
	if (list && !clk.frozen)
		advance(ktime_get_ns());
	llist_for_each_entry_safe(call, next, list, node) {
		if (atomic_cmpxchg(&call->state, CALL_QUEUED, CALL_TAKEN) == CALL_ABANDONED) {
			kfree(call);
			continue;
		}
		call->fn(call->arg);
		complete(&call->done);	/* the caller may free it from here on */
	}
}

static void submit(struct fab_call_request *call, void (*fn)(void *arg), void *arg)
{
	call->fn = fn;
	call->arg = arg;
	atomic_set(&call->state, CALL_QUEUED);
	llist_add(&call->node, &clk.calls);
	kick();
}

/**
 * fab_call() - run a function on the fabric thread and wait for it
 * @fn: function; must not sleep
 * @arg: its argument
 *
 * For destruction and for reading: the wait cannot be killed, and is bounded
 * because calls are served between any two events.
 *
 * Context: process context, not the fabric thread.
 */
void fab_call(void (*fn)(void *arg), void *arg)
{
	struct fab_call_request call;

	init_completion(&call.done);
	submit(&call, fn, arg);
	wait_for_completion(&call.done);
}

/**
 * fab_call_killable() - the same for creation: a killed caller need not wait
 * @fn: function; must not sleep
 * @arg: its argument; not touched after an error was returned
 *
 * Context: process context, not the fabric thread.
 * Return: 0 when @fn has run; -EINTR if it has not and will not; -ENOMEM.
 */
int fab_call_killable(void (*fn)(void *arg), void *arg)
{
	struct fab_call_request *call = kzalloc(sizeof(*call), GFP_KERNEL);

	if (!call)
		return -ENOMEM;
	init_completion(&call->done);
	submit(call, fn, arg);
	if (wait_for_completion_killable(&call->done)) {
		/* Where the thread was first, it is about to be done. */
		if (atomic_cmpxchg(&call->state, CALL_QUEUED, CALL_ABANDONED) == CALL_QUEUED)
			return -EINTR;
		wait_for_completion(&call->done);
	}
	kfree(call);
	return 0;
}

static void drain_for_caller(void *unused)
{
	drain_inboxes(&clk.inboxes);
	drain_inboxes(&clk.timeless);
}

/**
 * fab_call_sync() - drain every inbox once
 *
 * After it, an inbox into which nobody posts any more is in no list of the
 * thread and may be freed. Works while frozen too.
 *
 * Context: process context, not the fabric thread.
 */
void fab_call_sync(void)
{
	fab_call(drain_for_caller, NULL);
}

/**
 * fab_clock_real_packets() - packets of real network stacks entered or left
 * @change: how many more
 *
 * Context: fabric thread.
 */
void fab_clock_real_packets(int change)
{
	clk.real_packets += change;
}

/**
 * fab_clock_may_jump() - a generator runs, or has ended
 * @may: whether time may jump to the next event when no real packet is about
 *
 * Context: fabric thread.
 */
void fab_clock_may_jump(bool may)
{
	clk.may_jump = may;
}

static void run_event(struct fab_event *event)
{
	timerqueue_del(&clk.events, &event->node);
	set_now(when(event));
	WRITE_ONCE(clk.n_events, clk.n_events + 1);
	event->fire(event);
}

/* Run what is due, at most BATCH events. Returns whether there may be more. */
static bool run_due(void)
{
	u64 due = advance(ktime_get_ns());
	struct fab_event *event;
	int i;

	for (i = 0; i < BATCH; i++) {
		event = first_event();
		if (!event || when(event) > due)
			return false;
		if (!llist_empty(&clk.calls) || !llist_empty(&clk.inboxes) ||
		    !llist_empty(&clk.timeless))
			return true;
		run_event(event);
	}
	return true;
}

static bool has_work(void)
{
	return !llist_empty(&clk.calls) || !llist_empty(&clk.timeless) || kthread_should_stop() ||
	       (!clk.frozen && !llist_empty(&clk.inboxes));
}

static void spin_until(u64 real)
{
	while (ktime_get_ns() < real && !has_work())
		cpu_relax();
}

static void sleep_until(ktime_t *expires, u64 slack)
{
	set_current_state(TASK_IDLE);
	WRITE_ONCE(clk.asleep, 1);
	/* Pairs with the barrier in kick(). */
	smp_mb();
	if (!has_work())
		schedule_hrtimeout_range(expires, slack, HRTIMER_MODE_ABS);
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(clk.asleep, 0);
}

/* Wait until somebody kicks us, the next event is due, or it is time to look at doorbells. */
static void wait_for_work(void)
{
	struct fab_event *event = clk.frozen ? NULL : first_event();
	u64 at = event ? real_at(when(event)) : KTIME_MAX;
	u64 now = ktime_get_ns();
	bool alone = single_task_running();
	u64 slack = 0;
	ktime_t expires;

	if (at <= now + SPIN_NS || (at <= now + SPIN_ALONE_NS && alone)) {
		spin_until(at);
		return;
	}
	if (watching()) {
		u64 gap = look_gap(now);

		if (alone && now - clk.found < LOOK_SPIN_NS) {
			cpu_relax();
			return;
		}
		if (now + gap + LOOK_SLACK_NS < at) {
			at = now + gap;
			slack = LOOK_SLACK_NS;
		}
	}
	expires = ns_to_ktime(min_t(u64, at, KTIME_MAX));
	sleep_until(expires == KTIME_MAX ? NULL : &expires, slack);
}

/* What is handed over begins now, not when the thread last had something to do. */
static void take(struct llist_head *inboxes)
{
	if (llist_empty(inboxes))
		return;
	if (!clk.frozen)
		advance(ktime_get_ns());
	drain_inboxes(inboxes);
}

static int fabric_thread(void *unused)
{
	int turns = 0;
	bool more;

	while (!kthread_should_stop()) {
		serve_calls();
		take(&clk.timeless);
		more = false;
		if (!clk.frozen) {
			take(&clk.inboxes);
			more = run_due();
			if (!list_empty(&clk.watches))
				more |= look();
		}
		run_deferred();
		if (!more)
			wait_for_work();
		if (++turns >= BATCH || need_resched()) {
			turns = 0;
			/* However busy, the thread must not hold up who waits for Tasks RCU. */
			cond_resched_tasks_rcu_qs();
		}
	}
	serve_calls();
	return 0;
}

static void nothing(void *unused)
{
}

/**
 * fab_clock_read() - what the clock shows
 * @state: filled in; the members may be of slightly different moments
 *
 * An idle thread does not move time; a call makes it look at the real clock.
 *
 * Context: process context, not the fabric thread.
 */
void fab_clock_read(struct fab_clock_state *state)
{
	fab_call(nothing, NULL);
	state->now = READ_ONCE(clk.now);
	state->lag = READ_ONCE(clk.lag);
	state->events = READ_ONCE(clk.n_events);
	state->pace = READ_ONCE(clk.pace);
	state->frozen = READ_ONCE(clk.frozen);
	state->thread_ns = READ_ONCE(clk.thread->se.sum_exec_runtime);
}

static void call_set_pace(void *arg)
{
	u32 pace = *(u32 *)arg;

	/* Frozen time does not move; the thaw will set the anchor. */
	if (!clk.frozen)
		set_anchor(clk.now, ktime_get_ns());
	WRITE_ONCE(clk.pace, pace);
}

/**
 * fab_clock_set_pace() - how many real seconds one fabric second takes at least
 * @pace: 1 to FABSIM_PACE_MAX
 *
 * Context: process context.
 */
void fab_clock_set_pace(u32 pace)
{
	fab_call(call_set_pace, &pace);
}

static void call_freeze(void *arg)
{
	bool frozen = *(bool *)arg;

	if (clk.frozen == frozen)
		return;
	if (!frozen)
		set_anchor(clk.now, ktime_get_ns());
	WRITE_ONCE(clk.frozen, frozen);
}

/**
 * fab_clock_freeze() - stop or start time
 * @frozen: whether time stands still; calls are served all the same
 *
 * Context: process context.
 */
void fab_clock_freeze(bool frozen)
{
	fab_call(call_freeze, &frozen);
}

static void call_step(void *arg)
{
	unsigned int *steps = arg;
	unsigned int done = 0;
	struct fab_event *event;

	clk.stepping = true;
	drain_inboxes(&clk.inboxes);
	look();
	while (done < *steps) {
		event = first_event();
		if (!event)
			break;
		run_event(event);
		done++;
	}
	run_deferred();
	clk.stepping = false;
	*steps = done;
}

/**
 * fab_clock_step() - while frozen, run the next events whatever their time
 * @steps: how many at most
 *
 * Context: process context.
 * Return: how many there were.
 */
unsigned int fab_clock_step(unsigned int steps)
{
	fab_call(call_step, &steps);
	return steps;
}

/**
 * fab_clock_stepping() - is this event one that the user stepped to?
 *
 * Context: fabric thread.
 * Return: true inside fab_clock_step().
 */
bool fab_clock_stepping(void)
{
	return clk.stepping;
}

static void call_restart(void *unused)
{
	if (first_event())
		return;
	WRITE_ONCE(clk.now, 0);
	WRITE_ONCE(clk.lag, 0);
	set_anchor(0, ktime_get_ns());
	fab_packet_restart_ids();
}

/**
 * fab_clock_restart() - a new fabric: its time begins at 0
 *
 * For a fabric without a packet; otherwise nothing happens.
 *
 * Context: process context.
 */
void fab_clock_restart(void)
{
	fab_call(call_restart, NULL);
}

/**
 * fab_clock_init() - start the fabric thread
 *
 * Return: 0 or an error of kthread_run().
 */
int fab_clock_init(void)
{
	struct task_struct *thread;

	init_llist_head(&clk.calls);
	init_llist_head(&clk.inboxes);
	init_llist_head(&clk.timeless);
	timerqueue_init_head(&clk.events);
	INIT_LIST_HEAD(&clk.deferred);
	INIT_LIST_HEAD(&clk.watches);
	clk.pace = 1;
	set_anchor(0, ktime_get_ns());

	thread = kthread_create(fabric_thread, NULL, "fabsim");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	clk.thread = thread;
	wake_up_process(thread);
	return 0;
}

/**
 * fab_clock_exit() - stop the fabric thread; no event may be pending
 */
void fab_clock_exit(void)
{
	WARN_ON(timerqueue_getnext(&clk.events));
	kthread_stop(clk.thread);
}
