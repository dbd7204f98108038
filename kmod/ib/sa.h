/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Subnet administration: the part of the subnet manager that answers questions and
 * keeps multicast groups. sa.c has the model. Everything on the fabric thread but
 * what says otherwise.
 */
#ifndef FAB_IB_SA_H
#define FAB_IB_SA_H

#include <linux/list.h>
#include <rdma/ib_sa.h>
#include "sm.h"

/* MAD status: class-specific codes (vol 1, table 186). */
#define FAB_SA_NO_RESOURCES		0x0100
#define FAB_SA_REQ_INVALID		0x0200
#define FAB_SA_NO_RECORDS		0x0300
#define FAB_SA_TOO_MANY_RECORDS		0x0400
#define FAB_SA_INVALID_GID		0x0500
#define FAB_SA_INSUFFICIENT		0x0600

#define FAB_SA_GROUPS_MAX		FAB_IB_MFT_CAP
#define FAB_SA_MEMBERS_MAX		65536
#define FAB_SA_TRANSFERS_MAX		16	/* tables on their way at a time */
#define FAB_SA_RECORDS_MAX		65536	/* of a table */

/* A packet is on its way for at most 4.096 us << 14, 67 ms. */
#define FAB_SA_LIFE_TIME		14

/* MCMemberRecord (15.2.5.17). */
struct fab_mcmember {
	u8 mgid[16];
	u8 port_gid[16];
	__be32 qkey;
	__be16 mlid;
	u8 mtu;			/* selector: 2 bits */
	u8 tclass;
	__be16 pkey;
	u8 rate;		/* selector: 2 bits */
	u8 life;		/* selector: 2 bits */
	__be32 sl_flow_hop;	/* 4 bits, 20 bits, 8 bits */
	u8 scope_state;		/* 4 bits each */
	u8 proxy;		/* 1 bit */
	u8 reserved[2];
} __packed;

static_assert(sizeof(struct fab_mcmember) == 52);

/* PathRecord (15.2.5.16). */
struct fab_path_record {
	__be64 service_id;
	u8 dgid[16];
	u8 sgid[16];
	__be16 dlid;
	__be16 slid;
	__be32 flow_hop;	/* raw: 1 bit, reserved: 3, flow label: 20, hop limit: 8 */
	u8 tclass;
	u8 reversible_numb;	/* 1 bit, 7 bits */
	__be16 pkey;
	__be16 qos_sl;		/* 12 bits, 4 bits */
	u8 mtu;			/* selector: 2 bits */
	u8 rate;
	u8 life;
	u8 preference;
	u8 reserved[6];
} __packed;

static_assert(sizeof(struct fab_path_record) == 64);

/**
 * struct fab_sa_group - a multicast group
 * @list: in the SA
 * @record: what its members have in common; no port GID, no join state
 * @mlid: its LID
 * @well_known: stays without members
 * @version: another one, of the whole SA, whenever its members change
 * @dirty: its tree is to be computed, or is just being computed
 * @write: its tree is to be written to the switches
 * @dead: nobody knows it any more; it goes when the switches have forgotten it
 * @members: struct fab_sa_member
 * @n_members: how many
 * @masks: its tree: ports of each switch; NULL: none
 * @written: as @masks, what the switches have; NULL: not known
 * @n_masks: length of both
 */
struct fab_sa_group {
	struct list_head list;
	struct fab_mcmember record;
	u16 mlid;
	u32 version;
	bool well_known;
	bool dirty;
	bool write;
	bool dead;
	struct list_head members;
	u32 n_members;
	struct fab_route_mask *masks;
	struct fab_route_mask *written;
	u32 n_masks;
};

/* JoinState. */
#define FAB_SA_FULL		BIT(0)
#define FAB_SA_NON		BIT(1)
#define FAB_SA_SEND_ONLY	BIT(2)
#define FAB_SA_SEND_ONLY_FULL	BIT(3)

/**
 * struct fab_sa_member - a port in a group
 * @list: in the group
 * @guid: of the port
 * @state: JoinState
 * @proxy: somebody else joined it
 */
struct fab_sa_member {
	struct list_head list;
	u64 guid;
	u8 state;
	bool proxy;
};

/**
 * struct fab_sa - the subnet administration of a subnet manager
 * @groups: multicast groups
 * @n_groups: how many
 * @n_members: of all groups
 * @by_mlid: the same groups by their LID, from 0xc000 on
 * @version: given to a group last
 * @transfers: tables on their way (sa_rmpp.c)
 * @n_transfers: how many
 */
struct fab_sa {
	struct list_head groups;
	u32 n_groups;
	u32 n_members;
	u32 version;
	struct fab_sa_group *by_mlid[FAB_SA_GROUPS_MAX];
	struct list_head transfers;
	u32 n_transfers;
};

/**
 * struct fab_sa_tree - the computation of one group's tree (sm_job.c)
 * @sm: whose
 * @wanted: there is a group whose tree is to be computed
 * @generation: sm->generation when it began
 * @mlid: of the group
 * @version: of the group when it began
 * @members: room for them
 * @n_members: how many
 * @masks: the tree
 * @n_masks: length of @masks
 * @err: of the computation
 */
