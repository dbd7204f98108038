// SPDX-License-Identifier: GPL-2.0
/*
 * SM_*, LFT_GET and QP_GET: the InfiniBand network and the HCAs, to controllers.
 *
 * A subnet manager lives in a switch, so it is named by it. A switch's forwarding
 * table is what subnet managers wrote into it; it is read, and never written, here:
 * who wants to write one sends MADs, as they do.
 */
#include "compat.h"
#include "eth/eth.h"
#include "extack.h"
#include "fabric.h"
#include "host/net.h"
#include "ib/ib.h"
#include "ib/sm.h"
#include "netlink.h"

/* Lines of a table read in one call. */
#define LFT_LINES	64
#define QP_LINES	8

static_assert((int)FABSIM_SM_MASTER == FAB_SM_MASTER);
static_assert((int)FABSIM_ROUTING_UPDN == FAB_ROUTE_UP_DOWN);

static struct netlink_range_validation ms_range = {
	.min = FABSIM_SM_MS_MIN, .max = FABSIM_SM_MS_MAX,
};

#define NODE_POLICY(attr)	\
	[attr] = { .type = NLA_NUL_STRING, .len = FABSIM_NODE_NAME_MAX }

const struct nla_policy fab_nl_sm_get_policy[FABSIM_A_SM_MAX + 1] = {
	NODE_POLICY(FABSIM_A_SM_NODE),
};

const struct nla_policy fab_nl_sm_set_policy[FABSIM_A_SM_MAX + 1] = {
	NODE_POLICY(FABSIM_A_SM_NODE),
	[FABSIM_A_SM_PRIORITY] = NLA_POLICY_MAX(NLA_U32, FABSIM_SM_PRIORITY_MAX),
	[FABSIM_A_SM_LMC] = NLA_POLICY_MAX(NLA_U32, FABSIM_SM_LMC_MAX),
	[FABSIM_A_SM_ROUTING] = NLA_POLICY_MAX(NLA_U32, FABSIM_ROUTING_MAX),
	[FABSIM_A_SM_SWEEP] = NLA_POLICY_FULL_RANGE(NLA_U32, &ms_range),
	[FABSIM_A_SM_POLL] = NLA_POLICY_FULL_RANGE(NLA_U32, &ms_range),
};

const struct nla_policy fab_nl_sm_stop_policy[FABSIM_A_SM_MAX + 1] = {
	NODE_POLICY(FABSIM_A_SM_NODE),
	[FABSIM_A_SM_COLD] = { .type = NLA_FLAG },
};

const struct nla_policy fab_nl_lft_policy[FABSIM_A_LFT_MAX + 1] = {
	NODE_POLICY(FABSIM_A_LFT_NODE),
};

const struct nla_policy fab_nl_qp_policy[FABSIM_A_QP_MAX + 1] = {
	NODE_POLICY(FABSIM_A_QP_NODE),
};

/* Settings, as netlink has them: all of one size. */
struct wish {
	u32 priority;
	u32 lmc;
	u32 routing;
	u32 sweep;
	u32 poll;
};

static const struct fab_nl_field settings[] = {
	FAB_NL_FIELD(FABSIM_A_SM_PRIORITY, struct wish, priority, BIT(0)),
	FAB_NL_FIELD(FABSIM_A_SM_LMC, struct wish, lmc, BIT(1)),
	FAB_NL_FIELD(FABSIM_A_SM_ROUTING, struct wish, routing, BIT(2)),
	FAB_NL_FIELD(FABSIM_A_SM_SWEEP, struct wish, sweep, BIT(3)),
	FAB_NL_FIELD(FABSIM_A_SM_POLL, struct wish, poll, BIT(4)),
};

