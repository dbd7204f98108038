/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Ethernet network: what its files offer to each other and to fabric.c.
 */
#ifndef FAB_ETH_H
#define FAB_ETH_H

#include "../fabric.h"
#include "fdb.h"

struct fab_hca;
struct net_device;

int fab_hosts_init(void);
void fab_hosts_exit(void);

/*
 * host.c: the Ethernet side of a host: a NIC (nic.c), or only a port if it is a ghost.
 * Caller's side, control mutex. @number is the host's own: it makes the MAC address.
 * unregister() is the first half of the end (the devices go; after it no work enters),
 * free() the second.
 */
extern const struct fab_port_ops fab_eth_host_port_ops;
int fab_eth_host_attach(struct fab_port *port, const struct fab_node_params *params, u32 number,
			struct netlink_ext_ack *extack);
int fab_eth_host_set(struct fab_node *node, const struct fab_node_settings *set,
		     unsigned int mask, struct netlink_ext_ack *extack);
void fab_eth_host_reset(struct fab_port *port);	/* fabric thread */
void fab_eth_host_unregister(struct fab_port *port);
void fab_eth_host_free(struct fab_port *port);
void fab_eth_hosts_unregister_all(void);
struct net_device *fab_host_netdev(const struct fab_node *node);	/* NULL for a ghost */
bool fab_host_is_orphaned(const struct fab_node *node);
bool fab_host_has_roce(const struct fab_node *node);
struct fab_hca *fab_host_roce_hca(const struct fab_node *node);		/* NULL without */
const u8 *fab_host_mac(const struct fab_node *node);

/**
 * struct fab_nic_stats - what only a live host's NIC counts
 * @interrupts: raised at the host's CPU
 * @polls: NAPI polls
 * @tx_stops: times the transmit ring was full
 */
struct fab_nic_stats {
	u64 interrupts;
	u64 polls;
	u64 tx_stops;
};

bool fab_host_nic_stats(const struct fab_node *node, struct fab_nic_stats *stats);

/* Fabric thread: send a frame out of a host's port, as the generator does; consumed. */
void fab_host_inject(struct fab_port *port, struct sk_buff *skb, u8 prio);

/* switch.c */
struct fab_node *fab_switch_create(const struct fab_node_params *params,
				   struct netlink_ext_ack *extack);

/**
 * struct fab_switch_stats - what a switch counts
 * @learned: addresses, new or moved
 * @flooded: frames sent to every port
 * @forwarded: frames sent to one port
 * @filtered: frames whose destination is behind the port they came from
 * @fdb_entries: now
 * @buffer_used: bytes now
 * @buffer_peak: most bytes since reset
 */
struct fab_switch_stats {
	u64 learned;
	u64 flooded;
	u64 forwarded;
	u64 filtered;
	u32 fdb_entries;
	u32 buffer_used;
	u32 buffer_peak;
};

void fab_switch_read_stats(const struct fab_node *node, struct fab_switch_stats *stats);

/**
 * struct fab_fdb_line - one entry of a forwarding table, for a reader
 * @mac: the address
 * @port: index of the port it is behind
 * @age: real ms since it was last seen
 */
struct fab_fdb_line {
	u8 mac[ETH_ALEN];
	u16 port;
	u64 age;
};

/* Caller's side. Entries from the @first on, in a stable order, at most @max; how many. */
unsigned int fab_switch_read_fdb(struct fab_node *node, unsigned int first,
				 struct fab_fdb_line *lines, unsigned int max);
void fab_switch_flush_fdb(struct fab_node *node);

/* Fabric thread: a link changed; stp.c works out which ports block. */
void fab_stp_update(const struct fab_link *link);
/* Caller's side: put that off, new cables between switches block meanwhile; or do it now. */
void fab_stp_hold(bool hold);

/* egress.c: queues of a port, the same for NICs and switches. Fabric thread. */
void fab_egress_init(struct fab_port *port);
void fab_egress_add(struct fab_port *port, struct fab_packet *packet);
void fab_egress_run(struct fab_port *port);
void fab_egress_purge(struct fab_port *port, u32 reason);

#endif /* FAB_ETH_H */
