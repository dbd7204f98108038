// SPDX-License-Identifier: GPL-2.0
/* set, link, host: changes to a lab that is up. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "lab.h"
#include "nl.h"
#include "output.h"
#include "param.h"
#include "units.h"

static const struct kind {
	const char *name;
	enum param_of of;
	enum fabsim_cmd cmd;
	int name_attr;		/* 0: there is only one */
} kinds[] = {
	{ "link", PARAM_LINK, FABSIM_CMD_LINK_SET, FABSIM_A_LINK_NAME },
	{ "port", PARAM_LINK, FABSIM_CMD_LINK_SET, FABSIM_A_LINK_NAME },
	{ "switch", PARAM_SWITCH, FABSIM_CMD_NODE_SET, FABSIM_A_NODE_NAME },
	{ "host", PARAM_HOST, FABSIM_CMD_NODE_SET, FABSIM_A_NODE_NAME },
	{ "sm", PARAM_SM, FABSIM_CMD_SM_SET, FABSIM_A_SM_NODE },
	{ "fabric", PARAM_FABRIC, FABSIM_CMD_FABRIC_SET, 0 },
};

static const struct kind *find_kind(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static int set_values(struct fab_nl *nl, const struct kind *k, const char *name,
		      int argc, char **argv)
{
	struct nl_msg *msg = fab_nl_msg(nl, k->cmd);

	if (k->name_attr)
		nla_put_string(msg, k->name_attr, name);
	if (param_put_all(msg, k->of, argc, argv)) {
		nlmsg_free(msg);
		return FAB_USAGE;
	}
	return fab_nl_change(nl, msg, "%s%s%s", k->name, *name ? " " : "", name);
}

/* A port's settings are those of the link that is plugged into it. */
static int set_port(struct fab_nl *nl, const struct kind *k, const char *name,
		    int argc, char **argv)
{
	struct fab_port_info p;
	int err;

	err = fab_port_get(nl, name, &p);
	if (err)
		return fab_nl_fail(nl, err, "port %s", name);
	if (!p.link[0]) {
		fab_err("port %s: no cable is plugged in", name);
		return FAB_USAGE;
	}
	return set_values(nl, k, p.link, argc, argv);
}

static const char ib_is_lossless[] =
	"InfiniBand has no switch for that. A port sends only what the\n"
	"port at the other end of the cable has room for: it must have been given\n"
	"credits first. That is how the link works (InfiniBand 7.9), not a\n"
	"setting beside it, and so no packet is ever dropped for want of a buffer. On\n"
	"Ethernet it is the other way round: lossy, until somebody switches PFC on at\n"
	"every port on the way.\n"
	"See: fabctl show ports -v (credits, waits)";
static const char eth_is_lossy[] =
	"Ethernet is lossy here: its switches have no PFC and no ECN in this version";

static int set_lossless(int argc, char **argv, const char *net)
{
	bool on;

	if (argc != 3 || (strcmp(argv[2], "on") && strcmp(argv[2], "off")))
		return fab_usage("lossless on or off?");
	if (net && strcmp(net, "eth") && strcmp(net, "ib"))
		return fab_usage("--net %s: eth, ib", net);
	on = !strcmp(argv[2], "on");
	/* Each network is what it is; only the other way round is refused. */
	if (on == (net && !strcmp(net, "ib"))) {
		out_text("it is so already: %s\n",
			 on ? "credits, on every link" : "no PFC, no ECN");
		return FAB_OK;
	}
	fab_err("%s", on ? eth_is_lossy : ib_is_lossless);
	return FAB_USAGE;
}

int cmd_set(int argc, char **argv)
{
	const char *net = NULL;
	const struct fab_opt opts[] = {
		{ "--net", NULL, FAB_ARG_STR, &net, 0, 0 },
		{ }
	};
	const struct kind *k;
	struct fab_nl *nl;
	const char *name;
	int ret, at;

	argc = fab_getopts(argc, argv, opts, FAB_ANY);
	if (argc < 0)
		return FAB_USAGE;
	if (argc < 2)
		return fab_usage("set what? link, port, switch, host, sm, fabric or lossless");
	if (!strcmp(argv[1], "lossless"))
		return set_lossless(argc, argv, net);
	if (net)
		return fab_usage("--net goes with \"set lossless\"");
	k = find_kind(argv[1]);
	if (!k)
		return fab_usage("cannot set a \"%s\": link, port, switch, host, sm, fabric "
				 "or lossless", argv[1]);
	at = k->name_attr ? 3 : 2;
	if (argc < at)
		return fab_usage("which %s?", k->of == PARAM_SM ?
				 "switch does it run in" : k->name);
	if (argc == at)
		return fab_usage("what shall be set? There are: %s",
				 param_keys(k->of));
	name = k->name_attr ? argv[2] : "";
	nl = fab_nl_open();
	ret = strcmp(k->name, "port") ?
		      set_values(nl, k, name, argc - at, argv + at) :
		      set_port(nl, k, name, argc - at, argv + at);
	fab_nl_close(nl);
	return ret;
}

/* "es1:3" or "h1" into attributes. */
static int put_end(struct nl_msg *msg, const char *end, int node_attr,
		   int port_attr)
{
	const char *colon = strchr(end, ':');
	char name[FABSIM_NODE_NAME_MAX + 1];
	size_t len = colon ? (size_t)(colon - end) : strlen(end);
	uint64_t port;

	if (!len || len > FABSIM_NODE_NAME_MAX) {
		fab_err("\"%s\" is not the name of a node", end);
		return FAB_USAGE;
	}
	memcpy(name, end, len);
	name[len] = '\0';
	nla_put_string(msg, node_attr, name);
	if (!colon)
		return FAB_OK;
	if (units_get_u64(colon + 1, &port) || !port || port > FABSIM_PORTS_MAX) {
		fab_err("\"%s\": a port is a number, 1 to %d", end,
			FABSIM_PORTS_MAX);
		return FAB_USAGE;
	}
	nla_put_u32(msg, port_attr, port);
	return FAB_OK;
}

/* "name=" is no setting of a link, but stands among them. */
static const char *take_name(int *argc, char **argv)
{
	char *name = NULL;
	int i, n = 0;

	for (i = 0; i < *argc; i++) {
		if (strncmp(argv[i], "name=", 5))
			argv[n++] = argv[i];
		else
			name = argv[i] + 5;
	}
	*argc = n;
	return name;
}

static int link_add(struct fab_nl *nl, int argc, char **argv)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_LINK_NEW);
	const char *name = take_name(&argc, argv);
	int ret;

	ret = put_end(msg, argv[0], FABSIM_A_LINK_A_NODE, FABSIM_A_LINK_A_PORT);
	if (!ret)
		ret = put_end(msg, argv[1], FABSIM_A_LINK_B_NODE,
			      FABSIM_A_LINK_B_PORT);
	if (name)
		nla_put_string(msg, FABSIM_A_LINK_NAME, name);
	if (!ret)
		ret = param_put_all(msg, PARAM_LINK, argc - 2, argv + 2);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	return fab_nl_change(nl, msg, "link %s - %s", argv[0], argv[1]);
}

