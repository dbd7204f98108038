// SPDX-License-Identifier: GPL-2.0
/*
 * fabctl send: messages over the lab as it is. No set-up, no reset: what the
 * user broke stays broken, and the answer says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lab.h"
#include "output.h"
#include "path.h"
#include "scenario.h"
#include "units.h"
#include "why.h"
#include "worker_tcp.h"

#define STREAM_BYTES	(8u << 20)	/* at most, for the goodput */

struct send {
	struct fab_nl *nl;
	struct lab_host from, to;
	unsigned int count;
	uint64_t size;
	const char *op;
	unsigned int asked;	/* a bit for each path */
	bool all;		/* no path was named */
	bool by_tcp;		/* path 3: the ends told each other their LIDs */
	uint32_t pace;
	uint64_t seed;
	struct worker_result one, stream;
};

/*
 * Is it only that nobody answers for paths? Then two ends that know each other's LIDs
 * reach each other all the same.
 */
static bool tables_stand(const struct send *s, const struct path *p)
{
	struct why w = {
		.nl = s->nl, .path = p - paths, .from = &s->from, .to = &s->to,
		.failed = true,
	};

	if (w.path != FABSIM_PATH_IB || !s->from.has_ip || !s->to.has_ip)
		return false;
	why_lab(&w);
	why_put(&w);
	return w.living_go_on;
}

/* One at a time for the latency, then back to back for the goodput. */
static int send_messages(struct send *s, const struct path *p)
{
	struct worker_job job = {
		.from = &s->from, .to = &s->to, .messages = s->count,
		.size = s->size, .seed = s->seed, .hold = WORKER_HOLD_SLEEP,
		.stamp = true,
	};
	int err = p->send(&job, s->op, &s->one);

	s->by_tcp = !err && !s->one.ok && s->one.bring_up_failed && tables_stand(s, p);
	if (s->by_tcp) {
		job.by_tcp = true;
		err = p->send(&job, s->op, &s->one);
	}
	if (!err && s->one.ok) {
		job.hold = WORKER_HOLD_NONE;
		job.stamp = false;
		if ((uint64_t)job.messages * job.size > STREAM_BYTES)
			job.messages = STREAM_BYTES / job.size ?
					       STREAM_BYTES / job.size : 1;
		err = p->send(&job, s->op, &s->stream);
	}
	if (err) {
		fab_err("cannot start the programs: %s", strerror(-err));
		return FAB_ENV;
	}
	if (s->one.ok && s->stream.ok)
		return FAB_OK;
	path_explain(s->nl, p, &job, s->one.ok ? &s->stream : &s->one);
	return FAB_MISSED;
}

static uint64_t goodput(const struct send *s)
{
	if (!s->stream.window_ns)
		return 0;
	/* A fabric second takes pace real seconds. */
	return (double)s->stream.bytes * 8e9 / s->stream.window_ns * s->pace;
}

static void print_ok(const struct send *s)
{
	out_null("reason");
	out_u64("messages", NULL, s->one.messages);
	out_u64("bytes", NULL, s->one.bytes);
	out_u64("verified_bytes", NULL, s->one.verified_bytes);
	out_text("  %s message%s of %s, verified\n        ",
		 units_count(s->one.messages), s->one.messages == 1 ? "" : "s",
		 path_size(s->size));
	if (s->pace == 1) {
		out_object("latency_ns");
		out_human("p50", "latency p50 %s", worker_latency(&s->one, 50),
			  units_time(worker_latency(&s->one, 50)));
		out_human("p99", ", p99 %s \u00b7 ", worker_latency(&s->one, 99),
			  units_time(worker_latency(&s->one, 99)));
		out_end();
	} else {
		out_null("latency_ns");
	}
	out_human("goodput_bps", "goodput %s\n", goodput(s), units_rate(goodput(s)));
	out_bool("lids_over_tcp", NULL, s->by_tcp);
	if (s->by_tcp)
		out_lines(8, "no subnet manager runs now to tell a path: the two ends told each "
			     "other their LIDs over TCP. What it once wrote still forwards.");
	if (s->pace != 1)
		out_text("note: latency needs pace 1 (fabctl set fabric pace=1)\n");
}

