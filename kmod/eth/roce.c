// SPDX-License-Identifier: GPL-2.0
/*
 * RoCEv2: how the HCA's packets travel on Ethernet (InfiniBand specification,
 * annex A17). This file, and roce_frame.c for the bytes, is all that path 2 has of
 * its own inside the host; their counterpart for path 3 is ib/net.c.
 *
 * A destination is an IP address (a GID is one, IPv4 as IPv6-mapped). Nobody has
 * to manage the network for it: the address comes from the host's net_device, and
 * the next hop's MAC from the kernel's neighbour tables, which ib_core asks before
 * it lets a QP or an address handle be made. The headers are put together then,
 * once (fab_path); a packet gets a copy with its length.
 *
 * What routers and switches look at:
 *  - priority: 802.1p where the frame is tagged, else the upper half of the DSCP
 *    (its class selector), which the verbs user set as the traffic class;
 *  - ECN: every packet says that its sender reacts to congestion, ECT(0); a switch
 *    with a long queue makes that CE, and the receiver answers with a CNP;
 *  - the UDP source port, which spreads flows over equal paths: from the flow label
 *    if there is one, else from the destination QP.
 */
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include "../extack.h"
#include "../host/hca.h"
#include "nic.h"
#include "roce.h"
#include "roce_frame.h"

/* Addresses of a host, IPv4 and IPv6. */
#define GIDS		64
/* The only P_Key (A17.7): the default one, full member. */
#define PKEY		0xffff

#define CNP_OPCODE	0x81
#define CNP_RESERVED	16
#define BTH_BECN	0x40

/**
 * struct fab_roce - an HCA on an Ethernet port
 * @port: the port
 * @nic: the NIC it shares the port with
 * @hca: the HCA; NULL before it is complete and when it has gone; fabric thread
 * @owned: the same, for the holder of the control mutex
 * @told_up: what ib_core knows of the port; rtnl
 * @visible: ib_core can be told more; rtnl
 * @backlog: bytes that wait at the port; fabric thread
 * @loop: packets to this HCA itself
 * @loop_event: delivers the first of them
 */
struct fab_roce {
	struct fab_port *port;
	struct fab_nic *nic;
	struct fab_hca *hca;
	struct fab_hca *owned;
	bool told_up;
	bool visible;
	u32 backlog;
	struct list_head loop;
	struct fab_event loop_event;
};

static struct fab_roce *to_roce(const struct fab_hca *hca)
{
	return fab_to_eth_host(hca->port)->roce;
}

/* Who am I: what ib_core asks. */

static __be64 roce_node_guid(const struct fab_hca *hca)
{
	__be64 guid;

	addrconf_addr_eui48((u8 *)&guid, (const char *)fab_to_eth_host(hca->port)->mac);
	return guid;
}

