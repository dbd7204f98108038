// SPDX-License-Identifier: GPL-2.0
/*
 * Management datagrams in packets: at port 0 of switches, and at ghost hosts.
 *
 * A MAD is 256 bytes, sent as an unreliable datagram: to QP 0 on VL15 for subnet
 * management (SMP; no partition, no Q_Key, no GRH: vol 1, 13.5.1, 3.5), to QP 1 as
 * ordinary data for everything else (GMP). A switch has no HCA; its port 0 takes
 * them apart and makes them here. What its own agents (sma.c, pma.c) do not answer
 * goes to the agent that lives there: the subnet manager, if there is one.
 *
 *	packet in -> directed route? (smi.c) -> agent answers -> the same way back
 */
#include "internal.h"

#define MAD_PACKET_ROOM	(sizeof(struct fab_mad_headers) + sizeof(struct ib_mad))
#define HOP_LIMIT	1

static_assert(sizeof(struct ib_mad) == 256);
static_assert(sizeof(struct ib_smp) == 256);

static void put_transport(struct sk_buff *skb, const struct ib_mad *mad,
			  const struct fab_ib_mad_addr *to, u32 src_qp)
{
	struct fab_mad_headers *headers = skb_put(skb, sizeof(*headers));

	*headers = (struct fab_mad_headers) {
		.opcode = FAB_OPCODE_UD_SEND_ONLY,
		.pkey = cpu_to_be16(to->pkey ?: IB_DEFAULT_PKEY_FULL),
		.dest_qp = cpu_to_be32(to->qpn & FAB_QP_MASK),
		.qkey = cpu_to_be32(to->qkey),
		.src_qp = cpu_to_be32(src_qp),
	};
	skb_put_data(skb, mad, sizeof(*mad));
}

static void put_grh(struct sk_buff *skb, const struct ib_grh *from)
{
	struct ib_grh *grh = skb_push(skb, sizeof(*grh));

	*grh = *from;
	grh->version_tclass_flow = cpu_to_be32(FAB_GRH_VERSION << 28 |
					       (be32_to_cpu(from->version_tclass_flow) &
						0xfffffff));
	/* From behind the GRH to the ICRC, which belongs to it (8.3.1). */
	grh->paylen = cpu_to_be16(MAD_PACKET_ROOM + 4);
	grh->next_hdr = FAB_GRH_NEXT_HEADER;
}

/**
 * fab_ib_mad_packet() - a packet with a MAD in it
 * @mad: MAD; copied
 * @to: where to: LID, SL, QP, GRH (as it is to be sent)
 * @slid: from which LID
 * @src_qp: 0 or 1
 *
 * Context: fabric thread.
 * Return: the packet; NULL if there is no memory.
 */
struct fab_packet *fab_ib_mad_packet(const struct ib_mad *mad, const struct fab_ib_mad_addr *to,
				     u16 slid, u32 src_qp)
{
	struct fab_packet *packet = fab_packet_create_rdma(MAD_PACKET_ROOM);
	struct fab_lrh *lrh;

	if (!packet)
		return NULL;
	put_transport(packet->skb, mad, to, src_qp);
	if (to->has_grh)
		put_grh(packet->skb, &to->grh);
	lrh = skb_push(packet->skb, sizeof(*lrh));
	*lrh = (struct fab_lrh) {
		.sl_lnh = to->sl << 4 | (to->has_grh ? FAB_LNH_GLOBAL : FAB_LNH_LOCAL),
		.dlid = cpu_to_be16(to->lid),
		.slid = cpu_to_be16(slid),
	};
	packet->tail = FAB_IB_TAIL;
	packet->len = packet->skb->len + FAB_IB_TAIL;
	lrh->len = cpu_to_be16((packet->len - 2) / 4);
	fab_ib_cb(packet)->hold = NULL;
	return packet;
}

/**
 * fab_ib_mad_parse() - the MAD in a packet
 * @packet: a packet that fab_ib_port_takes() has looked at
 * @mad: filled in
 * @from: filled in: where it came from
 * @qpn: to which QP: 0 or 1
 *
 * Context: fabric thread.
 * Return: false if it is no MAD.
 */
