// SPDX-License-Identifier: GPL-2.0
/* Subnet administration: kmod/ib/sa*.c on the fabric of sm_fabric.h. */
#include "sm_fabric.h"

static u8 gids[8][16];

static u8 *gid_of(int node)
{
	__be64 prefix = cpu_to_be64(FAB_SM_PREFIX), guid = cpu_to_be64(nodes[node].guid);

	memcpy(gids[node], &prefix, 8);
	memcpy(gids[node] + 8, &guid, 8);
	return gids[node];
}

/* Node @from asks switch 0. Returns the status; the answer is said[0]. */
static u16 ask(int from, u8 method, u16 attr, u64 mask, const void *record, u32 len)
{
	const struct fab_ib_mad_addr addr = {
		.lid = be16_to_cpu(info_of(from, 1)->lid), .qpn = 1,
	};
	struct ib_sa_mad mad __aligned(8) = {
		.mad_hdr = {
			.mgmt_class = IB_MGMT_CLASS_SUBN_ADM, .class_version = 2,
			.method = method, .attr_id = cpu_to_be16(attr), .tid = 42,
		},
		.sa_hdr.comp_mask = cpu_to_be64(mask),
	};

	memcpy(mad.data, record, len);
	n_said = 0;
	nodes[0].sw.agent->gmp(nodes[0].sw.agent, (struct ib_mad *)&mad, &addr);
	return n_said ? be16_to_cpu(said[0].mad_hdr.status) : 0xffff;
}

static void test_path(void)
{
	struct fab_path_record record = { }, *path = (void *)said[0].data;

	diamond();
	start(0, 1);
	pass(100);
	memcpy(record.sgid, gid_of(4), 16);
	memcpy(record.dgid, gid_of(7), 16);
	ksft_test_result(!ask(4, IB_MGMT_METHOD_GET, IB_SA_ATTR_PATH_REC,
			      BIT(PATH_SGID) | BIT(PATH_DGID), &record, sizeof(record)) &&
			 said[0].mad_hdr.method == IB_MGMT_METHOD_GET_RESP &&
			 path->slid == info_of(4, 1)->lid && path->dlid == info_of(7, 1)->lid &&
			 path->mtu == (IB_SA_EQ << 6 | IB_MTU_4096) &&
			 path->rate == (IB_SA_EQ << 6 | IB_RATE_100_GBPS),
			 "the path from host to host\n");
	info_of(1, 2)->neighbormtu_mastersmsl = 3 << 4;
	info_of(2, 2)->neighbormtu_mastersmsl = 3 << 4;
	raise_trap(0);
	pass(100);
	record.mtu = IB_SA_GT << 6 | 4;
	ksft_test_result(!ask(4, IB_MGMT_METHOD_GET, IB_SA_ATTR_PATH_REC,
			      BIT(PATH_SGID) | BIT(PATH_DGID), &record, sizeof(record)) &&
			 path->mtu == (IB_SA_EQ << 6 | 3), "the MTU is the smallest on the way\n");
	ksft_test_result(ask(4, IB_MGMT_METHOD_GET, IB_SA_ATTR_PATH_REC,
			     BIT(PATH_SGID) | BIT(PATH_DGID) | BIT(PATH_MTU) |
			     BIT(PATH_MTU_SELECTOR), &record, sizeof(record)) == FAB_SA_NO_RECORDS,
			 "there is none with a greater one\n");
	record.dgid[15]++;
	ksft_test_result(ask(4, IB_MGMT_METHOD_GET, IB_SA_ATTR_PATH_REC,
			     BIT(PATH_SGID) | BIT(PATH_DGID), &record, sizeof(record)) ==
			 FAB_SA_NO_RECORDS, "nor one to nobody\n");
	ksft_test_result(ask(4, IB_MGMT_METHOD_SET, IB_SA_ATTR_SERVICE_REC, 0, &record, 64) ==
			 IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB,
			 "ServiceRecord is refused\n");
	ksft_test_result(!ask(4, IB_MGMT_METHOD_GET, IB_SA_ATTR_CLASS_PORTINFO, 0, &record, 0),
			 "ClassPortInfo\n");
}

