// SPDX-License-Identifier: GPL-2.0
/*
 * Records of what the subnet manager has found: nodes, ports, links, subnet managers
 * (vol 1, 15.2.5). Each is made for every object and compared with the question.
 */
#include "sa.h"

/* NodeRecord: LID, reserved, NodeInfo, NodeDescription (15.2.5.2). */
struct node_record {
	__be16 lid;
	__be16 reserved;
	struct ib_node_info info;
	u8 desc[64];
} __packed;

static_assert(sizeof(struct node_record) == 108);

/* Components of NodeRecord, by their bit of the component mask. */
static const struct fab_sa_field node_fields[] = {
	{ 0, 16 }, { 16, 16 }, { 32, 8 }, { 40, 8 }, { 48, 8 }, { 56, 8 }, { 64, 64 },
	{ 128, 64 }, { 192, 64 }, { 256, 16 }, { 272, 16 }, { 288, 32 }, { 320, 8 },
	{ 328, 24 }, { 352, 512 },
};

/* PortInfoRecord: LID of the end port, number of the port, options, PortInfo (15.2.5.3). */
struct port_record {
	__be16 lid;
	u8 num;
	u8 options;
	u8 info[IB_SMP_DATA_SIZE];
} __packed;

static_assert(sizeof(struct port_record) == 68);

static const struct fab_sa_field port_fields[] = {
	{ 0, 16 }, { 16, 8 }, { 24, 0 }, { 32, 64 }, { 96, 64 }, { 160, 16 }, { 176, 16 },
	{ 192, 32 }, { 224, 16 }, { 240, 16 }, { 256, 8 }, { 264, 8 }, { 272, 8 }, { 280, 8 },
	{ 288, 4 }, { 292, 4 }, { 296, 4 }, { 300, 4 }, { 304, 2 }, { 309, 3 }, { 312, 4 },
	{ 316, 4 }, { 320, 4 }, { 324, 4 }, { 328, 4 }, { 332, 4 },
};

/* SMInfoRecord: LID, reserved, SMInfo (15.2.5.10). */
struct sm_record {
	__be16 lid;
	__be16 reserved;
	__be64 guid;
	__be64 key;
	__be32 act_count;
	u8 priority_state;
	u8 reserved2[3];
} __packed;

static_assert(sizeof(struct sm_record) == 28);

static const struct fab_sa_field sm_fields[] = {
	{ 0, 16 }, { 16, 16 }, { 32, 64 }, { 96, 0 }, { 160, 32 }, { 192, 4 }, { 196, 4 },
};

/* LinkRecord (15.2.5.13). */
struct link_record {
	__be16 from_lid;
	u8 from_port;
	u8 to_port;
	__be16 to_lid;
} __packed;

static_assert(sizeof(struct link_record) == 6);

static const struct fab_sa_field link_fields[] = {
	{ 0, 16 }, { 16, 8 }, { 24, 8 }, { 32, 16 },
};

/* Components are whole bytes, or lie within one. */
static bool is_equal(const u8 *a, const u8 *b, const struct fab_sa_field *field)
{
	unsigned int at = field->at / 8, shift;

	if (!(field->at % 8) && !(field->bits % 8))
		return !memcmp(a + at, b + at, field->bits / 8);
	shift = 8 - field->at % 8 - field->bits;
	return !((a[at] ^ b[at]) >> shift & ((1U << field->bits) - 1));
}

/**
 * fab_sa_emit() - add a record to the answer, if it fits the question
 * @question: question
 * @record: record
 * @fields: its components, by their bit of the component mask; others are not compared
 * @n: length of @fields
 *
 * Return: false if there is no use in going on.
 */
bool fab_sa_emit(struct fab_sa_question *question, const void *record,
		 const struct fab_sa_field *fields, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (fab_sa_asks(question, i) &&
		    !is_equal(record, question->request->data, &fields[i]))
			return true;
	return fab_sa_table_add(question->table, record);
}

/**
 * fab_sa_node_records() - NodeRecords
 * @question: question
 *
 * Return: 0 or a status.
 */
u16 fab_sa_node_records(struct fab_sa_question *question)
{
	struct node_record record = { };
	struct fab_sm_node *node;

	list_for_each_entry(node, &question->sm->subnet->nodes, list) {
		record.lid = cpu_to_be16(node->lid);
		record.info = node->info;
		memcpy(record.desc, node->desc, sizeof(record.desc));
		if (!fab_sa_emit(question, &record, node_fields, ARRAY_SIZE(node_fields)))
			break;
	}
	return 0;
}

