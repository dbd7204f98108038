/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the network between two hosts looks like now: addresses and who gave
 * them, forwarding tables and who wrote them, what keeps it lossless, what was
 * dropped. All of it is read from the objects.
 */
#ifndef FABCTL_NETVIEW_H
#define FABCTL_NETVIEW_H

#include "lab.h"
#include "nl.h"
#include "tree.h"

/* The Ethernet rows of "network". */
void netview_ethernet(struct fab_nl *nl, const struct lab_host *from,
		      const struct lab_host *to, struct json_object *network);

/* The InfiniBand rows. */
void netview_ib(struct fab_nl *nl, const struct lab_host *from,
		const struct lab_host *to, struct json_object *network);

/* "via": the switches that ports h1-KIND and h2-KIND are plugged into. */
void netview_via(struct fab_nl *nl, const struct lab_host *from,
		 const struct lab_host *to, const char *kind,
		 struct json_object *network);

/* Counters of all ports; take one before, and one after. */
struct netview_drops {
	uint64_t by[FABSIM_DROP_MAX + 1];
};

int netview_drops(struct fab_nl *nl, struct netview_drops *d);
void netview_drops_tree(const struct netview_drops *before,
			const struct netview_drops *after,
			struct json_object *network);

#endif /* FABCTL_NETVIEW_H */
