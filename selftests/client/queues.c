// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: full ones, shared ones, ones that are not ready, and how they end.
 */
#include <linux/slab.h>
#include "client.h"

/* Send and receive one empty message. */
static bool message(struct pair *pair)
{
	return !post_recv(&pair->b, 0, 0, 0) && !post(&pair->a, IB_WR_SEND, 0, 0, 0, 0, 0) &&
	       completes(&pair->a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "SEND") &&
	       completes(&pair->b, IB_WC_SUCCESS, IB_WC_RECV, NULL, "RECV");
}

/* As many work requests as were asked for, and not one more. */
static void fill_queues(struct pair *pair)
{
	u32 i, wr = pair->setup.wr;
	bool ok = true;

	for (i = 0; i < wr; i++)
		ok &= !post_recv(&pair->b, 0, 0, 0);
	report(ok && post_recv(&pair->b, 0, 0, 0) == -ENOMEM,
	       "a receive queue takes %u, then is full",
	       wr);
	if (!run_fabctl("freeze"))
		return;
	for (i = 0; i < wr; i++)
		ok &= !post(&pair->a, IB_WR_SEND, 0, 0, 0, 0, 0);
	report(ok && post(&pair->a, IB_WR_SEND, 0, 0, 0, 0, 0) == -ENOMEM,
	       "a send queue takes %u, then is full", wr);
	run_fabctl("thaw");
	report(all_complete(&pair->a, wr) && all_complete(&pair->b, wr) && message(pair),
	       "and goes on when they are done");
}

/* What the device does not have it refuses by name. */
static void not_there(struct pair *pair)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .send_flags = IB_SEND_INLINE };
	struct ib_sge sge[5] = {};
	struct ib_send_wr many = { .opcode = IB_WR_SEND, .sg_list = sge, .num_sge = 5 };
	struct ib_send_wr strange = { .opcode = IB_WR_LSO };
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	report(!ib_query_qp(pair->a.qp, &attr, IB_QP_CAP, &init) && !init.cap.max_inline_data &&
	       post_wr(&pair->a, &wr) == -EINVAL, "no inline data is announced, and none is taken");
	report(post_wr(&pair->a, &many) == -EINVAL, "more pieces than the queue has");
	report(post_wr(&pair->a, &strange) == -EOPNOTSUPP, "an opcode that there is not");
	report(ib_resize_cq(pair->a.cq, 512) == -EOPNOTSUPP, "a CQ keeps its size, and says so");
	report(message(pair), "after refusals the queue works on");
}

static void shared_limit(struct pair *pair)
{
	struct ib_srq_attr attr = { .srq_limit = 4 };
	struct ib_wc wc;
	bool ok = true;
	int i;

	for (i = 0; i < 6; i++)
		ok &= !post_recv(&pair->b, address_of(pair->b.memory + i * 64), 64,
				 pair->b.pd->local_dma_lkey);
	ok &= !ib_modify_srq(pair->b.srq, &attr, IB_SRQ_LIMIT);
	for (i = 0; i < 2; i++) {
		ok &= !post(&pair->a, IB_WR_SEND, address_of(pair->a.memory), 8,
			    pair->a.pd->local_dma_lkey, 0, 0) &&
		      completes(&pair->a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "SEND") &&
		      completes(&pair->b, IB_WC_SUCCESS, IB_WC_RECV, &wc, "RECV") &&
		      wc.wr_id == address_of(pair->b.memory + i * 64);
	}
	report(ok && !test_bit(IB_EVENT_SRQ_LIMIT_REACHED, &pair->b.events),
	       "a shared queue gives its receives in order; at its limit nothing is told");
	ok = !post(&pair->a, IB_WR_SEND, 0, 0, 0, 0, 0) &&
	     completes(&pair->a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "SEND") &&
	     completes(&pair->b, IB_WC_SUCCESS, IB_WC_RECV, NULL, "RECV");
	report(ok && has_event(&pair->b, IB_EVENT_SRQ_LIMIT_REACHED), "below it, it is");
	report(!ib_query_srq(pair->b.srq, &attr) && !attr.srq_limit, "once");
}

static void shared_last(struct pair *pair)
{
	struct ib_wc wc;

	report(!end_move(&pair->b, &pair->a, &pair->setup, IB_QPS_ERR) &&
	       has_event(&pair->b, IB_EVENT_QP_LAST_WQE_REACHED) &&
	       !ib_poll_cq(pair->b.cq, 1, &wc),
	       "a QP in error leaves a shared queue alone, and tells when it has done with it");
	report(!pair_again(pair) && !post(&pair->a, IB_WR_SEND, 0, 0, 0, 0, 0) &&
	       completes(&pair->a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "SEND") &&
	       completes(&pair->b, IB_WC_SUCCESS, IB_WC_RECV, &wc, "RECV") &&
	       wc.wr_id == address_of(pair->b.memory + 3 * 64),
	       "what is left in it serves the next connection");
}

