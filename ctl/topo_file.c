// SPDX-License-Identifier: GPL-2.0
/*
 * Topologies from YAML files (docs/topology.md).
 *
 * libcyaml fills structs of strings; param.c knows what each setting means and
 * which range it has. A new setting is one line in three tables.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>

#include "array.h"
#include "cmd.h"
#include "compiler.h"
#include "nl.h"
#include "param.h"
#include "topology.h"
#include "units.h"
#include "yamlfile.h"

struct file_node {
	char *name, *kind, *live, *netns, *ip, *cpu, *roce, *ib, *sm;
	char *ports, *buffer, *alpha, *latency, *ageing;
};

struct file_link {
	char *a, *b, *name, *down;
	char *rate, *delay, *mtu, *ber, *loss;
};

struct file_top {
	char *name, *seed, *pace;
	struct file_link *defaults;
	struct file_node *nodes;
	uint32_t nodes_count;
	struct file_link *links;
	uint32_t links_count;
};

#define STR(_struct, _key)						\
	CYAML_FIELD_STRING_PTR(#_key, CYAML_FLAG_POINTER |		\
			       CYAML_FLAG_OPTIONAL, struct _struct, _key, 0, 4096)
#define STR_NEEDED(_struct, _key)					\
	CYAML_FIELD_STRING_PTR(#_key, CYAML_FLAG_POINTER, struct _struct,	\
			       _key, 0, 4096)

static const cyaml_schema_field_t node_fields[] = {
	STR_NEEDED(file_node, name), STR(file_node, kind), STR(file_node, live),
	STR(file_node, netns), STR(file_node, ip), STR(file_node, cpu),
	STR(file_node, ports), STR(file_node, buffer), STR(file_node, alpha),
	STR(file_node, latency), STR(file_node, ageing), STR(file_node, roce),
	STR(file_node, ib), STR(file_node, sm), CYAML_FIELD_END
};

static const cyaml_schema_field_t link_fields[] = {
	STR_NEEDED(file_link, a), STR_NEEDED(file_link, b), STR(file_link, name),
	STR(file_link, down), STR(file_link, rate), STR(file_link, delay),
	STR(file_link, mtu), STR(file_link, ber), STR(file_link, loss),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t default_fields[] = {
	STR(file_link, rate), STR(file_link, delay), STR(file_link, mtu),
	STR(file_link, ber), STR(file_link, loss), CYAML_FIELD_END
};

static const cyaml_schema_value_t node_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_node, node_fields)
};

static const cyaml_schema_value_t link_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_link, link_fields)
};

static const cyaml_schema_field_t top_fields[] = {
	STR(file_top, name), STR(file_top, seed), STR(file_top, pace),
	CYAML_FIELD_MAPPING_PTR("defaults", CYAML_FLAG_POINTER |
				CYAML_FLAG_OPTIONAL, struct file_top, defaults,
				default_fields),
	CYAML_FIELD_SEQUENCE("nodes", CYAML_FLAG_POINTER, struct file_top, nodes,
			     &node_schema, 0, CYAML_UNLIMITED),
	CYAML_FIELD_SEQUENCE("links", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct file_top, links, &link_schema, 0,
			     CYAML_UNLIMITED),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t top_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_top, top_fields)
};

/* Where a setting goes: the range and the reader are param.c's. */
struct value {
	enum param_of of;
	const char *key;
	unsigned short from;		/* char * in the file's struct */
	unsigned short to;		/* in the plan's */
	unsigned char size;		/* 4 or 8 */
};

#define VALUE(_of, _key, _from, _to, _member) {				\
	.of = _of, .key = _key, .from = offsetof(_from, _member),	\
	.to = offsetof(_to, _member), .size = sizeof_field(_to, _member) }

static const struct value node_values[] = {
	VALUE(PARAM_NEW_SWITCH, "ports", struct file_node, struct topo_node, ports),
	VALUE(PARAM_SWITCH, "buffer", struct file_node, struct topo_node, buffer),
	VALUE(PARAM_SWITCH, "alpha", struct file_node, struct topo_node, alpha),
	VALUE(PARAM_SWITCH, "latency", struct file_node, struct topo_node, latency),
	VALUE(PARAM_SWITCH, "ageing", struct file_node, struct topo_node, ageing),
	VALUE(PARAM_HOST, "cpu", struct file_node, struct topo_node, cpu),
	{ }
};

static const struct value link_values[] = {
	VALUE(PARAM_LINK, "rate", struct file_link, struct topo_link, rate),
	VALUE(PARAM_LINK, "delay", struct file_link, struct topo_link, delay),
	VALUE(PARAM_LINK, "mtu", struct file_link, struct topo_link, mtu),
	VALUE(PARAM_LINK, "ber", struct file_link, struct topo_link, ber),
	VALUE(PARAM_LINK, "loss", struct file_link, struct topo_link, loss),
	{ }
};

