/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes wrong on a wire: pure arithmetic, also built in userspace by the unit tests.
 */
#ifndef FAB_FAULT_H
#define FAB_FAULT_H

#include <linux/types.h>

/**
 * struct fab_faults - faults of one wire
 * @rng: state of the generator; the seed and nothing else decides the sequence
 * @drop_nth: lose the packet that makes this zero; 0 = off
 * @corrupt_nth: damage the packet that makes this zero; 0 = off
 * @error: probability of an error in one bit, in units of 2^-64
 * @loss: probability that a packet is lost, of 10^9
 */
struct fab_faults {
	u64 rng;
	u64 drop_nth;
	u64 corrupt_nth;
	u64 error;
	u32 loss;
};

enum fab_verdict {
	FAB_VERDICT_FINE,
	FAB_VERDICT_LOST,
	FAB_VERDICT_DAMAGED,
};

void fab_faults_seed(struct fab_faults *faults, u64 seed, unsigned int wire);
u64 fab_ber_to_error(u64 ber);
u64 fab_survival(u64 error, u32 bits);
u64 fab_random(u64 *state);
enum fab_verdict fab_faults_next(struct fab_faults *faults, u32 bytes);

static inline bool fab_faults_any(const struct fab_faults *faults)
{
	return faults->drop_nth || faults->corrupt_nth || faults->error || faults->loss;
}

#endif /* FAB_FAULT_H */
