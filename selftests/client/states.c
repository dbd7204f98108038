// SPDX-License-Identifier: GPL-2.0
/*
 * The states of a queue pair: every move that there could be is tried.
 *
 * What is right is written here once more, from the specification (InfiniBand volume 1,
 * figure 124 and table 91) and not from the tables that the kernel has: for each
 * service, which moves there are, which attributes each needs, and which it takes.
 */
#include "client.h"

#define RESET	IB_QPS_RESET
#define INIT	IB_QPS_INIT
#define RTR	IB_QPS_RTR
#define RTS	IB_QPS_RTS
#define SQD	IB_QPS_SQD
#define SQE	IB_QPS_SQE
#define ERR	IB_QPS_ERR
#define STATES	(IB_QPS_ERR + 1)

static const char * const names[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };

static bool is_rc(enum ib_qp_type type)
{
	return type == IB_QPT_RC;
}

/*
 * Is there such a move? To RESET and ERR from anywhere; but for RESET to ERR, which the
 * specification has and Linux has not (nothing is posted there that could be flushed).
 */
static bool is_legal(enum ib_qp_type type, enum ib_qp_state from, enum ib_qp_state to)
{
	switch (to) {
	case RESET:
		return true;
	case ERR:
		return from != RESET;
	case INIT:
		return from == RESET || from == INIT;
	case RTR:
		return from == INIT;
	case RTS:
		return from == RTR || from == RTS || from == SQD || (from == SQE && !is_rc(type));
	case SQD:
		return from == RTS || from == SQD;
	default:
		return false;
	}
}

/* Which attributes must come with it? */
static int needed(enum ib_qp_type type, enum ib_qp_state from, enum ib_qp_state to)
{
	bool ud = type == IB_QPT_UD;
	int mask = 0;

	if (from == RESET && to == INIT)
		mask = IB_QP_PKEY_INDEX | IB_QP_PORT | (ud ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS);
	if (from == INIT && to == RTR && !ud)
		mask = IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	if (from == INIT && to == RTR && is_rc(type))
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	if (from == RTR && to == RTS)
		mask = IB_QP_SQ_PSN;
	if (from == RTR && to == RTS && is_rc(type))
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC;
	return mask;
}

/* One that never comes with this move. */
static int never(enum ib_qp_state to)
{
	switch (to) {
	case INIT:
		return IB_QP_SQ_PSN;
	case RTR:
		return IB_QP_SQ_PSN;
	case RTS:
	case SQD:
		return IB_QP_DEST_QPN;
	default:
		return IB_QP_SQ_PSN;
	}
}

static void values(const struct pair *pair, struct ib_qp_attr *attr)
{
	*attr = (struct ib_qp_attr) {
		.path_mtu = IB_MTU_1024, .qkey = QKEY, .rq_psn = 1, .sq_psn = 1,
		.dest_qp_num = pair->b.qp->qp_num, .qp_access_flags = ALL_ACCESS, .port_num = 1,
		.max_rd_atomic = 1, .max_dest_rd_atomic = 1, .min_rnr_timer = 1, .timeout = 14,
		.retry_cnt = 7, .rnr_retry = 7,
	};
	end_address(&pair->a, &pair->b, false, &attr->ah_attr);
}

static int move(struct pair *pair, enum ib_qp_state to, int mask)
{
	struct ib_qp_attr attr;

	values(pair, &attr);
	attr.qp_state = to;
	return ib_modify_qp(pair->a.qp, &attr, mask | IB_QP_STATE);
}

/* A send that cannot be carried out stops the send queue: the only way to SQE. */
static bool to_sqe(struct pair *pair)
{
	struct ib_rdma_wr wr = { .wr = { .opcode = IB_WR_RDMA_READ } };
	struct ib_sge sge = { address_of(pair->a.memory), 8, 0x00123400 };
	struct ib_ud_wr ud = { .wr = { .opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1 } };
	struct rdma_ah_attr attr;
	bool ok;

	if (pair->setup.type != IB_QPT_UD)
		return !post_wr(&pair->a, &wr.wr) && reap(&pair->a, &(struct ib_wc){}, 1) == 1;
	if (end_address(&pair->a, &pair->b, false, &attr))
		return false;
	ud.ah = rdma_create_ah(pair->a.pd, &attr, 0);
	if (IS_ERR(ud.ah))
		return false;
	ok = !post_wr(&pair->a, &ud.wr) && reap(&pair->a, &(struct ib_wc){}, 1) == 1;
	rdma_destroy_ah(ud.ah, 0);
	return ok;
}

/* Walk there from RESET. */
static bool go_to(struct pair *pair, enum ib_qp_state state)
{
	enum ib_qp_type type = pair->setup.type;
	bool ok = !move(pair, RESET, 0);

	if (ok && state != RESET)
		ok = !move(pair, INIT, needed(type, RESET, INIT));
	if (ok && state != RESET && state != INIT)
		ok = !move(pair, RTR, needed(type, INIT, RTR));
	if (ok && state != RESET && state != INIT && state != RTR)
		ok = !move(pair, RTS, needed(type, RTR, RTS));
	if (ok && state == SQE)
		ok = to_sqe(pair);
	if (ok && (state == SQD || state == ERR))
		ok = !move(pair, state, 0);
	if (!ok || end_state(&pair->a) != state)
		return report(false, "the way to %s", names[state]);
	return true;
}

