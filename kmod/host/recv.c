// SPDX-License-Identifier: GPL-2.0
/*
 * Receive work requests: from the QP's own queue or from a shared one, and back
 * as completions. Fabric thread.
 */
#include "engine.h"

/* The user wanted to know when a shared queue runs low; once (10.2.9.1). */
static void check_limit(struct fab_srq *srq)
{
	struct ib_event event = {
		.device		= srq->ibsrq.device,
		.element.srq	= &srq->ibsrq,
		.event		= IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (!srq->limit || srq->rq.ops->recvs_posted(&srq->rq) >= srq->limit)
		return;
	srq->limit = 0;
	if (srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&event, srq->ibsrq.srq_context);
}

/**
 * fab_recv_take() - a message comes in: where to?
 * @qp: QP
 * @wr: the receive work request
 *
 * Return: 1 = there is one, 0 = none, -EINVAL = the ring holds nonsense.
 */
int fab_recv_take(struct fab_qp *qp, struct fab_recv_wr *wr)
{
	struct fab_rq *rq = qp->srq ? &qp->srq->rq : &qp->rq;
	int found;

	if (!rq->ops)
		return 0;
	found = rq->ops->next_recv(rq, wr);
	if (found > 0 && qp->srq)
		check_limit(qp->srq);
	return found;
}

/**
 * fab_recv_complete() - the receive work request in the responder's hands is done
 * @qp: QP with resp.have_recv
 * @done: completion but for the wr_id and what is always the same
 */
void fab_recv_complete(struct fab_qp *qp, struct fab_completion *done)
{
	qp->resp.have_recv = false;
	done->wr_id = qp->resp.recv.wr_id;
	if (qp->type == IB_QPT_RC || qp->type == IB_QPT_UC) {
		done->src_qp = qp->attr.dest_qp_num;
		done->slid = rdma_ah_get_dlid(&qp->attr.ah_attr);
		done->sl = rdma_ah_get_sl(&qp->attr.ah_attr);
		done->vlan = 0xffff;
	}
	if (done->status == IB_WC_SUCCESS)
		fab_count(qp->hca, FAB_RDMA_RECVS);
	fab_qp_complete(qp, qp->recv_cq, done);
}
