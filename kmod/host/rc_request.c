// SPDX-License-Identifier: GPL-2.0
/*
 * The requester: cuts send work requests into packets (InfiniBand volume 1, 9.7).
 *
 * Each packet has a sequence number (PSN), the next one after its predecessor's.
 * A READ takes as many numbers as its answer will have packets, though it is only
 * one packet itself. A packet is made from its work request and its index in it
 * and from nothing else, so that resending is just making it again: a retry sets
 * @next and @index back to the PSN from which on all is sent once more
 * (go-back-N), or notes the one PSN that is missing (selective repeat).
 *
 * A turn makes one packet, or does one thing without a packet. What it may have
 * to wait for: an answer (window, READ depth, fence), the RNR timer, the port.
 * Whoever ends such a wait calls fab_qp_ready().
 *
 * An unreliable connection (UC) goes the same way, but a request is finished with
 * its last packet: nobody answers.
 */
#include "engine.h"
#include "psn.h"

/* READs may run ahead of the window, since their packets come from the far end. */
#define READ_WINDOW	(FAB_PSN_MASK / 2)

/* The packets of a message, by the kind of work request. */
static const struct {
	u8 first, middle, last, only;
} send_opcodes[] = {
	[IB_WR_SEND] = {
		IB_OPCODE_SEND_FIRST, IB_OPCODE_SEND_MIDDLE,
		IB_OPCODE_SEND_LAST, IB_OPCODE_SEND_ONLY,
	},
	[IB_WR_SEND_WITH_IMM] = {
		IB_OPCODE_SEND_FIRST, IB_OPCODE_SEND_MIDDLE,
		IB_OPCODE_SEND_LAST_WITH_IMMEDIATE, IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE,
	},
	[IB_WR_SEND_WITH_INV] = {
		IB_OPCODE_SEND_FIRST, IB_OPCODE_SEND_MIDDLE,
		IB_OPCODE_SEND_LAST_WITH_INVALIDATE, IB_OPCODE_SEND_ONLY_WITH_INVALIDATE,
	},
	[IB_WR_RDMA_WRITE] = {
		IB_OPCODE_RDMA_WRITE_FIRST, IB_OPCODE_RDMA_WRITE_MIDDLE,
		IB_OPCODE_RDMA_WRITE_LAST, IB_OPCODE_RDMA_WRITE_ONLY,
	},
	[IB_WR_RDMA_WRITE_WITH_IMM] = {
		IB_OPCODE_RDMA_WRITE_FIRST, IB_OPCODE_RDMA_WRITE_MIDDLE,
		IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE,
		IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE,
	},
	[IB_WR_RDMA_READ] = { .only = IB_OPCODE_RDMA_READ_REQUEST },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { .only = IB_OPCODE_COMPARE_SWAP },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { .only = IB_OPCODE_FETCH_ADD },
};

static void fail(struct fab_qp *qp, struct fab_sqe *sqe, enum ib_wc_status status)
{
	sqe->finished = true;
	sqe->status = status;
	fab_sqe_retire(qp);
}

static void next_request(struct fab_requester *req)
{
	req->next++;
	req->index = 0;
}

/* Give a request that was just taken its PSNs. */
static void number(struct fab_qp *qp, struct fab_sqe *sqe)
{
	struct fab_requester *req = &qp->req;

	if (!sqe->finished && sqe->wr.opcode != IB_WR_LOCAL_INV && sqe->wr.opcode != IB_WR_REG_MR)
		sqe->packets = fab_psn_packets(sqe->wr.length, qp->mtu);
	sqe->first = req->psn;
	sqe->last = fab_psn_add(req->psn, sqe->packets - 1);
	req->psn = fab_psn_add(req->psn, sqe->packets);
}

