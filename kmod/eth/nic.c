// SPDX-License-Identifier: GPL-2.0
/*
 * The NIC of a live host: the host sees a net_device, the fabric sees a port.
 *
 * Driver and NIC work as on real hardware, through three rings with one writer
 * and one reader each, so that none needs a lock:
 *
 *	tx    ndo_start_xmit  ->  fabric thread     frames to send
 *	done  fabric thread   ->  NAPI poll         sent: give the memory back
 *	rx    fabric thread   ->  NAPI poll         frames received
 *
 * The fabric thread plays the hardware. It takes frames from tx when the driver
 * has rung the doorbell (fab_inbox_post()), and raises an interrupt of the CPU
 * that is the host's: that CPU is really interrupted, by irq_work where the
 * thread happens to run on it, else by a call to the other CPU. The interrupt
 * schedules NAPI; NAPI's softirq then works for this host, not for the thread.
 * While NAPI is at work no interrupt is raised (@armed). Sent frames are
 * reported a few at a time, or along with received ones.
 *
 * What travels through the fabric is a clone of the skb: the bytes are shared,
 * but the sender's socket gets its memory back when the NIC has sent, in the
 * sender's softirq, where it belongs.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/tcp.h>
#include "../compat.h"
#include "../cost/cost.h"
#include "nic.h"
#include "roce.h"
#include "trace.h"

/* The driver's side: runs in the host's context. */

static u32 in_use(const struct fab_nic *nic)
{
	return nic->posted - READ_ONCE(nic->reaped);
}

static netdev_tx_t nic_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct netdev_queue *txq = netdev_get_tx_queue(dev, 0);
	struct fab_nic *nic = netdev_priv(dev);
	bool doorbell;

	fab_cost_xmit_enter(nic->port->node);
	skb_tx_timestamp(skb);
	/* Before the NIC can see the frame, since it may be reaped at once. */
	doorbell = __netdev_tx_sent_queue(txq, skb->len, netdev_xmit_more());
	if (WARN_ON_ONCE(__ptr_ring_produce(&nic->tx, skb))) {
		netdev_tx_completed_queue(txq, 1, skb->len);
		dev_kfree_skb_any(skb);
		goto out;
	}
	nic->posted++;
	if (in_use(nic) >= FAB_NIC_TX_RING) {
		netif_tx_stop_queue(txq);
		nic->stats.tx_stops++;
		doorbell = true;
		/* Pairs with the barrier in reap(): one of us sees the other. */
		smp_mb();
		if (in_use(nic) < FAB_NIC_TX_RING)
			netif_tx_start_queue(txq);
	}
	if (doorbell)
		fab_inbox_post(&nic->inbox);
out:
	fab_cost_xmit_exit(nic->port->node);
	return NETDEV_TX_OK;
}

/* Take back what the NIC has sent. */
static void reap(struct fab_nic *nic, int budget)
{
	struct netdev_queue *txq = netdev_get_tx_queue(nic->dev, 0);
	unsigned int packets = 0, bytes = 0;
	struct sk_buff *skb;

	while ((skb = __ptr_ring_consume(&nic->done))) {
		packets++;
		bytes += skb->len;
		napi_consume_skb(skb, budget);
	}
	if (!packets)
		return;
	WRITE_ONCE(nic->reaped, nic->reaped + packets);
	netdev_tx_completed_queue(txq, packets, bytes);
	/* Pairs with the barrier in nic_start_xmit(). */
	smp_mb();
	if (netif_tx_queue_stopped(txq) && in_use(nic) < FAB_NIC_TX_RING)
		netif_tx_wake_queue(txq);
}

/*
 * GRO merges frames by changing them, and the bytes of a clone are also those
 * of its sender, who may have to send them again. So a clone goes past GRO; but
 * if GRO holds frames that it would overtake, it gets bytes of its own.
 */
static void pass_up(struct fab_nic *nic, struct sk_buff *skb)
{
	bool past_gro = skb_cloned(skb) && !fab_gro_holds(&nic->napi);

	if (!past_gro && skb_unclone(skb, GFP_ATOMIC)) {
		dev_core_stats_rx_dropped_inc(nic->dev);
		napi_consume_skb(skb, 1);
		return;
	}
	skb->protocol = eth_type_trans(skb, nic->dev);
	if (past_gro)
		netif_receive_skb(skb);
	else
		napi_gro_receive(&nic->napi, skb);
}

