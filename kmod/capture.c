// SPDX-License-Identifier: GPL-2.0
/*
 * Captures: copies of the packets at some ports, to a netlink socket.
 *
 * A capture belongs to the socket that asked for it and ends with it. The
 * fabric thread copies each frame that leaves or reaches a captured port into
 * a message and hands it to the socket without ever waiting for the reader: a
 * frame that the socket has no room for is counted, and the next message says
 * how many were lost so far. (A reader sets NETLINK_NO_ENOBUFS, or its socket
 * takes nothing at all after the first loss until it has been read empty.)
 *
 * A sender's stack may leave the checksum to the NIC. Ours, like a real one,
 * fills it in on its way out; nobody looks at it before a real device has the
 * frame. A capture shows the wire, so its copy has it filled in. The same goes for
 * the check sums behind the payload of an RDMA packet, which packets in here only
 * have the length of (icrc.c). InfiniBand's flow-control packets are not shown:
 * they never leave their link, and Wireshark (4.0) takes each for malformed.
 *
 * The list of captures is changed only by a call into the fabric thread from a
 * holder of the control mutex; so both the thread and holders may read it.
 * Which ports a capture wants is a list of their numbers; these are never
 * reused. port->captured says whether anybody wants a port.
 */
#include <linux/bsearch.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/workqueue.h>
#include "capture.h"
#include "extack.h"
#include "fabric.h"
#include "icrc.h"
#include "netlink.h"

/* The shortest header that a packet can begin with. */
#define LRH_LEN		8

#define SNAPLEN_MIN	64
#define SNAPLEN_MAX	65536
/* What an attribute can hold. */
#define DATA_MAX	(U16_MAX - NLA_HDRLEN)
/* Ports whose flag is changed in one call. */
#define PORTS_A_CALL	64

/**
 * struct capture - one socket's capture
 * @list: place in @captures
 * @net: namespace of the socket; the socket keeps it alive
 * @portid: netlink address of the socket
 * @snaplen: bytes kept of a packet
 * @every: captures every port, also those to come
 * @dead: the socket is gone; fabric thread writes
 * @lost: packets that the socket had no room for; fabric thread
 * @n_ports: length of @ports
 * @ports: numbers of the captured ports, ascending, unless @every
 */
struct capture {
	struct list_head list;
	struct net *net;
	u32 portid;
	u32 snaplen;
	bool every;
	bool dead;
	u64 lost;
	unsigned int n_ports;
	u32 ports[];
};

static LIST_HEAD(captures);
static unsigned int n_captures;		/* control mutex; read anywhere */

static struct netlink_range_validation snaplen_range = {
	.min = SNAPLEN_MIN, .max = SNAPLEN_MAX,
};

const struct nla_policy fab_nl_capture_start_policy[FABSIM_A_CAPTURE_MAX + 1] = {
	[FABSIM_A_CAPTURE_PORT] = { .type = NLA_NUL_STRING, .len = FABSIM_PORT_NAME_MAX },
	[FABSIM_A_CAPTURE_SNAPLEN] = NLA_POLICY_FULL_RANGE(NLA_U32, &snaplen_range),
};

static int compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static bool wants(const struct capture *capture, u32 port_id)
{
	if (READ_ONCE(capture->dead))
		return false;
	return capture->every || bsearch(&port_id, capture->ports, capture->n_ports,
					 sizeof(port_id), compare);
}

/* Fill in the checksum that the sender left to the NIC, as far as it is in the copy. */
static void finish_checksum(const struct sk_buff *skb, u8 *copy, u32 len)
{
	int start, at;
	__sum16 sum;

	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return;
	start = skb_checksum_start_offset(skb);
	at = start + skb->csum_offset;
	if (start < 0 || start >= (int)skb->len || at + sizeof(sum) > len)
		return;
	sum = csum_fold(skb_checksum(skb, start, skb->len - start, 0)) ?: CSUM_MANGLED_0;
	memcpy(copy + at, &sum, sizeof(sum));
}

/* What the copy has behind the payload, which is whole in it; @len: how much there is room for. */
static void finish_tail(const struct fab_port *port, const struct sk_buff *skb, u8 *copy, u32 len)
{
	u8 tail[FAB_TAIL_MAX] = {};

	fab_icrc_tail(copy, skb->len, port->ops->kind == FABSIM_PORT_KIND_ETH, tail);
	memcpy(copy + skb->len, tail, min_t(u32, len, sizeof(tail)));
}

