// SPDX-License-Identifier: GPL-2.0
/* --repeat: how much the times of a run vary from run to run. */
#include <stdio.h>
#include <stdlib.h>

#include "array.h"
#include "path.h"
#include "table.h"

static const char *const keys[] = {
	"host.sender.per_message.cpu_us",
	"host.receiver.per_message.cpu_us",
	"network.latency_ns.p50",
	"network.goodput_bps",
	"network.wire_ns",
};

/* One run: an object of metric and value. */
void table_spread_add(struct json_object *result, struct json_object *spread)
{
	struct json_object *run = tree_item(spread), *v;
	char metric[80];

	for (int p = 0; p <= FABSIM_PATH_MAX; p++) {
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
			snprintf(metric, sizeof(metric), "%s.%s", paths[p].name, keys[k]);
			v = tree_get(tree_get(result, "paths"), metric);
			if (v)
				json_object_object_add(run, metric, json_object_get(v));
		}
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void summary(struct json_object *spread, const char *metric,
		    struct json_object *list)
{
	size_t runs = json_object_array_length(spread), n = 0;
	double *v = calloc(runs + 1, sizeof(*v));
	struct json_object *o;

	for (size_t i = 0; v && i < runs; i++) {
		/* The metric has dots in it: a plain key here, not a path. */
		if (json_object_object_get_ex(json_object_array_get_idx(spread, i),
					      metric, &o))
			v[n++] = json_object_get_double(o);
	}
	if (n) {
		qsort(v, n, sizeof(*v), compare);
		o = tree_item(list);
		tree_str(o, "metric", metric);
		tree_double(o, "min", v[0]);
		tree_double(o, "median", n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2);
		tree_double(o, "max", v[n - 1]);
	}
	free(v);
}

struct json_object *table_spread(struct json_object *spread)
{
	struct json_object *o = json_object_new_object(), *list;

	tree_u64(o, "runs", json_object_array_length(spread));
	list = tree_array(o, "spread");
	if (json_object_array_length(spread)) {
		json_object_object_foreach(json_object_array_get_idx(spread, 0),
					   metric, value) {
			(void)value;
			summary(spread, metric, list);
		}
	}
	return o;
}
