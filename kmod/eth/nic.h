/* SPDX-License-Identifier: GPL-2.0 */
/* The NIC of a live host: nic.c has the model. */
#ifndef FAB_NIC_H
#define FAB_NIC_H

#include <linux/irq_work.h>
#include <linux/netdevice.h>
#include <linux/ptr_ring.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include "eth.h"

/* Descriptors of the two rings. */
#define FAB_NIC_TX_RING		256
#define FAB_NIC_RX_RING		1024

/* The NIC reports sent frames along with received ones, or after this many, or at the next tick. */
#define FAB_NIC_COALESCE_FRAMES	16

/**
 * struct fab_nic - a NIC; the private part of its net_device
 * @dev: its net_device
 * @port: its port
 * @napi: receive and completion work on the host's CPU
 * @inbox: tells the fabric thread to look at @tx
 * @tx: skbs from the driver to the NIC: the transmit ring
 * @done: skbs from the NIC back to the driver: sent
 * @rx: skbs from the NIC to the driver: the receive ring
 * @posted: descriptors the driver has filled; transmit lock
 * @reaped: descriptors the driver has taken back; NAPI
 * @armed: the NIC may raise an interrupt
 * @overdue: the coalescing timer found sent frames while NAPI was at work
 * @unreported: sent packets that no interrupt has told of; fabric thread
 * @coalesce: fires when they have waited for a tick of the host kernel
 * @irq: raises an interrupt at the end of the fabric thread's turn
 * @irq_work: an interrupt of this CPU
 * @csd: an interrupt of another CPU
 * @cpu: the CPU it interrupts
 * @open: between ndo_open and ndo_stop
 * @promiscuous: takes frames for any address
 * @registered: unregister_netdev() has not been called yet
 * @orphaned: its namespace died and the device fell back to the initial one
 * @stats: counters of the driver
 * @rx_packets: frames handed to the stack; NAPI
 * @rx_bytes: of these
 * @past: counters of the port before they were last cleared; fabric thread
 */
struct fab_nic {
	struct net_device *dev;
	struct fab_port *port;
	struct napi_struct napi;
	struct fab_inbox inbox;
	struct ptr_ring tx;
	struct ptr_ring done;
	struct ptr_ring rx;
	u32 posted;
	u32 reaped;
	unsigned int armed;
	bool overdue;
	u32 unreported;
	struct timer_list coalesce;
	struct fab_deferred irq;
	struct irq_work irq_work;
	call_single_data_t csd;
	unsigned int cpu;
	bool open;
	bool promiscuous;
	bool registered;
	bool orphaned;
	struct fab_nic_stats stats;
	u64 rx_packets;
	u64 rx_bytes;
	struct fab_port_stats past;
};

/**
 * struct fab_eth_host - the Ethernet side of a host; its port's priv
 * @mac: burned-in address
 * @nic: its NIC, NULL for a ghost
 * @roce: its HCA, NULL if it has none
 */
struct fab_eth_host {
	u8 mac[ETH_ALEN];
	struct fab_nic *nic;
	struct fab_roce *roce;
};

static inline struct fab_eth_host *fab_to_eth_host(const struct fab_port *port)
{
	return port->priv;
}

struct fab_nic *fab_nic_create(struct fab_port *port, const u8 *mac, struct net *net,
			       unsigned int cpu);
void fab_nic_unregister(struct fab_nic *nic);
void fab_nic_free(struct fab_nic *nic);

/* Fabric thread. */
bool fab_nic_is_addressed(const struct fab_nic *nic, const struct fab_packet *packet);
void fab_nic_receive(struct fab_nic *nic, struct fab_packet *packet);
void fab_nic_tx_done(struct fab_nic *nic, struct sk_buff *skb);
void fab_nic_keep_stats(struct fab_nic *nic);

extern const struct ethtool_ops fab_nic_ethtool_ops;

#endif /* FAB_NIC_H */
