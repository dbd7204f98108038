// SPDX-License-Identifier: GPL-2.0
/*
 * An InfiniBand switch: look up the destination LID, and go on (vol 1, 18.2).
 *
 * A switch learns nothing and floods nothing. The subnet manager has written its
 * linear forwarding table, LID -> port, and its multicast table; a LID without an
 * entry is dropped. It cuts through: a packet goes on as soon as its LRH is there
 * (@latency of the node), and takes no buffer but that of the port it came in by.
 * Where the way out has no credits, it stays there (egress.c).
 *
 * Port 0 is the switch itself: what is addressed to its LID, or on a directed
 * route, goes to its management agents (mad.c).
 */
#include <linux/slab.h>
#include "../extack.h"
#include "internal.h"

#define DEFAULT_PORTS	36
#define DEFAULT_LATENCY	150
/* "fa:b5" as in MAC addresses; 2 = switches. */
#define SWITCH_GUID	0x02fab50200000000ULL

/* How many switches there are, and how many GUIDs have been given; control mutex. */
static u32 n_switches;
static u32 n_guids;

/**
 * fab_ib_lft_lookup() - the port behind which a LID is
 * @sw: switch
 * @lid: unicast LID
 *
 * Context: fabric thread.
 * Return: the port, 0 for the switch itself; FAB_IB_NO_PORT.
 */
u8 fab_ib_lft_lookup(const struct fab_ib_switch *sw, u16 lid)
{
	const u8 *block;

	if (!lid || lid > sw->lft_top || lid >= FAB_IB_LFT_CAP)
		return FAB_IB_NO_PORT;
	block = sw->lft[lid / FAB_IB_LFT_BLOCK];
	return block ? block[lid % FAB_IB_LFT_BLOCK] : FAB_IB_NO_PORT;
}

/* Partition enforcement, where the SM has switched it on (10.9.6). */
static bool partition_ok(struct fab_ib_port *ibp, const struct fab_packet *packet, u8 which)
{
	return !(READ_ONCE(ibp->attr.enforce) & which) || fab_ib_pkey_ok(ibp, fab_ib_pkey(packet));
}

enum { ENFORCE_IN = 8, ENFORCE_OUT = 4 };

static void send_out(struct fab_ib_switch *sw, u8 in, u8 out, struct fab_packet *packet)
{
	const struct fab_lrh *lrh = fab_ib_lrh(packet);
	struct fab_ib_port *ibp = fab_ib_port_at(&sw->ibn, out);

	if (fab_lrh_vl(lrh) == FAB_IB_VL15) {
		fab_ib_egress_add(ibp, packet, FAB_IB_VL15);
		return;
	}
	if (!partition_ok(ibp, packet, ENFORCE_OUT)) {
		fab_ib_drop(ibp, packet, FAB_IB_CNT_XMIT_CONSTRAINT, FABSIM_DROP_PKEY);
		return;
	}
	fab_ib_egress_add(ibp, packet, fab_ib_data_vl(ibp, in, fab_lrh_sl(lrh)));
}

static bool no_route(struct fab_ib_switch *sw, u8 in, struct fab_packet *packet)
{
	struct fab_ib_port *ibp = fab_ib_port_at(&sw->ibn, in);

	WRITE_ONCE(sw->stats.no_route, sw->stats.no_route + 1);
	fab_ib_drop(ibp, packet, FAB_IB_CNT_RCV_SWITCH_RELAY, FABSIM_DROP_NO_ROUTE);
	return false;
}

static bool unicast(struct fab_ib_switch *sw, u8 in, struct fab_packet *packet, u16 lid)
{
	u8 out = fab_ib_lft_lookup(sw, lid);

	if (lid == fab_ib_lid(fab_ib_port0(sw)))
		out = 0;
	if (!out) {
		if (in)
			fab_ib_switch_mad(sw, in, packet);
		else
			fab_ib_loop_add(fab_ib_port0(sw), packet);
		return true;
	}
	/* Back out of the port it came in by: a loop in the tables. */
	if (out > sw->ibn.n_ports || out == in)
		return no_route(sw, in, packet);
	WRITE_ONCE(sw->stats.forwarded, sw->stats.forwarded + 1);
	send_out(sw, in, out, packet);
	return true;
}

/* May a copy leave by @out? A port that is not ACTIVE would count it as discarded. */
static bool is_member(const struct fab_ib_switch *sw, const __be16 *entry, u8 in, u8 out)
{
	return out != in && (be16_to_cpu(entry[out / 16]) & BIT(out % 16)) &&
	       fab_ib_state(fab_ib_port_at(&sw->ibn, out)) == IB_PORT_ACTIVE;
}

/*
 * The place in the receive buffer is free when the last copy has left: what is slow to take
 * one copy slows the sender down, and copies do not pile up. What came from a port 0 is in
 * no buffer. False: no memory.
 */
static bool share_buffer(struct fab_packet *packet)
{
	struct fab_ib_cb *cb = fab_ib_cb(packet);

	if (!cb->hold || cb->copies)
		return true;
	cb->copies = kmalloc(sizeof(*cb->copies), GFP_NOWAIT | __GFP_NOWARN);
	if (!cb->copies)
		return false;
	*cb->copies = 1;
	return true;
}

