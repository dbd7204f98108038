// SPDX-License-Identifier: GPL-2.0
/*
 * The processes that are followed.
 *
 * Every system call and every context switch of the machine asks "is it one of
 * ours?", so the answer is one look into a hash table, under RCU. A followed
 * thread joins through fab_cost_attach() or when its parent forks, and leaves
 * when it exits: then its account goes to its side's and its entry, after a
 * grace period, back to the pool. Entries come from that pool because a fork
 * may not be made to wait for memory.
 *
 * The kernel keeps accounts of its own of every thread (CPU time, context
 * switches, page faults). They cost nothing, so they are read, not counted: the
 * difference between the end and @base.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include "cost/internal.h"

#define HASH_BITS	10
#define POOL		1024

static struct hlist_head table[1 << HASH_BITS];
static struct fab_cost_task *pool;
static struct hlist_head spare;
static struct fab_cost_sum gone[FAB_COST_SIDES];	/* of those that exited */
static u64 n_lost;					/* forked while the pool was empty */
static DEFINE_RAW_SPINLOCK(tasks_lock);			/* changes of all of these */

static struct hlist_head *bucket(const struct task_struct *task)
{
	return &table[hash_ptr(task, HASH_BITS)];
}

/**
 * fab_cost_task_find() - is this thread followed?
 * @task: the thread
 *
 * Context: any, preemption off; the answer is good as long as it is off.
 */
struct fab_cost_task *fab_cost_task_find(const struct task_struct *task)
{
	struct fab_cost_task *t;

	hlist_for_each_entry_rcu(t, bucket(task), node, !preemptible()) {
		if (t->task == task)
			return t;
	}
	return NULL;
}

/*
 * CPU time of @task up to now. The scheduler books it at ticks and switches;
 * the rest is added by its own rule (update_curr()): the time since exec_start,
 * by a clock that is ours unless interrupts are accounted for apart.
 */
static u64 exec_ns(const struct task_struct *task)
{
	u64 booked = READ_ONCE(task->se.sum_exec_runtime);
	s64 rest = local_clock() - READ_ONCE(task->se.exec_start);
	bool runs = task == current;

#ifdef CONFIG_SMP
	runs = runs || READ_ONCE(task->on_cpu);
#endif
	if (!runs || rest < 0 || IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING))
		rest = 0;
	return booked + rest;
}

static void read_base(struct fab_cost_task *t)
{
	const struct task_struct *task = t->task;

	t->base.exec_ns = exec_ns(task);
	t->base.utime = task->utime;
	t->base.stime = task->stime;
	t->base.switches = task->nvcsw + task->nivcsw;
	t->base.faults = task->min_flt + task->maj_flt;
}

/* Into its side's account with what @t has spent. */
static void book(struct fab_cost_sum *sum, struct fab_cost_task *t)
{
	const struct task_struct *task = t->task;
	int dir;

	sum->tasks++;
	sum->syscalls += t->sum.syscalls;
	for (dir = 0; dir < FAB_COST_DIRS; dir++) {
		sum->copies[dir] += t->sum.copies[dir];
		sum->copied[dir] += t->sum.copied[dir];
	}
	fab_lane_add(&sum->lane, &t->sum.lane);
	sum->exec_ns += exec_ns(task) - t->base.exec_ns;
	sum->stolen_ns += t->sum.stolen_ns;
	sum->utime += task->utime - t->base.utime;
	sum->stime += task->stime - t->base.stime;
	sum->switches += task->nvcsw + task->nivcsw - t->base.switches;
	sum->faults += task->min_flt + task->maj_flt - t->base.faults;
}

/**
 * fab_cost_tasks_init() - make room for a measurement
 *
 * Return: 0 or -ENOMEM
 */
