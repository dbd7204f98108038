// SPDX-License-Identifier: GPL-2.0
/*
 * Results: from the raw accounts of a measurement to what the outside reads.
 *
 * A counter that was not measured is not there: it is never a zero. It may lack
 * its probe (this kernel does not have the function), its host (no NIC was
 * named), its processes (none was attached to that side) or its mode.
 *
 * Each side's time is in six stages (enum fab_stage), and a message passes five
 * of them on a side, in its own order:
 *
 *	sender    app, syscall, copy, stack, driver
 *	receiver  interrupt, stack, copy, syscall, app
 *
 * Work against the stream, for acknowledgements, belongs to the side that does
 * it: the sender's polls to its driver stage, the receiver's transmits to its
 * interrupt stage (both are the driver's), TCP's part to the stack.
 *
 * The last result of each mode is kept a path, so that counts and times of one
 * run can be read side by side.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <net/netlink.h>
#include "cost/internal.h"
#include "fabric.h"

/* So few ticks of the timer say nothing of how time divides into user and system. */
#define TICKS_MIN	100

#define MODES	2

/**
 * struct side_result - the counters of one side
 * @has: bit n: counter n (enum fabsim_counter_attr) was measured
 * @counter: the counters
 */
struct side_result {
	u32 has;
	u64 counter[FABSIM_A_COUNTER_MAX + 1];
};

static_assert(FABSIM_A_COUNTER_MAX < 32);
static_assert(FABSIM_STAGE_MAX < 32);

/**
 * struct result - of one measurement
 * @mode: FABSIM_COST_*, 0: there is none
 * @real_ns: how long the probes were attached
 * @fabric_ns: CPU time of the fabric thread meanwhile
 * @side: counters
 * @has_stage: bit n: stage n (enum fabsim_stage) was measured
 * @stage_ns: time in it
 * @stage_count: passes
 */
struct result {
	u32 mode;
	u64 real_ns;
	u64 fabric_ns;
	struct side_result side[FAB_COST_SIDES];
	u32 has_stage;
	u64 stage_ns[FABSIM_STAGE_MAX + 1];
	u64 stage_count[FABSIM_STAGE_MAX + 1];
};

static DEFINE_MUTEX(results_lock);	/* results, last_mode */
static struct result results[FAB_COST_PATHS][MODES];
static u32 last_mode[FAB_COST_PATHS];

static struct result *result_of(u32 path, u32 mode)
{
	return &results[path][mode == FABSIM_COST_TIMES];
}

static void put(struct side_result *r, u32 attr, u64 value)
{
	r->has |= BIT(attr);
	r->counter[attr] = value;
}

static u64 lane_total(const struct fab_lane *lane)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < FAB_STAGES; i++)
		sum += lane->ns[i];
	return sum;
}

/* Time of @stage, in processes and in interrupts. */
static u64 stage_ns(const struct fab_cost_raw *raw, int side, enum fab_stage stage)
{
	return raw->sums[side].lane.ns[stage] + raw->cpus.lane[side].ns[stage];
}

static u64 stage_passes(const struct fab_cost_raw *raw, int side, enum fab_stage stage)
{
	return raw->sums[side].lane.passes[stage] + raw->cpus.lane[side].passes[stage];
}

/* All stages hang together: time that one does not see would be another's. */
static bool has_stages(const struct fab_cost_raw *raw)
{
	const unsigned int needed = FAB_COST_HAS_SYSCALLS | FAB_COST_HAS_COPY_IN |
				    FAB_COST_HAS_COPY_OUT | FAB_COST_HAS_STACK |
				    FAB_COST_HAS_SWITCH | FAB_COST_HAS_SOFTIRQ;

	return (raw->has & needed) == needed;
}

