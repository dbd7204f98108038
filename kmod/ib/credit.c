// SPDX-License-Identifier: GPL-2.0
/*
 * Credits: how an InfiniBand link never drops a packet for want of a buffer
 * (InfiniBand Architecture Specification, vol 1, 7.9).
 *
 * Both ends of a virtual lane count blocks of 64 bytes, modulo 4096. The sender
 * counts what it has sent since the link came up (FCTBS). The receiver counts
 * what it has received (ABR) and tells in flow-control packets up to which count
 * it has room: FCCL = ABR + free blocks, at most 2048 ahead, so that a limit can
 * be told from one that has been passed. A packet may go if it stays within:
 *
 *	(FCCL - (FCTBS + blocks of the packet)) mod 4096 <= 2048
 *
 * A limit says "up to", never "so many more": a flow-control packet may be lost,
 * sent twice or come late, and the next one is right again. So is a lost data
 * packet: the sender tells its FCTBS in the same flow-control packets, and the
 * receiver sets its ABR to that.
 */
#include "credit.h"

/**
 * fab_credit_tx_init() - the link came up: nothing sent, nothing allowed
 * @tx: lane
 */
void fab_credit_tx_init(struct fab_credit_tx *tx)
{
	tx->fctbs = 0;
	tx->fccl = 0;
}

/**
 * fab_credit_may_send() - is there room for a packet at the other end?
 * @tx: lane
 * @blocks: of the packet
 *
 * Return: true if it may go.
 */
bool fab_credit_may_send(const struct fab_credit_tx *tx, u16 blocks)
{
	return (u16)(tx->fccl - (tx->fctbs + blocks)) % FAB_CREDIT_MOD <= FAB_CREDIT_WINDOW;
}

/**
 * fab_credit_sent() - a packet goes
 * @tx: lane
 * @blocks: of the packet
 */
void fab_credit_sent(struct fab_credit_tx *tx, u16 blocks)
{
	tx->fctbs = (tx->fctbs + blocks) % FAB_CREDIT_MOD;
}

/**
 * fab_credit_limit() - the other end said how far it has room
 * @tx: lane
 * @fccl: of its flow-control packet
 */
void fab_credit_limit(struct fab_credit_tx *tx, u16 fccl)
{
	tx->fccl = fccl % FAB_CREDIT_MOD;
}

/**
 * fab_credit_left() - how many blocks may be sent now
 * @tx: lane
 *
 * Return: blocks; 0 also where more was sent than is now allowed.
 */
u16 fab_credit_left(const struct fab_credit_tx *tx)
{
	u16 left = (u16)(tx->fccl - tx->fctbs) % FAB_CREDIT_MOD;

	return left <= FAB_CREDIT_WINDOW ? left : 0;
}

/**
 * fab_credit_rx_init() - the link came up: an empty buffer
 * @rx: lane
 * @size: blocks that it holds
 */
void fab_credit_rx_init(struct fab_credit_rx *rx, u16 size)
{
	rx->abr = 0;
	rx->size = size;
	rx->used = 0;
	rx->told = 0;
}

/**
 * fab_credit_received() - a packet came
 * @rx: lane
 * @blocks: of the packet
 *
 * Return: false if it does not fit: the other end does not keep to the credits, and
 * the packet must be dropped (a buffer overrun, 7.9.4.4). It is counted in ABR all the same.
 */
bool fab_credit_received(struct fab_credit_rx *rx, u16 blocks)
{
	rx->abr = (rx->abr + blocks) % FAB_CREDIT_MOD;
	if (rx->used + blocks > rx->size)
		return false;
	rx->used += blocks;
	return true;
}

/**
 * fab_credit_freed() - a packet left the buffer
 * @rx: lane
 * @blocks: of the packet
 */
void fab_credit_freed(struct fab_credit_rx *rx, u16 blocks)
{
	rx->used -= blocks < rx->used ? blocks : rx->used;
}

/**
 * fab_credit_adjust() - the other end said how much it has sent
 * @rx: lane
 * @fctbs: of its flow-control packet; what we do not have of it was lost on the way
 */
void fab_credit_adjust(struct fab_credit_rx *rx, u16 fctbs)
{
	rx->abr = fctbs % FAB_CREDIT_MOD;
}

/**
 * fab_credit_fccl() - the limit to be told to the other end
 * @rx: lane
 *
 * Return: FCCL, 12 bits.
 */
u16 fab_credit_fccl(const struct fab_credit_rx *rx)
{
	u16 free = rx->size - rx->used;

	if (free > FAB_CREDIT_WINDOW)
		free = FAB_CREDIT_WINDOW;
	return (rx->abr + free) % FAB_CREDIT_MOD;
}

/**
 * fab_credit_worth_telling() - is it time for a flow-control packet?
 * @rx: lane
 * @most: blocks of the longest packet that the other end sends
 *
 * The specification leaves it open when, but for the regular ones. Here: when half
 * of the buffer is news to the other end, or when it has too little for a packet.
 *
 * Return: true if so.
 */
bool fab_credit_worth_telling(const struct fab_credit_rx *rx, u16 most)
{
	u16 news = (u16)(fab_credit_fccl(rx) - rx->told) % FAB_CREDIT_MOD;
	u16 left = (u16)(rx->told - rx->abr) % FAB_CREDIT_MOD;

	if (!news)
		return false;
	if (left > FAB_CREDIT_WINDOW)
		left = 0;
	return news >= rx->size / 2 || left < most;
}
