// SPDX-License-Identifier: GPL-2.0
/*
 * A cold fabric: as it is after the power was switched on and before any subnet
 * manager came. Links are trained (INIT), no port has a LID, no switch a table: not
 * one data packet can go anywhere. Only management packets on virtual lane 15 move.
 *
 * To stop a subnet manager does not make the fabric cold: what it has written stays.
 */
#include <linux/slab.h>
#include "internal.h"
#include "sm.h"

/* The link is trained anew, so that whoever sees a port at work sees it go. */
static void cold_port(struct fab_ib_port *ibp)
{
	unsigned long flags;
	u32 sm;

	/* An SM of a user (opensm) that runs on this port still does. */
	spin_lock_irqsave(&ibp->lock, flags);
	sm = ibp->attr.cap_mask & IB_PORT_SM;
	spin_unlock_irqrestore(&ibp->lock, flags);
	fab_ib_port_defaults(ibp);
	spin_lock_irqsave(&ibp->lock, flags);
	ibp->attr.cap_mask |= sm;
	spin_unlock_irqrestore(&ibp->lock, flags);
	if (!ibp->num)
		return;
	set_bit(0, &ibp->retrain);
	fab_ib_port_kick(ibp);
}

static void call_cold_port(void *arg)
{
	cold_port(arg);
}

static void call_cold_switch(void *arg)
{
	struct fab_ib_switch *sw = arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sw->lft); i++) {
		kfree(sw->lft[i]);
		sw->lft[i] = NULL;
	}
	for (i = 0; i < ARRAY_SIZE(sw->mft); i++) {
		kfree(sw->mft[i]);
		sw->mft[i] = NULL;
	}
	sw->lft_top = 0;
	sw->port_change = false;
	cold_port(fab_ib_port0(sw));
}

static void stop_all(void)
{
	struct fab_node *node;
	u32 id;

	for (id = 0; (node = fab_node_next(&id)); id++)
		if (node->kind == FABSIM_NODE_IB_SWITCH)
			fab_sm_stop(fab_to_ib_switch(node));
}

/**
 * fab_sm_cold() - stop every subnet manager in a switch, and make the fabric cold
 *
 * Context: process context, control mutex.
 */
void fab_sm_cold(void)
{
	struct fab_ib_port *ibp;
	struct fab_node *node;
	struct fab_port *port;
	u32 id;

	stop_all();
	for (id = 0; (node = fab_node_next(&id)); id++)
		if (node->kind == FABSIM_NODE_IB_SWITCH)
			fab_call(call_cold_switch, fab_to_ib_switch(node));
	for (id = 0; (port = fab_port_next(&id)); id++) {
		if (port->ops->kind != FABSIM_PORT_KIND_IB)
			continue;
		ibp = fab_to_ib_port(port);
		if (ibp)
			fab_call(call_cold_port, ibp);
	}
}
