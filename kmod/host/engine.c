// SPDX-License-Identifier: GPL-2.0
/*
 * The engine of an HCA: who gets a turn, and what becomes of a packet that came in.
 *
 * A QP with something to send stands in hca->ready. The engine serves these QPs
 * in turn, a few packets each, and never more than TURN_PACKETS in one go: then
 * other events of the same fabric time have theirs. So a QP that sends a
 * gigabyte does not keep a thousand others waiting, and calls are served in
 * between. When the port's queue is full (net->backlog()) the engine stops, and
 * goes on when the network says that there is room: a QP has no queue of packets
 * of its own, packets are made when there is room for them.
 *
 *	rings -> fab_qp_ready() -> hca->ready -> turn() -> rc_request.c, rc_answer.c, ud.c
 *	network -> fab_hca_receive() -> rc_respond.c, rc_complete.c, ud.c, mcast.c
 */
#include <linux/mm.h>
#include <net/ipv6.h>
#include <rdma/ib_mad.h>
#include "engine.h"

/* Packets of one QP in its turn, and of all QPs in one go. */
#define QP_PACKETS	8
#define TURN_PACKETS	32
/* More than this at the port, bytes, and the engine waits until only so much is left. */
#define BACKLOG		(64 * 1024)
#define BACKLOG_LOW	(32 * 1024)
/* Without memory, the next try is so much later, fabric ns. */
#define RETRY_NS	20000

static void schedule_turn(struct fab_hca *hca)
{
	if (!hca->engine.held_back && !fab_event_pending(&hca->engine.turn))
		fab_event_at(&hca->engine.turn, fab_now());
}

void fab_qp_ready(struct fab_qp *qp)
{
	if (qp->state == IB_QPS_RESET || qp->state == IB_QPS_INIT)
		return;
	if (list_empty(&qp->ready))
		list_add_tail(&qp->ready, &qp->hca->ready);
	schedule_turn(qp->hca);
}

static bool may_send(const struct fab_qp *qp)
{
	return qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD;
}

static enum fab_turn step(struct fab_qp *qp)
{
	enum fab_turn turn = FAB_TURN_IDLE;

	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_SQE)
		return fab_qp_flush(qp);
	if (qp->type == IB_QPT_RC)
		turn = fab_rc_answer_turn(qp);
	if (turn != FAB_TURN_IDLE || !may_send(qp))
		return turn;
	return qp->type == IB_QPT_RC || qp->type == IB_QPT_UC ? fab_rc_request_turn(qp) :
								fab_ud_turn(qp);
}

/* Some of what does not wait for a turn; more of it in the thread's next round. */
static void flush(struct fab_inbox *inbox)
{
	struct fab_qp *qp = container_of(inbox, struct fab_qp, flush);
	enum fab_turn turn = FAB_TURN_IDLE;

	if (qp->state == IB_QPS_ERR)
		turn = fab_qp_flush(qp);
	else if (fab_qp_is_management(qp))
		turn = step(qp);
	if (turn == FAB_TURN_WORKED)
		fab_inbox_post(inbox);
}

void fab_qp_flush_init(struct fab_qp *qp)
{
	fab_inbox_init_timeless(&qp->flush, flush);
}

void fab_qp_flush_soon(struct fab_qp *qp)
{
	fab_inbox_post(&qp->flush);
}

/* @qp has its turn; false: this HCA shall stop. */
static bool serve(struct fab_qp *qp, int *budget)
{
	struct fab_hca *hca = qp->hca;
	int i;

	for (i = 0; i < QP_PACKETS && *budget > 0; i++, --*budget) {
		if (hca->net->backlog(hca) > BACKLOG) {
			hca->engine.held_back = true;
			break;
		}
		switch (step(qp)) {
		case FAB_TURN_IDLE:
			return true;
		case FAB_TURN_WORKED:
			break;
		case FAB_TURN_NO_MEMORY:
			fab_count(hca, FAB_NO_MEMORY);
			fab_event_at(&hca->engine.turn, fab_now() + RETRY_NS);
			/* The step may have put it there, at the end. */
			list_move(&qp->ready, &hca->ready);
			return false;
		}
	}
	if (list_empty(&qp->ready))
		list_add_tail(&qp->ready, &hca->ready);
	return !hca->engine.held_back;
}

static void turn(struct fab_event *event)
{
	struct fab_hca *hca = container_of(event, struct fab_hca, engine.turn);
	int budget = TURN_PACKETS;
	struct fab_qp *qp;

	while (budget > 0) {
		qp = list_first_entry_or_null(&hca->ready, struct fab_qp, ready);
		if (!qp)
			return;
		list_del_init(&qp->ready);
		if (!serve(qp, &budget))
			return;
	}
	schedule_turn(hca);
}