static void send_copy(struct fab_ib_switch *sw, u8 in, u8 out, struct fab_packet *packet)
{
	struct fab_packet *copy = share_buffer(packet) ? fab_packet_clone(packet) : NULL;
	struct fab_ib_port *ibp = fab_ib_port_at(&sw->ibn, out);

	if (!copy) {
		fab_ib_count(ibp, FAB_IB_CNT_XMIT_DISCARDS, 1);
		return;
	}
	/* Its notes are those of the packet that it is a copy of. */
	if (fab_ib_cb(copy)->hold)
		++*fab_ib_cb(copy)->copies;
	copy->whole = packet->whole;
	send_out(sw, in, out, copy);
}

static bool multicast(struct fab_ib_switch *sw, u8 in, struct fab_packet *packet, u16 lid)
{
	unsigned int index = lid - FAB_IB_MCAST_BASE, last = 0, out;
	const __be16 *block = NULL, *entry;

	if (index < FAB_IB_MFT_CAP)
		block = sw->mft[index / FAB_IB_MFT_BLOCK];
	if (!block)
		return no_route(sw, in, packet);
	entry = block + index % FAB_IB_MFT_BLOCK * sw->mft_words;
	for (out = 1; out <= sw->ibn.n_ports; out++) {
		if (!is_member(sw, entry, in, out))
			continue;
		if (last)
			send_copy(sw, in, last, packet);
		WRITE_ONCE(sw->stats.multicast, sw->stats.multicast + 1);
		last = out;
	}
	if (!last)
		return no_route(sw, in, packet);
	send_out(sw, in, last, packet);
	return true;
}

/**
 * fab_ib_switch_out() - a packet wants to leave a switch
 * @sw: switch
 * @in: port that it came in by; 0: the switch's own
 * @packet: packet; consumed
 *
 * Context: fabric thread.
 * Return: false if there is no way for it.
 */
bool fab_ib_switch_out(struct fab_ib_switch *sw, u8 in, struct fab_packet *packet)
{
	u16 lid = be16_to_cpu(fab_ib_lrh(packet)->dlid);

	if (fab_ib_is_mcast(lid))
		return multicast(sw, in, packet, lid);
	return unicast(sw, in, packet, lid);
}

static void switch_receive(struct fab_port *port, struct fab_packet *packet)
{
	struct fab_ib_switch *sw = fab_to_ib_switch(port->node);
	struct fab_ib_port *ibp = fab_to_ib_port(port);
	const struct fab_lrh *lrh;

	if (!fab_ib_port_takes(ibp, packet))
		return;
	lrh = fab_ib_lrh(packet);
	if (fab_lrh_vl(lrh) != FAB_IB_VL15 && !partition_ok(ibp, packet, ENFORCE_IN)) {
		fab_ib_drop(ibp, packet, FAB_IB_CNT_RCV_CONSTRAINT, FABSIM_DROP_PKEY);
		return;
	}
	if (lrh->dlid == cpu_to_be16(FAB_IB_PERMISSIVE))
		fab_ib_switch_mad(sw, ibp->num, packet);
	else
		fab_ib_switch_out(sw, ibp->num, packet);
}

static const struct fab_port_ops switch_port_ops = {
	.kind		= FABSIM_PORT_KIND_IB,
	.overhead	= FAB_IB_WIRE_OVERHEAD,
	.cut_through	= sizeof(struct fab_lrh),
	.receive	= switch_receive,
	.sent		= fab_ib_egress_sent,
	.wire_free	= fab_ib_egress_wire_free,
	.purge		= fab_ib_egress_purge,
	.link_changed	= fab_ib_link_changed,
	.carrier	= fab_ib_carrier,
};

static int check(const struct fab_node_settings *set, unsigned int mask,
		 struct netlink_ext_ack *extack)
{
	if (mask & ~FAB_NODE_LATENCY) {
		NL_SET_ERR_MSG_MOD(extack, "of an InfiniBand switch only the latency can be set");
		return -EOPNOTSUPP;
	}
	if ((mask & FAB_NODE_LATENCY) && set->latency > FABSIM_DELAY_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "latency must be at most 1 s");
		return -ERANGE;
	}
	return 0;
}

struct change {
	struct fab_node *node;
	u32 latency;
};

static void call_latency(void *arg)
{
	struct change *change = arg;

	change->node->set.latency = change->latency;
	change->node->latency = change->latency;
}

static int switch_set(struct fab_node *node, const struct fab_node_settings *set,
		      unsigned int mask, struct netlink_ext_ack *extack)
{
	struct change change = { .node = node, .latency = set->latency };
	int err = check(set, mask, extack);

	if (!err && mask)
		fab_call(call_latency, &change);
	return err;
}

static void switch_reset(struct fab_node *node, bool to_defaults)
{
	struct fab_ib_switch *sw = fab_to_ib_switch(node);
	struct change change = { .node = node, .latency = DEFAULT_LATENCY };
	unsigned int i;

	/* Tables and states are the subnet manager's: they stay. */
	memset(&sw->stats, 0, sizeof(sw->stats));
	for (i = 0; i <= sw->ibn.n_ports; i++)
		fab_ib_port_reset(fab_ib_port_at(&sw->ibn, i));
	if (to_defaults)
		call_latency(&change);
}

