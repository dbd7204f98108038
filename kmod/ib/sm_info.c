// SPDX-License-Identifier: GPL-2.0
/*
 * One subnet, one master: how subnet managers agree (vol 1, 14.4), and traps.
 *
 * An SM that has discovered the subnet knows every other SM in it: their ports say
 * so (IsSM), and SubnGet(SMInfo) tells state, priority and GUID. The higher priority
 * wins, then the lower GUID. Who finds a master, or somebody better, becomes standby
 * and polls it; when the master no longer answers, the standby discovers anew. A
 * master that finds somebody better hands over (SubnSet(SMInfo), HANDOVER) and is
 * standby from that moment on.
 *
 * All of them must have the same SM_Key. opensm's is 1, and it does not listen to an
 * SM that has another, so ours is 1 too.
 *
 * A trap is how a node tells the SM that something has changed; it is repeated until
 * the SM represses it.
 */
#include "sa.h"
#include "sm.h"

/* SMInfo on the wire (14.2.5.13); the rest of the 64 bytes is reserved. */
struct sm_info {
	__be64 guid;
	__be64 key;
	__be32 act_count;
	u8 priority_state;
} __packed;

/* Attribute modifiers of SubnSet(SMInfo) (14.4.1). */
enum {
	CONTROL_HANDOVER	= 1,
	CONTROL_ACKNOWLEDGE	= 2,
	CONTROL_DISABLE		= 3,
	CONTROL_STANDBY		= 4,
	CONTROL_DISCOVER	= 5,
};

/**
 * fab_sm_info_fill() - SMInfo of this SM
 * @sm: subnet manager
 * @data: 64 bytes, filled in
 */
void fab_sm_info_fill(const struct fab_sm *sm, u8 *data)
{
	struct sm_info *info = (struct sm_info *)data;

	memset(data, 0, IB_SMP_DATA_SIZE);
	info->guid = cpu_to_be64(sm->guid);
	info->key = cpu_to_be64(FAB_SM_KEY);
	info->act_count = cpu_to_be32(sm->stats.smps_sent);
	info->priority_state = sm->set.priority << 4 | sm->state;
}

/* Zero is what opensm says to those that have not shown that they know the key. */
static bool key_fits(const struct sm_info *info)
{
	return !info->key || info->key == cpu_to_be64(FAB_SM_KEY);
}

/**
 * fab_sm_info_found() - discovery has found another SM
 * @sm: subnet manager
 * @node: where
 * @data: its SMInfo
 */
void fab_sm_info_found(struct fab_sm *sm, const struct fab_sm_node *node, const u8 *data)
{
	const struct sm_info *info = (const struct sm_info *)data;
	struct fab_sm_peer *peer;

	if (!key_fits(info) || sm->n_peers == ARRAY_SIZE(sm->peers))
		return;
	peer = &sm->peers[sm->n_peers++];
	peer->guid = be64_to_cpu(info->guid);
	peer->priority = info->priority_state >> 4;
	peer->state = info->priority_state & 0xf;
	peer->hops = node->hops;
	memcpy(peer->path, node->path, sizeof(peer->path));
}

static bool is_better(const struct fab_sm *sm, const struct fab_sm_peer *peer)
{
	if (peer->priority != sm->set.priority)
		return peer->priority > sm->set.priority;
	return peer->guid < sm->guid;
}

/* The best of the other SMs in @state that is better than this one (@any: or not). */
static struct fab_sm_peer *best_peer(struct fab_sm *sm, u8 state, bool any)
{
	struct fab_sm_peer *best = NULL, *peer;

	for (peer = sm->peers; peer < sm->peers + sm->n_peers; peer++) {
		if (peer->state != state || (!any && !is_better(sm, peer)))
			continue;
		if (!best || peer->priority > best->priority ||
		    (peer->priority == best->priority && peer->guid < best->guid))
			best = peer;
	}
	return best;
}

static void stand_by(struct fab_sm *sm, const struct fab_sm_peer *peer)
{
	sm->master = *peer;
	fab_sm_set_state(sm, FAB_SM_STANDBY);
	fab_sm_idle(sm);
}