static const struct value top_values[] = {
	VALUE(PARAM_FABRIC, "seed", struct file_top, struct topology, seed),
	VALUE(PARAM_FABRIC, "pace", struct file_top, struct topology, pace),
	{ }
};

static int get_values(struct yamlfile *f, const char *at, const struct value *v,
		      const void *from, void *to)
{
	char path[64], why[160];
	uint64_t n;

	for (; v->key; v++) {
		const char *s = *(char *const *)((const char *)from + v->from);

		if (!s)
			continue;
		if (param_read(param_find(v->of, v->key), s, &n, why,
			       sizeof(why))) {
			snprintf(path, sizeof(path), "%s%s%s", at,
				 *at ? "." : "", v->key);
			return yamlfile_err(f, path, "%s", why);
		}
		if (v->size == 4)
			*(uint32_t *)((char *)to + v->to) = n;
		else
			*(uint64_t *)((char *)to + v->to) = n;
	}
	return 0;
}

/* One of two words; absent: the first. -1 after a complaint. */
static int get_choice(struct yamlfile *f, const char *path, const char *s,
		      const char *no, const char *yes)
{
	if (!s || !strcmp(s, no))
		return 0;
	if (!strcmp(s, yes))
		return 1;
	yamlfile_err(f, path, "\"%s\" cannot be read (%s or %s)", s, no, yes);
	return -1;
}

static int get_ip(struct yamlfile *f, const char *path, const char *s,
		  struct topo_node *n)
{
	const char *slash = strchr(s, '/');
	uint64_t prefix = 24;
	char addr[32];

	if (!strcmp(s, "none")) {
		n->no_ip = true;
		return 0;
	}
	snprintf(addr, sizeof(addr), "%.*s",
		 slash ? (int)(slash - s) : (int)strlen(s), s);
	if (inet_pton(AF_INET, addr, &n->ip) != 1 ||
	    (slash && units_get_u64(slash + 1, &prefix)) || prefix < 1 ||
	    prefix > 32)
		return yamlfile_err(f, path,
				    "\"%s\" is no IPv4 address (10.0.0.1/24, or none)",
				    s);
	n->has_ip = true;
	n->prefix = prefix;
	return 0;
}

#define OF(kind)	(1u << (kind))
#define OF_SWITCHES	(OF(FABSIM_NODE_ETH_SWITCH) | OF(FABSIM_NODE_IB_SWITCH))

/* Keys that only some kinds of node have. */
static int check_kind(struct yamlfile *f, const char *at,
		      const struct file_node *in, enum fabsim_node_kind kind)
{
	static const char *const names[] = {
		[FABSIM_NODE_HOST] = "a host",
		[FABSIM_NODE_ETH_SWITCH] = "a switch",
		[FABSIM_NODE_IB_SWITCH] = "an InfiniBand switch",
	};
	const struct {
		const char *key, *value;
		unsigned int of;
	} keys[] = {
		{ "live", in->live, OF(FABSIM_NODE_HOST) },
		{ "netns", in->netns, OF(FABSIM_NODE_HOST) },
		{ "ip", in->ip, OF(FABSIM_NODE_HOST) },
		{ "cpu", in->cpu, OF(FABSIM_NODE_HOST) },
		{ "roce", in->roce, OF(FABSIM_NODE_HOST) },
		{ "ib", in->ib, OF(FABSIM_NODE_HOST) },
		{ "ports", in->ports, OF_SWITCHES },
		{ "latency", in->latency, OF_SWITCHES },
		{ "buffer", in->buffer, OF(FABSIM_NODE_ETH_SWITCH) },
		{ "alpha", in->alpha, OF(FABSIM_NODE_ETH_SWITCH) },
		{ "ageing", in->ageing, OF(FABSIM_NODE_ETH_SWITCH) },
		{ "sm", in->sm, OF(FABSIM_NODE_IB_SWITCH) },
	};
	char path[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!keys[i].value || keys[i].of & OF(kind))
			continue;
		snprintf(path, sizeof(path), "%s.%s", at, keys[i].key);
		return yamlfile_err(f, path, "%s has no such key", names[kind]);
	}
	return 0;
}

static int get_on_off(struct yamlfile *f, const char *at, const char *key,
		      const char *s, enum topo_choice *to)
{
	char path[64];
	int on;

	if (!s)
		return 0;
	snprintf(path, sizeof(path), "%s.%s", at, key);
	on = get_choice(f, path, s, "off", "on");
	*to = on > 0 ? TOPO_ON : TOPO_OFF;
	return on < 0 ? FAB_USAGE : 0;
}

