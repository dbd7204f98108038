// SPDX-License-Identifier: GPL-2.0
/*
 * The subnet manager (vol 1, chapter 14): life, and the machine that it runs on.
 *
 * A fresh InfiniBand fabric cannot carry a single data packet: its ports have no
 * addresses, its switches no tables, its links are up but not active. One program
 * changes that, the subnet manager. It explores the fabric with management packets
 * (SMPs) that need no addresses, because each carries the list of output ports it
 * takes (a directed route); then it gives addresses (LIDs), computes routes, writes
 * the tables of the switches and activates the links. After that data flows
 * without it, but nobody mends a route when a cable breaks.
 *
 *	sm_sweep.c  discovery: who is there?      sm_subnet.c  what was found, LIDs
 *	sm_info.c   which SM is the master?       route.c      the routes (pure)
 *	sm_setup.c  write all that to the nodes   sm_job.c     ... on a workqueue
 *	sa.c ...    answers questions about it (subnet administration)
 *
 * This one lives in a switch, behind its port 0, and knows of the fabric only what
 * answers to its SMPs say. It is a state machine on the fabric thread. What it does is
 * cut into phases (struct fab_sm_phase), each a stream of requests of which up to
 * FAB_SM_WINDOW are on their way at a time; a request without an answer is sent again,
 * and given up after FAB_SM_TRIES. Those waits, sweeps and polls are real time: a
 * kernel timer fires, and an inbox brings that to the thread.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include "../extack.h"
#include "../notify.h"
#include "sa.h"
#include "sm.h"

const struct fab_sm_settings fab_sm_defaults = {
	.priority	= FAB_SM_PRIORITY,
	.engine		= FAB_ROUTE_MIN_HOP,
	.sweep_ms	= FAB_SM_SWEEP_MS,
	.poll_ms	= FAB_SM_POLL_MS,
};

const struct fab_sm_phase fab_sm_phase_idle = { .name = "idle" };

/**
 * fab_sm_state_name() - a state in words
 * @state: state
 *
 * Return: its name.
 */