static int receive(struct fab_nic *nic, int budget)
{
	struct sk_buff *skb;
	int work = 0;

	while (work < budget && (skb = __ptr_ring_consume(&nic->rx))) {
		WRITE_ONCE(nic->rx_packets, nic->rx_packets + (skb_shinfo(skb)->gso_segs ?: 1));
		WRITE_ONCE(nic->rx_bytes, nic->rx_bytes + skb->len);
		pass_up(nic, skb);
		work++;
	}
	return work;
}

static int nic_poll(struct napi_struct *napi, int budget)
{
	struct fab_nic *nic = container_of(napi, struct fab_nic, napi);
	int work;

	fab_cost_poll_enter(nic->port->node);
	WRITE_ONCE(nic->stats.polls, nic->stats.polls + 1);
	WRITE_ONCE(nic->overdue, false);
	reap(nic, budget);
	work = receive(nic, budget);
	if (work < budget && napi_complete_done(napi, work)) {
		/* The NIC may interrupt again; what came in meanwhile is ours to see. */
		smp_store_mb(nic->armed, 1);
		if ((READ_ONCE(nic->overdue) || !__ptr_ring_empty(&nic->rx)) &&
		    xchg(&nic->armed, 0))
			napi_schedule(napi);
	}
	fab_cost_poll_exit(nic->port->node, work);
	return work;
}

/* The interrupt handler. */
static void interrupt(struct fab_nic *nic)
{
	WRITE_ONCE(nic->stats.interrupts, nic->stats.interrupts + 1);
	trace_fabsim_irq(nic->port);
	fab_cost_interrupt(nic->port->node);
	napi_schedule_irqoff(&nic->napi);
}

static void irq_work_handler(struct irq_work *work)
{
	interrupt(container_of(work, struct fab_nic, irq_work));
}

static void csd_handler(void *nic)
{
	interrupt(nic);
}

static int nic_open(struct net_device *dev)
{
	struct fab_nic *nic = netdev_priv(dev);
	struct sk_buff *skb;

	/* Frames that came in while nobody polled are stale. */
	while ((skb = __ptr_ring_consume(&nic->rx)))
		kfree_skb(skb);
	napi_enable(&nic->napi);
	if (in_use(nic) < FAB_NIC_TX_RING)
		netif_start_queue(dev);
	WRITE_ONCE(nic->open, true);
	WRITE_ONCE(nic->armed, 1);
	/* Frames sent before the device was closed may still have to be reaped. */
	local_bh_disable();
	if (xchg(&nic->armed, 0))
		napi_schedule(&nic->napi);
	local_bh_enable();
	return 0;
}

static int nic_stop(struct net_device *dev)
{
	struct fab_nic *nic = netdev_priv(dev);

	WRITE_ONCE(nic->open, false);
	netif_tx_disable(dev);
	napi_disable(&nic->napi);
	return 0;
}

/* Not left to free_netdev(), which would wait for RCU once a device. */
static void nic_uninit(struct net_device *dev)
{
	struct fab_nic *nic = netdev_priv(dev);

	__netif_napi_del(&nic->napi);
}

static void nic_set_rx_mode(struct net_device *dev)
{
	struct fab_nic *nic = netdev_priv(dev);

	WRITE_ONCE(nic->promiscuous, !!(dev->flags & IFF_PROMISC));
}

static u64 dropped(const struct fab_nic *nic, u32 reason)
{
	return READ_ONCE(nic->past.drops[reason]) + READ_ONCE(nic->port->stats.drops[reason]);
}

