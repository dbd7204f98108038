// SPDX-License-Identifier: GPL-2.0
/* show hosts, switches, fabric. */
#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <fcntl.h>

#include "array.h"
#include "cmd.h"
#include "gids.h"
#include "lab_state.h"
#include "netns.h"
#include "show.h"
#include "units.h"

/* One host or switch, or all nodes. */
static int get_nodes(struct show *s, bool hosts, struct fab_node_info **list,
		     size_t *n)
{
	int err;

	if (!s->name) {
		err = fab_node_list(s->nl, list, n);
		return err ? fab_nl_fail(s->nl, err, "nodes") : FAB_OK;
	}
	*list = calloc(1, sizeof(**list));
	if (!*list)
		abort();
	*n = 1;
	err = fab_node_get(s->nl, s->name, *list);
	if (!err && ((*list)->kind == FABSIM_NODE_HOST) == hosts)
		return FAB_OK;
	free(*list);
	if (err)
		return fab_nl_fail(s->nl, err, "node %s", s->name);
	fab_err(hosts ? "%s is a switch, not a host" :
			"%s is a host, not a switch", s->name);
	return FAB_USAGE;
}

struct address_of {
	const char *ifname;
	char *to;
	size_t size;
};

static unsigned int prefix_length(const struct sockaddr *mask)
{
	const struct sockaddr_in *in = (const void *)mask;

	return mask ? __builtin_popcount(in->sin_addr.s_addr) : 32;
}

/* On a thread in the host's namespace. */
static int read_address(void *arg)
{
	char ip[INET_ADDRSTRLEN];
	struct address_of *a = arg;
	struct ifaddrs *list, *i;

	if (getifaddrs(&list))
		return -errno;
	for (i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET ||
		    strcmp(i->ifa_name, a->ifname))
			continue;
		inet_ntop(AF_INET, &((struct sockaddr_in *)i->ifa_addr)->sin_addr,
			  ip, sizeof(ip));
		snprintf(a->to, a->size, "%s/%u", ip,
			 prefix_length(i->ifa_netmask));
		break;
	}
	freeifaddrs(list);
	return 0;
}

/*
 * The address it has now, from its interface. Who may not enter the namespace
 * is told what "up" gave it.
 */
static void get_address(const struct lab_state *state,
			const struct fab_node_info *n, char *to, size_t size)
{
	struct address_of a = { n->ifname, to, size };
	struct lab_state_host h = { 0 };
	bool known = lab_state_host(state, n->name, &h);
	int fd, err = 0;

	to[0] = '\0';
	if (!n->live)
		return;
	fd = known && h.init ? open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC) :
			       netns_open(n->name);
	if (fd >= 0) {
		err = netns_call(fd, read_address, &a);
		close(fd);
	}
	if (err == -EPERM && known && h.address[0] != '-')
		snprintf(to, size, "%s", h.address);
}

static const char *host_state(const struct fab_node_info *n)
{
	if (n->orphaned)
		return "orphaned";
	return n->live ? "live" : "ghost";
}

/* "roce, ib" */
static const char *hcas(const struct fab_node_info *n)
{
	return n->roce && n->ib ? "roce, ib" : n->roce ? "roce" : n->ib ? "ib" : "none";
}

static int by_node(const void *a, const void *b)
{
	return strcmp(((const struct fab_port_info *)a)->node,
		      ((const struct fab_port_info *)b)->node);
}

/* The ports that have a LID, in order of their hosts. */
static size_t get_lids(struct show *s, struct fab_port_info **ports)
{
	size_t n, i, kept = 0;

	if (fab_port_list(s->nl, s->name, ports, &n))
		return 0;
	for (i = 0; i < n; i++)
		if ((*ports)[i].lid)
			(*ports)[kept++] = (*ports)[i];
	if (kept)
		qsort(*ports, kept, sizeof(**ports), by_node);
	return kept;
}

static void print_lid(const struct fab_node_info *n, const struct fab_port_info *ports,
		      size_t nr)
{
	struct fab_port_info key, *port = NULL;

	snprintf(key.node, sizeof(key.node), "%s", n->name);
	if (nr)
		port = bsearch(&key, ports, nr, sizeof(key), by_node);
	if (port)
		out_cell_u64(port->lid);
	else
		out_cell_none();
}

