// SPDX-License-Identifier: GPL-2.0
/*
 * Ends of connections: made, connected, and what is done with them in every case.
 *
 * Addresses are read from the devices: a LID on InfiniBand, an IPv4 GID and the MAC
 * address behind it on Ethernet. That both ends are in one kernel saves the handshake.
 */
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include "client.h"

static void cq_told(struct ib_cq *cq, void *context)
{
	struct end *end = context;

	WRITE_ONCE(end->told, true);
	wake_up(&end->wait);
}

static void heard(struct ib_event *event, void *context)
{
	struct end *end = context;

	set_bit(event->event, &end->events);
	wake_up(&end->wait);
}

static struct ib_cq *create_cq(struct end *end, int cqe)
{
	struct ib_cq_init_attr attr = { .cqe = cqe };

	return ib_create_cq(end->dev, cq_told, heard, end, &attr);
}

static int create_srq(struct end *end, const struct setup *setup)
{
	struct ib_srq_init_attr attr = {
		.event_handler = heard,
		.srq_context = end,
		.attr = { .max_wr = setup->wr, .max_sge = 4 },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq = ib_create_srq(end->pd, &attr);

	if (IS_ERR(srq))
		return PTR_ERR(srq);
	end->srq = srq;
	return 0;
}

static int create_qp(struct end *end, const struct setup *setup)
{
	struct ib_qp_init_attr attr = {
		.event_handler = heard,
		.qp_context = end,
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.srq = end->srq,
		.cap = {
			.max_send_wr = setup->wr, .max_recv_wr = setup->wr,
			.max_send_sge = 4, .max_recv_sge = 4,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = setup->type,
	};
	struct ib_qp *qp = ib_create_qp(end->pd, &attr);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	end->qp = qp;
	return 0;
}

/* Everything but the connection. After an error nothing is left. */
int end_create(struct end *end, struct ib_device *dev, const struct setup *setup)
{
	int err;

	memset(end, 0, sizeof(*end));
	end->dev = dev;
	init_waitqueue_head(&end->wait);
	end->size = setup->memory;
	end->memory = alloc_pages_exact(end->size, GFP_KERNEL | __GFP_ZERO);
	if (!end->memory)
		return -ENOMEM;
	end->pd = ib_alloc_pd(dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (IS_ERR(end->pd)) {
		err = PTR_ERR(end->pd);
		goto err_memory;
	}
	end->cq = create_cq(end, setup->cqe);
	if (IS_ERR(end->cq)) {
		err = PTR_ERR(end->cq);
		goto err_pd;
	}
	err = setup->srq ? create_srq(end, setup) : 0;
	if (err)
		goto err_cq;
	err = create_qp(end, setup);
	if (err)
		goto err_srq;
	return 0;

err_srq:
	if (end->srq)
		ib_destroy_srq(end->srq);
err_cq:
	ib_destroy_cq(end->cq);
err_pd:
	ib_dealloc_pd(end->pd);
err_memory:
	free_pages_exact(end->memory, end->size);
	end->dev = NULL;
	return err;
}

void end_destroy(struct end *end)
{
	if (!end->dev)
		return;
	ib_destroy_qp(end->qp);
	if (end->srq)
		ib_destroy_srq(end->srq);
	ib_destroy_cq(end->cq);
	ib_dealloc_pd(end->pd);
	free_pages_exact(end->memory, end->size);
	if (end->lost)
		report(false, "%s: completions without the event that was asked for: %u",
		       dev_name(&end->dev->dev), end->lost);
	end->dev = NULL;
}

/* The GID of an IPv4 address, RoCE version 2; with a reference. */
static const struct ib_gid_attr *ipv4_gid(struct ib_device *dev)
{
	const struct ib_gid_attr *gid;
	int i;

	for (i = 0; i < dev->port_data[1].immutable.gid_tbl_len; i++) {
		gid = rdma_get_gid_attr(dev, 1, i);
		if (IS_ERR(gid))
			continue;
		if (gid->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((const struct in6_addr *)&gid->gid))
			return gid;
		rdma_put_gid_attr(gid);
	}
	return ERR_PTR(-ENOENT);
}

static int roce_address(const struct end *from, const struct end *to, struct rdma_ah_attr *ah)
{
	const struct ib_gid_attr *here = ipv4_gid(from->dev), *there = ipv4_gid(to->dev);
	int err = -ENOENT;

	if (!IS_ERR(here) && !IS_ERR(there)) {
		rdma_ah_set_grh(ah, (union ib_gid *)&there->gid, 0, here->index, 64, 0);
		err = rdma_read_gid_l2_fields(there, NULL, ah->roce.dmac);
	}
	if (!IS_ERR(here))
		rdma_put_gid_attr(here);
	if (!IS_ERR(there))
		rdma_put_gid_attr(there);
	return err;
}

/* How @from reaches @to. Ethernet always has a GRH. */
int end_address(const struct end *from, const struct end *to, bool grh, struct rdma_ah_attr *ah)
{
	struct ib_port_attr port;
	union ib_gid gid;
	int err;

	memset(ah, 0, sizeof(*ah));
	ah->type = rdma_ah_find_type(from->dev, 1);
	rdma_ah_set_port_num(ah, 1);
	if (ah->type == RDMA_AH_ATTR_TYPE_ROCE)
		return roce_address(from, to, ah);
	err = ib_query_port(to->dev, 1, &port);
	if (err)
		return err;
	rdma_ah_set_dlid(ah, port.lid);
	if (!grh)
		return 0;
	err = rdma_query_gid(to->dev, 1, 0, &gid);
	if (!err)
		rdma_ah_set_grh(ah, &gid, 0, 0, 64, 0);
	return err;
}

static int min_mtu(const struct end *a, const struct end *b)
{
	struct ib_port_attr pa, pb;

	if (ib_query_port(a->dev, 1, &pa) || ib_query_port(b->dev, 1, &pb))
		return IB_MTU_256;
	return min(pa.active_mtu, pb.active_mtu);
}

static int to_init(const struct setup *setup, struct ib_qp_attr *attr)
{
	attr->pkey_index = 0;
	attr->port_num = 1;
	if (setup->type == IB_QPT_UD) {
		attr->qkey = QKEY;
		return IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY;
	}
	attr->qp_access_flags = setup->access;
	return IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS;
}

static int to_rtr(struct end *end, const struct end *to, const struct setup *setup,
		  struct ib_qp_attr *attr)
{
	if (setup->type == IB_QPT_UD)
		return 0;
	attr->path_mtu = min_mtu(end, to);
	attr->dest_qp_num = to->qp->qp_num;
	attr->rq_psn = to->qp->qp_num & 0xffffff;
	attr->max_dest_rd_atomic = setup->max_rd;
	attr->min_rnr_timer = setup->rnr_timer;
	if (end_address(end, to, false, &attr->ah_attr))
		note("no address of %s", dev_name(&to->dev->dev));
	return IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
	       (setup->type == IB_QPT_RC ? IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER : 0);
}

static int to_rts(struct end *end, const struct setup *setup, struct ib_qp_attr *attr)
{
	attr->sq_psn = end->qp->qp_num & 0xffffff;
	attr->timeout = setup->local_ack;
	attr->retry_cnt = setup->retry;
	attr->rnr_retry = setup->rnr_retry;
	attr->max_rd_atomic = setup->max_rd;
	return IB_QP_SQ_PSN | (setup->type == IB_QPT_RC ?
			       IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			       IB_QP_MAX_QP_RD_ATOMIC : 0);
}

/* One step of the way, with the attributes that it takes. */
int end_move(struct end *end, const struct end *to, const struct setup *setup,
	     enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = 0;

	if (state == IB_QPS_INIT)
		mask = to_init(setup, &attr);
	else if (state == IB_QPS_RTR)
		mask = to_rtr(end, to, setup, &attr);
	else if (state == IB_QPS_RTS)
		mask = to_rts(end, setup, &attr);
	return ib_modify_qp(end->qp, &attr, mask | IB_QP_STATE);
}

int pair_connect(struct pair *pair)
{
	static const enum ib_qp_state way[] = { IB_QPS_INIT, IB_QPS_RTR, IB_QPS_RTS };
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(way) && !err; i++) {
		err = end_move(&pair->a, &pair->b, &pair->setup, way[i]);
		if (!err)
			err = end_move(&pair->b, &pair->a, &pair->setup, way[i]);
	}
	return err;
}

/* After an error: from the start, with nothing left of what was. */
int pair_again(struct pair *pair)
{
	struct ib_wc wc;

	if (end_move(&pair->a, &pair->b, &pair->setup, IB_QPS_RESET) ||
	    end_move(&pair->b, &pair->a, &pair->setup, IB_QPS_RESET))
		return -EIO;
	while (ib_poll_cq(pair->a.cq, 1, &wc) > 0 || ib_poll_cq(pair->b.cq, 1, &wc) > 0)
		;
	pair->a.events = 0;
	pair->b.events = 0;
	return pair_connect(pair);
}

int pair_create(struct pair *pair, struct ib_device *a, struct ib_device *b,
		const struct setup *setup)
{
	int err;

	memset(pair, 0, sizeof(*pair));
	pair->setup = *setup;
	err = end_create(&pair->a, a, setup);
	if (!err)
		err = end_create(&pair->b, b, setup);
	if (!err && !setup->unconnected)
		err = pair_connect(pair);
	if (err) {
		report(false, "a pair of %s and %s: %d", dev_name(&a->dev), dev_name(&b->dev), err);
		pair_destroy(pair);
	}
	return err;
}

void pair_destroy(struct pair *pair)
{
	end_destroy(&pair->a);
	end_destroy(&pair->b);
}

enum ib_qp_state end_state(const struct end *end)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	if (ib_query_qp(end->qp, &attr, IB_QP_STATE, &init))
		return -1;
	return attr.qp_state;
}

int post_wr(struct end *end, struct ib_send_wr *wr)
{
	const struct ib_send_wr *bad;

	return ib_post_send(end->qp, wr, &bad);
}

/* A signaled request with one piece of memory; @length 0: with none. */
int post(struct end *end, enum ib_wr_opcode opcode, u64 addr, u32 length, u32 lkey,
	 u64 remote, u32 rkey)
{
	struct ib_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_id = addr, .sg_list = &sge, .num_sge = !!length, .opcode = opcode,
			.send_flags = IB_SEND_SIGNALED, .ex.imm_data = cpu_to_be32(0x12345678),
		},
		.remote_addr = remote,
		.rkey = rkey,
	};

	return post_wr(end, &wr.wr);
}

