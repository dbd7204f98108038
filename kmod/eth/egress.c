// SPDX-License-Identifier: GPL-2.0
/*
 * The way out of a port, the same for a NIC and for a switch.
 *
 * Eight queues, one a priority (802.1p), the highest first. At a switch the
 * packets waiting in them take memory from a buffer that all ports share; at a
 * NIC they wait in the host's transmit ring, which the driver keeps short (BQL).
 *
 * A NIC is handed TCP segments of up to 64 KiB and cuts them into frames itself
 * (TCP segmentation offload). Here the cut is put off as long as nobody could
 * tell the difference: the segment travels whole over hops that take no time
 * to serialise, and the first hop with a finite rate, a capture, a fault or a
 * smaller MTU cuts it. So finite queues always hold frames.
 */
#include <linux/if_vlan.h>
#include <linux/skbuff.h>
#include "../compat.h"
#include "buffer.h"
#include "eth.h"
#include "trace.h"

/**
 * fab_egress_init() - empty queues
 * @port: port
 */
void fab_egress_init(struct fab_port *port)
{
	unsigned int i;

	for (i = 0; i < FAB_PRIOS; i++)
		INIT_LIST_HEAD(&port->queue[i]);
}

static void fill(struct fab_port *port, struct fab_packet *packet)
{
	list_add_tail(&packet->list, &port->queue[packet->prio]);
	port->prio_bytes[packet->prio] += packet->len;
	WRITE_ONCE(port->queue_bytes, port->queue_bytes + packet->len);
	if (port->queue_bytes > port->stats.queue_peak)
		WRITE_ONCE(port->stats.queue_peak, port->queue_bytes);
}

static void take_out(struct fab_port *port, struct fab_packet *packet)
{
	list_del(&packet->list);
	port->prio_bytes[packet->prio] -= packet->len;
	WRITE_ONCE(port->queue_bytes, port->queue_bytes - packet->len);
}

static struct fab_packet *next_packet(struct fab_port *port)
{
	unsigned int prio;

	if (!port->queue_bytes)
		return NULL;
	for (prio = FAB_PRIOS; prio--; )
		if (!list_empty(&port->queue[prio]))
			return list_first_entry(&port->queue[prio], struct fab_packet, list);
	return NULL;
}

/**
 * fab_egress_run() - send while the wire is free
 * @port: port
 *
 * Context: fabric thread.
 */
void fab_egress_run(struct fab_port *port)
{
	struct fab_packet *packet;

	while (fab_port_is_up(port) && fab_wire_is_free(port->wire)) {
		packet = next_packet(port);
		if (!packet)
			return;
		take_out(port, packet);
		fab_wire_send(port->wire, packet);
	}
}

/* Longest frame of @packet, without its Ethernet header and tag, for the MTU check. */
static u32 payload_len(const struct fab_packet *packet)
{
	const struct sk_buff *skb = packet->skb;
	const struct vlan_ethhdr *eth = (const struct vlan_ethhdr *)skb->data;
	u32 header = ETH_HLEN;

	if (eth_type_vlan(eth->h_vlan_proto))
		header += VLAN_HLEN;
	/* A provider's tag around the customer's (802.1ad). */
	if (header > ETH_HLEN && skb_headlen(skb) >= VLAN_ETH_HLEN &&
	    eth_type_vlan(eth->h_vlan_encapsulated_proto))
		header += VLAN_HLEN;
	return packet->len - header;
}

/* One packet that this hop carries as it is. */
static void add_one(struct fab_port *port, struct fab_packet *packet)
{
	if (packet->frames == 1 && payload_len(packet) > fab_wire_settings(port->wire)->mtu) {
		fab_port_drop(port, packet, FABSIM_DROP_MTU);
		return;
	}
	if (port->buffer &&
	    !fab_buffer_take(port->buffer, port->prio_bytes[packet->prio], packet->len)) {
		fab_port_drop(port, packet, FABSIM_DROP_CONGESTION);
		return;
	}
	fill(port, packet);
}

/* Would this hop notice that a TCP segment is one packet and not many frames? */
static bool wants_frames(const struct fab_port *port, const struct fab_packet *packet)
{
	const struct fab_wire *wire = port->wire;

	return fab_wire_settings(wire)->rate || fab_faults_any(&wire->faults) ||
	       port->captured || wire->to->captured ||
	       !skb_gso_validate_network_len(packet->skb, fab_wire_settings(wire)->mtu);
}

static void cut_and_add(struct fab_port *port, struct fab_packet *packet)
{
	u64 *lost = &port->stats.drops[FABSIM_DROP_NO_MEMORY];
	struct fab_packet *frame, *next;
	LIST_HEAD(frames);

	WRITE_ONCE(*lost, *lost + fab_packet_cut(packet, &frames));
	WRITE_ONCE(port->stats.tx_cuts, port->stats.tx_cuts + 1);
	if (list_empty(&frames)) {
		fab_port_drop(port, packet, FABSIM_DROP_NO_MEMORY);
		return;
	}
	fab_packet_free(packet);
	list_for_each_entry_safe(frame, next, &frames, list) {
		list_del(&frame->list);
		add_one(port, frame);
	}
}

/**
 * fab_egress_add() - a packet wants to leave by this port
 * @port: port
 * @packet: packet; the port's from now on
 *
 * Context: fabric thread.
 */
void fab_egress_add(struct fab_port *port, struct fab_packet *packet)
{
	if (!fab_port_is_up(port)) {
		fab_port_drop(port, packet, FABSIM_DROP_LINK_DOWN);
		return;
	}
	if (skb_is_gso(packet->skb) && wants_frames(port, packet))
		cut_and_add(port, packet);
	else
		add_one(port, packet);
	fab_egress_run(port);
}

/**
 * fab_egress_purge() - throw away what waits to leave
 * @port: port
 * @reason: enum fabsim_drop
 *
 * Context: fabric thread.
 */
void fab_egress_purge(struct fab_port *port, u32 reason)
{
	struct fab_packet *packet;

	while ((packet = next_packet(port))) {
		take_out(port, packet);
		if (port->buffer)
			fab_buffer_give(port->buffer, packet->len);
		fab_port_drop(port, packet, reason);
	}
}
