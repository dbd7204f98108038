/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps of a scenario: things that happen one after the other in the lab, and
 * what the network did meanwhile. An action is one of
 *
 *	forget			empty the switches' and the hosts' tables
 *	send A B [N [PATH]]	N messages of 4 KiB, default 1, over PATH, default tcp
 *				(by-tcp: path ib without the SA, LIDs told over TCP;
 *				then ACTION: after connecting, before the first one)
 *	cut A B			the cable that InfiniBand packets from A to B take now
 *	sm on|off|stop		the subnet manager; off: as if there never had been one
 *	sm start SWITCH [N]	one more, of priority N
 *	sm stop SWITCH		that one
 *	subnet			wait until the subnet is up
 *	host add NAME		plug in a new one
 *	host del NAME		take it away
 *	link up|down NAME
 *	wait TIME		real time
 */
#ifndef FABCTL_STEP_H
#define FABCTL_STEP_H

#include <stddef.h>

#include "nl.h"
#include "scenario.h"
#include "tree.h"

/* Is this an action? 0, or -1 with the reason in @why. */
int step_check(const char *action, char *why, size_t len);

/* Hosts that the steps will plug in must not be there yet: takes them away. */
int steps_prepare(struct fab_nl *nl, const struct scenario *s,
		  struct json_object *notes);

/* Runs all; one object a step in @list. Exit status. */
int steps_run(struct fab_nl *nl, const struct scenario *s, uint64_t seed,
	      struct json_object *list);

#endif /* FABCTL_STEP_H */
