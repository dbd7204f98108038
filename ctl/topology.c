// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of fabrics, and the last step that all plans (topo_shape.c, topo_file.c)
 * go through, which gives every cable its two ports and every live host its
 * address. After it nothing about a plan can be refused for its own sake.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>

#include "array.h"
#include "compiler.h"
#include "cmd.h"
#include "topology.h"
#include "units.h"

#define IB_SWITCH_PORTS	36
#define ETH_PORT	1		/* of a host */
#define IB_PORT		2
#define HOSTS_A_NET	250		/* of one /24; 250 of those make a /16 */

/* Names to numbers, open addressing. */
struct topo_index {
	uint32_t *slots;		/* node + 1; 0: free */
	uint32_t size;			/* power of two */
};

struct port_map {
	uint32_t bits[FABSIM_PORTS_MAX / 32 + 1];	/* from port 1 */
};

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return h;
}

static uint32_t *find_slot(const struct topology *t, const char *name)
{
	const struct topo_index *x = t->index;
	uint32_t i = hash(name) & (x->size - 1);

	while (x->slots[i] && strcmp(t->nodes[x->slots[i] - 1].name, name))
		i = (i + 1) & (x->size - 1);
	return &x->slots[i];
}

static void *grow(void *v, uint32_t n, size_t size)
{
	/* Room doubles whenever the number is a power of two. */
	if (n & (n - 1))
		return v;
	v = reallocarray(v, n ? n * 2 : 1, size);
	if (!v)
		abort();
	return v;
}

static void index_grow(struct topology *t)
{
	struct topo_index *x = t->index;
	uint32_t i;

	if (x->size > 2 * (t->nr_nodes + 1))
		return;
	free(x->slots);
	x->size *= 4;
	x->slots = calloc(x->size, sizeof(*x->slots));
	if (!x->slots)
		abort();
	for (i = 0; i < t->nr_nodes; i++)
		*find_slot(t, t->nodes[i].name) = i + 1;
}

struct topology *topology_new(const char *name)
{
	struct topology *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	t->index = calloc(1, sizeof(*t->index));
	if (!t->index)
		abort();
	t->index->size = 16;
	t->index->slots = calloc(t->index->size, sizeof(*t->index->slots));
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->seed = TOPO_NO_U64;
	t->pace = TOPO_NO_U32;
	return t;
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	free(t->index->slots);
	free(t->index);
	free(t->nodes);
	free(t->links);
	free(t);
}

int topology_find(const struct topology *t, const char *name)
{
	return (int)*find_slot(t, name) - 1;
}

int topology_add_node(struct topology *t, const char *name,
		      enum fabsim_node_kind kind)
{
	struct topo_node *n;
	uint32_t *slot;

	index_grow(t);
	slot = find_slot(t, name);
	if (*slot)
		return -1;
	t->nodes = grow(t->nodes, t->nr_nodes, sizeof(*n));
	n = &t->nodes[t->nr_nodes++];
	*slot = t->nr_nodes;
	memset(n, 0, sizeof(*n));
	snprintf(n->name, sizeof(n->name), "%s", name);
	n->kind = kind;
	n->live = kind == FABSIM_NODE_HOST;
	n->ports = TOPO_NO_U32;
	n->buffer = TOPO_NO_U32;
	n->alpha = TOPO_NO_U32;
	n->latency = TOPO_NO_U32;
	n->ageing = TOPO_NO_U32;
	n->cpu = TOPO_NO_U32;
	return t->nr_nodes - 1;
}

struct topo_link *topology_add_link(struct topology *t, uint32_t a, uint32_t b)
{
	struct topo_link *l;

	t->links = grow(t->links, t->nr_links, sizeof(*l));
	l = &t->links[t->nr_links++];
	memset(l, 0, sizeof(*l));
	l->a = a;
	l->b = b;
	l->rate = TOPO_NO_U64;
	l->delay = TOPO_NO_U64;
	l->ber = TOPO_NO_U64;
	l->mtu = TOPO_NO_U32;
	l->loss = TOPO_NO_U32;
	return l;
}

uint32_t topology_ports(const struct topo_node *n)
{
	if (n->kind == FABSIM_NODE_HOST)
		return n->ib == TOPO_OFF ? ETH_PORT : IB_PORT;
	if (n->ports != TOPO_NO_U32)
		return n->ports;
	return n->kind == FABSIM_NODE_IB_SWITCH ? IB_SWITCH_PORTS : SWITCH_PORTS;
}

const char *topology_name_problem(const char *name)
{
	static char text[96];
	const char *p;

	if (!*name)
		return "a name cannot be empty";
	if (strlen(name) > FABSIM_NODE_NAME_MAX) {
		snprintf(text, sizeof(text),
			 "longer than %d characters (its interface is NAME-eth)",
			 FABSIM_NODE_NAME_MAX);
		return text;
	}
	if (*name == '-')
		return "a name cannot begin with -, or it would look like an option";
	for (p = name; *p; p++) {
		if (isalnum((unsigned char)*p) || *p == '-' || *p == '_')
			continue;
		snprintf(text, sizeof(text),
			 "'%c' in a name; allowed are letters, digits, - and _",
			 *p);
		return text;
	}
	return NULL;
}

