// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups (vol 1, 15.2.5.17 and 10.5).
 *
 * A group is a GID that begins with ff, and a LID that the SA gives it. A port
 * joins by SubnAdmSet(MCMemberRecord): the first full member makes the group and says
 * what its packets are like (MTU, rate, Q_Key); later ones must agree. When the last
 * full member has left, the group is gone. Packets to its LID follow a tree through
 * the switches (sa_tree.c).
 *
 * One group is there from the beginning, as IPoIB expects (RFC 4391, section 4): the
 * IPv4 broadcast group of the default partition.
 */
#include <linux/slab.h>
#include "sa.h"

/* Components of MCMemberRecord. */
enum {
	MEMBER_MGID, MEMBER_PORT_GID, MEMBER_QKEY, MEMBER_MLID, MEMBER_MTU_SELECTOR, MEMBER_MTU,
	MEMBER_TCLASS, MEMBER_PKEY, MEMBER_RATE_SELECTOR, MEMBER_RATE, MEMBER_LIFE_SELECTOR,
	MEMBER_LIFE, MEMBER_SL, MEMBER_FLOW, MEMBER_HOP_LIMIT, MEMBER_SCOPE, MEMBER_JOIN_STATE,
	MEMBER_PROXY,
};

#define SELECT_EXACTLY	(IB_SA_EQ << 6)

/* IPoIB's broadcast group: link-local scope, signature 401b, P_Key ffff. */
static const u8 broadcast[16] = {
	0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff
};

#define BROADCAST_QKEY	0x0b1b

static struct fab_sa_group *find_mgid(struct fab_sa *sa, const u8 *mgid)
{
	struct fab_sa_group *group;

	list_for_each_entry(group, &sa->groups, list)
		if (!group->dead && !memcmp(group->record.mgid, mgid, 16))
			return group;
	return NULL;
}

static struct fab_sa_group *make_group(struct fab_sa *sa, const struct fab_mcmember *record)
{
	struct fab_sa_group *group;
	unsigned int i;

	for (i = 0; i < FAB_SA_GROUPS_MAX && sa->by_mlid[i]; i++)
		;
	if (i == FAB_SA_GROUPS_MAX)
		return NULL;
	group = kzalloc(sizeof(*group), GFP_NOWAIT | __GFP_NOWARN);
	if (!group)
		return NULL;
	group->record = *record;
	group->mlid = FAB_IB_MCAST_BASE + i;
	group->record.mlid = cpu_to_be16(group->mlid);
	INIT_LIST_HEAD(&group->members);
	list_add_tail(&group->list, &sa->groups);
	sa->by_mlid[i] = group;
	sa->n_groups++;
	return group;
}

static void forget_tree(struct fab_sa_group *group)
{
	kvfree(group->masks);
	kvfree(group->written);
	group->masks = NULL;
	group->written = NULL;
	group->n_masks = 0;
}

static void drop_member(struct fab_sa *sa, struct fab_sa_group *group,
			struct fab_sa_member *member)
{
	list_del(&member->list);
	kfree(member);
	group->n_members--;
	sa->n_members--;
}

/**
 * fab_sa_group_free() - the end of a group
 * @sa: subnet administration
 * @group: group
 */
void fab_sa_group_free(struct fab_sa *sa, struct fab_sa_group *group)
{
	struct fab_sa_member *member, *next;

	list_for_each_entry_safe(member, next, &group->members, list)
		drop_member(sa, group, member);
	forget_tree(group);
	list_del(&group->list);
	sa->by_mlid[group->mlid - FAB_IB_MCAST_BASE] = NULL;
	sa->n_groups--;
	kfree(group);
}

/**
 * fab_sa_free_groups() - no group any more
 * @sa: subnet administration
 */
void fab_sa_free_groups(struct fab_sa *sa)
{
	struct fab_sa_group *group, *next;

	list_for_each_entry_safe(group, next, &sa->groups, list)
		fab_sa_group_free(sa, group);
}

/**
 * fab_sa_group_count() - how many groups there are
 * @sm: subnet manager
 *
 * Return: the number.
 */
