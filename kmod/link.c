// SPDX-License-Identifier: GPL-2.0
/*
 * A link: two wires, one a direction.
 *
 * A wire serialises one packet at a time (bytes * 8 / rate) and has any number
 * of them in flight behind it (propagation delay, then what the receiving node
 * needs to look at a packet). Both are queues in order of time with one event
 * for their head: @sent for the packet being serialised, @arrival for the
 * first one in flight. A link of rate "max" (0) takes no time to serialise,
 * so its wires are always free. A switch that cuts through acts on a packet
 * before its last bit has left: then the wire lets go of it at once, which makes
 * it count as sent when it starts, and is only busy for as long as it takes.
 *
 * The packet's fate (lost, damaged) is drawn when it starts, in the order of
 * sending, and carried out where it would be noticed: at the receiving port.
 */
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "capture.h"
#include "eth/eth.h"
#include "extack.h"
#include "fabric.h"
#include "notify.h"
#include "sysfs.h"
#include "trace.h"

static DEFINE_XARRAY_ALLOC1(links);
static DEFINE_HASHTABLE(names, 14);	/* a few names a place in the largest fabric */
static u32 next_id;
static unsigned int n_links;

static const struct fab_link_settings defaults = {
	.rate = 100000000000ULL,
	.delay = 50,
	.mtu = 9000,
	.up = true,
};

/**
 * fab_wire_is_free() - may a packet be sent now?
 * @wire: wire
 *
 * Context: fabric thread.
 * Return: true if no packet is being serialised.
 */
bool fab_wire_is_free(const struct fab_wire *wire)
{
	return !fab_event_pending(&wire->sent);
}

/* Time that @bytes need on @wire, ns. */
static u64 serialisation(const struct fab_wire *wire, u64 bytes)
{
	u64 rate = fab_wire_settings(wire)->rate;

	return rate ? mul_u64_u64_div_u64(bytes * 8, NSEC_PER_SEC, rate) : 0;
}

/* What @packet takes of a wire out of a port of @ops' kind, bytes. */
static u64 wire_bytes(const struct fab_port_ops *ops, const struct fab_packet *packet)
{
	return max_t(u32, packet->len, ops->min_len * packet->frames) +
	       ops->overhead * packet->frames;
}

/* Time until the far end acts on a packet that needs @time, ns: a switch may not wait for all. */
static u64 time_to_act(const struct fab_wire *wire, u64 time)
{
	u32 cut_through = wire->to->ops->cut_through;

	return cut_through ? min(time, serialisation(wire, cut_through)) : time;
}

static void count_sent(struct fab_wire *wire, struct fab_packet *packet)
{
	struct fab_port_stats *stats = &wire->from->stats;

	WRITE_ONCE(stats->tx_packets, stats->tx_packets + packet->frames);
	WRITE_ONCE(stats->tx_bytes, stats->tx_bytes + packet->len);
	wire->from->ops->sent(wire->from, packet);
}

static void put_in_flight(struct fab_wire *wire, struct fab_packet *packet)
{
	/* Their senders have their memory back, so nobody else sets them a limit. */
	if (wire->flight_memory + packet->skb->truesize > FAB_FLIGHT_MEMORY) {
		fab_port_drop(wire->to, packet, FABSIM_DROP_NO_MEMORY);
		return;
	}
	wire->flight_memory += packet->skb->truesize;
	list_add_tail(&packet->list, &wire->in_flight);
	if (!fab_event_pending(&wire->arrival))
		fab_event_at(&wire->arrival, packet->arrive);
}

static u8 draw_fault(struct fab_wire *wire, const struct fab_packet *packet)
{
	if (!fab_faults_any(&wire->faults))
		return 0;
	switch (fab_faults_next(&wire->faults, packet->len)) {
	case FAB_VERDICT_LOST:
		return FABSIM_DROP_LOSS;
	case FAB_VERDICT_DAMAGED:
		return FABSIM_DROP_BIT_ERROR;
	default:
		return 0;
	}
}

/**
 * fab_wire_send() - send a packet
 * @wire: wire that is free, of a link that is up
 * @packet: packet; the wire's from now on
 *
 * Context: fabric thread.
 */
