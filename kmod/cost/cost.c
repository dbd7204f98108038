// SPDX-License-Identifier: GPL-2.0
/*
 * What a message costs inside the hosts.
 *
 * A measurement follows processes, each as sender or receiver, and counts what
 * the running kernel does for them: system calls, copies, time in the protocol
 * stack, interrupts, wake-ups. No figure is assumed; on all three paths the same
 * probes are attached, so the zeros of ② and ③ are counted like ①'s ones.
 *
 *	stages.c  exclusive time of nested stages; pure arithmetic
 *	tasks.c   the processes, and what is charged to each
 *	cpus.c    what CPUs do for a host in interrupts, driver hooks
 *	probes.c  where we look into the kernel
 *	report.c  from raw accounts to the attributes of FABSIM_CMD_COST_GET
 *	cost.c    start, attach, stop
 *
 * Probes slow down what they watch. So counts come from one pass (COUNTS) and
 * times from another (TIMES), where nothing lies on a message's way but two
 * readings of the clock in the NIC's poll: without these the time that an
 * interrupt takes from a process would look like the process's own.
 *
 * Who pays: a process pays for what it does; a host pays for the interrupts and
 * polls of its own NIC, whichever process they interrupt. The fabric thread
 * plays the hardware (wires, switches, the NICs' DMA engines): its CPU time is
 * told apart and charged to nobody.
 *
 * One measurement at a time, under the control mutex. start() allocates all
 * memory; handlers allocate none. stop() detaches, waits until no handler runs,
 * then adds up: no lock is needed between handlers and the sum.
 */
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "clock.h"
#include "cost/internal.h"
#include "eth/eth.h"
#include "extack.h"
#include "fabric.h"

DEFINE_STATIC_KEY_FALSE(fab_cost_running);

/* The measurement that runs; control mutex. */
static struct {
	bool running;
	u32 path;
	u32 mode;
	pid_t owner;		/* who started it, in the initial pid namespace */
	unsigned int has;
	u64 since;
	u64 fabric_since;
} now;

static u64 fabric_ns(void)
{
	struct fab_clock_state clock;

	fab_clock_read(&clock);
	return clock.thread_ns;
}

/**
 * fab_cost_runs() - is this path measured now?
 * @path: enum fabsim_path
 * @mode: filled in: of the measurement
 * @since: filled in: when it began
 */
bool fab_cost_runs(u32 path, u32 *mode, u64 *since)
{
	fab_control_assert();
	*mode = now.mode;
	*since = now.since;
	return now.running && now.path == path;
}

static int refuse_start(u32 path, u32 mode, struct netlink_ext_ack *extack)
{
	if (now.running) {
		fab_err(extack, "a measurement of process %d is running", now.owner);
		return -EBUSY;
	}
	if (path >= FAB_COST_PATHS) {
		fab_err(extack, "there is no path %u", path);
		return -EINVAL;
	}
	if (mode != FABSIM_COST_COUNTS && mode != FABSIM_COST_TIMES) {
		fab_err(extack, "mode is 1 (counts) or 2 (times): probes that count disturb times");
		return -EINVAL;
	}
	return 0;
}

/* Attach; without fork and exit there is nothing to be had. */
static int attach(u32 mode, struct netlink_ext_ack *extack)
{
	const char *missing = NULL;

	now.has = fab_cost_probes_attach(mode, &missing);
	if (!(now.has & FAB_COST_HAS_FORK)) {
		fab_err(extack, "this kernel has no %s: processes cannot be followed", missing);
		fab_cost_probes_detach();
		return -EOPNOTSUPP;
	}
	if (missing)
		fab_err(extack, "%s cannot be probed on this kernel: its counters are left out",
			missing);
	fab_cost_cpus_linger(mode == FABSIM_COST_COUNTS && now.has & FAB_COST_HAS_SOFTIRQ);
	return 0;
}

/**
 * fab_cost_start() - begin to measure
 * @path: enum fabsim_path; the last result of it in this mode is forgotten
 * @mode: FABSIM_COST_COUNTS or FABSIM_COST_TIMES
 * @extack: why not; after success a warning: which counters this kernel lacks
 *
 * Return: 0, -EBUSY, -EINVAL, -ENOMEM, -EOPNOTSUPP
 *
 * Context: process context, control mutex held
 */
int fab_cost_start(u32 path, u32 mode, struct netlink_ext_ack *extack)
{
	struct fab_cost_sum sums[FAB_COST_SIDES];
	u64 lost;
	int err;

	fab_control_assert();
	err = refuse_start(path, mode, extack);
	if (err)
		return err;
	err = fab_cost_tasks_init();
	if (err)
		return err;
	fab_cost_cpus_init(mode);
	err = attach(mode, extack);
	if (err)
		goto err_tasks_exit;

	fab_cost_report_forget(path, mode);
	now.path = path;
	now.mode = mode;
	now.owner = task_tgid_nr(current);
	now.running = true;
	static_branch_enable(&fab_cost_running);
	now.since = ktime_get_ns();
	now.fabric_since = fabric_ns();
	return 0;

err_tasks_exit:
	fab_cost_tasks_exit(0, sums, &lost);
	return err;
}