u32 fab_sa_group_count(const struct fab_sm *sm)
{
	return sm->sa->n_groups;
}

static void changed(struct fab_sm *sm, struct fab_sa_group *group)
{
	group->dirty = true;
	group->version = ++sm->sa->version;
	fab_sm_job_start(sm);
}

static bool has_full_member(const struct fab_sa_group *group)
{
	const struct fab_sa_member *member;

	list_for_each_entry(member, &group->members, list)
		if (member->state & FAB_SA_FULL)
			return true;
	return false;
}

/* Without a full member it is gone: nobody finds it, and its tree is taken down. */
static void end_unless_used(struct fab_sa *sa, struct fab_sa_group *group)
{
	struct fab_sa_member *member, *next;

	if (group->well_known || has_full_member(group))
		return;
	group->dead = true;
	list_for_each_entry_safe(member, next, &group->members, list)
		drop_member(sa, group, member);
}

/**
 * fab_sa_new_subnet() - a sweep has ended: members that are gone leave their groups
 * @sm: subnet manager
 *
 * The switches are others, or counted otherwise: all trees are to be computed anew.
 */
void fab_sa_new_subnet(struct fab_sm *sm)
{
	struct fab_mcmember record = {
		.qkey = cpu_to_be32(BROADCAST_QKEY),
		.mtu = SELECT_EXACTLY | IB_MTU_2048,
		.pkey = cpu_to_be16(IB_DEFAULT_PKEY_FULL),
		.rate = SELECT_EXACTLY | IB_RATE_10_GBPS,
		.life = SELECT_EXACTLY | FAB_SA_LIFE_TIME,
		.scope_state = 2 << 4,
	};
	struct fab_sa_member *member, *next;
	struct fab_sa_group *group;

	if (!find_mgid(sm->sa, broadcast)) {
		memcpy(record.mgid, broadcast, sizeof(record.mgid));
		group = make_group(sm->sa, &record);
		if (group)
			group->well_known = true;
	}
	list_for_each_entry(group, &sm->sa->groups, list) {
		list_for_each_entry_safe(member, next, &group->members, list)
			if (!fab_sm_node_by_port_guid(sm->subnet, member->guid))
				drop_member(sm->sa, group, member);
		end_unless_used(sm->sa, group);
		forget_tree(group);
		group->write = false;
		changed(sm, group);
	}
}

/**
 * fab_sa_group_lid() - the LID of a multicast GID
 * @sm: subnet manager
 * @mgid: GID
 * @mtu: filled in
 * @rate: filled in
 *
 * Return: the LID, or 0 if there is no such group.
 */
u16 fab_sa_group_lid(struct fab_sm *sm, const u8 *mgid, u8 *mtu, u8 *rate)
{
	struct fab_sa_group *group = find_mgid(sm->sa, mgid);

	if (!group)
		return 0;
	*mtu = group->record.mtu & 0x3f;
	*rate = group->record.rate & 0x3f;
	return group->mlid;
}

/* The port that a request is about: the one that sent it, unless an SM speaks (15.4.1.2). */
static struct fab_sm_node *port_of(struct fab_sm *sm, const struct ib_sa_mad *request,
				   const struct fab_ib_mad_addr *from)
{
	const struct fab_mcmember *asked = (const void *)request->data;
	struct fab_sm_node *node;
	__be64 prefix, guid;

	memcpy(&prefix, asked->port_gid, sizeof(prefix));
	memcpy(&guid, asked->port_gid + 8, sizeof(guid));
	if (be64_to_cpu(prefix) != FAB_SM_PREFIX)
		return NULL;
	node = fab_sm_node_by_port_guid(sm->subnet, be64_to_cpu(guid));
	if (!node || request->sa_hdr.sm_key == cpu_to_be64(FAB_SM_KEY))
		return node;
	return node == fab_sm_node_by_lid(sm->subnet, from->lid) ? node : NULL;
}

static bool asks(const struct ib_sa_mad *request, unsigned int component)
{
	return be64_to_cpu((__force __be64)request->sa_hdr.comp_mask) & 1ULL << component;
}