void case_queues(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	struct pair pair;

	if (!pair_create(&pair, a, b, &setup)) {
		fill_queues(&pair);
		not_there(&pair);
		pair_destroy(&pair);
	}
	setup.srq = true;
	if (!pair_create(&pair, a, b, &setup)) {
		shared_limit(&pair);
		shared_last(&pair);
		pair_destroy(&pair);
	}
}

/* SEND before RECV. */

static void rnr_tries(struct ib_device *a, struct ib_device *b, u8 retry)
{
	struct setup setup = SETUP(IB_QPT_RC);
	s64 before = counter(a, "rcvd_rnr_err");
	struct pair pair;
	bool ok;

	setup.rnr_retry = retry;
	if (pair_create(&pair, a, b, &setup))
		return;
	ok = !post(&pair.a, IB_WR_SEND, 0, 0, 0, 0, 0) &&
	     completes(&pair.a, IB_WC_RNR_RETRY_EXC_ERR, 0, NULL, "SEND");
	report(ok && counter(a, "rcvd_rnr_err") - before == retry + 1,
	       "rnr_retry %u: %u tries, then an error", retry, retry + 1);
	pair_destroy(&pair);
}

static bool has_waited(struct ib_device *dev, s64 before, s64 tries)
{
	int i;

	for (i = 0; i < 400 && counter(dev, "rcvd_rnr_err") - before < tries; i++)
		schedule_timeout_uninterruptible(1);
	return counter(dev, "rcvd_rnr_err") - before >= tries;
}

/* 7 is no number: it is tried until there is a receive. */
static void rnr_endless(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	s64 before = counter(a, "rcvd_rnr_err");
	struct pair pair;

	if (pair_create(&pair, a, b, &setup))
		return;
	fill(pair.a.memory, 5000, 1);
	report(!post(&pair.a, IB_WR_SEND, address_of(pair.a.memory), 5000,
		     pair.a.pd->local_dma_lkey, 0, 0) &&
	       has_waited(a, before, 20) &&
	       !post_recv(&pair.b, address_of(pair.b.memory), 5000, pair.b.pd->local_dma_lkey) &&
	       completes(&pair.a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "SEND") &&
	       completes(&pair.b, IB_WC_SUCCESS, IB_WC_RECV, NULL, "RECV") &&
	       is_filled(pair.b.memory, 5000, 1),
	       "rnr_retry 7: 20 tries and more, and then a RECV takes it");
	pair_destroy(&pair);
}

#define CROWD	100

static int crowd_create(struct pair *pairs, struct ib_device *a, struct ib_device *b,
			const struct setup *setup)
{
	int i;

	for (i = 0; i < CROWD; i++)
		if (pair_create(&pairs[i], a, b, setup))
			break;
	return i;
}

/*
 * A hundred that are told to come back 10 us later, for ever. No faster than that: each has
 * a timer of its own. And whoever else uses the devices still gets through.
 */
static void rnr_crowd(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	struct pair *pairs = kcalloc(CROWD, sizeof(*pairs), GFP_KERNEL);
	struct pair pair;
	s64 before, naks;
	ktime_t begin;
	int i, n;
	bool ok;

	if (!pairs)
		return;
	setup.cqe = 4;
	setup.wr = 2;
	setup.memory = PAGE_SIZE;
	n = crowd_create(pairs, a, b, &setup);
	ok = report(n == CROWD, "%d connections", n);
	before = counter(a, "rcvd_rnr_err");
	begin = ktime_get();
	for (i = 0; i < n; i++)
		ok &= !post(&pairs[i].a, IB_WR_SEND, 0, 0, 0, 0, 0);
	ok &= has_waited(a, before, 10 * CROWD);
	setup = (struct setup)SETUP(IB_QPT_RC);
	if (!pair_create(&pair, a, b, &setup)) {
		for (i = 0; i < 20; i++)
			ok &= message(&pair);
		pair_destroy(&pair);
	}
	naks = counter(a, "rcvd_rnr_err") - before;
	report(ok && naks <= CROWD * (div_u64(ktime_us_delta(ktime_get(), begin), 10) + 1),
	       "endless RNR on %d QPs leaves room for others", n);
	for (i = 0; i < n; i++)
		pair_destroy(&pairs[i]);
	kfree(pairs);
	report(true, "and ends with its QPs");
}