static void print_failed(struct send *s)
{
	struct worker_result *res = s->one.ok ? &s->stream : &s->one;

	out_text("\n");
	out_str("reason", NULL, res->reason);
	if (res->status[0])
		out_str("status", NULL, res->status);
	out_lines(8, res->reason);
	out_u64("messages", NULL, res->messages);
	out_u64("verified_bytes", NULL, res->verified_bytes);
}

static int send_path(struct send *s, const struct path *p)
{
	int ret = send_messages(s, p);

	if (ret == FAB_ENV)
		return ret;
	out_text("%s %-5s %s \u2192 %s  ", path_symbol(p), p->name, s->from.name,
		 s->to.name);
	out_object(p->name);
	out_str("state", "%s", ret ? "failed" : "ok");
	if (ret)
		print_failed(s);
	else
		print_ok(s);
	out_end();
	free(s->one.latency_ns);
	s->one.latency_ns = NULL;
	free(s->stream.latency_ns);
	s->stream.latency_ns = NULL;
	return ret;
}

/* A host of Ethernet alone has one path less, which is no failure. */
static bool has_path(const struct send *s, int path)
{
	struct fab_node_info a, b;

	if (!(s->asked & 1u << path))
		return false;
	if (path == FABSIM_PATH_TCP || !s->all || fab_node_get(s->nl, s->from.name, &a) ||
	    fab_node_get(s->nl, s->to.name, &b))
		return true;
	return path == FABSIM_PATH_IB ? a.ib && b.ib : a.roce && b.roce;
}

static int send_all(struct send *s)
{
	int ret = FAB_OK, one;

	out_object(NULL);
	out_str("from", NULL, s->from.name);
	out_str("to", NULL, s->to.name);
	out_u64("size", NULL, s->size);
	out_u64("pace", NULL, s->pace);
	out_object("paths");
	for (int i = 0; i <= FABSIM_PATH_MAX; i++) {
		if (!has_path(s, i))
			continue;
		one = send_path(s, &paths[i]);
		if (one > ret)
			ret = one;
	}
	out_end();
	out_end();
	if (ret != FAB_ENV)
		out_done();
	return ret;
}

static int with_hosts(struct send *s, const char *from, const char *to)
{
	struct fab_fabric_info info;
	int ret = lab_is_up(s->nl, &info);

	if (ret)
		return ret;
	s->pace = info.pace;
	s->seed = info.seed;
	ret = lab_host_info(from, &s->from);
	if (ret)
		return ret;
	ret = lab_host_info(to, &s->to);
	if (!ret)
		ret = lab_host_may_enter(&s->from);
	if (!ret)
		ret = send_all(s);
	lab_host_put(&s->to);
	lab_host_put(&s->from);
	return ret;
}

static int read_size(const char *size, struct send *s)
{
	if (units_get_size(size, &s->size) || !s->size ||
	    s->size > WORKER_BYTES_MAX || s->size * s->count > WORKER_BYTES_MAX)
		return fab_usage("--size %s: from 1 byte, and 256 MiB in all at most",
				 size);
	return FAB_OK;
}

int cmd_send(int argc, char **argv)
{
	const char *path = NULL, *op = "write", *size = "4K", *from, *to;
	struct send s = { .count = 100 };
	const struct fab_opt opts[] = {
		{ "--path", "-p", FAB_ARG_STR, &path, 0, 0 },
		{ "--op", NULL, FAB_ARG_STR, &op, 0, 0 },
		{ "--count", "-n", FAB_ARG_U32, &s.count, 1, 10000000 },
		{ "--size", NULL, FAB_ARG_STR, &size, 0, 0 },
		{ }
	};
	int ret;

	argc = fab_getopts(argc, argv, opts, 2);
	if (argc < 0)
		return FAB_USAGE;
	if (argc == 2)
		return fab_usage("from %s to which host?", argv[1]);
	if (!scenario_op_known(op))
		return fab_usage("--op %s: write, read, send", op);
	s.op = op;
	from = argc == 3 ? argv[1] : "h1";
	to = argc == 3 ? argv[2] : "h2";
	if (!strcmp(from, to))
		return fab_usage("%s would send to itself", from);
	s.asked = path_mask(path ? path : "tcp,roce,ib");
	if (!s.asked || read_size(size, &s))
		return FAB_USAGE;
	s.all = !path;
	s.nl = fab_nl_open();
	ret = with_hosts(&s, from, to);
	if (ret == FAB_MISSED)
		out_text("more: fabctl why %s %s\n", from, to);
	fab_nl_close(s.nl);
	return ret;
}
