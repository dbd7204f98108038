// SPDX-License-Identifier: GPL-2.0
/*
 * The spanning tree: which ports of Ethernet switches must block.
 *
 * A flooded frame goes round a ring of switches for ever, and every switch
 * floods it again. So Ethernet uses of its cables only a tree, and blocks the
 * rest (IEEE 802.1Q 13). Real switches agree on the tree by exchanging BPDUs,
 * which takes them from a tenth of a second to half a minute; here the tree is
 * computed at once whenever a cable between two switches changes, from the
 * switch that was made first, breadth first. Compare InfiniBand, where the
 * subnet manager uses every cable.
 *
 * While a fabric is being built, the tree is put off until the last cable is
 * in; a new cable between two switches blocks so long, as one of a real switch
 * that still listens.
 *
 * Runs inside a call of the holder of the control mutex, so the graph is still.
 */
#include "switch.h"

static bool held;	/* the tree is put off; fabric thread */

static bool is_switch(const struct fab_port *port)
{
	return port->node->kind == FABSIM_NODE_ETH_SWITCH;
}

/* The switch at the other end of @port's cable, if there is one and the cable works. */
static struct fab_switch *neighbour(const struct fab_port *port)
{
	struct fab_port *peer = fab_port_peer(port);

	return peer && is_switch(peer) && fab_port_is_up(port) ? fab_to_switch(peer->node) : NULL;
}

static void forget_tree(void)
{
	struct fab_switch *sw;
	unsigned int i;

	list_for_each_entry(sw, &fab_switches, all) {
		sw->in_tree = false;
		for (i = 0; i < sw->node.n_ports; i++)
			sw->node.ports[i].in_tree = false;
	}
}

/* A cable to a switch that the tree has not reached yet becomes part of the tree. */
static void reach(struct fab_port *port, struct list_head *queue)
{
	struct fab_switch *next = neighbour(port);

	if (!next || next->in_tree)
		return;
	next->in_tree = true;
	port->in_tree = true;
	fab_port_peer(port)->in_tree = true;
	list_add_tail(&next->tree_queue, queue);
}

static void grow(struct fab_switch *root)
{
	struct fab_switch *sw;
	LIST_HEAD(queue);
	unsigned int i;

	root->in_tree = true;
	list_add_tail(&root->tree_queue, &queue);
	while (!list_empty(&queue)) {
		sw = list_first_entry(&queue, struct fab_switch, tree_queue);
		list_del(&sw->tree_queue);
		for (i = 0; i < sw->node.n_ports; i++)
			reach(&sw->node.ports[i], &queue);
	}
}

/* Ports to other switches block where they are not in the tree. Returns whether any changed. */
static bool set_ports(struct fab_switch *sw)
{
	bool changed = false;
	unsigned int i;

	for (i = 0; i < sw->node.n_ports; i++) {
		struct fab_port *port = &sw->node.ports[i];
		bool blocking = neighbour(port) && !port->in_tree;

		changed |= port->blocking != blocking;
		WRITE_ONCE(port->blocking, blocking);
	}
	return changed;
}

/*
 * Where the tree has changed, every switch forgets where addresses are
 * (802.1Q 13.17: a topology change flushes).
 */
static void work_out(void)
{
	bool changed = false;
	struct fab_switch *sw;

	forget_tree();
	list_for_each_entry(sw, &fab_switches, all)
		if (!sw->in_tree)
			grow(sw);
	list_for_each_entry(sw, &fab_switches, all)
		changed |= set_ports(sw);
	if (!changed)
		return;
	list_for_each_entry(sw, &fab_switches, all)
		fab_fdb_flush(&sw->fdb);
}

/**
 * fab_stp_update() - a link was made, cut, went up or down: work the tree out anew
 * @link: the link
 *
 * Context: fabric thread, inside a call of the holder of the control mutex.
 */
void fab_stp_update(const struct fab_link *link)
{
	struct fab_port *a = link->wire[0].from, *b = link->wire[1].from;

	if (!is_switch(a) || !is_switch(b))
		return;
	if (!held) {
		work_out();
		return;
	}
	WRITE_ONCE(a->blocking, fab_port_is_up(a));
	WRITE_ONCE(b->blocking, fab_port_is_up(b));
}

static void call_hold(void *hold)
{
	bool was_held = held;

	held = *(bool *)hold;
	if (was_held && !held)
		work_out();
}

/**
 * fab_stp_hold() - put the tree off, or work it out now
 * @hold: put it off, until this is called with false
 *
 * Context: process context, control mutex.
 */
void fab_stp_hold(bool hold)
{
	fab_call(call_hold, &hold);
}
