/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of work requests and of the far end: mem.c has the model. Fabric thread. */
#ifndef FAB_MEM_H
#define FAB_MEM_H

#include "qp.h"

/* Payload of at most this many bytes is copied into the packet rather than referred to. */
#define FAB_COPY_BREAK	256

/**
 * struct fab_memory - a list of pieces, and who may use it
 * @hca: keys of this HCA
 * @pd: and of this protection domain
 * @user: not the kernel: no key for all of memory
 * @sge: pieces
 * @num_sge: how many
 */
struct fab_memory {
	struct fab_hca *hca;
	struct ib_pd *pd;
	bool user;
	const struct fab_sge *sge;
	u32 num_sge;
};

static inline struct fab_memory fab_mem_send(const struct fab_qp *qp, const struct fab_send_wr *wr)
{
	return (struct fab_memory) { qp->hca, qp->ibqp.pd, qp->user, wr->sge, wr->num_sge };
}

static inline struct fab_memory fab_mem_recv(const struct fab_qp *qp, const struct fab_recv_wr *wr)
{
	return (struct fab_memory) {
		qp->hca, qp->srq ? qp->srq->ibsrq.pd : qp->ibqp.pd, qp->user, wr->sge, wr->num_sge,
	};
}

bool fab_mem_valid(const struct fab_memory *mem, int access);
bool fab_mem_get(const struct fab_memory *mem, u32 offset, u32 length, struct sk_buff *skb,
		 bool by_reference);
bool fab_mem_can_refer(const struct fab_memory *mem, u32 length);
bool fab_mem_put(const struct fab_memory *mem, u32 offset, const struct sk_buff *skb, u32 from,
		 u32 length);
bool fab_mem_put_bytes(const struct fab_memory *mem, u32 offset, const void *data, u32 length);

struct fab_mr *fab_mem_remote(const struct fab_qp *qp, u32 rkey, u64 va, u64 length, int access);
void fab_mem_mr_get(struct fab_mr *mr, u64 va, u32 length, struct sk_buff *skb);
void fab_mem_mr_put(struct fab_mr *mr, u64 va, const struct sk_buff *skb, u32 from, u32 length);
bool fab_mem_atomic(struct fab_mr *mr, u64 va, bool swap, u64 operand, u64 compare, u64 *before);

bool fab_mem_register(const struct fab_qp *qp, const struct fab_send_wr *wr);
bool fab_mem_invalidate(const struct fab_qp *qp, u32 rkey, bool remote);

#endif /* FAB_MEM_H */
