/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * fabsim: the generic netlink interface between fabsim.ko and its controllers.
 *
 * The family is called "fabsim". Reading needs no right; every command marked
 * [admin] needs CAP_NET_ADMIN in the initial user namespace. Refusals carry an
 * extended ack that names what is wrong. docs/netlink/fabsim.yaml describes
 * the same interface for generators; a test keeps the two equal.
 *
 * Units: times are nanoseconds of fabric time unless an attribute says "real",
 * rates are bits a second, sizes are bytes.
 *
 * An object is named either by its NAME or by its ID (a number that is never
 * reused while the module is loaded). Where both are given, both must fit.
 */
#ifndef _UAPI_FABSIM_H
#define _UAPI_FABSIM_H

#define FABSIM_GENL_NAME	"fabsim"
#define FABSIM_GENL_VERSION	1
#define FABSIM_MCGRP_EVENTS	"events"

/* Longest names, without the terminating NUL. A host's netdev is NAME-eth. */
#define FABSIM_NODE_NAME_MAX	10
#define FABSIM_PORT_NAME_MAX	15
#define FABSIM_LINK_NAME_MAX	31

/* Limits that a request is checked against. */
#define FABSIM_NODES_MAX	65536
#define FABSIM_PORTS_MAX	256		/* of one switch */
#define FABSIM_LIVE_HOSTS_MAX	256		/* hosts with a net_device */
#define FABSIM_RATE_MIN		1000000ULL		/* 1 Mb/s */
#define FABSIM_RATE_MAX		10000000000000ULL	/* 10 Tb/s */
#define FABSIM_DELAY_MAX	1000000000ULL		/* 1 s */
#define FABSIM_MTU_MIN		68
#define FABSIM_MTU_MAX		9216
#define FABSIM_BUFFER_MIN	16384
#define FABSIM_BUFFER_MAX	1073741824
#define FABSIM_PACE_MAX		1000000
#define FABSIM_PPB		1000000000	/* loss = 100 % */
#define FABSIM_BER_ONE		1000000000000000000ULL	/* ber = 1 */

/**
 * enum fabsim_cmd - commands of the family
 * @FABSIM_CMD_UNSPEC: no command
 * @FABSIM_CMD_FABRIC_GET: do: state of the fabric; attributes FABSIM_A_FABRIC_*
 * @FABSIM_CMD_FABRIC_SET: do [admin]: PACE, SEED, FROZEN, STATE, TOPOLOGY
 * @FABSIM_CMD_FABRIC_DOWN: do [admin]: remove every link and node
 * @FABSIM_CMD_FABRIC_RESET: do [admin]: empty queues and FDBs, zero counters;
 *	with DEFAULTS also every setting of links, switches and the fabric
 * @FABSIM_CMD_STEP: do [admin]: while frozen, run STEPS events; replies with
 *	FABSIM_A_FABRIC_TIME and STEPS (events really run)
 * @FABSIM_CMD_NODE_NEW: do [admin]: NAME, KIND, and for a live host NETNS_FD
 * @FABSIM_CMD_NODE_DEL: do [admin]: NAME or ID; its links go with it
 * @FABSIM_CMD_NODE_GET: do (NAME or ID) or dump
 * @FABSIM_CMD_NODE_SET: do [admin]: BUFFER, ALPHA, LATENCY, AGEING, CPU,
 *	SELECTIVE
 * @FABSIM_CMD_PORT_GET: do (NAME or ID) or dump (optionally of one NODE)
 * @FABSIM_CMD_LINK_NEW: do [admin]: A_NODE, B_NODE; ports default to the
 *	first free one; any setting of LINK_SET
 * @FABSIM_CMD_LINK_DEL: do [admin]: NAME or ID
 * @FABSIM_CMD_LINK_GET: do (NAME or ID) or dump
 * @FABSIM_CMD_LINK_SET: do [admin]: RATE, DELAY, MTU, UP, faults
 * @FABSIM_CMD_FDB_GET: dump of NODE's forwarding table
 * @FABSIM_CMD_FDB_FLUSH: do [admin]: forget what NODE (or every switch) learned
 * @FABSIM_CMD_GEN_START: do [admin]: run the generator on a list of STREAMs
 * @FABSIM_CMD_GEN_STOP: do [admin]
 * @FABSIM_CMD_GEN_GET: do: progress of the generator
 * @FABSIM_CMD_CAPTURE_START: do [admin]: from now on the calling socket gets
 *	CAPTURE_PACKET messages; ends with CAPTURE_STOP or with the socket
 * @FABSIM_CMD_CAPTURE_STOP: do [admin]
 * @FABSIM_CMD_CAPTURE_PACKET: message to the capturing socket
 * @FABSIM_CMD_COST_START: do [admin]: attach the probes; ends with COST_STOP or
 *	with the calling socket
 * @FABSIM_CMD_COST_ATTACH: do [admin]: follow PID and its children as SIDE
 * @FABSIM_CMD_COST_STOP: do [admin]: detach the probes, keep the results
 * @FABSIM_CMD_COST_GET: do: results of the last measurement of PATH
 * @FABSIM_CMD_EVENT: message to the group "events"
 * @FABSIM_CMD_SM_GET: dump of the subnet managers, of every InfiniBand switch or of NODE
 * @FABSIM_CMD_SM_START: do [admin]: start one in NODE; any setting of SM_SET
 * @FABSIM_CMD_SM_SET: do [admin]: of NODE: PRIORITY, SWEEP, POLL, ROUTING, LMC
 * @FABSIM_CMD_SM_STOP: do [admin]: stop the one in NODE, or every one; with COLD (of
 *	all) the fabric is then as if none had ever been
 * @FABSIM_CMD_LFT_GET: dump of NODE's linear forwarding table
 * @FABSIM_CMD_QP_GET: dump of the queue pairs of every HCA, or of those of NODE
 * @__FABSIM_CMD_MAX: one more than the last
 * @FABSIM_CMD_MAX: the last
 */
