// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in shapes. Names: h1.. hosts, es1.. Ethernet switches. InfiniBand's network
 * has the same shape, beside it: is1.. for es1.., with the subnet manager in is1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "topology.h"
#include "units.h"

#define FAT_TREE_LIVE	16		/* hosts with a net_device, by default */
#define LIDS		0xbfff		/* unicast LIDs of an InfiniBand subnet */

struct net {
	enum fabsim_node_kind kind;
	const char *edge, *agg, *core;	/* names of its switches */
};

static const struct net nets[] = {
	{ FABSIM_NODE_ETH_SWITCH, "es", "as", "cs" },
	{ FABSIM_NODE_IB_SWITCH, "is", "ia", "ic" },
};

static uint32_t add(struct topology *t, const char *prefix, uint32_t i,
		    enum fabsim_node_kind kind)
{
	char name[16];

	snprintf(name, sizeof(name), "%s%u", prefix, i);
	return topology_add_node(t, name, kind);
}

static void add_hosts(struct topology *t, uint32_t hosts)
{
	uint32_t i;

	for (i = 1; i <= hosts; i++)
		add(t, "h", i, FABSIM_NODE_HOST);
}

static uint32_t host(const struct topology *t, uint32_t i)
{
	char name[16];

	snprintf(name, sizeof(name), "h%u", i);
	return topology_find(t, name);
}

static void build_star(struct topology *t, const struct net *net, uint32_t hosts)
{
	uint32_t sw = add(t, net->edge, 1, net->kind), i;

	if (hosts > SWITCH_PORTS)
		t->nodes[sw].ports = hosts;
	for (i = 1; i <= hosts; i++)
		topology_add_link(t, host(t, i), sw);
}

/* Two ways from the left switch to the right one; the hosts share the ends. */
static void build_diamond(struct topology *t, const struct net *net, uint32_t hosts)
{
	uint32_t sw[4], i;

	for (i = 0; i < 4; i++)
		sw[i] = add(t, net->edge, i + 1, net->kind);
	t->nodes[sw[0]].ports = hosts + 2 < SWITCH_PORTS ? SWITCH_PORTS : hosts + 2;
	t->nodes[sw[3]].ports = t->nodes[sw[0]].ports;
	for (i = 1; i <= hosts; i++)
		topology_add_link(t, host(t, i), sw[i <= (hosts + 1) / 2 ? 0 : 3]);
	topology_add_link(t, sw[0], sw[1]);
	topology_add_link(t, sw[0], sw[2]);
	topology_add_link(t, sw[1], sw[3]);
	topology_add_link(t, sw[2], sw[3]);
}

/* A switch for every host, in a row. */
static void build_chain(struct topology *t, const struct net *net, uint32_t hosts)
{
	uint32_t i, sw, before = 0;

	for (i = 1; i <= hosts; i++) {
		sw = add(t, net->edge, i, net->kind);
		topology_add_link(t, host(t, i), sw);
		if (i > 1)
			topology_add_link(t, before, sw);
		before = sw;
	}
}

static void build_ring(struct topology *t, const struct net *net, uint32_t hosts)
{
	char first[16];

	build_chain(t, net, hosts);
	snprintf(first, sizeof(first), "%s1", net->edge);
	topology_add_link(t, t->nr_nodes - 1, topology_find(t, first));
}

/*
 * Al-Fares' k-ary fat tree: k pods of k/2 edge (es) and k/2 aggregation (as)
 * switches, k^2/4 core switches (cs), k/2 hosts an edge switch.
 */
static void fat_tree_pod(struct topology *t, const struct net *net, uint32_t k,
			 uint32_t pod, const uint32_t *core)
{
	uint32_t half = k / 2, agg[FABSIM_PORTS_MAX / 2], i, j, edge;

	for (i = 0; i < half; i++) {
		agg[i] = add(t, net->agg, pod * half + i + 1, net->kind);
		t->nodes[agg[i]].ports = k;
		for (j = 0; j < half; j++)
			topology_add_link(t, agg[i], core[i * half + j]);
	}
	for (i = 0; i < half; i++) {
		edge = add(t, net->edge, pod * half + i + 1, net->kind);
		t->nodes[edge].ports = k;
		for (j = 0; j < half; j++)
			topology_add_link(t, edge, agg[j]);
		for (j = 0; j < half; j++)
			topology_add_link(t, host(t, (pod * half + i) * half + j + 1),
					  edge);
	}
}

