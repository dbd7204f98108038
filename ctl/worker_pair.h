/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sender, a receiver and the controller share: memory that all three
 * map. It starts and ends the measured window without a system call inside it.
 */
#ifndef FABCTL_WORKER_PAIR_H
#define FABCTL_WORKER_PAIR_H

#include <stdatomic.h>
#include <stdint.h>

#include "compiler.h"
#include "worker_tcp.h"

enum worker_state {
	WORKER_STARTING,
	WORKER_LISTENING,	/* receiver: the port is known */
	WORKER_READY,		/* connected, sleeps until the window opens */
	WORKER_DONE,		/* all sent or received, waits for its end */
	WORKER_FAILED,		/* reason and err are set */
};

struct worker_side {
	atomic_uint state;	/* enum worker_state */
	int err;
	char reason[128];
};

struct worker_shared {
	struct worker_job job;
	struct worker_side sender, receiver;
	atomic_uint window;	/* 0 not yet, 1 open, 2 closed */
	atomic_uint over;	/* the window is closed: wakes who sleeps through it */
	atomic_uint give_up;	/* nothing moved for WORKER_PATIENCE_MS */
	atomic_uint arrived;	/* messages that recv() returned, or that are complete */
	uint16_t port;
	uint8_t gid[16];	/* path 3: where the receiver listens */
	uint64_t bring_up_ns;
	uint32_t bring_up_segments;
	uint64_t first_send, last_arrival;
	uint32_t data_segments;
	uint64_t retransmitted_bytes;
	uint64_t verified_bytes;
	char status[32];
	struct worker_once once[2];
	struct worker_busy busy[2];
	struct worker_met met[2];
	uint64_t *sent_at, *arrived_at;	/* in the same mapping */
};

static inline enum worker_state worker_state(struct worker_side *side)
{
	return (enum worker_state)atomic_load(&side->state);
}

static inline void worker_set_state(struct worker_side *side, enum worker_state s)
{
	atomic_store(&side->state, s);
}

/* Says READY and sleeps until the window is open. */
void worker_wait_open(struct worker_shared *sh, struct worker_side *me);
/* Says DONE and waits until the window is closed. */
void worker_wait_close(struct worker_shared *sh, struct worker_side *me);

/* Receiver: one more has arrived. Sender: wait until @n have; -1: too long. */
void worker_count_arrival(struct worker_shared *sh);
int worker_wait_arrived(struct worker_shared *sh, uint32_t n);

/*
 * The receiver of a one-sided operation: says READY and sleeps until the window
 * is closed. Its opening does not wake it.
 */
void worker_sleep_through(struct worker_shared *sh, struct worker_side *me);
/* Has the controller lost patience? A look at memory, no syscall. */
static inline bool worker_give_up(struct worker_shared *sh)
{
	return atomic_load(&sh->give_up);
}

/* Says why this side gives up; the controller reads it. Returns 1. */
__printf(2, 3)
int worker_fail(struct worker_side *me, const char *fmt, ...);

#endif /* FABCTL_WORKER_PAIR_H */