static void print_host(const struct lab_state *state,
		       const struct fab_node_info *n, const struct fab_port_info *ports,
		       size_t nr)
{
	char address[64];

	get_address(state, n, address, sizeof(address));
	out_row();
	out_cell_str(n->name);
	out_cell_color(OUT_NAME);
	out_cell_strh(host_state(n), host_state(n));
	out_cell_color(n->orphaned ? OUT_BAD : n->live ? OUT_GOOD : OUT_DIM);
	if (address[0])
		out_cell_str(address);
	else
		out_cell_none();
	if (!n->live) {
		out_cell_none();
		out_cell_str(units_mac(n->mac));
		out_cell_str(hcas(n));
		print_lid(n, ports, nr);
		out_cell_none();
		out_cell_none();
		out_cell_none();
		out_cell_none();
		out_cell_u64(n->id);
		return;
	}
	out_cell_str(n->ifname);
	out_cell_str(units_mac(n->mac));
	out_cell_str(hcas(n));
	print_lid(n, ports, nr);
	out_cell_u64(n->ifindex);
	out_cell_u64(n->netns_ino);
	out_cell_u64(n->cpu);
	out_cell_strh(n->selective ? "selective" : "go-back-n",
		      out_setting(n->selective ? "selective" : "go-back-N"));
	out_cell_u64(n->id);
}

/* A pair to paste: the server in one console, then the client in another. */
static void print_pingpong(const struct fab_node_info *a, const struct fab_node_info *b)
{
	char device[2][32];
	int gid[2];

	if (a->roce && b->roce) {
		snprintf(device[0], sizeof(device[0]), "%s-roce", a->name);
		snprintf(device[1], sizeof(device[1]), "%s-roce", b->name);
		gid[0] = gids_roce_index(device[0]);
		gid[1] = gids_roce_index(device[1]);
		if (gid[0] < 0 || gid[1] < 0)
			out_text("  RoCE: no GID of an IPv4 address yet: fabctl show gids\n");
		else
			out_text("  fabctl exec %s ibv_rc_pingpong -d %s -g %d &\n"
				 "  fabctl exec %s ibv_rc_pingpong -d %s -g %d %s\n",
				 b->name, device[1], gid[1], a->name, device[0], gid[0], b->name);
	}
	if (a->ib && b->ib)
		out_text("  fabctl exec %s ibv_rc_pingpong -d %s-ib &\n"
			 "  fabctl exec %s ibv_rc_pingpong -d %s-ib %s\n",
			 b->name, b->name, a->name, a->name, b->name);
}

static void print_to_paste(const struct fab_node_info *list, size_t n)
{
	const struct fab_node_info *pair[2];
	size_t i, found = 0;

	for (i = 0; i < n && found < 2; i++)
		if (list[i].kind == FABSIM_NODE_HOST && list[i].live &&
		    (list[i].roce || list[i].ib))
			pair[found++] = &list[i];
	if (found < 2)
		return;
	out_text("to paste, server and client:\n");
	print_pingpong(pair[0], pair[1]);
}

int show_hosts(struct show *s)
{
	static const struct out_col cols[] = {
		{ "name", "host", false },
		{ "state", "state", false },
		{ "address", "address", false },
		{ "interface", "interface", false },
		{ "mac", "mac", false },
		{ "rdma", "RDMA", false },
		{ "lid", "LID", true },
		{ "ifindex", "+ifindex", true },
		{ "netns", "+netns", true },
		{ "cpu", "+cpu", true },
		{ "repeat", "+repeats", false },
		{ "id", "+id", true },
	};
	struct fab_port_info *ports = NULL;
	struct fab_node_info *list;
	struct lab_state state;
	size_t n, nr = 0, i, rows = 0;
	int ret;

	ret = get_nodes(s, true, &list, &n);
	if (ret)
		return ret;
	/* Without them no LIDs are shown. */
	nr = get_lids(s, &ports);
	lab_state_load(&state);
	show_table(s, cols, ARRAY_SIZE(cols));
	for (i = 0; i < n; i++)
		if (list[i].kind == FABSIM_NODE_HOST && show_wants(s, rows++))
			print_host(&state, &list[i], ports, nr);
	show_table_end(s, rows, "hosts");
	if (s->verbose)
		print_to_paste(list, n);
	free(ports);
	lab_state_put(&state);
	free(list);
	return FAB_OK;
}

static const char *alpha(uint32_t thousandths)
{
	static char text[16];

	snprintf(text, sizeof(text), "%g", thousandths / 1000.0);
	return text;
}

static void cells_none(unsigned int n)
{
	while (n--)
		out_cell_none();
}

/* It learns nothing and shares no buffer: most columns do not apply. */
static void print_ib_switch(const struct fab_node_info *n)
{
	out_row();
	out_cell_str(n->name);
	out_cell_color(OUT_NAME);
	out_cell_str(fab_node_kind_name(n->kind));
	out_cell_u64(n->ports);
	cells_none(3);
	out_cell_human(n->forwarded, units_count(n->forwarded));
	cells_none(5);
	out_cell_human(n->latency, out_setting(units_time(n->latency)));
	cells_none(1);
	out_cell_u64(n->id);
	if (n->lid)
		out_cell_u64(n->lid);
	else
		out_cell_none();
	out_bool("sm", NULL, n->sm);
	out_u64("guid", NULL, n->guid);
	out_u64("multicast", NULL, n->multicast);
	out_u64("no_route", NULL, n->no_route);
	out_u64("smps", NULL, n->smps);
}

