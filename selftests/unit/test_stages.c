// SPDX-License-Identifier: GPL-2.0
/* Exclusive time of nested stages (kmod/cost/stages.c), with a made-up clock. */
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

typedef __u8 u8;
typedef __u64 u64;

#include "cost/stages.c"

static int tests, failed;

static void check(int good, const char *what)
{
	tests++;
	if (!good)
		failed++;
	printf("%sok %d %s\n", good ? "" : "not ", tests, what);
}

static u64 total(const struct fab_lane *lane)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < FAB_STAGES; i++)
		sum += lane->ns[i];
	return sum;
}

/* The picture at the head of stages.c. */
static void test_nesting(void)
{
	struct fab_lane l = { 0 };
	unsigned int app, sys, stack, copy;

	app = fab_lane_enter(&l, FAB_STAGE_APP, 100);
	sys = fab_lane_enter(&l, FAB_STAGE_SYSCALL, 110);
	stack = fab_lane_enter(&l, FAB_STAGE_STACK, 113);
	copy = fab_lane_enter(&l, FAB_STAGE_COPY, 120);
	check(app == 0 && sys == 1 && stack == 2 && copy == 3, "enter returns the depth");
	check(fab_lane_is_in(&l, FAB_STAGE_COPY), "the innermost stage is known");
	fab_lane_leave(&l, copy, 150);
	fab_lane_leave(&l, stack, 160);
	fab_lane_leave(&l, sys, 162);
	fab_lane_leave(&l, app, 200);
	check(l.ns[FAB_STAGE_APP] == 10 + 38, "program: before and after the call");
	check(l.ns[FAB_STAGE_SYSCALL] == 3 + 2, "call: without the stack");
	check(l.ns[FAB_STAGE_STACK] == 7 + 10, "stack: without the copy");
	check(l.ns[FAB_STAGE_COPY] == 30, "copy");
	check(total(&l) == 100, "the stages add up to the whole");
	check(!l.running && !l.depth, "the last leave stops the lane");
}

static void test_pause(void)
{
	struct fab_lane l = { 0 };

	fab_lane_enter(&l, FAB_STAGE_APP, 0);
	fab_lane_enter(&l, FAB_STAGE_STACK, 10);
	fab_lane_pause(&l, 20);
	fab_lane_pause(&l, 25);
	fab_lane_resume(&l, 1000);
	fab_lane_leave(&l, 1, 1005);
	check(l.ns[FAB_STAGE_STACK] == 15, "a pause is nobody's time");
	check(l.running && l.depth == 1, "and the lane goes on where it was");
	fab_lane_resume(&l, 2000);
	fab_lane_leave(&l, 0, 2001);
	check(l.ns[FAB_STAGE_APP] == 11, "a pause that was not seen is not booked");
}

static void test_wakes_itself(void)
{
	struct fab_lane l = { 0 };

	fab_lane_enter(&l, FAB_STAGE_APP, 0);
	fab_lane_pause(&l, 5);
	fab_lane_enter(&l, FAB_STAGE_SYSCALL, 50);
	fab_lane_leave(&l, 1, 60);
	check(l.ns[FAB_STAGE_APP] == 5 && l.ns[FAB_STAGE_SYSCALL] == 10,
	      "an event in a paused lane shows that it runs again");
}

static void test_missed_leave(void)
{
	struct fab_lane l = { 0 };

	fab_lane_enter(&l, FAB_STAGE_APP, 0);
	fab_lane_enter(&l, FAB_STAGE_SYSCALL, 1);
	fab_lane_enter(&l, FAB_STAGE_STACK, 2);
	fab_lane_enter(&l, FAB_STAGE_COPY, 3);
	fab_lane_leave(&l, 1, 10);
	check(l.depth == 1 && l.stage[0] == FAB_STAGE_APP, "an outer leave ends the inner stages");
	fab_lane_leave(&l, 3, 12);
	check(l.depth == 1, "a late inner leave changes nothing");
	check(l.ns[FAB_STAGE_COPY] == 7 && l.ns[FAB_STAGE_APP] == 1 + 2,
	      "time went where the lane was");
}

static void test_overflow(void)
{
	struct fab_lane l = { 0 };
	unsigned int token[FAB_STAGES_DEPTH + 2];
	int i;

	for (i = 0; i < FAB_STAGES_DEPTH + 2; i++)
		token[i] = fab_lane_enter(&l, i % 2 ? FAB_STAGE_STACK : FAB_STAGE_COPY, i);
	check(l.depth == FAB_STAGES_DEPTH && l.overflows == 2, "too deep is counted");
	for (i = FAB_STAGES_DEPTH + 1; i >= 0; i--)
		fab_lane_leave(&l, token[i], 100);
	check(l.depth == 0 && total(&l) == 100, "and comes out even");
}

static void test_clock(void)
{
	struct fab_lane l = { 0 };

	fab_lane_enter(&l, FAB_STAGE_APP, 1000);
	fab_lane_pause(&l, 990);
	check(total(&l) == 0, "a clock that goes back adds nothing");
	fab_lane_pause(&l, 5000);
	check(total(&l) == 0, "a lane that stands still adds nothing");
}

static void test_passes(void)
{
	struct fab_lane l = { 0 }, sum = { 0 };
	unsigned int outer, inner;

	outer = fab_lane_enter(&l, FAB_STAGE_STACK, 0);
	inner = fab_lane_enter(&l, FAB_STAGE_STACK, 1);
	fab_lane_leave(&l, inner, 2);
	inner = fab_lane_enter(&l, FAB_STAGE_DRIVER, 3);
	fab_lane_leave(&l, inner, 5);
	fab_lane_leave(&l, outer, 6);
	check(l.passes[FAB_STAGE_STACK] == 1 && l.passes[FAB_STAGE_DRIVER] == 1,
	      "a stage in itself is one pass");
	fab_lane_add(&sum, &l);
	fab_lane_add(&sum, &l);
	check(sum.ns[FAB_STAGE_STACK] == 8 && sum.ns[FAB_STAGE_DRIVER] == 4 &&
	      sum.passes[FAB_STAGE_DRIVER] == 2, "accounts add up");
}

static void test_move(void)
{
	struct fab_lane l = { 0 };

	fab_lane_enter(&l, FAB_STAGE_STACK, 0);
	fab_lane_leave(&l, 0, 10);
	fab_lane_move(&l, FAB_STAGE_STACK, FAB_STAGE_IRQ, 4);
	check(l.ns[FAB_STAGE_STACK] == 6 && l.ns[FAB_STAGE_IRQ] == 4, "time moves");
	fab_lane_move(&l, FAB_STAGE_STACK, FAB_STAGE_IRQ, 100);
	check(l.ns[FAB_STAGE_STACK] == 0 && total(&l) == 10, "but none that is not there");
}

int main(void)
{
	printf("TAP version 13\n");
	test_nesting();
	test_pause();
	test_wakes_itself();
	test_missed_leave();
	test_overflow();
	test_clock();
	test_passes();
	test_move();
	printf("1..%d\n", tests);
	return failed != 0;
}
