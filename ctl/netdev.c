// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the kernel of a host about its network device, over the interfaces that
 * ip, ethtool and dcb use too.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/dcbnl.h>
#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/attr.h>

#include "netdev.h"
#include "netns.h"

struct ask {
	const struct lab_host *host;
	struct netdev_facts *facts;
};

static void ask_flags(int sock, struct ask *a)
{
	struct ifreq req = { };

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", a->host->ifname);
	if (!ioctl(sock, SIOCGIFFLAGS, &req))
		a->facts->up = req.ifr_flags & IFF_UP;
}

static void ask_mac(int sock, struct ask *a)
{
	struct {
		struct ethtool_perm_addr head;
		unsigned char mac[32];
	} perm = { .head = { .cmd = ETHTOOL_GPERMADDR, .size = 32 } };
	struct ifreq req = { };

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", a->host->ifname);
	req.ifr_data = (void *)&perm;
	if (ioctl(sock, SIOCETHTOOL, &req))
		return;
	memset(&req.ifr_hwaddr, 0, sizeof(req.ifr_hwaddr));
	if (ioctl(sock, SIOCGIFHWADDR, &req))
		return;
	a->facts->mac_is_factory = !memcmp(req.ifr_hwaddr.sa_data, perm.mac, 6);
}

static int on_address(struct nl_msg *msg, void *arg)
{
	struct ask *a = arg;
	struct ifaddrmsg *ifa = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[IFA_MAX + 1];
	unsigned int flags;

	if (nlmsg_hdr(msg)->nlmsg_type != RTM_NEWADDR ||
	    ifa->ifa_index != a->host->ifindex || ifa->ifa_family != AF_INET ||
	    nlmsg_parse(nlmsg_hdr(msg), sizeof(*ifa), tb, IFA_MAX, NULL))
		return NL_OK;
	flags = tb[IFA_FLAGS] ? nla_get_u32(tb[IFA_FLAGS]) : ifa->ifa_flags;
	a->facts->has_ip = true;
	a->facts->ip_is_static = flags & IFA_F_PERMANENT;
	return NL_OK;
}

static int on_dcb(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[DCB_ATTR_MAX + 1], *ieee[DCB_ATTR_IEEE_MAX + 1];
	struct ask *a = arg;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(struct dcbmsg), tb, DCB_ATTR_MAX, NULL) ||
	    !tb[DCB_ATTR_IEEE])
		return NL_OK;
	a->facts->has_dcb = true;
	if (nla_parse_nested(ieee, DCB_ATTR_IEEE_MAX, tb[DCB_ATTR_IEEE], NULL) ||
	    !ieee[DCB_ATTR_IEEE_PFC] ||
	    nla_len(ieee[DCB_ATTR_IEEE_PFC]) < (int)sizeof(struct ieee_pfc))
		return NL_OK;
	a->facts->pfc = ((struct ieee_pfc *)nla_data(ieee[DCB_ATTR_IEEE_PFC]))->pfc_en;
	return NL_OK;
}

/* One request and its answers, on a socket of the host's namespace. */
static void ask_rtnl(struct ask *a, int type, int flags, void *head, size_t len,
		     const char *ifname, nl_recvmsg_msg_cb_t fn)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);
	struct nl_sock *sock = nl_socket_alloc();

	if (!msg || !sock || nl_connect(sock, NETLINK_ROUTE))
		goto out;
	nlmsg_append(msg, head, len, NLMSG_ALIGNTO);
	if (ifname)
		nla_put_string(msg, DCB_ATTR_IFNAME, ifname);
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, fn, a);
	if (nl_send_auto(sock, msg) >= 0)
		nl_recvmsgs_default(sock);	/* an error is an answer: no DCB */
out:
	nlmsg_free(msg);
	nl_socket_free(sock);
}

static int ask_all(void *arg)
{
	struct ask *a = arg;
	struct ifaddrmsg ifa = { .ifa_family = AF_INET };
	struct dcbmsg dcb = { .cmd = DCB_CMD_IEEE_GET };
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (sock < 0)
		return -errno;
	ask_flags(sock, a);
	ask_mac(sock, a);
	close(sock);
	ask_rtnl(a, RTM_GETADDR, NLM_F_DUMP, &ifa, sizeof(ifa), NULL, on_address);
	ask_rtnl(a, RTM_GETDCB, 0, &dcb, sizeof(dcb), a->host->ifname, on_dcb);
	return 0;
}

bool netdev_facts(const struct lab_host *h, struct netdev_facts *facts)
{
	struct ask a = { .host = h, .facts = facts };

	memset(facts, 0, sizeof(*facts));
	return h->netns >= 0 && netns_call(h->netns, ask_all, &a) == 0;
}
