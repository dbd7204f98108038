// SPDX-License-Identifier: GPL-2.0
/*
 * NODE_*: hosts and switches.
 *
 * The namespace of a live host comes as a file descriptor of the caller's. Its
 * reference is held for the call only: a fabric that kept namespaces alive
 * could not be told when one dies.
 */
#include <linux/netdevice.h>
#include <net/net_namespace.h>
#include "capture.h"
#include "compat.h"
#include "eth/eth.h"
#include "extack.h"
#include "fabric.h"
#include "ib/ib.h"
#include "netlink.h"

#define SWITCH_SETTINGS	(FAB_NODE_BUFFER | FAB_NODE_ALPHA | FAB_NODE_LATENCY | FAB_NODE_AGEING)

static struct netlink_range_validation ports_range = { .min = 1, .max = FABSIM_PORTS_MAX };
static struct netlink_range_validation fd_range = { .max = INT_MAX };
static struct netlink_range_validation alpha_range = { .min = 1, .max = 64000 };
static struct netlink_range_validation latency_range = { .max = FABSIM_DELAY_MAX };
static struct netlink_range_validation ageing_range = { .min = 1, .max = 86400000 };
static struct netlink_range_validation buffer_range = {
	.min = FABSIM_BUFFER_MIN, .max = FABSIM_BUFFER_MAX,
};

#define SETTINGS_POLICY								\
	[FABSIM_A_NODE_CPU] = { .type = NLA_U32 },				\
	[FABSIM_A_NODE_SELECTIVE] = NLA_POLICY_MAX(NLA_U8, 1),			\
	[FABSIM_A_NODE_BUFFER] = NLA_POLICY_FULL_RANGE(NLA_U32, &buffer_range),	\
	[FABSIM_A_NODE_ALPHA] = NLA_POLICY_FULL_RANGE(NLA_U32, &alpha_range),	\
	[FABSIM_A_NODE_LATENCY] = NLA_POLICY_FULL_RANGE(NLA_U32, &latency_range), \
	[FABSIM_A_NODE_AGEING] = NLA_POLICY_FULL_RANGE(NLA_U32, &ageing_range)

#define ID_POLICY								\
	[FABSIM_A_NODE_ID] = { .type = NLA_U32 },				\
	[FABSIM_A_NODE_NAME] = { .type = NLA_NUL_STRING, .len = FABSIM_NODE_NAME_MAX }

const struct nla_policy fab_nl_node_new_policy[FABSIM_A_NODE_MAX + 1] = {
	[FABSIM_A_NODE_NAME] = { .type = NLA_NUL_STRING, .len = FABSIM_NODE_NAME_MAX },
	[FABSIM_A_NODE_KIND] = NLA_POLICY_MAX(NLA_U32, FABSIM_NODE_KIND_MAX),
	[FABSIM_A_NODE_PORTS] = NLA_POLICY_FULL_RANGE(NLA_U32, &ports_range),
	[FABSIM_A_NODE_LIVE] = NLA_POLICY_MAX(NLA_U8, 1),
	[FABSIM_A_NODE_ROCE] = NLA_POLICY_MAX(NLA_U8, 1),
	[FABSIM_A_NODE_IB] = NLA_POLICY_MAX(NLA_U8, 1),
	[FABSIM_A_NODE_NETNS_FD] = NLA_POLICY_FULL_RANGE(NLA_U32, &fd_range),
	SETTINGS_POLICY,
};

const struct nla_policy fab_nl_node_id_policy[FABSIM_A_NODE_MAX + 1] = {
	ID_POLICY,
};

const struct nla_policy fab_nl_node_set_policy[FABSIM_A_NODE_MAX + 1] = {
	ID_POLICY,
	SETTINGS_POLICY,
};

static const struct fab_nl_field switch_settings[] = {
	FAB_NL_FIELD(FABSIM_A_NODE_BUFFER, struct fab_node_settings, buffer, FAB_NODE_BUFFER),
	FAB_NL_FIELD(FABSIM_A_NODE_ALPHA, struct fab_node_settings, alpha, FAB_NODE_ALPHA),
	FAB_NL_FIELD(FABSIM_A_NODE_LATENCY, struct fab_node_settings, latency, FAB_NODE_LATENCY),
	FAB_NL_FIELD(FABSIM_A_NODE_AGEING, struct fab_node_settings, ageing, FAB_NODE_AGEING),
};

static const struct fab_nl_field host_settings[] = {
	FAB_NL_FIELD(FABSIM_A_NODE_CPU, struct fab_node_settings, cpu, FAB_NODE_CPU),
	FAB_NL_FIELD(FABSIM_A_NODE_SELECTIVE, struct fab_node_settings, selective,
		     FAB_NODE_SELECTIVE),
};

