// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable datagrams: UD, and the management QPs 0 and 1 (InfiniBand volume 1, 9.8.3).
 *
 * Every work request names its destination: an address handle, whose headers the
 * network has made, a QP number and a Q_Key. A message is one packet. It is
 * copied when it is made, and the work request completes as soon as it was handed
 * to the network: nobody will ever know whether it arrived.
 *
 * A receive begins with 40 bytes for the global route header, whether there is
 * one or not (11.4.1.2).
 *
 * QP 0 talks to subnet managers: on the management lane, without P_Key and
 * Q_Key. QP 1 talks to all other managers; the Q_Key of both ends is well known.
 */
#include <linux/etherdevice.h>
#include "engine.h"
#include "psn.h"

#define GRH_LEN		sizeof(union rdma_network_hdr)
static_assert(GRH_LEN == 40);

/* Management does not wait for room at the port; with more than this there, bytes, it is lost. */
#define MAD_BACKLOG	(256 * 1024)

/* A work request whose Q_Key has the high bit set means: the QP's own (10.2.5). */
#define QKEY_OWN	0x80000000u

static u32 own_qpn(const struct fab_qp *qp)
{
	switch (qp->type) {
	case IB_QPT_SMI:
		return 0;
	case IB_QPT_GSI:
		return 1;
	default:
		return qp->qpn;
	}
}

static u16 pkey_for(struct fab_qp *qp, const struct fab_send_wr *wr)
{
	u16 pkey;

	if (qp->type == IB_QPT_GSI && !qp->hca->net->query_pkey(qp->hca, wr->pkey_index, &pkey))
		return pkey;
	fab_qp_look_up_pkey(qp);
	return qp->pkey;
}

static enum ib_wc_status check(const struct fab_qp *qp, const struct fab_send_wr *wr,
			       const struct fab_memory *mem)
{
	if ((wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM) || !wr->path ||
	    wr->num_sge > qp->cap.max_send_sge)
		return IB_WC_LOC_QP_OP_ERR;
	if (wr->length > ib_mtu_enum_to_int(qp->hca->net->mtu(qp->hca)))
		return IB_WC_LOC_LEN_ERR;
	return fab_mem_valid(mem, 0) ? IB_WC_SUCCESS : IB_WC_LOC_PROT_ERR;
}

static void transmit(struct fab_qp *qp, const struct fab_send_wr *wr, struct fab_packet *packet)
{
	bool imm = wr->opcode == IB_WR_SEND_WITH_IMM;
	u32 qkey = wr->remote_qkey & QKEY_OWN ? qp->attr.qkey : wr->remote_qkey;
	u8 *at = packet->skb->data + sizeof(struct fab_bth);
	struct fab_bth bth;

	*(struct fab_deth *)at = (struct fab_deth) {
		.qkey = cpu_to_be32(qkey),
		.sqpn = cpu_to_be32(own_qpn(qp)),
	};
	if (imm)
		((struct fab_immdt *)(at + sizeof(struct fab_deth)))->data = wr->imm;
	bth = fab_bth_make(imm ? IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE : IB_OPCODE_UD_SEND_ONLY,
			   pkey_for(qp, wr), wr->remote_qpn & FAB_BTH_24, qp->req.psn, false,
			   wr->flags & IB_SEND_SOLICITED);
	qp->req.psn = fab_psn_add(qp->req.psn, 1);
	fab_engine_send(qp, wr->path, packet, &bth);
}

/* Make the packet and send it; or lose it, as datagrams may be. */
static void emit(struct fab_qp *qp, const struct fab_send_wr *wr, const struct fab_memory *mem)
{
	u32 header = sizeof(struct fab_bth) + sizeof(struct fab_deth) +
		     (wr->opcode == IB_WR_SEND_WITH_IMM ? sizeof(struct fab_immdt) : 0);
	struct fab_packet *packet;

	if (fab_qp_is_management(qp) && qp->hca->net->backlog(qp->hca) > MAD_BACKLOG) {
		fab_count(qp->hca, FAB_MADS_DROPPED);
		return;
	}
	packet = fab_engine_packet(qp, header, wr->length);
	if (packet && fab_mem_get(mem, 0, wr->length, packet->skb, false))
		transmit(qp, wr, packet);
	else if (packet)
		fab_packet_free(packet);
	else
		fab_count(qp->hca, FAB_NO_MEMORY);
}

/* The send queue stops; receiving goes on (10.3.1.7). */
static enum fab_turn failed(struct fab_qp *qp, const struct fab_send_wr *wr,
			    enum ib_wc_status status)
{
	if (qp->state == IB_QPS_RTS)
		WRITE_ONCE(qp->state, IB_QPS_SQE);
	fab_sqe_complete(qp, wr, status);
	return FAB_TURN_WORKED;
}

/**
 * fab_ud_turn() - a turn of a datagram QP: one packet
 * @qp: UD, SMI or GSI QP in RTS or SQD
 *
 * Return: whether there may be more.
 */
