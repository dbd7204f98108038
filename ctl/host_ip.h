/* SPDX-License-Identifier: GPL-2.0 */
/* Takes the hosts' IP addresses away, and gives them back. */
#ifndef FABCTL_HOST_IP_H
#define FABCTL_HOST_IP_H

#include "nl.h"

/* Of every live host: "off", or "on": the one the lab gave it. Exit status. */
int host_ip_set(struct fab_nl *nl, bool on);

#endif /* FABCTL_HOST_IP_H */