struct fab_sa_tree {
	struct fab_sm *sm;
	bool wanted;
	u32 generation;
	u16 mlid;
	u32 version;
	struct fab_route_member *members;
	u32 n_members;
	struct fab_route_mask *masks;
	u32 n_masks;
	int err;
};

/**
 * struct fab_sa_table - records that answer a request
 * @size: of a record, bytes
 * @stride: from one record to the next: a multiple of 8
 * @n: records
 * @too_many: there were more than fit
 * @no_memory: or more than there was memory for
 * @chunks: the records one behind the other, cut into pieces
 * @n_chunks: room in @chunks
 */
struct fab_sa_table {
	u16 size;
	u16 stride;
	u32 n;
	bool too_many;
	bool no_memory;
	u8 **chunks;
	u32 n_chunks;
};

/* sa.c */
int fab_sa_create(struct fab_sm *sm);			/* caller's context */
void fab_sa_destroy(struct fab_sm *sm);			/* caller's context */
void fab_sa_clear(struct fab_sm *sm);
void fab_sa_receive(struct fab_sm *sm, const struct ib_mad *mad,
		    const struct fab_ib_mad_addr *from);
void fab_sa_refuse(struct fab_sm *sm, const struct ib_sa_mad *request,
		   const struct fab_ib_mad_addr *from, u16 status);
void fab_sa_answer_one(struct fab_sm *sm, const struct ib_sa_mad *request,
		       const struct fab_ib_mad_addr *from, const void *record, u32 len);

/* sa_record.c: one record of everything in the subnet that fits a request. */
struct fab_sa_question {
	struct fab_sm *sm;
	const struct ib_sa_mad *request;
	const struct fab_ib_mad_addr *from;
	struct fab_sa_table *table;
};

/* A component of a record: which bits. */
struct fab_sa_field {
	u16 at;
	u16 bits;
};

static inline bool fab_sa_asks(const struct fab_sa_question *question, unsigned int component)
{
	return be64_to_cpu((__force __be64)question->request->sa_hdr.comp_mask) & 1ULL << component;
}

bool fab_sa_emit(struct fab_sa_question *question, const void *record,
		 const struct fab_sa_field *fields, unsigned int n);
u16 fab_sa_node_records(struct fab_sa_question *question);
u16 fab_sa_port_records(struct fab_sa_question *question);
u16 fab_sa_sm_records(struct fab_sa_question *question);
u16 fab_sa_link_records(struct fab_sa_question *question);
/* sa_path.c */
u8 fab_sa_port_rate(const struct fab_sm_port *port);
u32 fab_sa_rate_mbps(u8 rate);
u16 fab_sa_path_records(struct fab_sa_question *question);
/* sa_mcast.c */
u16 fab_sa_member_records(struct fab_sa_question *question);
u16 fab_sa_join(struct fab_sm *sm, const struct ib_sa_mad *request,
		const struct fab_ib_mad_addr *from, struct fab_mcmember *record);
u16 fab_sa_leave(struct fab_sm *sm, const struct ib_sa_mad *request,
		 const struct fab_ib_mad_addr *from, struct fab_mcmember *record);
void fab_sa_new_subnet(struct fab_sm *sm);
void fab_sa_free_groups(struct fab_sa *sa);
void fab_sa_group_free(struct fab_sa *sa, struct fab_sa_group *group);
u32 fab_sa_group_count(const struct fab_sm *sm);
u16 fab_sa_group_lid(struct fab_sm *sm, const u8 *mgid, u8 *mtu, u8 *rate);
/* sa_tree.c */
struct fab_sa_group *fab_sa_next_to_write(struct fab_sm *sm);
u16 fab_sa_group_mlid(const struct fab_sa_group *group);
u16 fab_sa_ports(struct fab_sm *sm, u16 mlid, u32 sw, u32 position);
bool fab_sa_changed(const struct fab_sa_group *group, u32 sw, u32 position);
void fab_sa_written(struct fab_sm *sm, struct fab_sa_group *group);
/* For fab_call(): struct fab_sa_tree. */
void fab_sa_tree_measure(void *arg);
void fab_sa_tree_copy(void *arg);
void fab_sa_tree_take(void *arg);

/* sa_rmpp.c */
void fab_sa_table_init(struct fab_sa_table *table, unsigned int size);
bool fab_sa_table_add(struct fab_sa_table *table, const void *record);
void fab_sa_table_free(struct fab_sa_table *table);
void fab_sa_table_read(const struct fab_sa_table *table, u32 at, void *data, u32 len);
void fab_sa_send_table(struct fab_sm *sm, const struct ib_sa_mad *request,
		       const struct fab_ib_mad_addr *from, struct fab_sa_table *table);
void fab_sa_rmpp(struct fab_sm *sm, const struct ib_rmpp_mad *mad,
		 const struct fab_ib_mad_addr *from);
void fab_sa_tick(struct fab_sm *sm);
void fab_sa_deadline(struct fab_sm *sm, unsigned long *at, bool *any);
void fab_sa_free_transfers(struct fab_sa *sa);

#endif /* FAB_IB_SA_H */
