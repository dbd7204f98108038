// SPDX-License-Identifier: GPL-2.0
/*
 * The InfiniBand port of a host: in front of an HCA (net.c), or of nothing.
 *
 * A ghost host has no HCA: its management agents answer, and whatever else comes
 * is taken out of the buffer and counted. So a fabric of tens of thousands of ends
 * can be swept by a subnet manager.
 */
#include <linux/slab.h>
#include "../host/net.h"
#include "internal.h"

/* "fa:b5" as in MAC addresses; 1 = hosts. The port's GUID is the next one. */
#define HOST_GUID	0x02fab50100000000ULL
#define GUIDS_OF_A_HOST	16

static bool is_for(const struct fab_ib_port *ibp, u16 lid)
{
	u16 own = fab_ib_lid(ibp);

	return lid == FAB_IB_PERMISSIVE || fab_ib_is_mcast(lid) ||
	       (own && lid >= own && lid < own + (1U << READ_ONCE(ibp->attr.lmc)));
}

static void host_receive(struct fab_port *port, struct fab_packet *packet)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);

	if (!fab_ib_port_takes(ibp, packet))
		return;
	if (!is_for(ibp, be16_to_cpu(fab_ib_lrh(packet)->dlid))) {
		fab_ib_release(packet);
		fab_port_drop(port, packet, FABSIM_DROP_FILTERED);
		return;
	}
	if (ibp->hca)
		fab_ib_hca_packet(ibp, packet);
	else
		fab_ib_ghost_mad(ibp, packet);
}

static void host_tx_done(struct fab_port *port, struct fab_packet *packet)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);

	ibp->backlog -= min(ibp->backlog, packet->len);
	if (ibp->hca)
		fab_hca_room(ibp->hca);
}

const struct fab_port_ops fab_ib_host_port_ops = {
	.kind		= FABSIM_PORT_KIND_IB,
	.overhead	= FAB_IB_WIRE_OVERHEAD,
	.receive	= host_receive,
	.sent		= fab_ib_egress_sent,
	.wire_free	= fab_ib_egress_wire_free,
	.tx_done	= host_tx_done,
	.purge		= fab_ib_egress_purge,
	.link_changed	= fab_ib_link_changed,
	.carrier	= fab_ib_carrier,
};

struct publish {
	struct fab_ib_port *ibp;
	struct fab_hca *hca;
};

static void call_publish(void *arg)
{
	struct publish *publish = arg;

	WRITE_ONCE(publish->ibp->hca, publish->hca);
}

static void call_quiet(void *arg)
{
	fab_ib_port_quiet(arg);
}

static int make_hca(struct fab_ib_port *ibp)
{
	struct publish publish = { .ibp = ibp };

	publish.hca = fab_hca_create(ibp->port->name, &fab_ib_net_ops, ibp->port, NULL);
	if (IS_ERR(publish.hca))
		return PTR_ERR(publish.hca);
	fab_call(call_publish, &publish);
	return 0;
}

/**
 * fab_ib_host_attach() - give a host's port its InfiniBand side
 * @port: port, made with fab_ib_host_port_ops; its node has a name
 * @number: of the host, from 1: its GUIDs are made of it
 * @live: with an HCA
 *
 * Context: process context, control mutex.
 * Return: 0, -ENOMEM, or an error of fab_hca_create().
 */
int fab_ib_host_attach(struct fab_port *port, u32 number, bool live)
{
	struct fab_ib_node *ibn = kzalloc(sizeof(*ibn), GFP_KERNEL);
	struct fab_ib_port *ibp;
	int err;

	if (!ibn)
		return -ENOMEM;
	err = fab_ib_node_init(ibn, port->node, FAB_IB_CA,
			       HOST_GUID + (u64)number * GUIDS_OF_A_HOST, 1);
	if (err)
		goto err_free;
	ibp = fab_ib_port_at(ibn, 1);
	ibp->port = port;
	port->priv = ibp;
	if (live) {
		err = make_hca(ibp);
		if (err)
			goto err_node;
	}
	return 0;

err_node:
	/* What users of the short-lived device may have posted, and sent to their own LID. */
	fab_call(call_quiet, ibp);
	fab_call_sync();
	port->priv = NULL;
	fab_ib_node_free(ibn);
err_free:
	kfree(ibn);
	return err;
}

/**
 * fab_ib_host_unregister() - first half of the end: nothing enters any more
 * @port: port, without a link
 *
 * Context: process context, control mutex.
 */
void fab_ib_host_unregister(struct fab_port *port)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);

	if (ibp && ibp->hca)
		fab_hca_unregister(ibp->hca);
}

/**
 * fab_ib_host_free() - second half of the end: give the memory back
 * @port: port that was unregistered, and whose queues have been emptied
 *
 * Context: process context, control mutex.
 */
void fab_ib_host_free(struct fab_port *port)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);
	struct publish publish = { .ibp = ibp };
	struct fab_ib_node *ibn;
	struct fab_hca *hca;

	if (!ibp)
		return;
	hca = ibp->hca;
	ibn = ibp->ibn;
	fab_call(call_quiet, ibp);
	fab_call(call_publish, &publish);
	fab_call_sync();
	if (hca)
		fab_hca_free(hca);
	port->priv = NULL;
	fab_ib_node_free(ibn);
	kfree(ibn);
}

/**
 * fab_ib_host_reset() - forget what was counted
 * @port: port of a host
 * @to_defaults: also settings; there are none
 *
 * Context: fabric thread.
 */
void fab_ib_host_reset(struct fab_port *port, bool to_defaults)
{
	struct fab_ib_port *ibp = fab_to_ib_port(port);

	if (ibp)
		fab_ib_port_reset(ibp);
}
