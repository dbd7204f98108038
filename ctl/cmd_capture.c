// SPDX-License-Identifier: GPL-2.0
/*
 * capture: packets of the fabric into a pcapng file.
 *
 * Packets come as messages to the socket that asked for them, mixed with the
 * answers to its requests; so this command reads its socket itself. A second
 * socket tells when the module goes away.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/genl/genl.h>

#include "cmd.h"
#include "nl.h"
#include "output.h"
#include "pcapng.h"

#define READ_SIZE	(256 << 10)
#define SNAPLEN_ALL	65536

struct iface {
	uint32_t port_id;
	bool ib;
	uint64_t packets;
};

struct capture {
	struct fab_nl *nl;
	struct fab_nl *ask;		/* for questions in between */
	struct fab_events *events;
	FILE *out;
	const char *file;
	unsigned int snaplen, count, timeout;
	struct fab_strs ports;
	struct iface *ifaces;		/* in the order of the file */
	unsigned int nr_ifaces;
	uint64_t packets, lost, last_ns;
	char *buf;
	int err;			/* of writing */
	bool done;
};

static int add_iface(struct capture *c, const struct fab_port_info *p)
{
	const struct iface iface = {
		.port_id = p->id,
		.ib = p->kind == FABSIM_PORT_KIND_IB,
	};
	char about[128];

	snprintf(about, sizeof(about), "%s port of %s%s%s",
		 strchr(p->name, ':') ? "switch" : "host", p->node,
		 p->peer[0] ? ", cabled to " : "", p->peer);
	c->ifaces = reallocarray(c->ifaces, c->nr_ifaces + 1, sizeof(*c->ifaces));
	if (!c->ifaces)
		abort();
	c->ifaces[c->nr_ifaces++] = iface;
	if (iface.ib)
		return pcapng_interface(c->out, PCAPNG_ERF,
					PCAPNG_ERF_HEADER + c->snaplen, p->name,
					about);
	return pcapng_interface(c->out, PCAPNG_ETHERNET, c->snaplen, p->name,
				about);
}

static bool wanted(const struct capture *c, const char *port)
{
	unsigned int i;

	for (i = 0; i < c->ports.n; i++)
		if (!strcmp(c->ports.v[i], port))
			return true;
	return !c->ports.n;
}

static struct iface *find_iface(struct capture *c, uint32_t port_id)
{
	unsigned int i;

	for (i = 0; i < c->nr_ifaces; i++)
		if (c->ifaces[i].port_id == port_id)
			return &c->ifaces[i];
	return NULL;
}

/* Ports that the file does not name yet; also those made since it was begun. */
static int add_ifaces(struct capture *c)
{
	struct fab_port_info *list;
	size_t n, i;
	int err;

	err = fab_port_list(c->ask, NULL, &list, &n);
	for (i = 0; !err && i < n; i++)
		if ((list[i].state != FABSIM_PORT_UNCABLED || c->ports.n) &&
		    wanted(c, list[i].name) && !find_iface(c, list[i].id))
			err = add_iface(c, &list[i]);
	if (!err || n)
		free(list);
	return err;
}

static void on_packet(struct capture *c, struct nlmsghdr *h)
{
	struct nlattr *tb[FABSIM_A_CAPTURE_MAX + 1], *data;
	typeof(pcapng_packet) *write;
	struct iface *iface;
	uint32_t id, len;
	bool tx;

	if (genlmsg_parse(h, 0, tb, FABSIM_A_CAPTURE_MAX, NULL))
		return;
	if (tb[FABSIM_A_CAPTURE_LOST])
		c->lost = nla_get_u64(tb[FABSIM_A_CAPTURE_LOST]);
	data = tb[FABSIM_A_CAPTURE_DATA];
	if (!data || !tb[FABSIM_A_CAPTURE_PORT_ID] || !tb[FABSIM_A_CAPTURE_TIME])
		return;
	if (c->count && c->packets >= c->count)
		return;
	id = nla_get_u32(tb[FABSIM_A_CAPTURE_PORT_ID]);
	iface = find_iface(c, id);
	if (!iface && !add_ifaces(c))
		iface = find_iface(c, id);
	if (!iface)
		return;
	len = tb[FABSIM_A_CAPTURE_LEN] ? nla_get_u32(tb[FABSIM_A_CAPTURE_LEN]) :
					 (uint32_t)nla_len(data);
	tx = tb[FABSIM_A_CAPTURE_DIR] &&
	     nla_get_u8(tb[FABSIM_A_CAPTURE_DIR]) == FABSIM_CAPTURE_TX;
	c->last_ns = nla_get_u64(tb[FABSIM_A_CAPTURE_TIME]);
	write = iface->ib ? pcapng_infiniband : pcapng_packet;
	c->err = write(c->out, iface - c->ifaces, c->last_ns, tx,
		       nla_data(data), nla_len(data), len);
	iface->packets++;
	c->packets++;
	if (c->err || (c->count && c->packets >= c->count))
		c->done = true;
}

