// SPDX-License-Identifier: GPL-2.0
/*
 * The responder: requests that come in (InfiniBand volume 1, 9.7.3, 9.7.4).
 *
 * A packet goes through the steps below; each says which is next. In order:
 *
 *	PSN -> OPCODE -> LENGTH -> RESOURCES -> ACCESS -> EXECUTE -> FINISH -> DONE
 *
 * A packet of the PSN expected is carried out. An older one was carried out
 * before and its answer was lost: READs and atomics are answered again, others
 * acknowledged. A newer one means that something is missing: a NAK says which
 * PSN, once, and nothing is taken until that comes; with selective repeat it is
 * kept until then.
 *
 * Nothing is answered here. Answers leave in the QP's turn and in the order of
 * the requests (rc_answer.c), so that acknowledgments of packets that came in
 * together are one.
 *
 * UC: no answers; a message of which anything is missing is forgotten.
 */
#include "engine.h"
#include "psn.h"

enum step {
	STEP_PSN,
	STEP_DUPLICATE,
	STEP_EARLY,
	STEP_OPCODE,
	STEP_LENGTH,
	STEP_RESOURCES,
	STEP_ACCESS,
	STEP_EXECUTE,
	STEP_FINISH,
	STEP_DONE,
	STEP_KEPT,
};

/* What a message in progress is. */
enum { NO_MESSAGE, IN_SEND, IN_WRITE };

static bool is_uc(const struct fab_qp *qp)
{
	return qp->type == IB_QPT_UC;
}

static void acknowledge(struct fab_qp *qp)
{
	if (qp->resp.ack)
		fab_count(qp->hca, FAB_ACK_DEFERRED);
	qp->resp.ack = true;
	fab_qp_ready(qp);
}

static void nak(struct fab_qp *qp, u8 syndrome, u32 psn)
{
	qp->resp.nak = syndrome;
	qp->resp.nak_psn = psn;
	fab_qp_ready(qp);
}

/*
 * The request can never work. A receive in hand completes with @status; the NAK
 * leaves after the answers before it, and then the QP is in the error state. UC
 * forgets the message (9.8.3).
 */
static enum step refuse(struct fab_qp *qp, const struct fab_incoming *in, u8 syndrome,
			enum ib_wc_status status, int event)
{
	struct fab_completion done = { .status = status, .opcode = IB_WC_RECV };
	struct fab_responder *resp = &qp->resp;

	if (is_uc(qp) && status == IB_WC_WR_FLUSH_ERR) {
		resp->drop_message = true;
		resp->op = NO_MESSAGE;
		return STEP_DONE;
	}
	if (resp->have_recv && status != IB_WC_WR_FLUSH_ERR)
		fab_recv_complete(qp, &done);
	if (is_uc(qp)) {
		fab_qp_fatal(qp, event);
		return STEP_DONE;
	}
	resp->dying = true;
	resp->event = event;
	nak(qp, syndrome, in->psn);
	return STEP_DONE;
}

static enum step invalid(struct fab_qp *qp, const struct fab_incoming *in)
{
	return refuse(qp, in, FAB_NAK_INVALID, IB_WC_WR_FLUSH_ERR, IB_EVENT_QP_REQ_ERR);
}

static enum step no_access(struct fab_qp *qp, const struct fab_incoming *in)
{
	return refuse(qp, in, FAB_NAK_ACCESS, IB_WC_WR_FLUSH_ERR, IB_EVENT_QP_ACCESS_ERR);
}

/* UC: the PSN only tells whether something is missing (9.8.2.2). */
static enum step uc_psn(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;

	if (in->psn != resp->psn) {
		resp->drop_message = true;
		resp->op = NO_MESSAGE;
		resp->psn = in->psn;
	}
	if (resp->drop_message && !(in->op->mask & FAB_OP_FIRST)) {
		resp->psn = fab_psn_add(resp->psn, 1);
		return STEP_DONE;
	}
	resp->drop_message = false;
	return STEP_OPCODE;
}

