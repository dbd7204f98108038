// SPDX-License-Identifier: GPL-2.0
/*
 * The probes: where a measurement looks into the running kernel.
 *
 * Two kinds. Tracepoints are the kernel's own marks, found by name because not
 * all of them are exported. Kretprobes put a breakpoint (or an ftrace call) on
 * the entry of a function and on its return, and so tell how long it took and
 * what it returned. Nothing is attached, and so nothing is slowed down, unless
 * a measurement runs; in mode TIMES nothing is on a message's way even then.
 *
 *	SYSCALL  sys_enter .. sys_exit; wait_woken() in the stack: waiting and waking
 *	STACK    inet_sendmsg(), inet_recvmsg() and their IPv6 twins; in a poll from
 *	         napi_gro_receive_entry on (cpus.c); TCP's timers and small queues
 *	COPY     the iov_iter functions that all sockets copy with
 *	DRIVER, IRQ  hooks in the driver itself (cpus.c)
 *
 * The kernel does not run a kprobe inside a kprobe. An interrupt that comes while
 * one is at work in a process brings a poll whose own kprobes would be missed,
 * for dozens of packets: so what happens in a poll is seen by tracepoints only.
 *
 * Functions come and go between kernels. One that is missing takes with it the
 * counters that cannot be true without it: they are left out of the reply.
 */
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/uio.h>
#include <net/sock.h>
#include "cost/internal.h"

/* Return probes in flight: processes that sleep in a function. Those not followed hold none. */
#define MAXACTIVE	512

/* -- tracepoints ----------------------------------------------------------- */

static void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct fab_cost_task *t;
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	t = fab_cost_task_find(current);
	if (t) {
		now = fab_cost_clock();
		t->sum.syscalls++;
		fab_lane_leave(&t->sum.lane, 1, now);
		fab_lane_enter(&t->sum.lane, FAB_STAGE_SYSCALL, now);
	}
	local_irq_restore(flags);
}

static void on_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct fab_cost_task *t;
	unsigned long flags;

	local_irq_save(flags);
	t = fab_cost_task_find(current);
	if (t)
		fab_lane_leave(&t->sum.lane, 1, fab_cost_clock());
	local_irq_restore(flags);
}

/* The run queue is locked and interrupts are off. */
static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	struct fab_cost_task *out = fab_cost_task_find(prev);
	struct fab_cost_task *in = fab_cost_task_find(next);

	if (out)
		fab_lane_pause(&out->sum.lane, fab_cost_clock());
	if (in)
		fab_lane_resume(&in->sum.lane, fab_cost_clock());
}

static void on_wakeup(void *data, struct task_struct *task)
{
	struct fab_cost_task *t = fab_cost_task_find(task);

	if (t)
		this_cpu_inc(fab_cost_cpus.wakeups[t->side]);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	fab_cost_task_fork(parent, child);
}

/* A newer kernel gives one argument more, which does no harm. */
static void on_exit_task(void *data, struct task_struct *task)
{
	fab_cost_task_gone(task);
}

static void on_softirq_entry(void *data, unsigned int vec)
{
	fab_cost_softirq_enter();
}

static void on_softirq_exit(void *data, unsigned int vec)
{
	fab_cost_softirq_exit();
}

static void on_gro_entry(void *data, const struct sk_buff *skb)
{
	fab_cost_hand_up();
}

static void on_gro_exit(void *data, int ret)
{
	fab_cost_handed_up();
}

#define BOTH	(FABSIM_COST_COUNTS | FABSIM_COST_TIMES)
#define COUNTS	FABSIM_COST_COUNTS

struct mark {
	const char *name;
	void *handler;
	u32 modes;
	unsigned int gives;
	struct tracepoint *tp;	/* found and attached */
};

/*
 * The tracepoints of hard interrupts are not among them: they lie in the very
 * interrupt by which the kernel tells the other CPUs that it has changed its
 * code, and QEMU's emulated CPUs get stuck on that. So the few microseconds of
 * an interrupt stay in the stage that it struck.
 */
static struct mark marks[] = {
	{ "sched_process_fork", on_fork, BOTH, FAB_COST_HAS_FORK },
	{ "sched_process_exit", on_exit_task, BOTH, FAB_COST_HAS_FORK },
	{ "sys_enter", on_sys_enter, COUNTS, FAB_COST_HAS_SYSCALLS },
	{ "sys_exit", on_sys_exit, COUNTS, FAB_COST_HAS_SYSCALLS },
	{ "sched_switch", on_switch, COUNTS, FAB_COST_HAS_SWITCH },
	{ "sched_wakeup", on_wakeup, COUNTS, FAB_COST_HAS_WAKEUPS },
	{ "softirq_entry", on_softirq_entry, COUNTS, FAB_COST_HAS_SOFTIRQ },
	{ "softirq_exit", on_softirq_exit, COUNTS, FAB_COST_HAS_SOFTIRQ },
	{ "napi_gro_receive_entry", on_gro_entry, COUNTS, FAB_COST_HAS_STACK },
	{ "napi_gro_receive_exit", on_gro_exit, COUNTS, FAB_COST_HAS_STACK },
};

