// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA packets, taken apart. Formats: InfiniBand volume 1, chapter 7 (LRH), 8
 * (GRH), 9 (BTH and the headers behind it); annex A17 for RoCEv2.
 *
 *	RoCEv2	Ethernet 14, IP 20 (40), UDP 8 | BTH ... ICRC 4 | FCS 4
 *	IB	LRH 8 (, GRH 40)               | BTH ... ICRC 4 | VCRC 2
 */
#include <net/ethernet.h>
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "wire_rdma.h"

#define LRH_BYTES	8
#define GRH_BYTES	40
#define BTH_BYTES	12
#define ICRC_BYTES	4
#define VCRC_BYTES	2
#define FCS_BYTES	4	/* a capture does not have it */
#define LNH_BTH		2	/* next header of the LRH */
#define LNH_GRH		3
#define ROCE_PORT	4791
#define VLAN_BYTES	4
#define UD_SEND_ONLY	0x64
#define DETH_BYTES	8
#define MAD_HEADER	24	/* 13.4.3; class in byte 1, attribute in 16 and 17 */
#define CLASS_SA	0x03
#define CLASS_CM	0x07
#define CM_DREQ		0x15
#define CM_DREP		0x16

/* RC operations: what stands behind the BTH, and where a message begins and ends. */
static const struct opcode {
	const char *name;
	uint8_t bytes;		/* of the headers behind the BTH */
	bool begins, ends;	/* a message of the sender's program */
	bool back;		/* goes from the receiver to the sender */
} opcodes[] = {
	[0x00] = { "RC SEND FIRST", 0, true, false, false },
	[0x01] = { "RC SEND MIDDLE", 0, false, false, false },
	[0x02] = { "RC SEND LAST", 0, false, true, false },
	[0x03] = { "RC SEND LAST with immediate", 4, false, true, false },
	[0x04] = { "RC SEND ONLY", 0, true, true, false },
	[0x05] = { "RC SEND ONLY with immediate", 4, true, true, false },
	[0x06] = { "RC RDMA WRITE FIRST", 16, true, false, false },
	[0x07] = { "RC RDMA WRITE MIDDLE", 0, false, false, false },
	[0x08] = { "RC RDMA WRITE LAST", 0, false, true, false },
	[0x09] = { "RC RDMA WRITE LAST with immediate", 4, false, true, false },
	[0x0a] = { "RC RDMA WRITE ONLY", 16, true, true, false },
	[0x0b] = { "RC RDMA WRITE ONLY with immediate", 20, true, true, false },
	[0x0c] = { "RC RDMA READ request", 16, true, false, false },
	[0x0d] = { "RC RDMA READ response FIRST", 4, false, false, true },
	[0x0e] = { "RC RDMA READ response MIDDLE", 0, false, false, true },
	[0x0f] = { "RC RDMA READ response LAST", 4, false, true, true },
	[0x10] = { "RC RDMA READ response ONLY", 4, false, true, true },
	[0x11] = { "RC ACKNOWLEDGE", 4, false, false, true },
};

static const struct opcode *opcode_find(uint8_t opcode)
{
	return opcode < ARRAY_SIZE(opcodes) && opcodes[opcode].name ?
		       &opcodes[opcode] : NULL;
}

const char *rdma_opcode_name(uint8_t opcode)
{
	const struct opcode *op = opcode_find(opcode);

	return op ? op->name : opcode == UD_SEND_ONLY ? "UD SEND ONLY" : "other";
}

static uint32_t get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static uint32_t get24(const uint8_t *p)
{
	return p[0] << 16 | p[1] << 8 | p[2];
}

/* Bytes in front of the BTH, 0 if there is none. */
static uint32_t front_ib(const uint8_t *p, uint32_t caplen)
{
	uint8_t lnh;

	if (caplen < LRH_BYTES)
		return 0;
	lnh = p[1] & 3;
	return lnh == LNH_BTH ? LRH_BYTES : lnh == LNH_GRH ? LRH_BYTES + GRH_BYTES : 0;
}

static uint32_t front_eth(const uint8_t *p, uint32_t caplen)
{
	uint32_t l3 = ETH_HLEN, l4, type;

	if (caplen < ETH_HLEN + VLAN_BYTES + 48)
		return 0;
	type = get16(p + 12);
	if (type == ETHERTYPE_VLAN) {
		type = get16(p + 16);
		l3 += VLAN_BYTES;
	}
	if (type == ETHERTYPE_IP && p[l3 + 9] == IPPROTO_UDP)
		l4 = l3 + (p[l3] & 15) * 4;
	else if (type == ETHERTYPE_IPV6 && p[l3 + 6] == IPPROTO_UDP)
		l4 = l3 + 40;
	else
		return 0;
	return l4 + 8 <= caplen && get16(p + l4 + 2) == ROCE_PORT ? l4 + 8 : 0;
}