int post_recv(struct end *end, u64 addr, u32 length, u32 lkey)
{
	struct ib_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	struct ib_recv_wr wr = { .wr_id = addr, .sg_list = &sge, .num_sge = !!length };
	const struct ib_recv_wr *bad;

	return end->srq ? ib_post_srq_recv(end->srq, &wr, &bad) : ib_post_recv(end->qp, &wr, &bad);
}

/*
 * Take @n completions, asleep in between: the CQ is armed, and looked at once more
 * as every user has to. What is there without an event after all is lost() work.
 */
int reap(struct end *end, struct ib_wc *wc, int n)
{
	unsigned long until = jiffies + PATIENCE;
	int got = 0, more;

	while (got < n && time_before(jiffies, until)) {
		WRITE_ONCE(end->told, false);
		if (ib_req_notify_cq(end->cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) <= 0 &&
		    !wait_event_timeout(end->wait, READ_ONCE(end->told), 5 * HZ)) {
			more = ib_poll_cq(end->cq, n - got, wc + got);
			end->lost += more > 0;
		} else {
			more = ib_poll_cq(end->cq, n - got, wc + got);
		}
		if (more < 0)
			break;
		got += more;
	}
	return got;
}

/* The next completion is so. */
bool completes(struct end *end, enum ib_wc_status status, enum ib_wc_opcode opcode,
	       struct ib_wc *wc, const char *what)
{
	struct ib_wc here;

