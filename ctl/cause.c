// SPDX-License-Identifier: GPL-2.0
/*
 * A program only sees that nothing comes back. What is in the way
 * stands in the lab: this looks from the sender to the receiver, nearest first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "netdev.h"
#include "subnet.h"

static bool host_cause(struct fab_nl *nl, const struct lab_host *h, char *why,
		       size_t len)
{
	struct netdev_facts d;
	struct fab_port_info port;
	char name[FABSIM_PORT_NAME_MAX + 1];

	if (!netdev_facts(h, &d)) {
		snprintf(why, len, "host %s has no namespace any more", h->name);
		return true;
	}
	if (!d.up) {
		snprintf(why, len, "%s is switched off in %s", h->ifname, h->name);
		return true;
	}
	snprintf(name, sizeof(name), "%s-eth", h->name);
	if (fab_port_get(nl, name, &port))
		return false;
	if (port.state == FABSIM_PORT_UNCABLED) {
		snprintf(why, len, "no cable is plugged into %s", port.name);
		return true;
	}
	if (port.state == FABSIM_PORT_DOWN) {
		snprintf(why, len, "link %s is down", port.link);
		return true;
	}
	if (!d.has_ip) {
		snprintf(why, len, "%s has no IP address", h->name);
		return true;
	}
	return false;
}

static bool fabric_cause(struct fab_nl *nl, char *why, size_t len)
{
	struct fab_fabric_info info;
	struct fab_link_info *list;
	bool found = false;
	size_t n;

	if (!fab_fabric_get(nl, &info) && info.frozen) {
		snprintf(why, len, "the fabric is frozen: fabctl thaw");
		return true;
	}
	if (fab_link_list(nl, &list, &n))
		return false;
	for (size_t i = 0; !found && i < n; i++) {
		struct fab_link_info *l = &list[i];

		found = !l->up || l->stall || l->loss;
		if (!l->up)
			snprintf(why, len, "link %s is down", l->name);
		else if (l->stall)
			snprintf(why, len, "an end of link %s is stalled", l->name);
		else if (l->loss)
			snprintf(why, len, "link %s loses packets", l->name);
	}
	free(list);
	return found;
}

bool cause_ethernet(struct fab_nl *nl, const struct lab_host *from,
		    const struct lab_host *to, char *why, size_t len)
{
	return host_cause(nl, from, why, len) || host_cause(nl, to, why, len) ||
	       fabric_cause(nl, why, len);
}

/* The words "no subnet manager" are what scenarios expect. */
static bool port_cause(struct fab_nl *nl, const struct lab_host *h, char *why, size_t len)
{
	struct subnet_managers m;
	struct subnet_port p;
	char name[FABSIM_PORT_NAME_MAX + 1];

	snprintf(name, sizeof(name), "%s-ib", h->name);
	if (subnet_port(nl, name, &p)) {
		snprintf(why, len, "%s has no InfiniBand port", h->name);
		return true;
	}
	if (p.state == FABSIM_IB_DOWN) {
		snprintf(why, len, "the link of %s is down", name);
		return true;
	}
	if (p.state == FABSIM_IB_ACTIVE)
		return false;
	if (!p.sm_lid && !subnet_managers(nl, &m) && !m.running)
		snprintf(why, len, "no subnet manager");
	else
		snprintf(why, len, "port %s is %s", name, subnet_state_name(p.state));
	return true;
}

bool cause_ib(struct fab_nl *nl, const struct lab_host *from,
	      const struct lab_host *to, char *why, size_t len)
{
	struct subnet_managers m;

	if (port_cause(nl, from, why, len) || port_cause(nl, to, why, len) ||
	    fabric_cause(nl, why, len))
		return true;
	if (subnet_managers(nl, &m) || m.running)
		return false;
	snprintf(why, len, "no subnet manager");
	return true;
}

void cause_find(struct fab_nl *nl, const struct lab_host *from,
		const struct lab_host *to, char *reason, size_t len)
{
	char why[80], seen[160];

	if (!cause_ethernet(nl, from, to, why, sizeof(why)))
		return;
	snprintf(seen, sizeof(seen), "%s", reason);
	snprintf(reason, len, "%s (%s)", why, seen);
}
