// SPDX-License-Identifier: GPL-2.0
/*
 * Readers: messages of the module to plain structs, one table of fields a kind
 * of object, so that a new attribute is one line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "nl.h"

enum field_type { F_U8, F_U32, F_U64, F_BOOL, F_STR, F_MAC };

struct field {
	unsigned short attr;
	unsigned char type;
	unsigned short offset;
	unsigned short size;
};

#define FIELD(_attr, _type, _struct, _member) {				\
	.attr = _attr, .type = _type,					\
	.offset = offsetof(_struct, _member),				\
	.size = sizeof_field(_struct, _member) }

static void read_field(void *obj, const struct field *f, struct nlattr *a)
{
	char *to = (char *)obj + f->offset;
	int len = nla_len(a);

	switch (f->type) {
	case F_STR:
		if (len > f->size - 1)
			len = f->size - 1;
		memcpy(to, nla_data(a), len);
		to[len] = '\0';
		break;
	case F_MAC:
		if (len >= 6)
			memcpy(to, nla_data(a), 6);
		break;
	case F_BOOL:
		*(bool *)to = len >= 1 && nla_get_u8(a);
		break;
	default:
		if (len >= f->size)
			memcpy(to, nla_data(a), f->size);
	}
}

static void read_fields(void *obj, const struct field *f, size_t n,
			struct nlattr **tb)
{
	for (; n--; f++)
		if (tb[f->attr])
			read_field(obj, f, tb[f->attr]);
}

static const struct field fabric_fields[] = {
	FIELD(FABSIM_A_FABRIC_VERSION, F_STR, struct fab_fabric_info, version),
	FIELD(FABSIM_A_FABRIC_TIME, F_U64, struct fab_fabric_info, time),
	FIELD(FABSIM_A_FABRIC_LAG, F_U64, struct fab_fabric_info, lag),
	FIELD(FABSIM_A_FABRIC_PACE, F_U32, struct fab_fabric_info, pace),
	FIELD(FABSIM_A_FABRIC_SEED, F_U64, struct fab_fabric_info, seed),
	FIELD(FABSIM_A_FABRIC_FROZEN, F_BOOL, struct fab_fabric_info, frozen),
	FIELD(FABSIM_A_FABRIC_STATE, F_U32, struct fab_fabric_info, state),
	FIELD(FABSIM_A_FABRIC_TOPOLOGY, F_STR, struct fab_fabric_info, topology),
	FIELD(FABSIM_A_FABRIC_NODES, F_U32, struct fab_fabric_info, nodes),
	FIELD(FABSIM_A_FABRIC_LINKS, F_U32, struct fab_fabric_info, links),
	FIELD(FABSIM_A_FABRIC_EVENTS, F_U64, struct fab_fabric_info, events),
	FIELD(FABSIM_A_FABRIC_PACKETS, F_U64, struct fab_fabric_info, packets),
	FIELD(FABSIM_A_FABRIC_THREAD_NS, F_U64, struct fab_fabric_info, thread_ns),
	FIELD(FABSIM_A_FABRIC_BUILDER, F_U32, struct fab_fabric_info, builder),
	FIELD(FABSIM_A_FABRIC_RDMA, F_BOOL, struct fab_fabric_info, rdma),
};

static const struct field node_fields[] = {
	FIELD(FABSIM_A_NODE_ID, F_U32, struct fab_node_info, id),
	FIELD(FABSIM_A_NODE_NAME, F_STR, struct fab_node_info, name),
	FIELD(FABSIM_A_NODE_KIND, F_U32, struct fab_node_info, kind),
	FIELD(FABSIM_A_NODE_PORTS, F_U32, struct fab_node_info, ports),
	FIELD(FABSIM_A_NODE_LIVE, F_BOOL, struct fab_node_info, live),
	FIELD(FABSIM_A_NODE_NETNS_INO, F_U32, struct fab_node_info, netns_ino),
	FIELD(FABSIM_A_NODE_ORPHANED, F_BOOL, struct fab_node_info, orphaned),
	FIELD(FABSIM_A_NODE_IFINDEX, F_U32, struct fab_node_info, ifindex),
	FIELD(FABSIM_A_NODE_IFNAME, F_STR, struct fab_node_info, ifname),
	FIELD(FABSIM_A_NODE_MAC, F_MAC, struct fab_node_info, mac),
	FIELD(FABSIM_A_NODE_CPU, F_U32, struct fab_node_info, cpu),
	FIELD(FABSIM_A_NODE_BUFFER, F_U32, struct fab_node_info, buffer),
	FIELD(FABSIM_A_NODE_ALPHA, F_U32, struct fab_node_info, alpha),
	FIELD(FABSIM_A_NODE_LATENCY, F_U32, struct fab_node_info, latency),
	FIELD(FABSIM_A_NODE_AGEING, F_U32, struct fab_node_info, ageing),
	FIELD(FABSIM_A_NODE_FDB_ENTRIES, F_U32, struct fab_node_info, fdb_entries),
	FIELD(FABSIM_A_NODE_LEARNED, F_U64, struct fab_node_info, learned),
	FIELD(FABSIM_A_NODE_FLOODED, F_U64, struct fab_node_info, flooded),
	FIELD(FABSIM_A_NODE_FORWARDED, F_U64, struct fab_node_info, forwarded),
	FIELD(FABSIM_A_NODE_FILTERED, F_U64, struct fab_node_info, filtered),
	FIELD(FABSIM_A_NODE_BUFFER_USED, F_U32, struct fab_node_info, buffer_used),
	FIELD(FABSIM_A_NODE_BUFFER_PEAK, F_U32, struct fab_node_info, buffer_peak),
	FIELD(FABSIM_A_NODE_ROCE, F_BOOL, struct fab_node_info, roce),
	FIELD(FABSIM_A_NODE_IB, F_BOOL, struct fab_node_info, ib),
	FIELD(FABSIM_A_NODE_SELECTIVE, F_BOOL, struct fab_node_info, selective),
	FIELD(FABSIM_A_NODE_GUID, F_U64, struct fab_node_info, guid),
	FIELD(FABSIM_A_NODE_LID, F_U32, struct fab_node_info, lid),
	FIELD(FABSIM_A_NODE_SM, F_BOOL, struct fab_node_info, sm),
	FIELD(FABSIM_A_NODE_MULTICAST, F_U64, struct fab_node_info, multicast),
	FIELD(FABSIM_A_NODE_NO_ROUTE, F_U64, struct fab_node_info, no_route),
	FIELD(FABSIM_A_NODE_SMPS, F_U64, struct fab_node_info, smps),
};

static const struct field port_fields[] = {
	FIELD(FABSIM_A_PORT_ID, F_U32, struct fab_port_info, id),
	FIELD(FABSIM_A_PORT_NAME, F_STR, struct fab_port_info, name),
	FIELD(FABSIM_A_PORT_NODE, F_STR, struct fab_port_info, node),
	FIELD(FABSIM_A_PORT_INDEX, F_U32, struct fab_port_info, index),
	FIELD(FABSIM_A_PORT_KIND, F_U32, struct fab_port_info, kind),
	FIELD(FABSIM_A_PORT_STATE, F_U32, struct fab_port_info, state),
	FIELD(FABSIM_A_PORT_LINK, F_STR, struct fab_port_info, link),
	FIELD(FABSIM_A_PORT_PEER, F_STR, struct fab_port_info, peer),
	FIELD(FABSIM_A_PORT_MAC, F_MAC, struct fab_port_info, mac),
	FIELD(FABSIM_A_PORT_TX_PACKETS, F_U64, struct fab_port_info, tx_packets),
	FIELD(FABSIM_A_PORT_TX_BYTES, F_U64, struct fab_port_info, tx_bytes),
	FIELD(FABSIM_A_PORT_RX_PACKETS, F_U64, struct fab_port_info, rx_packets),
	FIELD(FABSIM_A_PORT_RX_BYTES, F_U64, struct fab_port_info, rx_bytes),
	FIELD(FABSIM_A_PORT_INTERRUPTS, F_U64, struct fab_port_info, interrupts),
	FIELD(FABSIM_A_PORT_POLLS, F_U64, struct fab_port_info, polls),
	FIELD(FABSIM_A_PORT_TX_STOPS, F_U64, struct fab_port_info, tx_stops),
	FIELD(FABSIM_A_PORT_TX_CUTS, F_U64, struct fab_port_info, tx_cuts),
	FIELD(FABSIM_A_PORT_QUEUE_BYTES, F_U32, struct fab_port_info, queue_bytes),
	FIELD(FABSIM_A_PORT_QUEUE_PEAK, F_U32, struct fab_port_info, queue_peak),
	FIELD(FABSIM_A_PORT_IB_STATE, F_U32, struct fab_port_info, ib_state),
	FIELD(FABSIM_A_PORT_GUID, F_U64, struct fab_port_info, guid),
	FIELD(FABSIM_A_PORT_LID, F_U32, struct fab_port_info, lid),
	FIELD(FABSIM_A_PORT_LMC, F_U32, struct fab_port_info, lmc),
	FIELD(FABSIM_A_PORT_SM_LID, F_U32, struct fab_port_info, sm_lid),
	FIELD(FABSIM_A_PORT_STALLS, F_U64, struct fab_port_info, stalls),
	FIELD(FABSIM_A_PORT_WAIT, F_U64, struct fab_port_info, wait),
};

static const struct field link_fields[] = {
	FIELD(FABSIM_A_LINK_ID, F_U32, struct fab_link_info, id),
	FIELD(FABSIM_A_LINK_NAME, F_STR, struct fab_link_info, name),
	FIELD(FABSIM_A_LINK_A_NODE, F_STR, struct fab_link_info, a_node),
	FIELD(FABSIM_A_LINK_A_PORT, F_U32, struct fab_link_info, a_port),
	FIELD(FABSIM_A_LINK_B_NODE, F_STR, struct fab_link_info, b_node),
	FIELD(FABSIM_A_LINK_B_PORT, F_U32, struct fab_link_info, b_port),
	FIELD(FABSIM_A_LINK_UP, F_BOOL, struct fab_link_info, up),
	FIELD(FABSIM_A_LINK_RATE, F_U64, struct fab_link_info, rate),
	FIELD(FABSIM_A_LINK_DELAY, F_U64, struct fab_link_info, delay),
	FIELD(FABSIM_A_LINK_MTU, F_U32, struct fab_link_info, mtu),
	FIELD(FABSIM_A_LINK_BER, F_U64, struct fab_link_info, ber),
	FIELD(FABSIM_A_LINK_LOSS, F_U32, struct fab_link_info, loss),
	FIELD(FABSIM_A_LINK_DROP_NTH, F_U64, struct fab_link_info, drop_nth),
	FIELD(FABSIM_A_LINK_CORRUPT_NTH, F_U64, struct fab_link_info, corrupt_nth),
	FIELD(FABSIM_A_LINK_STALL, F_U8, struct fab_link_info, stall),
	FIELD(FABSIM_A_LINK_FAULT_DIR, F_U8, struct fab_link_info, fault_dir),
	FIELD(FABSIM_A_LINK_SEED, F_U64, struct fab_link_info, seed),
};

static const struct field fdb_fields[] = {
	FIELD(FABSIM_A_FDB_NODE, F_STR, struct fab_fdb_info, node),
	FIELD(FABSIM_A_FDB_MAC, F_MAC, struct fab_fdb_info, mac),
	FIELD(FABSIM_A_FDB_PORT, F_STR, struct fab_fdb_info, port),
	FIELD(FABSIM_A_FDB_AGE, F_U64, struct fab_fdb_info, age),
};

static const struct field sm_fields[] = {
	FIELD(FABSIM_A_SM_NODE, F_STR, struct fab_sm_info, node),
	FIELD(FABSIM_A_SM_RUNNING, F_BOOL, struct fab_sm_info, running),
	FIELD(FABSIM_A_SM_UP, F_BOOL, struct fab_sm_info, up),
	FIELD(FABSIM_A_SM_STATE, F_U32, struct fab_sm_info, state),
	FIELD(FABSIM_A_SM_PHASE, F_STR, struct fab_sm_info, phase),
	FIELD(FABSIM_A_SM_GUID, F_U64, struct fab_sm_info, guid),
	FIELD(FABSIM_A_SM_MASTER, F_U64, struct fab_sm_info, master),
	FIELD(FABSIM_A_SM_LID, F_U32, struct fab_sm_info, lid),
	FIELD(FABSIM_A_SM_SWITCHES, F_U32, struct fab_sm_info, switches),
	FIELD(FABSIM_A_SM_ENDS, F_U32, struct fab_sm_info, ends),
	FIELD(FABSIM_A_SM_LIDS, F_U32, struct fab_sm_info, lids),
	FIELD(FABSIM_A_SM_GROUPS, F_U32, struct fab_sm_info, groups),
	FIELD(FABSIM_A_SM_PRIORITY, F_U32, struct fab_sm_info, priority),
	FIELD(FABSIM_A_SM_LMC, F_U32, struct fab_sm_info, lmc),
	FIELD(FABSIM_A_SM_ROUTING, F_U32, struct fab_sm_info, routing),
	FIELD(FABSIM_A_SM_SWEEP, F_U32, struct fab_sm_info, sweep),
	FIELD(FABSIM_A_SM_POLL, F_U32, struct fab_sm_info, poll),
	FIELD(FABSIM_A_SM_SWEEPS, F_U64, struct fab_sm_info, sweeps),
	FIELD(FABSIM_A_SM_LIGHT_SWEEPS, F_U64, struct fab_sm_info, light_sweeps),
	FIELD(FABSIM_A_SM_SWEEP_NS, F_U64, struct fab_sm_info, sweep_ns),
	FIELD(FABSIM_A_SM_SWEEP_SMPS, F_U64, struct fab_sm_info, sweep_smps),
	FIELD(FABSIM_A_SM_SWEPT, F_U64, struct fab_sm_info, swept),
	FIELD(FABSIM_A_SM_TRAPS, F_U64, struct fab_sm_info, traps),
	FIELD(FABSIM_A_SM_SMPS_SENT, F_U64, struct fab_sm_info, smps_sent),
	FIELD(FABSIM_A_SM_SMPS_RECEIVED, F_U64, struct fab_sm_info, smps_received),
	FIELD(FABSIM_A_SM_TIMEOUTS, F_U64, struct fab_sm_info, timeouts),
	FIELD(FABSIM_A_SM_SA_REQUESTS, F_U64, struct fab_sm_info, sa_requests),
	FIELD(FABSIM_A_SM_SA_REFUSED, F_U64, struct fab_sm_info, sa_refused),
	FIELD(FABSIM_A_SM_TAKEOVERS, F_U64, struct fab_sm_info, takeovers),
};

static const struct field lft_fields[] = {
	FIELD(FABSIM_A_LFT_NODE, F_STR, struct fab_lft_info, node),
	FIELD(FABSIM_A_LFT_LID, F_U32, struct fab_lft_info, lid),
	FIELD(FABSIM_A_LFT_INDEX, F_U32, struct fab_lft_info, index),
	FIELD(FABSIM_A_LFT_PORT, F_STR, struct fab_lft_info, port),
};

static const struct field qp_fields[] = {
	FIELD(FABSIM_A_QP_NODE, F_STR, struct fab_qp_info, node),
	FIELD(FABSIM_A_QP_HCA, F_STR, struct fab_qp_info, hca),
	FIELD(FABSIM_A_QP_QPN, F_U32, struct fab_qp_info, qpn),
	FIELD(FABSIM_A_QP_TYPE, F_U32, struct fab_qp_info, type),
	FIELD(FABSIM_A_QP_STATE, F_U32, struct fab_qp_info, state),
	FIELD(FABSIM_A_QP_USER, F_BOOL, struct fab_qp_info, user),
	FIELD(FABSIM_A_QP_SELECTIVE, F_BOOL, struct fab_qp_info, selective),
	FIELD(FABSIM_A_QP_DEST_QPN, F_U32, struct fab_qp_info, dest_qpn),
	FIELD(FABSIM_A_QP_DEST_LID, F_U32, struct fab_qp_info, dest_lid),
	FIELD(FABSIM_A_QP_MTU, F_U32, struct fab_qp_info, mtu),
	FIELD(FABSIM_A_QP_SQ_PSN, F_U32, struct fab_qp_info, sq_psn),
	FIELD(FABSIM_A_QP_UNA_PSN, F_U32, struct fab_qp_info, una_psn),
	FIELD(FABSIM_A_QP_RQ_PSN, F_U32, struct fab_qp_info, rq_psn),
	FIELD(FABSIM_A_QP_SENDS, F_U32, struct fab_qp_info, sends),
	FIELD(FABSIM_A_QP_RETRIES, F_U32, struct fab_qp_info, retries),
	FIELD(FABSIM_A_QP_TX_PACKETS, F_U64, struct fab_qp_info, tx_packets),
	FIELD(FABSIM_A_QP_RX_PACKETS, F_U64, struct fab_qp_info, rx_packets),
	FIELD(FABSIM_A_QP_RETRANSMITTED, F_U64, struct fab_qp_info, retransmitted),
};

static const struct field gen_fields[] = {
	FIELD(FABSIM_A_GEN_RUNNING, F_BOOL, struct fab_gen_info, running),
	FIELD(FABSIM_A_GEN_SENT, F_U64, struct fab_gen_info, sent),
	FIELD(FABSIM_A_GEN_RECEIVED, F_U64, struct fab_gen_info, received),
	FIELD(FABSIM_A_GEN_DROPPED, F_U64, struct fab_gen_info, dropped),
	FIELD(FABSIM_A_GEN_FIRST, F_U64, struct fab_gen_info, first),
	FIELD(FABSIM_A_GEN_LAST, F_U64, struct fab_gen_info, last),
};

static int read_fabric(struct nlattr **tb, void *to)
{
	read_fields(to, fabric_fields, ARRAY_SIZE(fabric_fields), tb);
	return 0;
}

static int read_node(struct nlattr **tb, void *to)
{
	read_fields(to, node_fields, ARRAY_SIZE(node_fields), tb);
	return 0;
}

static void read_ib(struct nlattr **tb, struct fab_port_info *p)
{
	struct nlattr *a;
	int rem;

	if (tb[FABSIM_A_PORT_PKEYS]) {
		p->nr_pkeys = nla_len(tb[FABSIM_A_PORT_PKEYS]) / sizeof(*p->pkeys);
		if (p->nr_pkeys > ARRAY_SIZE(p->pkeys))
			p->nr_pkeys = ARRAY_SIZE(p->pkeys);
		memcpy(p->pkeys, nla_data(tb[FABSIM_A_PORT_PKEYS]),
		       p->nr_pkeys * sizeof(*p->pkeys));
	}
	if (!tb[FABSIM_A_PORT_CREDITS])
		return;
	nla_for_each_nested(a, tb[FABSIM_A_PORT_CREDITS], rem)
		if (p->lanes < ARRAY_SIZE(p->credits) && nla_len(a) >= 4)
			p->credits[p->lanes++] = nla_get_u32(a);
}

static int read_port(struct nlattr **tb, void *to)
{
	struct fab_port_info *p = to;
	struct nlattr *a;
	int rem;

	read_fields(p, port_fields, ARRAY_SIZE(port_fields), tb);
	p->has_mac = tb[FABSIM_A_PORT_MAC];
	read_ib(tb, p);
	if (!tb[FABSIM_A_PORT_DROPS])
		return 0;
	nla_for_each_nested(a, tb[FABSIM_A_PORT_DROPS], rem) {
		if (nla_type(a) > FABSIM_DROP_MAX || nla_len(a) < 8)
			continue;
		p->drops[nla_type(a)] = nla_get_u64(a);
		if (nla_type(a) != FABSIM_DROP_FILTERED)
			p->drops_total += nla_get_u64(a);
	}
	return 0;
}

static int read_link(struct nlattr **tb, void *to)
{
	read_fields(to, link_fields, ARRAY_SIZE(link_fields), tb);
	return 0;
}

static int read_fdb(struct nlattr **tb, void *to)
{
	read_fields(to, fdb_fields, ARRAY_SIZE(fdb_fields), tb);
	return 0;
}

static int read_sm(struct nlattr **tb, void *to)
{
	read_fields(to, sm_fields, ARRAY_SIZE(sm_fields), tb);
	return 0;
}

static int read_lft(struct nlattr **tb, void *to)
{
	read_fields(to, lft_fields, ARRAY_SIZE(lft_fields), tb);
	return 0;
}

static int read_qp(struct nlattr **tb, void *to)
{
	struct nlattr *gid = tb[FABSIM_A_QP_DEST_GID];
	struct fab_qp_info *q = to;

	read_fields(to, qp_fields, ARRAY_SIZE(qp_fields), tb);
	q->has_dest = tb[FABSIM_A_QP_DEST_QPN];
	q->has_gid = gid && nla_len(gid) >= (int)sizeof(q->dest_gid);
	if (q->has_gid)
		memcpy(q->dest_gid, nla_data(gid), sizeof(q->dest_gid));
	return 0;
}

static int read_gen(struct nlattr **tb, void *to)
{
	read_fields(to, gen_fields, ARRAY_SIZE(gen_fields), tb);
	return 0;
}

int fab_fabric_get(struct fab_nl *nl, struct fab_fabric_info *info)
{
	memset(info, 0, sizeof(*info));
	return fab_nl_ask(nl, fab_nl_msg(nl, FABSIM_CMD_FABRIC_GET),
			  FABSIM_A_FABRIC_MAX, read_fabric, info);
}

int fab_gen_get(struct fab_nl *nl, struct fab_gen_info *info)
{
	memset(info, 0, sizeof(*info));
	return fab_nl_ask(nl, fab_nl_msg(nl, FABSIM_CMD_GEN_GET),
			  FABSIM_A_GEN_MAX, read_gen, info);
}

static int get_named(struct fab_nl *nl, enum fabsim_cmd cmd, int attr,
		     const char *name, int max, fab_nl_fn fn, void *to)
{
	struct nl_msg *msg = fab_nl_msg(nl, cmd);

	nla_put_string(msg, attr, name);
	return fab_nl_ask(nl, msg, max, fn, to);
}

int fab_node_get(struct fab_nl *nl, const char *name, struct fab_node_info *i)
{
	memset(i, 0, sizeof(*i));
	return get_named(nl, FABSIM_CMD_NODE_GET, FABSIM_A_NODE_NAME, name,
			 FABSIM_A_NODE_MAX, read_node, i);
}

int fab_port_get(struct fab_nl *nl, const char *name, struct fab_port_info *i)
{
	memset(i, 0, sizeof(*i));
	return get_named(nl, FABSIM_CMD_PORT_GET, FABSIM_A_PORT_NAME, name,
			 FABSIM_A_PORT_MAX, read_port, i);
}

int fab_link_get(struct fab_nl *nl, const char *name, struct fab_link_info *i)
{
	memset(i, 0, sizeof(*i));
	return get_named(nl, FABSIM_CMD_LINK_GET, FABSIM_A_LINK_NAME, name,
			 FABSIM_A_LINK_MAX, read_link, i);
}

struct list {
	char *v;
	size_t n, room, size;
	fab_nl_fn read;
};

static int list_add(struct nlattr **tb, void *arg)
{
	struct list *l = arg;
	char *v;

	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 64;
		v = reallocarray(l->v, l->room, l->size);
		if (!v)
			return -ENOMEM;
		l->v = v;
	}
	memset(l->v + l->n * l->size, 0, l->size);
	return l->read(tb, l->v + l->n++ * l->size);
}

/* A dump that changed under way is taken again; some fabrics never stand still. */
static int dump_list(struct fab_nl *nl, enum fabsim_cmd cmd, int attr,
		     const char *name, int max, struct list *l)
{
	int tries, err = 0;

	for (tries = 0; tries < 8; tries++) {
		struct nl_msg *msg = fab_nl_msg(nl, cmd);

		if (name)
			nla_put_string(msg, attr, name);
		l->n = 0;
		err = fab_nl_dump(nl, msg, max, list_add, l);
		if (err != -EAGAIN)
			break;
	}
	if (err == -EAGAIN)
		err = 0;
	if (err) {
		free(l->v);
		l->v = NULL;
		l->n = 0;
	}
	return err;
}

