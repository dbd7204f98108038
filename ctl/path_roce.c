// SPDX-License-Identifier: GPL-2.0
/* What is particular to path 2: Ethernet carries it. */
#include "netview.h"
#include "path_verbs.h"

static const struct verbs_path roce = {
	.path = FABSIM_PATH_ROCE, .device = "roce", .port = "eth",
	.bringup = &verbs_bringup_tcp,
	.view = netview_ethernet,
};

int path_roce_run(const struct path_job *job, struct json_object *result)
{
	return path_verbs_run(&roce, job, result);
}

int path_roce_send(const struct worker_job *job, const char *op, struct worker_result *res)
{
	return path_verbs_send(&roce, job, op, res);
}
