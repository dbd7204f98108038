// SPDX-License-Identifier: GPL-2.0
/*
 * Sweeps of the subnet manager.
 *
 * A heavy sweep finds out what the fabric is. It asks the own switch for its
 * NodeInfo (a directed route of no hops), then for its ports; where a port is up, it
 * sends NodeInfo one hop further through that port. Whoever answers is new, or known
 * by its GUID: then two ways lead there, and the graph has a circle. It ends when
 * nothing is left to be asked.
 *
 * A light sweep only asks every switch whether one of its ports has changed
 * (SwitchInfo, PortStateChange; vol 1, 14.2.5.4). Traps make it needless, but a trap
 * is a packet and may be lost.
 */
#include <linux/slab.h>
#include "sm.h"

/* What is asked of a node, in this order; then its ports one by one. */
enum { ASK_DESC, ASK_SWITCH, ASK_PORTS };

static const u8 here[IB_SMP_MAX_PATH_HOPS];

static void ask_node(struct fab_sm_request *request, struct fab_sm_node *node,
		     struct fab_sm_port *port, __be16 attr, u32 modifier)
{
	fab_sm_ask(request, IB_MGMT_METHOD_GET, attr, modifier, node->path, node->hops);
	request->node = node;
	request->port = port;
}

/* The next attribute of @node; false if all were asked. */
static bool ask_attribute(struct fab_sm_node *node, struct fab_sm_request *request)
{
	struct fab_sm_port *port;

	if (node->ask == ASK_DESC) {
		ask_node(request, node, NULL, IB_SMP_ATTR_NODE_DESC, 0);
		node->ask = node->is_switch ? ASK_SWITCH : ASK_PORTS;
		return true;
	}
	if (node->ask == ASK_SWITCH) {
		ask_node(request, node, NULL, IB_SMP_ATTR_SWITCH_INFO, 0);
		node->ask++;
		return true;
	}
	if (node->ask <= ASK_PORTS + node->n_ports) {
		port = &node->ports[node->ask++ - ASK_PORTS];
		ask_node(request, node, port, IB_SMP_ATTR_PORT_INFO, port->num);
		return true;
	}
	if (node->has_sm) {
		node->has_sm = false;
		ask_node(request, node, NULL, IB_SMP_ATTR_SM_INFO, 0);
		return true;
	}
	return false;
}

/* Follow a cable of the switch @node; false if there is none left. */
static bool follow_cable(struct fab_sm_node *node, struct fab_sm_request *request)
{
	struct fab_sm_port *port;

	for (; node->next_probe <= node->n_ports; node->next_probe++) {
		port = &node->ports[node->next_probe];
		if (!port->probe)
			continue;
		port->probe = false;
		ask_node(request, node, port, IB_SMP_ATTR_NODE_INFO, 0);
		request->smp.initial_path[++request->smp.hop_cnt] = port->num;
		return true;
	}
	return false;
}

static enum fab_sm_next discover_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	struct fab_sm_subnet *subnet = sm->found;
	struct fab_sm_node *node;

	if (!sm->cursor_port) {
		sm->cursor_port = 1;
		fab_sm_ask(request, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO, 0, here, 0);
		request->node = NULL;
		request->port = NULL;
		return FAB_SM_ONE;
	}
	while (!list_empty(&subnet->todo)) {
		node = list_first_entry(&subnet->todo, struct fab_sm_node, todo);
		if (ask_attribute(node, request) || follow_cable(node, request))
			return FAB_SM_ONE;
		list_del_init(&node->todo);
	}
	return FAB_SM_NONE;
}

static void ask_more(struct fab_sm_node *node)
{
	if (list_empty(&node->todo))
		list_add_tail(&node->todo, &node->subnet->todo);
}

static struct fab_sm_node *new_node(struct fab_sm *sm, const struct fab_sm_request *request,
				    const struct ib_node_info *info)
{
	struct fab_sm_node *node = fab_sm_node_add(sm->found, info);

	if (!node) {
		sm->again = true;
		return NULL;
	}
	node->hops = request->smp.hop_cnt;
	memcpy(node->path, request->smp.initial_path, sizeof(node->path));
	if (!request->node)
		sm->guid = be64_to_cpu(info->port_guid);
	return node;
}

