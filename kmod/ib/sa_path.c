// SPDX-License-Identifier: GPL-2.0
/*
 * PathRecords (vol 1, 15.2.5.16): how does one get from here to there?
 *
 * The answer is found by walking the forwarding tables as the subnet manager wrote
 * them: the MTU is the smallest on the way, the rate the slowest. There is one
 * partition, every port is a full member of it, and every service level is served,
 * so what a question says of those is taken over.
 */
#include "sa.h"

/* Components of PathRecord. */
enum {
	PATH_SERVICE_0, PATH_SERVICE_1, PATH_DGID, PATH_SGID, PATH_DLID, PATH_SLID, PATH_RAW,
	PATH_FLOW = 8, PATH_HOP_LIMIT, PATH_TCLASS, PATH_REVERSIBLE, PATH_NUMB, PATH_PKEY,
	PATH_QOS, PATH_SL, PATH_MTU_SELECTOR, PATH_MTU, PATH_RATE_SELECTOR, PATH_RATE,
	PATH_LIFE_SELECTOR, PATH_LIFE,
};

/* All paths are told of a subnet of so many nodes at most: the fabric thread walks each of them. */
#define ANY_TO_ANY	256

#define SELECT_EXACTLY	(IB_SA_EQ << 6)

/* Of a PortInfo: LinkSpeedExtActive: the high half of this byte. */
#define SPEED_EXT_AT	62

/**
 * fab_sa_rate_mbps() - a rate in numbers
 * @rate: enum ib_rate
 *
 * Return: Mb/s; 0 if there is no such rate.
 */
u32 fab_sa_rate_mbps(u8 rate)
{
	static const u32 mbps[] = {
		[IB_RATE_2_5_GBPS] = 2500, [IB_RATE_5_GBPS] = 5000, [IB_RATE_10_GBPS] = 10000,
		[IB_RATE_20_GBPS] = 20000, [IB_RATE_30_GBPS] = 30000, [IB_RATE_40_GBPS] = 40000,
		[IB_RATE_60_GBPS] = 60000, [IB_RATE_80_GBPS] = 80000, [IB_RATE_120_GBPS] = 120000,
		[IB_RATE_14_GBPS] = 14062, [IB_RATE_56_GBPS] = 56250, [IB_RATE_112_GBPS] = 112500,
		[IB_RATE_168_GBPS] = 168750, [IB_RATE_25_GBPS] = 25781,
		[IB_RATE_100_GBPS] = 103125, [IB_RATE_200_GBPS] = 206250,
		[IB_RATE_300_GBPS] = 309375, [IB_RATE_28_GBPS] = 28125,
		[IB_RATE_50_GBPS] = 53125, [IB_RATE_400_GBPS] = 425000,
		[IB_RATE_600_GBPS] = 637500,
	};

	return rate < ARRAY_SIZE(mbps) ? mbps[rate] : 0;
}

/* LinkWidthActive: lanes. */
static u32 lanes(u8 width)
{
	switch (width) {
	case IB_WIDTH_2X: return 2;
	case IB_WIDTH_4X: return 4;
	case IB_WIDTH_8X: return 8;
	case IB_WIDTH_12X: return 12;
	default: return 1;
	}
}

/* A lane's speed, Mb/s: LinkSpeedExtActive, or LinkSpeedActive where that is zero. */
static u32 lane_mbps(u8 speed, u8 extended)
{
	switch (extended) {
	case 1: return 14062;	/* FDR */
	case 2: return 25781;	/* EDR */
	case 4: return 53125;	/* HDR */
	case 8: return 106250;	/* NDR */
	}
	return speed == 4 ? 10000 : speed == 2 ? 5000 : 2500;
}

/**
 * fab_sa_port_rate() - rate of a port's link
 * @port: port
 *
 * Return: enum ib_rate: the highest that the link reaches.
 */
u8 fab_sa_port_rate(const struct fab_sm_port *port)
{
	const struct ib_port_info *info = fab_sm_port_info(port);
	u32 have = lanes(info->link_width_active) *
		   lane_mbps(info->linkspeedactive_enabled >> 4, port->info[SPEED_EXT_AT] >> 4);
	u8 best = IB_RATE_2_5_GBPS, rate;

	for (rate = IB_RATE_2_5_GBPS; rate <= IB_RATE_600_GBPS; rate++) {
		/* Four lanes of 25.78125 Gb/s are a little more than 4 * 25781 Mb/s. */
		if (fab_sa_rate_mbps(rate) <= have + 4 &&
		    fab_sa_rate_mbps(rate) > fab_sa_rate_mbps(best))
			best = rate;
	}
	return best;
}

static void narrow(const struct fab_sm_port *port, u8 *mtu, u8 *rate)
{
	u8 this = fab_sa_port_rate(port);

	*mtu = min_t(u8, *mtu, fab_sm_port_info(port)->neighbormtu_mastersmsl >> 4);
	if (fab_sa_rate_mbps(this) < fab_sa_rate_mbps(*rate))
		*rate = this;
}

