// SPDX-License-Identifier: GPL-2.0
/*
 * The subnet and its managers; see subnet.h. One is asked to start, and the subnet
 * is up some milliseconds later, or, if it is large, some seconds: who built a lab,
 * or started one, waits for that, since without it no InfiniBand program would find
 * its way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cmd.h"
#include "lab_state.h"
#include "subnet.h"
#include "topology.h"

#define SWEEP_MS	10000		/* defaults of the module */
#define POLL_MS		1000
#define LOOK_US		5000
#define WAIT_NS		30000000000ULL	/* and a second for each 100 nodes */
#define ACTIVE_NS	2000000000ULL	/* ports may be of a subnet without a manager */

int subnet_managers(struct fab_nl *nl, struct subnet_managers *m)
{
	struct fab_sm_info *list;
	size_t n;
	int err;

	memset(m, 0, sizeof(*m));
	err = fab_sm_list(nl, NULL, &list, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (!list[i].running)
			continue;
		m->running++;
		if (list[i].state == FABSIM_SM_MASTER)
			snprintf(m->master, sizeof(m->master), "%s", list[i].node);
		else if (list[i].state == FABSIM_SM_STANDBY)
			snprintf(m->standby, sizeof(m->standby), "%s", list[i].node);
	}
	free(list);
	return 0;
}

int subnet_port(struct fab_nl *nl, const char *host, struct fab_port_info *p)
{
	char name[FABSIM_NODE_NAME_MAX + 8];

	snprintf(name, sizeof(name), "%s-ib", host);
	return fab_port_get(nl, name, p);
}

const char *subnet_state_name(uint32_t state)
{
	static const char *const names[] = { "?", "DOWN", "INIT", "ARMED", "ACTIVE" };

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

bool subnet_route(struct fab_nl *nl, const char *sw, uint32_t lid,
		  char port[FABSIM_PORT_NAME_MAX + 1])
{
	struct fab_lft_info *list;
	bool found = false;
	size_t n;

	if (fab_lft_list(nl, sw, &list, &n))
		return false;
	for (size_t i = 0; !found && i < n; i++) {
		found = list[i].lid == lid;
		if (found)
			strcpy(port, list[i].port);
	}
	free(list);
	return found;
}

bool subnet_cable(struct fab_nl *nl, const char *from, const char *to, char *link,
		  size_t len)
{
	char sw[FABSIM_PORT_NAME_MAX + 1], name[FABSIM_PORT_NAME_MAX + 1];
	struct fab_port_info near, far, out;

	if (subnet_port(nl, from, &near) || subnet_port(nl, to, &far) || !near.peer[0])
		return false;
	snprintf(sw, sizeof(sw), "%.*s", (int)strcspn(near.peer, ":"), near.peer);
	if (!subnet_route(nl, sw, far.lid, name) || !name[0] || fab_port_get(nl, name, &out))
		return false;
	snprintf(link, len, "%s", out.link);
	return out.link[0];
}

/* ---- start and stop ---- */

int subnet_start(struct fab_nl *nl, const char *sw, uint32_t priority, bool may_run)
{
	struct fab_sm_info *list;
	bool running = false;
	struct nl_msg *msg;
	size_t n;

	if (may_run && !fab_sm_list(nl, sw, &list, &n)) {
		running = n && list[0].running;
		free(list);
	}
	msg = fab_nl_msg(nl, running ? FABSIM_CMD_SM_SET : FABSIM_CMD_SM_START);
	nla_put_string(msg, FABSIM_A_SM_NODE, sw);
	nla_put_u32(msg, FABSIM_A_SM_PRIORITY, priority);
	if (running) {
		/* What one that starts has by itself. */
		nla_put_u32(msg, FABSIM_A_SM_LMC, 0);
		nla_put_u32(msg, FABSIM_A_SM_ROUTING, FABSIM_ROUTING_MIN_HOP);
		nla_put_u32(msg, FABSIM_A_SM_SWEEP, SWEEP_MS);
		nla_put_u32(msg, FABSIM_A_SM_POLL, POLL_MS);
	}
	return fab_nl_change(nl, msg, "subnet manager in %s", sw);
}

struct recorded {
	struct fab_nl *nl;
	unsigned int n;
};

/* @line: a setting of the topology: "sm is1 priority=1". */
static int start_recorded(char *line, void *arg)
{
	struct recorded *r = arg;
	unsigned int priority;
	char name[32];

	if (sscanf(line, "sm %31s priority=%u", name, &priority) != 2)
		return 0;
	r->n++;
	return subnet_start(r->nl, name, priority, true);
}

int subnet_start_usual(struct fab_nl *nl)
{
	struct recorded r = { .nl = nl };
	struct fab_sm_info *list;
	struct lab_state state;
	int ret = FAB_OK, err;
	size_t n;

	if (!lab_state_load(&state)) {
		ret = lab_state_each_setting(&state, start_recorded, &r);
		lab_state_put(&state);
	}
	if (ret || r.n)
		return ret;
	err = fab_sm_list(nl, NULL, &list, &n);
	if (err)
		return fab_nl_fail(nl, err, "subnet managers");
	if (n) {
		ret = subnet_start(nl, list[0].node, TOPO_SM_PRIORITY, true);
	} else {
		fab_err("the lab has no InfiniBand switch for a subnet manager to run in");
		ret = FAB_USAGE;
	}
	free(list);
	return ret;
}

int subnet_stop(struct fab_nl *nl, const char *sw, bool cold)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_SM_STOP);

	if (sw)
		nla_put_string(msg, FABSIM_A_SM_NODE, sw);
	if (cold)
		nla_put_flag(msg, FABSIM_A_SM_COLD);
	return fab_nl_change(nl, msg, "sm stop");
}

