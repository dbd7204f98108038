/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The InfiniBand network: its objects, and what its files offer to each other.
 *
 * An InfiniBand node (struct fab_ib_node) is what management sees: a type, a
 * GUID, ports, a description. A host has one with one port, a switch one with
 * ports 0..n: port 0 is the switch itself, where its management agents live, and
 * where a subnet manager may (struct fab_ib_agent). Management reads and writes
 * attributes with MADs (vol 1, chapters 13 and 14); the tables that answer them
 * (sma.c, pma.c) are the same for hosts and switches.
 *
 *	hosts    ib_mad -> process_mad() ---.
 *	ghosts   VL15 or QP1 packets -------+--> fab_sma_answer(), fab_pma_answer()
 *	switches VL15 or QP1 packets -------'      on struct fab_ib_node
 *
 * Two kinds of state:
 *  - attributes (PortInfo, P_Keys, GUIDs, tables): behind the leaf spinlock of
 *    their port, because process_mad() runs in atomic context on any CPU. The
 *    fabric thread reads single words of them without it (READ_ONCE);
 *  - credits, queues, forwarding: the fabric thread's own.
 * Counters are written by the fabric thread only; whoever clears one stores what
 * it was (struct fab_ib_base), so that counting needs no lock.
 */
#ifndef FAB_IB_H
#define FAB_IB_H

#include <linux/spinlock.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include "../clock.h"
#include "../fabric.h"
#include "../packet.h"
#include "credit.h"
#include "smi.h"
#include "vlarb.h"

struct fab_hca;
struct fab_ib_node;
struct fab_ib_port;
struct fab_ib_switch;
struct fab_net_ops;

#define FAB_IB_DATA_VLS		4	/* VLCap 3: VL0 to VL3 */
#define FAB_IB_VLCAP		3
#define FAB_IB_VL15		15
#define FAB_IB_VL_BUFFER	16384	/* receive buffer a data VL, bytes */
#define FAB_IB_PKEYS		32	/* of a port; a multiple of a block of 32 */
#define FAB_IB_GUIDS		8	/* of a port; one block */
#define FAB_IB_LFT_CAP		49152	/* LinearFDBCap: every unicast LID */
#define FAB_IB_LFT_BLOCK	64	/* LIDs of a block, as MADs carry it */
#define FAB_IB_MFT_CAP		1024	/* MulticastFDBCap: LIDs from 0xc000 on */
#define FAB_IB_MFT_BLOCK	32	/* LIDs of a block */
#define FAB_IB_NO_PORT		255	/* LFT: no way to this LID */
#define FAB_IB_MCAST_BASE	0xc000
#define FAB_IB_VENDOR		0xfab500
#define FAB_IB_DEVICE_CA	1
#define FAB_IB_DEVICE_SWITCH	2

/* NodeInfo: NodeType. */
enum { FAB_IB_CA = 1, FAB_IB_SWITCH = 2 };

/*
 * What a port counts. *_DATA in units of 4 bytes, from after the start delimiter to
 * before the VCRC (16.1.3.5); flow-control packets are not counted.
 */
enum {
	FAB_IB_CNT_SYMBOL_ERROR,
	FAB_IB_CNT_LINK_RECOVERY,
	FAB_IB_CNT_LINK_DOWNED,
	FAB_IB_CNT_RCV_ERRORS,
	FAB_IB_CNT_RCV_REMPHYS,
	FAB_IB_CNT_RCV_SWITCH_RELAY,
	FAB_IB_CNT_XMIT_DISCARDS,
	FAB_IB_CNT_XMIT_CONSTRAINT,
	FAB_IB_CNT_RCV_CONSTRAINT,
	FAB_IB_CNT_LOCAL_LINK_INTEGRITY,
	FAB_IB_CNT_BUFFER_OVERRUN,
	FAB_IB_CNT_VL15_DROPPED,
	FAB_IB_CNT_XMIT_DATA,
	FAB_IB_CNT_RCV_DATA,
	FAB_IB_CNT_XMIT_PKTS,
	FAB_IB_CNT_RCV_PKTS,
	FAB_IB_CNT_XMIT_WAIT,		/* ticks of 1 ns in which data waited for credits */
	FAB_IB_CNT_UNI_XMIT,
	FAB_IB_CNT_UNI_RCV,
	FAB_IB_CNT_MULTI_XMIT,
	FAB_IB_CNT_MULTI_RCV,
	FAB_IB_N_CNT
};

