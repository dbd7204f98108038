/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For test_sm.c and test_sa.c: the subnet manager of kmod/ib/ on a fabric of simple
 * nodes, which answer SMPs that travel hop by hop as kmod/ib/smi.c says.
 */
#ifndef _UNIT_SM_FABRIC_H
#define _UNIT_SM_FABRIC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kselftest.h"
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/unit_kernel.h>
#include <linux/workqueue.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_smi.h>

/* Records of the SA are packed as on the wire, and lie in aligned MADs. */
#pragma GCC diagnostic ignored "-Waddress-of-packed-member"

int unit_no_memory;
unsigned long jiffies;

struct fab_inbox {
	void (*drain)(struct fab_inbox *inbox);
};

#define MANY	8
static struct work_struct *works[MANY];
static struct fab_inbox *inboxes[MANY];

static void remove_one(void **list, const void *one)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		if (list[i] == one)
			list[i] = NULL;
}

static void add_once(void **list, void *one)
{
	unsigned int i;

	remove_one(list, one);
	for (i = 0; list[i]; i++)
		;
	list[i] = one;
}

void unit_work_queue(struct work_struct *work)
{
	add_once((void **)works, work);
}

void unit_work_cancel(struct work_struct *work)
{
	remove_one((void **)works, work);
}

#define fab_inbox_init(i, f)	((i)->drain = (f))
#define fab_inbox_post(i)	add_once((void **)inboxes, i)
#define fab_call(f, arg)	((f)(arg))
#define fab_call_sync()		do { } while (0)
#define fab_now()		((u64)jiffies * 1000000)
#define FAB_EXTACK_H
#define fab_err(extack, ...)	((void)(extack))

/* What kmod/ib/ib.h has. */
#define FAB_IB_H
#define FAB_IB_PERMISSIVE	0xffff
#define FAB_IB_MCAST_BASE	0xc000
#define FAB_IB_MFT_CAP		1024
enum { FAB_IB_CA = 1, FAB_IB_SWITCH = 2 };

struct netlink_ext_ack;

/* What kmod/notify.h has. */
#define FAB_NOTIFY_H
enum { FABSIM_EVENT_SM_STARTED, FABSIM_EVENT_SM_STOPPED, FABSIM_EVENT_SUBNET_UP };
struct fab_notice {
	u32 type;
	const char *name;
};

#define fab_notify(notice)	((void)(notice))

struct fab_ib_mad_addr {
	u16 lid;
	u32 qpn;
};

struct fab_ib_agent {
	void (*smp)(struct fab_ib_agent *agent, const struct ib_smp *smp,
		    const struct fab_ib_mad_addr *from);
	void (*gmp)(struct fab_ib_agent *agent, const struct ib_mad *mad,
		    const struct fab_ib_mad_addr *from);
	void (*changed)(struct fab_ib_agent *agent);
	void (*gone)(struct fab_ib_agent *agent);
};

struct fab_ib_switch {
	struct {
		const char *name;
	} node;
	struct {
		u64 guid;
	} ibn;
	struct fab_ib_agent *agent;
	void *sm;
	int sim;
};

#define fab_ib_port0(sw)	(sw)
static u16 fab_ib_lid(const struct fab_ib_switch *sw);
static void fab_ib_switch_set_agent(struct fab_ib_switch *sw, struct fab_ib_agent *agent,
				    bool is_sm);
static bool fab_ib_send_smp(struct fab_ib_switch *sw, const struct ib_smp *smp,
			    const struct fab_ib_mad_addr *to);
static bool fab_ib_reply_smp(struct fab_ib_switch *sw, struct ib_smp *smp,
			     const struct fab_ib_mad_addr *from);
static bool fab_ib_reply_gmp(struct fab_ib_switch *sw, struct ib_mad *mad,
			     const struct fab_ib_mad_addr *from);

#include "ib/smi.c"
#include "ib/route.c"
#undef FAR
#include "ib/sm.c"
#include "ib/sm_subnet.c"
#include "ib/sm_sweep.c"
#undef LIFE_AT
#undef PORT_CHANGED
#include "ib/sm_info.c"
#include "ib/sm_setup.c"
#define work	sm_work
#include "ib/sm_job.c"
#undef work
#include "ib/sa.c"
#include "ib/sa_record.c"
#include "ib/sa_path.c"
#define asks	member_asks
#include "ib/sa_mcast.c"
#include "ib/sa_tree.c"
#include "ib/sa_rmpp.c"

/* The fabric: nodes, and the SMPs on their way, in order. */
#define NODES_MAX	2200
#define PORTS_MAX	65

