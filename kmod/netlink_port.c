// SPDX-License-Identifier: GPL-2.0
/*
 * PORT_GET, and FDB_*: what a switch has learned is about its ports.
 *
 * Ports come and go with their nodes, so there is nothing to make or delete
 * here. A switch's forwarding table is read through a call into the fabric
 * thread, a few lines at a time; it may change in between, as a real one does
 * while it is read out.
 */
#include "compat.h"
#include "eth/eth.h"
#include "extack.h"
#include "fabric.h"
#include "ib/ib.h"
#include "netlink.h"

/* Lines of a forwarding table read in one call. */
#define FDB_LINES	32

const struct nla_policy fab_nl_port_get_policy[FABSIM_A_PORT_MAX + 1] = {
	[FABSIM_A_PORT_ID] = { .type = NLA_U32 },
	[FABSIM_A_PORT_NAME] = { .type = NLA_NUL_STRING, .len = FABSIM_PORT_NAME_MAX },
	[FABSIM_A_PORT_NODE] = { .type = NLA_NUL_STRING, .len = FABSIM_NODE_NAME_MAX },
};

const struct nla_policy fab_nl_fdb_policy[FABSIM_A_FDB_MAX + 1] = {
	[FABSIM_A_FDB_NODE] = { .type = NLA_NUL_STRING, .len = FABSIM_NODE_NAME_MAX },
};

static const struct fab_nl_field port_fields[] = {
	FAB_NL_FIELD(FABSIM_A_PORT_ID, struct fab_port, id, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_INDEX, struct fab_port, index, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_TX_PACKETS, struct fab_port, stats.tx_packets, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_TX_BYTES, struct fab_port, stats.tx_bytes, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_RX_PACKETS, struct fab_port, stats.rx_packets, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_RX_BYTES, struct fab_port, stats.rx_bytes, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_TX_CUTS, struct fab_port, stats.tx_cuts, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_QUEUE_BYTES, struct fab_port, queue_bytes, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_QUEUE_PEAK, struct fab_port, stats.queue_peak, 0),
};

static const struct fab_nl_field nic_fields[] = {
	FAB_NL_FIELD(FABSIM_A_PORT_INTERRUPTS, struct fab_nic_stats, interrupts, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_POLLS, struct fab_nic_stats, polls, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_TX_STOPS, struct fab_nic_stats, tx_stops, 0),
};

