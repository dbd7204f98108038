/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two programs of path 1 (tcp): a sender in one host, a receiver in
 * another, plain sockets between them. worker_tcp.c is meant to be read.
 */
#ifndef FABCTL_WORKER_TCP_H
#define FABCTL_WORKER_TCP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lab.h"

/* Nothing may take longer than this without a sign of life. */
#define WORKER_PATIENCE_MS	1500

/* What each side keeps in memory at most, to be verified afterwards. */
#define WORKER_BYTES_MAX	(256UL << 20)

/* How the sender learns that it may send the next message. */
enum worker_hold {
	WORKER_HOLD_NONE,	/* not at all: messages back to back */
	WORKER_HOLD_KERNEL,	/* send() blocks until the last one is acknowledged */
	WORKER_HOLD_LOOK,	/* looks at shared memory: no syscall, but CPU time */
	WORKER_HOLD_SLEEP,	/* sleeps on shared memory: a syscall, little CPU time */
};

struct worker_job {
	const struct lab_host *from, *to;
	uint32_t messages;
	uint32_t size;		/* of a message, bytes */
	uint64_t seed;		/* of the messages' contents */
	enum worker_hold hold;
	bool stamp;		/* take the time of every message */
	bool still;		/* no syscall between the last message and close */
	/*
	 * The measured window: @open is called with both programs connected and
	 * asleep, @close when the last message has arrived, both still there.
	 * Either may be NULL; not 0 from @open ends it all.
	 */
	int (*open)(pid_t sender, pid_t receiver, void *arg);
	void (*close)(void *arg);
	void *arg;
};

struct worker_result {
	bool ok;
	bool bring_up_failed;	/* no connection came about */
	int err;		/* errno of what failed, 0: not a system call's */
	char reason[160];
	uint64_t messages, bytes, verified_bytes;
	uint64_t bring_up_ns;	/* real */
	uint32_t bring_up_segments;
	uint64_t window_ns;	/* real: first send() to last arrival */
	uint32_t data_segments;	/* the sender's, in the window */
	uint64_t retransmitted_bytes;
	uint16_t port;		/* the receiver's */
	uint64_t first_latency_ns;	/* of the first message, with @stamp */
	uint64_t *latency_ns;	/* sorted, @messages of them, or NULL; free() it */
};

/* How to hold messages of this size one at a time where syscalls are counted. */
enum worker_hold worker_tcp_hold(uint32_t size);

/* Runs both programs to their end. 0, or -errno when it could not even start. */
int worker_tcp_run(const struct worker_job *job, struct worker_result *res);

/* The p-th percentile of res->latency_ns, 0 without. */
uint64_t worker_latency(const struct worker_result *res, unsigned int p);

#endif /* FABCTL_WORKER_TCP_H */
