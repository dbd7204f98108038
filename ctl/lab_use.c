// SPDX-License-Identifier: GPL-2.0
/*
 * A lab that is up: its hosts, programs on them, hosts that come and go.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/prctl.h>

#include "cmd.h"
#include "lab.h"
#include "lab_host.h"
#include "lab_state.h"
#include "netns.h"

/* "h1 h2 h3 ...", for complaints. */
static void list_hosts(struct fab_nl *nl, char *to, size_t size)
{
	struct fab_node_info *list;
	size_t n, i, at = 0;

	to[0] = '\0';
	if (fab_node_list(nl, &list, &n))
		return;
	for (i = 0; i < n && at + 16 < size; i++)
		if (list[i].kind == FABSIM_NODE_HOST && list[i].live)
			at += snprintf(to + at, size - at, " %s", list[i].name);
	if (i < n && at + 6 < size)
		strcpy(to + at, " ...");
	free(list);
}

static int no_lab(void)
{
	fab_err(FAB_NO_LAB);
	return FAB_ENV;
}

int lab_is_up(struct fab_nl *nl, struct fab_fabric_info *f)
{
	int err = fab_fabric_get(nl, f);

	if (err)
		return fab_nl_fail(nl, err, "fabric");
	return f->state == FABSIM_FABRIC_EMPTY ? no_lab() : FAB_OK;
}

static int no_such_host(struct fab_nl *nl, const char *name)
{
	char hosts[400];

	list_hosts(nl, hosts, sizeof(hosts));
	if (!hosts[0])
		return no_lab();
	fab_err("no host \"%s\"; there are:%s", name, hosts);
	return FAB_USAGE;
}

static void read_address(const char *text, struct lab_host *h)
{
	const char *slash = strchr(text, '/');

	if (!slash || slash - text >= (int)sizeof(h->ip_str))
		return;
	memcpy(h->ip_str, text, slash - text);
	h->prefix = atoi(slash + 1);
	h->has_ip = inet_pton(AF_INET, h->ip_str, &h->ip) == 1;
}

static int open_netns(struct lab_host *h)
{
	if (h->netns_init)
		h->netns = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);
	else
		h->netns = netns_open(h->name);
	if (h->netns >= 0)
		return FAB_OK;
	fab_err("host %s has lost its namespace: \"fabctl down\" and \"fabctl up\" make it new",
		h->name);
	return FAB_ENV;
}

static int host_info(struct fab_nl *nl, const char *name, struct lab_host *h)
{
	struct lab_state_host sh;
	struct fab_node_info n;
	struct lab_state s;
	int err;

	err = fab_node_get(nl, name, &n);
	if (err == -ENOENT || err == -EINVAL || err == -ERANGE ||
	    (!err && n.kind != FABSIM_NODE_HOST))
		return no_such_host(nl, name);
	if (err)
		return fab_nl_fail(nl, err, "host %s", name);
	if (!n.live) {
		fab_err("%s is a ghost host: it has no interface and runs no programs",
			name);
		return FAB_USAGE;
	}
	snprintf(h->name, sizeof(h->name), "%s", n.name);
	snprintf(h->ifname, sizeof(h->ifname), "%s", n.ifname);
	h->ifindex = n.ifindex;
	memcpy(h->mac, n.mac, sizeof(h->mac));
	if (!lab_state_load(&s)) {
		if (lab_state_host(&s, name, &sh)) {
			h->netns_init = sh.init;
			read_address(sh.address, h);
		}
		lab_state_put(&s);
	}
	return open_netns(h);
}

int lab_host_info(const char *name, struct lab_host *h)
{
	struct fab_nl *nl = fab_nl_open();
	int ret;

	memset(h, 0, sizeof(*h));
	h->netns = -1;
	ret = host_info(nl, name, h);
	fab_nl_close(nl);
	return ret;
}

void lab_host_put(struct lab_host *h)
{
	if (h->netns >= 0)
		close(h->netns);
	h->netns = -1;
}

static int cannot_enter(const struct lab_host *h, int err)
{
	fab_err("cannot enter host %s: %s", h->name,
		err == -EPERM || err == -EACCES ? "this needs root: try sudo" :
						  strerror(-err));
	return FAB_ENV;
}

