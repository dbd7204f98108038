/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of a result: rows of two sections ("host", "network"), a column a
 * path, and whether paths 2 and 3 are the same in that row.
 */
#ifndef FABCTL_TABLE_H
#define FABCTL_TABLE_H

#include "tree.h"

struct table_row {
	const char *name;
	const char *unit;	/* or NULL */
	const char *kind;	/* measured, emulated, state (DESIGN.md 1) */
	bool varies;		/* a time: equal means within 20 % */
	/* Of the host section: key of a number below host.sender, host.receiver. */
	const char *key;
	/* Of the network section: text of the cell, "" if unknown. */
	void (*cell)(struct json_object *path, char *buf, size_t len);
	/* A command that shows it; %1$s, %2$s: sending, receiving host. */
	const char *evidence;
};

extern const struct table_row table_host[], table_network[];	/* end: no name */

/* Adds "table" and "notices" to a result. */
void table_build(struct json_object *result);

/* Prints the result as text. @evidence: -e. */
void table_print(struct json_object *result, bool evidence);

/* --repeat: collect a result's times; then least, median and greatest of each. */
void table_spread_add(struct json_object *result, struct json_object *spread);
struct json_object *table_spread(struct json_object *spread);

#endif /* FABCTL_TABLE_H */
