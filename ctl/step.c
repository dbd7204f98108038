// SPDX-License-Identifier: GPL-2.0
/* The steps of a scenario; see step.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "cmd.h"
#include "cold.h"
#include "cost.h"
#include "lab.h"
#include "output.h"
#include "path.h"
#include "step.h"
#include "subnet.h"
#include "topology.h"
#include "units.h"
#include "worker_pair.h"

#define MAX_WORDS	9
#define STEP_SIZE	4096	/* of a message that a step sends */
#define STEP_MAX	10000	/* messages */

struct words {
	const char *at;		/* the whole, of which buf is a copy */
	char buf[128];
	char *v[MAX_WORDS + 1];
	unsigned int n;
};

struct step_ctx {
	struct fab_nl *nl;
	struct fab_events *events;
	uint64_t seed;
	struct json_object *out;	/* of the step that runs */
};

struct action {
	const char *words[2];		/* the fixed ones */
	unsigned int fixed, min, max;	/* words in all */
	const char *synopsis;
	int (*run)(struct step_ctx *ctx, struct words *w);
};

static void split(const char *action, struct words *w)
{
	char *save, *word;

	w->n = 0;
	w->at = action;
	snprintf(w->buf, sizeof(w->buf), "%s", action);
	for (word = strtok_r(w->buf, " ", &save); word && w->n <= MAX_WORDS;
	     word = strtok_r(NULL, " ", &save))
		w->v[w->n++] = word;
}

static int do_forget(struct step_ctx *ctx, struct words *w)
{
	int err = cold_start(ctx->nl);

	return err ? fab_nl_fail(ctx->nl, err, "forget") : FAB_OK;
}

static void send_result(struct step_ctx *ctx, struct worker_result *res)
{
	struct json_object *o = ctx->out;

	tree_bool(o, "ok", res->ok);
	tree_str(o, "reason", res->ok ? NULL : res->reason);
	tree_u64(o, "messages", res->messages);
	tree_u64(o, "bytes", res->bytes);
	tree_u64(o, "verified_bytes", res->verified_bytes);
	if (!res->ok)
		return;
	tree_u64(o, "bring_up_ns", res->bring_up_ns);
	/* What a program waits for: connect(), then the first message. */
	tree_u64(o, "first_message_ns", res->bring_up_ns + res->first_latency_ns);
}

static const struct action *find(const struct words *w);

/* What happens between the connection and its first message. */
struct amid {
	struct step_ctx *ctx;
	struct words words;
	int ret;
};

/* Both programs are connected, and asleep. */
static int do_amid(pid_t sender, pid_t receiver, void *arg)
{
	struct amid *a = arg;

	a->ret = find(&a->words)->run(a->ctx, &a->words);
	return a->ret ? -ECANCELED : 0;
}

/* "send A B N PATH then ACTION": the words of ACTION. False: there is none. */
static bool amid_words(const struct words *w, struct words *amid)
{
	*amid = (struct words) { };
	if (w->n < 7 || strcmp(w->v[5], "then"))
		return false;
	while (amid->n < w->n - 6) {
		amid->v[amid->n] = w->v[6 + amid->n];
		amid->n++;
	}
	return true;
}

static int do_send(struct step_ctx *ctx, struct words *w)
{
	struct amid amid = { .ctx = ctx };
	struct lab_host from, to;
	struct worker_job job = {
		.from = &from, .to = &to, .messages = 1, .size = STEP_SIZE,
		.seed = ctx->seed, .hold = WORKER_HOLD_SLEEP, .stamp = true,
	};
	struct worker_result res;
	const struct path *path = &paths[FABSIM_PATH_TCP];
	int ret, err;

	ret = lab_host_info(w->v[1], &from);
	if (ret)
		return ret;
	ret = lab_host_info(w->v[2], &to);
	if (ret)
		goto out_from;
	if (w->n > 3)
		job.messages = strtoul(w->v[3], NULL, 10);
	if (w->n > 4)
		path = &paths[cost_path_find(w->v[4])];
	job.by_tcp = w->n == 6;
	if (amid_words(w, &amid.words)) {
		job.open = do_amid;
		job.arg = &amid;
	}
	tree_str(ctx->out, "path", path->name);
	err = path->send(&job, NULL, &res);
	if (err && amid.ret) {
		ret = amid.ret;
	} else if (err) {
		fab_err("send %s %s: %s", from.name, to.name, strerror(-err));
		ret = FAB_ENV;
	} else {
		if (!res.ok)
			path_explain(ctx->nl, path, &job, &res);
		send_result(ctx, &res);
		free(res.latency_ns);
	}
	lab_host_put(&to);
out_from:
	lab_host_put(&from);
	return ret;
}