enum fabsim_cmd {
	FABSIM_CMD_UNSPEC,
	FABSIM_CMD_FABRIC_GET,
	FABSIM_CMD_FABRIC_SET,
	FABSIM_CMD_FABRIC_DOWN,
	FABSIM_CMD_FABRIC_RESET,
	FABSIM_CMD_STEP,
	FABSIM_CMD_NODE_NEW,
	FABSIM_CMD_NODE_DEL,
	FABSIM_CMD_NODE_GET,
	FABSIM_CMD_NODE_SET,
	FABSIM_CMD_PORT_GET,
	FABSIM_CMD_LINK_NEW,
	FABSIM_CMD_LINK_DEL,
	FABSIM_CMD_LINK_GET,
	FABSIM_CMD_LINK_SET,
	FABSIM_CMD_FDB_GET,
	FABSIM_CMD_FDB_FLUSH,
	FABSIM_CMD_GEN_START,
	FABSIM_CMD_GEN_STOP,
	FABSIM_CMD_GEN_GET,
	FABSIM_CMD_CAPTURE_START,
	FABSIM_CMD_CAPTURE_STOP,
	FABSIM_CMD_CAPTURE_PACKET,
	FABSIM_CMD_COST_START,
	FABSIM_CMD_COST_ATTACH,
	FABSIM_CMD_COST_STOP,
	FABSIM_CMD_COST_GET,
	FABSIM_CMD_EVENT,
	FABSIM_CMD_SM_GET,
	FABSIM_CMD_SM_START,
	FABSIM_CMD_SM_SET,
	FABSIM_CMD_SM_STOP,
	FABSIM_CMD_LFT_GET,
	FABSIM_CMD_QP_GET,

	__FABSIM_CMD_MAX,
	FABSIM_CMD_MAX = __FABSIM_CMD_MAX - 1
};

/**
 * enum fabsim_fabric_state - how far the controller got with the topology
 * @FABSIM_FABRIC_EMPTY: no node
 * @FABSIM_FABRIC_BUILDING: a controller is at work (or was killed at it)
 * @FABSIM_FABRIC_READY: the topology is complete
 *
 * A controller sets BUILDING before its first node and READY after its last
 * link; meanwhile every cable between two switches blocks. Without BUILDING a
 * fabric is READY from its first node on. It is EMPTY again with its last.
 */
enum fabsim_fabric_state {
	FABSIM_FABRIC_EMPTY,
	FABSIM_FABRIC_BUILDING,
	FABSIM_FABRIC_READY,
};

enum fabsim_fabric_attr {
	FABSIM_A_FABRIC_UNSPEC,
	FABSIM_A_FABRIC_PAD,
	FABSIM_A_FABRIC_VERSION,	/* string: version of the module */
	FABSIM_A_FABRIC_TIME,		/* u64: fabric time, ns */
	FABSIM_A_FABRIC_LAG,		/* u64: fabric ns lost because the machine was too slow */
	FABSIM_A_FABRIC_PACE,		/* u32: real s a fabric s takes at least, 1..PACE_MAX */
	FABSIM_A_FABRIC_SEED,		/* u64: seed of every link that has none of its own */
	FABSIM_A_FABRIC_FROZEN,		/* u8: 0 or 1 */
	FABSIM_A_FABRIC_STATE,		/* u32: enum fabsim_fabric_state */
	FABSIM_A_FABRIC_TOPOLOGY,	/* string, up to 63: what the controller built */
	FABSIM_A_FABRIC_NODES,		/* u32: how many */
	FABSIM_A_FABRIC_LINKS,		/* u32: how many */
	FABSIM_A_FABRIC_EVENTS,		/* u64: events run since load */
	FABSIM_A_FABRIC_PACKETS,	/* u64: packets in the fabric now */
	FABSIM_A_FABRIC_THREAD_NS,	/* u64: CPU time of the fabric thread, real ns */
	FABSIM_A_FABRIC_STEPS,		/* u32: of STEP, 1..65536 */
	FABSIM_A_FABRIC_DEFAULTS,	/* flag: of RESET */
	FABSIM_A_FABRIC_BUILDER,	/* u32: pid that set BUILDING */
	FABSIM_A_FABRIC_RDMA,		/* u8: 0: this kernel has no InfiniBand, so no HCA and no IB */

	__FABSIM_A_FABRIC_MAX,
	FABSIM_A_FABRIC_MAX = __FABSIM_A_FABRIC_MAX - 1
};

enum fabsim_node_kind {
	FABSIM_NODE_HOST,
	FABSIM_NODE_ETH_SWITCH,
	FABSIM_NODE_IB_SWITCH,

	__FABSIM_NODE_KIND_MAX,
	FABSIM_NODE_KIND_MAX = __FABSIM_NODE_KIND_MAX - 1
};

