// SPDX-License-Identifier: GPL-2.0
/*
 * Subnet managers of the lab. One is asked to start, and the subnet is up some
 * milliseconds later, or, if it is large, some seconds: who built a lab, or started
 * one, waits for that, since without it no InfiniBand program would find its way.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"
#include "lab_sm.h"
#include "output.h"

#define SWEEP_MS	10000		/* defaults of the module */
#define POLL_MS		1000
#define LOOK_US		5000
#define WAIT_NS		30000000000ULL	/* and a second for each 100 nodes */
#define ACTIVE_NS	2000000000ULL	/* ports may be of a subnet without a manager */

int lab_sm_start(struct fab_nl *nl, const char *sw, uint32_t priority, bool may_run)
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

int lab_sm_wait(struct fab_nl *nl)
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
