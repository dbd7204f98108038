// SPDX-License-Identifier: GPL-2.0
/*
 * What the responder sends: READ responses, answers of atomics, ACKs and NAKs
 * (InfiniBand volume 1, 9.7.5).
 *
 * Answers leave in the order of the requests. An acknowledgment of PSN n says
 * that everything before n is done too; so it may only follow the data of READs
 * before n, and needs to be sent only once for many packets. A NAK stands in the
 * same place.
 */
#include "engine.h"
#include "psn.h"

static void fill_aeth(struct fab_packet *packet, u8 syndrome, u32 msn)
{
	struct fab_aeth *aeth = (struct fab_aeth *)(packet->skb->data + sizeof(struct fab_bth));

	aeth->syndrome_msn = cpu_to_be32(syndrome << 24 | msn);
}

static u8 read_opcode(const struct fab_answer *answer)
{
	bool first = answer->next == answer->begin, last = answer->next == answer->stop;

	if (first && last)
		return IB_OPCODE_RDMA_READ_RESPONSE_ONLY;
	if (first)
		return IB_OPCODE_RDMA_READ_RESPONSE_FIRST;
	return last ? IB_OPCODE_RDMA_READ_RESPONSE_LAST : IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE;
}

static void answer_done(struct fab_responder *resp, struct fab_answer *answer)
{
	answer->active = false;
	resp->n_active--;
}

/* The memory went away while it was being read. */
static enum fab_turn read_failed(struct fab_qp *qp, const struct fab_answer *answer)
{
	struct fab_responder *resp = &qp->resp;
	u32 i;

	resp->nak = FAB_NAK_ACCESS;
	resp->nak_psn = answer->next;
	resp->dying = true;
	resp->event = IB_EVENT_QP_ACCESS_ERR;
	for (i = 0; i < FAB_MAX_RD_ATOMIC; i++)
		resp->answers[i].active = false;
	resp->n_active = 0;
	return FAB_TURN_WORKED;
}

static enum fab_turn send_read(struct fab_qp *qp, struct fab_answer *answer)
{
	u8 opcode = read_opcode(answer);
	const struct fab_opcode *op = &fab_opcodes[opcode];
	u32 length = min(answer->left, qp->mtu);
	struct fab_packet *packet;
	struct fab_mr *mr = NULL;
	struct fab_bth bth;

	if (length) {
		mr = fab_mem_remote(qp, answer->rkey, answer->va, length, IB_ACCESS_REMOTE_READ);
		if (!mr)
			return read_failed(qp, answer);
	}
	packet = fab_engine_packet(qp, op->length, length);
	if (!packet)
		return FAB_TURN_NO_MEMORY;
	if (op->mask & FAB_OP_AETH)
		fill_aeth(packet, FAB_SYN_ACK | FAB_SYN_NO_CREDIT, answer->msn);
	if (length) {
		/* A copy: the program may write there as soon as it likes. */
		fab_mem_mr_get(mr, answer->va, length, packet->skb);
		fab_count_add(qp->hca, FAB_COPIED_BYTES, length);
	}
	bth = fab_bth_make(opcode, qp->pkey, qp->attr.dest_qp_num, answer->next, false, false);
	answer->va += length;
	answer->left -= length;
	if (answer->next == answer->stop)
		answer_done(&qp->resp, answer);
	answer->next = fab_psn_add(answer->next, 1);
	fab_engine_send(qp, &qp->path, packet, &bth);
	return FAB_TURN_WORKED;
}

static enum fab_turn send_atomic(struct fab_qp *qp, struct fab_answer *answer)
{
	u32 header = fab_opcodes[IB_OPCODE_ATOMIC_ACKNOWLEDGE].length;
	struct fab_packet *packet = fab_engine_packet(qp, header, 0);
	struct fab_atomic_ack_eth *ack;
	struct fab_bth bth;

	if (!packet)
		return FAB_TURN_NO_MEMORY;
	fill_aeth(packet, FAB_SYN_ACK | FAB_SYN_NO_CREDIT, answer->msn);
	ack = (struct fab_atomic_ack_eth *)(packet->skb->data + header - sizeof(*ack));
	ack->original = cpu_to_be64(answer->value);
	bth = fab_bth_make(IB_OPCODE_ATOMIC_ACKNOWLEDGE, qp->pkey, qp->attr.dest_qp_num,
			   answer->first, false, false);
	answer_done(&qp->resp, answer);
	fab_engine_send(qp, &qp->path, packet, &bth);
	return FAB_TURN_WORKED;
}

/* The oldest request that is still to be answered with data. */
static struct fab_answer *oldest(struct fab_responder *resp)
{
	struct fab_answer *answer;
	u32 i;

	for (i = 0; i < FAB_MAX_RD_ATOMIC; i++) {
		answer = &resp->answers[(resp->answer_tail + i) % FAB_MAX_RD_ATOMIC];
		if (answer->active)
			return answer;
	}
	return NULL;
}

/* An ACK of the last packet carried out, or a NAK. */
static enum fab_turn send_ack(struct fab_qp *qp)
{
	struct fab_responder *resp = &qp->resp;
	u8 syndrome = resp->nak ?: FAB_SYN_ACK | FAB_SYN_NO_CREDIT;
	u32 psn = resp->nak ? resp->nak_psn : fab_psn_add(resp->psn, -1);
	struct fab_packet *packet;
	struct fab_bth bth;

	packet = fab_engine_packet(qp, fab_opcodes[IB_OPCODE_ACKNOWLEDGE].length, 0);
	if (!packet)
		return FAB_TURN_NO_MEMORY;
	fill_aeth(packet, syndrome, resp->msn);
	bth = fab_bth_make(IB_OPCODE_ACKNOWLEDGE, qp->pkey, qp->attr.dest_qp_num, psn, false,
			   false);
	resp->nak = 0;
	resp->ack = false;
	fab_engine_send(qp, &qp->path, packet, &bth);
	if (resp->dying)
		fab_qp_fatal(qp, resp->event);
	return FAB_TURN_WORKED;
}

/**
 * fab_rc_answer_turn() - a turn of a responder: one packet
 * @qp: RC QP that may receive
 *
 * Return: whether there may be more.
 */
enum fab_turn fab_rc_answer_turn(struct fab_qp *qp)
{
	struct fab_responder *resp = &qp->resp;
	struct fab_answer *answer;

	if (resp->n_active) {
		answer = oldest(resp);
		if (WARN_ON_ONCE(!answer)) {
			resp->n_active = 0;
			return FAB_TURN_IDLE;
		}
		return answer->kind == FAB_ANSWER_READ ? send_read(qp, answer) :
							 send_atomic(qp, answer);
	}
	return resp->ack || resp->nak ? send_ack(qp) : FAB_TURN_IDLE;
}

/**
 * fab_rc_settle() - before a QP forgets: acknowledge what it has carried out
 * @qp: QP that is about to leave its state
 *
 * Its program has seen the completion of the last message and may end the QP at once,
 * before its turn: without this the far end would wait for that answer in vain, and
 * report an error for a message that has arrived.
 */
void fab_rc_settle(struct fab_qp *qp)
{
	const struct fab_responder *resp = &qp->resp;

	if (qp->type != IB_QPT_RC || qp->state == IB_QPS_RESET || qp->state == IB_QPS_INIT ||
	    qp->state == IB_QPS_ERR)
		return;
	/* An answer with data comes first, and it is lost: then so is the acknowledgment. */
	if (resp->ack && !resp->nak && !resp->n_active && !resp->dying)
		send_ack(qp);
}
