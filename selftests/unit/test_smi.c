// SPDX-License-Identifier: GPL-2.0
/*
 * Directed routes: kmod/ib/smi.c, against InfiniBand vol 1, 14.2.2.
 *
 *	A:1 --- 1:S1:2 --- 1:S2:3 --- 1:B		LIDs: S1 = 11, S2 = 12, B = 22, the SM = 9
 */
#include <stdlib.h>
#include <string.h>
#include "kselftest.h"
#include "ib/smi.c"

enum { A, S1, S2, B, N_NODES, NOWHERE = -1 };

static const struct {
	bool is_switch;
	u8 n_ports;
	struct {
		int node;
		u8 port;
	} cable[4];		/* by port */
} nodes[] = {
	[A] = { false, 1, { [1] = { S1, 1 } } },
	[S1] = { true, 2, { [1] = { A, 1 }, [2] = { S2, 1 } } },
	[S2] = { true, 3, { [1] = { S1, 2 }, [2] = { NOWHERE }, [3] = { B, 1 } } },
	[B] = { false, 1, { [1] = { S2, 3 } } },
};

static struct ib_smp smp;
static u16 lid;		/* where the LID-routed part goes */

static void begin(const char *path, u16 slid, u16 dlid)
{
	memset(&smp, 0, sizeof(smp));
	for (smp.hop_cnt = 0; path[smp.hop_cnt]; smp.hop_cnt++)
		smp.initial_path[smp.hop_cnt + 1] = path[smp.hop_cnt] - '0';
	smp.dr_slid = cpu_to_be16(slid);
	smp.dr_dlid = cpu_to_be16(dlid);
}

/* From @node, where it came in by @in, until somebody takes it or it leaves by LID. */
static int walk(int node, u8 in)
{
	int hops;

	lid = 0;
	for (hops = 0; hops < 100; hops++) {
		enum fab_smi_verdict verdict;
		u16 out = 0;

		verdict = fab_smi_route(&smp, nodes[node].is_switch, in, nodes[node].n_ports, &out);
		if (verdict == FAB_SMI_LOCAL)
			return node;
		if (verdict == FAB_SMI_LID)
			lid = out;
		if (verdict != FAB_SMI_PORT)
			return NOWHERE;
		in = nodes[node].cable[out].port;
		node = nodes[node].cable[out].node;
		if (node == NOWHERE)
			return NOWHERE;
	}
	return NOWHERE;
}

static void turn(void)
{
	smp.status |= IB_SMP_DIRECTION;
}

/* As a host's kernel begins a route: out of its only port. */
static int walk_from_a(void)
{
	smp.hop_ptr = 1;
	return walk(S1, 1);
}

static bool there_and_back(void)
{
	begin("23", FAB_IB_PERMISSIVE, FAB_IB_PERMISSIVE);
	if (walk(S1, 0) != B || smp.hop_ptr != 3 || smp.return_path[1] != 1 ||
	    smp.return_path[2] != 1)
		return false;
	turn();
	return walk(B, 1) == S1 && smp.hop_ptr == 0;
}

static bool from_a_host(void)
{
	begin("123", FAB_IB_PERMISSIVE, FAB_IB_PERMISSIVE);
	if (walk_from_a() != B || smp.return_path[1] != 1)
		return false;
	turn();
	/* The way back ends at the host's kernel, with pointer 1. */
	if (walk(B, 1) != A)
		return false;
	begin("1", FAB_IB_PERMISSIVE, FAB_IB_PERMISSIVE);
	if (walk_from_a() != S1 || smp.return_path[1] != 1)
		return false;
	turn();
	return walk(S1, 0) == A && smp.hop_ptr == 0;
}

static bool to_itself(void)
{
	begin("", FAB_IB_PERMISSIVE, FAB_IB_PERMISSIVE);
	if (walk(S1, 0) != S1 || smp.hop_ptr != 1)
		return false;
	turn();
	return walk(S1, 0) == S1 && smp.hop_ptr == 0 && walk(S1, 0) == S1;
}

/* By LID to S1, directed from there; and back to the SM by its LID. */
static bool lid_in_front(void)
{
	begin("23", 9, FAB_IB_PERMISSIVE);
	if (walk(S1, 1) != B)
		return false;
	turn();
	return walk(B, 1) == NOWHERE && lid == 9 && smp.hop_ptr == 0;
}

/* Directed to S2, by LID from there to B; B answers to S2's LID. */
static bool lid_behind(void)
{
	begin("2", FAB_IB_PERMISSIVE, 22);
	if (walk(S1, 0) != NOWHERE || lid != 22 || smp.hop_ptr != 2)
		return false;
	turn();
	return walk(S2, 3) == S1 && smp.hop_ptr == 0;
}

static bool bad_ports(void)
{
	begin("9", FAB_IB_PERMISSIVE, FAB_IB_PERMISSIVE);
	if (walk(S1, 0) != NOWHERE)
		return false;
	begin("0", FAB_IB_PERMISSIVE, FAB_IB_PERMISSIVE);
	if (walk(S1, 0) != NOWHERE)
		return false;
	/* Through a host is no way. */
	begin("1231", FAB_IB_PERMISSIVE, FAB_IB_PERMISSIVE);
	return walk_from_a() == NOWHERE;
}

static bool longest(void)
{
	begin("", FAB_IB_PERMISSIVE, FAB_IB_PERMISSIVE);
	smp.hop_cnt = IB_SMP_MAX_PATH_HOPS - 1;
	memset(smp.initial_path, 2, sizeof(smp.initial_path));
	smp.hop_ptr = IB_SMP_MAX_PATH_HOPS - 2;
	if (walk(S1, 1) != S2 || smp.return_path[IB_SMP_MAX_PATH_HOPS - 1] != 1)
		return false;
	smp.hop_cnt = IB_SMP_MAX_PATH_HOPS;
	smp.hop_ptr = 0;
	return walk(S1, 0) == NOWHERE;
}

static bool garbage(void)
{
	unsigned int i, n;

	srand(1);
	for (n = 0; n < 200000; n++) {
		for (i = 0; i < sizeof(smp); i++)
			((u8 *)&smp)[i] = rand();
		if (rand() % 2)
			smp.hop_cnt %= 64;
		if (rand() % 2)
			smp.hop_ptr = smp.hop_cnt + rand() % 3 - 1;
		walk(rand() % N_NODES, 1);
	}
	return true;
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(8);
	ksft_test_result(there_and_back(), "two hops from a switch, and back\n");
	ksft_test_result(from_a_host(), "from a host, over switches and to one, and back\n");
	ksft_test_result(to_itself(), "no hops: the node itself\n");
	ksft_test_result(lid_in_front(), "a LID-routed part in front\n");
	ksft_test_result(lid_behind(), "a LID-routed part behind\n");
	ksft_test_result(bad_ports(), "ports that are not there, and hosts on the way\n");
	ksft_test_result(longest(), "63 hops are the most\n");
	ksft_test_result(garbage(), "whatever comes stays inside its paths\n");
	ksft_finished();
}