static int get_hcas(struct yamlfile *f, const char *at, const struct file_node *in,
		    struct topo_node *n)
{
	char path[64];

	if (get_on_off(f, at, "roce", in->roce, &n->roce) ||
	    get_on_off(f, at, "ib", in->ib, &n->ib))
		return FAB_USAGE;
	if (n->live || n->roce != TOPO_ON)
		return 0;
	snprintf(path, sizeof(path), "%s.roce", at);
	return yamlfile_err(f, path, "a ghost (live: false) has no HCA");
}

/* on, off, or its priority */
static int get_sm(struct yamlfile *f, const char *at, const char *s, struct topo_node *n)
{
	uint64_t priority = TOPO_SM_PRIORITY;
	char path[64];

	if (!s || !strcmp(s, "off"))
		return 0;
	snprintf(path, sizeof(path), "%s.sm", at);
	if (strcmp(s, "on") &&
	    (units_get_u64(s, &priority) || priority > FABSIM_SM_PRIORITY_MAX))
		return yamlfile_err(f, path,
				    "\"%s\" cannot be read (on, off, or a priority: 0 to %d)",
				    s, FABSIM_SM_PRIORITY_MAX);
	n->sm = true;
	n->sm_priority = priority;
	return 0;
}

static int get_node_kind(struct yamlfile *f, const char *at, const char *s,
			 enum fabsim_node_kind *kind)
{
	char path[64];

	for (*kind = 0; *kind <= FABSIM_NODE_KIND_MAX; (*kind)++)
		if (!strcmp(s ? s : "host", fab_node_kind_name(*kind)))
			return 0;
	snprintf(path, sizeof(path), "%s.kind", at);
	return yamlfile_err(f, path,
			    "\"%s\" cannot be read (host, eth-switch or ib-switch)", s);
}

static int get_host(struct yamlfile *f, const char *at,
		    const struct file_node *in, struct topo_node *n)
{
	char path[64];
	int ghost, init;

	snprintf(path, sizeof(path), "%s.live", at);
	ghost = get_choice(f, path, in->live, "true", "false");
	snprintf(path, sizeof(path), "%s.netns", at);
	init = get_choice(f, path, in->netns, "own", "init");
	if (ghost < 0 || init < 0)
		return FAB_USAGE;
	n->live = !ghost;
	n->netns_init = init;
	if (get_hcas(f, at, in, n))
		return FAB_USAGE;
	snprintf(path, sizeof(path), "%s.ip", at);
	return in->ip ? get_ip(f, path, in->ip, n) : 0;
}

static int get_node(struct yamlfile *f, struct topology *t,
		    const struct file_node *in, uint32_t i)
{
	char at[32], path[64];
	enum fabsim_node_kind kind;
	const char *wrong;
	int idx;

	snprintf(at, sizeof(at), "nodes.%u", i);
	snprintf(path, sizeof(path), "%s.name", at);
	wrong = topology_name_problem(in->name);
	if (wrong)
		return yamlfile_err(f, path, "\"%s\": %s", in->name, wrong);
	if (get_node_kind(f, at, in->kind, &kind))
		return FAB_USAGE;
	idx = topology_add_node(t, in->name, kind);
	snprintf(path, sizeof(path), "%s.name", at);
	if (idx < 0)
		return yamlfile_err(f, path, "\"%s\" is the name of two nodes",
				    in->name);
	if (check_kind(f, at, in, kind) ||
	    get_values(f, at, node_values, in, &t->nodes[idx]))
		return FAB_USAGE;
	if (kind == FABSIM_NODE_HOST)
		return get_host(f, at, in, &t->nodes[idx]);
	return get_sm(f, at, in->sm, &t->nodes[idx]);
}

static int get_end(struct yamlfile *f, struct topology *t, const char *path,
		   const char *s, uint32_t *node, uint32_t *port)
{
	const char *colon = strchr(s, ':');
	uint64_t n = 0;
	char name[32];
	int idx;

	snprintf(name, sizeof(name), "%.*s",
		 colon ? (int)(colon - s) : (int)strlen(s), s);
	idx = topology_find(t, name);
	if (idx < 0)
		return yamlfile_err(f, path, "there is no node \"%s\"", name);
	if (colon && (units_get_u64(colon + 1, &n) || !n))
		return yamlfile_err(f, path, "\"%s\" is no port number (from 1)",
				    colon + 1);
	if (n > topology_ports(&t->nodes[idx]))
		return yamlfile_err(f, path, "%s has no port %s (it has %u)",
				    name, colon + 1,
				    topology_ports(&t->nodes[idx]));
	*node = idx;
	*port = n;
	return 0;
}

