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
#include "param.h"
#include "units.h"

static int nothing_set(enum param_of of)
{
	return fab_usage("what shall be set? There are: %s", param_keys(of));
}

static int set_link(struct fab_nl *nl, const char *name, int argc, char **argv)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_LINK_SET);
	int err;

	nla_put_string(msg, FABSIM_A_LINK_NAME, name);
	if (param_put_all(msg, PARAM_LINK, argc, argv)) {
		nlmsg_free(msg);
		return FAB_USAGE;
	}
	err = fab_nl_do(nl, msg);
	return err ? fab_nl_fail(nl, err, "link %s", name) : FAB_OK;
}

static int set_port(struct fab_nl *nl, const char *name, int argc, char **argv)
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
	return set_link(nl, p.link, argc, argv);
}

static int set_switch(struct fab_nl *nl, const char *name, int argc, char **argv)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_NODE_SET);
	int err;

	nla_put_string(msg, FABSIM_A_NODE_NAME, name);
	if (param_put_all(msg, PARAM_SWITCH, argc, argv)) {
		nlmsg_free(msg);
		return FAB_USAGE;
	}
	err = fab_nl_do(nl, msg);
	return err ? fab_nl_fail(nl, err, "switch %s", name) : FAB_OK;
}

static int set_host(struct fab_nl *nl, const char *name, int argc, char **argv)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_NODE_SET);
	int err;

	nla_put_string(msg, FABSIM_A_NODE_NAME, name);
	if (param_put_all(msg, PARAM_HOST, argc, argv)) {
		nlmsg_free(msg);
		return FAB_USAGE;
	}
	err = fab_nl_do(nl, msg);
	return err ? fab_nl_fail(nl, err, "host %s", name) : FAB_OK;
}

static int set_fabric(struct fab_nl *nl, int argc, char **argv)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_FABRIC_SET);
	int err;

	if (param_put_all(msg, PARAM_FABRIC, argc, argv)) {
		nlmsg_free(msg);
		return FAB_USAGE;
	}
	err = fab_nl_do(nl, msg);
	return err ? fab_nl_fail(nl, err, "fabric") : FAB_OK;
}

static const struct kind {
	const char *name;
	enum param_of of;
	int (*set)(struct fab_nl *nl, const char *name, int argc, char **argv);
} kinds[] = {
	{ "link", PARAM_LINK, set_link },
	{ "port", PARAM_LINK, set_port },
	{ "switch", PARAM_SWITCH, set_switch },
	{ "host", PARAM_HOST, set_host },
};

static const struct kind *find_kind(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

int cmd_set(int argc, char **argv)
{
	const struct kind *k;
	struct fab_nl *nl;
	int ret;

	argc = fab_getopts(argc, argv, NULL);
	if (argc < 0)
		return FAB_USAGE;
	if (argc < 2)
		return fab_usage("set what?");
	k = find_kind(argv[1]);
	if (!k && strcmp(argv[1], "fabric"))
		return fab_usage("cannot set a \"%s\": link, port, switch, host or fabric",
				 argv[1]);
	if (k && argc < 3)
		return fab_usage("which %s?", argv[1]);
	if (argc < (k ? 4 : 3))
		return nothing_set(k ? k->of : PARAM_FABRIC);
	nl = fab_nl_open();
	if (!nl)
		return FAB_ENV;
	ret = k ? k->set(nl, argv[2], argc - 3, argv + 3) :
		  set_fabric(nl, argc - 2, argv + 2);
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

static int link_add(struct fab_nl *nl, int argc, char **argv)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_LINK_NEW);
	int ret, err, skip = 0;

	ret = put_end(msg, argv[0], FABSIM_A_LINK_A_NODE, FABSIM_A_LINK_A_PORT);
	if (!ret)
		ret = put_end(msg, argv[1], FABSIM_A_LINK_B_NODE,
			      FABSIM_A_LINK_B_PORT);
	if (argc > 2 && !strncmp(argv[2], "name=", 5)) {
		nla_put_string(msg, FABSIM_A_LINK_NAME, argv[2] + 5);
		skip = 1;
	}
	if (!ret)
		ret = param_put_all(msg, PARAM_LINK, argc - 2 - skip,
				    argv + 2 + skip);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	err = fab_nl_do(nl, msg);
	return err ? fab_nl_fail(nl, err, "link %s - %s", argv[0], argv[1]) :
		     FAB_OK;
}

static int link_del(struct fab_nl *nl, const char *name)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_LINK_DEL);
	int err;

	nla_put_string(msg, FABSIM_A_LINK_NAME, name);
	err = fab_nl_do(nl, msg);
	return err ? fab_nl_fail(nl, err, "link %s", name) : FAB_OK;
}

static int link_updown(struct fab_nl *nl, const char *name, bool up)
{
	char arg[8], *argv[] = { arg };

	strcpy(arg, up ? "up=yes" : "up=no");
	return set_link(nl, name, 1, argv);
}

int cmd_link(int argc, char **argv)
{
	const char *what;
	struct fab_nl *nl;
	int ret;

	argc = fab_getopts(argc, argv, NULL);
	if (argc < 0)
		return FAB_USAGE;
	what = argc > 1 ? argv[1] : "";
	if (strcmp(what, "add") && strcmp(what, "del") && strcmp(what, "up") &&
	    strcmp(what, "down"))
		return fab_usage("link up, down, add or del?");
	if (argc < (strcmp(what, "add") ? 3 : 4))
		return fab_usage("which link?");
	if (argc > 3 && strcmp(what, "add"))
		return fab_usage("\"%s\" is not expected here", argv[3]);
	nl = fab_nl_open();
	if (!nl)
		return FAB_ENV;
	if (!strcmp(what, "add"))
		ret = link_add(nl, argc - 2, argv + 2);
	else if (!strcmp(what, "del"))
		ret = link_del(nl, argv[2]);
	else
		ret = link_updown(nl, argv[2], !strcmp(what, "up"));
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

	argc = fab_getopts(argc, argv, opts);
	if (argc < 0)
		return FAB_USAGE;
	if (argc < 2 || (strcmp(argv[1], "add") && strcmp(argv[1], "del")))
		return fab_usage("host add or del?");
	add = !strcmp(argv[1], "add");
	if (argc != 3)
		return fab_usage(argc < 3 ? "which host?" : "one host at a time");
	if (!add && sw)
		return fab_usage("--switch goes with \"host add\"");
	return add ? lab_host_add(argv[2], sw) : lab_host_del(argv[2]);
}