int lab_host_enter(const struct lab_host *h)
{
	int err = h->netns_init ? 0 : netns_enter(h->name);

	return err ? cannot_enter(h, err) : FAB_OK;
}

static int do_nothing(void *arg)
{
	return 0;
}

int lab_host_may_enter(const struct lab_host *h)
{
	int err = h->netns_init ? 0 : netns_call(h->netns, do_nothing, NULL);

	return err ? cannot_enter(h, err) : FAB_OK;
}

pid_t lab_spawn(const struct lab_host *h, int (*fn)(void *arg), void *arg)
{
	pid_t parent = getpid(), pid;
	int ret;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid < 0 ? -errno : pid;
	/* A worker must not outlive the one who would clean up after it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(FAB_ENV);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	ret = lab_host_enter(h);
	if (!ret)
		ret = fn(arg);
	fflush(NULL);
	_exit(ret);
}

/* Address number for a new host: its own where it is free. */
struct taken {
	const char *name;
	uint32_t wanted;
	struct in_addr ip;
	unsigned int prefix;
	bool clash;
};

static void look_taken(const struct lab_state_host *h, void *arg)
{
	struct taken *t = arg;
	struct lab_host other = { .netns = -1 };

	read_address(h->address, &other);
	if (!other.has_ip)
		return;
	if (!t->prefix)
		t->prefix = other.prefix;
	if (other.ip.s_addr == t->ip.s_addr)
		t->clash = true;
}

static void pick_address(struct lab_state *s, struct topo_node *n)
{
	struct taken t = { .name = n->name };
	uint32_t nr = n->name[0] == 'h' ? strtoul(n->name + 1, NULL, 10) : 0;

	if (!nr || nr > 250)
		nr = 1;
	for (; nr <= FABSIM_NODES_MAX; nr++) {
		topology_address(nr, &t.ip);
		t.clash = false;
		lab_state_each_host(s, look_taken, &t);
		if (!t.clash)
			break;
	}
	n->has_ip = true;
	n->ip = t.ip;
	n->prefix = t.prefix ? t.prefix : 24;
}

/* The first switch with a free port of that kind: the named one, or any. "": none. */
static void find_free(const struct fab_port_info *list, size_t n, uint32_t kind, char *name,
		      size_t size)
{
	size_t i;

	name[0] = '\0';
	for (i = 0; i < n; i++)
		if (list[i].kind == kind && list[i].state == FABSIM_PORT_UNCABLED &&
		    strchr(list[i].name, ':'))
			break;
	if (i < n)
		snprintf(name, size, "%s", list[i].node);
}

/* Where a new host is plugged into InfiniBand, if the lab has that. */
static void find_ib_switch(struct fab_nl *nl, char *name, size_t size)
{
	struct fab_port_info *list;
	size_t n;

	name[0] = '\0';
	if (fab_port_list(nl, NULL, &list, &n))
		return;
	find_free(list, n, FABSIM_PORT_KIND_IB, name, size);
	free(list);
}

/* The switch to plug into: the named one, or the first with a free port. */
static int find_switch(struct fab_nl *nl, const char *sw, char *name, size_t size)
{
	struct fab_port_info *list;
	size_t n;
	int err;

	err = fab_port_list(nl, sw, &list, &n);
	if (err)
		return fab_nl_fail(nl, err, "switch %s", sw ? sw : "");
	if (sw && n && list[0].has_mac) {
		fab_err("%s is a host, not a switch", sw);
		free(list);
		return FAB_USAGE;
	}
	if (sw && n && list[0].kind == FABSIM_PORT_KIND_IB) {
		fab_err("%s is an InfiniBand switch: name the Ethernet switch", sw);
		free(list);
		return FAB_USAGE;
	}
	find_free(list, n, FABSIM_PORT_KIND_ETH, name, size);
	free(list);
	if (name[0])
		return FAB_OK;
	fab_err("no free port: all of %s are used", sw ? sw : "every switch");
	return FAB_USAGE;
}

static int plug_in(struct fab_nl *nl, const char *host, const char *sw)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_LINK_NEW);

	nla_put_string(msg, FABSIM_A_LINK_A_NODE, host);
	nla_put_string(msg, FABSIM_A_LINK_B_NODE, sw);
	return fab_nl_change(nl, msg, "link %s - %s", host, sw);
}