static const struct fab_nl_field sm_fields[] = {
	FAB_NL_FIELD(FABSIM_A_SM_GUID, struct fab_sm_info, guid, 0),
	FAB_NL_FIELD(FABSIM_A_SM_MASTER, struct fab_sm_info, master_guid, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SWITCHES, struct fab_sm_info, switches, 0),
	FAB_NL_FIELD(FABSIM_A_SM_ENDS, struct fab_sm_info, ends, 0),
	FAB_NL_FIELD(FABSIM_A_SM_LIDS, struct fab_sm_info, lids, 0),
	FAB_NL_FIELD(FABSIM_A_SM_GROUPS, struct fab_sm_info, groups, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SWEEPS, struct fab_sm_info, stats.sweeps, 0),
	FAB_NL_FIELD(FABSIM_A_SM_LIGHT_SWEEPS, struct fab_sm_info, stats.light_sweeps, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SWEEP_NS, struct fab_sm_info, stats.sweep_ns, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SWEEP_SMPS, struct fab_sm_info, stats.sweep_smps, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SWEPT, struct fab_sm_info, stats.swept, 0),
	FAB_NL_FIELD(FABSIM_A_SM_TRAPS, struct fab_sm_info, stats.traps, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SMPS_SENT, struct fab_sm_info, stats.smps_sent, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SMPS_RECEIVED, struct fab_sm_info, stats.smps_received, 0),
	FAB_NL_FIELD(FABSIM_A_SM_TIMEOUTS, struct fab_sm_info, stats.timeouts, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SA_REQUESTS, struct fab_sm_info, stats.sa_requests, 0),
	FAB_NL_FIELD(FABSIM_A_SM_SA_REFUSED, struct fab_sm_info, stats.sa_refused, 0),
	FAB_NL_FIELD(FABSIM_A_SM_TAKEOVERS, struct fab_sm_info, stats.takeovers, 0),
};

static void to_wish(const struct fab_sm_settings *set, struct wish *wish)
{
	*wish = (struct wish) {
		.priority = set->priority, .lmc = set->lmc, .routing = set->engine,
		.sweep = set->sweep_ms, .poll = set->poll_ms,
	};
}

static void from_wish(const struct wish *wish, struct fab_sm_settings *set)
{
	*set = (struct fab_sm_settings) {
		.priority = wish->priority, .lmc = wish->lmc, .engine = wish->routing,
		.sweep_ms = wish->sweep, .poll_ms = wish->poll,
	};
}

static struct fab_node *find_node(struct nlattr *name, struct netlink_ext_ack *extack)
{
	struct fab_node *node = fab_node_find(nla_data(name));

	if (node)
		return node;
	NL_SET_BAD_ATTR(extack, name);
	fab_err(extack, "there is no node \"%s\"", (char *)nla_data(name));
	return ERR_PTR(-ENOENT);
}

static struct fab_node *find_switch(struct nlattr *name, struct netlink_ext_ack *extack)
{
	struct fab_node *node = find_node(name, extack);

	if (IS_ERR(node) || node->kind == FABSIM_NODE_IB_SWITCH)
		return node;
	NL_SET_BAD_ATTR(extack, name);
	fab_err(extack, "\"%s\" is no InfiniBand switch", node->name);
	return ERR_PTR(-EINVAL);
}

/**
 * struct sm_place - a subnet manager and where it is
 * @node: the switch
 * @info: what it says
 */
struct sm_place {
	const struct fab_node *node;
	const struct fab_sm_info *info;
};

static int fill_running(struct sk_buff *skb, const struct fab_sm_info *info)
{
	struct wish wish;

	to_wish(&info->set, &wish);
	if (nla_put_u32(skb, FABSIM_A_SM_STATE, info->state) ||
	    nla_put_u8(skb, FABSIM_A_SM_UP, info->up) ||
	    nla_put_string(skb, FABSIM_A_SM_PHASE, info->phase) ||
	    nla_put_u32(skb, FABSIM_A_SM_LID, info->lid) ||
	    fab_nl_put_fields(skb, sm_fields, ARRAY_SIZE(sm_fields), FABSIM_A_SM_PAD, info) ||
	    fab_nl_put_fields(skb, settings, ARRAY_SIZE(settings), FABSIM_A_SM_PAD, &wish))
		return -EMSGSIZE;
	return 0;
}

