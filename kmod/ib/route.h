/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes of an InfiniBand subnet: from a picture of its switches and cables to
 * the forwarding table of every switch. route.c has the model. Pure logic, also
 * built by the unit tests.
 */
#ifndef FAB_IB_ROUTE_H
#define FAB_IB_ROUTE_H

#include <linux/types.h>

#define FAB_ROUTE_PORTS_MAX	254
/* In a forwarding table: no way there (vol 1, 14.2.5.9: packets to it are discarded). */
#define FAB_ROUTE_NONE		0xff
/* At the other end of a cable: no switch. */
#define FAB_ROUTE_NO_SWITCH	0xffffffffU

enum fab_route_engine {
	FAB_ROUTE_MIN_HOP,
	FAB_ROUTE_UP_DOWN,
};

/**
 * struct fab_route_switch - a switch of the picture
 * @first: where its ports begin in fab_route.peers; port 1 is there, port 2 behind it
 * @n_ports: external ports
 * @n_ends: ends behind its external ports; fab_route_compute() fills it in
 * @first_end: of them and of its own LID, the first in the order by switch; filled in
 * @rank: up/down: steps from the nearest root; filled in
 */
struct fab_route_switch {
	u32 first;
	u32 n_ports;
	u32 n_ends;
	u32 first_end;
	u32 rank;
};

/**
 * struct fab_route_end - something that has LIDs
 * @sw: the switch it is cabled to, or is
 * @lid: the first of its LIDs
 * @n_lids: how many: 1 << LMC
 * @port: of that switch; 0 = the switch itself
 */
struct fab_route_end {
	u32 sw;
	u16 lid;
	u16 n_lids;
	u8 port;
};

/**
 * struct fab_route - a picture of a subnet, and the routes that were computed from it
 * @engine: how
 * @n_switches: length of @switches
 * @n_ports: length of @peers
 * @n_ends: length of @ends
 * @top_lid: the highest LID in use
 * @switches: the switches
 * @peers: of each port: the switch at the other end of its cable, or FAB_ROUTE_NO_SWITCH
 * @peer_ports: the number of the port there
 * @ends: what is to be reached
 * @lfts: forwarding tables, each of @top_lid + 1 bytes: by LID, the port
 * @loads: of each port: paths between ends that leave through it
 * @stop: set by anybody: give up
 */
struct fab_route {
	enum fab_route_engine engine;
	u32 n_switches;
	u32 n_ports;
	u32 n_ends;
	u16 top_lid;
	struct fab_route_switch *switches;
	u32 *peers;
	u8 *peer_ports;
	struct fab_route_end *ends;
	u8 *lfts;
	u32 *loads;
	bool stop;
};

/**
 * struct fab_route_member - a port in a multicast group
 * @sw: its switch
 * @port: of that switch; 0 = the switch itself
 * @receives: wants the packets; else it only sends
 */
struct fab_route_member {
	u32 sw;
	u8 port;
	bool receives;
};

/* Ports of one switch, port p at bit p % 16 of word p / 16, as in a multicast forwarding table. */
struct fab_route_mask {
	u16 ports[16];
};

int fab_route_alloc(struct fab_route *route, u32 switches, u32 ports, u32 ends);
int fab_route_compute(struct fab_route *route);
int fab_route_tree(struct fab_route *route, const struct fab_route_member *members,
		   u32 n_members, struct fab_route_mask *masks);
void fab_route_free(struct fab_route *route);

static inline u8 *fab_route_lft(const struct fab_route *route, u32 sw)
{
	return route->lfts + (size_t)sw * (route->top_lid + 1);
}

static inline u32 fab_route_peer(const struct fab_route *route, u32 sw, u32 port)
{
	return route->peers[route->switches[sw].first + port - 1];
}

#endif /* FAB_IB_ROUTE_H */
