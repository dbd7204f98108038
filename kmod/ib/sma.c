// SPDX-License-Identifier: GPL-2.0
/*
 * The subnet management agent (SMA): reads and writes a node's attributes as SMPs
 * ask for it (vol 1, 14.2.5). One table, attribute by attribute, for hosts and
 * switches; a row says which kinds of node have the attribute.
 *
 * The data of an SMP is 64 bytes. An attribute that is larger is a row of blocks;
 * the attribute modifier says which. The answer to a Set is what a Get would say
 * after it.
 */
#include <linux/slab.h>
#include "../host/hca.h"
#include "internal.h"

#define STATUS_OK		0
#define STATUS_BUSY		IB_MGMT_MAD_STATUS_BUSY
#define STATUS_BAD_VERSION	IB_MGMT_MAD_STATUS_BAD_VERSION
#define STATUS_BAD_METHOD	IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD
#define STATUS_BAD_ATTR		IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB
#define STATUS_BAD_VALUE	IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE

/**
 * struct row - an attribute
 * @id: AttributeID
 * @types: nodes that have it: bits of FAB_IB_CA, FAB_IB_SWITCH
 * @get: fills @smp's data; returns a status
 * @set: takes it over; NULL: cannot be set
 */
struct row {
	__be16 id;
	u8 types;
	u16 (*get)(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp);
	u16 (*set)(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp);
};

static u32 modifier(const struct ib_smp *smp)
{
	return be32_to_cpu(smp->attr_mod);
}

/* The port whose attributes are those of the node: LID, M_Key, capability mask. */
static struct fab_ib_port *manageable(struct fab_ib_node *ibn)
{
	return fab_ib_port_at(ibn, ibn->type == FAB_IB_SWITCH ? 0 : 1);
}

/* A port by number, as attribute modifiers name it; at a host 0 is the only one, too. */
static struct fab_ib_port *find_port(struct fab_ib_node *ibn, u32 num)
{
	if (ibn->type == FAB_IB_CA)
		num = num ?: 1;
	return num <= ibn->n_ports ? fab_ib_port_at(ibn, num) : NULL;
}

static_assert(sizeof_field(struct fab_ib_node, desc) ==
	      sizeof_field(struct ib_device, node_desc));

static u16 get_node_desc(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	const struct fab_hca *hca = READ_ONCE(manageable(ibn)->hca);

	/* A live host's can be changed through sysfs: ib_core has it. */
	memcpy(smp->data, hca ? hca->ibdev.node_desc : ibn->desc, sizeof(ibn->desc));
	return STATUS_OK;
}

static u16 get_node_info(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct ib_node_info *info = (struct ib_node_info *)smp->data;
	bool is_switch = ibn->type == FAB_IB_SWITCH;

	*info = (struct ib_node_info) {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = 1,
		.node_type = ibn->type,
		.num_ports = ibn->n_ports,
		.sys_guid = cpu_to_be64(ibn->guid),
		.node_guid = cpu_to_be64(ibn->guid),
		.port_guid = manageable(ibn)->attr.guids[0],
		.partition_cap = cpu_to_be16(FAB_IB_PKEYS),
		.device_id = cpu_to_be16(is_switch ? FAB_IB_DEVICE_SWITCH : FAB_IB_DEVICE_CA),
		.local_port_num = in,
		.vendor_id = { FAB_IB_VENDOR >> 16, FAB_IB_VENDOR >> 8 & 0xff,
			       FAB_IB_VENDOR & 0xff },
	};
	return STATUS_OK;
}

/* SwitchInfo (14.2.5.4). */
struct switch_info {
	__be16 lft_cap;
	__be16 rft_cap;
	__be16 mft_cap;
	__be16 lft_top;
	u8 def_port;
	u8 def_mcast_primary;
	u8 def_mcast_not_primary;
	u8 flags;			/* LifeTimeValue: 5 bits, PortStateChange, SL-to-VL: 2 */
	__be16 lids_per_port;
	__be16 enforce_cap;
	u8 caps;			/* enforcement in, out, raw filters, EnhancedPort0 */
	u8 reserved;
	__be16 mft_top;
};

static_assert(sizeof(struct switch_info) == 20);

#define PORT_STATE_CHANGE	4
#define CAPS_ENFORCE		0xc0

