/* SPDX-License-Identifier: GPL-2.0 */
/* One host of the lab: made and removed. Between lab.c and lab_host.c only. */
#ifndef FABCTL_LAB_HOST_H
#define FABCTL_LAB_HOST_H

#include "lab_state.h"
#include "nl.h"
#include "topology.h"

#define MTU_DEFAULT	9000

struct lab_net {		/* what making a host leaves for later steps */
	int netns;		/* open fd, or -1 */
	char ifname[16];
	unsigned int ifindex;
};

/* Is a name of a live host taken, here or in /etc/netns? Exit status. */
int lab_host_check(const struct topo_node *n);
/* Namespace, names, node; no address yet. Exit status. */
int lab_host_make(struct fab_nl *nl, struct lab_state *s,
		  const struct topo_node *n, struct lab_net *net);
/* Address, MTU, up. Exit status. */
int lab_host_address(const struct topo_node *n, const struct lab_net *net,
		     unsigned int mtu);
/* NODE_NEW of anything; @net: of a live host, or NULL. 0 or -errno. */
int lab_node_new(struct fab_nl *nl, const struct topo_node *n,
		 struct lab_net *net);

#endif /* FABCTL_LAB_HOST_H */
