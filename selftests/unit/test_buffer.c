// SPDX-License-Identifier: GPL-2.0
/* The shared buffer of a switch with a dynamic threshold: kmod/eth/buffer.c. */
#include <string.h>
#include "kselftest.h"
#include "eth/buffer.c"

#define FRAME	1000

/* Fill @queues queues in turn until nothing fits any more; their length is left in @length. */
static void fill(struct fab_buffer *buffer, unsigned int queues, u32 *length)
{
	unsigned int i;
	bool any;

	memset(length, 0, queues * sizeof(*length));
	do {
		any = false;
		for (i = 0; i < queues; i++)
			if (fab_buffer_take(buffer, length[i], FRAME)) {
				length[i] += FRAME;
				any = true;
			}
	} while (any);
}

/* Choudhury and Hahne: each of n congested queues gets alpha / (1 + n * alpha) of the memory. */
static bool share_is(u32 alpha, unsigned int queues)
{
	struct fab_buffer buffer = { .size = 2000000, .alpha = alpha };
	double a = alpha / 1000.0, want = buffer.size * a / (1 + queues * a);
	u32 length[8];
	unsigned int i;

	fill(&buffer, queues, length);
	for (i = 0; i < queues; i++)
		if (length[i] < want - 2 * FRAME || length[i] > want + 2 * FRAME) {
			ksft_print_msg("alpha %g, %u queues: wanted %.0f, got %u\n",
				       a, queues, want, length[i]);
			return false;
		}
	return true;
}

int main(void)
{
	struct fab_buffer buffer = { .size = 16384, .alpha = 64000 };

	ksft_print_header();
	ksft_set_plan(8);
	ksft_test_result(share_is(1000, 1), "alpha 1: one congested queue gets half\n");
	ksft_test_result(share_is(1000, 2), "alpha 1: two get a third each\n");
	ksft_test_result(share_is(125, 4), "alpha 1/8: four get a twelfth each\n");
	ksft_test_result(share_is(8000, 3), "alpha 8: three get 8/25 each\n");

	ksft_test_result(!fab_buffer_take(&buffer, 0, 16385), "never more than there is\n");
	ksft_test_result(fab_buffer_take(&buffer, 0, 16384) && buffer.used == 16384 &&
			 !fab_buffer_take(&buffer, 0, 1), "but all of it\n");
	fab_buffer_give(&buffer, 16384);
	ksft_test_result(buffer.used == 0 && buffer.peak == 16384, "what leaves is free again\n");
	buffer.used = 9000;
	buffer.size = 4000;
	ksft_test_result(fab_buffer_threshold(&buffer) == 0 && !fab_buffer_take(&buffer, 0, 1),
			 "a buffer made smaller than its contents takes nothing\n");
	ksft_finished();
}