static enum step step_psn(struct fab_qp *qp, struct fab_incoming *in)
{
	s32 ahead = fab_psn_diff(in->psn, qp->resp.psn);

	if (is_uc(qp))
		return uc_psn(qp, in);
	if (ahead > 0)
		return STEP_EARLY;
	if (ahead < 0)
		return STEP_DUPLICATE;
	/* What was missing is here; if nothing was said of it yet, nothing need be. */
	qp->resp.nak_sent = false;
	qp->resp.nak = 0;
	return STEP_OPCODE;
}

/*
 * The answer to a READ or atomic that had this PSN in it: the newest one, since one of
 * 2^24 packets ago may have had it, too.
 */
static struct fab_answer *find_answer(struct fab_responder *resp, u32 psn, u8 kind)
{
	struct fab_answer *answer;
	u32 i;

	for (i = 1; i <= FAB_MAX_RD_ATOMIC; i++) {
		answer = &resp->answers[(resp->answer_tail - i) % FAB_MAX_RD_ATOMIC];
		if (answer->kind == kind && fab_psn_within(psn, answer->first, answer->last))
			return answer;
	}
	return NULL;
}

/*
 * The requester went back: whatever was asked for after @psn it will ask for again,
 * so nothing of it need be sent now.
 */
static void stop_answers(struct fab_responder *resp, u32 psn)
{
	struct fab_answer *answer;
	u32 i;

	for (i = 0; i < FAB_MAX_RD_ATOMIC; i++) {
		answer = &resp->answers[i];
		if (answer->active && !fab_psn_before(answer->last, psn)) {
			answer->active = false;
			resp->n_active--;
		}
	}
}

/* Carried out again, from memory as it is now (9.7.5.1.5); it may ask for less than before. */
static void read_again(struct fab_qp *qp, struct fab_incoming *in, struct fab_answer *answer)
{
	const struct fab_reth *reth = fab_incoming_header(in, sizeof(*in->bth));
	u32 length = be32_to_cpu(reth->length);
	u32 packets = fab_psn_packets(length, qp->mtu);

	/* Counted, since PSNs of a length that was never asked for would wrap. */
	if (packets > fab_psn_diff(answer->last, in->psn) + 1)
		return;
	stop_answers(&qp->resp, in->psn);
	answer->next = in->psn;
	answer->begin = in->psn;
	answer->stop = fab_psn_add(in->psn, packets - 1);
	answer->va = be64_to_cpu(reth->va);
	answer->left = length;
	answer->rkey = be32_to_cpu(reth->rkey);
	answer->active = true;
	answer->repeated = true;
	qp->resp.n_active++;
	fab_qp_ready(qp);
}

static enum step step_duplicate(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_answer *answer;

	fab_count(qp->hca, FAB_DUPLICATE_REQUEST);
	if (in->op->mask & FAB_OP_READ) {
		answer = find_answer(&qp->resp, in->psn, FAB_ANSWER_READ);
		if (answer)
			read_again(qp, in, answer);
	} else if (in->op->mask & FAB_OP_ATOMIC) {
		answer = find_answer(&qp->resp, in->psn, FAB_ANSWER_ATOMIC);
		if (answer && !answer->active) {
			answer->active = true;
			answer->repeated = true;
			qp->resp.n_active++;
			fab_qp_ready(qp);
		}
	} else if (fab_bth_ack_req(in->bth)) {
		acknowledge(qp);
	}
	return STEP_DONE;
}

/* Keep the packet, in the order of PSNs. False: it is there already, or there is no room. */
static bool hold(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;
	struct fab_packet *other;
	s32 ahead;

	if (resp->n_held >= FAB_MAX_HELD || qp->hca->engine.n_held >= FAB_MAX_HELD_ALL ||
	    fab_psn_diff(in->psn, resp->psn) > FAB_WINDOW)
		return false;
	list_for_each_entry_reverse(other, &resp->held, list) {
		ahead = fab_psn_diff(in->psn,
				     fab_bth_psn((const struct fab_bth *)other->skb->data));
		if (!ahead)
			return false;
		if (ahead > 0)
			break;
	}
	/* Behind @other; that is the head if it is the oldest. */
	list_add(&in->packet->list, &other->list);
	resp->n_held++;
	qp->hca->engine.n_held++;
	return true;
}