struct node {
	struct fab_ib_switch sw;
	bool is_switch;
	u8 n_ports;
	u64 guid;
	u8 switch_info[64];
	u8 lft[4096];
	__be16 mft[64];		/* ports 0 to 15 */
	struct {
		int node;
		u8 port;
		u8 info[64] __aligned(8);
	} port[PORTS_MAX];
};

struct flight {
	struct list_head list;
	int node;
	u8 in;
	struct ib_smp smp __aligned(8);
};

static struct node *nodes;
static int n_nodes;
static struct list_head flights;
static unsigned int lose_every, flown, repressed, illegal;

static struct ib_port_info *info_of(int node, unsigned int port)
{
	return (struct ib_port_info *)nodes[node].port[port].info;
}

static u8 state_of(int node, unsigned int port)
{
	return info_of(node, port)->linkspeed_portstate & 0xf;
}

static void set_state(int node, unsigned int port, u8 state)
{
	info_of(node, port)->linkspeed_portstate = 0x10 | state;
}

static int add_node(bool is_switch, unsigned int n_ports)
{
	struct node *node = &nodes[n_nodes];
	unsigned int p;

	memset(node, 0, sizeof(*node));
	node->is_switch = is_switch;
	node->n_ports = n_ports;
	node->guid = 0x1000 + n_nodes;
	node->sw.ibn.guid = node->guid;
	node->sw.node.name = "switch";
	node->sw.sim = n_nodes;
	memset(node->lft, 0xff, sizeof(node->lft));
	for (p = 0; p <= n_ports; p++) {
		struct ib_port_info *info = info_of(n_nodes, p);

		node->port[p].node = -1;
		info->vlcap_inittype = 3 << 4;
		info->inittypereply_mtucap = 5;
		info->neighbormtu_mastersmsl = 4 << 4;
		info->link_width_active = IB_WIDTH_4X;
		nodes[n_nodes].port[p].info[62] = 2 << 4;
		info->cap_mask = cpu_to_be32(IB_PORT_CLIENT_REG_SUP);
		set_state(n_nodes, p, p ? IB_PORT_DOWN : IB_PORT_ACTIVE);
	}
	return n_nodes++;
}

static void set_cable(int a, unsigned int pa, int b, unsigned int pb, bool up)
{
	nodes[a].port[pa].node = up ? b : -1;
	nodes[a].port[pa].port = pb;
	nodes[b].port[pb].node = up ? a : -1;
	nodes[b].port[pb].port = pa;
	set_state(a, pa, up ? IB_PORT_INIT : IB_PORT_DOWN);
	set_state(b, pb, up ? IB_PORT_INIT : IB_PORT_DOWN);
	nodes[a].switch_info[LIFE_AT] |= PORT_CHANGED;
	nodes[b].switch_info[LIFE_AT] |= PORT_CHANGED;
}

static void clear_fabric(void)
{
	struct flight *flight, *next;

	if (!nodes)
		nodes = calloc(NODES_MAX, sizeof(*nodes));
	else
		list_for_each_entry_safe(flight, next, &flights, list)
			free(flight);
	INIT_LIST_HEAD(&flights);
	n_nodes = 0;
	lose_every = 0;
	illegal = 0;
	repressed = 0;
}

static void fly(int node, u8 in, const struct ib_smp *smp)
{
	struct flight *flight;

	if (node < 0 || (lose_every && !(++flown % lose_every)))
		return;
	flight = malloc(sizeof(*flight));
	flight->node = node;
	flight->in = in;
	flight->smp = *smp;
	list_add_tail(&flight->list, &flights);
}

static bool go(int node, struct ib_smp *smp, u8 in)
{
	u16 out = 0;

	switch (fab_smi_route(smp, nodes[node].is_switch, in, nodes[node].n_ports, &out)) {
	case FAB_SMI_LOCAL:
		fly(node, 0, smp);
		return true;
	case FAB_SMI_PORT:
		fly(nodes[node].port[out].node, nodes[node].port[out].port, smp);
		return true;
	default:
		return false;
	}
}

static u16 fab_ib_lid(const struct fab_ib_switch *sw)
{
	return be16_to_cpu(info_of(sw->sim, 0)->lid);
}

static void fab_ib_switch_set_agent(struct fab_ib_switch *sw, struct fab_ib_agent *agent,
				    bool is_sm)
{
	struct ib_port_info *info = info_of(sw->sim, 0);

	sw->agent = agent;
	info->cap_mask &= ~cpu_to_be32(IB_PORT_SM);
	if (is_sm)
		info->cap_mask |= cpu_to_be32(IB_PORT_SM);
}