/*
 * A thread that sleeps does so in a system call. One that runs is taken to be in
 * its program, where a poller stays for ever; its next system call puts it right.
 */
static bool is_in_kernel(const struct task_struct *task)
{
	return task == current || READ_ONCE(task->__state) != TASK_RUNNING;
}

/* Every thread of @task's process. */
static int follow(struct task_struct *task, int side)
{
	struct task_struct *t;
	int err = -ESRCH;

	rcu_read_lock();
	for_each_thread(task, t) {
		if (READ_ONCE(t->flags) & PF_EXITING)
			continue;
		err = fab_cost_task_add(t, side, is_in_kernel(t));
		if (err)
			break;
	}
	rcu_read_unlock();
	return err;
}

static int attach_host(struct fab_node *host, u32 side, struct netlink_ext_ack *extack)
{
	struct net_device *dev = host->kind == FABSIM_NODE_HOST ? fab_host_netdev(host) : NULL;
	int err;

	if (!dev) {
		fab_err(extack, "%s has no network interface whose interrupts could be counted",
			host->name);
		return -EINVAL;
	}
	err = fab_cost_host_add(host, dev_net(dev), side);
	if (err == -EBUSY)
		fab_err(extack, "%s is charged to the other side already", host->name);
	else if (err)
		fab_err(extack, "too many hosts in one measurement");
	return err;
}

static int attach_task(struct task_struct *task, pid_t pid, u32 side,
		       struct netlink_ext_ack *extack)
{
	int err;

	if (task->flags & PF_KTHREAD) {
		fab_err(extack, "process %d is a part of the kernel", pid);
		return -EINVAL;
	}
	err = follow(task, side);
	if (err == -EBUSY)
		fab_err(extack, "process %d is charged to the other side already", pid);
	else if (err == -ENOSPC)
		fab_err(extack, "too many processes in one measurement");
	else if (err)
		fab_err(extack, "process %d has ended", pid);
	return err;
}

/**
 * fab_cost_attach() - follow a process, and all that it forks from now on
 * @pid: the process, in the caller's pid namespace
 * @side: enum fabsim_side
 * @host: whose NIC is charged to @side, or NULL
 * @extack: why not
 *
 * Context: process context of the caller, control mutex held
 */
int fab_cost_attach(pid_t pid, u32 side, struct fab_node *host,
		    struct netlink_ext_ack *extack)
{
	unsigned int hosts = fab_cost_hosts();
	struct task_struct *task;
	struct pid *found;
	int err;

	fab_control_assert();
	if (!now.running) {
		fab_err(extack, "no measurement is running");
		return -ENOENT;
	}
	if (side >= FAB_COST_SIDES) {
		fab_err(extack, "side is 0 (sender) or 1 (receiver)");
		return -EINVAL;
	}
	found = find_get_pid(pid);
	task = get_pid_task(found, PIDTYPE_PID);
	put_pid(found);
	if (!task) {
		fab_err(extack, "there is no process %d", pid);
		return -ESRCH;
	}
	err = host ? attach_host(host, side, extack) : 0;
	if (!err)
		err = attach_task(task, pid, side, extack);
	if (err)
		fab_cost_hosts_cut(hosts);
	put_task_struct(task);
	return err;
}

/* Detach and add up. */
static void finish(struct fab_cost_raw *raw)
{
	u64 lost, end = local_clock();
	int side;

	raw->mode = now.mode;
	raw->has = now.has;
	raw->real_ns = ktime_get_ns() - now.since;
	raw->fabric_ns = fabric_ns() - now.fabric_since;
	static_branch_disable(&fab_cost_running);
	raw->missed = fab_cost_probes_detach();
	fab_cost_tasks_exit(end, raw->sums, &lost);
	raw->missed += lost;
	for (side = 0; side < FAB_COST_SIDES; side++) {
		raw->has_host[side] = fab_cost_has_host(side);
		fab_cost_cpus_sum(side, &raw->cpus);
	}
	now.running = false;
}

/**
 * fab_cost_stop() - detach the probes, keep the result
 * @extack: why not
 *
 * Return: 0, or -ENOENT if nothing runs
 *
 * Context: process context, control mutex held
 */
int fab_cost_stop(struct netlink_ext_ack *extack)
{
	static struct fab_cost_raw raw;	/* too big for the stack; control mutex */

	fab_control_assert();
	if (!now.running) {
		fab_err(extack, "no measurement is running");
		return -ENOENT;
	}
	memset(&raw, 0, sizeof(raw));
	finish(&raw);
	fab_cost_report_keep(now.path, &raw);
	return 0;
}

/* Loading: nothing is attached. */
int fab_cost_init(void)
{
	return 0;
}

/* Unloading: netlink is closed; a measurement that still runs ends here. */
void fab_cost_exit(void)
{
	fab_control_lock();
	if (now.running)
		fab_cost_stop(NULL);
	fab_control_unlock();
}