bool fab_ib_mad_parse(struct fab_packet *packet, struct ib_mad *mad, struct fab_ib_mad_addr *from,
		      u32 *qpn)
{
	const struct fab_lrh *lrh = fab_ib_lrh(packet);
	unsigned int at = fab_lrh_headers(lrh);
	struct fab_mad_headers headers;
	bool smp;

	if (packet->skb->len != at + MAD_PACKET_ROOM ||
	    skb_copy_bits(packet->skb, at, &headers, sizeof(headers)) ||
	    skb_copy_bits(packet->skb, at + sizeof(headers), mad, sizeof(*mad)))
		return false;
	*qpn = be32_to_cpu(headers.dest_qp) & FAB_QP_MASK;
	smp = mad->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
	      mad->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	if (headers.opcode != FAB_OPCODE_UD_SEND_ONLY || *qpn > 1 || smp != !*qpn ||
	    smp != (fab_lrh_vl(lrh) == FAB_IB_VL15) ||
	    mad->mad_hdr.base_version != IB_MGMT_BASE_VERSION)
		return false;
	*from = (struct fab_ib_mad_addr) {
		.lid = be16_to_cpu(lrh->slid),
		.dlid = be16_to_cpu(lrh->dlid),
		.sl = fab_lrh_sl(lrh),
		.qpn = be32_to_cpu(headers.src_qp) & FAB_QP_MASK,
		.qkey = be32_to_cpu(headers.qkey),
		.pkey = be16_to_cpu(headers.pkey),
		.has_grh = fab_lrh_lnh(lrh) == FAB_LNH_GLOBAL,
	};
	if (from->has_grh)
		memcpy(&from->grh, packet->skb->data + sizeof(*lrh), sizeof(from->grh));
	return true;
}

/* Is a GMP for us? It needs the well-known Q_Key and one of our partitions (10.2.4, 10.9). */
static bool may_enter(struct fab_ib_port *ibp, const struct fab_ib_mad_addr *from)
{
	bool pkey = fab_ib_pkey_ok(ibp, from->pkey);

	if (pkey && from->qkey == IB_QP1_QKEY)
		return true;
	fab_ib_port_violation(ibp, !pkey);
	return false;
}

/* Turn a GRH round for the answer. */
static void turn_grh(struct ib_grh *grh)
{
	swap(grh->sgid, grh->dgid);
	grh->hop_limit = HOP_LIMIT;
}

static struct fab_ib_mad_addr answer_to(const struct fab_ib_mad_addr *from)
{
	struct fab_ib_mad_addr to = *from;

	turn_grh(&to.grh);
	return to;
}

