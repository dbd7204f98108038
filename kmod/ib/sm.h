/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subnet manager: what others may ask of it, and what its files share.
 * sm.c has the model.
 */
#ifndef FAB_IB_SM_H
#define FAB_IB_SM_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_smi.h>
#include "ib.h"
#include "route.h"

struct fab_sm;
struct fab_sa;

/* Settings and their defaults. */
#define FAB_SM_PRIORITY		1
#define FAB_SM_SWEEP_MS		10000	/* between two light sweeps */
#define FAB_SM_POLL_MS		1000	/* a standby asks the master whether it lives */

/* What opensm has too: SMs of different keys do not talk to each other. */
#define FAB_SM_KEY		1ULL
#define FAB_SM_PREFIX		0xfe80000000000000ULL

#define FAB_SM_WINDOW		16	/* requests on their way at a time */
#define FAB_SM_TIMEOUT_MS	250	/* until a request is sent again */
#define FAB_SM_TRIES		6
#define FAB_SM_POLL_TRIES	3	/* polls without answer until the master counts as dead */
#define FAB_SM_SETTLE_MS	10	/* after a change, for others that come with it */
#define FAB_SM_AGAIN_MS		1000	/* after a sweep in which something went wrong */
#define FAB_SM_BUDGET		2048	/* things looked at in one turn of the fabric thread */
#define FAB_SM_TOP_LID		0xbfff

/* SMInfo: SMState (vol 1, 14.2.5.13). */
enum fab_sm_state {
	FAB_SM_NOT_ACTIVE,
	FAB_SM_DISCOVERING,
	FAB_SM_STANDBY,
	FAB_SM_MASTER,
};

/**
 * struct fab_sm_settings - what a user can set
 * @priority: 0..15; the SM of the highest becomes master
 * @lmc: each end port gets 1 << @lmc LIDs, and as many paths
 * @engine: how routes are computed
 * @sweep_ms: real time between light sweeps
 * @poll_ms: real time between two polls of the master
 */
struct fab_sm_settings {
	u8 priority;
	u8 lmc;
	enum fab_route_engine engine;
	u32 sweep_ms;
	u32 poll_ms;
};

/**
 * struct fab_sm_stats - what it counts; fabric thread writes
 * @sweeps: heavy sweeps ended
 * @light_sweeps: light ones
 * @traps: traps received
 * @smps_sent: requests, repeated ones too
 * @smps_received: responses, traps, requests of other SMs
 * @timeouts: requests that were given up
 * @sa_requests: requests to the SA
 * @sa_refused: of these, answered with an error
 * @sweep_ns: fabric time that the last heavy sweep took
 * @sweep_smps: requests of the last heavy sweep
 * @swept: fabric time at which it ended
 * @takeovers: how often it became master
 */
struct fab_sm_stats {
	u64 sweeps;
	u64 light_sweeps;
	u64 traps;
	u64 smps_sent;
	u64 smps_received;
	u64 timeouts;
	u64 sa_requests;
	u64 sa_refused;
	u64 sweep_ns;
	u64 sweep_smps;
	u64 swept;
	u64 takeovers;
};

/**
 * struct fab_sm_info - the SM of a switch, to readers
 * @running: there is one
 * @up: it is master, and has brought the subnet up
 * @state: enum fab_sm_state
 * @phase: what it is doing: "idle", "discover", ...
 * @guid: its port's
 * @master_guid: the master's that it knows; 0 = none
 * @lid: its own
 * @switches: of the subnet
 * @ends: ports of channel adapters
 * @lids: base LIDs: one a switch, one an end
 * @groups: multicast groups
 * @set: settings
 * @stats: counters
 */
struct fab_sm_info {
	bool running;
	bool up;
	enum fab_sm_state state;
	const char *phase;
	u64 guid;
	u64 master_guid;
	u16 lid;
	u32 switches;
	u32 ends;
	u32 lids;
	u32 groups;
	struct fab_sm_settings set;
	struct fab_sm_stats stats;
};

/* Caller's side: control mutex. */
int fab_sm_start(struct fab_ib_switch *sw, const struct fab_sm_settings *set,
		 struct netlink_ext_ack *extack);
