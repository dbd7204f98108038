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
#include "worker_tcp.h"

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
	/* Fills the path's result. Exit status; a failed path is no failure. */
	int (*run)(const struct path_job *job, struct json_object *result);
	/* Only the messages of @job, by operation @op of RDMA. 0 or -errno. */
	int (*send)(const struct worker_job *job, const char *op, struct worker_result *res);
};

extern const struct path paths[FABSIM_PATH_MAX + 1];

int path_tcp_run(const struct path_job *job, struct json_object *result);
int path_roce_run(const struct path_job *job, struct json_object *result);
int path_ib_run(const struct path_job *job, struct json_object *result);

int path_tcp_send(const struct worker_job *job, const char *op, struct worker_result *res);
int path_roce_send(const struct worker_job *job, const char *op, struct worker_result *res);
int path_ib_send(const struct worker_job *job, const char *op, struct worker_result *res);

/*
 * What in the lab stood in the way of a failed @res; false: nothing, or a completion
 * with a status says itself what was wrong.
 */
bool path_cause(struct fab_nl *nl, enum fabsim_path path, const struct worker_job *job,
		const struct worker_result *res, char *why, size_t len);
/* Replaces the reason of a failure by "CAUSE (what the program saw)". */
void path_explain(struct fab_nl *nl, const struct path *p, const struct worker_job *job,
		  struct worker_result *res);

/* "tcp,roce" to a mask of 1 << enum fabsim_path; 0 after a complaint. */
unsigned int path_mask(const char *list);

/* The size of a message as one says it: "4 KiB", "64 B". Static buffer. */
const char *path_size(uint64_t bytes);

/* As this terminal can show it. */
const char *path_symbol(const struct path *p);

#endif /* FABCTL_PATH_H */
