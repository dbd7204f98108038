// SPDX-License-Identifier: GPL-2.0
/* Packet sequence numbers and the timers of a reliable connection: kmod/host/psn.h. */
#include "kselftest.h"
#include "host/psn.h"

static void test_wrap(void)
{
	ksft_test_result(fab_psn_add(0xffffff, 1) == 0 && fab_psn_add(0, -1) == 0xffffff,
			 "numbers wrap at 24 bits, both ways\n");
	ksft_test_result(fab_psn_diff(2, 0xfffffe) == 4 && fab_psn_diff(0xfffffe, 2) == -4,
			 "distance is right across the wrap\n");
	ksft_test_result(fab_psn_diff(0x7fffff, 0) == 0x7fffff &&
			 fab_psn_diff(0x800000, 0) == -0x800000,
			 "half of all numbers are ahead, half behind\n");
	ksft_test_result(fab_psn_before(0xffffff, 0) && !fab_psn_before(0, 0xffffff) &&
			 !fab_psn_before(7, 7),
			 "older is what is behind\n");
}

static void test_within(void)
{
	ksft_test_result(fab_psn_within(5, 5, 5) && !fab_psn_within(4, 5, 5) &&
			 !fab_psn_within(6, 5, 5),
			 "a range of one\n");
	ksft_test_result(fab_psn_within(0xffffff, 0xfffffe, 1) && fab_psn_within(0, 0xfffffe, 1) &&
			 !fab_psn_within(2, 0xfffffe, 1) && !fab_psn_within(0xfffffd, 0xfffffe, 1),
			 "a range across the wrap\n");
}

/* Against arithmetic that knows nothing of tricks. */
static void test_all(void)
{
	static const u32 ends[] = { 0, 1, 0x7fffff, 0x800000, 0x800001, 0xfffffe, 0xffffff };
	bool right = true;
	u32 i, n, sum;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		for (n = 0; n <= 0x1000000; n += 4099) {
			sum = (u32)(((u64)ends[i] + n) % 0x1000000);
			right &= fab_psn_add(ends[i], n) == sum;
			if (n < 0x800000)
				right &= fab_psn_diff(sum, ends[i]) == (s32)n;
		}
	}
	ksft_test_result(right, "sums and distances agree with plain arithmetic\n");
}

static void test_packets(void)
{
	ksft_test_result(fab_psn_packets(0, 4096) == 1 && fab_psn_packets(1, 4096) == 1 &&
			 fab_psn_packets(4096, 4096) == 1 && fab_psn_packets(4097, 4096) == 2 &&
			 fab_psn_packets(1 << 30, 256) == 1 << 22,
			 "packets of a message\n");
}

static void test_timers(void)
{
	u32 i;
	bool right = true;

	ksft_test_result(fab_rnr_ns(0) == 655360000 && fab_rnr_ns(1) == 10000 &&
			 fab_rnr_ns(12) == 640000 && fab_rnr_ns(31) == 491520000,
			 "RNR times of the specification's table\n");
	for (i = 2; i < 32; i++)
		right &= fab_rnr_ns(i) > fab_rnr_ns(i - 1);
	ksft_test_result(right, "but for 0 they grow with the code\n");
	ksft_test_result(fab_ack_timeout_ns(0) == 0 && fab_ack_timeout_ns(8) == 1048576 &&
			 fab_ack_timeout_ns(14) == 67108864 &&
			 fab_ack_timeout_ns(31) == 4096ull << 31,
			 "the ACK timeout doubles with each code, 0 is never\n");
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(11);
	test_wrap();
	test_within();
	test_all();
	test_packets();
	test_timers();
	ksft_finished();
}
