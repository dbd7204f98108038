// SPDX-License-Identifier: GPL-2.0
/*
 * Send work requests inside the engine: taken from the ring, and completed in order.
 *
 *	program's ring -> | head ... next ... tail | -> completion queue
 *	                    ^ oldest  ^ being sent
 *
 * What was taken is a snapshot: the program may scribble over its ring and the
 * engine still resends what it sent. The slot in the program's ring is given back
 * when the request is complete, so that no more can be on their way than the
 * program asked for. A work request completes only after all before it have
 * (10.8.5), also one that failed or needed no packets.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include "engine.h"

static const enum ib_wc_opcode wc_opcode[] = {
	[IB_WR_RDMA_WRITE]		= IB_WC_RDMA_WRITE,
	[IB_WR_RDMA_WRITE_WITH_IMM]	= IB_WC_RDMA_WRITE,
	[IB_WR_SEND]			= IB_WC_SEND,
	[IB_WR_SEND_WITH_IMM]		= IB_WC_SEND,
	[IB_WR_SEND_WITH_INV]		= IB_WC_SEND,
	[IB_WR_RDMA_READ]		= IB_WC_RDMA_READ,
	[IB_WR_ATOMIC_CMP_AND_SWP]	= IB_WC_COMP_SWAP,
	[IB_WR_ATOMIC_FETCH_AND_ADD]	= IB_WC_FETCH_ADD,
	[IB_WR_LOCAL_INV]		= IB_WC_LOCAL_INV,
	[IB_WR_REG_MR]			= IB_WC_REG_MR,
};

/**
 * fab_sqe_init() - memory for the requests that a QP has taken
 * @qp: QP with its capabilities granted
 *
 * Context: caller's.
 * Return: 0 or -ENOMEM.
 */
int fab_sqe_init(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;
	u32 n = roundup_pow_of_two(clamp_t(u32, qp->cap.max_send_wr, 1, FAB_MAX_TAKEN));

	req->stride = ALIGN(offsetof(struct fab_sqe, wr.sge) +
			    qp->cap.max_send_sge * sizeof(struct fab_sge), 8);
	req->mask = n - 1;
	req->sqes = kvcalloc(n, req->stride, GFP_KERNEL_ACCOUNT);
	return req->sqes ? 0 : -ENOMEM;
}

/**
 * fab_sqe_exit() - give it back
 * @qp: QP
 *
 * Context: caller's.
 */
void fab_sqe_exit(struct fab_qp *qp)
{
	kvfree(qp->req.sqes);
}

/* Has the request a form that this QP can have? The ring has checked its own format only. */
static bool well_formed(const struct fab_qp *qp, const struct fab_send_wr *wr)
{
	if (wr->num_sge > qp->cap.max_send_sge || wr->length > FAB_MAX_MSG)
		return false;
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		return true;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return qp->type == IB_QPT_RC || qp->type == IB_QPT_UC;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_RDMA_READ:
		return qp->type == IB_QPT_RC;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return qp->type == IB_QPT_RC && wr->length == sizeof(u64);
	case IB_WR_LOCAL_INV:
	case IB_WR_REG_MR:
		return qp->type == IB_QPT_RC && !qp->user;
	default:
		return false;
	}
}

/* There is room in @to for as many sge as the QP has. */
static void copy(struct fab_send_wr *to, const struct fab_send_wr *from, u32 num_sge)
{
	memcpy(to, from, offsetof(struct fab_send_wr, sge) + num_sge * sizeof(from->sge[0]));
}

/**
 * fab_sqe_take() - take the next send work request from the ring
 * @qp: QP
 *
 * Return: it, without PSNs; or NULL if there is none, or too many are under way.
 */
struct fab_sqe *fab_sqe_take(struct fab_qp *qp)
{
	struct fab_send_wr *wr = &qp->hca->engine.wr;
	struct fab_requester *req = &qp->req;
	struct fab_sqe *sqe = fab_sqe_at(qp, req->tail);
	int found;

	if (req->tail - req->head > req->mask)
		return NULL;
	found = qp->ops->next_send(qp, wr);
	if (!found)
		return NULL;
	memset(sqe, 0, offsetof(struct fab_sqe, wr));
	if (found < 0 || !well_formed(qp, wr)) {
		copy(&sqe->wr, wr, 0);
		sqe->wr.num_sge = 0;
		sqe->finished = true;
		sqe->status = IB_WC_LOC_QP_OP_ERR;
	} else {
		copy(&sqe->wr, wr, wr->num_sge);
	}
	req->tail++;
	return sqe;
}

