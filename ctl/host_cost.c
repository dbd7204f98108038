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
	if (cpu_ns(c, side, &ns))
		tree_double(per, "cpu_us", ns / n / 1000);
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
	if (c->polls_known)
		tree_u64(o, "poll_ns", 0);
	else
		tree_null(o, "poll_ns");
	tree_u64(o, "cpu_stages", cpu_stages(&c->counts, name));
	per_message(c, side, o);
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

void host_cost_tree(const struct host_cost *c, struct json_object *path)
{
	struct json_object *host = tree_object(path, "host"), *stages;

	side_tree(c, FABSIM_SIDE_SENDER, "sender", host);
	side_tree(c, FABSIM_SIDE_RECEIVER, "receiver", host);
	stages = tree_array(path, "stages");
	for (int i = FABSIM_STAGE_UNSPEC + 1; i <= FABSIM_STAGE_MAX; i++)
		stage_tree(c, i, stages);
}