/* Acknowledge every segment, and put the table together. Returns its length. */
static u32 receive_table(int from, u8 *table, u32 window, bool lose)
{
	const struct fab_ib_mad_addr addr = {
		.lid = be16_to_cpu(info_of(from, 1)->lid), .qpn = 1,
	};
	struct ib_rmpp_mad ack = { };
	u32 got = 0, len = 0, segment, i;

	for (i = 0; i < n_said; i++) {
		const struct ib_sa_mad *mad = &said[i % 64];

		segment = be32_to_cpu(mad->rmpp_hdr.seg_num);
		if (mad->mad_hdr.method != 0x92 || segment > 60)
			return 0;
		if (lose && segment == 2) {
			lose = false;
			pass(600);	/* nobody acknowledges it, so it comes again */
			continue;
		}
		if (segment > got + 1)
			continue;
		if (segment == got + 1) {
			memcpy(table + got++ * 200, mad->data, 200);
			if (mad->rmpp_hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_LAST)
				len = segment * 200 - 220 +
				      be32_to_cpu(mad->rmpp_hdr.paylen_newwin);
		}
		memcpy(&ack.mad_hdr, &mad->mad_hdr, sizeof(ack.mad_hdr));
		ack.mad_hdr.method = IB_SA_METHOD_GET_TABLE;
		ack.rmpp_hdr.rmpp_type = IB_MGMT_RMPP_TYPE_ACK;
		ack.rmpp_hdr.rmpp_rtime_flags = IB_MGMT_RMPP_FLAG_ACTIVE;
		ack.rmpp_hdr.seg_num = cpu_to_be32(got);
		ack.rmpp_hdr.paylen_newwin = cpu_to_be32(got + window);
		nodes[0].sw.agent->gmp(nodes[0].sw.agent, (struct ib_mad *)&ack, &addr);
	}
	return len;
}

static void test_tables(void)
{
	struct fab_sm *sm = nodes[0].sw.sm;
	static u8 table[60 * 200];
	struct node_record record = { }, *first = (void *)table;
	u32 window;

	for (window = 1; window <= 3; window++) {
		memset(table, 0, sizeof(table));
		ask(4, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_NODE_REC, 0, &record, 0);
		ksft_test_result(receive_table(4, table, window, window == 2) == 8 * 112 &&
				 first->info.node_guid == cpu_to_be64(nodes[0].guid) &&
				 ((struct node_record *)(table + 7 * 112))->info.node_guid ==
				 cpu_to_be64(nodes[7].guid) &&
				 be16_to_cpu(said[0].sa_hdr.attr_offset) == 14,
				 "a table of 8 nodes in segments, window %u\n", window);
	}
	ksft_test_result(list_empty(&sm->sa->transfers), "and no transfer is left\n");
	record.info.node_guid = cpu_to_be64(nodes[5].guid);
	ksft_test_result(!ask(4, IB_MGMT_METHOD_GET, IB_SA_ATTR_NODE_REC, BIT(7), &record,
			      sizeof(record)) &&
			 ((struct node_record *)said[0].data)->lid == info_of(5, 1)->lid,
			 "the node of a GUID\n");
	ask(4, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_PORT_INFO_REC, 0, &record, 0);
	ksft_test_result(receive_table(4, table, 8, false) == (4 * 7 + 4) * 72, "all ports\n");
	ask(4, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_LINK_REC, 0, &record, 0);
	ksft_test_result(receive_table(4, table, 8, false) == 8 * 2 * 8, "all links\n");
	ask(4, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_NODE_REC, 0, &record, 0);
	pass(60000);
	ksft_test_result(list_empty(&sm->sa->transfers), "who does not answer is forgotten\n");
}

static u16 member_of(int node, u8 method, u8 state, u64 mask, struct fab_mcmember *record)
{
	memcpy(record->port_gid, gid_of(node), 16);
	record->scope_state = state;
	return ask(node, method, IB_SA_ATTR_MC_MEMBER_REC,
		   mask | BIT(MEMBER_MGID) | BIT(MEMBER_PORT_GID) | BIT(MEMBER_JOIN_STATE), record,
		   sizeof(*record));
}

/* Does a packet that @from sends to the group with LID 0xc000 + @i come to @to? How often? */
static unsigned int copies(int at, unsigned int in, int to, unsigned int i, unsigned int depth)
{
	unsigned int p, n = 0;

	if (at == to)
		return 1;
	if (at < 0 || !nodes[at].is_switch || depth > 10)
		return 0;
	for (p = 1; p <= nodes[at].n_ports; p++)
		if (p != in && be16_to_cpu(nodes[at].mft[i]) & BIT(p))
			n += copies(nodes[at].port[p].node, nodes[at].port[p].port, to, i,
				    depth + 1);
	return n;
}

static unsigned int heard(int from, int to, unsigned int i)
{
	return copies(nodes[from].port[1].node, nodes[from].port[1].port, to, i, 0);
}

