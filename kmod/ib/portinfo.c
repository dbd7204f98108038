// SPDX-License-Identifier: GPL-2.0
/*
 * PortInfo (vol 1, 14.2.5.6): the attribute by which a subnet manager brings a
 * port to life. It finds it in INIT, gives it a LID and a path to itself, says how
 * many lanes and which MTU both ends can do, and moves it to ARMED and ACTIVE.
 *
 * At a switch, LID, M_Key and what else belongs to the node are port 0's; its other
 * ports have states, MTU and lanes.
 */
#include "../host/net.h"
#include "internal.h"

/* The last bytes of PortInfo, where struct ib_port_info ends (14.2.5.6). */
enum { CAP_MASK2 = 60, SPEED_EXT = 62, SPEED_EXT_ENABLED = 63 };

#define WIDTH_4X	2
#define WIDTH_1X_4X	3
#define SPEED_ALL	7
#define EXT_SPEED_ALL	15
#define VL_CAP		3	/* code of VL0 to VL3 */
#define NOT_SET		0	/* as the value of many fields: leave it as it is */
#define MKEY_SECRET	1	/* from this M_Key protection on it is not shown */
#define RESPONSE_TIME	16	/* 4.096 us * 2^16: 270 ms */

static_assert(sizeof(struct ib_port_info) <= CAP_MASK2 + 4);

static bool is_manageable(const struct fab_ib_port *ibp)
{
	return ibp->ibn->type == FAB_IB_CA || !ibp->num;
}

static void put_node_part(const struct fab_ib_attrs *attr, bool knows_mkey,
			  struct ib_port_info *info)
{
	if (knows_mkey || attr->mkey_protect < MKEY_SECRET)
		info->mkey = cpu_to_be64(attr->mkey);
	info->gid_prefix = cpu_to_be64(attr->gid_prefix);
	info->lid = cpu_to_be16(attr->lid);
	info->sm_lid = cpu_to_be16(attr->sm_lid);
	info->cap_mask = cpu_to_be32(attr->cap_mask);
	info->mkey_lease_period = cpu_to_be16(attr->mkey_lease);
	info->mkeyprot_resv_lmc = attr->mkey_protect << 6 | attr->lmc;
	info->mkey_violations = cpu_to_be16(attr->mkey_violations);
	info->qkey_violations = cpu_to_be16(attr->qkey_violations);
	info->guid_cap = FAB_IB_GUIDS;
	info->clientrereg_resv_subnetto = attr->subnet_timeout;
	info->resv_resptimevalue = RESPONSE_TIME;
}

/*
 * The rate of a link is that of its cable here, and no end could make it go faster:
 * supported is what runs, and all that is slower (speeds are a bit each).
 */
static u8 supported(u8 active)
{
	return active ? 2 * active - 1 : 0;
}

static void put_link_part(const struct fab_ib_attrs *attr, const struct fab_ib_speed *speed,
			  struct ib_port_info *info)
{
	info->pkey_violations = cpu_to_be16(attr->pkey_violations);
	info->link_width_enabled = attr->width_enabled;
	info->link_width_supported = WIDTH_1X_4X;
	info->link_width_active = WIDTH_4X;
	info->linkspeed_portstate = supported(speed->speed) << 4 | attr->state;
	info->portphysstate_linkdown = attr->phys_state << 4 | attr->down_default;
	info->linkspeedactive_enabled = speed->speed << 4 |
					(attr->speed_enabled & supported(speed->speed));
	info->neighbormtu_mastersmsl = attr->mtu << 4 | attr->sm_sl;
	info->vlcap_inittype = VL_CAP << 4;
	info->vl_high_limit = attr->vl_high_limit;
	info->vl_arb_high_cap = FAB_VLARB_ENTRIES;
	info->vl_arb_low_cap = FAB_VLARB_ENTRIES;
	info->inittypereply_mtucap = attr->init_reply << 4 | IB_MTU_4096;
	info->vlstallcnt_hoqlife = attr->vl_stall << 5 | attr->hoq_life;
	info->operationalvl_pei_peo_fpi_fpo = attr->op_vls << 4 | attr->enforce;
	info->localphyerrors_overrunerrors = attr->error_limits;
}

/**
 * fab_port_info_get() - what a port says of itself
 * @ibp: port
 * @in: port that the question came in by
 * @smp: question: its data is filled in
 *
 * Context: any.
 */
