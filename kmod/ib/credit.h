/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits of a virtual lane: pure arithmetic. credit.c has the model.
 */
#ifndef FAB_CREDIT_H
#define FAB_CREDIT_H

#include <linux/types.h>

#define FAB_CREDIT_BLOCK	64	/* bytes */
#define FAB_CREDIT_MOD		4096	/* counters have 12 bits */
#define FAB_CREDIT_WINDOW	2048	/* half of them: what can be told from what has passed */

/**
 * struct fab_credit_tx - a lane, at the end that sends
 * @fctbs: flow control total blocks sent, modulo 4096, since the link came up
 * @fccl: flow control credit limit, as the other end last said it
 */
struct fab_credit_tx {
	u16 fctbs;
	u16 fccl;
};

/**
 * struct fab_credit_rx - a lane, at the end that receives
 * @abr: adjusted blocks received, modulo 4096
 * @size: blocks that the buffer holds
 * @used: blocks in it
 * @told: FCCL as it was last told to the other end
 */
struct fab_credit_rx {
	u16 abr;
	u16 size;
	u16 used;
	u16 told;
};

/* Blocks that a packet of @len bytes, from its LRH to its VCRC, takes. */
static inline u16 fab_credit_blocks(u32 len)
{
	return (len + FAB_CREDIT_BLOCK - 1) / FAB_CREDIT_BLOCK;
}

void fab_credit_tx_init(struct fab_credit_tx *tx);
bool fab_credit_may_send(const struct fab_credit_tx *tx, u16 blocks);
void fab_credit_sent(struct fab_credit_tx *tx, u16 blocks);
void fab_credit_limit(struct fab_credit_tx *tx, u16 fccl);
u16 fab_credit_left(const struct fab_credit_tx *tx);

void fab_credit_rx_init(struct fab_credit_rx *rx, u16 size);
bool fab_credit_received(struct fab_credit_rx *rx, u16 blocks);
void fab_credit_freed(struct fab_credit_rx *rx, u16 blocks);
void fab_credit_adjust(struct fab_credit_rx *rx, u16 fctbs);
u16 fab_credit_fccl(const struct fab_credit_rx *rx);
bool fab_credit_worth_telling(const struct fab_credit_rx *rx, u16 most);

#endif /* FAB_CREDIT_H */