static bool is_up(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

struct rate_question {
	const struct fab_port *port;
	u64 rate;
};

static void call_rate(void *arg)
{
	struct rate_question *question = arg;
	const struct fab_wire *wire = question->port->wire;

	question->rate = wire ? fab_wire_settings(wire)->rate : 0;
}

/* The link's rate in the terms that verbs have: the slowest that is no slower. */
static void put_speed(const struct fab_port *port, struct ib_port_attr *attr)
{
	static const struct {
		u64 rate;
		u8 width;
		u8 speed;
	} speeds[] = {
		{ 2500000000ULL, IB_WIDTH_1X, IB_SPEED_SDR },
		{ 10000000000ULL, IB_WIDTH_1X, IB_SPEED_QDR },
		{ 25000000000ULL, IB_WIDTH_1X, IB_SPEED_EDR },
		{ 40000000000ULL, IB_WIDTH_4X, IB_SPEED_QDR },
		{ 50000000000ULL, IB_WIDTH_1X, IB_SPEED_HDR },
		{ 100000000000ULL, IB_WIDTH_4X, IB_SPEED_EDR },
		{ 200000000000ULL, IB_WIDTH_4X, IB_SPEED_HDR },
		{ U64_MAX, IB_WIDTH_4X, IB_SPEED_NDR },
	};
	struct rate_question question = { .port = port };
	unsigned int i = 0;

	fab_call(call_rate, &question);
	/* Rate 0 is "max". */
	while (question.rate - 1 >= speeds[i].rate && i < ARRAY_SIZE(speeds) - 1)
		i++;
	attr->active_width = speeds[i].width;
	attr->active_speed = speeds[i].speed;
}

static enum ib_mtu roce_mtu(struct fab_hca *hca)
{
	return iboe_get_mtu(READ_ONCE(to_roce(hca)->nic->dev->mtu)) ?: IB_MTU_256;
}

static int roce_query_port(struct fab_hca *hca, struct ib_port_attr *attr)
{
	const struct fab_roce *roce = to_roce(hca);
	bool up = is_up(roce->nic->dev);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = roce_mtu(hca);
	attr->phys_mtu = READ_ONCE(roce->nic->dev->mtu);
	attr->gid_tbl_len = GIDS;
	attr->pkey_tbl_len = 1;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_vl_num = 1;
	attr->bad_pkey_cntr = min_t(u64, fab_counter(hca, FAB_BAD_PKEY), U16_MAX);
	attr->qkey_viol_cntr = min_t(u64, fab_counter(hca, FAB_BAD_QKEY), U16_MAX);
	put_speed(roce->port, attr);
	return 0;
}

static int roce_query_pkey(struct fab_hca *hca, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = PKEY;
	return 0;
}

/* Where to: headers of a destination, in the caller's context. */

/* The next hop: as ib_core resolved it; a group's, and our own, need no resolving. */
static int find_dmac(struct fab_roce_ends *ends, const u8 *resolved)
{
	const struct in6_addr *ip = (const struct in6_addr *)ends->dgid;

	if (ends->ipv4 && ipv4_is_multicast(fab_gid_to_ipv4(ends->dgid)))
		ip_eth_mc_map(fab_gid_to_ipv4(ends->dgid), ends->dmac);
	else if (!ends->ipv4 && ipv6_addr_is_multicast(ip))
		ipv6_eth_mc_map(ip, ends->dmac);
	else if (!memcmp(ends->dgid, ends->sgid, sizeof(*ends->dgid)))
		ether_addr_copy(ends->dmac, ends->smac);
	else
		ether_addr_copy(ends->dmac, resolved);
	return is_zero_ether_addr(ends->dmac) ? -EINVAL : 0;
}

static int resolve_from(const struct ib_gid_attr *source, const struct rdma_ah_attr *attr,
			struct fab_path *path)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	struct fab_roce_ends ends = {
		.vlan = U16_MAX,
		.sgid = &source->gid,
		.dgid = &grh->dgid,
		.ipv4 = ipv6_addr_v4mapped((const struct in6_addr *)&source->gid),
		.tclass = grh->traffic_class & ~INET_ECN_MASK,
		.hop_limit = grh->hop_limit ?: IPV6_DEFAULT_HOPLIMIT,
		.flow = grh->flow_label & 0xfffff,
	};
	int err;

	if (source->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP ||
	    ends.ipv4 != ipv6_addr_v4mapped((const struct in6_addr *)&grh->dgid))
		return -EINVAL;
	err = rdma_read_gid_l2_fields(source, &ends.vlan, ends.smac);
	if (err)
		return err;
	err = find_dmac(&ends, attr->roce.dmac);
	if (err)
		return err;
	path->attr = *attr;
	/* The core's reference to the source address is the caller's, not the path's. */
	path->attr.grh.sgid_attr = NULL;
	path->loopback = ether_addr_equal(ends.dmac, ends.smac);
	fab_roce_put_headers(path, &ends, rdma_ah_get_sl(attr));
	return 0;
}