enum fabsim_node_attr {
	FABSIM_A_NODE_UNSPEC,
	FABSIM_A_NODE_PAD,
	FABSIM_A_NODE_ID,		/* u32 */
	FABSIM_A_NODE_NAME,		/* string: [A-Za-z0-9_-], 1..NODE_NAME_MAX */
	FABSIM_A_NODE_KIND,		/* u32: enum fabsim_node_kind */
	FABSIM_A_NODE_PORTS,		/* u32: how many; NEW of a switch, default 32 */
	FABSIM_A_NODE_LIVE,		/* u8: host: 1 has a net_device (default), 0 is a ghost */
	FABSIM_A_NODE_NETNS_FD,		/* u32: NEW of a live host: open /run/netns/… */
	FABSIM_A_NODE_NETNS_INO,	/* u32: inode of the namespace its net_device is in now */
	FABSIM_A_NODE_ORPHANED,		/* u8: 1 if the namespace it was made in is gone */
	FABSIM_A_NODE_IFINDEX,		/* u32: live host */
	FABSIM_A_NODE_IFNAME,		/* string: live host, name of the net_device now */
	FABSIM_A_NODE_MAC,		/* 6 bytes: host: burned-in address */
	FABSIM_A_NODE_CPU,		/* u32: live host: the CPU its NIC interrupts */
	/* switches, settable */
	FABSIM_A_NODE_BUFFER,		/* u32: shared buffer, bytes */
	FABSIM_A_NODE_ALPHA,		/* u32: dynamic threshold alpha, thousandths, 1..64000 */
	FABSIM_A_NODE_LATENCY,		/* u32: forwarding latency, ns, up to 1 s */
	FABSIM_A_NODE_AGEING,		/* u32: real ms an FDB entry lives unseen, 1..86400000 */
	/* switches, counted */
	FABSIM_A_NODE_FDB_ENTRIES,	/* u32: now */
	FABSIM_A_NODE_LEARNED,		/* u64: addresses learned (new or moved) */
	FABSIM_A_NODE_FLOODED,		/* u64: frames sent to every port */
	FABSIM_A_NODE_FORWARDED,	/* u64: frames sent to one port */
	FABSIM_A_NODE_FILTERED,		/* u64: frames whose destination is behind the port they came from */
	FABSIM_A_NODE_BUFFER_USED,	/* u32: bytes now */
	FABSIM_A_NODE_BUFFER_PEAK,	/* u32: most bytes since reset */
	/* hosts */
	FABSIM_A_NODE_ROCE,		/* u8: NEW of a live host: 1 has an HCA on its Ethernet port; default 0 */
	FABSIM_A_NODE_IB,		/* u8: NEW of a host: 1 has an InfiniBand port too; default 0 */
	FABSIM_A_NODE_SELECTIVE,	/* u8: live host, settable: its HCAs' new QPs repeat selectively; default 0 */
	/* InfiniBand switches */
	FABSIM_A_NODE_GUID,		/* u64: NodeGUID; a host's InfiniBand port's too */
	FABSIM_A_NODE_LID,		/* u32: of port 0; 0 = none was given */
	FABSIM_A_NODE_SM,		/* u8: 1 if a subnet manager runs in it */
	FABSIM_A_NODE_MULTICAST,	/* u64: copies sent by its multicast table */
	FABSIM_A_NODE_NO_ROUTE,		/* u64: packets whose LID its table does not have */
	FABSIM_A_NODE_SMPS,		/* u64: subnet management packets that passed or ended here */

	__FABSIM_A_NODE_MAX,
	FABSIM_A_NODE_MAX = __FABSIM_A_NODE_MAX - 1
};

/* Which network a port is on. A cable joins two ports of one kind. */
enum fabsim_port_kind {
	FABSIM_PORT_KIND_ETH,
	FABSIM_PORT_KIND_IB,

	__FABSIM_PORT_KIND_MAX,
	FABSIM_PORT_KIND_MAX = __FABSIM_PORT_KIND_MAX - 1
};

/**
 * enum fabsim_port_state - what a port can do now
 * @FABSIM_PORT_UNCABLED: no link
 * @FABSIM_PORT_DOWN: its link is down
 * @FABSIM_PORT_BLOCKING: up, but off the spanning tree: nothing passes
 * @FABSIM_PORT_FORWARDING: up
 */
enum fabsim_port_state {
	FABSIM_PORT_UNCABLED,
	FABSIM_PORT_DOWN,
	FABSIM_PORT_BLOCKING,
	FABSIM_PORT_FORWARDING,
};

/**
 * enum fabsim_drop - why a packet was dropped
 * @FABSIM_DROP_UNSPEC: no reason
 * @FABSIM_DROP_CONGESTION: the switch's buffer or the queue's share of it was full
 * @FABSIM_DROP_BIT_ERROR: the frame check sequence did not fit (bit errors, corrupt-nth)
 * @FABSIM_DROP_LOSS: the link's fault setting loss or drop-nth
 * @FABSIM_DROP_LINK_DOWN: the link was down or went down under it
 * @FABSIM_DROP_NO_ROUTE: nowhere to go (no port is up, or the port is blocking)
 * @FABSIM_DROP_MTU: longer than the link's MTU
 * @FABSIM_DROP_NO_BUFFER: the receiving NIC's ring was full
 * @FABSIM_DROP_NO_MEMORY: this machine had no memory for it
 * @FABSIM_DROP_FILTERED: not addressed to this NIC (not counted as a loss)
 * @FABSIM_DROP_RESET: thrown away by reset, node or link removal
 * @FABSIM_DROP_PKEY: InfiniBand: its partition is not in the P_Key table that was asked
 * @__FABSIM_DROP_MAX: one more than the last
 * @FABSIM_DROP_MAX: the last
 */