static void call_quiet(void *arg)
{
	struct fab_ib_switch *sw = arg;
	unsigned int i;

	for (i = 0; i <= sw->ibn.n_ports; i++)
		fab_ib_port_quiet(fab_ib_port_at(&sw->ibn, i));
}

static void switch_quiesce(struct fab_node *node)
{
	struct fab_ib_switch *sw = fab_to_ib_switch(node);

	if (sw->agent && sw->agent->gone)
		sw->agent->gone(sw->agent);
	fab_call(call_quiet, sw);
	/* A frozen thread drains no inbox by itself: none of ours may be left in its list. */
	fab_call_sync();
	if (!--n_switches)
		n_guids = 0;
}

static void free_switch(struct fab_ib_switch *sw)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sw->lft); i++)
		kfree(sw->lft[i]);
	for (i = 0; i < ARRAY_SIZE(sw->mft); i++)
		kfree(sw->mft[i]);
	fab_ib_node_free(&sw->ibn);
	kvfree(sw->node.ports);
	kvfree(sw);
}

static void switch_free(struct fab_node *node)
{
	free_switch(fab_to_ib_switch(node));
}

static const struct fab_node_ops switch_ops = {
	.set		= switch_set,
	.reset		= switch_reset,
	.quiesce	= switch_quiesce,
	.free		= switch_free,
};

static int make_ports(struct fab_ib_switch *sw, unsigned int n)
{
	struct fab_node *node = &sw->node;
	unsigned int i;
	int err;

	err = fab_node_init_ports(node, n);
	if (err)
		return err;
	err = fab_ib_node_init(&sw->ibn, node, FAB_IB_SWITCH, SWITCH_GUID + (n_guids + 1), n);
	if (err)
		return err;
	for (i = 1; i <= n; i++) {
		struct fab_ib_port *ibp = fab_ib_port_at(&sw->ibn, i);

		ibp->port = &node->ports[i - 1];
		ibp->port->priv = ibp;
		fab_port_init(ibp->port, &switch_port_ops);
	}
	return 0;
}

static int check_params(const struct fab_node_params *params, struct netlink_ext_ack *extack)
{
	/* Port numbers are a byte, and 255 is no port. */
	if (params->ports > FAB_IB_NO_PORT - 1) {
		fab_err(extack, "an InfiniBand switch has at most %u ports", FAB_IB_NO_PORT - 1);
		return -ERANGE;
	}
	return check(&params->set, params->mask, extack);
}

/**
 * fab_ib_switch_create() - an InfiniBand switch
 * @params: what switch
 * @extack: says what is wrong with it
 *
 * Context: process context, control mutex.
 * Return: its node or an error.
 */
struct fab_node *fab_ib_switch_create(const struct fab_node_params *params,
				      struct netlink_ext_ack *extack)
{
	struct fab_ib_switch *sw;
	int err;

	err = check_params(params, extack);
	if (err)
		return ERR_PTR(err);
	sw = kvzalloc(sizeof(*sw), GFP_KERNEL);
	if (!sw)
		return ERR_PTR(-ENOMEM);
	sw->node.ops = &switch_ops;
	sw->node.kind = FABSIM_NODE_IB_SWITCH;
	strscpy(sw->node.name, params->name, sizeof(sw->node.name));
	sw->ibn.sw = sw;
	err = make_ports(sw, params->ports ?: DEFAULT_PORTS);
	if (err) {
		kvfree(sw->node.ports);
		kvfree(sw);
		return ERR_PTR(err);
	}
	sw->mft_words = sw->ibn.n_ports / 16 + 1;
	sw->node.set.latency = params->mask & FAB_NODE_LATENCY ? params->set.latency :
								 DEFAULT_LATENCY;
	sw->node.latency = sw->node.set.latency;
	n_guids++;
	n_switches++;
	return &sw->node;
}

/**
 * fab_ib_switch_set_agent() - somebody wants the MADs at port 0, or no longer
 * @sw: switch
 * @agent: who; NULL: nobody
 * @is_sm: an SM lives here, and says so in the capability mask
 *
 * Context: fabric thread.
 */
void fab_ib_switch_set_agent(struct fab_ib_switch *sw, struct fab_ib_agent *agent, bool is_sm)
{
	struct fab_ib_port *port0 = fab_ib_port0(sw);
	unsigned long flags;
	u32 old;

	WRITE_ONCE(sw->agent, agent);
	spin_lock_irqsave(&port0->lock, flags);
	old = port0->attr.cap_mask;
	if (is_sm)
		port0->attr.cap_mask |= IB_PORT_SM;
	else
		port0->attr.cap_mask &= ~IB_PORT_SM;
	spin_unlock_irqrestore(&port0->lock, flags);
	if (old != port0->attr.cap_mask)
		fab_ib_port_trap(port0, FAB_IB_TRAP_CAP);
}