void fab_wire_send(struct fab_wire *wire, struct fab_packet *packet)
{
	u64 time = serialisation(wire, wire_bytes(wire->from->ops, packet));
	u64 delay = fab_wire_settings(wire)->delay;

	trace_fabsim_tx(wire->from, packet);
	if (unlikely(wire->from->captured))
		fab_capture(wire->from, packet, FABSIM_CAPTURE_TX);
	packet->fault = draw_fault(wire, packet);
	packet->whole = fab_now() + time + delay;
	packet->arrive = fab_now() + time_to_act(wire, time) + delay + wire->to->node->latency;
	if (time)
		fab_event_at(&wire->sent, fab_now() + time);
	if (time && !wire->to->ops->cut_through) {
		wire->sending = packet;
		return;
	}
	count_sent(wire, packet);
	put_in_flight(wire, packet);
}

static void fire_sent(struct fab_event *event)
{
	struct fab_wire *wire = container_of(event, struct fab_wire, sent);
	struct fab_packet *packet = wire->sending;

	wire->sending = NULL;
	if (packet) {
		count_sent(wire, packet);
		put_in_flight(wire, packet);
	}
	wire->from->ops->wire_free(wire->from);
}

static void tell_hop(struct fab_wire *wire, const struct fab_packet *packet)
{
	const struct fab_notice notice = {
		.type = FABSIM_EVENT_HOP,
		.name = wire->to->name,
		.peer = wire->from->name,
		.len = packet->len,
		.packet = packet->id,
	};

	fab_notify(&notice);
}

/* @packet is at the end of @wire, whole or not. */
static void deliver(struct fab_wire *wire, struct fab_packet *packet)
{
	struct fab_port *port = wire->to;

	if (fab_clock_stepping())
		tell_hop(wire, packet);
	if (packet->fault) {
		fab_port_drop(port, packet, packet->fault);
		return;
	}
	trace_fabsim_rx(port, packet);
	if (unlikely(port->captured))
		fab_capture(port, packet, FABSIM_CAPTURE_RX);
	WRITE_ONCE(port->stats.rx_packets, port->stats.rx_packets + packet->frames);
	WRITE_ONCE(port->stats.rx_bytes, port->stats.rx_bytes + packet->len);
	port->ops->receive(port, packet);
}

static bool is_stalled(const struct fab_wire *wire)
{
	u8 end = wire == &wire->link->wire[0] ? FABSIM_STALL_B : FABSIM_STALL_A;

	return fab_wire_settings(wire)->stall & end;
}

static void hold(struct fab_wire *wire, struct fab_packet *packet)
{
	if (wire->held_bytes + packet->len > FAB_STALL_BUFFER) {
		fab_port_drop(wire->to, packet, FABSIM_DROP_NO_BUFFER);
		return;
	}
	wire->held_bytes += packet->len;
	list_add_tail(&packet->list, &wire->held);
}

static void fire_arrival(struct fab_event *event)
{
	struct fab_wire *wire = container_of(event, struct fab_wire, arrival);
	struct fab_packet *packet, *next;

	packet = list_first_entry(&wire->in_flight, struct fab_packet, list);
	list_del(&packet->list);
	wire->flight_memory -= packet->skb->truesize;
	next = list_first_entry_or_null(&wire->in_flight, struct fab_packet, list);
	if (next)
		fab_event_at(event, next->arrive);
	if (is_stalled(wire))
		hold(wire, packet);
	else
		deliver(wire, packet);
}

static void drop_list(struct fab_wire *wire, struct list_head *list, u32 reason)
{
	struct fab_packet *packet, *next;

	list_for_each_entry_safe(packet, next, list, list) {
		list_del(&packet->list);
		fab_port_drop(wire->to, packet, reason);
	}
}

/* Throw away what is on the wire. */
static void purge_wire(struct fab_wire *wire, u32 reason)
{
	fab_event_cancel(&wire->sent);
	fab_event_cancel(&wire->arrival);
	if (wire->sending) {
		wire->from->ops->sent(wire->from, wire->sending);
		fab_port_drop(wire->from, wire->sending, reason);
		wire->sending = NULL;
	}
	drop_list(wire, &wire->in_flight, reason);
	wire->flight_memory = 0;
	drop_list(wire, &wire->held, reason);
	wire->held_bytes = 0;
}

