// SPDX-License-Identifier: GPL-2.0
/* The forwarding database of an Ethernet switch: kmod/eth/fdb.c. */
#include "kselftest.h"
#include "eth/fdb.c"

int unit_no_memory;

static struct fab_fdb fdb;

static void test_learning(void)
{
	fab_fdb_init(&fdb, 300);
	ksft_test_result(fab_fdb_lookup(&fdb, 0xa, 0) == 0, "nothing is known at first\n");
	ksft_test_result(fab_fdb_learn(&fdb, 0xa, 1, 0) == FAB_FDB_NEW,
			 "a new address is learned\n");
	ksft_test_result(fab_fdb_learn(&fdb, 0xa, 1, 10) == FAB_FDB_REFRESHED, "once\n");
	ksft_test_result(fab_fdb_lookup(&fdb, 0xa, 10) == 1, "and found\n");
	ksft_test_result(fab_fdb_learn(&fdb, 0xa, 2, 20) == FAB_FDB_MOVED &&
			 fab_fdb_lookup(&fdb, 0xa, 20) == 2,
			 "a host that moved is found where it is\n");
	ksft_test_result(fdb.entries == 1, "with one entry\n");
}

static void test_collision(void)
{
	u64 twin = 0xa + (1 << FAB_FDB_BITS);	/* the same bucket of the test's table */

	fab_fdb_learn(&fdb, twin, 7, 20);
	ksft_test_result(fab_fdb_lookup(&fdb, 0xa, 20) == 2 && fab_fdb_lookup(&fdb, twin, 20) == 7,
			 "addresses of one bucket are kept apart\n");
}

static void test_ageing(void)
{
	fab_fdb_flush(&fdb);
	ksft_test_result(fdb.entries == 0 && !fab_fdb_lookup(&fdb, 0xa, 20), "flush forgets all\n");
	fab_fdb_learn(&fdb, 0xa, 1, 1000);
	fab_fdb_learn(&fdb, 0xb, 2, 1200);
	ksft_test_result(fab_fdb_lookup(&fdb, 0xa, 1300) == 1, "known for as long as max_age\n");
	ksft_test_result(fab_fdb_lookup(&fdb, 0xa, 1301) == 0 && fdb.entries == 1,
			 "and no longer\n");
	ksft_test_result(fab_fdb_learn(&fdb, 0xb, 3, 2000) == FAB_FDB_NEW,
			 "an aged address that comes back is new, not moved\n");
	fab_fdb_learn(&fdb, 0xc, 1, 2500);
	fab_fdb_expire(&fdb, 2600);
	ksft_test_result(fdb.entries == 1 && fab_fdb_lookup(&fdb, 0xc, 2500) == 1,
			 "expire removes what is old and nothing else\n");
}

static void test_full(void)
{
	u64 mac;

	fab_fdb_flush(&fdb);
	for (mac = 1; mac <= FAB_FDB_MAX; mac++)
		fab_fdb_learn(&fdb, mac, 1, 100);
	ksft_test_result(fab_fdb_learn(&fdb, mac, 1, 100) == FAB_FDB_FULL,
			 "a full table learns no more\n");
	ksft_test_result(fab_fdb_learn(&fdb, 1, 2, 100) == FAB_FDB_MOVED,
			 "but still follows a move\n");
	ksft_test_result(fab_fdb_learn(&fdb, mac, 1, 500) == FAB_FDB_NEW && fdb.entries == 1,
			 "and makes room of what has aged\n");
	unit_no_memory = 1;
	ksft_test_result(fab_fdb_learn(&fdb, 0xbeef, 1, 500) == FAB_FDB_FULL,
			 "without memory nothing is learned, nothing breaks\n");
	unit_no_memory = 0;
	fab_fdb_flush(&fdb);
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(16);
	test_learning();
	test_collision();
	test_ageing();
	test_full();
	ksft_finished();
}