void fab_hca_room(struct fab_hca *hca)
{
	if (!hca->engine.held_back || hca->net->backlog(hca) > BACKLOG_LOW)
		return;
	hca->engine.held_back = false;
	if (!list_empty(&hca->ready))
		schedule_turn(hca);
}

/**
 * fab_engine_packet() - an empty packet
 * @qp: who sends it
 * @header: bytes of BTH and what follows; there already, to be filled
 * @payload: bytes of payload that will be copied into it
 *
 * Return: the packet, or NULL if there is no memory.
 */
struct fab_packet *fab_engine_packet(struct fab_qp *qp, u32 header, u32 payload)
{
	struct fab_packet *packet = fab_packet_create_rdma(header + payload + 3);

	if (!packet)
		return NULL;
	skb_put(packet->skb, header);
	/* A program, or a kernel user, waits for it in real time. */
	packet->real = true;
	fab_clock_real_packets(1);
	return packet;
}

/* Packets are multiples of 4 bytes (9.2.5). */
static u8 pad(struct sk_buff *skb)
{
	u8 n = -skb->len & 3;

	if (!n)
		return 0;
	if (!skb_is_nonlinear(skb)) {
		skb_put_zero(skb, n);
		return n;
	}
	get_page(ZERO_PAGE(0));
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, ZERO_PAGE(0), 0, n, n);
	return n;
}

/**
 * fab_engine_send() - a packet leaves the HCA
 * @qp: who sends it
 * @path: where to
 * @packet: with payload and the headers behind the BTH; consumed
 * @bth: its BTH, without the pad count
 */
void fab_engine_send(struct fab_qp *qp, const struct fab_path *path, struct fab_packet *packet,
		     const struct fab_bth *bth)
{
	struct fab_bth *to = (struct fab_bth *)packet->skb->data;
	struct fab_hca *hca = qp->hca;

	*to = *bth;
	to->flags |= pad(packet->skb) << FAB_BTH_PAD_SHIFT;
	hca->net->wrap(hca, path, packet);
	fab_count(hca, FAB_SENT_PKTS);
	qp->tx_packets++;
	hca->net->send(hca, packet);
}

/**
 * fab_qp_look_up_pkey() - the QP's P_Key, as the table has it now
 * @qp: QP
 *
 * The subnet manager may change the table at any time.
 */
void fab_qp_look_up_pkey(struct fab_qp *qp)
{
	u16 pkey;

	/* First the count: a change that is missed now is seen at the next packet. */
	qp->port_events = atomic_read_acquire(&qp->hca->engine.port_events);
	if (qp->type == IB_QPT_SMI)
		qp->pkey = IB_DEFAULT_PKEY_FULL;
	else if (!qp->hca->net->query_pkey(qp->hca, qp->attr.pkey_index, &pkey))
		qp->pkey = pkey;
	else
		qp->pkey = 0;
}

/**
 * fab_incoming_parse() - take a packet apart
 * @packet: packet; its skb begins with the BTH
 * @in: filled in but for the arrival
 *
 * Return: false if it is none that anybody understands.
 */
bool fab_incoming_parse(struct fab_packet *packet, struct fab_incoming *in)
{
	struct sk_buff *skb = packet->skb;
	const struct fab_bth *bth;
	u32 header;

	if (!pskb_may_pull(skb, sizeof(*bth)))
		return false;
	bth = (const struct fab_bth *)skb->data;
	in->op = &fab_opcodes[bth->opcode & 31];
	header = in->op->length;
	if (bth->opcode >> 5 == IB_OPCODE_UD >> 5)
		header += sizeof(struct fab_deth);
	if (!in->op->mask || (bth->flags & FAB_BTH_VERSION) || !pskb_may_pull(skb, header) ||
	    skb->len < header + fab_bth_pad((const struct fab_bth *)skb->data))
		return false;
	in->packet = packet;
	in->bth = (const struct fab_bth *)skb->data;
	in->psn = fab_bth_psn(in->bth);
	in->offset = header;
	in->length = skb->len - header - fab_bth_pad(in->bth);
	return true;
}

/* Does the packet's service fit the QP's? */
static bool service_fits(const struct fab_qp *qp, const struct fab_incoming *in)
{
	switch (in->bth->opcode & 0xe0) {
	case IB_OPCODE_RC:
		return qp->type == IB_QPT_RC;
	case IB_OPCODE_UC:
		return qp->type == IB_QPT_UC && in->op->mask & (FAB_OP_SEND | FAB_OP_WRITE) &&
		       !(in->op->mask & FAB_OP_INV);
	case IB_OPCODE_UD:
		return qp->type != IB_QPT_RC && qp->type != IB_QPT_UC &&
		       in->op->mask & FAB_OP_SEND &&
		       (in->op->mask & FAB_OP_ONLY) == FAB_OP_ONLY &&
		       !(in->op->mask & FAB_OP_INV);
	default:
		return false;
	}
}

