/* SPDX-License-Identifier: GPL-2.0 */
/* Captures: copies of packets to a netlink socket (capture.c). */
#ifndef FAB_CAPTURE_H
#define FAB_CAPTURE_H

#include <linux/types.h>

struct fab_node;
struct fab_packet;
struct fab_port;
struct net;

/* Fabric thread, called only where port->captured. */
void fab_capture(struct fab_port *port, const struct fab_packet *packet, u8 dir);

/* Caller's side, control mutex: @node has come; it goes away. */
void fab_capture_new_node(struct fab_node *node);
void fab_capture_forget_node(struct fab_node *node);

/* Is there any capture? Any context; exact for a socket's own. */
bool fab_capture_any(void);
/* Control mutex: the socket is closed. Nothing happens if it captures nothing. */
void fab_capture_end(const struct net *net, u32 portid);
/* After the netlink family is gone: end every capture. Takes the control mutex. */
void fab_capture_exit(void);

#endif /* FAB_CAPTURE_H */