static int put_drops(struct sk_buff *skb, const struct fab_port *port)
{
	struct nlattr *nest = nla_nest_start(skb, FABSIM_A_PORT_DROPS);
	u32 reason;
	u64 drops;

	if (!nest)
		return -EMSGSIZE;
	for (reason = 0; reason <= FABSIM_DROP_MAX; reason++) {
		drops = READ_ONCE(port->stats.drops[reason]);
		/* No attribute number is left for padding here. */
		if (drops && nla_put(skb, reason, sizeof(drops), &drops))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_cable(struct sk_buff *skb, const struct fab_port *port)
{
	const struct fab_port *peer = fab_port_peer(port);

	if (!peer)
		return 0;
	if (nla_put_string(skb, FABSIM_A_PORT_LINK, port->wire->link->name) ||
	    nla_put_string(skb, FABSIM_A_PORT_PEER, peer->name))
		return -EMSGSIZE;
	return 0;
}

static int put_nic(struct sk_buff *skb, const struct fab_node *host)
{
	struct fab_nic_stats stats;

	if (nla_put(skb, FABSIM_A_PORT_MAC, ETH_ALEN, fab_host_mac(host)))
		return -EMSGSIZE;
	if (!fab_host_nic_stats(host, &stats))
		return 0;
	return fab_nl_put_fields(skb, nic_fields, ARRAY_SIZE(nic_fields),
				 FABSIM_A_PORT_PAD, &stats);
}

static const struct fab_nl_field ib_fields[] = {
	FAB_NL_FIELD(FABSIM_A_PORT_IB_STATE, struct fab_ib_report, state, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_STALLS, struct fab_ib_report, stalls, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_WAIT, struct fab_ib_report, wait, 0),
};

/* A switch has one LID, at its port 0 (NODE_GET). */
static const struct fab_nl_field ib_host_fields[] = {
	FAB_NL_FIELD(FABSIM_A_PORT_GUID, struct fab_ib_report, guid, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_LID, struct fab_ib_report, lid, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_LMC, struct fab_ib_report, lmc, 0),
	FAB_NL_FIELD(FABSIM_A_PORT_SM_LID, struct fab_ib_report, sm_lid, 0),
};

static int put_credits(struct sk_buff *skb, const struct fab_ib_report *report)
{
	struct nlattr *nest = nla_nest_start(skb, FABSIM_A_PORT_CREDITS);
	unsigned int vl;

	if (!nest)
		return -EMSGSIZE;
	for (vl = 0; vl < report->lanes; vl++)
		if (nla_put_u32(skb, FABSIM_A_VL_0 + vl, report->credits[vl]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_ib(struct sk_buff *skb, const struct fab_port *port)
{
	struct fab_ib_report report;

	fab_ib_port_report(port, &report);
	if (fab_nl_put_fields(skb, ib_fields, ARRAY_SIZE(ib_fields), FABSIM_A_PORT_PAD,
			      &report) ||
	    nla_put(skb, FABSIM_A_PORT_PKEYS, report.n_pkeys * sizeof(*report.pkeys),
		    report.pkeys) ||
	    put_credits(skb, &report))
		return -EMSGSIZE;
	if (port->node->kind != FABSIM_NODE_HOST)
		return 0;
	return fab_nl_put_fields(skb, ib_host_fields, ARRAY_SIZE(ib_host_fields),
				 FABSIM_A_PORT_PAD, &report);
}

static int fill_port(struct sk_buff *skb, const void *object)
{
	const struct fab_port *port = object;

	if (nla_put_string(skb, FABSIM_A_PORT_NAME, port->name) ||
	    nla_put_string(skb, FABSIM_A_PORT_NODE, port->node->name) ||
	    nla_put_u32(skb, FABSIM_A_PORT_KIND, port->ops->kind) ||
	    nla_put_u32(skb, FABSIM_A_PORT_STATE, fab_port_state(port)) ||
	    fab_nl_put_fields(skb, port_fields, ARRAY_SIZE(port_fields),
			      FABSIM_A_PORT_PAD, port) ||
	    put_cable(skb, port) || put_drops(skb, port))
		return -EMSGSIZE;
	if (port->ops->kind == FABSIM_PORT_KIND_IB)
		return put_ib(skb, port);
	return fab_port_is_nic(port) ? put_nic(skb, port->node) : 0;
}

static struct fab_port *find_port(struct genl_info *info)
{
	struct nlattr *name = info->attrs[FABSIM_A_PORT_NAME];
	struct nlattr *id = info->attrs[FABSIM_A_PORT_ID];
	struct fab_port *port;

	if (!id && fab_nl_need(info, FABSIM_A_PORT_NAME, "the port's name or number"))
		return ERR_PTR(-EINVAL);
	port = id ? fab_port_by_id(nla_get_u32(id)) : fab_port_find(nla_data(name));
	if (!port || (name && nla_strcmp(name, port->name))) {
		NL_SET_BAD_ATTR(info->extack, name ?: id);
		if (name)
			fab_err(info->extack, "there is no port \"%s\"", (char *)nla_data(name));
		else
			fab_err(info->extack, "there is no port with number %u", nla_get_u32(id));
		return ERR_PTR(-ENOENT);
	}
	return port;
}

/* PORT_GET */
int fab_nl_port_get(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_port *port;

	if (info->attrs[FABSIM_A_PORT_NODE]) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[FABSIM_A_PORT_NODE],
				    "only a dump can be of the ports of one node");
		return -EINVAL;
	}
	port = find_port(info);
	return IS_ERR(port) ? PTR_ERR(port) : fab_nl_answer(info, fill_port, port);
}

static u32 dump_node_ports(struct sk_buff *skb, struct netlink_callback *cb,
			   const struct fab_node *node, u32 index)
{
	for (; index < node->n_ports; index++)
		if (fab_nl_dump_one(skb, cb, FABSIM_CMD_PORT_GET, fill_port, &node->ports[index]))
			break;
	return index;
}

static u32 dump_all_ports(struct sk_buff *skb, struct netlink_callback *cb, u32 id)
{
	struct fab_port *port;

	for (; (port = fab_port_next(&id)); id++)
		if (fab_nl_dump_one(skb, cb, FABSIM_CMD_PORT_GET, fill_port, port))
			break;
	return id;
}

static struct fab_node *node_of_dump(struct netlink_callback *cb, struct nlattr *name)
{
	struct fab_node *node = fab_node_find(nla_data(name));

	if (!node)
		fab_err(cb->extack, "there is no node \"%s\"", (char *)nla_data(name));
	return node;
}

/* PORT_GET of all, or of all of a node */
int fab_nl_port_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = fab_dump_attrs(cb);
	struct nlattr *name = attrs[FABSIM_A_PORT_NODE];
	struct fab_node *node;
	int err = 0;

	if (attrs[FABSIM_A_PORT_NAME] || attrs[FABSIM_A_PORT_ID]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "a dump is of every port: ask for one without it");
		return -EINVAL;
	}
	fab_control_lock();
	fab_nl_dump_begin(cb);
	if (!name) {
		cb->args[0] = dump_all_ports(skb, cb, cb->args[0]);
	} else {
		node = node_of_dump(cb, name);
		if (node)
			cb->args[0] = dump_node_ports(skb, cb, node, cb->args[0]);
		else
			err = -ENOENT;
	}
	fab_control_unlock();
	return err ?: skb->len;
}

/**
 * struct fdb_place - a line of a forwarding table and where it was found
 * @node: the switch
 * @line: the line
 */
struct fdb_place {
	const struct fab_node *node;
	const struct fab_fdb_line *line;
};

static int fill_fdb(struct sk_buff *skb, const void *object)
{
	const struct fdb_place *place = object;
	const struct fab_fdb_line *line = place->line;

	if (WARN_ON_ONCE(!line->port || line->port > place->node->n_ports))
		return 0;
	if (nla_put_string(skb, FABSIM_A_FDB_NODE, place->node->name) ||
	    nla_put(skb, FABSIM_A_FDB_MAC, ETH_ALEN, line->mac) ||
	    nla_put_string(skb, FABSIM_A_FDB_PORT, place->node->ports[line->port - 1].name) ||
	    nla_put_u64_64bit(skb, FABSIM_A_FDB_AGE, line->age, FABSIM_A_FDB_PAD))
		return -EMSGSIZE;
	return 0;
}

static void dump_lines(struct sk_buff *skb, struct netlink_callback *cb, struct fab_node *node)
{
	struct fab_fdb_line lines[FDB_LINES];
	struct fdb_place place = { .node = node };
	unsigned int n, i;

	do {
		n = fab_switch_read_fdb(node, cb->args[0], lines, FDB_LINES);
		for (i = 0; i < n; i++) {
			place.line = &lines[i];
			if (fab_nl_dump_one(skb, cb, FABSIM_CMD_FDB_GET, fill_fdb, &place))
				return;
			cb->args[0]++;
		}
	} while (n == FDB_LINES);
}

static int check_switch(const struct fab_node *node, struct netlink_ext_ack *extack)
{
	if (node->kind == FABSIM_NODE_ETH_SWITCH)
		return 0;
	fab_err(extack, node->kind == FABSIM_NODE_HOST ?
		"\"%s\" is a host: only switches have a forwarding table" :
		"\"%s\" is an InfiniBand switch: its table is the LFT (LFT_GET)",
		node->name);
	return -EINVAL;
}

/* FDB_GET */
int fab_nl_fdb_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *name = fab_dump_attrs(cb)[FABSIM_A_FDB_NODE];
	struct fab_node *node;
	int err;

	if (!name) {
		NL_SET_ERR_MSG_MOD(cb->extack, "the switch (NODE) is missing");
		return -EINVAL;
	}
	fab_control_lock();
	fab_nl_dump_begin(cb);
	node = node_of_dump(cb, name);
	err = node ? check_switch(node, cb->extack) : -ENOENT;
	if (!err)
		dump_lines(skb, cb, node);
	fab_control_unlock();
	return err ?: skb->len;
}

static void flush_all(void)
{
	struct fab_node *node;
	u32 id;

	for (id = 0; (node = fab_node_next(&id)); id++)
		if (node->kind == FABSIM_NODE_ETH_SWITCH)
			fab_switch_flush_fdb(node);
}

/* FDB_FLUSH */
int fab_nl_fdb_flush(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *name = info->attrs[FABSIM_A_FDB_NODE];
	struct fab_node *node;
	int err;

	if (!name) {
		flush_all();
		return 0;
	}
	node = fab_node_find(nla_data(name));
	if (!node) {
		NL_SET_BAD_ATTR(info->extack, name);
		fab_err(info->extack, "there is no node \"%s\"", (char *)nla_data(name));
		return -ENOENT;
	}
	err = check_switch(node, info->extack);
	if (!err)
		fab_switch_flush_fdb(node);
	return err;
}