static const struct fab_nl_field switch_stats[] = {
	FAB_NL_FIELD(FABSIM_A_NODE_FDB_ENTRIES, struct fab_switch_stats, fdb_entries, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_LEARNED, struct fab_switch_stats, learned, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_FLOODED, struct fab_switch_stats, flooded, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_FORWARDED, struct fab_switch_stats, forwarded, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_FILTERED, struct fab_switch_stats, filtered, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_BUFFER_USED, struct fab_switch_stats, buffer_used, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_BUFFER_PEAK, struct fab_switch_stats, buffer_peak, 0),
};

static const struct fab_nl_field ib_stats[] = {
	FAB_NL_FIELD(FABSIM_A_NODE_GUID, struct fab_ib_switch_report, guid, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_FORWARDED, struct fab_ib_switch_report, forwarded, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_MULTICAST, struct fab_ib_switch_report, multicast, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_NO_ROUTE, struct fab_ib_switch_report, no_route, 0),
	FAB_NL_FIELD(FABSIM_A_NODE_SMPS, struct fab_ib_switch_report, smps, 0),
};

static u32 read_settings(struct nlattr **attrs, struct fab_node_settings *set)
{
	return fab_nl_read(attrs, switch_settings, ARRAY_SIZE(switch_settings), set) |
	       fab_nl_read(attrs, host_settings, ARRAY_SIZE(host_settings), set);
}

/* A namespace is freed only after a grace period in which nobody sees it here. */
static u32 netns_of(const struct net_device *dev)
{
	u32 ino;

	rcu_read_lock();
	ino = dev_net(dev)->ns.inum;
	rcu_read_unlock();
	return ino;
}

static int fill_live(struct sk_buff *skb, const struct fab_node *node)
{
	const struct net_device *dev = fab_host_netdev(node);
	char name[IFNAMSIZ];

	if (fab_nl_put_fields(skb, host_settings, ARRAY_SIZE(host_settings),
			      FABSIM_A_NODE_PAD, &node->set) ||
	    nla_put_u8(skb, FABSIM_A_NODE_ORPHANED, fab_host_is_orphaned(node)))
		return -EMSGSIZE;
	if (!dev)
		return 0;
	/* Whoever is just renaming it may make us show a mixture, but one that ends. */
	strscpy(name, dev->name, sizeof(name));
	if (nla_put_u32(skb, FABSIM_A_NODE_NETNS_INO, netns_of(dev)) ||
	    nla_put_u32(skb, FABSIM_A_NODE_IFINDEX, READ_ONCE(dev->ifindex)) ||
	    nla_put_string(skb, FABSIM_A_NODE_IFNAME, name))
		return -EMSGSIZE;
	return 0;
}

static int fill_host(struct sk_buff *skb, const struct fab_node *node)
{
	if (nla_put_u8(skb, FABSIM_A_NODE_LIVE, node->live) ||
	    nla_put_u8(skb, FABSIM_A_NODE_ROCE, fab_host_has_roce(node)) ||
	    nla_put_u8(skb, FABSIM_A_NODE_IB, node->n_ports > 1) ||
	    nla_put(skb, FABSIM_A_NODE_MAC, ETH_ALEN, fab_host_mac(node)))
		return -EMSGSIZE;
	return node->live ? fill_live(skb, node) : 0;
}

static int fill_switch(struct sk_buff *skb, const struct fab_node *node)
{
	struct fab_switch_stats stats = {};

	fab_switch_read_stats(node, &stats);
	if (fab_nl_put_fields(skb, switch_settings, ARRAY_SIZE(switch_settings),
			      FABSIM_A_NODE_PAD, &node->set) ||
	    fab_nl_put_fields(skb, switch_stats, ARRAY_SIZE(switch_stats),
			      FABSIM_A_NODE_PAD, &stats))
		return -EMSGSIZE;
	return 0;
}

static int fill_ib_switch(struct sk_buff *skb, const struct fab_node *node)
{
	struct fab_ib_switch_report report;

	fab_ib_switch_report(node, &report);
	if (nla_put_u32(skb, FABSIM_A_NODE_LATENCY, node->set.latency) ||
	    nla_put_u32(skb, FABSIM_A_NODE_LID, report.lid) ||
	    nla_put_u8(skb, FABSIM_A_NODE_SM, report.sm) ||
	    fab_nl_put_fields(skb, ib_stats, ARRAY_SIZE(ib_stats), FABSIM_A_NODE_PAD, &report))
		return -EMSGSIZE;
	return 0;
}

