// SPDX-License-Identifier: GPL-2.0
/* freeze, step, thaw: fabric time by hand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "monitor.h"
#include "nl.h"
#include "output.h"
#include "units.h"

#define EVENTS_A_HOP	4096	/* timers and queues at work between two hops */

static int set_frozen(int argc, char **argv, bool frozen)
{
	struct nl_msg *msg;
	struct fab_nl *nl;
	int ret;

	if (fab_getopts(argc, argv, NULL, 0) < 0)
		return FAB_USAGE;
	nl = fab_nl_open();
	msg = fab_nl_msg(nl, FABSIM_CMD_FABRIC_SET);
	nla_put_u8(msg, FABSIM_A_FABRIC_FROZEN, frozen);
	ret = fab_nl_change(nl, msg, frozen ? "freeze" : "thaw");
	fab_nl_close(nl);
	return ret;
}

int cmd_freeze(int argc, char **argv)
{
	return set_frozen(argc, argv, true);
}

int cmd_thaw(int argc, char **argv)
{
	return set_frozen(argc, argv, false);
}

struct stepped {
	uint64_t time;
	uint32_t steps, hops;
	bool idle;		/* nothing is left to happen */
};

static int read_step(struct nlattr **tb, void *arg)
{
	struct stepped *s = arg;

	if (tb[FABSIM_A_FABRIC_TIME])
		s->time = nla_get_u64(tb[FABSIM_A_FABRIC_TIME]);
	if (tb[FABSIM_A_FABRIC_STEPS])
		s->steps = nla_get_u32(tb[FABSIM_A_FABRIC_STEPS]);
	return 0;
}

/* Prints what has come; true if a packet moved or was dropped. */
static bool print_events(struct fab_events *ev)
{
	struct fab_event_info e;
	bool moved = false;
	int ret;

	while ((ret = fab_events_next(ev, &e, 0)) != 0) {
		if (ret == -ENOBUFS) {
			fab_err("some events were lost");
			continue;
		}
		if (ret < 0)
			break;
		monitor_print(&e);
		if (e.type == FABSIM_EVENT_HOP || e.type == FABSIM_EVENT_DROPPED)
			moved = true;
	}
	return moved;
}

static int step_events(struct fab_nl *nl, uint32_t n, struct stepped *s)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_STEP);
	struct stepped now = { 0 };
	int err;

	nla_put_u32(msg, FABSIM_A_FABRIC_STEPS, n);
	err = fab_nl_ask(nl, msg, FABSIM_A_FABRIC_MAX, read_step, &now);
	if (err)
		return fab_nl_fail(nl, err, "step");
	s->time = now.time;
	s->steps += now.steps;
	s->idle = now.steps < n;
	return FAB_OK;
}

/* The module sends events before it answers: they are there when we ask. */
static int step_hops(struct fab_nl *nl, struct fab_events *ev, uint32_t n,
		     struct stepped *s)
{
	uint32_t tries = 0;
	int ret;

	while (s->hops < n && tries++ < EVENTS_A_HOP) {
		ret = step_events(nl, 1, s);
		if (ret || s->idle)
			return ret;
		if (print_events(ev)) {
			s->hops++;
			tries = 0;
		}
	}
	return FAB_OK;
}

static int step(struct fab_nl *nl, struct fab_events *ev, uint32_t n, bool raw)
{
	struct stepped s = { 0 };
	int ret;

	out_object(NULL);
	out_array("events");
	if (raw) {
		ret = step_events(nl, n, &s);
		print_events(ev);
	} else {
		ret = step_hops(nl, ev, n, &s);
	}
	out_end();
	if (ret)
		return ret;
	if (!raw)
		out_u64("hops", s.hops == 1 ? "%llu hop, " : "%llu hops, ", s.hops);
	out_u64("steps", s.steps == 1 ? "%llu event" : "%llu events", s.steps);
	out_human("time", ", fabric time %s ns", s.time, units_count(s.time));
	out_bool("idle", NULL, s.idle);
	out_text(s.idle ? "; nothing more is to happen\n" : "\n");
	out_end();
	out_done();
	return FAB_OK;
}

int cmd_step(int argc, char **argv)
{
	bool raw = false;
	const struct fab_opt opts[] = {
		{ "--events", "-e", FAB_ARG_FLAG, &raw, 0, 0 },
		{ }
	};
	struct fab_events *ev;
	struct fab_nl *nl;
	uint64_t n = 1;
	int ret;

	argc = fab_getopts(argc, argv, opts, 1);
	if (argc < 0)
		return FAB_USAGE;
	if (argc > 1 && (units_get_u64(argv[1], &n) || !n || n > 65536))
		return fab_usage("\"%s\": the number of steps is 1 to 65536",
				 argv[1]);
	nl = fab_nl_open();
	ev = fab_events_open(nl);
	ret = step(nl, ev, n, raw);
	fab_events_close(ev);
	fab_nl_close(nl);
	return ret;
}
