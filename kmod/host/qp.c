// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: made, changed, asked, ended; and how they fail.
 *
 * A QP is walked through states (InfiniBand volume 1, 10.3.1):
 *
 *	RESET -> INIT -> RTR -> RTS <-> SQD		RTS -> SQE -> RTS  (not RC)
 *	         posts   receives  sends  drains	any -> ERR -> RESET
 *	         receives
 *
 * Which attributes a move takes is the core's table (ib_modify_qp_is_ok()); what
 * values they may have is checked here, in the caller's context, and so is the
 * path resolved. The move itself is a call of the fabric thread, which looks
 * again where the QP is: the engine may have moved it to an error state.
 *
 * In the error state everything that was posted, and is posted still, completes
 * with a flush error. A QP that fails on its own tells its user by an
 * asynchronous event where no completion does (10.10.2).
 */
#include <rdma/ib_cache.h>
#include "engine.h"
#include "verbs.h"

#define MAX_QPN		0xffffffu

static u32 reserved_qpn(enum ib_qp_type type)
{
	return type == IB_QPT_SMI ? 0 : 1;
}

/* A place in the table, empty until the QP is published. */
static int get_qpn(struct fab_qp *qp)
{
	struct fab_hca *hca = qp->hca;
	int err;

	if (!atomic_add_unless(&hca->n_qps, 1, FAB_MAX_QP))
		return -ENOMEM;
	if (qp->type == IB_QPT_SMI || qp->type == IB_QPT_GSI) {
		qp->qpn = reserved_qpn(qp->type);
		err = xa_insert(&hca->qps, qp->qpn, NULL, GFP_KERNEL);
	} else {
		/* Not reused soon: packets of an old connection may still be about. */
		err = xa_alloc_cyclic(&hca->qps, &qp->qpn, NULL, XA_LIMIT(2, MAX_QPN - 1),
				      &hca->engine.next_qpn, GFP_KERNEL);
	}
	if (err < 0)
		atomic_dec(&hca->n_qps);
	return min(err, 0);
}

static int check_create(const struct ib_qp_init_attr *init, const struct ib_udata *udata)
{
	const struct ib_qp_cap *cap = &init->cap;

	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		break;
	case IB_QPT_SMI:
	case IB_QPT_GSI:
		if (udata)
			return -EPERM;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (init->create_flags)
		return -EOPNOTSUPP;
	if (cap->max_send_wr > FAB_MAX_QP_WR || cap->max_send_sge > FAB_MAX_SGE)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > FAB_MAX_QP_WR || cap->max_recv_sge > FAB_MAX_SGE))
		return -EINVAL;
	return init->send_cq && init->recv_cq ? 0 : -EINVAL;
}

static void set_up(struct fab_qp *qp, const struct ib_qp_init_attr *init, bool user)
{
	qp->hca = to_fab_hca(qp->ibqp.device);
	qp->type = init->qp_type;
	qp->state = IB_QPS_RESET;
	qp->user = user;
	qp->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->send_cq = to_fab_cq(init->send_cq);
	qp->recv_cq = to_fab_cq(init->recv_cq);
	qp->srq = init->srq ? to_fab_srq(init->srq) : NULL;
	qp->cap = init->cap;
	qp->cap.max_inline_data = 0;
	if (qp->srq) {
		qp->cap.max_recv_wr = 0;
		qp->cap.max_recv_sge = 0;
	}
	qp->rq.qp = qp;
	mutex_init(&qp->lock);
	INIT_LIST_HEAD(&qp->ready);
	INIT_LIST_HEAD(&qp->resp.held);
	fab_event_init(&qp->timer, fab_rc_timer);
	fab_qp_flush_init(qp);
}

static void destroy_rings(struct fab_qp *qp)
{
	if (qp->user)
		fab_ring_qp_destroy(qp);
	else
		fab_kring_qp_destroy(qp);
}

/* The table's place was reserved, so that this takes no memory. */
static void call_publish(void *arg)
{
	struct fab_qp *qp = arg;

	xa_store(&qp->hca->qps, qp->qpn, qp, GFP_NOWAIT);
}

