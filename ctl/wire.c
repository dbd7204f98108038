// SPDX-License-Identifier: GPL-2.0
/*
 * Wire facts of path 1 from real packets: a capture on the sender's and on the
 * receiver's port, with fabric times. A message is a stretch of TCP sequence
 * numbers; its time on the wire goes from the moment its first packet began to
 * leave the sender's port to the moment its last one was complete at the
 * receiver's.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/genl/genl.h>

#include "cmd.h"
#include "nl.h"
#include "wire.h"

#define SNAPLEN		128
#define FCS_BYTES	4	/* 802.3; a capture does not have it */

struct seen {
	uint64_t out, in;	/* fabric ns: first bit out, last packet in */
};

struct wire {
	struct fab_nl *nl;
	uint32_t from_id, to_id;
	/* while reading */
	uint16_t port;
	uint32_t size;
	bool based;
	uint32_t base;		/* sequence number of the first byte */
	struct seen *seen;
	uint32_t nr_seen;
	struct wire_facts *facts;
};

struct segment {
	uint32_t seq, len;
	uint32_t transport, wrapper;
};

/* A TCP segment with data to @port, or not. */
static bool parse_segment(const uint8_t *p, uint32_t caplen, uint32_t len,
			  uint16_t port, struct segment *s)
{
	struct ether_header eth;
	struct tcphdr tcp;
	struct iphdr ip;
	uint32_t l3 = sizeof(eth), l4;

	if (caplen < l3 + sizeof(ip))
		return false;
	memcpy(&eth, p, sizeof(eth));
	memcpy(&ip, p + l3, sizeof(ip));
	if (eth.ether_type != htons(ETHERTYPE_IP) || ip.protocol != IPPROTO_TCP)
		return false;
	l4 = l3 + ip.ihl * 4;
	if (caplen < l4 + sizeof(tcp))
		return false;
	memcpy(&tcp, p + l4, sizeof(tcp));
	if (tcp.dest != htons(port))
		return false;
	s->transport = tcp.doff * 4;
	s->wrapper = l4 + FCS_BYTES;
	s->seq = ntohl(tcp.seq);
	/* From the IP length: short frames are padded. */
	s->len = ntohs(ip.tot_len) - ip.ihl * 4 - s->transport;
	return s->len && s->len < len;
}

static struct seen *seen_at(struct wire *w, uint32_t i)
{
	if (i >= 1u << 20)
		return NULL;
	if (i >= w->nr_seen) {
		uint32_t n = i * 2 + 64;
		struct seen *more = reallocarray(w->seen, n, sizeof(*more));

		if (!more)
			return NULL;
		memset(more + w->nr_seen, 0, (n - w->nr_seen) * sizeof(*more));
		w->seen = more;
		w->nr_seen = n;
	}
	return &w->seen[i];
}

static void note_segment(struct wire *w, const struct segment *s, bool leaves,
			 uint64_t time)
{
	struct seen *first, *last;

	if (leaves && !w->based) {
		w->based = true;
		w->base = s->seq;
	}
	if (!w->based || (int32_t)(s->seq - w->base) < 0)
		return;
	first = seen_at(w, (s->seq - w->base) / w->size);
	last = seen_at(w, (s->seq - w->base + s->len - 1) / w->size);
	if (!first || !last)
		return;
	if (!leaves) {
		last->in = time;
		return;
	}
	if (!first->out)
		first->out = time;
	w->facts->data_packets++;
	w->facts->transport_bytes = s->transport;
	w->facts->wrapper_bytes = s->wrapper;
}

