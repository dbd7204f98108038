// SPDX-License-Identifier: GPL-2.0
/*
 * The way out of an InfiniBand port: what goes next, and may it go?
 *
 * In this order: flow-control packets; management (VL15), which needs no credits;
 * data, whose lane is chosen by VL arbitration (vlarb.c) among those whose first
 * packet has the credits for it (credit.c). Nothing is ever dropped here for want
 * of room: a packet that may not go yet stays where it is, in the receive buffer
 * of the port that it came in by, and that port grants no new credits meanwhile.
 * So congestion spreads upstream, hop by hop, and hits flows that never go to the
 * congested port (victims).
 *
 * A switch sends a packet on before it has all of it. Where the way out is faster
 * than the way in, that must not be too early, or it would run dry in the middle:
 * such a packet waits until its rest will arrive in time (18.2.4).
 */
#include <linux/slab.h>
#include "internal.h"

static void give_back(struct fab_ib_cb *cb)
{
	struct fab_ib_port *ibp = cb->hold;

	if (!ibp)
		return;
	cb->hold = NULL;
	if (cb->copies) {
		if (--*cb->copies)
			return;
		kfree(cb->copies);
	}
	fab_ib_flow_freed(ibp, cb->vl, cb->blocks);
}

/**
 * fab_ib_release() - a packet leaves the receive buffer that it is in, if it is in one
 * @packet: packet
 *
 * Context: fabric thread.
 */
void fab_ib_release(struct fab_packet *packet)
{
	give_back(fab_ib_cb(packet));
}

/**
 * fab_ib_drop() - the end of a packet that did not get through
 * @ibp: where
 * @packet: packet; freed
 * @counter: FAB_IB_CNT_*, what PortCounters call it
 * @reason: enum fabsim_drop
 *
 * Context: fabric thread.
 */
void fab_ib_drop(struct fab_ib_port *ibp, struct fab_packet *packet, unsigned int counter,
		 u32 reason)
{
	fab_ib_release(packet);
	fab_ib_count(ibp, counter, 1);
	if (ibp->port)
		fab_port_drop(ibp->port, packet, reason);
	else
		fab_packet_free(packet);
}

/* The lane that a packet takes from here on; it is in its LRH. False: no memory. */
static bool set_vl(struct fab_packet *packet, u8 vl)
{
	packet->prio = vl;
	if (fab_lrh_vl(fab_ib_lrh(packet)) == vl)
		return true;
	/* Copies of a multicast packet share their headers until one needs its own. */
	if (skb_unclone(packet->skb, GFP_NOWAIT | __GFP_NOWARN))
		return false;
	fab_lrh_set_vl(fab_ib_lrh(packet), vl);
	return true;
}

static void count_sent(struct fab_ib_port *ibp, const struct fab_packet *packet)
{
	const struct fab_lrh *lrh = fab_ib_lrh(packet);
	bool mcast = fab_ib_is_mcast(be16_to_cpu(lrh->dlid));

	fab_ib_count(ibp, FAB_IB_CNT_XMIT_DATA, be16_to_cpu(lrh->len) & FAB_LRH_LEN_MASK);
	fab_ib_count(ibp, FAB_IB_CNT_XMIT_PKTS, 1);
	fab_ib_count(ibp, mcast ? FAB_IB_CNT_MULTI_XMIT : FAB_IB_CNT_UNI_XMIT, 1);
}

/* Lanes whose first packet has its credits, and its length; the others with a packet wait. */
static unsigned int find_ready(struct fab_ib_port *ibp, u32 *len, unsigned int *waiting)
{
	unsigned int vl, ready = 0;

	*waiting = 0;
	for (vl = 0; vl < FAB_IB_DATA_VLS; vl++) {
		const struct fab_packet *packet;

		packet = list_first_entry_or_null(&ibp->queue[vl], struct fab_packet, list);
		if (!packet)
			continue;
		len[vl] = packet->len;
		if (fab_credit_may_send(&ibp->flow.tx[vl], fab_credit_blocks(packet->len)))
			ready |= BIT(vl);
		else
			*waiting |= BIT(vl);
	}
	return ready;
}

/* PortXmitWait counts in ns while there is data and none of it can go. */
static void count_wait(struct fab_ib_port *ibp, bool blocked)
{
	struct fab_ib_flow *flow = &ibp->flow;

	if (flow->blocked)
		fab_ib_count(ibp, FAB_IB_CNT_XMIT_WAIT, fab_now() - flow->blocked);
	flow->blocked = blocked ? max(fab_now(), 1ULL) : 0;
}

