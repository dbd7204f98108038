// SPDX-License-Identifier: GPL-2.0
/*
 * An InfiniBand port: its states, and what it takes in (vol 1, 7.2).
 *
 *	DOWN ---cable works---> INIT ---SM---> ARMED ---SM, or data comes in---> ACTIVE
 *	  ^                      |               |                                 |
 *	  '------------------ link lost, or the SM wants it down -----------------'
 *
 * In INIT only management passes (VL15) and flow control; that is as far as a
 * cable alone brings a port. All the rest is the subnet manager's doing: without
 * one, every port stays in INIT without a LID, and not one data packet moves.
 *
 * Who acts: the fabric thread, but that attributes are set by MADs on any CPU
 * (process_mad). What such a MAD wants the thread to do (take the link down,
 * report to the SM) is left as a bit, and the port's inbox is posted.
 */
#include "../host/net.h"
#include "internal.h"

static void tell_host(struct fab_ib_port *ibp, enum ib_event_type event)
{
	struct fab_hca *hca = READ_ONCE(ibp->hca);

	if (hca)
		fab_hca_port_event(hca, event);
}

/**
 * fab_ib_port_tell() - the state of a port is not what it was
 * @ibp: port
 * @old_state: enum ib_port_state
 * @new_state: enum ib_port_state
 *
 * Context: any, without the port's lock.
 */
void fab_ib_port_tell(struct fab_ib_port *ibp, u8 old_state, u8 new_state)
{
	if (old_state != IB_PORT_ACTIVE && new_state == IB_PORT_ACTIVE)
		tell_host(ibp, IB_EVENT_PORT_ACTIVE);
	else if (old_state == IB_PORT_ACTIVE && new_state != IB_PORT_ACTIVE)
		tell_host(ibp, IB_EVENT_PORT_ERR);
}

static void set_state(struct fab_ib_port *ibp, u8 state)
{
	unsigned long flags;
	u8 old;

	spin_lock_irqsave(&ibp->lock, flags);
	old = ibp->attr.state;
	WRITE_ONCE(ibp->attr.state, state);
	if (state != IB_PORT_DOWN)
		ibp->attr.phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	else
		ibp->attr.phys_state = ibp->attr.disabled ? IB_PORT_PHYS_STATE_DISABLED :
							    IB_PORT_PHYS_STATE_POLLING;
	spin_unlock_irqrestore(&ibp->lock, flags);
	fab_ib_port_tell(ibp, old, state);
}

static void go_down(struct fab_ib_port *ibp)
{
	if (fab_ib_state(ibp) == IB_PORT_DOWN)
		return;
	fab_ib_count(ibp, FAB_IB_CNT_LINK_DOWNED, 1);
	fab_ib_flow_stop(ibp);
	set_state(ibp, IB_PORT_DOWN);
	fab_ib_egress_purge(ibp->port, FABSIM_DROP_LINK_DOWN);
}

static void come_up(struct fab_ib_port *ibp)
{
	set_state(ibp, IB_PORT_INIT);
	fab_ib_flow_start(ibp);
	fab_ib_egress_run(ibp);
}

/* A switch keeps a flag for sweeps, sends trap 128, and tells its agent. */
static void tell_switch(struct fab_ib_port *ibp)
{
	struct fab_ib_switch *sw = ibp->ibn->sw;

	if (!sw)
		return;
	sw->port_change = true;
	fab_ib_port_trap(fab_ib_port0(sw), FAB_IB_TRAP_LINK);
	if (sw->agent && sw->agent->changed)
		sw->agent->changed(sw->agent);
}

/* A port that management has disabled is as good as a cut cable, for both ends. */
static bool link_works(const struct fab_ib_port *ibp)
{
	const struct fab_ib_port *peer;

	if (!fab_port_is_up(ibp->port))
		return false;
	peer = fab_to_ib_port(ibp->port->wire->to);
	return !READ_ONCE(ibp->attr.disabled) && !READ_ONCE(peer->attr.disabled);
}

/**
 * fab_ib_link_changed() - a port's link was made, cut, went up or down
 * @port: port
 *
 * Context: fabric thread.
 */