__printf(4, 5)
static int problem(struct topo_problem *p, int link, int node, const char *fmt,
		   ...);

static int problem(struct topo_problem *p, int link, int node, const char *fmt,
		   ...)
{
	va_list ap;

	p->link = link;
	p->node = node;
	va_start(ap, fmt);
	vsnprintf(p->text, sizeof(p->text), fmt, ap);
	va_end(ap);
	return -1;
}

static bool port_taken(struct port_map *m, uint32_t port)
{
	uint32_t bit = 1u << (port % 32), *word = &m->bits[port / 32];
	bool taken = *word & bit;

	*word |= bit;
	return taken;
}

/* Cables that name their port, before those that take what is free. */
static int cable_named(struct topology *t, struct port_map *map, int link,
		       uint32_t node, uint32_t port, struct topo_problem *p)
{
	struct topo_node *n = &t->nodes[node];

	if (!port)
		return 0;
	if (port > topology_ports(n))
		return problem(p, link, -1, "%s has no port %u (it has %u)",
			       n->name, port, topology_ports(n));
	if (port_taken(&map[node], port))
		return problem(p, link, -1, "port %s:%u is used twice", n->name,
			       port);
	return 0;
}

static int cable_free(struct topology *t, struct port_map *map, int link,
		      uint32_t node, uint32_t *port, struct topo_problem *p)
{
	struct topo_node *n = &t->nodes[node];
	uint32_t i;

	if (*port)
		return 0;
	if (n->kind == FABSIM_NODE_HOST) {
		*port = t->links[link].ib ? IB_PORT : ETH_PORT;
		if (!port_taken(&map[node], *port))
			return 0;
		return problem(p, link, -1, "host %s is used twice: it has one %s port",
			       n->name, t->links[link].ib ? "InfiniBand" : "Ethernet");
	}
	for (i = 1; i <= topology_ports(n); i++) {
		if (port_taken(&map[node], i))
			continue;
		*port = i;
		return 0;
	}
	return problem(p, link, -1, "all %u ports of %s are used: give it more",
		       topology_ports(n), n->name);
}

static bool is_ib_end(const struct topology *t, uint32_t node, uint32_t port)
{
	const struct topo_node *n = &t->nodes[node];

	return n->kind == FABSIM_NODE_IB_SWITCH ||
	       (n->kind == FABSIM_NODE_HOST && port == IB_PORT);
}

/* An end of a cable must be of the cable's kind; a host gets the port that it needs. */
static int check_end(struct topology *t, int link, uint32_t node, uint32_t port,
		     struct topo_problem *p)
{
	struct topo_node *n = &t->nodes[node];

	if (!t->links[link].ib)
		return 0;
	if (n->kind == FABSIM_NODE_ETH_SWITCH)
		return problem(p, link, -1,
			       "%s is an Ethernet switch, the other end is InfiniBand",
			       n->name);
	if (n->kind == FABSIM_NODE_IB_SWITCH)
		return 0;
	if (port == ETH_PORT)
		return problem(p, link, -1,
			       "%s:%u is an Ethernet port, the other end is InfiniBand",
			       n->name, ETH_PORT);
	if (n->ib == TOPO_OFF)
		return problem(p, link, -1, "host %s has no InfiniBand port (ib: off)",
			       n->name);
	n->ib = TOPO_ON;
	return 0;
}

static int find_kind(struct topology *t, int link, struct topo_problem *p)
{
	struct topo_link *l = &t->links[link];
	int ret;

	l->ib = is_ib_end(t, l->a, l->a_port) || is_ib_end(t, l->b, l->b_port);
	ret = check_end(t, link, l->a, l->a_port, p);
	return ret ? ret : check_end(t, link, l->b, l->b_port, p);
}

static int cable(struct topology *t, struct topo_problem *p)
{
	struct port_map *map = calloc(t->nr_nodes + 1, sizeof(*map));
	struct topo_link *l;
	uint32_t i;
	int ret = 0;

	if (!map)
		abort();
	for (i = 0; i < t->nr_links && !ret; i++) {
		l = &t->links[i];
		if (l->a == l->b)
			ret = problem(p, i, -1, "both ends are %s",
				      t->nodes[l->a].name);
		if (!ret)
			ret = find_kind(t, i, p);
		if (!ret)
			ret = cable_named(t, map, i, l->a, l->a_port, p);
		if (!ret)
			ret = cable_named(t, map, i, l->b, l->b_port, p);
	}
	for (i = 0; i < t->nr_links && !ret; i++) {
		l = &t->links[i];
		ret = cable_free(t, map, i, l->a, &l->a_port, p);
		if (!ret)
			ret = cable_free(t, map, i, l->b, &l->b_port, p);
	}
	free(map);
	return ret;
}

