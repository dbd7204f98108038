/* SPDX-License-Identifier: GPL-2.0 */
/* The hosts' own memory of the network, which a cold start must not have. */
#ifndef FABCTL_COLD_H
#define FABCTL_COLD_H

#include "nl.h"

/* Empties the neighbour (ARP) table of every live host. 0 or -errno. */
int cold_neighbours(struct fab_nl *nl);
/* That and what the switches learned. 0 or -errno. */
int cold_start(struct fab_nl *nl);

#endif /* FABCTL_COLD_H */
