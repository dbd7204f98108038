// SPDX-License-Identifier: GPL-2.0
/*
 * Credits of a virtual lane: kmod/ib/credit.c, against InfiniBand vol 1, 7.9.
 *
 *	sender --- data (may be lost) ---------------> receiver, buffer of SIZE blocks
 *	       <-- FCCL, and FCTBS the other way round
 */
#include <stdbool.h>
#include <stdlib.h>
#include "kselftest.h"
#include "ib/credit.c"

#define SIZE	256	/* 16 KiB */
#define MOST	66	/* 4096 bytes and headers */

static struct fab_credit_tx tx;
static struct fab_credit_rx rx;

static void begin(u16 size)
{
	fab_credit_tx_init(&tx);
	fab_credit_rx_init(&rx, size);
}

/* A flow-control packet each way, as far as it concerns this lane; not lost. */
static void tell(void)
{
	fab_credit_adjust(&rx, tx.fctbs);
	rx.told = fab_credit_fccl(&rx);
	fab_credit_limit(&tx, rx.told);
}

static bool send_one(u16 blocks)
{
	if (!fab_credit_may_send(&tx, blocks))
		return false;
	fab_credit_sent(&tx, blocks);
	return fab_credit_received(&rx, blocks);
}

static bool starts_closed(void)
{
	begin(SIZE);
	return !fab_credit_may_send(&tx, 1) && fab_credit_left(&tx) == 0 &&
	       fab_credit_fccl(&rx) == SIZE;
}

static bool fills_exactly(void)
{
	unsigned int n = 0;

	begin(SIZE);
	tell();
	while (send_one(1))
		n++;
	return n == SIZE && rx.used == SIZE && fab_credit_left(&tx) == 0 &&
	       fab_credit_fccl(&rx) == rx.abr;
}

/* Many times round the 12 bits, with every packet length. */
static bool wraps(void)
{
	unsigned int i;

	begin(SIZE);
	tell();
	for (i = 0; i < 100000; i++) {
		u16 blocks = i % MOST + 1;

		if (!send_one(blocks) || rx.abr != tx.fctbs)
			return false;
		fab_credit_freed(&rx, blocks);
		tell();
		if (fab_credit_left(&tx) != SIZE)
			return false;
	}
	return true;
}

/* More buffer than can be said: at most 2048 ahead. */
static bool window(void)
{
	begin(4000);
	tell();
	return rx.told == FAB_CREDIT_WINDOW && fab_credit_left(&tx) == FAB_CREDIT_WINDOW &&
	       fab_credit_may_send(&tx, FAB_CREDIT_WINDOW) &&
	       !fab_credit_may_send(&tx, FAB_CREDIT_WINDOW + 1);
}

/* The limit has passed the sender, as after a reset of one end: nothing goes. */
static bool limit_behind(void)
{
	begin(SIZE);
	tx.fctbs = 100;
	fab_credit_limit(&tx, 50);
	return !fab_credit_may_send(&tx, 1) && fab_credit_left(&tx) == 0;
}

static bool lost_data_is_found(void)
{
	begin(SIZE);
	tell();
	/* Sent, and never received. */
	fab_credit_sent(&tx, SIZE);
	rx.told = fab_credit_fccl(&rx);
	fab_credit_limit(&tx, rx.told);
	if (fab_credit_may_send(&tx, 1))
		return false;
	tell();
	return fab_credit_left(&tx) == SIZE;
}

static bool overrun_is_seen(void)
{
	begin(SIZE);
	return fab_credit_received(&rx, SIZE) && !fab_credit_received(&rx, 1) &&
	       rx.used == SIZE && rx.abr == SIZE + 1;
}

/* The receiver never waits so long that the sender could starve for good. */
static bool never_starves(void)
{
	unsigned int i;

	begin(SIZE);
	tell();
	for (i = 0; i < 100000; i++) {
		u16 blocks = rand() % MOST + 1;

		if (!send_one(blocks))
			return false;
		if (fab_credit_worth_telling(&rx, MOST))
			tell();
		fab_credit_freed(&rx, blocks);
		if (fab_credit_worth_telling(&rx, MOST))
			tell();
	}
	return true;
}

/* Whatever is lost at random: the buffer never overflows, no credit is lost for good. */
static bool survives_losses(void)
{
	unsigned int i;
	u16 held = 0;

	begin(SIZE);
	tell();
	srand(1);
	for (i = 0; i < 1000000; i++) {
		u16 blocks = rand() % MOST + 1;

		if (fab_credit_may_send(&tx, blocks)) {
			fab_credit_sent(&tx, blocks);
			if (rand() % 10 && !fab_credit_received(&rx, blocks))
				return false;
		}
		held = rand() % (rx.used + 1);
		fab_credit_freed(&rx, rx.used - held);
		if (rand() % 3 == 0)
			fab_credit_adjust(&rx, tx.fctbs);
		if (rand() % 3 == 0)
			fab_credit_limit(&tx, fab_credit_fccl(&rx));
	}
	fab_credit_freed(&rx, rx.used);
	tell();
	return fab_credit_left(&tx) == SIZE;
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(10);
	ksft_test_result(fab_credit_blocks(1) == 1 && fab_credit_blocks(64) == 1 &&
			 fab_credit_blocks(65) == 2 && fab_credit_blocks(4096) == 64,
			 "blocks of 64 bytes\n");
	ksft_test_result(starts_closed(), "before the first flow-control packet nothing goes\n");
	ksft_test_result(fills_exactly(), "the buffer fills to the last block, and no further\n");
	ksft_test_result(wraps(), "modulo 4096, round and round\n");
	ksft_test_result(window(), "at most 2048 blocks ahead\n");
	ksft_test_result(limit_behind(), "a limit that has been passed allows nothing\n");
	ksft_test_result(lost_data_is_found(), "FCTBS gives back the credits of a lost packet\n");
	ksft_test_result(overrun_is_seen(), "a packet without credits is noticed\n");
	ksft_test_result(never_starves(), "what is told is told in time\n");
	ksft_test_result(survives_losses(), "losses of any kind: no overflow, no credit lost\n");
	ksft_finished();
}
