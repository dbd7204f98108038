// SPDX-License-Identifier: GPL-2.0
/*
 * VL arbitration: which virtual lane sends next (vol 1, 7.6.9).
 *
 * Two tables, each a list of lanes with weights in units of 64 bytes. Inside a
 * table the entries take turns; a turn lasts until its weight is used up (the
 * last packet may overdraw it) or its lane has nothing to send. The table of
 * high priority goes first, but after it has sent its limit (in units of 4 KiB,
 * 255 = no limit) while the low one waited, one low packet is let through.
 *
 * VL15 is not in the tables: management always goes first (7.6.9.1).
 *
 * A host's tables may be written by a MAD on another CPU while this looks at them: an
 * entry's lane is read once, so that what was looked at is what is sent.
 */
#include <linux/compiler.h>
#include "vlarb.h"

#define WEIGHT_UNIT	64
#define LIMIT_UNIT	4096
#define NO_LIMIT	255

static void refill(struct fab_vlarb *arb, u8 high_limit)
{
	/* Limit 0: a single packet. */
	arb->high_left = high_limit * LIMIT_UNIT;
}

/**
 * fab_vlarb_init() - a new arbiter
 * @arb: arbiter
 */
void fab_vlarb_init(struct fab_vlarb *arb)
{
	*arb = (struct fab_vlarb) { 0 };
}

/* The lane of an entry, if that has something to send; or -1. */
static int lane(const struct fab_vlarb_table *table, unsigned int entry, unsigned int ready)
{
	u8 vl = READ_ONCE(table->vl[entry]) & 15;

	return READ_ONCE(table->weight[entry]) && (ready & (1U << vl)) ? vl : -1;
}

/* The lane of the entry whose turn it is; -1: none has anything to send. */
static int turn(struct fab_vlarb_turn *state, const struct fab_vlarb_table *table,
		unsigned int ready)
{
	int vl = state->left > 0 ? lane(table, state->entry, ready) : -1;
	unsigned int i, entry;

	for (i = 1; vl < 0 && i <= FAB_VLARB_ENTRIES; i++) {
		entry = (state->entry + i) % FAB_VLARB_ENTRIES;
		vl = lane(table, entry, ready);
		if (vl < 0)
			continue;
		state->entry = entry;
		state->left = READ_ONCE(table->weight[entry]) * WEIGHT_UNIT;
	}
	return vl;
}

static int take(struct fab_vlarb_turn *state, int vl, const u32 *len)
{
	state->left -= len[vl];
	return vl;
}

/**
 * fab_vlarb_next() - the lane that sends next
 * @arb: arbiter
 * @high: table of high priority
 * @low: table of low priority
 * @high_limit: PortInfo VLHighLimit
 * @ready: lanes that have a packet and the credits for it, a bit each
 * @len: by lane: length of that packet, bytes
 *
 * Return: the lane; or -1 if none of @ready is in a table: such a lane never sends.
 */
int fab_vlarb_next(struct fab_vlarb *arb, const struct fab_vlarb_table *high,
		   const struct fab_vlarb_table *low, u8 high_limit, unsigned int ready,
		   const u32 *len)
{
	int high_vl = turn(&arb->high, high, ready);
	int low_vl;

	if (high_vl >= 0 && high_limit == NO_LIMIT)
		return take(&arb->high, high_vl, len);
	low_vl = turn(&arb->low, low, ready);
	if (high_vl < 0 && low_vl < 0)
		return -1;
	if (low_vl < 0 || (high_vl >= 0 && arb->high_left >= 0)) {
		/* Only what went past a waiting low packet counts. */
		if (low_vl >= 0) {
			arb->high_left -= len[high_vl];
			/* Below zero: the next packet is a low one. */
			if (!arb->high_left)
				arb->high_left = -1;
		}
		return take(&arb->high, high_vl, len);
	}
	refill(arb, high_limit);
	return take(&arb->low, low_vl, len);
}
