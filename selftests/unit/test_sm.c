// SPDX-License-Identifier: GPL-2.0
/* The subnet manager: kmod/ib/sm*.c on the fabric of sm_fabric.h. */
#include "sm_fabric.h"

/* 0 is the switch, 1 and 2 are hosts. */
static void lab(void)
{
	clear_fabric();
	add_node(true, 4);
	add_node(false, 1);
	add_node(false, 1);
	set_cable(0, 1, 1, 1, true);
	set_cable(0, 2, 2, 1, true);
}

static void test_lab(void)
{
	struct fab_sm_info info;
	u64 smps;

	lab();
	ksft_test_result(data(1, 2) < 0, "without SM no data\n");
	start(0, 1);
	pass(100);
	info = read_sm(0);
	ksft_test_result(info.state == FAB_SM_MASTER && info.up && info.switches == 1 &&
			 info.ends == 2, "one switch, two hosts: up in 100 ms\n");
	ksft_test_result(data(1, 2) == 1 && data(2, 1) == 1, "data goes both ways\n");
	ksft_test_result(be16_to_cpu(info_of(0, 0)->lid) == 1 &&
			 be16_to_cpu(info_of(1, 1)->lid) == 2 &&
			 be16_to_cpu(info_of(2, 1)->lid) == 3 &&
			 info_of(2, 1)->sm_lid == info_of(0, 0)->lid,
			 "LIDs: the switch 1, the hosts 2 and 3, and they know the SM\n");
	ksft_test_result(info_of(1, 1)->neighbormtu_mastersmsl == 5 << 4 &&
			 info_of(0, 1)->operationalvl_pei_peo_fpi_fpo == 3 << 4,
			 "MTU and lanes are what both ends can do\n");
	ksft_test_result(!illegal && !info.stats.timeouts, "no request was wrong or lost (%u)\n",
			 illegal);
	ksft_print_msg("%llu SMPs\n", info.stats.smps_sent);
	smps = info.stats.smps_sent;
	raise_trap(0);
	pass(100);
	info = read_sm(0);
	ksft_test_result(repressed == 1 && info.stats.sweeps == 2,
			 "a trap is repressed, and swept\n");
	ksft_test_result(info.stats.smps_sent - smps < smps && !illegal,
			 "where nothing has changed, only SwitchInfo is written (%llu SMPs)\n",
			 info.stats.smps_sent - smps);
	pass(10000);
	ksft_test_result(read_sm(0).stats.light_sweeps == 1 && read_sm(0).stats.sweeps == 2,
			 "a light sweep every 10 s\n");
	set_cable(0, 2, 2, 1, false);
	set_cable(0, 3, 2, 1, true);
	pass(11000);
	ksft_test_result(data(1, 2) == 1, "it finds a cable that was moved without a trap\n");
	fab_sm_stop(&nodes[0].sw);
	ksft_test_result(data(1, 2) == 1 && !read_sm(0).running, "it stops, data goes on\n");
}

static void test_diamond(void)
{
	__be16 lid;

	diamond();
	start(0, 1);
	pass(100);
	lid = info_of(7, 1)->lid;
	ksft_test_result(all_data(4, 7) && !illegal, "diamond: up\n");
	ksft_test_result(nodes[0].lft[be16_to_cpu(info_of(6, 1)->lid)] !=
			 nodes[0].lft[be16_to_cpu(lid)], "diamond: by both ways\n");
	set_cable(0, 1, 1, 1, false);
	ksft_test_result(!all_data(4, 7), "diamond: a cable is cut: not all arrives\n");
	nodes[0].sw.agent->changed(nodes[0].sw.agent);
	pass(100);
	ksft_test_result(all_data(4, 7) && info_of(7, 1)->lid == lid,
			 "diamond: rerouted, addresses stay\n");
	fab_sm_stop(&nodes[0].sw);
	set_cable(0, 1, 1, 1, true);
	set_cable(0, 2, 2, 1, false);
	pass(60000);
	ksft_test_result(!all_data(4, 7), "diamond: without SM a cut stays cut\n");
	start(0, 1);
	pass(100);
	ksft_test_result(all_data(4, 7) && info_of(7, 1)->lid == lid && !illegal,
			 "diamond: the SM is back: rerouted, addresses stay\n");
	fab_sm_stop(&nodes[0].sw);
}

