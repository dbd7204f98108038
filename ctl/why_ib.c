// SPDX-License-Identifier: GPL-2.0
/*
 * The InfiniBand part of "why", in the order in which a subnet comes up: cable, port
 * state, LIDs, forwarding tables both ways (an acknowledgment must come back),
 * partitions, and somebody who answers for the path of a new connection.
 *
 * The words "no subnet manager" are what scenarios expect.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subnet.h"
#include "why.h"

#define HOPS_MAX	64	/* as the specification's hop limit of a subnet */
#define PKEY_FULL	0x8000	/* a full member; limited ones do not talk to each other */

static bool cable(struct why *w, const struct fab_port_info *p)
{
	if (p->state == FABSIM_PORT_UNCABLED)
		return why_found(w, p->name, "4", "fabctl link add",
				 "no cable is plugged into %s", p->name);
	return p->state == FABSIM_PORT_DOWN && why_link(w, p->link);
}

static bool inactive(struct why *w, const struct fab_port_info *p)
{
	struct subnet_managers m;
	const char *state = subnet_state_name(p->ib_state);

	if (p->ib_state == FABSIM_IB_ACTIVE && p->lid)
		return why_fine(w, p->name, "ACTIVE, LID %u", p->lid);
	if (subnet_managers(w->nl, &m))
		return false;
	if (!m.running && !p->sm_lid) {
		why_fine(w, p->name, "cable in, %s, LID %u: nothing was set up", state, p->lid);
		return why_found(w, "subnet", "4", "fabctl sm start", "no subnet manager");
	}
	if (p->ib_state == FABSIM_IB_ACTIVE)
		return why_found(w, p->name, "4", "fabctl sm start", "%s has no LID", p->name);
	return why_found(w, p->name, "4", m.running ? "fabctl show sm" : "fabctl sm start",
			 "port %s is %s%s", p->name, state,
			 m.running ? "" : ", and no subnet manager runs now");
}

/* The cable at the port by which a packet leaves, and what the port lets pass. */
static bool hop(struct why *w, const struct fab_port_info *out)
{
	if (!out->link[0])
		return why_found(w, out->name, "4", "fabctl show lft",
				 "the way leads to %s, where no cable is", out->name);
	if (why_link(w, out->link))
		return true;
	return out->ib_state != FABSIM_IB_ACTIVE &&
	       why_found(w, out->name, "4", "fabctl sm start", "port %s is %s", out->name,
			 subnet_state_name(out->ib_state));
}

static bool no_entry(struct why *w, const char *sw, uint32_t lid)
{
	struct subnet_managers m = { 0 };
	char mend[96];

	snprintf(mend, sizeof(mend), "fabctl sm start; fabctl show lft %.10s", sw);
	subnet_managers(w->nl, &m);
	return why_found(w, sw, "4", mend, "%s has no entry for LID %u%s", sw, lid,
			 m.running ? "" : ", and no subnet manager runs now");
}

/* From table to table, as a packet goes. */
static bool tables(struct why *w, const struct fab_port_info *from,
		   const struct fab_port_info *to)
{
	char sw[FABSIM_PORT_NAME_MAX + 1], port[FABSIM_PORT_NAME_MAX + 1];
	struct fab_port_info out = *from;

	for (int i = 0; i < HOPS_MAX; i++) {
		if (hop(w, &out))
			return true;
		if (!strcmp(out.peer, to->name))
			return false;
		snprintf(sw, sizeof(sw), "%.*s", (int)strcspn(out.peer, ":"), out.peer);
		if (!subnet_route(w->nl, sw, to->lid, port) || !port[0])
			return no_entry(w, sw, to->lid);
		why_fine(w, sw, "LID %u leaves by %s", to->lid, port);
		if (fab_port_get(w->nl, port, &out))
			return false;
	}
	return why_found(w, "tables", "4", "fabctl show lft",
			 "the tables lead in a circle: LID %u is never reached", to->lid);
}

static bool same_partition(struct why *w, uint32_t a, uint32_t b)
{
	if (a == b)
		return why_fine(w, "P_Key", "both have 0x%04x", a);
	return why_fine(w, "P_Key", "0x%04x and 0x%04x are one partition", a, b);
}

static bool pkeys(struct why *w, const struct fab_port_info *a, const struct fab_port_info *b)
{
	for (uint32_t i = 0; i < a->nr_pkeys; i++)
		for (uint32_t j = 0; j < b->nr_pkeys; j++)
			if (!((a->pkeys[i] ^ b->pkeys[j]) & ~PKEY_FULL & 0xffff) &&
			    (a->pkeys[i] | b->pkeys[j]) & PKEY_FULL)
				return same_partition(w, a->pkeys[i], b->pkeys[j]);
	return why_found(w, "P_Key", "4", "fabctl exec HOST smpquery pkeys",
			 "%s and %s have no partition (P_Key) in common", a->name, b->name);
}

/* Ours has its LID at a switch; one at a host's port is somebody's opensm. */
static bool nobody_answers(struct why *w, const struct fab_port_info *p)
{
	struct fab_node_info *nodes;
	struct subnet_managers m;
	bool ours = false;
	size_t n;

	if (subnet_managers(w->nl, &m))
		return false;
	if (m.running)
		return why_fine(w, m.master[0] ? m.master : "subnet",
				"its subnet manager answers for paths");
	if (fab_node_list(w->nl, &nodes, &n))
		return false;
	for (size_t i = 0; !ours && i < n; i++)
		ours = nodes[i].kind == FABSIM_NODE_IB_SWITCH && nodes[i].lid == p->sm_lid;
	free(nodes);
	if (!ours)
		return why_fine(w, "subnet", "its subnet manager is at LID %u", p->sm_lid);
	w->living_go_on = true;
	return why_found(w, "subnet", "4", "fabctl sm start",
			 "no subnet manager runs now to tell a new connection its path");
}

bool why_ib(struct why *w)
{
	struct fab_port_info from, to;

	if (subnet_port(w->nl, w->from->name, &from) || subnet_port(w->nl, w->to->name, &to))
		return false;
	return cable(w, &from) || cable(w, &to) || inactive(w, &from) || inactive(w, &to) ||
	       tables(w, &from, &to) || tables(w, &to, &from) || pkeys(w, &from, &to) ||
	       nobody_answers(w, &from);
}