static int roce_resolve(struct fab_hca *hca, const struct rdma_ah_attr *attr,
			struct fab_path *path, bool may_sleep)
{
	const struct ib_gid_attr *source = attr->grh.sgid_attr;
	int err;

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE || !(rdma_ah_get_ah_flags(attr) & IB_AH_GRH))
		return -EINVAL;
	if (source)
		return source->device == &hca->ibdev ? resolve_from(source, attr, path) : -EINVAL;
	source = rdma_get_gid_attr(&hca->ibdev, 1, attr->grh.sgid_index);
	if (IS_ERR(source))
		return PTR_ERR(source);
	err = resolve_from(source, attr, path);
	rdma_put_gid_attr(source);
	return err;
}

/* The way out: the fabric thread. */

static void roce_wrap(struct fab_hca *hca, const struct fab_path *path, struct fab_packet *packet)
{
	fab_roce_wrap(path, packet);
}

static void loop_back(struct fab_roce *roce, struct fab_packet *packet)
{
	list_add_tail(&packet->list, &roce->loop);
	if (!fab_event_pending(&roce->loop_event))
		fab_event_at(&roce->loop_event, fab_now());
}

static void loop_copy(struct fab_roce *roce, const struct fab_packet *packet)
{
	struct fab_packet *copy;
	union ib_gid mgid;

	if (!fab_roce_read_group(packet->skb, &mgid) || !fab_hca_listens(roce->hca, &mgid))
		return;
	copy = fab_packet_clone(packet);
	if (copy)
		loop_back(roce, copy);
	else
		roce->port->stats.drops[FABSIM_DROP_NO_MEMORY]++;
}

static void roce_send(struct fab_hca *hca, struct fab_packet *packet)
{
	const struct ethhdr *eth = (const struct ethhdr *)packet->skb->data;
	struct fab_roce *roce = to_roce(hca);

	packet->tx_port = roce->port;
	roce->backlog += packet->len;
	if (ether_addr_equal(eth->h_dest, eth->h_source)) {
		loop_back(roce, packet);
		return;
	}
	if (!READ_ONCE(roce->nic->open)) {
		fab_port_drop(roce->port, packet, FABSIM_DROP_LINK_DOWN);
		return;
	}
	if (roce->hca)
		loop_copy(roce, packet);
	fab_egress_add(roce->port, packet);
}

static u32 roce_backlog(const struct fab_hca *hca)
{
	return to_roce(hca)->backlog;
}

/**
 * fab_roce_tx_done() - a packet of the HCA has left its port, or never will
 * @roce: HCA
 * @packet: packet
 *
 * Context: fabric thread.
 */
void fab_roce_tx_done(struct fab_roce *roce, struct fab_packet *packet)
{
	roce->backlog -= packet->len;
	if (roce->hca)
		fab_hca_room(roce->hca);
}

/* The way in: the fabric thread. */

/* A frame of RoCE for this host has arrived; consumed. */
static void receive(struct fab_roce *roce, struct fab_packet *packet,
		    const struct fab_roce_place *place)
{
	struct fab_arrival arrival;
	u32 drop;

	if (!READ_ONCE(roce->nic->open)) {
		fab_port_drop(roce->port, packet, FABSIM_DROP_LINK_DOWN);
		return;
	}
	drop = fab_roce_check(packet, place);
	if (drop) {
		fab_port_drop(roce->port, packet, drop);
		return;
	}
	fab_roce_read(packet, place, &arrival);
	skb_pull(packet->skb, place->bth);
	packet->tail = 0;
	packet->len = packet->skb->len;
	fab_hca_receive(roce->hca, packet, &arrival);
}

/**
 * fab_roce_receive() - a frame has arrived: is it the HCA's?
 * @roce: HCA
 * @packet: frame; consumed if so
 *
 * Context: fabric thread.
 * Return: true if it was RoCE and addressed to this host.
 */
bool fab_roce_receive(struct fab_roce *roce, struct fab_packet *packet)
{
	struct fab_roce_place place;

	if (!roce->hca || !fab_roce_find(packet->skb, &place) ||
	    !fab_nic_is_addressed(roce->nic, packet))
		return false;
	receive(roce, packet, &place);
	return true;
}

