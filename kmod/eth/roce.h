/* SPDX-License-Identifier: GPL-2.0 */
/* RoCEv2: the HCA on a host's Ethernet port. roce.c has the model. */
#ifndef FAB_ROCE_H
#define FAB_ROCE_H

#include <linux/types.h>

struct fab_hca;
struct fab_packet;
struct fab_port;
struct fab_roce;
struct netlink_ext_ack;

/* Caller's side, control mutex. The last two do nothing where there is no HCA. */
int fab_roce_attach(struct fab_port *port, struct netlink_ext_ack *extack);
void fab_roce_unregister(struct fab_port *port);
void fab_roce_free(struct fab_port *port);

/* Its HCA. Control mutex. */
struct fab_hca *fab_roce_hca(const struct fab_roce *roce);

/* Under rtnl: something happened to the port's net_device. */
void fab_roce_device_event(struct fab_port *port);

/* Fabric thread. */
bool fab_roce_receive(struct fab_roce *roce, struct fab_packet *packet);
void fab_roce_tx_done(struct fab_roce *roce, struct fab_packet *packet);
void fab_roce_purge(struct fab_roce *roce, u32 reason);
bool fab_roce_finish(struct fab_packet *packet);

#endif /* FAB_ROCE_H */
