// SPDX-License-Identifier: GPL-2.0
/*
 * The completer: what comes back to the requester (InfiniBand volume 1, 9.7.5 to 9.9).
 *
 *	ACK n		everything up to PSN n is done, not only n
 *	READ response	data, and: everything before that READ is done
 *	NAK sequence n	everything before n is done; n was not seen: send again
 *	RNR NAK n	everything before n is done; n found no receive posted: later
 *	other NAKs	n can never work: its work request fails, and so does the QP
 *
 * @una is the oldest PSN without an answer. Whatever moves it is progress: it
 * refills the retry counters and restarts the timer. An answer that says nothing
 * of data that a READ before it still waits for means that these were lost.
 *
 * The timer is lazy: progress only moves @deadline, and an event that fires early
 * goes back to sleep. So a stream of packets does not move events about.
 */
#include "engine.h"
#include "psn.h"

static u64 timeout_ns(const struct fab_qp *qp)
{
	return fab_ack_timeout_ns(qp->attr.timeout);
}

/**
 * fab_rc_await() - a packet was sent: its answer must come in time
 * @qp: QP
 */
void fab_rc_await(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;

	if (req->deadline || !timeout_ns(qp))
		return;
	req->deadline = fab_now() + timeout_ns(qp);
	if (!fab_event_pending(&qp->timer))
		fab_event_at(&qp->timer, req->deadline);
}

/**
 * fab_rc_timeout_changed() - the ACK timeout is another one
 * @qp: QP
 *
 * It counts from now on for what waits for an answer, too: it may be a shorter one.
 */
void fab_rc_timeout_changed(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;

	/* After an RNR wait all is set anew. */
	if (req->rnr_wait)
		return;
	fab_event_cancel(&qp->timer);
	req->deadline = 0;
	if (req->una != req->sent)
		fab_rc_await(qp);
}

/* The work request that waits longest fails, and with it the QP. */
static void fail_oldest(struct fab_qp *qp, enum ib_wc_status status)
{
	struct fab_requester *req = &qp->req;
	struct fab_sqe *sqe;
	u32 i;

	for (i = req->head; i != req->tail; i++) {
		sqe = fab_sqe_at(qp, i);
		if (sqe->finished)
			continue;
		sqe->finished = true;
		sqe->status = status;
		break;
	}
	fab_sqe_retire(qp);
}

/* The place in the requests where sending goes on may have been answered meanwhile. */
static void catch_up(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;
	struct fab_sqe *sqe;

	while (req->next != req->tail) {
		sqe = fab_sqe_at(qp, req->next);
		if (sqe->finished && sqe->status == IB_WC_SUCCESS) {
			req->next++;
			req->index = 0;
			continue;
		}
		if (sqe->packets && !sqe->finished &&
		    fab_psn_before(fab_psn_add(sqe->first, req->index), req->una))
			req->index = fab_psn_diff(req->una, sqe->first);
		return;
	}
}

/* Everything before @una is answered. */
static void progress(struct fab_qp *qp, u32 una)
{
	struct fab_requester *req = &qp->req;

	if (fab_psn_before(req->una, una)) {
		req->una = una;
		req->retries = qp->attr.retry_cnt;
		req->rnr_retries = qp->attr.rnr_retry;
		req->went_back = false;
		req->deadline = 0;
		if (una != req->sent)
			fab_rc_await(qp);
		catch_up(qp);
	}
	fab_sqe_retire(qp);
	if (qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD)
		fab_qp_ready(qp);
}

/*
 * Everything before @psn is answered, says the far end. False: there is a READ or
 * atomic before it whose data did not arrive.
 */
static bool answered(struct fab_qp *qp, u32 psn)
{
	struct fab_requester *req = &qp->req;
	struct fab_sqe *sqe;
	u32 una = psn, i;

	for (i = req->head; i != req->tail; i++) {
		sqe = fab_sqe_at(qp, i);
		if (!sqe->packets || sqe->finished)
			continue;
		if (!fab_psn_before(sqe->first, psn))
			break;
		if (fab_sqe_is_read(sqe)) {
			una = fab_psn_before(req->una, sqe->first) ? sqe->first : req->una;
			break;
		}
		if (!fab_psn_before(sqe->last, psn))
			break;
		sqe->finished = true;
		sqe->status = IB_WC_SUCCESS;
	}
	progress(qp, una);
	return una == psn;
}