static bool asks_all(const struct ib_sa_mad *request, u64 components)
{
	return !(components & ~be64_to_cpu((__force __be64)request->sa_hdr.comp_mask));
}

/* Does "greater, less, exactly, best" @asked hold for @have? */
static bool holds(u8 asked, u32 wanted, u32 have)
{
	switch (asked >> 6) {
	case IB_SA_GT:
		return have > wanted;
	case IB_SA_LT:
		return have < wanted;
	case IB_SA_EQ:
		return have == wanted;
	default:
		return true;
	}
}

/* Does what a request says of the group agree with the group, and can the port do it? */
static bool agrees(const struct ib_sa_mad *request, const struct fab_sa_group *group,
		   const struct fab_sm_node *node)
{
	const struct fab_mcmember *asked = (const void *)request->data;
	const struct fab_mcmember *have = &group->record;
	const struct fab_sm_port *port = &node->ports[0];
	u8 mtu = have->mtu & 0x3f;

	if (asks(request, MEMBER_QKEY) && asked->qkey != have->qkey)
		return false;
	if (asks(request, MEMBER_PKEY) &&
	    ((asked->pkey ^ have->pkey) & cpu_to_be16(0x7fff)))
		return false;
	if (asks(request, MEMBER_MTU) && asks(request, MEMBER_MTU_SELECTOR) &&
	    !holds(asked->mtu, asked->mtu & 0x3f, mtu))
		return false;
	if (asks(request, MEMBER_RATE) && asks(request, MEMBER_RATE_SELECTOR) &&
	    !holds(asked->rate, fab_sa_rate_mbps(asked->rate & 0x3f),
		   fab_sa_rate_mbps(have->rate & 0x3f)))
		return false;
	return node->is_switch ||
	       (fab_sm_port_info(port)->neighbormtu_mastersmsl >> 4 >= mtu &&
		fab_sa_rate_mbps(fab_sa_port_rate(port)) >= fab_sa_rate_mbps(have->rate & 0x3f));
}

/* A GID for a group that its maker has not named: transient, given by the SA (10.5.2.1.1). */
static void name_group(struct fab_sa *sa, struct fab_mcmember *record, u8 scope)
{
	unsigned int i = 0;

	do {
		memset(record->mgid, 0, sizeof(record->mgid));
		record->mgid[0] = 0xff;
		record->mgid[1] = 0x10 | scope;
		record->mgid[2] = 0xa0;
		record->mgid[3] = 0x1b;
		record->mgid[14] = ++i >> 8;
		record->mgid[15] = i;
	} while (find_mgid(sa, record->mgid));
}

/* What its maker says of a new group; where it leaves the choice, what its port can do. */
static u16 create_group(struct fab_sm *sm, const struct ib_sa_mad *request,
			const struct fab_sm_node *node, struct fab_sa_group **made)
{
	const struct fab_mcmember *asked = (const void *)request->data;
	const struct fab_sm_port *port = &node->ports[0];
	struct fab_mcmember record = *asked;
	static const u8 zero[16];
	u8 best = min_t(u8, fab_sm_port_info(port)->neighbormtu_mastersmsl >> 4, IB_MTU_4096);
	u8 scope = asks(request, MEMBER_SCOPE) ? asked->scope_state >> 4 : 2;

	if (!asks_all(request, BIT(MEMBER_QKEY) | BIT(MEMBER_TCLASS) | BIT(MEMBER_PKEY) |
			       BIT(MEMBER_SL) | BIT(MEMBER_FLOW)))
		return FAB_SA_INSUFFICIENT;
	if ((be16_to_cpu(asked->pkey) & 0x7fff) != IB_DEFAULT_PKEY_PARTIAL)
		return FAB_SA_REQ_INVALID;
	if (!asks(request, MEMBER_MGID) || !memcmp(asked->mgid, zero, sizeof(zero)))
		name_group(sm->sa, &record, scope);
	else if (asked->mgid[0] != 0xff)
		return FAB_SA_INVALID_GID;
	memset(record.port_gid, 0, sizeof(record.port_gid));
	record.scope_state = (record.mgid[1] & 0xf) << 4;
	record.proxy = 0;
	record.life = SELECT_EXACTLY | FAB_SA_LIFE_TIME;
	if (!asks(request, MEMBER_MTU) || asked->mtu >> 6 != IB_SA_EQ)
		record.mtu = best;
	if (!asks(request, MEMBER_RATE) || asked->rate >> 6 != IB_SA_EQ)
		record.rate = fab_sa_port_rate(port);
	record.mtu = SELECT_EXACTLY | (record.mtu & 0x3f);
	record.rate = SELECT_EXACTLY | (record.rate & 0x3f);
	if ((record.mtu & 0x3f) < IB_MTU_256 || (record.mtu & 0x3f) > IB_MTU_4096 ||
	    !fab_sa_rate_mbps(record.rate & 0x3f))
		return FAB_SA_REQ_INVALID;
	*made = make_group(sm->sa, &record);
	return *made ? 0 : FAB_SA_NO_RESOURCES;
}

