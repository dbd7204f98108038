// SPDX-License-Identifier: GPL-2.0
/*
 * The Ethernet part of "why": two hosts, and the cables between them. Ports that the
 * spanning tree blocks aside there is one way, so what is looked for is found from
 * the sender outwards, whether or not a switch has learned it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netdev.h"
#include "why.h"

static bool cable(struct why *w, const struct lab_host *h)
{
	char name[FABSIM_PORT_NAME_MAX + 1], mend[96];
	struct fab_port_info port;

	snprintf(name, sizeof(name), "%s-eth", h->name);
	if (fab_port_get(w->nl, name, &port))
		return false;
	if (port.state == FABSIM_PORT_UNCABLED) {
		snprintf(mend, sizeof(mend), "fabctl link add %s es1", h->name);
		return why_found(w, name, "1", mend, "no cable is plugged into %s", name);
	}
	return port.state == FABSIM_PORT_DOWN && why_link(w, port.link);
}

static bool host(struct why *w, const struct lab_host *h)
{
	struct netdev_facts d;
	char mend[96];

	if (!netdev_facts(h, &d))
		return why_found(w, h->name, "1", NULL,
				 "host %s has no namespace any more", h->name);
	if (!d.up) {
		snprintf(mend, sizeof(mend), "fabctl exec %s ip link set %s up", h->name,
			 h->ifname);
		return why_found(w, h->ifname, "1", mend, "%s is switched off in %s",
				 h->ifname, h->name);
	}
	if (cable(w, h))
		return true;
	if (!d.has_ip) {
		snprintf(mend, sizeof(mend), "fabctl exec %s ip address add ... dev %s",
			 h->name, h->ifname);
		return why_found(w, h->ifname, "3", mend, "%s has no IP address", h->name);
	}
	return why_fine(w, h->ifname, "up, %s", h->ip_str);
}

/* Every port of the lab, those of a node together. */
struct map {
	struct fab_port_info *ports;
	size_t n;
};

static int by_node(const void *a, const void *b)
{
	const struct fab_port_info *x = a, *y = b;
	int diff = strcmp(x->node, y->node);

	return diff ? diff : strcmp(x->name, y->name);
}

/* "es1:3" is of es1, "h1-eth" of h1. */
static void node_of(const char *port, char node[FABSIM_NODE_NAME_MAX + 1])
{
	const char *end = strchr(port, ':');

	if (!end)
		end = strrchr(port, '-');
	snprintf(node, FABSIM_NODE_NAME_MAX + 1, "%.*s",
		 end ? (int)(end - port) : FABSIM_NODE_NAME_MAX, port);
}

static const struct fab_port_info *find(const struct map *m, const char *port)
{
	struct fab_port_info key;

	node_of(port, key.node);
	snprintf(key.name, sizeof(key.name), "%s", port);
	return bsearch(&key, m->ports, m->n, sizeof(key), by_node);
}

/* The first port of the node that @port is of. */
static const struct fab_port_info *first_of(const struct map *m,
					    const struct fab_port_info *port)
{
	while (port > m->ports && !strcmp(port[-1].node, port->node))
		port--;
	return port;
}

struct hop {
	const struct fab_port_info *out;
	size_t before;			/* the hop that led here */
};

struct search {
	struct map map;
	struct hop *hops;
	size_t n;
	const struct fab_port_info *down;	/* a port on the way whose cable is down */
};

/* All ports that lead on from the switch that @in belongs to. */
static void spread(struct search *s, const struct fab_port_info *in, size_t at)
{
	const struct fab_port_info *p = first_of(&s->map, in), *end = s->map.ports + s->map.n;

	for (; p < end && !strcmp(p->node, in->node); p++) {
		if (p == in || p->kind != FABSIM_PORT_KIND_ETH)
			continue;
		if (p->state == FABSIM_PORT_DOWN && !s->down)
			s->down = p;
		if (p->state == FABSIM_PORT_FORWARDING && s->n < s->map.n)
			s->hops[s->n++] = (struct hop) { p, at };
	}
}

/* The last hop, to the port @to; -1: nothing leads there. */
static ssize_t search(struct search *s, const char *from, const char *to)
{
	const struct fab_port_info *start = find(&s->map, from), *in;

	if (!start || start->state != FABSIM_PORT_FORWARDING)
		return -1;
	s->hops[s->n++] = (struct hop) { start, 0 };
	for (size_t at = 0; at < s->n; at++) {
		in = find(&s->map, s->hops[at].out->peer);
		if (!in || in->state != FABSIM_PORT_FORWARDING)
			continue;
		if (!strcmp(in->name, to))
			return at;
		if (strchr(in->name, ':'))
			spread(s, in, at);
	}
	return -1;
}

/* From the sender on. */
static bool hops(struct why *w, const struct search *s, size_t at)
{
	if (at && hops(w, s, s->hops[at].before))
		return true;
	return why_link(w, s->hops[at].out->link);
}

static bool way(struct why *w, struct search *s)
{
	char from[FABSIM_NODE_NAME_MAX + 8], to[FABSIM_NODE_NAME_MAX + 8];
	ssize_t last;

	snprintf(from, sizeof(from), "%s-eth", w->from->name);
	snprintf(to, sizeof(to), "%s-eth", w->to->name);
	last = search(s, from, to);
	if (last >= 0)
		return hops(w, s, last);
	if (s->down)
		return why_link(w, s->down->link);
	return why_found(w, "cables", "1", "fabctl show links",
			 "no Ethernet cable leads from %s to %s", w->from->name, w->to->name);
}

bool why_ethernet(struct why *w)
{
	struct search s = { };
	bool found;

	if (host(w, w->from) || host(w, w->to))
		return true;
	if (fab_port_list(w->nl, NULL, &s.map.ports, &s.map.n))
		return false;
	qsort(s.map.ports, s.map.n, sizeof(*s.map.ports), by_node);
	s.hops = calloc(s.map.n + 1, sizeof(*s.hops));
	if (!s.hops)
		abort();
	found = way(w, &s);
	free(s.hops);
	free(s.map.ports);
	return found;
}
