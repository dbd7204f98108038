/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings in a program's memory, between the two files that know them: ring.c, which
 * reads and writes them on the fabric thread, and ring_map.c, which makes them.
 */
#ifndef FAB_RING_USER_H
#define FAB_RING_USER_H

#include <rdma/vmw_pvrdma-abi.h>
#include "qp.h"
#include "ring.h"
#include "ring_index.h"

/* In the program's memory. */
struct ring_indices {
	u32 prod_tail;
	u32 cons_head;
};

struct ring_index_page {
	struct ring_indices tx;
	struct ring_indices rx;
};

/**
 * struct ring_queue - a ring of WQEs
 * @index: its indices, in the program's memory
 * @slots: its WQEs, in the program's memory
 * @n: number of slots, a power of two
 * @stride: bytes of a slot
 * @max_sge: pieces that fit into one
 * @taken: index up to which WQEs were copied
 * @done: index up to which the program may write again
 * @broken: the program's index made no sense: nothing more is taken
 */
struct ring_queue {
	struct ring_indices *index;
	void *slots;
	u32 n;
	u32 stride;
	u32 max_sge;
	u32 taken;
	u32 done;
	bool broken;
};

/**
 * struct ring_qp - the rings of a QP
 * @context: its program
 * @qp: QP
 * @list: place in context->queues
 * @sq: send queue
 * @rq: receive queue, if it has its own
 * @sq_map: where the send queue and all indices are
 * @rq_map: where the receive queue is
 * @av: the last address vector, as the program wrote it
 * @path: where it leads; holds @path.attr.grh.sgid_attr
 */
struct ring_qp {
	struct fab_ucontext *context;
	struct fab_qp *qp;
	struct list_head list;
	struct ring_queue sq;
	struct ring_queue rq;
	struct fab_umap sq_map;
	struct fab_umap rq_map;
	struct pvrdma_av av;
	struct fab_path path;
};

/* A shared receive queue. */
struct ring_srq {
	struct ring_queue rq;
	struct fab_umap map;
};

/**
 * struct ring_cq - a ring of CQEs
 * @context: its program
 * @cq: CQ
 * @map: where it is
 * @index: its indices, in the program's memory
 * @cqes: the ring, in the program's memory
 * @tail: index of the next one
 * @told: @tail at the last event
 * @unasked: events since it was last seen armed
 * @stall: place in context->stalls
 * @stall_head: how far the program had read at the last look
 * @stall_at: real time at which it has stalled
 */
struct ring_cq {
	struct fab_ucontext *context;
	struct fab_cq *cq;
	struct fab_umap map;
	struct ring_indices *index;
	struct pvrdma_cqe *cqes;
	u32 tail;
	u32 told;
	u32 unasked;
	struct list_head stall;
	u32 stall_head;
	u64 stall_at;
};

extern const struct fab_ring_ops fab_user_ring_ops;

/* Fabric thread: looks at the doorbells of all of an HCA's programs. */
bool fab_ring_look(struct fab_watch *watch);

#endif /* FAB_RING_USER_H */
