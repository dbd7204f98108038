// SPDX-License-Identifier: GPL-2.0
/*
 * Events, on a socket of their own so that no answer waits behind them; and
 * the names of the module's enums.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "array.h"
#include "compiler.h"
#include "cmd.h"
#include "nl.h"

struct fab_events {
	struct nl_sock *sock;
	int family;
	char *buf;
	size_t size;
	struct nlmsghdr *next;	/* not yet read of what buf holds */
	int left;
};

struct fab_events *fab_events_open(struct fab_nl *nl)
{
	struct fab_events *ev = calloc(1, sizeof(*ev));
	int group;

	if (!ev)
		goto err;
	ev->family = nl->family;
	ev->size = 64 << 10;
	ev->buf = malloc(ev->size);
	ev->sock = nl_socket_alloc();
	if (!ev->buf || !ev->sock || genl_connect(ev->sock))
		goto err;
	group = genl_ctrl_resolve_grp(ev->sock, FABSIM_GENL_NAME,
				      FABSIM_MCGRP_EVENTS);
	if (group < 0 || nl_socket_add_membership(ev->sock, group))
		goto err;
	fab_nl_big_buffer(nl_socket_get_fd(ev->sock));
	return ev;

err:
	fab_err("cannot listen to the fabric's events");
	exit(FAB_ENV);
}

void fab_events_close(struct fab_events *ev)
{
	if (!ev)
		return;
	if (ev->sock)
		nl_socket_free(ev->sock);
	free(ev->buf);
	free(ev);
}

int fab_events_fd(const struct fab_events *ev)
{
	return nl_socket_get_fd(ev->sock);
}

static void get_name(struct nlattr *a, char *to, size_t size)
{
	to[0] = '\0';
	if (a)
		nla_strlcpy(to, a, size);
}

static uint32_t get_u32(struct nlattr *a)
{
	return a && nla_len(a) >= 4 ? nla_get_u32(a) : 0;
}

static uint64_t get_u64(struct nlattr *a)
{
	return a && nla_len(a) >= 8 ? nla_get_u64(a) : 0;
}

static void read_event(struct nlattr **tb, struct fab_event_info *i)
{
	struct nlattr *mac = tb[FABSIM_A_EVENT_MAC];

	memset(i, 0, sizeof(*i));
	i->type = get_u32(tb[FABSIM_A_EVENT_TYPE]);
	i->time = get_u64(tb[FABSIM_A_EVENT_TIME]);
	i->packet = get_u64(tb[FABSIM_A_EVENT_PACKET]);
	i->reason = get_u32(tb[FABSIM_A_EVENT_REASON]);
	i->len = get_u32(tb[FABSIM_A_EVENT_LEN]);
	get_name(tb[FABSIM_A_EVENT_NAME], i->name, sizeof(i->name));
	get_name(tb[FABSIM_A_EVENT_PEER], i->peer, sizeof(i->peer));
	i->has_mac = mac && nla_len(mac) >= 6;
	if (i->has_mac)
		memcpy(i->mac, nla_data(mac), 6);
}

/* 1 if the next message in the buffer was an event. */
static int next_in_buffer(struct fab_events *ev, struct fab_event_info *info)
{
	struct nlattr *tb[FABSIM_A_EVENT_MAX + 1];
	struct nlmsghdr *h;

	while (nlmsg_ok(ev->next, ev->left)) {
		h = ev->next;
		ev->next = nlmsg_next(h, &ev->left);
		if (h->nlmsg_type != ev->family ||
		    genlmsg_parse(h, 0, tb, FABSIM_A_EVENT_MAX, NULL))
			continue;
		read_event(tb, info);
		return 1;
	}
	ev->left = 0;
	return 0;
}