void fab_port_info_get(struct fab_ib_port *ibp, u8 in, struct ib_smp *smp)
{
	struct ib_port_info *info = (struct ib_port_info *)smp->data;
	struct fab_ib_speed speed = fab_ib_speed(ibp);
	struct fab_ib_attrs attr;

	fab_ib_port_read(ibp, &attr);
	if (is_manageable(ibp))
		put_node_part(&attr, be64_to_cpu(smp->mkey) == attr.mkey, info);
	put_link_part(&attr, &speed, info);
	info->local_port_num = in;
	smp->data[SPEED_EXT] = speed.speed_ext << 4 | supported(speed.speed_ext);
	smp->data[SPEED_EXT_ENABLED] = attr.speed_ext_enabled & supported(speed.speed_ext);
}

/**
 * struct wish - what a Set asks for, taken apart
 * @info: the attribute
 * @data: the same, as bytes
 * @state: PortState, or NOT_SET
 * @phys: PortPhysicalState, or NOT_SET
 * @mtu: NeighborMTU, or NOT_SET
 * @op_vls: OperationalVLs, or NOT_SET
 * @lid: LID
 * @lmc: LMC
 * @events: what the host must hear afterwards: a bit each of enum ib_event_type
 * @retrain: the link must be lost for a moment
 */
struct wish {
	const struct ib_port_info *info;
	const u8 *data;
	u8 state;
	u8 phys;
	u8 mtu;
	u8 op_vls;
	u16 lid;
	u8 lmc;
	u32 events;
	bool retrain;
};

/* May a port go from one state to another because it is told to? (7.2.7, 14.2.5.6) */
static bool state_ok(u8 from, u8 to)
{
	switch (to) {
	case NOT_SET:
	case IB_PORT_DOWN:
		return true;
	case IB_PORT_ARMED:
		return from == IB_PORT_INIT || from == IB_PORT_ARMED;
	case IB_PORT_ACTIVE:
		return from == IB_PORT_ARMED || from == IB_PORT_ACTIVE;
	default:
		return false;
	}
}

static bool phys_ok(u8 phys)
{
	return phys == NOT_SET || phys == IB_PORT_PHYS_STATE_POLLING ||
	       phys == IB_PORT_PHYS_STATE_DISABLED;
}

/* Nothing is changed where anything is wrong. The port's lock is held. */
static bool wish_ok(const struct fab_ib_port *ibp, const struct wish *wish)
{
	if (wish->mtu > IB_MTU_4096 || wish->op_vls > VL_CAP || wish->lmc > 7 ||
	    !phys_ok(wish->phys))
		return false;
	/* Port 0 is always active. */
	if (ibp->port && !state_ok(ibp->attr.state, wish->state))
		return false;
	if (!is_manageable(ibp))
		return true;
	/* What it was is never wrong, also before anybody has set it. */
	if (wish->lid == ibp->attr.lid && wish->lmc == ibp->attr.lmc)
		return true;
	return wish->lid && wish->lid + (1U << wish->lmc) - 1 < FAB_IB_MCAST_BASE;
}

#define EVENT(type)	BIT(type)

static void take_node_part(struct fab_ib_port *ibp, struct wish *wish)
{
	const struct ib_port_info *info = wish->info;
	struct fab_ib_attrs *attr = &ibp->attr;
	u8 sm_sl = info->neighbormtu_mastersmsl & 15;

	if (attr->lid != wish->lid || attr->lmc != wish->lmc)
		wish->events |= EVENT(IB_EVENT_LID_CHANGE);
	if (attr->sm_lid != be16_to_cpu(info->sm_lid) || attr->sm_sl != sm_sl)
		wish->events |= EVENT(IB_EVENT_SM_CHANGE);
	if (attr->gid_prefix != be64_to_cpu(info->gid_prefix))
		wish->events |= EVENT(IB_EVENT_GID_CHANGE);
	if (info->clientrereg_resv_subnetto & 0x80)
		wish->events |= EVENT(IB_EVENT_CLIENT_REREGISTER);
	WRITE_ONCE(attr->lid, wish->lid);
	WRITE_ONCE(attr->lmc, wish->lmc);
	WRITE_ONCE(attr->sm_lid, be16_to_cpu(info->sm_lid));
	attr->sm_sl = sm_sl;
	attr->gid_prefix = be64_to_cpu(info->gid_prefix);
	attr->mkey = be64_to_cpu(info->mkey);
	attr->mkey_lease = be16_to_cpu(info->mkey_lease_period);
	attr->mkey_protect = info->mkeyprot_resv_lmc >> 6;
	attr->subnet_timeout = info->clientrereg_resv_subnetto & 31;
	/* Counters of violations are written only to be cleared. */
	if (!info->mkey_violations)
		attr->mkey_violations = 0;
	if (!info->qkey_violations)
		attr->qkey_violations = 0;
}

