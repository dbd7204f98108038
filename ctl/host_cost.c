// SPDX-License-Identifier: GPL-2.0
/*
 * From the probes' counters to the result. The same for all paths: what a path
 * does not do shows as a counted zero.
 *
 * Counts and times of single stages are from the pass with probes; CPU times of
 * the programs from the pass without, because the probes themselves take time.
 */
#include <string.h>

#include "array.h"
#include "host_cost.h"

static const struct {
	const char *key;
	enum fabsim_counter_attr attr;
	bool times;		/* from the pass without probes */
} counters[] = {
	{ "syscalls", FABSIM_A_COUNTER_SYSCALLS, false },
	{ "copy_ns", FABSIM_A_COUNTER_COPY_NS, false },
	{ "stack_ns", FABSIM_A_COUNTER_STACK_NS, false },
	{ "interrupts", FABSIM_A_COUNTER_INTERRUPTS, false },
	{ "polls", FABSIM_A_COUNTER_POLLS, false },
	{ "wakeups", FABSIM_A_COUNTER_WAKEUPS, false },
	{ "context_switches", FABSIM_A_COUNTER_CONTEXT_SWITCHES, false },
	{ "page_faults", FABSIM_A_COUNTER_PAGE_FAULTS, false },
	{ "missed_probes", FABSIM_A_COUNTER_MISSED, false },
	{ "process_cpu_ns", FABSIM_A_COUNTER_CPU_NS, true },
	{ "user_ns", FABSIM_A_COUNTER_USER_NS, true },
	{ "softirq_ns", FABSIM_A_COUNTER_SOFTIRQ_NS, true },
};

static unsigned int cpu_stages(const struct cost_result *res, const char *side)
{
	unsigned int n = 0;

	for (int i = FABSIM_STAGE_UNSPEC + 1; i <= FABSIM_STAGE_MAX; i++)
		n += res->stage[i].cpu && res->stage[i].count &&
		     !strcmp(cost_stage_side(i), side);
	return n;
}

/*
 * The host's CPU time: its program's, and what the interrupts of its NIC took,
 * whichever program they interrupted.
 */
static bool cpu_ns(const struct host_cost *c, enum fabsim_side side, uint64_t *ns)
{
	const struct cost_result *t = &c->times;

	*ns = t->counter[side][FABSIM_A_COUNTER_CPU_NS] +
	      t->counter[side][FABSIM_A_COUNTER_SOFTIRQ_NS];
	return cost_has(t, side, FABSIM_A_COUNTER_CPU_NS) &&
	       cost_has(t, side, FABSIM_A_COUNTER_SOFTIRQ_NS);
}

static uint64_t busy_ns(const struct host_cost *c, enum fabsim_side side)
{
	const struct worker_busy *b = &c->busy[side == FABSIM_SIDE_RECEIVER];

	return b->post_ns + b->reap_ns;
}

/*
 * What of the CPU time was work. A program that polls is busy all the time; what
 * it did not spend in posting, and in polls that found something, was waiting.
 */
static uint64_t work_ns(const struct host_cost *c, enum fabsim_side side, uint64_t ns)
{
	uint64_t busy = busy_ns(c, side);

	return c->verbs && busy < ns ? busy : ns;
}

static void put_per(struct json_object *per, const char *key,
		    const struct cost_result *res, enum fabsim_side side,
		    enum fabsim_counter_attr attr, double n)
{
	if (cost_has(res, side, attr))
		tree_double(per, key, res->counter[side][attr] / n);
}

/* Not more facts, but what one wants to read off them. */
static void per_message(const struct host_cost *c, enum fabsim_side side,
			struct json_object *in)
{
	const struct cost_result *counts = &c->counts;
	struct json_object *per = tree_object(in, "per_message");
	double n = c->messages;
	uint64_t ns;