static void nic_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	const struct fab_nic *nic = netdev_priv(dev);
	const struct fab_port_stats *port = &nic->port->stats;
	const struct fab_port_stats *past = &nic->past;

	stats->rx_packets = READ_ONCE(nic->rx_packets);
	stats->rx_bytes = READ_ONCE(nic->rx_bytes);
	stats->tx_packets = READ_ONCE(past->tx_packets) + READ_ONCE(port->tx_packets);
	stats->tx_bytes = READ_ONCE(past->tx_bytes) + READ_ONCE(port->tx_bytes);
	stats->rx_missed_errors = dropped(nic, FABSIM_DROP_NO_BUFFER);
	stats->rx_crc_errors = dropped(nic, FABSIM_DROP_BIT_ERROR);
	stats->rx_errors = stats->rx_crc_errors;
	stats->tx_dropped = dropped(nic, FABSIM_DROP_LINK_DOWN) + dropped(nic, FABSIM_DROP_MTU) +
			    dropped(nic, FABSIM_DROP_NO_MEMORY);
}

static const struct net_device_ops nic_netdev_ops = {
	.ndo_uninit		= nic_uninit,
	.ndo_open		= nic_open,
	.ndo_stop		= nic_stop,
	.ndo_start_xmit		= nic_start_xmit,
	.ndo_set_rx_mode	= nic_set_rx_mode,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_get_stats64	= nic_get_stats64,
};

/* The NIC's side: the fabric thread. */

/* Interrupt the host, if its driver wants to be. */
static void run_irq(struct fab_deferred *deferred)
{
	struct fab_nic *nic = container_of(deferred, struct fab_nic, irq);
	unsigned int cpu = READ_ONCE(nic->cpu);

	if (!READ_ONCE(nic->open) || !xchg(&nic->armed, 0))
		return;
	nic->unreported = 0;
	if (cpu == get_cpu() || smp_call_function_single_async(cpu, &nic->csd))
		irq_work_queue(&nic->irq_work);
	put_cpu();
}

/* The NIC's own timer, on the host's CPU: sent frames have waited long enough to be reported. */
static void coalesce_timer(struct timer_list *timer)
{
	struct fab_nic *nic = from_timer(nic, timer, coalesce);

	if (__ptr_ring_empty(&nic->done) || !READ_ONCE(nic->open))
		return;
	/* A poll that is under way may have looked too early: then it looks again. */
	WRITE_ONCE(nic->overdue, true);
	if (xchg(&nic->armed, 0))
		irq_work_queue(&nic->irq_work);
}

static void report_later(struct fab_nic *nic)
{
	unsigned int cpu;

	/*
	 * Either the timer that is still pending sees the frame in @done, or we
	 * see that it is not.
	 */
	smp_mb();
	if (timer_pending(&nic->coalesce))
		return;
	nic->coalesce.expires = jiffies + 1;
	cpu = READ_ONCE(nic->cpu);
	add_timer_on(&nic->coalesce, cpu_online(cpu) ? cpu : raw_smp_processor_id());
}

/**
 * fab_nic_tx_done() - a frame has left; its memory goes back to the driver
 * @nic: NIC
 * @skb: the skb that the driver had posted
 *
 * Context: fabric thread.
 */
void fab_nic_tx_done(struct fab_nic *nic, struct sk_buff *skb)
{
	if (WARN_ON_ONCE(__ptr_ring_produce(&nic->done, skb)))
		return;
	/* Nobody to tell; and a NIC that goes must not be put on the thread's lists again. */
	if (!READ_ONCE(nic->open))
		return;
	if (++nic->unreported >= FAB_NIC_COALESCE_FRAMES)
		fab_defer(&nic->irq);
	report_later(nic);
}

/**
 * fab_nic_is_addressed() - is a frame for this host?
 * @nic: NIC
 * @packet: the frame
 *
 * Context: fabric thread.
 * Return: true if its destination is the host's address, or a group's.
 */
bool fab_nic_is_addressed(const struct fab_nic *nic, const struct fab_packet *packet)
{
	const struct ethhdr *eth = (const struct ethhdr *)packet->skb->data;

	return is_multicast_ether_addr(eth->h_dest) ||
	       ether_addr_equal(eth->h_dest, nic->dev->dev_addr);
}

/**
 * fab_nic_keep_stats() - the counters of the port begin anew, those of the net_device go on
 * @nic: NIC
 *
 * Context: fabric thread, before the port's counters are cleared.
 */
