// SPDX-License-Identifier: GPL-2.0
/*
 * Paths 2 and 3 of a scenario, with the passes of path_tcp.c: the wire (packets
 * captured on both ports), counts (probes attached, the programs make no other
 * call), times (no probe; each message stamped).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "host_cost.h"
#include "lab.h"
#include "last.h"
#include "netview.h"
#include "output.h"
#include "path_verbs.h"
#include "subnet.h"
#include "wire_rdma.h"

#define WIRE_MESSAGES	64	/* a sample is enough; see path_tcp.c */
#define DEPTH		32	/* messages under way, back to back */

struct verbs_run {
	const struct verbs_path *path;
	const struct path_job *job;
	struct lab_host from, to, to_runs;
	struct json_object *result;
	struct verbs_plan plan;
	struct host_cost cost;
	uint32_t mode;			/* FABSIM_COST_* of the pass that runs */
	int cost_err;
	struct worker_result last;	/* of the pass that ran last */
	char detail[256];		/* what the program saw, if it failed */
};

static struct worker_job worker_job(const struct verbs_run *run)
{
	const struct scenario_traffic *t = run->job->traffic;

	return (struct worker_job) {
		.from = &run->from, .to = &run->to_runs, .messages = t->messages,
		.size = t->size_bytes, .seed = run->job->seed, .mistake = t->wrong,
	};
}

/* The lab's own cause in front of what the program saw. */
static void explain(struct verbs_run *run, const struct worker_job *job)
{
	struct worker_result *res = &run->last;
	char why[128];

	if (!path_cause(run->job->nl, run->path->path, job, res, why, sizeof(why)))
		return;
	snprintf(run->detail, sizeof(run->detail), "%s", res->reason);
	snprintf(res->reason, sizeof(res->reason), "%s", why);
}

/* FAB_MISSED if the path failed. */
static int pass(struct verbs_run *run, const struct worker_job *job)
{
	struct worker_result *res = &run->last;
	int err;

	free(res->latency_ns);
	err = worker_verbs_run(job, &run->plan, res);
	if (err && run->cost_err)
		return fab_nl_fail(run->job->nl, run->cost_err, "cost probes");
	if (err) {
		fab_err("cannot start the programs: %s", strerror(-err));
		return FAB_ENV;
	}
	last_record(run->path->path, job, res);
	if (res->ok) {
		host_cost_once(&run->cost, res->once);
		return FAB_OK;
	}
	explain(run, job);
	return FAB_MISSED;
}

static void wire_facts(struct verbs_run *run, const struct rdma_facts *f,
		       struct json_object *network)
{
	struct json_object *o = tree_object(network, "header_bytes");

	tree_u64(o, "transport", f->transport_bytes);
	tree_u64(o, "wrapper", f->wrapper_bytes);
	if (f->messages)
		tree_u64(network, "wire_ns", f->message_ns);
	run->cost.wire_ns = f->message_ns;
	tree_u64(network, "data_packets", f->data_packets);
	if (run->path->ib)
		tree_u64(network, "sm_data_packets", f->sm_data_packets);
	tree_str(network, "bring_up_by", run->plan.bringup->name);
	o = tree_object(network, "bring_up");
	tree_u64(o, "tcp_segments", run->last.bring_up_segments);
	tree_u64(o, "mads", f->mads);
	tree_u64(o, "ns", run->last.bring_up_ns);
}

/* Of the sender's port; 0: this network has none. */
static uint32_t sm_lid(const struct verbs_run *run)
{
	struct fab_port_info port;

	if (!run->path->ib || subnet_port(run->job->nl, run->from.name, &port))
		return 0;
	return port.sm_lid;
}

static int pass_wire(struct verbs_run *run, struct json_object *network)
{
	struct worker_job job = worker_job(run);
	char from[24], to[24];
	struct rdma_facts facts;
	struct rdma_wire *wire;
	int ret;

	snprintf(from, sizeof(from), "%s-%s", run->from.name, run->path->port);
	snprintf(to, sizeof(to), "%s-%s", run->to.name, run->path->port);
	wire = rdma_wire_open(from, to, run->path->ib);
	if (!wire)
		return FAB_ENV;
	if (job.messages > WIRE_MESSAGES)
		job.messages = WIRE_MESSAGES;
	run->plan.depth = 1;
	ret = pass(run, &job);
	rdma_wire_read(wire, sm_lid(run), &facts);
	rdma_wire_close(wire);
	if (ret == FAB_OK || ret == FAB_MISSED)
		wire_facts(run, &facts, network);
	return ret;
}

/* Both programs are connected and asleep: what is counted begins here. */
static int open_window(pid_t sender, pid_t receiver, void *arg)
{
	const struct timespec settle = { .tv_nsec = 60000000 };
	struct verbs_run *run = arg;

	/* The last segments of a bring-up over TCP are no cost of a message. */
	nanosleep(&settle, NULL);
	run->cost_err = cost_start_pair(run->job->nl, run->path->path, run->mode,
					sender, run->from.name,
					receiver, run->to.name);
	return run->cost_err;
}

static void close_window(void *arg)
{
	struct verbs_run *run = arg;

	run->cost_err = cost_stop(run->job->nl);
}

