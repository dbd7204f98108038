// SPDX-License-Identifier: GPL-2.0
/*
 * Trees of multicast groups.
 *
 * A packet to a group is copied by switches: each has, for the group's LID, the set of
 * ports that it sends a copy out of. Together these sets are a tree over the members'
 * switches. When somebody joins or leaves, the group is marked dirty; sm_job.c takes
 * the members, computes the tree, and hands it back; then sm_setup.c asks here which
 * entries of which switches have changed, and writes them.
 */
#include <linux/slab.h>
#include "sa.h"

static struct fab_sa_group *find_mlid(struct fab_sa *sa, u16 mlid)
{
	unsigned int i = mlid - FAB_IB_MCAST_BASE;

	return i < FAB_SA_GROUPS_MAX ? sa->by_mlid[i] : NULL;
}

/**
 * fab_sa_next_to_write() - a group whose tree the switches do not have yet
 * @sm: subnet manager
 *
 * An entry is written together with those of 31 other groups, so nothing is written
 * while a tree is not known.
 *
 * Return: the group or NULL.
 */
struct fab_sa_group *fab_sa_next_to_write(struct fab_sm *sm)
{
	struct fab_sa_group *group, *first = NULL;

	list_for_each_entry(group, &sm->sa->groups, list) {
		if (group->dirty)
			return NULL;
		if (group->write && !first)
			first = group;
	}
	return first;
}

/**
 * fab_sa_group_mlid() - the LID of a group
 * @group: group
 *
 * Return: the LID.
 */
u16 fab_sa_group_mlid(const struct fab_sa_group *group)
{
	return group->mlid;
}

static u16 ports_of(const struct fab_route_mask *masks, u32 n, u32 sw, u32 position)
{
	return masks && sw < n && position < ARRAY_SIZE(masks->ports) ?
	       masks[sw].ports[position] : 0;
}

/**
 * fab_sa_ports() - by which ports does a switch send on what goes to a group?
 * @sm: subnet manager
 * @mlid: of the group; it need not exist
 * @sw: number of the switch
 * @position: which 16 ports
 *
 * Return: a bit a port.
 */
u16 fab_sa_ports(struct fab_sm *sm, u16 mlid, u32 sw, u32 position)
{
	const struct fab_sa_group *group = find_mlid(sm->sa, mlid);

	return group ? ports_of(group->masks, group->n_masks, sw, position) : 0;
}

/**
 * fab_sa_changed() - must that be written to the switch?
 * @group: group
 * @sw: number of the switch
 * @position: which 16 ports
 *
 * Return: whether it must.
 */
bool fab_sa_changed(const struct fab_sa_group *group, u32 sw, u32 position)
{
	return !group->written || ports_of(group->masks, group->n_masks, sw, position) !=
				  ports_of(group->written, group->n_masks, sw, position);
}

/**
 * fab_sa_written() - the switches have the tree of a group
 * @sm: subnet manager
 * @group: group; gone after this if nobody is in it any more
 */
void fab_sa_written(struct fab_sm *sm, struct fab_sa_group *group)
{
	group->write = false;
	if (group->dead) {
		fab_sa_group_free(sm->sa, group);
		return;
	}
	kvfree(group->written);
	group->written = kmemdup(group->masks, group->n_masks * sizeof(*group->masks),
				 GFP_NOWAIT | __GFP_NOWARN);
}

/**
 * fab_sa_tree_measure() - is there a tree to be computed, of how many members?
 * @arg: struct fab_sa_tree
 */
void fab_sa_tree_measure(void *arg)
{
	struct fab_sa_tree *tree = arg;
	struct fab_sm *sm = tree->sm;
	struct fab_sa_group *group;

	tree->wanted = false;
	if (sm->stopped || !sm->subnet || !sm->route_fits)
		return;
	list_for_each_entry(group, &sm->sa->groups, list) {
		if (!group->dirty)
			continue;
		tree->wanted = true;
		tree->generation = sm->generation;
		tree->mlid = group->mlid;
		tree->n_members = group->n_members;
		return;
	}
}

static bool copy_member(struct fab_sm *sm, const struct fab_sa_member *member,
			struct fab_route_member *copy)
{
	struct fab_sm_node *node = fab_sm_node_by_port_guid(sm->subnet, member->guid);

	if (!node)
		return false;
	copy->receives = member->state & (FAB_SA_FULL | FAB_SA_NON);
	if (node->is_switch) {
		copy->sw = node->index;
		copy->port = 0;
		return true;
	}
	if (!node->ports[0].peer || !node->ports[0].peer->node->is_switch)
		return false;
	copy->sw = node->ports[0].peer->node->index;
	copy->port = node->ports[0].peer->num;
	return true;
}

/**
 * fab_sa_tree_copy() - the members of the group that fab_sa_tree_measure() has found
 * @arg: struct fab_sa_tree
 */
void fab_sa_tree_copy(void *arg)
{
	struct fab_sa_tree *tree = arg;
	struct fab_sm *sm = tree->sm;
	struct fab_sa_group *group = find_mlid(sm->sa, tree->mlid);
	const struct fab_sa_member *member;
	u32 n = 0;

	tree->wanted = !sm->stopped && sm->generation == tree->generation && group &&
		       group->n_members <= tree->n_members;
	if (!tree->wanted)
		return;
	tree->version = group->version;
	list_for_each_entry(member, &group->members, list)
		n += copy_member(sm, member, &tree->members[n]);
	tree->n_members = n;
}

/**
 * fab_sa_tree_take() - the tree is computed
 * @arg: struct fab_sa_tree
 */
void fab_sa_tree_take(void *arg)
{
	struct fab_sa_tree *tree = arg;
	struct fab_sm *sm = tree->sm;
	struct fab_sa_group *group = find_mlid(sm->sa, tree->mlid);

	if (sm->stopped || sm->generation != tree->generation || !group)
		return;
	if (tree->err) {
		fab_sm_sweep_soon(sm, FAB_SM_AGAIN_MS);
		fab_sm_run(sm);
		return;
	}
	/* What is written of it just now is neither the old nor the new. */
	if (group->write || group->n_masks != tree->n_masks) {
		kvfree(group->written);
		group->written = NULL;
	}
	swap(group->masks, tree->masks);
	group->n_masks = tree->n_masks;
	group->dirty = group->version != tree->version;
	group->write = true;
	fab_sm_rewrite_groups(sm);
	fab_sm_run(sm);
}
