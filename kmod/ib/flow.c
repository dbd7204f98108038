// SPDX-License-Identifier: GPL-2.0
/*
 * Credits on the wire: which flow-control packets a port sends, and what it
 * makes of those it gets. The arithmetic is in credit.c (vol 1, 7.9).
 *
 * A data packet stays in the receive buffer of the port it came in by until its
 * last bit has left the node; at a host it is taken out at once. What was freed is
 * told when it is worth it, and again and again: the specification wants a
 * flow-control packet for each lane at least every 65,536 symbol times, which
 * repairs whatever was lost on the wire. Here that timer rests while it could
 * not say anything new, and runs again as soon as either end sends, receives or
 * waits: nobody can tell the difference, and an idle fabric costs nothing.
 *
 * There is no way to turn credits off.
 */
#include "internal.h"
#include "trace.h"

/* Symbols of a lane, of which 4 lanes carry a byte each. */
#define REFRESH_SYMBOLS	65536
#define LANES		4
/* A link of rate "max" has no symbol time. */
#define REFRESH_MAX_NS	NSEC_PER_MSEC

static u64 refresh_period(const struct fab_ib_port *ibp)
{
	u64 rate = fab_wire_settings(ibp->port->wire)->rate;

	if (!rate)
		return REFRESH_MAX_NS;
	return mul_u64_u64_div_u64(REFRESH_SYMBOLS * LANES * 8ULL, NSEC_PER_SEC, rate);
}

/**
 * fab_ib_flow_wake() - let the regular flow-control packets run
 * @ibp: port
 *
 * Context: fabric thread.
 */
void fab_ib_flow_wake(struct fab_ib_port *ibp)
{
	if (!fab_event_pending(&ibp->flow.refresh) && fab_ib_is_up(ibp))
		fab_event_at(&ibp->flow.refresh, fab_now() + refresh_period(ibp));
}

static struct fab_ib_port *peer_of(const struct fab_ib_port *ibp)
{
	return fab_to_ib_port(ibp->port->wire->to);
}

/* Would a flow-control packet of lane @vl say anything that the other end may not know? */
static bool has_news(const struct fab_ib_port *ibp, unsigned int vl)
{
	const struct fab_ib_flow *flow = &ibp->flow;

	return flow->tx[vl].fctbs != flow->told_fctbs[vl] ||
	       fab_credit_fccl(&flow->rx[vl]) != flow->rx[vl].told ||
	       (peer_of(ibp)->flow.waiting & BIT(vl)) || (flow->waiting & BIT(vl));
}

static void fire_refresh(struct fab_event *event)
{
	struct fab_ib_port *ibp = container_of(event, struct fab_ib_port, flow.refresh);
	unsigned int vl;
	u8 tell = 0;

	if (!fab_ib_is_up(ibp))
		return;
	/* Nothing gets through to an end that has stopped to receive: do not pile up. */
	if (!list_empty(&ibp->port->wire->held)) {
		fab_event_at(event, fab_now() + refresh_period(ibp));
		return;
	}
	for (vl = 0; vl < FAB_IB_DATA_VLS; vl++)
		if (has_news(ibp, vl))
			tell |= BIT(vl);
	if (!tell)
		return;
	ibp->flow.tell |= tell;
	fab_event_at(event, fab_now() + refresh_period(ibp));
	fab_ib_egress_run(ibp);
}

