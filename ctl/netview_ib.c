// SPDX-License-Identifier: GPL-2.0
/* The InfiniBand rows of "network"; see netview.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netview.h"
#include "subnet.h"

/* Who gave the LID, and who has to stay there. */
static void manager(struct fab_nl *nl, const struct fab_port_info *p,
		    struct json_object *network)
{
	struct subnet_managers m;
	char text[48];

	if (subnet_managers(nl, &m))
		return;
	if (m.master[0])
		snprintf(text, sizeof(text), "SM in %s", m.master);
	else if (p->sm_lid)
		snprintf(text, sizeof(text), "SM at LID %u", p->sm_lid);
	else
		snprintf(text, sizeof(text), "nobody");
	tree_str(network, "address_from", text);
	if (m.master[0] && m.standby[0])
		snprintf(text, sizeof(text), "SM or %s", m.standby);
	else
		snprintf(text, sizeof(text), "SM%s", p->sm_lid || m.master[0] ?
			 " (alone)" : ": none");
	tree_str(network, "must_stay_alive", text);
}

static void forwarding(struct fab_nl *nl, uint32_t lid, struct json_object *network)
{
	struct fab_node_info *nodes;
	unsigned int found = 0;
	char port[FABSIM_PORT_NAME_MAX + 1];
	size_t n;

	if (fab_node_list(nl, &nodes, &n))
		return;
	for (size_t i = 0; lid && i < n; i++) {
		if (nodes[i].kind != FABSIM_NODE_IB_SWITCH ||
		    !subnet_route(nl, nodes[i].name, lid, port))
			continue;
		found++;
	}
	tree_str(network, "forwarding_from", found ? "SM wrote" : "empty");
	tree_u64(network, "forwarding_switches", found);
	free(nodes);
}

void netview_ib(struct fab_nl *nl, const struct lab_host *from,
		const struct lab_host *to, struct json_object *network)
{
	struct fab_port_info p, mine;
	char text[24];

	netview_via(nl, from, to, "ib", network);
	if (subnet_port(nl, to->name, &p))
		return;
	snprintf(text, sizeof(text), p.lid ? "LID %u" : "none", p.lid);
	tree_str(network, "address", text);
	tree_u64(network, "lid", p.lid);
	tree_str(network, "port_state", subnet_state_name(p.ib_state));
	tree_str(network, "lossless_by", p.lanes ? "credits" : "credits (link down)");
	/* LIDs and tables are the subnet manager's; nobody else may set them. */
	tree_str(network, "settings_by_hand", "none exist");
	manager(nl, &p, network);
	forwarding(nl, p.lid, network);
	if (!subnet_port(nl, from->name, &mine))
		tree_u64(network, "credit_stalls", mine.stalls + p.stalls);
}
