// SPDX-License-Identifier: GPL-2.0
/* monitor: events of the fabric as lines, or as JSON objects a line. */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "monitor.h"
#include "nl.h"
#include "output.h"
#include "units.h"

static void print_text(const struct fab_event_info *e)
{
	switch (e->type) {
	case FABSIM_EVENT_LEARNED:
		out_text(" %s: %s is behind this port", e->name,
			 units_mac(e->mac));
		break;
	case FABSIM_EVENT_FLOODED:
		out_text(" %s: to every port, for %s", e->name,
			 units_mac(e->mac));
		break;
	case FABSIM_EVENT_DROPPED:
		out_text(" %s: %u bytes (%s)", e->name, e->len,
			 fab_drop_name(e->reason));
		break;
	case FABSIM_EVENT_HOP:
		out_text(" packet %llu: %s \u2192 %s, %u bytes",
			 (unsigned long long)e->packet, e->peer, e->name, e->len);
		break;
	default:
		if (e->name[0])
			out_text(" %s", e->name);
		if (e->peer[0])
			out_text(" %s", e->peer);
	}
	out_text("\n");
}

void monitor_print(const struct fab_event_info *e)
{
	out_object(NULL);
	out_u64("time", "%12llu ns  ", e->time);
	out_str("event", "%-9s", fab_event_name(e->type));
	if (e->name[0])
		out_str("name", NULL, e->name);
	if (e->peer[0])
		out_str("peer", NULL, e->peer);
	if (e->has_mac)
		out_str("mac", NULL, units_mac(e->mac));
	if (e->type == FABSIM_EVENT_DROPPED)
		out_str("reason", NULL, fab_drop_name(e->reason));
	if (e->len)
		out_u64("len", NULL, e->len);
	if (e->packet)
		out_u64("packet", NULL, e->packet);
	print_text(e);
	out_end();
}

/* 1: go on; 0: that was the last one; -errno. */
static int next(struct fab_events *ev, unsigned int *n)
{
	struct fab_event_info e;
	int ret = fab_events_next(ev, &e, 0);

	if (ret == -ENOBUFS) {
		fab_err("some events were lost: they came faster than they could be printed");
		return 1;
	}
	if (ret <= 0)
		return ret ? ret : -EAGAIN;
	(*n)++;
	monitor_print(&e);
	out_line();
	if (e.type != FABSIM_EVENT_BYE)
		return 1;
	fab_note("the module is being unloaded");
	return 0;
}

static int watch(struct fab_events *ev, unsigned int count, unsigned int timeout)
{
	int64_t end = fab_real_ns() / 1000000 + timeout * 1000LL, left = -1;
	struct pollfd p[] = {
		{ .fd = fab_events_fd(ev), .events = POLLIN },
		{ .fd = fab_signal_fd(), .events = POLLIN },
	};
	unsigned int n = 0;
	int ret;

	/* A reader that is gone: main() says so. */
	while ((!count || n < count) && !ferror(stdout)) {
		ret = next(ev, &n);
		if (!ret)
			break;
		if (ret > 0)
			continue;
		if (ret != -EAGAIN && ret != -EINTR) {
			fab_err("events: %s", strerror(-ret));
			return FAB_ENV;
		}
		if (timeout)
			left = end - fab_real_ns() / 1000000;
		if ((timeout && left <= 0) || !poll(p, 2, left) || p[1].revents)
			break;
	}
	return FAB_OK;
}

int cmd_monitor(int argc, char **argv)
{
	unsigned int count = 0, timeout = 0;
	const struct fab_opt opts[] = {
		{ "--count", "-n", FAB_ARG_U32, &count, 1, 0 },
		{ "--timeout", NULL, FAB_ARG_U32, &timeout, 1, 86400 },
		{ }
	};
	struct fab_events *ev;
	struct fab_nl *nl;
	int ret;

	if (fab_getopts(argc, argv, opts, 0) < 0)
		return FAB_USAGE;
	nl = fab_nl_open();
	ev = fab_events_open(nl);
	fab_nl_close(nl);
	ret = watch(ev, count, timeout);
	fab_events_close(ev);
	return ret;
}
