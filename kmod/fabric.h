/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The graph: nodes and their ports, joined by links. fabric.c has the model.
 *
 * Two kinds of context touch it:
 *  - callers (netlink, module exit) hold the control mutex; only they change
 *    which nodes, ports and links exist, and they may read the graph;
 *  - the fabric thread owns what happens on it. A caller changes what the
 *    thread looks at only inside a fab_call().
 * Counters are written by one side and read by anybody with READ_ONCE.
 */
#ifndef FAB_FABRIC_H
#define FAB_FABRIC_H

#include <linux/etherdevice.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/stringhash.h>
#include "clock.h"
#include "link.h"
#include "packet.h"
#include "uapi/fabsim.h"

struct fab_buffer;
struct net;
struct net_device;
struct fab_node;
struct fab_port;

/**
 * struct fab_port_stats - counters of a port
 * @tx_packets: frames that left; fabric thread
 * @tx_bytes: of these, without preamble, FCS and gap
 * @rx_packets: frames that arrived and were taken; fabric thread
 * @rx_bytes: of these
 * @tx_cuts: big TCP segments that were cut into frames here
 * @queue_peak: most bytes that ever waited to leave
 * @drops: frames dropped here, by enum fabsim_drop
 */
struct fab_port_stats {
	u64 tx_packets;
	u64 tx_bytes;
	u64 rx_packets;
	u64 rx_bytes;
	u64 tx_cuts;
	u32 queue_peak;
	u64 drops[FABSIM_DROP_MAX + 1];
};

#define FAB_PRIOS	8

/**
 * struct fab_port_ops - what a kind of port does; each network has its own for hosts and switches
 * @kind: enum fabsim_port_kind
 * @min_len: a shorter packet is filled up to this on the wire, bytes
 * @overhead: bytes that a packet takes on the wire beside itself
 * @cut_through: the port acts as soon as it has this many bytes of a packet (then
 *	@packet->whole says when it will have the last); 0 = it wants the whole packet
 * @receive: a packet arrived at @port and is now the node's; fabric thread
 * @sent: the last bit of @packet has left @port; fabric thread
 * @wire_free: @port may send the next packet; fabric thread
 * @tx_done: @packet, in which @port is the tx_port, has left or never will; fabric thread
 * @purge: throw away what waits to leave @port, for @reason (enum fabsim_drop); fabric thread
 * @link_changed: @port's link was made, cut, went up or down; fabric thread
 * @carrier: the same, told to whoever listens outside; caller's context
 */
struct fab_port_ops {
	u32 kind;
	u32 min_len;
	u32 overhead;
	u32 cut_through;
	void (*receive)(struct fab_port *port, struct fab_packet *packet);
	void (*sent)(struct fab_port *port, struct fab_packet *packet);
	void (*wire_free)(struct fab_port *port);
	void (*tx_done)(struct fab_port *port, struct fab_packet *packet);
	void (*purge)(struct fab_port *port, u32 reason);
	void (*link_changed)(struct fab_port *port);
	void (*carrier)(struct fab_port *port, bool up);
};

/**
 * struct fab_port - a port of a node
 * @id: number, never reused
 * @index: number on its node, from 1
 * @name: "h1-eth", "h1-ib", "es1:3"
 * @node: whose port this is
 * @ops: what its kind does
 * @priv: its kind's own
 * @wire: out of this port; NULL while uncabled
 * @queue: packets waiting to leave, by priority; fabric thread
 * @queue_bytes: of all of @queue
 * @prio_bytes: of each of @queue
 * @buffer: memory that the queues share with the switch's other ports; NULL at a host
 * @blocking: off the spanning tree; fabric thread
 * @in_tree: its cable is part of the spanning tree; used by stp.c
 * @captured: somebody captures here (capture.c)
 * @stats: counters
 * @kobj: its directory in sysfs (sysfs.c), NULL for ghosts
 */
struct fab_port {
	u32 id;
	u32 index;
	char name[FABSIM_PORT_NAME_MAX + 1];
	struct fab_node *node;
	const struct fab_port_ops *ops;
	void *priv;
	struct fab_wire *wire;
	struct list_head queue[FAB_PRIOS];
	u32 queue_bytes;
	u32 prio_bytes[FAB_PRIOS];
	struct fab_buffer *buffer;
	bool blocking;
	bool in_tree;
	bool captured;
	struct fab_port_stats stats;
	struct fab_kobject *kobj;
};

/* Bits of fab_node_settings that a request sets. */
enum {
	FAB_NODE_BUFFER		= BIT(0),
	FAB_NODE_ALPHA		= BIT(1),
	FAB_NODE_LATENCY	= BIT(2),
	FAB_NODE_AGEING		= BIT(3),
	FAB_NODE_CPU		= BIT(4),
	FAB_NODE_SELECTIVE	= BIT(5),
	FAB_NODE_ALL		= BIT(6) - 1,
};

/**
 * struct fab_node_settings - what a user can set on a node
 * @buffer: switch: shared buffer, bytes
 * @alpha: switch: dynamic threshold, thousandths
 * @latency: switch: forwarding latency, ns
 * @ageing: switch: how long an unseen address is remembered, real ms
 * @cpu: live host: the CPU its NIC interrupts
 * @selective: live host: new QPs of its HCAs use selective repeat
 */