static void got_node_info(struct fab_sm *sm, const struct fab_sm_request *request,
			  const struct ib_node_info *info)
{
	bool is_switch = info->node_type == FAB_IB_SWITCH;
	struct fab_sm_node *node;

	node = fab_sm_node_find(sm->found, be64_to_cpu(info->node_guid),
				is_switch ? 0 : info->local_port_num);
	if (!node)
		node = new_node(sm, request, info);
	if (!node || !request->port)
		return;
	/* Where the request arrived there is the other end of the cable. */
	if (!node->is_switch)
		fab_sm_cable(request->port, fab_sm_own_port(node));
	else if (info->local_port_num && info->local_port_num <= node->n_ports)
		fab_sm_cable(request->port, &node->ports[info->local_port_num]);
}

static void got_port_info(struct fab_sm *sm, struct fab_sm_port *port, const u8 *data)
{
	struct fab_sm_node *node = port->node;
	const struct ib_port_info *info;

	memcpy(port->info, data, sizeof(port->info));
	port->known = true;
	info = fab_sm_port_info(port);
	if (port == fab_sm_own_port(node)) {
		node->has_sm = (be32_to_cpu(info->cap_mask) & IB_PORT_SM) &&
			       be64_to_cpu(node->info.port_guid) != sm->guid;
		if (node->has_sm)
			ask_more(node);
		return;
	}
	if (fab_sm_port_state(port) < IB_PORT_INIT || port->peer ||
	    node->hops >= IB_SMP_MAX_PATH_HOPS - 1)
		return;
	port->probe = true;
	node->next_probe = min_t(u16, node->next_probe, port->num);
	ask_more(node);
}

static void discover_reply(struct fab_sm *sm, struct fab_sm_request *request,
			   const struct ib_smp *smp)
{
	struct fab_sm_node *node = request->node;

	if (!smp) {
		/* A cable that went down while we looked, or a node that is very busy. */
		sm->again = true;
		return;
	}
	switch (request->smp.attr_id) {
	case IB_SMP_ATTR_NODE_INFO:
		got_node_info(sm, request, (const struct ib_node_info *)smp->data);
		break;
	case IB_SMP_ATTR_NODE_DESC:
		memcpy(node->desc, smp->data, sizeof(node->desc));
		break;
	case IB_SMP_ATTR_SWITCH_INFO:
		memcpy(node->switch_info, smp->data, sizeof(node->switch_info));
		break;
	case IB_SMP_ATTR_PORT_INFO:
		got_port_info(sm, request->port, smp->data);
		break;
	case IB_SMP_ATTR_SM_INFO:
		fab_sm_info_found(sm, node, smp->data);
		break;
	}
}

static const struct fab_sm_phase phase_discover = {
	.name	= "discover",
	.next	= discover_next,
	.reply	= discover_reply,
	.done	= fab_sm_decide,
};

/**
 * fab_sm_discover() - begin a heavy sweep
 * @sm: subnet manager
 */
void fab_sm_discover(struct fab_sm *sm)
{
	fab_sm_job_abandon(sm);
	fab_sm_subnet_free(sm->found);
	sm->found = fab_sm_subnet_create();
	if (!sm->found) {
		fab_sm_sweep_soon(sm, FAB_SM_AGAIN_MS);
		fab_sm_idle(sm);
		return;
	}
	sm->n_peers = 0;
	sm->again = false;
	sm->sweep_began = fab_now();
	sm->sweep_began_smps = sm->stats.smps_sent;
	fab_sm_enter(sm, &phase_discover);
}

static enum fab_sm_next light_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	struct fab_sm_node *node;

	if (!sm->cursor)
		sm->cursor = sm->subnet->nodes.next;
	if (sm->cursor == &sm->subnet->nodes)
		return FAB_SM_NONE;
	node = list_entry(sm->cursor, struct fab_sm_node, list);
	if (!node->is_switch)
		return FAB_SM_NONE;	/* switches come first */
	sm->cursor = sm->cursor->next;
	ask_node(request, node, NULL, IB_SMP_ATTR_SWITCH_INFO, 0);
	return FAB_SM_ONE;
}

/* SwitchInfo: LifeTimeValue: 5 bits, PortStateChange: 1, OptimizedSLtoVLMapping: 2 */
#define LIFE_AT		11
#define PORT_CHANGED	BIT(2)

static void light_reply(struct fab_sm *sm, struct fab_sm_request *request,
			const struct ib_smp *smp)
{
	if (!smp || smp->data[LIFE_AT] & PORT_CHANGED)
		fab_sm_sweep_soon(sm, 0);
}

static void light_done(struct fab_sm *sm)
{
	sm->stats.light_sweeps++;
	fab_sm_idle(sm);
}

const struct fab_sm_phase fab_sm_phase_light = {
	.name	= "light-sweep",
	.next	= light_next,
	.reply	= light_reply,
	.done	= light_done,
};