static int put_data(struct sk_buff *msg, const struct fab_port *port, const struct sk_buff *skb,
		    u32 len)
{
	struct nlattr *attr = nla_reserve(msg, FABSIM_A_CAPTURE_DATA, len);

	if (!attr)
		return -EMSGSIZE;
	if (skb_copy_bits(skb, 0, nla_data(attr), min(len, skb->len)))
		return -EFAULT;
	finish_checksum(skb, nla_data(attr), len);
	if (len > skb->len)
		finish_tail(port, skb, nla_data(attr), len - skb->len);
	return 0;
}

static struct sk_buff *write_message(const struct capture *capture, const struct fab_port *port,
				     const struct fab_packet *packet, u8 dir)
{
	u32 whole = packet->skb->len + packet->tail;
	u32 len = min3(whole, capture->snaplen, (u32)DATA_MAX);
	struct sk_buff *msg;
	void *hdr;

	msg = genlmsg_new(nla_total_size(len) + 8 * nla_total_size_64bit(sizeof(u64)),
			  GFP_NOWAIT | __GFP_NOWARN);
	if (!msg)
		return NULL;
	hdr = genlmsg_put(msg, 0, 0, &fab_family, 0, FABSIM_CMD_CAPTURE_PACKET);
	if (!hdr ||
	    nla_put_u32(msg, FABSIM_A_CAPTURE_PORT_ID, port->id) ||
	    nla_put_u8(msg, FABSIM_A_CAPTURE_DIR, dir) ||
	    nla_put_u64_64bit(msg, FABSIM_A_CAPTURE_TIME, fab_now(), FABSIM_A_CAPTURE_PAD) ||
	    nla_put_u32(msg, FABSIM_A_CAPTURE_LEN, whole) ||
	    nla_put_u64_64bit(msg, FABSIM_A_CAPTURE_LOST, capture->lost, FABSIM_A_CAPTURE_PAD) ||
	    put_data(msg, port, packet->skb, len)) {
		nlmsg_free(msg);
		return NULL;
	}
	genlmsg_end(msg, hdr);
	return msg;
}

static void bury(struct work_struct *work);
static DECLARE_WORK(burial, bury);

static void deliver(struct capture *capture, const struct fab_port *port,
		    const struct fab_packet *packet, u8 dir)
{
	struct sk_buff *msg = write_message(capture, port, packet, dir);
	int err = msg ? genlmsg_unicast(capture->net, msg, capture->portid) : -ENOMEM;

	if (err == -ECONNREFUSED) {
		WRITE_ONCE(capture->dead, true);
		schedule_work(&burial);
	} else if (err < 0) {
		capture->lost++;
	}
}

/**
 * fab_capture() - give a packet to whoever captures at a port
 * @port: port with ->captured
 * @packet: packet, unchanged by this
 * @dir: enum fabsim_capture_dir
 *
 * A big TCP segment that was on its way when the capture began is shown whole.
 *
 * Context: fabric thread.
 */
void fab_capture(struct fab_port *port, const struct fab_packet *packet, u8 dir)
{
	struct capture *capture;

	/* A flow-control packet: shorter than any header. */
	if (packet->skb->len < LRH_LEN)
		return;
	list_for_each_entry(capture, &captures, list)
		if (wants(capture, port->id))
			deliver(capture, port, packet, dir);
}

/* Ports whose ->captured is to be changed, and to what; static, since ending must not fail. */
static struct {
	unsigned int n;
	struct fab_port *port[PORTS_A_CALL];
	bool captured[PORTS_A_CALL];
} flags;	/* control mutex */

static void call_set_flags(void *unused)
{
	unsigned int i;

	for (i = 0; i < flags.n; i++)
		flags.port[i]->captured = flags.captured[i];
}

static void apply_flags(void)
{
	if (flags.n)
		fab_call(call_set_flags, NULL);
	flags.n = 0;
}

static void update_port(struct fab_port *port)
{
	struct capture *capture;
	bool captured = false;

	list_for_each_entry(capture, &captures, list)
		captured = captured || wants(capture, port->id);
	if (captured == port->captured)
		return;
	flags.port[flags.n] = port;
	flags.captured[flags.n++] = captured;
	if (flags.n == PORTS_A_CALL)
		apply_flags();
}

static void update_ports(void)
{
	struct fab_port *port;
	u32 id;

	for (id = 0; (port = fab_port_next(&id)); id++)
		update_port(port);
	apply_flags();
}

/**
 * fab_capture_new_node() - a node has come: some capture may want its ports
 * @node: node
 *
 * Context: process context, control mutex.
 */
void fab_capture_new_node(struct fab_node *node)
{
	unsigned int i;

	if (list_empty(&captures))
		return;
	for (i = 0; i < node->n_ports; i++)
		update_port(&node->ports[i]);
	apply_flags();
}

