/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's cost probes (kmod/cost): attach, follow processes, detach, read.
 *
 * A measurement belongs to the socket that started it and ends with it, so a
 * killed fabctl leaves no probe behind.
 */
#ifndef FABCTL_COST_H
#define FABCTL_COST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nl.h"

struct cost_stage {
	uint64_t ns, count;
	bool cpu;
};

struct cost_result {
	/* Bit n: counter n was measured; one that was not is no zero. */
	uint32_t has[FABSIM_SIDE_MAX + 1];
	uint64_t counter[FABSIM_SIDE_MAX + 1][FABSIM_A_COUNTER_MAX + 1];
	struct cost_stage stage[FABSIM_STAGE_MAX + 1];
	uint64_t real_ns, fabric_ns;
};

/* Each 0 or -errno; fab_nl_fail() says why. */
int cost_start(struct fab_nl *nl, enum fabsim_path path, uint32_t mode);
int cost_attach(struct fab_nl *nl, pid_t pid, enum fabsim_side side,
		const char *host);
/* Start, and attach both ends of a transfer: process and host of each. */
int cost_start_pair(struct fab_nl *nl, enum fabsim_path path, uint32_t mode,
		    pid_t sender, const char *from, pid_t receiver, const char *to);
int cost_stop(struct fab_nl *nl);
int cost_get(struct fab_nl *nl, enum fabsim_path path, struct cost_result *res);

static inline bool cost_has(const struct cost_result *res, enum fabsim_side side,
			    enum fabsim_counter_attr attr)
{
	return res->has[side] & 1u << attr;
}

/* Bytes a CPU copied between user and kernel, either way; and the hits. */
uint64_t cost_copied(const struct cost_result *res, enum fabsim_side side);
uint64_t cost_copies(const struct cost_result *res, enum fabsim_side side);

/* "tcp", "roce", "ib"; and the other way round, -1 if it is none. */
const char *cost_path_name(enum fabsim_path path);
int cost_path_find(const char *name);

/* What a stage is called, where it is ("sender", "network", "receiver"). */
const char *cost_stage_name(enum fabsim_stage stage);
const char *cost_stage_side(enum fabsim_stage stage);

#endif /* FABCTL_COST_H */
