// SPDX-License-Identifier: GPL-2.0
/*
 * A live host outside the module: a namespace of its name, names of the others,
 * an address on its interface.
 *
 * A fresh host is silent, so that the first frame a student sees is his own.
 * IPv6 would send router solicitations and multicast reports at random times
 * of its first seconds and so teach the switches every address before anybody
 * used one. Therefore an interface gets no IPv6 address by itself
 * (addr_gen_mode 1); who wants one gives one, and it works at once
 * (accept_dad 0: no second of duplicate address detection).
 */
#include <errno.h>
#include <fcntl.h>
#include <arpa/inet.h>
#include <linux/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>

#include "cmd.h"
#include "lab.h"
#include "lab_host.h"
#include "netns.h"

int lab_host_check(const struct topo_node *n)
{
	char path[128];

	if (!n->live || n->netns_init)
		return FAB_OK;
	if (netns_exists(n->name)) {
		fab_err("namespace %s exists already and is not fabctl's: ip netns del %s, or call the host something else",
			n->name, n->name);
		return FAB_ENV;
	}
	snprintf(path, sizeof(path), "%s/%s/hosts", NETNS_ETC, n->name);
	if (!faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW)) {
		fab_err("%s exists already and is not fabctl's: move it away, or call the host something else",
			path);
		return FAB_ENV;
	}
	return FAB_OK;
}

static int make_dir(struct lab_state *s, const char *path, const char *kind,
		    const char *name)
{
	int err;

	if (!access(path, F_OK))
		return 0;
	err = lab_state_add(s, "%s %s", kind, name);
	if (err)
		return err;
	return mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
}

/* /etc/netns/NAME/hosts: a link, so that one file serves all hosts. */
static int make_etc(struct lab_state *s, const char *name)
{
	char dir[96], path[128];
	int err;

	err = make_dir(s, NETNS_ETC, "etc", "dir");
	if (err)
		return err;
	snprintf(dir, sizeof(dir), "%s/%s", NETNS_ETC, name);
	err = make_dir(s, dir, "etcdir", name);
	if (err)
		return err;
	err = lab_state_add(s, "etchosts %s", name);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/hosts", dir);
	return symlink(LAB_HOSTS_FILE, path) ? -errno : 0;
}

static int make_netns(struct lab_state *s, const char *name)
{
	uint64_t cookie;
	int fd, err;

	fd = netns_new(&cookie);
	if (fd < 0)
		return fd;
	err = lab_state_add(s, "namespace %s %llu", name, (unsigned long long)cookie);
	if (!err)
		err = netns_name(fd, name);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int read_new_node(struct nlattr **tb, void *arg)
{
	struct lab_net *net = arg;

	if (!net)
		return 0;
	if (tb[FABSIM_A_NODE_IFINDEX])
		net->ifindex = nla_get_u32(tb[FABSIM_A_NODE_IFINDEX]);
	if (tb[FABSIM_A_NODE_IFNAME])
		nla_strlcpy(net->ifname, tb[FABSIM_A_NODE_IFNAME],
			    sizeof(net->ifname));
	return 0;
}

static void put_u32(struct nl_msg *msg, int attr, uint32_t v)
{
	if (v != TOPO_NO_U32)
		nla_put_u32(msg, attr, v);
}

int lab_node_new(struct fab_nl *nl, const struct topo_node *n,
		 struct lab_net *net)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_NODE_NEW);

	nla_put_string(msg, FABSIM_A_NODE_NAME, n->name);
	nla_put_u32(msg, FABSIM_A_NODE_KIND, n->kind);
	if (n->kind == FABSIM_NODE_HOST)
		nla_put_u8(msg, FABSIM_A_NODE_LIVE, n->live);
	if (n->kind == FABSIM_NODE_HOST && n->live && n->roce != TOPO_OFF)
		nla_put_u8(msg, FABSIM_A_NODE_ROCE, 1);
	if (n->kind == FABSIM_NODE_HOST && n->ib == TOPO_ON)
		nla_put_u8(msg, FABSIM_A_NODE_IB, 1);
	if (net)
		nla_put_u32(msg, FABSIM_A_NODE_NETNS_FD, net->netns);
	put_u32(msg, FABSIM_A_NODE_PORTS, n->ports);
	put_u32(msg, FABSIM_A_NODE_BUFFER, n->buffer);
	put_u32(msg, FABSIM_A_NODE_ALPHA, n->alpha);
	put_u32(msg, FABSIM_A_NODE_LATENCY, n->latency);
	put_u32(msg, FABSIM_A_NODE_AGEING, n->ageing);
	put_u32(msg, FABSIM_A_NODE_CPU, n->cpu);
	return fab_nl_ask(nl, msg, FABSIM_A_NODE_MAX, read_new_node, net);
}