static int link_del(struct fab_nl *nl, int argc, char **argv)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_LINK_DEL);

	nla_put_string(msg, FABSIM_A_LINK_NAME, argv[0]);
	return fab_nl_change(nl, msg, "link %s", argv[0]);
}

static int link_set_up(struct fab_nl *nl, const char *name, bool up)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_LINK_SET);

	nla_put_string(msg, FABSIM_A_LINK_NAME, name);
	nla_put_u8(msg, FABSIM_A_LINK_UP, up);
	return fab_nl_change(nl, msg, "link %s", name);
}

static int link_up(struct fab_nl *nl, int argc, char **argv)
{
	return link_set_up(nl, argv[0], true);
}

static int link_down(struct fab_nl *nl, int argc, char **argv)
{
	return link_set_up(nl, argv[0], false);
}

static const struct link_verb {
	const char *name;
	int least, most;	/* words behind it */
	int (*fn)(struct fab_nl *nl, int argc, char **argv);
} link_verbs[] = {
	{ "up", 1, 1, link_up },
	{ "down", 1, 1, link_down },
	{ "add", 2, FAB_ANY, link_add },
	{ "del", 1, 1, link_del },
};

static const struct link_verb *find_link_verb(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(link_verbs); i++)
		if (!strcmp(link_verbs[i].name, name))
			return &link_verbs[i];
	return NULL;
}

int cmd_link(int argc, char **argv)
{
	const struct link_verb *v;
	struct fab_nl *nl;
	int ret;

	argc = fab_getopts(argc, argv, NULL, FAB_ANY);
	if (argc < 0)
		return FAB_USAGE;
	v = argc > 1 ? find_link_verb(argv[1]) : NULL;
	if (!v)
		return fab_usage("link up, down, add or del?");
	argc -= 2;
	argv += 2;
	if (argc < v->least)
		return fab_usage(v->least == 1 ? "which link?" :
				 "a cable between which two?");
	if (argc > v->most)
		return fab_usage("\"%s\" is not expected here", argv[v->most]);
	nl = fab_nl_open();
	ret = v->fn(nl, argc, argv);
	fab_nl_close(nl);
	return ret;
}

int cmd_host(int argc, char **argv)
{
	const char *sw = NULL;
	const struct fab_opt opts[] = {
		{ "--switch", "-s", FAB_ARG_STR, &sw, 0, 0 },
		{ }
	};
	bool add;

	argc = fab_getopts(argc, argv, opts, 2);
	if (argc < 0)
		return FAB_USAGE;
	if (argc < 2 || (strcmp(argv[1], "add") && strcmp(argv[1], "del")))
		return fab_usage("host add or del?");
	add = !strcmp(argv[1], "add");
	if (argc < 3)
		return fab_usage("which host?");
	if (!add && sw)
		return fab_usage("--switch goes with \"host add\"");
	return add ? lab_host_add(argv[2], sw) : lab_host_del(argv[2]);
}
