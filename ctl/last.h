/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the last "send" or "run" met on each path, in /run/fabsim/last: the programs
 * and their queue pairs are gone by the time somebody asks why they failed.
 */
#ifndef FABCTL_LAST_H
#define FABCTL_LAST_H

#include "tree.h"
#include "worker_tcp.h"

#define LAST_FILE	"/run/fabsim/last"

/* Keeps @res of @path for "why". Who may not write there keeps nothing. */
void last_record(enum fabsim_path path, const struct worker_job *job,
		 const struct worker_result *res);
/* The record of @path if it is of these two hosts, or NULL; json_object_put() it. */
struct json_object *last_find(enum fabsim_path path, const char *from, const char *to);
/* With the lab goes what was met in it. */
void last_forget(void);

#endif /* FABCTL_LAST_H */
