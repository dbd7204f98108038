// SPDX-License-Identifier: GPL-2.0
/*
 * A subnet as one sweep of the subnet manager found it, and the LIDs it gives.
 *
 * Every heavy sweep builds a new picture; the old one stays in operation (the SA
 * answers from it) until the new one is brought up. A switch is one node with all
 * its ports; each port of a channel adapter is a node of its own, since it is what
 * has a LID.
 */
#include <linux/bitmap.h>
#include <linux/list_sort.h>
#include <linux/slab.h>
#include "sm.h"

/**
 * fab_sm_subnet_create() - a picture with nothing on it
 *
 * Context: fabric thread.
 * Return: it, or NULL if there is no memory.
 */
struct fab_sm_subnet *fab_sm_subnet_create(void)
{
	struct fab_sm_subnet *subnet = kzalloc(sizeof(*subnet), GFP_NOWAIT | __GFP_NOWARN);

	if (!subnet)
		return NULL;
	INIT_LIST_HEAD(&subnet->nodes);
	INIT_LIST_HEAD(&subnet->todo);
	hash_init(subnet->by_guid);
	hash_init(subnet->by_port_guid);
	xa_init(&subnet->by_lid);
	return subnet;
}

/**
 * fab_sm_subnet_free() - the end of a picture
 * @subnet: picture, or NULL
 */
void fab_sm_subnet_free(struct fab_sm_subnet *subnet)
{
	struct fab_sm_node *node, *next;

	if (!subnet)
		return;
	list_for_each_entry_safe(node, next, &subnet->nodes, list)
		kfree(node);
	xa_destroy(&subnet->by_lid);
	kfree(subnet);
}

/* A switch counts as one whatever port is asked for. */
static u64 key(u64 guid, u8 port)
{
	return guid ^ (u64)port << 56;
}

/**
 * fab_sm_node_find() - is there this node?
 * @subnet: picture
 * @guid: NodeGUID
 * @port: of an adapter; 0 for switches
 *
 * Return: the node or NULL.
 */
struct fab_sm_node *fab_sm_node_find(struct fab_sm_subnet *subnet, u64 guid, u8 port)
{
	struct fab_sm_node *node;

	hash_for_each_possible(subnet->by_guid, node, hash, key(guid, port))
		if (be64_to_cpu(node->info.node_guid) == guid &&
		    (node->is_switch || node->info.local_port_num == port))
			return node;
	return NULL;
}

/**
 * fab_sm_node_add() - a node was found
 * @subnet: picture
 * @info: what it said of itself
 *
 * Return: the node, to be asked; NULL if there is no memory.
 */
struct fab_sm_node *fab_sm_node_add(struct fab_sm_subnet *subnet, const struct ib_node_info *info)
{
	bool is_switch = info->node_type == FAB_IB_SWITCH;
	unsigned int i, n = is_switch ? info->num_ports : 0;
	struct fab_sm_node *node;

	/* Anybody may answer as a switch, behind which are others: no more than there are LIDs. */
	if (n > FAB_ROUTE_PORTS_MAX || subnet->n_switches + subnet->n_ends >= FAB_SM_TOP_LID)
		return NULL;
	node = kzalloc(struct_size(node, ports, n + 1), GFP_NOWAIT | __GFP_NOWARN);
	if (!node)
		return NULL;
	node->subnet = subnet;
	node->info = *info;
	node->is_switch = is_switch;
	node->n_ports = n;
	for (i = 0; i <= n; i++) {
		node->ports[i].node = node;
		node->ports[i].num = is_switch ? i : info->local_port_num;
	}
	list_add_tail(&node->list, &subnet->nodes);
	list_add_tail(&node->todo, &subnet->todo);
	hash_add(subnet->by_guid, &node->hash,
		 key(be64_to_cpu(info->node_guid), is_switch ? 0 : info->local_port_num));
	hash_add(subnet->by_port_guid, &node->port_hash, be64_to_cpu(info->port_guid));
	subnet->n_switches += is_switch;
	subnet->n_ends += !is_switch;
	subnet->n_ports += n;
	return node;
}

/**
 * fab_sm_node_by_port_guid() - whose port is this?
 * @subnet: picture
 * @guid: PortGUID: the last half of a GID
 *
 * Return: the node or NULL.
 */
struct fab_sm_node *fab_sm_node_by_port_guid(struct fab_sm_subnet *subnet, u64 guid)
{
	struct fab_sm_node *node;

	hash_for_each_possible(subnet->by_port_guid, node, port_hash, guid)
		if (be64_to_cpu(node->info.port_guid) == guid)
			return node;
	return NULL;
}

/**
 * fab_sm_node_by_lid() - whose LID is this?
 * @subnet: picture
 * @lid: any of its LIDs
 *
 * Return: the node or NULL.
 */
struct fab_sm_node *fab_sm_node_by_lid(struct fab_sm_subnet *subnet, u16 lid)
{
	struct fab_sm_node *node;
	unsigned int lmc;

	for (lmc = 0; lmc <= 7; lmc++) {
		node = xa_load(&subnet->by_lid, lid & ~((1U << lmc) - 1));
		if (node && lid < node->lid + (1U << node->lmc))
			return node;
	}
	return NULL;
}