/* The kernel's own accounts, in every mode. */
static void report_accounts(struct side_result *r, const struct fab_cost_sum *sum)
{
	u64 cpu = sum->exec_ns > sum->stolen_ns ? sum->exec_ns - sum->stolen_ns : 0;
	u64 ticks = sum->utime + sum->stime;

	put(r, FABSIM_A_COUNTER_CPU_NS, cpu);
	put(r, FABSIM_A_COUNTER_CONTEXT_SWITCHES, sum->switches);
	put(r, FABSIM_A_COUNTER_PAGE_FAULTS, sum->faults);
	if (ticks >= TICKS_MIN * TICK_NSEC)
		put(r, FABSIM_A_COUNTER_USER_NS, mul_u64_u64_div_u64(cpu, sum->utime, ticks));
}

static void report_copies(struct side_result *r, const struct fab_cost_raw *raw, int side)
{
	const struct fab_cost_sum *sum = &raw->sums[side];

	if (raw->has & FAB_COST_HAS_COPY_IN) {
		put(r, FABSIM_A_COUNTER_COPIES_IN, sum->copies[FAB_COST_IN]);
		put(r, FABSIM_A_COUNTER_COPIED_IN, sum->copied[FAB_COST_IN]);
	}
	if (raw->has & FAB_COST_HAS_COPY_OUT) {
		put(r, FABSIM_A_COUNTER_COPIES_OUT, sum->copies[FAB_COST_OUT]);
		put(r, FABSIM_A_COUNTER_COPIED_OUT, sum->copied[FAB_COST_OUT]);
	}
	if (has_stages(raw))
		put(r, FABSIM_A_COUNTER_COPY_NS, stage_ns(raw, side, FAB_STAGE_COPY));
}

static void report_processes(struct side_result *r, const struct fab_cost_raw *raw, int side)
{
	const struct fab_cost_sum *sum = &raw->sums[side];

	report_accounts(r, sum);
	if (raw->mode != FABSIM_COST_COUNTS)
		return;
	if (raw->has & FAB_COST_HAS_SYSCALLS)
		put(r, FABSIM_A_COUNTER_SYSCALLS, sum->syscalls);
	if (raw->has & FAB_COST_HAS_WAKEUPS)
		put(r, FABSIM_A_COUNTER_WAKEUPS, raw->cpus.wakeups[side]);
	report_copies(r, raw, side);
	if (has_stages(raw)) {
		put(r, FABSIM_A_COUNTER_STACK_NS, stage_ns(raw, side, FAB_STAGE_STACK));
		put(r, FABSIM_A_COUNTER_USER_NS, sum->lane.ns[FAB_STAGE_APP]);
	}
	put(r, FABSIM_A_COUNTER_MISSED, raw->missed + sum->lane.overflows);
}

static void report_side(struct side_result *r, const struct fab_cost_raw *raw, int side)
{
	if (raw->sums[side].tasks)
		report_processes(r, raw, side);
	if (!raw->has_host[side])
		return;
	put(r, FABSIM_A_COUNTER_INTERRUPTS, raw->cpus.interrupts[side]);
	put(r, FABSIM_A_COUNTER_POLLS, raw->cpus.polls[side]);
	put(r, FABSIM_A_COUNTER_SOFTIRQ_NS, lane_total(&raw->cpus.lane[side]));
}

static void put_stage(struct result *r, u32 stage, u64 ns, u64 count)
{
	r->has_stage |= BIT(stage);
	r->stage_ns[stage] = ns;
	r->stage_count[stage] = count;
}

static void report_sender_stages(struct result *r, const struct fab_cost_raw *raw)
{
	const int side = FABSIM_SIDE_SENDER;
	u64 calls = raw->sums[side].syscalls;

	put_stage(r, FABSIM_STAGE_SND_APP, stage_ns(raw, side, FAB_STAGE_APP), calls);
	put_stage(r, FABSIM_STAGE_SND_SYSCALL, stage_ns(raw, side, FAB_STAGE_SYSCALL), calls);
	put_stage(r, FABSIM_STAGE_SND_COPY, stage_ns(raw, side, FAB_STAGE_COPY),
		  stage_passes(raw, side, FAB_STAGE_COPY));
	put_stage(r, FABSIM_STAGE_SND_STACK, stage_ns(raw, side, FAB_STAGE_STACK),
		  stage_passes(raw, side, FAB_STAGE_STACK));
	put_stage(r, FABSIM_STAGE_SND_DRIVER,
		  stage_ns(raw, side, FAB_STAGE_DRIVER) + stage_ns(raw, side, FAB_STAGE_IRQ),
		  stage_passes(raw, side, FAB_STAGE_DRIVER));
}