struct fab_node_settings {
	u32 buffer;
	u32 alpha;
	u32 latency;
	u32 ageing;
	u32 cpu;
	u8 selective;
};

/**
 * struct fab_node_params - a node to be made
 * @name: unique
 * @kind: enum fabsim_node_kind
 * @ports: switch: how many; 0 = default
 * @live: host: with a net_device
 * @roce: live host: with an HCA on its Ethernet port
 * @ib: host: with an InfiniBand port, and, if live, an HCA on it
 * @net: live host: namespace the net_device is made in
 * @set: settings; members whose bit is not in @mask get their defaults
 * @mask: FAB_NODE_*
 */
struct fab_node_params {
	char name[FABSIM_NODE_NAME_MAX + 1];
	u32 kind;
	u32 ports;
	bool live;
	bool roce;
	bool ib;
	struct net *net;
	struct fab_node_settings set;
	unsigned int mask;
};

/**
 * struct fab_node_ops - what a kind of node does
 * @set: check new settings and take them; caller's context
 * @reset: forget everything learned and counted; fabric thread
 * @quiesce: first half of the end: nothing enters any more; caller's context
 * @free: second half: give the memory back; caller's context
 */
struct fab_node_ops {
	int (*set)(struct fab_node *node, const struct fab_node_settings *set,
		   unsigned int mask, struct netlink_ext_ack *extack);
	void (*reset)(struct fab_node *node, bool defaults);
	void (*quiesce)(struct fab_node *node);
	void (*free)(struct fab_node *node);
};

/**
 * struct fab_node - a host or a switch
 * @id: number, never reused
 * @name: unique
 * @kind: enum fabsim_node_kind
 * @live: a host with a net_device
 * @ops: what its kind does
 * @hash: place in the table of names
 * @n_ports: length of @ports
 * @ports: ports 1..n at index 0..n-1
 * @latency: from the last bit in until the packet is in an egress queue, ns
 * @set: settings
 * @kobj: its directory in sysfs (sysfs.c), NULL for ghosts
 */
struct fab_node {
	u32 id;
	char name[FABSIM_NODE_NAME_MAX + 1];
	u32 kind;
	bool live;
	const struct fab_node_ops *ops;
	struct hlist_node hash;
	unsigned int n_ports;
	struct fab_port *ports;
	u32 latency;
	struct fab_node_settings set;
	struct fab_kobject *kobj;
};

/**
 * struct fab_fabric_info - what the controller said of the fabric
 * @building: FABSIM_FABRIC_BUILDING was said, and not READY after it
 * @builder: pid that said so, in the initial pid namespace
 * @seed: of every link that has none of its own
 * @topology: what was built
 *
 * Control mutex.
 */
struct fab_fabric_info {
	bool building;
	pid_t builder;
	u64 seed;
	char topology[64];
};

extern struct fab_fabric_info fab_fabric;

/* How far the topology is (enum fabsim_fabric_state). Any context. */
u32 fab_fabric_state(void);

/* The control mutex: one controller at a time. */
void fab_control_lock(void);
int fab_control_lock_killable(void);	/* 0 or -EINTR */
void fab_control_unlock(void);
void fab_control_assert(void);

/* Everything below: the control mutex is held. */
struct fab_node *fab_node_create(const struct fab_node_params *params,
				 struct netlink_ext_ack *extack);
void fab_node_destroy(struct fab_node *node);
int fab_node_set(struct fab_node *node, const struct fab_node_settings *set,
		 unsigned int mask, struct netlink_ext_ack *extack);
struct fab_node *fab_node_find(const char *name);
struct fab_node *fab_node_by_id(u32 id);
unsigned int fab_node_count(void);
/* The first node (port) whose id is at least *id; *id becomes its id. NULL at the end. */
struct fab_node *fab_node_next(u32 *id);
struct fab_port *fab_port_next(u32 *id);
struct fab_port *fab_port_find(const char *name);
struct fab_port *fab_port_by_id(u32 id);
/* The first port of @kind without a link, or NULL. */
struct fab_port *fab_port_free_one(struct fab_node *node, u32 kind);
u32 fab_port_state(const struct fab_port *port);	/* enum fabsim_port_state */

/* The kind calls these while it makes the node: memory for all ports, then each of them. */
int fab_node_init_ports(struct fab_node *node, unsigned int n);
void fab_port_init(struct fab_port *port, const struct fab_port_ops *ops);

void fab_fabric_building(bool building);
void fab_fabric_down(void);
void fab_fabric_reset(bool defaults);
void fab_fabric_set_seed(u64 seed);

/* Place of a name in the tables of nodes and of links. */
static inline u32 fab_name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

/* The port at the other end of the cable, or NULL. */
static inline struct fab_port *fab_port_peer(const struct fab_port *port)
{
	return port->wire ? port->wire->to : NULL;
}

/* A host's Ethernet port. */
static inline bool fab_port_is_nic(const struct fab_port *port)
{
	return port->node->kind == FABSIM_NODE_HOST && port->ops->kind == FABSIM_PORT_KIND_ETH;
}

static inline bool fab_port_is_up(const struct fab_port *port)
{
	return port->wire && port->wire->link->set.up;
}

/* Fabric thread: count @packet as dropped at @port for @reason (enum fabsim_drop), and free it. */
void fab_port_drop(struct fab_port *port, struct fab_packet *packet, u32 reason);

#endif /* FAB_FABRIC_H */
