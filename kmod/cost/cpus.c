// SPDX-License-Identifier: GPL-2.0
/*
 * What the CPUs do for the hosts in interrupts.
 *
 * A CPU that polls a NIC interrupts whoever was running, perhaps a process of
 * the other host. So this time has lanes of its own, one a CPU and side: the
 * poll is charged to the side of the host that owns the NIC, and the process
 * underneath stands still meanwhile. Within the poll the packet goes up the
 * protocol stack, and an ACK may go down it again, on that same account.
 *
 *	process of h1   APP | SYSCALL |          (paused)             | SYSCALL | APP
 *	CPU, for h2                   | IRQ | STACK | DRIVER | STACK  |
 *	                              poll_enter   the ACK            softirq ends
 *
 * Timers and TCP's small queues also send from softirqs, without a poll: probes
 * at TCP's own functions claim the CPU for the host whose network namespace the
 * socket is in.
 */
#include <linux/interrupt.h>
#include <linux/netdevice.h>
#include <linux/sched.h>
#include "cost/internal.h"

#define HOSTS	256

DEFINE_PER_CPU(struct fab_cost_cpu, fab_cost_cpus);

/* What a host is known by: its node, or the namespace of its net_device. Compared only. */
enum { BY_NODE, BY_NET, N_KEYS };

/* Whom a host's NIC is charged to. Entries are added and emptied, never moved. */
static struct {
	const void *key[N_KEYS];
	int side;
} hosts[HOSTS];
static unsigned int n_hosts;

static u32 run_mode;
static bool may_linger;		/* the end of a softirq is seen */

/**
 * fab_cost_cpus_init() - forget the last measurement
 * @mode: of the next
 */
void fab_cost_cpus_init(u32 mode)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct fab_cost_cpu *c = per_cpu_ptr(&fab_cost_cpus, cpu);

		memset(c, 0, sizeof(*c));
		c->owner = FAB_COST_NO_SIDE;
	}
	memset(hosts, 0, sizeof(hosts));
	n_hosts = 0;
	run_mode = mode;
	may_linger = false;
}

/**
 * fab_cost_cpus_linger() - may time after a poll be booked to it?
 * @may: yes, because the end of the softirq is seen
 */
void fab_cost_cpus_linger(bool may)
{
	WRITE_ONCE(may_linger, may);
}

/**
 * fab_cost_cpus_sum() - what all CPUs did for a side
 * @side: the side
 * @sum: filled in, at @side
 */
void fab_cost_cpus_sum(int side, struct fab_cost_cpu *sum)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct fab_cost_cpu *c = per_cpu_ptr(&fab_cost_cpus, cpu);

		fab_lane_add(&sum->lane[side], &c->lane[side]);
		sum->interrupts[side] += c->interrupts[side];
		sum->polls[side] += c->polls[side];
		sum->wakeups[side] += c->wakeups[side];
	}
}

/**
 * fab_cost_host_add() - charge a host's NIC to a side
 * @host: the host
 * @net: namespace of its net_device
 * @side: the side
 *
 * Return: 0, -EBUSY if the other side is charged with it, -ENOSPC
 */
int fab_cost_host_add(struct fab_node *host, const struct net *net, int side)
{
	unsigned int i;

	for (i = 0; i < n_hosts; i++) {
		if (hosts[i].key[BY_NODE] == host)
			return hosts[i].side == side ? 0 : -EBUSY;
	}
	if (n_hosts == HOSTS)
		return -ENOSPC;
	hosts[i].key[BY_NODE] = host;
	hosts[i].key[BY_NET] = net;
	hosts[i].side = side;
	/* Pairs with side_of(): an entry that it sees is complete. */
	smp_store_release(&n_hosts, n_hosts + 1);
	return 0;
}

/**
 * fab_cost_hosts() - how many hosts' NICs are charged
 */
unsigned int fab_cost_hosts(void)
{
	return n_hosts;
}

/**
 * fab_cost_hosts_cut() - take back what fab_cost_host_add() did last
 * @n: so many are left
 */
void fab_cost_hosts_cut(unsigned int n)
{
	unsigned int i;

	for (i = n; i < n_hosts; i++) {
		WRITE_ONCE(hosts[i].key[BY_NODE], NULL);
		WRITE_ONCE(hosts[i].key[BY_NET], NULL);
	}
	/* Pairs with side_of(). */
	smp_store_release(&n_hosts, n);
}

