// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of RoCEv2, as bytes (InfiniBand specification, annex A17):
 *
 *	| Ethernet 14 | 802.1Q 4, if any | IPv4 20 or IPv6 40 | UDP 8 | BTH ... | ICRC 4 |
 *
 * On the way out the headers were put together when their path was made, once; a
 * packet gets a copy of them and its length. On the way in nothing is believed: a
 * frame may come from a program on a real network device.
 *
 * Packets between two of our HCAs carry no ICRC, only its length (packet->tail):
 * nothing in here damages bytes unseen. One that goes up a real net_device, to
 * Linux's own rdma_rxe, gets it computed (fab_roce_finish()), and one that comes from
 * there has it checked.
 */
#include <linux/hash.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "../fabric.h"
#include "../host/net.h"
#include "../icrc.h"
#include "roce.h"
#include "roce_frame.h"

static u8 *put_ethernet(u8 *to, const struct fab_roce_ends *ends, u8 prio)
{
	__be16 type = htons(ends->ipv4 ? ETH_P_IP : ETH_P_IPV6);
	struct vlan_ethhdr *tagged = (struct vlan_ethhdr *)to;
	struct ethhdr *plain = (struct ethhdr *)to;

	ether_addr_copy(plain->h_dest, ends->dmac);
	ether_addr_copy(plain->h_source, ends->smac);
	plain->h_proto = type;
	if (ends->vlan >= VLAN_N_VID)
		return to + ETH_HLEN;
	tagged->h_vlan_proto = htons(ETH_P_8021Q);
	tagged->h_vlan_TCI = htons(prio << VLAN_PRIO_SHIFT | ends->vlan);
	tagged->h_vlan_encapsulated_proto = type;
	return to + VLAN_ETH_HLEN;
}

static u8 *put_ipv4(u8 *to, const struct fab_roce_ends *ends)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = 5,
		.tos = ends->tclass | INET_ECN_ECT_0,
		.frag_off = htons(IP_DF),	/* so its number may be 0 (RFC 6864) */
		.ttl = ends->hop_limit,
		.protocol = IPPROTO_UDP,
		.saddr = fab_gid_to_ipv4(ends->sgid),
		.daddr = fab_gid_to_ipv4(ends->dgid),
	};

	memcpy(to, &ip, sizeof(ip));
	return to + sizeof(ip);
}

static u8 *put_ipv6(u8 *to, const struct fab_roce_ends *ends)
{
	struct ipv6hdr ip = {
		.nexthdr = IPPROTO_UDP,
		.hop_limit = ends->hop_limit,
	};

	ip6_flow_hdr(&ip, ends->tclass | INET_ECN_ECT_0, htonl(ends->flow));
	memcpy(&ip.saddr, ends->sgid, sizeof(ip.saddr));
	memcpy(&ip.daddr, ends->dgid, sizeof(ip.daddr));
	memcpy(to, &ip, sizeof(ip));
	return to + sizeof(ip);
}

/* Source port 0 is filled in for each packet. The check sum is 0 (A17.3.1): there is the ICRC. */
static u8 *put_udp(u8 *to, u32 flow)
{
	struct udphdr udp = {
		.source = flow ? htons(rdma_flow_label_to_udp_sport(flow)) : 0,
		.dest = htons(ROCE_V2_UDP_DPORT),
	};

	memcpy(to, &udp, sizeof(udp));
	return to + sizeof(udp);
}

/**
 * fab_roce_put_headers() - the headers of a path, but for lengths
 * @path: its header, header_len and prio are filled in
 * @ends: where from and where to
 * @sl: 802.1p priority, for a tagged frame
 *
 * Context: any.
 */
void fab_roce_put_headers(struct fab_path *path, const struct fab_roce_ends *ends, u8 sl)
{
	u8 *to = path->header;

	path->prio = ends->vlan < VLAN_N_VID ? sl & 7 : ends->tclass >> 5;
	to = put_ethernet(to, ends, path->prio);
	to = ends->ipv4 ? put_ipv4(to, ends) : put_ipv6(to, ends);
	to = put_udp(to, ends->flow);
	path->header_len = to - path->header;
}

static u32 dest_qp(const u8 *bth)
{
	return bth[5] << 16 | bth[6] << 8 | bth[7];
}

static void finish_udp(struct udphdr *udp, u32 len, const u8 *bth)
{
	udp->len = htons(len);
	if (!udp->source)
		udp->source = htons(IB_ROCE_UDP_ENCAP_VALID_PORT_MIN | hash_32(dest_qp(bth), 14));
}

static void finish_ipv4(struct iphdr *ip, u32 len)
{
	ip->tot_len = htons(sizeof(*ip) + len);
	ip->check = ip_fast_csum(ip, ip->ihl);
}

/**
 * fab_roce_wrap() - put the network's headers in front of a packet
 * @path: where it goes
 * @packet: packet, from the BTH on
 *
 * Context: fabric thread.
 */
