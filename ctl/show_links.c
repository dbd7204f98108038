// SPDX-License-Identifier: GPL-2.0
/* show links, ports, fdb. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "show.h"
#include "units.h"

/* Nodes in order of their names or MACs, to look things up in. */
struct nodes {
	struct fab_node_info *v;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fab_node_info *)a)->name,
		      ((const struct fab_node_info *)b)->name);
}

static int by_mac(const void *a, const void *b)
{
	return memcmp(((const struct fab_node_info *)a)->mac,
		      ((const struct fab_node_info *)b)->mac, 6);
}

static void get_nodes(struct fab_nl *nl, struct nodes *nodes,
		      int (*order)(const void *, const void *))
{
	/* Without them names are a little less telling. */
	if (fab_node_list(nl, &nodes->v, &nodes->n))
		*nodes = (struct nodes){ 0 };
	else
		qsort(nodes->v, nodes->n, sizeof(*nodes->v), order);
}

/* "h1-eth", "h1-ib" or "es1:3" */
static void port_name(const struct nodes *nodes, const char *node,
		      uint32_t port, char *to, size_t size)
{
	struct fab_node_info key, *n = NULL;

	snprintf(key.name, sizeof(key.name), "%s", node);
	if (nodes->n)
		n = bsearch(&key, nodes->v, nodes->n, sizeof(key), by_name);
	if (n && n->kind == FABSIM_NODE_HOST)
		snprintf(to, size, "%s-%s", node, port == 2 ? "ib" : "eth");
	else
		snprintf(to, size, "%s:%u", node, port);
}

static void add(char *to, size_t size, const char *what, const char *value)
{
	size_t n = strlen(to);

	snprintf(to + n, size - n, "%s%s%s%s", n ? ", " : "", what,
		 *value ? " " : "", value);
}

static void faults_text(const struct fab_link_info *l, char *to, size_t size)
{
	to[0] = '\0';
	if (l->ber)
		add(to, size, "ber", units_fraction(l->ber, FABSIM_BER_ONE));
	if (l->loss)
		add(to, size, "loss", units_fraction(l->loss, FABSIM_PPB));
	if (l->drop_nth)
		add(to, size, "drop-nth", units_count(l->drop_nth));
	if (l->corrupt_nth)
		add(to, size, "corrupt-nth", units_count(l->corrupt_nth));
	if (to[0] && l->fault_dir)
		add(to, size, "dir", fab_fault_dir_name(l->fault_dir));
	if (l->stall)
		add(to, size, "stall", fab_stall_name(l->stall));
	if (!to[0])
		strcpy(to, "none");
}

static void print_link(const struct nodes *nodes, const struct fab_link_info *l)
{
	char a[32], b[32], faults[160], mtu[16];

	port_name(nodes, l->a_node, l->a_port, a, sizeof(a));
	port_name(nodes, l->b_node, l->b_port, b, sizeof(b));
	faults_text(l, faults, sizeof(faults));
	snprintf(mtu, sizeof(mtu), "%u", l->mtu);
	out_row();
	out_cell_str(l->name);
	out_cell_color(OUT_NAME);
	out_cell_str(a);
	out_cell_str(b);
	out_cell_bool(l->up, l->up ? "up" : "down");
	out_cell_color(l->up ? OUT_GOOD : OUT_BAD);
	out_cell_human(l->rate, out_setting(units_rate(l->rate)));
	out_cell_human(l->delay, out_setting(units_time(l->delay)));
	out_cell_human(l->mtu, out_setting(mtu));
	out_cell_strh(faults, strcmp(faults, "none") ? out_setting(faults) :
						       faults);
	out_cell_human(l->seed, l->seed ? units_count(l->seed) : "fabric's");
	out_cell_u64(l->id);
	out_u64("ber_1e18", NULL, l->ber);
	out_u64("loss_ppb", NULL, l->loss);
	out_u64("drop_nth", NULL, l->drop_nth);
	out_u64("corrupt_nth", NULL, l->corrupt_nth);
	out_str("stall", NULL, fab_stall_name(l->stall));
	out_str("dir", NULL, fab_fault_dir_name(l->fault_dir));
}

int show_links(struct show *s)
{
	/* In JSON a rate of 0 is "max". */
	static const struct out_col cols[] = {
		{ "name", "link", false },
		{ "a", "a", false },
		{ "b", "b", false },
		{ "up", "state", false },
		{ "rate_bps", "rate", true },
		{ "delay_ns", "delay", true },
		{ "mtu", "mtu", true },
		{ "faults", "faults", false },
		{ "seed", "+seed", true },
		{ "id", "+id", true },
	};
	struct fab_link_info *list, one;
	struct nodes nodes;
	size_t n = 1, i;
	int err;

	if (s->name)
		err = fab_link_get(s->nl, s->name, &one);
	else
		err = fab_link_list(s->nl, &list, &n);
	if (err && s->name)
		return fab_nl_fail(s->nl, err, "link %s", s->name);
	if (err)
		return fab_nl_fail(s->nl, err, "links");
	get_nodes(s->nl, &nodes, by_name);
	show_table(s, cols, ARRAY_SIZE(cols));
	for (i = 0; i < n; i++)
		print_link(&nodes, s->name ? &one : &list[i]);
	show_table_end(s, n, "links");
	if (n)
		show_settings_note();
	free(nodes.v);
	if (!s->name)
		free(list);
	return FAB_OK;
}

