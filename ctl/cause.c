// SPDX-License-Identifier: GPL-2.0
/*
 * A program on path 1 only sees that nothing comes back. What is in the way
 * stands in the lab: this looks from the sender to the receiver, nearest first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "netdev.h"

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

void cause_find(struct fab_nl *nl, const struct lab_host *from,
		const struct lab_host *to, char *reason, size_t len)
{
	char why[80], seen[160];

	if (!host_cause(nl, from, why, sizeof(why)) &&
	    !host_cause(nl, to, why, sizeof(why)) &&
	    !fabric_cause(nl, why, sizeof(why)))
		return;
	snprintf(seen, sizeof(seen), "%s", reason);
	snprintf(reason, len, "%s (%s)", why, seen);
}
