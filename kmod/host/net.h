/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the HCA knows of a network, and a network of the HCA.
 *
 * The HCA is one code for Ethernet (RoCEv2) and InfiniBand. It makes and reads
 * the transport part of a packet: BTH, what follows it, payload. Everything in
 * front of the BTH and behind the payload is the network's: it wraps and unwraps.
 * If code in host/ asks which network this is, it is in the wrong file.
 *
 *	| network's headers | BTH ... payload | ICRC (and VCRC) |
 *	  ^ wrap(), unwrap()  ^ host/           ^ counted in packet->tail; computed
 *	                                          only when a packet leaves the fabric
 */
#ifndef FAB_NET_H
#define FAB_NET_H

#include <rdma/ib_verbs.h>

struct fab_hca;
struct fab_packet;
struct fab_port;

/* Room that every RDMA packet keeps in front of its BTH: Ethernet, VLAN, IPv6, UDP; or LRH, GRH. */
#define FAB_NET_HEADROOM	96

/**
 * struct fab_path - where packets of a QP (or of an address handle) go
 * @attr: as the verbs user gave it; without the reference to the source GID, which is
 *	the caller's (grh.sgid_attr)
 * @header: the network's headers, ready made but for lengths and counters
 * @header_len: of them, bytes
 * @prio: 802.1p priority, or SL
 * @loopback: the destination is this HCA itself
 * @opaque: the network's own
 *
 * Made by resolve() in the caller's context; read-only after that.
 */
struct fab_path {
	struct rdma_ah_attr attr;
	u8 header[FAB_NET_HEADROOM];
	u8 header_len;
	u8 prio;
	bool loopback;
	u32 opaque;
};

/**
 * struct fab_arrival - what the network's headers said of a packet
 * @slid: source LID; 0 on Ethernet
 * @sl: service level, or priority
 * @path_bits: of the destination LID
 * @dlid: destination LID; 0 on Ethernet
 * @has_grh: @grh is there
 * @grh: global route header: as 40 bytes to be put in front of a UD payload
 *	(for IPv4, as annex A17 of the InfiniBand specification lays it out)
 * @network: RDMA_NETWORK_IB, _IPV4, _IPV6
 * @smac: source MAC; zero on InfiniBand
 * @vlan: VLAN id, 0xffff if none
 * @congested: ECN CE, or FECN: a switch saw a queue
 * @vl15: on InfiniBand's management lane: for QP 0
 */
struct fab_arrival {
	u16 slid;
	u16 dlid;
	u8 sl;
	u8 path_bits;
	bool has_grh;
	bool congested;
	bool vl15;
	union rdma_network_hdr grh;
	enum rdma_network_type network;
	u8 smac[ETH_ALEN];
	u16 vlan;
};

/* What a packet can violate that a port counts (PortInfo, 14.2.5.6). */
enum fab_violation { FAB_VIOLATION_PKEY, FAB_VIOLATION_QKEY };

/**
 * struct fab_net_ops - a network, to the HCA
 * @name: "roce", "ib"
 * @link_layer: for ib_core
 * @core_cap_flags: RDMA_CORE_PORT_*, for get_port_immutable
 * @max_mad_size: the same; 0 if no MADs travel here
 * @node_guid: of the HCA, from its burned-in address
 * @query_port: attributes as they are now; any context that may sleep
 * @query_pkey: entry of the P_Key table; atomic
 * @query_gid: entry of the GID table, for networks whose table is not the core's; atomic
 * @resolve: headers for a destination; the caller's context (atomic unless
 *	@may_sleep); -EINVAL for a destination that cannot be
 * @update: the same for a path made earlier (an address moved); may be NULL
 * @mtu: the longest payload now, an enum ib_mtu
 * @wrap: put the headers in front of @packet's BTH, fill in its lengths; fabric thread
 * @send: hand a wrapped packet to the port; consumed; fabric thread. A packet to this HCA
 *	itself comes back by fab_hca_receive(), later and never inside of the call; so
 *	does a copy of a multicast packet that fab_hca_listens() to
 * @backlog: bytes of this HCA that wait at its port: the engine holds back while
 *	it is above a bound, and goes on when the network calls fab_hca_room()
 * @cnp: answer a packet that was marked on the way; NULL if the network has no such thing
 * @process_mad: answer a MAD for this node; atomic; NULL if there are none
 * @modify_port: set and clear capability bits of the port, and its count of Q_Key violations
 *	if @reset_qkeys; atomic; may be NULL
 * @violation: a packet had the wrong key: the port counts it; NULL if it has no such counter
 */
