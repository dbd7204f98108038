// SPDX-License-Identifier: GPL-2.0
/*
 * COST_*: what a message costs inside the hosts.
 *
 * cost/ counts; this file says who asked for it. A measurement belongs to the
 * socket that started it: when that is closed, the probes are taken off, so a
 * controller that was killed leaves nothing attached. The results stay.
 */
#include "cost/cost.h"
#include "extack.h"
#include "fabric.h"
#include "netlink.h"

static struct {
	const struct net *net;	/* compared only */
	u32 portid;
	bool taken;		/* control mutex; read anywhere */
} owner;

static struct netlink_range_validation pid_range = { .min = 1, .max = INT_MAX };

const struct nla_policy fab_nl_cost_start_policy[FABSIM_A_COST_MAX + 1] = {
	[FABSIM_A_COST_PATH] = NLA_POLICY_MAX(NLA_U32, FABSIM_PATH_MAX),
	[FABSIM_A_COST_MODE] = NLA_POLICY_MASK(NLA_U32, FABSIM_COST_COUNTS | FABSIM_COST_TIMES),
};

const struct nla_policy fab_nl_cost_attach_policy[FABSIM_A_COST_MAX + 1] = {
	[FABSIM_A_COST_PID] = NLA_POLICY_FULL_RANGE(NLA_U32, &pid_range),
	[FABSIM_A_COST_SIDE] = NLA_POLICY_MAX(NLA_U32, FABSIM_SIDE_MAX),
	[FABSIM_A_COST_HOST] = { .type = NLA_NUL_STRING, .len = FABSIM_NODE_NAME_MAX },
};

const struct nla_policy fab_nl_cost_get_policy[FABSIM_A_COST_MAX + 1] = {
	[FABSIM_A_COST_PATH] = NLA_POLICY_MAX(NLA_U32, FABSIM_PATH_MAX),
};

/* COST_START */
int fab_nl_cost_start(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	int err;

	if (fab_nl_need(info, FABSIM_A_COST_PATH, "the path to measure (PATH)") ||
	    fab_nl_need(info, FABSIM_A_COST_MODE, "what to attach (MODE)"))
		return -EINVAL;
	err = fab_cost_start(nla_get_u32(attrs[FABSIM_A_COST_PATH]),
			     nla_get_u32(attrs[FABSIM_A_COST_MODE]), info->extack);
	if (err)
		return err;
	owner.net = genl_info_net(info);
	owner.portid = info->snd_portid;
	WRITE_ONCE(owner.taken, true);
	return 0;
}

static struct fab_node *find_host(struct genl_info *info)
{
	struct nlattr *name = info->attrs[FABSIM_A_COST_HOST];
	struct fab_node *node;

	if (!name)
		return NULL;
	node = fab_node_find(nla_data(name));
	if (node && node->live)
		return node;
	NL_SET_BAD_ATTR(info->extack, name);
	fab_err(info->extack, node ? "\"%s\" has no NIC: it is no live host" :
				     "there is no node \"%s\"", (char *)nla_data(name));
	return ERR_PTR(node ? -EINVAL : -ENOENT);
}

/* COST_ATTACH */
int fab_nl_cost_attach(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct fab_node *host;

	if (fab_nl_need(info, FABSIM_A_COST_PID, "the process to follow (PID)") ||
	    fab_nl_need(info, FABSIM_A_COST_SIDE, "its side (SIDE)"))
		return -EINVAL;
	host = find_host(info);
	if (IS_ERR(host))
		return PTR_ERR(host);
	return fab_cost_attach(nla_get_u32(attrs[FABSIM_A_COST_PID]),
			       nla_get_u32(attrs[FABSIM_A_COST_SIDE]), host, info->extack);
}

/* COST_STOP */
int fab_nl_cost_stop(struct sk_buff *skb, struct genl_info *info)
{
	int err = fab_cost_stop(info->extack);

	if (!err)
		WRITE_ONCE(owner.taken, false);
	return err;
}

static int fill_cost(struct sk_buff *skb, const void *path)
{
	return fab_cost_fill(skb, *(const u32 *)path);
}

/* COST_GET */
int fab_nl_cost_get(struct sk_buff *skb, struct genl_info *info)
{
	u32 path;

	if (fab_nl_need(info, FABSIM_A_COST_PATH, "the path (PATH)"))
		return -EINVAL;
	path = nla_get_u32(info->attrs[FABSIM_A_COST_PATH]);
	return fab_nl_answer(info, fill_cost, &path);
}

/**
 * fab_nl_cost_any() - does a measurement run that a socket has started?
 *
 * Context: any; exact for a socket's own.
 * Return: true if one does.
 */
bool fab_nl_cost_any(void)
{
	return READ_ONCE(owner.taken);
}

/**
 * fab_nl_cost_end() - a socket is closed, and with it ends its measurement
 * @net: its namespace
 * @portid: its address
 *
 * Context: process context, control mutex.
 */
void fab_nl_cost_end(const struct net *net, u32 portid)
{
	if (!owner.taken || owner.portid != portid || !net_eq(owner.net, net))
		return;
	fab_cost_stop(NULL);
	WRITE_ONCE(owner.taken, false);
}
