// SPDX-License-Identifier: GPL-2.0
/*
 * An InfiniBand node as management sees it: its ports and their attributes, as
 * they are before any subnet manager came: no LID, partition table with the
 * default partition, all service levels spread over the lanes there are.
 */
#include <linux/slab.h>
#include "internal.h"

#define DEFAULT_PREFIX	0xfe80000000000000ULL
/* PortInfo CapabilityMask of every port; a port of a host or a switch's port 0 has it. */
#define CAPABILITIES	(IB_PORT_TRAP_SUP | IB_PORT_SL_MAP_SUP | IB_PORT_SYS_IMAGE_GUID_SUP | \
			 IB_PORT_CLIENT_REG_SUP | IB_PORT_EXTENDED_SPEEDS_SUP)
#define WIDTH_1X_4X	3
#define SPEED_ALL	7	/* 2.5, 5 and 10 Gb/s a lane */
#define EXT_SPEED_ALL	15	/* 14, 25, 50 and 100 Gb/s a lane */
#define HOQ_INFINITE	20
#define WEIGHT		64

static void default_arbitration(struct fab_ib_attrs *attr)
{
	unsigned int i;

	memset(&attr->arb_high, 0, sizeof(attr->arb_high));
	memset(&attr->arb_low, 0, sizeof(attr->arb_low));
	for (i = 0; i < FAB_IB_DATA_VLS; i++) {
		attr->arb_low.vl[i] = i;
		attr->arb_low.weight[i] = WEIGHT;
	}
}

/**
 * fab_ib_port_defaults() - attributes as of a port that was just powered up
 * @ibp: port; its state stays as it is
 *
 * Context: any; takes the port's lock.
 */
void fab_ib_port_defaults(struct fab_ib_port *ibp)
{
	struct fab_ib_attrs *attr = &ibp->attr;
	bool manageable = ibp->ibn->type == FAB_IB_CA || !ibp->num;
	unsigned long flags;
	void *old;

	spin_lock_irqsave(&ibp->lock, flags);
	old = attr->sl_to_vl_in;
	*attr = (struct fab_ib_attrs) {
		.gid_prefix = DEFAULT_PREFIX,
		.cap_mask = manageable ? CAPABILITIES : 0,
		.state = attr->state,
		.phys_state = attr->phys_state,
		.down_default = IB_PORT_PHYS_STATE_POLLING,
		.mtu = IB_MTU_4096,
		.op_vls = FAB_IB_VLCAP,
		.hoq_life = HOQ_INFINITE,
		.subnet_timeout = 18,
		.width_enabled = WIDTH_1X_4X,
		.speed_enabled = SPEED_ALL,
		.speed_ext_enabled = EXT_SPEED_ALL,
		.pkeys[0] = IB_DEFAULT_PKEY_FULL,
	};
	attr->guids[0] = cpu_to_be64(ibp->ibn->guid + (ibp->ibn->type == FAB_IB_CA ? ibp->num : 0));
	default_arbitration(attr);
	spin_unlock_irqrestore(&ibp->lock, flags);
	kfree(old);
}

static void init_port(struct fab_ib_node *ibn, struct fab_ib_port *ibp, u8 num)
{
	ibp->ibn = ibn;
	ibp->num = num;
	spin_lock_init(&ibp->lock);
	fab_ib_egress_setup(ibp);
	fab_ib_flow_setup(ibp);
	fab_ib_port_setup(ibp);
	ibp->attr.state = num ? IB_PORT_DOWN : IB_PORT_ACTIVE;
	ibp->attr.phys_state = num ? IB_PORT_PHYS_STATE_POLLING : IB_PORT_PHYS_STATE_LINK_UP;
	fab_ib_port_defaults(ibp);
}

/**
 * fab_ib_node_init() - give a node its InfiniBand side
 * @ibn: filled in
 * @node: the node, with its name
 * @type: FAB_IB_CA or FAB_IB_SWITCH
 * @guid: NodeGUID
 * @n_ports: without a switch's port 0
 *
 * Return: 0 or -ENOMEM.
 */
int fab_ib_node_init(struct fab_ib_node *ibn, struct fab_node *node, u8 type, u64 guid,
		     unsigned int n_ports)
{
	unsigned int first = type == FAB_IB_SWITCH ? 0 : 1;
	unsigned int i;

	ibn->ports = kvcalloc(n_ports + 1 - first, sizeof(*ibn->ports), GFP_KERNEL);
	if (!ibn->ports)
		return -ENOMEM;
	ibn->type = type;
	ibn->n_ports = n_ports;
	ibn->guid = guid;
	ibn->node = node;
	scnprintf(ibn->desc, sizeof(ibn->desc), "%s (fabsim)", node->name);
	for (i = first; i <= n_ports; i++)
		init_port(ibn, fab_ib_port_at(ibn, i), i);
	return 0;
}