static int on_packet(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[FABSIM_A_CAPTURE_MAX + 1];
	struct wire *w = arg;
	struct segment s;
	uint32_t id;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, FABSIM_A_CAPTURE_MAX, NULL))
		return NL_SKIP;
	if (tb[FABSIM_A_CAPTURE_LOST])
		w->facts->lost = nla_get_u64(tb[FABSIM_A_CAPTURE_LOST]);
	if (!tb[FABSIM_A_CAPTURE_PORT_ID] || !tb[FABSIM_A_CAPTURE_DIR] ||
	    !tb[FABSIM_A_CAPTURE_TIME] || !tb[FABSIM_A_CAPTURE_LEN] ||
	    !tb[FABSIM_A_CAPTURE_DATA])
		return NL_OK;
	id = nla_get_u32(tb[FABSIM_A_CAPTURE_PORT_ID]);
	if (!parse_segment(nla_data(tb[FABSIM_A_CAPTURE_DATA]),
			   nla_len(tb[FABSIM_A_CAPTURE_DATA]),
			   nla_get_u32(tb[FABSIM_A_CAPTURE_LEN]), w->port, &s))
		return NL_OK;
	if (id == w->from_id &&
	    nla_get_u8(tb[FABSIM_A_CAPTURE_DIR]) == FABSIM_CAPTURE_TX)
		note_segment(w, &s, true, nla_get_u64(tb[FABSIM_A_CAPTURE_TIME]));
	else if (id == w->to_id &&
		 nla_get_u8(tb[FABSIM_A_CAPTURE_DIR]) == FABSIM_CAPTURE_RX)
		note_segment(w, &s, false, nla_get_u64(tb[FABSIM_A_CAPTURE_TIME]));
	return NL_OK;
}

struct wire *wire_open(const char *from, const char *to)
{
	struct wire *w = calloc(1, sizeof(*w));
	struct fab_port_info port;
	struct nl_msg *msg;
	int err;

	if (!w)
		return NULL;
	/* A socket of its own: it gets every packet as a message. */
	w->nl = fab_nl_open();
	err = fab_port_get(w->nl, from, &port);
	w->from_id = port.id;
	if (!err)
		err = fab_port_get(w->nl, to, &port);
	w->to_id = port.id;
	if (!err) {
		msg = fab_nl_msg(w->nl, FABSIM_CMD_CAPTURE_START);
		nla_put_string(msg, FABSIM_A_CAPTURE_PORT, from);
		nla_put_string(msg, FABSIM_A_CAPTURE_PORT, to);
		nla_put_u32(msg, FABSIM_A_CAPTURE_SNAPLEN, SNAPLEN);
		err = fab_nl_do(w->nl, msg);
	}
	if (!err)
		return w;
	fab_nl_fail(w->nl, err, "capture on %s and %s", from, to);
	fab_nl_close(w->nl);
	free(w);
	return NULL;
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void median(struct wire *w)
{
	uint64_t *ns = calloc(w->nr_seen + 1, sizeof(*ns));
	uint32_t n = 0;

	for (uint32_t i = 0; ns && i < w->nr_seen; i++)
		if (w->seen[i].out && w->seen[i].in > w->seen[i].out)
			ns[n++] = w->seen[i].in - w->seen[i].out;
	if (n) {
		qsort(ns, n, sizeof(*ns), compare_ns);
		w->facts->message_ns = ns[n / 2];
		w->facts->messages = n;
	}
	free(ns);
}

static int any_seq(struct nl_msg *msg, void *arg)
{
	return NL_OK;
}

void wire_read(struct wire *w, uint16_t port, uint32_t size,
	       struct wire_facts *facts)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	memset(facts, 0, sizeof(*facts));
	if (!cb)
		return;
	w->port = port;
	w->size = size;
	w->facts = facts;
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_seq, NULL);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_packet, w);
	nl_socket_set_nonblocking(w->nl->sock);
	while (nl_recvmsgs(w->nl->sock, cb) >= 0)
		;
	nl_cb_put(cb);
	median(w);
}

void wire_close(struct wire *w)
{
	if (!w)
		return;
	fab_nl_close(w->nl);	/* the capture ends with its socket */
	free(w->seen);
	free(w);
}