enum fabsim_drop {
	FABSIM_DROP_UNSPEC,
	FABSIM_DROP_CONGESTION,
	FABSIM_DROP_BIT_ERROR,
	FABSIM_DROP_LOSS,
	FABSIM_DROP_LINK_DOWN,
	FABSIM_DROP_NO_ROUTE,
	FABSIM_DROP_MTU,
	FABSIM_DROP_NO_BUFFER,
	FABSIM_DROP_NO_MEMORY,
	FABSIM_DROP_FILTERED,
	FABSIM_DROP_RESET,
	FABSIM_DROP_PKEY,

	__FABSIM_DROP_MAX,
	FABSIM_DROP_MAX = __FABSIM_DROP_MAX - 1
};

enum fabsim_port_attr {
	FABSIM_A_PORT_UNSPEC,
	FABSIM_A_PORT_PAD,
	FABSIM_A_PORT_ID,		/* u32 */
	FABSIM_A_PORT_NAME,		/* string: a host's "h1-eth", "h1-ib", a switch's "es1:3" */
	FABSIM_A_PORT_NODE,		/* string: name of its node */
	FABSIM_A_PORT_INDEX,		/* u32: number on the node, from 1 */
	FABSIM_A_PORT_STATE,		/* u32: enum fabsim_port_state */
	FABSIM_A_PORT_LINK,		/* string: name of its link, if cabled */
	FABSIM_A_PORT_PEER,		/* string: name of the port at the other end */
	FABSIM_A_PORT_MAC,		/* 6 bytes: a host's */
	FABSIM_A_PORT_TX_PACKETS,	/* u64: frames that left */
	FABSIM_A_PORT_TX_BYTES,		/* u64: without preamble, FCS and gap */
	FABSIM_A_PORT_RX_PACKETS,	/* u64 */
	FABSIM_A_PORT_RX_BYTES,		/* u64 */
	FABSIM_A_PORT_INTERRUPTS,	/* u64: a live host's NIC raised */
	FABSIM_A_PORT_POLLS,		/* u64: NAPI polls of it */
	FABSIM_A_PORT_TX_STOPS,		/* u64: times its transmit ring was full */
	FABSIM_A_PORT_TX_CUTS,		/* u64: big TCP segments cut into frames here */
	FABSIM_A_PORT_QUEUE_BYTES,	/* u32: waiting to leave now */
	FABSIM_A_PORT_QUEUE_PEAK,	/* u32: most since reset */
	FABSIM_A_PORT_DROPS,		/* nest: attribute type = enum fabsim_drop, u64; non-zero ones */
	FABSIM_A_PORT_KIND,		/* u32: enum fabsim_port_kind */
	/* InfiniBand */
	FABSIM_A_PORT_IB_STATE,		/* u32: enum fabsim_ib_state */
	FABSIM_A_PORT_GUID,		/* u64: a host's */
	FABSIM_A_PORT_LID,		/* u32: a host's; 0 = none was given */
	FABSIM_A_PORT_LMC,		/* u32: a host's: it has 1 << LMC LIDs */
	FABSIM_A_PORT_SM_LID,		/* u32: a host's: of the master subnet manager */
	FABSIM_A_PORT_PKEYS,		/* binary: a u16 for each valid entry of its partition table */
	FABSIM_A_PORT_CREDITS,		/* nest of FABSIM_A_VL_*: blocks of 64 bytes it may send now */
	FABSIM_A_PORT_STALLS,		/* u64: times that a packet had to wait for credits */
	FABSIM_A_PORT_WAIT,		/* u64: ns in which data waited for credits (PortXmitWait) */

	__FABSIM_A_PORT_MAX,
	FABSIM_A_PORT_MAX = __FABSIM_A_PORT_MAX - 1
};

/* PortInfo's PortState (InfiniBand 14.2.5.6), by its numbers. */
enum fabsim_ib_state {
	FABSIM_IB_NOP,			/* not known */
	FABSIM_IB_DOWN,			/* no link, or it is down */
	FABSIM_IB_INIT,			/* the link works; only management packets pass */
	FABSIM_IB_ARMED,		/* a subnet manager is at it */
	FABSIM_IB_ACTIVE,		/* data passes */

	__FABSIM_IB_MAX,
	FABSIM_IB_MAX = __FABSIM_IB_MAX - 1
};

/* Inside of PORT_CREDITS: the data lanes in use. */
enum fabsim_vl_attr {
	FABSIM_A_VL_UNSPEC,
	FABSIM_A_VL_0,			/* u32 */
	FABSIM_A_VL_1,			/* u32 */
	FABSIM_A_VL_2,			/* u32 */
	FABSIM_A_VL_3,			/* u32 */

	__FABSIM_A_VL_MAX,
	FABSIM_A_VL_MAX = __FABSIM_A_VL_MAX - 1
};

/* FABSIM_A_LINK_STALL: which ends have stopped to receive. */
#define FABSIM_STALL_A	1
#define FABSIM_STALL_B	2

/* FABSIM_A_LINK_FAULT_DIR: packets of which direction faults hit. */
enum fabsim_fault_dir {
	FABSIM_FAULT_BOTH,
	FABSIM_FAULT_A_TO_B,
	FABSIM_FAULT_B_TO_A,
};