static int do_host(struct step_ctx *ctx, struct words *w)
{
	return w->v[1][0] == 'a' ? lab_host_add(w->v[2], NULL) :
				   lab_host_del(w->v[2]);
}

static int do_link(struct step_ctx *ctx, struct words *w)
{
	struct nl_msg *msg = fab_nl_msg(ctx->nl, FABSIM_CMD_LINK_SET);

	nla_put_string(msg, FABSIM_A_LINK_NAME, w->v[2]);
	nla_put_u8(msg, FABSIM_A_LINK_UP, !strcmp(w->v[1], "up"));
	return fab_nl_change(ctx->nl, msg, "link %s %s", w->v[1], w->v[2]);
}

static void nap(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000,
	};

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static int do_wait(struct step_ctx *ctx, struct words *w)
{
	uint64_t ns;

	if (!units_get_time(w->v[1], &ns))
		nap(ns);
	return FAB_OK;
}

static int do_sm(struct step_ctx *ctx, struct words *w)
{
	return subnet_set(ctx->nl, w->v[1]);
}

/* "sm start SWITCH [PRIORITY]" */
static int do_sm_start(struct step_ctx *ctx, struct words *w)
{
	unsigned long priority = w->n > 3 ? strtoul(w->v[3], NULL, 10) : TOPO_SM_PRIORITY;

	return subnet_start(ctx->nl, w->v[2], priority, true);
}

/* "sm stop SWITCH": another one may stand by. */
static int do_sm_stop(struct step_ctx *ctx, struct words *w)
{
	return w->n > 2 ? subnet_stop(ctx->nl, w->v[2], false) : subnet_set(ctx->nl, "stop");
}

/* Waits until the subnet is up; one that stands by may have to take over first. */
static int do_subnet(struct step_ctx *ctx, struct words *w)
{
	int ret = subnet_wait_master(ctx->nl);

	return ret ? ret : subnet_wait(ctx->nl);
}

/* The cable that InfiniBand packets from A to B take now. */
static int do_cut(struct step_ctx *ctx, struct words *w)
{
	char link[FABSIM_LINK_NAME_MAX + 1];
	struct nl_msg *msg;

	if (!subnet_cable(ctx->nl, w->v[1], w->v[2], link, sizeof(link))) {
		fab_err("cut %s %s: no switch knows the way", w->v[1], w->v[2]);
		return FAB_ENV;
	}
	tree_str(ctx->out, "cut", link);
	msg = fab_nl_msg(ctx->nl, FABSIM_CMD_LINK_SET);
	nla_put_string(msg, FABSIM_A_LINK_NAME, link);
	nla_put_u8(msg, FABSIM_A_LINK_UP, 0);
	return fab_nl_change(ctx->nl, msg, "link down %s", link);
}

static const struct action actions[] = {
	{ { "forget" }, 1, 1, 1, "forget", do_forget },
	{ { "send" }, 1, 3, MAX_WORDS, "send A B [N [PATH [by-tcp | then ACTION]]]", do_send },
	{ { "sm", "start" }, 2, 3, 4, "sm start SWITCH [PRIORITY]", do_sm_start },
	{ { "sm", "stop" }, 2, 2, 3, "sm stop [SWITCH]", do_sm_stop },
	{ { "sm" }, 1, 2, 2, "sm on|off|stop [SWITCH]", do_sm },
	{ { "subnet" }, 1, 1, 1, "subnet", do_subnet },
	{ { "cut" }, 1, 3, 3, "cut A B", do_cut },
	{ { "host", "add" }, 2, 3, 3, "host add NAME", do_host },
	{ { "host", "del" }, 2, 3, 3, "host del NAME", do_host },
	{ { "link", "up" }, 2, 3, 3, "link up NAME", do_link },
	{ { "link", "down" }, 2, 3, 3, "link down NAME", do_link },
	{ { "wait" }, 1, 2, 2, "wait TIME", do_wait },
};

