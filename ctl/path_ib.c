// SPDX-License-Identifier: GPL-2.0
/* What is particular to path 3: InfiniBand, which a subnet manager brings up. */
#include "netview.h"
#include "path_verbs.h"

static const struct verbs_path ib = {
	.path = FABSIM_PATH_IB, .device = "ib", .port = "ib", .ib = true,
	.receiver_in_init = true, .bringup = &verbs_bringup_cm,
	.view = netview_ib,
};

int path_ib_run(const struct path_job *job, struct json_object *result)
{
	return path_verbs_run(&ib, job, result);
}

int path_ib_send(const struct worker_job *job, const char *op, struct worker_result *res)
{
	return path_verbs_send(&ib, job, op, res);
}