int fab_sm_set(struct fab_ib_switch *sw, const struct fab_sm_settings *set,
	       struct netlink_ext_ack *extack);
void fab_sm_stop(struct fab_ib_switch *sw);
void fab_sm_cold(void);		/* cold.c */
void fab_sm_read(struct fab_ib_switch *sw, struct fab_sm_info *info);
const char *fab_sm_state_name(enum fab_sm_state state);
extern const struct fab_sm_settings fab_sm_defaults;

/*
 * From here on: the subnet manager's own files. Everything on the fabric thread.
 */

struct fab_sm_node;

/**
 * struct fab_sm_port - a port, as it was found
 * @node: whose
 * @peer: at the other end of the cable; NULL: not known, or nothing
 * @num: number on its node
 * @known: @info was read
 * @probe: its cable is to be followed
 * @info: PortInfo, as last read or as a Set answered
 */
struct fab_sm_port {
	struct fab_sm_node *node;
	struct fab_sm_port *peer;
	u8 num;
	bool known;
	bool probe;
	u8 info[IB_SMP_DATA_SIZE] __aligned(8);
};

/**
 * struct fab_sm_node - a switch, or one port of a channel adapter
 * @list: in the subnet, in the order of discovery; sorted later
 * @todo: in the list of what discovery has still to ask
 * @hash: in the subnet, by GUID and port
 * @port_hash: in the subnet, by PortGUID
 * @subnet: its own
 * @info: NodeInfo
 * @desc: NodeDescription
 * @switch_info: SwitchInfo
 * @is_switch: what it is
 * @n_ports: length of @ports less one: a switch's external ports; 0 at an adapter
 * @hops: length of @path
 * @path: directed route to it: output ports, from index 1
 * @ask: what discovery asks next: ASK_*, then ports
 * @next_probe: first port that may have @probe set
 * @has_sm: its port says that there is an SM; to be asked for SMInfo
 * @lid: base LID
 * @lmc: of an adapter's port
 * @index: of a switch in the picture of routes
 * @kept: a switch that was as we left it when the sweep found it: what is in its
 *	tables need not be written again
 * @unsure: something we wrote to it was not confirmed
 * @ports: a switch's by number; an adapter's only port at [0]
 */
struct fab_sm_node {
	struct list_head list;
	struct list_head todo;
	struct hlist_node hash;
	struct hlist_node port_hash;
	struct fab_sm_subnet *subnet;
	struct ib_node_info info;
	u8 desc[IB_SMP_DATA_SIZE];
	u8 switch_info[IB_SMP_DATA_SIZE];
	bool is_switch;
	u8 n_ports;
	u8 hops;
	u8 path[IB_SMP_MAX_PATH_HOPS];
	u16 ask;
	u16 next_probe;
	bool has_sm;
	u16 lid;
	u8 lmc;
	bool kept;
	bool unsure;
	u32 index;
	struct fab_sm_port ports[];
};

/**
 * struct fab_sm_subnet - a subnet, as one sweep found it
 * @nodes: struct fab_sm_node
 * @todo: of these, what discovery has still to ask
 * @by_guid: of these, by GUID and port
 * @by_port_guid: of these, by PortGUID
 * @by_lid: base LID -> node; filled in when LIDs are given
 * @n_switches: how many
 * @n_ends: ports of adapters
 * @n_ports: external ports of switches
 * @top_lid: highest LID in use
 */
struct fab_sm_subnet {
	struct list_head nodes;
	struct list_head todo;
	DECLARE_HASHTABLE(by_guid, 10);
	DECLARE_HASHTABLE(by_port_guid, 10);
	struct xarray by_lid;
	u32 n_switches;
	u32 n_ends;
	u32 n_ports;
	u16 top_lid;
};

/**
 * struct fab_sm_peer - another SM
 * @guid: its port's
 * @priority: its own
 * @state: enum fab_sm_state
 * @hops: length of @path
 * @path: directed route to it
 */
struct fab_sm_peer {
	u64 guid;
	u8 priority;
	u8 state;
	u8 hops;
	u8 path[IB_SMP_MAX_PATH_HOPS];
};

