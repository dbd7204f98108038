/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What only the files of ib/ know of each other.
 */
#ifndef FAB_IB_INTERNAL_H
#define FAB_IB_INTERNAL_H

#include "ib.h"
#include "lrh.h"
#include "smi.h"

static inline struct fab_ib_cb *fab_ib_cb(struct fab_packet *packet)
{
	BUILD_BUG_ON(sizeof(struct fab_ib_cb) > sizeof(packet->skb->cb));
	return (struct fab_ib_cb *)packet->skb->cb;
}

static inline struct fab_lrh *fab_ib_lrh(const struct fab_packet *packet)
{
	return (struct fab_lrh *)packet->skb->data;
}

/* The partition of a packet that fab_ib_port_takes(), or that was made here. */
static inline u16 fab_ib_pkey(const struct fab_packet *packet)
{
	const u8 *bth = packet->skb->data + fab_lrh_headers(fab_ib_lrh(packet));

	return bth[2] << 8 | bth[3];
}

static inline bool fab_ib_is_mcast(u16 lid)
{
	return lid >= FAB_IB_MCAST_BASE && lid != FAB_IB_PERMISSIVE;
}

/* Does the link work, and has nobody disabled it? */
static inline bool fab_ib_is_up(const struct fab_ib_port *ibp)
{
	return fab_port_is_up(ibp->port) && fab_ib_state(ibp) != IB_PORT_DOWN;
}

/* Number of data lanes that are in use. */
static inline unsigned int fab_ib_lanes(const struct fab_ib_port *ibp)
{
	return READ_ONCE(ibp->attr.op_vls) >= 3 ? 4 : READ_ONCE(ibp->attr.op_vls) == 2 ? 2 : 1;
}

/* Longest packet of a port, from LRH to VCRC (7.7.8: NeighborMTU and 124 bytes; VCRC). */
static inline u32 fab_ib_max_len(const struct fab_ib_port *ibp)
{
	return (128U << READ_ONCE(ibp->attr.mtu)) + 124 + 2;
}

/* node.c: ports and their attributes. */
int fab_ib_node_init(struct fab_ib_node *ibn, struct fab_node *node, u8 type, u64 guid,
		     unsigned int n_ports);
void fab_ib_node_free(struct fab_ib_node *ibn);
void fab_ib_port_defaults(struct fab_ib_port *ibp);
u8 fab_ib_sl_to_vl(struct fab_ib_port *out, u8 in, u8 sl);
/* The same for a packet to be sent. VL15 is for management alone: it becomes a lane to drop. */
static inline u8 fab_ib_data_vl(struct fab_ib_port *out, u8 in, u8 sl)
{
	return min_t(u8, fab_ib_sl_to_vl(out, in, sl), FAB_IB_VL15 - 1);
}

bool fab_ib_pkey_ok(struct fab_ib_port *ibp, u16 pkey);
void fab_ib_port_violation(struct fab_ib_port *ibp, bool pkey);

/* port.c: states. Fabric thread. */
void fab_ib_port_setup(struct fab_ib_port *ibp);
void fab_ib_link_changed(struct fab_port *port);
bool fab_ib_port_takes(struct fab_ib_port *ibp, struct fab_packet *packet);
void fab_ib_port_quiet(struct fab_ib_port *ibp);
void fab_ib_port_reset(struct fab_ib_port *ibp);
void fab_ib_loop_add(struct fab_ib_port *ibp, struct fab_packet *packet);
void fab_ib_loop_fire(struct fab_event *event);
void fab_ib_carrier(struct fab_port *port, bool up);
/* Any context, @ibp->lock not held: the state or the SM of a port was set by a MAD. */
void fab_ib_port_tell(struct fab_ib_port *ibp, u8 old_state, u8 new_state);
void fab_ib_port_kick(struct fab_ib_port *ibp);

/* trap.c. Any context: report FAB_IB_TRAP_*; the SM has heard it. Fabric thread: the others. */
void fab_ib_port_trap(struct fab_ib_port *ibp, unsigned int which);
void fab_ib_port_repress(struct fab_ib_port *ibp, const struct ib_smp *smp);
void fab_ib_traps_setup(struct fab_ib_port *ibp);
void fab_ib_traps_start(struct fab_ib_port *ibp);

