/* SPDX-License-Identifier: GPL-2.0 */
/* From whatever lab is up to the state that a scenario begins with. */
#ifndef FABCTL_PREPARE_H
#define FABCTL_PREPARE_H

#include "nl.h"
#include "scenario.h"
#include "tree.h"

/* What the preparation changed, in words: arrays of text in the result. */
struct prepared {
	bool started;			/* no lab was up */
	struct json_object *notes;	/* topology changed, a host taken away */
	struct json_object *undone;	/* settings of the user */
};

/* Makes sure that a lab is up which fits @s. Exit status. */
int prepare_lab(struct fab_nl *nl, const struct scenario *s, struct prepared *p);

/* Settings to default, tables and queues empty, hosts cold. Exit status. */
int prepare_state(struct fab_nl *nl, struct prepared *p);

/* The settings of the file, and --set of the command line. Exit status. */
int prepare_settings(struct fab_nl *nl, char *const *set, uint32_t n);

#endif /* FABCTL_PREPARE_H */
