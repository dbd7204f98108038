// SPDX-License-Identifier: GPL-2.0
/*
 * The performance management agent (PMA): a port's counters, as MADs at QP 1 read
 * and clear them (vol 1, 16.1).
 *
 * PortCounters are narrow: they stay at their highest value when they have got
 * there (16.1.3.5). PortCountersExtended are 64 bits wide. Both look at the same
 * numbers, which only ever grow; clearing keeps what they were (struct fab_ib_base),
 * for each of the two attributes by itself.
 */
#include <rdma/ib_pma.h>
#include "../compat.h"
#include "internal.h"

#define ALL_PORTS	0xff
#define RESPONSE_TIME	16

/**
 * struct field - a counter in an attribute
 * @select: its bit of CounterSelect
 * @offset: in the attribute, bytes
 * @bits: how wide
 * @shift: of a counter that has half a byte
 * @counter: FAB_IB_CNT_*
 */
struct field {
	u32 select;
	u8 offset;
	u8 bits;
	u8 shift;
	u8 counter;
};

/* PortXmitWait is selected by another field, CounterSelect2. */
#define SELECT2_SHIFT	16
#define SELECT2_OFFSET	18

#define FIELD(bit, member, width, which) \
	{ BIT(bit), offsetof(struct ib_pma_portcounters, member), width, 0, FAB_IB_CNT_##which }

static const struct field fields[] = {
	FIELD(0, symbol_error_counter, 16, SYMBOL_ERROR),
	FIELD(1, link_error_recovery_counter, 8, LINK_RECOVERY),
	FIELD(2, link_downed_counter, 8, LINK_DOWNED),
	FIELD(3, port_rcv_errors, 16, RCV_ERRORS),
	FIELD(4, port_rcv_remphys_errors, 16, RCV_REMPHYS),
	FIELD(5, port_rcv_switch_relay_errors, 16, RCV_SWITCH_RELAY),
	FIELD(6, port_xmit_discards, 16, XMIT_DISCARDS),
	FIELD(7, port_xmit_constraint_errors, 8, XMIT_CONSTRAINT),
	FIELD(8, port_rcv_constraint_errors, 8, RCV_CONSTRAINT),
	{ BIT(9), offsetof(struct ib_pma_portcounters, link_overrun_errors), 4, 4,
	  FAB_IB_CNT_LOCAL_LINK_INTEGRITY },
	{ BIT(10), offsetof(struct ib_pma_portcounters, link_overrun_errors), 4, 0,
	  FAB_IB_CNT_BUFFER_OVERRUN },
	FIELD(11, vl15_dropped, 16, VL15_DROPPED),
	FIELD(12, port_xmit_data, 32, XMIT_DATA),
	FIELD(13, port_rcv_data, 32, RCV_DATA),
	FIELD(14, port_xmit_packets, 32, XMIT_PKTS),
	FIELD(15, port_rcv_packets, 32, RCV_PKTS),
	FIELD(SELECT2_SHIFT, port_xmit_wait, 32, XMIT_WAIT),
};

#undef FIELD
#define FIELD(bit, member, which) \
	{ BIT(bit), offsetof(struct ib_pma_portcounters_ext, member), 64, 0, FAB_IB_CNT_##which }

static const struct field fields_ext[] = {
	FIELD(0, port_xmit_data, XMIT_DATA),
	FIELD(1, port_rcv_data, RCV_DATA),
	FIELD(2, port_xmit_packets, XMIT_PKTS),
	FIELD(3, port_rcv_packets, RCV_PKTS),
	FIELD(4, port_unicast_xmit_packets, UNI_XMIT),
	FIELD(5, port_unicast_rcv_packets, UNI_RCV),
	FIELD(6, port_multicast_xmit_packets, MULTI_XMIT),
	FIELD(7, port_multicast_rcv_packets, MULTI_RCV),
};

#undef FIELD

/**
 * struct counter_attr - an attribute made of counters
 * @id: AttributeID
 * @fields: its counters
 * @n_fields: how many
 * @ext: it is PortCountersExtended
 */
struct counter_attr {
	__be16 id;
	const struct field *fields;
	unsigned int n_fields;
	bool ext;
};

static const struct counter_attr attributes[] = {
	{ IB_PMA_PORT_COUNTERS, fields, ARRAY_SIZE(fields), false },
	{ IB_PMA_PORT_COUNTERS_EXT, fields_ext, ARRAY_SIZE(fields_ext), true },
};

/* Packets that a wire damaged never reached this port's code: the port of the graph has them. */
static u64 raw_value(const struct fab_ib_port *ibp, unsigned int counter)
{
	u64 value = READ_ONCE(ibp->cnt.v[counter]);

	if (ibp->port && (counter == FAB_IB_CNT_RCV_ERRORS || counter == FAB_IB_CNT_SYMBOL_ERROR))
		value += READ_ONCE(ibp->port->stats.drops[FABSIM_DROP_BIT_ERROR]);
	return value;
}

static u64 *base_of(struct fab_ib_port *ibp, bool ext, unsigned int counter)
{
	return ext ? &ibp->base_ext.v[counter] : &ibp->base.v[counter];
}

static u64 read_counter(struct fab_ib_port *ibp, bool ext, unsigned int counter)
{
	unsigned long flags;
	u64 value, base;

	spin_lock_irqsave(&ibp->lock, flags);
	value = raw_value(ibp, counter);
	base = *base_of(ibp, ext, counter);
	spin_unlock_irqrestore(&ibp->lock, flags);
	/*
	 * A base above the value is one of two things: somebody wrote a number other than
	 * zero (then the difference wraps to it), or the port of the graph was just reset.
	 */
	return (s64)(value - base) >= 0 ? value - base : value;
}

static void write_counter(struct fab_ib_port *ibp, bool ext, unsigned int counter, u64 value)
{
	unsigned long flags;

	spin_lock_irqsave(&ibp->lock, flags);
	*base_of(ibp, ext, counter) = raw_value(ibp, counter) - min_t(u64, value, S64_MAX);
	spin_unlock_irqrestore(&ibp->lock, flags);
}

/* One port, or the sum of all but port 0. */
static u64 read_ports(struct fab_ib_node *ibn, u8 select, bool ext, unsigned int counter)
{
	unsigned int num;
	u64 sum = 0;

	if (select != ALL_PORTS)
		return read_counter(fab_ib_port_at(ibn, select), ext, counter);
	for (num = 1; num <= ibn->n_ports; num++)
		sum += read_counter(fab_ib_port_at(ibn, num), ext, counter);
	return sum;
}

static void put_field(u8 *data, const struct field *field, u64 value)
{
	u64 most = field->bits == 64 ? U64_MAX : BIT_ULL(field->bits) - 1;

	value = min(value, most);
	switch (field->bits) {
	case 4:
		data[field->offset] |= value << field->shift;
		break;
	case 8:
		data[field->offset] = value;
		break;
	case 16:
		put_unaligned_be16(value, data + field->offset);
		break;
	case 32:
		put_unaligned_be32(value, data + field->offset);
		break;
	case 64:
		put_unaligned_be64(value, data + field->offset);
		break;
	}
}

static u64 get_field(const u8 *data, const struct field *field)
{
	switch (field->bits) {
	case 4:
		return data[field->offset] >> field->shift & 15;
	case 8:
		return data[field->offset];
	case 16:
		return get_unaligned_be16(data + field->offset);
	case 32:
		return get_unaligned_be32(data + field->offset);
	default:
		return get_unaligned_be64(data + field->offset);
	}
}

static bool select_ok(const struct fab_ib_node *ibn, u8 select)
{
	if (select == ALL_PORTS)
		return true;
	return select <= ibn->n_ports && (select || ibn->type == FAB_IB_SWITCH);
}

static void set_counters(struct fab_ib_node *ibn, const struct counter_attr *attribute, u8 select,
			 u32 which, const u8 *data)
{
	unsigned int first = select == ALL_PORTS ? 1 : select;
	unsigned int last = select == ALL_PORTS ? ibn->n_ports : select;
	unsigned int i, num;

	for (i = 0; i < attribute->n_fields; i++) {
		const struct field *field = &attribute->fields[i];

		for (num = first; (which & field->select) && num <= last; num++)
			write_counter(fab_ib_port_at(ibn, num), attribute->ext, field->counter,
				      get_field(data, field));
	}
}

static u16 serve_counters(struct fab_ib_node *ibn, const struct counter_attr *attribute,
			  struct ib_pma_mad *mad)
{
	u8 *data = mad->data;
	u8 select = data[1];
	u32 which = get_unaligned_be16(data + 2);
	unsigned int i;

	if (!select_ok(ibn, select))
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	if (!attribute->ext)
		which |= data[SELECT2_OFFSET] << SELECT2_SHIFT;
	if (mad->mad_hdr.method == IB_MGMT_METHOD_SET)
		set_counters(ibn, attribute, select, which, data);
	memset(data, 0, sizeof(mad->data));
	data[1] = select;
	for (i = 0; i < attribute->n_fields; i++)
		put_field(data, &attribute->fields[i],
			  read_ports(ibn, select, attribute->ext, attribute->fields[i].counter));
	return 0;
}

static u16 serve_class_info(struct ib_pma_mad *mad)
{
	struct ib_class_port_info *info = (struct ib_class_port_info *)mad->data;

	if (mad->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	memset(mad->data, 0, sizeof(mad->data));
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_ALLPORTSELECT | IB_PMA_CLASS_CAP_EXT_WIDTH |
				IB_PMA_CLASS_CAP_XMIT_WAIT;
	info->cap_mask2_resp_time = cpu_to_be32(RESPONSE_TIME);
	return 0;
}

static u16 serve(struct fab_ib_node *ibn, struct ib_pma_mad *mad)
{
	unsigned int i;

	if (mad->mad_hdr.class_version != 1)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	if (mad->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO)
		return serve_class_info(mad);
	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].id == mad->mad_hdr.attr_id)
			return serve_counters(ibn, &attributes[i], mad);
	return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
}

/**
 * fab_pma_answer() - a node's PMA looks at a MAD
 * @ibn: node
 * @mad: MAD; if it is answered: the answer
 *
 * Context: any, atomic.
 * Return: FAB_IB_REPLY: send @mad back; FAB_IB_NOT_MINE: it is for somebody else.
 */
enum fab_ib_answer fab_pma_answer(struct fab_ib_node *ibn, struct ib_mad *mad)
{
	struct ib_pma_mad *pma = (struct ib_pma_mad *)mad;
	u8 method = mad->mad_hdr.method;

	static_assert(sizeof(*pma) == sizeof(*mad));
	if (mad->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    (method != IB_MGMT_METHOD_GET && method != IB_MGMT_METHOD_SET))
		return FAB_IB_NOT_MINE;
	mad->mad_hdr.status = cpu_to_be16(serve(ibn, pma));
	mad->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	return FAB_IB_REPLY;
}