struct fab_net_ops {
	const char *name;
	enum rdma_link_layer link_layer;
	u32 core_cap_flags;
	u32 max_mad_size;
	__be64 (*node_guid)(const struct fab_hca *hca);
	int (*query_port)(struct fab_hca *hca, struct ib_port_attr *attr);
	int (*query_pkey)(struct fab_hca *hca, u16 index, u16 *pkey);
	int (*query_gid)(struct fab_hca *hca, int index, union ib_gid *gid);
	int (*resolve)(struct fab_hca *hca, const struct rdma_ah_attr *attr,
		       struct fab_path *path, bool may_sleep);
	enum ib_mtu (*mtu)(struct fab_hca *hca);
	void (*wrap)(struct fab_hca *hca, const struct fab_path *path, struct fab_packet *packet);
	void (*send)(struct fab_hca *hca, struct fab_packet *packet);
	u32 (*backlog)(const struct fab_hca *hca);
	void (*cnp)(struct fab_hca *hca, const struct fab_arrival *arrival, u32 qpn);
	int (*process_mad)(struct fab_hca *hca, int flags, const struct ib_wc *wc,
			   const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out);
	int (*modify_port)(struct fab_hca *hca, u32 set, u32 clear, bool reset_qkeys);
	void (*violation)(struct fab_hca *hca, enum fab_violation violation);
};

/*
 * What a network calls, on the fabric thread. @packet's skb->data is at the BTH, its
 * length ends with the payload and pad; consumed.
 */
void fab_hca_receive(struct fab_hca *hca, struct fab_packet *packet,
		     const struct fab_arrival *arrival);
void fab_hca_room(struct fab_hca *hca);
/* Is a QP of this HCA attached to the group? (IPv4 groups as IPv6-mapped.) */
bool fab_hca_listens(const struct fab_hca *hca, const union ib_gid *mgid);

/* Any context: tell ib_core (and every QP of the port) what happened. */
void fab_hca_port_event(struct fab_hca *hca, enum ib_event_type event);

/* Caller's side, control mutex: the HCA of a port comes and goes. */
struct fab_hca *fab_hca_create(const char *name, const struct fab_net_ops *net,
			       struct fab_port *port, struct net_device *netdev);
void fab_hca_unregister(struct fab_hca *hca);	/* may take a while; posts are still accepted */
void fab_hca_free(struct fab_hca *hca);

/**
 * struct fab_qp_line - a queue pair, to a reader outside the fabric thread
 * @qpn: its number
 * @type: enum fabsim_qp_type
 * @state: enum fabsim_qp_state
 * @user: a program's
 * @selective: uses selective repeat
 * @has_dest: @dest_qpn and, on InfiniBand, @dest_lid are there
 * @has_gid: @dest_gid is there
 * @dest_qpn: the other end
 * @dest_lid: the other end
 * @dest_gid: the other end
 * @mtu: bytes of a full packet
 * @sq_psn: of the next new packet
 * @una_psn: the oldest without an answer
 * @rq_psn: the one expected next
 * @sends: work requests taken and not yet complete
 * @retries: left before it gives up
 * @tx_packets: sent, repeated ones too
 * @rx_packets: received
 * @retransmitted: packets sent once more
 */
struct fab_qp_line {
	u32 qpn;
	u32 type;
	u32 state;
	bool user;
	bool selective;
	bool has_dest;
	bool has_gid;
	u32 dest_qpn;
	u32 dest_lid;
	u8 dest_gid[16];
	u32 mtu;
	u32 sq_psn;
	u32 una_psn;
	u32 rq_psn;
	u32 sends;
	u32 retries;
	u64 tx_packets;
	u64 rx_packets;
	u64 retransmitted;
};

/* report.c: control mutex. QPs from the number @from on, at most @max; how many. */
unsigned int fab_hca_read_qps(struct fab_hca *hca, u32 from, struct fab_qp_line *lines,
			      unsigned int max);
const char *fab_hca_name(const struct fab_hca *hca);
void fab_hca_set_selective(struct fab_hca *hca, bool on);

#endif /* FAB_NET_H */