static void release_held(struct fab_wire *wire)
{
	struct fab_packet *packet;

	while (!is_stalled(wire) && !list_empty(&wire->held)) {
		packet = list_first_entry(&wire->held, struct fab_packet, list);
		list_del(&packet->list);
		wire->held_bytes -= packet->len;
		deliver(wire, packet);
	}
}

static u64 link_seed(const struct fab_link *link)
{
	/* From the fabric's seed each link makes its own by its name: the same in every lab. */
	return link->set.seed ?: fab_fabric.seed ^ fab_name_hash(link->name);
}

/*
 * Take the settings of faults over to the wires they hit. A countdown that has
 * begun goes on where only the direction changes.
 */
static void arm_faults(struct fab_link *link, unsigned int mask)
{
	const struct fab_faults *a = &link->wire[0].faults, *b = &link->wire[1].faults;
	u64 drop_nth = mask & FAB_LINK_DROP_NTH ? link->set.drop_nth :
						  max(a->drop_nth, b->drop_nth);
	u64 corrupt_nth = mask & FAB_LINK_CORRUPT_NTH ? link->set.corrupt_nth :
							max(a->corrupt_nth, b->corrupt_nth);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct fab_faults *faults = &link->wire[i].faults;
		bool hit = link->set.fault_dir == FABSIM_FAULT_BOTH ||
			   link->set.fault_dir == (i ? FABSIM_FAULT_B_TO_A : FABSIM_FAULT_A_TO_B);

		faults->loss = hit ? link->set.loss : 0;
		faults->error = hit ? fab_ber_to_error(link->set.ber) : 0;
		if (mask & (FAB_LINK_DROP_NTH | FAB_LINK_FAULT_DIR))
			faults->drop_nth = hit ? drop_nth : 0;
		if (mask & (FAB_LINK_CORRUPT_NTH | FAB_LINK_FAULT_DIR))
			faults->corrupt_nth = hit ? corrupt_nth : 0;
		if (mask & FAB_LINK_SEED)
			fab_faults_seed(faults, link_seed(link), i);
	}
}

/**
 * fab_link_seed() - start the random sequences of a link anew
 * @link: link
 *
 * Context: fabric thread.
 */
void fab_link_seed(struct fab_link *link)
{
	arm_faults(link, FAB_LINK_SEED);
}

static void tell_ends(struct fab_link *link)
{
	unsigned int i;

	fab_stp_update(link);
	for (i = 0; i < 2; i++)
		link->wire[i].from->ops->link_changed(link->wire[i].from);
}

/* A new setting of the link, on the fabric thread. */
struct change {
	struct fab_link *link;
	const struct fab_link_settings *set;
	unsigned int mask;
};

static void merge(struct fab_link_settings *old, const struct fab_link_settings *new,
		  unsigned int mask)
{
	if (mask & FAB_LINK_UP)
		old->up = new->up;
	if (mask & FAB_LINK_RATE)
		old->rate = new->rate;
	if (mask & FAB_LINK_DELAY)
		old->delay = new->delay;
	if (mask & FAB_LINK_MTU)
		old->mtu = new->mtu;
	if (mask & FAB_LINK_BER)
		old->ber = new->ber;
	if (mask & FAB_LINK_LOSS)
		old->loss = new->loss;
	if (mask & FAB_LINK_DROP_NTH)
		old->drop_nth = new->drop_nth;
	if (mask & FAB_LINK_CORRUPT_NTH)
		old->corrupt_nth = new->corrupt_nth;
	if (mask & FAB_LINK_STALL)
		old->stall = new->stall;
	if (mask & FAB_LINK_FAULT_DIR)
		old->fault_dir = new->fault_dir;
	if (mask & FAB_LINK_SEED)
		old->seed = new->seed;
}

static void call_change(void *arg)
{
	struct change *change = arg;
	struct fab_link *link = change->link;
	bool was_up = link->set.up;
	unsigned int i;

	merge(&link->set, change->set, change->mask);
	arm_faults(link, change->mask);
	if (was_up != link->set.up) {
		for (i = 0; i < 2 && was_up; i++)
			purge_wire(&link->wire[i], FABSIM_DROP_LINK_DOWN);
		tell_ends(link);
	}
	for (i = 0; i < 2; i++)
		release_held(&link->wire[i]);
}

