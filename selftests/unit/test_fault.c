// SPDX-License-Identifier: GPL-2.0
/* Faults of a wire: kmod/fault.c. */
#include <math.h>
#include <string.h>
#include "kselftest.h"
#include "fault.c"

static unsigned int count(struct fab_faults *faults, unsigned int packets, u32 bytes,
			  enum fab_verdict wanted)
{
	unsigned int n = 0;

	while (packets--)
		n += fab_faults_next(faults, bytes) == wanted;
	return n;
}

static void test_nth(void)
{
	struct fab_faults faults = { .drop_nth = 500 };
	unsigned int i, hit = 0;

	for (i = 1; i <= 2000; i++)
		if (fab_faults_next(&faults, 1500) == FAB_VERDICT_LOST)
			hit = hit ? 9999 : i;
	ksft_test_result(hit == 500, "drop-nth hits the 500th packet and no other\n");
	ksft_test_result(!fab_faults_any(&faults), "and then the wire has no fault any more\n");

	memset(&faults, 0, sizeof(faults));
	faults.corrupt_nth = 1;
	ksft_test_result(fab_faults_next(&faults, 64) == FAB_VERDICT_DAMAGED &&
			 fab_faults_next(&faults, 64) == FAB_VERDICT_FINE,
			 "corrupt-nth 1 hits the next packet\n");
	faults.drop_nth = 1;
	faults.corrupt_nth = 1;
	ksft_test_result(fab_faults_next(&faults, 64) == FAB_VERDICT_LOST,
			 "a packet that is lost is not damaged too\n");
}

static void test_loss(void)
{
	struct fab_faults faults = { .loss = 10000000 };	/* 1 % */
	unsigned int lost;

	fab_faults_seed(&faults, 1, 0);
	lost = count(&faults, 100000, 1500, FAB_VERDICT_LOST);
	/* 1000 expected, standard deviation 31: five of them. */
	ksft_test_result(lost > 842 && lost < 1158, "1 %% loss: %u of 100000\n", lost);

	faults.loss = FABSIM_PPB;
	ksft_test_result(count(&faults, 1000, 1500, FAB_VERDICT_LOST) == 1000, "100 %% loss\n");
}

static void test_seed(void)
{
	struct fab_faults a = { .loss = 500000000 }, b = a, c = a, d = a;
	unsigned int same_c = 0, same_d = 0;
	bool equal = true;
	int i;

	fab_faults_seed(&a, 7, 0);
	fab_faults_seed(&b, 7, 0);
	fab_faults_seed(&c, 7, 1);
	fab_faults_seed(&d, 8, 0);
	for (i = 0; i < 1000; i++) {
		enum fab_verdict verdict = fab_faults_next(&a, 100);

		equal &= verdict == fab_faults_next(&b, 100);
		same_c += verdict == fab_faults_next(&c, 100);
		same_d += verdict == fab_faults_next(&d, 100);
	}
	ksft_test_result(equal, "one seed, one sequence\n");
	/* Unrelated coins agree half of the time; deviation 16. */
	ksft_test_result(same_c > 420 && same_c < 580,
			 "the other direction has its own: %u\n", same_c);
	ksft_test_result(same_d > 420 && same_d < 580,
			 "another seed has its own: %u\n", same_d);
}

static void test_survival(void)
{
	/* In units of 10^-18. */
	static const u64 rates[] = {
		1000, 1000000, 1000000000, 1000000000000, 100000000000000, 10000000000000000,
	};
	u32 bits = 9038 * 8;
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		double ber = (double)rates[i] / FABSIM_BER_ONE;
		double got = ldexp(fab_survival(fab_ber_to_error(rates[i]), bits), -64);
		double want = exp(bits * log1p(-ber));

		if (fabs(got - want) * 1e9 > 1) {
			ksft_print_msg("ber %g: wanted %.12f, got %.12f\n", ber, want, got);
			good = false;
		}
	}
	ksft_test_result(good, "(1 - ber)^bits to nine digits, from 10^-15 to 10^-2\n");
	ksft_test_result(fab_survival(0, bits) > ~0ULL - 1000000,
			 "no bit error rate, no bit error\n");
	ksft_test_result(fab_ber_to_error(FABSIM_BER_ONE) == ~0ULL, "a rate of 1 is every bit\n");
	ksft_test_result(fabs(ldexp(fab_ber_to_error(FABSIM_BER_ONE / 2), -63) - 1) * 1e11 < 1,
			 "a rate of a half is half of 2^64\n");
}

static void test_bit_errors(void)
{
	struct fab_faults faults = { .error = fab_ber_to_error(1000000000000ULL) };	/* 10^-6 */
	unsigned int damaged;

	fab_faults_seed(&faults, 3, 0);
	/* 1 - (1 - 10^-6)^12000 = 1.193 %: 1193 expected, deviation 34. */
	damaged = count(&faults, 100000, 1500, FAB_VERDICT_DAMAGED);
	ksft_test_result(damaged > 1020 && damaged < 1366,
			 "ber 10^-6 damages 1.2 %% of 1500-byte packets: %u of 100000\n", damaged);
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(14);
	test_nth();
	test_loss();
	test_seed();
	test_survival();
	test_bit_errors();
	ksft_finished();
}