void fab_ib_link_changed(struct fab_port *port)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);
	bool was_up = fab_ib_state(ibp) != IB_PORT_DOWN;
	bool is_up = link_works(ibp);

	if (was_up == is_up)
		return;
	if (is_up)
		come_up(ibp);
	else
		go_down(ibp);
	tell_switch(ibp);
}

/**
 * fab_ib_carrier() - the same, in the caller's context: nobody outside needs it
 * @port: port
 * @up: whether the link is up
 */
void fab_ib_carrier(struct fab_port *port, bool up)
{
}

/*
 * PortState was set to Down, or PortPhysicalState to something new: the link is lost,
 * at both ends, and comes back at once unless one of them is disabled. The other end
 * sees its link go. The end that was told to do so reports it only if the link is not
 * afterwards as it was before: whoever bounced it knows.
 */
static void retrain(struct fab_ib_port *ibp)
{
	bool was_up = fab_ib_state(ibp) != IB_PORT_DOWN;
	struct fab_ib_port *peer;

	if (!ibp->port || !fab_port_is_up(ibp->port))
		return;
	peer = fab_to_ib_port(ibp->port->wire->to);
	go_down(ibp);
	go_down(peer);
	if (link_works(ibp)) {
		come_up(ibp);
		come_up(peer);
	}
	tell_switch(peer);
	if (was_up != (fab_ib_state(ibp) != IB_PORT_DOWN))
		tell_switch(ibp);
}

static bool may_take(const struct fab_ib_port *ibp, u8 vl)
{
	u8 state = fab_ib_state(ibp);

	return vl == FAB_IB_VL15 ? state >= IB_PORT_INIT : state >= IB_PORT_ARMED;
}

/* Is this a packet at all? Nothing that it says of its length is believed. */
static bool is_sound(const struct fab_packet *packet)
{
	const struct fab_lrh *lrh = fab_ib_lrh(packet);
	unsigned int headers;

	if (packet->skb->len < sizeof(*lrh) || skb_headlen(packet->skb) < sizeof(*lrh))
		return false;
	headers = fab_lrh_headers(lrh);
	/* A BTH of 12 bytes is the least that follows. */
	return headers && skb_headlen(packet->skb) >= headers + 12 &&
	       (be16_to_cpu(lrh->len) & FAB_LRH_LEN_MASK) * 4 ==
	       packet->skb->len + FAB_IB_TAIL - 2;
}

static void count_received(struct fab_ib_port *ibp, const struct fab_packet *packet)
{
	const struct fab_lrh *lrh = fab_ib_lrh(packet);
	bool mcast = fab_ib_is_mcast(be16_to_cpu(lrh->dlid));

	fab_ib_count(ibp, FAB_IB_CNT_RCV_DATA, be16_to_cpu(lrh->len) & FAB_LRH_LEN_MASK);
	fab_ib_count(ibp, FAB_IB_CNT_RCV_PKTS, 1);
	fab_ib_count(ibp, mcast ? FAB_IB_CNT_MULTI_RCV : FAB_IB_CNT_UNI_RCV, 1);
}

/* Data in ARMED: the other end is ACTIVE, so we are (7.2.7, ActiveTrigger). */
static void note_data(struct fab_ib_port *ibp)
{
	if (fab_ib_state(ibp) == IB_PORT_ARMED)
		set_state(ibp, IB_PORT_ACTIVE);
}

/**
 * fab_ib_port_takes() - look at what came in at a port
 * @ibp: port
 * @packet: what came
 *
 * Context: fabric thread.
 * Return: true if it is a packet for the node, in the port's receive buffer; false if it
 * was flow control or was dropped: consumed.
 */
bool fab_ib_port_takes(struct fab_ib_port *ibp, struct fab_packet *packet)
{
	u8 vl;

	fab_ib_cb(packet)->hold = NULL;
	if (fab_ib_is_flow(packet)) {
		if (fab_ib_is_up(ibp))
			fab_ib_flow_packet(ibp, packet);
		else
			fab_packet_free(packet);
		return false;
	}
	if (!is_sound(packet)) {
		fab_ib_drop(ibp, packet, FAB_IB_CNT_RCV_ERRORS, FABSIM_DROP_UNSPEC);
		return false;
	}
	vl = fab_lrh_vl(fab_ib_lrh(packet));
	if (!may_take(ibp, vl) || (vl >= FAB_IB_DATA_VLS && vl != FAB_IB_VL15)) {
		fab_ib_drop(ibp, packet, FAB_IB_CNT_RCV_ERRORS, FABSIM_DROP_NO_ROUTE);
		return false;
	}
	if (vl != FAB_IB_VL15) {
		note_data(ibp);
		if (!fab_ib_flow_received(ibp, packet, vl)) {
			fab_ib_drop(ibp, packet, FAB_IB_CNT_BUFFER_OVERRUN, FABSIM_DROP_NO_BUFFER);
			return false;
		}
	}
	count_received(ibp, packet);
	return true;
}

