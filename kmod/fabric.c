// SPDX-License-Identifier: GPL-2.0
/*
 * The graph: which nodes, ports and links there are, and what becomes of them.
 *
 * A node is made by its kind (hosts.c, eth/switch.c, ib/switch.c) and owned by this file:
 * it stands in the table of numbers and the table of names from the moment it
 * is complete until its destruction begins. Ports live and die with their node,
 * links are objects of their own (link.c) and die with the first of their ends.
 *
 * Only holders of the control mutex change the graph. The fabric thread reaches
 * nodes through the wires of their ports; so a node that has no link any more,
 * and whose inbox has been drained, is unknown to the thread and can be freed.
 */
#include <linux/ctype.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "capture.h"
#include "compat.h"
#include "cost/cost.h"
#include "eth/eth.h"
#include "fabric.h"
#include "gen.h"
#include "hosts.h"
#include "ib/ib.h"
#include "notify.h"
#include "sysfs.h"
#include "trace.h"

struct fab_fabric_info fab_fabric = { .seed = 1 };

static DEFINE_MUTEX(control_mutex);
static DEFINE_XARRAY_ALLOC1(nodes);
static DEFINE_XARRAY_ALLOC1(ports);
static DEFINE_HASHTABLE(names, 14);	/* a few names a place in the largest fabric */
static u32 next_node_id;
static u32 next_port_id;
static unsigned int n_nodes;
static unsigned int n_live;

/* The makers of nodes, by enum fabsim_node_kind. */
static struct fab_node *(*const makers[])(const struct fab_node_params *params,
					  struct netlink_ext_ack *extack) = {
	[FABSIM_NODE_HOST]	 = fab_host_create,
	[FABSIM_NODE_ETH_SWITCH] = fab_switch_create,
	[FABSIM_NODE_IB_SWITCH]	 = fab_ib_switch_create,
};

static_assert(ARRAY_SIZE(makers) == FABSIM_NODE_KIND_MAX + 1);

/**
 * fab_control_lock() - begin a control operation; others wait
 */
void fab_control_lock(void)
{
	mutex_lock(&control_mutex);
}

/**
 * fab_control_lock_killable() - the same, for a caller that may be killed while it waits
 *
 * Return: 0, or -EINTR without the lock.
 */
int fab_control_lock_killable(void)
{
	return mutex_lock_killable(&control_mutex);
}

/**
 * fab_control_unlock() - end a control operation
 */
void fab_control_unlock(void)
{
	mutex_unlock(&control_mutex);
}

/**
 * fab_control_assert() - the caller must be inside a control operation
 */
void fab_control_assert(void)
{
	lockdep_assert_held(&control_mutex);
}

/**
 * fab_node_find() - a node by its name
 * @name: name
 *
 * Context: control mutex.
 * Return: the node or NULL.
 */
struct fab_node *fab_node_find(const char *name)
{
	struct fab_node *node;

	hash_for_each_possible(names, node, hash, fab_name_hash(name))
		if (!strcmp(node->name, name))
			return node;
	return NULL;
}

/**
 * fab_node_by_id() - a node by its number
 * @id: number
 *
 * Context: control mutex.
 * Return: the node or NULL.
 */
struct fab_node *fab_node_by_id(u32 id)
{
	return xa_load(&nodes, id);
}

/**
 * fab_port_by_id() - a port by its number
 * @id: number
 *
 * Context: control mutex.
 * Return: the port or NULL.
 */
struct fab_port *fab_port_by_id(u32 id)
{
	return xa_load(&ports, id);
}

/**
 * fab_node_next() - walk over the nodes
 * @id: in: smallest number wanted; out: number of the node returned
 *
 * Context: control mutex, or the fabric thread while the holder of it waits.
 * Return: the node or NULL at the end.
 */
struct fab_node *fab_node_next(u32 *id)
{
	unsigned long index = *id;
	struct fab_node *node = xa_find(&nodes, &index, U32_MAX, XA_PRESENT);

	*id = index;
	return node;
}

/**
 * fab_port_next() - walk over the ports
 * @id: in: smallest number wanted; out: number of the port returned
 *
 * Context: as fab_node_next().
 * Return: the port or NULL at the end.
 */
struct fab_port *fab_port_next(u32 *id)
{
	unsigned long index = *id;
	struct fab_port *port = xa_find(&ports, &index, U32_MAX, XA_PRESENT);

	*id = index;
	return port;
}

/**
 * fab_node_count() - how many nodes there are
 *
 * Context: control mutex.
 * Return: the number.
 */
unsigned int fab_node_count(void)
{
	return n_nodes;
}

