// SPDX-License-Identifier: GPL-2.0
/* show lft, sm, qps: the InfiniBand network and the HCAs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

#include "array.h"
#include "cmd.h"
#include "gids.h"
#include "show.h"
#include "units.h"

static const char *guid_text(uint64_t guid)
{
	static char text[2][24];
	static int i;

	i = !i;
	snprintf(text[i], sizeof(text[i]), "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
		 (unsigned int)(guid >> 32) & 0xffff, (unsigned int)(guid >> 16) & 0xffff,
		 (unsigned int)guid & 0xffff);
	return text[i];
}

/* Who has which LID: hosts by their ports, switches by themselves. */
struct owner {
	uint32_t first, last;
	char name[FABSIM_PORT_NAME_MAX + 1];
};

struct owners {
	struct owner *v;
	size_t n;
};

static int by_lid(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static void add_owner(struct owners *o, uint32_t lid, uint32_t lmc, const char *name)
{
	struct owner *w = &o->v[o->n];

	if (!lid)
		return;
	w->first = lid;
	w->last = lid + (1u << (lmc & 7)) - 1;
	snprintf(w->name, sizeof(w->name), "%s", name);
	o->n++;
}

/* Without them a table is a little less telling. */
static void get_owners(struct fab_nl *nl, struct owners *o)
{
	struct fab_node_info *nodes = NULL;
	struct fab_port_info *ports = NULL;
	size_t nr_nodes = 0, nr_ports = 0, i;

	*o = (struct owners){ 0 };
	if (fab_node_list(nl, &nodes, &nr_nodes) || fab_port_list(nl, NULL, &ports, &nr_ports))
		goto out;
	o->v = calloc(nr_nodes + nr_ports + 1, sizeof(*o->v));
	if (!o->v)
		abort();
	for (i = 0; i < nr_nodes; i++)
		add_owner(o, nodes[i].lid, 0, nodes[i].name);
	for (i = 0; i < nr_ports; i++)
		add_owner(o, ports[i].lid, ports[i].lmc, ports[i].name);
	qsort(o->v, o->n, sizeof(*o->v), by_lid);
out:
	free(nodes);
	free(ports);
}

static const char *owner_of(const struct owners *o, uint32_t lid)
{
	size_t low = 0, high = o->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (o->v[mid].last < lid)
			low = mid + 1;
		else
			high = mid;
	}
	return low < o->n && o->v[low].first <= lid ? o->v[low].name : "";
}

static void cell_or_none(const char *s)
{
	if (s[0])
		out_cell_str(s);
	else
		out_cell_none();
}

static void print_lft(const struct owners *o, const struct fab_lft_info *l)
{
	out_row();
	out_cell_str(l->node);
	out_cell_color(OUT_NAME);
	out_cell_u64(l->lid);
	cell_or_none(owner_of(o, l->lid));
	out_cell_strh(l->port, l->port[0] ? l->port : "itself");
	out_cell_u64(l->index);
}

static int print_lft_of(struct show *s, const struct owners *o, const char *sw, size_t *rows)
{
	struct fab_lft_info *list;
	size_t n, i;
	int err;

	err = fab_lft_list(s->nl, sw, &list, &n);
	if (err)
		return fab_nl_fail(s->nl, err, "lft of %s", sw);
	for (i = 0; i < n; i++)
		print_lft(o, &list[i]);
	*rows += n;
	free(list);
	return FAB_OK;
}

int show_lft(struct show *s)
{
	static const struct out_col cols[] = {
		{ "switch", "switch", false },
		{ "lid", "LID", true },
		{ "of", "of", false },
		{ "port", "leaves by port", false },
		{ "index", "+number", true },
	};
	struct fab_node_info *nodes = NULL;
	size_t nr = 0, i, rows = 0;
	int ret = FAB_OK, err;
	struct owners o;

	err = s->name ? 0 : fab_node_list(s->nl, &nodes, &nr);
	if (err)
		return fab_nl_fail(s->nl, err, "switches");
	get_owners(s->nl, &o);
	show_table(s, cols, ARRAY_SIZE(cols));
	if (s->name)
		ret = print_lft_of(s, &o, s->name, &rows);
	for (i = 0; i < nr && !ret; i++)
		if (nodes[i].kind == FABSIM_NODE_IB_SWITCH)
			ret = print_lft_of(s, &o, nodes[i].name, &rows);
	out_table_end();
	if (!ret && !rows)
		show_nothing(s, "no subnet manager has written a table yet: fabctl sm start");
	free(o.v);
	free(nodes);
	return ret;
}