/* One packet to this HCA itself; the others have their turn. */
static void fire_loop(struct fab_event *event)
{
	struct fab_roce *roce = container_of(event, struct fab_roce, loop_event);
	struct fab_packet *packet = list_first_entry(&roce->loop, struct fab_packet, list);
	struct fab_roce_place place;

	list_del(&packet->list);
	if (!list_empty(&roce->loop))
		fab_event_at(event, fab_now());
	fab_packet_complete(packet);
	if (!roce->hca)
		fab_packet_free(packet);
	else if (!fab_roce_find(packet->skb, &place))
		fab_port_drop(roce->port, packet, FABSIM_DROP_FILTERED);
	else
		receive(roce, packet, &place);
}

/* Congestion: a packet was marked on its way (A17.9.3). */

static void put_cnp(u8 *bth, u32 qpn)
{
	memset(bth, 0, FAB_ROCE_BTH_LEN + CNP_RESERVED);
	bth[0] = CNP_OPCODE;
	bth[2] = PKEY >> 8;
	bth[3] = PKEY & 0xff;
	bth[4] = BTH_BECN;
	bth[5] = qpn >> 16;
	bth[6] = qpn >> 8;
	bth[7] = qpn;
}

static void roce_cnp(struct fab_hca *hca, const struct fab_arrival *arrival, u32 qpn)
{
	struct fab_packet *packet = fab_packet_create_rdma(FAB_ROCE_BTH_LEN + CNP_RESERVED);
	struct fab_roce *roce = to_roce(hca);
	union ib_gid from, to;
	struct fab_roce_ends ends = {
		.vlan = arrival->vlan,
		.sgid = &to,
		.dgid = &from,
		.ipv4 = arrival->network == RDMA_NETWORK_IPV4,
		.tclass = FAB_ROCE_CNP_DSCP << 2,
		.hop_limit = IPV6_DEFAULT_HOPLIMIT,
	};
	struct fab_path path = {};

	if (!packet)
		return;
	fab_roce_read_ends(arrival, &from, &to);
	/* A group has no address of its own to answer from, and congests nobody alone. */
	if (ipv6_addr_is_multicast((struct in6_addr *)&to)) {
		fab_packet_free(packet);
		return;
	}
	ether_addr_copy(ends.smac, roce->nic->dev->dev_addr);
	ether_addr_copy(ends.dmac, arrival->smac);
	path.attr.grh.dgid = from;
	fab_roce_put_headers(&path, &ends, FAB_ROCE_CNP_DSCP >> 3);
	put_cnp(skb_put(packet->skb, FAB_ROCE_BTH_LEN + CNP_RESERVED), qpn);
	fab_roce_wrap(&path, packet);
	roce_send(hca, packet);
}

static const struct fab_net_ops roce_net_ops = {
	.name		= "roce",
	.link_layer	= IB_LINK_LAYER_ETHERNET,
	.core_cap_flags	= RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP,
	.max_mad_size	= IB_MGMT_MAD_SIZE,
	.node_guid	= roce_node_guid,
	.query_port	= roce_query_port,
	.query_pkey	= roce_query_pkey,
	.resolve	= roce_resolve,
	.mtu		= roce_mtu,
	.wrap		= roce_wrap,
	.send		= roce_send,
	.backlog	= roce_backlog,
	.cnp		= roce_cnp,
};

/* Coming and going: the caller of a control operation. */

/**
 * fab_roce_device_event() - tell ib_core if the port has gone up or down
 * @port: a host's Ethernet port
 *
 * Context: rtnl.
 */