void fab_nic_keep_stats(struct fab_nic *nic)
{
	const struct fab_port_stats *port = &nic->port->stats;
	unsigned int i;

	WRITE_ONCE(nic->past.tx_packets, nic->past.tx_packets + port->tx_packets);
	WRITE_ONCE(nic->past.tx_bytes, nic->past.tx_bytes + port->tx_bytes);
	for (i = 0; i < ARRAY_SIZE(port->drops); i++)
		WRITE_ONCE(nic->past.drops[i], nic->past.drops[i] + port->drops[i]);
}

/**
 * fab_nic_receive() - a frame has arrived
 * @nic: NIC
 * @packet: the frame; the NIC's from now on
 *
 * Context: fabric thread.
 */
void fab_nic_receive(struct fab_nic *nic, struct fab_packet *packet)
{
	if (!fab_nic_is_addressed(nic, packet) && !READ_ONCE(nic->promiscuous)) {
		fab_port_drop(nic->port, packet, FABSIM_DROP_FILTERED);
		return;
	}
	if (!READ_ONCE(nic->open)) {
		fab_port_drop(nic->port, packet, FABSIM_DROP_LINK_DOWN);
		return;
	}
	if (packet->tail && !fab_roce_finish(packet)) {
		fab_port_drop(nic->port, packet, FABSIM_DROP_NO_MEMORY);
		return;
	}
	if (__ptr_ring_produce(&nic->rx, packet->skb)) {
		fab_port_drop(nic->port, packet, FABSIM_DROP_NO_BUFFER);
		return;
	}
	packet->skb = NULL;
	fab_packet_free(packet);
	fab_defer(&nic->irq);
}

static u8 priority_of(const struct sk_buff *skb)
{
	const struct vlan_ethhdr *tagged = (const struct vlan_ethhdr *)skb->data;

	if (skb_headlen(skb) < VLAN_ETH_HLEN || !eth_type_vlan(tagged->h_vlan_proto))
		return 0;
	return ntohs(tagged->h_vlan_TCI) >> VLAN_PRIO_SHIFT;
}

/* A big TCP segment counts as the frames it stands for. */
static void measure(struct fab_packet *packet)
{
	const struct sk_buff *skb = packet->skb;
	u32 header;

	if (!skb_is_gso(skb))
		return;
	header = skb_tcp_all_headers(skb);
	packet->frames = DIV_ROUND_UP(skb->len - header, skb_shinfo(skb)->gso_size);
	packet->len = skb->len + (packet->frames - 1) * header;
}

/* What leaves the host leaves everything of the host behind but the bytes. */
static struct sk_buff *leave_host(struct sk_buff *skb)
{
	struct sk_buff *clone = skb_clone(skb, GFP_NOWAIT | __GFP_NOWARN);

	if (!clone)
		return NULL;
	skb_scrub_packet(clone, true);
	clone->priority = 0;
	clone->dev = NULL;
	return clone;
}

static void drop_early(struct fab_nic *nic, struct sk_buff *skb)
{
	u64 *drops = &nic->port->stats.drops[FABSIM_DROP_NO_MEMORY];

	WRITE_ONCE(*drops, *drops + 1);
	fab_nic_tx_done(nic, skb);
}

static void send(struct fab_nic *nic, struct sk_buff *skb)
{
	struct sk_buff *clone = leave_host(skb);
	struct fab_packet *packet = clone ? fab_packet_create(clone) : NULL;

	if (!packet) {
		kfree_skb(clone);
		drop_early(nic, skb);
		return;
	}
	packet->tx_skb = skb;
	packet->tx_port = nic->port;
	packet->prio = priority_of(clone);
	packet->real = true;
	fab_clock_real_packets(1);
	measure(packet);
	fab_egress_add(nic->port, packet);
}

static void drain_tx(struct fab_inbox *inbox)
{
	struct fab_nic *nic = container_of(inbox, struct fab_nic, inbox);
	struct sk_buff *skb;

	while ((skb = __ptr_ring_consume(&nic->tx)))
		send(nic, skb);
}

/* Coming and going: the caller of a control operation. */

