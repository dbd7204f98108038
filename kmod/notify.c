// SPDX-License-Identifier: GPL-2.0
/*
 * Events: messages to whoever joined the multicast group "events".
 *
 * A host is a network namespace, and a netlink socket hears only its own. So
 * an event is sent to every namespace, one after the other; a listener who is
 * too slow loses it (and is told so, by ENOBUFS) without costing the others
 * theirs. Which sockets listen to a group is known for all namespaces
 * together, so with no listener anywhere an event costs one test of a bit.
 *
 * Events come from anywhere, the fabric thread above all: nothing here sleeps.
 */
#include <linux/rcupdate.h>
#include <net/net_namespace.h>
#include "clock.h"
#include "netlink.h"
#include "notify.h"
#include "uapi/fabsim.h"

#define GROUP	0	/* place of "events" in the groups of the family */

static bool is_open;	/* there is a family to send with; read under RCU */

static int put_names(struct sk_buff *skb, const struct fab_notice *notice)
{
	if (notice->name && nla_put_string(skb, FABSIM_A_EVENT_NAME, notice->name))
		return -EMSGSIZE;
	if (notice->peer && nla_put_string(skb, FABSIM_A_EVENT_PEER, notice->peer))
		return -EMSGSIZE;
	if (notice->mac && nla_put(skb, FABSIM_A_EVENT_MAC, ETH_ALEN, notice->mac))
		return -EMSGSIZE;
	return 0;
}

static int put_figures(struct sk_buff *skb, const struct fab_notice *notice)
{
	if (notice->reason && nla_put_u32(skb, FABSIM_A_EVENT_REASON, notice->reason))
		return -EMSGSIZE;
	if (notice->len && nla_put_u32(skb, FABSIM_A_EVENT_LEN, notice->len))
		return -EMSGSIZE;
	if (notice->packet && nla_put_u64_64bit(skb, FABSIM_A_EVENT_PACKET, notice->packet,
						FABSIM_A_EVENT_PAD))
		return -EMSGSIZE;
	return 0;
}

static struct sk_buff *write_event(const struct fab_notice *notice)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_ATOMIC | __GFP_NOWARN);
	void *hdr;

	if (!skb)
		return NULL;
	hdr = genlmsg_put(skb, 0, 0, &fab_family, 0, FABSIM_CMD_EVENT);
	if (nla_put_u32(skb, FABSIM_A_EVENT_TYPE, notice->type) ||
	    nla_put_u64_64bit(skb, FABSIM_A_EVENT_TIME, fab_now(), FABSIM_A_EVENT_PAD) ||
	    put_names(skb, notice) || put_figures(skb, notice)) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, hdr);
	return skb;
}

/* genlmsg_multicast_allns() would stop at the first namespace with a slow listener. */
static void send_everywhere(struct sk_buff *skb)
{
	struct sk_buff *copy;
	struct net *net;

	for_each_net_rcu(net) {
		copy = skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN);
		if (copy)
			genlmsg_multicast_netns(&fab_family, net, copy, 0, GROUP, GFP_ATOMIC);
	}
	consume_skb(skb);
}

/**
 * fab_notify() - tell the listeners
 * @notice: what happened
 *
 * Context: any, also with bottom halves off; not hard interrupts.
 */
void fab_notify(const struct fab_notice *notice)
{
	struct sk_buff *skb;

	rcu_read_lock();
	if (READ_ONCE(is_open) && genl_has_listeners(&fab_family, &init_net, GROUP)) {
		skb = write_event(notice);
		if (skb)
			send_everywhere(skb);
	}
	rcu_read_unlock();
}

/**
 * fab_notify_open() - the family is registered
 */
void fab_notify_open(void)
{
	WRITE_ONCE(is_open, true);
}

/**
 * fab_notify_close() - say BYE; nobody uses the family for events after this
 *
 * Context: process context.
 */
void fab_notify_close(void)
{
	const struct fab_notice bye = { .type = FABSIM_EVENT_BYE };

	fab_notify(&bye);
	WRITE_ONCE(is_open, false);
	synchronize_rcu();
}