	if (!c->messages || !c->bytes)
		return;
	put_per(per, "syscalls", counts, side, FABSIM_A_COUNTER_SYSCALLS, n);
	if (cost_has(counts, side, FABSIM_A_COUNTER_COPIED_IN) &&
	    cost_has(counts, side, FABSIM_A_COUNTER_COPIED_OUT))
		tree_double(per, "copies_of_each_byte",
			    (double)cost_copied(counts, side) / c->bytes);
	put_per(per, "interrupts", counts, side, FABSIM_A_COUNTER_INTERRUPTS, n);
	put_per(per, "wakeups", counts, side, FABSIM_A_COUNTER_WAKEUPS, n);
	put_per(per, "context_switches", counts, side,
		FABSIM_A_COUNTER_CONTEXT_SWITCHES, n);
	if (cpu_ns(c, side, &ns)) {
		tree_double(per, "cpu_us", work_ns(c, side, ns) / n / 1000);
		if (c->verbs || c->polls_known)
			tree_double(per, "poll_us", (ns - work_ns(c, side, ns)) / n / 1000);
	}
}

/* What is done once. Path 1 has no such steps, and no such object. */
static void one_time(const struct host_cost *c, enum fabsim_side side,
		     struct json_object *in)
{
	const struct worker_once *once = &c->once[side == FABSIM_SIDE_RECEIVER];
	const struct worker_once *most = &c->once_max[side == FABSIM_SIDE_RECEIVER];
	struct json_object *o;

	if (!c->verbs)
		return;
	o = tree_object(in, "one_time");
	tree_double(o, "register_us", once->register_ns / 1000.0);
	tree_double(o, "objects_us", once->objects_ns / 1000.0);
	tree_double(o, "rts_us", once->rts_ns / 1000.0);
	tree_u64(o, "rts_steps", once->steps);
	tree_double(o, "register_us_max", most->register_ns / 1000.0);
	tree_double(o, "objects_us_max", most->objects_ns / 1000.0);
	tree_double(o, "rts_us_max", most->rts_ns / 1000.0);
}

static void copies(const struct cost_result *res, enum fabsim_side side,
		   struct json_object *o)
{
	if (!cost_has(res, side, FABSIM_A_COUNTER_COPIED_IN) ||
	    !cost_has(res, side, FABSIM_A_COUNTER_COPIED_OUT)) {
		tree_null(o, "copies");
		tree_null(o, "copied_bytes");
		return;
	}
	tree_u64(o, "copies", cost_copies(res, side));
	tree_u64(o, "copied_bytes", cost_copied(res, side));
}

/* The two stages of a verbs program, if it went through them. */
static unsigned int verbs_stages(const struct host_cost *c, enum fabsim_side side)
{
	const struct worker_busy *b = &c->busy[side == FABSIM_SIDE_RECEIVER];

	return c->verbs ? !!b->post_ns + !!b->reap_ns : 0;
}

/* What was not measured is null. */
static void side_tree(const struct host_cost *c, enum fabsim_side side,
		      const char *name, struct json_object *host)
{
	struct json_object *o = tree_object(host, name);
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		const struct cost_result *res = counters[i].times ? &c->times : &c->counts;

		if (cost_has(res, side, counters[i].attr))
			tree_u64(o, counters[i].key, res->counter[side][counters[i].attr]);
		else
			tree_null(o, counters[i].key);
	}
	copies(&c->counts, side, o);
	if (cpu_ns(c, side, &ns))
		tree_u64(o, "cpu_ns", ns);
	else
		tree_null(o, "cpu_ns");
	if (c->verbs && cpu_ns(c, side, &ns))
		tree_u64(o, "poll_ns", ns - work_ns(c, side, ns));
	else if (c->polls_known)
		tree_u64(o, "poll_ns", 0);
	else
		tree_null(o, "poll_ns");
	tree_u64(o, "cpu_stages", cpu_stages(&c->counts, name) + verbs_stages(c, side));
	per_message(c, side, o);
	one_time(c, side, o);
}