int fab_node_list(struct fab_nl *nl, struct fab_node_info **list, size_t *n)
{
	struct list l = { .size = sizeof(**list), .read = read_node };
	int err = dump_list(nl, FABSIM_CMD_NODE_GET, 0, NULL, FABSIM_A_NODE_MAX,
			    &l);

	*list = (void *)l.v;
	*n = l.n;
	return err;
}

int fab_port_list(struct fab_nl *nl, const char *node,
		  struct fab_port_info **list, size_t *n)
{
	struct list l = { .size = sizeof(**list), .read = read_port };
	int err = dump_list(nl, FABSIM_CMD_PORT_GET, FABSIM_A_PORT_NODE, node,
			    FABSIM_A_PORT_MAX, &l);

	*list = (void *)l.v;
	*n = l.n;
	return err;
}

int fab_link_list(struct fab_nl *nl, struct fab_link_info **list, size_t *n)
{
	struct list l = { .size = sizeof(**list), .read = read_link };
	int err = dump_list(nl, FABSIM_CMD_LINK_GET, 0, NULL, FABSIM_A_LINK_MAX,
			    &l);

	*list = (void *)l.v;
	*n = l.n;
	return err;
}

int fab_sm_list(struct fab_nl *nl, const char *sw, struct fab_sm_info **list, size_t *n)
{
	struct list l = { .size = sizeof(**list), .read = read_sm };
	int err = dump_list(nl, FABSIM_CMD_SM_GET, FABSIM_A_SM_NODE, sw, FABSIM_A_SM_MAX, &l);

	*list = (void *)l.v;
	*n = l.n;
	return err;
}

