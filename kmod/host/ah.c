// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles: where a datagram goes.
 *
 * A connected QP has its destination in its own attributes; a datagram names an
 * address handle for each message (InfiniBand volume 1, 11.2.2). Making one is
 * where the networks differ most, and so it is the network's work: from a LID
 * or GID to the header bytes that lead there. After that a handle is only read.
 *
 * The communication manager makes and ends handles under a spinlock: nothing
 * here sleeps unless the caller allows it.
 */
#include "verbs.h"

/**
 * fab_ah_create() - verb: an address handle, of the kernel or of a program
 * @ibah: handle
 * @init: where to, and whether to sleep
 * @udata: not used
 *
 * Context: any.
 * Return: 0, or -EINVAL where the address cannot be.
 */
int fab_ah_create(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	struct fab_hca *hca = to_fab_hca(ibah->device);
	struct fab_ah *ah = to_fab_ah(ibah);

	return hca->net->resolve(hca, init->ah_attr, &ah->path,
				 init->flags & RDMA_CREATE_AH_SLEEPABLE);
}

/**
 * fab_ah_query() - verb: where it leads
 * @ibah: handle
 * @attr: filled in
 *
 * Return: 0.
 */
int fab_ah_query(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_fab_ah(ibah)->path.attr;
	/* The reference stays with the handle. */
	attr->grh.sgid_attr = NULL;
	return 0;
}

/**
 * fab_ah_destroy() - verb: the end of it
 * @ibah: handle
 * @flags: RDMA_DESTROY_AH_*
 *
 * Context: any.
 * Return: 0. What was posted with it has a copy.
 */
int fab_ah_destroy(struct ib_ah *ibah, u32 flags)
{
	return 0;
}
