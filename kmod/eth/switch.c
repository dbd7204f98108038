// SPDX-License-Identifier: GPL-2.0
/*
 * An Ethernet switch: learn, forward, flood, and drop what does not fit.
 *
 * A frame comes in whole (store and forward), waits for the look-up (@latency
 * of the node), and goes to the egress queue of one port or of every port. It
 * takes its place in the shared buffer when it enters the queue and gives it
 * back when its last bit has left. There is no handshake of any kind with the
 * sender: a frame that finds the buffer full is dropped, and the hosts' own
 * protocols have to notice. That is the default of every Ethernet switch.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include "../extack.h"
#include "../notify.h"
#include "switch.h"
#include "trace.h"

/* In the order they were made; control mutex, or a call of its holder. */
LIST_HEAD(fab_switches);

#define DEFAULT_PORTS	32

static const struct fab_node_settings defaults = {
	.buffer = 2 << 20,
	.alpha = 1000,
	.latency = 600,
	.ageing = 300000,
};

/* Addresses age in real time: ms. */
static u64 real_ms(void)
{
	return ktime_to_ms(ktime_get_coarse());
}

static void tell(u32 type, const char *name, const u8 *mac, const struct fab_packet *packet)
{
	const struct fab_notice notice = {
		.type = type,
		.name = name,
		.mac = mac,
		.len = packet->len,
		.packet = packet->id,
	};

	fab_notify(&notice);
}

static void learn(struct fab_switch *sw, struct fab_port *port, const struct fab_packet *packet,
		  u64 now)
{
	const u8 *source = ((const struct ethhdr *)packet->skb->data)->h_source;
	enum fab_fdb_learned learned;

	if (!is_valid_ether_addr(source))
		return;
	learned = fab_fdb_learn(&sw->fdb, ether_addr_to_u64(source), port->index, now);
	if (learned != FAB_FDB_NEW && learned != FAB_FDB_MOVED)
		return;
	WRITE_ONCE(sw->stats.learned, sw->stats.learned + 1);
	trace_fabsim_learn(port, source);
	tell(FABSIM_EVENT_LEARNED, port->name, source, packet);
}

static bool may_leave(const struct fab_port *out, const struct fab_port *in)
{
	return out != in && fab_port_is_up(out) && !out->blocking;
}

/* A copy to every port but @in; the last one gets the packet itself. */
static void flood(struct fab_switch *sw, struct fab_port *in, struct fab_packet *packet)
{
	struct fab_port *port, *last = NULL;
	unsigned int i;

	for (i = 0; i < sw->node.n_ports; i++) {
		struct fab_packet *copy;

		port = &sw->node.ports[i];
		if (!may_leave(port, in))
			continue;
		if (last) {
			copy = fab_packet_clone(packet);
			if (copy)
				fab_egress_add(last, copy);
			else
				last->stats.drops[FABSIM_DROP_NO_MEMORY] += packet->frames;
		}
		last = port;
	}
	if (last)
		fab_egress_add(last, packet);
	else
		fab_port_drop(in, packet, FABSIM_DROP_NO_ROUTE);
}

static void flood_and_tell(struct fab_switch *sw, struct fab_port *in, struct fab_packet *packet)
{
	WRITE_ONCE(sw->stats.flooded, sw->stats.flooded + packet->frames);
	trace_fabsim_flood(&sw->node, packet);
	tell(FABSIM_EVENT_FLOODED, sw->node.name, packet->skb->data, packet);
	flood(sw, in, packet);
}

static void forward(struct fab_switch *sw, struct fab_port *in, struct fab_port *out,
		    struct fab_packet *packet)
{
	if (out == in) {
		WRITE_ONCE(sw->stats.filtered, sw->stats.filtered + packet->frames);
		fab_port_drop(in, packet, FABSIM_DROP_FILTERED);
		return;
	}
	WRITE_ONCE(sw->stats.forwarded, sw->stats.forwarded + packet->frames);
	fab_egress_add(out, packet);
}

static void switch_receive(struct fab_port *port, struct fab_packet *packet)
{
	struct fab_switch *sw = fab_to_switch(port->node);
	const u8 *destination = packet->skb->data;
	u64 now = real_ms();
	u16 out = 0;

	if (port->blocking) {
		fab_port_drop(port, packet, FABSIM_DROP_NO_ROUTE);
		return;
	}
	/* Pause frames, BPDUs and the like are for this link only (802.1Q 8.6.3). */
	if (is_link_local_ether_addr(destination)) {
		WRITE_ONCE(sw->stats.filtered, sw->stats.filtered + packet->frames);
		fab_port_drop(port, packet, FABSIM_DROP_FILTERED);
		return;
	}
	learn(sw, port, packet, now);
	if (!is_multicast_ether_addr(destination))
		out = fab_fdb_lookup(&sw->fdb, ether_addr_to_u64(destination), now);
	if (out)
		forward(sw, port, &sw->node.ports[out - 1], packet);
	else
		flood_and_tell(sw, port, packet);
}