/* Whatever has come. 1 if the answer to @seq was there (*err), else 0. */
static int read_some(struct capture *c, uint32_t seq, int *err, int flags)
{
	struct nlmsghdr *h = (struct nlmsghdr *)c->buf;
	int left, answered = 0;
	struct genlmsghdr *g;
	ssize_t n;

	n = recv(fab_nl_fd(c->nl), c->buf, READ_SIZE, flags);
	if (n < 0)
		return 0;
	for (left = n; nlmsg_ok(h, left); h = nlmsg_next(h, &left)) {
		if (fab_nl_is_answer(c->nl, h, seq, err))
			answered = 1;
		if (h->nlmsg_type != c->nl->family)
			continue;
		g = nlmsg_data(h);
		if (g->cmd == FABSIM_CMD_CAPTURE_PACKET)
			on_packet(c, h);
	}
	return answered;
}

/* A request whose answer may stand behind packets. */
static int request(struct capture *c, struct nl_msg *msg)
{
	struct pollfd p = { .fd = fab_nl_fd(c->nl), .events = POLLIN };
	uint32_t seq;
	int err;

	err = fab_nl_send(c->nl, msg, NLM_F_ACK, &seq);
	while (!err) {
		if (poll(&p, 1, 5000) == 0)
			return -EIO;
		if (read_some(c, seq, &err, MSG_DONTWAIT))
			break;
	}
	return err;
}

static int start(struct capture *c)
{
	struct nl_msg *msg = fab_nl_msg(c->nl, FABSIM_CMD_CAPTURE_START);
	unsigned int i;
	int err;

	for (i = 0; i < c->ports.n; i++)
		nla_put_string(msg, FABSIM_A_CAPTURE_PORT, c->ports.v[i]);
	if (c->snaplen != SNAPLEN_ALL)
		nla_put_u32(msg, FABSIM_A_CAPTURE_SNAPLEN, c->snaplen);
	err = request(c, msg);
	return err ? fab_nl_fail(c->nl, err, "capture") : FAB_OK;
}

static int check_ports(struct capture *c)
{
	struct fab_port_info p;
	unsigned int i;
	int err;

	for (i = 0; i < c->ports.n; i++) {
		err = fab_port_get(c->ask, c->ports.v[i], &p);
		if (err)
			return fab_nl_fail(c->ask, err, "port %s", c->ports.v[i]);
	}
	return FAB_OK;
}

/* STOP without a START changes nothing, but needs the same right. */
static int check_rights(struct capture *c)
{
	int err = request(c, fab_nl_msg(c->nl, FABSIM_CMD_CAPTURE_STOP));

	return err == -EPERM ? fab_nl_fail(c->nl, err, "capture") : FAB_OK;
}

/* True when the module says BYE. */
static bool is_bye(struct capture *c)
{
	struct fab_event_info e;
	int ret;

	while ((ret = fab_events_next(c->events, &e, 0)) != 0) {
		if (ret == 1 && e.type == FABSIM_EVENT_BYE)
			return true;
		if (ret < 0 && ret != -ENOBUFS)
			return false;
	}
	return false;
}

static void loop(struct capture *c)
{
	struct pollfd p[] = {
		{ .fd = fab_nl_fd(c->nl), .events = POLLIN },
		{ .fd = fab_signal_fd(), .events = POLLIN },
		{ .fd = fab_events_fd(c->events), .events = POLLIN },
	};
	int64_t end = fab_real_ns() / 1000000 + c->timeout * 1000LL, left = -1;
	int unused;

	while (!c->done) {
		/* A reader of the pipe sees what there is before we sleep. */
		if (!poll(p, 3, 0))
			fflush(c->out);
		if (c->timeout)
			left = end - fab_real_ns() / 1000000;
		if ((c->timeout && left <= 0) || !poll(p, 3, left))
			break;
		if (p[0].revents)
			read_some(c, 0, &unused, MSG_DONTWAIT);
		if (p[1].revents)
			break;
		if (p[2].revents && is_bye(c)) {
			fab_note("the module is being unloaded");
			break;
		}
	}
}