static struct fab_packet *next_data(struct fab_ib_port *ibp)
{
	u32 len[FAB_IB_DATA_VLS];
	unsigned int ready, waiting;
	struct fab_packet *packet;
	int vl = -1;

	ready = find_ready(ibp, len, &waiting);
	if (ready)
		vl = fab_vlarb_next(&ibp->arb, &ibp->attr.arb_high, &ibp->attr.arb_low,
				    READ_ONCE(ibp->attr.vl_high_limit), ready, len);
	/* Credits, but in no table: nothing but its lifetime ends that. */
	if (ready && vl < 0)
		waiting |= ready;
	if (waiting || ibp->flow.waiting)
		fab_ib_flow_wait(ibp, waiting);
	if (waiting || ibp->flow.blocked)
		count_wait(ibp, vl < 0);
	if (vl < 0)
		return NULL;
	packet = list_first_entry(&ibp->queue[vl], struct fab_packet, list);
	fab_credit_sent(&ibp->flow.tx[vl], fab_credit_blocks(packet->len));
	fab_ib_flow_wake(ibp);
	return packet;
}

static struct fab_packet *next_packet(struct fab_ib_port *ibp)
{
	struct fab_packet *packet;

	if (!READ_ONCE(ibp->port->queue_bytes))
		return NULL;
	packet = list_first_entry_or_null(&ibp->vl15, struct fab_packet, list);
	if (!packet)
		packet = next_data(ibp);
	if (!packet)
		return NULL;
	list_del(&packet->list);
	WRITE_ONCE(ibp->port->queue_bytes, ibp->port->queue_bytes - packet->len);
	count_sent(ibp, packet);
	return packet;
}

/**
 * fab_ib_egress_run() - send while the wire is free
 * @ibp: port
 *
 * Context: fabric thread.
 */
void fab_ib_egress_run(struct fab_ib_port *ibp)
{
	struct fab_packet *packet;

	/* A packet that leaves may free a buffer, and that may call this again. */
	if (ibp->running)
		return;
	ibp->running = true;
	while (fab_ib_is_up(ibp) && fab_wire_is_free(ibp->port->wire)) {
		packet = ibp->flow.tell ? fab_ib_flow_make(ibp) : NULL;
		if (!packet)
			packet = next_packet(ibp);
		if (!packet)
			break;
		fab_wire_send(ibp->port->wire, packet);
	}
	ibp->running = false;
}

/* May a data packet leave a port in this state? (7.2.7) */
static bool may_leave(const struct fab_ib_port *ibp, u8 vl)
{
	u8 state = fab_ib_state(ibp);

	return vl == FAB_IB_VL15 ? state >= IB_PORT_INIT : state == IB_PORT_ACTIVE;
}

static void enqueue(struct fab_ib_port *ibp, struct fab_packet *packet)
{
	struct fab_port *port = ibp->port;

	list_add_tail(&packet->list, packet->prio == FAB_IB_VL15 ? &ibp->vl15 :
								   &ibp->queue[packet->prio]);
	WRITE_ONCE(port->queue_bytes, port->queue_bytes + packet->len);
	if (port->queue_bytes > port->stats.queue_peak)
		WRITE_ONCE(port->stats.queue_peak, port->queue_bytes);
}

/* From when on can a packet be sent here without running dry? */
static u64 ready_at(const struct fab_ib_port *ibp, const struct fab_packet *packet)
{
	u64 rate = fab_wire_settings(ibp->port->wire)->rate;
	u64 whole = packet->whole + ibp->ibn->node->latency;
	u64 time = 0;

	if (!packet->whole)
		return 0;
	if (rate)
		time = mul_u64_u64_div_u64((packet->len + FAB_IB_WIRE_OVERHEAD) * 8ULL,
					   NSEC_PER_SEC, rate);
	return whole > time ? whole - time : 0;
}

/* Behind all that can go earlier or at the same time: flows keep their order. */
static void wait_for_rest(struct fab_ib_port *ibp, struct fab_packet *packet, u64 ready)
{
	struct list_head *at;

	packet->arrive = ready;
	list_for_each_prev(at, &ibp->early)
		if (list_entry(at, struct fab_packet, list)->arrive <= ready)
			break;
	list_add(&packet->list, at);
	if (ibp->early.next == &packet->list)
		fab_event_at(&ibp->early_run, ready);
}

