// SPDX-License-Identifier: GPL-2.0
/*
 * FABRIC_* and STEP: the fabric as a whole, and its time.
 *
 * BUILDING is the controllers' own note to each other; without it a fabric is
 * EMPTY or READY by whether there is a node. Who sets BUILDING is remembered as
 * its process, not as a number that may be given to another one later. So a
 * second controller that comes while the first is at work is refused, and one
 * that comes after the first was killed half-way is let in.
 */
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include "clock.h"
#include "compat.h"
#include "extack.h"
#include "fabric.h"
#include "netlink.h"
#include "notify.h"
#include "packet.h"

/* Steps in one call, so that other calls get their turn. */
#define STEPS_A_CALL	256

static struct pid *builder;	/* control mutex; set while BUILDING */

static struct netlink_range_validation pace_range = { .min = 1, .max = FABSIM_PACE_MAX };
static struct netlink_range_validation steps_range = { .min = 1, .max = 65536 };

const struct nla_policy fab_nl_fabric_set_policy[FABSIM_A_FABRIC_MAX + 1] = {
	[FABSIM_A_FABRIC_PACE] = NLA_POLICY_FULL_RANGE(NLA_U32, &pace_range),
	[FABSIM_A_FABRIC_SEED] = { .type = NLA_U64 },
	[FABSIM_A_FABRIC_FROZEN] = NLA_POLICY_MAX(NLA_U8, 1),
	[FABSIM_A_FABRIC_STATE] = NLA_POLICY_RANGE(NLA_U32, FABSIM_FABRIC_BUILDING,
						   FABSIM_FABRIC_READY),
	[FABSIM_A_FABRIC_TOPOLOGY] = { .type = NLA_NUL_STRING, .len = 63 },
};

const struct nla_policy fab_nl_fabric_reset_policy[FABSIM_A_FABRIC_MAX + 1] = {
	[FABSIM_A_FABRIC_DEFAULTS] = { .type = NLA_FLAG },
};

const struct nla_policy fab_nl_step_policy[FABSIM_A_FABRIC_MAX + 1] = {
	[FABSIM_A_FABRIC_STEPS] = NLA_POLICY_FULL_RANGE(NLA_U32, &steps_range),
};

static const struct fab_nl_field clock_fields[] = {
	FAB_NL_FIELD(FABSIM_A_FABRIC_TIME, struct fab_clock_state, now, 0),
	FAB_NL_FIELD(FABSIM_A_FABRIC_LAG, struct fab_clock_state, lag, 0),
	FAB_NL_FIELD(FABSIM_A_FABRIC_EVENTS, struct fab_clock_state, events, 0),
	FAB_NL_FIELD(FABSIM_A_FABRIC_THREAD_NS, struct fab_clock_state, thread_ns, 0),
	FAB_NL_FIELD(FABSIM_A_FABRIC_PACE, struct fab_clock_state, pace, 0),
	FAB_NL_FIELD(FABSIM_A_FABRIC_FROZEN, struct fab_clock_state, frozen, 0),
};

static int fill_fabric(struct sk_buff *skb, const void *unused)
{
	struct fab_clock_state clock;

	fab_clock_read(&clock);
	if (fab_nl_put_fields(skb, clock_fields, ARRAY_SIZE(clock_fields),
			      FABSIM_A_FABRIC_PAD, &clock) ||
	    nla_put_string(skb, FABSIM_A_FABRIC_VERSION, THIS_MODULE->version) ||
	    nla_put_u64_64bit(skb, FABSIM_A_FABRIC_SEED, fab_fabric.seed, FABSIM_A_FABRIC_PAD) ||
	    nla_put_u32(skb, FABSIM_A_FABRIC_STATE, fab_fabric_state()) ||
	    nla_put_u32(skb, FABSIM_A_FABRIC_BUILDER, fab_fabric.builder) ||
	    nla_put_u8(skb, FABSIM_A_FABRIC_RDMA, FAB_HAS_RDMA) ||
	    nla_put_string(skb, FABSIM_A_FABRIC_TOPOLOGY, fab_fabric.topology) ||
	    nla_put_u32(skb, FABSIM_A_FABRIC_NODES, fab_node_count()) ||
	    nla_put_u32(skb, FABSIM_A_FABRIC_LINKS, fab_link_count()) ||
	    nla_put_u64_64bit(skb, FABSIM_A_FABRIC_PACKETS, fab_packets_alive(),
			      FABSIM_A_FABRIC_PAD))
		return -EMSGSIZE;
	return 0;
}

/* FABRIC_GET */
int fab_nl_fabric_get(struct sk_buff *skb, struct genl_info *info)
{
	return fab_nl_answer(info, fill_fabric, NULL);
}