void fab_roce_wrap(const struct fab_path *path, struct fab_packet *packet)
{
	u32 len = sizeof(struct udphdr) + packet->skb->len + FAB_ICRC_LEN;
	struct sk_buff *skb = packet->skb;
	const u8 *bth = skb->data;
	struct udphdr *udp;
	u8 *header;

	header = skb_push(skb, path->header_len);
	memcpy(header, path->header, path->header_len);
	udp = (struct udphdr *)(header + path->header_len) - 1;
	finish_udp(udp, len, bth);
	skb_reset_mac_header(skb);
	if (ipv6_addr_v4mapped((const struct in6_addr *)&path->attr.grh.dgid)) {
		finish_ipv4((struct iphdr *)udp - 1, len);
		skb->protocol = htons(ETH_P_IP);
	} else {
		((struct ipv6hdr *)udp - 1)->payload_len = htons(len);
		skb->protocol = htons(ETH_P_IPV6);
	}
	packet->prio = path->prio;
	packet->tail = FAB_ICRC_LEN;
	packet->len = skb->len + FAB_ICRC_LEN;
}

/**
 * fab_roce_finish() - give a packet of an HCA the form that a real network stack expects
 * @packet: packet that has its ICRC still to be computed
 *
 * The bytes are copied, since they may be pages that a program goes on to use.
 *
 * Context: fabric thread.
 * Return: false if there is no memory.
 */
bool fab_roce_finish(struct fab_packet *packet)
{
	u32 len = packet->skb->len;
	u8 tail[FAB_TAIL_MAX];
	struct sk_buff *skb;

	skb = alloc_skb(NET_SKB_PAD + NET_IP_ALIGN + len + packet->tail,
			GFP_NOWAIT | __GFP_NOWARN);
	if (!skb)
		return false;
	skb_reserve(skb, NET_SKB_PAD + NET_IP_ALIGN);
	if (skb_copy_bits(packet->skb, 0, skb_put(skb, len), len) ||
	    fab_icrc_tail(skb->data, len, true, tail) != packet->tail) {
		kfree_skb(skb);
		return false;
	}
	skb_put_data(skb, tail, packet->tail);
	kfree_skb(packet->skb);
	packet->skb = skb;
	packet->reusable = false;
	packet->tail = 0;
	return true;
}

static bool find_ip(const struct sk_buff *skb, struct fab_roce_place *place)
{
	struct vlan_ethhdr header;
	const struct vlan_ethhdr *eth = skb_header_pointer(skb, 0, sizeof(header), &header);
	__be16 type;

	if (!eth)
		return false;
	place->tagged = eth->h_vlan_proto == htons(ETH_P_8021Q);
	place->vlan = place->tagged ? ntohs(eth->h_vlan_TCI) : 0;
	place->ip = place->tagged ? VLAN_ETH_HLEN : ETH_HLEN;
	type = place->tagged ? eth->h_vlan_encapsulated_proto : eth->h_vlan_proto;
	place->ipv6 = type == htons(ETH_P_IPV6);
	return place->ipv6 || type == htons(ETH_P_IP);
}

/* Options and fragments are not for RoCE (A17.3.1). */
static bool find_udp_ipv4(const struct sk_buff *skb, struct fab_roce_place *place)
{
	struct iphdr header;
	const struct iphdr *ip = skb_header_pointer(skb, place->ip, sizeof(header), &header);

	if (!ip || ip->version != 4 || ip->ihl != 5 || ip->protocol != IPPROTO_UDP ||
	    ip_is_fragment(ip))
		return false;
	place->bth = place->ip + sizeof(*ip) + sizeof(struct udphdr);
	place->end = place->ip + ntohs(ip->tot_len);
	return true;
}

static bool find_udp_ipv6(const struct sk_buff *skb, struct fab_roce_place *place)
{
	struct ipv6hdr header;
	const struct ipv6hdr *ip = skb_header_pointer(skb, place->ip, sizeof(header), &header);

	if (!ip || ip->version != 6 || ip->nexthdr != IPPROTO_UDP)
		return false;
	place->bth = place->ip + sizeof(*ip) + sizeof(struct udphdr);
	place->end = place->ip + sizeof(*ip) + ntohs(ip->payload_len);
	return true;
}

/**
 * fab_roce_find() - is this RoCE, and where is it?
 * @skb: frame; anything, of any length
 * @place: filled in
 *
 * The lengths that the headers tell are not checked yet.
 *
 * Context: fabric thread.
 * Return: false if it is something else.
 */
bool fab_roce_find(const struct sk_buff *skb, struct fab_roce_place *place)
{
	const struct udphdr *udp;
	struct udphdr header;

	if (!find_ip(skb, place))
		return false;
	if (!(place->ipv6 ? find_udp_ipv6(skb, place) : find_udp_ipv4(skb, place)))
		return false;
	udp = skb_header_pointer(skb, place->bth - sizeof(header), sizeof(header), &header);
	return udp && udp->dest == htons(ROCE_V2_UDP_DPORT);
}

