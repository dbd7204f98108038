// SPDX-License-Identifier: GPL-2.0
/*
 * The Ethernet side of a host: a port with a NIC in a network namespace, and an
 * HCA beside it where the host has one. A ghost has only the port.
 *
 * The HCA takes the frames of RoCE (UDP port 4791) that are addressed to the host;
 * everything else, and RoCE too where there is no HCA, goes up the NIC.
 *
 * If the namespace of a live host is removed under it, the kernel moves the
 * net_device to the initial namespace; such a host is an orphan until somebody
 * moves it or takes it off the table.
 */
#include <linux/cpumask.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include "../extack.h"
#include "../gen.h"
#include "nic.h"
#include "roce.h"

/* A host's Ethernet port is its first. */
static struct fab_eth_host *eth_host(const struct fab_node *node)
{
	return fab_to_eth_host(&node->ports[0]);
}

static void host_receive(struct fab_port *port, struct fab_packet *packet)
{
	struct fab_eth_host *host = fab_to_eth_host(port);

	if (packet->generated)
		fab_gen_received(port, packet);
	if (!host->nic)
		fab_packet_free(packet);
	else if (!host->roce || !fab_roce_receive(host->roce, packet))
		fab_nic_receive(host->nic, packet);
}

static void host_sent(struct fab_port *port, struct fab_packet *packet)
{
	fab_packet_complete(packet);
}

static void host_tx_done(struct fab_port *port, struct fab_packet *packet)
{
	struct fab_eth_host *host = fab_to_eth_host(port);

	if (packet->tx_skb)
		fab_nic_tx_done(host->nic, packet->tx_skb);
	else
		fab_roce_tx_done(host->roce, packet);
	packet->tx_skb = NULL;
}

static void host_purge(struct fab_port *port, u32 reason)
{
	struct fab_eth_host *host = fab_to_eth_host(port);

	fab_egress_purge(port, reason);
	if (host->roce)
		fab_roce_purge(host->roce, reason);
}

static void host_link_changed(struct fab_port *port)
{
	if (fab_port_is_up(port))
		fab_egress_run(port);
	else
		fab_egress_purge(port, FABSIM_DROP_LINK_DOWN);
}

static void host_carrier(struct fab_port *port, bool up)
{
	struct fab_nic *nic = fab_to_eth_host(port)->nic;

	if (!nic || !nic->registered)
		return;
	/* Under rtnl, so that ethtool sees a link that stays while it looks. */
	rtnl_lock();
	if (up)
		netif_carrier_on(nic->dev);
	else
		netif_carrier_off(nic->dev);
	rtnl_unlock();
}

static unsigned int nth_online_cpu(unsigned int n)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);

	for (n %= num_online_cpus(); n; n--)
		cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : 0;
}

/**
 * fab_eth_host_set() - check new settings of a host and take them
 * @node: a host
 * @set: new settings
 * @mask: FAB_NODE_*: which of them count
 * @extack: says what is wrong with them
 *
 * Context: process context, control mutex.
 * Return: 0, -ERANGE or -EOPNOTSUPP.
 */
int fab_eth_host_set(struct fab_node *node, const struct fab_node_settings *set,
		     unsigned int mask, struct netlink_ext_ack *extack)
{
	struct fab_nic *nic = eth_host(node)->nic;

	if (mask & ~FAB_NODE_CPU) {
		NL_SET_ERR_MSG_MOD(extack,
				   "buffer, alpha, latency and ageing are settings of a switch");
		return -EOPNOTSUPP;
	}
	if (!mask)
		return 0;
	if (!nic) {
		NL_SET_ERR_MSG_MOD(extack, "a ghost host has no CPU");
		return -EOPNOTSUPP;
	}
	if (set->cpu >= nr_cpu_ids || !cpu_online(set->cpu)) {
		fab_err(extack, "CPU %u is not online", set->cpu);
		return -ERANGE;
	}
	WRITE_ONCE(nic->cpu, set->cpu);
	node->set.cpu = set->cpu;
	return 0;
}

/**
 * fab_eth_host_reset() - the counters of the port will begin anew
 * @port: port of a host
 *
 * Context: fabric thread.
 */
