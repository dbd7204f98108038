// SPDX-License-Identifier: GPL-2.0
/* What must work: each operation, at each size where something changes, contents checked. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "verbs.h"

#define MARK	0xa5

static uint8_t pattern(size_t i, unsigned int seed)
{
	return (i * 2654435761u + seed * 40503u) >> 13;
}

static void fill(uint8_t *at, size_t length, unsigned int seed)
{
	size_t i;

	for (i = 0; i < length; i++)
		at[i] = pattern(i, seed);
}

/* The pattern, and nothing written before or behind it. -1, or where it is wrong. */
static long wrong(const uint8_t *at, size_t length, unsigned int seed)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (at[i] != pattern(i, seed))
			return i;
	for (i = 1; i <= 64; i++)
		if (at[-(long)i] != MARK || at[length + i - 1] != MARK)
			return length;
	return -1;
}

static const char *name_of(enum ibv_wr_opcode opcode)
{
	static const char *const names[] = {
		[IBV_WR_SEND] = "SEND", [IBV_WR_SEND_WITH_IMM] = "SEND with immediate",
		[IBV_WR_RDMA_WRITE] = "WRITE",
		[IBV_WR_RDMA_WRITE_WITH_IMM] = "WRITE with immediate",
		[IBV_WR_RDMA_READ] = "READ",
	};

	return names[opcode];
}

/* One message from a to b (READ: from b to a), @shift bytes off a page's begin. */
static void transfer(struct pair *pair, enum ibv_wr_opcode opcode, size_t length)
{
	static unsigned int seed;
	struct end *source = opcode == IBV_WR_RDMA_READ ? &pair->b : &pair->a;
	struct end *sink = opcode == IBV_WR_RDMA_READ ? &pair->a : &pair->b;
	bool recv = opcode != IBV_WR_RDMA_WRITE && opcode != IBV_WR_RDMA_READ;
	bool imm = opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	size_t shift = 64 + seed * 7 % 512;
	struct work work = {
		.opcode = opcode, .offset = shift, .remote_offset = shift, .length = length,
		.imm = htonl(0xcafe0000 + seed),
	};
	struct ibv_wc wc = {}, sent = {};
	char name[80];
	long at;

	snprintf(name, sizeof(name), "%s of %zu bytes", name_of(opcode), length);
	seed++;
	fill(source->buf + shift, length, seed);
	memset(sink->buf + shift - 64, MARK, length + 128);
	if (recv && post_recv(sink, shift, opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? 0 : length))
		broken("post a RECV");
	if (post(&pair->a, &pair->b, &work) || !wait_wc(&pair->a, &sent, 30))
		return not_ok("%s: no completion", name);
	if (sent.status)
		return not_ok("%s: %s", name, ibv_wc_status_str(sent.status));
	if (recv && !wait_wc(sink, &wc, 10))
		return not_ok("%s: the receiver has no completion", name);
	if (recv && (wc.status || wc.byte_len != length))
		return not_ok("%s: received %u bytes, %s", name, wc.byte_len,
			      ibv_wc_status_str(wc.status));
	if (imm && (!(wc.wc_flags & IBV_WC_WITH_IMM) || wc.imm_data != work.imm))
		return not_ok("%s: immediate 0x%x", name, ntohl(wc.imm_data));
	at = wrong(sink->buf + shift, length, seed);
	verdict(at < 0, name, "byte %ld is wrong", at);
}

static void sizes(struct pair *pair)
{
	const size_t lengths[] = {
		1, pair->mtu - 1, pair->mtu, pair->mtu + 1, 65536, 65537, 2 << 20,
	};
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND,
		IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		for (j = 0; j < ARRAY_SIZE(lengths); j++)
			if (i < 3 || j == 0 || j == 3)
				transfer(pair, opcodes[i], lengths[j]);
}

static void atomics(struct pair *pair)
{
	uint64_t *there = (uint64_t *)pair->b.buf, *here = (uint64_t *)pair->a.buf;
	struct work add = {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .length = 8, .compare_add = 5,
	};
	struct work swap = {
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .length = 8, .compare_add = 47, .swap = 99,
	};
	enum ibv_wc_status status;

	*there = 42;
	status = result(&pair->a, &pair->b, &add);
	verdict(!status && *here == 42 && *there == 47, "fetch and add", "status %d, %lu, %lu",
		status, *here, *there);
	status = result(&pair->a, &pair->b, &swap);
	verdict(!status && *here == 47 && *there == 99, "compare and swap that fits",
		"status %d, %lu, %lu", status, *here, *there);
	status = result(&pair->a, &pair->b, &swap);
	verdict(!status && *here == 99 && *there == 99, "compare and swap that does not",
		"status %d, %lu, %lu", status, *here, *there);
}