/* The first packet of a lane has waited too long: it goes (18.2.5.4, HOQLife). */
static void fire_hoq(struct fab_event *event)
{
	struct fab_ib_port *ibp = container_of(event, struct fab_ib_port, flow.hoq);
	u64 life = 4096ULL << READ_ONCE(ibp->attr.hoq_life);
	u64 now = fab_now();
	unsigned int vl;

	if (READ_ONCE(ibp->attr.hoq_life) > 19)
		return;
	for (vl = 0; vl < FAB_IB_DATA_VLS; vl++) {
		struct fab_packet *packet;

		packet = list_first_entry_or_null(&ibp->queue[vl], struct fab_packet, list);
		if (!packet || !(ibp->flow.waiting & BIT(vl)) || now < ibp->flow.since[vl] + life)
			continue;
		list_del(&packet->list);
		WRITE_ONCE(ibp->port->queue_bytes, ibp->port->queue_bytes - packet->len);
		ibp->flow.waiting &= ~BIT(vl);
		fab_ib_drop(ibp, packet, FAB_IB_CNT_XMIT_DISCARDS, FABSIM_DROP_CONGESTION);
	}
	fab_ib_egress_run(ibp);
	if (ibp->flow.waiting && !fab_event_pending(event))
		fab_event_at(event, now + life);
}

/**
 * fab_ib_flow_setup() - make the credits of a port ready for use
 * @ibp: port
 */
void fab_ib_flow_setup(struct fab_ib_port *ibp)
{
	fab_event_init(&ibp->flow.refresh, fire_refresh);
	fab_event_init(&ibp->flow.hoq, fire_hoq);
}

/**
 * fab_ib_flow_start() - the link came up: begin to count, and say how much room there is
 * @ibp: port
 *
 * Context: fabric thread.
 */
void fab_ib_flow_start(struct fab_ib_port *ibp)
{
	struct fab_ib_flow *flow = &ibp->flow;
	unsigned int vl;

	for (vl = 0; vl < FAB_IB_DATA_VLS; vl++) {
		u16 used = flow->rx[vl].used;

		fab_credit_tx_init(&flow->tx[vl]);
		fab_credit_rx_init(&flow->rx[vl], FAB_IB_VL_BUFFER / FAB_CREDIT_BLOCK);
		/* What came before the link went down may still be in the buffer. */
		flow->rx[vl].used = used;
		flow->told_fctbs[vl] = 0;
	}
	flow->waiting = 0;
	flow->blocked = 0;
	flow->tell = BIT(FAB_IB_DATA_VLS) - 1;
	fab_ib_flow_wake(ibp);
}

/**
 * fab_ib_flow_stop() - the link went down
 * @ibp: port
 *
 * Context: fabric thread.
 */
void fab_ib_flow_stop(struct fab_ib_port *ibp)
{
	fab_event_cancel(&ibp->flow.refresh);
	fab_event_cancel(&ibp->flow.hoq);
	ibp->flow.waiting = 0;
	ibp->flow.tell = 0;
	ibp->flow.blocked = 0;
}

/**
 * fab_ib_flow_wait() - these lanes wait for credits
 * @ibp: port
 * @waiting: lanes, a bit each
 *
 * Context: fabric thread.
 */
void fab_ib_flow_wait(struct fab_ib_port *ibp, unsigned int waiting)
{
	struct fab_ib_flow *flow = &ibp->flow;
	unsigned int fresh = waiting & ~flow->waiting;
	u8 life = READ_ONCE(ibp->attr.hoq_life);
	unsigned int vl;

	flow->waiting = waiting;
	if (!fresh)
		return;
	for (vl = 0; vl < FAB_IB_DATA_VLS; vl++) {
		if (!(fresh & BIT(vl)))
			continue;
		flow->since[vl] = fab_now();
		WRITE_ONCE(flow->stalls, flow->stalls + 1);
		trace_fabsim_credit_stall(ibp->port, vl, fab_credit_left(&flow->tx[vl]));
	}
	fab_ib_flow_wake(ibp);
	fab_ib_flow_wake(peer_of(ibp));
	if (ibp->ibn->type == FAB_IB_SWITCH && life <= 19 && !fab_event_pending(&flow->hoq))
		fab_event_at(&flow->hoq, fab_now() + (4096ULL << life));
}

static void tell_if_worth(struct fab_ib_port *ibp, u8 vl)
{
	u16 most = fab_credit_blocks(fab_ib_max_len(ibp));

	if (!fab_credit_worth_telling(&ibp->flow.rx[vl], most))
		return;
	ibp->flow.tell |= BIT(vl);
	fab_ib_egress_run(ibp);
}