/* A zombie builds nothing any more. */
static bool is_alive(struct pid *pid)
{
	struct task_struct *task;
	bool alive;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	alive = task && !READ_ONCE(task->exit_state) && !(READ_ONCE(task->flags) & PF_EXITING);
	rcu_read_unlock();
	return alive;
}

static bool other_builder(void)
{
	return fab_fabric.building && builder &&
	       builder != task_tgid(current) && is_alive(builder);
}

static void set_builder(struct pid *pid)
{
	put_pid(builder);
	builder = get_pid(pid);
	fab_fabric.builder = pid ? pid_nr(pid) : 0;
}

static int check_state(struct genl_info *info)
{
	struct nlattr *state = info->attrs[FABSIM_A_FABRIC_STATE];

	if (!state || nla_get_u32(state) != FABSIM_FABRIC_BUILDING || !other_builder())
		return 0;
	NL_SET_BAD_ATTR(info->extack, state);
	fab_err(info->extack, "process %d is building the topology right now",
		fab_fabric.builder);
	return -EBUSY;
}

static void set_state(u32 state)
{
	bool building = state == FABSIM_FABRIC_BUILDING;

	fab_fabric_building(building);
	set_builder(building ? task_tgid(current) : NULL);
}

static void set_frozen(bool frozen)
{
	const struct fab_notice notice = {
		.type = frozen ? FABSIM_EVENT_FROZEN : FABSIM_EVENT_THAWED,
	};
	struct fab_clock_state clock;

	fab_clock_read(&clock);
	if (clock.frozen == frozen)
		return;
	fab_clock_freeze(frozen);
	fab_notify(&notice);
}

/* FABRIC_SET */
int fab_nl_fabric_set(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	int err = check_state(info);

	if (err)
		return err;
	if (attrs[FABSIM_A_FABRIC_STATE])
		set_state(nla_get_u32(attrs[FABSIM_A_FABRIC_STATE]));
	if (attrs[FABSIM_A_FABRIC_TOPOLOGY])
		nla_strscpy(fab_fabric.topology, attrs[FABSIM_A_FABRIC_TOPOLOGY],
			    sizeof(fab_fabric.topology));
	if (attrs[FABSIM_A_FABRIC_SEED])
		fab_fabric_set_seed(nla_get_u64(attrs[FABSIM_A_FABRIC_SEED]));
	if (attrs[FABSIM_A_FABRIC_PACE])
		fab_clock_set_pace(nla_get_u32(attrs[FABSIM_A_FABRIC_PACE]));
	if (attrs[FABSIM_A_FABRIC_FROZEN])
		set_frozen(nla_get_u8(attrs[FABSIM_A_FABRIC_FROZEN]));
	return 0;
}

/* FABRIC_DOWN */
int fab_nl_fabric_down(struct sk_buff *skb, struct genl_info *info)
{
	fab_fabric_down();
	set_builder(NULL);
	fab_nl_topology_changed();
	return 0;
}

/* FABRIC_RESET */
int fab_nl_fabric_reset(struct sk_buff *skb, struct genl_info *info)
{
	fab_fabric_reset(info->attrs[FABSIM_A_FABRIC_DEFAULTS]);
	return 0;
}

static int fill_steps(struct sk_buff *skb, const void *steps)
{
	if (nla_put_u64_64bit(skb, FABSIM_A_FABRIC_TIME, fab_now(), FABSIM_A_FABRIC_PAD) ||
	    nla_put_u32(skb, FABSIM_A_FABRIC_STEPS, *(const u32 *)steps))
		return -EMSGSIZE;
	return 0;
}

static u32 run_steps(u32 wanted)
{
	u32 done = 0, asked, ran;

	while (done < wanted) {
		asked = min_t(u32, wanted - done, STEPS_A_CALL);
		ran = fab_clock_step(asked);
		done += ran;
		if (ran < asked || fatal_signal_pending(current))
			break;
	}
	return done;
}

/* STEP */
int fab_nl_step(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *steps = info->attrs[FABSIM_A_FABRIC_STEPS];
	struct fab_clock_state clock;
	struct fab_nl_reply reply;
	u32 done;
	int err;

	fab_clock_read(&clock);
	if (!clock.frozen) {
		fab_err(info->extack, "time runs: freeze the fabric before you step it");
		return -EINVAL;
	}
	err = fab_nl_reply_begin(&reply, info);
	if (err)
		return err;
	done = run_steps(steps ? nla_get_u32(steps) : 1);
	return fab_nl_reply_end(&reply, info, fill_steps, &done);
}

/**
 * fab_nl_fabric_exit() - the family is gone
 */
void fab_nl_fabric_exit(void)
{
	put_pid(builder);
	builder = NULL;
}