enum fabsim_link_attr {
	FABSIM_A_LINK_UNSPEC,
	FABSIM_A_LINK_PAD,
	FABSIM_A_LINK_ID,		/* u32 */
	FABSIM_A_LINK_NAME,		/* string: default "A-B", "A-B.2" … */
	FABSIM_A_LINK_A_NODE,		/* string */
	FABSIM_A_LINK_A_PORT,		/* u32: number on the node; 0 or absent in NEW: first free */
	FABSIM_A_LINK_B_NODE,		/* string */
	FABSIM_A_LINK_B_PORT,		/* u32 */
	FABSIM_A_LINK_UP,		/* u8 */
	FABSIM_A_LINK_RATE,		/* u64: bits a second; 0 = max: no serialisation time */
	FABSIM_A_LINK_DELAY,		/* u64: propagation, ns, up to DELAY_MAX */
	FABSIM_A_LINK_MTU,		/* u32: longest payload of a frame */
	FABSIM_A_LINK_BER,		/* u64: bit-error rate in units of 1/BER_ONE */
	FABSIM_A_LINK_LOSS,		/* u32: packets lost, of FABSIM_PPB */
	FABSIM_A_LINK_DROP_NTH,		/* u64: lose the n-th packet from now, once; 0 = off */
	FABSIM_A_LINK_CORRUPT_NTH,	/* u64: damage the n-th packet from now, once; 0 = off */
	FABSIM_A_LINK_STALL,		/* u8: bits FABSIM_STALL_* */
	FABSIM_A_LINK_FAULT_DIR,	/* u8: enum fabsim_fault_dir */
	FABSIM_A_LINK_SEED,		/* u64: of this link's faults; 0 = derived from the fabric's */

	__FABSIM_A_LINK_MAX,
	FABSIM_A_LINK_MAX = __FABSIM_A_LINK_MAX - 1
};

enum fabsim_fdb_attr {
	FABSIM_A_FDB_UNSPEC,
	FABSIM_A_FDB_PAD,
	FABSIM_A_FDB_NODE,		/* string: the switch */
	FABSIM_A_FDB_MAC,		/* 6 bytes */
	FABSIM_A_FDB_PORT,		/* string: name of the port it is behind */
	FABSIM_A_FDB_AGE,		/* u64: real ms since a frame from it was last seen */

	__FABSIM_A_FDB_MAX,
	FABSIM_A_FDB_MAX = __FABSIM_A_FDB_MAX - 1
};

/* SMInfo's SMState (InfiniBand 14.2.5.13), by its numbers. */
enum fabsim_sm_state {
	FABSIM_SM_NOT_ACTIVE,
	FABSIM_SM_DISCOVERING,
	FABSIM_SM_STANDBY,
	FABSIM_SM_MASTER,

	__FABSIM_SM_MAX,
	FABSIM_SM_MAX = __FABSIM_SM_MAX - 1
};

enum fabsim_routing {
	FABSIM_ROUTING_MIN_HOP,
	FABSIM_ROUTING_UPDN,

	__FABSIM_ROUTING_MAX,
	FABSIM_ROUTING_MAX = __FABSIM_ROUTING_MAX - 1
};

#define FABSIM_SM_PRIORITY_MAX	15
#define FABSIM_SM_LMC_MAX	7
#define FABSIM_SM_MS_MIN	100
#define FABSIM_SM_MS_MAX	86400000

enum fabsim_sm_attr {
	FABSIM_A_SM_UNSPEC,
	FABSIM_A_SM_PAD,
	FABSIM_A_SM_NODE,		/* string: the switch that it runs in */
	FABSIM_A_SM_RUNNING,		/* u8: 0: none runs there; then no more is said */
	FABSIM_A_SM_STATE,		/* u32: enum fabsim_sm_state */
	FABSIM_A_SM_UP,			/* u8: it is master, and has brought the subnet up */
	FABSIM_A_SM_PHASE,		/* string: what it is doing: "idle", "discover", ... */
	FABSIM_A_SM_GUID,		/* u64: its own */
	FABSIM_A_SM_MASTER,		/* u64: GUID of the master that it knows; 0 = none */
	FABSIM_A_SM_LID,		/* u32: its own */
	FABSIM_A_SM_SWITCHES,		/* u32: of the subnet */
	FABSIM_A_SM_ENDS,		/* u32: ports of hosts: of the subnet */
	FABSIM_A_SM_LIDS,		/* u32: base LIDs in use */
	FABSIM_A_SM_GROUPS,		/* u32: multicast groups */
	/* settable */
	FABSIM_A_SM_PRIORITY,		/* u32: 0..15; the highest becomes master; default 1 */
	FABSIM_A_SM_LMC,		/* u32: 0..7: each end gets 1 << LMC LIDs; default 0 */
	FABSIM_A_SM_ROUTING,		/* u32: enum fabsim_routing; default min-hop */
	FABSIM_A_SM_SWEEP,		/* u32: real ms between light sweeps; default 10000 */
	FABSIM_A_SM_POLL,		/* u32: real ms between a standby's polls; default 1000 */
	/* counted */
	FABSIM_A_SM_SWEEPS,		/* u64: heavy sweeps ended */
	FABSIM_A_SM_LIGHT_SWEEPS,	/* u64 */
	FABSIM_A_SM_SWEEP_NS,		/* u64: fabric ns that the last heavy one took */
	FABSIM_A_SM_SWEEP_SMPS,		/* u64: requests of the last heavy one */
	FABSIM_A_SM_SWEPT,		/* u64: fabric time at which the last heavy one ended */
	FABSIM_A_SM_TRAPS,		/* u64: received */
	FABSIM_A_SM_SMPS_SENT,		/* u64: requests, repeated ones too */
	FABSIM_A_SM_SMPS_RECEIVED,	/* u64 */
	FABSIM_A_SM_TIMEOUTS,		/* u64: requests given up */
	FABSIM_A_SM_SA_REQUESTS,	/* u64: questions to the subnet administration */
	FABSIM_A_SM_SA_REFUSED,		/* u64: of these, answered with an error */
	FABSIM_A_SM_TAKEOVERS,		/* u64: times it became master */
	FABSIM_A_SM_COLD,		/* flag: of STOP */

