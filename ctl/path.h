/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The three paths, as a run sees them. One row a path: how it is written, and
 * what runs a scenario's traffic over it.
 */
#ifndef FABCTL_PATH_H
#define FABCTL_PATH_H

#include "nl.h"
#include "scenario.h"
#include "tree.h"

struct path_job {
	struct fab_nl *nl;
	const struct scenario_traffic *traffic;
	uint64_t seed;
	uint32_t pace;
};

struct path {
	const char *name;	/* in commands and JSON */
	const char *symbol;
	const char *ascii;
	/* Left and right of the switch in the drawing of the path. */
	const char *out, *in;
	const char *missing;	/* why it cannot run, or NULL */
	/* Fills the path's result. Exit status; a failed path is no failure. */
	int (*run)(const struct path_job *job, struct json_object *result);
};

extern const struct path paths[FABSIM_PATH_MAX + 1];

int path_tcp_run(const struct path_job *job, struct json_object *result);

/* "tcp,roce" to a mask of 1 << enum fabsim_path; 0 after a complaint. */
unsigned int path_mask(const char *list);

/* The size of a message as one says it: "4 KiB", "64 B". Static buffer. */
const char *path_size(uint64_t bytes);

/* As this terminal can show it. */
const char *path_symbol(const struct path *p);

#endif /* FABCTL_PATH_H */