static int fill_sm(struct sk_buff *skb, const void *object)
{
	const struct sm_place *place = object;

	if (nla_put_string(skb, FABSIM_A_SM_NODE, place->node->name) ||
	    nla_put_u8(skb, FABSIM_A_SM_RUNNING, place->info->running))
		return -EMSGSIZE;
	return place->info->running ? fill_running(skb, place->info) : 0;
}

static int dump_sm(struct sk_buff *skb, struct netlink_callback *cb, struct fab_node *node)
{
	struct fab_sm_info info;
	const struct sm_place place = { .node = node, .info = &info };

	fab_sm_read(fab_to_ib_switch(node), &info);
	return fab_nl_dump_one(skb, cb, FABSIM_CMD_SM_GET, fill_sm, &place);
}

static u32 dump_all_sms(struct sk_buff *skb, struct netlink_callback *cb, u32 id)
{
	struct fab_node *node;

	for (; (node = fab_node_next(&id)); id++)
		if (node->kind == FABSIM_NODE_IB_SWITCH && dump_sm(skb, cb, node))
			break;
	return id;
}

/* SM_GET */
int fab_nl_sm_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *name = fab_dump_attrs(cb)[FABSIM_A_SM_NODE];
	struct fab_node *node;
	int err = 0;

	fab_control_lock();
	fab_nl_dump_begin(cb);
	if (!name) {
		cb->args[0] = dump_all_sms(skb, cb, cb->args[0]);
	} else if (!cb->args[0]) {
		node = find_switch(name, cb->extack);
		err = PTR_ERR_OR_ZERO(node);
		if (!err)
			cb->args[0] = !dump_sm(skb, cb, node);
	}
	fab_control_unlock();
	return err ?: skb->len;
}

/* The switch that a request names. */
static struct fab_node *named_switch(struct genl_info *info)
{
	if (fab_nl_need(info, FABSIM_A_SM_NODE, "the switch (NODE)"))
		return ERR_PTR(-EINVAL);
	return find_switch(info->attrs[FABSIM_A_SM_NODE], info->extack);
}

/* SM_START */
int fab_nl_sm_start(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_node *node = named_switch(info);
	struct fab_sm_settings set;
	struct wish wish;

	if (IS_ERR(node))
		return PTR_ERR(node);
	to_wish(&fab_sm_defaults, &wish);
	fab_nl_read(info->attrs, settings, ARRAY_SIZE(settings), &wish);
	from_wish(&wish, &set);
	return fab_sm_start(fab_to_ib_switch(node), &set, info->extack);
}

/* SM_SET */
int fab_nl_sm_set(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_node *node = named_switch(info);
	struct fab_sm_settings set;
	struct fab_sm_info now;
	struct wish wish;

	if (IS_ERR(node))
		return PTR_ERR(node);
	fab_sm_read(fab_to_ib_switch(node), &now);
	to_wish(now.running ? &now.set : &fab_sm_defaults, &wish);
	if (!fab_nl_read(info->attrs, settings, ARRAY_SIZE(settings), &wish)) {
		NL_SET_ERR_MSG_MOD(info->extack, "no setting is given");
		return -EINVAL;
	}
	from_wish(&wish, &set);
	return fab_sm_set(fab_to_ib_switch(node), &set, info->extack);
}

static void stop_all(void)
{
	struct fab_node *node;
	u32 id;

	for (id = 0; (node = fab_node_next(&id)); id++)
		if (node->kind == FABSIM_NODE_IB_SWITCH)
			fab_sm_stop(fab_to_ib_switch(node));
}

static int stop_one(struct fab_node *node, struct netlink_ext_ack *extack)
{
	struct fab_ib_switch *sw = fab_to_ib_switch(node);

	if (!sw->sm) {
		fab_err(extack, "no subnet manager runs in %s", node->name);
		return -EALREADY;
	}
	fab_sm_stop(sw);
	return 0;
}