/**
 * fab_ib_node_free() - the end of the InfiniBand side of a node
 * @ibn: as fab_ib_node_init() left it; nobody uses it any more
 */
void fab_ib_node_free(struct fab_ib_node *ibn)
{
	unsigned int i;

	for (i = ibn->type == FAB_IB_SWITCH ? 0 : 1; i <= ibn->n_ports; i++)
		kfree(fab_ib_port_at(ibn, i)->attr.sl_to_vl_in);
	kvfree(ibn->ports);
}

/**
 * fab_ib_port_read() - a consistent copy of a port's attributes
 * @ibp: port
 * @attr: filled in; its sl_to_vl_in is not a copy, and NULL
 *
 * Context: any; takes the port's lock.
 */
void fab_ib_port_read(struct fab_ib_port *ibp, struct fab_ib_attrs *attr)
{
	unsigned long flags;

	spin_lock_irqsave(&ibp->lock, flags);
	*attr = ibp->attr;
	spin_unlock_irqrestore(&ibp->lock, flags);
	attr->sl_to_vl_in = NULL;
}

/**
 * fab_ib_speed() - how management says the rate of a port's link
 * @ibp: port
 *
 * All links are 4 lanes wide; the names stand for these rates. A rate in between is
 * said as the next lower one, "max" as the highest there is.
 *
 * Context: any in which the port exists.
 * Return: the speed.
 */
struct fab_ib_speed fab_ib_speed(const struct fab_ib_port *ibp)
{
	static const struct {
		u16 gbps;
		struct fab_ib_speed speed;
	} speeds[] = {
		{ 400, { 4, 8, IB_SPEED_NDR } },
		{ 200, { 4, 4, IB_SPEED_HDR } },
		{ 100, { 4, 2, IB_SPEED_EDR } },
		{ 56, { 4, 1, IB_SPEED_FDR } },
		{ 40, { 4, 0, IB_SPEED_QDR } },
		{ 20, { 2, 0, IB_SPEED_DDR } },
		{ 0, { 1, 0, IB_SPEED_SDR } },
	};
	const struct fab_wire *wire = ibp->port ? READ_ONCE(ibp->port->wire) : NULL;
	u64 gbps = wire ? div_u64(READ_ONCE(wire->link->set.rate), 1000000000) : 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(speeds) - 1; i++)
		if (!gbps || gbps >= speeds[i].gbps)
			break;
	return speeds[i].speed;
}

/**
 * fab_ib_sl_to_vl() - the lane that a packet takes out of a port (7.6.6)
 * @out: port
 * @in: port of the switch that it came in by; 0: the node's own
 * @sl: its service level
 *
 * Context: fabric thread.
 * Return: the lane; one that the port does not have, or 15, means: drop it.
 */
u8 fab_ib_sl_to_vl(struct fab_ib_port *out, u8 in, u8 sl)
{
	u8 (*table)[16] = READ_ONCE(out->attr.sl_to_vl_in);
	u8 vl;

	sl &= 15;
	if (table)
		vl = READ_ONCE(table[in][sl]);
	else if (READ_ONCE(out->attr.sl_to_vl_set))
		vl = READ_ONCE(out->attr.sl_to_vl[sl]);
	else
		vl = sl % fab_ib_lanes(out);
	return vl & 15;
}

/**
 * fab_ib_port_violation() - a packet for this port's node had the wrong key
 * @ibp: port
 * @pkey: its P_Key, else its Q_Key
 *
 * The counters are of 16 bits and stay at their end (14.2.5.6).
 *
 * Context: any; takes the port's lock.
 */
void fab_ib_port_violation(struct fab_ib_port *ibp, bool pkey)
{
	u16 *count = pkey ? &ibp->attr.pkey_violations : &ibp->attr.qkey_violations;
	unsigned long flags;

	spin_lock_irqsave(&ibp->lock, flags);
	if (*count < U16_MAX)
		++*count;
	spin_unlock_irqrestore(&ibp->lock, flags);
}

/**
 * fab_ib_pkey_ok() - is a packet's partition in a port's table? (10.9.3)
 * @ibp: port
 * @pkey: of the packet
 *
 * Two members match if their low 15 bits are equal and one of them is a full member.
 *
 * Context: any.
 * Return: true if so.
 */
bool fab_ib_pkey_ok(struct fab_ib_port *ibp, u16 pkey)
{
	unsigned int i;

	for (i = 0; i < FAB_IB_PKEYS; i++) {
		u16 own = READ_ONCE(ibp->attr.pkeys[i]);

		if ((own & 0x7fff) && (own & 0x7fff) == (pkey & 0x7fff) && ((own | pkey) & 0x8000))
			return true;
	}
	return false;
}