/**
 * fab_qp_create() - make a QP
 * @ibqp: QP; the core has filled in what is the core's
 * @init: what the user wants; the capabilities granted are filled in
 * @udata: of a program, or NULL
 *
 * Return: 0 or an error.
 */
int fab_qp_create(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct fab_qp *qp = to_fab_qp(ibqp);
	int err;

	err = check_create(init, udata);
	if (err)
		return err;
	set_up(qp, init, udata);
	if (udata)
		fab_ring_qp_explain(qp, init);
	err = get_qpn(qp);
	if (err)
		return err;
	err = udata ? fab_ring_qp_create(qp, udata) : fab_kring_qp_create(qp);
	if (err)
		goto err_put_qpn;
	err = fab_sqe_init(qp);
	if (err)
		goto err_destroy_rings;
	err = fab_call_killable(call_publish, qp);
	if (err)
		goto err_exit_sqe;
	ibqp->qp_num = qp->qpn;
	init->cap = qp->cap;
	return 0;

err_exit_sqe:
	fab_sqe_exit(qp);
err_destroy_rings:
	destroy_rings(qp);
err_put_qpn:
	xa_erase(&qp->hca->qps, qp->qpn);
	atomic_dec(&qp->hca->n_qps);
	return err;
}

/* Whatever the engine has of this QP. */
static void purge(struct fab_qp *qp)
{
	fab_rc_settle(qp);
	list_del_init(&qp->ready);
	fab_event_cancel(&qp->timer);
	fab_rc_respond_purge(qp);
}

static void call_take_away(void *arg)
{
	struct fab_qp *qp = arg;

	xa_erase(&qp->hca->qps, qp->qpn);
	fab_mcast_leave_all(qp);
	purge(qp);
	WRITE_ONCE(qp->state, IB_QPS_RESET);
}

/**
 * fab_qp_destroy() - end a QP
 * @ibqp: QP
 * @udata: of a program, or NULL
 *
 * Return: 0.
 */
int fab_qp_destroy(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct fab_qp *qp = to_fab_qp(ibqp);

	fab_call(call_take_away, qp);
	/* Nobody posts any more, and the thread does not: after this no inbox is in a list. */
	if (!qp->user || test_bit(0, &qp->flush.queued))
		fab_call_sync();
	destroy_rings(qp);
	fab_sqe_exit(qp);
	atomic_dec(&qp->hca->n_qps);
	return 0;
}

void fab_qp_event(struct fab_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device		= qp->ibqp.device,
		.element.qp	= &qp->ibqp,
		.event		= type,
	};

	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
}

void fab_qp_error(struct fab_qp *qp)
{
	if (qp->state == IB_QPS_ERR)
		return;
	fab_rc_settle(qp);
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	fab_event_cancel(&qp->timer);
	fab_rc_respond_purge(qp);
	fab_qp_flush_soon(qp);
}

void fab_qp_fatal(struct fab_qp *qp, enum ib_event_type event)
{
	if (qp->state == IB_QPS_ERR)
		return;
	fab_qp_error(qp);
	fab_qp_event(qp, event);
}