void fab_roce_device_event(struct fab_port *port)
{
	struct fab_roce *roce = fab_to_eth_host(port)->roce;
	bool up;

	if (!roce || !roce->visible)
		return;
	up = is_up(roce->nic->dev);
	if (up == roce->told_up)
		return;
	roce->told_up = up;
	fab_hca_port_event(roce->owned, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

struct change {
	struct fab_roce *roce;
	struct fab_hca *hca;
};

static void call_set_hca(void *arg)
{
	struct change *change = arg;

	change->roce->hca = change->hca;
}

static void set_hca(struct fab_roce *roce, struct fab_hca *hca)
{
	struct change change = { .roce = roce, .hca = hca };

	fab_call(call_set_hca, &change);
}

/**
 * fab_roce_purge() - throw away packets of an HCA to itself
 * @roce: HCA
 * @reason: enum fabsim_drop
 *
 * Context: fabric thread.
 */
void fab_roce_purge(struct fab_roce *roce, u32 reason)
{
	struct fab_packet *packet, *next;

	fab_event_cancel(&roce->loop_event);
	list_for_each_entry_safe(packet, next, &roce->loop, list) {
		list_del(&packet->list);
		fab_port_drop(roce->port, packet, reason);
	}
}

static void call_quiet(void *arg)
{
	struct fab_roce *roce = arg;

	roce->hca = NULL;
	fab_roce_purge(roce, FABSIM_DROP_RESET);
}

/**
 * fab_roce_attach() - put an HCA on a host's Ethernet port
 * @port: the port, which has a NIC
 * @extack: says what is wrong
 *
 * The rest of its end (fab_roce_free()) is due also after an error: the net_device
 * may be telling the port something at this moment.
 *
 * Context: process context, control mutex.
 * Return: 0 or an error.
 */
int fab_roce_attach(struct fab_port *port, struct netlink_ext_ack *extack)
{
	struct fab_eth_host *host = fab_to_eth_host(port);
	struct fab_roce *roce = kzalloc(sizeof(*roce), GFP_KERNEL);
	char name[IB_DEVICE_NAME_MAX];
	struct fab_hca *hca;

	if (!roce)
		return -ENOMEM;
	roce->port = port;
	roce->nic = host->nic;
	INIT_LIST_HEAD(&roce->loop);
	fab_event_init(&roce->loop_event, fire_loop);
	host->roce = roce;
	scnprintf(name, sizeof(name), "%s-roce", port->node->name);
	hca = fab_hca_create(name, &roce_net_ops, port, host->nic->dev);
	if (IS_ERR(hca)) {
		if (PTR_ERR(hca) == -ENFILE)
			fab_err(extack, "there is an RDMA device called %s already", name);
		/* Its users may have had the time to send to it. */
		fab_call(call_quiet, roce);
		return PTR_ERR(hca);
	}
	roce->owned = hca;
	set_hca(roce, hca);
	rtnl_lock();
	roce->told_up = is_up(host->nic->dev);
	roce->visible = true;
	rtnl_unlock();
	return 0;
}

/**
 * fab_roce_unregister() - first half of the end: the host loses its RoCE device
 * @port: a host's Ethernet port
 *
 * After it no packet reaches the HCA. Packets that it has sent may still be on
 * their way out.
 *
 * Context: process context, control mutex.
 */
void fab_roce_unregister(struct fab_port *port)
{
	struct fab_roce *roce = fab_to_eth_host(port)->roce;

	if (!roce || !roce->visible)
		return;
	rtnl_lock();
	roce->visible = false;
	rtnl_unlock();
	fab_hca_unregister(roce->owned);
	fab_call(call_quiet, roce);
}

/**
 * fab_roce_free() - second half: the memory
 * @port: a host's Ethernet port, from which nothing leaves any more
 *
 * Context: process context, control mutex.
 */
void fab_roce_free(struct fab_port *port)
{
	struct fab_eth_host *host = fab_to_eth_host(port);

	if (!host->roce)
		return;
	if (host->roce->owned)
		fab_hca_free(host->roce->owned);
	kfree(host->roce);
	host->roce = NULL;
}

/**
 * fab_roce_hca() - the HCA of a host's Ethernet port
 * @roce: its RoCE side
 *
 * Context: control mutex.
 * Return: the HCA.
 */
struct fab_hca *fab_roce_hca(const struct fab_roce *roce)
{
	return roce->owned;
}