/* SM_STOP */
int fab_nl_sm_stop(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *name = info->attrs[FABSIM_A_SM_NODE];
	struct nlattr *cold = info->attrs[FABSIM_A_SM_COLD];
	struct fab_node *node;

	if (name && cold) {
		NL_SET_ERR_MSG_ATTR(info->extack, cold,
				    "a whole fabric is cold, not one switch: leave the node out");
		return -EINVAL;
	}
	if (name) {
		node = find_switch(name, info->extack);
		return IS_ERR(node) ? PTR_ERR(node) : stop_one(node, info->extack);
	}
	if (cold)
		fab_sm_cold();
	else
		stop_all();
	return 0;
}

/**
 * struct lft_place - a line of a forwarding table and where it was found
 * @node: the switch
 * @line: the line
 */
struct lft_place {
	const struct fab_node *node;
	const struct fab_lft_line *line;
};

static int fill_lft(struct sk_buff *skb, const void *object)
{
	const struct lft_place *place = object;
	u8 port = place->line->port;

	if (nla_put_string(skb, FABSIM_A_LFT_NODE, place->node->name) ||
	    nla_put_u32(skb, FABSIM_A_LFT_LID, place->line->lid) ||
	    nla_put_u32(skb, FABSIM_A_LFT_INDEX, port))
		return -EMSGSIZE;
	if (!port || WARN_ON_ONCE(port > place->node->n_ports))
		return 0;
	return nla_put_string(skb, FABSIM_A_LFT_PORT, place->node->ports[port - 1].name);
}

/* The dump goes on at the LID cb->args[0]. */
static void dump_lft(struct sk_buff *skb, struct netlink_callback *cb, struct fab_node *node)
{
	struct fab_lft_line lines[LFT_LINES];
	struct lft_place place = { .node = node };
	unsigned int n, i;

	do {
		n = fab_ib_switch_read_lft(node, cb->args[0], lines, LFT_LINES);
		for (i = 0; i < n; i++) {
			place.line = &lines[i];
			if (fab_nl_dump_one(skb, cb, FABSIM_CMD_LFT_GET, fill_lft, &place))
				return;
			cb->args[0] = lines[i].lid + 1;
		}
	} while (n == LFT_LINES);
}

/* LFT_GET */
int fab_nl_lft_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *name = fab_dump_attrs(cb)[FABSIM_A_LFT_NODE];
	struct fab_node *node;
	int err;

	if (!name) {
		NL_SET_ERR_MSG_MOD(cb->extack, "the switch (NODE) is missing");
		return -EINVAL;
	}
	fab_control_lock();
	fab_nl_dump_begin(cb);
	node = find_switch(name, cb->extack);
	err = PTR_ERR_OR_ZERO(node);
	if (!err)
		dump_lft(skb, cb, node);
	fab_control_unlock();
	return err ?: skb->len;
}

/**
 * struct qp_place - a queue pair and where it was found
 * @port: port of its HCA
 * @hca: its HCA
 * @line: what it says
 */
struct qp_place {
	const struct fab_port *port;
	struct fab_hca *hca;
	const struct fab_qp_line *line;
};

static const struct fab_nl_field qp_fields[] = {
	FAB_NL_FIELD(FABSIM_A_QP_QPN, struct fab_qp_line, qpn, 0),
	FAB_NL_FIELD(FABSIM_A_QP_TYPE, struct fab_qp_line, type, 0),
	FAB_NL_FIELD(FABSIM_A_QP_STATE, struct fab_qp_line, state, 0),
	FAB_NL_FIELD(FABSIM_A_QP_USER, struct fab_qp_line, user, 0),
	FAB_NL_FIELD(FABSIM_A_QP_SELECTIVE, struct fab_qp_line, selective, 0),
	FAB_NL_FIELD(FABSIM_A_QP_MTU, struct fab_qp_line, mtu, 0),
	FAB_NL_FIELD(FABSIM_A_QP_SQ_PSN, struct fab_qp_line, sq_psn, 0),
	FAB_NL_FIELD(FABSIM_A_QP_UNA_PSN, struct fab_qp_line, una_psn, 0),
	FAB_NL_FIELD(FABSIM_A_QP_RQ_PSN, struct fab_qp_line, rq_psn, 0),
	FAB_NL_FIELD(FABSIM_A_QP_SENDS, struct fab_qp_line, sends, 0),
	FAB_NL_FIELD(FABSIM_A_QP_RETRIES, struct fab_qp_line, retries, 0),
	FAB_NL_FIELD(FABSIM_A_QP_TX_PACKETS, struct fab_qp_line, tx_packets, 0),
	FAB_NL_FIELD(FABSIM_A_QP_RX_PACKETS, struct fab_qp_line, rx_packets, 0),
	FAB_NL_FIELD(FABSIM_A_QP_RETRANSMITTED, struct fab_qp_line, retransmitted, 0),
};