static void test_two(void)
{
	__be16 lid;

	diamond();
	start(3, 1);
	pass(100);
	lid = info_of(7, 1)->lid;
	start(0, 1);
	pass(100);
	ksft_test_result(read_sm(3).state == FAB_SM_MASTER && read_sm(0).state == FAB_SM_STANDBY &&
			 read_sm(0).master_guid == nodes[3].guid, "who comes second is standby\n");
	raise_trap(3);
	pass(2000);
	ksft_test_result(read_sm(0).state == FAB_SM_MASTER && read_sm(3).state == FAB_SM_STANDBY,
			 "the master sees that its GUID is lower, and hands over\n");
	ksft_test_result(read_sm(0).up && all_data(4, 7) && info_of(7, 1)->lid == lid &&
			 info_of(7, 1)->sm_lid == info_of(0, 0)->lid, "addresses stay\n");
	pass(30000);
	ksft_test_result(read_sm(0).state == FAB_SM_MASTER && read_sm(0).stats.takeovers == 1 &&
			 read_sm(3).state == FAB_SM_STANDBY && read_sm(3).stats.takeovers == 1,
			 "and so it stays\n");
	fab_sm_stop(&nodes[0].sw);
	set_cable(0, 1, 1, 1, false);
	pass(10000);
	ksft_test_result(read_sm(3).state == FAB_SM_MASTER && read_sm(3).up && all_data(4, 7) &&
			 info_of(7, 1)->lid == lid && info_of(7, 1)->sm_lid == info_of(3, 0)->lid,
			 "the master dies: the standby takes over, and reroutes\n");
	start(0, 0);
	raise_trap(3);
	pass(3000);
	ksft_test_result(read_sm(3).state == FAB_SM_MASTER && read_sm(0).state == FAB_SM_STANDBY,
			 "a lower priority is standby, though its GUID is lower\n");
	fab_sm_stop(&nodes[0].sw);
	start(0, 9);
	pass(100);
	raise_trap(3);
	pass(3000);
	ksft_test_result(read_sm(0).state == FAB_SM_MASTER && read_sm(3).state == FAB_SM_STANDBY &&
			 all_data(4, 7), "a higher priority gets it at once\n");
	fab_sm_stop(&nodes[0].sw);
	fab_sm_stop(&nodes[3].sw);
	start(0, 1);
	start(3, 1);
	pass(3000);
	ksft_test_result(read_sm(0).state == FAB_SM_MASTER && read_sm(3).state == FAB_SM_STANDBY,
			 "two that start at once agree\n");
	ksft_test_result(!illegal, "nothing illegal was asked of a port\n");
	fab_sm_stop(&nodes[0].sw);
	fab_sm_stop(&nodes[3].sw);
}

static void test_bad_times(void)
{
	unsigned int i, k;

	diamond();
	lose_every = 29;
	start(0, 1);
	pass(20000);
	ksft_test_result(read_sm(0).up && all_data(4, 7),
			 "up, though every 29th hop of an SMP is its last\n");
	lose_every = 0;
	unit_no_memory = 1;
	raise_trap(0);
	pass(2000);
	ksft_test_result(read_sm(0).up && all_data(4, 7), "without memory all stays as it is\n");
	unit_no_memory = 0;
	set_cable(0, 1, 1, 1, false);
	pass(2000);
	ksft_test_result(all_data(4, 7), "with memory again it goes on by itself\n");
	fab_sm_stop(&nodes[0].sw);

	for (i = 0; i < 400; i += 3) {
		diamond();
		start(0, 1);
		for (k = 0; k < i && turn(); k++)
			;
		fab_sm_stop(&nodes[0].sw);
		pass(10);
	}
	ksft_test_result(true, "it can be stopped at any moment\n");
	unit_no_memory = 1;
	ksft_test_result(fab_sm_start(&nodes[0].sw, &fab_sm_defaults, NULL) == -ENOMEM,
			 "it does not start without memory\n");
	unit_no_memory = 0;
}

static void test_large(void)
{
	struct fab_sm_info info;
	int leaf, spine, i;

	clear_fabric();
	for (i = 0; i < 96; i++)
		add_node(true, 64);
	for (leaf = 0; leaf < 64; leaf++)
		for (spine = 0; spine < 32; spine++)
			set_cable(leaf, spine + 1, 64 + spine, leaf + 1, true);
	for (i = 0; i < 2048; i++) {
		add_node(false, 1);
		set_cable(i / 32, 33 + i % 32, 96 + i, 1, true);
	}
	start(70, 1);
	pass(1000);
	info = read_sm(70);
	ksft_test_result(info.up && info.switches == 96 && info.ends == 2048 && !illegal,
			 "a fat tree of 2,048 hosts: %llu SMPs\n", info.stats.smps_sent);
	ksft_test_result(all_data(96, 96 + 100) && data(96, 2143) == 3, "data goes\n");
	fab_sm_stop(&nodes[70].sw);
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(33);
	test_lab();
	test_diamond();
	test_two();
	test_bad_times();
	test_large();
	clear_fabric();
	free(nodes);
	ksft_finished();
}