/**
 * struct fab_sm_request - a request on its way
 * @busy: there is one
 * @smp: as sent
 * @deadline: when it is sent again, jiffies
 * @tries: how often it was sent
 * @node: whom it asks or sets; NULL while that is not known
 * @port: of @node, or the port it went out of last
 * @value: of the phase's own
 */
struct fab_sm_request {
	bool busy;
	struct ib_smp smp __aligned(8);
	unsigned long deadline;
	u8 tries;
	struct fab_sm_node *node;
	struct fab_sm_port *port;
	u32 value;
};

/* What a phase's next() says. */
enum fab_sm_next {
	FAB_SM_NONE,	/* no more to ask */
	FAB_SM_ONE,	/* a request is made */
	FAB_SM_LATER,	/* enough for this turn */
};

/**
 * struct fab_sm_phase - something that is done by many requests
 * @name: for readers
 * @tries: how often a request is sent, if not FAB_SM_TRIES times
 * @next: make the next request in @request
 * @reply: @smp came (NULL: nothing did, or an error) for @request
 * @done: all were made, and all were answered: enter another phase
 */
struct fab_sm_phase {
	const char *name;
	u8 tries;
	enum fab_sm_next (*next)(struct fab_sm *sm, struct fab_sm_request *request);
	void (*reply)(struct fab_sm *sm, struct fab_sm_request *request, const struct ib_smp *smp);
	void (*done)(struct fab_sm *sm);
};

/**
 * struct fab_sm - a subnet manager
 * @agent: takes its MADs
 * @sw: behind whose port 0 it lives
 * @set: settings
 * @state: as SMInfo says it
 * @phase: what it is doing
 * @guid: of its port
 * @request: what is on its way
 * @n_busy: of @request
 * @tid: of the last request
 * @inbox: a real-time timer has fired, or the turn's budget was used up
 * @timer: the next thing to do in real time
 * @budget: what is left of this turn
 * @subnet: as it is in operation; NULL: none yet
 * @found: as the sweep going on finds it
 * @peers: other SMs, as the last discovery found them
 * @n_peers: of these
 * @master: whom a standby polls
 * @poll_misses: polls without an answer
 * @want_master: another SM has handed the subnet over to us
 * @sweep_due: a heavy sweep is to be made, at @sweep_at
 * @sweep_at: jiffies
 * @next_tick: light sweep or poll, jiffies
 * @again: something went wrong in this sweep
 * @announce: clients must register again: we have just become master
 * @stopped: it is about to be freed
 * @up: the subnet was brought up
 * @lid: its own
 * @lids: LIDs in use: a bitmap
 * @cursor: of the phase: node
 * @cursor_port: of that node
 * @cursor_block: of that node's table
 * @job: the work that computes
 * @computing: @job runs, and the picture it works on
 * @generation: changes when what @job computes is of no use any more
 * @route: routes in operation, or about to be; replaced only from within @job
 * @before: those of the sweep before
 * @route_fits: @route is of @subnet; else @found's
 * @before_fits: @before is of @subnet
 * @sweep_began: fabric time
 * @sweep_began_smps: smps_sent at that time
 * @sa: its subnet administration
 * @stats: counters
 */
struct fab_sm {
	struct fab_ib_agent agent;
	struct fab_ib_switch *sw;
	struct fab_sm_settings set;
	enum fab_sm_state state;
	const struct fab_sm_phase *phase;
	u64 guid;
	struct fab_sm_request request[FAB_SM_WINDOW];
	unsigned int n_busy;
	u32 tid;
	struct fab_inbox inbox;
	struct timer_list timer;
	int budget;
	struct fab_sm_subnet *subnet;
	struct fab_sm_subnet *found;
	struct fab_sm_peer peers[16];
	unsigned int n_peers;
	struct fab_sm_peer master;
	u8 poll_misses;
	bool want_master;
	bool sweep_due;
	bool again;
	bool announce;
	bool stopped;
	bool up;
	u16 lid;
	unsigned long sweep_at;
	unsigned long next_tick;
	unsigned long *lids;
	struct list_head *cursor;
	u32 cursor_port;
	u32 cursor_block;
	struct work_struct job;
	struct fab_route *computing;
	u32 generation;
	struct fab_route route;
	struct fab_route before;
	bool route_fits;
	bool before_fits;
	u64 sweep_began;
	u64 sweep_began_smps;
	struct fab_sa *sa;
	struct fab_sm_stats stats;
};