static int fill_node(struct sk_buff *skb, const void *object)
{
	static int (*const fill[])(struct sk_buff *skb, const struct fab_node *node) = {
		[FABSIM_NODE_HOST]	 = fill_host,
		[FABSIM_NODE_ETH_SWITCH] = fill_switch,
		[FABSIM_NODE_IB_SWITCH]	 = fill_ib_switch,
	};
	const struct fab_node *node = object;

	if (nla_put_u32(skb, FABSIM_A_NODE_ID, node->id) ||
	    nla_put_string(skb, FABSIM_A_NODE_NAME, node->name) ||
	    nla_put_u32(skb, FABSIM_A_NODE_KIND, node->kind) ||
	    nla_put_u32(skb, FABSIM_A_NODE_PORTS, node->n_ports))
		return -EMSGSIZE;
	return fill[node->kind](skb, node);
}

static struct fab_node *find_by_id(struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct fab_node *node = fab_node_by_id(nla_get_u32(attr));

	if (node)
		return node;
	NL_SET_BAD_ATTR(extack, attr);
	fab_err(extack, "there is no node with number %u", nla_get_u32(attr));
	return ERR_PTR(-ENOENT);
}

static struct fab_node *find_by_name(struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct fab_node *node = fab_node_find(nla_data(attr));

	if (node)
		return node;
	NL_SET_BAD_ATTR(extack, attr);
	fab_err(extack, "there is no node \"%s\"", (char *)nla_data(attr));
	return ERR_PTR(-ENOENT);
}

/* The node that a request names, by number, name, or both. */
static struct fab_node *find_node(struct genl_info *info)
{
	struct nlattr *name = info->attrs[FABSIM_A_NODE_NAME];
	struct nlattr *id = info->attrs[FABSIM_A_NODE_ID];
	struct fab_node *node;

	if (!id && fab_nl_need(info, FABSIM_A_NODE_NAME, "the node's name or number"))
		return ERR_PTR(-EINVAL);
	if (!id)
		return find_by_name(name, info->extack);
	node = find_by_id(id, info->extack);
	if (!IS_ERR(node) && name && nla_strcmp(name, node->name)) {
		NL_SET_BAD_ATTR(info->extack, name);
		fab_err(info->extack, "node %u is \"%s\"", node->id, node->name);
		return ERR_PTR(-ENOENT);
	}
	return node;
}

static int refuse(struct genl_info *info, int attr, const char *why)
{
	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	fab_err(info->extack, "%s", why);
	return -EINVAL;
}

static int check_host(struct genl_info *info, const struct fab_node_params *params)
{
	if (info->attrs[FABSIM_A_NODE_PORTS] && params->ports != 1U + params->ib)
		return refuse(info, FABSIM_A_NODE_PORTS, params->ib ?
			      "a host has one Ethernet and one InfiniBand port" :
			      "a host has one port");
	if (params->roce && !params->live)
		return refuse(info, FABSIM_A_NODE_ROCE, "a ghost has no HCA");
	if (params->mask & SWITCH_SETTINGS)
		return refuse(info, FABSIM_A_NODE_NAME,
			      "a host has no buffer, alpha, latency or ageing: these are a switch's");
	if (!params->live && params->mask & FAB_NODE_CPU)
		return refuse(info, FABSIM_A_NODE_CPU, "a ghost interrupts no CPU");
	if (!params->live && params->mask & FAB_NODE_SELECTIVE)
		return refuse(info, FABSIM_A_NODE_SELECTIVE, "a ghost has no HCA");
	if (!params->live && info->attrs[FABSIM_A_NODE_NETNS_FD])
		return refuse(info, FABSIM_A_NODE_NETNS_FD,
			      "a ghost has no network device, so it is in no namespace");
	if (params->live)
		return fab_nl_need(info, FABSIM_A_NODE_NETNS_FD,
				   "the network namespace of the host (NETNS_FD)");
	return 0;
}

static int check_switch(struct genl_info *info, const struct fab_node_params *params)
{
	if (params->mask & FAB_NODE_CPU)
		return refuse(info, FABSIM_A_NODE_CPU, "a switch interrupts no CPU");
	if (params->mask & FAB_NODE_SELECTIVE)
		return refuse(info, FABSIM_A_NODE_SELECTIVE, "a switch has no HCA");
	if (info->attrs[FABSIM_A_NODE_LIVE])
		return refuse(info, FABSIM_A_NODE_LIVE, "only a host is live or a ghost");
	if (info->attrs[FABSIM_A_NODE_NETNS_FD])
		return refuse(info, FABSIM_A_NODE_NETNS_FD, "a switch is in no namespace");
	if (info->attrs[FABSIM_A_NODE_ROCE])
		return refuse(info, FABSIM_A_NODE_ROCE, "a switch has no HCA");
	if (info->attrs[FABSIM_A_NODE_IB])
		return refuse(info, FABSIM_A_NODE_IB,
			      "a switch is on the network that its kind says");
	if (params->kind == FABSIM_NODE_IB_SWITCH && params->mask & ~FAB_NODE_LATENCY)
		return refuse(info, FABSIM_A_NODE_KIND,
			      "an InfiniBand switch has no shared buffer, alpha or ageing");
	return 0;
}