static void setup(struct net_device *dev)
{
	dev->netdev_ops = &nic_netdev_ops;
	dev->ethtool_ops = &fab_nic_ethtool_ops;
	dev->hw_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_RXCSUM | NETIF_F_HIGHDMA |
			   NETIF_F_TSO | NETIF_F_TSO6 | NETIF_F_TSO_ECN;
	dev->features |= dev->hw_features;
	dev->vlan_features |= dev->features;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	dev->mtu = 9000;
	dev->min_mtu = FABSIM_MTU_MIN;
	dev->max_mtu = FABSIM_MTU_MAX;
}

static void free_skb(void *skb)
{
	kfree_skb(skb);
}

static int init_rings(struct fab_nic *nic)
{
	/* ptr_ring frees its slots a few at a time: twice the descriptors are never full. */
	if (ptr_ring_init(&nic->tx, 2 * FAB_NIC_TX_RING, GFP_KERNEL))
		return -ENOMEM;
	if (ptr_ring_init(&nic->done, 2 * FAB_NIC_TX_RING, GFP_KERNEL))
		goto err_tx;
	if (ptr_ring_init(&nic->rx, FAB_NIC_RX_RING, GFP_KERNEL))
		goto err_done;
	return 0;

err_done:
	ptr_ring_cleanup(&nic->done, NULL);
err_tx:
	ptr_ring_cleanup(&nic->tx, NULL);
	return -ENOMEM;
}

static void free_rings(struct fab_nic *nic)
{
	ptr_ring_cleanup(&nic->rx, free_skb);
	ptr_ring_cleanup(&nic->done, free_skb);
	ptr_ring_cleanup(&nic->tx, free_skb);
}

/**
 * fab_nic_create() - a NIC and its net_device
 * @port: port of the host
 * @mac: burned-in address
 * @net: namespace the device is made in
 * @cpu: the CPU it interrupts
 *
 * Context: process context, control mutex.
 * Return: the NIC, or -ENOMEM, -EEXIST or another error of register_netdev().
 */
struct fab_nic *fab_nic_create(struct fab_port *port, const u8 *mac, struct net *net,
			       unsigned int cpu)
{
	struct net_device *dev = alloc_etherdev(sizeof(struct fab_nic));
	struct fab_nic *nic;
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	nic = netdev_priv(dev);
	nic->dev = dev;
	nic->port = port;
	nic->cpu = cpu;
	init_irq_work(&nic->irq_work, irq_work_handler);
	INIT_CSD(&nic->csd, csd_handler, nic);
	timer_setup(&nic->coalesce, coalesce_timer, TIMER_PINNED);
	fab_defer_init(&nic->irq, run_irq);
	fab_inbox_init(&nic->inbox, drain_tx);
	err = init_rings(nic);
	if (err)
		goto err_free;
	dev_net_set(dev, net);
	strscpy(dev->name, port->name, sizeof(dev->name));
	eth_hw_addr_set(dev, mac);
	ether_addr_copy(dev->perm_addr, mac);
	setup(dev);
	netif_napi_add(dev, &nic->napi, nic_poll);
	netif_carrier_off(dev);
	err = register_netdev(dev);
	if (err)
		goto err_rings;
	nic->registered = true;
	return nic;

err_rings:
	free_rings(nic);
err_free:
	free_netdev(dev);
	return ERR_PTR(err);
}

static void call_quiet(void *arg)
{
	struct fab_nic *nic = arg;

	fab_defer_cancel(&nic->irq);
}

static void nothing(void *unused)
{
}

/**
 * fab_nic_unregister() - the host loses its net_device
 * @nic: NIC
 *
 * After it the driver sends nothing more and no interrupt is on its way.
 *
 * Context: process context, control mutex.
 */
void fab_nic_unregister(struct fab_nic *nic)
{
	if (nic->registered)
		unregister_netdev(nic->dev);
	nic->registered = false;
	/* The thread has seen the closed device; then the interrupts it raised before are over. */
	fab_call(call_quiet, nic);
	timer_delete_sync(&nic->coalesce);
	irq_work_sync(&nic->irq_work);
	on_each_cpu(nothing, NULL, 1);
}

/**
 * fab_nic_free() - the end of a NIC that is unregistered and unknown to the fabric thread
 * @nic: NIC
 */
void fab_nic_free(struct fab_nic *nic)
{
	free_rings(nic);
	free_netdev(nic->dev);
}
