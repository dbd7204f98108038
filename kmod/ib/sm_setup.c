// SPDX-License-Identifier: GPL-2.0
/*
 * Bring a discovered subnet up (vol 1, 14.4.4 and the port states of 7.2.7).
 *
 *	LIDs    SubnSet(PortInfo) to every adapter's port and every switch's port 0:
 *	        your LID, the SM's LID
 *	routes  computed on a workqueue (sm_job.c)
 *	tables  SubnSet(SwitchInfo), SubnSet(LinearForwardingTable), 64 LIDs a block
 *	arm     SubnSet(PortInfo) to both ends of every cable: MTU and lanes that both
 *	        ends can do; INIT -> ARMED
 *	active  ARMED -> ACTIVE: now data may flow
 *	groups  SubnSet(MulticastForwardingTable), whenever somebody joins or leaves
 *
 * What is already as it should be is not written, so that a sweep of a subnet in
 * operation disturbs nothing: an active port is not touched.
 */
#include <linux/slab.h>
#include "../notify.h"
#include "sa.h"
#include "sm.h"

#define LFT_BLOCK	64
#define MFT_BLOCK	32

/* PortInfo: SubnetTimeOut: a packet takes at most 4.096 us << 18 (14.2.5.6). */
#define SUBNET_TIMEOUT	18
#define REREGISTER	BIT(7)

static const struct fab_sm_phase phase_lids, phase_routes, phase_tables, phase_arm, phase_activate;

static struct fab_sm_node *cursor_node(struct fab_sm *sm, struct fab_sm_subnet *subnet)
{
	if (!sm->cursor)
		sm->cursor = subnet->nodes.next;
	return sm->cursor == &subnet->nodes ? NULL :
					      list_entry(sm->cursor, struct fab_sm_node, list);
}

static void go_to_next(struct fab_sm *sm)
{
	sm->cursor = sm->cursor->next;
	sm->cursor_port = 0;
	sm->cursor_block = 0;
}

static void ask_set(struct fab_sm_request *request, struct fab_sm_node *node,
		    struct fab_sm_port *port, __be16 attr, u32 modifier)
{
	fab_sm_ask(request, IB_MGMT_METHOD_SET, attr, modifier, node->path, node->hops);
	request->node = node;
	request->port = port;
}

/* A write that was not confirmed: the next sweep must not rely on it. */
static void unconfirmed(struct fab_sm *sm, struct fab_sm_request *request)
{
	request->node->unsure = true;
	sm->again = true;
}

/* PortInfo as a Set must have it: fields for which zero means "leave it" are zero. */
static struct ib_port_info *wanted_info(struct fab_sm_port *port, u8 *data)
{
	struct ib_port_info *info = (struct ib_port_info *)data;

	memcpy(data, port->info, IB_SMP_DATA_SIZE);
	info->linkspeed_portstate &= 0xf0;
	info->portphysstate_linkdown = 0;
	info->clientrereg_resv_subnetto &= ~REREGISTER;
	return info;
}

/* What both ends of the cable can do: NeighborMTU and OperationalVLs. */
static void link_parameters(const struct fab_sm_port *port, struct ib_port_info *info)
{
	const struct ib_port_info *one = fab_sm_port_info(port), *two;
	u8 mtu, lanes;

	if (!port->peer || !port->peer->known)
		return;
	two = fab_sm_port_info(port->peer);
	mtu = min(one->inittypereply_mtucap & 0xf, two->inittypereply_mtucap & 0xf);
	lanes = min(one->vlcap_inittype >> 4, two->vlcap_inittype >> 4);
	info->neighbormtu_mastersmsl = mtu << 4 | (info->neighbormtu_mastersmsl & 0xf);
	info->operationalvl_pei_peo_fpi_fpo = lanes << 4 |
					      (info->operationalvl_pei_peo_fpi_fpo & 0xf);
}