static void fire_early(struct fab_event *event)
{
	struct fab_ib_port *ibp = container_of(event, struct fab_ib_port, early_run);
	struct fab_packet *packet, *next;

	list_for_each_entry_safe(packet, next, &ibp->early, list) {
		if (packet->arrive > fab_now()) {
			fab_event_at(event, packet->arrive);
			break;
		}
		list_del(&packet->list);
		enqueue(ibp, packet);
	}
	fab_ib_egress_run(ibp);
}

/**
 * fab_ib_egress_setup() - empty queues
 * @ibp: port
 */
void fab_ib_egress_setup(struct fab_ib_port *ibp)
{
	unsigned int vl;

	for (vl = 0; vl < FAB_IB_DATA_VLS; vl++)
		INIT_LIST_HEAD(&ibp->queue[vl]);
	INIT_LIST_HEAD(&ibp->vl15);
	INIT_LIST_HEAD(&ibp->early);
	fab_event_init(&ibp->early_run, fire_early);
	fab_vlarb_init(&ibp->arb);
}

/* Why a packet may not leave by this port on this lane: enum fabsim_drop; 0: it may. */
static u32 refusal(const struct fab_ib_port *ibp, const struct fab_packet *packet, u8 vl)
{
	if (!fab_ib_is_up(ibp) || !may_leave(ibp, vl))
		return FABSIM_DROP_LINK_DOWN;
	if (packet->len > fab_ib_max_len(ibp))
		return FABSIM_DROP_MTU;
	if (vl != FAB_IB_VL15 && vl >= fab_ib_lanes(ibp))
		return FABSIM_DROP_NO_ROUTE;
	return 0;
}

/**
 * fab_ib_egress_add() - a packet wants to leave by this port
 * @ibp: port
 * @packet: packet, from its LRH on; the port's from now on
 * @vl: lane
 *
 * Context: fabric thread.
 */
void fab_ib_egress_add(struct fab_ib_port *ibp, struct fab_packet *packet, u8 vl)
{
	u32 reason = refusal(ibp, packet, vl);
	u64 ready;

	if (!reason && !set_vl(packet, vl))
		reason = FABSIM_DROP_NO_MEMORY;
	if (reason) {
		fab_ib_drop(ibp, packet, FAB_IB_CNT_XMIT_DISCARDS, reason);
		return;
	}
	ready = ready_at(ibp, packet);
	if (ready > fab_now()) {
		wait_for_rest(ibp, packet, ready);
		return;
	}
	enqueue(ibp, packet);
	fab_ib_egress_run(ibp);
}

static void purge_list(struct fab_ib_port *ibp, struct list_head *list, u32 reason)
{
	struct fab_packet *packet, *next;

	list_for_each_entry_safe(packet, next, list, list) {
		list_del(&packet->list);
		fab_ib_drop(ibp, packet, FAB_IB_CNT_XMIT_DISCARDS, reason);
	}
}

/**
 * fab_ib_egress_purge() - throw away what waits to leave
 * @port: port
 * @reason: enum fabsim_drop
 *
 * Context: fabric thread.
 */
void fab_ib_egress_purge(struct fab_port *port, u32 reason)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);
	LIST_HEAD(list);
	unsigned int vl;

	/* Out of the queues first: a drop may make the HCA send, or a port grant credits. */
	list_splice_tail_init(&ibp->vl15, &list);
	for (vl = 0; vl < FAB_IB_DATA_VLS; vl++)
		list_splice_tail_init(&ibp->queue[vl], &list);
	list_splice_tail_init(&ibp->early, &list);
	fab_event_cancel(&ibp->early_run);
	WRITE_ONCE(port->queue_bytes, 0);
	ibp->flow.waiting = 0;
	ibp->flow.blocked = 0;
	purge_list(ibp, &list, reason);
	give_back(&ibp->leaving);
}

/**
 * fab_ib_egress_sent() - a packet has left, or has begun to
 * @port: port
 * @packet: packet
 *
 * Where the far end cuts through, the packet is on its way there while the wire is
 * still busy with it; its buffer is given back when its last bit is out.
 *
 * Context: fabric thread.
 */
void fab_ib_egress_sent(struct fab_port *port, struct fab_packet *packet)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);
	struct fab_ib_cb *cb = fab_ib_cb(packet);

	if (fab_wire_is_free(port->wire)) {
		give_back(cb);
	} else {
		ibp->leaving = *cb;
		cb->hold = NULL;
	}
	fab_packet_complete(packet);
}

/**
 * fab_ib_egress_wire_free() - the wire can take the next packet
 * @port: port
 *
 * Context: fabric thread.
 */
void fab_ib_egress_wire_free(struct fab_port *port)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);

	give_back(&ibp->leaving);
	fab_ib_egress_run(ibp);
}