/* egress.c: queues, arbitration, the way out. Fabric thread. */
void fab_ib_egress_setup(struct fab_ib_port *ibp);
void fab_ib_egress_add(struct fab_ib_port *ibp, struct fab_packet *packet, u8 vl);
void fab_ib_egress_run(struct fab_ib_port *ibp);
void fab_ib_egress_purge(struct fab_port *port, u32 reason);
void fab_ib_egress_sent(struct fab_port *port, struct fab_packet *packet);
void fab_ib_egress_wire_free(struct fab_port *port);
void fab_ib_release(struct fab_packet *packet);
void fab_ib_drop(struct fab_ib_port *ibp, struct fab_packet *packet, unsigned int counter,
		 u32 reason);

/* flow.c: credits on the wire. Fabric thread. */
void fab_ib_flow_setup(struct fab_ib_port *ibp);
void fab_ib_flow_start(struct fab_ib_port *ibp);
void fab_ib_flow_stop(struct fab_ib_port *ibp);
void fab_ib_flow_wake(struct fab_ib_port *ibp);
void fab_ib_flow_wait(struct fab_ib_port *ibp, unsigned int waiting);
void fab_ib_flow_freed(struct fab_ib_port *ibp, u8 vl, u16 blocks);
bool fab_ib_flow_received(struct fab_ib_port *ibp, struct fab_packet *packet, u8 vl);
void fab_ib_flow_packet(struct fab_ib_port *ibp, struct fab_packet *packet);
struct fab_packet *fab_ib_flow_make(struct fab_ib_port *ibp);

static inline bool fab_ib_is_flow(const struct fab_packet *packet)
{
	return packet->skb->len == sizeof(struct fab_flow);
}

/* sma.c, pma.c: agents. Atomic; any context. */
enum fab_ib_answer { FAB_IB_CONSUMED, FAB_IB_REPLY, FAB_IB_NOT_MINE };
enum fab_ib_answer fab_sma_answer(struct fab_ib_node *ibn, u8 in, struct ib_smp *smp,
				  bool trusted);
enum fab_ib_answer fab_pma_answer(struct fab_ib_node *ibn, struct ib_mad *mad);

/* portinfo.c: PortInfo, for sma.c. */
void fab_port_info_get(struct fab_ib_port *ibp, u8 in, struct ib_smp *smp);
bool fab_port_info_set(struct fab_ib_port *ibp, const struct ib_smp *smp);

/* mad.c: MADs in packets. Fabric thread. */
struct fab_packet *fab_ib_mad_packet(const struct ib_mad *mad, const struct fab_ib_mad_addr *to,
				     u16 slid, u32 src_qp);
bool fab_ib_mad_parse(struct fab_packet *packet, struct ib_mad *mad, struct fab_ib_mad_addr *from,
		      u32 *qpn);
void fab_ib_switch_mad(struct fab_ib_switch *sw, u8 in, struct fab_packet *packet);
void fab_ib_ghost_mad(struct fab_ib_port *ibp, struct fab_packet *packet);

/* switch.c */
bool fab_ib_switch_out(struct fab_ib_switch *sw, u8 in, struct fab_packet *packet);

/**
 * struct fab_ib_speed - how management says a link's rate
 * @speed: LinkSpeedActive
 * @speed_ext: LinkSpeedExtActive; 0 = @speed says it
 * @verbs: enum ib_port_speed
 */
struct fab_ib_speed {
	u8 speed;
	u8 speed_ext;
	u8 verbs;
};

/* node.c; any context in which the port exists. */
struct fab_ib_speed fab_ib_speed(const struct fab_ib_port *ibp);

/* net.c */
extern const struct fab_net_ops fab_ib_net_ops;
void fab_ib_hca_packet(struct fab_ib_port *ibp, struct fab_packet *packet);

#endif /* FAB_IB_INTERNAL_H */