static const char *sm_state(const struct fab_sm_info *i)
{
	return i->running ? fab_sm_state_name(i->state) : "none";
}

static void print_stopped(const struct fab_sm_info *i, unsigned int columns)
{
	out_row();
	out_cell_str(i->node);
	out_cell_color(OUT_NAME);
	out_cell_str("none");
	out_cell_color(OUT_DIM);
	while (columns-- > 2)
		out_cell_none();
	out_bool("running", NULL, false);
}

static void print_sm(const struct fab_sm_info *i, uint64_t now)
{
	uint64_t ago = i->swept && now > i->swept ? now - i->swept : 0;
	char priority[16];

	snprintf(priority, sizeof(priority), "%u", i->priority);
	out_row();
	out_cell_str(i->node);
	out_cell_color(OUT_NAME);
	out_cell_str(sm_state(i));
	out_cell_color(i->up || i->state == FABSIM_SM_STANDBY ? OUT_GOOD : OUT_WARN);
	out_cell_bool(i->up, i->up ? "up" : "-");
	out_cell_human(i->priority, out_setting(priority));
	out_cell_u64(i->lid);
	out_cell_u64(i->switches);
	out_cell_u64(i->ends);
	out_cell_u64(i->lids);
	out_cell_human(i->sweeps, units_count(i->sweeps));
	out_cell_human(i->sweep_ns, i->sweeps ? units_time(i->sweep_ns) : "-");
	out_cell_human(ago, i->sweeps ? units_time(ago) : "-");
	out_cell_strh(fab_routing_name(i->routing), out_setting(fab_routing_name(i->routing)));
	out_cell_human(i->sweep, out_setting(units_time(i->sweep * 1000000ULL)));
	out_cell_str(i->phase);
	out_cell_str(guid_text(i->guid));
	out_cell_human(i->smps_sent, units_count(i->smps_sent));
	out_cell_human(i->timeouts, units_count(i->timeouts));
	out_cell_human(i->traps, units_count(i->traps));
	out_cell_human(i->sa_requests, units_count(i->sa_requests));
	out_bool("running", NULL, true);
	if (i->master)
		out_str("master_guid", NULL, guid_text(i->master));
	out_u64("lmc", NULL, i->lmc);
	out_u64("poll_ms", NULL, i->poll);
	out_u64("groups", NULL, i->groups);
	out_u64("light_sweeps", NULL, i->light_sweeps);
	out_u64("sweep_smps", NULL, i->sweep_smps);
	out_u64("swept_ns", NULL, i->swept);
	out_u64("smps_received", NULL, i->smps_received);
	out_u64("sa_refused", NULL, i->sa_refused);
	out_u64("takeovers", NULL, i->takeovers);
}

int show_sm(struct show *s)
{
	/* Sweeps are fabric time, the pause between them real time. */
	static const struct out_col cols[] = {
		{ "switch", "switch", false },
		{ "state", "state", false },
		{ "up", "subnet", false },
		{ "priority", "priority", true },
		{ "lid", "LID", true },
		{ "switches", "switches", true },
		{ "ends", "ends", true },
		{ "lids", "LIDs", true },
		{ "sweeps", "sweeps", true },
		{ "sweep_ns", "+took", true },
		{ "last_sweep_ago_ns", "last ago", true },
		{ "routing", "+routing", false },
		{ "sweep_ms", "+every (real)", true },
		{ "phase", "+phase", false },
		{ "guid", "+GUID", false },
		{ "smps_sent", "+SMPs", true },
		{ "timeouts", "+timeouts", true },
		{ "traps", "+traps", true },
		{ "sa_requests", "+SA requests", true },
	};
	struct fab_fabric_info f = { 0 };
	struct fab_sm_info *list;
	size_t n, i;
	int err;

	err = fab_sm_list(s->nl, s->name, &list, &n);
	if (err)
		return fab_nl_fail(s->nl, err, "subnet managers");
	fab_fabric_get(s->nl, &f);
	show_table(s, cols, ARRAY_SIZE(cols));
	for (i = 0; i < n; i++) {
		if (list[i].running)
			print_sm(&list[i], f.time);
		else
			print_stopped(&list[i], ARRAY_SIZE(cols));
	}
	out_table_end();
	if (!n)
		show_nothing(s, "no InfiniBand switch");
	free(list);
	return FAB_OK;
}