/* One move with these attributes: as it should be, and the state with it? */
static bool try(struct pair *pair, enum ib_qp_state from, enum ib_qp_state to, int mask,
		bool legal)
{
	enum ib_qp_state is;
	int err;

	if (!go_to(pair, from))
		return false;
	err = move(pair, to, mask);
	is = end_state(&pair->a);
	if (err == (legal ? 0 : -EINVAL) && is == (legal ? to : from))
		return true;
	return report(false, "%s to %s with %#x: %d, now in %s", names[from], names[to], mask, err,
		      is < STATES ? names[is] : "?");
}

/* A move, the same with one attribute missing, and with one that does not belong to it. */
static unsigned int try_all(struct pair *pair, enum ib_qp_state from, enum ib_qp_state to,
			    unsigned int *bad)
{
	enum ib_qp_type type = pair->setup.type;
	bool legal = is_legal(type, from, to);
	int mask = needed(type, from, to), bit;
	unsigned int n = 1;

	*bad += !try(pair, from, to, mask, legal);
	if (!legal)
		return n;
	for (bit = 1; bit <= mask; bit <<= 1) {
		if (!(mask & bit))
			continue;
		*bad += !try(pair, from, to, mask & ~bit, false);
		n++;
	}
	*bad += !try(pair, from, to, mask | never(to), false);
	return n + 1;
}

static void matrix(struct ib_device *a, struct ib_device *b, enum ib_qp_type type,
		   const char *name)
{
	struct setup setup = SETUP(type);
	unsigned int n = 0, bad = 0;
	enum ib_qp_state from, to;
	struct pair pair;

	setup.unconnected = true;
	if (pair_create(&pair, a, b, &setup))
		return;
	for (from = 0; from < STATES; from++) {
		/* A reliable connection that fails is in ERR as a whole. */
		if (from == SQE && is_rc(type))
			continue;
		for (to = 0; to < STATES; to++)
			n += try_all(&pair, from, to, &bad);
	}
	report(!bad, "%s: %u moves, each accepted or refused as the specification has it", name, n);
	pair_destroy(&pair);
}

/* What may be posted where. */
static void posting(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	static const enum ib_qp_state states[] = { RESET, INIT, RTR, RTS, SQD, ERR };
	struct pair pair;
	unsigned int i;
	bool ok = true;
	int err;

	setup.unconnected = true;
	if (pair_create(&pair, a, b, &setup))
		return;
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		if (!go_to(&pair, states[i]))
			break;
		err = post_recv(&pair.a, 0, 0, 0);
		ok &= (states[i] == RESET) == !!err;
		err = post(&pair.a, IB_WR_SEND, 0, 0, 0, 0, 0);
		ok &= (states[i] == RESET || states[i] == INIT || states[i] == RTR) == !!err;
	}
	report(ok && i == ARRAY_SIZE(states), "sends and receives are taken where they may be");
	pair_destroy(&pair);
}

static int with(struct pair *pair, struct ib_qp_attr *attr, int mask)
{
	return ib_modify_qp(pair->a.qp, attr, mask);
}

/* Values that cannot be. */
static void bad_values(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	struct ib_qp_attr attr;
	struct pair pair;
	bool ok;
	int mask;

	setup.unconnected = true;
	if (pair_create(&pair, a, b, &setup))
		return;
	mask = IB_QP_STATE | needed(IB_QPT_RC, RESET, INIT);
	values(&pair, &attr);
	attr.qp_state = INIT;
	attr.pkey_index = 5000;
	ok = with(&pair, &attr, mask) == -EINVAL;
	attr.pkey_index = 0;
	ok &= with(&pair, &attr, mask) == 0;
	mask = IB_QP_STATE | needed(IB_QPT_RC, INIT, RTR);
	attr.qp_state = RTR;
	attr.path_mtu = 9;
	ok &= with(&pair, &attr, mask) == -EINVAL;
	attr.path_mtu = IB_MTU_1024;
	attr.max_dest_rd_atomic = 200;
	ok &= with(&pair, &attr, mask) == -EINVAL;
	attr.max_dest_rd_atomic = 1;
	attr.dest_qp_num = 0x1000000;
	ok &= with(&pair, &attr, mask) == -EINVAL;
	attr.dest_qp_num = pair.b.qp->qp_num;
	attr.cur_qp_state = RTS;
	ok &= with(&pair, &attr, mask) == 0;
	mask = IB_QP_STATE | IB_QP_CUR_STATE | needed(IB_QPT_RC, RTR, RTS);
	attr.qp_state = RTS;
	ok &= with(&pair, &attr, mask) == -EINVAL;
	attr.cur_qp_state = RTR;
	attr.rnr_retry = 8;
	ok &= with(&pair, &attr, mask) == -EINVAL;
	attr.rnr_retry = 7;
	ok &= with(&pair, &attr, mask) == 0;
	report(ok, "values out of range are refused, and change nothing");
	pair_destroy(&pair);
}

void case_states(struct ib_device *a, struct ib_device *b)
{
	matrix(a, b, IB_QPT_RC, "RC");
	matrix(a, b, IB_QPT_UC, "UC");
	matrix(a, b, IB_QPT_UD, "UD");
	posting(a, b);
	bad_values(a, b);
}