static u16 get_switch_info(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct switch_info *info = (struct switch_info *)smp->data;
	const struct fab_ib_switch *sw = ibn->sw;

	*info = (struct switch_info) {
		.lft_cap = cpu_to_be16(FAB_IB_LFT_CAP),
		.mft_cap = cpu_to_be16(FAB_IB_MFT_CAP),
		.lft_top = cpu_to_be16(sw->lft_top),
		.def_mcast_primary = sw->def_mcast_primary,
		.def_mcast_not_primary = sw->def_mcast_not_primary,
		.flags = sw->life_time << 3 | (sw->port_change ? PORT_STATE_CHANGE : 0),
		.enforce_cap = cpu_to_be16(FAB_IB_PKEYS),
		.caps = CAPS_ENFORCE,
	};
	return STATUS_OK;
}

static u16 set_switch_info(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	const struct switch_info *info = (const struct switch_info *)smp->data;
	struct fab_ib_switch *sw = ibn->sw;

	if (be16_to_cpu(info->lft_top) >= FAB_IB_LFT_CAP)
		return STATUS_BAD_VALUE;
	sw->lft_top = be16_to_cpu(info->lft_top);
	sw->def_mcast_primary = info->def_mcast_primary;
	sw->def_mcast_not_primary = info->def_mcast_not_primary;
	sw->life_time = info->flags >> 3;
	/* Written as 1 to be cleared. */
	if (info->flags & PORT_STATE_CHANGE)
		sw->port_change = false;
	return STATUS_OK;
}

/* GUIDInfo: blocks of 8; there is one. Entry 0 is burned in. */
static u16 get_guid_info(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct fab_ib_port *ibp = manageable(ibn);
	unsigned long flags;

	if (modifier(smp))
		return STATUS_BAD_VALUE;
	spin_lock_irqsave(&ibp->lock, flags);
	memcpy(smp->data, ibp->attr.guids, sizeof(ibp->attr.guids));
	spin_unlock_irqrestore(&ibp->lock, flags);
	return STATUS_OK;
}

static void tell_host(struct fab_ib_port *ibp, enum ib_event_type event)
{
	struct fab_hca *hca = READ_ONCE(ibp->hca);

	if (hca)
		fab_hca_port_event(hca, event);
}

static u16 set_guid_info(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct fab_ib_port *ibp = manageable(ibn);
	unsigned long flags;

	if (modifier(smp))
		return STATUS_BAD_VALUE;
	spin_lock_irqsave(&ibp->lock, flags);
	memcpy(&ibp->attr.guids[1], smp->data + 8, sizeof(ibp->attr.guids) - 8);
	spin_unlock_irqrestore(&ibp->lock, flags);
	tell_host(ibp, IB_EVENT_GID_CHANGE);
	return STATUS_OK;
}

/* P_KeyTable: port and block of 32; there is one block. */
static struct fab_ib_port *pkey_port(struct fab_ib_node *ibn, const struct ib_smp *smp)
{
	if (modifier(smp) & 0xffff)
		return NULL;
	return ibn->type == FAB_IB_SWITCH ? find_port(ibn, modifier(smp) >> 16) : manageable(ibn);
}

static u16 get_pkeys(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct fab_ib_port *ibp = pkey_port(ibn, smp);
	__be16 *pkeys = (__be16 *)smp->data;
	unsigned int i;

	if (!ibp)
		return STATUS_BAD_VALUE;
	for (i = 0; i < FAB_IB_PKEYS; i++)
		pkeys[i] = cpu_to_be16(READ_ONCE(ibp->attr.pkeys[i]));
	return STATUS_OK;
}

static u16 set_pkeys(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct fab_ib_port *ibp = pkey_port(ibn, smp);
	const __be16 *pkeys = (const __be16 *)smp->data;
	bool changed = false;
	unsigned long flags;
	unsigned int i;

	if (!ibp)
		return STATUS_BAD_VALUE;
	spin_lock_irqsave(&ibp->lock, flags);
	for (i = 0; i < FAB_IB_PKEYS; i++) {
		u16 pkey = be16_to_cpu(pkeys[i]);

		changed |= ibp->attr.pkeys[i] != pkey;
		WRITE_ONCE(ibp->attr.pkeys[i], pkey);
	}
	spin_unlock_irqrestore(&ibp->lock, flags);
	if (changed)
		tell_host(ibp, IB_EVENT_PKEY_CHANGE);
	return STATUS_OK;
}