static bool fab_ib_send_smp(struct fab_ib_switch *sw, const struct ib_smp *smp,
			    const struct fab_ib_mad_addr *to)
{
	struct ib_smp copy __aligned(8) = *smp;

	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED) {
		repressed += smp->method == IB_MGMT_METHOD_TRAP_REPRESS && to->lid == 77;
		return true;
	}
	if (!smp->hop_cnt) {
		fly(sw->sim, 0, smp);
		return true;
	}
	return go(sw->sim, &copy, 0);
}

static bool fab_ib_reply_smp(struct fab_ib_switch *sw, struct ib_smp *smp,
			     const struct fab_ib_mad_addr *from)
{
	smp->method = IB_MGMT_METHOD_GET_RESP;
	smp->status |= IB_SMP_DIRECTION;
	return go(sw->sim, smp, 0);
}

/* Answers of the SA, one after the other. */
static struct ib_sa_mad said[64] __aligned(8);
static unsigned int n_said;

static bool fab_ib_reply_gmp(struct fab_ib_switch *sw, struct ib_mad *mad,
			     const struct fab_ib_mad_addr *from)
{
	memcpy(&said[n_said++ % 64], mad, sizeof(*mad));
	return true;
}

static void node_info(int node, u8 in, u8 *data)
{
	struct ib_node_info *info = (struct ib_node_info *)data;

	memset(data, 0, 64);
	info->node_type = nodes[node].is_switch ? FAB_IB_SWITCH : FAB_IB_CA;
	info->num_ports = nodes[node].n_ports;
	info->node_guid = cpu_to_be64(nodes[node].guid);
	info->port_guid = cpu_to_be64(nodes[node].guid);
	info->local_port_num = in;
}

/* The port states of vol 1, 7.2.7: a Set may only go one step up, or leave it. */
static bool set_port_info(int node, unsigned int port, const u8 *data)
{
	const struct ib_port_info *wanted = (const struct ib_port_info *)data;
	struct ib_port_info *info = info_of(node, port);
	u8 now = state_of(node, port), to = wanted->linkspeed_portstate & 0xf;
	u8 phys = info->portphysstate_linkdown;
	__be32 cap = info->cap_mask;

	if (to && to != now + 1)
		return false;
	if (to && now < IB_PORT_INIT)
		return false;
	if (now >= IB_PORT_ARMED &&
	    wanted->operationalvl_pei_peo_fpi_fpo != info->operationalvl_pei_peo_fpi_fpo)
		return false;
	if ((!port || !nodes[node].is_switch) && !wanted->lid)
		return false;
	memcpy(info, data, 64);
	info->cap_mask = cap;
	info->portphysstate_linkdown = phys;
	info->clientrereg_resv_subnetto &= 0x7f;
	set_state(node, port, to ? to : now);
	return true;
}

static bool node_set(int node, const struct ib_smp *smp)
{
	u32 modifier = be32_to_cpu(smp->attr_mod);

	switch (smp->attr_id) {
	case IB_SMP_ATTR_PORT_INFO:
		return set_port_info(node, modifier, smp->data);
	case IB_SMP_ATTR_SWITCH_INFO:
		memcpy(nodes[node].switch_info, smp->data, 64);
		nodes[node].switch_info[LIFE_AT] &= ~PORT_CHANGED;
		return true;
	case IB_SMP_ATTR_LINEAR_FORWARD_TABLE:
		memcpy(nodes[node].lft + modifier * 64, smp->data, 64);
		return true;
	case IB_SMP_ATTR_MCAST_FORWARD_TABLE:
		if (modifier < 2)
			memcpy(nodes[node].mft + modifier * 32, smp->data, 64);
		return true;
	default:
		return false;
	}
}

static void node_get(int node, u8 in, struct ib_smp *smp)
{
	u32 port = be32_to_cpu(smp->attr_mod);

	switch (smp->attr_id) {
	case IB_SMP_ATTR_NODE_INFO:
		node_info(node, in, smp->data);
		break;
	case IB_SMP_ATTR_SWITCH_INFO:
		memcpy(smp->data, nodes[node].switch_info, 64);
		break;
	case IB_SMP_ATTR_PORT_INFO:
		memcpy(smp->data, info_of(node, port), 64);
		break;
	}
}