void fab_qp_complete(struct fab_qp *qp, struct fab_cq *cq, const struct fab_completion *done)
{
	struct ib_event event = {
		.device		= cq->ibcq.device,
		.element.cq	= &cq->ibcq,
		.event		= IB_EVENT_CQ_ERR,
	};
	bool overrun_before = cq->dead;

	if (!overrun_before && cq->ops->complete(cq, qp, done))
		return;
	/*
	 * An overrun: the CQ is of no use any more, nor are its QPs (10.2.8.3), the others
	 * as soon as they have something to complete. Its owner is told once.
	 */
	cq->dead = true;
	if (!overrun_before && cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
	fab_qp_fatal(qp, IB_EVENT_QP_FATAL);
}

/**
 * struct move - a modify_qp on its way to the fabric thread
 * @qp: QP
 * @attr: new attributes
 * @mask: which of them count
 * @path: resolved, where IB_QP_AV is set
 * @err: how it went
 */
struct move {
	struct fab_qp *qp;
	const struct ib_qp_attr *attr;
	int mask;
	struct fab_path path;
	int err;
};

/* Values; the table of moves is the core's. */
static bool values_ok(struct fab_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct fab_hca *hca = qp->hca;
	u16 pkey;

	if (mask & IB_QP_PORT && attr->port_num != 1)
		return false;
	if (mask & IB_QP_PKEY_INDEX && hca->net->query_pkey(hca, attr->pkey_index, &pkey))
		return false;
	if (mask & IB_QP_PATH_MTU && (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096 ||
				      attr->path_mtu > hca->net->mtu(hca)))
		return false;
	if (mask & IB_QP_DEST_QPN && attr->dest_qp_num > MAX_QPN)
		return false;
	if (mask & IB_QP_TIMEOUT && attr->timeout > 31)
		return false;
	if (mask & IB_QP_RETRY_CNT && attr->retry_cnt > 7)
		return false;
	if (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7)
		return false;
	if (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31)
		return false;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > FAB_MAX_RD_ATOMIC)
		return false;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > FAB_MAX_RD_ATOMIC)
		return false;
	if (mask & IB_QP_AV && rdma_ah_get_port_num(&attr->ah_attr) != 1)
		return false;
	/* There is no automatic path migration, and rings do not change their size. */
	if (mask & IB_QP_PATH_MIG_STATE && attr->path_mig_state != IB_MIG_MIGRATED)
		return false;
	return !(mask & (IB_QP_ALT_PATH | IB_QP_CAP));
}

/* From and to which state does @mask want to move a QP that is in @state? */
static bool move_ok(const struct fab_qp *qp, enum ib_qp_state state,
		    const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != state)
		return false;
	return ib_modify_qp_is_ok(state, mask & IB_QP_STATE ? attr->qp_state : state, qp->type,
				  mask);
}

/* Attributes that are only kept. */
static void take_plain(struct ib_qp_attr *to, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		to->port_num = attr->port_num;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = attr->en_sqd_async_notify;
	if (mask & IB_QP_AV)
		to->ah_attr = attr->ah_attr;
}

static void take_attributes(struct fab_qp *qp, const struct move *move)
{
	const struct ib_qp_attr *attr = move->attr;
	int mask = move->mask;

	take_plain(&qp->attr, attr, mask);
	if (mask & IB_QP_AV) {
		/* The core holds the reference. */
		qp->attr.ah_attr.grh.sgid_attr = NULL;
		qp->path = move->path;
	}
	if (mask & IB_QP_PATH_MTU)
		qp->mtu = ib_mtu_enum_to_int(attr->path_mtu);
	if (mask & IB_QP_RQ_PSN)
		qp->resp.psn = attr->rq_psn & FAB_BTH_24;
	if (mask & IB_QP_SQ_PSN) {
		qp->req.psn = attr->sq_psn & FAB_BTH_24;
		qp->req.una = qp->req.psn;
		qp->req.sent = qp->req.psn;
	}
	if (mask & IB_QP_TIMEOUT && qp->type == IB_QPT_RC)
		fab_rc_timeout_changed(qp);
	if (mask & IB_QP_RETRY_CNT)
		qp->req.retries = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		qp->req.rnr_retries = attr->rnr_retry;
}

/* As it was made: whatever was posted is forgotten, without a completion. */
static void reset(struct fab_qp *qp)
{
	struct fab_requester *req = &qp->req;

	purge(qp);
	*req = (struct fab_requester) {
		.sqes = req->sqes, .stride = req->stride, .mask = req->mask,
	};
	memset(&qp->resp, 0, sizeof(qp->resp));
	INIT_LIST_HEAD(&qp->resp.held);
	memset(&qp->attr, 0, sizeof(qp->attr));
	memset(&qp->path, 0, sizeof(qp->path));
	qp->mtu = 0;
	qp->pkey = 0;
	qp->drain_event = false;
	qp->last_wqe_told = false;
	WRITE_ONCE(qp->state, IB_QPS_RESET);
	qp->ops->reset(qp);
}