/* "12 congestion, 1 loss" */
static void drops_text(const struct fab_port_info *p, char *to, size_t size)
{
	char one[48];
	unsigned int i;

	to[0] = '\0';
	for (i = 1; i <= FABSIM_DROP_MAX; i++) {
		if (!p->drops[i] || i == FABSIM_DROP_FILTERED)
			continue;
		snprintf(one, sizeof(one), "%s %s", units_count(p->drops[i]),
			 fab_drop_name(i));
		add(to, size, one, "");
	}
	if (!to[0])
		strcpy(to, "0");
}

static void print_drops(const struct fab_port_info *p)
{
	unsigned int i;

	out_object("drops_by");
	for (i = 1; i <= FABSIM_DROP_MAX; i++)
		if (p->drops[i])
			out_u64(fab_drop_name(i), NULL, p->drops[i]);
	out_end();
}

/* Of InfiniBand as its management says it. */
static const char *state_text(const struct fab_port_info *p)
{
	if (p->kind == FABSIM_PORT_KIND_IB && p->state == FABSIM_PORT_FORWARDING)
		return fab_ib_state_name(p->ib_state);
	return fab_port_state_name(p->state);
}

static enum out_color state_color(const struct fab_port_info *p)
{
	uint32_t state = p->state;

	if (p->kind == FABSIM_PORT_KIND_IB && p->ib_state != FABSIM_IB_ACTIVE)
		return OUT_WARN;
	return state == FABSIM_PORT_FORWARDING ? OUT_GOOD :
	       state == FABSIM_PORT_BLOCKING ? OUT_WARN : OUT_BAD;
}

static void cell_or_none(const char *s)
{
	if (s[0])
		out_cell_str(s);
	else
		out_cell_none();
}

