/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths 2 and 3 share their passes, as they share their programs; what is the
 * network's comes from path_roce.c and path_ib.c.
 */
#ifndef FABCTL_PATH_VERBS_H
#define FABCTL_PATH_VERBS_H

#include "path.h"
#include "worker_verbs.h"

struct verbs_path {
	enum fabsim_path path;
	const char *device;		/* ports and devices are h1-DEVICE ... */
	const char *port;		/* ... and h1-PORT */
	bool ib;			/* how packets are wrapped in a capture */
	bool receiver_in_init;		/* see bringup_cm.c */
	const struct verbs_bringup *bringup;
	/* The network's rows of the result. */
	void (*view)(struct fab_nl *nl, const struct lab_host *from,
		     const struct lab_host *to, struct json_object *network);
};

int path_verbs_run(const struct verbs_path *path, const struct path_job *job,
		   struct json_object *result);
int path_verbs_send(const struct verbs_path *path, const struct worker_job *job,
		    const char *op, struct worker_result *res);

#endif /* FABCTL_PATH_VERBS_H */
