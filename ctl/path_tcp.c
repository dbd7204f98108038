// SPDX-License-Identifier: GPL-2.0
/*
 * Path 1 of a scenario: the same messages several times, each time looking at
 * something else, because looking changes what is seen:
 *
 *	wire	packets captured on both ports: headers, time on the wire
 *	latency	each message stamped at both ends
 *	counts	probes on every syscall and copy; the programs make no other call
 *	times	no probe: CPU time of the programs
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "host_cost.h"
#include "lab.h"
#include "last.h"
#include "netview.h"
#include "output.h"
#include "path.h"
#include "wire.h"
#include "worker_tcp.h"

#define WIRE_MESSAGES		64	/* a sample is enough: */
#define LATENCY_MESSAGES	200	/* times in the fabric hardly vary */

struct tcp_run {
	const struct path_job *job;
	struct lab_host from, to;
	struct json_object *result;
	struct host_cost cost;
	uint32_t mode;			/* FABSIM_COST_* of the pass that runs */
	int cost_err;
	struct worker_result last;	/* of the pass that ran last */
};

static uint32_t at_most(uint32_t n, uint32_t limit)
{
	return n < limit ? n : limit;
}

static struct worker_job worker_job(const struct tcp_run *run)
{
	const struct scenario_traffic *t = run->job->traffic;

	return (struct worker_job) {
		.from = &run->from, .to = &run->to, .messages = t->messages,
		.size = t->size_bytes, .seed = run->job->seed, .mistake = t->wrong,
		.hold = t->one_at_a_time ? WORKER_HOLD_SLEEP : WORKER_HOLD_NONE,
	};
}

/* Runs a pass. 1 if the path failed, else an exit status. */
static int pass(struct tcp_run *run, const struct worker_job *job)
{
	struct worker_result *res = &run->last;
	int err;

	free(res->latency_ns);
	err = worker_tcp_run(job, res);
	if (err && run->cost_err)
		return fab_nl_fail(run->job->nl, run->cost_err, "cost probes");
	if (err) {
		fab_err("cannot start the programs: %s", strerror(-err));
		return FAB_ENV;
	}
	last_record(FABSIM_PATH_TCP, job, res);
	if (res->ok)
		return FAB_OK;
	path_explain(run->job->nl, &paths[FABSIM_PATH_TCP], job, res);
	return FAB_MISSED;
}

static int pass_wire(struct tcp_run *run, struct json_object *network)
{
	struct worker_job job = worker_job(run);
	struct json_object *bytes, *bring_up;
	char from[24], to[24];
	struct wire_facts facts;
	struct wire *wire;
	int ret;

	snprintf(from, sizeof(from), "%s-eth", run->from.name);
	snprintf(to, sizeof(to), "%s-eth", run->to.name);
	wire = wire_open(from, to);
	if (!wire)
		return FAB_ENV;
	job.messages = at_most(job.messages, WIRE_MESSAGES);
	ret = pass(run, &job);
	wire_read(wire, run->last.port, job.size, &facts);
	wire_close(wire);
	if (ret)
		return ret;
	bytes = tree_object(network, "header_bytes");
	tree_u64(bytes, "transport", facts.transport_bytes);
	tree_u64(bytes, "wrapper", facts.wrapper_bytes);
	if (facts.messages)
		tree_u64(network, "wire_ns", facts.message_ns);
	run->cost.wire_ns = facts.message_ns;
	tree_str(network, "bring_up_by", "TCP handshake");
	bring_up = tree_object(network, "bring_up");
	tree_u64(bring_up, "tcp_segments", run->last.bring_up_segments);
	tree_u64(bring_up, "ns", run->last.bring_up_ns);
	return FAB_OK;
}

/* Real time at both ends: means something only while the fabric keeps pace 1. */
static int pass_latency(struct tcp_run *run, struct json_object *network)
{
	struct worker_job job = worker_job(run);
	struct json_object *latency;
	int ret;

	if (run->job->pace != 1) {
		tree_null(network, "latency_ns");
		return FAB_OK;
	}
	job.messages = at_most(job.messages, LATENCY_MESSAGES);
	job.hold = WORKER_HOLD_SLEEP;
	job.stamp = true;
	ret = pass(run, &job);
	if (ret)
		return ret;
	latency = tree_object(network, "latency_ns");
	tree_u64(latency, "p50", worker_latency(&run->last, 50));
	tree_u64(latency, "p99", worker_latency(&run->last, 99));
	return FAB_OK;
}