/* What is wrong with the settings of @mask, or NULL. */
static const char *find_fault(const struct fab_link_settings *set, unsigned int mask)
{
	if ((mask & FAB_LINK_RATE) && set->rate &&
	    (set->rate < FABSIM_RATE_MIN || set->rate > FABSIM_RATE_MAX))
		return "rate must be max (0) or from 1 Mb/s to 10 Tb/s";
	if ((mask & FAB_LINK_DELAY) && set->delay > FABSIM_DELAY_MAX)
		return "delay must be at most 1 s";
	if ((mask & FAB_LINK_MTU) && (set->mtu < FABSIM_MTU_MIN || set->mtu > FABSIM_MTU_MAX))
		return "mtu must be from 68 to 9216 bytes";
	if ((mask & FAB_LINK_BER) && set->ber > FABSIM_BER_ONE)
		return "ber must be at most 1";
	if ((mask & FAB_LINK_LOSS) && set->loss > FABSIM_PPB)
		return "loss must be at most 100 %";
	if ((mask & FAB_LINK_STALL) && (set->stall & ~(FABSIM_STALL_A | FABSIM_STALL_B)))
		return "stall must name end a, end b or both";
	if ((mask & FAB_LINK_FAULT_DIR) && set->fault_dir > FABSIM_FAULT_B_TO_A)
		return "the direction of faults must be both, a to b or b to a";
	return NULL;
}

static int check(const struct fab_link_settings *set, unsigned int mask,
		 struct netlink_ext_ack *extack)
{
	const char *fault = find_fault(set, mask);

	if (!fault)
		return 0;
	fab_err(extack, "%s", fault);
	return -ERANGE;
}

/**
 * fab_link_carrier() - tell the network devices at the ends whether the link is up
 * @link: link
 *
 * Context: process context, control mutex.
 */
void fab_link_carrier(struct fab_link *link)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		link->wire[i].from->ops->carrier(link->wire[i].from, link->set.up);
}

static void tell_outside(struct fab_link *link, u32 type)
{
	const struct fab_notice notice = { .type = type, .name = link->name };

	fab_notify(&notice);
}

/**
 * fab_link_set() - change settings of a link
 * @link: link
 * @set: new settings
 * @mask: FAB_LINK_*: which of them count
 * @extack: says what is wrong with them
 *
 * Context: process context, control mutex.
 * Return: 0, or -ERANGE with the old settings kept.
 */
int fab_link_set(struct fab_link *link, const struct fab_link_settings *set,
		 unsigned int mask, struct netlink_ext_ack *extack)
{
	struct change change = { .link = link, .set = set, .mask = mask };
	bool was_up = link->set.up;
	int err = check(set, mask, extack);

	if (err)
		return err;
	fab_call(call_change, &change);
	if (was_up != link->set.up) {
		fab_link_carrier(link);
		tell_outside(link, link->set.up ? FABSIM_EVENT_LINK_UP : FABSIM_EVENT_LINK_DOWN);
	}
	return 0;
}

/**
 * fab_link_reset() - empty the wires; with @to_defaults, forget all settings
 * @link: link
 * @to_defaults: also the settings
 *
 * A link that was down and comes up so tells its ends; the caller tells the
 * outside (fab_link_carrier()).
 *
 * Context: fabric thread.
 */
void fab_link_reset(struct fab_link *link, bool to_defaults)
{
	struct change change = { .link = link, .set = &defaults, .mask = FAB_LINK_ALL };
	unsigned int i;

	for (i = 0; i < 2; i++)
		purge_wire(&link->wire[i], FABSIM_DROP_RESET);
	if (to_defaults)
		call_change(&change);
	else
		arm_faults(link, FAB_LINK_DROP_NTH | FAB_LINK_CORRUPT_NTH | FAB_LINK_SEED);
}

/**
 * fab_link_find() - a link by its name
 * @name: name
 *
 * Context: control mutex.
 * Return: the link or NULL.
 */
struct fab_link *fab_link_find(const char *name)
{
	struct fab_link *link;

	hash_for_each_possible(names, link, hash, fab_name_hash(name))
		if (!strcmp(link->name, name))
			return link;
	return NULL;
}

