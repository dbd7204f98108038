/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VL arbitration: whose packet goes next. Pure; vlarb.c has the model.
 */
#ifndef FAB_VLARB_H
#define FAB_VLARB_H

#include <linux/types.h>

#define FAB_VLARB_ENTRIES	8	/* VLArbitrationHighCap and LowCap */

/**
 * struct fab_vlarb_table - a VLArbitrationTable (vol 1, 7.6.9, 14.2.5.9)
 * @vl: lane of an entry
 * @weight: units of 64 bytes that its turn lasts; 0 = the entry is skipped
 */
struct fab_vlarb_table {
	u8 vl[FAB_VLARB_ENTRIES];
	u8 weight[FAB_VLARB_ENTRIES];
};

/**
 * struct fab_vlarb_turn - where a table is
 * @entry: whose turn it is
 * @left: units of its weight that are left; may be overdrawn by part of a packet
 */
struct fab_vlarb_turn {
	u8 entry;
	int left;
};

/**
 * struct fab_vlarb - state of a port's arbiter
 * @high: turn of the high-priority table
 * @low: turn of the low-priority table
 * @high_left: bytes that may go by the high table before a low one must be let through
 */
struct fab_vlarb {
	struct fab_vlarb_turn high;
	struct fab_vlarb_turn low;
	int high_left;
};

void fab_vlarb_init(struct fab_vlarb *arb);
int fab_vlarb_next(struct fab_vlarb *arb, const struct fab_vlarb_table *high,
		   const struct fab_vlarb_table *low, u8 high_limit, unsigned int ready,
		   const u32 *len);

#endif /* FAB_VLARB_H */
