/* SPDX-License-Identifier: GPL-2.0 */
/* GIDs of RDMA devices, as the kernel shows them in /sys/class/infiniband. */
#ifndef FABCTL_GIDS_H
#define FABCTL_GIDS_H

#include <stddef.h>

struct gid {
	char device[64];
	unsigned int port, index;
	char gid[40];		/* as the kernel writes it: eight groups of four digits */
	char type[32];		/* "InfiniBand", "RoCE v2" */
	char netdev[32];	/* of RoCE; "" */
};

/* Those that are not empty, of one device (or NULL: of all); the caller frees *list. */
size_t gids_list(const char *device, struct gid **list);
/* Index of the GID that a RoCEv2 program should name: the one of its IPv4 address, or -1. */
int gids_roce_index(const char *device);

#endif /* FABCTL_GIDS_H */
