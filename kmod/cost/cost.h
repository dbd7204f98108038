/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a message costs inside the hosts (cost.c has the model).
 *
 * The hooks in the driver cost one patched-out jump each while nobody measures.
 */
#ifndef FAB_COST_H
#define FAB_COST_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct fab_node;
struct netlink_ext_ack;
struct sk_buff;

DECLARE_STATIC_KEY_FALSE(fab_cost_running);

int fab_cost_init(void);
void fab_cost_exit(void);

/* Process context, control mutex held. One measurement at a time. */
int fab_cost_start(u32 path, u32 mode, struct netlink_ext_ack *extack);
int fab_cost_attach(pid_t pid, u32 side, struct fab_node *host,
		    struct netlink_ext_ack *extack);
int fab_cost_stop(struct netlink_ext_ack *extack);
int fab_cost_fill(struct sk_buff *skb, u32 path);
/* @node goes away. */
void fab_cost_forget_node(struct fab_node *node);

/* Process context, no lock needed; -ENODATA where there is no such figure. */
int fab_cost_counter(u32 path, u32 side, u32 attr, u64 *value);

void __fab_cost_interrupt(struct fab_node *host);
void __fab_cost_poll_enter(struct fab_node *host);
void __fab_cost_poll_exit(struct fab_node *host, int work);
void __fab_cost_xmit_enter(struct fab_node *host);
void __fab_cost_xmit_exit(struct fab_node *host);

/* The NIC of @host raised an interrupt; hard interrupt context on the host's CPU. */
static inline void fab_cost_interrupt(struct fab_node *host)
{
	if (static_branch_unlikely(&fab_cost_running))
		__fab_cost_interrupt(host);
}

/* NAPI poll of @host's NIC begins, ends; softirq context on the host's CPU. */
static inline void fab_cost_poll_enter(struct fab_node *host)
{
	if (static_branch_unlikely(&fab_cost_running))
		__fab_cost_poll_enter(host);
}

static inline void fab_cost_poll_exit(struct fab_node *host, int work)
{
	if (static_branch_unlikely(&fab_cost_running))
		__fab_cost_poll_exit(host, work);
}

/* ndo_start_xmit of @host's NIC begins, ends; any context that may transmit. */
static inline void fab_cost_xmit_enter(struct fab_node *host)
{
	if (static_branch_unlikely(&fab_cost_running))
		__fab_cost_xmit_enter(host);
}

static inline void fab_cost_xmit_exit(struct fab_node *host)
{
	if (static_branch_unlikely(&fab_cost_running))
		__fab_cost_xmit_exit(host);
}

#endif /* FAB_COST_H */