static void report_receiver_stages(struct result *r, const struct fab_cost_raw *raw)
{
	const int side = FABSIM_SIDE_RECEIVER;
	u64 calls = raw->sums[side].syscalls;

	if (raw->has_host[side])
		put_stage(r, FABSIM_STAGE_RCV_IRQ,
			  stage_ns(raw, side, FAB_STAGE_DRIVER) +
			  stage_ns(raw, side, FAB_STAGE_IRQ),
			  stage_passes(raw, side, FAB_STAGE_IRQ));
	put_stage(r, FABSIM_STAGE_RCV_STACK, stage_ns(raw, side, FAB_STAGE_STACK),
		  stage_passes(raw, side, FAB_STAGE_STACK));
	put_stage(r, FABSIM_STAGE_RCV_COPY, stage_ns(raw, side, FAB_STAGE_COPY),
		  stage_passes(raw, side, FAB_STAGE_COPY));
	put_stage(r, FABSIM_STAGE_RCV_SYSCALL, stage_ns(raw, side, FAB_STAGE_SYSCALL), calls);
	put_stage(r, FABSIM_STAGE_RCV_APP, stage_ns(raw, side, FAB_STAGE_APP), calls);
}

/**
 * fab_cost_report_keep() - a measurement has ended
 * @path: enum fabsim_path
 * @raw: what it gathered
 */
void fab_cost_report_keep(u32 path, const struct fab_cost_raw *raw)
{
	struct result *r = result_of(path, raw->mode);
	int side;

	mutex_lock(&results_lock);
	memset(r, 0, sizeof(*r));
	r->mode = raw->mode;
	r->real_ns = raw->real_ns;
	r->fabric_ns = raw->fabric_ns;
	for (side = 0; side < FAB_COST_SIDES; side++)
		report_side(&r->side[side], raw, side);
	if (raw->mode == FABSIM_COST_COUNTS && has_stages(raw)) {
		if (raw->sums[FABSIM_SIDE_SENDER].tasks)
			report_sender_stages(r, raw);
		if (raw->sums[FABSIM_SIDE_RECEIVER].tasks)
			report_receiver_stages(r, raw);
	}
	last_mode[path] = raw->mode;
	mutex_unlock(&results_lock);
}

/**
 * fab_cost_report_forget() - a new measurement begins
 * @path: enum fabsim_path
 * @mode: FABSIM_COST_*
 */
void fab_cost_report_forget(u32 path, u32 mode)
{
	mutex_lock(&results_lock);
	result_of(path, mode)->mode = 0;
	last_mode[path] = mode;
	mutex_unlock(&results_lock);
}

/**
 * fab_cost_counter() - one counter of the last measurement of a path, for sysfs
 * @path: enum fabsim_path
 * @side: enum fabsim_side
 * @attr: enum fabsim_counter_attr
 * @value: filled in
 *
 * Times come from the last pass in mode TIMES that has them, all else, and
 * times where there was no such pass, from the last in mode COUNTS.
 *
 * Return: 0, or -ENODATA if it was not measured
 *
 * Context: process context, without the control mutex
 */
int fab_cost_counter(u32 path, u32 side, u32 attr, u64 *value)
{
	const u32 times = BIT(FABSIM_A_COUNTER_CPU_NS) | BIT(FABSIM_A_COUNTER_USER_NS) |
			  BIT(FABSIM_A_COUNTER_SOFTIRQ_NS);
	const u32 modes[2][MODES] = { { FABSIM_COST_COUNTS, FABSIM_COST_TIMES },
				      { FABSIM_COST_TIMES, FABSIM_COST_COUNTS } };
	int i, err = -ENODATA;

	if (path >= FAB_COST_PATHS || side >= FAB_COST_SIDES || attr > FABSIM_A_COUNTER_MAX)
		return -ENODATA;
	mutex_lock(&results_lock);
	for (i = 0; i < MODES && err; i++) {
		const u32 *order = modes[!!(times & BIT(attr))];
		const struct result *r = result_of(path, order[i]);

		if (r->mode && r->side[side].has & BIT(attr)) {
			*value = r->side[side].counter[attr];
			err = 0;
		}
	}
	mutex_unlock(&results_lock);
	return err;
}

