// SPDX-License-Identifier: GPL-2.0
/*
 * A host: a node with a port on each of the networks it is on.
 *
 * Port 1 is Ethernet's: a NIC, and beside it, where wanted, an HCA for RoCE.
 * Port 2, where wanted, is InfiniBand's: an HCA. The two networks know nothing of
 * each other; this file knows both, and nothing of what they do with a port.
 *
 * A live host is whatever namespace its NIC is in: real network stacks and real
 * programs. A ghost is only ports; the generator can send from it, and what it
 * receives is counted and thrown away. A fabric can have thousands of ghosts.
 */
#include <linux/slab.h>
#include "eth/eth.h"
#include "fabric.h"
#include "host/net.h"
#include "hosts.h"
#include "ib/ib.h"

/* Hosts made since the fabric was empty: their addresses are burned in from it; control mutex. */
static u32 made;

static struct fab_port *eth_port(const struct fab_node *node)
{
	return &node->ports[0];
}

static struct fab_port *ib_port(const struct fab_node *node)
{
	return node->n_ports > 1 ? &node->ports[1] : NULL;
}

static void set_selective(struct fab_node *node, bool on)
{
	struct fab_hca *roce = fab_host_roce_hca(node);
	struct fab_hca *ib = ib_port(node) ? fab_to_ib_port(ib_port(node))->hca : NULL;

	if (roce)
		fab_hca_set_selective(roce, on);
	if (ib)
		fab_hca_set_selective(ib, on);
	node->set.selective = on;
}

static int host_set(struct fab_node *node, const struct fab_node_settings *set,
		    unsigned int mask, struct netlink_ext_ack *extack)
{
	int err;

	if (mask & FAB_NODE_SELECTIVE && !node->live) {
		NL_SET_ERR_MSG_MOD(extack, "a ghost host has no HCA");
		return -EOPNOTSUPP;
	}
	err = fab_eth_host_set(node, set, mask & ~FAB_NODE_SELECTIVE, extack);
	if (!err && mask & FAB_NODE_SELECTIVE)
		set_selective(node, set->selective);
	return err;
}

static void host_reset(struct fab_node *node, bool to_defaults)
{
	if (to_defaults)
		set_selective(node, false);
	fab_eth_host_reset(eth_port(node));
	if (ib_port(node))
		fab_ib_host_reset(ib_port(node), to_defaults);
}

static void host_quiesce(struct fab_node *node)
{
	if (ib_port(node))
		fab_ib_host_unregister(ib_port(node));
	fab_eth_host_unregister(eth_port(node));
}

static void host_free(struct fab_node *node)
{
	if (ib_port(node))
		fab_ib_host_free(ib_port(node));
	fab_eth_host_free(eth_port(node));
	kvfree(node->ports);
	kfree(node);
}

static const struct fab_node_ops host_ops = {
	.set		= host_set,
	.reset		= host_reset,
	.quiesce	= host_quiesce,
	.free		= host_free,
};

/* On both networks, or on none. */
static int attach(struct fab_node *node, const struct fab_node_params *params,
		  struct netlink_ext_ack *extack)
{
	u32 number = ++made;
	int err;

	err = fab_eth_host_attach(eth_port(node), params, number, extack);
	if (err)
		return err;
	if (ib_port(node)) {
		err = fab_ib_host_attach(ib_port(node), number, params->live);
		if (err)
			goto err_eth;
	}
	err = host_ops.set(node, &params->set, params->mask, extack);
	if (err)
		goto err_ib;
	return 0;

err_ib:
	if (ib_port(node))
		fab_ib_host_unregister(ib_port(node));
err_eth:
	fab_eth_host_unregister(eth_port(node));
	fab_call_sync();
	if (ib_port(node))
		fab_ib_host_free(ib_port(node));
	fab_eth_host_free(eth_port(node));
	return err;
}

/**
 * fab_host_create() - a host
 * @params: what host
 * @extack: says what is wrong with it
 *
 * Context: process context, control mutex.
 * Return: its node or an error.
 */
struct fab_node *fab_host_create(const struct fab_node_params *params,
				 struct netlink_ext_ack *extack)
{
	struct fab_node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	int err;

	if (!node)
		return ERR_PTR(-ENOMEM);
	node->ops = &host_ops;
	node->kind = FABSIM_NODE_HOST;
	node->live = params->live;
	strscpy(node->name, params->name, sizeof(node->name));
	err = fab_node_init_ports(node, params->ib ? 2 : 1);
	if (err)
		goto err_free;
	fab_port_init(eth_port(node), &fab_eth_host_port_ops);
	if (ib_port(node))
		fab_port_init(ib_port(node), &fab_ib_host_port_ops);
	err = attach(node, params, extack);
	if (err)
		goto err_ports;
	return node;

err_ports:
	kvfree(node->ports);
err_free:
	kfree(node);
	return ERR_PTR(err);
}

/**
 * fab_hosts_unregister_all() - take the network devices of all hosts away at once
 *
 * One wait of the network core for all of them; the hosts are destroyed next.
 * Addresses are burned in from the first again.
 *
 * Context: process context, control mutex.
 */
void fab_hosts_unregister_all(void)
{
	fab_eth_hosts_unregister_all();
	made = 0;
}