	__FABSIM_A_SM_MAX,
	FABSIM_A_SM_MAX = __FABSIM_A_SM_MAX - 1
};

enum fabsim_lft_attr {
	FABSIM_A_LFT_UNSPEC,
	FABSIM_A_LFT_NODE,		/* string: the switch */
	FABSIM_A_LFT_LID,		/* u32 */
	FABSIM_A_LFT_INDEX,		/* u32: number of the port it leaves by; 0 = the switch itself */
	FABSIM_A_LFT_PORT,		/* string: name of that port, if it is not 0 */

	__FABSIM_A_LFT_MAX,
	FABSIM_A_LFT_MAX = __FABSIM_A_LFT_MAX - 1
};

/* As verbs number them. */
enum fabsim_qp_type {
	FABSIM_QP_TYPE_SMI,
	FABSIM_QP_TYPE_GSI,
	FABSIM_QP_TYPE_RC,
	FABSIM_QP_TYPE_UC,
	FABSIM_QP_TYPE_UD,

	__FABSIM_QP_TYPE_MAX,
	FABSIM_QP_TYPE_MAX = __FABSIM_QP_TYPE_MAX - 1
};

enum fabsim_qp_state {
	FABSIM_QP_RESET,
	FABSIM_QP_INIT,
	FABSIM_QP_RTR,
	FABSIM_QP_RTS,
	FABSIM_QP_SQD,
	FABSIM_QP_SQE,
	FABSIM_QP_ERR,

	__FABSIM_QP_MAX,
	FABSIM_QP_MAX = __FABSIM_QP_MAX - 1
};

enum fabsim_qp_attr {
	FABSIM_A_QP_UNSPEC,
	FABSIM_A_QP_PAD,
	FABSIM_A_QP_NODE,		/* string: the host */
	FABSIM_A_QP_HCA,		/* string: name of the RDMA device: "h1-roce", "h1-ib" */
	FABSIM_A_QP_QPN,		/* u32 */
	FABSIM_A_QP_TYPE,		/* u32: enum fabsim_qp_type */
	FABSIM_A_QP_STATE,		/* u32: enum fabsim_qp_state */
	FABSIM_A_QP_USER,		/* u8: 1: a program's, 0: the kernel's */
	FABSIM_A_QP_SELECTIVE,		/* u8: RC: it repeats selectively */
	FABSIM_A_QP_DEST_QPN,		/* u32: RC, UC from RTR on: the other end */
	FABSIM_A_QP_DEST_LID,		/* u32: of InfiniBand */
	FABSIM_A_QP_DEST_GID,		/* binary: 16 bytes; where the path has one */
	FABSIM_A_QP_MTU,		/* u32: bytes of a full packet */
	FABSIM_A_QP_SQ_PSN,		/* u32: of the next new packet */
	FABSIM_A_QP_UNA_PSN,		/* u32: RC: the oldest without an answer */
	FABSIM_A_QP_RQ_PSN,		/* u32: the one expected next */
	FABSIM_A_QP_SENDS,		/* u32: work requests taken and not yet complete */
	FABSIM_A_QP_RETRIES,		/* u32: RC: left before it gives up */
	FABSIM_A_QP_TX_PACKETS,		/* u64: sent, repeated ones too */
	FABSIM_A_QP_RX_PACKETS,		/* u64: received */
	FABSIM_A_QP_RETRANSMITTED,	/* u64: packets sent once more */

	__FABSIM_A_QP_MAX,
	FABSIM_A_QP_MAX = __FABSIM_A_QP_MAX - 1
};

/* One stream of the generator: COUNT frames, one every INTERVAL. */
enum fabsim_stream_attr {
	FABSIM_A_STREAM_UNSPEC,
	FABSIM_A_STREAM_PAD,
	FABSIM_A_STREAM_PORT,		/* string: the host port that sends */
	FABSIM_A_STREAM_DST,		/* 6 bytes: destination MAC */
	FABSIM_A_STREAM_START,		/* u64: ns after the generator's start */
	FABSIM_A_STREAM_INTERVAL,	/* u64: ns from frame to frame */
	FABSIM_A_STREAM_JITTER,		/* u64: up to this many ns more, from the seed */
	FABSIM_A_STREAM_COUNT,		/* u32: frames */
	FABSIM_A_STREAM_SIZE,		/* u32: payload, bytes, 46..MTU_MAX */
	FABSIM_A_STREAM_PRIO,		/* u8: 802.1p priority 0..7; not 0: the frame is tagged */

	__FABSIM_A_STREAM_MAX,
	FABSIM_A_STREAM_MAX = __FABSIM_A_STREAM_MAX - 1
};

#define FABSIM_STREAMS_MAX	1024