static void test_groups(void)
{
	const u64 make = BIT(MEMBER_QKEY) | BIT(MEMBER_TCLASS) | BIT(MEMBER_PKEY) | BIT(MEMBER_SL) |
			 BIT(MEMBER_FLOW);
	struct fab_mcmember record = { .pkey = 0xffff }, *got = (void *)said[0].data;

	memcpy(record.mgid, broadcast, 16);
	ksft_test_result(!member_of(4, IB_MGMT_METHOD_SET, 1, 0, &record) &&
			 be16_to_cpu(got->mlid) == 0xc000 &&
			 be32_to_cpu(got->qkey) == 0xb1b, "IPoIB's broadcast group is there\n");
	member_of(6, IB_MGMT_METHOD_SET, 1, 0, &record);
	member_of(7, IB_MGMT_METHOD_SET, 4, 0, &record);
	pass(100);
	ksft_test_result(heard(4, 6, 0) == 1 && heard(6, 4, 0) == 1 && heard(7, 4, 0) == 1 &&
			 !heard(4, 7, 0) && !heard(4, 5, 0),
			 "members hear it once; who only sends, and others, do not\n");
	record.mgid[15] = 1;
	ksft_test_result(member_of(5, IB_MGMT_METHOD_SET, 1, 0, &record) == FAB_SA_INSUFFICIENT &&
			 member_of(5, IB_MGMT_METHOD_SET, 4, make, &record) == FAB_SA_REQ_INVALID &&
			 ((struct fab_sm *)nodes[0].sw.sm)->sa->n_groups == 1,
			 "a group is made by a full member that says what it is like\n");
	ksft_test_result(!member_of(5, IB_MGMT_METHOD_SET, 1, make, &record) &&
			 !member_of(7, IB_MGMT_METHOD_SET, 1, 0, &record) &&
			 be16_to_cpu(got->mlid) == 0xc001, "a group is made, and joined\n");
	record.qkey = cpu_to_be32(5);
	ksft_test_result(member_of(4, IB_MGMT_METHOD_SET, 1, BIT(MEMBER_QKEY), &record) ==
			 FAB_SA_REQ_INVALID, "not with another Q_Key\n");
	pass(100);
	ksft_test_result(heard(5, 7, 1) == 1 && heard(7, 5, 1) == 1 && heard(4, 6, 0) == 1,
			 "groups of one block do not disturb each other\n");
	set_cable(0, 1, 1, 1, false);
	raise_trap(0);
	pass(100);
	ksft_test_result(heard(5, 7, 1) == 1 && heard(4, 6, 0) == 1 && heard(6, 4, 0) == 1,
			 "a cable is cut: the trees are others\n");
	ksft_test_result(!member_of(5, IB_SA_METHOD_DELETE, 1, 0, &record) &&
			 !member_of(7, IB_SA_METHOD_DELETE, 1, 0, &record) &&
			 member_of(7, IB_SA_METHOD_DELETE, 1, 0, &record) == FAB_SA_REQ_INVALID,
			 "both leave, once\n");
	pass(100);
	ksft_test_result(!heard(5, 7, 1) && heard(4, 6, 0) == 1 &&
			 ((struct fab_sm *)nodes[0].sw.sm)->sa->n_groups == 1,
			 "the group is gone, from the switches too\n");
	record.port_gid[15] = 0;
	memcpy(record.mgid, broadcast, 16);
	ksft_test_result(ask(4, IB_MGMT_METHOD_SET, IB_SA_ATTR_MC_MEMBER_REC,
			     BIT(MEMBER_MGID) | BIT(MEMBER_PORT_GID) | BIT(MEMBER_JOIN_STATE),
			     &record, sizeof(record)) == FAB_SA_INVALID_GID,
			 "nobody joins for another port\n");
	fab_sm_stop(&nodes[0].sw);
}

/* 0 is a switch with 64 others, each with 4 more; and a host. */
static void test_many_switches(void)
{
	/* An MTU that no path has: where paths are walked, none is found. */
	struct fab_path_record record = { .mtu = IB_SA_GT << 6 | IB_MTU_4096 };
	unsigned int i, k, n = 64;

	clear_fabric();
	for (i = 0; i <= 64; i++)
		add_node(true, i ? 6 : 64);
	for (i = 1; i <= 64; i++) {
		set_cable(0, i, i, 1, true);
		for (k = 2; k <= 5; k++) {
			add_node(true, 2);
			set_cable(i, k, ++n, 1, true);
		}
	}
	add_node(false, 1);
	set_cable(1, 6, ++n, 1, true);
	start(0, 1);
	pass(2000);
	ksft_test_result(read_sm(0).up && read_sm(0).switches == 321 &&
			 ask(n, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_PATH_REC,
			     BIT(PATH_MTU) | BIT(PATH_MTU_SELECTOR), &record,
			     sizeof(record)) == FAB_SA_TOO_MANY_RECORDS,
			 "paths between all of many switches are too many\n");
	fab_sm_stop(&nodes[0].sw);
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(25);
	test_path();
	test_tables();
	test_groups();
	test_many_switches();
	clear_fabric();
	free(nodes);
	ksft_finished();
}