/*
 * What was posted until now belongs to the send queue that failed (10.3.1.7), and must not
 * be sent after all. A program may go on posting, so no more than its queue holds.
 */
static void finish_flush(struct fab_qp *qp)
{
	u32 i;

	for (i = 0; i <= qp->cap.max_send_wr / FAB_FLUSH_BATCH; i++)
		if (fab_qp_flush(qp) == FAB_TURN_IDLE)
			return;
}

static void enter(struct fab_qp *qp, enum ib_qp_state state)
{
	switch (state) {
	case IB_QPS_RESET:
		reset(qp);
		return;
	case IB_QPS_ERR:
		fab_qp_error(qp);
		return;
	case IB_QPS_INIT:
		qp->selective = qp->hca->engine.selective;
		break;
	case IB_QPS_SQD:
		/* SQD to SQD does not ask for another event, and does not take one back. */
		if (qp->state != IB_QPS_SQD)
			qp->drain_event = qp->attr.en_sqd_async_notify;
		break;
	case IB_QPS_RTS:
		if (qp->state == IB_QPS_SQE)
			finish_flush(qp);
		/* The flush may have overrun the CQ. */
		if (qp->state == IB_QPS_ERR)
			return;
		break;
	default:
		break;
	}
	WRITE_ONCE(qp->state, state);
	fab_qp_look_up_pkey(qp);
	fab_qp_ready(qp);
	/* Perhaps there is nothing to drain. */
	if (state == IB_QPS_SQD)
		fab_sqe_retire(qp);
}

static void call_modify(void *arg)
{
	struct move *move = arg;
	struct fab_qp *qp = move->qp;

	if (!move_ok(qp, qp->state, move->attr, move->mask)) {
		move->err = -EINVAL;
		return;
	}
	take_attributes(qp, move);
	if (move->mask & IB_QP_STATE)
		enter(qp, move->attr->qp_state);
	else
		fab_qp_look_up_pkey(qp);
}

/**
 * fab_qp_modify() - move a QP to another state, or change its attributes
 * @ibqp: QP
 * @attr: new attributes
 * @mask: which of them count
 * @udata: of a program, or NULL
 *
 * Return: 0 or an error.
 */
int fab_qp_modify(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct fab_qp *qp = to_fab_qp(ibqp);
	struct move move = { .qp = qp, .attr = attr, .mask = mask };

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	mutex_lock(&qp->lock);
	move.err = -EINVAL;
	if (!move_ok(qp, READ_ONCE(qp->state), attr, mask) || !values_ok(qp, attr, mask))
		goto unlock;
	move.err = 0;
	if (mask & IB_QP_AV)
		move.err = qp->hca->net->resolve(qp->hca, &attr->ah_attr, &move.path, true);
	if (!move.err)
		fab_call(call_modify, &move);
unlock:
	mutex_unlock(&qp->lock);
	return move.err;
}

struct question {
	struct fab_qp *qp;
	struct ib_qp_attr *attr;
};

static void call_query(void *arg)
{
	struct question *question = arg;
	struct ib_qp_attr *attr = question->attr;
	struct fab_qp *qp = question->qp;

	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->rq_psn = qp->resp.psn;
	attr->sq_psn = qp->req.psn;
	attr->sq_draining = qp->state == IB_QPS_SQD && qp->req.head != qp->req.tail;
}

/**
 * fab_qp_query() - what is a QP like?
 * @ibqp: QP
 * @attr: filled in
 * @mask: what the caller is interested in; the rest is filled in all the same
 * @init: filled in
 *
 * Return: 0.
 */
int fab_qp_query(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct fab_qp *qp = to_fab_qp(ibqp);
	struct question question = { qp, attr };

	fab_call(call_query, &question);
	attr->cap = qp->cap;
	attr->port_num = 1;
	attr->path_mig_state = IB_MIG_MIGRATED;
	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = qp->type;
	init->port_num = 1;
	return 0;
}