	wc = wc ?: &here;
	memset(wc, 0, sizeof(*wc));
	if (reap(end, wc, 1) != 1)
		return report(false, "%s: no completion at %s", what, dev_name(&end->dev->dev));
	if (wc->status != status)
		return report(false, "%s: status %s, not %s", what, ib_wc_status_msg(wc->status),
			      ib_wc_status_msg(status));
	if (status == IB_WC_SUCCESS && wc->opcode != opcode)
		return report(false, "%s: opcode %d, not %d", what, wc->opcode, opcode);
	if (wc->qp != end->qp)
		return report(false, "%s: the completion of another QP", what);
	return true;
}

/* The next @n completions are successes. */
bool all_complete(struct end *end, int n)
{
	struct ib_wc wc;
	int i;

	for (i = 0; i < n; i++)
		if (reap(end, &wc, 1) != 1 || wc.status != IB_WC_SUCCESS)
			return false;
	return true;
}

bool has_event(struct end *end, enum ib_event_type event)
{
	return wait_event_timeout(end->wait, test_bit(event, &end->events), PATIENCE);
}

/* Contents that tell each position and each message from any other. */
static u8 byte_at(size_t i, u8 seed)
{
	return seed + i + (i >> 8) * 7 + (i >> 16) * 13;
}

void fill(u8 *at, size_t length, u8 seed)
{
	size_t i;

	for (i = 0; i < length; i++)
		at[i] = byte_at(i, seed);
}

bool is_filled(const u8 *at, size_t length, u8 seed)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (at[i] != byte_at(i, seed))
			return false;
	return true;
}

/* One of the HCA's counters; -1 if it has none of that name. */
s64 counter(struct ib_device *dev, const char *name)
{
	struct rdma_hw_stats *stats = dev->ops.alloc_hw_port_stats(dev, 1);
	s64 value = -1;
	int i;

	if (!stats)
		return -1;
	if (dev->ops.get_hw_stats(dev, stats, 1, stats->num_counters) > 0)
		for (i = 0; i < stats->num_counters; i++)
			if (!strcmp(stats->descs[i].name, name))
				value = stats->value[i];
	rdma_free_hw_stats_struct(stats);
	return value;
}