static const char *credits_text(const struct fab_port_info *p)
{
	static char text[80];
	unsigned int i;
	size_t n = 0;

	for (i = 0; i < p->lanes && n < sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%u", i ? "/" : "", p->credits[i]);
	return text;
}

/* JSON: what only an InfiniBand port has. */
static void print_ib(const struct fab_port_info *p)
{
	unsigned int i;
	char pkey[16];

	if (p->kind != FABSIM_PORT_KIND_IB)
		return;
	out_str("ib_state", NULL, fab_ib_state_name(p->ib_state));
	out_u64("sm_lid", NULL, p->sm_lid);
	out_u64("lmc", NULL, p->lmc);
	out_array("pkeys");
	for (i = 0; i < p->nr_pkeys; i++) {
		snprintf(pkey, sizeof(pkey), "0x%04x", p->pkeys[i]);
		out_str(NULL, NULL, pkey);
	}
	out_end();
	out_array("credits_by_vl");
	for (i = 0; i < p->lanes; i++)
		out_u64(NULL, NULL, p->credits[i]);
	out_end();
}

static void print_ib_cells(const struct fab_port_info *p)
{
	bool ib = p->kind == FABSIM_PORT_KIND_IB;

	if (ib && p->lid)
		out_cell_u64(p->lid);
	else
		out_cell_none();
	if (!ib) {
		out_cell_none();
		out_cell_none();
		out_cell_none();
		return;
	}
	out_cell_human(p->lanes ? p->credits[0] : 0, credits_text(p));
	out_cell_human(p->stalls, units_count(p->stalls));
	out_cell_human(p->wait, units_time(p->wait));
}

static void print_port(const struct fab_port_info *p)
{
	char drops[200];

	drops_text(p, drops, sizeof(drops));
	out_row();
	out_cell_str(p->name);
	out_cell_color(OUT_NAME);
	out_cell_strh(fab_port_state_name(p->state), state_text(p));
	out_cell_color(state_color(p));
	cell_or_none(p->peer);
	out_cell_human(p->tx_packets, units_count(p->tx_packets));
	out_cell_human(p->tx_bytes, units_size(p->tx_bytes));
	out_cell_human(p->rx_packets, units_count(p->rx_packets));
	out_cell_human(p->rx_bytes, units_size(p->rx_bytes));
	out_cell_human(p->queue_bytes, units_size(p->queue_bytes));
	out_cell_human(p->queue_peak, units_size(p->queue_peak));
	out_cell_human(p->interrupts, units_count(p->interrupts));
	out_cell_human(p->polls, units_count(p->polls));
	out_cell_human(p->tx_stops, units_count(p->tx_stops));
	out_cell_human(p->tx_cuts, units_count(p->tx_cuts));
	print_ib_cells(p);
	out_cell_human(p->drops_total, drops);
	if (p->drops_total)
		out_cell_color(OUT_BAD);
	out_str("node", NULL, p->node);
	out_u64("index", NULL, p->index);
	out_str("link", NULL, p->link);
	if (p->has_mac)
		out_str("mac", NULL, units_mac(p->mac));
	out_u64("id", NULL, p->id);
	out_str("kind", NULL, p->kind == FABSIM_PORT_KIND_IB ? "ib" : "eth");
	print_ib(p);
	print_drops(p);
}

/* One port, the ports of one node, or all. */
static int get_ports(struct show *s, struct fab_port_info **list, size_t *n)
{
	struct fab_node_info node;
	int err;

	if (!s->name || !fab_node_get(s->nl, s->name, &node)) {
		err = fab_port_list(s->nl, s->name, list, n);
		return err ? fab_nl_fail(s->nl, err, "ports") : FAB_OK;
	}
	*list = calloc(1, sizeof(**list));
	if (!*list)
		abort();
	*n = 1;
	err = fab_port_get(s->nl, s->name, *list);
	if (!err)
		return FAB_OK;
	free(*list);
	return fab_nl_fail(s->nl, err, "port %s", s->name);
}

int show_ports(struct show *s)
{
	static const struct out_col cols[] = {
		{ "name", "port", false },
		{ "state", "state", false },
		{ "peer", "cabled to", false },
		{ "tx_packets", "sent", true },
		{ "tx_bytes", "bytes", true },
		{ "rx_packets", "received", true },
		{ "rx_bytes", "bytes", true },
		{ "queue_bytes", "+queue", true },
		{ "queue_peak", "+peak", true },
		{ "interrupts", "+irqs", true },
		{ "polls", "+polls", true },
		{ "tx_stops", "+stops", true },
		{ "tx_cuts", "+cuts", true },
		{ "lid", "+LID", true },
		{ "credits", "+credits", true },
		{ "stalls", "+stalls", true },
		{ "wait_ns", "+waited", true },
		{ "drops", "dropped", false },
	};
	struct fab_port_info *list;
	size_t n, i, free_ports = 0;
	int ret;

	ret = get_ports(s, &list, &n);
	if (ret)
		return ret;
	show_table(s, cols, ARRAY_SIZE(cols));
	for (i = 0; i < n; i++) {
		/* Free ports of switches tell nothing. */
		if (list[i].state == FABSIM_PORT_UNCABLED && !s->verbose && n > 1)
			free_ports++;
		else
			print_port(&list[i]);
	}
	show_table_end(s, n, "ports");
	if (free_ports)
		out_text("and %zu port%s without a cable: -v shows %s\n",
			 free_ports, free_ports == 1 ? "" : "s",
			 free_ports == 1 ? "it" : "them");
	free(list);
	return FAB_OK;
}

static void print_fdb(const struct nodes *nodes, const struct fab_fdb_info *e)
{
	struct fab_node_info key, *host = NULL;

	memcpy(key.mac, e->mac, 6);
	if (nodes->n)
		host = bsearch(&key, nodes->v, nodes->n, sizeof(key), by_mac);
	out_row();
	out_cell_str(e->node);
	out_cell_color(OUT_NAME);
	out_cell_str(units_mac(e->mac));
	if (host)
		out_cell_str(host->name);
	else
		out_cell_none();
	out_cell_str(e->port);
	out_cell_human(e->age, units_time(e->age * 1000000));
}

int show_fdb(struct show *s)
{
	static const struct out_col cols[] = {
		{ "switch", "switch", false },
		{ "mac", "mac", false },
		{ "host", "of host", false },
		{ "port", "behind port", false },
		{ "age_ms", "last seen (real time)", true },
	};
	struct fab_fdb_info *list;
	struct nodes nodes;
	size_t n, i, w = 0;
	int err;

	err = fab_fdb_list(s->nl, s->name, &list, &n);
	if (err)
		return fab_nl_fail(s->nl, err, "fdb%s%s", s->name ? " of " : "",
				   s->name ? s->name : "");
	get_nodes(s->nl, &nodes, by_mac);
	/* Switches have no MAC: all zeroes, and never looked for. */
	for (i = 0; i < nodes.n; i++)
		if (nodes.v[i].kind == FABSIM_NODE_HOST)
			nodes.v[w++] = nodes.v[i];
	nodes.n = w;
	show_table(s, cols, ARRAY_SIZE(cols));
	for (i = 0; i < n; i++)
		print_fdb(&nodes, &list[i]);
	out_table_end();
	if (!n)
		show_nothing(s, "nothing learned yet");
	free(nodes.v);
	free(list);
	return FAB_OK;
}
