// SPDX-License-Identifier: GPL-2.0
/*
 * Subnet administration (vol 1, chapter 15): questions and answers.
 *
 * The subnet manager knows the subnet; everybody else asks it. A program that wants
 * to reach a GID asks for a PathRecord: which LID, which MTU, which service level?
 * IPoIB joins multicast groups (MCMemberRecord); tools list nodes, ports and links.
 * The questions are ordinary datagrams to QP 1 of the port that PortInfo names
 * as the SM's, so they need a subnet that is up.
 *
 * A question is a record of which some components are given (the component mask).
 * Get wants the one record that fits, GetTable all of them: those may be more than
 * a datagram holds, and are sent as several with acknowledgements (sa_rmpp.c).
 *
 *	sa_record.c  nodes, ports, links, SMs     sa_path.c  paths
 *	sa_mcast.c   multicast groups             sa_rmpp.c  tables
 */
#include <linux/slab.h>
#include "sa.h"

/**
 * struct record_type - what can be asked about
 * @id: attribute
 * @size: of its record, bytes
 * @first: a Get takes the first of several records that fit
 * @records: finds the records
 */
struct record_type {
	__be16 id;
	u16 size;
	bool first;
	u16 (*records)(struct fab_sa_question *question);
};

static const struct record_type record_types[] = {
	{ cpu_to_be16(IB_SA_ATTR_NODE_REC), 108, false, fab_sa_node_records },
	{ cpu_to_be16(IB_SA_ATTR_PORT_INFO_REC), 68, false, fab_sa_port_records },
	{ cpu_to_be16(IB_SA_ATTR_SM_INFO_REC), 28, false, fab_sa_sm_records },
	{ cpu_to_be16(IB_SA_ATTR_LINK_REC), 6, false, fab_sa_link_records },
	{ cpu_to_be16(IB_SA_ATTR_PATH_REC), 64, true, fab_sa_path_records },
	{ cpu_to_be16(IB_SA_ATTR_MC_MEMBER_REC), 52, true, fab_sa_member_records },
};

/* SA: ClassPortInfo: CapabilityMask (15.2.1.4). */
#define CAP_OPTIONAL_RECORDS	BIT(8)
#define CAP_MULTICAST		BIT(9)
#define CAP_PORT_MASK_MATCH	BIT(13)
#define RESPONSE_TIME		18

/**
 * fab_sa_create() - the subnet administration of an SM
 * @sm: subnet manager
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int fab_sa_create(struct fab_sm *sm)
{
	sm->sa = kvzalloc(sizeof(*sm->sa), GFP_KERNEL);
	if (!sm->sa)
		return -ENOMEM;
	INIT_LIST_HEAD(&sm->sa->groups);
	INIT_LIST_HEAD(&sm->sa->transfers);
	return 0;
}

/**
 * fab_sa_clear() - forget everything
 * @sm: subnet manager; no master any more
 */
void fab_sa_clear(struct fab_sm *sm)
{
	fab_sa_free_transfers(sm->sa);
	fab_sa_free_groups(sm->sa);
}

/**
 * fab_sa_destroy() - the end
 * @sm: subnet manager
 *
 * Context: may sleep.
 */
void fab_sa_destroy(struct fab_sm *sm)
{
	if (!sm->sa)
		return;
	fab_sa_clear(sm);
	kvfree(sm->sa);
	sm->sa = NULL;
}

static void answer(struct fab_sm *sm, struct ib_sa_mad *mad, const struct fab_ib_mad_addr *from)
{
	mad->mad_hdr.method |= IB_MGMT_METHOD_RESP;
	/* SubnAdmSet is answered by GetResp (table 189). */
	if (mad->mad_hdr.method == (IB_MGMT_METHOD_SET | IB_MGMT_METHOD_RESP))
		mad->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	memset(&mad->rmpp_hdr, 0, sizeof(mad->rmpp_hdr));
	fab_ib_reply_gmp(sm->sw, (struct ib_mad *)mad, from);
}

/**
 * fab_sa_refuse() - answer that there is no answer
 * @sm: subnet manager
 * @request: as it came
 * @from: whose it is
 * @status: why
 */
void fab_sa_refuse(struct fab_sm *sm, const struct ib_sa_mad *request,
		   const struct fab_ib_mad_addr *from, u16 status)
{
	struct ib_sa_mad mad __aligned(8) = *request;

	sm->stats.sa_refused++;
	mad.mad_hdr.status = cpu_to_be16(status);
	answer(sm, &mad, from);
}

/**
 * fab_sa_answer_one() - answer with one record
 * @sm: subnet manager
 * @request: as it came
 * @from: whose it is
 * @record: record
 * @len: its length
 */
void fab_sa_answer_one(struct fab_sm *sm, const struct ib_sa_mad *request,
		       const struct fab_ib_mad_addr *from, const void *record, u32 len)
{
	struct ib_sa_mad mad __aligned(8) = *request;

	mad.mad_hdr.status = 0;
	memset(mad.data, 0, sizeof(mad.data));
	memcpy(mad.data, record, min_t(u32, len, sizeof(mad.data)));
	answer(sm, &mad, from);
}