static int note_host(struct lab_state *s, const struct topo_node *n)
{
	char ip[INET_ADDRSTRLEN];

	if (!n->has_ip)
		return lab_state_add(s, "host %s - %s", n->name,
				     n->netns_init ? "init" : "own");
	inet_ntop(AF_INET, &n->ip, ip, sizeof(ip));
	return lab_state_add(s, "host %s %s/%u %s", n->name, ip, n->prefix,
			     n->netns_init ? "init" : "own");
}

int lab_host_make(struct fab_nl *nl, struct lab_state *s,
		  const struct topo_node *n, struct lab_net *net)
{
	int err = note_host(s, n);

	net->netns = -1;
	if (!err && n->netns_init) {
		net->netns = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);
		err = net->netns < 0 ? -errno : 0;
	} else if (!err) {
		err = make_etc(s, n->name);
		if (!err)
			net->netns = make_netns(s, n->name);
		if (!err && net->netns < 0)
			err = net->netns;
	}
	if (err) {
		fab_err("host %s: %s", n->name, strerror(-err));
		return FAB_ENV;
	}
	err = lab_node_new(nl, n, net);
	return err ? fab_nl_fail(nl, err, "host %s", n->name) : FAB_OK;
}

struct setup {
	const struct topo_node *n;
	const struct lab_net *net;
	unsigned int mtu;
	const char *step;		/* for the complaint */
};

/* Absent where IPv6 is not built in. */
static void set_ipv6(const char *ifname, const char *key, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/%s", ifname,
		 key);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		fab_note("%s: %s", path, strerror(errno));
	close(fd);
}

static int link_up(struct nl_sock *sock, unsigned int ifindex, unsigned int mtu)
{
	struct rtnl_link *which = rtnl_link_alloc(), *want = rtnl_link_alloc();
	int err = -NLE_NOMEM;

	if (which && want) {
		rtnl_link_set_ifindex(which, ifindex);
		rtnl_link_set_flags(want, IFF_UP);
		if (mtu)
			rtnl_link_set_mtu(want, mtu);
		err = rtnl_link_change(sock, which, want, 0);
	}
	if (which)
		rtnl_link_put(which);
	if (want)
		rtnl_link_put(want);
	return err;
}

static int add_address(struct nl_sock *sock, unsigned int ifindex,
		       const struct topo_node *n)
{
	struct rtnl_addr *addr = rtnl_addr_alloc();
	struct nl_addr *local;
	int err = -NLE_NOMEM;

	local = nl_addr_build(AF_INET, &n->ip, sizeof(n->ip));
	if (addr && local) {
		nl_addr_set_prefixlen(local, n->prefix);
		rtnl_addr_set_ifindex(addr, ifindex);
		rtnl_addr_set_local(addr, local);
		err = rtnl_addr_add(sock, addr, 0);
	}
	if (local)
		nl_addr_put(local);
	if (addr)
		rtnl_addr_put(addr);
	return err;
}

/* On a thread that is in the host's namespace. */
static int setup(void *arg)
{
	struct setup *s = arg;
	struct nl_sock *sock = nl_socket_alloc();
	int err;

	s->step = "a socket in its namespace";
	if (!sock)
		return -NLE_NOMEM;
	err = nl_connect(sock, NETLINK_ROUTE);
	if (err)
		goto out;
	set_ipv6(s->net->ifname, "addr_gen_mode", "1");
	set_ipv6(s->net->ifname, "accept_dad", "0");
	set_ipv6(s->net->ifname, "router_solicitations", "0");
	s->step = "its loopback";
	if (!s->n->netns_init)
		err = link_up(sock, 1, 0);
	if (err)
		goto out;
	s->step = "its address";
	if (s->n->has_ip)
		err = add_address(sock, s->net->ifindex, s->n);
	if (err)
		goto out;
	s->step = "its interface";
	err = link_up(sock, s->net->ifindex, s->mtu);
out:
	nl_socket_free(sock);
	return err;
}

int lab_host_address(const struct topo_node *n, const struct lab_net *net,
		     unsigned int mtu)
{
	struct setup s = { .n = n, .net = net, .mtu = mtu };
	int err = netns_call(net->netns, setup, &s);

	if (!err)
		return FAB_OK;
	fab_err("host %s: %s: %s", n->name, s.step ? s.step : "its namespace",
		s.step ? nl_geterror(err) : strerror(-err));
	return FAB_ENV;
}
