// SPDX-License-Identifier: GPL-2.0
/* VL arbitration: kmod/ib/vlarb.c, against InfiniBand vol 1, 7.6.9. */
#include <stdbool.h>
#include <string.h>
#include "kselftest.h"
#include "ib/vlarb.c"

static struct fab_vlarb arb;
static struct fab_vlarb_table high, low;
static unsigned long sent[16];

static void begin(void)
{
	fab_vlarb_init(&arb);
	memset(&high, 0, sizeof(high));
	memset(&low, 0, sizeof(low));
	memset(sent, 0, sizeof(sent));
}

static void entry(struct fab_vlarb_table *table, unsigned int i, u8 vl, u8 weight)
{
	table->vl[i] = vl;
	table->weight[i] = weight;
}

/* @n packets from lanes that always have one. */
static void run(unsigned int ready, u32 len, u8 limit, unsigned int n)
{
	u32 lens[16];
	unsigned int i;
	int vl;

	for (i = 0; i < 16; i++)
		lens[i] = len;
	while (n--) {
		vl = fab_vlarb_next(&arb, &high, &low, limit, ready, lens);
		if (vl < 0)
			return;
		sent[vl] += len;
	}
}

static bool near_ratio(unsigned long a, unsigned long b, double want)
{
	double ratio = (double)a / b;

	if (ratio > want * 0.95 && ratio < want * 1.05)
		return true;
	ksft_print_msg("wanted %g, got %g\n", want, ratio);
	return false;
}

static bool shares(void)
{
	begin();
	entry(&low, 0, 0, 64);
	entry(&low, 1, 1, 192);
	run(3, 256, 0, 100000);
	return near_ratio(sent[1], sent[0], 3);
}

static bool skips_empty(void)
{
	begin();
	entry(&low, 0, 0, 1);
	entry(&low, 1, 1, 255);
	run(1, 4096, 0, 1000);
	return sent[0] == 4096 * 1000 && !sent[1];
}

static bool unlisted_never(void)
{
	begin();
	entry(&low, 0, 0, 1);
	entry(&high, 0, 1, 0);
	run(2 | 4, 64, 0, 10);
	return !sent[1] && !sent[2];
}

static bool high_first(void)
{
	begin();
	entry(&high, 0, 1, 1);
	entry(&low, 0, 0, 255);
	run(3, 4096, 255, 1000);
	return !sent[0] && sent[1] == 4096 * 1000;
}

/* Limit 0: one of each; limit n: 4 KiB * n of the high ones to a low packet. */
static bool limit(void)
{
	bool ok;

	begin();
	entry(&high, 0, 1, 255);
	entry(&low, 0, 0, 255);
	run(3, 1024, 0, 10000);
	ok = near_ratio(sent[1], sent[0], 1);
	begin();
	entry(&high, 0, 1, 255);
	entry(&low, 0, 0, 255);
	run(3, 1024, 10, 10000);
	return near_ratio(sent[1], sent[0], 41) && ok;
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(5);
	ksft_test_result(shares(), "lanes share by their weights\n");
	ksft_test_result(skips_empty(), "a lane with nothing to send loses its turn\n");
	ksft_test_result(unlisted_never(), "a lane in no table, or of weight 0, never sends\n");
	ksft_test_result(high_first(), "limit 255: the high table goes first, always\n");
	ksft_test_result(limit(), "else a low packet is let through after the limit\n");
	ksft_finished();
}