/* Addresses of the port at which management reaches a node. Returns whether any is new. */
static bool addresses(struct fab_sm *sm, struct fab_sm_node *node, u8 *data)
{
	struct fab_sm_port *port = fab_sm_own_port(node);
	struct ib_port_info *info = wanted_info(port, data);
	u8 before[IB_SMP_DATA_SIZE];
	bool changed;

	memcpy(before, data, sizeof(before));
	info->gid_prefix = cpu_to_be64(FAB_SM_PREFIX);
	info->lid = cpu_to_be16(node->lid);
	info->sm_lid = cpu_to_be16(sm->lid);
	info->mkey = 0;
	info->mkeyprot_resv_lmc = node->lmc;
	info->neighbormtu_mastersmsl &= 0xf0;
	info->clientrereg_resv_subnetto = SUBNET_TIMEOUT;
	changed = memcmp(before, data, sizeof(before));
	if (!node->is_switch && fab_sm_port_state(port) == IB_PORT_INIT)
		link_parameters(port, info);
	if (sm->announce && !node->is_switch &&
	    be32_to_cpu(info->cap_mask) & IB_PORT_CLIENT_REG_SUP) {
		info->clientrereg_resv_subnetto |= REREGISTER;
		changed = true;
	}
	return changed;
}

static enum fab_sm_next lids_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	u8 data[IB_SMP_DATA_SIZE] __aligned(8);
	struct fab_sm_node *node;

	while ((node = cursor_node(sm, sm->found))) {
		struct fab_sm_port *port = fab_sm_own_port(node);

		if (sm->budget-- <= 0)
			return FAB_SM_LATER;
		go_to_next(sm);
		if (!port->known || !addresses(sm, node, data))
			continue;
		ask_set(request, node, port, IB_SMP_ATTR_PORT_INFO, port->num);
		memcpy(request->smp.data, data, sizeof(data));
		return FAB_SM_ONE;
	}
	return FAB_SM_NONE;
}

static void port_reply(struct fab_sm *sm, struct fab_sm_request *request, const struct ib_smp *smp)
{
	if (!smp) {
		unconfirmed(sm, request);
		return;
	}
	memcpy(request->port->info, smp->data, sizeof(request->port->info));
}

static void lids_done(struct fab_sm *sm)
{
	fab_sm_enter(sm, &phase_routes);
	fab_sm_job_start(sm);
}

/* Nothing to send: sm_job.c calls fab_sm_routed(). */
static const struct fab_sm_phase phase_routes = { .name = "routes" };

static void give_up(struct fab_sm *sm)
{
	fab_sm_sweep_soon(sm, FAB_SM_AGAIN_MS);
	fab_sm_idle(sm);
}

/**
 * fab_sm_routed() - the routes of the subnet found are in sm->route
 * @sm: subnet manager
 * @err: 0, or why they are not
 */
void fab_sm_routed(struct fab_sm *sm, int err)
{
	if (sm->phase != &phase_routes)
		return;
	if (err)
		give_up(sm);
	else
		fab_sm_enter(sm, &phase_tables);
	fab_sm_run(sm);
}

/* SwitchInfo: what is of interest of it (14.2.5.4). */
#define LINEAR_TOP_AT	6
#define LIFE_AT		11
#define PORT_CHANGED	BIT(2)

static void ask_switch_info(struct fab_sm *sm, struct fab_sm_node *node,
			    struct fab_sm_request *request)
{
	__be16 top = cpu_to_be16(sm->found->top_lid);

	ask_set(request, node, NULL, IB_SMP_ATTR_SWITCH_INFO, 0);
	memcpy(request->smp.data, node->switch_info, sizeof(node->switch_info));
	memcpy(request->smp.data + LINEAR_TOP_AT, &top, sizeof(top));
	/* One clears it. */
	request->smp.data[LIFE_AT] |= PORT_CHANGED;
}

static void lft_block(const struct fab_route *route, u32 sw, u32 block, u8 *data)
{
	u32 i, lid;

	for (i = 0; i < LFT_BLOCK; i++) {
		lid = block * LFT_BLOCK + i;
		data[i] = lid <= route->top_lid ? fab_route_lft(route, sw)[lid] : FAB_ROUTE_NONE;
	}
}

/* Is that what the switch has in its table already? */
static bool is_written(struct fab_sm *sm, const struct fab_sm_node *node, u32 block, const u8 *data)
{
	struct fab_sm_node *before;
	u8 old[LFT_BLOCK];

	if (!node->kept || !sm->subnet || !sm->before_fits ||
	    block * LFT_BLOCK > sm->before.top_lid)
		return false;
	before = fab_sm_node_find(sm->subnet, be64_to_cpu(node->info.node_guid), 0);
	if (!before || before->index >= sm->before.n_switches)
		return false;
	lft_block(&sm->before, before->index, block, old);
	return !memcmp(old, data, sizeof(old));
}