/**
 * fab_link_by_id() - a link by its number
 * @id: number
 *
 * Context: control mutex.
 * Return: the link or NULL.
 */
struct fab_link *fab_link_by_id(u32 id)
{
	return xa_load(&links, id);
}

/**
 * fab_link_next() - walk over the links
 * @id: in: smallest number wanted; out: number of the link returned
 *
 * Context: control mutex.
 * Return: the link or NULL at the end.
 */
struct fab_link *fab_link_next(u32 *id)
{
	unsigned long index = *id;
	struct fab_link *link = xa_find(&links, &index, U32_MAX, XA_PRESENT);

	*id = index;
	return link;
}

/**
 * fab_link_count() - how many links there are
 *
 * Context: control mutex.
 * Return: the number.
 */
unsigned int fab_link_count(void)
{
	return n_links;
}

/* "h1-es1"; the second cable between the same two is "h1-es1.2". */
static int make_name(struct fab_link *link, const struct fab_link_params *params,
		     struct netlink_ext_ack *extack)
{
	unsigned int n;

	if (params->name[0]) {
		strscpy(link->name, params->name, sizeof(link->name));
		if (!fab_link_find(link->name))
			return 0;
		NL_SET_ERR_MSG_MOD(extack, "a link of this name exists");
		return -EEXIST;
	}
	for (n = 1; n <= FABSIM_PORTS_MAX; n++) {
		snprintf(link->name, sizeof(link->name), n == 1 ? "%s-%s" : "%s-%s.%u",
			 params->end[0].node, params->end[1].node, n);
		if (!fab_link_find(link->name))
			return 0;
	}
	NL_SET_ERR_MSG_MOD(extack, "too many links between these two nodes");
	return -ENOSPC;
}

/* One end of a link to be made: a node, and one of its ports (0 = any). */
struct end {
	struct fab_node *node;
	u32 index;
};

static int find_end(const struct fab_link_params *params, unsigned int i, struct end *end,
		    struct netlink_ext_ack *extack)
{
	end->node = fab_node_find(params->end[i].node);
	end->index = params->end[i].port;
	if (!end->node) {
		fab_err(extack, "there is no node %s", params->end[i].node);
		return -ENODEV;
	}
	if (end->index > end->node->n_ports) {
		fab_err(extack, "%s has no port %u: it has %u", end->node->name, end->index,
			end->node->n_ports);
		return -ENXIO;
	}
	return 0;
}

static bool end_may_be(const struct end *end, u32 kind)
{
	unsigned int i;

	if (end->index)
		return end->node->ports[end->index - 1].ops->kind == kind;
	for (i = 0; i < end->node->n_ports; i++)
		if (end->node->ports[i].ops->kind == kind)
			return true;
	return false;
}

/* The kind of port that both ends have, Ethernet first. */
static int common_kind(const struct end end[2], struct netlink_ext_ack *extack)
{
	u32 kind;

	for (kind = 0; kind <= FABSIM_PORT_KIND_MAX; kind++)
		if (end_may_be(&end[0], kind) && end_may_be(&end[1], kind))
			return kind;
	fab_err(extack, "a cable joins two Ethernet or two InfiniBand ports: %s and %s have none alike",
		end[0].node->name, end[1].node->name);
	return -EINVAL;
}

static struct fab_port *pick_port(const struct end *end, u32 kind, struct netlink_ext_ack *extack)
{
	struct fab_node *node = end->node;
	struct fab_port *port = end->index ? &node->ports[end->index - 1] :
					     fab_port_free_one(node, kind);

	if (!port) {
		fab_err(extack, "%s has no free port left", node->name);
		return ERR_PTR(-ENOSPC);
	}
	if (port->wire) {
		fab_err(extack, "%s has a link already: %s", port->name, port->wire->link->name);
		return ERR_PTR(-EBUSY);
	}
	return port;
}

/* The two ports that a link will join. */
static int find_ports(const struct fab_link_params *params, struct fab_port *port[2],
		      struct netlink_ext_ack *extack)
{
	struct end end[2];
	unsigned int i;
	int kind, err;

