// SPDX-License-Identifier: GPL-2.0
/* Asks and sets the subnet managers; see subnet.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "cmd.h"
#include "subnet.h"

#define WAIT_MS		5000	/* a sweep of a lab takes a fraction of it */
#define LOOK_MS		20

static int read_manager(struct nlattr **tb, void *arg)
{
	struct subnet_managers *m = arg;
	uint32_t state;

	if (!tb[FABSIM_A_SM_NODE] || !tb[FABSIM_A_SM_RUNNING] ||
	    !nla_get_u8(tb[FABSIM_A_SM_RUNNING]))
		return 0;
	m->running++;
	state = tb[FABSIM_A_SM_STATE] ? nla_get_u32(tb[FABSIM_A_SM_STATE]) : 0;
	if (state == FABSIM_SM_MASTER)
		nla_strlcpy(m->master, tb[FABSIM_A_SM_NODE], sizeof(m->master));
	else if (state == FABSIM_SM_STANDBY)
		nla_strlcpy(m->standby, tb[FABSIM_A_SM_NODE], sizeof(m->standby));
	return 0;
}

int subnet_managers(struct fab_nl *nl, struct subnet_managers *m)
{
	memset(m, 0, sizeof(*m));
	return fab_nl_dump(nl, fab_nl_msg(nl, FABSIM_CMD_SM_GET), FABSIM_A_SM_MAX,
			   read_manager, m);
}

static int read_port(struct nlattr **tb, void *arg)
{
	struct subnet_port *p = arg;

	if (tb[FABSIM_A_PORT_IB_STATE])
		p->state = nla_get_u32(tb[FABSIM_A_PORT_IB_STATE]);
	if (tb[FABSIM_A_PORT_LID])
		p->lid = nla_get_u32(tb[FABSIM_A_PORT_LID]);
	if (tb[FABSIM_A_PORT_SM_LID])
		p->sm_lid = nla_get_u32(tb[FABSIM_A_PORT_SM_LID]);
	if (tb[FABSIM_A_PORT_STALLS])
		p->stalls = nla_get_u64(tb[FABSIM_A_PORT_STALLS]);
	p->credits = tb[FABSIM_A_PORT_CREDITS];
	return 0;
}

int subnet_port(struct fab_nl *nl, const char *name, struct subnet_port *p)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_PORT_GET);

	memset(p, 0, sizeof(*p));
	nla_put_string(msg, FABSIM_A_PORT_NAME, name);
	return fab_nl_ask(nl, msg, FABSIM_A_PORT_MAX, read_port, p);
}

const char *subnet_state_name(uint32_t state)
{
	static const char *const names[] = { "?", "DOWN", "INIT", "ARMED", "ACTIVE" };

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

struct lookup {
	uint32_t lid;
	bool found;
	char port[FABSIM_PORT_NAME_MAX + 1];
};

static int read_route(struct nlattr **tb, void *arg)
{
	struct lookup *l = arg;

	if (!tb[FABSIM_A_LFT_LID] || nla_get_u32(tb[FABSIM_A_LFT_LID]) != l->lid)
		return 0;
	l->found = true;
	if (tb[FABSIM_A_LFT_PORT])
		nla_strlcpy(l->port, tb[FABSIM_A_LFT_PORT], sizeof(l->port));
	return 0;
}

static bool lookup(struct fab_nl *nl, const char *node, struct lookup *l)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_LFT_GET);

	nla_put_string(msg, FABSIM_A_LFT_NODE, node);
	return !fab_nl_dump(nl, msg, FABSIM_A_LFT_MAX, read_route, l) && l->found;
}

bool subnet_cable(struct fab_nl *nl, const char *from, const char *to, char *link,
		  size_t len)
{
	struct fab_port_info port;
	struct subnet_port far;
	char name[FABSIM_PORT_NAME_MAX + 1];
	struct lookup l = { };

	snprintf(name, sizeof(name), "%s-ib", to);
	if (subnet_port(nl, name, &far))
		return false;
	l.lid = far.lid;
	snprintf(name, sizeof(name), "%s-ib", from);
	if (fab_port_get(nl, name, &port) || !port.peer[0])
		return false;
	port.peer[strcspn(port.peer, ":")] = '\0';
	if (!lookup(nl, port.peer, &l) || !l.port[0] || fab_port_get(nl, l.port, &port))
		return false;
	snprintf(link, len, "%s", port.link);
	return port.link[0];
}

bool subnet_routes(struct fab_nl *nl, const char *node, uint32_t lid)
{
	struct lookup l = { .lid = lid };

	return lookup(nl, node, &l);
}

bool subnet_value_known(const char *value)
{
	return !strcmp(value, "on") || !strcmp(value, "off") || !strcmp(value, "stop");
}

/* The first InfiniBand switch; false if there is none. */
static bool first_switch(struct fab_nl *nl, char *name, size_t len)
{
	struct fab_node_info *list;
	bool found = false;
	size_t n;

	if (fab_node_list(nl, &list, &n))
		return false;
	for (size_t i = 0; !found && i < n; i++) {
		found = list[i].kind == FABSIM_NODE_IB_SWITCH;
		if (found)
			snprintf(name, len, "%s", list[i].name);
	}
	free(list);
	return found;
}

static int start(struct fab_nl *nl)
{
	char name[FABSIM_NODE_NAME_MAX + 1];
	struct subnet_managers m;
	struct nl_msg *msg;
	int ret;

	if (!first_switch(nl, name, sizeof(name)) ||
	    (!subnet_managers(nl, &m) && m.running))
		return FAB_OK;
	msg = fab_nl_msg(nl, FABSIM_CMD_SM_START);
	nla_put_string(msg, FABSIM_A_SM_NODE, name);
	ret = fab_nl_change(nl, msg, "subnet manager in %s", name);
	if (!ret)
		subnet_wait(nl);
	return ret;
}

int subnet_set(struct fab_nl *nl, const char *value)
{
	struct nl_msg *msg;

	if (!strcmp(value, "on"))
		return start(nl);
	msg = fab_nl_msg(nl, FABSIM_CMD_SM_STOP);
	if (!strcmp(value, "off"))
		nla_put_flag(msg, FABSIM_A_SM_COLD);
	return fab_nl_change(nl, msg, "subnet manager");
}

static bool all_active(struct fab_nl *nl)
{
	struct fab_port_info *list;
	struct fab_node_info node;
	struct subnet_port p;
	bool all = true;
	size_t n;

	if (fab_port_list(nl, NULL, &list, &n))
		return true;
	for (size_t i = 0; all && i < n; i++) {
		if (list[i].kind != FABSIM_PORT_KIND_IB ||
		    list[i].state != FABSIM_PORT_FORWARDING ||
		    fab_node_get(nl, list[i].node, &node) ||
		    node.kind != FABSIM_NODE_HOST || !node.live)
			continue;
		all = !subnet_port(nl, list[i].name, &p) && p.state == FABSIM_IB_ACTIVE;
	}
	free(list);
	return all;
}

void subnet_wait(struct fab_nl *nl)
{
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000 };

	for (int ms = 0; ms < WAIT_MS && !all_active(nl); ms += LOOK_MS)
		nanosleep(&look, NULL);
}
