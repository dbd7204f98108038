/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Indices of a ring that two parties share: pure arithmetic.
 *
 * They run modulo twice the number of slots, a power of two, so that a full ring
 * (tail = head + n) and an empty one (tail = head) differ. The other party's index
 * may be anything at all.
 */
#ifndef FAB_RING_INDEX_H
#define FAB_RING_INDEX_H

#include <linux/types.h>

/* More than any ring can hold. */
#define FAB_RING_BROKEN	0xffffffffu

static inline u32 fab_ring_index(u32 n, u32 index)
{
	return index & (2 * n - 1);
}

/* Which slot is it? */
static inline u32 fab_ring_slot(u32 n, u32 index)
{
	return index & (n - 1);
}

/* How many are between @head and @tail of a ring of @n; FAB_RING_BROKEN if that cannot be. */
static inline u32 fab_ring_used(u32 n, u32 tail, u32 head)
{
	u32 used = fab_ring_index(n, tail - head);

	if (tail != fab_ring_index(n, tail) || head != fab_ring_index(n, head) || used > n)
		return FAB_RING_BROKEN;
	return used;
}

#endif /* FAB_RING_INDEX_H */
