// SPDX-License-Identifier: GPL-2.0
/*
 * One run: prepare the lab, send over each path from the same initial state,
 * hold the result against the expectations. Nothing is printed here: cmd_run.c
 * prints the result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cold.h"
#include "cost.h"
#include "expect.h"
#include "host_ip.h"
#include "lab.h"
#include "machine.h"
#include "path.h"
#include "prepare.h"
#include "run.h"
#include "setting.h"
#include "step.h"
#include "subnet.h"
#include "table.h"

/* Bits of the paths that the scenario itself asks for. */
static unsigned int default_mask(const struct scenario *s)
{
	unsigned int mask = 0;

	for (uint32_t i = 0; i < s->paths_count; i++)
		mask |= 1u << cost_path_find(s->paths[i]);
	return mask ? mask : 1u << FABSIM_PATH_TCP;
}

static void head(const struct scenario *s, struct json_object *result)
{
	enum machine_cpu cpu = machine_cpu();

	tree_str(result, "scenario", s->name);
	tree_bool(result, "ok", false);		/* replaced at the end */
	tree_str(result, "title", s->title);
	tree_str(result, "lesson", s->lesson);
	if (s->lesson_scenario)
		tree_u64(result, "lesson_scenario", s->lesson_scenario);
	tree_str(result, "kernel", machine_kernel());
	if (cpu == MACHINE_CPU_UNKNOWN)
		tree_null(result, "emulated_cpu");
	else
		tree_bool(result, "emulated_cpu", cpu == MACHINE_CPU_EMULATED);
}

/* --set of the traffic changes the plan before anything else happens. */
static int plan(struct scenario *s, char *const *set, uint32_t n)
{
	char why[160];

	for (uint32_t i = 0; i < n; i++) {
		if (setting_check(set[i], why, sizeof(why)) ||
		    (setting_is_traffic(set[i]) &&
		     setting_plan(set[i], s, why, sizeof(why)))) {
			fab_err("--set %s: %s", set[i], why);
			return FAB_USAGE;
		}
	}
	return FAB_OK;
}

/* A variant may change the traffic: before anything else, like --set. */
static int variant_plan(struct scenario *s, const char *name)
{
	struct scenario_variant *v = name ? scenario_variant(s, name) : NULL;

	return v ? plan(s, v->set, v->set_count) : FAB_OK;
}

static int variant_apply(struct fab_nl *nl, struct scenario *s, const char *name)
{
	struct scenario_variant *v;

	if (!name)
		return FAB_OK;
	v = scenario_variant(s, name);
	if (!v) {
		fab_err("%s has no variant \"%s\"", s->name, name);
		return FAB_USAGE;
	}
	return prepare_settings(nl, v->set, v->set_count);
}

/* What an earlier scenario took away: a subnet manager, the hosts' addresses. */
static int healthy(struct fab_nl *nl)
{
	int ret = host_ip_set(nl, true);

	if (!ret)
		ret = subnet_set(nl, "on");
	return ret ? ret : subnet_wait(nl);
}

static int prepare(struct fab_nl *nl, struct scenario *s,
		   const struct run_opts *opts, struct json_object *result)
{
	struct prepared p = {
		.notes = tree_array(result, "notes"),
		.undone = tree_array(result, "undone"),
	};
	int ret = prepare_lab(nl, s, &p);

	tree_bool(result, "lab_started", p.started);
	if (!ret)
		ret = prepare_state(nl, &p);
	if (!ret)
		ret = healthy(nl);
	if (!ret)
		ret = prepare_settings(nl, s->set, s->set_count);
	if (!ret)
		ret = variant_apply(nl, s, opts->variant);
	if (!ret)
		ret = prepare_settings(nl, opts->set, opts->set_count);
	return ret;
}

/* Every path finds the same: empty tables, zeroed counters, settings kept. */
static int same_start(struct fab_nl *nl)
{
	int ret = lab_reset(false), err;

	if (ret)
		return ret;
	err = cold_start(nl);
	return err ? fab_nl_fail(nl, err, "cold start") : FAB_OK;
}

/* Why this kernel or lab cannot run the path; NULL: it can. */
static const char *missing(struct fab_nl *nl, const struct path *path,
			   const struct path_job *job)
{
	struct fab_port_info port;

	if (path != &paths[FABSIM_PATH_IB])
		return NULL;
	return subnet_port(nl, job->traffic->from, &port) ? "this lab has no InfiniBand" : NULL;
}

static int run_path(struct fab_nl *nl, const struct path *path,
		    const struct path_job *job, struct json_object *result)
{
	const char *why = missing(nl, path, job);
	int ret;

	if (why) {
		tree_str(result, "state", "skipped");
		tree_str(result, "reason", why);
		return FAB_OK;
	}
	ret = same_start(nl);
	return ret ? ret : path->run(job, result);
}