enum fabsim_gen_attr {
	FABSIM_A_GEN_UNSPEC,
	FABSIM_A_GEN_PAD,
	FABSIM_A_GEN_AT,		/* u64: fabric time to start at; absent: now */
	FABSIM_A_GEN_SEED,		/* u64: of the jitter; absent: the fabric's */
	FABSIM_A_GEN_STREAM,		/* nest of FABSIM_A_STREAM_*, repeated, 1..STREAMS_MAX */
	FABSIM_A_GEN_RUNNING,		/* u8 */
	FABSIM_A_GEN_SENT,		/* u64: frames */
	FABSIM_A_GEN_RECEIVED,		/* u64: frames that reached a host */
	FABSIM_A_GEN_DROPPED,		/* u64: frames dropped on the way */
	FABSIM_A_GEN_FIRST,		/* u64: fabric time the first frame was sent */
	FABSIM_A_GEN_LAST,		/* u64: fabric time the last frame arrived */

	__FABSIM_A_GEN_MAX,
	FABSIM_A_GEN_MAX = __FABSIM_A_GEN_MAX - 1
};

enum fabsim_capture_dir {
	FABSIM_CAPTURE_RX,
	FABSIM_CAPTURE_TX,
};

enum fabsim_capture_attr {
	FABSIM_A_CAPTURE_UNSPEC,
	FABSIM_A_CAPTURE_PAD,
	FABSIM_A_CAPTURE_PORT,		/* START: string, name of a port, repeated; none = every port.  PACKET: u32 is PORT_ID */
	FABSIM_A_CAPTURE_PORT_ID,	/* u32: PACKET: which port */
	FABSIM_A_CAPTURE_SNAPLEN,	/* u32: START: bytes kept of a packet, 64..65536, default all */
	FABSIM_A_CAPTURE_DIR,		/* u8: PACKET: enum fabsim_capture_dir, seen from the port */
	FABSIM_A_CAPTURE_TIME,		/* u64: PACKET: fabric ns */
	FABSIM_A_CAPTURE_LEN,		/* u32: PACKET: length on the wire, without FCS */
	FABSIM_A_CAPTURE_DATA,		/* binary: PACKET */
	FABSIM_A_CAPTURE_LOST,		/* u64: packets the reader was too slow for, so far */

	__FABSIM_A_CAPTURE_MAX,
	FABSIM_A_CAPTURE_MAX = __FABSIM_A_CAPTURE_MAX - 1
};

enum fabsim_path {
	FABSIM_PATH_TCP,
	FABSIM_PATH_ROCE,
	FABSIM_PATH_IB,

	__FABSIM_PATH_MAX,
	FABSIM_PATH_MAX = __FABSIM_PATH_MAX - 1
};

enum fabsim_side {
	FABSIM_SIDE_SENDER,
	FABSIM_SIDE_RECEIVER,

	__FABSIM_SIDE_MAX,
	FABSIM_SIDE_MAX = __FABSIM_SIDE_MAX - 1
};

/* What COST_START attaches. Counts and times come from two passes. */
#define FABSIM_COST_COUNTS	1	/* every counter below */
#define FABSIM_COST_TIMES	2	/* CPU time only: no probe on the message's way */

/*
 * The stages a message passes, in order. Each has the time spent in it (real
 * ns, exclusive of the stages called from it) and the number of passes.
 */
enum fabsim_stage {
	FABSIM_STAGE_UNSPEC,
	FABSIM_STAGE_SND_APP,		/* the sending program, in user space */
	FABSIM_STAGE_SND_SYSCALL,	/* entering and leaving the kernel, socket layer */
	FABSIM_STAGE_SND_COPY,		/* copy from user memory */
	FABSIM_STAGE_SND_STACK,		/* TCP/IP down to the driver */
	FABSIM_STAGE_SND_DRIVER,	/* the NIC driver's transmit function */
	FABSIM_STAGE_WIRE,		/* emulated: fabric ns */
	FABSIM_STAGE_RCV_IRQ,		/* the interrupt and the driver's poll */
	FABSIM_STAGE_RCV_STACK,		/* TCP/IP up to the socket */
	FABSIM_STAGE_RCV_COPY,		/* copy to user memory */
	FABSIM_STAGE_RCV_SYSCALL,	/* waking up, leaving the kernel */
	FABSIM_STAGE_RCV_APP,		/* the receiving program, in user space */

	__FABSIM_STAGE_MAX,
	FABSIM_STAGE_MAX = __FABSIM_STAGE_MAX - 1
};

enum fabsim_stage_attr {
	FABSIM_A_STAGE_UNSPEC,
	FABSIM_A_STAGE_PAD,
	FABSIM_A_STAGE_STAGE,		/* u32: enum fabsim_stage */
	FABSIM_A_STAGE_NS,		/* u64: total */
	FABSIM_A_STAGE_COUNT,		/* u64: passes */
	FABSIM_A_STAGE_CPU,		/* u8: 1 if the time was a CPU's */

	__FABSIM_A_STAGE_MAX,
	FABSIM_A_STAGE_MAX = __FABSIM_A_STAGE_MAX - 1
};

/*
 * Counters of one side; all u64. One that was not measured is absent, never
 * zero: its mode, its host, its processes or (this kernel has none) its probe
 * was missing. In mode TIMES there are SOFTIRQ_NS, INTERRUPTS, POLLS,
 * CONTEXT_SWITCHES, PAGE_FAULTS, CPU_NS and perhaps USER_NS.
 */