static int pass_cost(struct verbs_run *run, uint32_t mode, struct cost_result *res)
{
	struct worker_job job = worker_job(run);
	int ret, err;

	job.open = open_window;
	job.close = close_window;
	job.arg = run;
	job.still = mode == FABSIM_COST_COUNTS;
	job.stamp = !job.still;
	run->mode = mode;
	run->plan.depth = run->job->traffic->one_at_a_time ? 1 : DEPTH;
	ret = pass(run, &job);
	if (ret)
		return ret;
	err = run->cost_err ? run->cost_err :
			      cost_get(run->job->nl, run->path->path, res);
	return err ? fab_nl_fail(run->job->nl, err, "cost probes") : FAB_OK;
}

static void latency(struct verbs_run *run, struct json_object *network)
{
	struct json_object *o;

	if (run->job->pace != 1 || !run->job->traffic->one_at_a_time) {
		tree_null(network, "latency_ns");
		return;
	}
	/* From post to completion: there and the acknowledgment back. */
	o = tree_object(network, "latency_ns");
	tree_u64(o, "p50", worker_latency(&run->last, 50));
	tree_u64(o, "p99", worker_latency(&run->last, 99));
}

/* What the cost probes cannot tell: which of the CPU time was polling. */
static void own_times(struct verbs_run *run)
{
	const struct worker_result *res = &run->last;
	struct host_cost *c = &run->cost;

	c->messages = res->messages;
	c->bytes = res->bytes;
	c->verbs = true;
	memcpy(c->busy, res->busy, sizeof(c->busy));
	c->receiver_polls = run->plan.op == VERBS_SEND;
}

static int all_passes(struct verbs_run *run, struct json_object *network)
{
	struct worker_result *res = &run->last;
	const char *name = paths[run->path->path].name;
	int ret;

	out_progress(name, 0, 3);
	ret = pass_wire(run, network);
	out_progress(name, 1, 3);
	if (!ret)
		ret = pass_cost(run, FABSIM_COST_COUNTS, &run->cost.counts);
	out_progress(name, 2, 3);
	if (!ret)
		ret = pass_cost(run, FABSIM_COST_TIMES, &run->cost.times);
	out_progress_end();
	if (ret)
		return ret;
	own_times(run);
	latency(run, network);
	/* A fabric second takes pace real seconds. */
	if (res->window_ns)
		tree_u64(network, "goodput_bps", (uint64_t)
			 ((double)res->bytes * 8e9 / res->window_ns * run->job->pace));
	return FAB_OK;
}

static void finish(struct verbs_run *run, struct json_object *network, bool ok)
{
	const struct worker_result *res = &run->last;
	struct json_object *o = run->result;

	tree_str(o, "state", ok ? "ok" : "failed");
	tree_str(o, "reason", ok ? NULL : res->reason);
	if (run->detail[0])
		tree_str(o, "detail", run->detail);
	tree_str(o, "status", res->status[0] ? res->status : NULL);
	tree_u64(o, "messages", res->messages);
	tree_u64(o, "bytes", res->bytes);
	tree_u64(o, "verified_bytes", res->verified_bytes);
	if (ok) {
		host_cost_tree(&run->cost, o);
		/* The emulated hardware's own time, charged to nobody. */
		tree_u64(o, "hardware_cpu_ns", run->cost.times.fabric_ns);
	}
	run->path->view(run->job->nl, &run->from, &run->to, network);
	json_object_object_add(o, "network", network);
	tree_null(o, "retention");
}

static int with_hosts(struct verbs_run *run)
{
	struct json_object *network = json_object_new_object();
	struct netview_drops before, after;
	int ret;

	run->to_runs = run->to;
	run->to_runs.netns_init |= run->path->receiver_in_init;
	netview_drops(run->job->nl, &before);
	ret = all_passes(run, network);
	netview_drops(run->job->nl, &after);
	if (ret == FAB_OK || ret == FAB_MISSED) {
		netview_drops_tree(&before, &after, network);
		finish(run, network, ret == FAB_OK);
		ret = FAB_OK;
	} else {
		json_object_put(network);
	}
	free(run->last.latency_ns);
	return ret;
}

int path_verbs_run(const struct verbs_path *path, const struct path_job *job,
		   struct json_object *result)
{
	struct verbs_run run = {
		.path = path, .job = job, .result = result,
		.plan = {
			.device = path->device, .bringup = path->bringup,
			.op = verbs_op_find(job->traffic->op),
		},
	};
	int ret = lab_host_info(job->traffic->from, &run.from);

	if (ret)
		return ret;
	ret = lab_host_info(job->traffic->to, &run.to);
	if (!ret) {
		ret = with_hosts(&run);
		lab_host_put(&run.to);
	}
	lab_host_put(&run.from);
	return ret;
}

int path_verbs_send(const struct verbs_path *path, const struct worker_job *job,
		    const char *op, struct worker_result *res)
{
	struct verbs_plan plan = {
		.device = path->device, .bringup = path->bringup, .op = verbs_op_find(op),
		.depth = job->hold == WORKER_HOLD_NONE ? DEPTH : 1,
	};
	struct worker_job there = *job;
	struct lab_host to = *job->to;
	int err;

	if (job->by_tcp)
		plan.bringup = &verbs_bringup_tcp;
	else
		to.netns_init |= path->receiver_in_init;
	there.to = &to;
	err = worker_verbs_run(&there, &plan, res);
	if (!err)
		last_record(path->path, job, res);
	return err;
}