static void let_go(struct fab_qp *qp, struct fab_packet *packet)
{
	list_del(&packet->list);
	qp->resp.n_held--;
	qp->hca->engine.n_held--;
}

/*
 * Something is missing. Go-back-N: say once what. Selective repeat: keep this packet,
 * and ask for the first missing one when the gap appears, so that a NAK is a request
 * for one packet. Further gaps are asked for one by one, as the first is filled.
 */
static enum step step_early(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;
	enum step next = STEP_DONE;

	fab_count(qp->hca, FAB_OUT_OF_SEQ_REQUEST);
	if (resp->rnr)
		return STEP_DONE;
	if (qp->selective && hold(qp, in))
		next = STEP_KEPT;
	if (!resp->nak_sent) {
		resp->nak_sent = true;
		nak(qp, FAB_NAK_SEQUENCE, resp->psn);
	}
	return next;
}

static bool allowed(const struct fab_qp *qp, u16 mask)
{
	int access = qp->attr.qp_access_flags;

	if (mask & FAB_OP_WRITE)
		return access & IB_ACCESS_REMOTE_WRITE;
	if (mask & FAB_OP_READ)
		return access & IB_ACCESS_REMOTE_READ && qp->attr.max_dest_rd_atomic;
	if (mask & FAB_OP_ATOMIC)
		return access & IB_ACCESS_REMOTE_ATOMIC && qp->attr.max_dest_rd_atomic;
	return true;
}

/* Does it continue what is in progress, or begin something when nothing is (9.7.4.1)? */
static enum step step_opcode(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;
	u16 mask = in->op->mask;
	u8 op = mask & FAB_OP_SEND ? IN_SEND : mask & FAB_OP_WRITE ? IN_WRITE : NO_MESSAGE;

	if (mask & FAB_OP_FIRST) {
		/* UC: a new message ends one whose rest was lost. */
		if (resp->op != NO_MESSAGE && !is_uc(qp))
			return invalid(qp, in);
		resp->offset = 0;
	} else if (resp->op != op) {
		return invalid(qp, in);
	}
	return allowed(qp, mask) ? STEP_LENGTH : invalid(qp, in);
}

static enum step step_length(struct fab_qp *qp, struct fab_incoming *in)
{
	u16 mask = in->op->mask;
	bool full = in->length == qp->mtu;

	if (mask & (FAB_OP_READ | FAB_OP_ATOMIC))
		return in->length ? invalid(qp, in) : STEP_RESOURCES;
	if (in->length > qp->mtu || (!(mask & FAB_OP_LAST) && !full) ||
	    (!(mask & FAB_OP_FIRST) && !in->length))
		return invalid(qp, in);
	return STEP_RESOURCES;
}

static enum step take_recv(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;
	int found;

	if (resp->have_recv)
		return STEP_ACCESS;
	found = fab_recv_take(qp, &resp->recv);
	if (found > 0) {
		resp->have_recv = true;
		return STEP_ACCESS;
	}
	if (found < 0) {
		resp->have_recv = true;
		return refuse(qp, in, FAB_NAK_OPERATION, IB_WC_LOC_QP_OP_ERR, IB_EVENT_QP_FATAL);
	}
	if (is_uc(qp)) {
		resp->drop_message = true;
		resp->op = NO_MESSAGE;
		resp->psn = fab_psn_add(resp->psn, 1);
		return STEP_DONE;
	}
	fab_count(qp->hca, FAB_SEND_RNR_ERR);
	resp->nak_sent = true;
	resp->rnr = true;
	nak(qp, FAB_SYN_RNR | (qp->attr.min_rnr_timer & FAB_SYN_CODE), in->psn);
	return STEP_DONE;
}

