/* SPDX-License-Identifier: GPL-2.0 */
/* Running one scenario, from the lab as it is to the finished result. */
#ifndef FABCTL_RUN_H
#define FABCTL_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"
#include "tree.h"

struct run_opts {
	unsigned int mask;	/* paths asked for; 0: the scenario's */
	const char *variant;
	char *const *set;
	uint32_t set_count;
	uint32_t repeat;
	struct json_object *answers;	/* --ask, or NULL */
};

/*
 * *result is the object of DESIGN.md 9 (json_object_put() it), NULL if nothing
 * could be measured. FAB_OK, FAB_MISSED, or a status after a complaint.
 */
int run_scenario(struct scenario *s, const struct run_opts *opts,
		 struct json_object **result);

#endif /* FABCTL_RUN_H */