static int fill_side(struct sk_buff *skb, u32 nest_attr, const struct side_result *r)
{
	struct nlattr *nest;
	u32 attr;

	if (!r->has)
		return 0;
	nest = nla_nest_start(skb, nest_attr);
	if (!nest)
		return -EMSGSIZE;
	for (attr = 0; attr <= FABSIM_A_COUNTER_MAX; attr++) {
		if (r->has & BIT(attr) &&
		    nla_put_u64_64bit(skb, attr, r->counter[attr], FABSIM_A_COUNTER_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int fill_stage(struct sk_buff *skb, const struct result *r, u32 stage)
{
	struct nlattr *nest;

	if (!(r->has_stage & BIT(stage)))
		return 0;
	nest = nla_nest_start(skb, FABSIM_A_COST_STAGE);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, FABSIM_A_STAGE_STAGE, stage) ||
	    nla_put_u64_64bit(skb, FABSIM_A_STAGE_NS, r->stage_ns[stage], FABSIM_A_STAGE_PAD) ||
	    nla_put_u64_64bit(skb, FABSIM_A_STAGE_COUNT, r->stage_count[stage],
			      FABSIM_A_STAGE_PAD) ||
	    nla_put_u8(skb, FABSIM_A_STAGE_CPU, r->stage_ns[stage] > 0))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int fill_head(struct sk_buff *skb, u32 path, u32 mode, bool running, u64 real_ns)
{
	if (nla_put_u32(skb, FABSIM_A_COST_PATH, path) ||
	    nla_put_u32(skb, FABSIM_A_COST_MODE, mode) ||
	    nla_put_u8(skb, FABSIM_A_COST_RUNNING, running) ||
	    nla_put_u64_64bit(skb, FABSIM_A_COST_REAL_NS, real_ns, FABSIM_A_COST_PAD))
		return -EMSGSIZE;
	return 0;
}

static int fill_result(struct sk_buff *skb, u32 path, const struct result *r)
{
	u32 stage;

	if (!r->mode)
		return -ENODATA;
	if (fill_head(skb, path, r->mode, false, r->real_ns) ||
	    nla_put_u64_64bit(skb, FABSIM_A_COST_FABRIC_NS, r->fabric_ns, FABSIM_A_COST_PAD) ||
	    fill_side(skb, FABSIM_A_COST_SENDER, &r->side[FABSIM_SIDE_SENDER]) ||
	    fill_side(skb, FABSIM_A_COST_RECEIVER, &r->side[FABSIM_SIDE_RECEIVER]))
		return -EMSGSIZE;
	for (stage = 0; stage <= FABSIM_STAGE_MAX; stage++) {
		if (fill_stage(skb, r, stage))
			return -EMSGSIZE;
	}
	return 0;
}

/**
 * fab_cost_fill() - the last measurement of a path, as attributes
 * @skb: reply to FABSIM_CMD_COST_GET; FABSIM_A_COST_* are put into it
 * @path: enum fabsim_path
 *
 * While the path is measured, only that and for how long.
 *
 * Return: 0, -ENODATA if it was never measured, -EMSGSIZE
 *
 * Context: process context, control mutex held
 */
int fab_cost_fill(struct sk_buff *skb, u32 path)
{
	u64 since;
	u32 mode;
	int err;

	if (path >= FAB_COST_PATHS)
		return -ENODATA;
	if (fab_cost_runs(path, &mode, &since))
		return fill_head(skb, path, mode, true, ktime_get_ns() - since);
	mutex_lock(&results_lock);
	err = fill_result(skb, path, result_of(path, last_mode[path]));
	mutex_unlock(&results_lock);
	return err;
}