int show_subnet(struct show *s)
{
	struct fab_sm_info *list;
	unsigned int switches;
	size_t n, i;

	if (fab_sm_list(s->nl, NULL, &list, &n))
		return FAB_OK;	/* of an older module */
	switches = n;
	for (i = 0; i < n; i++) {
		if (!list[i].running)
			continue;
		out_text("subnet manager in %s: %s, LID %u", list[i].node,
			 fab_sm_state_name(list[i].state), list[i].lid);
		if (list[i].state == FABSIM_SM_MASTER)
			out_text(", %u switches, %u ends, subnet %s", list[i].switches,
				 list[i].ends, list[i].up ? "up" : "not up yet");
		out_text("\n");
		switches = 0;
	}
	if (switches)
		out_text("no subnet manager runs in a switch: fabctl sm start\n");
	free(list);
	return FAB_OK;
}

static void print_dest(const struct fab_qp_info *q)
{
	char gid[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 32] = "";

	if (q->has_gid)
		inet_ntop(AF_INET6, q->dest_gid, gid, sizeof(gid));
	if (q->has_dest && q->dest_lid)
		snprintf(text, sizeof(text), "QP %u at LID %u", q->dest_qpn, q->dest_lid);
	else if (q->has_dest)
		snprintf(text, sizeof(text), "QP %u at %s", q->dest_qpn, q->has_gid ? gid : "?");
	cell_or_none(text);
}

static void print_qp(const struct fab_qp_info *q)
{
	char gid[INET6_ADDRSTRLEN];

	out_row();
	out_cell_str(q->hca);
	out_cell_color(OUT_NAME);
	out_cell_u64(q->qpn);
	out_cell_str(fab_qp_type_name(q->type));
	out_cell_str(fab_qp_state_name(q->state));
	out_cell_color(q->state == FABSIM_QP_RTS ? OUT_GOOD :
		       q->state == FABSIM_QP_ERR ? OUT_BAD : OUT_PLAIN);
	out_cell_strh(q->user ? "program" : "kernel", q->user ? "program" : "kernel");
	print_dest(q);
	out_cell_human(q->tx_packets, units_count(q->tx_packets));
	out_cell_human(q->rx_packets, units_count(q->rx_packets));
	out_cell_human(q->retransmitted, units_count(q->retransmitted));
	out_cell_u64(q->sends);
	out_cell_u64(q->mtu);
	out_cell_u64(q->sq_psn);
	out_cell_u64(q->una_psn);
	out_cell_u64(q->rq_psn);
	out_cell_u64(q->retries);
	out_cell_bool(q->selective, q->selective ? "selective" : "go-back-N");
	out_str("node", NULL, q->node);
	if (q->has_dest)
		out_u64("dest_qpn", NULL, q->dest_qpn);
	if (q->dest_lid)
		out_u64("dest_lid", NULL, q->dest_lid);
	if (q->has_gid)
		out_str("dest_gid", NULL, inet_ntop(AF_INET6, q->dest_gid, gid, sizeof(gid)));
}

int show_qps(struct show *s)
{
	static const struct out_col cols[] = {
		{ "hca", "HCA", false },
		{ "qpn", "QP", true },
		{ "type", "type", false },
		{ "state", "state", false },
		{ "of", "of", false },
		{ "dest", "connected to", false },
		{ "tx_packets", "sent", true },
		{ "rx_packets", "received", true },
		{ "retransmitted", "again", true },
		{ "sends", "+open", true },
		{ "mtu", "+mtu", true },
		{ "sq_psn", "+next PSN", true },
		{ "una_psn", "+unanswered", true },
		{ "rq_psn", "+expected", true },
		{ "retries", "+retries", true },
		{ "selective", "+repeats", false },
	};
	struct fab_qp_info *list;
	size_t n, i, rows = 0;
	int err;

	err = fab_qp_list(s->nl, s->name, &list, &n);
	if (err)
		return fab_nl_fail(s->nl, err, "qps%s%s", s->name ? " of " : "",
				   s->name ? s->name : "");
	show_table(s, cols, ARRAY_SIZE(cols));
	for (i = 0; i < n; i++) {
		/* Every HCA has the two of management. */
		if (!s->verbose && !fab_opts.json && list[i].type <= FABSIM_QP_TYPE_GSI)
			continue;
		print_qp(&list[i]);
		rows++;
	}
	out_table_end();
	if (!n)
		show_nothing(s, "no queue pairs: no host has an HCA");
	else if (!rows && !s->verbose)
		out_text("no program has a queue pair now; there are\n");
	if (n > rows)
		out_text("%zu of management (QP 0 and 1): -v shows them\n", n - rows);
	free(list);
	return FAB_OK;
}