/* Walk from @from to @to; false if one does not get there. */
static bool walk(struct fab_sm *sm, struct fab_sm_node *from, struct fab_sm_node *to, u8 *mtu,
		 u8 *rate)
{
	const struct fab_route *route = fab_sm_routes(sm);
	struct fab_sm_node *at = from;
	struct fab_sm_port *port;
	u32 hops;
	u8 out;

	*mtu = IB_MTU_4096;
	*rate = IB_RATE_600_GBPS;
	if (!route)
		return false;
	if (!from->is_switch)
		narrow(fab_sm_own_port(from), mtu, rate);
	for (hops = 0; at != to && hops <= route->n_switches + 1; hops++) {
		if (at->is_switch && to->lid > route->top_lid)
			return false;
		out = at->is_switch ? fab_route_lft(route, at->index)[to->lid] : 0;
		if (out > at->n_ports)
			return false;
		port = &at->ports[out];
		if (!port->peer || (at->is_switch && !out))
			return false;
		if (at->is_switch)
			narrow(port, mtu, rate);
		at = port->peer->node;
		if (!at->is_switch && at != to)
			return false;
	}
	return at == to;
}

/* What of a value up to @have fits to a question; 0 = nothing. */
static u8 choose_mtu(const struct fab_sa_question *question, u8 asked, u8 have)
{
	u8 wanted = asked & 0x3f;

	if (!fab_sa_asks(question, PATH_MTU_SELECTOR) || !fab_sa_asks(question, PATH_MTU))
		return have;
	switch (asked >> 6) {
	case IB_SA_GT:
		return have > wanted ? have : 0;
	case IB_SA_LT:
		return min_t(u8, have, wanted ? wanted - 1 : 0);
	case IB_SA_EQ:
		return have >= wanted ? wanted : 0;
	default:
		return have;
	}
}

static u8 choose_rate(const struct fab_sa_question *question, u8 asked, u8 have)
{
	u32 wanted = fab_sa_rate_mbps(asked & 0x3f), best = fab_sa_rate_mbps(have);

	if (!fab_sa_asks(question, PATH_RATE_SELECTOR) || !fab_sa_asks(question, PATH_RATE))
		return have;
	switch (asked >> 6) {
	case IB_SA_GT:
		return best > wanted ? have : 0;
	case IB_SA_LT:
		return best < wanted ? have : 0;
	case IB_SA_EQ:
		return wanted && best >= wanted ? asked & 0x3f : 0;
	default:
		return have;
	}
}

static bool life_fits(const struct fab_sa_question *question, u8 asked)
{
	u8 wanted = asked & 0x3f;

	if (!fab_sa_asks(question, PATH_LIFE_SELECTOR) || !fab_sa_asks(question, PATH_LIFE))
		return true;
	switch (asked >> 6) {
	case IB_SA_GT:
		return wanted < FAB_SA_LIFE_TIME;
	case IB_SA_LT:
		return wanted > FAB_SA_LIFE_TIME;
	case IB_SA_EQ:
		return wanted >= FAB_SA_LIFE_TIME;
	default:
		return true;
	}
}

static void put_gid(u8 *gid, __be64 guid)
{
	__be64 prefix = cpu_to_be64(FAB_SM_PREFIX);

	memcpy(gid, &prefix, sizeof(prefix));
	memcpy(gid + 8, &guid, sizeof(guid));
}

/* What a path takes over from the question; everything else of it is ours. */
static struct fab_path_record start_path(const struct fab_sa_question *question)
{
	const struct fab_path_record *asked = (const void *)question->request->data;

	return (struct fab_path_record) {
		.service_id = fab_sa_asks(question, PATH_SERVICE_0) ? asked->service_id : 0,
		.tclass = fab_sa_asks(question, PATH_TCLASS) ? asked->tclass : 0,
		.reversible_numb = BIT(7) | (asked->reversible_numb & 0x7f),
		.pkey = cpu_to_be16(IB_DEFAULT_PKEY_FULL),
		.qos_sl = fab_sa_asks(question, PATH_SL) ? asked->qos_sl & cpu_to_be16(0xf) : 0,
		.life = SELECT_EXACTLY | FAB_SA_LIFE_TIME,
	};
}

/* Returns false if there is no use in going on. */
static bool emit_path(struct fab_sa_question *question, struct fab_sm_node *from,
		      struct fab_sm_node *to)
{
	const struct fab_path_record *asked = (const void *)question->request->data;
	struct fab_path_record record = start_path(question);
	u8 mtu, rate;

