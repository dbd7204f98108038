// SPDX-License-Identifier: GPL-2.0
/* gen: frames at exact fabric times, sent by the module's generator. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "gen.h"
#include "lab.h"
#include "nl.h"
#include "output.h"
#include "units.h"

#define LOOK_MS	500		/* how often to look, should its event be lost */

static void put_stream(struct nl_msg *msg, const struct gen_stream *s)
{
	struct nlattr *nest = nla_nest_start(msg, FABSIM_A_GEN_STREAM);

	if (!nest)
		return;
	nla_put_string(msg, FABSIM_A_STREAM_PORT, s->port);
	nla_put(msg, FABSIM_A_STREAM_DST, sizeof(s->dst), s->dst);
	nla_put_u64(msg, FABSIM_A_STREAM_START, s->start);
	nla_put_u64(msg, FABSIM_A_STREAM_INTERVAL, s->interval);
	nla_put_u64(msg, FABSIM_A_STREAM_JITTER, s->jitter);
	nla_put_u32(msg, FABSIM_A_STREAM_COUNT, s->count);
	nla_put_u32(msg, FABSIM_A_STREAM_SIZE, s->size);
	nla_put_u8(msg, FABSIM_A_STREAM_PRIO, s->prio);
	nla_nest_end(msg, nest);
}

static int start(struct fab_nl *nl, const struct gen_plan *p)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_GEN_START);
	unsigned int i;

	if (p->has_at)
		nla_put_u64(msg, FABSIM_A_GEN_AT, p->at);
	if (p->has_seed)
		nla_put_u64(msg, FABSIM_A_GEN_SEED, p->seed);
	for (i = 0; i < p->n; i++)
		put_stream(msg, &p->streams[i]);
	return fab_nl_change(nl, msg, "gen");
}

static void drain(struct fab_events *ev)
{
	struct fab_event_info e;

	while (fab_events_next(ev, &e, 0) > 0)
		;
}

/* Until the last frame is gone, or a signal: then it is stopped. */
static int wait_done(struct fab_nl *nl, struct fab_events *ev,
		     struct fab_gen_info *g)
{
	struct pollfd p[] = {
		{ .fd = fab_events_fd(ev), .events = POLLIN },
		{ .fd = fab_signal_fd(), .events = POLLIN },
	};
	struct fab_fabric_info f;
	int err;

	if (!fab_fabric_get(nl, &f) && f.frozen)
		fab_note("the fabric is frozen: \"fabctl step\" or \"fabctl thaw\" lets it send");
	for (;;) {
		drain(ev);
		err = fab_gen_get(nl, g);
		if (err)
			return fab_nl_fail(nl, err, "gen");
		if (!g->running)
			return FAB_OK;
		if (poll(p, 2, LOOK_MS) < 0 && errno != EINTR)
			return FAB_ENV;
		if (!p[1].revents)
			continue;
		fab_nl_do(nl, fab_nl_msg(nl, FABSIM_CMD_GEN_STOP));
		fab_note("stopped");
		return fab_gen_get(nl, g) ? FAB_ENV : FAB_OK;
	}
}

/* Bytes that arrived; 0 where frames of several sizes got lost. */
static uint64_t received_bytes(const struct gen_plan *p,
			       const struct fab_gen_info *g)
{
	uint64_t frames = 0, bytes = 0;
	bool same = true;
	unsigned int i;

	for (i = 0; i < p->n; i++) {
		frames += p->streams[i].count;
		bytes += (uint64_t)p->streams[i].count * p->streams[i].size;
		same &= p->streams[i].size == p->streams[0].size;
	}
	if (g->received == frames)
		return bytes;
	return same ? g->received * p->streams[0].size : 0;
}

static void print(const struct gen_plan *p, const struct fab_gen_info *g)
{
	uint64_t bytes = received_bytes(p, g);
	uint64_t ns = g->last > g->first ? g->last - g->first : 0;
	uint64_t bps = ns ? (uint64_t)(bytes * 8e9 / ns) : 0;

	out_object(NULL);
	out_u64("sent", "sent      %llu frames\n", g->sent);
	out_u64("received", "received  %llu\n", g->received);
	out_u64("dropped", "dropped   %llu\n", g->dropped);
	if (g->sent)
		out_human("first_ns", "first     sent at %s ns\n", g->first,
			  units_count(g->first));
	if (g->received)
		out_human("last_ns", "last      arrived at %s ns\n", g->last,
			  units_count(g->last));
	if (ns && bytes) {
		out_u64("bytes", NULL, bytes);
		out_human("goodput_bps", "goodput   %s (payload, fabric time)\n",
			  bps, units_rate(bps));
	}
	out_end();
	out_done();
}

static int run(struct fab_nl *nl, struct gen_plan *p, int argc, char **argv)
{
	struct fab_events *ev;
	struct fab_gen_info g;
	struct fab_fabric_info f;
	int ret = lab_is_up(nl, &f);

	if (ret)
		return ret;
	if (argc == 2 && (strchr(argv[1], '/') || !access(argv[1], F_OK)))
		ret = gen_plan_file(nl, p, argv[1]);
	else
		ret = gen_plan_words(nl, p, argc - 1, argv + 1);
	if (ret)
		return ret;
	ev = fab_events_open(nl);
	ret = start(nl, p);
	if (!ret)
		ret = wait_done(nl, ev, &g);
	fab_events_close(ev);
	if (!ret)
		print(p, &g);
	return ret;
}

int cmd_gen(int argc, char **argv)
{
	const char *at = NULL, *seed = NULL;
	struct gen_plan p = { 0 };
	const struct fab_opt opts[] = {
		{ "--at", NULL, FAB_ARG_STR, &at, 0, 0 },
		{ "--seed", NULL, FAB_ARG_STR, &seed, 0, 0 },
		{ }
	};
	struct fab_nl *nl;
	int ret;

	argc = fab_getopts(argc, argv, opts, FAB_ANY);
	if (argc < 0)
		return FAB_USAGE;
	p.has_at = at;
	p.has_seed = seed;
	if (at && units_get_time(at, &p.at))
		return fab_usage("--at: \"%s\" is not a time", at);
	if (seed && units_get_u64(seed, &p.seed))
		return fab_usage("--seed: \"%s\" is not a number from 0 to 2^64-1", seed);
	if (argc < 2)
		return fab_usage("which stream?");
	nl = fab_nl_open();
	ret = run(nl, &p, argc, argv);
	gen_plan_put(&p);
	fab_nl_close(nl);
	return ret;
}