void fab_eth_host_reset(struct fab_port *port)
{
	struct fab_nic *nic = fab_to_eth_host(port)->nic;

	/* A net_device's counters never go back. */
	if (nic)
		fab_nic_keep_stats(nic);
}

const struct fab_port_ops fab_eth_host_port_ops = {
	.kind		= FABSIM_PORT_KIND_ETH,
	.min_len	= ETH_ZLEN,
	.overhead	= FAB_ETH_WIRE_OVERHEAD,
	.receive	= host_receive,
	.sent		= host_sent,
	.wire_free	= fab_egress_run,
	.tx_done	= host_tx_done,
	.purge		= host_purge,
	.link_changed	= host_link_changed,
	.carrier	= host_carrier,
};

static void burn_in(struct fab_eth_host *host, u32 number)
{
	/* A locally administered address: nobody owns "fa:b5". */
	host->mac[0] = 0x02;
	host->mac[1] = 0xfa;
	host->mac[2] = 0xb5;
	host->mac[3] = number >> 16;
	host->mac[4] = number >> 8;
	host->mac[5] = number;
}

static int make_nic(struct fab_port *port, const struct fab_node_params *params, u32 number,
		    struct netlink_ext_ack *extack)
{
	struct fab_eth_host *host = fab_to_eth_host(port);
	struct fab_node *node = port->node;
	struct fab_nic *nic;

	node->set.cpu = nth_online_cpu(number - 1);
	nic = fab_nic_create(port, host->mac, params->net, node->set.cpu);
	if (IS_ERR(nic)) {
		if (PTR_ERR(nic) == -EEXIST)
			fab_err(extack, "the namespace has a device called %s already",
				port->name);
		return PTR_ERR(nic);
	}
	host->nic = nic;
	return 0;
}

static int make_devices(struct fab_port *port, const struct fab_node_params *params, u32 number,
			struct netlink_ext_ack *extack)
{
	int err;

	if (!params->live)
		return 0;
	err = make_nic(port, params, number, extack);
	if (!err && params->roce)
		err = fab_roce_attach(port, extack);
	return err;
}

/**
 * fab_eth_host_attach() - the Ethernet side of a host
 * @port: its port, of fab_eth_host_port_ops
 * @params: what host
 * @number: of the host, from 1
 * @extack: says what is wrong with it
 *
 * Context: process context, control mutex.
 * Return: 0 or an error.
 */
int fab_eth_host_attach(struct fab_port *port, const struct fab_node_params *params, u32 number,
			struct netlink_ext_ack *extack)
{
	struct fab_eth_host *host = kzalloc(sizeof(*host), GFP_KERNEL);
	int err;

	if (!host)
		return -ENOMEM;
	port->priv = host;
	fab_egress_init(port);
	burn_in(host, number);
	err = make_devices(port, params, number, extack);
	if (err)
		goto err_free;
	return 0;

err_free:
	fab_eth_host_unregister(port);
	fab_call_sync();
	fab_eth_host_free(port);
	return err;
}

/**
 * fab_eth_host_unregister() - first half of the end: the host loses its devices
 * @port: its port
 *
 * Context: process context, control mutex.
 */
void fab_eth_host_unregister(struct fab_port *port)
{
	struct fab_eth_host *host = fab_to_eth_host(port);

	/* The HCA's addresses are the NIC's: it goes first. */
	fab_roce_unregister(port);
	if (host->nic)
		fab_nic_unregister(host->nic);
}

/**
 * fab_eth_host_free() - second half: the memory
 * @port: its port, unknown to the fabric thread
 *
 * Context: process context, control mutex.
 */
void fab_eth_host_free(struct fab_port *port)
{
	struct fab_eth_host *host = fab_to_eth_host(port);

	fab_roce_free(port);
	if (host->nic)
		fab_nic_free(host->nic);
	kfree(host);
	port->priv = NULL;
}

/**
 * fab_host_netdev() - the net_device of a host
 * @node: a host
 *
 * Context: control mutex.
 * Return: the device, or NULL for a ghost.
 */
struct net_device *fab_host_netdev(const struct fab_node *node)
{
	const struct fab_nic *nic = eth_host(node)->nic;

	return nic ? nic->dev : NULL;
}