static int get_link(struct yamlfile *f, struct topology *t,
		    const struct file_top *top, uint32_t i)
{
	const struct file_link *in = &top->links[i];
	uint32_t a, b, a_port, b_port;
	char at[32], path[64];
	struct topo_link *l;
	int down;

	snprintf(at, sizeof(at), "links.%u", i);
	snprintf(path, sizeof(path), "%s.a", at);
	if (get_end(f, t, path, in->a, &a, &a_port))
		return FAB_USAGE;
	snprintf(path, sizeof(path), "%s.b", at);
	if (get_end(f, t, path, in->b, &b, &b_port))
		return FAB_USAGE;
	l = topology_add_link(t, a, b);
	l->a_port = a_port;
	l->b_port = b_port;
	if (top->defaults &&
	    get_values(f, "defaults", link_values, top->defaults, l))
		return FAB_USAGE;
	snprintf(path, sizeof(path), "%s.down", at);
	down = get_choice(f, path, in->down, "false", "true");
	l->down = down > 0;
	snprintf(path, sizeof(path), "%s.name", at);
	if (in->name && (!*in->name || strchr(in->name, '/') ||
			 strlen(in->name) > FABSIM_LINK_NAME_MAX))
		return yamlfile_err(f, path,
				    "\"%s\": 1 to %d characters, no /", in->name,
				    FABSIM_LINK_NAME_MAX);
	if (in->name)
		strcpy(l->name, in->name);
	return down < 0 ? FAB_USAGE : get_values(f, at, link_values, in, l);
}

static int by_name(const void *a, const void *b)
{
	const struct topo_link *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Two links of one name: sorted, they are neighbours. */
static int check_link_names(struct yamlfile *f, struct topology *t)
{
	struct topo_link **v = calloc(t->nr_links + 1, sizeof(*v));
	char path[64];
	uint32_t i, n = 0;
	int ret = 0;

	if (!v)
		abort();
	for (i = 0; i < t->nr_links; i++)
		if (t->links[i].name[0])
			v[n++] = &t->links[i];
	qsort(v, n, sizeof(*v), by_name);
	for (i = 1; i < n && !ret; i++) {
		if (strcmp(v[i]->name, v[i - 1]->name))
			continue;
		snprintf(path, sizeof(path), "links.%u.name",
			 (uint32_t)((v[i] > v[i - 1] ? v[i] : v[i - 1]) - t->links));
		ret = yamlfile_err(f, path, "\"%s\" is the name of two links",
				   v[i]->name);
	}
	free(v);
	return ret;
}

static int finish(struct yamlfile *f, struct topology *t)
{
	struct topo_problem p;
	char path[64];

	if (!topology_finish(t, &p))
		return 0;
	if (p.link >= 0)
		snprintf(path, sizeof(path), "links.%d", p.link);
	else
		snprintf(path, sizeof(path), "nodes.%d", p.node);
	return yamlfile_err(f, path, "%s", p.text);
}

static int get_all(struct yamlfile *f, struct topology *t,
		   const struct file_top *top)
{
	uint32_t i;

	if (top->name && strlen(top->name) >= sizeof(t->name))
		return yamlfile_err(f, "name", "longer than 63 characters");
	if (top->name)
		strcpy(t->name, top->name);
	if (get_values(f, "", top_values, top, t))
		return FAB_USAGE;
	if (!top->nodes_count)
		return yamlfile_err(f, "nodes", "a topology needs nodes");
	if (top->nodes_count > FABSIM_NODES_MAX)
		return yamlfile_err(f, "nodes", "%u nodes are out of range (at most %u)",
				    top->nodes_count, FABSIM_NODES_MAX);
	for (i = 0; i < top->nodes_count; i++)
		if (get_node(f, t, &top->nodes[i], i))
			return FAB_USAGE;
	for (i = 0; i < top->links_count; i++)
		if (get_link(f, t, top, i))
			return FAB_USAGE;
	return check_link_names(f, t) ? FAB_USAGE : finish(f, t);
}

struct topology *topology_read(const char *path, bool no_ib)
{
	const char *slash = strrchr(path, '/');
	struct file_top *top;
	struct topology *t;
	struct yamlfile *f;
	char name[64];

	if (access(path, F_OK)) {
		fab_err("%s: no such file, and no built-in topology (star, diamond, chain, ring, fat-tree:K)",
			path);
		return NULL;
	}
	f = yamlfile_load(path, "topology", &top_schema, (void **)&top);
	if (!f)
		return NULL;
	snprintf(name, sizeof(name), "%.63s", slash ? slash + 1 : path);
	t = topology_new(name);
	t->no_ib = no_ib;
	if (get_all(f, t, top)) {
		topology_free(t);
		t = NULL;
	}
	yamlfile_free(f);
	return t;
}