int fab_cost_tasks_init(void)
{
	int i;

	pool = kvcalloc(POOL, sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return -ENOMEM;
	INIT_HLIST_HEAD(&spare);
	for (i = 0; i < POOL; i++)
		hlist_add_head(&pool[i].node, &spare);
	memset(gone, 0, sizeof(gone));
	n_lost = 0;
	return 0;
}

/**
 * fab_cost_tasks_exit() - forget everybody
 * @end: when the measurement ended
 * @sums: filled in: the accounts of the sides
 * @lost: filled in: children that could not be followed
 *
 * No probe runs any more.
 */
void fab_cost_tasks_exit(u64 end, struct fab_cost_sum sums[FAB_COST_SIDES], u64 *lost)
{
	struct fab_cost_task *t;
	struct hlist_node *next;
	int i;

	/* Entries of exited threads are on their way back to the pool. */
	rcu_barrier();
	memcpy(sums, gone, sizeof(gone));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		hlist_for_each_entry_safe(t, next, &table[i], node) {
			hlist_del(&t->node);
			fab_lane_pause(&t->sum.lane, end);
			book(&sums[t->side], t);
			put_task_struct(t->task);
		}
	}
	*lost = n_lost;
	kvfree(pool);
	pool = NULL;
}

static struct fab_cost_task *take(void)
{
	struct fab_cost_task *t;

	lockdep_assert_held(&tasks_lock);
	if (hlist_empty(&spare)) {
		n_lost++;
		return NULL;
	}
	t = hlist_entry(spare.first, struct fab_cost_task, node);
	hlist_del_init(&t->node);
	return t;
}

static void give_back(struct rcu_head *rcu)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	hlist_add_head(&container_of(rcu, struct fab_cost_task, rcu)->node, &spare);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

/* In the stage that @task is in; a lane at rest until something is heard of it. */
static void init_lane(struct fab_cost_task *t, bool in_kernel)
{
	u64 now = fab_cost_clock();

	fab_lane_enter(&t->sum.lane, FAB_STAGE_APP, now);
	if (in_kernel)
		fab_lane_enter(&t->sum.lane, FAB_STAGE_SYSCALL, now);
#ifdef CONFIG_SMP
	if (READ_ONCE(t->task->on_cpu))
		return;
#endif
	fab_lane_pause(&t->sum.lane, now);
}

/**
 * fab_cost_task_add() - follow a thread
 * @task: the thread
 * @side: whom it is charged to
 * @in_kernel: it is in a system call now
 *
 * Return: 0, -EBUSY if the other side is charged with it already, -ENOSPC
 *
 * Context: any that may take a spinlock
 */
int fab_cost_task_add(struct task_struct *task, int side, bool in_kernel)
{
	struct fab_cost_task *t;
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	t = fab_cost_task_find(task);
	if (t) {
		err = t->side == side ? 0 : -EBUSY;
		goto out;
	}
	t = take();
	if (!t) {
		err = -ENOSPC;
		goto out;
	}
	memset(&t->sum, 0, sizeof(t->sum));
	t->task = get_task_struct(task);
	t->side = side;
	read_base(t);
	init_lane(t, in_kernel);
	hlist_add_head_rcu(&t->node, bucket(task));
out:
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return err;
}

/**
 * fab_cost_task_fork() - a thread has a child, which has not run yet
 * @parent: the thread
 * @child: its child
 *
 * Context: preemption off
 */
void fab_cost_task_fork(struct task_struct *parent, struct task_struct *child)
{
	struct fab_cost_task *t = fab_cost_task_find(parent);

	if (t)
		fab_cost_task_add(child, t->side, true);
}

/**
 * fab_cost_task_gone() - a thread exits
 * @task: the thread, which is the current one
 *
 * Context: preemption off
 */
void fab_cost_task_gone(struct task_struct *task)
{
	struct fab_cost_task *t;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	t = fab_cost_task_find(task);
	if (t) {
		hlist_del_rcu(&t->node);
		fab_lane_pause(&t->sum.lane, fab_cost_clock());
		book(&gone[t->side], t);
	}
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	if (!t)
		return;
	put_task_struct(task);
	call_rcu(&t->rcu, give_back);
}