static bool alive(const struct fab_qp *qp)
{
	return qp->state == IB_QPS_RTS || qp->state == IB_QPS_SQD;
}

/* Something is missing from @una on: send it again, if there are retries left. */
static void retry(struct fab_qp *qp, enum fab_counter why)
{
	struct fab_requester *req = &qp->req;

	if (!alive(qp) || req->went_back)
		return;
	fab_count(qp->hca, why);
	if (!req->retries) {
		fab_count(qp->hca, FAB_RETRY_EXCEEDED_ERR);
		fail_oldest(qp, IB_WC_RETRY_EXC_ERR);
		return;
	}
	req->retries--;
	req->went_back = true;
	fab_rc_go_back(qp, req->una);
}

static void sequence_nak(struct fab_qp *qp, u32 psn)
{
	if (!answered(qp, psn) || !qp->selective) {
		retry(qp, FAB_RCVD_SEQ_ERR);
	} else if (alive(qp)) {
		fab_count(qp->hca, FAB_RCVD_SEQ_ERR);
		fab_rc_resend(qp, psn);
	}
}

/* No receive was posted there: wait as long as the far end asks, then go on with @psn. */
static void rnr_nak(struct fab_qp *qp, u32 psn, u8 code)
{
	struct fab_requester *req = &qp->req;

	if (req->rnr_wait)
		return;
	fab_count(qp->hca, FAB_RCVD_RNR_ERR);
	if (!answered(qp, psn)) {
		retry(qp, FAB_COMPLETER_RETRY_ERR);
		return;
	}
	if (!alive(qp))
		return;
	if (!req->rnr_retries) {
		fab_count(qp->hca, FAB_RETRY_RNR_EXCEEDED_ERR);
		fail_oldest(qp, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (req->rnr_retries != 7)
		req->rnr_retries--;
	/* The far end is alive, and so is the way there and back. */
	req->retries = qp->attr.retry_cnt;
	/* What is sent then can be lost anew. */
	req->went_back = false;
	fab_rc_go_back(qp, psn);
	req->rnr_wait = true;
	req->deadline = 0;
	fab_event_at(&qp->timer, fab_now() + fab_rnr_ns(code));
}

static void fatal_nak(struct fab_qp *qp, u32 psn, u8 syndrome)
{
	enum ib_wc_status status;

	switch (syndrome) {
	case FAB_NAK_INVALID:
		status = IB_WC_REM_INV_REQ_ERR;
		break;
	case FAB_NAK_ACCESS:
		status = IB_WC_REM_ACCESS_ERR;
		break;
	case FAB_NAK_OPERATION:
		status = IB_WC_REM_OP_ERR;
		break;
	default:
		status = IB_WC_BAD_RESP_ERR;
		break;
	}
	answered(qp, psn);
	if (alive(qp))
		fail_oldest(qp, status);
}

static void acknowledgment(struct fab_qp *qp, const struct fab_incoming *in)
{
	const struct fab_aeth *aeth = fab_incoming_header(in, sizeof(struct fab_bth));
	u8 syndrome = be32_to_cpu(aeth->syndrome_msn) >> 24;

	if (syndrome == FAB_NAK_SEQUENCE)
		sequence_nak(qp, in->psn);
	else if ((syndrome & FAB_SYN_KIND) == FAB_SYN_RNR)
		rnr_nak(qp, in->psn, syndrome & FAB_SYN_CODE);
	else if ((syndrome & FAB_SYN_KIND) != FAB_SYN_ACK)
		fatal_nak(qp, in->psn, syndrome);
	else if (!answered(qp, fab_psn_add(in->psn, 1)))
		retry(qp, FAB_COMPLETER_RETRY_ERR);
}

/* The oldest READ or atomic that waits for data. */
static struct fab_sqe *oldest_read(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;
	struct fab_sqe *sqe;
	u32 i;

	for (i = req->head; i != req->next + 1 && i != req->tail; i++) {
		sqe = fab_sqe_at(qp, i);
		if (sqe->started && !sqe->finished && fab_sqe_is_read(sqe))
			return sqe;
	}
	return NULL;
}

/* The data of one response packet goes where it belongs. */
static bool place(struct fab_qp *qp, struct fab_sqe *sqe, const struct fab_incoming *in)
{
	struct fab_memory mem = fab_mem_send(qp, &sqe->wr);
	const struct fab_atomic_ack_eth *ack;
	u64 value;

	if (in->op->mask & FAB_OP_READ_RESP)
		return fab_mem_put(&mem, fab_psn_diff(in->psn, sqe->first) * qp->mtu,
				   in->packet->skb, in->offset, in->length);
	ack = fab_incoming_header(in, sizeof(struct fab_bth) + sizeof(struct fab_aeth));
	value = be64_to_cpu(ack->original);
	return fab_mem_put_bytes(&mem, 0, &value, sizeof(value));
}

static bool has_right_form(const struct fab_qp *qp, const struct fab_sqe *sqe,
			   const struct fab_incoming *in)
{
	u32 offset = fab_psn_diff(in->psn, sqe->first) * qp->mtu;

	if (sqe->wr.opcode != IB_WR_RDMA_READ)
		return in->op->mask & FAB_OP_ATOMIC_ACK;
	return in->op->mask & FAB_OP_READ_RESP &&
	       in->length == min(qp->mtu, sqe->wr.length - offset);
}

/* A READ response, or the answer of an atomic. They come in order, or something is missing. */
static void data(struct fab_qp *qp, const struct fab_incoming *in)
{
	struct fab_sqe *sqe = oldest_read(qp);
	struct fab_requester *req = &qp->req;

	if (!sqe || fab_psn_before(in->psn, sqe->first))
		return;
	if (!fab_psn_within(in->psn, sqe->first, sqe->last)) {
		answered(qp, sqe->first);
		retry(qp, FAB_COMPLETER_RETRY_ERR);
		return;
	}
	answered(qp, sqe->first);
	if (!alive(qp))
		return;
	if (in->psn != req->una) {
		retry(qp, FAB_COMPLETER_RETRY_ERR);
		return;
	}
	if (!has_right_form(qp, sqe, in)) {
		fail_oldest(qp, IB_WC_BAD_RESP_ERR);
		return;
	}
	if (!place(qp, sqe, in)) {
		fail_oldest(qp, IB_WC_LOC_PROT_ERR);
		return;
	}
	if (in->psn == sqe->last) {
		sqe->finished = true;
		sqe->status = IB_WC_SUCCESS;
		req->n_rd--;
	}
	progress(qp, fab_psn_add(in->psn, 1));
}

/**
 * fab_rc_answer() - an answer came in
 * @qp: RC QP
 * @in: ACK, NAK, READ response, or the answer of an atomic
 */
void fab_rc_answer(struct fab_qp *qp, struct fab_incoming *in)
{
	struct fab_requester *req = &qp->req;

	/* Old ones are repeated answers, new ones ghosts of an earlier connection (9.7.5.1). */
	if (!alive(qp) || fab_psn_before(in->psn, req->una) ||
	    !fab_psn_before(in->psn, req->sent))
		return;
	if (in->op->mask & FAB_OP_ACK)
		acknowledgment(qp, in);
	else
		data(qp, in);
}

/* Whatever was lost, it was not told: send all again, also with selective repeat. */
static void timed_out(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;

	req->deadline = 0;
	req->went_back = false;
	fab_count(qp->hca, FAB_TIMEOUTS);
	retry(qp, FAB_COMPLETER_RETRY_ERR);
	if (alive(qp))
		fab_rc_await(qp);
}

/**
 * fab_rc_timer() - the timer of a QP: an answer is overdue, or an RNR wait is over
 * @timer: its event
 */
void fab_rc_timer(struct fab_event *timer)
{
	struct fab_qp *qp = container_of(timer, struct fab_qp, timer);
	struct fab_requester *req = &qp->req;

	if (!alive(qp))
		return;
	if (req->rnr_wait) {
		req->rnr_wait = false;
		/* An answer may have set it meanwhile. What is sent next does, and the timer. */
		req->deadline = 0;
		fab_qp_ready(qp);
	} else if (req->deadline && fab_now() >= req->deadline) {
		timed_out(qp);
	} else if (req->deadline) {
		fab_event_at(timer, req->deadline);
	}
}