static void node_answer(int node, u8 in, struct ib_smp *smp)
{
	if (smp->method == IB_MGMT_METHOD_SET && !node_set(node, smp)) {
		illegal++;
		smp->status = cpu_to_be16(IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	}
	node_get(node, in, smp);
	smp->method = IB_MGMT_METHOD_GET_RESP;
	smp->status |= IB_SMP_DIRECTION;
	if (nodes[node].is_switch) {
		go(node, smp, 0);
		return;
	}
	smp->hop_ptr--;
	fly(nodes[node].port[1].node, nodes[node].port[1].port, smp);
}

static void arrive(struct flight *flight)
{
	const struct fab_ib_mad_addr from = { .lid = FAB_IB_PERMISSIVE };
	struct fab_ib_switch *sw = &nodes[flight->node].sw;
	struct ib_smp *smp = &flight->smp;
	u16 out = 0;

	switch (fab_smi_route(smp, nodes[flight->node].is_switch, flight->in,
			      nodes[flight->node].n_ports, &out)) {
	case FAB_SMI_PORT:
		fly(nodes[flight->node].port[out].node, nodes[flight->node].port[out].port, smp);
		break;
	case FAB_SMI_LOCAL:
		if (ib_get_smp_direction(smp) || smp->attr_id == IB_SMP_ATTR_SM_INFO) {
			if (sw->agent)
				sw->agent->smp(sw->agent, smp, &from);
		} else {
			node_answer(flight->node, flight->in, smp);
		}
		break;
	default:
		break;
	}
}

static bool turn(void)
{
	struct fab_inbox *inbox;
	struct work_struct *work;
	struct flight *flight;
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		inbox = inboxes[i];
		inboxes[i] = NULL;
		if (inbox) {
			inbox->drain(inbox);
			return true;
		}
	}
	if (!list_empty(&flights)) {
		flight = list_first_entry(&flights, struct flight, list);
		list_del(&flight->list);
		arrive(flight);
		free(flight);
		return true;
	}
	for (i = 0; i < MANY; i++) {
		work = works[i];
		works[i] = NULL;
		if (work) {
			work->run(work);
			return true;
		}
	}
	return false;
}

/* Let @ms of real time pass. */
static void pass(unsigned long ms)
{
	struct fab_sm *sm;
	int i;

	for (;; ms--) {
		while (turn())
			;
		if (!ms)
			return;
		jiffies++;
		for (i = 0; i < n_nodes && i < 100; i++) {
			sm = nodes[i].sw.sm;
			if (!sm || !sm->timer.set || time_before(jiffies, sm->timer.at))
				continue;
			sm->timer.set = false;
			sm->timer.fire(&sm->timer);
		}
	}
}

/* Hops that data from host @from to host @to takes; -1 if it does not get there. */
static inline int data(int from, int to)
{
	u16 lid = be16_to_cpu(info_of(to, 1)->lid);
	int at = nodes[from].port[1].node, hops = 0;
	u8 out;

	if (!lid || at < 0 || state_of(from, 1) != IB_PORT_ACTIVE)
		return -1;
	while (at != to) {
		out = nodes[at].is_switch ? nodes[at].lft[lid] : 0xff;
		if (!out || out > nodes[at].n_ports || ++hops > 20 ||
		    state_of(at, out) != IB_PORT_ACTIVE)
			return -1;
		at = nodes[at].port[out].node;
		if (at < 0)
			return -1;
	}
	return hops;
}

static inline bool all_data(int first, int last)
{
	int a, b;

	for (a = first; a <= last; a++)
		for (b = first; b <= last; b++)
			if (a != b && data(a, b) < 0)
				return false;
	return true;
}

static inline struct fab_sm_info read_sm(int node)
{
	struct fab_sm_info info;

	fab_sm_read(&nodes[node].sw, &info);
	return info;
}

static inline void start(int node, u8 priority)
{
	struct fab_sm_settings set = fab_sm_defaults;

	set.priority = priority;
	fab_sm_start(&nodes[node].sw, &set, NULL);
}

static inline void raise_trap(int sm)
{
	const struct fab_ib_mad_addr from = { .lid = 77 };
	struct ib_smp smp __aligned(8) = {
		.mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED,
		.method = IB_MGMT_METHOD_TRAP,
		.attr_id = IB_SMP_ATTR_NOTICE,
	};

	nodes[sm].sw.agent->smp(nodes[sm].sw.agent, &smp, &from);
}

/* 0..3 are switches: 0 and 3 have two hosts each, 4 5 and 6 7; 1 and 2 are in between. */
static inline void diamond(void)
{
	int i;

	clear_fabric();
	for (i = 0; i < 4; i++)
		add_node(true, 6);
	for (i = 0; i < 4; i++) {
		add_node(false, 1);
		set_cable(i / 2 * 3, 3 + i % 2, 4 + i, 1, true);
	}
	set_cable(0, 1, 1, 1, true);
	set_cable(0, 2, 2, 1, true);
	set_cable(1, 2, 3, 1, true);
	set_cable(2, 2, 3, 2, true);
}

#endif
