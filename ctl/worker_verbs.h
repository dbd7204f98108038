/* SPDX-License-Identifier: GPL-2.0 */
/* The two programs of paths 2 and 3; worker_verbs.c is meant to be read. */
#ifndef FABCTL_WORKER_VERBS_H
#define FABCTL_WORKER_VERBS_H

#include "verbs_end.h"

/* "write", "read", "send" as scenarios write them. */
enum verbs_op verbs_op_find(const char *op);

/* Runs both to their end. 0, or -errno when it could not even start. */
int worker_verbs_run(const struct worker_job *job, const struct verbs_plan *plan,
		     struct worker_result *res);

#endif /* FABCTL_WORKER_VERBS_H */