bool rdma_parse(const struct tap_packet *p, bool ib, struct rdma_packet *r)
{
	uint32_t front = ib ? front_ib(p->data, p->caplen) : front_eth(p->data, p->caplen);
	uint32_t inside = ICRC_BYTES + (ib ? VCRC_BYTES : 0), rest;
	const uint8_t *bth = p->data + front;
	const struct opcode *op;

	if (!front || front + BTH_BYTES > p->caplen)
		return false;
	*r = (struct rdma_packet) {
		.ib = ib, .front = front, .headers = BTH_BYTES, .icrc = ICRC_BYTES,
		.back = ib ? VCRC_BYTES : FCS_BYTES, .opcode = bth[0],
		.dest_qp = get24(bth + 5), .psn = get24(bth + 9),
	};
	if (ib)
		r->dlid = get16(p->data + 2);
	op = opcode_find(r->opcode);
	if (op)
		r->headers += op->bytes;
	rest = front + r->headers + inside;
	if (p->len < rest)
		return false;
	r->payload = p->len - rest;
	return true;
}

struct rdma_wire {
	struct tap *tap;
	bool ib;
	/* while reading */
	uint32_t sm_lid;
	struct rdma_facts *facts;
	uint64_t begun;		/* the message under way left then; 0: none does */
	uint64_t *ns;
	uint32_t nr_ns;
};

struct rdma_wire *rdma_wire_open(const char *from, const char *to, bool ib)
{
	struct rdma_wire *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->ib = ib;
	w->tap = tap_open(from, to, RDMA_SNAPLEN);
	if (w->tap)
		return w;
	free(w);
	return NULL;
}

static void note_message(struct rdma_wire *w, uint64_t ns)
{
	uint64_t *more = reallocarray(w->ns, w->nr_ns + 1, sizeof(*more));

	if (!more)
		return;
	w->ns = more;
	w->ns[w->nr_ns++] = ns;
}

static void note_request(struct rdma_wire *w, const struct rdma_packet *r)
{
	struct rdma_facts *f = w->facts;

	f->sm_data_packets += w->sm_lid && r->dlid == w->sm_lid;
	if (!f->data_packets++) {
		f->transport_bytes = r->headers + r->icrc;
		f->wrapper_bytes = r->front + r->back;
	}
}

/*
 * A question to the subnet manager's SA, its answer, or a word of the connection
 * managers but those of the end (DREQ, DREP). What a subnet manager asks of the
 * port by itself, at queue pair 0, has nothing to do with a connection.
 */
static bool is_bring_up(const struct tap_packet *p, const struct rdma_packet *r)
{
	const uint8_t *mad = p->data + r->front + BTH_BYTES + DETH_BYTES;
	uint32_t attr;

	if (r->dest_qp != 1 || mad + MAD_HEADER > p->data + p->caplen)
		return false;
	attr = get16(mad + 16);
	return mad[1] == CLASS_SA || (mad[1] == CLASS_CM && attr != CM_DREQ && attr != CM_DREP);
}

/* The wire pass sends one message at a time, so they cannot mix. */
static void on_packet(const struct tap_packet *p, void *arg)
{
	const struct opcode *op;
	struct rdma_wire *w = arg;
	struct rdma_packet r;

	if (!rdma_parse(p, w->ib, &r))
		return;
	if (r.dest_qp < 2) {
		w->facts->mads += !p->far && is_bring_up(p, &r);
		return;
	}
	op = opcode_find(r.opcode);
	if (!op)
		return;
	if (!p->far && p->leaves && !op->back) {
		note_request(w, &r);
		if (op->begins)
			w->begun = p->time;
	}
	if (op->ends && !p->leaves && p->far != op->back && w->begun) {
		note_message(w, p->time - w->begun);
		w->begun = 0;
	}
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void rdma_wire_read(struct rdma_wire *w, uint32_t sm_lid, struct rdma_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	w->facts = facts;
	w->sm_lid = sm_lid;
	w->begun = 0;
	w->nr_ns = 0;
	tap_read(w->tap, on_packet, w);
	facts->lost = tap_lost(w->tap);
	facts->messages = w->nr_ns;
	if (!w->nr_ns)
		return;
	qsort(w->ns, w->nr_ns, sizeof(*w->ns), compare_ns);
	facts->message_ns = w->ns[w->nr_ns / 2];
}

void rdma_wire_close(struct rdma_wire *w)
{
	if (!w)
		return;
	tap_close(w->tap);
	free(w->ns);
	free(w);
}
