// SPDX-License-Identifier: GPL-2.0
/*
 * Check sums of RDMA packets: kmod/icrc.c, against packets that others have made:
 * the sample packets of the InfiniBand specification (vol. 1, 7.8), and frames that
 * were captured from RoCE hardware.
 */
#include <string.h>
#include "kselftest.h"
#include "icrc.c"

/* The sample packet with LRH, BTH and 32 bytes behind it; its ICRC is 96 25 b7 5a. */
static const u8 local[] = {
	0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2, 0x0a, 0x20, 0x24, 0x87, 0x00,
	0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, 0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d,
	0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, 0x00, 0x00, 0x00, 0x0e, 0xbb, 0x88, 0x4d,
	0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, 0x0e, 0xd4, 0x00, 0x00,
};

static const u8 local_icrc[] = { 0x96, 0x25, 0xb7, 0x5a };

/* The same with a GRH. */
static const u8 global[] = {
	0x70, 0x13, 0x37, 0x5c, 0x00, 0x18, 0x17, 0xd2, 0x60, 0x00, 0x00, 0x00, 0x00,
	0x32, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x25, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x26, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	0x17, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x96, 0x0a, 0x20, 0x24, 0x87,
	0x00, 0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, 0x01, 0x71, 0x0a, 0x1c, 0x01,
	0x5d, 0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, 0x00, 0x00, 0x00, 0x0e, 0xbb, 0x88,
	0x4d, 0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, 0x0e, 0xd4, 0x00,
	0x00,
};

/* A CNP (with BECN, type of service 0xc2) from a ConnectX-4 Lx; the last 4 bytes are the ICRC. */
static const u8 cnp[] = {
	0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08,
	0x00, 0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61,
	0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00,
	0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xfd, 0x00, 0x2a,
};

/* An RC WRITE of 16 bytes that somebody captured, with a UDP check sum. */
static const u8 rc_write[] = {
	0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0x7c, 0xb2, 0x7d, 0x62, 0xc1, 0xef, 0x08,
	0x00, 0x45, 0x00, 0x00, 0x4c, 0x00, 0x01, 0x00, 0x00, 0x40, 0x11, 0xf5, 0x4c,
	0xc0, 0xa8, 0x02, 0x01, 0xc0, 0xa8, 0x02, 0x02, 0x01, 0xf4, 0x12, 0xb7, 0x00,
	0x38, 0xff, 0xa6, 0x0a, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x12, 0x30, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
	0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0xca, 0x47, 0x47, 0x0e,
};

/* As 7.8.2 draws it: bits one by one through a shift register, the highest power leaves first. */
static void vcrc_by_register(const u8 *data, u32 len, u8 vcrc[2])
{
	u16 reg = 0xffff;
	u32 i;

	for (i = 0; i < 8 * len; i++) {
		bool bit = data[i / 8] >> (i % 8) & 1, out = reg >> 15;

		reg <<= 1;
		if (bit != out)
			reg ^= 0x100b;
	}
	memset(vcrc, 0, 2);
	for (i = 0; i < 16; i++)
		if (!(reg >> (15 - i) & 1))
			vcrc[i / 8] |= 1 << i % 8;
}

static bool ends_with_its_icrc(const u8 *frame, u32 len)
{
	u8 tail[FAB_TAIL_MAX];

	return fab_icrc_tail(frame, len - 4, true, tail) == 4 && !memcmp(tail, frame + len - 4, 4);
}

/* What may change on the way changes nothing; what may not does. */
static bool covers(const u8 *packet, u32 len, bool ethernet, u32 at, u8 bits)
{
	u8 changed[128], before[FAB_TAIL_MAX], after[FAB_TAIL_MAX];

	memcpy(changed, packet, len);
	changed[at] ^= bits;
	if (!fab_icrc_tail(packet, len, ethernet, before) ||
	    !fab_icrc_tail(changed, len, ethernet, after))
		return false;
	return memcmp(before, after, 4);
}

static void test_invariant(void)
{
	static const u32 cnp_free[] = { 0, 15, 22, 24, 25, 40, 41, 46 };
	static const u32 global_free[] = { 0, 2, 5, 9, 10, 11, 15, 52 };
	bool good = true, covered = true;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		good &= !covers(cnp, sizeof(cnp) - 4, true, cnp_free[i], 0x60);
		good &= !covers(global, sizeof(global), false, global_free[i], 0x60);
	}
	ksft_test_result(good && !covers(local, sizeof(local), false, 0, 0xf0) &&
			 !covers(global, sizeof(global), false, 8, 0x0f),
			 "what a switch or router may change is not covered\n");
	for (i = 26; i < 40; i++)
		covered &= covers(cnp, sizeof(cnp) - 4, true, i, 1);
	for (i = 16; i < 52; i++)
		covered &= covers(global, sizeof(global), false, i, 1);
	ksft_test_result(covered && covers(local, sizeof(local), false, 0, 0x01) &&
			 covers(local, sizeof(local), false, 3, 0x01) &&
			 covers(cnp, sizeof(cnp) - 4, true, sizeof(cnp) - 5, 0x80),
			 "addresses, ports and payload are\n");
}

