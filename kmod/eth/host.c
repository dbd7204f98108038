// SPDX-License-Identifier: GPL-2.0
/*
 * A host: a NIC in a network namespace, or a ghost.
 *
 * A live host is whatever namespace its NIC is in: real network stacks and real
 * programs. A ghost is only a port; the generator can send from it, and what it
 * receives is counted and thrown away. A fabric can have thousands of ghosts.
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

/**
 * struct fab_host - a host
 * @node: the node
 * @mac: burned-in address
 * @nic: its NIC, NULL for a ghost
 */
struct fab_host {
	struct fab_node node;
	u8 mac[ETH_ALEN];
	struct fab_nic *nic;
};

/* How many addresses have been burned in since the fabric was empty; control mutex. */
static u32 burned;

static struct fab_host *to_host(const struct fab_node *node)
{
	return container_of(node, struct fab_host, node);
}

static void host_receive(struct fab_port *port, struct fab_packet *packet)
{
	struct fab_host *host = to_host(port->node);

	if (packet->generated)
		fab_gen_received(port, packet);
	if (host->nic)
		fab_nic_receive(host->nic, packet);
	else
		fab_packet_free(packet);
}

static void host_sent(struct fab_port *port, struct fab_packet *packet)
{
	fab_packet_complete(packet);
}

static void host_tx_done(struct fab_port *port, struct sk_buff *skb)
{
	fab_nic_tx_done(to_host(port->node)->nic, skb);
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
	struct fab_nic *nic = to_host(port->node)->nic;

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

static int host_set(struct fab_node *node, const struct fab_node_settings *set,
		    unsigned int mask, struct netlink_ext_ack *extack)
{
	struct fab_nic *nic = to_host(node)->nic;

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

static void host_reset(struct fab_node *node, bool to_defaults)
{
	/* A net_device's counters never go back. */
	if (to_host(node)->nic)
		fab_nic_keep_stats(to_host(node)->nic);
}

static void host_quiesce(struct fab_node *node)
{
	struct fab_host *host = to_host(node);

	if (host->nic)
		fab_nic_unregister(host->nic);
}

static void host_free(struct fab_node *node)
{
	struct fab_host *host = to_host(node);

	if (host->nic)
		fab_nic_free(host->nic);
	kvfree(node->ports);
	kfree(host);
}

static const struct fab_node_ops host_ops = {
	.receive	= host_receive,
	.sent		= host_sent,
	.wire_free	= fab_egress_run,
	.tx_done	= host_tx_done,
	.link_changed	= host_link_changed,
	.carrier	= host_carrier,
	.set		= host_set,
	.reset		= host_reset,
	.quiesce	= host_quiesce,
	.free		= host_free,
};

static void burn_in(struct fab_host *host)
{
	u32 number = ++burned;

	/* A locally administered address: nobody owns "fa:b5". */
	host->mac[0] = 0x02;
	host->mac[1] = 0xfa;
	host->mac[2] = 0xb5;
	host->mac[3] = number >> 16;
	host->mac[4] = number >> 8;
	host->mac[5] = number;
}

static int make_nic(struct fab_host *host, const struct fab_node_params *params,
		    struct netlink_ext_ack *extack)
{
	struct fab_node *node = &host->node;
	struct fab_nic *nic;

	node->set.cpu = nth_online_cpu(burned - 1);
	nic = fab_nic_create(&node->ports[0], host->mac, params->net, node->set.cpu);
	if (IS_ERR(nic)) {
		if (PTR_ERR(nic) == -EEXIST)
			fab_err(extack, "the namespace has a device called %s already",
				node->ports[0].name);
		return PTR_ERR(nic);
	}
	host->nic = nic;
	return 0;
}

/**
 * fab_host_create() - a host
 * @params: what host
 * @extack: says what is wrong with it
 *
 * Context: process context, control mutex.
 * Return: its node or an error.
 */
struct fab_node *fab_host_create(const struct fab_node_params *params,
				 struct netlink_ext_ack *extack)
{
	struct fab_host *host = kzalloc(sizeof(*host), GFP_KERNEL);
	struct fab_node *node;
	int err;

	if (!host)
		return ERR_PTR(-ENOMEM);
	node = &host->node;
	node->ops = &host_ops;
	node->kind = FABSIM_NODE_HOST;
	node->live = params->live;
	strscpy(node->name, params->name, sizeof(node->name));
	err = fab_node_init_ports(node, 1);
	if (err)
		goto err_free;
	burn_in(host);
	if (params->live) {
		err = make_nic(host, params, extack);
		if (err)
			goto err_ports;
	}
	err = host_set(node, &params->set, params->mask, extack);
	if (err)
		goto err_nic;
	return node;

err_nic:
	if (host->nic) {
		fab_nic_unregister(host->nic);
		fab_call_sync();
		fab_nic_free(host->nic);
	}
err_ports:
	kvfree(node->ports);
err_free:
	kfree(host);
	return ERR_PTR(err);
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
	const struct fab_nic *nic = to_host(node)->nic;

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
	const struct fab_nic *nic = to_host(node)->nic;

	return nic && READ_ONCE(nic->orphaned);
}

/**
 * fab_host_mac() - the burned-in address of a host
 * @node: a host
 *
 * Return: six bytes.
 */
const u8 *fab_host_mac(const struct fab_node *node)
{
	return to_host(node)->mac;
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
	const struct fab_nic *nic = to_host(node)->nic;

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
 * fab_hosts_unregister_all() - take the net_devices of all hosts away at once
 *
 * One wait of the network core for all of them; the hosts are destroyed next.
 * Addresses are burned in from the first again.
 *
 * Context: process context, control mutex.
 */
void fab_hosts_unregister_all(void)
{
	struct fab_node *node;
	LIST_HEAD(devices);
	u32 id;

	rtnl_lock();
	for (id = 0; (node = fab_node_next(&id)); id++) {
		struct fab_nic *nic = node->live ? to_host(node)->nic : NULL;

		if (!nic || !nic->registered)
			continue;
		nic->registered = false;
		unregister_netdevice_queue(nic->dev, &devices);
	}
	unregister_netdevice_many(&devices);
	rtnl_unlock();
	burned = 0;
}

static int device_event(struct notifier_block *block, unsigned long event, void *data)
{
	struct net_device *dev = netdev_notifier_info_to_dev(data);

	/* Leaving a namespace, which may be dead, for another one. */
	if (event == NETDEV_UNREGISTER && dev->ethtool_ops == &fab_nic_ethtool_ops) {
		struct fab_nic *nic = netdev_priv(dev);

		WRITE_ONCE(nic->orphaned, !check_net(dev_net(dev)));
	}
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