static bool may_receive(const struct fab_qp *qp)
{
	switch (qp->state) {
	case IB_QPS_RTR:
	case IB_QPS_RTS:
	case IB_QPS_SQD:
	case IB_QPS_SQE:
		return true;
	default:
		return false;
	}
}

/*
 * A connected QP listens to its peer alone (9.6.1.5). Only the GID is compared: a peer
 * with several LIDs may use any of them.
 */
static bool from_peer(const struct fab_qp *qp, const struct fab_arrival *arrival)
{
	const struct rdma_ah_attr *attr = &qp->attr.ah_attr;
	union ib_gid sgid;

	if (!arrival->has_grh || !(rdma_ah_get_ah_flags(attr) & IB_AH_GRH))
		return true;
	if (arrival->network == RDMA_NETWORK_IPV4)
		ipv6_addr_set_v4mapped(arrival->grh.roce4grh.saddr, (struct in6_addr *)&sgid);
	else
		sgid = arrival->grh.ibgrh.sgid;
	return !memcmp(&sgid, &rdma_ah_read_grh(attr)->dgid, sizeof(sgid));
}

static bool pkey_fits(struct fab_qp *qp, u16 pkey)
{
	/* QP 0 has none; QP 1 takes each of the port's, which the port has checked. */
	if (qp->type == IB_QPT_SMI || qp->type == IB_QPT_GSI)
		return true;
	if (qp->port_events != atomic_read(&qp->hca->engine.port_events))
		fab_qp_look_up_pkey(qp);
	if (fab_pkeys_match(qp->pkey, pkey))
		return true;
	fab_count(qp->hca, FAB_BAD_PKEY);
	if (qp->hca->net->violation)
		qp->hca->net->violation(qp->hca, FAB_VIOLATION_PKEY);
	return false;
}

/**
 * fab_engine_accepts() - may this QP have this packet?
 * @qp: QP
 * @in: packet
 *
 * Return: whether its state, service and partition allow it.
 */
bool fab_engine_accepts(struct fab_qp *qp, const struct fab_incoming *in)
{
	return may_receive(qp) && service_fits(qp, in) &&
	       pkey_fits(qp, be16_to_cpu(in->bth->pkey));
}

/* A packet for one QP; true: it was kept. */
static bool dispatch(struct fab_hca *hca, struct fab_qp *qp, struct fab_incoming *in)
{
	if (!qp || !fab_engine_accepts(qp, in)) {
		fab_count(hca, FAB_RCVD_DROPPED);
		return false;
	}
	qp->rx_packets++;
	if (qp->type != IB_QPT_RC && qp->type != IB_QPT_UC) {
		fab_ud_receive(qp, in);
		return false;
	}
	if (!from_peer(qp, in->arrival)) {
		fab_count(hca, FAB_RCVD_DROPPED);
		return false;
	}
	if (in->arrival->congested && hca->net->cnp)
		hca->net->cnp(hca, in->arrival, qp->attr.dest_qp_num);
	if (in->op->mask & FAB_OP_REQUEST)
		return fab_rc_request(qp, in);
	fab_rc_answer(qp, in);
	return false;
}

void fab_hca_receive(struct fab_hca *hca, struct fab_packet *packet,
		     const struct fab_arrival *arrival)
{
	struct fab_incoming in = { .arrival = arrival };
	u32 qpn;

	fab_count(hca, FAB_RCVD_PKTS);
	if (!fab_incoming_parse(packet, &in)) {
		fab_count(hca, FAB_RCVD_DROPPED);
		fab_packet_free(packet);
		return;
	}
	qpn = fab_bth_qpn(in.bth);
	if (qpn == IB_MULTICAST_QPN)
		fab_mcast_receive(hca, &in);
	/* QP 0 and VL15 belong together: no data packet reaches QP 0 (C10-127). */
	else if (arrival->vl15 != (qpn == 0))
		fab_count(hca, FAB_RCVD_DROPPED);
	else if (dispatch(hca, xa_load(&hca->qps, qpn), &in))
		return;
	fab_packet_free(packet);
}

/**
 * fab_engine_init() - make the engine of an HCA
 * @hca: HCA
 *
 * Context: caller's, before anything can be posted or arrive.
 */
void fab_engine_init(struct fab_hca *hca)
{
	INIT_LIST_HEAD(&hca->ready);
	INIT_LIST_HEAD(&hca->mcast);
	hca->engine.held_back = false;
	fab_event_init(&hca->engine.turn, turn);
}

static void call_exit(void *arg)
{
	struct fab_hca *hca = arg;

	fab_event_cancel(&hca->engine.turn);
}

/**
 * fab_engine_exit() - stop the engine of an HCA
 * @hca: HCA without QPs
 *
 * Context: caller's, process context.
 */
void fab_engine_exit(struct fab_hca *hca)
{
	WARN_ON(!list_empty(&hca->ready) || !list_empty(&hca->mcast));
	fab_call(call_exit, hca);
}