static const struct action *find(const struct words *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		const struct action *a = &actions[i];

		if (w->n >= a->fixed && !strcmp(w->v[0], a->words[0]) &&
		    (a->fixed < 2 || !strcmp(w->v[1], a->words[1])))
			return a;
	}
	return NULL;
}

/* What stands behind the path of "send". */
static int check_more(const struct words *w, char *why, size_t len)
{
	*why = '\0';
	if (w->n == 6 && !strcmp(w->v[5], "by-tcp"))
		return 0;
	if (w->n < 7 || strcmp(w->v[5], "then") || !strcmp(w->v[6], "send"))
		return -1;
	return step_check(w->at + (w->v[6] - w->buf), why, len);
}

int step_check(const char *action, char *why, size_t len)
{
	const struct action *a;
	struct words w;
	uint64_t v;

	split(action, &w);
	a = w.n ? find(&w) : NULL;
	if (!a) {
		snprintf(why, len, "no action \"%s\"", action);
		return -1;
	}
	if (w.n < a->min || w.n > a->max) {
		snprintf(why, len, "\"%s\": must be \"%s\"", action, a->synopsis);
		return -1;
	}
	if (a->run == do_send && w.n > 3 &&
	    (units_get_u64(w.v[3], &v) || !v || v > STEP_MAX)) {
		snprintf(why, len, "\"%s\": not a number of messages up to %u",
			 w.v[3], STEP_MAX);
		return -1;
	}
	if (a->run == do_send && w.n > 4 && cost_path_find(w.v[4]) < 0) {
		snprintf(why, len, "\"%s\": no path (tcp, roce, ib)", w.v[4]);
		return -1;
	}
	if (a->run == do_send && w.n > 5 && check_more(&w, why, len)) {
		if (!*why)
			snprintf(why, len, "\"%s\": must be \"%s\"", action, a->synopsis);
		return -1;
	}
	if (a->run == do_sm && !subnet_value_known(w.v[1])) {
		snprintf(why, len, "\"%s\": must be \"%s\"", action, a->synopsis);
		return -1;
	}
	if (a->run == do_sm_start && w.n > 3 &&
	    (units_get_u64(w.v[3], &v) || v > FABSIM_SM_PRIORITY_MAX)) {
		snprintf(why, len, "\"%s\": not a priority up to %u", w.v[3],
			 FABSIM_SM_PRIORITY_MAX);
		return -1;
	}
	if (a->run == do_wait && units_get_time(w.v[1], &v)) {
		snprintf(why, len, "\"%s\": not a time", w.v[1]);
		return -1;
	}
	return 0;
}

int steps_prepare(struct fab_nl *nl, const struct scenario *s,
		  struct json_object *notes)
{
	struct fab_node_info node;
	struct words w;
	char note[80];
	int ret;

	for (uint32_t i = 0; i < s->steps_count; i++) {
		for (uint32_t a = 0; a < s->steps[i].actions_count; a++) {
			split(s->steps[i].actions[a], &w);
			if (strcmp(w.v[0], "host") || strcmp(w.v[1], "add") ||
			    fab_node_get(nl, w.v[2], &node))
				continue;
			ret = lab_host_del(w.v[2]);
			if (ret)
				return ret;
			snprintf(note, sizeof(note),
				 "host %s was there already: unplugged first", w.v[2]);
			json_object_array_add(notes, json_object_new_string(note));
		}
	}
	return FAB_OK;
}

struct counters {
	uint64_t flooded, learned, forwarded;
};