static void fat_tree_net(struct topology *t, const struct net *net, uint32_t k)
{
	uint32_t *core, i, n = k * k / 4;

	core = calloc(n, sizeof(*core));
	if (!core)
		abort();
	for (i = 0; i < n; i++) {
		core[i] = add(t, net->core, i + 1, net->kind);
		t->nodes[core[i]].ports = k;
	}
	for (i = 0; i < k; i++)
		fat_tree_pod(t, net, k, i, core);
	free(core);
}

static void start_sm(struct topology *t)
{
	int is1 = topology_find(t, "is1");

	if (is1 < 0)
		return;
	t->nodes[is1].sm = true;
	t->nodes[is1].sm_priority = TOPO_SM_PRIORITY;
}

static int build_fat_tree(struct topology *t, uint64_t k, uint32_t live)
{
	uint64_t hosts = k * k * k / 4, switches = 5 * k * k / 4;
	uint32_t i;

	if (k < 2 || k % 2 || hosts + switches > FABSIM_NODES_MAX) {
		fab_err("fat-tree:K: K must be even, 2 to 62");
		return -1;
	}
	if (!t->no_ib && hosts + switches > LIDS) {
		fab_err("fat-tree:%llu: more ends than an InfiniBand subnet has addresses (%d): --no-ib, or K up to 56",
			(unsigned long long)k, LIDS);
		return -1;
	}
	add_hosts(t, hosts);
	for (i = 0; i < hosts; i++)
		t->nodes[i].live = i < live;
	fat_tree_net(t, &nets[0], k);
	if (!t->no_ib)
		fat_tree_net(t, &nets[1], k);
	start_sm(t);
	return 0;
}

static const struct shape {
	const char *name;
	void (*build)(struct topology *t, const struct net *net, uint32_t hosts);
} shapes[] = {
	{ "star", build_star },
	{ "diamond", build_diamond },
	{ "chain", build_chain },
	{ "ring", build_ring },
};

static const struct shape *find_shape(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		if (!strcmp(shapes[i].name, name))
			return &shapes[i];
	return NULL;
}

static int build_shape(struct topology *t, const struct shape *s, uint32_t hosts)
{
	if (s->build == build_ring && hosts < 3) {
		fab_err("a ring needs 3 hosts or more");
		return -1;
	}
	add_hosts(t, hosts);
	s->build(t, &nets[0], hosts);
	if (!t->no_ib)
		s->build(t, &nets[1], hosts);
	start_sm(t);
	return 0;
}

static int build(struct topology *t, const char *spec, unsigned int hosts)
{
	const struct shape *s = find_shape(spec);
	uint32_t most = s && s->build == build_star ? FABSIM_PORTS_MAX :
			s && s->build == build_diamond ? FABSIM_PORTS_MAX - 2 :
			FABSIM_LIVE_HOSTS_MAX;
	uint64_t k;

	if (hosts > most) {
		fab_err("--hosts %u: %s has at most %u live hosts", hosts, spec,
			most);
		return -1;
	}
	if (s)
		return build_shape(t, s, hosts ? hosts : 4);
	if (units_get_u64(spec + strlen("fat-tree:"), &k) || k > 1000)
		k = 0;
	return build_fat_tree(t, k, hosts ? hosts : FAT_TREE_LIVE);
}

struct topology *topology_get(const char *spec, unsigned int hosts, bool no_ib)
{
	struct topo_problem p;
	struct topology *t;

	if (!spec)
		spec = "star";
	if (!find_shape(spec) && strncmp(spec, "fat-tree", 8)) {
		if (hosts) {
			fab_err("--hosts goes with a built-in topology, %s is a file",
				spec);
			return NULL;
		}
		return topology_read(spec, no_ib);
	}
	if (!find_shape(spec) && spec[8] != ':') {
		fab_err("which size of fat tree? For example: fat-tree:4");
		return NULL;
	}
	t = topology_new(spec);
	t->no_ib = no_ib;
	if (build(t, spec, hosts))
		goto err_free;
	if (topology_finish(t, &p)) {
		fab_err("%s: %s", spec, p.text);
		goto err_free;
	}
	return t;

err_free:
	topology_free(t);
	return NULL;
}
