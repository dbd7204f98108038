/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The InfiniBand subnet: who manages it, how subnet managers are started, stopped
 * and waited for, and which way the tables they wrote lead.
 */
#ifndef FABCTL_SUBNET_H
#define FABCTL_SUBNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab_state.h"
#include "nl.h"

struct subnet_managers {
	unsigned int running;
	char master[FABSIM_NODE_NAME_MAX + 1];	/* "": none of ours is */
	char standby[FABSIM_NODE_NAME_MAX + 1];
};

int subnet_managers(struct fab_nl *nl, struct subnet_managers *m);

/* The InfiniBand port of a host, "h1-ib". 0 or -errno. */
int subnet_port(struct fab_nl *nl, const char *host, struct fab_port_info *p);
/* As the specification writes it: "INIT". */
const char *subnet_state_name(uint32_t state);

/* The port by which switch @sw sends to @lid ("": itself). False: its table has none. */
bool subnet_route(struct fab_nl *nl, const char *sw, uint32_t lid,
		  char port[FABSIM_PORT_NAME_MAX + 1]);

/* The cable by which the switch of host @from sends to host @to. False: none. */
bool subnet_cable(struct fab_nl *nl, const char *from, const char *to, char *link,
		  size_t len);

/*
 * Starts a subnet manager in @sw. Where one runs already and @may_run, it gets
 * @priority and otherwise the default settings. Exit status.
 */
int subnet_start(struct fab_nl *nl, const char *sw, uint32_t priority, bool may_run);
/* Those of the topology; where it has none, one in the first switch. Exit status. */
int subnet_start_usual(struct fab_nl *nl);
/* The one in @sw, or all (NULL); @cold: as if none had ever been. Exit status. */
int subnet_stop(struct fab_nl *nl, const char *sw, bool cold);
/* Those that the topology has not; none if it names none. Exit status. */
int subnet_stop_unrecorded(struct fab_nl *nl, const struct lab_state *state);
/*
 * Waits until every subnet manager is master of a subnet that is up, or standby,
 * and the ports are active. Exit status, after a complaint if that takes too long.
 */
int subnet_wait(struct fab_nl *nl);
/* Until one of those that run is master: one that stands by takes over in a while. */
int subnet_wait_master(struct fab_nl *nl);

/*
 * Setting "sm": "off" as if there never had been one, "stop" keeps what it gave,
 * "on" starts the usual ones, if none runs. Does not wait. Exit status.
 */
int subnet_set(struct fab_nl *nl, const char *value);
bool subnet_value_known(const char *value);

#endif /* FABCTL_SUBNET_H */
