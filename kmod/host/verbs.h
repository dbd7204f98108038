/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verbs that ib_core calls, by the object they are about; verbs.c puts them
 * into one table. QPs and multicast are in qp.h, counters in hca.h.
 *
 * What may be called in atomic context is marked so: it never enters the fabric thread.
 */
#ifndef FAB_VERBS_H
#define FAB_VERBS_H

#include "../compat.h"
#include "hca.h"

void fab_verbs_set(struct fab_hca *hca);

static inline struct fab_hca *to_fab_hca(struct ib_device *ibdev)
{
	return container_of(ibdev, struct fab_hca, ibdev);
}

static inline struct fab_pd *to_fab_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct fab_pd, ibpd);
}

static inline struct fab_cq *to_fab_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct fab_cq, ibcq);
}

static inline struct fab_srq *to_fab_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct fab_srq, ibsrq);
}

static inline struct fab_mr *to_fab_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct fab_mr, ibmr);
}

static inline struct fab_ah *to_fab_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct fab_ah, ibah);
}

/* context.c: programs and their protection domains. */
int fab_ucontext_alloc(struct ib_ucontext *ibuc, struct ib_udata *udata);
void fab_ucontext_dealloc(struct ib_ucontext *ibuc);
void fab_ucontext_disassociate(struct ib_ucontext *ibuc);
int fab_ucontext_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
int fab_pd_alloc(struct ib_pd *ibpd, struct ib_udata *udata);
int fab_pd_dealloc(struct ib_pd *ibpd, struct ib_udata *udata);
int fab_udata_read(struct ib_udata *udata, void *request, size_t size);
int fab_udata_answer(struct ib_udata *udata, const void *answer, size_t size);

/* mr.c; map_sg: atomic. */
struct ib_mr *fab_mr_get_dma(struct ib_pd *ibpd, int access);
struct ib_mr *fab_mr_reg_user(struct ib_pd *ibpd, u64 start, u64 length, u64 iova, int access,
			      struct ib_udata *udata);
struct ib_mr *fab_mr_alloc(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_sg);
int fab_mr_map_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset);
int fab_mr_dereg(struct ib_mr *ibmr, struct ib_udata *udata);

/* cq.c; poll and req_notify: atomic. */
int fab_cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, fab_cq_udata *data);
int fab_cq_destroy(struct ib_cq *ibcq, struct ib_udata *udata);
int fab_cq_poll(struct ib_cq *ibcq, int n, struct ib_wc *wc);
int fab_cq_req_notify(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

/* srq.c; post_recv (kring.c): atomic. */
int fab_srq_create(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata);
int fab_srq_modify(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata);
int fab_srq_query(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int fab_srq_destroy(struct ib_srq *ibsrq, struct ib_udata *udata);

/* ah.c: atomic. */
int fab_ah_create(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int fab_ah_query(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int fab_ah_destroy(struct ib_ah *ibah, u32 flags);

/* kring.c: atomic. */
int fab_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int fab_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
int fab_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

#endif /* FAB_VERBS_H */
