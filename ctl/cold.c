// SPDX-License-Identifier: GPL-2.0
/*
 * Makes hosts forget their neighbours: what ARP found out stays in a host's
 * kernel, where a reset of the fabric does not reach. Two runs would differ:
 * only the first would see an ARP request.
 */
#include <errno.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <arpa/inet.h>
#include <unistd.h>

#include "cold.h"
#include "lab.h"
#include "netns.h"

static void forget(int sock, const char *ip, const char *ifname)
{
	struct arpreq req = { };
	struct sockaddr_in *addr = (struct sockaddr_in *)&req.arp_pa;

	addr->sin_family = AF_INET;
	if (inet_pton(AF_INET, ip, &addr->sin_addr) != 1)
		return;
	snprintf(req.arp_dev, sizeof(req.arp_dev), "%.15s", ifname);
	ioctl(sock, SIOCDARP, &req);
}

/* In the host's namespace: every line of its ARP table that is our device's. */
static int forget_all(void *arg)
{
	const char *ifname = arg;
	char line[256], ip[64], dev[32];
	FILE *f;
	int sock;

	/* The helper thread's namespace, not the process's. */
	f = fopen("/proc/thread-self/net/arp", "re");
	if (!f)
		return -errno;
	sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	while (sock >= 0 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", ip, dev) == 2 &&
		    !strcmp(dev, ifname))
			forget(sock, ip, dev);
	}
	if (sock >= 0)
		close(sock);
	fclose(f);
	return 0;
}

int cold_neighbours(struct fab_nl *nl)
{
	struct fab_node_info *nodes;
	size_t n;
	int err = fab_node_list(nl, &nodes, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		struct lab_host h;

		if (nodes[i].kind != FABSIM_NODE_HOST || !nodes[i].live ||
		    nodes[i].orphaned || lab_host_info(nodes[i].name, &h))
			continue;
		if (h.netns >= 0)
			netns_call(h.netns, forget_all, h.ifname);
		lab_host_put(&h);
	}
	free(nodes);
	return 0;
}

int cold_start(struct fab_nl *nl)
{
	int err = fab_nl_do(nl, fab_nl_msg(nl, FABSIM_CMD_FDB_FLUSH));

	return err ? err : cold_neighbours(nl);
}