	if (!walk(question->sm, from, to, &mtu, &rate))
		return true;
	mtu = choose_mtu(question, asked->mtu, mtu);
	rate = choose_rate(question, asked->rate, rate);
	if (!mtu || !rate || !life_fits(question, asked->life))
		return true;
	put_gid(record.sgid, from->info.port_guid);
	put_gid(record.dgid, to->info.port_guid);
	/* One of several LIDs of a port (LMC) is another path. */
	record.slid = fab_sa_asks(question, PATH_SLID) ? asked->slid : cpu_to_be16(from->lid);
	record.dlid = fab_sa_asks(question, PATH_DLID) ? asked->dlid : cpu_to_be16(to->lid);
	record.mtu = SELECT_EXACTLY | mtu;
	record.rate = SELECT_EXACTLY | rate;
	return fab_sa_table_add(question->table, &record);
}

/* Whose GID is this? NULL: nobody's here. */
static struct fab_sm_node *by_gid(struct fab_sm *sm, const u8 *gid)
{
	__be64 prefix, guid;

	memcpy(&prefix, gid, sizeof(prefix));
	memcpy(&guid, gid + 8, sizeof(guid));
	if (be64_to_cpu(prefix) != FAB_SM_PREFIX)
		return NULL;
	return fab_sm_node_by_port_guid(sm->subnet, be64_to_cpu(guid));
}

/*
 * One end of the path, as the question has it: by GID, by LID, or by both.
 * *@node = NULL: any. Returns false if there is no such end.
 */
static bool find_end(struct fab_sa_question *question, unsigned int gid_asked, const u8 *gid,
		     unsigned int lid_asked, __be16 lid, struct fab_sm_node **node)
{
	struct fab_sm_node *by_lid;

	*node = NULL;
	if (fab_sa_asks(question, gid_asked)) {
		*node = by_gid(question->sm, gid);
		if (!*node)
			return false;
	}
	if (fab_sa_asks(question, lid_asked)) {
		by_lid = fab_sm_node_by_lid(question->sm->subnet, be16_to_cpu(lid));
		if (!by_lid || (*node && *node != by_lid))
			return false;
		*node = by_lid;
	}
	return true;
}

static bool emit_from(struct fab_sa_question *question, struct fab_sm_node *from,
		      struct fab_sm_node *to)
{
	struct fab_sm_node *node;

	if (to)
		return emit_path(question, from, to);
	list_for_each_entry(node, &question->sm->subnet->nodes, list)
		if (!emit_path(question, from, node))
			return false;
	return true;
}

/* To a multicast group: its LID, what all its members can do. */
static u16 group_path(struct fab_sa_question *question)
{
	const struct fab_path_record *asked = (const void *)question->request->data;
	struct fab_path_record record = start_path(question);
	u8 mtu, rate;
	u16 mlid = fab_sa_group_lid(question->sm, asked->dgid, &mtu, &rate);

	if (!mlid)
		return FAB_SA_NO_RECORDS;
	memcpy(record.sgid, asked->sgid, sizeof(record.sgid));
	memcpy(record.dgid, asked->dgid, sizeof(record.dgid));
	record.slid = asked->slid;
	record.dlid = cpu_to_be16(mlid);
	record.mtu = SELECT_EXACTLY | mtu;
	record.rate = SELECT_EXACTLY | rate;
	fab_sa_table_add(question->table, &record);
	return 0;
}

/**
 * fab_sa_path_records() - PathRecords
 * @question: question
 *
 * Return: 0 or a status.
 */
u16 fab_sa_path_records(struct fab_sa_question *question)
{
	const struct fab_path_record *asked = (const void *)question->request->data;
	struct fab_sm_node *from, *to, *node;

	/* The one partition there is. */
	if (fab_sa_asks(question, PATH_PKEY) &&
	    (be16_to_cpu(asked->pkey) & 0x7fff) != IB_DEFAULT_PKEY_PARTIAL)
		return 0;
	if (fab_sa_asks(question, PATH_DGID) && asked->dgid[0] == 0xff)
		return group_path(question);
	if (!find_end(question, PATH_SGID, asked->sgid, PATH_SLID, asked->slid, &from))
		return FAB_SA_INVALID_GID;
	if (!find_end(question, PATH_DGID, asked->dgid, PATH_DLID, asked->dlid, &to))
		return 0;
	/* A Get wants one path; from whom, if not from who asks? */
	if (!from && question->request->mad_hdr.method == IB_MGMT_METHOD_GET) {
		from = fab_sm_node_by_lid(question->sm->subnet, question->from->lid);
		if (!from)
			return FAB_SA_INSUFFICIENT;
	}
	/* Switches are ends of paths, too. */
	if (!from && !to &&
	    question->sm->subnet->n_ends + question->sm->subnet->n_switches > ANY_TO_ANY)
		return FAB_SA_TOO_MANY_RECORDS;
	if (from) {
		emit_from(question, from, to);
		return 0;
	}
	list_for_each_entry(node, &question->sm->subnet->nodes, list)
		if (!emit_from(question, node, to))
			break;
	return 0;
}