/* SLtoVLMappingTable: 16 lanes of 4 bits. At a switch: port of entry, port of exit. */
static struct fab_ib_port *sl_port(struct fab_ib_node *ibn, const struct ib_smp *smp, u8 *in)
{
	u32 mod = modifier(smp);

	*in = 0;
	if (ibn->type == FAB_IB_CA)
		return manageable(ibn);
	*in = mod >> 8;
	if (mod > 0xffff || *in > ibn->n_ports)
		return NULL;
	return find_port(ibn, mod & 0xff);
}

static u16 get_sl_to_vl(struct fab_ib_node *ibn, u8 unused, struct ib_smp *smp)
{
	u8 in, sl;
	struct fab_ib_port *ibp = sl_port(ibn, smp, &in);
	unsigned long flags;

	if (!ibp)
		return STATUS_BAD_VALUE;
	spin_lock_irqsave(&ibp->lock, flags);
	for (sl = 0; sl < 16; sl += 2)
		smp->data[sl / 2] = fab_ib_sl_to_vl(ibp, in, sl) << 4 |
				    fab_ib_sl_to_vl(ibp, in, sl + 1);
	spin_unlock_irqrestore(&ibp->lock, flags);
	return STATUS_OK;
}

/* A switch's table for one port of exit; it stays as long as the port. */
static u8 (*make_sl_table(struct fab_ib_port *ibp))[16]
{
	u8 (*table)[16] = ibp->attr.sl_to_vl_in;
	unsigned int in, sl;

	if (table)
		return table;
	table = kcalloc(ibp->ibn->n_ports + 1, sizeof(*table), GFP_ATOMIC | __GFP_NOWARN);
	if (!table)
		return NULL;
	for (in = 0; in <= ibp->ibn->n_ports; in++)
		for (sl = 0; sl < 16; sl++)
			table[in][sl] = fab_ib_sl_to_vl(ibp, in, sl);
	WRITE_ONCE(ibp->attr.sl_to_vl_in, table);
	return table;
}

static u16 set_sl_to_vl(struct fab_ib_node *ibn, u8 unused, struct ib_smp *smp)
{
	u8 in, sl;
	struct fab_ib_port *ibp = sl_port(ibn, smp, &in);
	u8 *row;
	unsigned long flags;
	u16 status = STATUS_OK;

	if (!ibp)
		return STATUS_BAD_VALUE;
	spin_lock_irqsave(&ibp->lock, flags);
	row = ibp->attr.sl_to_vl;
	if (ibn->type == FAB_IB_SWITCH) {
		u8 (*table)[16] = make_sl_table(ibp);

		row = table ? table[in] : NULL;
	}
	for (sl = 0; row && sl < 16; sl++)
		WRITE_ONCE(row[sl], smp->data[sl / 2] >> (sl & 1 ? 0 : 4) & 15);
	if (row)
		WRITE_ONCE(ibp->attr.sl_to_vl_set, true);
	else
		status = STATUS_BUSY;
	spin_unlock_irqrestore(&ibp->lock, flags);
	return status;
}

/* VLArbitrationTable: half a table and port. Ours are short: only the lower halves exist. */
static struct fab_vlarb_table *arb_table(struct fab_ib_node *ibn, const struct ib_smp *smp,
					 struct fab_ib_port **ibp)
{
	enum { LOW = 1, HIGH = 3 };

	*ibp = find_port(ibn, modifier(smp) & 0xffff);
	if (!*ibp)
		return NULL;
	switch (modifier(smp) >> 16) {
	case LOW:
		return &(*ibp)->attr.arb_low;
	case HIGH:
		return &(*ibp)->attr.arb_high;
	default:
		return NULL;
	}
}

static u16 get_arb(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct ib_vl_weight_elem *elem = (struct ib_vl_weight_elem *)smp->data;
	const struct fab_vlarb_table *table;
	struct fab_ib_port *ibp;
	unsigned int i;

	table = arb_table(ibn, smp, &ibp);
	if (!table)
		return STATUS_BAD_VALUE;
	for (i = 0; i < FAB_VLARB_ENTRIES; i++) {
		elem[i].vl = READ_ONCE(table->vl[i]);
		elem[i].weight = READ_ONCE(table->weight[i]);
	}
	return STATUS_OK;
}