void fab_cost_forget_node(struct fab_node *node)
{
	unsigned int i;

	for (i = 0; i < n_hosts; i++) {
		if (hosts[i].key[BY_NODE] == node) {
			WRITE_ONCE(hosts[i].key[BY_NODE], NULL);
			WRITE_ONCE(hosts[i].key[BY_NET], NULL);
		}
	}
}

/**
 * fab_cost_has_host() - was any NIC charged to a side?
 * @side: the side
 */
bool fab_cost_has_host(int side)
{
	unsigned int i;

	for (i = 0; i < n_hosts; i++) {
		if (hosts[i].side == side)
			return true;
	}
	return false;
}

static int side_of(unsigned int by, const void *key)
{
	/* Pairs with fab_cost_host_add(). */
	unsigned int i, n = smp_load_acquire(&n_hosts);

	for (i = 0; i < n; i++) {
		if (READ_ONCE(hosts[i].key[by]) == key)
			return hosts[i].side;
	}
	return FAB_COST_NO_SIDE;
}

/* The lane of the process under whatever this CPU does, if it is followed. */
static struct fab_lane *process_lane(void)
{
	struct fab_cost_task *t = fab_cost_task_find(current);

	return t ? &t->sum.lane : NULL;
}

/**
 * fab_cost_lane() - whose time this CPU spends here
 *
 * Return: a lane, or NULL if nobody's that we know
 *
 * Context: interrupts off
 */
struct fab_lane *fab_cost_lane(void)
{
	struct fab_cost_cpu *c = this_cpu_ptr(&fab_cost_cpus);

	if (c->owner != FAB_COST_NO_SIDE)
		return &c->lane[c->owner];
	return fab_cost_in_process() ? process_lane() : NULL;
}

static void take_cpu(struct fab_cost_cpu *c, int side, enum fab_stage stage, u64 now)
{
	c->owner = side;
	c->depth = fab_lane_enter(&c->lane[side], stage, now);
}

static void free_cpu(struct fab_cost_cpu *c, u64 now)
{
	if (c->owner != FAB_COST_NO_SIDE)
		fab_lane_leave(&c->lane[c->owner], c->depth, now);
	c->owner = FAB_COST_NO_SIDE;
	c->lingers = false;
	c->handed_up = 0;
}

/**
 * fab_cost_claim() - a softirq works for a socket of this namespace
 * @net: the namespace
 * @now: time
 *
 * Return: true if the CPU was claimed, and fab_cost_unclaim() must follow
 *
 * Context: interrupts off
 */
bool fab_cost_claim(const struct net *net, u64 now)
{
	struct fab_cost_cpu *c = this_cpu_ptr(&fab_cost_cpus);
	int side = side_of(BY_NET, net);

	if (!in_serving_softirq() || side == FAB_COST_NO_SIDE)
		return false;
	if (c->owner != FAB_COST_NO_SIDE)
		return false;
	take_cpu(c, side, FAB_STAGE_STACK, now);
	return true;
}

/**
 * fab_cost_unclaim() - it has done so
 * @now: time
 */
void fab_cost_unclaim(u64 now)
{
	free_cpu(this_cpu_ptr(&fab_cost_cpus), now);
}

/* Tracepoint handlers, called with preemption off. */

void fab_cost_softirq_enter(void)
{
	struct fab_lane *lane;
	unsigned long flags;

	local_irq_save(flags);
	lane = process_lane();
	if (lane)
		fab_lane_pause(lane, fab_cost_clock());
	local_irq_restore(flags);
}

void fab_cost_softirq_exit(void)
{
	struct fab_cost_cpu *c;
	struct fab_lane *lane;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&fab_cost_cpus);
	if (c->owner != FAB_COST_NO_SIDE)
		free_cpu(c, fab_cost_clock());
	lane = process_lane();
	if (lane)
		fab_lane_resume(lane, fab_cost_clock());
	local_irq_restore(flags);
}

/*
 * A packet goes up from a poll. The stack is at work from the first packet to
 * the end of the poll, where GRO gives up what it held back; but between two
 * packets the driver was.
 */
void fab_cost_hand_up(void)
{
	struct fab_cost_cpu *c;
	struct fab_lane *lane;
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	c = this_cpu_ptr(&fab_cost_cpus);
	if (c->owner == FAB_COST_NO_SIDE)
		goto out;
	now = fab_cost_clock();
	lane = &c->lane[c->owner];
	if (fab_lane_is_in(lane, FAB_STAGE_IRQ)) {
		fab_lane_enter(lane, FAB_STAGE_STACK, now);
	} else if (c->handed_up) {
		fab_lane_leave(lane, lane->depth, now);
		fab_lane_move(lane, FAB_STAGE_STACK, FAB_STAGE_IRQ, now - c->handed_up);
	}
	c->handed_up = 0;
out:
	local_irq_restore(flags);
}

