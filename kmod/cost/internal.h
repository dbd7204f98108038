/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the cost probes share; cost.c has the model. */
#ifndef FAB_COST_INTERNAL_H
#define FAB_COST_INTERNAL_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>
#include "cost/cost.h"
#include "cost/stages.h"
#include "uapi/fabsim.h"

struct net;
struct task_struct;

#define FAB_COST_SIDES		(FABSIM_SIDE_MAX + 1)
#define FAB_COST_NO_SIDE	(-1)
#define FAB_COST_PATHS		(FABSIM_PATH_MAX + 1)

/* Which counters a measurement can give: the probes that they need are attached. */
enum {
	FAB_COST_HAS_SYSCALLS	= BIT(0),
	FAB_COST_HAS_COPY_IN	= BIT(1),
	FAB_COST_HAS_COPY_OUT	= BIT(2),
	FAB_COST_HAS_STACK	= BIT(3),
	FAB_COST_HAS_SWITCH	= BIT(4),
	FAB_COST_HAS_WAKEUPS	= BIT(5),
	FAB_COST_HAS_FORK	= BIT(6),	/* nothing works without it */
	FAB_COST_HAS_SOFTIRQ	= BIT(7),
	FAB_COST_OPTIONAL	= 0,		/* no counter needs it */
};

/* Direction of a copy. */
enum fab_cost_dir {
	FAB_COST_IN,		/* user to kernel */
	FAB_COST_OUT,		/* kernel to user */

	FAB_COST_DIRS
};

/**
 * struct fab_cost_sum - what processes of one side have spent
 * @tasks: how many were followed
 * @syscalls: system calls entered
 * @copies: between user and kernel memory
 * @copied: bytes of these
 * @lane: time by stage
 * @exec_ns: CPU time by the scheduler
 * @stolen_ns: of which a NIC's poll took from under them
 * @utime: user time as sampled by the timer tick
 * @stime: system time, likewise
 * @switches: context switches
 * @faults: page faults
 */
struct fab_cost_sum {
	u64 tasks;
	u64 syscalls;
	u64 copies[FAB_COST_DIRS];
	u64 copied[FAB_COST_DIRS];
	struct fab_lane lane;
	u64 exec_ns;
	u64 stolen_ns;
	u64 utime;
	u64 stime;
	u64 switches;
	u64 faults;
};

/**
 * struct fab_cost_task - a process (one thread of it) that is followed
 * @node: place in the table, or in the list of free ones
 * @rcu: until nobody can look at it any more
 * @task: the thread; a reference is held
 * @side: whom it is charged to
 * @sum: what it has spent; written by the thread itself, or by its CPU while it runs
 * @base: the kernel's own accounts of the thread when it was first followed
 */
struct fab_cost_task {
	struct hlist_node node;
	struct rcu_head rcu;
	struct task_struct *task;
	int side;
	struct fab_cost_sum sum;
	struct {
		u64 exec_ns;
		u64 utime;
		u64 stime;
		u64 switches;
		u64 faults;
	} base;
};

/**
 * struct fab_cost_cpu - what one CPU does for the hosts in interrupts
 * @owner: the side it works for now, or FAB_COST_NO_SIDE
 * @depth: what to go back to when it has done so
 * @lingers: a poll has used up its budget: what the kernel does after it is still its
 * @poll_since: when the poll began
 * @handed_up: when the stack gave back the last packet of this poll, or 0
 * @lane: time by stage
 * @interrupts: that NICs of a side raised
 * @polls: of NICs of a side
 * @wakeups: of processes of a side, by this CPU
 *
 * Only its CPU touches it, with interrupts off.
 */
struct fab_cost_cpu {
	int owner;
	unsigned int depth;
	bool lingers;
	u64 poll_since;
	u64 handed_up;
	struct fab_lane lane[FAB_COST_SIDES];
	u64 interrupts[FAB_COST_SIDES];
	u64 polls[FAB_COST_SIDES];
	u64 wakeups[FAB_COST_SIDES];
};

DECLARE_PER_CPU(struct fab_cost_cpu, fab_cost_cpus);

/* Interrupts are off wherever the clock is read. */
static inline u64 fab_cost_clock(void)
{
	return local_clock();
}

/*
 * Is this the process's own execution, not an interrupt on top of it? The
 * handler of a kprobe that is a breakpoint looks like an NMI, and an NMI like a
 * hard interrupt (nmi_enter() adds to both), so those cancel out here.
 */
static inline bool fab_cost_in_process(void)
{
	unsigned long nmis = (preempt_count() & NMI_MASK) / NMI_OFFSET;

	return (preempt_count() & HARDIRQ_MASK) == nmis * HARDIRQ_OFFSET &&
	       !in_serving_softirq();
}

/* tasks.c: the processes that are followed. */
int fab_cost_tasks_init(void);
void fab_cost_tasks_exit(u64 end, struct fab_cost_sum sums[FAB_COST_SIDES], u64 *lost);
struct fab_cost_task *fab_cost_task_find(const struct task_struct *task);
int fab_cost_task_add(struct task_struct *task, int side, bool in_kernel);
void fab_cost_task_fork(struct task_struct *parent, struct task_struct *child);
void fab_cost_task_gone(struct task_struct *task);

/* cpus.c: what CPUs do in interrupts; hosts and their sides. */
void fab_cost_cpus_init(u32 mode);
void fab_cost_cpus_linger(bool may);
void fab_cost_cpus_sum(int side, struct fab_cost_cpu *sum);
int fab_cost_host_add(struct fab_node *host, const struct net *net, int side);
unsigned int fab_cost_hosts(void);
void fab_cost_hosts_cut(unsigned int n);
bool fab_cost_has_host(int side);
struct fab_lane *fab_cost_lane(void);
bool fab_cost_claim(const struct net *net, u64 now);
void fab_cost_unclaim(u64 now);
void fab_cost_softirq_enter(void);
void fab_cost_softirq_exit(void);
void fab_cost_hand_up(void);
void fab_cost_handed_up(void);

/* probes.c: tracepoints and kretprobes. */
unsigned int fab_cost_probes_attach(u32 mode, const char **missing);
u64 fab_cost_probes_detach(void);

/**
 * struct fab_cost_raw - what a measurement has gathered
 * @mode: FABSIM_COST_*
 * @has: FAB_COST_HAS_*
 * @real_ns: how long the probes were attached
 * @fabric_ns: CPU time of the fabric thread meanwhile
 * @missed: probe hits, and children, that were not seen
 * @has_host: a NIC was charged to the side
 * @sums: by the processes of a side
 * @cpus: in interrupts, all CPUs together
 */
struct fab_cost_raw {
	u32 mode;
	unsigned int has;
	u64 real_ns;
	u64 fabric_ns;
	u64 missed;
	bool has_host[FAB_COST_SIDES];
	struct fab_cost_sum sums[FAB_COST_SIDES];
	struct fab_cost_cpu cpus;
};

/* report.c: results, from the end of a measurement to the next of that path. */
void fab_cost_report_keep(u32 path, const struct fab_cost_raw *raw);
void fab_cost_report_forget(u32 path, u32 mode);

/* cost.c */
bool fab_cost_runs(u32 path, u32 *mode, u64 *since);

#endif /* FAB_COST_INTERNAL_H */