static enum fab_sm_next tables_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	u32 blocks = sm->found->top_lid / LFT_BLOCK + 1;
	struct fab_sm_node *node;
	u8 data[LFT_BLOCK];
	u32 block;

	while ((node = cursor_node(sm, sm->found)) && node->is_switch) {
		if (sm->budget-- <= 0)
			return FAB_SM_LATER;
		block = sm->cursor_block++;
		if (block == blocks) {
			/* Last, so that its table is whole when LinearFDBTop is raised. */
			go_to_next(sm);
			ask_switch_info(sm, node, request);
			return FAB_SM_ONE;
		}
		lft_block(&sm->route, node->index, block, data);
		if (is_written(sm, node, block, data))
			continue;
		ask_set(request, node, NULL, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, block);
		memcpy(request->smp.data, data, sizeof(data));
		return FAB_SM_ONE;
	}
	return FAB_SM_NONE;
}

static void table_reply(struct fab_sm *sm, struct fab_sm_request *request, const struct ib_smp *smp)
{
	if (!smp)
		unconfirmed(sm, request);
	else if (request->smp.attr_id == IB_SMP_ATTR_SWITCH_INFO)
		memcpy(request->node->switch_info, smp->data, sizeof(request->node->switch_info));
}

/* What the sweep has found is what is in operation now: questions are answered from it. */
static void tables_done(struct fab_sm *sm)
{
	fab_sm_subnet_free(sm->subnet);
	sm->subnet = sm->found;
	sm->found = NULL;
	sm->before_fits = false;
	sm->route_fits = true;
	fab_sa_new_subnet(sm);
	fab_sm_enter(sm, &phase_arm);
}

/* The next port of a cable whose both ends were found and that is in @state; NULL at the end. */
static struct fab_sm_port *next_port(struct fab_sm *sm, u8 state, bool *later)
{
	struct fab_sm_node *node;
	struct fab_sm_port *port;

	while ((node = cursor_node(sm, sm->subnet))) {
		if (sm->budget-- <= 0) {
			*later = true;
			return NULL;
		}
		if (sm->cursor_port > node->n_ports) {
			go_to_next(sm);
			continue;
		}
		port = &node->ports[sm->cursor_port++];
		if (node->is_switch && !port->num)
			continue;
		if (port->peer && fab_sm_port_state(port) == state)
			return port;
	}
	return NULL;
}

static enum fab_sm_next move_ports(struct fab_sm *sm, struct fab_sm_request *request,
				   u8 from, u8 to)
{
	bool later = false;
	struct fab_sm_port *port = next_port(sm, from, &later);
	struct ib_port_info *info;

	if (!port)
		return later ? FAB_SM_LATER : FAB_SM_NONE;
	ask_set(request, port->node, port, IB_SMP_ATTR_PORT_INFO, port->num);
	info = wanted_info(port, request->smp.data);
	if (from == IB_PORT_INIT)
		link_parameters(port, info);
	info->linkspeed_portstate |= to;
	return FAB_SM_ONE;
}

static enum fab_sm_next arm_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	return move_ports(sm, request, IB_PORT_INIT, IB_PORT_ARMED);
}

static void arm_done(struct fab_sm *sm)
{
	fab_sm_enter(sm, &phase_activate);
}

static enum fab_sm_next activate_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	return move_ports(sm, request, IB_PORT_ARMED, IB_PORT_ACTIVE);
}

static void activate_done(struct fab_sm *sm)
{
	const struct fab_notice notice = {
		.type = FABSIM_EVENT_SUBNET_UP, .name = sm->sw->node.name,
	};

	if (!sm->up)
		fab_notify(&notice);
	sm->up = true;
	sm->announce = false;
	sm->stats.sweeps++;
	sm->stats.swept = fab_now();
	sm->stats.sweep_ns = sm->stats.swept - sm->sweep_began;
	sm->stats.sweep_smps = sm->stats.smps_sent - sm->sweep_began_smps;
	sm->next_tick = jiffies + msecs_to_jiffies(sm->set.sweep_ms);
	if (sm->again)
		fab_sm_sweep_soon(sm, FAB_SM_AGAIN_MS);
	fab_sm_idle(sm);
	fab_sm_job_start(sm);
}