/**
 * fab_host_is_orphaned() - has the namespace of a host died?
 * @node: a host
 *
 * Context: control mutex.
 * Return: true if its net_device was moved to the initial namespace because of that.
 */
bool fab_host_is_orphaned(const struct fab_node *node)
{
	const struct fab_nic *nic = eth_host(node)->nic;

	return nic && READ_ONCE(nic->orphaned);
}

/**
 * fab_host_has_roce() - does a host have an HCA on its Ethernet port?
 * @node: a host
 *
 * Return: true if it has.
 */
bool fab_host_has_roce(const struct fab_node *node)
{
	return eth_host(node)->roce;
}

/**
 * fab_host_roce_hca() - the HCA on the Ethernet port of a host
 * @node: a host
 *
 * Context: control mutex.
 * Return: the HCA, or NULL where there is none.
 */
struct fab_hca *fab_host_roce_hca(const struct fab_node *node)
{
	const struct fab_roce *roce = eth_host(node)->roce;

	return roce ? fab_roce_hca(roce) : NULL;
}

/**
 * fab_host_mac() - the burned-in address of a host
 * @node: a host
 *
 * Return: six bytes.
 */
const u8 *fab_host_mac(const struct fab_node *node)
{
	return eth_host(node)->mac;
}

/**
 * fab_host_nic_stats() - counters of a host's NIC
 * @node: a host
 * @stats: filled in
 *
 * Context: any in which the node exists.
 * Return: false for a ghost.
 */
bool fab_host_nic_stats(const struct fab_node *node, struct fab_nic_stats *stats)
{
	const struct fab_nic *nic = eth_host(node)->nic;

	if (!nic)
		return false;
	stats->interrupts = READ_ONCE(nic->stats.interrupts);
	stats->polls = READ_ONCE(nic->stats.polls);
	stats->tx_stops = READ_ONCE(nic->stats.tx_stops);
	return true;
}

/**
 * fab_host_inject() - send a frame out of a host's port, past its network stack
 * @port: the port
 * @skb: the frame, from the Ethernet header on; consumed
 * @prio: 802.1p priority the frame carries
 *
 * Context: fabric thread.
 */
void fab_host_inject(struct fab_port *port, struct sk_buff *skb, u8 prio)
{
	struct fab_packet *packet = fab_packet_create(skb);

	if (!packet) {
		kfree_skb(skb);
		return;
	}
	packet->prio = prio;
	packet->generated = true;
	fab_gen_packet_made();
	fab_egress_add(port, packet);
}

/**
 * fab_eth_hosts_unregister_all() - take the devices of all hosts away at once
 *
 * One wait of the network core for all of them; the hosts are destroyed next.
 *
 * Context: process context, control mutex.
 */
void fab_eth_hosts_unregister_all(void)
{
	struct fab_node *node;
	LIST_HEAD(devices);
	u32 id;

	for (id = 0; (node = fab_node_next(&id)); id++)
		if (node->live)
			fab_roce_unregister(&node->ports[0]);
	rtnl_lock();
	for (id = 0; (node = fab_node_next(&id)); id++) {
		struct fab_nic *nic = node->live ? eth_host(node)->nic : NULL;

		if (!nic || !nic->registered)
			continue;
		nic->registered = false;
		unregister_netdevice_queue(nic->dev, &devices);
	}
	unregister_netdevice_many(&devices);
	rtnl_unlock();
}

static int device_event(struct notifier_block *block, unsigned long event, void *data)
{
	struct net_device *dev = netdev_notifier_info_to_dev(data);
	struct fab_nic *nic;

	if (dev->ethtool_ops != &fab_nic_ethtool_ops)
		return NOTIFY_DONE;
	nic = netdev_priv(dev);
	/* Leaving a namespace, which may be dead, for another one. */
	if (event == NETDEV_UNREGISTER)
		WRITE_ONCE(nic->orphaned, !check_net(dev_net(dev)));
	fab_roce_device_event(nic->port);
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = { .notifier_call = device_event };

/**
 * fab_hosts_init() - begin to watch where the net_devices of hosts go
 *
 * Return: 0 or an error of register_netdevice_notifier().
 */
int fab_hosts_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

/**
 * fab_hosts_exit() - stop watching
 */
void fab_hosts_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
}
