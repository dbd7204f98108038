/* SPDX-License-Identifier: GPL-2.0 */
/* Exclusive time of nested stages (stages.c has the model); builds in userspace too. */
#ifndef FAB_COST_STAGES_H
#define FAB_COST_STAGES_H

#include <linux/types.h>

/**
 * enum fab_stage - where a CPU can be while it works for one side
 * @FAB_STAGE_APP: in the program
 * @FAB_STAGE_SYSCALL: entering and leaving the kernel, socket layer, waiting and waking
 * @FAB_STAGE_COPY: between user and kernel memory
 * @FAB_STAGE_STACK: in the protocol stack
 * @FAB_STAGE_DRIVER: in the driver's transmit function
 * @FAB_STAGE_IRQ: in the interrupt and the driver's poll function
 * @FAB_STAGES: how many there are
 */
enum fab_stage {
	FAB_STAGE_APP,
	FAB_STAGE_SYSCALL,
	FAB_STAGE_COPY,
	FAB_STAGE_STACK,
	FAB_STAGE_DRIVER,
	FAB_STAGE_IRQ,

	FAB_STAGES
};

#define FAB_STAGES_DEPTH	8

/**
 * struct fab_lane - the stages that one flow of execution is in now, and its account
 * @since: the innermost stage's time is booked up to here
 * @ns: time spent in each stage, without the stages nested in it
 * @passes: how often each was entered from another one
 * @overflows: stages that were not entered because too many were nested
 * @stage: those it is in, the outermost first
 * @depth: how many
 * @running: a CPU executes it
 */
struct fab_lane {
	u64 since;
	u64 ns[FAB_STAGES];
	u64 passes[FAB_STAGES];
	u64 overflows;
	u8 stage[FAB_STAGES_DEPTH];
	u8 depth;
	bool running;
};

unsigned int fab_lane_enter(struct fab_lane *lane, enum fab_stage stage, u64 now);
void fab_lane_leave(struct fab_lane *lane, unsigned int depth, u64 now);
void fab_lane_pause(struct fab_lane *lane, u64 now);
void fab_lane_resume(struct fab_lane *lane, u64 now);
void fab_lane_move(struct fab_lane *lane, enum fab_stage from, enum fab_stage to, u64 ns);
void fab_lane_add(struct fab_lane *sum, const struct fab_lane *lane);

static inline bool fab_lane_is_in(const struct fab_lane *lane, enum fab_stage stage)
{
	return lane->depth && lane->stage[lane->depth - 1] == stage;
}

#endif /* FAB_COST_STAGES_H */