static void write_statistics(struct capture *c)
{
	const char *comment = c->lost && c->nr_ifaces > 1 ?
		"packets dropped are those of all interfaces" : NULL;
	unsigned int i;

	for (i = 0; i < c->nr_ifaces && !c->err; i++)
		c->err = pcapng_statistics(c->out, i, c->last_ns,
					   c->ifaces[i].packets, i ? 0 : c->lost,
					   i ? NULL : comment);
}

static int finish(struct capture *c)
{
	/* Fails when the module is gone; then there is nothing to stop. */
	request(c, fab_nl_msg(c->nl, FABSIM_CMD_CAPTURE_STOP));
	write_statistics(c);
	if (fflush(c->out) && !c->err)
		c->err = -errno;
	if (c->err && c->err != -EPIPE) {
		fab_err("%s: %s", c->file, strerror(-c->err));
		return FAB_ENV;
	}
	if (!strcmp(c->file, "-")) {
		/* Who reads the pipe has had enough: no fault. */
		clearerr(stdout);
		fab_note("%llu packets, %llu lost",
			 (unsigned long long)c->packets,
			 (unsigned long long)c->lost);
		return FAB_OK;
	}
	out_object(NULL);
	out_str("file", "%s: ", c->file);
	out_u64("packets", c->packets == 1 ? "%llu packet" : "%llu packets",
		c->packets);
	out_u64("lost", ", %llu lost because the reader was too slow\n", c->lost);
	out_u64("interfaces", NULL, c->nr_ifaces);
	out_end();
	out_done();
	return FAB_OK;
}

static int open_file(struct capture *c)
{
	c->out = strcmp(c->file, "-") ? fopen(c->file, "we") : stdout;
	if (!c->out) {
		fab_err("%s: %s", c->file, strerror(errno));
		return FAB_USAGE;
	}
	setvbuf(c->out, NULL, _IOFBF, 1 << 20);
	c->err = pcapng_section(c->out, "fabctl " FABCTL_VERSION);
	if (!c->err)
		c->err = add_ifaces(c);
	if (!c->err)
		return FAB_OK;
	fab_err("%s: %s", c->file, strerror(-c->err));
	return FAB_ENV;
}

static int run(struct capture *c)
{
	const int one = 1;
	int ret;

	c->nl = fab_nl_open();
	c->ask = fab_nl_open();
	c->events = fab_events_open(c->ask);
	/* The module counts what we were too slow for, and says so. */
	setsockopt(fab_nl_fd(c->nl), SOL_NETLINK, NETLINK_NO_ENOBUFS, &one,
		   sizeof(one));
	ret = check_ports(c);
	/* A refusal must come before the old file is emptied. */
	if (!ret)
		ret = check_rights(c);
	if (!ret)
		ret = open_file(c);
	if (!ret)
		ret = start(c);
	if (ret)
		return ret;
	if (strcmp(c->file, "-"))
		fab_note("capturing %u port%s to %s; ends with ^C", c->nr_ifaces,
			 c->nr_ifaces == 1 ? "" : "s", c->file);
	loop(c);
	return finish(c);
}

int cmd_capture(int argc, char **argv)
{
	struct capture c = { .snaplen = SNAPLEN_ALL };
	const struct fab_opt opts[] = {
		{ "--write", "-w", FAB_ARG_STR, &c.file, 0, 0 },
		{ "--interface", "-i", FAB_ARG_LIST, &c.ports, 0, 0 },
		{ "--count", "-c", FAB_ARG_U32, &c.count, 1, 0 },
		{ "--snaplen", "-s", FAB_ARG_U32, &c.snaplen, 64, 65536 },
		{ "--timeout", NULL, FAB_ARG_U32, &c.timeout, 1, 86400 },
		{ }
	};
	int ret;

	if (fab_getopts(argc, argv, opts, 0) < 0)
		return FAB_USAGE;
	if (!c.file)
		return fab_usage("where to? -w FILE, or -w - for stdout");
	if (!strcmp(c.file, "-") && isatty(STDOUT_FILENO))
		return fab_usage("a capture is no text for a terminal: -w FILE, or pipe it");
	c.buf = malloc(READ_SIZE);
	if (!c.buf)
		abort();
	ret = run(&c);
	if (c.out && c.out != stdout)
		fclose(c.out);
	fab_events_close(c.events);
	fab_nl_close(c.ask);
	fab_nl_close(c.nl);
	free(c.buf);
	free(c.ifaces);
	free(c.ports.v);
	return ret;
}
