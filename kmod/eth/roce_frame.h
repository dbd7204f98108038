/* SPDX-License-Identifier: GPL-2.0 */
/* Frames of RoCEv2, as bytes: roce_frame.c has the model. */
#ifndef FAB_ROCE_FRAME_H
#define FAB_ROCE_FRAME_H

#include <linux/if_vlan.h>
#include <rdma/ib_verbs.h>

struct fab_arrival;
struct fab_packet;
struct fab_path;

#define FAB_ROCE_BTH_LEN	12
/* The DSCP of a CNP, and the default of its priority: class selector 6. */
#define FAB_ROCE_CNP_DSCP	48

/**
 * struct fab_roce_ends - what the headers of a path are made of
 * @smac: source MAC
 * @dmac: MAC of the next hop
 * @vlan: VLAN id; VLAN_N_VID or more: none
 * @sgid: source address
 * @dgid: destination address
 * @ipv4: both are IPv4-mapped
 * @tclass: type of service, or traffic class, without ECN
 * @hop_limit: how many routers it may pass
 * @flow: flow label
 */
struct fab_roce_ends {
	u8 smac[ETH_ALEN];
	u8 dmac[ETH_ALEN];
	u16 vlan;
	const union ib_gid *sgid;
	const union ib_gid *dgid;
	bool ipv4;
	u8 tclass;
	u8 hop_limit;
	u32 flow;
};

/**
 * struct fab_roce_place - where things are in a frame
 * @vlan: TCI of the tag, if @tagged
 * @tagged: there is a tag
 * @ip: offset of the IP header
 * @ipv6: which one it is
 * @bth: offset of the BTH
 * @end: offset behind the ICRC
 */
struct fab_roce_place {
	u16 vlan;
	bool tagged;
	u32 ip;
	bool ipv6;
	u32 bth;
	u32 end;
};

void fab_roce_put_headers(struct fab_path *path, const struct fab_roce_ends *ends, u8 sl);
void fab_roce_wrap(const struct fab_path *path, struct fab_packet *packet);
bool fab_roce_find(const struct sk_buff *skb, struct fab_roce_place *place);
u32 fab_roce_check(const struct fab_packet *packet, const struct fab_roce_place *place);
void fab_roce_read(const struct fab_packet *packet, const struct fab_roce_place *place,
		   struct fab_arrival *arrival);
void fab_roce_read_ends(const struct fab_arrival *arrival, union ib_gid *from, union ib_gid *to);
bool fab_roce_read_group(const struct sk_buff *skb, union ib_gid *mgid);

static inline __be32 fab_gid_to_ipv4(const union ib_gid *gid)
{
	__be32 address;

	memcpy(&address, gid->raw + 12, sizeof(address));
	return address;
}

#endif /* FAB_ROCE_FRAME_H */