/* -- kretprobes ------------------------------------------------------------ */

enum probe_kind { STAGE, COPY, SOCKET };

/**
 * struct probe - a function that is watched
 * @name: the function
 * @kind: STAGE: it is a stage; COPY: it copies; SOCKET: softirq work for a socket
 * @stage: the stage
 * @dir: of a copy
 * @arg: number of the argument that is the iterator or the socket
 * @gives: what it is needed for
 * @probe: the kernel's
 * @on: attached
 */
struct probe {
	const char *name;
	enum probe_kind kind;
	enum fab_stage stage;
	enum fab_cost_dir dir;
	unsigned int arg;
	unsigned int gives;
	struct kretprobe probe;
	bool on;
};

/* What an entry leaves for its return. */
struct visit {
	struct fab_lane *lane;
	struct fab_cost_task *task;
	unsigned int depth;
	bool claimed;
};

#define STAGE_PROBE(f, s, g)	{ .name = #f, .kind = STAGE, .stage = FAB_STAGE_##s, .gives = (g) }
#define COPY_PROBE(f, d, a, g)	{ .name = #f, .kind = COPY, .dir = (d), .arg = (a), .gives = (g) }
#define SOCKET_PROBE(f, a)	{ .name = #f, .kind = SOCKET, .arg = (a) }

static struct probe probes[] = {
	COPY_PROBE(_copy_from_iter, FAB_COST_IN, 2, FAB_COST_HAS_COPY_IN),
	COPY_PROBE(_copy_to_iter, FAB_COST_OUT, 2, FAB_COST_HAS_COPY_OUT),
	STAGE_PROBE(inet_sendmsg, STACK, FAB_COST_HAS_STACK),
	STAGE_PROBE(inet_recvmsg, STACK, FAB_COST_HAS_STACK),
	STAGE_PROBE(wait_woken, SYSCALL, FAB_COST_OPTIONAL),
	/* rarer ways; they are there or not, TCP over IPv4 does not need them */
	COPY_PROBE(_copy_from_iter_nocache, FAB_COST_IN, 2, FAB_COST_OPTIONAL),
	COPY_PROBE(csum_and_copy_from_iter, FAB_COST_IN, 3, FAB_COST_OPTIONAL),
	COPY_PROBE(csum_and_copy_to_iter, FAB_COST_OUT, 3, FAB_COST_OPTIONAL),
	STAGE_PROBE(inet6_sendmsg, STACK, FAB_COST_OPTIONAL),
	STAGE_PROBE(inet6_recvmsg, STACK, FAB_COST_OPTIONAL),
	SOCKET_PROBE(tcp_tsq_handler, 0),
	SOCKET_PROBE(tcp_write_timer_handler, 0),
	SOCKET_PROBE(tcp_delack_timer_handler, 0),
};

static struct probe *probe_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct probe, probe);
}

/*
 * Entry handlers return 0 if they want to see the return. Interrupts are off
 * while a lane changes, since a softirq may pause it.
 */

/* Enter the stage of the process or poll that we are in. */
static bool __kprobes visit_stage(struct visit *v, enum fab_stage stage, u64 now)
{
	v->lane = fab_cost_lane();
	if (!v->lane || !v->lane->depth)
		return false;
	v->depth = fab_lane_enter(v->lane, stage, now);
	return true;
}

static int __kprobes stage_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct visit *v = (struct visit *)ri->data;
	unsigned long flags;
	bool seen;

	local_irq_save(flags);
	seen = visit_stage(v, probe_of(ri)->stage, fab_cost_clock());
	local_irq_restore(flags);
	return !seen;
}

static int __kprobes stage_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct visit *v = (struct visit *)ri->data;
	unsigned long flags;

	local_irq_save(flags);
	fab_lane_leave(v->lane, v->depth, fab_cost_clock());
	local_irq_restore(flags);
	return 0;
}

static int __kprobes socket_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct sock *sk = (void *)regs_get_kernel_argument(regs, probe_of(ri)->arg);
	struct visit *v = (struct visit *)ri->data;
	unsigned long flags;
	bool seen;
	u64 now;

	local_irq_save(flags);
	now = fab_cost_clock();
	v->claimed = fab_cost_claim(sock_net(sk), now);
	seen = v->claimed || visit_stage(v, FAB_STAGE_STACK, now);
	local_irq_restore(flags);
	return !seen;
}