static bool is_directed(const struct ib_smp *smp)
{
	return smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

/* Out of port 0, by LID; a packet to the switch itself comes back at the end of the turn. */
static bool send_to_lid(struct fab_ib_switch *sw, const struct ib_mad *mad,
			const struct fab_ib_mad_addr *to, u32 qpn)
{
	u16 lid = fab_ib_lid(fab_ib_port0(sw));
	struct fab_packet *packet = fab_ib_mad_packet(mad, to, lid, qpn);

	if (!packet)
		return false;
	if (!qpn)
		fab_lrh_set_vl(fab_ib_lrh(packet), FAB_IB_VL15);
	return fab_ib_switch_out(sw, 0, packet);
}

/* A directed-route SMP out of a port, between neighbours: no LIDs. */
static bool send_to_port(struct fab_ib_switch *sw, const struct ib_smp *smp, u16 out)
{
	const struct fab_ib_mad_addr to = { .lid = FAB_IB_PERMISSIVE };
	struct fab_ib_port *ibp = fab_ib_port_at(&sw->ibn, out);
	struct fab_packet *packet;

	if (fab_ib_state(ibp) < IB_PORT_INIT)
		return false;
	packet = fab_ib_mad_packet((const struct ib_mad *)smp, &to, FAB_IB_PERMISSIVE, 0);
	if (!packet)
		return false;
	fab_ib_egress_add(ibp, packet, FAB_IB_VL15);
	return true;
}

/* To ourselves: a packet in port 0's loop. */
static bool send_to_self(struct fab_ib_switch *sw, const struct ib_smp *smp)
{
	const struct fab_ib_mad_addr to = { .lid = FAB_IB_PERMISSIVE };
	struct fab_packet *packet;

	packet = fab_ib_mad_packet((const struct ib_mad *)smp, &to, FAB_IB_PERMISSIVE, 0);
	if (!packet)
		return false;
	fab_lrh_set_vl(fab_ib_lrh(packet), FAB_IB_VL15);
	fab_ib_loop_add(fab_ib_port0(sw), packet);
	return true;
}

static bool send_directed(struct fab_ib_switch *sw, const struct ib_smp *smp,
			  enum fab_smi_verdict verdict, u16 out)
{
	const struct fab_ib_mad_addr to = { .lid = out };

	switch (verdict) {
	case FAB_SMI_PORT:
		return send_to_port(sw, smp, out);
	case FAB_SMI_LID:
		return send_to_lid(sw, (const struct ib_mad *)smp, &to, 0);
	case FAB_SMI_LOCAL:
		return send_to_self(sw, smp);
	default:
		return false;
	}
}

/**
 * fab_ib_send_smp() - send an SMP from port 0 of a switch
 * @sw: switch
 * @smp: SMP; copied
 * @to: its LID, if it is not directed
 *
 * Context: fabric thread.
 * Return: false if it could not go.
 */
bool fab_ib_send_smp(struct fab_ib_switch *sw, const struct ib_smp *smp,
		     const struct fab_ib_mad_addr *to)
{
	struct fab_ib_mad_addr plain = { .lid = to ? to->lid : FAB_IB_PERMISSIVE };
	struct ib_smp copy = *smp;
	enum fab_smi_verdict verdict;
	u16 out = 0;

	if (!is_directed(smp))
		return send_to_lid(sw, (const struct ib_mad *)smp, &plain, 0);
	copy.dr_slid = cpu_to_be16(FAB_IB_PERMISSIVE);
	copy.dr_dlid = cpu_to_be16(FAB_IB_PERMISSIVE);
	/* A route of no hops: straight to our own agent, which moves the pointer itself. */
	if (!copy.hop_cnt)
		return send_to_self(sw, &copy);
	verdict = fab_smi_route(&copy, true, 0, sw->ibn.n_ports, &out);
	return send_directed(sw, &copy, verdict, out);
}

/**
 * fab_ib_reply_smp() - answer an SMP that was handed to the agent
 * @sw: switch
 * @smp: as it came, with data and status of the answer
 * @from: as it came
 *
 * Context: fabric thread.
 * Return: false if it could not go.
 */
bool fab_ib_reply_smp(struct fab_ib_switch *sw, struct ib_smp *smp,
		      const struct fab_ib_mad_addr *from)
{
	struct fab_ib_mad_addr to = { .lid = from->lid };
	enum fab_smi_verdict verdict;
	u16 out = 0;

	smp->method = IB_MGMT_METHOD_GET_RESP;
	if (!is_directed(smp))
		return send_to_lid(sw, (const struct ib_mad *)smp, &to, 0);
	smp->status |= IB_SMP_DIRECTION;
	/* The directed part ended before us: back to the switch where it did. */
	if (from->lid != FAB_IB_PERMISSIVE && smp->hop_ptr == smp->hop_cnt + 1 &&
	    smp->dr_dlid != cpu_to_be16(FAB_IB_PERMISSIVE))
		return send_to_lid(sw, (const struct ib_mad *)smp, &to, 0);
	/* A route of no hops came from ourselves, or from the LID in front of it. */
	verdict = fab_smi_route(smp, true, 0, sw->ibn.n_ports, &out);
	return send_directed(sw, smp, verdict, out);
}

/**
 * fab_ib_send_gmp() - send a MAD to QP 1 somewhere, from port 0 of a switch
 * @sw: switch
 * @mad: MAD; copied
 * @to: where to
 *
 * Context: fabric thread.
 * Return: false if it could not go.
 */
bool fab_ib_send_gmp(struct fab_ib_switch *sw, const struct ib_mad *mad,
		     const struct fab_ib_mad_addr *to)
{
	return send_to_lid(sw, mad, to, 1);
}

/**
 * fab_ib_reply_gmp() - answer a GMP
 * @sw: switch
 * @mad: as it came, with data and status of the answer; a method that is no answer yet
 *	becomes GetResp (0x81), or the method that the caller has set stays
 * @from: as it came
 *
 * Context: fabric thread.
 * Return: false if it could not go.
 */
bool fab_ib_reply_gmp(struct fab_ib_switch *sw, struct ib_mad *mad,
		      const struct fab_ib_mad_addr *from)
{
	struct fab_ib_mad_addr to = answer_to(from);

	if (!(mad->mad_hdr.method & IB_MGMT_METHOD_RESP))
		mad->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	return send_to_lid(sw, mad, &to, 1);
}

static void lost(struct fab_ib_switch *sw)
{
	WRITE_ONCE(sw->stats.mads_lost, sw->stats.mads_lost + 1);
}

/* An SMP is for this switch: its agent, or its manager. */
static void take_smp(struct fab_ib_switch *sw, struct ib_smp *smp,
		     const struct fab_ib_mad_addr *from)
{
	switch (fab_sma_answer(&sw->ibn, from->port, smp, false)) {
	case FAB_IB_REPLY:
		fab_ib_reply_smp(sw, smp, from);
		break;
	case FAB_IB_NOT_MINE:
		if (sw->agent)
			sw->agent->smp(sw->agent, smp, from);
		else
			lost(sw);
		break;
	case FAB_IB_CONSUMED:
		break;
	}
}

static void take_gmp(struct fab_ib_switch *sw, struct ib_mad *mad,
		     const struct fab_ib_mad_addr *from)
{
	if (!may_enter(fab_ib_port0(sw), from))
		return;
	switch (fab_pma_answer(&sw->ibn, mad)) {
	case FAB_IB_REPLY:
		fab_ib_reply_gmp(sw, mad, from);
		break;
	case FAB_IB_NOT_MINE:
		if (sw->agent)
			sw->agent->gmp(sw->agent, mad, from);
		else
			lost(sw);
		break;
	case FAB_IB_CONSUMED:
		break;
	}
}

static void switch_directed(struct fab_ib_switch *sw, struct ib_smp *smp,
			    const struct fab_ib_mad_addr *from)
{
	enum fab_smi_verdict verdict;
	u16 out = 0;

	verdict = fab_smi_route(smp, true, from->port, sw->ibn.n_ports, &out);
	if (verdict == FAB_SMI_LOCAL)
		take_smp(sw, smp, from);
	else if (!send_directed(sw, smp, verdict, out))
		lost(sw);
}

/**
 * fab_ib_switch_mad() - a packet is for port 0 of a switch
 * @sw: switch
 * @in: port that it came in by; 0: the switch sent it to itself
 * @packet: packet; consumed
 *
 * Context: fabric thread.
 */
void fab_ib_switch_mad(struct fab_ib_switch *sw, u8 in, struct fab_packet *packet)
{
	struct fab_ib_mad_addr from;
	struct ib_mad mad;
	u32 qpn;
	bool good = fab_ib_mad_parse(packet, &mad, &from, &qpn);
	struct ib_smp *smp = (struct ib_smp *)&mad;

	fab_ib_release(packet);
	fab_packet_free(packet);
	if (!good) {
		lost(sw);
		return;
	}
	from.port = in;
	if (qpn) {
		take_gmp(sw, &mad, &from);
		return;
	}
	WRITE_ONCE(sw->stats.smps, sw->stats.smps + 1);
	if (is_directed(smp))
		switch_directed(sw, smp, &from);
	else
		take_smp(sw, smp, &from);
}

static void ghost_send(struct fab_ib_port *ibp, const struct ib_mad *mad,
		       const struct fab_ib_mad_addr *to, u32 qpn)
{
	u16 slid = to->lid == FAB_IB_PERMISSIVE ? FAB_IB_PERMISSIVE : fab_ib_lid(ibp);
	struct fab_packet *packet = fab_ib_mad_packet(mad, to, slid, qpn);
	u8 vl = qpn ? fab_ib_data_vl(ibp, 0, to->sl) : FAB_IB_VL15;

	if (packet)
		fab_ib_egress_add(ibp, packet, vl);
}

static void ghost_smp(struct fab_ib_port *ibp, struct ib_smp *smp,
		      const struct fab_ib_mad_addr *from)
{
	struct fab_ib_mad_addr to = { .lid = from->lid };
	u16 out = 0;

	if (is_directed(smp) && fab_smi_route(smp, false, ibp->num, 1, &out) != FAB_SMI_LOCAL)
		return;
	if (fab_sma_answer(ibp->ibn, ibp->num, smp, false) != FAB_IB_REPLY)
		return;
	if (is_directed(smp)) {
		smp->status |= IB_SMP_DIRECTION;
		smp->hop_ptr--;
	}
	ghost_send(ibp, (const struct ib_mad *)smp, &to, 0);
}

/**
 * fab_ib_ghost_mad() - a packet is for a host without an HCA
 * @ibp: its port
 * @packet: packet; consumed
 *
 * It answers for its agents like any other; nothing else is there.
 *
 * Context: fabric thread.
 */
void fab_ib_ghost_mad(struct fab_ib_port *ibp, struct fab_packet *packet)
{
	struct fab_ib_mad_addr from, to;
	struct ib_mad mad;
	u32 qpn;
	bool good = fab_ib_mad_parse(packet, &mad, &from, &qpn);

	fab_ib_release(packet);
	fab_packet_free(packet);
	if (!good)
		return;
	if (!qpn) {
		ghost_smp(ibp, (struct ib_smp *)&mad, &from);
		return;
	}
	if (!may_enter(ibp, &from) || fab_pma_answer(ibp->ibn, &mad) != FAB_IB_REPLY)
		return;
	to = answer_to(&from);
	ghost_send(ibp, &mad, &to, 1);
}