	for (i = 0; i < 2; i++) {
		err = find_end(params, i, &end[i], extack);
		if (err)
			return err;
	}
	kind = common_kind(end, extack);
	if (kind < 0)
		return kind;
	for (i = 0; i < 2; i++) {
		port[i] = pick_port(&end[i], kind, extack);
		if (IS_ERR(port[i]))
			return PTR_ERR(port[i]);
	}
	if (port[0]->node == port[1]->node) {
		NL_SET_ERR_MSG_MOD(extack, "a link joins two different nodes");
		return -EINVAL;
	}
	return 0;
}

static void init_wire(struct fab_link *link, unsigned int i, struct fab_port *from,
		      struct fab_port *to)
{
	struct fab_wire *wire = &link->wire[i];

	wire->from = from;
	wire->to = to;
	wire->link = link;
	INIT_LIST_HEAD(&wire->in_flight);
	INIT_LIST_HEAD(&wire->held);
	fab_event_init(&wire->sent, fire_sent);
	fab_event_init(&wire->arrival, fire_arrival);
}

static void call_attach(void *arg)
{
	struct fab_link *link = arg;
	unsigned int i;

	for (i = 0; i < 2; i++)
		link->wire[i].from->wire = &link->wire[i];
	arm_faults(link, FAB_LINK_ALL);
	tell_ends(link);
}

static void call_detach(void *arg)
{
	struct fab_link *link = arg;
	unsigned int i;

	for (i = 0; i < 2; i++)
		purge_wire(&link->wire[i], FABSIM_DROP_LINK_DOWN);
	for (i = 0; i < 2; i++)
		link->wire[i].from->wire = NULL;
	tell_ends(link);
}

static struct fab_link *alloc_link(const struct fab_link_params *params,
				   struct netlink_ext_ack *extack)
{
	struct fab_port *port[2];
	struct fab_link *link;
	int err;

	err = find_ports(params, port, extack);
	if (err)
		return ERR_PTR(err);
	err = check(&params->set, params->mask, extack);
	if (err)
		return ERR_PTR(err);
	link = kzalloc(sizeof(*link), GFP_KERNEL);
	if (!link)
		return ERR_PTR(-ENOMEM);
	link->set = defaults;
	merge(&link->set, &params->set, params->mask);
	init_wire(link, 0, port[0], port[1]);
	init_wire(link, 1, port[1], port[0]);
	err = make_name(link, params, extack);
	if (err) {
		kfree(link);
		return ERR_PTR(err);
	}
	return link;
}

/**
 * fab_link_create() - plug a cable in
 * @params: what link
 * @extack: says what is wrong with it
 *
 * Context: process context, control mutex.
 * Return: the link, or an error: -ENODEV, -ENXIO (no such node, port), -EBUSY,
 * -ENOSPC (port taken, none free), -EEXIST (name), -EINVAL, -ERANGE, -ENOMEM,
 * -EINTR (the caller was killed).
 */
struct fab_link *fab_link_create(const struct fab_link_params *params,
				 struct netlink_ext_ack *extack)
{
	struct fab_link *link;
	int err;

	fab_control_assert();
	link = alloc_link(params, extack);
	if (IS_ERR(link))
		return link;
	err = xa_alloc_cyclic(&links, &link->id, link, xa_limit_31b, &next_id, GFP_KERNEL);
	if (err < 0)
		goto err_free;
	err = fab_sysfs_add_link(link);
	if (err)
		goto err_erase;
	err = fab_call_killable(call_attach, link);
	if (err)
		goto err_sysfs;
	hash_add(names, &link->hash, fab_name_hash(link->name));
	n_links++;
	fab_link_carrier(link);
	tell_outside(link, FABSIM_EVENT_LINK_NEW);
	return link;

err_sysfs:
	fab_sysfs_del_link(link);
err_erase:
	xa_erase(&links, link->id);
err_free:
	kfree(link);
	return ERR_PTR(err);
}

/**
 * fab_link_destroy() - pull a cable out; what is on it is lost
 * @link: link; gone after this
 *
 * Context: process context, control mutex.
 */
void fab_link_destroy(struct fab_link *link)
{
	fab_control_assert();
	hash_del(&link->hash);
	xa_erase(&links, link->id);
	n_links--;
	fab_call(call_detach, link);
	link->set.up = false;
	fab_link_carrier(link);
	tell_outside(link, FABSIM_EVENT_LINK_DEL);
	fab_sysfs_del_link(link);
	kfree(link);
}