static enum fab_sm_next hand_over_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	struct fab_sm_peer *peer = &sm->master;

	if (sm->cursor_port)
		return FAB_SM_NONE;
	sm->cursor_port = 1;
	fab_sm_ask(request, IB_MGMT_METHOD_SET, IB_SMP_ATTR_SM_INFO, CONTROL_HANDOVER,
		   peer->path, peer->hops);
	fab_sm_info_fill(sm, request->smp.data);
	/* The subnet is a master's to give: this was ours until now. */
	request->smp.data[offsetof(struct sm_info, priority_state)] =
		sm->set.priority << 4 | FAB_SM_MASTER;
	return FAB_SM_ONE;
}

/* Lost, or refused: the polls of the standby will find no master, and then we look again. */
static void no_reply(struct fab_sm *sm, struct fab_sm_request *request, const struct ib_smp *smp)
{
}

static const struct fab_sm_phase phase_hand_over = {
	.name	= "hand-over",
	.next	= hand_over_next,
	.reply	= no_reply,
	.done	= fab_sm_idle,
};

static void hand_over(struct fab_sm *sm, const struct fab_sm_peer *peer)
{
	stand_by(sm, peer);
	fab_sm_enter(sm, &phase_hand_over);
}

/* HANDOVER was received and the subnet is ours: tell the one that was master. */
static enum fab_sm_next acknowledge_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	struct fab_sm_peer *peer = &sm->master;

	if (sm->cursor_port)
		return FAB_SM_NONE;
	sm->cursor_port = 1;
	fab_sm_ask(request, IB_MGMT_METHOD_SET, IB_SMP_ATTR_SM_INFO, CONTROL_ACKNOWLEDGE,
		   peer->path, peer->hops);
	fab_sm_info_fill(sm, request->smp.data);
	return FAB_SM_ONE;
}

static const struct fab_sm_phase phase_acknowledge = {
	.name	= "acknowledge",
	.next	= acknowledge_next,
	.reply	= no_reply,
	.done	= fab_sm_idle,
};

/**
 * fab_sm_decide() - the subnet is discovered: whose is it?
 * @sm: subnet manager
 */
void fab_sm_decide(struct fab_sm *sm)
{
	struct fab_sm_peer *master = best_peer(sm, FAB_SM_MASTER, true);
	struct fab_sm_peer *better = best_peer(sm, FAB_SM_STANDBY, false);
	struct fab_sm_peer *starting = best_peer(sm, FAB_SM_DISCOVERING, false);

	if (sm->state == FAB_SM_MASTER || sm->want_master) {
		sm->want_master = false;
		if (master && is_better(sm, master))
			better = master;
		if (better && sm->state == FAB_SM_MASTER) {
			hand_over(sm, better);
			return;
		}
		/* It will wait for us, once it has seen that there is a master. */
		if (starting)
			fab_sm_sweep_soon(sm, FAB_SM_AGAIN_MS);
	} else if (master || better || starting) {
		stand_by(sm, master ?: better ?: starting);
		return;
	}
	fab_sm_set_state(sm, FAB_SM_MASTER);
	fab_sm_setup(sm);
}

static enum fab_sm_next poll_next(struct fab_sm *sm, struct fab_sm_request *request)
{
	if (sm->cursor_port)
		return FAB_SM_NONE;
	sm->cursor_port = 1;
	fab_sm_ask(request, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SM_INFO, 0, sm->master.path,
		   sm->master.hops);
	return FAB_SM_ONE;
}

static void look_for_master(struct fab_sm *sm)
{
	fab_sm_set_state(sm, FAB_SM_DISCOVERING);
	fab_sm_sweep_soon(sm, 0);
}

static void poll_reply(struct fab_sm *sm, struct fab_sm_request *request, const struct ib_smp *smp)
{
	const struct sm_info *info;

	sm->poll_misses++;
	if (smp) {
		info = (const struct sm_info *)smp->data;
		sm->master.guid = be64_to_cpu(info->guid);
		if ((info->priority_state & 0xf) == FAB_SM_MASTER)
			sm->poll_misses = 0;
	}
	if (sm->poll_misses >= FAB_SM_POLL_TRIES)
		look_for_master(sm);
}

const struct fab_sm_phase fab_sm_phase_poll = {
	.name	= "poll",
	.tries	= 1,	/* it polls again anyway */
	.next	= poll_next,
	.reply	= poll_reply,
	.done	= fab_sm_idle,
};