/**
 * fab_ib_flow_freed() - a packet left the receive buffer of a port
 * @ibp: port it came in by
 * @vl: lane
 * @blocks: of the packet
 *
 * Context: fabric thread.
 */
void fab_ib_flow_freed(struct fab_ib_port *ibp, u8 vl, u16 blocks)
{
	fab_credit_freed(&ibp->flow.rx[vl], blocks);
	if (fab_ib_is_up(ibp))
		tell_if_worth(ibp, vl);
}

/**
 * fab_ib_flow_received() - a data packet came in
 * @ibp: port
 * @packet: packet; takes its place in the receive buffer
 * @vl: lane
 *
 * Context: fabric thread.
 * Return: false if there is no room, which credits exclude.
 */
bool fab_ib_flow_received(struct fab_ib_port *ibp, struct fab_packet *packet, u8 vl)
{
	struct fab_ib_cb *cb = fab_ib_cb(packet);
	u16 blocks = fab_credit_blocks(packet->len);

	fab_ib_flow_wake(ibp);
	if (!fab_credit_received(&ibp->flow.rx[vl], blocks))
		return false;
	cb->hold = ibp;
	cb->copies = NULL;
	cb->blocks = blocks;
	cb->vl = vl;
	return true;
}

/**
 * fab_ib_flow_packet() - a flow-control packet came in
 * @ibp: port
 * @packet: packet; consumed
 *
 * Context: fabric thread.
 */
void fab_ib_flow_packet(struct fab_ib_port *ibp, struct fab_packet *packet)
{
	const struct fab_flow *wire = (const struct fab_flow *)packet->skb->data;
	u16 fctbs = be16_to_cpu(wire->op_fctbs) % FAB_CREDIT_MOD;
	u16 fccl = be16_to_cpu(wire->vl_fccl) % FAB_CREDIT_MOD;
	u8 vl = be16_to_cpu(wire->vl_fccl) >> 12;

	fab_packet_free(packet);
	WRITE_ONCE(ibp->flow.received, ibp->flow.received + 1);
	if (vl >= FAB_IB_DATA_VLS)
		return;
	fab_credit_adjust(&ibp->flow.rx[vl], fctbs);
	fab_credit_limit(&ibp->flow.tx[vl], fccl);
	tell_if_worth(ibp, vl);
	fab_ib_egress_run(ibp);
}

/**
 * fab_ib_flow_make() - the next flow-control packet that @flow.tell asks for
 * @ibp: port
 *
 * Context: fabric thread.
 * Return: the packet; NULL if there is no memory (the regular ones make up for it).
 */
struct fab_packet *fab_ib_flow_make(struct fab_ib_port *ibp)
{
	struct fab_ib_flow *flow = &ibp->flow;
	unsigned int vl = __ffs(flow->tell);
	u16 op = fab_ib_state(ibp) == IB_PORT_INIT ? FAB_FLOW_INIT : FAB_FLOW_NORMAL;
	u16 fccl = fab_credit_fccl(&flow->rx[vl]);
	u16 fctbs = flow->tx[vl].fctbs;
	struct fab_packet *packet;
	struct fab_flow *wire;

	flow->tell &= flow->tell - 1;
	packet = fab_packet_create_rdma(sizeof(*wire));
	if (!packet)
		return NULL;
	wire = skb_put(packet->skb, sizeof(*wire));
	wire->op_fctbs = cpu_to_be16(op << 12 | fctbs);
	wire->vl_fccl = cpu_to_be16(vl << 12 | fccl);
	packet->tail = FAB_FLOW_TAIL;
	packet->len = sizeof(*wire) + FAB_FLOW_TAIL;
	flow->rx[vl].told = fccl;
	flow->told_fctbs[vl] = fctbs;
	WRITE_ONCE(flow->sent, flow->sent + 1);
	return packet;
}
