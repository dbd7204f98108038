// SPDX-License-Identifier: GPL-2.0
/*
 * Packets: made when a NIC (or the generator) sends, freed where they end.
 *
 * A packet owns its skb. While tx_port is set, it also stands for a slot of the
 * sender's transmit ring, or for a part of what an HCA may have waiting: freeing
 * it hands that back, whatever became of the packet, so that nobody ever waits
 * for a packet that is gone.
 *
 * Most RDMA packets are small in memory: their payload is pages of the program, or
 * they have none (acknowledgments, flow control). Of these, some that ended are kept
 * with their skb and used again, since the memory allocator would cost more than all
 * that the fabric does with them.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "clock.h"
#include "compat.h"
#include "fabric.h"
#include "gen.h"
#include "host/net.h"
#include "packet.h"

/*
 * What a frame may still be after the cut: in pieces of memory, and without its
 * checksum, which is filled in only when it leaves the fabric (a capture).
 */
#define FAB_CUT_FEATURES	(NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA)

/* A packet that may be used again has room for this much, from the BTH on; so many are kept. */
#define SPARE_ROOM	128
#define SPARES		256

static struct kmem_cache *cache;
static LIST_HEAD(spares);	/* fabric thread */
static unsigned int n_spares;	/* fabric thread */
static u64 next_id;		/* fabric thread */
static u64 alive;		/* fabric thread writes */

static void fill(struct fab_packet *packet, struct sk_buff *skb)
{
	*packet = (struct fab_packet) {
		.skb = skb,
		.id = ++next_id,
		.len = skb->len,
		.frames = 1,
	};
	WRITE_ONCE(alive, alive + 1);
}

/**
 * fab_packet_create() - a packet around an skb
 * @skb: its bytes; the packet's from now on, but not if this fails
 *
 * Context: fabric thread.
 * Return: the packet, or NULL if there is no memory.
 */
struct fab_packet *fab_packet_create(struct sk_buff *skb)
{
	struct fab_packet *packet = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN);

	if (!packet)
		return NULL;
	fill(packet, skb);
	return packet;
}

/* One that has ended already; NULL if there is none. */
static struct fab_packet *take_spare(void)
{
	struct fab_packet *packet = list_first_entry_or_null(&spares, struct fab_packet, list);

	if (!packet)
		return NULL;
	list_del(&packet->list);
	n_spares--;
	fill(packet, packet->skb);
	packet->reusable = true;
	return packet;
}

/*
 * Keep a packet for later, if nobody else has a hand on its bytes. It must be as if it
 * were new: what code of the fabric leaves in an skb is cleared here, as alloc_skb() would.
 * KASAN shall see who uses a packet that has ended.
 */
static bool keep_spare(struct fab_packet *packet)
{
	struct sk_buff *skb = packet->skb;
	unsigned int i;

	if (IS_ENABLED(CONFIG_KASAN) || !packet->reusable || !skb || n_spares >= SPARES ||
	    skb_shared(skb) || skb_cloned(skb) || skb_has_frag_list(skb) || skb_pfmemalloc(skb))
		return false;
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++)
		put_page(skb_frag_page(&skb_shinfo(skb)->frags[i]));
	skb_shinfo(skb)->nr_frags = 0;
	skb->data_len = 0;
	skb->len = 0;
	skb->data = skb->head + FAB_NET_HEADROOM;
	skb_reset_tail_pointer(skb);
	skb->truesize = SKB_TRUESIZE(skb_end_offset(skb));
	memset(skb->cb, 0, sizeof(skb->cb));
	list_add(&packet->list, &spares);
	n_spares++;
	return true;
}

/**
 * fab_packet_create_rdma() - an RDMA packet that is still empty
 * @room: bytes that its linear part shall have room for, from the BTH on
 *
 * The packet's skb is to be filled with skb_put(), skb_fill_page_desc() and the
 * like. The network puts its headers in front and makes the lengths of the
 * packet right (fab_net_ops.wrap).
 *
 * Context: fabric thread.
 * Return: the packet, or NULL if there is no memory.
 */
struct fab_packet *fab_packet_create_rdma(u32 room)
{
	struct fab_packet *packet = room <= SPARE_ROOM ? take_spare() : NULL;
	struct sk_buff *skb;

	if (packet)
		return packet;
	skb = alloc_skb(FAB_NET_HEADROOM + max_t(u32, room, SPARE_ROOM),
			GFP_NOWAIT | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, FAB_NET_HEADROOM);
	packet = fab_packet_create(skb);
	if (!packet) {
		kfree_skb(skb);
		return NULL;
	}
	packet->reusable = room <= SPARE_ROOM;
	return packet;
}

