// SPDX-License-Identifier: GPL-2.0
/* IP addresses of the lab's hosts; see host_ip.h. */
#include <stdlib.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>

#include "cmd.h"
#include "host_ip.h"
#include "lab.h"
#include "netdev.h"
#include "netns.h"

struct change {
	const struct lab_host *host;
	bool on;
};

/* On a thread that is in the host's namespace. */
static int change(void *arg)
{
	const struct change *c = arg;
	struct rtnl_addr *addr = rtnl_addr_alloc();
	struct nl_sock *sock = nl_socket_alloc();
	struct nl_addr *local = nl_addr_build(AF_INET, &c->host->ip, sizeof(c->host->ip));
	int err = -NLE_NOMEM;

	if (!addr || !sock || !local)
		goto out;
	nl_addr_set_prefixlen(local, c->host->prefix);
	rtnl_addr_set_ifindex(addr, c->host->ifindex);
	rtnl_addr_set_local(addr, local);
	err = nl_connect(sock, NETLINK_ROUTE);
	if (!err)
		err = c->on ? rtnl_addr_add(sock, addr, 0) : rtnl_addr_delete(sock, addr, 0);
out:
	if (local)
		nl_addr_put(local);
	nl_socket_free(sock);
	if (addr)
		rtnl_addr_put(addr);
	return err;
}

static int one_host(const char *name, bool on)
{
	struct netdev_facts facts;
	struct lab_host h;
	struct change c = { .host = &h, .on = on };
	int ret = lab_host_info(name, &h), err;

	if (ret)
		return ret;
	if (h.has_ip && netdev_facts(&h, &facts) && facts.has_ip != on) {
		err = h.netns_init ? change(&c) : netns_call(h.netns, change, &c);
		if (err) {
			fab_err("address of %s: %s", name, nl_geterror(err));
			ret = FAB_ENV;
		}
	}
	lab_host_put(&h);
	return ret;
}

int host_ip_set(struct fab_nl *nl, bool on)
{
	struct fab_node_info *list;
	int err, ret = FAB_OK;
	size_t n;

	err = fab_node_list(nl, &list, &n);
	if (err)
		return fab_nl_fail(nl, err, "hosts");
	for (size_t i = 0; !ret && i < n; i++)
		if (list[i].kind == FABSIM_NODE_HOST && list[i].live && !list[i].orphaned)
			ret = one_host(list[i].name, on);
	free(list);
	return ret;
}