/* PortInfoRecord: CapabilityMask, in the mask of components, and in the record. */
#define PORT_CAP_MASK		7
#define PORT_CAP_MASK_AT	24
/* Of the attribute modifier: it fits if all the capabilities asked for are there (15.2.5.3). */
#define CAP_MASK_MATCH		BIT(31)

static u32 cap_mask(const void *record)
{
	__be32 mask;

	memcpy(&mask, record + PORT_CAP_MASK_AT, sizeof(mask));
	return be32_to_cpu(mask);
}

static bool emit_port(struct fab_sa_question *question, const struct port_record *record)
{
	const struct ib_sa_mad *request = question->request;
	struct fab_sa_field fields[ARRAY_SIZE(port_fields)];
	u32 wanted = cap_mask(request->data);

	if (!fab_sa_asks(question, PORT_CAP_MASK) ||
	    !(be32_to_cpu(request->mad_hdr.attr_mod) & CAP_MASK_MATCH))
		return fab_sa_emit(question, record, port_fields, ARRAY_SIZE(port_fields));
	if ((cap_mask(record) & wanted) != wanted)
		return true;
	memcpy(fields, port_fields, sizeof(fields));
	fields[PORT_CAP_MASK].bits = 0;
	return fab_sa_emit(question, record, fields, ARRAY_SIZE(fields));
}

/**
 * fab_sa_port_records() - PortInfoRecords
 * @question: question
 *
 * Return: 0 or a status.
 */
u16 fab_sa_port_records(struct fab_sa_question *question)
{
	struct port_record record = { };
	struct fab_sm_node *node;
	unsigned int i;

	list_for_each_entry(node, &question->sm->subnet->nodes, list) {
		record.lid = cpu_to_be16(node->lid);
		for (i = 0; i <= node->n_ports; i++) {
			if (!node->ports[i].known)
				continue;
			record.num = node->ports[i].num;
			memcpy(record.info, node->ports[i].info, sizeof(record.info));
			/* The M_Key is nobody's business (15.4.2). */
			memset(record.info, 0, sizeof(__be64));
			if (!emit_port(question, &record))
				return 0;
		}
	}
	return 0;
}

static bool emit_sm(struct fab_sa_question *question, u64 guid, u8 priority, u8 state)
{
	const struct fab_sm_node *node = fab_sm_node_by_port_guid(question->sm->subnet, guid);
	struct sm_record record = {
		.lid = cpu_to_be16(node ? node->lid : 0),
		.guid = cpu_to_be64(guid),
		.priority_state = priority << 4 | state,
	};

	return fab_sa_emit(question, &record, sm_fields, ARRAY_SIZE(sm_fields));
}

/**
 * fab_sa_sm_records() - SMInfoRecords: this SM, and those that the last sweep found
 * @question: question
 *
 * Return: 0 or a status.
 */
u16 fab_sa_sm_records(struct fab_sa_question *question)
{
	struct fab_sm *sm = question->sm;
	unsigned int i;

	if (!emit_sm(question, sm->guid, sm->set.priority, sm->state))
		return 0;
	for (i = 0; i < sm->n_peers; i++)
		if (!emit_sm(question, sm->peers[i].guid, sm->peers[i].priority,
			     sm->peers[i].state))
			break;
	return 0;
}

/**
 * fab_sa_link_records() - LinkRecords: each cable once from either end
 * @question: question
 *
 * Return: 0 or a status.
 */
u16 fab_sa_link_records(struct fab_sa_question *question)
{
	struct link_record record;
	struct fab_sm_port *port;
	struct fab_sm_node *node;
	unsigned int i;

	list_for_each_entry(node, &question->sm->subnet->nodes, list) {
		for (i = 0; i <= node->n_ports; i++) {
			port = &node->ports[i];
			if (!port->peer)
				continue;
			record = (struct link_record) {
				.from_lid = cpu_to_be16(node->lid),
				.from_port = port->num,
				.to_port = port->peer->num,
				.to_lid = cpu_to_be16(port->peer->node->lid),
			};
			if (!fab_sa_emit(question, &record, link_fields, ARRAY_SIZE(link_fields)))
				return 0;
		}
	}
	return 0;
}