void case_not_ready(struct ib_device *a, struct ib_device *b)
{
	rnr_tries(a, b, 0);
	rnr_tries(a, b, 1);
	rnr_endless(a, b);
	rnr_crowd(a, b);
}

/* Draining: what a kernel user does before it ends a connection. */

struct drained {
	struct ib_cqe cqe;
	atomic_t flushed;
	atomic_t other;
};

static void drained_one(struct ib_cq *cq, struct ib_wc *wc)
{
	struct drained *drained = container_of(wc->wr_cqe, struct drained, cqe);

	if (wc->status == IB_WC_WR_FLUSH_ERR)
		atomic_inc(&drained->flushed);
	else
		atomic_inc(&drained->other);
}

static struct ib_qp *drain_qp(struct end *end, struct ib_cq *cq, const struct setup *setup)
{
	struct ib_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = setup->type,
		.srq = end->srq,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return ib_create_qp(end->pd, &attr);
}

/* Receives that nobody sends to, and sends that nobody receives. */
static int post_idle(struct ib_qp *qp, struct drained *drained, bool receives, bool sends)
{
	struct ib_recv_wr recv = { .wr_cqe = &drained->cqe };
	struct ib_send_wr send = { .wr_cqe = &drained->cqe, .opcode = IB_WR_SEND };
	int i, err = 0;

	for (i = 0; i < 8 && !err; i++) {
		if (receives)
			err = ib_post_recv(qp, &recv, NULL);
		if (!err && sends)
			err = ib_post_send(qp, &send, NULL);
	}
	return err;
}

static void drain_one(struct pair *pair, const char *name, bool frozen)
{
	bool sends = pair->setup.type == IB_QPT_RC, receives = !pair->setup.srq;
	struct drained drained = { .cqe.done = drained_one };
	struct ib_qp *used = pair->a.qp;
	struct ib_cq *cq;
	bool ok;

	cq = ib_alloc_cq(pair->a.dev, NULL, 64, 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(cq))
		return;
	pair->a.qp = drain_qp(&pair->a, cq, &pair->setup);
	if (IS_ERR(pair->a.qp)) {
		report(false, "%s: a QP to drain: %ld", name, PTR_ERR(pair->a.qp));
		pair->a.qp = used;
		ib_free_cq(cq);
		return;
	}
	ok = !end_move(&pair->b, &pair->a, &pair->setup, IB_QPS_RESET) && !pair_connect(pair);
	ok = ok && (!frozen || run_fabctl("freeze"));
	ok = ok && !post_idle(pair->a.qp, &drained, receives, sends);
	ib_drain_qp(pair->a.qp);
	report(ok && atomic_read(&drained.flushed) == (sends + receives) * 8 &&
	       !atomic_read(&drained.other), "%s: drained%s, each work request with a flush error",
	       name, frozen ? " in a frozen fabric" : "");
	ib_destroy_qp(pair->a.qp);
	if (frozen)
		run_fabctl("thaw");
	pair->a.qp = used;
	ib_free_cq(cq);
}

void case_drain(struct ib_device *a, struct ib_device *b)
{
	static const struct { enum ib_qp_type type; bool srq; const char *name; } types[] = {
		{ IB_QPT_RC, false, "RC" }, { IB_QPT_UC, false, "UC" }, { IB_QPT_UD, false, "UD" },
		{ IB_QPT_RC, true, "RC with a shared queue" },
	};
	struct setup setup;
	struct pair pair;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		setup = (struct setup)SETUP(types[i].type);
		setup.srq = types[i].srq;
		if (pair_create(&pair, a, b, &setup))
			continue;
		drain_one(&pair, types[i].name, false);
		drain_one(&pair, types[i].name, true);
		pair_destroy(&pair);
	}
}

/* Events that no other case has. */

/* RTR: the first message tells that the other end is there. */
static void established(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	struct pair pair;
	bool ok;

	setup.unconnected = true;
	if (pair_create(&pair, a, b, &setup))
		return;
	ok = !end_move(&pair.a, &pair.b, &setup, IB_QPS_INIT) &&
	     !end_move(&pair.b, &pair.a, &setup, IB_QPS_INIT) &&
	     !end_move(&pair.a, &pair.b, &setup, IB_QPS_RTR) &&
	     !end_move(&pair.b, &pair.a, &setup, IB_QPS_RTR) &&
	     !end_move(&pair.a, &pair.b, &setup, IB_QPS_RTS);
	report(ok && message(&pair) && has_event(&pair.b, IB_EVENT_COMM_EST),
	       "COMM_EST, with the first message in RTR");
	pair_destroy(&pair);
}