/**
 * fab_port_find() - a port by its name
 * @name: "h1-eth", "h1-ib" or "es1:3"
 *
 * Context: control mutex.
 * Return: the port or NULL.
 */
struct fab_port *fab_port_find(const char *name)
{
	const char *end = strchr(name, ':') ?: strrchr(name, '-');
	size_t len = end ? end - name : 0;
	char node_name[FABSIM_NODE_NAME_MAX + 1];
	struct fab_node *node;
	unsigned int i;

	if (!len || len > FABSIM_NODE_NAME_MAX)
		return NULL;
	memcpy(node_name, name, len);
	node_name[len] = '\0';
	node = fab_node_find(node_name);
	for (i = 0; node && i < node->n_ports; i++)
		if (!strcmp(node->ports[i].name, name))
			return &node->ports[i];
	return NULL;
}

/**
 * fab_port_free_one() - the first port of a node that has no link
 * @node: node
 * @kind: enum fabsim_port_kind
 *
 * Context: control mutex.
 * Return: the port or NULL.
 */
struct fab_port *fab_port_free_one(struct fab_node *node, u32 kind)
{
	unsigned int i;

	for (i = 0; i < node->n_ports; i++)
		if (!node->ports[i].wire && node->ports[i].ops->kind == kind)
			return &node->ports[i];
	return NULL;
}

/**
 * fab_port_state() - what a port can do now
 * @port: port
 *
 * Context: any in which the port exists.
 * Return: enum fabsim_port_state.
 */
u32 fab_port_state(const struct fab_port *port)
{
	const struct fab_wire *wire = READ_ONCE(port->wire);

	if (!wire)
		return FABSIM_PORT_UNCABLED;
	if (!wire->link->set.up)
		return FABSIM_PORT_DOWN;
	return READ_ONCE(port->blocking) ? FABSIM_PORT_BLOCKING : FABSIM_PORT_FORWARDING;
}

/**
 * fab_port_drop() - the end of a packet that did not get through
 * @port: where
 * @packet: packet; freed
 * @reason: enum fabsim_drop
 *
 * Context: fabric thread.
 */
void fab_port_drop(struct fab_port *port, struct fab_packet *packet, u32 reason)
{
	u64 *drops = &port->stats.drops[reason];
	const struct fab_notice notice = {
		.type = FABSIM_EVENT_DROPPED,
		.name = port->name,
		.reason = reason,
		.len = packet->len,
		.packet = packet->id,
	};

	WRITE_ONCE(*drops, *drops + packet->frames);
	trace_fabsim_drop(port, packet, reason);
	if (reason != FABSIM_DROP_FILTERED)
		fab_notify(&notice);
	if (packet->generated && reason != FABSIM_DROP_FILTERED)
		fab_gen_dropped(packet);
	fab_packet_free(packet);
}

static bool name_is_good(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isascii(*c) || (!isalnum(*c) && *c != '_' && *c != '-'))
			return false;
	return *name;
}

static int check(const struct fab_node_params *params, struct netlink_ext_ack *extack)
{
	if (!name_is_good(params->name)) {
		NL_SET_ERR_MSG_MOD(extack, "a node's name is made of letters, digits, - and _");
		return -EINVAL;
	}
	if (fab_node_find(params->name)) {
		NL_SET_ERR_MSG_MOD(extack, "a node of this name exists");
		return -EEXIST;
	}
	if (!FAB_HAS_RDMA &&
	    (params->roce || params->ib || params->kind == FABSIM_NODE_IB_SWITCH)) {
		NL_SET_ERR_MSG_MOD(extack,
				   "this kernel is without InfiniBand (CONFIG_INFINIBAND): no HCAs, no InfiniBand");
		return -EOPNOTSUPP;
	}
	if (n_nodes >= FABSIM_NODES_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "65536 nodes are the limit");
		return -ENOSPC;
	}
	if (params->live && n_live >= FABSIM_LIVE_HOSTS_MAX) {
		NL_SET_ERR_MSG_MOD(extack,
				   "256 live hosts are the limit; more can be ghosts (live: false)");
		return -ENOSPC;
	}
	return 0;
}

/**
 * fab_node_init_ports() - give a node its ports
 * @node: node with name and kind
 * @n: how many
 *
 * The kind calls this while it makes the node, and then fab_port_init() for each.
 *
 * Return: 0 or -ENOMEM.
 */
int fab_node_init_ports(struct fab_node *node, unsigned int n)
{
	unsigned int i;

	node->ports = kvcalloc(n, sizeof(*node->ports), GFP_KERNEL);
	if (!node->ports)
		return -ENOMEM;
	node->n_ports = n;
	for (i = 0; i < n; i++) {
		struct fab_port *port = &node->ports[i];

		port->node = node;
		port->index = i + 1;
	}
	return 0;
}