static void switch_sent(struct fab_port *port, struct fab_packet *packet)
{
	fab_buffer_give(port->buffer, packet->len);
}

static void switch_link_changed(struct fab_port *port)
{
	if (fab_port_is_up(port)) {
		fab_egress_run(port);
		return;
	}
	fab_egress_purge(port, FABSIM_DROP_LINK_DOWN);
	/* What was behind this port must be found again. */
	fab_fdb_flush(&fab_to_switch(port->node)->fdb);
}

static void switch_carrier(struct fab_port *port, bool up)
{
}

static int check(const struct fab_node_settings *set, unsigned int mask,
		 struct netlink_ext_ack *extack)
{
	if (mask & FAB_NODE_CPU) {
		NL_SET_ERR_MSG_MOD(extack, "cpu is a setting of a host");
		return -EOPNOTSUPP;
	}
	if ((mask & FAB_NODE_BUFFER) &&
	    (set->buffer < FABSIM_BUFFER_MIN || set->buffer > FABSIM_BUFFER_MAX)) {
		NL_SET_ERR_MSG_MOD(extack, "buffer must be from 16 KiB to 1 GiB");
		return -ERANGE;
	}
	if ((mask & FAB_NODE_ALPHA) && (set->alpha < 1 || set->alpha > 64000)) {
		NL_SET_ERR_MSG_MOD(extack, "alpha must be from 0.001 to 64");
		return -ERANGE;
	}
	if ((mask & FAB_NODE_LATENCY) && set->latency > FABSIM_DELAY_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "latency must be at most 1 s");
		return -ERANGE;
	}
	if ((mask & FAB_NODE_AGEING) && (set->ageing < 1 || set->ageing > 86400000)) {
		NL_SET_ERR_MSG_MOD(extack, "ageing must be from 1 ms to a day");
		return -ERANGE;
	}
	return 0;
}

static void take_settings(struct fab_switch *sw, const struct fab_node_settings *set,
			  unsigned int mask)
{
	struct fab_node *node = &sw->node;

	if (mask & FAB_NODE_BUFFER)
		node->set.buffer = set->buffer;
	if (mask & FAB_NODE_ALPHA)
		node->set.alpha = set->alpha;
	if (mask & FAB_NODE_LATENCY)
		node->set.latency = set->latency;
	if (mask & FAB_NODE_AGEING)
		node->set.ageing = set->ageing;
	sw->buffer.size = node->set.buffer;
	sw->buffer.alpha = node->set.alpha;
	sw->fdb.max_age = node->set.ageing;
	node->latency = node->set.latency;
}

struct change {
	struct fab_switch *sw;
	const struct fab_node_settings *set;
	unsigned int mask;
};

static void call_change(void *arg)
{
	struct change *change = arg;

	take_settings(change->sw, change->set, change->mask);
}

static int switch_set(struct fab_node *node, const struct fab_node_settings *set,
		      unsigned int mask, struct netlink_ext_ack *extack)
{
	struct change change = { .sw = fab_to_switch(node), .set = set, .mask = mask };
	int err = check(set, mask, extack);

	if (err)
		return err;
	fab_call(call_change, &change);
	return 0;
}

static void switch_reset(struct fab_node *node, bool to_defaults)
{
	struct fab_switch *sw = fab_to_switch(node);

	fab_fdb_flush(&sw->fdb);
	memset(&sw->stats, 0, sizeof(sw->stats));
	sw->buffer.peak = sw->buffer.used;
	if (to_defaults)
		take_settings(sw, &defaults, FAB_NODE_ALL & ~FAB_NODE_CPU);
}

static void call_flush(void *arg)
{
	struct fab_switch *sw = arg;

	fab_fdb_flush(&sw->fdb);
}

static void switch_quiesce(struct fab_node *node)
{
	list_del(&fab_to_switch(node)->all);
}

static void switch_free(struct fab_node *node)
{
	struct fab_switch *sw = fab_to_switch(node);

	fab_fdb_flush(&sw->fdb);
	kvfree(node->ports);
	kfree(sw);
}

static const struct fab_port_ops switch_port_ops = {
	.kind		= FABSIM_PORT_KIND_ETH,
	.min_len	= ETH_ZLEN,
	.overhead	= FAB_ETH_WIRE_OVERHEAD,
	.receive	= switch_receive,
	.sent		= switch_sent,
	.wire_free	= fab_egress_run,
	.purge		= fab_egress_purge,
	.link_changed	= switch_link_changed,
	.carrier	= switch_carrier,
};