/* The request whose turn it is, perhaps one of those taken before; or a new one. */
static struct fab_sqe *current_request(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;
	struct fab_sqe *sqe;

	for (;;) {
		if (req->next == req->tail) {
			if (qp->state == IB_QPS_SQD)
				return NULL;
			sqe = fab_sqe_take(qp);
			if (!sqe)
				return NULL;
			number(qp, sqe);
		}
		sqe = fab_sqe_at(qp, req->next);
		if (!sqe->finished || sqe->status != IB_WC_SUCCESS)
			return sqe;
		next_request(req);
	}
}

/* REG_MR and LOCAL_INV: done here and now. False: wait. */
static bool do_local(struct fab_qp *qp, struct fab_sqe *sqe)
{
	struct fab_requester *req = &qp->req;
	bool done;

	/* What was sent before may have to be sent again: the region is needed until then. */
	if (sqe->wr.opcode == IB_WR_LOCAL_INV && req->head != req->next)
		return false;
	done = sqe->wr.opcode == IB_WR_REG_MR ?
		fab_mem_register(qp, &sqe->wr) :
		fab_mem_invalidate(qp, sqe->wr.invalidate_rkey, false);
	fail(qp, sqe, done ? IB_WC_SUCCESS : IB_WC_MW_BIND_ERR);
	return true;
}

/* May a READ or atomic begin? At most so many of them are on their way (9.7.3.1). */
static bool read_may_start(struct fab_qp *qp, const struct fab_sqe *sqe)
{
	const struct fab_requester *req = &qp->req;

	return req->n_rd < qp->attr.max_rd_atomic &&
	       fab_psn_add(sqe->last, -req->una) < READ_WINDOW;
}

/* Checks before the first packet. False: it waits, or has failed. */
static bool start(struct fab_qp *qp, struct fab_sqe *sqe)
{
	struct fab_memory mem = fab_mem_send(qp, &sqe->wr);
	bool is_read = fab_sqe_is_read(sqe);

	/* A fence waits for READs and atomics before it (10.8.3.3). */
	if (sqe->wr.flags & IB_SEND_FENCE && qp->req.n_rd)
		return false;
	if (is_read && !qp->attr.max_rd_atomic) {
		fail(qp, sqe, IB_WC_LOC_QP_OP_ERR);
		return false;
	}
	if (is_read && !read_may_start(qp, sqe))
		return false;
	if (!fab_mem_valid(&mem, is_read ? IB_ACCESS_LOCAL_WRITE : 0)) {
		fail(qp, sqe, IB_WC_LOC_PROT_ERR);
		return false;
	}
	fab_qp_look_up_pkey(qp);
	sqe->started = true;
	qp->req.n_rd += is_read;
	return true;
}

static u8 opcode_of(const struct fab_qp *qp, const struct fab_sqe *sqe, u32 index)
{
	bool first = !index, last = index == sqe->packets - 1;
	u8 op;

	if ((first && last) || fab_sqe_is_read(sqe))
		op = send_opcodes[sqe->wr.opcode].only;
	else if (first)
		op = send_opcodes[sqe->wr.opcode].first;
	else if (last)
		op = send_opcodes[sqe->wr.opcode].last;
	else
		op = send_opcodes[sqe->wr.opcode].middle;
	return op | (qp->type == IB_QPT_UC ? IB_OPCODE_UC : IB_OPCODE_RC);
}

/* What follows the BTH. */
static void fill_headers(const struct fab_sqe *sqe, u8 *at, u16 mask, u32 offset)
{
	const struct fab_send_wr *wr = &sqe->wr;

	if (mask & FAB_OP_RETH) {
		*(struct fab_reth *)at = (struct fab_reth) {
			.va	= cpu_to_be64(wr->remote_addr + offset),
			.rkey	= cpu_to_be32(wr->rkey),
			.length	= cpu_to_be32(wr->length - offset),
		};
		at += sizeof(struct fab_reth);
	}
	if (mask & FAB_OP_ATOMIC) {
		bool swap = wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP;

		*(struct fab_atomic_eth *)at = (struct fab_atomic_eth) {
			.va	 = cpu_to_be64(wr->remote_addr),
			.rkey	 = cpu_to_be32(wr->rkey),
			.swap_add = cpu_to_be64(swap ? wr->swap : wr->compare_add),
			.compare = cpu_to_be64(swap ? wr->compare_add : 0),
		};
	}
	if (mask & FAB_OP_IMM)
		((struct fab_immdt *)at)->data = wr->imm;
	else if (mask & FAB_OP_INV)
		((struct fab_immdt *)at)->data = cpu_to_be32(wr->invalidate_rkey);
}