/**
 * fab_sqe_complete() - a send work request is done
 * @qp: QP
 * @wr: request
 * @status: how it ended
 */
void fab_sqe_complete(struct fab_qp *qp, const struct fab_send_wr *wr, enum ib_wc_status status)
{
	struct fab_completion done = {
		.wr_id		= wr->wr_id,
		.status		= status,
		.byte_len	= wr->length,
		.src_qp		= qp->attr.dest_qp_num,
	};

	if ((unsigned int)wr->opcode < ARRAY_SIZE(wc_opcode))
		done.opcode = wc_opcode[wr->opcode];
	qp->ops->send_done(qp, 1);
	if (status == IB_WC_SUCCESS)
		fab_count(qp->hca, FAB_RDMA_SENDS);
	else if (status != IB_WC_WR_FLUSH_ERR)
		fab_count(qp->hca, FAB_SEND_ERR);
	if (status != IB_WC_SUCCESS || qp->sq_sig_all || wr->flags & IB_SEND_SIGNALED)
		fab_qp_complete(qp, qp->send_cq, &done);
}

/* The send queue stops with an error: RC takes the whole QP along, UC does not (10.3.1). */
static void stop(struct fab_qp *qp)
{
	if (qp->type == IB_QPT_RC) {
		fab_qp_error(qp);
	} else if (qp->state == IB_QPS_RTS) {
		WRITE_ONCE(qp->state, IB_QPS_SQE);
		fab_qp_ready(qp);
	}
}

/**
 * fab_sqe_retire() - complete what is finished, oldest first
 * @qp: QP; it may be in the error state afterwards
 */
void fab_sqe_retire(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;
	enum ib_wc_status status;
	struct fab_sqe *sqe;

	while (req->head != req->tail) {
		sqe = fab_sqe_at(qp, req->head);
		if (!sqe->finished)
			return;
		status = sqe->status;
		if (req->next == req->head) {
			req->next++;
			req->index = 0;
		}
		req->head++;
		fab_sqe_complete(qp, &sqe->wr, status);
		if (status != IB_WC_SUCCESS) {
			stop(qp);
			return;
		}
		if (qp->state == IB_QPS_ERR)
			return;
	}
	if (qp->state == IB_QPS_SQD && qp->drain_event) {
		qp->drain_event = false;
		fab_qp_event(qp, IB_EVENT_SQ_DRAINED);
	}
}

/* Flush one send work request; false if there is none. */
static bool flush_send(struct fab_qp *qp)
{
	struct fab_send_wr *wr = &qp->hca->engine.wr;
	struct fab_requester *req = &qp->req;
	struct fab_sqe *sqe;

	if (req->head != req->tail) {
		sqe = fab_sqe_at(qp, req->head++);
		req->next = req->head;
		fab_sqe_complete(qp, &sqe->wr,
				 sqe->finished ? sqe->status : IB_WC_WR_FLUSH_ERR);
		return true;
	}
	if (!qp->ops->next_send(qp, wr))
		return false;
	fab_sqe_complete(qp, wr, IB_WC_WR_FLUSH_ERR);
	return true;
}

/* The same of a receive. What waits in a shared queue is not this QP's. */
static bool flush_recv(struct fab_qp *qp)
{
	struct fab_completion done = { .status = IB_WC_WR_FLUSH_ERR, .opcode = IB_WC_RECV };
	struct fab_responder *resp = &qp->resp;

	if (!resp->have_recv) {
		if (qp->srq || !qp->rq.ops || !qp->rq.ops->next_recv(&qp->rq, &resp->recv))
			return false;
		resp->have_recv = true;
	}
	fab_recv_complete(qp, &done);
	return true;
}

/**
 * fab_qp_flush() - a turn of a QP in the state ERR, or SQE
 * @qp: QP
 *
 * Whatever is posted completes with a flush error, some at a time (10.3.1.5, 10.3.1.7).
 *
 * Return: whether there may be more.
 */
enum fab_turn fab_qp_flush(struct fab_qp *qp)
{
	int i;

	for (i = 0; i < FAB_FLUSH_BATCH; i++) {
		if (flush_send(qp))
			continue;
		if (qp->state == IB_QPS_ERR && flush_recv(qp))
			continue;
		if (qp->state == IB_QPS_ERR && qp->srq && !qp->last_wqe_told) {
			qp->last_wqe_told = true;
			fab_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
		}
		return FAB_TURN_IDLE;
	}
	return FAB_TURN_WORKED;
}