/* A frame of a real network stack: it brings its ICRC, and perhaps padding behind it. */
static bool check_icrc(struct sk_buff *skb, const struct fab_roce_place *place)
{
	u8 tail[FAB_TAIL_MAX];
	u32 len = place->end - FAB_ICRC_LEN;

	if (skb_linearize(skb))
		return false;
	return fab_icrc_tail(skb->data, len, true, tail) == FAB_ICRC_LEN &&
	       !memcmp(tail, skb->data + len, FAB_ICRC_LEN);
}

/**
 * fab_roce_check() - do lengths fit, and are the bytes as they were sent?
 * @packet: frame that has arrived; after this its headers up to the BTH are in the linear
 *	part, and its ICRC is cut off
 * @place: as fab_roce_find() found it
 *
 * Context: fabric thread.
 * Return: 0, or why it is to be dropped (enum fabsim_drop).
 */
u32 fab_roce_check(const struct fab_packet *packet, const struct fab_roce_place *place)
{
	struct sk_buff *skb = packet->skb;

	if (place->end < place->bth + FAB_ROCE_BTH_LEN + FAB_ICRC_LEN ||
	    place->end > skb->len + packet->tail)
		return FABSIM_DROP_BIT_ERROR;
	if (!pskb_may_pull(skb, place->bth + FAB_ROCE_BTH_LEN))
		return FABSIM_DROP_NO_MEMORY;
	if (!packet->tail && !check_icrc(skb, place))
		return FABSIM_DROP_BIT_ERROR;
	return pskb_trim(skb, place->end - FAB_ICRC_LEN) ? FABSIM_DROP_NO_MEMORY : 0;
}

/**
 * fab_roce_read() - what the network's headers say
 * @packet: frame that was checked
 * @place: as fab_roce_find() found it
 * @arrival: filled in
 */
void fab_roce_read(const struct fab_packet *packet, const struct fab_roce_place *place,
		   struct fab_arrival *arrival)
{
	const u8 *data = packet->skb->data;
	const u8 *ip = data + place->ip;

	*arrival = (struct fab_arrival) {
		.sl = packet->prio,
		.has_grh = true,
		.network = place->ipv6 ? RDMA_NETWORK_IPV6 : RDMA_NETWORK_IPV4,
		.vlan = place->tagged ? place->vlan & VLAN_VID_MASK : U16_MAX,
	};
	ether_addr_copy(arrival->smac, ((const struct ethhdr *)data)->h_source);
	if (place->ipv6) {
		memcpy(&arrival->grh.ibgrh, ip, sizeof(arrival->grh.ibgrh));
		arrival->congested = INET_ECN_is_ce(ipv6_get_dsfield((const struct ipv6hdr *)ip));
	} else {
		memcpy(&arrival->grh.roce4grh, ip, sizeof(arrival->grh.roce4grh));
		arrival->congested = INET_ECN_is_ce(arrival->grh.roce4grh.tos);
	}
}

/**
 * fab_roce_read_ends() - where a packet came from, and went to
 * @arrival: of the packet
 * @from: source; IPv4 as IPv6-mapped
 * @to: destination
 */
void fab_roce_read_ends(const struct fab_arrival *arrival, union ib_gid *from, union ib_gid *to)
{
	if (arrival->network == RDMA_NETWORK_IPV6) {
		*from = arrival->grh.ibgrh.sgid;
		*to = arrival->grh.ibgrh.dgid;
		return;
	}
	ipv6_addr_set_v4mapped(arrival->grh.roce4grh.saddr, (struct in6_addr *)from);
	ipv6_addr_set_v4mapped(arrival->grh.roce4grh.daddr, (struct in6_addr *)to);
}

/**
 * fab_roce_read_group() - the group that a frame goes to
 * @skb: frame, as fab_roce_wrap() has made it
 * @mgid: the group; IPv4 as IPv6-mapped
 *
 * Return: false if it goes to one host.
 */
bool fab_roce_read_group(const struct sk_buff *skb, union ib_gid *mgid)
{
	const struct ethhdr *eth = (const struct ethhdr *)skb->data;
	const u8 *ip = skb->data + ETH_HLEN;

	if (!is_multicast_ether_addr(eth->h_dest))
		return false;
	if (eth->h_proto == htons(ETH_P_8021Q))
		ip += VLAN_HLEN;
	if (skb->protocol == htons(ETH_P_IP))
		ipv6_addr_set_v4mapped(((const struct iphdr *)ip)->daddr,
				       (struct in6_addr *)mgid);
	else
		memcpy(mgid, &((const struct ipv6hdr *)ip)->daddr, sizeof(*mgid));
	return true;
}
