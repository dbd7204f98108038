/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet sequence numbers: 24 bits that wrap (InfiniBand volume 1, 9.7.1 and 9.7.2).
 *
 * Of two numbers that are less than 2^23 apart it is clear which one is older:
 * the spec therefore allows at most 2^23 packets without an acknowledgment.
 * Pure arithmetic, also built by the unit tests.
 */
#ifndef FAB_PSN_H
#define FAB_PSN_H

#include <linux/types.h>

#define FAB_PSN_MASK	0xffffffu

static inline u32 fab_psn_add(u32 psn, u32 n)
{
	return (psn + n) & FAB_PSN_MASK;
}

/* How far @a is ahead of @b; negative if it is behind. */
static inline s32 fab_psn_diff(u32 a, u32 b)
{
	/* Shifted up, the wrap of 24 bits becomes the wrap of 32. */
	return (s32)((a - b) << 8) >> 8;
}

static inline bool fab_psn_before(u32 a, u32 b)
{
	return fab_psn_diff(a, b) < 0;
}

/* Is @psn one of the numbers from @first to @last? */
static inline bool fab_psn_within(u32 psn, u32 first, u32 last)
{
	return fab_psn_diff(psn, first) >= 0 && fab_psn_diff(last, psn) >= 0;
}

/* How many packets of @mtu bytes a message takes; an empty one takes one (9.7.4.1.1). */
static inline u32 fab_psn_packets(u32 length, u32 mtu)
{
	return length ? (length - 1) / mtu + 1 : 1;
}

/*
 * RNR NAK timer field to ns (table 45, 9.7.5.2.8): what a responder that has no
 * receive posted asks the requester to wait.
 */
static inline u64 fab_rnr_ns(u8 code)
{
	/* In units of 10 us. */
	static const u16 wait[32] = {
		0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
		16384, 24576, 32768, 49152,
	};

	/* Code 0 is the longest: 655.36 ms. */
	return (code & 31 ? wait[code & 31] : 65536) * 10000ull;
}

/* Local ACK timeout field to ns: 4.096 us * 2^code; 0 = never (11.2.4.2). */
static inline u64 fab_ack_timeout_ns(u8 code)
{
	return code & 31 ? 4096ull << (code & 31) : 0;
}

#endif /* FAB_PSN_H */