bool subnet_value_known(const char *value)
{
	return !strcmp(value, "on") || !strcmp(value, "off") || !strcmp(value, "stop");
}

int subnet_set(struct fab_nl *nl, const char *value)
{
	struct subnet_managers m;
	struct fab_sm_info *list;
	size_t n;

	if (strcmp(value, "on"))
		return subnet_stop(nl, NULL, !strcmp(value, "off"));
	if (!subnet_managers(nl, &m) && m.running)
		return FAB_OK;
	/* A lab of Ethernet alone needs none. */
	if (fab_sm_list(nl, NULL, &list, &n))
		return FAB_OK;
	free(list);
	return n ? subnet_start_usual(nl) : FAB_OK;
}

struct looked_for {
	const char *node;
	bool recorded, any;
};

static int is_recorded(char *line, void *arg)
{
	struct looked_for *l = arg;
	unsigned int priority;
	char name[32];

	if (sscanf(line, "sm %31s priority=%u", name, &priority) == 2) {
		l->any = true;
		l->recorded |= !strcmp(name, l->node);
	}
	return 0;
}

int subnet_stop_unrecorded(struct fab_nl *nl, const struct lab_state *state)
{
	struct fab_sm_info *list;
	int ret = FAB_OK;
	size_t n;

	if (fab_sm_list(nl, NULL, &list, &n))
		return FAB_OK;
	for (size_t i = 0; !ret && i < n; i++) {
		struct looked_for l = { .node = list[i].node };

		if (!list[i].running)
			continue;
		ret = lab_state_each_setting(state, is_recorded, &l);
		if (!ret && l.any && !l.recorded)
			ret = subnet_stop(nl, list[i].node, false);
	}
	free(list);
	return ret;
}

/* ---- until it is up ---- */

int subnet_wait_master(struct fab_nl *nl)
{
	const uint64_t begin = fab_real_ns();
	struct subnet_managers m;

	while (!subnet_managers(nl, &m) && m.running && !m.master[0]) {
		if (fab_real_ns() - begin > WAIT_NS) {
			fab_err("no subnet manager has become master: fabctl show sm");
			return FAB_ENV;
		}
		usleep(LOOK_US);
	}
	return FAB_OK;
}

/* 1: all are; 0: not yet; -errno. */
static int settled(struct fab_nl *nl, unsigned int *running)
{
	struct fab_sm_info *list;
	int err, all = 1;
	size_t n, i;

	err = fab_sm_list(nl, NULL, &list, &n);
	if (err)
		return err;
	*running = 0;
	for (i = 0; i < n; i++) {
		if (!list[i].running)
			continue;
		(*running)++;
		if (list[i].state != FABSIM_SM_STANDBY && !list[i].up)
			all = 0;
	}
	free(list);
	return all;
}

/* Ports whose link is up, and that are not active; -errno. */
static int not_active(struct fab_nl *nl)
{
	struct fab_port_info *list;
	int err, count = 0;
	size_t n, i;

	err = fab_port_list(nl, NULL, &list, &n);
	if (err)
		return err;
	for (i = 0; i < n; i++)
		if (list[i].kind == FABSIM_PORT_KIND_IB &&
		    list[i].state == FABSIM_PORT_FORWARDING &&
		    list[i].ib_state != FABSIM_IB_ACTIVE)
			count++;
	free(list);
	return count;
}

static int wait_settled(struct fab_nl *nl, uint64_t limit, unsigned int *running)
{
	uint64_t begin = fab_real_ns();
	int ret;

	for (;;) {
		ret = settled(nl, running);
		if (ret < 0)
			return fab_nl_fail(nl, ret, "subnet managers");
		if (ret)
			return FAB_OK;
		if (fab_real_ns() - begin > limit)
			break;
		usleep(LOOK_US);
	}
	fab_err("the InfiniBand subnet is not up after %llu s: fabctl show sm",
		(unsigned long long)(limit / 1000000000));
	return FAB_ENV;
}

int subnet_wait(struct fab_nl *nl)
{
	struct fab_fabric_info f = { 0 };
	unsigned int running = 0;
	uint64_t begin;
	int ret, n;

	fab_fabric_get(nl, &f);
	if (f.frozen)
		return FAB_OK;
	ret = wait_settled(nl, WAIT_NS + f.nodes * 10000000ULL, &running);
	if (ret || !running)
		return ret;
	for (begin = fab_real_ns();; usleep(LOOK_US)) {
		n = not_active(nl);
		if (n < 0)
			return fab_nl_fail(nl, n, "ports");
		if (!n || fab_real_ns() - begin > ACTIVE_NS)
			break;
	}
	if (n)
		fab_note("%d InfiniBand ports are not active: fabctl show ports", n);
	return FAB_OK;
}
