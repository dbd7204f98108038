// SPDX-License-Identifier: GPL-2.0
/*
 * An HCA comes and goes.
 *
 * An HCA is an ib_device with one port, on a network: a live host has two, one
 * on Ethernet (RoCE) and one on InfiniBand, made by this same code. A network
 * makes the HCA of a port when the port's node is made:
 *
 *	fab_hca_create()	from here on ib_core, programs, and what the kernel has
 *				on top (MADs, CM, IPoIB) use it
 *	fab_hca_unregister()	takes all of them off it. Programs lose their objects and
 *				get errors; nobody waits for them. Until it returns they
 *				may still send, so that the port has to be there
 *	fab_hca_free()		the fabric thread knows nothing of it any more
 *
 * In between, the network tells of its port by fab_hca_port_event().
 */
#include <linux/netdevice.h>
#include "ring.h"
#include "verbs.h"

static void init(struct fab_hca *hca)
{
	xa_init_flags(&hca->qps, XA_FLAGS_ALLOC);
	xa_init_flags(&hca->mrs, XA_FLAGS_ALLOC1);
	INIT_LIST_HEAD(&hca->mcast);
	INIT_LIST_HEAD(&hca->ready);
	fab_ring_init(hca);
	fab_engine_init(hca);
}

static void describe(struct fab_hca *hca, const char *name)
{
	struct ib_device *ibdev = &hca->ibdev;

	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	ibdev->local_dma_lkey = FAB_LOCAL_DMA_LKEY;
	ibdev->node_guid = hca->net->node_guid(hca);
	snprintf(ibdev->node_desc, sizeof(ibdev->node_desc), "%s (fabsim)", name);
	fab_verbs_set(hca);
}

/**
 * fab_hca_create() - an HCA on a port
 * @name: of the ib_device
 * @net: network
 * @port: port
 * @netdev: the net_device whose addresses are its GIDs, or NULL
 *
 * The network is asked about the port before this returns: it must find what it needs
 * by @port.
 *
 * Context: process context, control mutex.
 * Return: HCA; -ENOMEM; -ENFILE if there is a device of that name; or another error of
 * ib_register_device().
 */
struct fab_hca *fab_hca_create(const char *name, const struct fab_net_ops *net,
			       struct fab_port *port, struct net_device *netdev)
{
	struct fab_hca *hca = ib_alloc_device(fab_hca, ibdev);
	int err;

	if (!hca)
		return ERR_PTR(-ENOMEM);
	hca->net = net;
	hca->port = port;
	hca->netdev = netdev;
	init(hca);
	describe(hca, name);
	if (netdev) {
		err = ib_device_set_netdev(&hca->ibdev, netdev, 1);
		if (err)
			goto err_free;
	}
	err = ib_register_device(&hca->ibdev, name, NULL);
	if (err)
		goto err_free;
	return hca;

err_free:
	fab_hca_free(hca);
	return ERR_PTR(err);
}

/**
 * fab_hca_unregister() - nobody uses the HCA any more
 * @hca: HCA
 *
 * Context: process context; takes a while.
 */
void fab_hca_unregister(struct fab_hca *hca)
{
	ib_unregister_device(&hca->ibdev);
}

/**
 * fab_hca_free() - the end of an HCA that is unregistered
 * @hca: HCA; no packet of it is in the fabric, and none for it
 *
 * Context: process context.
 */
void fab_hca_free(struct fab_hca *hca)
{
	fab_engine_exit(hca);
	WARN_ON(!xa_empty(&hca->qps) || !xa_empty(&hca->mrs) || !list_empty(&hca->contexts));
	xa_destroy(&hca->qps);
	xa_destroy(&hca->mrs);
	ib_dealloc_device(&hca->ibdev);
}

/**
 * fab_hca_port_event() - something happened to an HCA's port
 * @hca: HCA
 * @event: IB_EVENT_PORT_ACTIVE, _PORT_ERR, _LID_CHANGE, _PKEY_CHANGE, _SM_CHANGE,
 *	_CLIENT_REREGISTER, _GID_CHANGE
 *
 * ib_core refreshes its caches, and tells whoever listens; not where the HCA is not
 * registered yet, or not any more.
 *
 * Context: any.
 */
void fab_hca_port_event(struct fab_hca *hca, enum ib_event_type event)
{
	struct ib_event record = {
		.device = &hca->ibdev,
		.event = event,
		.element.port_num = 1,
	};

	/* A new P_Key table comes with this event or another; who sees the count sees the table. */
	smp_mb__before_atomic();
	atomic_inc(&hca->engine.port_events);
	if (!ib_device_try_get(&hca->ibdev))
		return;
	ib_dispatch_event(&record);
	ib_device_put(&hca->ibdev);
}