static void test_short(void)
{
	u8 tail[FAB_TAIL_MAX], copy[128];
	bool good = true;
	u32 len;

	/* ASan sees it if a byte too many is read. */
	for (len = 0; len < 14 + 20 + 8 + 12; len++) {
		u8 *frame = malloc(len ?: 1);

		memcpy(frame, cnp, len);
		good &= !fab_icrc_tail(frame, len, true, tail);
		free(frame);
	}
	for (len = 0; len < 20; len++) {
		u8 *packet = malloc(len ?: 1);

		memcpy(packet, local, len);
		good &= fab_icrc_tail(packet, len, false, tail) == (len < 8 ? 0 : 2);
		free(packet);
	}
	for (len = 20; len < 60; len++) {
		u8 *packet = malloc(len);

		memcpy(packet, global, len);
		good &= !fab_icrc_ib(packet, len, tail);
		free(packet);
	}
	ksft_test_result(good, "packets cut short have no ICRC\n");

	memcpy(copy, cnp, sizeof(cnp));
	copy[14] = 0x46;
	good = !fab_icrc_tail(copy, sizeof(cnp) - 4, true, tail);
	copy[12] = 0x08;
	copy[13] = 0x06;
	ksft_test_result(good && !fab_icrc_tail(copy, sizeof(cnp) - 4, true, tail),
			 "nor has IPv4 with options, or ARP\n");
}

static void test_vcrc(void)
{
	u8 all[sizeof(local) + 4], vcrc[2], want[2], tail[FAB_TAIL_MAX];

	memcpy(all, local, sizeof(local));
	memcpy(all + sizeof(local), local_icrc, 4);
	fab_vcrc(local, sizeof(local), local_icrc, vcrc);
	vcrc_by_register(all, sizeof(all), want);
	ksft_test_result(!memcmp(vcrc, want, 2), "VCRC as a shift register makes it\n");
	ksft_test_result(fab_icrc_tail(local, sizeof(local), false, tail) == 6 &&
			 !memcmp(tail, local_icrc, 4) && !memcmp(tail + 4, want, 2),
			 "InfiniBand: ICRC, then VCRC\n");
	all[1] &= ~3;
	vcrc_by_register(all, 40, want);
	ksft_test_result(fab_icrc_tail(all, 40, false, tail) == 2 && !memcmp(tail, want, 2),
			 "a raw packet has only a VCRC\n");
}

static void test_tagged(void)
{
	u8 tagged[sizeof(cnp) + 4];

	memcpy(tagged, cnp, 12);
	memcpy(tagged + 12, (u8 []){ 0x81, 0x00, 0x60, 0x05 }, 4);
	memcpy(tagged + 16, cnp + 12, sizeof(cnp) - 12);
	ksft_test_result(ends_with_its_icrc(tagged, sizeof(tagged)), "a tag changes nothing\n");
}

/* No captured packet at hand: the masks of A17, spelt out byte by byte. */
static void test_ipv6(void)
{
	u8 frame[14 + 40 + 8 + 12 + 16] = { [12] = 0x86, 0xdd, 0x60 };
	u8 *ip = frame + 14, plain[8 + sizeof(frame) - 14], tail[FAB_TAIL_MAX];
	u32 crc, i;

	for (i = 4; i < sizeof(frame) - 14; i++)
		ip[i] = 7 * i;
	memset(plain, 0xff, 8);
	memcpy(plain + 8, ip, sizeof(frame) - 14);
	memcpy(plain + 8, (u8 []){ 0x6f, 0xff, 0xff, 0xff }, 4);
	plain[8 + 7] = 0xff;
	plain[8 + 46] = 0xff;
	plain[8 + 47] = 0xff;
	plain[8 + 52] = 0xff;
	crc = ~crc32_le(~0U, plain, sizeof(plain));
	ksft_test_result(fab_icrc_tail(frame, sizeof(frame), true, tail) == 4 &&
			 tail[0] == (u8)crc && tail[3] == crc >> 24,
			 "IPv6: class, label, hop limit and UDP check sum are masked\n");
}

int main(void)
{
	u8 icrc[4];

	ksft_print_header();
	ksft_set_plan(12);
	ksft_test_result(fab_icrc_ib(local, sizeof(local), icrc) && !memcmp(icrc, local_icrc, 4),
			 "the specification's sample packet\n");
	ksft_test_result(ends_with_its_icrc(cnp, sizeof(cnp)), "a CNP of a ConnectX-4 Lx\n");
	ksft_test_result(ends_with_its_icrc(rc_write, sizeof(rc_write)),
			 "an RC WRITE with a UDP check sum\n");
	test_tagged();
	test_ipv6();
	test_invariant();
	test_short();
	test_vcrc();
	ksft_finished();
}