static void print_switch(const struct fab_node_info *n)
{
	if (n->kind == FABSIM_NODE_IB_SWITCH) {
		print_ib_switch(n);
		return;
	}
	out_row();
	out_cell_str(n->name);
	out_cell_color(OUT_NAME);
	out_cell_str(fab_node_kind_name(n->kind));
	out_cell_u64(n->ports);
	out_cell_u64(n->fdb_entries);
	out_cell_human(n->learned, units_count(n->learned));
	out_cell_human(n->flooded, units_count(n->flooded));
	out_cell_human(n->forwarded, units_count(n->forwarded));
	out_cell_human(n->filtered, units_count(n->filtered));
	out_cell_human(n->buffer_used, units_size(n->buffer_used));
	out_cell_human(n->buffer_peak, units_size(n->buffer_peak));
	out_cell_human(n->buffer, out_setting(units_size(n->buffer)));
	out_cell_human(n->alpha, out_setting(alpha(n->alpha)));
	out_cell_human(n->latency, out_setting(units_time(n->latency)));
	out_cell_human(n->ageing,
		       out_setting(units_time(n->ageing * 1000000ULL)));
	out_cell_u64(n->id);
	out_cell_none();
}

int show_switches(struct show *s)
{
	/* In JSON alpha_milli is in thousandths, ageing_ms in real ms. */
	static const struct out_col cols[] = {
		{ "name", "switch", false },
		{ "kind", "+kind", false },
		{ "ports", "ports", true },
		{ "fdb_entries", "fdb", true },
		{ "learned", "learned", true },
		{ "flooded", "flooded", true },
		{ "forwarded", "forwarded", true },
		{ "filtered", "+filtered", true },
		{ "buffer_used", "+used", true },
		{ "buffer_peak", "peak", true },
		{ "buffer", "buffer", true },
		{ "alpha_milli", "+\u03b1", true },
		{ "latency_ns", "latency", true },
		{ "ageing_ms", "+ageing", true },
		{ "id", "+id", true },
		{ "lid", "+LID", true },
	};
	struct fab_node_info *list;
	size_t n, i, rows = 0;
	int ret;

	ret = get_nodes(s, false, &list, &n);
	if (ret)
		return ret;
	show_table(s, cols, ARRAY_SIZE(cols));
	for (i = 0; i < n; i++)
		if (list[i].kind != FABSIM_NODE_HOST && show_wants(s, rows++))
			print_switch(&list[i]);
	show_table_end(s, rows, "switches");
	if (rows)
		show_settings_note();
	free(list);
	return FAB_OK;
}

static void print_fabric_verbose(const struct show *s,
				 const struct fab_fabric_info *f)
{
	bool v = s->verbose;

	out_u64("events", v ? "events    %llu run since load\n" : NULL, f->events);
	out_human("thread_ns", v ? "thread    %s of CPU\n" : NULL, f->thread_ns,
		  units_time(f->thread_ns));
	out_str("version", v ? "module    %s\n" : NULL, f->version);
	if (f->builder)
		out_u64("builder", "builder   pid %llu\n", f->builder);
}

int show_fabric(struct show *s)
{
	struct fab_fabric_info f;
	int err;

	err = fab_fabric_get(s->nl, &f);
	if (err)
		return fab_nl_fail(s->nl, err, "fabric");
	out_object(s->key);
	out_str("topology", "topology  %s, ", f.topology[0] ? f.topology : "none");
	out_str("state", "%s: ", fab_fabric_state_name(f.state));
	out_u64("nodes", f.nodes == 1 ? "%llu node, " : "%llu nodes, ", f.nodes);
	out_u64("links", f.links == 1 ? "%llu link\n" : "%llu links\n", f.links);
	out_human("time_ns", "time      %s of fabric time", f.time,
		  units_time(f.time));
	out_text_color(OUT_WARN, f.frozen ? ", frozen" : "");
	out_text("\n");
	out_human("lag_ns", "lag       %s lost to a slow machine\n", f.lag,
		  units_time(f.lag));
	out_bool("frozen", NULL, f.frozen);
	out_u64("packets", "packets   %llu under way\n", f.packets);
	out_human("pace", "pace      %s real s for each fabric s\n", f.pace,
		  out_setting(units_count(f.pace)));
	out_human("seed", "seed      %s\n", f.seed, out_setting(units_count(f.seed)));
	print_fabric_verbose(s, &f);
	out_end();
	return FAB_OK;
}
