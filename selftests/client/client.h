/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A verbs user inside the kernel, for the tests: main.c has the model.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <linux/wait.h>
#include <rdma/ib_verbs.h>

/* Memory of an end: the longest message, and room to begin anywhere in a page. */
#define MAX_MESSAGE	(2 * 1024 * 1024)
#define MEMORY		(MAX_MESSAGE + 2 * PAGE_SIZE)
/* Nothing takes longer, or it does not happen at all. */
#define PATIENCE	(20 * HZ)
#define QKEY		0x11111111

/**
 * struct end - one end of a connection, and all it needs
 * @dev: whose HCA
 * @pd: protection domain; its unsafe_global_rkey opens all memory to the other end
 * @cq: of sends and receives
 * @qp: queue pair
 * @srq: shared receive queue, if there is to be one
 * @memory: for messages
 * @size: of @memory, bytes
 * @wait: woken by what comes in
 * @told: the CQ's handler was called
 * @lost: completions that were there without the handler having been called
 * @events: asynchronous events so far, a bit each
 */
struct end {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_srq *srq;
	u8 *memory;
	size_t size;
	wait_queue_head_t wait;
	bool told;
	unsigned int lost;
	unsigned long events;
};

/**
 * struct setup - what a pair is like
 * @type: of its queue pairs
 * @access: what the other end may do
 * @rnr_retry: 7 = for ever
 * @rnr_timer: code of how long the other end is asked to wait
 * @max_rd: READs and atomics at once
 * @memory: of each end, bytes
 * @cqe: of the CQs
 * @wr: of the queues
 * @srq: receive from shared queues
 * @unconnected: leave the QPs in RESET
 * @local_ack: code of the time-out; 0 = never
 * @retry: how often it is tried again after one
 */
struct setup {
	enum ib_qp_type type;
	int access;
	u8 rnr_retry;
	u8 rnr_timer;
	u8 max_rd;
	u8 local_ack;
	u8 retry;
	size_t memory;
	int cqe;
	u32 wr;
	bool srq;
	bool unconnected;
};

#define ALL_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/* The usual one. */
#define SETUP(qp_type) { \
	.type = (qp_type), .access = ALL_ACCESS, .rnr_retry = 7, .rnr_timer = 1, .max_rd = 4, \
	.cqe = 256, .wr = 64, .local_ack = 17, .retry = 7, .memory = MEMORY, }

struct pair {
	struct setup setup;
	struct end a;
	struct end b;
};

/* main.c */
__printf(2, 3) bool report(bool ok, const char *format, ...);
__printf(1, 2) void note(const char *format, ...);
bool run_fabctl(const char *arguments);

/* end.c */
int end_create(struct end *end, struct ib_device *dev, const struct setup *setup);
void end_destroy(struct end *end);
int pair_create(struct pair *pair, struct ib_device *a, struct ib_device *b,
		const struct setup *setup);
int pair_connect(struct pair *pair);
int pair_again(struct pair *pair);
void pair_destroy(struct pair *pair);
int end_move(struct end *end, const struct end *to, const struct setup *setup,
	     enum ib_qp_state state);
int end_address(const struct end *from, const struct end *to, bool grh, struct rdma_ah_attr *ah);
enum ib_qp_state end_state(const struct end *end);

int post(struct end *end, enum ib_wr_opcode opcode, u64 addr, u32 length, u32 lkey,
	 u64 remote, u32 rkey);
int post_wr(struct end *end, struct ib_send_wr *wr);
int post_recv(struct end *end, u64 addr, u32 length, u32 lkey);
int reap(struct end *end, struct ib_wc *wc, int n);
bool completes(struct end *end, enum ib_wc_status status, enum ib_wc_opcode opcode,
	       struct ib_wc *wc, const char *what);
bool all_complete(struct end *end, int n);
bool has_event(struct end *end, enum ib_event_type event);
void fill(u8 *at, size_t length, u8 seed);
bool is_filled(const u8 *at, size_t length, u8 seed);
s64 counter(struct ib_device *dev, const char *name);

static inline u64 address_of(const void *at)
{
	return (uintptr_t)at;
}

/* The whole memory of the other end, to whom it is open. */
static inline u32 open_rkey(const struct end *end)
{
	return end->pd->unsafe_global_rkey;
}

/* memory.c */
struct ib_mr *region_create(struct end *end, int access);

/* The cases; each on any pair of devices. */
void case_messages(struct ib_device *a, struct ib_device *b);
void case_datagrams(struct ib_device *a, struct ib_device *b);
void case_early_free(struct ib_device *a, struct ib_device *b);
void case_fast_registration(struct ib_device *a, struct ib_device *b);
void case_keys(struct ib_device *a, struct ib_device *b);
void case_dereg(struct ib_device *a, struct ib_device *b);
void case_states(struct ib_device *a, struct ib_device *b);
void case_queues(struct ib_device *a, struct ib_device *b);
void case_not_ready(struct ib_device *a, struct ib_device *b);
void case_drain(struct ib_device *a, struct ib_device *b);
void case_events(struct ib_device *a, struct ib_device *b);

/* Pairs that stay until the device goes: then the remove callback ends them. */
int hold(struct ib_device *a, struct ib_device *b);
void let_go(struct ib_device *dev);

#endif /* CLIENT_H */