int fab_lft_list(struct fab_nl *nl, const char *sw, struct fab_lft_info **list, size_t *n)
{
	struct list l = { .size = sizeof(**list), .read = read_lft };
	int err = dump_list(nl, FABSIM_CMD_LFT_GET, FABSIM_A_LFT_NODE, sw, FABSIM_A_LFT_MAX, &l);

	*list = (void *)l.v;
	*n = l.n;
	return err;
}

int fab_qp_list(struct fab_nl *nl, const char *host, struct fab_qp_info **list, size_t *n)
{
	struct list l = { .size = sizeof(**list), .read = read_qp };
	int err = dump_list(nl, FABSIM_CMD_QP_GET, FABSIM_A_QP_NODE, host, FABSIM_A_QP_MAX, &l);

	*list = (void *)l.v;
	*n = l.n;
	return err;
}

static int fdb_of(struct fab_nl *nl, const char *node, struct list *l)
{
	struct list one = { .size = l->size, .read = read_fdb };
	int err = dump_list(nl, FABSIM_CMD_FDB_GET, FABSIM_A_FDB_NODE, node,
			    FABSIM_A_FDB_MAX, &one);
	char *v;

	if (err || !one.n)
		goto out;
	v = reallocarray(l->v, l->n + one.n, l->size);
	if (!v) {
		err = -ENOMEM;
		goto out;
	}
	memcpy(v + l->n * l->size, one.v, one.n * l->size);
	l->v = v;
	l->n += one.n;
out:
	free(one.v);
	return err;
}

/* The module lists one switch's table at a time. */
int fab_fdb_list(struct fab_nl *nl, const char *node,
		 struct fab_fdb_info **list, size_t *n)
{
	struct list l = { .size = sizeof(**list) };
	struct fab_node_info *nodes = NULL;
	size_t nr = 0, i;
	int err = 0;

	if (node)
		err = fdb_of(nl, node, &l);
	else
		err = fab_node_list(nl, &nodes, &nr);
	for (i = 0; i < nr && !err; i++) {
		if (nodes[i].kind == FABSIM_NODE_HOST || !nodes[i].fdb_entries)
			continue;
		err = fdb_of(nl, nodes[i].name, &l);
		if (err == -ENOENT)	/* gone since */
			err = 0;
	}
	free(nodes);
	if (err) {
		free(l.v);
		l = (struct list){ 0 };
	}
	*list = (void *)l.v;
	*n = l.n;
	return err;
}
