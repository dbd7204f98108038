// SPDX-License-Identifier: GPL-2.0
/* Indices of rings in a program's memory: kmod/host/ring_index.h. */
#include "kselftest.h"
#include "host/ring_index.h"

/* Fill and empty a ring many times over, and compare with plain counters. */
static void test_counts(u32 n)
{
	u32 tail = 0, head = 0, produced = 0, consumed = 0, i;
	bool ok = true;

	for (i = 0; i < 40 * n; i++) {
		bool produce = produced == consumed ||
			       (produced - consumed < n && (i / 3 + i / 7) % 2);

		if (produce)
			tail = fab_ring_index(n, ++produced);
		else
			head = fab_ring_index(n, ++consumed);
		ok &= fab_ring_used(n, tail, head) == produced - consumed;
		ok &= fab_ring_slot(n, tail) == produced % n;
	}
	ksft_test_result(ok, "a ring of %u counts right\n", n);
}

/* Whatever the other party writes, no more than n slots are ever believed in. */
static void test_hostile(u32 n)
{
	static const u32 far[] = { 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe };
	u32 head, tail, used, i;
	bool ok = true;

	for (head = 0; head < 2 * n; head++) {
		for (tail = 0; tail < 8 * n; tail++) {
			used = fab_ring_used(n, tail, head);
			if (tail >= 2 * n)
				ok &= used == FAB_RING_BROKEN;
			else
				ok &= used <= n || used == FAB_RING_BROKEN;
		}
		for (i = 0; i < 4; i++)
			ok &= fab_ring_used(n, far[i], head) == FAB_RING_BROKEN &&
			      fab_ring_used(n, head, far[i]) == FAB_RING_BROKEN;
	}
	ksft_test_result(ok, "a ring of %u is not deceived\n", n);
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(10);
	test_counts(1);
	test_counts(2);
	test_counts(8);
	test_counts(64);
	test_counts(16384);
	test_hostile(1);
	test_hostile(2);
	test_hostile(8);
	test_hostile(64);
	test_hostile(512);
	ksft_finished();
}