static void class_port_info(struct fab_sm *sm, const struct ib_sa_mad *request,
			    const struct fab_ib_mad_addr *from)
{
	struct ib_class_port_info info = {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = IB_SA_CLASS_VERSION,
		.capability_mask = cpu_to_be16(CAP_OPTIONAL_RECORDS | CAP_MULTICAST |
					       CAP_PORT_MASK_MATCH),
	};

	ib_set_cpi_capmask2(&info, IB_SA_CAP_MASK2_SENDONLY_FULL_MEM_SUPPORT);
	ib_set_cpi_resp_time(&info, RESPONSE_TIME);
	fab_sa_answer_one(sm, request, from, &info, sizeof(info));
}

static void answer_get(struct fab_sa_question *question, const struct record_type *type)
{
	struct fab_sa_table *table = question->table;
	u8 record[IB_MGMT_SA_DATA];

	if (!table->n || (table->n > 1 && !type->first)) {
		fab_sa_refuse(question->sm, question->request, question->from,
			      table->n ? FAB_SA_TOO_MANY_RECORDS : FAB_SA_NO_RECORDS);
		return;
	}
	fab_sa_table_read(table, 0, record, table->size);
	fab_sa_answer_one(question->sm, question->request, question->from, record, table->size);
}

static void look_up(struct fab_sm *sm, const struct ib_sa_mad *request,
		    const struct fab_ib_mad_addr *from, const struct record_type *type)
{
	struct fab_sa_table table;
	struct fab_sa_question question = {
		.sm = sm, .request = request, .from = from, .table = &table,
	};
	u16 status;

	fab_sa_table_init(&table, type->size);
	status = type->records(&question);
	if (!status && table.no_memory)
		status = FAB_SA_NO_RESOURCES;
	if (!status && table.too_many)
		status = FAB_SA_TOO_MANY_RECORDS;
	if (status)
		fab_sa_refuse(sm, request, from, status);
	else if (request->mad_hdr.method == IB_MGMT_METHOD_GET)
		answer_get(&question, type);
	else
		fab_sa_send_table(sm, request, from, &table);
	fab_sa_table_free(&table);
}

static void member(struct fab_sm *sm, const struct ib_sa_mad *request,
		   const struct fab_ib_mad_addr *from)
{
	struct fab_mcmember record;
	u16 status;

	if (request->mad_hdr.method == IB_MGMT_METHOD_SET)
		status = fab_sa_join(sm, request, from, &record);
	else
		status = fab_sa_leave(sm, request, from, &record);
	if (status)
		fab_sa_refuse(sm, request, from, status);
	else
		fab_sa_answer_one(sm, request, from, &record, sizeof(record));
}

static void request_came(struct fab_sm *sm, const struct ib_sa_mad *request,
			 const struct fab_ib_mad_addr *from)
{
	u8 method = request->mad_hdr.method;
	unsigned int i;

	if (method == IB_MGMT_METHOD_GET &&
	    request->mad_hdr.attr_id == cpu_to_be16(IB_SA_ATTR_CLASS_PORTINFO)) {
		class_port_info(sm, request, from);
		return;
	}
	if ((method == IB_MGMT_METHOD_SET || method == IB_SA_METHOD_DELETE) &&
	    request->mad_hdr.attr_id == cpu_to_be16(IB_SA_ATTR_MC_MEMBER_REC)) {
		member(sm, request, from);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(record_types); i++) {
		if (record_types[i].id != request->mad_hdr.attr_id ||
		    (method != IB_MGMT_METHOD_GET && method != IB_SA_METHOD_GET_TABLE))
			continue;
		look_up(sm, request, from, &record_types[i]);
		return;
	}
	/* ServiceRecord, InformInfo and others of the optional attributes. */
	fab_sa_refuse(sm, request, from, IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
}

/**
 * fab_sa_receive() - a MAD of the SA's class came
 * @sm: subnet manager
 * @mad: MAD
 * @from: from where
 *
 * Who is not master does not answer (15.1.3): the one who asks tries again.
 */
void fab_sa_receive(struct fab_sm *sm, const struct ib_mad *mad,
		    const struct fab_ib_mad_addr *from)
{
	const struct ib_rmpp_mad *rmpp = (const struct ib_rmpp_mad *)mad;
	const struct ib_sa_mad *request = (const struct ib_sa_mad *)mad;

	if (sm->state != FAB_SM_MASTER || !sm->subnet)
		return;
	if (rmpp->rmpp_hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_ACTIVE &&
	    rmpp->rmpp_hdr.rmpp_type != IB_MGMT_RMPP_TYPE_DATA) {
		fab_sa_rmpp(sm, rmpp, from);
		return;
	}
	if (mad->mad_hdr.method & IB_MGMT_METHOD_RESP)
		return;
	sm->stats.sa_requests++;
	if (mad->mad_hdr.class_version != IB_SA_CLASS_VERSION)
		fab_sa_refuse(sm, request, from, IB_MGMT_MAD_STATUS_BAD_VERSION);
	else
		request_came(sm, request, from);
}