/*
 * The requester has more READs and atomics on their way than it may. Answers that are
 * given again do not count: it may have had the first one, and asked for more.
 */
static bool too_many_reads(const struct fab_qp *qp)
{
	const struct fab_responder *resp = &qp->resp;
	u32 i, n = 0;

	for (i = 0; i < FAB_MAX_RD_ATOMIC; i++)
		n += resp->answers[i].active && !resp->answers[i].repeated;
	return n >= qp->attr.max_dest_rd_atomic;
}

static enum step step_resources(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;

	resp->rnr = false;
	if (in->op->mask & FAB_OP_RECV)
		return take_recv(qp, in);
	if (in->op->mask & (FAB_OP_READ | FAB_OP_ATOMIC) && too_many_reads(qp))
		return invalid(qp, in);
	return STEP_ACCESS;
}

static enum step write_access(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;
	const struct fab_reth *reth;

	if (in->op->mask & FAB_OP_RETH) {
		reth = fab_incoming_header(in, sizeof(*in->bth));
		resp->va = be64_to_cpu(reth->va);
		resp->rkey = be32_to_cpu(reth->rkey);
		resp->left = be32_to_cpu(reth->length);
		resp->length = resp->left;
		if (resp->length > FAB_MAX_MSG)
			return invalid(qp, in);
		/* With no bytes to write the key means nothing (9.7.4.1.3). */
		if (resp->left && !fab_mem_remote(qp, resp->rkey, resp->va, resp->left,
						  IB_ACCESS_REMOTE_WRITE))
			return no_access(qp, in);
	}
	if (in->op->mask & FAB_OP_LAST ? in->length != resp->left : in->length >= resp->left)
		return invalid(qp, in);
	return STEP_EXECUTE;
}

static enum step read_access(struct fab_qp *qp, struct fab_incoming *in)
{
	const struct fab_reth *reth = fab_incoming_header(in, sizeof(*in->bth));
	u32 length = be32_to_cpu(reth->length);

	if (length > FAB_MAX_MSG)
		return invalid(qp, in);
	if (length && !fab_mem_remote(qp, be32_to_cpu(reth->rkey), be64_to_cpu(reth->va), length,
				      IB_ACCESS_REMOTE_READ))
		return no_access(qp, in);
	return STEP_EXECUTE;
}

static enum step step_access(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;

	if (in->op->mask & FAB_OP_WRITE)
		return write_access(qp, in);
	if (in->op->mask & FAB_OP_READ)
		return read_access(qp, in);
	if (in->op->mask & FAB_OP_SEND && resp->offset + in->length > resp->recv.length)
		return refuse(qp, in, FAB_NAK_INVALID, IB_WC_LOC_LEN_ERR, IB_EVENT_QP_REQ_ERR);
	return STEP_EXECUTE;
}

/* The oldest of the saved answers makes room. */
static struct fab_answer *new_answer(struct fab_responder *resp, u8 kind, u32 psn, u32 packets)
{
	struct fab_answer *answer = &resp->answers[resp->answer_tail++ % FAB_MAX_RD_ATOMIC];

	/* An answer given again that the requester, which goes on, has had before. */
	if (answer->active)
		resp->n_active--;
	*answer = (struct fab_answer) {
		.kind	= kind,
		.active	= true,
		.first	= psn,
		.last	= fab_psn_add(psn, packets - 1),
		.next	= psn,
		.begin	= psn,
		.stop	= fab_psn_add(psn, packets - 1),
		.msn	= resp->msn + 1,
	};
	resp->n_active++;
	return answer;
}

/* The answer says all that a waiting acknowledgment would. */
static void answer_soon(struct fab_qp *qp)
{
	qp->resp.ack = false;
	fab_qp_ready(qp);
}