/* When must the responder say something? */
static bool wants_ack(const struct fab_qp *qp, const struct fab_sqe *sqe, u32 index)
{
	u32 psn = fab_psn_add(sqe->first, index);

	if (qp->type == IB_QPT_UC || fab_sqe_is_read(sqe))
		return false;
	return index == sqe->packets - 1 || index % FAB_ACK_EVERY == FAB_ACK_EVERY - 1 ||
	       fab_psn_diff(psn, qp->req.una) >= FAB_WINDOW - 1;
}

static void count_sent(struct fab_qp *qp, u32 psn, u32 end, u32 length)
{
	struct fab_requester *req = &qp->req;

	if (fab_psn_before(psn, req->sent)) {
		fab_count(qp->hca, FAB_RETRANSMITTED_PKTS);
		qp->retransmitted++;
		fab_count_add(qp->hca, FAB_RETRANSMITTED_BYTES, length);
	}
	if (fab_psn_before(req->sent, end))
		req->sent = end;
}

/* Make packet @index of a request and send it. */
static enum fab_turn emit(struct fab_qp *qp, struct fab_sqe *sqe, u32 index, bool ack_req)
{
	struct fab_memory mem = fab_mem_send(qp, &sqe->wr);
	u8 opcode = opcode_of(qp, sqe, index);
	const struct fab_opcode *op = &fab_opcodes[opcode & 31];
	bool is_read = fab_sqe_is_read(sqe);
	u32 offset = index * qp->mtu;
	u32 length = is_read ? 0 : min(sqe->wr.length - offset, qp->mtu);
	bool by_reference = qp->type == IB_QPT_RC && fab_mem_can_refer(&mem, length);
	u32 psn = fab_psn_add(sqe->first, index);
	struct fab_packet *packet;
	struct fab_bth bth;

	packet = fab_engine_packet(qp, op->length, by_reference ? 0 : length);
	if (!packet)
		return FAB_TURN_NO_MEMORY;
	if (length && !fab_mem_get(&mem, offset, length, packet->skb, by_reference)) {
		fab_packet_free(packet);
		fail(qp, sqe, IB_WC_LOC_PROT_ERR);
		return FAB_TURN_WORKED;
	}
	bth = fab_bth_make(opcode, qp->pkey, qp->attr.dest_qp_num, psn, ack_req,
			   op->mask & FAB_OP_LAST && sqe->wr.flags & IB_SEND_SOLICITED);
	fill_headers(sqe, packet->skb->data + sizeof(bth), op->mask, offset);
	count_sent(qp, psn, fab_psn_add(is_read ? sqe->last : psn, 1), length);
	fab_engine_send(qp, &qp->path, packet, &bth);
	if (qp->type == IB_QPT_RC)
		fab_rc_await(qp);
	return FAB_TURN_WORKED;
}

/* The request that a PSN belongs to, among those that are not answered. */
static bool find(const struct fab_qp *qp, u32 psn, u32 *at)
{
	const struct fab_requester *req = &qp->req;
	const struct fab_sqe *sqe;
	u32 i;

	for (i = req->head; i != req->tail; i++) {
		sqe = fab_sqe_at(qp, i);
		if (sqe->packets && sqe->started && fab_psn_within(psn, sqe->first, sqe->last)) {
			*at = i;
			return true;
		}
	}
	return false;
}

