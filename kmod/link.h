/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link joins two ports. It is two wires, one a direction: link.c has the model.
 */
#ifndef FAB_LINK_H
#define FAB_LINK_H

#include <linux/list.h>
#include <linux/netlink.h>
#include "clock.h"
#include "fault.h"
#include "uapi/fabsim.h"

struct fab_port;
struct fab_packet;
struct fab_link;

/* A stalled end holds this many bytes before it drops. */
#define FAB_STALL_BUFFER	131072
/*
 * Memory that the packets in flight on a wire may take, bytes: 5 ms of a 100 Gb/s
 * link. A longer or faster one drops what comes beyond (no_memory).
 */
#define FAB_FLIGHT_MEMORY	(64 << 20)

/**
 * struct fab_wire - one direction of a link
 * @from: the port that sends
 * @to: the port that receives
 * @link: whose direction this is
 * @sending: the packet being serialised; NULL if the wire is free, or if the far
 *	end cuts through
 * @sent: fires when the last bit of a packet has left; pending while the wire is busy
 * @in_flight: packets on the way, in order of arrival
 * @flight_memory: of these, bytes of memory
 * @arrival: fires when the first of @in_flight arrives
 * @held: packets that a stalled receiver has not taken
 * @held_bytes: of these
 * @faults: what goes wrong on this wire, drawn from the link's seed
 *
 * Fabric thread only.
 */
struct fab_wire {
	struct fab_port *from;
	struct fab_port *to;
	struct fab_link *link;
	struct fab_packet *sending;
	struct fab_event sent;
	struct list_head in_flight;
	u32 flight_memory;
	struct fab_event arrival;
	struct list_head held;
	u32 held_bytes;
	struct fab_faults faults;
};

/* Bits of fab_link_settings that a request sets. */
enum {
	FAB_LINK_UP		= BIT(0),
	FAB_LINK_RATE		= BIT(1),
	FAB_LINK_DELAY		= BIT(2),
	FAB_LINK_MTU		= BIT(3),
	FAB_LINK_BER		= BIT(4),
	FAB_LINK_LOSS		= BIT(5),
	FAB_LINK_DROP_NTH	= BIT(6),
	FAB_LINK_CORRUPT_NTH	= BIT(7),
	FAB_LINK_STALL		= BIT(8),
	FAB_LINK_FAULT_DIR	= BIT(9),
	FAB_LINK_SEED		= BIT(10),
	FAB_LINK_ALL		= BIT(11) - 1,
};

/**
 * struct fab_link_settings - what a user can set on a link
 * @rate: bits a second, 0 = max: no serialisation time
 * @delay: propagation, ns
 * @ber: bit-error rate in units of 1 / FABSIM_BER_ONE
 * @drop_nth: lose the n-th packet from now, 0 = off
 * @corrupt_nth: damage the n-th packet from now, 0 = off
 * @seed: of the faults; 0 = derived from the fabric's
 * @mtu: longest payload of a frame, bytes
 * @loss: packets lost, of FABSIM_PPB
 * @stall: ends that have stopped to receive, FABSIM_STALL_*
 * @fault_dir: the direction that faults hit, enum fabsim_fault_dir
 * @up: the cable works
 */
struct fab_link_settings {
	u64 rate;
	u64 delay;
	u64 ber;
	u64 drop_nth;
	u64 corrupt_nth;
	u64 seed;
	u32 mtu;
	u32 loss;
	u8 stall;
	u8 fault_dir;
	bool up;
};

/**
 * struct fab_link - a link
 * @id: number, never reused
 * @name: unique
 * @hash: place in the table of names
 * @wire: from end a to end b, and back
 * @set: settings; written on the fabric thread
 * @kobj: its directory in sysfs (sysfs.c)
 */
struct fab_link {
	u32 id;
	char name[FABSIM_LINK_NAME_MAX + 1];
	struct hlist_node hash;
	struct fab_wire wire[2];
	struct fab_link_settings set;
	struct fab_kobject *kobj;
};

/**
 * struct fab_link_params - a link to be made
 * @name: or empty: made from the names of its ends
 * @end: the two ends: name of the node, number of the port (0 = first free one)
 * @set: settings; members whose bit is not in @mask get their defaults
 * @mask: FAB_LINK_*
 */
struct fab_link_params {
	char name[FABSIM_LINK_NAME_MAX + 1];
	struct {
		char node[FABSIM_NODE_NAME_MAX + 1];
		u32 port;
	} end[2];
	struct fab_link_settings set;
	unsigned int mask;
};

/* Caller's side: the control mutex is held. */
struct fab_link *fab_link_create(const struct fab_link_params *params,
				 struct netlink_ext_ack *extack);
void fab_link_destroy(struct fab_link *link);
int fab_link_set(struct fab_link *link, const struct fab_link_settings *set,
		 unsigned int mask, struct netlink_ext_ack *extack);
struct fab_link *fab_link_find(const char *name);
struct fab_link *fab_link_by_id(u32 id);
void fab_link_carrier(struct fab_link *link);
unsigned int fab_link_count(void);
/* The first link whose id is at least *id; *id becomes its id. NULL at the end. */
struct fab_link *fab_link_next(u32 *id);

/* Fabric thread. */
void fab_link_reset(struct fab_link *link, bool to_defaults);
void fab_link_seed(struct fab_link *link);
void fab_wire_send(struct fab_wire *wire, struct fab_packet *packet);
bool fab_wire_is_free(const struct fab_wire *wire);

static inline const struct fab_link_settings *fab_wire_settings(const struct fab_wire *wire)
{
	return &wire->link->set;
}

#endif /* FAB_LINK_H */