enum fabsim_counter_attr {
	FABSIM_A_COUNTER_UNSPEC,
	FABSIM_A_COUNTER_PAD,
	FABSIM_A_COUNTER_SYSCALLS,
	FABSIM_A_COUNTER_COPIES_IN,	/* user to kernel: probe hits */
	FABSIM_A_COUNTER_COPIES_OUT,	/* kernel to user: probe hits */
	FABSIM_A_COUNTER_COPIED_IN,	/* bytes */
	FABSIM_A_COUNTER_COPIED_OUT,	/* bytes */
	FABSIM_A_COUNTER_COPY_NS,
	FABSIM_A_COUNTER_STACK_NS,	/* in the protocol stack, without copies and driver; process and softirq */
	FABSIM_A_COUNTER_SOFTIRQ_NS,	/* interrupts and softirqs for this host's NIC: driver and stack */
	FABSIM_A_COUNTER_INTERRUPTS,	/* raised by this host's NIC */
	FABSIM_A_COUNTER_POLLS,		/* NAPI polls */
	FABSIM_A_COUNTER_WAKEUPS,
	FABSIM_A_COUNTER_CONTEXT_SWITCHES,
	FABSIM_A_COUNTER_PAGE_FAULTS,
	FABSIM_A_COUNTER_CPU_NS,	/* the processes, user and system, without the NIC polls that interrupted them */
	FABSIM_A_COUNTER_USER_NS,	/* of which in the program; in TIMES an estimate from 100 ticks or more */
	FABSIM_A_COUNTER_MISSED,	/* probe hits that were lost, of any process, and children not followed */

	__FABSIM_A_COUNTER_MAX,
	FABSIM_A_COUNTER_MAX = __FABSIM_A_COUNTER_MAX - 1
};

enum fabsim_cost_attr {
	FABSIM_A_COST_UNSPEC,
	FABSIM_A_COST_PAD,
	FABSIM_A_COST_PATH,		/* u32: enum fabsim_path */
	FABSIM_A_COST_MODE,		/* u32: FABSIM_COST_* */
	FABSIM_A_COST_PID,		/* u32: ATTACH, in the caller's pid namespace */
	FABSIM_A_COST_SIDE,		/* u32: ATTACH: enum fabsim_side */
	FABSIM_A_COST_HOST,		/* string: ATTACH: host whose NIC is charged to SIDE; optional */
	FABSIM_A_COST_SENDER,		/* nest of FABSIM_A_COUNTER_* */
	FABSIM_A_COST_RECEIVER,		/* nest of FABSIM_A_COUNTER_* */
	FABSIM_A_COST_STAGE,		/* nest of FABSIM_A_STAGE_*, repeated */
	FABSIM_A_COST_RUNNING,		/* u8: probes are attached now */
	FABSIM_A_COST_REAL_NS,		/* u64: how long the probes were attached */
	FABSIM_A_COST_FABRIC_NS,	/* u64: CPU time of the fabric thread meanwhile: the hardware's own */

	__FABSIM_A_COST_MAX,
	FABSIM_A_COST_MAX = __FABSIM_A_COST_MAX - 1
};

enum fabsim_event {
	FABSIM_EVENT_UNSPEC,
	FABSIM_EVENT_NODE_NEW,
	FABSIM_EVENT_NODE_DEL,
	FABSIM_EVENT_LINK_NEW,
	FABSIM_EVENT_LINK_DEL,
	FABSIM_EVENT_LINK_UP,
	FABSIM_EVENT_LINK_DOWN,
	FABSIM_EVENT_FROZEN,
	FABSIM_EVENT_THAWED,
	FABSIM_EVENT_RESET,
	FABSIM_EVENT_LEARNED,		/* NAME: port, MAC */
	FABSIM_EVENT_FLOODED,		/* NAME: switch, MAC: destination */
	FABSIM_EVENT_DROPPED,		/* NAME: port, REASON, LEN */
	FABSIM_EVENT_HOP,		/* NAME: port reached, PEER: port left; while stepping */
	FABSIM_EVENT_GEN_DONE,
	FABSIM_EVENT_BYE,		/* the module is being unloaded */
	FABSIM_EVENT_SM_STARTED,	/* NAME: switch */
	FABSIM_EVENT_SM_STOPPED,	/* NAME: switch */
	FABSIM_EVENT_SUBNET_UP,		/* NAME: switch whose subnet manager has brought it up */

	__FABSIM_EVENT_MAX,
	FABSIM_EVENT_MAX = __FABSIM_EVENT_MAX - 1
};

enum fabsim_event_attr {
	FABSIM_A_EVENT_UNSPEC,
	FABSIM_A_EVENT_PAD,
	FABSIM_A_EVENT_TYPE,		/* u32: enum fabsim_event */
	FABSIM_A_EVENT_TIME,		/* u64: fabric ns */
	FABSIM_A_EVENT_NAME,		/* string: the object */
	FABSIM_A_EVENT_PEER,		/* string: the other one, if any */
	FABSIM_A_EVENT_MAC,		/* 6 bytes */
	FABSIM_A_EVENT_REASON,		/* u32: enum fabsim_drop */
	FABSIM_A_EVENT_LEN,		/* u32: bytes */
	FABSIM_A_EVENT_PACKET,		/* u64: number of the packet */

	__FABSIM_A_EVENT_MAX,
	FABSIM_A_EVENT_MAX = __FABSIM_A_EVENT_MAX - 1
};

#endif /* _UAPI_FABSIM_H */