/**
 * fab_rc_go_back() - send everything once more, from a PSN on
 * @qp: QP
 * @psn: PSN
 */
void fab_rc_go_back(struct fab_qp *qp, u32 psn)
{
	struct fab_requester *req = &qp->req;
	u32 i;

	req->n_resend = 0;
	if (!find(qp, psn, &i))
		return;
	req->next = i;
	req->index = fab_psn_diff(psn, fab_sqe_at(qp, i)->first);
	fab_qp_ready(qp);
}

/**
 * fab_rc_resend() - send one packet once more (selective repeat)
 * @qp: QP
 * @psn: its PSN
 */
void fab_rc_resend(struct fab_qp *qp, u32 psn)
{
	struct fab_requester *req = &qp->req;
	u32 i;

	for (i = 0; i < req->n_resend; i++)
		if (req->resend[i] == psn)
			return;
	if (req->n_resend == ARRAY_SIZE(req->resend)) {
		fab_rc_go_back(qp, req->una);
		return;
	}
	req->resend[req->n_resend++] = psn;
	fab_qp_ready(qp);
}

/* One packet that the far end misses. It has to answer, since it may be the last one. */
static enum fab_turn resend_one(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;
	u32 psn = req->resend[0];
	enum fab_turn turn = FAB_TURN_WORKED;
	struct fab_sqe *sqe;
	u32 i;

	if (!fab_psn_before(psn, req->una) && find(qp, psn, &i)) {
		sqe = fab_sqe_at(qp, i);
		if (!sqe->finished)
			turn = emit(qp, sqe, fab_psn_diff(psn, sqe->first), !fab_sqe_is_read(sqe));
	}
	if (turn != FAB_TURN_NO_MEMORY && req->n_resend)
		memmove(req->resend, req->resend + 1, --req->n_resend * sizeof(req->resend[0]));
	return turn;
}

static enum fab_turn send_next(struct fab_qp *qp, struct fab_sqe *sqe)
{
	struct fab_requester *req = &qp->req;
	u32 index = req->index;
	enum fab_turn turn = emit(qp, sqe, index, wants_ack(qp, sqe, index));

	if (turn != FAB_TURN_WORKED || sqe->finished)
		return turn;
	if (fab_sqe_is_read(sqe) || index == sqe->packets - 1) {
		next_request(req);
		if (qp->type == IB_QPT_UC) {
			req->una = req->sent;
			sqe->finished = true;
			fab_sqe_retire(qp);
		}
	} else {
		req->index++;
	}
	return turn;
}

/**
 * fab_rc_request_turn() - a turn of a requester: one packet, or one thing without one
 * @qp: RC or UC QP in RTS or SQD
 *
 * Return: whether there may be more.
 */
enum fab_turn fab_rc_request_turn(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;
	struct fab_sqe *sqe;
	u32 psn;

	if (req->rnr_wait)
		return FAB_TURN_IDLE;
	if (req->n_resend)
		return resend_one(qp);
	sqe = current_request(qp);
	if (!sqe)
		return FAB_TURN_IDLE;
	if (sqe->finished) {
		/* Failed before it began: it completes when all before it have. */
		fab_sqe_retire(qp);
		return FAB_TURN_IDLE;
	}
	if (!sqe->packets)
		return do_local(qp, sqe) ? FAB_TURN_WORKED : FAB_TURN_IDLE;
	if (!sqe->started && !start(qp, sqe))
		return sqe->finished ? FAB_TURN_WORKED : FAB_TURN_IDLE;
	psn = fab_psn_add(sqe->first, req->index);
	if (qp->type == IB_QPT_RC && !fab_sqe_is_read(sqe) &&
	    fab_psn_diff(psn, req->una) >= FAB_WINDOW)
		return FAB_TURN_IDLE;
	return send_next(qp, sqe);
}