static void call_forget(void *arg)
{
	struct fab_node *node = arg;
	unsigned int i;

	for (i = 0; i < node->n_ports; i++)
		node->ports[i].captured = false;
}

/**
 * fab_capture_forget_node() - a node goes away: its ports are captured no more
 * @node: node
 *
 * A capture that has named these ports goes on with the others.
 *
 * Context: process context, control mutex.
 */
void fab_capture_forget_node(struct fab_node *node)
{
	if (!list_empty(&captures))
		fab_call(call_forget, node);
}

static struct capture *find(const struct net *net, u32 portid)
{
	struct capture *capture;

	list_for_each_entry(capture, &captures, list)
		if (!READ_ONCE(capture->dead) && net_eq(capture->net, net) &&
		    capture->portid == portid)
			return capture;
	return NULL;
}

static void call_add(void *arg)
{
	struct capture *capture = arg;

	list_add_tail(&capture->list, &captures);
}

static void call_remove(void *arg)
{
	struct capture *capture = arg;

	list_del(&capture->list);
}

static void end_capture(struct capture *capture)
{
	fab_call(call_remove, capture);
	WRITE_ONCE(n_captures, n_captures - 1);
	update_ports();
	kvfree(capture);
}

/* Captures whose socket is gone, found out by the fabric thread. */
static void bury(struct work_struct *work)
{
	struct capture *capture, *next;

	fab_control_lock();
	list_for_each_entry_safe(capture, next, &captures, list)
		if (READ_ONCE(capture->dead))
			end_capture(capture);
	fab_control_unlock();
}

/**
 * fab_capture_any() - is there a capture?
 *
 * Context: any.
 * Return: true if there is.
 */
bool fab_capture_any(void)
{
	return READ_ONCE(n_captures);
}

/**
 * fab_capture_end() - a socket is closed, and with it ends its capture
 * @net: its namespace
 * @portid: its address
 *
 * Context: process context, control mutex.
 */
void fab_capture_end(const struct net *net, u32 portid)
{
	struct capture *capture = find(net, portid);

	if (capture)
		end_capture(capture);
}

/**
 * fab_capture_exit() - end every capture; no new one can begin
 *
 * Context: process context, without the control mutex.
 */
void fab_capture_exit(void)
{
	struct capture *capture, *next;

	fab_control_lock();
	list_for_each_entry_safe(capture, next, &captures, list)
		end_capture(capture);
	fab_control_unlock();
	cancel_work_sync(&burial);
}

static unsigned int count_ports(struct genl_info *info)
{
	struct nlattr *attr;
	unsigned int n = 0;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		n += nla_type(attr) == FABSIM_A_CAPTURE_PORT;
	return n;
}

static int read_ports(struct genl_info *info, struct capture *capture)
{
	struct fab_port *port;
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != FABSIM_A_CAPTURE_PORT)
			continue;
		port = fab_port_find(nla_data(attr));
		if (!port) {
			NL_SET_BAD_ATTR(info->extack, attr);
			fab_err(info->extack, "there is no port \"%s\"", (char *)nla_data(attr));
			return -ENOENT;
		}
		capture->ports[capture->n_ports++] = port->id;
	}
	sort(capture->ports, capture->n_ports, sizeof(u32), compare, NULL);
	capture->every = !capture->n_ports;
	return 0;
}

/* CAPTURE_START */
int fab_nl_capture_start(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *snaplen = info->attrs[FABSIM_A_CAPTURE_SNAPLEN];
	struct capture *capture;
	int err;

	if (find(genl_info_net(info), info->snd_portid)) {
		NL_SET_ERR_MSG_MOD(info->extack, "this socket captures already: use another one");
		return -EBUSY;
	}
	capture = kvzalloc(struct_size(capture, ports, count_ports(info)), GFP_KERNEL);
	if (!capture)
		return -ENOMEM;
	err = read_ports(info, capture);
	if (err)
		goto err_free;
	capture->net = genl_info_net(info);
	capture->portid = info->snd_portid;
	capture->snaplen = snaplen ? nla_get_u32(snaplen) : SNAPLEN_MAX;
	err = fab_call_killable(call_add, capture);
	if (err)
		goto err_free;
	WRITE_ONCE(n_captures, n_captures + 1);
	update_ports();
	return 0;

err_free:
	kvfree(capture);
	return err;
}

/* CAPTURE_STOP */
int fab_nl_capture_stop(struct sk_buff *skb, struct genl_info *info)
{
	struct capture *capture = find(genl_info_net(info), info->snd_portid);

	if (!capture) {
		NL_SET_ERR_MSG_MOD(info->extack, "this socket captures nothing");
		return -ENOENT;
	}
	end_capture(capture);
	return 0;
}