static enum step do_read(struct fab_qp *qp, struct fab_incoming *in)
{
	const struct fab_reth *reth = fab_incoming_header(in, sizeof(*in->bth));
	struct fab_responder *resp = &qp->resp;
	u32 length = be32_to_cpu(reth->length);
	u32 packets = fab_psn_packets(length, qp->mtu);
	struct fab_answer *answer = new_answer(resp, FAB_ANSWER_READ, in->psn, packets);

	answer->va = be64_to_cpu(reth->va);
	answer->rkey = be32_to_cpu(reth->rkey);
	answer->left = length;
	/* STEP_FINISH counts one more. */
	resp->psn = fab_psn_add(resp->psn, packets - 1);
	answer_soon(qp);
	return STEP_FINISH;
}

static enum step do_atomic(struct fab_qp *qp, struct fab_incoming *in)
{
	const struct fab_atomic_eth *eth = fab_incoming_header(in, sizeof(*in->bth));
	bool swap = (in->bth->opcode & 31) == IB_OPCODE_COMPARE_SWAP;
	u64 va = be64_to_cpu(eth->va), before;
	struct fab_mr *mr;

	mr = fab_mem_remote(qp, be32_to_cpu(eth->rkey), va, sizeof(u64), IB_ACCESS_REMOTE_ATOMIC);
	if (!mr)
		return no_access(qp, in);
	if (!IS_ALIGNED(va, sizeof(u64)) ||
	    !fab_mem_atomic(mr, va, swap, be64_to_cpu(eth->swap_add), be64_to_cpu(eth->compare),
			    &before))
		return invalid(qp, in);
	new_answer(&qp->resp, FAB_ANSWER_ATOMIC, in->psn, 1)->value = before;
	answer_soon(qp);
	return STEP_FINISH;
}

static enum step do_write(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;
	struct fab_mr *mr;

	resp->op = in->op->mask & FAB_OP_LAST ? NO_MESSAGE : IN_WRITE;
	if (!in->length)
		return STEP_FINISH;
	/* The region may have gone since the first packet. */
	mr = fab_mem_remote(qp, resp->rkey, resp->va, in->length, IB_ACCESS_REMOTE_WRITE);
	if (!mr)
		return no_access(qp, in);
	fab_mem_mr_put(mr, resp->va, in->packet->skb, in->offset, in->length);
	resp->va += in->length;
	resp->left -= in->length;
	return STEP_FINISH;
}

static enum step do_send(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;
	struct fab_memory mem = fab_mem_recv(qp, &resp->recv);

	resp->op = in->op->mask & FAB_OP_LAST ? NO_MESSAGE : IN_SEND;
	if (!fab_mem_put(&mem, resp->offset, in->packet->skb, in->offset, in->length))
		return refuse(qp, in, FAB_NAK_OPERATION, IB_WC_LOC_PROT_ERR, IB_EVENT_QP_FATAL);
	resp->offset += in->length;
	return STEP_FINISH;
}

static enum step step_execute(struct fab_qp *qp, struct fab_incoming *in)
{
	if (in->op->mask & FAB_OP_SEND)
		return do_send(qp, in);
	if (in->op->mask & FAB_OP_WRITE)
		return do_write(qp, in);
	if (in->op->mask & FAB_OP_READ)
		return do_read(qp, in);
	return do_atomic(qp, in);
}

/* The message is complete: tell the program, where it is one that it is told of. */
static void complete_recv(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_completion done = {
		.status		= IB_WC_SUCCESS,
		.opcode		= IB_WC_RECV,
		.byte_len	= qp->resp.offset,
		.solicited	= in->bth->flags & FAB_BTH_SOLICITED,
	};
	const struct fab_immdt *extra;

	/* The last of the headers. */
	extra = fab_incoming_header(in, in->offset - sizeof(*extra));
	if (in->op->mask & FAB_OP_IMM) {
		done.imm = extra->data;
		done.wc_flags = IB_WC_WITH_IMM;
	} else if (in->op->mask & FAB_OP_INV) {
		done.invalidate_rkey = be32_to_cpu(extra->data);
		done.wc_flags = IB_WC_WITH_INVALIDATE;
	}
	if (in->op->mask & FAB_OP_WRITE) {
		done.opcode = IB_WC_RECV_RDMA_WITH_IMM;
		done.byte_len = qp->resp.length;
	}
	fab_recv_complete(qp, &done);
}

