/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two programs of a path: a sender in one host, a receiver in another.
 * Those of path 1 use plain sockets (worker_tcp.c), those of 2 and 3 verbs
 * (worker_verbs.c). Both are meant to be read.
 */
#ifndef FABCTL_WORKER_TCP_H
#define FABCTL_WORKER_TCP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lab.h"
#include "mistake.h"

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

/* What the two programs run, the struct worker_shared as @arg. Exit status. */
struct worker_programs {
	int (*sender)(void *arg);
	int (*receiver)(void *arg);
	/* The receiver sleeps from READY to the end: only the sender works. */
	bool receiver_asleep;
};

struct verbs_plan;

struct worker_job {
	struct worker_programs programs;
	enum mistake mistake;
	bool by_tcp;		/* path 3 without CM and SA: LIDs told over TCP */
	const struct verbs_plan *verbs;	/* paths 2 and 3; see worker_verbs.h */
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

/* What is done once, before the first message; real ns, 0: not done. */
struct worker_once {
	uint64_t register_ns;	/* ibv_reg_mr() */
	uint64_t objects_ns;	/* PD, CQ, QP */
	uint64_t rts_ns;	/* RESET to RTS: the ibv_modify_qp() calls */
	uint32_t steps;		/* calls that this took */
};

/*
 * Of all messages, where a program stamps: ns of CPU time inside the two calls, each as
 * long as the one in the middle.
 */
struct worker_busy {
	uint64_t post_ns;	/* ibv_post_send(), ibv_post_recv() */
	uint64_t reap_ns;	/* ibv_poll_cq(), of those calls that found something */
};

/*
 * What an end of paths 2 and 3 had when it ended: who asks later why it failed finds
 * the objects gone with the program.
 */
struct worker_met {
	uint32_t qpn, qp_state;	/* enum ibv_qp_state */
	uint32_t mtu;		/* of its packets, bytes; 0: it did not get so far */
	uint32_t gid_index;
	uint8_t gid[16];
	uint32_t pkey_index;
	uint16_t pkey;		/* there, 0: nothing */
	uint64_t registered;	/* bytes of its messages that its memory region covers */
	uint64_t used;		/* bytes of its messages */
	uint32_t rkey;		/* of its memory region */
	uint32_t far_rkey;	/* that it took for the other end's */
	uint32_t receives;	/* RECVs that it posted */
};

struct worker_result {
	bool ok;
	bool bring_up_failed;	/* no connection came about */
	int err;		/* errno of what failed, 0: not a system call's */
	char reason[256];
	uint64_t messages, bytes, verified_bytes;
	uint64_t bring_up_ns;	/* real */
	uint32_t bring_up_segments;
	uint64_t window_ns;	/* real: first send() to last arrival */
	uint32_t data_segments;	/* the sender's, in the window */
	uint64_t retransmitted_bytes;
	uint16_t port;		/* the receiver's */
	/* Of paths 2 and 3. */
	char status[32];	/* of the work completion that failed, or "" */
	struct worker_once once[2];	/* sender, receiver */
	struct worker_busy busy[2];
	struct worker_met met[2];
	uint64_t first_latency_ns;	/* of the first message, with @stamp */
	uint64_t *latency_ns;	/* sorted, @messages of them, or NULL; free() it */
};

/* How to hold messages of this size one at a time where syscalls are counted. */
enum worker_hold worker_tcp_hold(uint32_t size);

/* Runs both programs to their end. 0, or -errno when it could not even start. */
int worker_run(const struct worker_job *job, struct worker_result *res);
/* The same with the programs of path 1. */
int worker_tcp_run(const struct worker_job *job, struct worker_result *res);

/* The p-th percentile of res->latency_ns, 0 without. */
uint64_t worker_latency(const struct worker_result *res, unsigned int p);

#endif /* FABCTL_WORKER_TCP_H */
