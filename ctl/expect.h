/* SPDX-License-Identifier: GPL-2.0 */
/* What a scenario says must be seen, held against what was measured. */
#ifndef FABCTL_EXPECT_H
#define FABCTL_EXPECT_H

#include "scenario.h"
#include "tree.h"

/*
 * The value of a metric: "tcp.network.drops" begins at the path, any other
 * word at the top of the result. NULL if it was not measured.
 */
struct json_object *expect_metric(struct json_object *result, const char *metric);

/* Adds "expect" to the result. True if all were met, or there are none. */
bool expect_check(struct json_object *result, const struct scenario *s);

/* --ask: asks on the terminal, before the run. Answers are kept in @answers. */
void expect_ask(const struct scenario *s, struct json_object *answers);
/* Holds them against the result; adds "predictions". */
void expect_compare(struct json_object *result, const struct scenario *s,
		    struct json_object *answers);

#endif /* FABCTL_EXPECT_H */