int fab_events_next(struct fab_events *ev, struct fab_event_info *info,
		    int timeout_ms)
{
	struct pollfd p = { .fd = fab_events_fd(ev), .events = POLLIN };
	ssize_t n;
	int ret;

	for (;;) {
		if (ev->left > 0 && next_in_buffer(ev, info))
			return 1;
		ret = poll(&p, 1, timeout_ms);
		if (ret <= 0)
			return ret ? -errno : 0;
		n = recv(p.fd, ev->buf, ev->size, MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN)
			return -errno;
		ev->next = (struct nlmsghdr *)ev->buf;
		ev->left = n > 0 ? n : 0;
	}
}

static const char *name_of(const char *const *table, size_t n, uint32_t i)
{
	return i < n && table[i] ? table[i] : "unknown";
}

const char *fab_node_kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[FABSIM_NODE_HOST] = "host",
		[FABSIM_NODE_ETH_SWITCH] = "eth-switch",
		[FABSIM_NODE_IB_SWITCH] = "ib-switch",
	};
	static_assert(ARRAY_SIZE(names) == FABSIM_NODE_KIND_MAX + 1,
		      "a kind has no name");

	return name_of(names, ARRAY_SIZE(names), kind);
}

const char *fab_port_state_name(uint32_t state)
{
	static const char *const names[] = {
		[FABSIM_PORT_UNCABLED] = "uncabled",
		[FABSIM_PORT_DOWN] = "down",
		[FABSIM_PORT_BLOCKING] = "blocking",
		[FABSIM_PORT_FORWARDING] = "forwarding",
	};

	return name_of(names, ARRAY_SIZE(names), state);
}

const char *fab_ib_state_name(uint32_t i)
{
	static const char *const names[] = {
		[FABSIM_IB_NOP] = "unknown",
		[FABSIM_IB_DOWN] = "down",
		[FABSIM_IB_INIT] = "init",
		[FABSIM_IB_ARMED] = "armed",
		[FABSIM_IB_ACTIVE] = "active",
	};
	static_assert(ARRAY_SIZE(names) == FABSIM_IB_MAX + 1, "a value has no name");

	return name_of(names, ARRAY_SIZE(names), i);
}

const char *fab_sm_state_name(uint32_t i)
{
	static const char *const names[] = {
		[FABSIM_SM_NOT_ACTIVE] = "not-active",
		[FABSIM_SM_DISCOVERING] = "discovering",
		[FABSIM_SM_STANDBY] = "standby",
		[FABSIM_SM_MASTER] = "master",
	};
	static_assert(ARRAY_SIZE(names) == FABSIM_SM_MAX + 1, "a value has no name");

	return name_of(names, ARRAY_SIZE(names), i);
}

const char *fab_routing_name(uint32_t i)
{
	static const char *const names[] = {
		[FABSIM_ROUTING_MIN_HOP] = "min-hop",
		[FABSIM_ROUTING_UPDN] = "updn",
	};
	static_assert(ARRAY_SIZE(names) == FABSIM_ROUTING_MAX + 1, "a value has no name");

	return name_of(names, ARRAY_SIZE(names), i);
}

const char *fab_qp_type_name(uint32_t i)
{
	static const char *const names[] = {
		[FABSIM_QP_TYPE_SMI] = "smi",
		[FABSIM_QP_TYPE_GSI] = "gsi",
		[FABSIM_QP_TYPE_RC] = "rc",
		[FABSIM_QP_TYPE_UC] = "uc",
		[FABSIM_QP_TYPE_UD] = "ud",
	};
	static_assert(ARRAY_SIZE(names) == FABSIM_QP_TYPE_MAX + 1, "a value has no name");

	return name_of(names, ARRAY_SIZE(names), i);
}

const char *fab_qp_state_name(uint32_t i)
{
	static const char *const names[] = {
		[FABSIM_QP_RESET] = "RESET",
		[FABSIM_QP_INIT] = "INIT",
		[FABSIM_QP_RTR] = "RTR",
		[FABSIM_QP_RTS] = "RTS",
		[FABSIM_QP_SQD] = "SQD",
		[FABSIM_QP_SQE] = "SQE",
		[FABSIM_QP_ERR] = "ERR",
	};
	static_assert(ARRAY_SIZE(names) == FABSIM_QP_MAX + 1, "a value has no name");

	return name_of(names, ARRAY_SIZE(names), i);
}