enum fab_turn fab_ud_turn(struct fab_qp *qp)
{
	struct fab_send_wr *wr = &qp->hca->engine.wr;
	enum ib_wc_status status;
	struct fab_memory mem;
	int found;

	if (qp->state == IB_QPS_SQD)
		return FAB_TURN_IDLE;
	found = qp->ops->next_send(qp, wr);
	if (!found)
		return FAB_TURN_IDLE;
	if (found < 0)
		return failed(qp, wr, IB_WC_LOC_QP_OP_ERR);
	mem = fab_mem_send(qp, wr);
	status = check(qp, wr, &mem);
	if (status != IB_WC_SUCCESS)
		return failed(qp, wr, status);
	emit(qp, wr, &mem);
	fab_sqe_complete(qp, wr, IB_WC_SUCCESS);
	return FAB_TURN_WORKED;
}

/* The P_Key's place in the table, for QP 1's user. */
static u16 pkey_index(const struct fab_qp *qp, const struct fab_incoming *in)
{
	u16 pkey, i;

	if (qp->type != IB_QPT_GSI)
		return qp->attr.pkey_index;
	for (i = 0; !qp->hca->net->query_pkey(qp->hca, i, &pkey); i++)
		if (fab_pkeys_match(pkey, be16_to_cpu(in->bth->pkey)))
			return i;
	return 0;
}

static void describe(struct fab_qp *qp, const struct fab_incoming *in,
		     struct fab_completion *done)
{
	const struct fab_arrival *arrival = in->arrival;
	const struct fab_deth *deth = fab_incoming_header(in, sizeof(*in->bth));
	const struct fab_immdt *imm;

	done->byte_len = GRH_LEN + in->length;
	done->src_qp = be32_to_cpu(deth->sqpn) & FAB_BTH_24;
	done->slid = arrival->slid;
	done->sl = arrival->sl;
	done->path_bits = arrival->path_bits;
	done->network = arrival->network;
	done->pkey_index = pkey_index(qp, in);
	done->solicited = in->bth->flags & FAB_BTH_SOLICITED;
	ether_addr_copy(done->smac, arrival->smac);
	done->vlan = arrival->vlan;
	if (arrival->has_grh)
		done->wc_flags |= IB_WC_GRH;
	if (in->op->mask & FAB_OP_IMM) {
		imm = fab_incoming_header(in, in->offset - sizeof(*imm));
		done->imm = imm->data;
		done->wc_flags |= IB_WC_WITH_IMM;
	}
}

static bool deliver(struct fab_qp *qp, const struct fab_incoming *in)
{
	struct fab_memory mem = fab_mem_recv(qp, &qp->resp.recv);

	if (in->arrival->has_grh && !fab_mem_put_bytes(&mem, 0, &in->arrival->grh, GRH_LEN))
		return false;
	return fab_mem_put(&mem, GRH_LEN, in->packet->skb, in->offset, in->length);
}

static bool qkey_fits(struct fab_qp *qp, const struct fab_incoming *in)
{
	const struct fab_deth *deth = fab_incoming_header(in, sizeof(*in->bth));

	if (qp->type == IB_QPT_SMI || be32_to_cpu(deth->qkey) == qp->attr.qkey)
		return true;
	fab_count(qp->hca, FAB_BAD_QKEY);
	if (qp->hca->net->violation)
		qp->hca->net->violation(qp->hca, FAB_VIOLATION_QKEY);
	return false;
}

/* A receive to put it into; perhaps one that was taken for a packet that did not fit. */
static int take(struct fab_qp *qp)
{
	struct fab_responder *resp = &qp->resp;
	int found = 1;

	if (!resp->have_recv)
		found = fab_recv_take(qp, &resp->recv);
	resp->have_recv = found;
	return found;
}

/**
 * fab_ud_receive() - a datagram came in
 * @qp: UD, SMI or GSI QP that may have it
 * @in: packet
 *
 * With no receive posted it is lost, silently (9.8.3.1). One that does not fit is an
 * error of the receiver, which should have posted more: the QP stops. But nobody may
 * stop a node's management from afar: there it is lost, too.
 */
void fab_ud_receive(struct fab_qp *qp, const struct fab_incoming *in)
{
	struct fab_completion done = { .opcode = IB_WC_RECV };
	struct fab_responder *resp = &qp->resp;
	bool fits;
	int found;

	if (!qkey_fits(qp, in))
		return;
	found = take(qp);
	fits = found > 0 && resp->recv.length >= GRH_LEN + in->length;
	if (!found || (found > 0 && !fits && fab_qp_is_management(qp))) {
		fab_count(qp->hca, FAB_RCVD_DROPPED);
		return;
	}
	if (found < 0)
		done.status = IB_WC_LOC_QP_OP_ERR;
	else if (!fits)
		done.status = IB_WC_LOC_LEN_ERR;
	else if (!deliver(qp, in))
		done.status = IB_WC_LOC_PROT_ERR;
	describe(qp, in, &done);
	fab_recv_complete(qp, &done);
	if (done.status != IB_WC_SUCCESS)
		fab_qp_fatal(qp, IB_EVENT_QP_FATAL);
}