static struct fab_sa_member *find_member(struct fab_sa_group *group, u64 guid)
{
	struct fab_sa_member *member;

	list_for_each_entry(member, &group->members, list)
		if (member->guid == guid)
			return member;
	return NULL;
}

static struct fab_sa_member *add_member(struct fab_sa *sa, struct fab_sa_group *group, u64 guid)
{
	struct fab_sa_member *member;

	if (sa->n_members >= FAB_SA_MEMBERS_MAX)
		return NULL;
	member = kzalloc(sizeof(*member), GFP_NOWAIT | __GFP_NOWARN);
	if (!member)
		return NULL;
	member->guid = guid;
	list_add_tail(&member->list, &group->members);
	group->n_members++;
	sa->n_members++;
	return member;
}

static void answer_with(struct fab_mcmember *record, const struct fab_sa_group *group,
			const struct ib_sa_mad *request, u8 state)
{
	const struct fab_mcmember *asked = (const void *)request->data;

	*record = group->record;
	memcpy(record->port_gid, asked->port_gid, sizeof(record->port_gid));
	record->scope_state = (record->scope_state & 0xf0) | state;
}

/**
 * fab_sa_join() - SubnAdmSet(MCMemberRecord)
 * @sm: subnet manager
 * @request: as it came
 * @from: who
 * @record: filled in: the answer
 *
 * Return: 0 or a status.
 */
u16 fab_sa_join(struct fab_sm *sm, const struct ib_sa_mad *request,
		const struct fab_ib_mad_addr *from, struct fab_mcmember *record)
{
	const struct fab_mcmember *asked = (const void *)request->data;
	struct fab_sm_node *node = port_of(sm, request, from);
	u8 state = asked->scope_state & 0xf;
	struct fab_sa_member *member;
	struct fab_sa_group *group;
	u16 status = 0;

	if (!asks_all(request, BIT(MEMBER_PORT_GID) | BIT(MEMBER_JOIN_STATE)))
		return FAB_SA_INSUFFICIENT;
	if (!node)
		return FAB_SA_INVALID_GID;
	if (!state)
		return FAB_SA_REQ_INVALID;
	group = asks(request, MEMBER_MGID) ? find_mgid(sm->sa, asked->mgid) : NULL;
	if (!group && !(state & FAB_SA_FULL))
		return FAB_SA_REQ_INVALID;
	if (!group)
		status = create_group(sm, request, node, &group);
	if (status)
		return status;
	member = find_member(group, be64_to_cpu(node->info.port_guid));
	if (!agrees(request, group, node))
		status = FAB_SA_REQ_INVALID;
	else if (!member)
		member = add_member(sm->sa, group, be64_to_cpu(node->info.port_guid));
	if (!status && !member)
		status = FAB_SA_NO_RESOURCES;
	if (status) {
		if (!group->n_members && !group->well_known)
			fab_sa_group_free(sm->sa, group);
		return status;
	}
	if ((member->state | state) != member->state)
		changed(sm, group);
	member->state |= state;
	answer_with(record, group, request, member->state);
	return 0;
}