static const struct fab_node_ops switch_ops = {
	.set		= switch_set,
	.reset		= switch_reset,
	.quiesce	= switch_quiesce,
	.free		= switch_free,
};

/**
 * fab_switch_create() - an Ethernet switch
 * @params: what switch
 * @extack: says what is wrong with it
 *
 * Context: process context, control mutex.
 * Return: its node or an error.
 */
struct fab_node *fab_switch_create(const struct fab_node_params *params,
				   struct netlink_ext_ack *extack)
{
	struct fab_switch *sw;
	unsigned int i;
	int err;

	if (params->ports > FABSIM_PORTS_MAX) {
		fab_err(extack, "a switch has at most %u ports", FABSIM_PORTS_MAX);
		return ERR_PTR(-ERANGE);
	}
	err = check(&params->set, params->mask, extack);
	if (err)
		return ERR_PTR(err);
	sw = kzalloc(sizeof(*sw), GFP_KERNEL);
	if (!sw)
		return ERR_PTR(-ENOMEM);
	sw->node.ops = &switch_ops;
	sw->node.kind = FABSIM_NODE_ETH_SWITCH;
	strscpy(sw->node.name, params->name, sizeof(sw->node.name));
	fab_fdb_init(&sw->fdb, defaults.ageing);
	err = fab_node_init_ports(&sw->node, params->ports ?: DEFAULT_PORTS);
	if (err) {
		kfree(sw);
		return ERR_PTR(err);
	}
	for (i = 0; i < sw->node.n_ports; i++) {
		struct fab_port *port = &sw->node.ports[i];

		fab_port_init(port, &switch_port_ops);
		fab_egress_init(port);
		port->buffer = &sw->buffer;
	}
	take_settings(sw, &defaults, FAB_NODE_ALL & ~FAB_NODE_CPU);
	take_settings(sw, &params->set, params->mask);
	list_add_tail(&sw->all, &fab_switches);
	return &sw->node;
}

/**
 * fab_switch_read_stats() - counters of a switch
 * @node: a switch
 * @stats: filled in
 *
 * Context: any in which the node exists.
 */
void fab_switch_read_stats(const struct fab_node *node, struct fab_switch_stats *stats)
{
	const struct fab_switch *sw = fab_to_switch(node);

	stats->learned = READ_ONCE(sw->stats.learned);
	stats->flooded = READ_ONCE(sw->stats.flooded);
	stats->forwarded = READ_ONCE(sw->stats.forwarded);
	stats->filtered = READ_ONCE(sw->stats.filtered);
	stats->fdb_entries = READ_ONCE(sw->fdb.entries);
	stats->buffer_used = READ_ONCE(sw->buffer.used);
	stats->buffer_peak = READ_ONCE(sw->buffer.peak);
}

struct reading {
	struct fab_switch *sw;
	struct fab_fdb_line *lines;
	unsigned int first;
	unsigned int max;
	unsigned int n;
};

static void call_read(void *arg)
{
	struct reading *reading = arg;
	struct fab_fdb *fdb = &reading->sw->fdb;
	struct fab_fdb_entry *entry;
	unsigned int bucket, i = 0;
	u64 now = real_ms();

	if (!reading->first)
		fab_fdb_expire(fdb, now);
	hash_for_each(fdb->table, bucket, entry, hash) {
		struct fab_fdb_line *line = &reading->lines[reading->n];

		if (i++ < reading->first)
			continue;
		if (reading->n == reading->max)
			return;
		u64_to_ether_addr(entry->mac, line->mac);
		line->port = entry->port;
		line->age = now - entry->seen;
		reading->n++;
	}
}

/**
 * fab_switch_read_fdb() - entries of the forwarding table
 * @node: a switch
 * @first: how many to skip
 * @lines: filled in
 * @max: room in @lines
 *
 * The order is stable while nothing is learned or forgotten.
 *
 * Context: process context, control mutex.
 * Return: how many were filled in; less than @max at the end.
 */
unsigned int fab_switch_read_fdb(struct fab_node *node, unsigned int first,
				 struct fab_fdb_line *lines, unsigned int max)
{
	struct reading reading = {
		.sw = fab_to_switch(node), .lines = lines, .first = first, .max = max,
	};

	fab_call(call_read, &reading);
	return reading.n;
}

/**
 * fab_switch_flush_fdb() - forget every address
 * @node: a switch
 *
 * Context: process context, control mutex.
 */
void fab_switch_flush_fdb(struct fab_node *node)
{
	fab_call(call_flush, fab_to_switch(node));
}
