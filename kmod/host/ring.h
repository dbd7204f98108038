/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings: where work requests and completions lie. In a program's memory (ring.c),
 * or in the kernel's (kring.c). Those of queue pairs are made by qp.c; see qp.h.
 */
#ifndef FAB_RING_H
#define FAB_RING_H

#include "hca.h"

/**
 * struct fab_umap - pages of a program, pinned, at a kernel address
 * @umem: pins them
 * @addr: where the thread sees them
 * @size: bytes
 */
struct fab_umap {
	struct ib_umem *umem;
	void *addr;
	size_t size;
};

/**
 * struct fab_ucontext - a program that has the HCA open
 * @ibuc: to ib_core
 * @hca: HCA
 * @doorbell: page that the program writes to
 * @list: place in hca->contexts
 * @qps: handle -> struct ring_qp
 * @cqs: CQ number -> struct fab_cq
 * @next_qp: where the search for a free handle begins
 * @next_cq: where the search for a free CQ number begins
 * @queues: the rings of its QPs; the next to be looked at is the first
 * @n_queues: how many
 * @to_look: of these, how many are still to be looked at because of a doorbell
 * @stalls: CQs whose program may have missed an event
 *
 * Entries of @qps and @cqs are reserved by callers, filled and emptied on the fabric
 * thread; the rest from @list on is the thread's.
 */
struct fab_ucontext {
	struct ib_ucontext ibuc;
	struct fab_hca *hca;
	void *doorbell;
	struct list_head list;
	struct xarray qps;
	struct xarray cqs;
	u32 next_qp;
	u32 next_cq;
	struct list_head queues;
	u32 n_queues;
	u32 to_look;
	struct list_head stalls;
};

/* umap.c: caller's context. */
int fab_umap_pin(struct fab_umap *map, struct ib_device *ibdev, u64 addr, size_t size);
void fab_umap_unpin(struct fab_umap *map);
void fab_umap_explain(const struct ib_device *ibdev, u64 size, int err);

/* Caller's context: the thread begins, and ends, to look at the doorbells of a program. */
int fab_ring_context_start(struct fab_ucontext *context);
void fab_ring_context_stop(struct fab_ucontext *context);

/* Once an HCA, before programs can open it. */
void fab_ring_init(struct fab_hca *hca);

/* Caller's context: *_create sets ops and ring; entries and sizes are known. */
int fab_ring_cq_create(struct fab_cq *cq, struct ib_udata *udata);
void fab_ring_cq_destroy(struct fab_cq *cq);
int fab_ring_srq_create(struct fab_srq *srq, struct ib_udata *udata);
void fab_ring_srq_destroy(struct fab_srq *srq);

int fab_kring_cq_create(struct fab_cq *cq);
void fab_kring_cq_destroy(struct fab_cq *cq);
int fab_kring_cq_poll(struct fab_cq *cq, int n, struct ib_wc *wc);
int fab_kring_cq_arm(struct fab_cq *cq, enum ib_cq_notify_flags flags);
int fab_kring_srq_create(struct fab_srq *srq);
void fab_kring_srq_destroy(struct fab_srq *srq);

#endif /* FAB_RING_H */