/**
 * struct fab_ib_counters - counters of a port, from the beginning; fabric thread
 * @v: by FAB_IB_CNT_*
 */
struct fab_ib_counters {
	u64 v[FAB_IB_N_CNT];
};

/**
 * struct fab_ib_base - what the counters were when somebody cleared them; the port's lock
 * @v: by FAB_IB_CNT_*
 */
struct fab_ib_base {
	u64 v[FAB_IB_N_CNT];
};

/*
 * Attributes of a port that MADs read and write: the port's lock. Host byte order.
 * Most are PortInfo's (14.2.5.6), and named so.
 */
struct fab_ib_attrs {
	u64 mkey;
	u64 gid_prefix;
	u32 cap_mask;
	u16 lid;
	u16 sm_lid;
	u16 mkey_lease;
	u16 mkey_violations;
	u16 pkey_violations;
	u16 qkey_violations;
	u8 lmc;
	u8 mkey_protect;
	u8 sm_sl;
	u8 state;			/* enum ib_port_state: IB_PORT_DOWN .. IB_PORT_ACTIVE */
	u8 phys_state;			/* enum ib_port_phys_state */
	u8 down_default;
	u8 mtu;				/* NeighborMTU, enum ib_mtu */
	u8 op_vls;			/* OperationalVLs: 1 = VL0, 2 = VL0-1, 3 = VL0-3 */
	u8 vl_high_limit;
	u8 init_reply;
	u8 hoq_life;
	u8 vl_stall;
	u8 enforce;			/* PartitionEnforcement in, out; FilterRaw in, out */
	u8 subnet_timeout;
	u8 error_limits;		/* LocalPhyErrors, OverrunErrors */
	u8 width_enabled;
	u8 speed_enabled;
	u8 speed_ext_enabled;
	bool disabled;			/* PortPhysicalState was set to Disabled */
	u16 pkeys[FAB_IB_PKEYS];
	__be64 guids[FAB_IB_GUIDS];
	bool sl_to_vl_set;		/* else: SL modulo the number of lanes */
	u8 sl_to_vl[16];		/* hosts; switches: what was last set for any port */
	u8 (*sl_to_vl_in)[16];		/* switches: by the port of entry; NULL: all as @sl_to_vl */
	struct fab_vlarb_table arb_high;
	struct fab_vlarb_table arb_low;
};

/**
 * struct fab_ib_flow - credits of a port; fabric thread
 * @tx: what we may send, by data VL
 * @rx: what we let the other end send
 * @refresh: sends flow-control packets of lanes on which something has changed;
 *	not pending while nothing has
 * @told_fctbs: FCTBS as it was last told, by data VL
 * @tell: data VLs on which a flow-control packet is to be sent, a bit each; always
 *	made when the wire is free, so that it says what is true then
 * @waiting: data VLs whose first packet waits for credits, a bit each
 * @since: since when, fabric ns, by data VL
 * @hoq: throws away the first packet of a lane when its lifetime is over
 * @blocked: since when data waits for credits and none can go, fabric ns; 0 = not
 * @stalls: how often a packet had to wait for credits
 * @sent: flow-control packets sent
 * @received: flow-control packets received
 */
struct fab_ib_flow {
	struct fab_credit_tx tx[FAB_IB_DATA_VLS];
	struct fab_credit_rx rx[FAB_IB_DATA_VLS];
	struct fab_event refresh;
	u16 told_fctbs[FAB_IB_DATA_VLS];
	u8 tell;
	u8 waiting;
	u64 since[FAB_IB_DATA_VLS];
	struct fab_event hoq;
	u64 blocked;
	u64 stalls;
	u64 sent;
	u64 received;
};

/**
 * struct fab_ib_cb - what an InfiniBand port notes on a packet; in its skb's cb
 * @hold: the port whose receive buffer it is in; NULL: none
 * @blocks: of that buffer
 * @vl: lane of that buffer
 * @copies: multicast: how many copies are still in that place of the buffer; NULL: it
 *	is this packet's alone
 */
struct fab_ib_cb {
	struct fab_ib_port *hold;
	unsigned int *copies;
	u16 blocks;
	u8 vl;
};