static bool is_set(const struct nlattr *attr)
{
	return attr && nla_get_u8(attr);
}

static int read_params(struct genl_info *info, struct fab_node_params *params)
{
	struct nlattr **attrs = info->attrs;

	if (fab_nl_need(info, FABSIM_A_NODE_NAME, "the node's name") ||
	    fab_nl_need(info, FABSIM_A_NODE_KIND, "the node's kind"))
		return -EINVAL;
	nla_strscpy(params->name, attrs[FABSIM_A_NODE_NAME], sizeof(params->name));
	params->kind = nla_get_u32(attrs[FABSIM_A_NODE_KIND]);
	if (attrs[FABSIM_A_NODE_PORTS])
		params->ports = nla_get_u32(attrs[FABSIM_A_NODE_PORTS]);
	params->mask = read_settings(attrs, &params->set);
	if (params->kind != FABSIM_NODE_HOST)
		return check_switch(info, params);
	params->live = !attrs[FABSIM_A_NODE_LIVE] || nla_get_u8(attrs[FABSIM_A_NODE_LIVE]);
	params->roce = is_set(attrs[FABSIM_A_NODE_ROCE]);
	params->ib = is_set(attrs[FABSIM_A_NODE_IB]);
	return check_host(info, params);
}

static struct fab_node *create_node(struct genl_info *info, struct fab_node_params *params)
{
	struct nlattr *fd = info->attrs[FABSIM_A_NODE_NETNS_FD];
	struct fab_node *node;

	if (!params->live)
		return fab_node_create(params, info->extack);
	params->net = get_net_ns_by_fd(nla_get_u32(fd));
	if (IS_ERR(params->net)) {
		NL_SET_BAD_ATTR(info->extack, fd);
		fab_err(info->extack, "file descriptor %u is not a network namespace",
			nla_get_u32(fd));
		return ERR_CAST(params->net);
	}
	node = fab_node_create(params, info->extack);
	put_net(params->net);
	return node;
}

/* NODE_NEW */
int fab_nl_node_new(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_node_params params = {};
	struct fab_nl_reply reply;
	struct fab_node *node;
	int err;

	err = read_params(info, &params);
	if (err)
		return err;
	err = fab_nl_reply_begin(&reply, info);
	if (err)
		return err;
	node = create_node(info, &params);
	if (IS_ERR(node)) {
		fab_nl_reply_cancel(&reply);
		return PTR_ERR(node);
	}
	fab_nl_topology_changed();
	fab_capture_new_node(node);
	return fab_nl_reply_end(&reply, info, fill_node, node);
}

/* NODE_DEL */
int fab_nl_node_del(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_node *node = find_node(info);

	if (IS_ERR(node))
		return PTR_ERR(node);
	fab_node_destroy(node);
	fab_nl_topology_changed();
	return 0;
}

/* NODE_GET */
int fab_nl_node_get(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_node *node = find_node(info);

	return IS_ERR(node) ? PTR_ERR(node) : fab_nl_answer(info, fill_node, node);
}

/* NODE_GET of all */
int fab_nl_node_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = fab_dump_attrs(cb);
	struct fab_node *node;
	u32 id = cb->args[0];

	if (attrs[FABSIM_A_NODE_NAME] || attrs[FABSIM_A_NODE_ID]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "a dump is of every node: ask for one without it");
		return -EINVAL;
	}
	fab_control_lock();
	fab_nl_dump_begin(cb);
	for (; (node = fab_node_next(&id)); id++)
		if (fab_nl_dump_one(skb, cb, FABSIM_CMD_NODE_GET, fill_node, node))
			break;
	fab_control_unlock();
	cb->args[0] = id;
	return skb->len;
}

/* NODE_SET */
int fab_nl_node_set(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_node *node = find_node(info);
	struct fab_node_settings set = {};
	u32 mask = read_settings(info->attrs, &set);

	if (IS_ERR(node))
		return PTR_ERR(node);
	if (!mask) {
		NL_SET_ERR_MSG_MOD(info->extack, "no setting is given");
		return -EINVAL;
	}
	return fab_node_set(node, &set, mask, info->extack);
}