/* Three pieces into three others of other lengths; and no piece at all. */
static void gather(struct pair *pair)
{
	uint8_t *from = pair->a.buf, *to = pair->b.buf;
	struct ibv_sge out[3] = {
		{ (uintptr_t)from, 5000, pair->a.mr->lkey },
		{ (uintptr_t)from + 9001, 1, pair->a.mr->lkey },
		{ (uintptr_t)from + 20000, 7000, pair->a.mr->lkey },
	};
	struct ibv_sge in[3] = {
		{ (uintptr_t)to + 3, 4096, pair->b.mr->lkey },
		{ (uintptr_t)to + 9000, 0, pair->b.mr->lkey },
		{ (uintptr_t)to + 10001, 8000, pair->b.mr->lkey },
	};
	struct ibv_send_wr send = {
		.sg_list = out, .num_sge = 3, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad_send;
	struct ibv_recv_wr recv = { .sg_list = in, .num_sge = 3 }, *bad_recv;
	struct ibv_wc wc = {};
	static uint8_t whole[12001];

	fill(from, 32768, 77);
	memset(to, MARK, 32768);
	memcpy(whole, from, 5000);
	whole[5000] = from[9001];
	memcpy(whole + 5001, from + 20000, 7000);
	if (ibv_post_recv(pair->b.qp, &recv, &bad_recv) ||
	    ibv_post_send(pair->a.qp, &send, &bad_send))
		broken("post pieces");
	if (!wait_wc(&pair->a, &wc, 10) || wc.status || !wait_wc(&pair->b, &wc, 10) || wc.status)
		return not_ok("pieces: %s", ibv_wc_status_str(wc.status));
	verdict(wc.byte_len == 12001 && !memcmp(to + 3, whole, 4096) &&
		!memcmp(to + 10001, whole + 4096, 7905) && to[2] == MARK &&
		to[4099] == MARK && to[17906] == MARK, "pieces are gathered and scattered",
		"%u bytes, contents", wc.byte_len);
	send.num_sge = 0;
	recv.num_sge = 0;
	if (ibv_post_recv(pair->b.qp, &recv, &bad_recv) ||
	    ibv_post_send(pair->a.qp, &send, &bad_send))
		broken("post nothing");
	verdict(wait_wc(&pair->a, &wc, 10) && !wc.status && wait_wc(&pair->b, &wc, 10) &&
		!wc.status && !wc.byte_len, "a message without bytes", "%s, %u bytes",
		ibv_wc_status_str(wc.status), wc.byte_len);
}

/* Unsignaled ones make no completion, and a fence waits for the READ before. */
static void ordering(struct pair *pair)
{
	struct work write = {
		.opcode = IBV_WR_RDMA_WRITE, .length = 64, .flags = IBV_SEND_SOLICITED,
	};
	struct work read = {
		.opcode = IBV_WR_RDMA_READ, .length = 1 << 20,
		.offset = 4096, .remote_offset = 4096,
	};
	struct work fenced = {
		.opcode = IBV_WR_SEND, .offset = 4096 + (1 << 20) - 64, .length = 64,
		.flags = IBV_SEND_FENCE | IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc = {};
	int i;

	fill(pair->b.buf + 4096, 1 << 20, 5);
	memset(pair->a.buf + 4096, 0, 1 << 20);
	for (i = 0; i < 10; i++)
		post(&pair->a, &pair->b, &write);
	if (post_recv(&pair->b, 0, 64) || post(&pair->a, &pair->b, &read) ||
	    post(&pair->a, &pair->b, &fenced))
		broken("post in order");
	if (!wait_wc(&pair->a, &wc, 10) || wc.status || wc.opcode != IBV_WC_RDMA_READ ||
	    !wait_wc(&pair->a, &wc, 10) || wc.status || wc.opcode != IBV_WC_SEND ||
	    !wait_wc(&pair->b, &wc, 10) || wc.status)
		return not_ok("in order, and none for what was not signaled: %s, opcode %d",
			      ibv_wc_status_str(wc.status), wc.opcode);
	passed("in order, and none for what was not signaled");
	for (i = 0; i < 64; i++)
		if (pair->b.buf[i] != pattern((1 << 20) - 64 + i, 5))
			return not_ok("a fenced SEND sends what the READ brought: byte %d", i);
	passed("a fenced SEND sends what the READ brought");
}

/* More messages than the rings have slots: indices wrap, and nothing is lost or doubled. */
static void wrapping(struct pair *pair)
{
	struct work send = { .opcode = IBV_WR_SEND, .length = 8 };
	int posted = 0, sent = 0, received = 0, n = 500, i;
	uint64_t until = now_ns() + 30000000000ULL, number;
	struct ibv_wc wc;

	for (i = 0; i < 32; i++)
		post_recv(&pair->b, 4096 + i * 8, 8);
	while (received < n && now_ns() < until) {
		while (posted < n && posted - sent < 16 && posted - received < 32) {
			send.offset = posted % 32 * 8;
			*(uint64_t *)(pair->a.buf + send.offset) = posted;
			if (post(&pair->a, &pair->b, &send))
				broken("post %d", posted);
			posted++;
		}
		while (ibv_poll_cq(pair->a.cq, 1, &wc) > 0)
			sent += !wc.status;
		while (ibv_poll_cq(pair->b.cq, 1, &wc) > 0) {
			number = *(uint64_t *)(pair->b.buf + wc.wr_id);
			if (wc.status || number != (uint64_t)received)
				return not_ok("rings wrap: message %d is %lu", received, number);
			received++;
			post_recv(&pair->b, wc.wr_id, 8);
		}
	}
	verdict(received == n, "rings wrap: 500 messages in order", "%d received", received);
}

static void send_datagram(struct pair *pair, struct ibv_ah *ah, size_t length, bool imm)
{
	struct ibv_sge sge = { (uintptr_t)pair->a.buf + 64, length, pair->a.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED,
		.opcode = imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND,
		.imm_data = htonl(0xbeef),
		.wr.ud = { .ah = ah, .remote_qpn = pair->b.qp->qp_num, .remote_qkey = 0x1234 },
	}, *bad;
	struct ibv_wc wc = {};
	char name[60];
	long at;

	snprintf(name, sizeof(name), "datagram of %zu bytes%s", length,
		 imm ? " with immediate" : "");
	fill(pair->a.buf + 64, length, length);
	memset(pair->b.buf, MARK, length + 256);
	if (post_recv(&pair->b, 64, length + 40) || ibv_post_send(pair->a.qp, &wr, &bad))
		broken("post a datagram");
	if (!wait_wc(&pair->a, &wc, 10) || wc.status || !wait_wc(&pair->b, &wc, 10) || wc.status)
		return not_ok("%s: %s", name, ibv_wc_status_str(wc.status));
	memset(pair->b.buf + 64, MARK, 40);
	at = wrong(pair->b.buf + 64 + 40, length, length);
	verdict(at < 0 && wc.byte_len == length + 40 && wc.src_qp == pair->a.qp->qp_num &&
		(!imm || wc.imm_data == htonl(0xbeef)), name, "byte %ld, length %u, from QP %u",
		at, wc.byte_len, wc.src_qp);
}

static void datagrams(struct pair *pair)
{
	const struct how how = { .type = IBV_QPT_UD };
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1, .dlid = pair->b.port.lid,
		.grh = { .dgid = pair->b.gid, .sgid_index = pair->a.gid_index, .hop_limit = 64 },
	};
	struct ibv_ah *ah;

	pair_connect(pair, &how);
	/* The provider asks the namespace's neighbours. */
	enter_host(pair->a.host);
	ah = ibv_create_ah(pair->a.pd, &attr);
	enter_host(NULL);
	if (!pair->ethernet)
		return verdict(!ah, "the provider makes no address handle on an InfiniBand link",
			       "it did");
	if (!ah)
		return not_ok("an address handle: %d", errno);
	send_datagram(pair, ah, 1, false);
	send_datagram(pair, ah, 1000, true);
	send_datagram(pair, ah, pair->mtu, false);
	ibv_destroy_ah(ah);
}

static void shared_queue(struct pair *pair)
{
	const struct how how = { .srq = true };
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct work send = { .opcode = IBV_WR_SEND, .length = 100 };
	struct ibv_srq_attr limit = { .srq_limit = 3 };
	struct ibv_async_event event;
	struct ibv_wc wc = {};
	int i, got = 0;

	pair_disconnect(pair);
	pair->b.srq = ibv_create_srq(pair->b.pd, &init);
	pair->a.srq = ibv_create_srq(pair->a.pd, &init);
	if (!pair->b.srq || !pair->a.srq)
		return not_ok("a shared receive queue: %d", errno);
	pair_connect(pair, &how);
	for (i = 0; i < 5; i++)
		post_recv(&pair->b, i * 128, 128);
	verdict(!ibv_modify_srq(pair->b.srq, &limit, IBV_SRQ_LIMIT), "a limit is set", "%d", errno);
	for (i = 0; i < 3; i++)
		got += !result(&pair->a, &pair->b, &send) && wait_wc(&pair->b, &wc, 10) &&
		       !wc.status && wc.byte_len == 100;
	verdict(got == 3, "SENDs into a shared receive queue", "%d of 3", got);
	if (ibv_get_async_event(pair->b.ctx, &event))
		return not_ok("the limit's event");
	verdict(event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED, "the limit's event", "%s",
		ibv_event_type_str(event.event_type));
	ibv_ack_async_event(&event);
	pair_disconnect(pair);
	if (ibv_destroy_srq(pair->a.srq) || ibv_destroy_srq(pair->b.srq))
		not_ok("destroy it: %d", errno);
	pair->a.srq = NULL;
	pair->b.srq = NULL;
}

void verbs_ops(int argc, char **argv)
{
	const struct how how = {};
	struct pair pair;

	(void)argc;
	pair_open(&pair, argv, false);
	pair_connect(&pair, &how);
	sizes(&pair);
	atomics(&pair);
	gather(&pair);
	ordering(&pair);
	wrapping(&pair);
	shared_queue(&pair);
	datagrams(&pair);
	pair_disconnect(&pair);
	pair_close(&pair);
}