void topology_address(uint32_t n, struct in_addr *ip)
{
	uint32_t i = n - 1;

	ip->s_addr = htonl(10u << 24 | i / (HOSTS_A_NET * HOSTS_A_NET) << 16 |
			   i / HOSTS_A_NET % HOSTS_A_NET << 8 |
			   (i % HOSTS_A_NET + 1));
}

static uint8_t prefix_for(uint32_t highest)
{
	if (highest <= HOSTS_A_NET)
		return 24;
	return highest <= HOSTS_A_NET * HOSTS_A_NET ? 16 : 8;
}

/* h12 -> 12; 0 for other names. */
static uint32_t host_number(const char *name)
{
	uint64_t n;

	if (name[0] != 'h' || name[1] == '0' || units_get_u64(name + 1, &n) ||
	    n > FABSIM_NODES_MAX)
		return 0;
	return n;
}

static bool wants_address(const struct topo_node *n)
{
	return n->kind == FABSIM_NODE_HOST && !n->has_ip && !n->no_ip;
}

/* h<N> gets address N; hosts of other names the numbers that are left. */
static void give_addresses(struct topology *t)
{
	bool *taken = calloc(2 * FABSIM_NODES_MAX + 2, sizeof(*taken));
	uint32_t i, nr, next = 1, highest = 0;
	struct topo_node *n;

	if (!taken)
		abort();
	for (i = 0; i < t->nr_nodes; i++)
		if (wants_address(&t->nodes[i]))
			taken[host_number(t->nodes[i].name)] = true;
	for (i = 0; i < t->nr_nodes; i++) {
		n = &t->nodes[i];
		if (!wants_address(n))
			continue;
		nr = host_number(n->name);
		if (!nr) {
			while (taken[next])
				next++;
			nr = next++;
		}
		if (nr > highest)
			highest = nr;
		topology_address(nr, &n->ip);
	}
	for (i = 0; i < t->nr_nodes; i++) {
		n = &t->nodes[i];
		if (!wants_address(n))
			continue;
		n->has_ip = true;
		n->prefix = prefix_for(highest);
	}
	free(taken);
}

static int count_nodes(struct topology *t, struct topo_problem *p)
{
	uint32_t i, live = 0;

	if (t->nr_nodes > FABSIM_NODES_MAX)
		return problem(p, -1, FABSIM_NODES_MAX, "%u nodes; at most %u",
			       t->nr_nodes, FABSIM_NODES_MAX);
	for (i = 0; i < t->nr_nodes; i++) {
		if (t->nodes[i].kind != FABSIM_NODE_HOST || !t->nodes[i].live)
			continue;
		if (++live > FABSIM_LIVE_HOSTS_MAX)
			return problem(p, -1, i,
				       "more than %d live hosts; make some of them \"live: false\"",
				       FABSIM_LIVE_HOSTS_MAX);
	}
	return 0;
}

/* Nodes and links of InfiniBand go; the others keep their order. */
static void drop_ib(struct topology *t)
{
	uint32_t *place = calloc(t->nr_nodes + 1, sizeof(*place));
	uint32_t i, n = 0;

	if (!place)
		abort();
	memset(t->index->slots, 0, t->index->size * sizeof(*t->index->slots));
	for (i = 0; i < t->nr_nodes; i++) {
		t->nodes[i].ib = TOPO_OFF;
		if (t->nodes[i].kind == FABSIM_NODE_IB_SWITCH)
			continue;
		place[i] = n;
		t->nodes[n++] = t->nodes[i];
	}
	t->nr_nodes = n;
	for (i = 0; i < t->nr_nodes; i++)
		*find_slot(t, t->nodes[i].name) = i + 1;
	for (i = 0, n = 0; i < t->nr_links; i++) {
		if (t->links[i].ib)
			continue;
		t->links[n] = t->links[i];
		t->links[n].a = place[t->links[i].a];
		t->links[n++].b = place[t->links[i].b];
	}
	t->nr_links = n;
	free(place);
}

bool topology_drop_rdma(struct topology *t)
{
	bool any = false;
	uint32_t i;

	for (i = 0; i < t->nr_nodes; i++) {
		any |= t->nodes[i].kind == FABSIM_NODE_IB_SWITCH ||
		       t->nodes[i].ib == TOPO_ON ||
		       (t->nodes[i].kind == FABSIM_NODE_HOST && t->nodes[i].live &&
			t->nodes[i].roce != TOPO_OFF);
		t->nodes[i].roce = TOPO_OFF;
	}
	drop_ib(t);
	return any;
}

int topology_finish(struct topology *t, struct topo_problem *p)
{
	if (count_nodes(t, p) || cable(t, p))
		return -1;
	if (t->no_ib)
		drop_ib(t);
	give_addresses(t);
	return 0;
}
