// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast: which QPs of this HCA have joined which group (InfiniBand volume 1, 10.5).
 *
 * A multicast packet reaches the HCA once; the HCA hands it to every QP that is
 * attached to its group, also to one that has sent it (its user can tell by the
 * source). Bringing the packet here is the network's business: the SM's
 * multicast tables on InfiniBand, multicast MACs on Ethernet.
 *
 * Groups belong to the fabric thread: the caller allocates, the thread puts in.
 */
#include <linux/slab.h>
#include <net/ipv6.h>
#include "engine.h"
#include "verbs.h"

/* Groups of one QP. */
#define MAX_GROUPS	64

/**
 * struct group - a group that QPs of this HCA are attached to
 * @list: place in hca->mcast
 * @mgid: its address
 * @members: struct member
 * @n_members: how many
 */
struct group {
	struct list_head list;
	union ib_gid mgid;
	struct list_head members;
	u32 n_members;
};

struct member {
	struct list_head list;
	struct fab_qp *qp;
};

/**
 * struct change - an attach or detach on its way to the fabric thread
 * @qp: QP
 * @mgid: group
 * @group: to be used if the group is new; NULL if it was
 * @member: the same
 * @err: how it went
 */
struct change {
	struct fab_qp *qp;
	const union ib_gid *mgid;
	struct group *group;
	struct member *member;
	int err;
};

static struct group *find_group(const struct fab_hca *hca, const union ib_gid *mgid)
{
	struct group *group;

	list_for_each_entry(group, &hca->mcast, list)
		if (!memcmp(&group->mgid, mgid, sizeof(*mgid)))
			return group;
	return NULL;
}

static struct member *find_member(const struct group *group, const struct fab_qp *qp)
{
	struct member *member;

	list_for_each_entry(member, &group->members, list)
		if (member->qp == qp)
			return member;
	return NULL;
}

static void call_attach(void *arg)
{
	struct change *change = arg;
	struct fab_hca *hca = change->qp->hca;
	struct group *group = find_group(hca, change->mgid);

	if (group && find_member(group, change->qp))
		return;
	if (change->qp->n_mcast >= MAX_GROUPS ||
	    (group ? group->n_members >= FAB_MAX_MEMBERS : hca->n_mcast >= FAB_MAX_GROUPS)) {
		change->err = -ENOMEM;
		return;
	}
	if (!group) {
		group = change->group;
		change->group = NULL;
		group->mgid = *change->mgid;
		INIT_LIST_HEAD(&group->members);
		list_add_tail(&group->list, &hca->mcast);
		hca->n_mcast++;
	}
	change->member->qp = change->qp;
	list_add_tail(&change->member->list, &group->members);
	change->member = NULL;
	group->n_members++;
	change->qp->n_mcast++;
}

/**
 * fab_mcast_attach() - a QP wants the packets of a group
 * @ibqp: UD QP
 * @gid: group
 * @lid: of the group, where the network has LIDs
 *
 * Return: 0 or an error.
 */
int fab_mcast_attach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct change change = { .qp = to_fab_qp(ibqp), .mgid = gid };

	change.group = kzalloc(sizeof(*change.group), GFP_KERNEL);
	change.member = kzalloc(sizeof(*change.member), GFP_KERNEL);
	if (change.group && change.member)
		fab_call(call_attach, &change);
	else
		change.err = -ENOMEM;
	kfree(change.group);
	kfree(change.member);
	return change.err;
}

static void leave(struct group *group, struct member *member)
{
	struct fab_hca *hca = member->qp->hca;

	member->qp->n_mcast--;
	list_del(&member->list);
	kfree(member);
	if (--group->n_members)
		return;
	hca->n_mcast--;
	list_del(&group->list);
	kfree(group);
}

static void call_detach(void *arg)
{
	struct change *change = arg;
	struct group *group = find_group(change->qp->hca, change->mgid);
	struct member *member = group ? find_member(group, change->qp) : NULL;

	if (member)
		leave(group, member);
	else
		change->err = -EINVAL;
}

/**
 * fab_mcast_detach() - it wants no more of them
 * @ibqp: QP
 * @gid: group
 * @lid: of the group
 *
 * Return: 0, or -EINVAL if it was not attached.
 */
int fab_mcast_detach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct change change = { .qp = to_fab_qp(ibqp), .mgid = gid };

	fab_call(call_detach, &change);
	return change.err;
}

/**
 * fab_mcast_leave_all() - a QP is about to go
 * @qp: QP
 */
void fab_mcast_leave_all(struct fab_qp *qp)
{
	struct group *group, *next;
	struct member *member;

	if (!qp->n_mcast)
		return;
	list_for_each_entry_safe(group, next, &qp->hca->mcast, list) {
		member = find_member(group, qp);
		if (member)
			leave(group, member);
	}
}

bool fab_hca_listens(const struct fab_hca *hca, const union ib_gid *mgid)
{
	return find_group(hca, mgid);
}

/**
 * fab_mcast_receive() - a multicast packet came in
 * @hca: HCA
 * @in: packet
 */
void fab_mcast_receive(struct fab_hca *hca, const struct fab_incoming *in)
{
	const struct fab_arrival *arrival = in->arrival;
	struct member *member, *next;
	struct group *group = NULL;
	union ib_gid mgid;

	if (arrival->has_grh && arrival->network == RDMA_NETWORK_IPV4) {
		ipv6_addr_set_v4mapped(arrival->grh.roce4grh.daddr, (struct in6_addr *)&mgid);
		group = find_group(hca, &mgid);
	} else if (arrival->has_grh) {
		mgid = arrival->grh.ibgrh.dgid;
		group = find_group(hca, &mgid);
	}
	if (!group) {
		fab_count(hca, FAB_RCVD_DROPPED);
		return;
	}
	list_for_each_entry_safe(member, next, &group->members, list)
		if (fab_engine_accepts(member->qp, in))
			fab_ud_receive(member->qp, in);
}