/* The wire is no stage of the hosts: its time was seen on the packets. */
static void wire_tree(const struct host_cost *c, struct json_object *list)
{
	struct json_object *o;

	if (!c->wire_ns)
		return;
	o = tree_item(list);
	tree_str(o, "name", cost_stage_name(FABSIM_STAGE_WIRE));
	tree_str(o, "side", cost_stage_side(FABSIM_STAGE_WIRE));
	tree_str(o, "kind", "emulated");
	tree_u64(o, "ns", c->wire_ns);
	tree_bool(o, "cpu", false);
	tree_bool(o, "one_time", false);
}

static void stage_tree(const struct host_cost *c, enum fabsim_stage stage,
		       struct json_object *list)
{
	const struct cost_stage *s = &c->counts.stage[stage];
	struct json_object *o;

	if (stage == FABSIM_STAGE_WIRE) {
		wire_tree(c, list);
		return;
	}
	if (!s->count)
		return;
	o = tree_item(list);
	tree_str(o, "name", cost_stage_name(stage));
	tree_str(o, "side", cost_stage_side(stage));
	tree_str(o, "kind", "measured");
	/* Of one message, with probes attached. */
	tree_u64(o, "ns", c->messages ? s->ns / c->messages : 0);
	tree_u64(o, "passes", s->count);
	tree_bool(o, "cpu", s->cpu);
	tree_bool(o, "one_time", false);
}

static void verbs_stage(const struct host_cost *c, const char *name, const char *side,
			uint64_t ns, bool once, struct json_object *list)
{
	struct json_object *o;

	if (!ns)
		return;
	o = tree_item(list);
	tree_str(o, "name", name);
	tree_str(o, "side", side);
	tree_str(o, "kind", "measured");
	tree_u64(o, "ns", once ? ns : c->messages ? ns / c->messages : 0);
	tree_bool(o, "cpu", true);
	tree_bool(o, "one_time", once);
}

static void verbs_side(const struct host_cost *c, int i, const char *side,
		       struct json_object *list)
{
	verbs_stage(c, "register memory", side, c->once[i].register_ns, true, list);
	verbs_stage(c, "make PD, CQ, QP", side, c->once[i].objects_ns, true, list);
	verbs_stage(c, "RESET to RTS", side, c->once[i].rts_ns, true, list);
	verbs_stage(c, "post", side, c->busy[i].post_ns, false, list);
	verbs_stage(c, "poll, found", side, c->busy[i].reap_ns, false, list);
}

static void range(uint64_t now, uint64_t *least, uint64_t *most)
{
	if (!*least || now < *least)
		*least = now;
	if (now > *most)
		*most = now;
}

void host_cost_once(struct host_cost *c, const struct worker_once once[2])
{
	for (int i = 0; i < 2; i++) {
		range(once[i].register_ns, &c->once[i].register_ns,
		      &c->once_max[i].register_ns);
		range(once[i].objects_ns, &c->once[i].objects_ns,
		      &c->once_max[i].objects_ns);
		range(once[i].rts_ns, &c->once[i].rts_ns, &c->once_max[i].rts_ns);
		c->once[i].steps = once[i].steps;
	}
}

void host_cost_tree(const struct host_cost *c, struct json_object *path)
{
	struct json_object *host = tree_object(path, "host"), *stages;

	side_tree(c, FABSIM_SIDE_SENDER, "sender", host);
	side_tree(c, FABSIM_SIDE_RECEIVER, "receiver", host);
	stages = tree_array(path, "stages");
	if (c->verbs) {
		verbs_side(c, 0, "sender", stages);
		verbs_side(c, 1, "receiver", stages);
	}
	for (int i = FABSIM_STAGE_UNSPEC + 1; i <= FABSIM_STAGE_MAX; i++)
		stage_tree(c, i, stages);
}
