// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues: where the HCA says which work requests are done.
 *
 * A completion queue is a ring with one writer, the fabric thread. Its owner
 * takes completions out by polling, and may ask ("arm") for one event when the
 * next comes in, so as not to poll all the time (InfiniBand volume 1, 11.4.2). A
 * ring that is full when a completion comes is overrun, and dead from then on:
 * its owner made it too small (10.2.3).
 *
 * Programs poll and arm their rings without any call (ring.c); the verbs here
 * are the kernel's.
 */
#include <linux/log2.h>
#include <rdma/uverbs_ioctl.h>
#include "ring.h"
#include "verbs.h"

/**
 * fab_cq_create() - verb: a completion queue
 * @ibcq: queue
 * @attr: how many entries
 * @data: the program's request, or NULL for the kernel
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOMEM or another error of pinning.
 */
int fab_cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, fab_cq_udata *data)
{
	struct ib_udata *udata = fab_cq_driver_udata(data);
	struct fab_cq *cq = to_fab_cq(ibcq);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > FAB_MAX_CQE)
		return -EINVAL;
	/* The provider goes by what it asked for, which is a power of two. */
	if (udata && !is_power_of_2(attr->cqe))
		return -EINVAL;
	cq->hca = to_fab_hca(ibcq->device);
	cq->entries = roundup_pow_of_two(attr->cqe);
	if (!atomic_add_unless(&cq->hca->n_cqs, 1, FAB_MAX_CQ))
		return -ENOMEM;
	err = udata ? fab_ring_cq_create(cq, udata) : fab_kring_cq_create(cq);
	if (err) {
		atomic_dec(&cq->hca->n_cqs);
		return err;
	}
	ibcq->cqe = cq->entries;
	return 0;
}

/**
 * fab_cq_destroy() - verb: the end of it; no QP uses it
 * @ibcq: queue
 * @udata: not used
 *
 * Return: 0.
 */
int fab_cq_destroy(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct fab_cq *cq = to_fab_cq(ibcq);

	if (ibcq->uobject)
		fab_ring_cq_destroy(cq);
	else
		fab_kring_cq_destroy(cq);
	atomic_dec(&cq->hca->n_cqs);
	return 0;
}

/**
 * fab_cq_poll() - verb: take completions
 * @ibcq: queue of the kernel
 * @n: how many at most
 * @wc: put here
 *
 * Context: any.
 * Return: how many there were; -EOPNOTSUPP for a queue that a program polls itself.
 */
int fab_cq_poll(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	if (ibcq->uobject)
		return -EOPNOTSUPP;
	return fab_kring_cq_poll(to_fab_cq(ibcq), n, wc);
}

/**
 * fab_cq_req_notify() - verb: one event, when the next completion comes in
 * @ibcq: queue of the kernel
 * @flags: any completion or a solicited one; and whether to tell of those that wait
 *
 * Context: any.
 * Return: 0; 1 if completions wait and @flags ask for that; -EOPNOTSUPP as above.
 */
int fab_cq_req_notify(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	if (ibcq->uobject)
		return -EOPNOTSUPP;
	return fab_kring_cq_arm(to_fab_cq(ibcq), flags);
}
