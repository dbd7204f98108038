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

#include "tap.h"
#include "wire.h"

#define SNAPLEN		128
#define FCS_BYTES	4	/* 802.3; a capture does not have it */

struct seen {
	uint64_t out, in;	/* fabric ns: first bit out, last packet in */
};

struct wire {
	struct tap *tap;
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

static void on_packet(const struct tap_packet *p, void *arg)
{
	struct wire *w = arg;
	struct segment s;

	if (p->far == p->leaves ||
	    !parse_segment(p->data, p->caplen, p->len, w->port, &s))
		return;
	note_segment(w, &s, p->leaves, p->time);
}

struct wire *wire_open(const char *from, const char *to)
{
	struct wire *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->tap = tap_open(from, to, SNAPLEN);
	if (w->tap)
		return w;
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

void wire_read(struct wire *w, uint16_t port, uint32_t size,
	       struct wire_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	w->port = port;
	w->size = size;
	w->facts = facts;
	tap_read(w->tap, on_packet, w);
	facts->lost = tap_lost(w->tap);
	median(w);
}

void wire_close(struct wire *w)
{
	if (!w)
		return;
	tap_close(w->tap);
	free(w->seen);
	free(w);
}
