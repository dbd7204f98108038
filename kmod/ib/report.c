// SPDX-License-Identifier: GPL-2.0
/*
 * What ports and switches tell to readers outside the fabric thread: netlink, sysfs.
 *
 * Nothing here waits for the thread but the reading of forwarding tables. Attributes
 * are copied under their port's lock. Credits are read while they move: FCTBS and FCCL
 * may be of two moments, a few packets apart.
 */
#include "internal.h"

/* The UAPI has the specification's numbers. */
static_assert((int)FABSIM_IB_NOP == IB_PORT_NOP && (int)FABSIM_IB_DOWN == IB_PORT_DOWN);
static_assert((int)FABSIM_IB_INIT == IB_PORT_INIT && (int)FABSIM_IB_ARMED == IB_PORT_ARMED);
static_assert((int)FABSIM_IB_ACTIVE == IB_PORT_ACTIVE);
static_assert(FAB_IB_DATA_VLS == FABSIM_A_VL_MAX);

static u32 credits(const struct fab_credit_tx *tx)
{
	const struct fab_credit_tx copy = {
		.fctbs = READ_ONCE(tx->fctbs),
		.fccl = READ_ONCE(tx->fccl),
	};

	return fab_credit_left(&copy);
}

static unsigned int valid_pkeys(const struct fab_ib_attrs *attr, u16 *pkeys)
{
	unsigned int i, n = 0;

	for (i = 0; i < FAB_IB_PKEYS; i++)
		if (attr->pkeys[i] & 0x7fff)
			pkeys[n++] = attr->pkeys[i];
	return n;
}

/**
 * fab_ib_port_report() - state of an InfiniBand port
 * @port: port of the graph; an InfiniBand port
 * @report: filled in
 *
 * Context: any in which the port exists; takes its lock.
 */
void fab_ib_port_report(const struct fab_port *port, struct fab_ib_report *report)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);
	struct fab_ib_attrs attr;
	unsigned int vl;

	fab_ib_port_read(ibp, &attr);
	*report = (struct fab_ib_report) {
		.state	= attr.state,
		.guid	= ibp->ibn->guid + ibp->num,
		.lid	= attr.lid,
		.sm_lid	= attr.sm_lid,
		.lmc	= attr.lmc,
		.lanes	= fab_ib_lanes(ibp),
		.stalls	= READ_ONCE(ibp->flow.stalls),
		.wait	= READ_ONCE(ibp->cnt.v[FAB_IB_CNT_XMIT_WAIT]),
	};
	report->n_pkeys = valid_pkeys(&attr, report->pkeys);
	for (vl = 0; vl < report->lanes; vl++)
		report->credits[vl] = credits(&ibp->flow.tx[vl]);
}

/**
 * fab_ib_switch_report() - state and counters of an InfiniBand switch
 * @node: switch
 * @report: filled in
 *
 * Context: any in which the switch exists.
 */
void fab_ib_switch_report(const struct fab_node *node, struct fab_ib_switch_report *report)
{
	struct fab_ib_switch *sw = fab_to_ib_switch(node);

	*report = (struct fab_ib_switch_report) {
		.guid		= sw->ibn.guid,
		.lid		= fab_ib_lid(fab_ib_port0(sw)),
		.sm		= READ_ONCE(sw->sm),
		.forwarded	= READ_ONCE(sw->stats.forwarded),
		.multicast	= READ_ONCE(sw->stats.multicast),
		.no_route	= READ_ONCE(sw->stats.no_route),
		.smps		= READ_ONCE(sw->stats.smps),
	};
}

struct reading {
	const struct fab_ib_switch *sw;
	u16 from;
	struct fab_lft_line *lines;
	unsigned int max;
	unsigned int n;
};

/* Blocks that no SM has written yet are passed over at once. */
static void call_read(void *arg)
{
	struct reading *reading = arg;
	const struct fab_ib_switch *sw = reading->sw;
	u32 lid = max_t(u32, reading->from, 1);
	u8 port;

	for (; lid <= sw->lft_top && lid < FAB_IB_LFT_CAP && reading->n < reading->max; lid++) {
		if (!sw->lft[lid / FAB_IB_LFT_BLOCK]) {
			lid |= FAB_IB_LFT_BLOCK - 1;
			continue;
		}
		port = fab_ib_lft_lookup(sw, lid);
		if (port == FAB_IB_NO_PORT || port > sw->ibn.n_ports)
			continue;
		reading->lines[reading->n].lid = lid;
		reading->lines[reading->n++].port = port;
	}
}

/**
 * fab_ib_switch_read_lft() - some lines of a linear forwarding table
 * @node: switch
 * @from: the lowest LID wanted
 * @lines: filled in, in order of LIDs
 * @max: length of @lines
 *
 * Context: process context, control mutex.
 * Return: how many were filled in; fewer than @max: these were the last.
 */
unsigned int fab_ib_switch_read_lft(const struct fab_node *node, u16 from,
				    struct fab_lft_line *lines, unsigned int max)
{
	struct reading reading = {
		.sw = fab_to_ib_switch(node), .from = from, .lines = lines, .max = max,
	};

	fab_call(call_read, &reading);
	return reading.n;
}