/**
 * struct fab_ib_port - a port of an InfiniBand node
 * @ibn: whose
 * @num: number on its node; 0 = the switch itself
 * @port: port of the graph; NULL for port 0
 * @hca: a live host's HCA; NULL for others
 * @lock: leaf spinlock, taken with interrupts off: @attr, @base, @base_ext
 * @attr: attributes
 * @base: PortCounters, as they were cleared
 * @base_ext: PortCountersExtended, as they were cleared
 * @cnt: counters; fabric thread writes
 * @flow: credits
 * @queue: packets that wait to leave, by data VL; fabric thread
 * @vl15: the same of VL15, which needs no credits
 * @early: packets that still come in, too slowly to be sent on at this port's rate, in
 *	order of the time from which they can be (their @arrive)
 * @early_run: moves the first of @early on
 * @leaving: the receive buffer of the packet that is on its way out, until its last bit is
 * @arb: whose turn it is
 * @running: inside fab_ib_egress_run()
 * @backlog: bytes that its HCA has given and that have not left yet
 * @loop: packets of the node to itself
 * @loop_run: delivers them
 * @inbox: somebody outside the thread set an attribute that the thread acts on
 * @retrain: bit 0: take the link down and up again (PortState set to Down)
 * @trap: what @inbox shall report to the SM: FAB_IB_TRAP_*
 * @trap_repeat: sends it again until it is repressed
 * @trap_left: how many times more
 * @trap_tid: transaction of the last one
 * @quiet: the port is going away
 */
struct fab_ib_port {
	struct fab_ib_node *ibn;
	u8 num;
	struct fab_port *port;
	struct fab_hca *hca;
	spinlock_t lock;		/* leaf: attributes */
	struct fab_ib_attrs attr;
	struct fab_ib_base base;
	struct fab_ib_base base_ext;
	struct fab_ib_counters cnt;
	struct fab_ib_flow flow;
	struct list_head queue[FAB_IB_DATA_VLS];
	struct list_head vl15;
	struct list_head early;
	struct fab_event early_run;
	struct fab_ib_cb leaving;
	struct fab_vlarb arb;
	bool running;
	u32 backlog;
	struct list_head loop;
	struct fab_event loop_run;
	struct fab_inbox inbox;
	unsigned long retrain;
	unsigned long trap;
	struct fab_event trap_repeat;
	u8 trap_left;
	u64 trap_tid;
	bool quiet;
};

/* Bits of @trap. */
enum { FAB_IB_TRAP_LINK, FAB_IB_TRAP_CAP };

/**
 * struct fab_ib_node - a node, to management
 * @type: FAB_IB_CA or FAB_IB_SWITCH
 * @n_ports: without port 0
 * @guid: NodeGUID and SystemImageGUID; ports have @guid + their number at hosts
 * @node: in the graph
 * @sw: if it is a switch
 * @desc: NodeDescription of switches and ghosts; does not change
 * @ports: a switch's ports 0..n; a host's only port, number 1; see fab_ib_port_at()
 */
struct fab_ib_node {
	u8 type;
	u8 n_ports;
	u64 guid;
	struct fab_node *node;
	struct fab_ib_switch *sw;
	char desc[64];
	struct fab_ib_port *ports;
};

/**
 * struct fab_ib_mad_addr - where a MAD comes from, or goes to
 * @lid: the other end's LID; FAB_IB_PERMISSIVE for directed routes
 * @dlid: received: the LID it was sent to
 * @sl: service level
 * @port: received: the port of the switch that it came in by; 0 = the switch itself
 * @qpn: the other end's QP: 0 or 1 as a rule
 * @qkey: GMPs: IB_QP1_QKEY
 * @pkey: GMPs
 * @has_grh: @grh is there
 * @grh: as it came; a reply swaps the GIDs
 */
struct fab_ib_mad_addr {
	u16 lid;
	u16 dlid;
	u8 sl;
	u8 port;
	u32 qpn;
	u32 qkey;
	u16 pkey;
	bool has_grh;
	struct ib_grh grh;
};

/**
 * struct fab_ib_agent - who takes the MADs at a switch's port 0 that its own agents do not
 * @smp: SubnGetResp, Trap and TrapRepress of any attribute; Get and Set of SMInfo
 * @gmp: every class but PerfMgmt (so: SubnAdm, ...), at QP 1
 * @changed: a port of this switch went up or down, or lost its neighbour (the switch also
 *	sends trap 128, if it knows an SM); may be NULL
 * @gone: the switch is about to be destroyed: stop, and take yourself off (caller's
 *	context, control mutex, after the switch's links are gone)
 *
 * All but @gone on the fabric thread, never inside a call of fab_ib_send_smp() or
 * fab_ib_send_gmp(): a MAD to the switch itself comes back at the end of the turn.
 * The MADs are the callee's to read until it returns.
 */
