// SPDX-License-Identifier: GPL-2.0
/*
 * What goes wrong on a wire.
 *
 * Each wire has its own sequence of random numbers, made from the link's seed
 * and the direction: packets on other wires do not disturb it, so a run with
 * the same seed loses the same packets. Pure arithmetic: no allocation, no
 * clock, built for the unit tests in userspace too.
 */
#include <linux/math64.h>
#include "fault.h"
#include "uapi/fabsim.h"

/**
 * fab_random() - the next number of a sequence
 * @state: state of the sequence; any value is a valid start
 *
 * SplitMix64 (Steele, Lea, Flood 2014): one addition, two multiplications,
 * period 2^64, equidistributed. Not for secrets.
 *
 * Return: 64 random bits.
 */
u64 fab_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * fab_faults_seed() - start the sequence of a wire
 * @faults: faults of the wire; its settings stay
 * @seed: seed of the link
 * @wire: 0 or 1, so that the two directions differ
 */
void fab_faults_seed(struct fab_faults *faults, u64 seed, unsigned int wire)
{
	faults->rng = seed * 2 + wire;
	/* Neighbouring seeds are far apart after one step. */
	faults->rng = fab_random(&faults->rng);
}

/**
 * fab_ber_to_error() - bit-error rate as a fraction of 2^64
 * @ber: in units of 10^-18, up to 10^18
 *
 * Return: ber * 2^64 / 10^18, at most 2^64 - 1.
 */
u64 fab_ber_to_error(u64 ber)
{
	if (ber >= FABSIM_BER_ONE)
		return ~0ULL;
	/* 2^64 / 10^18 = 18.446744…: whole part, and the rest to 32 bits (0.446744… * 2^32). */
	return ber * 18 + mul_u64_u64_shr(ber, 1918751186ULL, 32);
}

/**
 * fab_survival() - probability that a packet has no bit error
 * @error: probability of an error in one bit, of 2^64
 * @bits: length of the packet
 *
 * (1 - error)^bits by repeated squaring in 0.64 fixed point: off by less than
 * 2^-57 for the longest frame.
 *
 * Return: the probability, of 2^64.
 */
u64 fab_survival(u64 error, u32 bits)
{
	u64 base = ~error;	/* 1 - error, to 2^-64 */
	u64 result = ~0ULL;

	for (; bits; bits >>= 1) {
		if (bits & 1)
			result = mul_u64_u64_shr(result, base, 64);
		base = mul_u64_u64_shr(base, base, 64);
	}
	return result;
}

/* Does a countdown end with this packet? */
static bool counts_down(u64 *nth)
{
	return *nth && --*nth == 0;
}

/**
 * fab_faults_next() - the fate of the next packet of a wire
 * @faults: faults of the wire
 * @bytes: length of the packet
 *
 * Both countdowns move with every packet. A random number is drawn only for a
 * fault that is on.
 *
 * Return: whether it arrives, is lost, or arrives damaged.
 */
enum fab_verdict fab_faults_next(struct fab_faults *faults, u32 bytes)
{
	bool drop = counts_down(&faults->drop_nth);
	bool corrupt = counts_down(&faults->corrupt_nth);

	if (faults->loss &&
	    mul_u64_u64_shr(fab_random(&faults->rng), FABSIM_PPB, 64) < faults->loss)
		drop = true;
	if (faults->error &&
	    fab_random(&faults->rng) > fab_survival(faults->error, bytes * 8))
		corrupt = true;
	if (drop)
		return FAB_VERDICT_LOST;
	return corrupt ? FAB_VERDICT_DAMAGED : FAB_VERDICT_FINE;
}