static void traffic_tree(const struct scenario_traffic *t, struct json_object *result)
{
	struct json_object *o = tree_object(result, "traffic");

	tree_str(o, "from", t->from);
	tree_str(o, "to", t->to);
	tree_u64(o, "messages", t->messages);
	tree_u64(o, "size", t->size_bytes);
	tree_str(o, "op", t->op ? t->op : "write");
	tree_str(o, "order", t->one_at_a_time ? "one at a time" : "back to back");
}

static int run_traffic(struct fab_nl *nl, const struct scenario *s, unsigned int mask,
		       const struct fab_fabric_info *info, struct json_object *result)
{
	struct path_job job = {
		.nl = nl, .traffic = s->traffic, .seed = info->seed, .pace = info->pace,
	};
	struct json_object *all = tree_object(result, "paths");
	int ret = FAB_OK;

	traffic_tree(s->traffic, result);
	for (int i = 0; !ret && i <= FABSIM_PATH_MAX; i++)
		if (mask & 1u << i)
			ret = run_path(nl, &paths[i], &job,
				       tree_object(all, paths[i].name));
	return ret;
}

/* Steps have results of their own; those that sent make up their path's state. */
static void steps_state(struct json_object *result, const char *name)
{
	struct json_object *steps = tree_get(result, "steps"), *path;
	uint64_t messages = 0, bytes = 0, verified = 0;
	const char *reason = NULL;
	bool sent = false;

	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		struct json_object *o = json_object_array_get_idx(steps, i);

		if (strcmp(tree_text(o, "path", "tcp"), name) || !tree_get(o, "ok"))
			continue;
		sent = true;
		messages += tree_number(o, "messages", 0);
		bytes += tree_number(o, "bytes", 0);
		verified += tree_number(o, "verified_bytes", 0);
		if (!reason)
			reason = tree_text(o, "reason", NULL);
	}
	if (!sent)
		return;
	path = tree_object(tree_get(result, "paths"), name);
	tree_str(path, "state", reason ? "failed" : "ok");
	tree_str(path, "reason", reason);
	tree_u64(path, "messages", messages);
	tree_u64(path, "bytes", bytes);
	tree_u64(path, "verified_bytes", verified);
}

static int run_steps(struct fab_nl *nl, const struct scenario *s,
		     const struct fab_fabric_info *info, struct json_object *result)
{
	int ret = same_start(nl);

	if (!ret)
		ret = steps_run(nl, s, info->seed, tree_array(result, "steps"));
	if (ret || s->traffic)
		return ret;
	tree_object(result, "paths");
	for (int i = 0; i <= FABSIM_PATH_MAX; i++)
		steps_state(result, paths[i].name);
	return ret;
}

static bool all_paths_ok(struct json_object *result)
{
	struct json_object *all = tree_get(result, "paths");

	json_object_object_foreach(all, name, path) {
		(void)name;
		if (!strcmp(tree_text(path, "state", ""), "failed"))
			return false;
	}
	return true;
}

static int run_once(struct fab_nl *nl, struct scenario *s,
		    const struct run_opts *opts, struct json_object *result)
{
	unsigned int mask = opts->mask ? opts->mask : default_mask(s);
	struct fab_fabric_info info;
	int ret, err;
	bool ok;

	head(s, result);
	ret = prepare(nl, s, opts, result);
	if (ret)
		return ret;
	err = fab_fabric_get(nl, &info);
	if (err)
		return fab_nl_fail(nl, err, "fabric");
	tree_u64(result, "pace", info.pace);
	tree_u64(result, "seed", info.seed);
	if (s->steps_count)
		ret = run_steps(nl, s, &info, result);
	if (!ret && s->traffic)
		ret = run_traffic(nl, s, mask, &info, result);
	if (ret)
		return ret;
	table_build(result);
	ok = expect_check(result, s) && (s->expect_count || all_paths_ok(result));
	if (opts->answers)
		expect_compare(result, s, opts->answers);
	tree_bool(result, "ok", ok);
	return ok ? FAB_OK : FAB_MISSED;
}

int run_scenario(struct scenario *s, const struct run_opts *opts,
		 struct json_object **result)
{
	struct fab_nl *nl;
	int ret = variant_plan(s, opts->variant), worst = FAB_OK;
	struct json_object *spread;

	*result = NULL;
	if (!ret)
		ret = plan(s, opts->set, opts->set_count);
	if (ret)
		return ret;
	nl = fab_nl_open();
	/* Nobody else shall change the lab meanwhile. */
	ret = lab_lock();
	if (ret)
		goto out;
	spread = json_object_new_array();
	for (uint32_t i = 0; i < opts->repeat; i++) {
		json_object_put(*result);
		*result = json_object_new_object();
		ret = run_once(nl, s, opts, *result);
		if (ret > FAB_MISSED) {
			json_object_put(*result);
			*result = NULL;
			worst = ret;
			break;
		}
		if (ret)
			worst = ret;
		table_spread_add(*result, spread);
	}
	if (*result && opts->repeat > 1)
		json_object_object_add(*result, "repeat", table_spread(spread));
	json_object_put(spread);
	lab_unlock();
	ret = worst;
out:
	fab_nl_close(nl);
	return ret;
}
