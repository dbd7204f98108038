// SPDX-License-Identifier: GPL-2.0
/* Talks to the module's cost probes; see cost.h. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "array.h"
#include "cost.h"

static const char *const path_names[] = {
	[FABSIM_PATH_TCP] = "tcp",
	[FABSIM_PATH_ROCE] = "roce",
	[FABSIM_PATH_IB] = "ib",
};

static const struct {
	const char *name, *side;
} stages[] = {
	[FABSIM_STAGE_SND_APP] = { "application", "sender" },
	[FABSIM_STAGE_SND_SYSCALL] = { "system call", "sender" },
	[FABSIM_STAGE_SND_COPY] = { "copy in", "sender" },
	[FABSIM_STAGE_SND_STACK] = { "TCP/IP down", "sender" },
	[FABSIM_STAGE_SND_DRIVER] = { "NIC driver", "sender" },
	[FABSIM_STAGE_WIRE] = { "wire", "network" },
	[FABSIM_STAGE_RCV_IRQ] = { "interrupt", "receiver" },
	[FABSIM_STAGE_RCV_STACK] = { "TCP/IP up", "receiver" },
	[FABSIM_STAGE_RCV_COPY] = { "copy out", "receiver" },
	[FABSIM_STAGE_RCV_SYSCALL] = { "system call", "receiver" },
	[FABSIM_STAGE_RCV_APP] = { "application", "receiver" },
};

static_assert(FABSIM_A_COUNTER_MAX < 32, "a bit for every counter");
static_assert(ARRAY_SIZE(stages) == FABSIM_STAGE_MAX + 1, "every stage has a name");

int cost_start(struct fab_nl *nl, enum fabsim_path path, uint32_t mode)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_COST_START);

	nla_put_u32(msg, FABSIM_A_COST_PATH, path);
	nla_put_u32(msg, FABSIM_A_COST_MODE, mode);
	return fab_nl_do(nl, msg);
}

int cost_attach(struct fab_nl *nl, pid_t pid, enum fabsim_side side,
		const char *host)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_COST_ATTACH);

	nla_put_u32(msg, FABSIM_A_COST_PID, pid);
	nla_put_u32(msg, FABSIM_A_COST_SIDE, side);
	if (host)
		nla_put_string(msg, FABSIM_A_COST_HOST, host);
	return fab_nl_do(nl, msg);
}

int cost_start_pair(struct fab_nl *nl, enum fabsim_path path, uint32_t mode,
		    pid_t sender, const char *from, pid_t receiver, const char *to)
{
	int err = cost_start(nl, path, mode);

	if (!err)
		err = cost_attach(nl, sender, FABSIM_SIDE_SENDER, from);
	if (!err)
		err = cost_attach(nl, receiver, FABSIM_SIDE_RECEIVER, to);
	return err;
}

int cost_stop(struct fab_nl *nl)
{
	return fab_nl_do(nl, fab_nl_msg(nl, FABSIM_CMD_COST_STOP));
}

static uint64_t get_u64(struct nlattr *a)
{
	return a && nla_len(a) == sizeof(uint64_t) ? nla_get_u64(a) : 0;
}

static void read_side(struct nlattr *nest, struct cost_result *res, int side)
{
	struct nlattr *a;
	int rem;

	if (!nest)
		return;
	nla_for_each_nested(a, nest, rem) {
		if (nla_type(a) > FABSIM_A_COUNTER_MAX)
			continue;
		res->has[side] |= 1u << nla_type(a);
		res->counter[side][nla_type(a)] = get_u64(a);
	}
}

static void read_stage(struct nlattr *nest, struct cost_result *res)
{
	struct nlattr *tb[FABSIM_A_STAGE_MAX + 1];
	struct cost_stage *s;
	uint32_t which;

	if (nla_parse_nested(tb, FABSIM_A_STAGE_MAX, nest, NULL) ||
	    !tb[FABSIM_A_STAGE_STAGE])
		return;
	which = nla_get_u32(tb[FABSIM_A_STAGE_STAGE]);
	if (which > FABSIM_STAGE_MAX)
		return;
	s = &res->stage[which];
	s->ns = get_u64(tb[FABSIM_A_STAGE_NS]);
	s->count = get_u64(tb[FABSIM_A_STAGE_COUNT]);
	s->cpu = tb[FABSIM_A_STAGE_CPU] && nla_get_u8(tb[FABSIM_A_STAGE_CPU]);
}

/*
 * STAGE is repeated, and @tb has only the last one. All attributes of a message
 * lie one behind the other, so those before it are found on the way from the
 * first attribute that @tb knows.
 */
static void read_stages(struct nlattr **tb, struct cost_result *res)
{
	struct nlattr *a = tb[FABSIM_A_COST_STAGE], *last = a;

	for (int i = 0; i <= FABSIM_A_COST_MAX; i++)
		if (tb[i] && tb[i] < a)
			a = tb[i];
	for (; a && a <= last;
	     a = (struct nlattr *)((char *)a + NLA_ALIGN(a->nla_len))) {
		if (nla_type(a) == FABSIM_A_COST_STAGE)
			read_stage(a, res);
	}
}

static int read_result(struct nlattr **tb, void *arg)
{
	struct cost_result *res = arg;

	read_side(tb[FABSIM_A_COST_SENDER], res, FABSIM_SIDE_SENDER);
	read_side(tb[FABSIM_A_COST_RECEIVER], res, FABSIM_SIDE_RECEIVER);
	read_stages(tb, res);
	res->real_ns = get_u64(tb[FABSIM_A_COST_REAL_NS]);
	res->fabric_ns = get_u64(tb[FABSIM_A_COST_FABRIC_NS]);
	return 0;
}

int cost_get(struct fab_nl *nl, enum fabsim_path path, struct cost_result *res)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_COST_GET);

	memset(res, 0, sizeof(*res));
	nla_put_u32(msg, FABSIM_A_COST_PATH, path);
	return fab_nl_ask(nl, msg, FABSIM_A_COST_MAX, read_result, res);
}

uint64_t cost_copied(const struct cost_result *res, enum fabsim_side side)
{
	return res->counter[side][FABSIM_A_COUNTER_COPIED_IN] +
	       res->counter[side][FABSIM_A_COUNTER_COPIED_OUT];
}

uint64_t cost_copies(const struct cost_result *res, enum fabsim_side side)
{
	return res->counter[side][FABSIM_A_COUNTER_COPIES_IN] +
	       res->counter[side][FABSIM_A_COUNTER_COPIES_OUT];
}

const char *cost_path_name(enum fabsim_path path)
{
	return path <= FABSIM_PATH_MAX ? path_names[path] : "?";
}

int cost_path_find(const char *name)
{
	for (int i = 0; i <= FABSIM_PATH_MAX; i++)
		if (!strcmp(path_names[i], name))
			return i;
	return -1;
}

const char *cost_stage_name(enum fabsim_stage stage)
{
	return stages[stage].name ? stages[stage].name : "?";
}

const char *cost_stage_side(enum fabsim_stage stage)
{
	return stages[stage].side ? stages[stage].side : "?";
}