static u16 set_arb(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	const struct ib_vl_weight_elem *elem = (const struct ib_vl_weight_elem *)smp->data;
	struct fab_vlarb_table *table;
	struct fab_ib_port *ibp;
	unsigned int i;

	table = arb_table(ibn, smp, &ibp);
	if (!table)
		return STATUS_BAD_VALUE;
	for (i = 0; i < FAB_VLARB_ENTRIES; i++) {
		WRITE_ONCE(table->vl[i], elem[i].vl & 15);
		WRITE_ONCE(table->weight[i], elem[i].weight);
	}
	/* A lane that could not send may be able to now. */
	fab_ib_port_kick(ibp);
	return STATUS_OK;
}

static u16 get_lft(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	const u8 *block;

	if (modifier(smp) >= ARRAY_SIZE(ibn->sw->lft))
		return STATUS_BAD_VALUE;
	block = ibn->sw->lft[modifier(smp)];
	if (block)
		memcpy(smp->data, block, FAB_IB_LFT_BLOCK);
	else
		memset(smp->data, FAB_IB_NO_PORT, FAB_IB_LFT_BLOCK);
	return STATUS_OK;
}

static u16 set_lft(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	u8 **block;

	if (modifier(smp) >= ARRAY_SIZE(ibn->sw->lft))
		return STATUS_BAD_VALUE;
	block = &ibn->sw->lft[modifier(smp)];
	if (!*block)
		*block = kmalloc(FAB_IB_LFT_BLOCK, GFP_NOWAIT | __GFP_NOWARN);
	if (!*block)
		return STATUS_BUSY;
	memcpy(*block, smp->data, FAB_IB_LFT_BLOCK);
	return STATUS_OK;
}

/* MulticastForwardingTable: block of 32 LIDs, and which 16 ports of them. */
static __be16 **mft_block(struct fab_ib_node *ibn, const struct ib_smp *smp, unsigned int *word)
{
	unsigned int block = modifier(smp) & 0x1ff;

	*word = modifier(smp) >> 28;
	if (block >= ARRAY_SIZE(ibn->sw->mft) || *word >= ibn->sw->mft_words)
		return NULL;
	return &ibn->sw->mft[block];
}

static u16 get_mft(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	__be16 *entry = (__be16 *)smp->data;
	__be16 **block;
	unsigned int i, word;

	block = mft_block(ibn, smp, &word);
	if (!block)
		return STATUS_BAD_VALUE;
	for (i = 0; i < FAB_IB_MFT_BLOCK; i++)
		entry[i] = *block ? (*block)[i * ibn->sw->mft_words + word] : 0;
	return STATUS_OK;
}

static u16 set_mft(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	const __be16 *entry = (const __be16 *)smp->data;
	__be16 **block;
	unsigned int i, word;

	block = mft_block(ibn, smp, &word);
	if (!block)
		return STATUS_BAD_VALUE;
	if (!*block)
		*block = kcalloc(FAB_IB_MFT_BLOCK * ibn->sw->mft_words, sizeof(**block),
				 GFP_NOWAIT | __GFP_NOWARN);
	if (!*block)
		return STATUS_BUSY;
	for (i = 0; i < FAB_IB_MFT_BLOCK; i++)
		(*block)[i * ibn->sw->mft_words + word] = entry[i];
	return STATUS_OK;
}

/* PortInfo is a file of its own. */
static u16 get_port_info(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct fab_ib_port *ibp = find_port(ibn, modifier(smp));

	if (!ibp)
		return STATUS_BAD_VALUE;
	fab_port_info_get(ibp, in, smp);
	return STATUS_OK;
}

static u16 set_port_info(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	struct fab_ib_port *ibp = find_port(ibn, modifier(smp));

	if (!ibp)
		return STATUS_BAD_VALUE;
	return fab_port_info_set(ibp, smp) ? STATUS_OK : STATUS_BAD_VALUE;
}

#define ON_CA		BIT(FAB_IB_CA)
#define ON_SWITCH	BIT(FAB_IB_SWITCH)
#define ON_ALL		(ON_CA | ON_SWITCH)

