// SPDX-License-Identifier: GPL-2.0
/* Reads the network's state into a result; see netview.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netdev.h"
#include "netview.h"
#include "units.h"

/* Who gave the two addresses: the NIC's maker, and whoever set up the IP. */
static void address(const struct lab_host *to, const struct netdev_facts *dev,
		    struct json_object *network)
{
	char from[32];

	tree_str(network, "address", to->has_ip ? "MAC + IP" : "MAC");
	tree_str(network, "mac", units_mac(to->mac));
	tree_str(network, "ip", to->has_ip ? to->ip_str : NULL);
	snprintf(from, sizeof(from), "%s%s", dev->mac_is_factory ? "factory" : "you",
		 !dev->has_ip ? "" : dev->ip_is_static ? "+you" : "+a lease");
	tree_str(network, "address_from", from);
}

/* Addresses are the only setting that this lab's Ethernet wants of a human. */
static void by_hand(const struct netdev_facts *from, const struct netdev_facts *to,
		    struct json_object *network)
{
	unsigned int ips = (from->has_ip && from->ip_is_static) +
			   (to->has_ip && to->ip_is_static);
	unsigned int macs = !from->mac_is_factory + !to->mac_is_factory;
	char text[32];

	snprintf(text, sizeof(text), "%u%s", ips + macs,
		 ips && macs ? " (MAC, IP)" : ips ? " (IP)" : macs ? " (MAC)" : "");
	tree_str(network, "settings_by_hand", text);
}

/* Does the switch know where @mac is? */
static bool knows(struct fab_nl *nl, const char *sw, const uint8_t mac[6])
{
	struct fab_fdb_info *fdb;
	bool found = false;
	size_t n;

	if (fab_fdb_list(nl, sw, &fdb, &n))
		return false;
	for (size_t i = 0; !found && i < n; i++)
		found = !memcmp(fdb[i].mac, mac, 6);
	free(fdb);
	return found;
}

/* Which switches know the way, and how they came to know it. */
static void forwarding(struct fab_nl *nl, const struct lab_host *to,
		       struct json_object *network)
{
	struct fab_node_info *nodes;
	unsigned int found = 0;
	char text[48];
	size_t n;

	if (fab_node_list(nl, &nodes, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		if (nodes[i].kind != FABSIM_NODE_ETH_SWITCH ||
		    !knows(nl, nodes[i].name, to->mac))
			continue;
		if (!found++)
			snprintf(text, sizeof(text), "%s learned", nodes[i].name);
	}
	if (found > 1)
		snprintf(text, sizeof(text), "%u switches learned", found);
	tree_str(network, "forwarding_from", found ? text : "not learned");
	free(nodes);
}

static void lossless(const struct netdev_facts *dev, struct json_object *network)
{
	tree_str(network, "lossless_by", dev->pfc ? "PFC" :
		 dev->has_dcb ? "PFC off" : "nothing");
}

void netview_via(struct fab_nl *nl, const struct lab_host *from,
		 const struct lab_host *to, const char *kind,
		 struct json_object *network)
{
	const struct lab_host *ends[] = { from, to };
	char sw[2][FABSIM_PORT_NAME_MAX + 1] = { "?", "?" }, text[48];
	char name[FABSIM_NODE_NAME_MAX + 8];

	for (int i = 0; i < 2; i++) {
		struct fab_port_info port;

		snprintf(name, sizeof(name), "%s-%s", ends[i]->name, kind);
		if (fab_port_get(nl, name, &port) || !port.peer[0])
			continue;
		snprintf(sw[i], sizeof(sw[i]), "%.*s",
			 (int)strcspn(port.peer, ":"), port.peer);
	}
	if (strcmp(sw[0], sw[1]))
		snprintf(text, sizeof(text), "%s .. %s", sw[0], sw[1]);
	else
		snprintf(text, sizeof(text), "%s", sw[0]);
	tree_str(network, "via", text);
}

void netview_ethernet(struct fab_nl *nl, const struct lab_host *from,
		      const struct lab_host *to, struct json_object *network)
{
	struct netdev_facts dev, mine;

	netview_via(nl, from, to, "eth", network);
	tree_str(network, "must_stay_alive", "nobody");
	if (netdev_facts(to, &dev)) {
		address(to, &dev, network);
		lossless(&dev, network);
		if (netdev_facts(from, &mine))
			by_hand(&mine, &dev, network);
	}
	forwarding(nl, to, network);
}

int netview_drops(struct fab_nl *nl, struct netview_drops *d)
{
	struct fab_port_info *list;
	size_t n;
	int err = fab_port_list(nl, NULL, &list, &n);

	memset(d, 0, sizeof(*d));
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		for (int r = 0; r <= FABSIM_DROP_MAX; r++)
			d->by[r] += list[i].drops[r];
	free(list);
	return 0;
}

/* A frame that a NIC does not want for itself was not lost. */
void netview_drops_tree(const struct netview_drops *before,
			const struct netview_drops *after,
			struct json_object *network)
{
	struct json_object *by = json_object_new_object();
	uint64_t total = 0;

	for (int r = FABSIM_DROP_UNSPEC + 1; r <= FABSIM_DROP_MAX; r++) {
		uint64_t n = after->by[r] - before->by[r];

		if (r == FABSIM_DROP_FILTERED)
			continue;
		total += n;
		tree_u64(by, fab_drop_name(r), n);
	}
	tree_u64(network, "drops", total);
	json_object_object_add(network, "drops_by", by);
}