/* SQD: what is on its way comes to its end, nothing new begins, and then it is told. */
static void send_queue_drained(struct ib_device *a, struct ib_device *b)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1 };
	struct setup setup = SETUP(IB_QPT_RC);
	struct pair pair;
	struct ib_wc wc;
	bool ok;

	if (pair_create(&pair, a, b, &setup))
		return;
	ok = !post(&pair.a, IB_WR_RDMA_WRITE, address_of(pair.a.memory), 65536,
		   pair.a.pd->local_dma_lkey, address_of(pair.b.memory), open_rkey(&pair.b)) &&
	     !ib_modify_qp(pair.a.qp, &attr, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY);
	ok = ok && has_event(&pair.a, IB_EVENT_SQ_DRAINED) &&
	     !post(&pair.a, IB_WR_RDMA_WRITE, address_of(pair.a.memory), 8,
		   pair.a.pd->local_dma_lkey, address_of(pair.b.memory), open_rkey(&pair.b));
	attr.qp_state = IB_QPS_RTS;
	ok = ok && !ib_modify_qp(pair.a.qp, &attr, IB_QP_STATE) && reap(&pair.a, &wc, 1) == 1 &&
	     reap(&pair.a, &wc, 1) == 1 && wc.status == IB_WC_SUCCESS;
	report(ok, "SQ_DRAINED, and in RTS again the rest is sent");
	pair_destroy(&pair);
}

/* More completions than the queue has room for. */
static void overrun(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	struct pair pair;
	bool ok = true;
	int i;

	setup.cqe = 4;
	if (pair_create(&pair, a, b, &setup))
		return;
	for (i = 0; i < 12; i++)
		ok &= !post(&pair.a, IB_WR_RDMA_WRITE, 0, 0, 0, 0, 0);
	report(ok && has_event(&pair.a, IB_EVENT_CQ_ERR) && has_event(&pair.a, IB_EVENT_QP_FATAL) &&
	       end_state(&pair.a) == IB_QPS_ERR, "CQ_ERR and QP_FATAL when a CQ overruns");
	pair_destroy(&pair);
}

/* Nobody there: the peer's QP is gone. */
static void no_answer(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	s64 before = counter(a, "local_ack_timeout_err");
	struct pair pair;

	setup.local_ack = 4;
	setup.retry = 2;
	if (pair_create(&pair, a, b, &setup))
		return;
	report(!end_move(&pair.b, &pair.a, &setup, IB_QPS_RESET) &&
	       !post(&pair.a, IB_WR_SEND, 0, 0, 0, 0, 0) &&
	       completes(&pair.a, IB_WC_RETRY_EXC_ERR, 0, NULL, "SEND") &&
	       counter(a, "local_ack_timeout_err") - before == 3,
	       "nobody answers: 2 retries, then RETRY_EXC_ERR");
	pair_destroy(&pair);
}

void case_events(struct ib_device *a, struct ib_device *b)
{
	established(a, b);
	send_queue_drained(a, b);
	overrun(a, b);
	no_answer(a, b);
}

/* Connections that stay, busy, until their device is taken away. */

static DEFINE_MUTEX(holding);		/* held */
static struct pair held[2];

int hold(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	unsigned int i;
	int err = 0;

	mutex_lock(&holding);
	for (i = 0; i < ARRAY_SIZE(held); i++) {
		if (held[i].a.dev || held[i].b.dev)
			continue;
		err = pair_create(&held[i], a, b, &setup);
		/* One waits for a receive for ever, and there are receives that nobody uses. */
		if (!err)
			report(!post(&held[i].a, IB_WR_SEND, 0, 0, 0, 0, 0) &&
			       !post_recv(&held[i].a, 0, 0, 0), "a connection that stays");
		break;
	}
	mutex_unlock(&holding);
	return err;
}

/* The device goes: no work request of ours may be left in it. */
static void end_let_go(struct end *end, struct ib_device *dev, int posted)
{
	struct ib_wc wc[2] = {};
	int n = 0, flushed = 0;

	if (end->dev != dev)
		return;
	if (!end_move(end, NULL, NULL, IB_QPS_ERR))
		n = reap(end, wc, posted);
	while (flushed < n && wc[flushed].status == IB_WC_WR_FLUSH_ERR)
		flushed++;
	report(flushed == posted, "%s goes: %d of %d work requests are flushed",
	       dev_name(&dev->dev), flushed, posted);
	end_destroy(end);
}

void let_go(struct ib_device *dev)
{
	unsigned int i;

	mutex_lock(&holding);
	for (i = 0; i < ARRAY_SIZE(held); i++) {
		end_let_go(&held[i].a, dev, 2);
		end_let_go(&held[i].b, dev, 0);
	}
	mutex_unlock(&holding);
}
