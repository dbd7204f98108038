// SPDX-License-Identifier: GPL-2.0
/*
 * Exclusive time of nested stages.
 *
 * A lane is one flow of execution: a process, or what a CPU does for one host
 * in interrupts. It is in a stack of stages, the program at the bottom: a
 * system call, in it TCP, in it the copy. Time belongs to the innermost stage
 * only, so the stages of a lane add up to its time and nothing counts twice.
 *
 *	     enter(SYSCALL) enter(STACK) enter(COPY)  leave   leave   leave
 *	APP  |   SYSCALL    |   STACK    |   COPY   | STACK | SYSCALL | APP
 *
 * Whoever takes the CPU away (another process, an interrupt) pauses the lane;
 * the time until it is resumed belongs to somebody else. enter() returns the
 * depth that leave() goes back to: a leave() that was never seen (the process
 * was killed, a probe was missed) is put right by the next one further out.
 *
 * No clock, no lock: the caller says what time it is and keeps others out.
 */
#include <linux/types.h>
#include "stages.h"

/* Book the time up to now. Two CPUs' clocks may differ by a little: it never runs backwards. */
static void settle(struct fab_lane *lane, u64 now)
{
	if (lane->running && lane->depth && now > lane->since)
		lane->ns[lane->stage[lane->depth - 1]] += now - lane->since;
	lane->since = now;
}

/**
 * fab_lane_enter() - one stage further in
 * @lane: that enters it; it runs from now on, if it did not
 * @stage: the stage
 * @now: time
 *
 * Return: the depth to go back to with fab_lane_leave()
 */
unsigned int fab_lane_enter(struct fab_lane *lane, enum fab_stage stage, u64 now)
{
	settle(lane, now);
	lane->running = true;
	if (lane->depth == FAB_STAGES_DEPTH) {
		lane->overflows++;
		return lane->depth;
	}
	if (!fab_lane_is_in(lane, stage))
		lane->passes[stage]++;
	lane->stage[lane->depth] = stage;
	return lane->depth++;
}

/**
 * fab_lane_leave() - back to the stage that was entered from
 * @lane: that leaves
 * @depth: what fab_lane_enter() returned
 * @now: time
 */
void fab_lane_leave(struct fab_lane *lane, unsigned int depth, u64 now)
{
	settle(lane, now);
	if (depth < lane->depth)
		lane->depth = depth;
	lane->running = lane->depth;
}

/**
 * fab_lane_pause() - the CPU does something else from now on
 * @lane: that stands still; nothing happens if it did already
 * @now: time
 */
void fab_lane_pause(struct fab_lane *lane, u64 now)
{
	settle(lane, now);
	lane->running = false;
}

/**
 * fab_lane_resume() - the CPU is back
 * @lane: that runs again; if its pause was not seen, the time before is not booked
 * @now: time
 */
void fab_lane_resume(struct fab_lane *lane, u64 now)
{
	lane->since = now;
	lane->running = lane->depth;
}

/**
 * fab_lane_move() - time that turned out to be another stage's
 * @lane: whose account
 * @from: stage it was booked to
 * @to: stage it belongs to
 * @ns: how much, as far as it is there
 */
void fab_lane_move(struct fab_lane *lane, enum fab_stage from, enum fab_stage to, u64 ns)
{
	if (ns > lane->ns[from])
		ns = lane->ns[from];
	lane->ns[from] -= ns;
	lane->ns[to] += ns;
}

/**
 * fab_lane_add() - add up accounts
 * @sum: that grows
 * @lane: what is added
 */
void fab_lane_add(struct fab_lane *sum, const struct fab_lane *lane)
{
	int i;

	for (i = 0; i < FAB_STAGES; i++) {
		sum->ns[i] += lane->ns[i];
		sum->passes[i] += lane->passes[i];
	}
	sum->overflows += lane->overflows;
}