void fab_cost_handed_up(void)
{
	struct fab_cost_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&fab_cost_cpus);
	if (c->owner != FAB_COST_NO_SIDE)
		c->handed_up = fab_cost_clock();
	local_irq_restore(flags);
}

/* Hooks in the driver. */

/**
 * __fab_cost_interrupt() - a host's NIC raised an interrupt
 * @host: the host
 *
 * Context: interrupts off
 */
void __fab_cost_interrupt(struct fab_node *host)
{
	struct fab_cost_cpu *c;
	unsigned long flags;
	int side = side_of(BY_NODE, host);

	if (side == FAB_COST_NO_SIDE)
		return;
	local_irq_save(flags);
	c = this_cpu_ptr(&fab_cost_cpus);
	c->interrupts[side]++;
	local_irq_restore(flags);
}

/**
 * __fab_cost_poll_enter() - the poll of a host's NIC begins
 * @host: the host
 *
 * Context: bottom halves off
 */
void __fab_cost_poll_enter(struct fab_node *host)
{
	int side = side_of(BY_NODE, host);
	struct fab_cost_cpu *c;
	struct fab_lane *lane;
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	c = this_cpu_ptr(&fab_cost_cpus);
	now = fab_cost_clock();
	free_cpu(c, now);
	if (side != FAB_COST_NO_SIDE) {
		lane = process_lane();
		if (lane)
			fab_lane_pause(lane, now);
		c->polls[side]++;
		c->poll_since = now;
		take_cpu(c, side, FAB_STAGE_IRQ, now);
	}
	local_irq_restore(flags);
}

/* The scheduler thinks that the process underneath used this time. */
static void note_stolen(struct fab_cost_cpu *c, u64 now)
{
	struct fab_cost_task *t = fab_cost_task_find(current);

	if (!t)
		return;
	t->sum.stolen_ns += now - c->poll_since;
	if (!in_serving_softirq())
		fab_lane_resume(&t->sum.lane, now);
}

/**
 * __fab_cost_poll_exit() - the poll of a host's NIC ends
 * @host: the host
 * @work: packets it took; with a full budget the kernel now flushes the GRO
 *	lists, which is still work for this host
 *
 * Context: bottom halves off
 */
void __fab_cost_poll_exit(struct fab_node *host, int work)
{
	int side = side_of(BY_NODE, host);
	struct fab_cost_cpu *c;
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	c = this_cpu_ptr(&fab_cost_cpus);
	if (side == FAB_COST_NO_SIDE || c->owner != side || c->lingers)
		goto out;
	now = fab_cost_clock();
	note_stolen(c, now);
	if (work >= NAPI_POLL_WEIGHT && READ_ONCE(may_linger) && in_serving_softirq()) {
		fab_lane_leave(&c->lane[side], c->depth, now);
		fab_lane_enter(&c->lane[side], FAB_STAGE_STACK, now);
		c->lingers = true;
	} else {
		free_cpu(c, now);
	}
out:
	local_irq_restore(flags);
}

static bool is_counting(void)
{
	return run_mode == FABSIM_COST_COUNTS;
}

/**
 * __fab_cost_xmit_enter() - the transmit function of a host's NIC begins
 * @host: the host
 *
 * The time is that of whoever sends.
 */
void __fab_cost_xmit_enter(struct fab_node *host)
{
	struct fab_lane *lane;
	unsigned long flags;

	if (!is_counting())
		return;
	local_irq_save(flags);
	lane = fab_cost_lane();
	if (lane)
		fab_lane_enter(lane, FAB_STAGE_DRIVER, fab_cost_clock());
	local_irq_restore(flags);
}

/**
 * __fab_cost_xmit_exit() - the transmit function of a host's NIC ends
 * @host: the host
 */
void __fab_cost_xmit_exit(struct fab_node *host)
{
	struct fab_lane *lane;
	unsigned long flags;

	if (!is_counting())
		return;
	local_irq_save(flags);
	lane = fab_cost_lane();
	if (lane && fab_lane_is_in(lane, FAB_STAGE_DRIVER))
		fab_lane_leave(lane, lane->depth - 1, fab_cost_clock());
	local_irq_restore(flags);
}