const char *fab_sm_state_name(enum fab_sm_state state)
{
	static const char * const names[] = {
		[FAB_SM_NOT_ACTIVE]	= "not-active",
		[FAB_SM_DISCOVERING]	= "discovering",
		[FAB_SM_STANDBY]	= "standby",
		[FAB_SM_MASTER]		= "master",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

/**
 * fab_sm_ask() - make a directed-route request
 * @request: filled in
 * @method: Get or Set
 * @attr: attribute
 * @modifier: attribute modifier
 * @path: output ports, from index 1
 * @hops: length of @path
 */
void fab_sm_ask(struct fab_sm_request *request, u8 method, __be16 attr, u32 modifier,
		const u8 *path, u8 hops)
{
	memset(&request->smp, 0, sizeof(request->smp));
	request->smp.base_version = IB_MGMT_BASE_VERSION;
	request->smp.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	request->smp.class_version = 1;
	request->smp.method = method;
	request->smp.attr_id = attr;
	request->smp.attr_mod = cpu_to_be32(modifier);
	request->smp.hop_cnt = hops;
	request->smp.dr_slid = IB_LID_PERMISSIVE;
	request->smp.dr_dlid = IB_LID_PERMISSIVE;
	memcpy(request->smp.initial_path, path, IB_SMP_MAX_PATH_HOPS);
}

/* What cannot leave (its port is down) is as good as lost, and sent again like that. */
static void transmit(struct fab_sm *sm, struct fab_sm_request *request)
{
	const struct fab_ib_mad_addr to = { .lid = FAB_IB_PERMISSIVE };

	request->tries++;
	request->deadline = jiffies + msecs_to_jiffies(FAB_SM_TIMEOUT_MS);
	sm->stats.smps_sent++;
	fab_ib_send_smp(sm->sw, &request->smp, &to);
}

static struct fab_sm_request *free_request(struct fab_sm *sm)
{
	unsigned int i;

	for (i = 0; i < FAB_SM_WINDOW; i++)
		if (!sm->request[i].busy)
			return &sm->request[i];
	return NULL;
}

/**
 * fab_sm_forget_requests() - no answer is waited for any more
 * @sm: subnet manager
 */
void fab_sm_forget_requests(struct fab_sm *sm)
{
	unsigned int i;

	for (i = 0; i < FAB_SM_WINDOW; i++)
		sm->request[i].busy = false;
	sm->n_busy = 0;
}

static void end_request(struct fab_sm *sm, struct fab_sm_request *request,
			const struct ib_smp *smp)
{
	request->busy = false;
	sm->n_busy--;
	sm->phase->reply(sm, request, smp);
}

/**
 * fab_sm_enter() - go over to another phase
 * @sm: subnet manager
 * @phase: phase; begins with the first node
 */
void fab_sm_enter(struct fab_sm *sm, const struct fab_sm_phase *phase)
{
	fab_sm_forget_requests(sm);
	WRITE_ONCE(sm->phase, phase);
	sm->cursor = NULL;
	sm->cursor_port = 0;
	sm->cursor_block = 0;
}

/**
 * fab_sm_idle() - nothing to do until something is due
 * @sm: subnet manager
 */
void fab_sm_idle(struct fab_sm *sm)
{
	fab_sm_enter(sm, &fab_sm_phase_idle);
}

/**
 * fab_sm_sweep_soon() - a heavy sweep is needed
 * @sm: subnet manager
 * @ms: real time to wait for what else may change; the earliest of several counts
 */
void fab_sm_sweep_soon(struct fab_sm *sm, unsigned int ms)
{
	unsigned long at = jiffies + msecs_to_jiffies(ms);

	if (!sm->sweep_due || time_before(at, sm->sweep_at))
		sm->sweep_at = at;
	sm->sweep_due = true;
}

/**
 * fab_sm_set_state() - take another state
 * @sm: subnet manager
 * @state: state
 */
void fab_sm_set_state(struct fab_sm *sm, enum fab_sm_state state)
{
	if (sm->state == state)
		return;
	if (sm->state == FAB_SM_MASTER) {
		/* What we know of the subnet is of no use once somebody else rules it. */
		fab_sm_job_abandon(sm);
		fab_sa_clear(sm);
		fab_sm_subnet_free(sm->subnet);
		sm->subnet = NULL;
		sm->route_fits = false;
		sm->before_fits = false;
		sm->up = false;
	}
	if (state == FAB_SM_MASTER) {
		sm->announce = true;
		sm->stats.takeovers++;
	}
	WRITE_ONCE(sm->state, state);
	sm->poll_misses = 0;
	sm->next_tick = jiffies + msecs_to_jiffies(state == FAB_SM_STANDBY ? sm->set.poll_ms :
									     sm->set.sweep_ms);
}

static bool may_sweep(const struct fab_sm *sm)
{
	return sm->sweep_due && (sm->state == FAB_SM_MASTER || sm->state == FAB_SM_DISCOVERING);
}

static bool has_tick(const struct fab_sm *sm)
{
	return sm->state == FAB_SM_STANDBY || (sm->state == FAB_SM_MASTER && sm->subnet);
}

/* Idle: begin what is due. Returns whether anything is. */
static bool start_due(struct fab_sm *sm)
{
	if (may_sweep(sm) && time_after_eq(jiffies, sm->sweep_at)) {
		sm->sweep_due = false;
		fab_sm_discover(sm);
		return true;
	}
	if (sm->subnet && fab_sa_next_to_write(sm)) {
		fab_sm_write_groups(sm);
		return true;
	}
	if (!has_tick(sm) || time_before(jiffies, sm->next_tick))
		return false;
	if (sm->state == FAB_SM_STANDBY) {
		sm->next_tick = jiffies + msecs_to_jiffies(sm->set.poll_ms);
		fab_sm_enter(sm, &fab_sm_phase_poll);
	} else {
		sm->next_tick = jiffies + msecs_to_jiffies(sm->set.sweep_ms);
		fab_sm_enter(sm, &fab_sm_phase_light);
	}
	return true;
}

/* One step. Returns whether there may be another in this turn. */
static bool step(struct fab_sm *sm)
{
	struct fab_sm_request *request = free_request(sm);
	enum fab_sm_next next = FAB_SM_NONE;

	if (sm->phase == &fab_sm_phase_idle)
		return start_due(sm);
	if (!request)
		return false;
	if (sm->phase->next)
		next = sm->phase->next(sm, request);
	if (next == FAB_SM_LATER) {
		fab_inbox_post(&sm->inbox);
		return false;
	}
	if (next == FAB_SM_NONE) {
		if (sm->n_busy || !sm->phase->done)
			return false;
		sm->phase->done(sm);
		return true;
	}
	request->smp.tid = cpu_to_be64((u64)sm->tid << 32 | sm->tid);
	sm->tid++;
	request->tries = 0;
	request->busy = true;
	sm->n_busy++;
	transmit(sm, request);
	return true;
}

static void earliest(unsigned long *at, bool *any, unsigned long other)
{
	if (!*any || time_before(other, *at))
		*at = other;
	*any = true;
}

static void set_timer(struct fab_sm *sm)
{
	unsigned long at = 0;
	bool any = false;
	unsigned int i;

	for (i = 0; i < FAB_SM_WINDOW; i++)
		if (sm->request[i].busy)
			earliest(&at, &any, sm->request[i].deadline);
	if (sm->phase == &fab_sm_phase_idle) {
		if (may_sweep(sm))
			earliest(&at, &any, sm->sweep_at);
		if (has_tick(sm))
			earliest(&at, &any, sm->next_tick);
	}
	fab_sa_deadline(sm, &at, &any);
	if (any)
		mod_timer(&sm->timer, at);
}

/**
 * fab_sm_run() - go on, as far as it goes without an answer
 * @sm: subnet manager
 */
void fab_sm_run(struct fab_sm *sm)
{
	if (sm->stopped)
		return;
	sm->budget = FAB_SM_BUDGET;
	while (step(sm))
		;
	set_timer(sm);
}

static void on_timer(struct timer_list *timer)
{
	struct fab_sm *sm = container_of(timer, struct fab_sm, timer);

	fab_inbox_post(&sm->inbox);
}

/* Requests whose answer is late: again, or no more. */
static void look_at_late(struct fab_sm *sm)
{
	struct fab_sm_request *request;
	unsigned int i;

	for (i = 0; i < FAB_SM_WINDOW; i++) {
		request = &sm->request[i];
		if (!request->busy || time_before(jiffies, request->deadline))
			continue;
		if (request->tries < (sm->phase->tries ?: FAB_SM_TRIES)) {
			transmit(sm, request);
		} else {
			sm->stats.timeouts++;
			end_request(sm, request, NULL);
		}
	}
}

static void drain(struct fab_inbox *inbox)
{
	struct fab_sm *sm = container_of(inbox, struct fab_sm, inbox);

	if (sm->stopped)
		return;
	look_at_late(sm);
	fab_sa_tick(sm);
	fab_sm_run(sm);
}

static struct fab_sm *to_sm(struct fab_ib_agent *agent)
{
	return container_of(agent, struct fab_sm, agent);
}

static void answered(struct fab_sm *sm, const struct ib_smp *smp)
{
	struct fab_sm_request *request;
	unsigned int i;

	for (i = 0; i < FAB_SM_WINDOW; i++) {
		request = &sm->request[i];
		if (!request->busy || request->smp.tid != smp->tid ||
		    request->smp.attr_id != smp->attr_id)
			continue;
		end_request(sm, request, smp->status & ~IB_SMP_DIRECTION ? NULL : smp);
		return;
	}
}

static void agent_smp(struct fab_ib_agent *agent, const struct ib_smp *smp,
		      const struct fab_ib_mad_addr *from)
{
	struct fab_sm *sm = to_sm(agent);

	if (sm->stopped)
		return;
	sm->stats.smps_received++;
	if (smp->method == IB_MGMT_METHOD_GET_RESP)
		answered(sm, smp);
	else
		fab_sm_receive(sm, smp, from);
	fab_sm_run(sm);
}

static void agent_gmp(struct fab_ib_agent *agent, const struct ib_mad *mad,
		      const struct fab_ib_mad_addr *from)
{
	struct fab_sm *sm = to_sm(agent);

	if (sm->stopped || mad->mad_hdr.mgmt_class != IB_MGMT_CLASS_SUBN_ADM)
		return;
	fab_sa_receive(sm, mad, from);
	fab_sm_run(sm);
}

static void agent_changed(struct fab_ib_agent *agent)
{
	struct fab_sm *sm = to_sm(agent);

	if (sm->stopped)
		return;
	fab_sm_sweep_soon(sm, FAB_SM_SETTLE_MS);
	fab_sm_run(sm);
}

static void agent_gone(struct fab_ib_agent *agent)
{
	fab_sm_stop(to_sm(agent)->sw);
}

static int check(const struct fab_sm_settings *set, struct netlink_ext_ack *extack)
{
	if (set->priority > 15) {
		fab_err(extack, "priority must be from 0 to 15");
		return -ERANGE;
	}
	if (set->lmc > 7) {
		fab_err(extack, "lmc must be from 0 to 7");
		return -ERANGE;
	}
	if (set->engine > FAB_ROUTE_UP_DOWN) {
		fab_err(extack, "routing must be min-hop or up-down");
		return -EINVAL;
	}
	if (set->sweep_ms < 100 || set->poll_ms < 100 || set->sweep_ms > 86400000 ||
	    set->poll_ms > 86400000) {
		fab_err(extack, "sweep and poll must be from 100 ms to a day");
		return -ERANGE;
	}
	return 0;
}

static void free_sm(struct fab_sm *sm)
{
	fab_sa_destroy(sm);
	fab_sm_subnet_free(sm->subnet);
	fab_sm_subnet_free(sm->found);
	fab_route_free(&sm->route);
	fab_route_free(&sm->before);
	bitmap_free(sm->lids);
	kfree(sm);
}

static struct fab_sm *make_sm(struct fab_ib_switch *sw, const struct fab_sm_settings *set)
{
	struct fab_sm *sm = kzalloc(sizeof(*sm), GFP_KERNEL);

	if (!sm)
		return NULL;
	sm->agent.smp = agent_smp;
	sm->agent.gmp = agent_gmp;
	sm->agent.changed = agent_changed;
	sm->agent.gone = agent_gone;
	sm->sw = sw;
	sm->set = *set;
	sm->guid = sw->ibn.guid;
	sm->tid = 1;
	sm->phase = &fab_sm_phase_idle;
	fab_inbox_init(&sm->inbox, drain);
	timer_setup(&sm->timer, on_timer, 0);
	fab_sm_job_init(sm);
	sm->lids = bitmap_zalloc(FAB_SM_TOP_LID + 1, GFP_KERNEL);
	if (!sm->lids || fab_sa_create(sm)) {
		free_sm(sm);
		return NULL;
	}
	return sm;
}

static void call_start(void *arg)
{
	struct fab_sm *sm = arg;

	sm->sw->sm = sm;
	fab_ib_switch_set_agent(sm->sw, &sm->agent, true);
	fab_sm_set_state(sm, FAB_SM_DISCOVERING);
	fab_sm_sweep_soon(sm, 0);
	fab_sm_run(sm);
}

static void tell(const struct fab_ib_switch *sw, u32 type)
{
	const struct fab_notice notice = { .type = type, .name = sw->node.name };

	fab_notify(&notice);
}

/**
 * fab_sm_start() - start a subnet manager
 * @sw: in which switch
 * @set: settings
 * @extack: says what is wrong
 *
 * Context: process context, control mutex.
 * Return: 0 when it has begun, or an error.
 */
int fab_sm_start(struct fab_ib_switch *sw, const struct fab_sm_settings *set,
		 struct netlink_ext_ack *extack)
{
	struct fab_sm *sm;
	int err;

	if (sw->sm) {
		fab_err(extack, "a subnet manager runs in %s already", sw->node.name);
		return -EALREADY;
	}
	err = check(set, extack);
	if (err)
		return err;
	sm = make_sm(sw, set);
	if (!sm)
		return -ENOMEM;
	fab_call(call_start, sm);
	tell(sw, FABSIM_EVENT_SM_STARTED);
	return 0;
}

struct change {
	struct fab_sm *sm;
	const struct fab_sm_settings *set;
};

static void call_set(void *arg)
{
	struct change *change = arg;

	change->sm->set = *change->set;
	fab_sm_sweep_soon(change->sm, 0);
	fab_sm_run(change->sm);
}

/**
 * fab_sm_set() - new settings for a running subnet manager; it sweeps with them
 * @sw: in which switch it runs
 * @set: settings
 * @extack: says what is wrong
 *
 * Context: process context, control mutex.
 * Return: 0 or an error.
 */
int fab_sm_set(struct fab_ib_switch *sw, const struct fab_sm_settings *set,
	       struct netlink_ext_ack *extack)
{
	struct change change = { .sm = sw->sm, .set = set };
	int err;

	if (!sw->sm) {
		fab_err(extack, "no subnet manager runs in %s", sw->node.name);
		return -ENOENT;
	}
	err = check(set, extack);
	if (err)
		return err;
	fab_call(call_set, &change);
	return 0;
}

static void call_stop(void *arg)
{
	struct fab_sm *sm = arg;

	sm->stopped = true;
	fab_sm_job_abandon(sm);
	fab_ib_switch_set_agent(sm->sw, NULL, false);
	sm->sw->sm = NULL;
}

/**
 * fab_sm_stop() - stop the subnet manager of a switch, if one runs there
 * @sw: switch
 *
 * The subnet stays as it is: LIDs, tables, active links. Data goes on.
 *
 * Context: process context, control mutex.
 */
void fab_sm_stop(struct fab_ib_switch *sw)
{
	struct fab_sm *sm = sw->sm;

	if (!sm)
		return;
	fab_call(call_stop, sm);
	tell(sw, FABSIM_EVENT_SM_STOPPED);
	/* Now only the timer, its inbox and the job still know it. */
	fab_sm_job_flush(sm);
	del_timer_sync(&sm->timer);
	fab_call_sync();
	free_sm(sm);
}

struct reading {
	struct fab_ib_switch *sw;
	struct fab_sm_info *info;
};

static void call_read(void *arg)
{
	struct reading *reading = arg;
	struct fab_sm_info *info = reading->info;
	struct fab_sm *sm = reading->sw->sm;

	memset(info, 0, sizeof(*info));
	if (!sm)
		return;
	info->running = true;
	info->up = sm->up;
	info->state = sm->state;
	info->phase = sm->phase->name;
	info->guid = sm->guid;
	if (sm->state == FAB_SM_MASTER)
		info->master_guid = sm->guid;
	else if (sm->state == FAB_SM_STANDBY)
		info->master_guid = sm->master.guid;
	info->lid = fab_ib_lid(fab_ib_port0(sm->sw));
	info->switches = sm->subnet ? sm->subnet->n_switches : 0;
	info->ends = sm->subnet ? sm->subnet->n_ends : 0;
	info->lids = info->switches + info->ends;
	info->groups = fab_sa_group_count(sm);
	info->set = sm->set;
	info->stats = sm->stats;
}

/**
 * fab_sm_read() - how is the subnet manager of a switch?
 * @sw: switch
 * @info: filled in
 *
 * Context: process context, control mutex.
 */
void fab_sm_read(struct fab_ib_switch *sw, struct fab_sm_info *info)
{
	struct reading reading = { .sw = sw, .info = info };

	fab_call(call_read, &reading);
}