/**
 * fab_packet_clone() - one more of the same packet, for flooding
 * @packet: packet
 *
 * Context: fabric thread.
 * Return: the copy, without the sender's slot; NULL if there is no memory.
 */
struct fab_packet *fab_packet_clone(const struct fab_packet *packet)
{
	struct sk_buff *skb = skb_clone(packet->skb, GFP_NOWAIT | __GFP_NOWARN);
	struct fab_packet *clone;

	if (!skb)
		return NULL;
	clone = fab_packet_create(skb);
	if (!clone) {
		kfree_skb(skb);
		return NULL;
	}
	next_id--;
	clone->id = packet->id;
	clone->len = packet->len;
	clone->frames = packet->frames;
	clone->tail = packet->tail;
	clone->prio = packet->prio;
	clone->generated = packet->generated;
	clone->real = packet->real;
	if (clone->real)
		fab_clock_real_packets(1);
	if (clone->generated)
		fab_gen_packet_made();
	return clone;
}

static struct fab_packet *make_frame(const struct fab_packet *packet, struct sk_buff *skb)
{
	struct fab_packet *frame = fab_packet_create(skb);

	if (!frame)
		return NULL;
	next_id--;
	frame->id = packet->id;
	frame->prio = packet->prio;
	frame->real = packet->real;
	if (frame->real)
		fab_clock_real_packets(1);
	return frame;
}

/**
 * fab_packet_cut() - cut a big TCP segment into the frames it stands for
 * @packet: packet; stays the caller's, and is of no use but to be freed
 * @frames: the frames are added here; none if there was no memory at all
 *
 * The sender's slot goes to the last frame: when that has left, all have.
 *
 * Context: fabric thread.
 * Return: frames that were lost for lack of memory, if not all were.
 */
unsigned int fab_packet_cut(struct fab_packet *packet, struct list_head *frames)
{
	struct sk_buff *skb, *next, *list;
	unsigned int lost = 0;
	struct fab_packet *frame;

	list = skb_gso_segment(packet->skb, FAB_CUT_FEATURES);
	if (IS_ERR_OR_NULL(list))
		return 0;
	skb_list_walk_safe(list, skb, next) {
		skb_mark_not_on_list(skb);
		frame = make_frame(packet, skb);
		if (frame) {
			list_add_tail(&frame->list, frames);
		} else {
			kfree_skb(skb);
			lost++;
		}
	}
	if (list_empty(frames))
		return 0;
	frame = list_last_entry(frames, struct fab_packet, list);
	frame->tx_skb = packet->tx_skb;
	frame->tx_port = packet->tx_port;
	packet->tx_skb = NULL;
	packet->tx_port = NULL;
	return lost;
}

/**
 * fab_packet_complete() - tell the sender's driver or HCA that a packet is out of its port
 * @packet: packet that has left, or never will; done once
 *
 * Context: fabric thread.
 */
void fab_packet_complete(struct fab_packet *packet)
{
	struct fab_port *port = packet->tx_port;

	if (!port)
		return;
	packet->tx_port = NULL;
	port->ops->tx_done(port, packet);
}

/**
 * fab_packet_free() - the end of a packet
 * @packet: packet
 *
 * Context: fabric thread.
 */
void fab_packet_free(struct fab_packet *packet)
{
	fab_packet_complete(packet);
	if (packet->real)
		fab_clock_real_packets(-1);
	if (packet->generated)
		fab_gen_packet_gone();
	WRITE_ONCE(alive, alive - 1);
	if (keep_spare(packet))
		return;
	kfree_skb(packet->skb);
	kmem_cache_free(cache, packet);
}

/**
 * fab_packets_alive() - how many packets there are
 *
 * Context: any.
 * Return: the number, of this moment.
 */
u64 fab_packets_alive(void)
{
	return READ_ONCE(alive);
}

/**
 * fab_packet_restart_ids() - number packets from 1 again
 *
 * Context: fabric thread.
 */
void fab_packet_restart_ids(void)
{
	next_id = 0;
}

/**
 * fab_packet_init() - make the slab cache
 *
 * Return: 0 or -ENOMEM.
 */
int fab_packet_init(void)
{
	cache = kmem_cache_create("fabsim_packet", sizeof(struct fab_packet), 0, 0, NULL);
	return cache ? 0 : -ENOMEM;
}

/**
 * fab_packet_exit() - the slab cache goes; a packet that is left is a bug it reports
 */
void fab_packet_exit(void)
{
	struct fab_packet *packet, *next;

	list_for_each_entry_safe(packet, next, &spares, list) {
		kfree_skb(packet->skb);
		kmem_cache_free(cache, packet);
	}
	kmem_cache_destroy(cache);
}
