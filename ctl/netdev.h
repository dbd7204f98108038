/* SPDX-License-Identifier: GPL-2.0 */
/* Facts about a host's network device, asked inside the host. */
#ifndef FABCTL_NETDEV_H
#define FABCTL_NETDEV_H

#include <stdbool.h>

#include "lab.h"

struct netdev_facts {
	bool up;
	bool has_ip;
	bool mac_is_factory;	/* in use is the burned-in address */
	bool ip_is_static;	/* configured, not leased or made up by itself */
	bool has_dcb;		/* answers questions about lossless Ethernet */
	unsigned int pfc;	/* bit per priority: PFC is on */
};

/* False if the host's namespace cannot be entered. */
bool netdev_facts(const struct lab_host *h, struct netdev_facts *facts);

#endif /* FABCTL_NETDEV_H */