/**
 * fab_sm_cable() - two ports were found to be joined
 * @a: one end
 * @b: the other end
 *
 * An end that was joined to something else has been moved while we looked.
 */
void fab_sm_cable(struct fab_sm_port *a, struct fab_sm_port *b)
{
	if (a->peer && a->peer != b)
		a->peer->peer = NULL;
	if (b->peer && b->peer != a)
		b->peer->peer = NULL;
	a->peer = b;
	b->peer = a;
	a->probe = false;
	b->probe = false;
}

/* Switches first, then by GUID: LIDs and routes do not depend on who answered first. */
static int by_guid(void *unused, const struct list_head *a, const struct list_head *b)
{
	const struct fab_sm_node *one = list_entry(a, struct fab_sm_node, list);
	const struct fab_sm_node *two = list_entry(b, struct fab_sm_node, list);
	u64 guid_one = be64_to_cpu(one->info.port_guid);
	u64 guid_two = be64_to_cpu(two->info.port_guid);

	if (one->is_switch != two->is_switch)
		return one->is_switch ? -1 : 1;
	return guid_one < guid_two ? -1 : guid_one > guid_two;
}

/* Take @n LIDs from @lid on, unless one of them is taken or they may not begin there. */
static bool claim(struct fab_sm *sm, u16 lid, unsigned int n)
{
	if (!lid || lid & (n - 1) || lid + n - 1 > FAB_SM_TOP_LID ||
	    find_next_bit(sm->lids, lid + n, lid) < lid + n)
		return false;
	bitmap_set(sm->lids, lid, n);
	return true;
}

/* The LID that @node had when we last brought the subnet up; 0 = none. */
static u16 lid_before(struct fab_sm *sm, const struct fab_sm_node *node)
{
	const struct fab_sm_node *before;

	if (!sm->subnet)
		return 0;
	before = fab_sm_node_find(sm->subnet, be64_to_cpu(node->info.node_guid),
				  node->info.local_port_num);
	return before ? before->lid : 0;
}

static u16 lid_read(struct fab_sm_node *node)
{
	return be16_to_cpu(fab_sm_port_info(fab_sm_own_port(node))->lid);
}

/* Who has a LID keeps it: programs and other ports know it. */
static void keep_lids(struct fab_sm *sm, struct fab_sm_subnet *subnet)
{
	struct fab_sm_node *node;
	u16 lid;

	list_for_each_entry(node, &subnet->nodes, list) {
		node->lmc = node->is_switch ? 0 : sm->set.lmc;
		lid = lid_before(sm, node);
		if (claim(sm, lid, 1U << node->lmc))
			node->lid = lid;
	}
	list_for_each_entry(node, &subnet->nodes, list) {
		lid = lid_read(node);
		if (!node->lid && claim(sm, lid, 1U << node->lmc))
			node->lid = lid;
	}
}

static int give_lids(struct fab_sm *sm, struct fab_sm_subnet *subnet)
{
	struct fab_sm_node *node;
	unsigned long next = 1;
	unsigned int n;

	list_for_each_entry(node, &subnet->nodes, list) {
		if (node->lid)
			continue;
		n = 1U << node->lmc;
		next = bitmap_find_next_zero_area(sm->lids, FAB_SM_TOP_LID + 1, next, n, n - 1);
		if (next > FAB_SM_TOP_LID)
			return -ENOSPC;
		bitmap_set(sm->lids, next, n);
		node->lid = next;
	}
	return 0;
}

/* A switch that has the LID we gave it has our tables too, unless a write was not confirmed. */
static bool is_kept(struct fab_sm *sm, struct fab_sm_node *node)
{
	struct fab_sm_node *before;

	if (!sm->subnet || !node->is_switch)
		return false;
	before = fab_sm_node_find(sm->subnet, be64_to_cpu(node->info.node_guid), 0);
	return before && !before->unsure && before->lid == lid_read(node);
}

/**
 * fab_sm_assign_lids() - a LID for every node that a sweep has found
 * @sm: subnet manager
 *
 * Return: 0, -ENOSPC if there are not enough, -ENOMEM.
 */
int fab_sm_assign_lids(struct fab_sm *sm)
{
	struct fab_sm_subnet *subnet = sm->found;
	struct fab_sm_node *node;
	u32 index = 0;
	int err;

	list_sort(NULL, &subnet->nodes, by_guid);
	bitmap_zero(sm->lids, FAB_SM_TOP_LID + 1);
	keep_lids(sm, subnet);
	err = give_lids(sm, subnet);
	if (err)
		return err;
	subnet->top_lid = find_last_bit(sm->lids, FAB_SM_TOP_LID + 1);
	list_for_each_entry(node, &subnet->nodes, list) {
		node->kept = is_kept(sm, node);
		if (node->is_switch)
			node->index = index++;
		err = xa_err(xa_store(&subnet->by_lid, node->lid, node,
				      GFP_NOWAIT | __GFP_NOWARN));
		if (err)
			return err;
	}
	return 0;
}