static const struct fab_sm_phase phase_lids = {
	.name	= "lids",
	.next	= lids_next,
	.reply	= port_reply,
	.done	= lids_done,
};

static const struct fab_sm_phase phase_tables = {
	.name	= "tables",
	.next	= tables_next,
	.reply	= table_reply,
	.done	= tables_done,
};

static const struct fab_sm_phase phase_arm = {
	.name	= "arm",
	.next	= arm_next,
	.reply	= port_reply,
	.done	= arm_done,
};

static const struct fab_sm_phase phase_activate = {
	.name	= "activate",
	.next	= activate_next,
	.reply	= port_reply,
	.done	= activate_done,
};

/**
 * fab_sm_setup() - bring up what the sweep has found
 * @sm: subnet manager; master
 */
void fab_sm_setup(struct fab_sm *sm)
{
	struct fab_sm_node *own = fab_sm_node_by_port_guid(sm->found, sm->guid);

	if (!own || fab_sm_assign_lids(sm)) {
		give_up(sm);
		return;
	}
	sm->lid = own->lid;
	fab_sm_enter(sm, &phase_lids);
}

/**
 * fab_sm_wants_routes() - does the sweep wait for sm_job.c?
 * @sm: subnet manager
 *
 * Return: whether it does.
 */
bool fab_sm_wants_routes(const struct fab_sm *sm)
{
	return sm->phase == &phase_routes;
}

/* The 32 entries of a block of a multicast table, 16 ports of each. */
static void mft_block(struct fab_sm *sm, u32 sw, u32 block, u32 position, __be16 *data)
{
	u32 i;

	for (i = 0; i < MFT_BLOCK; i++)
		data[i] = cpu_to_be16(fab_sa_ports(sm, FAB_IB_MCAST_BASE + block * MFT_BLOCK + i,
						   sw, position));
}

/* Of a group whose tree has changed: each switch, each 16 ports, where they have. */
static enum fab_sm_next groups_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	struct fab_sa_group *group = fab_sa_next_to_write(sm);
	struct fab_sm_node *node;
	__be16 data[MFT_BLOCK];
	u32 position, block;

	if (!group)
		return FAB_SM_NONE;
	block = (fab_sa_group_mlid(group) - FAB_IB_MCAST_BASE) / MFT_BLOCK;
	while ((node = cursor_node(sm, sm->subnet)) && node->is_switch) {
		if (sm->budget-- <= 0)
			return FAB_SM_LATER;
		if (sm->cursor_port > node->n_ports / 16) {
			go_to_next(sm);
			continue;
		}
		position = sm->cursor_port++;
		if (!fab_sa_changed(group, node->index, position))
			continue;
		ask_set(request, node, NULL, IB_SMP_ATTR_MCAST_FORWARD_TABLE,
			position << 28 | block);
		mft_block(sm, node->index, block, position, data);
		memcpy(request->smp.data, data, sizeof(data));
		return FAB_SM_ONE;
	}
	sm->cursor = NULL;
	fab_sa_written(sm, group);
	return FAB_SM_LATER;
}

static void groups_reply(struct fab_sm *sm, struct fab_sm_request *request,
			 const struct ib_smp *smp)
{
	if (!smp)
		fab_sm_sweep_soon(sm, FAB_SM_AGAIN_MS);
}

static const struct fab_sm_phase phase_groups = {
	.name	= "groups",
	.next	= groups_next,
	.reply	= groups_reply,
	.done	= fab_sm_idle,
};

/**
 * fab_sm_write_groups() - write the multicast tables whose groups have changed
 * @sm: subnet manager; idle
 */
void fab_sm_write_groups(struct fab_sm *sm)
{
	fab_sm_enter(sm, &phase_groups);
}

/**
 * fab_sm_rewrite_groups() - a group that may just be written has changed again: begin anew
 * @sm: subnet manager
 */
void fab_sm_rewrite_groups(struct fab_sm *sm)
{
	if (sm->phase != &phase_groups)
		return;
	sm->cursor = NULL;
	sm->cursor_port = 0;
}