static int put_dest(struct sk_buff *skb, const struct fab_qp_line *line)
{
	if (nla_put_u32(skb, FABSIM_A_QP_DEST_QPN, line->dest_qpn) ||
	    (line->dest_lid && nla_put_u32(skb, FABSIM_A_QP_DEST_LID, line->dest_lid)))
		return -EMSGSIZE;
	return line->has_gid ? nla_put(skb, FABSIM_A_QP_DEST_GID, sizeof(line->dest_gid),
				       line->dest_gid) : 0;
}

static int fill_qp(struct sk_buff *skb, const void *object)
{
	const struct qp_place *place = object;

	if (nla_put_string(skb, FABSIM_A_QP_NODE, place->port->node->name) ||
	    nla_put_string(skb, FABSIM_A_QP_HCA, fab_hca_name(place->hca)) ||
	    fab_nl_put_fields(skb, qp_fields, ARRAY_SIZE(qp_fields), FABSIM_A_QP_PAD,
			      place->line))
		return -EMSGSIZE;
	return place->line->has_dest ? put_dest(skb, place->line) : 0;
}

static struct fab_hca *hca_of(const struct fab_port *port)
{
	if (port->node->kind != FABSIM_NODE_HOST)
		return NULL;
	return port->ops->kind == FABSIM_PORT_KIND_IB ? fab_to_ib_port(port)->hca :
							fab_host_roce_hca(port->node);
}

/* The dump goes on at the QP number cb->args[1]. False: the message is full. */
static bool dump_hca(struct sk_buff *skb, struct netlink_callback *cb, struct fab_port *port)
{
	struct qp_place place = { .port = port, .hca = hca_of(port) };
	struct fab_qp_line lines[QP_LINES];
	unsigned int n, i;

	if (!place.hca)
		return true;
	do {
		n = fab_hca_read_qps(place.hca, cb->args[1], lines, QP_LINES);
		for (i = 0; i < n; i++) {
			place.line = &lines[i];
			if (fab_nl_dump_one(skb, cb, FABSIM_CMD_QP_GET, fill_qp, &place))
				return false;
			cb->args[1] = lines[i].qpn + 1;
		}
	} while (n == QP_LINES);
	return true;
}

/* Of every port from the number cb->args[0] on; of @node's only, if there is one. */
static void dump_qps(struct sk_buff *skb, struct netlink_callback *cb,
		     const struct fab_node *node)
{
	struct fab_port *port;
	u32 id = cb->args[0];

	for (; (port = fab_port_next(&id)); id++) {
		/* A port that we stopped in may be gone: begin the next one at its first QP. */
		if (id != cb->args[0])
			cb->args[1] = 0;
		cb->args[0] = id;
		if ((!node || port->node == node) && !dump_hca(skb, cb, port))
			return;
	}
	cb->args[0] = id;
}

/* QP_GET */
int fab_nl_qp_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *name = fab_dump_attrs(cb)[FABSIM_A_QP_NODE];
	struct fab_node *node = NULL;
	int err;

	fab_control_lock();
	fab_nl_dump_begin(cb);
	if (name)
		node = find_node(name, cb->extack);
	err = PTR_ERR_OR_ZERO(node);
	if (!err)
		dump_qps(skb, cb, node);
	fab_control_unlock();
	return err ?: skb->len;
}
