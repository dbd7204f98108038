/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of a scenario: the list "set" of a file, and --set of a command
 * line. One is KEY=VALUE, where KEY is
 *
 *	messages size from to order op		of the traffic
 *	pace seed				of the fabric
 *	links.K  link.NAME.K			of every link, of one (fabctl set link)
 *	switches.K  switch.NAME.K		of every switch, of one
 */
#ifndef FABCTL_SETTING_H
#define FABCTL_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "nl.h"
#include "scenario.h"

/* Is this a setting? 0, or -1 with the reason in @why. */
int setting_check(const char *text, char *why, size_t len);
/* Is it one of the traffic? Then it changes the plan, not the lab. */
bool setting_is_traffic(const char *text);
/* Changes the plan. 0, or -1 with the reason in @why. */
int setting_plan(const char *text, struct scenario *s, char *why, size_t len);
/* Changes the lab. Exit status, after its own complaint. */
int setting_apply(struct fab_nl *nl, const char *text);

#endif /* FABCTL_SETTING_H */