static bool invalidate(struct fab_qp *qp, struct fab_incoming *in)
{
	const struct fab_immdt *ieth = fab_incoming_header(in, sizeof(*in->bth));

	return fab_mem_invalidate(qp, be32_to_cpu(ieth->data), true);
}

static enum step step_finish(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;

	if (in->op->mask & FAB_OP_INV && !invalidate(qp, in))
		return no_access(qp, in);
	resp->psn = fab_psn_add(resp->psn, 1);
	if (in->op->mask & FAB_OP_LAST) {
		resp->msn = fab_psn_add(resp->msn, 1);
		if (in->op->mask & (FAB_OP_SEND | FAB_OP_IMM))
			complete_recv(qp, in);
	}
	if (!is_uc(qp) && fab_bth_ack_req(in->bth) &&
	    !(in->op->mask & (FAB_OP_READ | FAB_OP_ATOMIC)))
		acknowledge(qp);
	return STEP_DONE;
}

static enum step (*const steps[])(struct fab_qp *qp, struct fab_incoming *in) = {
	[STEP_PSN]		= step_psn,
	[STEP_DUPLICATE]	= step_duplicate,
	[STEP_EARLY]		= step_early,
	[STEP_OPCODE]		= step_opcode,
	[STEP_LENGTH]		= step_length,
	[STEP_RESOURCES]	= step_resources,
	[STEP_ACCESS]		= step_access,
	[STEP_EXECUTE]		= step_execute,
	[STEP_FINISH]		= step_finish,
};

static enum step run(struct fab_qp *qp, struct fab_incoming *in)
{
	enum step step = STEP_PSN;

	while (step < STEP_DONE)
		step = steps[step](qp, in);
	return step;
}

/* Selective repeat: the gap is filled; what was kept behind it is next, or there is another gap. */
static void run_held(struct fab_qp *qp)
{
	struct fab_responder *resp = &qp->resp;
	struct fab_incoming in = {};
	struct fab_packet *packet;
	s32 ahead;

	while (!list_empty(&resp->held) && !resp->dying && !resp->rnr && qp->state != IB_QPS_ERR) {
		packet = list_first_entry(&resp->held, struct fab_packet, list);
		ahead = fab_psn_diff(fab_bth_psn((const struct fab_bth *)packet->skb->data),
				     resp->psn);
		if (ahead > 0) {
			if (!resp->nak_sent) {
				resp->nak_sent = true;
				nak(qp, FAB_NAK_SEQUENCE, resp->psn);
			}
			return;
		}
		let_go(qp, packet);
		if (!ahead && fab_incoming_parse(packet, &in))
			run(qp, &in);
		fab_packet_free(packet);
	}
}

/**
 * fab_rc_request() - a request came in
 * @qp: RC or UC QP
 * @in: request
 *
 * Return: true: the packet was kept, and is the QP's.
 */
bool fab_rc_request(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_responder *resp = &qp->resp;
	enum step step;

	if (resp->dying)
		return false;
	if (!resp->established) {
		resp->established = true;
		if (qp->state == IB_QPS_RTR)
			fab_qp_event(qp, IB_EVENT_COMM_EST);
	}
	step = run(qp, in);
	if (resp->n_held)
		run_held(qp);
	return step == STEP_KEPT;
}

/**
 * fab_rc_respond_purge() - forget what was kept
 * @qp: QP
 */
void fab_rc_respond_purge(struct fab_qp *qp)
{
	struct fab_packet *packet, *next;

	list_for_each_entry_safe(packet, next, &qp->resp.held, list) {
		let_go(qp, packet);
		fab_packet_free(packet);
	}
}