/* The way back that a directed route took: to whom an unasked answer goes. */
static void peer_from(struct fab_sm_peer *peer, const struct ib_smp *smp)
{
	const struct sm_info *info = (const struct sm_info *)smp->data;
	unsigned int i, hops = min_t(u8, smp->hop_cnt, IB_SMP_MAX_PATH_HOPS - 1);

	peer->guid = be64_to_cpu(info->guid);
	peer->priority = info->priority_state >> 4;
	peer->state = FAB_SM_STANDBY;
	peer->hops = hops;
	memset(peer->path, 0, sizeof(peer->path));
	/* return_path[i]: the port by which the request entered the i-th node; we are the last. */
	for (i = 1; i <= hops; i++)
		peer->path[i] = smp->return_path[hops + 1 - i];
}

static void take_over(struct fab_sm *sm, const struct ib_smp *smp)
{
	sm->want_master = true;
	if (sm->state == FAB_SM_STANDBY)
		fab_sm_set_state(sm, FAB_SM_DISCOVERING);
	fab_sm_sweep_soon(sm, 0);
	if (smp->mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE) {
		fab_sm_idle(sm);
		return;
	}
	peer_from(&sm->master, smp);
	fab_sm_enter(sm, &phase_acknowledge);
}

/* What another SM tells this one to do. Returns false if it does not apply in this state. */
static bool control(struct fab_sm *sm, const struct ib_smp *smp)
{
	const struct sm_info *info = (const struct sm_info *)smp->data;
	bool from_master = (info->priority_state & 0xf) == FAB_SM_MASTER;

	switch (be32_to_cpu(smp->attr_mod)) {
	case CONTROL_HANDOVER:
		if (!from_master || sm->state == FAB_SM_NOT_ACTIVE)
			return false;
		take_over(sm, smp);
		return true;
	case CONTROL_ACKNOWLEDGE:
		return true;	/* standby since we handed over */
	case CONTROL_DISABLE:
		if (sm->state != FAB_SM_STANDBY)
			return false;
		fab_sm_set_state(sm, FAB_SM_NOT_ACTIVE);
		fab_sm_idle(sm);
		return true;
	case CONTROL_STANDBY:
		if (sm->state != FAB_SM_NOT_ACTIVE)
			return false;
		fab_sm_set_state(sm, FAB_SM_STANDBY);
		return true;
	case CONTROL_DISCOVER:
		if (sm->state != FAB_SM_STANDBY)
			return false;
		look_for_master(sm);
		fab_sm_idle(sm);
		return true;
	default:
		return false;
	}
}

static void answer_info(struct fab_sm *sm, const struct ib_smp *smp,
			const struct fab_ib_mad_addr *from)
{
	const struct sm_info *info = (const struct sm_info *)smp->data;
	struct ib_smp reply = *smp;

	reply.status = 0;
	if (smp->method == IB_MGMT_METHOD_SET && (!key_fits(info) || !control(sm, smp)))
		reply.status = cpu_to_be16(IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	fab_sm_info_fill(sm, reply.data);
	fab_ib_reply_smp(sm->sw, &reply, from);
}

/* The master represses a trap, so that it is not repeated, and looks what has happened. */
static void trap(struct fab_sm *sm, const struct ib_smp *smp, const struct fab_ib_mad_addr *from)
{
	struct ib_smp repress = *smp;
	struct fab_ib_mad_addr to = *from;

	sm->stats.traps++;
	if (sm->state != FAB_SM_MASTER)
		return;
	repress.method = IB_MGMT_METHOD_TRAP_REPRESS;
	repress.status = 0;
	fab_ib_send_smp(sm->sw, &repress, &to);
	fab_sm_sweep_soon(sm, FAB_SM_SETTLE_MS);
}

/**
 * fab_sm_receive() - somebody speaks to this SM without having been asked
 * @sm: subnet manager
 * @smp: what
 * @from: who
 */
void fab_sm_receive(struct fab_sm *sm, const struct ib_smp *smp,
		    const struct fab_ib_mad_addr *from)
{
	if (smp->method == IB_MGMT_METHOD_TRAP && smp->attr_id == IB_SMP_ATTR_NOTICE)
		trap(sm, smp, from);
	else if (smp->attr_id == IB_SMP_ATTR_SM_INFO && (smp->method == IB_MGMT_METHOD_GET ||
							 smp->method == IB_MGMT_METHOD_SET))
		answer_info(sm, smp, from);
}
