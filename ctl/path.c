// SPDX-License-Identifier: GPL-2.0
/* The table of paths; see path.h. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cost.h"
#include "path.h"
#include "units.h"
#include "why.h"

const struct path paths[FABSIM_PATH_MAX + 1] = {
	[FABSIM_PATH_TCP] = {
		"tcp", "\u2460", "(1)",
		"app\u00b7kernel\u00b7nic \u2550\u2550", "\u2550\u2550 nic\u00b7kernel\u00b7app",
		path_tcp_run, path_tcp_send
	},
	[FABSIM_PATH_ROCE] = {
		"roce", "\u2461", "(2)",
		"app\u00b7\u00b7\u00b7\u00b7\u00b7hca \u2550\u2550\u2550\u2550\u2550",
		"\u2550\u2550\u2550\u2550\u2550 hca\u00b7memory ",
		path_roce_run, path_roce_send
	},
	[FABSIM_PATH_IB] = {
		"ib", "\u2462", "(3)",
		"app\u00b7\u00b7\u00b7\u00b7\u00b7hca \u2550\u2550\u2550\u2550\u2550",
		"\u2550\u2550\u2550\u2550\u2550 hca\u00b7memory ",
		path_ib_run, path_ib_send
	},
};

const char *path_symbol(const struct path *p)
{
	return fab_opts.ascii ? p->ascii : p->symbol;
}

const char *path_size(uint64_t bytes)
{
	static char text[32];

	if (bytes < 1024 || bytes % 1024 || bytes >= 1 << 20)
		return units_size(bytes);
	snprintf(text, sizeof(text), "%u KiB", (unsigned int)(bytes / 1024));
	return text;
}

bool path_cause(struct fab_nl *nl, enum fabsim_path path, const struct worker_job *job,
		const struct worker_result *res, char *why, size_t len)
{
	struct why w = {
		.nl = nl, .path = path, .from = job->from, .to = job->to, .failed = true,
	};

	if (job->mistake != MISTAKE_NONE ||
	    (res->status[0] && strcmp(res->status, "RETRY_EXC_ERR")))
		return false;
	why_lab(&w);
	snprintf(why, len, "%s", w.reason);
	why_put(&w);
	return w.found;
}

void path_explain(struct fab_nl *nl, const struct path *p, const struct worker_job *job,
		  struct worker_result *res)
{
	char why[128], seen[sizeof(res->reason)];

	if (!path_cause(nl, p - paths, job, res, why, sizeof(why)))
		return;
	snprintf(seen, sizeof(seen), "%s", res->reason);
	snprintf(res->reason, sizeof(res->reason), "%s (%.*s)", why,
		 (int)(sizeof(res->reason) - sizeof(why) - 4), seen);
}

unsigned int path_mask(const char *list)
{
	unsigned int mask = 0;
	char name[16];

	while (*list) {
		size_t n = strcspn(list, ",");
		int path;

		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		path = n < sizeof(name) ? cost_path_find(name) : -1;
		if (path < 0) {
			fab_usage("no path \"%.*s\": tcp, roce, ib", (int)n, list);
			return 0;
		}
		mask |= 1u << path;
		list += n + (list[n] == ',');
	}
	if (!mask)
		fab_usage("--path: which? tcp, roce, ib");
	return mask;
}