static int __kprobes socket_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct visit *v = (struct visit *)ri->data;
	unsigned long flags;

	if (!v->claimed)
		return stage_return(ri, regs);
	local_irq_save(flags);
	fab_cost_unclaim(fab_cost_clock());
	local_irq_restore(flags);
	return 0;
}

/* Copies to and from user memory only; one copy function may call another. */
static int __kprobes copy_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct iov_iter *iter = (void *)regs_get_kernel_argument(regs, probe_of(ri)->arg);
	struct visit *v = (struct visit *)ri->data;
	struct fab_cost_task *t;
	unsigned long flags;

	if (!fab_cost_in_process() || !user_backed_iter(iter))
		return 1;
	local_irq_save(flags);
	t = fab_cost_task_find(current);
	if (t && fab_lane_is_in(&t->sum.lane, FAB_STAGE_COPY))
		t = NULL;
	v->task = t;
	if (t)
		v->depth = fab_lane_enter(&t->sum.lane, FAB_STAGE_COPY, fab_cost_clock());
	local_irq_restore(flags);
	return !t;
}

static int __kprobes copy_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	enum fab_cost_dir dir = probe_of(ri)->dir;
	struct visit *v = (struct visit *)ri->data;
	size_t bytes = regs_return_value(regs);
	struct fab_cost_sum *sum = &v->task->sum;
	unsigned long flags;

	local_irq_save(flags);
	fab_lane_leave(&sum->lane, v->depth, fab_cost_clock());
	if (bytes) {
		sum->copies[dir]++;
		sum->copied[dir] += bytes;
	}
	local_irq_restore(flags);
	return 0;
}

static const struct {
	kretprobe_handler_t entry, ret;
} handlers[] = {
	[STAGE] = { stage_entry, stage_return },
	[COPY] = { copy_entry, copy_return },
	[SOCKET] = { socket_entry, socket_return },
};

/* -- attach and detach ----------------------------------------------------- */

static void find_mark(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		if (!strcmp(tp->name, marks[i].name))
			marks[i].tp = tp;
	}
}

static int attach_mark(struct mark *m)
{
	int err = m->tp ? tracepoint_probe_register(m->tp, m->handler, NULL) : -ENOENT;

	if (err)
		m->tp = NULL;
	return err;
}

static int attach_probe(struct probe *p)
{
	int err;

	memset(&p->probe, 0, sizeof(p->probe));
	p->probe.kp.symbol_name = p->name;
	p->probe.entry_handler = handlers[p->kind].entry;
	p->probe.handler = handlers[p->kind].ret;
	p->probe.data_size = sizeof(struct visit);
	p->probe.maxactive = MAXACTIVE;
	err = register_kretprobe(&p->probe);
	p->on = !err;
	return err;
}

static void attach_marks(u32 mode, unsigned int *gives, const char **missing)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(marks); i++)
		marks[i].tp = NULL;
	for_each_kernel_tracepoint(find_mark, NULL);
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		if (!(marks[i].modes & mode)) {
			marks[i].tp = NULL;
			*gives &= ~marks[i].gives;
		} else if (attach_mark(&marks[i]) && marks[i].gives) {
			*gives &= ~marks[i].gives;
			*missing = marks[i].name;
		}
	}
}

/**
 * fab_cost_probes_attach() - attach what a mode needs
 * @mode: FABSIM_COST_*
 * @missing: filled in with the name of a probe that this kernel does not have
 *
 * Return: the FAB_COST_HAS_* that can be measured
 */
unsigned int fab_cost_probes_attach(u32 mode, const char **missing)
{
	unsigned int gives = ~0U;
	int i;

	attach_marks(mode, &gives, missing);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (mode != FABSIM_COST_COUNTS) {
			gives &= ~probes[i].gives;
		} else if (attach_probe(&probes[i]) && probes[i].gives) {
			gives &= ~probes[i].gives;
			*missing = probes[i].name;
		}
	}
	return gives;
}

/* All at once: one grace period instead of one each. */
static u64 detach_probes(void)
{
	struct kretprobe *on[ARRAY_SIZE(probes)];
	u64 missed = 0;
	int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].on)
			continue;
		/* A socket's softirq may come inside a kprobe; it counts nothing. */
		if (probes[i].kind != SOCKET)
			missed += probes[i].probe.nmissed + probes[i].probe.kp.nmissed;
		probes[i].on = false;
		on[n++] = &probes[i].probe;
	}
	unregister_kretprobes(on, n);
	return missed;
}

/**
 * fab_cost_probes_detach() - detach them all
 *
 * No handler runs any more when this returns.
 *
 * Return: hits of attached probes, by any process, that were not seen
 */
u64 fab_cost_probes_detach(void)
{
	u64 missed = detach_probes();
	int i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		if (marks[i].tp)
			tracepoint_probe_unregister(marks[i].tp, marks[i].handler, NULL);
		marks[i].tp = NULL;
	}
	tracepoint_synchronize_unregister();
	return missed;
}