static void drain(struct fab_inbox *inbox)
{
	struct fab_ib_port *ibp = container_of(inbox, struct fab_ib_port, inbox);

	if (test_and_clear_bit(0, &ibp->retrain))
		retrain(ibp);
	fab_ib_traps_start(ibp);
	if (ibp->port)
		fab_ib_egress_run(ibp);
}

/**
 * fab_ib_port_kick() - the thread shall look at what a MAD has set
 * @ibp: port
 *
 * Context: any.
 */
void fab_ib_port_kick(struct fab_ib_port *ibp)
{
	fab_inbox_post(&ibp->inbox);
}

/**
 * fab_ib_port_setup() - make the port ready for use
 * @ibp: port, zeroed
 */
void fab_ib_port_setup(struct fab_ib_port *ibp)
{
	INIT_LIST_HEAD(&ibp->loop);
	fab_inbox_init(&ibp->inbox, drain);
	fab_ib_traps_setup(ibp);
	fab_event_init(&ibp->loop_run, fab_ib_loop_fire);
}

/**
 * fab_ib_port_quiet() - nothing of this port shall happen any more
 * @ibp: port without a link
 *
 * Context: fabric thread.
 */
void fab_ib_port_quiet(struct fab_ib_port *ibp)
{
	struct fab_packet *packet, *next;

	ibp->quiet = true;
	fab_event_cancel(&ibp->trap_repeat);
	fab_ib_flow_stop(ibp);
	fab_event_cancel(&ibp->loop_run);
	list_for_each_entry_safe(packet, next, &ibp->loop, list) {
		list_del(&packet->list);
		fab_ib_release(packet);
		fab_packet_free(packet);
	}
}

/**
 * fab_ib_port_reset() - forget what was counted
 * @ibp: port
 *
 * Context: fabric thread.
 */
void fab_ib_port_reset(struct fab_ib_port *ibp)
{
	unsigned long flags;

	spin_lock_irqsave(&ibp->lock, flags);
	memset(&ibp->cnt, 0, sizeof(ibp->cnt));
	memset(&ibp->base, 0, sizeof(ibp->base));
	memset(&ibp->base_ext, 0, sizeof(ibp->base_ext));
	spin_unlock_irqrestore(&ibp->lock, flags);
	ibp->flow.stalls = 0;
	ibp->flow.sent = 0;
	ibp->flow.received = 0;
}

/**
 * fab_ib_loop_add() - a packet of a node to itself
 * @ibp: its port; port 0 of a switch
 * @packet: packet; consumed; it comes in again, but never inside this call
 *
 * Context: fabric thread.
 */
void fab_ib_loop_add(struct fab_ib_port *ibp, struct fab_packet *packet)
{
	list_add_tail(&packet->list, &ibp->loop);
	if (!fab_event_pending(&ibp->loop_run))
		fab_event_at(&ibp->loop_run, fab_now());
}

/**
 * fab_ib_loop_fire() - take in what the node sent to itself
 * @event: @loop_run of its port
 *
 * Context: fabric thread.
 */
void fab_ib_loop_fire(struct fab_event *event)
{
	struct fab_ib_port *ibp = container_of(event, struct fab_ib_port, loop_run);
	struct fab_packet *packet, *next;
	LIST_HEAD(list);

	/* What is sent meanwhile has its own turn. */
	list_splice_init(&ibp->loop, &list);
	list_for_each_entry_safe(packet, next, &list, list) {
		list_del(&packet->list);
		fab_packet_complete(packet);
		if (ibp->ibn->sw)
			fab_ib_switch_mad(ibp->ibn->sw, 0, packet);
		else if (ibp->hca)
			fab_ib_hca_packet(ibp, packet);
		else
			fab_packet_free(packet);
	}
}