static int del_node(struct fab_nl *nl, const char *name)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_NODE_DEL);

	nla_put_string(msg, FABSIM_A_NODE_NAME, name);
	return fab_nl_do(nl, msg);
}

static int check_add(struct fab_nl *nl, const struct topo_node *n)
{
	struct fab_node_info info;

	if (topology_name_problem(n->name)) {
		fab_err("\"%s\": %s", n->name, topology_name_problem(n->name));
		return FAB_USAGE;
	}
	if (!fab_node_get(nl, n->name, &info)) {
		fab_err("there is a node \"%s\" already", n->name);
		return FAB_USAGE;
	}
	return lab_host_check(n);
}

static int add_locked(struct fab_nl *nl, struct lab_state *s,
		      struct topo_node *n, const char *sw)
{
	struct lab_net net = { .netns = -1 };
	char sw_name[32], ib_name[32] = "";
	struct fab_fabric_info f;
	int ret;

	ret = check_add(nl, n);
	if (!ret)
		ret = find_switch(nl, sw, sw_name, sizeof(sw_name));
	if (ret)
		return ret;
	if (!fab_fabric_get(nl, &f) && f.rdma)
		find_ib_switch(nl, ib_name, sizeof(ib_name));
	else
		n->roce = TOPO_OFF;
	n->ib = ib_name[0] ? TOPO_ON : TOPO_OFF;
	pick_address(s, n);
	ret = lab_host_make(nl, s, n, &net);
	if (!ret)
		ret = plug_in(nl, n->name, sw_name);
	if (!ret && ib_name[0])
		ret = plug_in(nl, n->name, ib_name);
	if (!ret)
		ret = lab_host_address(n, &net, MTU_DEFAULT);
	if (net.netns >= 0)
		close(net.netns);
	if (ret) {
		del_node(nl, n->name);
		lab_state_clean(s, n->name);
	}
	lab_state_write_hosts(s);
	return ret;
}

/* Opens what add and del need; what they have in common. */
static int begin(struct fab_nl **nl, struct lab_state *s)
{
	*nl = fab_nl_open();
	s->fd = -1;
	if (lab_lock())
		return FAB_ENV;
	if (!lab_state_load(s) && !lab_state_open(s))
		return FAB_OK;
	lab_unlock();
	return no_lab();
}

static void end(struct fab_nl *nl, struct lab_state *s)
{
	lab_state_put(s);
	lab_unlock();
	fab_nl_close(nl);
}

int lab_host_add(const char *name, const char *sw)
{
	struct topo_node n = { .kind = FABSIM_NODE_HOST, .live = true,
			       .ports = TOPO_NO_U32, .buffer = TOPO_NO_U32,
			       .alpha = TOPO_NO_U32, .latency = TOPO_NO_U32,
			       .ageing = TOPO_NO_U32, .cpu = TOPO_NO_U32 };
	struct lab_state s = { .fd = -1 };
	struct fab_nl *nl;
	int ret;

	/* One too long must stay too long, to be refused. */
	if (strlen(name) > FABSIM_NODE_NAME_MAX) {
		fab_err("\"%s\": %s", name, topology_name_problem(name));
		return FAB_USAGE;
	}
	strcpy(n.name, name);
	ret = begin(&nl, &s);
	if (ret) {
		fab_nl_close(nl);
		return ret;
	}
	ret = add_locked(nl, &s, &n, sw);
	end(nl, &s);
	return ret;
}

int lab_host_del(const char *name)
{
	struct lab_state s = { .fd = -1 };
	struct fab_node_info info;
	struct fab_nl *nl;
	int ret, err;

	ret = begin(&nl, &s);
	if (ret) {
		fab_nl_close(nl);
		return ret;
	}
	err = fab_node_get(nl, name, &info);
	if (!err && info.kind != FABSIM_NODE_HOST) {
		fab_err("%s is a switch, not a host", name);
		ret = FAB_USAGE;
	} else if (err == -ENOENT) {
		ret = no_such_host(nl, name);
	} else {
		err = err ? err : del_node(nl, name);
		ret = err ? fab_nl_fail(nl, err, "host %s", name) : FAB_OK;
	}
	if (!ret && lab_state_clean(&s, name) < 0)
		ret = FAB_ENV;
	if (!ret)
		lab_state_write_hosts(&s);
	end(nl, &s);
	return ret;
}