/**
 * fab_port_init() - make a port what it is
 * @port: port of a node that fab_node_init_ports() has prepared
 * @ops: what its kind does
 *
 * The kind calls this while it makes the node.
 */
void fab_port_init(struct fab_port *port, const struct fab_port_ops *ops)
{
	static const char *const suffix[] = {
		[FABSIM_PORT_KIND_ETH]	= "eth",
		[FABSIM_PORT_KIND_IB]	= "ib",
	};

	port->ops = ops;
	if (port->node->kind == FABSIM_NODE_HOST)
		scnprintf(port->name, sizeof(port->name), "%s-%s", port->node->name,
			  suffix[ops->kind]);
	else
		scnprintf(port->name, sizeof(port->name), "%s:%u", port->node->name, port->index);
}

static void free_port_ids(struct fab_node *node, unsigned int n)
{
	while (n--)
		xa_erase(&ports, node->ports[n].id);
}

static int alloc_port_ids(struct fab_node *node)
{
	unsigned int i;
	int err;

	for (i = 0; i < node->n_ports; i++) {
		err = xa_alloc_cyclic(&ports, &node->ports[i].id, &node->ports[i], xa_limit_31b,
				      &next_port_id, GFP_KERNEL);
		if (err < 0) {
			free_port_ids(node, i);
			return err;
		}
	}
	return 0;
}

static void tell_outside(const struct fab_node *node, u32 type)
{
	const struct fab_notice notice = { .type = type, .name = node->name };

	fab_notify(&notice);
}

static void call_purge(void *arg)
{
	struct fab_node *node = arg;
	unsigned int i;

	for (i = 0; i < node->n_ports; i++)
		node->ports[i].ops->purge(&node->ports[i], FABSIM_DROP_RESET);
}

/*
 * Nothing may enter any more; then what is inside goes; then the memory. At a
 * ghost nothing waits: its queues went with its links.
 */
static void dismantle(struct fab_node *node)
{
	bool ghost = node->kind == FABSIM_NODE_HOST && !node->live;

	node->ops->quiesce(node);
	if (node->live)
		fab_call_sync();
	if (!ghost)
		fab_call(call_purge, node);
	node->ops->free(node);
}

/**
 * fab_node_create() - put a node on the table, without any link
 * @params: what node
 * @extack: says what is wrong with it
 *
 * Context: process context, control mutex.
 * Return: the node, or an error: -EINVAL, -EEXIST (name), -ENOSPC (too many),
 * -ERANGE (a setting), -ENOMEM, or one of register_netdev().
 */
struct fab_node *fab_node_create(const struct fab_node_params *params,
				 struct netlink_ext_ack *extack)
{
	struct fab_node *node;
	int err;

	fab_control_assert();
	err = check(params, extack);
	if (err)
		return ERR_PTR(err);
	node = makers[params->kind](params, extack);
	if (IS_ERR(node))
		return node;
	err = xa_alloc_cyclic(&nodes, &node->id, node, xa_limit_31b, &next_node_id, GFP_KERNEL);
	if (err < 0)
		goto err_dismantle;
	err = alloc_port_ids(node);
	if (err)
		goto err_erase;
	err = fab_sysfs_add_node(node);
	if (err)
		goto err_port_ids;
	hash_add(names, &node->hash, fab_name_hash(node->name));
	WRITE_ONCE(n_nodes, n_nodes + 1);
	n_live += node->live;
	tell_outside(node, FABSIM_EVENT_NODE_NEW);
	return node;

err_port_ids:
	free_port_ids(node, node->n_ports);
err_erase:
	xa_erase(&nodes, node->id);
err_dismantle:
	dismantle(node);
	return ERR_PTR(err);
}

/**
 * fab_node_destroy() - take a node off the table, with its links
 * @node: node; gone after this
 *
 * Context: process context, control mutex.
 */
void fab_node_destroy(struct fab_node *node)
{
	unsigned int i;

	fab_control_assert();
	fab_gen_forget_node(node);
	for (i = 0; i < node->n_ports; i++)
		if (node->ports[i].wire)
			fab_link_destroy(node->ports[i].wire->link);
	fab_capture_forget_node(node);
	fab_cost_forget_node(node);
	hash_del(&node->hash);
	free_port_ids(node, node->n_ports);
	xa_erase(&nodes, node->id);
	WRITE_ONCE(n_nodes, n_nodes - 1);
	n_live -= node->live;
	tell_outside(node, FABSIM_EVENT_NODE_DEL);
	fab_sysfs_del_node(node);
	dismantle(node);
}

