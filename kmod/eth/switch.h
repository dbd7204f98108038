/* SPDX-License-Identifier: GPL-2.0 */
/* An Ethernet switch: switch.c has the model. */
#ifndef FAB_SWITCH_H
#define FAB_SWITCH_H

#include "buffer.h"
#include "eth.h"

/**
 * struct fab_switch - an Ethernet switch
 * @node: the node
 * @all: place in the list of all switches; control mutex
 * @fdb: where addresses are; fabric thread
 * @buffer: memory of all ports; fabric thread
 * @stats: counters; fabric thread
 * @tree_queue: place in the work list of the spanning tree
 * @in_tree: reached by the spanning tree
 */
struct fab_switch {
	struct fab_node node;
	struct list_head all;
	struct fab_fdb fdb;
	struct fab_buffer buffer;
	struct fab_switch_stats stats;
	struct list_head tree_queue;
	bool in_tree;
};

extern struct list_head fab_switches;

static inline struct fab_switch *fab_to_switch(const struct fab_node *node)
{
	return container_of(node, struct fab_switch, node);
}

#endif /* FAB_SWITCH_H */