static void take_speeds(struct fab_ib_attrs *attr, const struct wish *wish)
{
	u8 width = wish->info->link_width_enabled;
	u8 speed = wish->info->linkspeedactive_enabled & 15;
	u8 ext = wish->data[SPEED_EXT_ENABLED] & 31;

	if (width != NOT_SET)
		attr->width_enabled = width & WIDTH_1X_4X ?: WIDTH_1X_4X;
	if (speed != NOT_SET)
		attr->speed_enabled = speed & SPEED_ALL;
	if (ext != NOT_SET)
		attr->speed_ext_enabled = ext & EXT_SPEED_ALL;
}

static void take_link_part(struct fab_ib_port *ibp, struct wish *wish)
{
	const struct ib_port_info *info = wish->info;
	struct fab_ib_attrs *attr = &ibp->attr;

	take_speeds(attr, wish);
	if (info->portphysstate_linkdown & 15)
		attr->down_default = info->portphysstate_linkdown & 15;
	if (wish->mtu != NOT_SET)
		WRITE_ONCE(attr->mtu, wish->mtu);
	if (wish->op_vls != NOT_SET)
		WRITE_ONCE(attr->op_vls, wish->op_vls);
	WRITE_ONCE(attr->vl_high_limit, info->vl_high_limit);
	WRITE_ONCE(attr->hoq_life, info->vlstallcnt_hoqlife & 31);
	attr->vl_stall = info->vlstallcnt_hoqlife >> 5;
	WRITE_ONCE(attr->enforce, info->operationalvl_pei_peo_fpi_fpo & 15);
	attr->error_limits = info->localphyerrors_overrunerrors;
	if (!info->pkey_violations)
		attr->pkey_violations = 0;
}

static void take_state(struct fab_ib_port *ibp, struct wish *wish)
{
	struct fab_ib_attrs *attr = &ibp->attr;

	if (!ibp->port)
		return;
	if (wish->phys != NOT_SET) {
		WRITE_ONCE(attr->disabled, wish->phys == IB_PORT_PHYS_STATE_DISABLED);
		wish->retrain = true;
	}
	if (wish->state == IB_PORT_DOWN)
		wish->retrain = true;
	else if (wish->state != NOT_SET && !wish->retrain)
		WRITE_ONCE(attr->state, wish->state);
}

static void tell(struct fab_ib_port *ibp, const struct wish *wish)
{
	static const enum ib_event_type types[] = {
		IB_EVENT_GID_CHANGE, IB_EVENT_LID_CHANGE, IB_EVENT_SM_CHANGE,
		IB_EVENT_CLIENT_REREGISTER,
	};
	struct fab_hca *hca = READ_ONCE(ibp->hca);
	unsigned int i;

	for (i = 0; hca && i < ARRAY_SIZE(types); i++)
		if (wish->events & EVENT(types[i]))
			fab_hca_port_event(hca, types[i]);
	if (wish->retrain)
		set_bit(0, &ibp->retrain);
	/* More lanes or another MTU may let go what could not before. */
	if (ibp->port)
		fab_ib_port_kick(ibp);
}

/**
 * fab_port_info_set() - what a port is told to be
 * @ibp: port
 * @smp: what
 *
 * Context: any.
 * Return: false if it asks for what cannot be; then nothing has changed.
 */
bool fab_port_info_set(struct fab_ib_port *ibp, const struct ib_smp *smp)
{
	const struct ib_port_info *info = (const struct ib_port_info *)smp->data;
	struct wish wish = {
		.info = info,
		.data = smp->data,
		.state = info->linkspeed_portstate & 15,
		.phys = info->portphysstate_linkdown >> 4,
		.mtu = info->neighbormtu_mastersmsl >> 4,
		.op_vls = info->operationalvl_pei_peo_fpi_fpo >> 4,
		.lid = be16_to_cpu(info->lid),
		.lmc = info->mkeyprot_resv_lmc & 7,
	};
	unsigned long flags;
	u8 old_state;
	bool ok;

	spin_lock_irqsave(&ibp->lock, flags);
	old_state = ibp->attr.state;
	ok = wish_ok(ibp, &wish);
	if (ok) {
		if (is_manageable(ibp))
			take_node_part(ibp, &wish);
		take_link_part(ibp, &wish);
		take_state(ibp, &wish);
	}
	spin_unlock_irqrestore(&ibp->lock, flags);
	if (!ok)
		return false;
	tell(ibp, &wish);
	if (!wish.retrain)
		fab_ib_port_tell(ibp, old_state, wish.state ?: old_state);
	return true;
}