/**
 * fab_node_set() - change settings of a node
 * @node: node
 * @set: new settings
 * @mask: FAB_NODE_*: which of them count
 * @extack: says what is wrong with them
 *
 * Context: process context, control mutex.
 * Return: 0, or -ERANGE or -EOPNOTSUPP with the old settings kept.
 */
int fab_node_set(struct fab_node *node, const struct fab_node_settings *set, unsigned int mask,
		 struct netlink_ext_ack *extack)
{
	fab_control_assert();
	return node->ops->set(node, set, mask, extack);
}

/**
 * fab_fabric_state() - how far the topology is
 *
 * Who never says BUILDING has a complete topology after every request.
 *
 * Context: any.
 * Return: enum fabsim_fabric_state.
 */
u32 fab_fabric_state(void)
{
	if (READ_ONCE(fab_fabric.building))
		return FABSIM_FABRIC_BUILDING;
	return READ_ONCE(n_nodes) ? FABSIM_FABRIC_READY : FABSIM_FABRIC_EMPTY;
}

/**
 * fab_fabric_building() - a controller begins to build, or has ended
 * @building: begins
 *
 * Meanwhile cables between switches block, and the spanning tree is worked out
 * once, at the end: at each cable of a large fabric it would take hours.
 *
 * Context: process context, control mutex.
 */
void fab_fabric_building(bool building)
{
	fab_control_assert();
	WRITE_ONCE(fab_fabric.building, building);
	fab_stp_hold(building);
}

/**
 * fab_fabric_down() - remove every node and link
 *
 * Context: process context, control mutex.
 */
void fab_fabric_down(void)
{
	struct fab_node *node;
	u32 id;

	fab_control_assert();
	/* One wait for all network devices instead of one each, and no tree for what goes. */
	fab_hosts_unregister_all();
	fab_stp_hold(true);
	for (id = 0; (node = fab_node_next(&id)); id++) {
		fab_node_destroy(node);
		cond_resched();
	}
	fab_fabric_building(false);
	fab_fabric.builder = 0;
	fab_fabric.topology[0] = '\0';
	fab_fabric.seed = 1;
	fab_clock_freeze(false);
	fab_clock_set_pace(1);
	fab_clock_restart();
}

struct reset {
	union {
		struct fab_node *node;
		struct fab_link *link;
	};
	bool to_defaults;
};

static void call_reset_link(void *arg)
{
	struct reset *reset = arg;

	fab_link_reset(reset->link, reset->to_defaults);
}

static void call_reset_node(void *arg)
{
	struct reset *reset = arg;
	struct fab_node *node = reset->node;
	unsigned int i;

	for (i = 0; i < node->n_ports; i++)
		node->ports[i].ops->purge(&node->ports[i], FABSIM_DROP_RESET);
	/* The node first: it may want to keep what was counted. */
	node->ops->reset(node, reset->to_defaults);
	for (i = 0; i < node->n_ports; i++)
		memset(&node->ports[i].stats, 0, sizeof(node->ports[i].stats));
}

static void call_reset_gen(void *unused)
{
	fab_gen_reset();
}

/**
 * fab_fabric_reset() - back to the state after it was built
 * @to_defaults: also every setting of links, switches and the clock
 *
 * Queues and wires are emptied, forwarding tables forgotten, counters zeroed.
 *
 * Context: process context, control mutex.
 */
void fab_fabric_reset(bool to_defaults)
{
	const struct fab_notice notice = { .type = FABSIM_EVENT_RESET };
	struct reset reset = { .to_defaults = to_defaults };
	u32 id;

	fab_control_assert();
	fab_call(call_reset_gen, NULL);
	if (to_defaults) {
		fab_fabric.seed = 1;
		fab_clock_set_pace(1);
	}
	for (id = 0; (reset.link = fab_link_next(&id)); id++) {
		fab_call(call_reset_link, &reset);
		fab_link_carrier(reset.link);
	}
	for (id = 0; (reset.node = fab_node_next(&id)); id++)
		fab_call(call_reset_node, &reset);
	fab_notify(&notice);
}

static void call_seed_link(void *arg)
{
	fab_link_seed(arg);
}

/**
 * fab_fabric_set_seed() - seed the faults of every link that has no seed of its own
 * @seed: seed
 *
 * Context: process context, control mutex.
 */
void fab_fabric_set_seed(u64 seed)
{
	struct fab_link *link;
	u32 id;

	fab_control_assert();
	fab_fabric.seed = seed;
	for (id = 0; (link = fab_link_next(&id)); id++)
		fab_call(call_seed_link, link);
}
