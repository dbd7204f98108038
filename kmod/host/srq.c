// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues: one pool of receive buffers for many QPs.
 *
 * A server with thousands of connections would need receive buffers on each of
 * them. With a shared queue whichever QP gets a message takes the next buffer
 * (InfiniBand volume 1, 10.2.9). Its owner sets a limit and is told once, by an
 * event, when fewer buffers than that are left.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include "ring.h"
#include "verbs.h"

static bool sizes_ok(const struct ib_srq_attr *attr)
{
	return attr->max_wr && attr->max_wr <= FAB_MAX_QP_WR && attr->max_sge <= FAB_MAX_SGE &&
	       attr->srq_limit <= attr->max_wr;
}

/**
 * fab_srq_create() - verb: a shared receive queue
 * @ibsrq: queue
 * @init: how big; the sizes that were granted are put there
 * @udata: the program's rings, or NULL for the kernel
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOMEM or another error of pinning.
 */
int fab_srq_create(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct fab_srq *srq = to_fab_srq(ibsrq);
	struct ib_srq_attr *attr = &init->attr;
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!sizes_ok(attr))
		return -EINVAL;
	srq->hca = to_fab_hca(ibsrq->device);
	srq->limit = attr->srq_limit;
	srq->rq.srq = srq;
	srq->rq.max_wr = attr->max_wr;
	srq->rq.max_sge = max(attr->max_sge, 1U);
	if (!atomic_add_unless(&srq->hca->n_srqs, 1, FAB_MAX_SRQ))
		return -ENOMEM;
	err = udata ? fab_ring_srq_create(srq, udata) : fab_kring_srq_create(srq);
	if (err) {
		atomic_dec(&srq->hca->n_srqs);
		return err;
	}
	attr->max_wr = srq->rq.max_wr;
	attr->max_sge = srq->rq.max_sge;
	return 0;
}

/**
 * fab_srq_modify() - verb: set the limit
 * @ibsrq: queue
 * @attr: the limit
 * @mask: only IB_SRQ_LIMIT: a queue keeps its size
 * @udata: not used
 *
 * Return: 0, -EOPNOTSUPP, -EINVAL.
 */
int fab_srq_modify(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata)
{
	struct fab_srq *srq = to_fab_srq(ibsrq);

	if (mask & ~IB_SRQ_LIMIT)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > srq->rq.max_wr)
		return -EINVAL;
	WRITE_ONCE(srq->limit, attr->srq_limit);
	return 0;
}

/**
 * fab_srq_query() - verb: sizes and limit
 * @ibsrq: queue
 * @attr: filled in
 *
 * Return: 0.
 */
int fab_srq_query(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	const struct fab_srq *srq = to_fab_srq(ibsrq);

	attr->max_wr = srq->rq.max_wr;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = READ_ONCE(srq->limit);
	return 0;
}

/**
 * fab_srq_destroy() - verb: the end of it; no QP uses it
 * @ibsrq: queue
 * @udata: not used
 *
 * Return: 0.
 */
int fab_srq_destroy(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct fab_srq *srq = to_fab_srq(ibsrq);

	if (ibsrq->uobject)
		fab_ring_srq_destroy(srq);
	else
		fab_kring_srq_destroy(srq);
	atomic_dec(&srq->hca->n_srqs);
	return 0;
}