/* Over all switches. */
static void read_counters(struct fab_nl *nl, struct counters *c)
{
	struct fab_node_info *list;
	size_t n;

	memset(c, 0, sizeof(*c));
	if (fab_node_list(nl, &list, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		c->flooded += list[i].flooded;
		c->learned += list[i].learned;
		c->forwarded += list[i].forwarded;
	}
	free(list);
}

/* Broadcasts among the frames that were flooded; 0 at the end of the events. */
static uint64_t broadcasts(struct fab_events *events)
{
	static const uint8_t all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct fab_event_info ev;
	uint64_t n = 0;
	int ret;

	while ((ret = fab_events_next(events, &ev, 0)) != 0) {
		if (ret < 0 && ret != -ENOBUFS)
			break;
		n += ret > 0 && ev.type == FABSIM_EVENT_FLOODED && ev.has_mac &&
		     !memcmp(ev.mac, all, sizeof(all));
	}
	return n;
}

/* LIDs of the hosts' ports, by the port's place among all. */
struct lids {
	struct fab_port_info *ports;
	size_t n;
};

static void read_lids(struct fab_nl *nl, struct lids *l)
{
	if (fab_port_list(nl, NULL, &l->ports, &l->n))
		*l = (struct lids) { };
}

static uint64_t lids_changed(const struct lids *before, const struct lids *after)
{
	uint64_t changed = 0;

	for (size_t i = 0; i < after->n; i++)
		for (size_t j = 0; j < before->n; j++)
			changed += !strcmp(after->ports[i].name, before->ports[j].name) &&
				   after->ports[i].lid != before->ports[j].lid;
	return changed;
}

/* What the subnet managers made of it. */
static void subnet_result(struct step_ctx *ctx, struct lids *before)
{
	struct subnet_managers m;
	struct lids after;

	read_lids(ctx->nl, &after);
	tree_u64(ctx->out, "lids_changed", lids_changed(before, &after));
	if (!subnet_managers(ctx->nl, &m)) {
		tree_str(ctx->out, "master", m.master[0] ? m.master : NULL);
		tree_str(ctx->out, "standby", m.standby[0] ? m.standby : NULL);
	}
	free(after.ports);
	free(before->ports);
}

static int run_step(struct step_ctx *ctx, const struct scenario_step *s)
{
	struct counters before, after;
	struct lids lids;
	uint64_t start;
	int ret = FAB_OK;

	tree_str(ctx->out, "name", s->name);
	tree_str(ctx->out, "title", s->title);
	broadcasts(ctx->events);
	read_counters(ctx->nl, &before);
	read_lids(ctx->nl, &lids);
	start = fab_real_ns();
	for (uint32_t i = 0; !ret && i < s->actions_count; i++) {
		struct words w;

		split(s->actions[i], &w);
		ret = find(&w)->run(ctx, &w);
	}
	tree_u64(ctx->out, "real_ns", fab_real_ns() - start);
	read_counters(ctx->nl, &after);
	tree_u64(ctx->out, "broadcasts", broadcasts(ctx->events));
	tree_u64(ctx->out, "flooded", after.flooded - before.flooded);
	tree_u64(ctx->out, "learned", after.learned - before.learned);
	tree_u64(ctx->out, "forwarded", after.forwarded - before.forwarded);
	subnet_result(ctx, &lids);
	return ret;
}

int steps_run(struct fab_nl *nl, const struct scenario *s, uint64_t seed,
	      struct json_object *list)
{
	struct step_ctx ctx = { .nl = nl, .seed = seed };
	uint64_t start = fab_real_ns(), now;
	int ret = FAB_OK;

	ctx.events = fab_events_open(nl);
	for (uint32_t i = 0; !ret && i < s->steps_count; i++) {
		now = fab_real_ns() - start;
		if (s->steps[i].at_ns > now)
			nap(s->steps[i].at_ns - now);
		out_progress("steps", i, s->steps_count);
		ctx.out = tree_item(list);
		ret = run_step(&ctx, &s->steps[i]);
	}
	out_progress_end();
	fab_events_close(ctx.events);
	return ret;
}