struct fab_ib_agent {
	void (*smp)(struct fab_ib_agent *agent, const struct ib_smp *smp,
		    const struct fab_ib_mad_addr *from);
	void (*gmp)(struct fab_ib_agent *agent, const struct ib_mad *mad,
		    const struct fab_ib_mad_addr *from);
	void (*changed)(struct fab_ib_agent *agent);
	void (*gone)(struct fab_ib_agent *agent);
};

/**
 * struct fab_ib_switch_stats - what a switch counts
 * @forwarded: packets sent on by the LFT
 * @multicast: copies sent by the MFT
 * @no_route: packets whose DLID has no port
 * @smps: directed-route and LID-routed SMPs that passed or ended here
 * @mads_lost: MADs that nobody took
 */
struct fab_ib_switch_stats {
	u64 forwarded;
	u64 multicast;
	u64 no_route;
	u64 smps;
	u64 mads_lost;
};

/**
 * struct fab_ib_switch - an InfiniBand switch
 * @node: in the graph
 * @ibn: to management
 * @lft: LinearForwardingTable: LID -> port, or FAB_IB_NO_PORT; by blocks, NULL: none yet
 * @lft_top: LinearFDBTop: no LID above it is forwarded
 * @mft: MulticastForwardingTable: by blocks: LID of the block * @mft_words + port / 16:
 *	bits of ports; NULL: none yet
 * @mft_words: 16-port positions of an entry
 * @life_time: SwitchInfo LifeTimeValue
 * @def_mcast_primary: SwitchInfo DefaultMulticastPrimaryPort
 * @def_mcast_not_primary: SwitchInfo DefaultMulticastNotPrimaryPort
 * @port_change: SwitchInfo PortStateChange
 * @agent: takes MADs; NULL: nobody
 * @sm: the subnet manager's own (sm.c), NULL: none
 * @stats: counters
 *
 * Fabric thread; the tables are also read by callers through a fab_call().
 */
struct fab_ib_switch {
	struct fab_node node;
	struct fab_ib_node ibn;
	u8 *lft[FAB_IB_LFT_CAP / FAB_IB_LFT_BLOCK];
	u16 lft_top;
	__be16 *mft[FAB_IB_MFT_CAP / FAB_IB_MFT_BLOCK];
	u8 mft_words;
	u8 life_time;
	u8 def_mcast_primary;
	u8 def_mcast_not_primary;
	bool port_change;
	struct fab_ib_agent *agent;
	void *sm;
	struct fab_ib_switch_stats stats;
};

static inline struct fab_ib_switch *fab_to_ib_switch(const struct fab_node *node)
{
	return container_of(node, struct fab_ib_switch, node);
}

static inline struct fab_ib_port *fab_ib_port0(struct fab_ib_switch *sw)
{
	return &sw->ibn.ports[0];
}

/* The port of a number that its node has. */
static inline struct fab_ib_port *fab_ib_port_at(const struct fab_ib_node *ibn, u8 num)
{
	return &ibn->ports[ibn->type == FAB_IB_SWITCH ? num : num - 1];
}

static inline u16 fab_ib_lid(const struct fab_ib_port *ibp)
{
	return READ_ONCE(ibp->attr.lid);
}

/* enum ib_port_state */
static inline u8 fab_ib_state(const struct fab_ib_port *ibp)
{
	return READ_ONCE(ibp->attr.state);
}

static inline void fab_ib_count(struct fab_ib_port *ibp, unsigned int which, u64 n)
{
	WRITE_ONCE(ibp->cnt.v[which], ibp->cnt.v[which] + n);
}

/* switch.c: caller's side, control mutex. */
struct fab_node *fab_ib_switch_create(const struct fab_node_params *params,
				      struct netlink_ext_ack *extack);

/*
 * host.c: the InfiniBand side of a host; caller's side, control mutex. @number is the
 * host's own (it makes the GUID). unregister() is the first half of the end (the
 * ib_device goes; after it no work enters), free() the second; both do nothing where
 * attach() failed or was not called. The port is made with fab_ib_host_port_ops.
 */
extern const struct fab_port_ops fab_ib_host_port_ops;
int fab_ib_host_attach(struct fab_port *port, u32 number, bool live);
void fab_ib_host_unregister(struct fab_port *port);
void fab_ib_host_free(struct fab_port *port);
void fab_ib_host_reset(struct fab_port *port, bool to_defaults);	/* fabric thread */