const char *fab_fabric_state_name(uint32_t state)
{
	static const char *const names[] = {
		[FABSIM_FABRIC_EMPTY] = "empty",
		[FABSIM_FABRIC_BUILDING] = "building",
		[FABSIM_FABRIC_READY] = "ready",
	};

	return name_of(names, ARRAY_SIZE(names), state);
}

const char *fab_drop_name(uint32_t reason)
{
	static const char *const names[] = {
		[FABSIM_DROP_UNSPEC] = "unspecified",
		[FABSIM_DROP_CONGESTION] = "congestion",
		[FABSIM_DROP_BIT_ERROR] = "bit_error",
		[FABSIM_DROP_LOSS] = "loss",
		[FABSIM_DROP_LINK_DOWN] = "link_down",
		[FABSIM_DROP_NO_ROUTE] = "no_route",
		[FABSIM_DROP_MTU] = "mtu",
		[FABSIM_DROP_NO_BUFFER] = "no_buffer",
		[FABSIM_DROP_NO_MEMORY] = "no_memory",
		[FABSIM_DROP_FILTERED] = "filtered",
		[FABSIM_DROP_RESET] = "reset",
		[FABSIM_DROP_PKEY] = "pkey",
	};
	static_assert(ARRAY_SIZE(names) == FABSIM_DROP_MAX + 1,
		      "a reason has no name");

	return name_of(names, ARRAY_SIZE(names), reason);
}

const char *fab_event_name(uint32_t type)
{
	static const char *const names[] = {
		[FABSIM_EVENT_UNSPEC] = "unspecified",
		[FABSIM_EVENT_NODE_NEW] = "node-new",
		[FABSIM_EVENT_NODE_DEL] = "node-del",
		[FABSIM_EVENT_LINK_NEW] = "link-new",
		[FABSIM_EVENT_LINK_DEL] = "link-del",
		[FABSIM_EVENT_LINK_UP] = "link-up",
		[FABSIM_EVENT_LINK_DOWN] = "link-down",
		[FABSIM_EVENT_FROZEN] = "frozen",
		[FABSIM_EVENT_THAWED] = "thawed",
		[FABSIM_EVENT_RESET] = "reset",
		[FABSIM_EVENT_LEARNED] = "learned",
		[FABSIM_EVENT_FLOODED] = "flooded",
		[FABSIM_EVENT_DROPPED] = "dropped",
		[FABSIM_EVENT_HOP] = "hop",
		[FABSIM_EVENT_GEN_DONE] = "gen-done",
		[FABSIM_EVENT_BYE] = "bye",
		[FABSIM_EVENT_SM_STARTED] = "sm-started",
		[FABSIM_EVENT_SM_STOPPED] = "sm-stopped",
		[FABSIM_EVENT_SUBNET_UP] = "subnet-up",
	};
	static_assert(ARRAY_SIZE(names) == FABSIM_EVENT_MAX + 1,
		      "an event has no name");

	return name_of(names, ARRAY_SIZE(names), type);
}

const char *fab_fault_dir_name(uint32_t dir)
{
	static const char *const names[] = {
		[FABSIM_FAULT_BOTH] = "both",
		[FABSIM_FAULT_A_TO_B] = "a-b",
		[FABSIM_FAULT_B_TO_A] = "b-a",
	};

	return name_of(names, ARRAY_SIZE(names), dir);
}

const char *fab_stall_name(uint32_t stall)
{
	static const char *const names[] = {
		"none", "rx-at-A", "rx-at-B", "both"
	};

	return name_of(names, ARRAY_SIZE(names), stall);
}