/* sm.c: the machine that phases run on. */
void fab_sm_enter(struct fab_sm *sm, const struct fab_sm_phase *phase);
void fab_sm_run(struct fab_sm *sm);
void fab_sm_sweep_soon(struct fab_sm *sm, unsigned int ms);
void fab_sm_set_state(struct fab_sm *sm, enum fab_sm_state state);
void fab_sm_idle(struct fab_sm *sm);
void fab_sm_ask(struct fab_sm_request *request, u8 method, __be16 attr, u32 modifier,
		const u8 *path, u8 hops);
void fab_sm_forget_requests(struct fab_sm *sm);
extern const struct fab_sm_phase fab_sm_phase_idle;

/* sm_subnet.c: what was found. */
struct fab_sm_subnet *fab_sm_subnet_create(void);
void fab_sm_subnet_free(struct fab_sm_subnet *subnet);
struct fab_sm_node *fab_sm_node_find(struct fab_sm_subnet *subnet, u64 guid, u8 port);
struct fab_sm_node *fab_sm_node_add(struct fab_sm_subnet *subnet, const struct ib_node_info *info);
struct fab_sm_node *fab_sm_node_by_port_guid(struct fab_sm_subnet *subnet, u64 guid);
struct fab_sm_node *fab_sm_node_by_lid(struct fab_sm_subnet *subnet, u16 lid);
void fab_sm_cable(struct fab_sm_port *a, struct fab_sm_port *b);
int fab_sm_assign_lids(struct fab_sm *sm);

/* The port at which management reaches @node: a switch's port 0, or the adapter's port. */
static inline struct fab_sm_port *fab_sm_own_port(struct fab_sm_node *node)
{
	return &node->ports[0];
}

static inline const struct ib_port_info *fab_sm_port_info(const struct fab_sm_port *port)
{
	return (const struct ib_port_info *)port->info;
}

static inline u8 fab_sm_port_state(const struct fab_sm_port *port)
{
	return port->known ? fab_sm_port_info(port)->linkspeed_portstate & 0xf : IB_PORT_NOP;
}

/* sm_sweep.c: discovery, light sweeps. */
void fab_sm_discover(struct fab_sm *sm);
extern const struct fab_sm_phase fab_sm_phase_light;

/* sm_info.c: other SMs, traps. */
extern const struct fab_sm_phase fab_sm_phase_poll;
void fab_sm_info_fill(const struct fab_sm *sm, u8 *data);
void fab_sm_info_found(struct fab_sm *sm, const struct fab_sm_node *node, const u8 *data);
void fab_sm_decide(struct fab_sm *sm);
void fab_sm_receive(struct fab_sm *sm, const struct ib_smp *smp,
		    const struct fab_ib_mad_addr *from);

/* sm_setup.c: bring the subnet up. */
void fab_sm_setup(struct fab_sm *sm);
void fab_sm_write_groups(struct fab_sm *sm);
void fab_sm_rewrite_groups(struct fab_sm *sm);

/* The routes that fit to sm->subnet; NULL: none. */
static inline struct fab_route *fab_sm_routes(struct fab_sm *sm)
{
	if (sm->route_fits)
		return &sm->route;
	return sm->before_fits ? &sm->before : NULL;
}

/* sm_job.c: the long computations. */
void fab_sm_job_init(struct fab_sm *sm);
void fab_sm_job_start(struct fab_sm *sm);
void fab_sm_job_abandon(struct fab_sm *sm);
void fab_sm_job_flush(struct fab_sm *sm);	/* caller's context */
/* sm_setup.c: the job has computed routes. */
void fab_sm_routed(struct fab_sm *sm, int err);
bool fab_sm_wants_routes(const struct fab_sm *sm);

#endif /* FAB_IB_SM_H */