/* Both programs are connected and asleep: what is counted begins here. */
static int open_window(pid_t sender, pid_t receiver, void *arg)
{
	struct tcp_run *run = arg;

	run->cost_err = cost_start_pair(run->job->nl, FABSIM_PATH_TCP, run->mode,
					sender, run->from.name,
					receiver, run->to.name);
	return run->cost_err;
}

static void close_window(void *arg)
{
	struct tcp_run *run = arg;

	run->cost_err = cost_stop(run->job->nl);
}

static int pass_cost(struct tcp_run *run, uint32_t mode, struct cost_result *res)
{
	struct worker_job job = worker_job(run);
	int ret, err;

	job.open = open_window;
	job.close = close_window;
	job.arg = run;
	run->mode = mode;
	if (job.hold != WORKER_HOLD_NONE)
		job.hold = worker_tcp_hold(job.size);
	if (mode == FABSIM_COST_COUNTS)
		job.still = true;
	else if (job.hold == WORKER_HOLD_LOOK)
		job.hold = WORKER_HOLD_SLEEP;
	ret = pass(run, &job);
	if (ret)
		return ret;
	err = run->cost_err ? run->cost_err :
			      cost_get(run->job->nl, FABSIM_PATH_TCP, res);
	return err ? fab_nl_fail(run->job->nl, err, "cost probes") : FAB_OK;
}

static int all_passes(struct tcp_run *run, struct json_object *network)
{
	const struct scenario_traffic *t = run->job->traffic;
	struct worker_result *res = &run->last;
	int ret;

	out_progress("tcp: wire", 0, 4);
	ret = pass_wire(run, network);
	out_progress("tcp: latency", 1, 4);
	if (!ret)
		ret = pass_latency(run, network);
	out_progress("tcp: counts", 2, 4);
	if (!ret)
		ret = pass_cost(run, FABSIM_COST_COUNTS, &run->cost.counts);
	out_progress("tcp: times", 3, 4);
	if (!ret)
		ret = pass_cost(run, FABSIM_COST_TIMES, &run->cost.times);
	out_progress_end();
	if (ret)
		return ret;
	run->cost.messages = res->messages;
	run->cost.bytes = res->bytes;
	run->cost.polls_known = !t->one_at_a_time ||
				worker_tcp_hold(t->size_bytes) == WORKER_HOLD_KERNEL;
	tree_u64(network, "data_packets", res->data_segments);
	tree_u64(network, "retransmitted_bytes", res->retransmitted_bytes);
	/* A fabric second takes pace real seconds. */
	if (res->window_ns)
		tree_u64(network, "goodput_bps", (uint64_t)
			 ((double)res->bytes * 8e9 / res->window_ns * run->job->pace));
	return FAB_OK;
}

static void finish(struct tcp_run *run, struct json_object *network, bool ok)
{
	struct json_object *o = run->result;

	tree_str(o, "state", ok ? "ok" : "failed");
	tree_str(o, "reason", ok ? NULL : run->last.reason);
	tree_u64(o, "messages", run->last.messages);
	tree_u64(o, "bytes", run->last.bytes);
	tree_u64(o, "verified_bytes", run->last.verified_bytes);
	if (ok) {
		host_cost_tree(&run->cost, o);
		/* The emulated hardware's own time, charged to nobody. */
		tree_u64(o, "hardware_cpu_ns", run->cost.times.fabric_ns);
	}
	netview_ethernet(run->job->nl, &run->from, &run->to, network);
	json_object_object_add(o, "network", network);
	tree_null(o, "retention");
}

int path_tcp_run(const struct path_job *job, struct json_object *result)
{
	struct tcp_run run = { .job = job, .result = result };
	struct netview_drops before, after;
	struct json_object *network;
	int ret;

	ret = lab_host_info(job->traffic->from, &run.from);
	if (ret)
		return ret;
	ret = lab_host_info(job->traffic->to, &run.to);
	if (ret)
		goto out_from;
	network = json_object_new_object();
	netview_drops(job->nl, &before);
	ret = all_passes(&run, network);
	netview_drops(job->nl, &after);
	if (ret == FAB_OK || ret == FAB_MISSED) {
		netview_drops_tree(&before, &after, network);
		finish(&run, network, ret == FAB_OK);
		ret = FAB_OK;
	} else {
		json_object_put(network);
	}
	free(run.last.latency_ns);
	lab_host_put(&run.to);
out_from:
	lab_host_put(&run.from);
	return ret;
}

int path_tcp_send(const struct worker_job *job, const char *op, struct worker_result *res)
{
	int err = worker_tcp_run(job, res);

	if (!err)
		last_record(FABSIM_PATH_TCP, job, res);
	return err;
}
