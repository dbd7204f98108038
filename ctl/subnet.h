/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The InfiniBand subnet, as a run needs it: who manages it, what a host's port
 * has been given, and whether it is up.
 */
#ifndef FABCTL_SUBNET_H
#define FABCTL_SUBNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl.h"

struct subnet_managers {
	unsigned int running;
	char master[FABSIM_NODE_NAME_MAX + 1];	/* "": none of ours is */
	char standby[FABSIM_NODE_NAME_MAX + 1];
};

int subnet_managers(struct fab_nl *nl, struct subnet_managers *m);

struct subnet_port {
	uint32_t state;		/* enum fabsim_ib_state */
	uint32_t lid, sm_lid;
	bool credits;		/* its link has flow control by credits */
	uint64_t stalls;	/* packets that waited for credits */
};

/* @name: "h1-ib". 0 or -errno. */
int subnet_port(struct fab_nl *nl, const char *name, struct subnet_port *p);
const char *subnet_state_name(uint32_t state);

/* Does the table of switch @node know @lid? */
bool subnet_routes(struct fab_nl *nl, const char *node, uint32_t lid);

/* The cable by which the switch of host @from sends to host @to. False: none. */
bool subnet_cable(struct fab_nl *nl, const char *from, const char *to, char *link,
		  size_t len);

/*
 * Setting "sm": "off" as if there never had been one, "stop" keeps what it gave,
 * "on" starts one in the first InfiniBand switch, if none runs. Exit status.
 */
int subnet_set(struct fab_nl *nl, const char *value);
bool subnet_value_known(const char *value);

/* Waits until every live host's port is ACTIVE, a few seconds at most. */
void subnet_wait(struct fab_nl *nl);

#endif /* FABCTL_SUBNET_H */