/**
 * fab_sa_leave() - SubnAdmDelete(MCMemberRecord)
 * @sm: subnet manager
 * @request: as it came
 * @from: who
 * @record: filled in: the answer
 *
 * Return: 0 or a status.
 */
u16 fab_sa_leave(struct fab_sm *sm, const struct ib_sa_mad *request,
		 const struct fab_ib_mad_addr *from, struct fab_mcmember *record)
{
	const struct fab_mcmember *asked = (const void *)request->data;
	struct fab_sm_node *node = port_of(sm, request, from);
	u8 state = asked->scope_state & 0xf;
	struct fab_sa_member *member;
	struct fab_sa_group *group;

	if (!asks_all(request, BIT(MEMBER_MGID) | BIT(MEMBER_PORT_GID) | BIT(MEMBER_JOIN_STATE)))
		return FAB_SA_INSUFFICIENT;
	if (!node)
		return FAB_SA_INVALID_GID;
	group = find_mgid(sm->sa, asked->mgid);
	member = group ? find_member(group, be64_to_cpu(node->info.port_guid)) : NULL;
	if (!member || !(member->state & state))
		return FAB_SA_REQ_INVALID;
	member->state &= ~state;
	answer_with(record, group, request, state);
	if (!member->state)
		drop_member(sm->sa, group, member);
	end_unless_used(sm->sa, group);
	changed(sm, group);
	return 0;
}

static const struct fab_sa_field member_fields[] = {
	[MEMBER_MGID]		= { 0, 128 },
	[MEMBER_PORT_GID]	= { 128, 128 },
	[MEMBER_QKEY]		= { 256, 32 },
	[MEMBER_MLID]		= { 288, 16 },
	[MEMBER_MTU]		= { 306, 6 },
	[MEMBER_TCLASS]		= { 312, 8 },
	[MEMBER_PKEY]		= { 320, 16 },
	[MEMBER_RATE]		= { 338, 6 },
	[MEMBER_LIFE]		= { 346, 6 },
	[MEMBER_SL]		= { 352, 4 },
	[MEMBER_HOP_LIMIT]	= { 376, 8 },
	[MEMBER_SCOPE]		= { 384, 4 },
};

static bool emit_members(struct fab_sa_question *question, const struct fab_sa_group *group)
{
	struct fab_mcmember record = group->record;
	struct fab_sa_member *member;
	__be64 prefix = cpu_to_be64(FAB_SM_PREFIX), guid;

	list_for_each_entry(member, &group->members, list) {
		guid = cpu_to_be64(member->guid);
		memcpy(record.port_gid, &prefix, sizeof(prefix));
		memcpy(record.port_gid + 8, &guid, sizeof(guid));
		record.scope_state = (group->record.scope_state & 0xf0) | member->state;
		if (!fab_sa_emit(question, &record, member_fields, ARRAY_SIZE(member_fields)))
			return false;
	}
	return true;
}

/**
 * fab_sa_member_records() - MCMemberRecords
 * @question: question
 *
 * Who is in a group is told to those that know the SM_Key, or ask for one port by its
 * GID; others are told which groups there are (15.2.5.17.1).
 *
 * Return: 0 or a status.
 */
u16 fab_sa_member_records(struct fab_sa_question *question)
{
	bool trusted = question->request->sa_hdr.sm_key == cpu_to_be64(FAB_SM_KEY) ||
		       fab_sa_asks(question, MEMBER_PORT_GID);
	struct fab_mcmember record;
	struct fab_sa_group *group;

	list_for_each_entry(group, &question->sm->sa->groups, list) {
		if (group->dead)
			continue;
		if (trusted) {
			if (!emit_members(question, group))
				break;
			continue;
		}
		record = group->record;
		record.scope_state |= FAB_SA_FULL;
		if (!fab_sa_emit(question, &record, member_fields, ARRAY_SIZE(member_fields)))
			break;
	}
	return 0;
}