/*
 * What B2 may call.
 *
 * Fabric thread: take an agent, or none (NULL), and set IsSM in the capability mask of
 * port 0 accordingly where @is_sm says so. One switch has one agent at a time.
 */
void fab_ib_switch_set_agent(struct fab_ib_switch *sw, struct fab_ib_agent *agent, bool is_sm);

/*
 * Fabric thread, at the switch's port 0 (mad.c); the MAD is copied. False: there was no
 * memory, or no way out (port down, no LFT entry): as if it were lost on the way.
 *
 * An SMP of the directed-route class goes out as its initial path says (hop pointer 0;
 * hop count 0 = this switch itself), and needs no LID anywhere (both LIDs permissive);
 * a combined route is not made here. An SMP of the LID-routed class goes to @to->lid.
 * A response is sent as it came: the agent hands back the SMP with D bit, hop pointer and
 * hop count as they were, and the @from it was given: fab_ib_reply_smp() does all of it.
 */
bool fab_ib_send_smp(struct fab_ib_switch *sw, const struct ib_smp *smp,
		     const struct fab_ib_mad_addr *to);
bool fab_ib_send_gmp(struct fab_ib_switch *sw, const struct ib_mad *mad,
		     const struct fab_ib_mad_addr *to);
/* @smp with its data filled in and its status (without the D bit) set; GetResp is set here. */
bool fab_ib_reply_smp(struct fab_ib_switch *sw, struct ib_smp *smp,
		      const struct fab_ib_mad_addr *from);
/* The same of a GMP: method, LIDs, QPs and GIDs are turned round; data stays. */
bool fab_ib_reply_gmp(struct fab_ib_switch *sw, struct ib_mad *mad,
		      const struct fab_ib_mad_addr *from);

/*
 * Everything else goes by MADs, also to the own switch (a directed route of 0 hops).
 * For readers outside the thread (netlink), control mutex: consistent copies.
 */
void fab_ib_port_read(struct fab_ib_port *ibp, struct fab_ib_attrs *attr);
/* An xmit-side look-up of the LFT as forwarding does it; FAB_IB_NO_PORT. Fabric thread. */
u8 fab_ib_lft_lookup(const struct fab_ib_switch *sw, u16 lid);

/**
 * struct fab_ib_report - state of an InfiniBand port, to readers
 * @state: enum fabsim_ib_state
 * @guid: its own; of hosts
 * @lid: its own; of hosts, 0 = none
 * @sm_lid: the master SM's
 * @lmc: it has 1 << @lmc LIDs
 * @lanes: data VLs in use
 * @credits: by data VL: blocks that it may send now
 * @stalls: how often a packet had to wait for credits
 * @wait: ns in which data waited for credits
 * @n_pkeys: length of @pkeys
 * @pkeys: valid entries of its partition table
 */
struct fab_ib_report {
	u32 state;
	u64 guid;
	u32 lid;
	u32 sm_lid;
	u32 lmc;
	u32 lanes;
	u32 credits[FAB_IB_DATA_VLS];
	u64 stalls;
	u64 wait;
	u32 n_pkeys;
	u16 pkeys[FAB_IB_PKEYS];
};

/**
 * struct fab_ib_switch_report - state of an InfiniBand switch, to readers
 * @guid: NodeGUID
 * @lid: of port 0; 0 = none
 * @sm: a subnet manager runs in it
 * @forwarded: packets sent on by the LFT
 * @multicast: copies sent by the MFT
 * @no_route: packets whose DLID has no port
 * @smps: that passed or ended here
 */
struct fab_ib_switch_report {
	u64 guid;
	u32 lid;
	bool sm;
	u64 forwarded;
	u64 multicast;
	u64 no_route;
	u64 smps;
};

/* A line of a linear forwarding table. */
struct fab_lft_line {
	u16 lid;
	u8 port;
};

/* report.c: readers outside the thread. The last under the control mutex. */
void fab_ib_port_report(const struct fab_port *port, struct fab_ib_report *report);
void fab_ib_switch_report(const struct fab_node *node, struct fab_ib_switch_report *report);
unsigned int fab_ib_switch_read_lft(const struct fab_node *node, u16 from,
				    struct fab_lft_line *lines, unsigned int max);

/* The IB side of a port of the graph, of a switch or of a host; it must be an IB port. */
static inline struct fab_ib_port *fab_to_ib_port(const struct fab_port *port)
{
	return port->priv;
}

#endif /* FAB_IB_H */
