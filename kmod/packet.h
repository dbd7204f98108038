/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One packet on its way through the fabric. Owned by exactly one of: an egress
 * queue, a wire, the code that is just handling it. Fabric thread only.
 */
#ifndef FAB_PACKET_H
#define FAB_PACKET_H

#include <linux/list.h>
#include <linux/skbuff.h>
#include <linux/types.h>

struct fab_port;

/* Bytes that a frame takes on the wire beside itself: preamble and SFD (8), FCS (4), gap (12). */
#define FAB_ETH_WIRE_OVERHEAD	24

/* ... and an InfiniBand packet: the delimiters at its start and end (IBTA vol 2). */
#define FAB_IB_WIRE_OVERHEAD	2

/**
 * struct fab_packet - a packet
 * @list: place in its owner's queue
 * @skb: its bytes, from the first of the network's headers on (Ethernet, LRH);
 *	owned by the packet
 * @tx_skb: the sender's own skb, handed back to its driver when the packet has
 *	left the NIC; NULL for packets of an HCA or the generator
 * @tx_port: the port whose driver or HCA is told (tx_done) when the packet has
 *	left it; NULL after that, and for packets that nobody waits for
 * @arrive: fabric time at which the next port acts on it, ns
 * @whole: fabric time at which the next port has its last bit, ns
 * @id: number of the packet; frames cut from one big segment share it
 * @len: bytes from the first header to the end of payload and @tail, as frames
 *	(a big TCP segment counts the headers of each of its frames)
 * @frames: frames it is on a wire: 1, or the segments of a big TCP segment
 * @tail: bytes behind the payload that are not in @skb: an RDMA packet's ICRC (and
 *	VCRC); 0 for everything else, also for RDMA packets of a real network stack,
 *	which have computed theirs
 * @prio: 802.1p priority, 0..7; VL of an InfiniBand packet
 * @fault: what the wire did to it: 0, or the enum fabsim_drop it will end with
 * @real: a real network stack sent it (keeps time from jumping)
 * @generated: the generator sent it
 * @reusable: its memory may serve another packet when it ends (packet.c)
 */
struct fab_packet {
	struct list_head list;
	struct sk_buff *skb;
	struct sk_buff *tx_skb;
	struct fab_port *tx_port;
	u64 arrive;
	u64 whole;
	u64 id;
	u32 len;
	u16 frames;
	u8 tail;
	u8 prio;
	u8 fault;
	bool real;
	bool generated;
	bool reusable;
};

int fab_packet_init(void);
void fab_packet_exit(void);

struct fab_packet *fab_packet_create(struct sk_buff *skb);
struct fab_packet *fab_packet_create_rdma(u32 room);
struct fab_packet *fab_packet_clone(const struct fab_packet *packet);
unsigned int fab_packet_cut(struct fab_packet *packet, struct list_head *frames);
void fab_packet_complete(struct fab_packet *packet);
void fab_packet_free(struct fab_packet *packet);
u64 fab_packets_alive(void);
void fab_packet_restart_ids(void);

#endif /* FAB_PACKET_H */
