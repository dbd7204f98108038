/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sender, a receiver and the controller share: memory that all three
 * map. It starts and ends the measured window without a system call inside it.
 */
#ifndef FABCTL_WORKER_PAIR_H
#define FABCTL_WORKER_PAIR_H

#include <stdatomic.h>
#include <stdint.h>

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
	atomic_uint arrived;	/* messages that recv() returned */
	uint16_t port;
	uint64_t bring_up_ns;
	uint32_t bring_up_segments;
	uint64_t first_send, last_arrival;
	uint32_t data_segments;
	uint64_t retransmitted_bytes;
	uint64_t verified_bytes;
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

/* The two programs; @arg is the struct worker_shared. Exit status. */
int worker_tcp_sender(void *arg);
int worker_tcp_receiver(void *arg);

#endif /* FABCTL_WORKER_PAIR_H */