static const struct row rows[] = {
	{ IB_SMP_ATTR_NODE_DESC, ON_ALL, get_node_desc },
	{ IB_SMP_ATTR_NODE_INFO, ON_ALL, get_node_info },
	{ IB_SMP_ATTR_SWITCH_INFO, ON_SWITCH, get_switch_info, set_switch_info },
	{ IB_SMP_ATTR_GUID_INFO, ON_ALL, get_guid_info, set_guid_info },
	{ IB_SMP_ATTR_PORT_INFO, ON_ALL, get_port_info, set_port_info },
	{ IB_SMP_ATTR_PKEY_TABLE, ON_ALL, get_pkeys, set_pkeys },
	{ IB_SMP_ATTR_SL_TO_VL_TABLE, ON_ALL, get_sl_to_vl, set_sl_to_vl },
	{ IB_SMP_ATTR_VL_ARB_TABLE, ON_ALL, get_arb, set_arb },
	{ IB_SMP_ATTR_LINEAR_FORWARD_TABLE, ON_SWITCH, get_lft, set_lft },
	{ IB_SMP_ATTR_MCAST_FORWARD_TABLE, ON_SWITCH, get_mft, set_mft },
};

static const struct row *find_row(const struct fab_ib_node *ibn, __be16 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].id == id && (rows[i].types & BIT(ibn->type)))
			return &rows[i];
	return NULL;
}

/* The management key (14.2.4): who does not have it may not change, or not even read. */
static bool mkey_ok(struct fab_ib_port *ibp, const struct ib_smp *smp)
{
	unsigned long flags;
	bool ok;

	spin_lock_irqsave(&ibp->lock, flags);
	ok = !ibp->attr.mkey || ibp->attr.mkey == be64_to_cpu(smp->mkey) ||
	     (smp->method == IB_MGMT_METHOD_GET && ibp->attr.mkey_protect < 2);
	if (!ok && ibp->attr.mkey_violations < U16_MAX)
		ibp->attr.mkey_violations++;
	spin_unlock_irqrestore(&ibp->lock, flags);
	return ok;
}

static u16 serve(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp)
{
	const struct row *row = find_row(ibn, smp->attr_id);
	u16 status;

	if (smp->class_version != 1)
		return STATUS_BAD_VERSION;
	if (!row)
		return STATUS_BAD_ATTR;
	if (smp->method == IB_MGMT_METHOD_SET) {
		if (!row->set)
			return STATUS_BAD_ATTR;
		status = row->set(ibn, in, smp);
		if (status)
			return status;
	}
	memset(smp->data, 0, sizeof(smp->data));
	return row->get(ibn, in, smp);
}

/* SMInfo belongs to an SM, where there is one. */
static bool is_for_sm(struct fab_ib_node *ibn, const struct ib_smp *smp)
{
	return smp->attr_id == IB_SMP_ATTR_SM_INFO &&
	       (READ_ONCE(manageable(ibn)->attr.cap_mask) & IB_PORT_SM);
}

/**
 * fab_sma_answer() - a node's SMA looks at an SMP
 * @ibn: node
 * @in: port that it came in by; 0: at a switch, the switch itself
 * @smp: SMP; if it is answered: the answer
 * @trusted: it need not have the M_Key
 *
 * Context: any, atomic; at a switch the fabric thread, which owns its tables.
 * Return: FAB_IB_REPLY: send @smp back the way it came; FAB_IB_NOT_MINE: it is for
 * a manager; FAB_IB_CONSUMED: no answer.
 */
enum fab_ib_answer fab_sma_answer(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp,
				  bool trusted)
{
	u16 status;

	/* Never an answer to an answer. */
	if (smp->method & IB_MGMT_METHOD_RESP)
		return FAB_IB_NOT_MINE;
	switch (smp->method) {
	case IB_MGMT_METHOD_GET:
	case IB_MGMT_METHOD_SET:
		break;
	case IB_MGMT_METHOD_TRAP_REPRESS:
		fab_ib_port_repress(manageable(ibn), smp);
		return FAB_IB_NOT_MINE;
	case IB_MGMT_METHOD_TRAP:
		return FAB_IB_NOT_MINE;
	default:
		status = STATUS_BAD_METHOD;
		goto reply;
	}
	if (is_for_sm(ibn, smp))
		return FAB_IB_NOT_MINE;
	if (!trusted && !mkey_ok(manageable(ibn), smp))
		return FAB_IB_CONSUMED;
	status = serve(ibn, in, smp);
reply:
	smp->method = IB_MGMT_METHOD_GET_RESP;
	smp->status = cpu_to_be16(status);
	return FAB_IB_REPLY;
}
