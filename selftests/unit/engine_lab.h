/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For test_engine.c: two HCAs with a QP each, and a wire that may lose packets.
 *
 *	program 0 - rings - QP 0 - engine ===== engine - QP 1 - rings - program 1
 *
 * The engine is the kernel's (kmod/host/); clock, memory, rings and wire are the lab's.
 * A region is all of a host's memory, an address is an offset into it.
 */
#ifndef _UNIT_ENGINE_LAB_H
#define _UNIT_ENGINE_LAB_H

#include <stdio.h>
#include "kselftest.h"
#include "host/engine.h"

#define SEC		1000000000ull
#define MEMORY		BIT(20)
#define SLOTS		1024		/* of a ring */
#define MOST		4096		/* completions of a test */
#define LKEY(host)	(0x100 + (host))
#define RKEY(host)	(0x200 + (host))

/* A program's queue pair: what it has posted, and what came back. */
struct ring {
	struct fab_send_wr sends[SLOTS];
	struct fab_recv_wr recvs[SLOTS];
	u32 posted, taken, done, recvs_posted, recvs_taken;
};

struct host {
	struct fab_hca hca;
	struct fab_qp qp;
	struct fab_cq cq[2];		/* of sends, of receives */
	struct fab_pd pd;
	struct fab_mr mr;
	struct ring ring;
	struct fab_completion done[2][MOST];
	u32 n_done[2];
	unsigned int events[IB_EVENT_WQ_FATAL + 1];
	u8 memory[MEMORY];
	u16 pkey;
	u32 waiting;			/* bytes at the port */
	u64 wire_free;
};

int unit_no_memory;
static struct host *hosts;
static u64 now;
static u32 alive;			/* packets */
static bool port_full;
static unsigned int loss;		/* of a thousand packets */
static unsigned int lose;		/* so many more packets and one is lost; 0 = none */
static u32 seed;

static u32 random_u32(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

static struct host *host_of(const struct fab_hca *hca)
{
	return container_of(hca, struct host, hca);
}

/* The clock: events by time, and inboxes. */
static struct list_head heap = { &heap, &heap };
static struct llist_node *inboxes;

u64 fab_now(void)
{
	return now;
}

void fab_event_init(struct fab_event *event, void (*fire)(struct fab_event *event))
{
	event->fire = fire;
	event->node.node.queued = false;
}

void fab_event_cancel(struct fab_event *event)
{
	if (event->node.node.queued)
		list_del(&event->node.node.list);
	event->node.node.queued = false;
}

void fab_event_at(struct fab_event *event, u64 time)
{
	struct timerqueue_node *other;

	fab_event_cancel(event);
	event->node.expires = max(time, now);
	list_for_each_entry_reverse(other, &heap, node.list)
		if (other->expires <= event->node.expires)
			break;
	list_add(&event->node.node.list, &other->node.list);
	event->node.node.queued = true;
}

void fab_inbox_init_timeless(struct fab_inbox *inbox, void (*drain)(struct fab_inbox *inbox))
{
	inbox->drain = drain;
	inbox->queued = 0;
}

void fab_inbox_post(struct fab_inbox *inbox)
{
	if (inbox->queued)
		return;
	inbox->queued = 1;
	inbox->node.next = inboxes;
	inboxes = &inbox->node;
}

/* What is done also while time stands still. */
static void drain_inboxes(void)
{
	struct fab_inbox *inbox;

	while (inboxes) {
		inbox = container_of(inboxes, struct fab_inbox, node);
		inboxes = inboxes->next;
		inbox->queued = 0;
		inbox->drain(inbox);
	}
}

static bool run_one(void)
{
	struct fab_event *event;

	drain_inboxes();
	if (list_empty(&heap))
		return false;
	event = list_first_entry(&heap, struct fab_event, node.node.list);
	now = event->node.expires;
	fab_event_cancel(event);
	event->fire(event);
	drain_inboxes();
	return true;
}

static void run(u64 duration)
{
	u64 end = now + duration;

	while (drain_inboxes(), !list_empty(&heap) &&
	       list_first_entry(&heap, struct timerqueue_node, node.list)->expires <= end)
		run_one();
	now = end;
}

void fab_call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
}

int fab_call_killable(void (*fn)(void *arg), void *arg)
{
	fn(arg);
	return 0;
}

void fab_call_sync(void)
{
	drain_inboxes();
}

void fab_clock_real_packets(int change)
{
}

struct fab_packet *fab_packet_create_rdma(u32 room)
{
	struct fab_packet *packet = calloc(1, sizeof(*packet));

	packet->skb = calloc(1, sizeof(*packet->skb));
	packet->skb->data = malloc(room);
	packet->skb->room = room;
	alive++;
	return packet;
}

void fab_packet_free(struct fab_packet *packet)
{
	free(packet->skb->data);
	free(packet->skb);
	free(packet);
	alive--;
}

/* The wire: 12 bytes a ns, 500 ns long. */
struct flight {
	struct fab_event arrival;
	struct fab_packet *packet;
	struct host *from;
};

static void arrive(struct fab_event *event)
{
	struct flight *flight = container_of(event, struct flight, arrival);
	struct host *to = &hosts[flight->from == &hosts[0]];
	struct fab_arrival arrival = {};

	flight->from->waiting -= flight->packet->skb->len;
	fab_hca_room(&flight->from->hca);
	fab_hca_receive(&to->hca, flight->packet, &arrival);
	free(flight);
}

static void net_send(struct fab_hca *hca, struct fab_packet *packet)
{
	struct host *host = host_of(hca);
	struct flight *flight;

	assert(packet->skb->len % 4 == 0);
	if (random_u32() % 1000 < loss || (lose && !--lose)) {
		fab_packet_free(packet);
		return;
	}
	flight = calloc(1, sizeof(*flight));
	flight->packet = packet;
	flight->from = host;
	host->waiting += packet->skb->len;
	host->wire_free = max(host->wire_free, now) + packet->skb->len / 12;
	fab_event_init(&flight->arrival, arrive);
	fab_event_at(&flight->arrival, host->wire_free + 500);
}

static void net_wrap(struct fab_hca *hca, const struct fab_path *path, struct fab_packet *packet)
{
}

static u32 net_backlog(const struct fab_hca *hca)
{
	return port_full ? 1 << 30 : host_of(hca)->waiting;
}

static int net_pkey(struct fab_hca *hca, u16 index, u16 *pkey)
{
	*pkey = host_of(hca)->pkey;
	return index ? -EINVAL : 0;
}

static enum ib_mtu net_mtu(struct fab_hca *hca)
{
	return IB_MTU_4096;
}

static int net_resolve(struct fab_hca *hca, const struct rdma_ah_attr *attr,
		       struct fab_path *path, bool may_sleep)
{
	return 0;
}

static const struct fab_net_ops net = {
	.query_pkey	= net_pkey,
	.resolve	= net_resolve,
	.mtu		= net_mtu,
	.wrap		= net_wrap,
	.send		= net_send,
	.backlog	= net_backlog,
};

/* A packet that the other end did not send; @headers is what is behind the BTH. */
static void inject(unsigned int to, u8 opcode, u32 psn, const void *headers, u32 size)
{
	struct fab_packet *packet = fab_packet_create_rdma(sizeof(struct fab_bth) + size);
	struct fab_bth bth = fab_bth_make(opcode, 0xffff, hosts[to].qp.qpn, psn, false, false);
	struct fab_arrival arrival = {};

	memcpy(skb_put(packet->skb, sizeof(bth)), &bth, sizeof(bth));
	memcpy(skb_put(packet->skb, size), headers, size);
	fab_hca_receive(&hosts[to].hca, packet, &arrival);
}

/* Rings. */
static int next_send(struct fab_qp *qp, struct fab_send_wr *wr)
{
	struct ring *ring = qp->ring;

	if (ring->taken == ring->posted)
		return 0;
	*wr = ring->sends[ring->taken++ % SLOTS];
	return 1;
}

static int next_recv(struct fab_rq *rq, struct fab_recv_wr *wr)
{
	struct ring *ring = rq->ring;

	if (ring->recvs_taken == ring->recvs_posted)
		return 0;
	*wr = ring->recvs[ring->recvs_taken++ % SLOTS];
	return 1;
}

static void send_done(struct fab_qp *qp, u32 n)
{
	struct ring *ring = qp->ring;

	ring->done += n;
	assert(ring->done <= ring->taken);
}

static void reset_ring(struct fab_qp *qp)
{
	memset(qp->ring, 0, sizeof(struct ring));
}

static bool complete(struct fab_cq *cq, struct fab_qp *qp, const struct fab_completion *done)
{
	struct host *host = host_of(cq->hca);
	u32 *n = &host->n_done[cq->cqn];

	if (*n == cq->entries)
		return false;
	host->done[cq->cqn][(*n)++] = *done;
	return true;
}

static const struct fab_ring_ops ring_ops = {
	.next_send	= next_send,
	.next_recv	= next_recv,
	.send_done	= send_done,
	.reset		= reset_ring,
	.complete	= complete,
};

int fab_kring_qp_create(struct fab_qp *qp)
{
	qp->ops = &ring_ops;
	qp->rq.ops = &ring_ops;
	qp->ring = &host_of(qp->hca)->ring;
	qp->rq.ring = qp->ring;
	return 0;
}

void fab_kring_qp_destroy(struct fab_qp *qp)
{
}

int fab_ring_qp_create(struct fab_qp *qp, struct ib_udata *udata)
{
	return -EINVAL;
}

void fab_ring_qp_explain(const struct fab_qp *qp, const struct ib_qp_init_attr *init)
{
}

void fab_ring_qp_destroy(struct fab_qp *qp)
{
}

/* Memory: kmod/host/mem.h without pages. */
static u8 *byte_at(const struct fab_memory *mem, u32 offset)
{
	const struct fab_sge *sge = mem->sge;

	for (; offset >= sge->length; sge++)
		offset -= sge->length;
	assert(sge < mem->sge + mem->num_sge);
	return &host_of(mem->hca)->memory[sge->addr + offset];
}

bool fab_mem_valid(const struct fab_memory *mem, int access)
{
	u32 i;

	for (i = 0; i < mem->num_sge; i++)
		if (mem->sge[i].lkey != host_of(mem->hca)->mr.lkey ||
		    mem->sge[i].addr + mem->sge[i].length > MEMORY)
			return false;
	return true;
}

bool fab_mem_can_refer(const struct fab_memory *mem, u32 length)
{
	return false;
}

bool fab_mem_get(const struct fab_memory *mem, u32 offset, u32 length, struct sk_buff *skb,
		 bool by_reference)
{
	while (length--)
		*(u8 *)skb_put(skb, 1) = *byte_at(mem, offset++);
	return true;
}

bool fab_mem_put_bytes(const struct fab_memory *mem, u32 offset, const void *data, u32 length)
{
	const u8 *from = data;

	if (!fab_mem_valid(mem, IB_ACCESS_LOCAL_WRITE))
		return false;
	while (length--)
		*byte_at(mem, offset++) = *from++;
	return true;
}

bool fab_mem_put(const struct fab_memory *mem, u32 offset, const struct sk_buff *skb, u32 from,
		 u32 length)
{
	return fab_mem_put_bytes(mem, offset, skb->data + from, length);
}

struct fab_mr *fab_mem_remote(const struct fab_qp *qp, u32 rkey, u64 va, u64 length, int access)
{
	struct host *host = host_of(qp->hca);

	if (rkey != host->mr.rkey || length > MEMORY || va > MEMORY - length)
		return NULL;
	return &host->mr;
}

static u8 *at_va(struct fab_mr *mr, u64 va)
{
	return container_of(mr, struct host, mr)->memory + va;
}

void fab_mem_mr_get(struct fab_mr *mr, u64 va, u32 length, struct sk_buff *skb)
{
	memcpy(skb_put(skb, length), at_va(mr, va), length);
}

void fab_mem_mr_put(struct fab_mr *mr, u64 va, const struct sk_buff *skb, u32 from, u32 length)
{
	memcpy(at_va(mr, va), skb->data + from, length);
}

bool fab_mem_atomic(struct fab_mr *mr, u64 va, bool swap, u64 operand, u64 compare, u64 *before)
{
	u64 after;

	memcpy(before, at_va(mr, va), sizeof(*before));
	after = !swap ? *before + operand : *before == compare ? operand : *before;
	memcpy(at_va(mr, va), &after, sizeof(after));
	return true;
}

bool fab_mem_register(const struct fab_qp *qp, const struct fab_send_wr *wr)
{
	return false;
}

bool fab_mem_invalidate(const struct fab_qp *qp, u32 rkey, bool remote)
{
	return false;
}

/* The lab is set up for each test anew. */
struct lab {
	enum ib_qp_type type;
	enum ib_mtu mtu;
	u32 psn;
	u8 timeout, retries, rnr_retries;
	bool selective;
};

static void count_event(struct ib_event *event, void *context)
{
	struct host *host = context;

	host->events[event->event]++;
}

static void modify(unsigned int host, struct ib_qp_attr attr, int mask)
{
	int err = fab_qp_modify(&hosts[host].qp.ibqp, &attr, mask, NULL);

	assert(!err);
}

static void create_qp(struct host *host, const struct lab *lab)
{
	struct ib_qp_init_attr init = {
		.send_cq	= &host->cq[0].ibcq,
		.recv_cq	= &host->cq[1].ibcq,
		.cap		= { SLOTS, SLOTS, 4, 4, 0 },
		.qp_type	= lab->type,
		.sq_sig_type	= IB_SIGNAL_ALL_WR,
	};
	u32 i;
	int err;

	host->hca.net = &net;
	host->pkey = 0xffff;
	host->mr.lkey = LKEY(host - hosts);
	host->mr.rkey = RKEY(host - hosts);
	for (i = 0; i < MEMORY; i++)
		host->memory[i] = random_u32();
	for (i = 0; i < 2; i++)
		host->cq[i] = (struct fab_cq) {
			.hca = &host->hca, .ops = &ring_ops, .cqn = i, .entries = MOST,
		};
	fab_engine_init(&host->hca);
	host->hca.engine.selective = lab->selective;
	host->qp.ibqp.device = &host->hca.ibdev;
	host->qp.ibqp.pd = &host->pd.ibpd;
	host->qp.ibqp.event_handler = count_event;
	host->qp.ibqp.qp_context = host;
	err = fab_qp_create(&host->qp.ibqp, &init, NULL);
	assert(!err);
}

static void connect_qp(unsigned int i, const struct lab *lab)
{
	modify(i, (struct ib_qp_attr) {
		.qp_state = IB_QPS_INIT, .port_num = 1, .qkey = 77,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
				   IB_ACCESS_REMOTE_ATOMIC,
	}, IB_QP_STATE | IB_QP_PORT | IB_QP_PKEY_INDEX | IB_QP_ACCESS_FLAGS | IB_QP_QKEY);
	modify(i, (struct ib_qp_attr) {
		.qp_state = IB_QPS_RTR, .path_mtu = lab->mtu, .dest_qp_num = hosts[!i].qp.qpn,
		.rq_psn = lab->psn, .max_dest_rd_atomic = 4, .min_rnr_timer = 1,
	}, IB_QP_STATE | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
	   IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	modify(i, (struct ib_qp_attr) {
		.qp_state = IB_QPS_RTS, .sq_psn = lab->psn, .timeout = lab->timeout,
		.retry_cnt = lab->retries, .rnr_retry = lab->rnr_retries, .max_rd_atomic = 4,
	}, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
	   IB_QP_MAX_QP_RD_ATOMIC);
}

static void set_up(struct lab lab)
{
	unsigned int i;

	now = 0;
	hosts = calloc(2, sizeof(*hosts));
	for (i = 0; i < 2; i++)
		create_qp(&hosts[i], &lab);
	for (i = 0; i < 2; i++)
		connect_qp(i, &lab);
}

static void tear_down(void)
{
	unsigned int i;

	loss = 0;
	lose = 0;
	port_full = false;
	for (i = 0; i < 2; i++)
		fab_qp_error(&hosts[i].qp);
	while (run_one())
		;
	for (i = 0; i < 2; i++) {
		fab_qp_destroy(&hosts[i].qp.ibqp, NULL);
		fab_engine_exit(&hosts[i].hca);
	}
	assert(!alive);
	free(hosts);
}

/* @length bytes, from the beginning of a host's memory, to (or, READ, from) @REMOTE. */
#define REMOTE	0x40000

static struct fab_send_wr request(unsigned int host, enum ib_wr_opcode opcode, u32 length)
{
	return (struct fab_send_wr) {
		.opcode = opcode, .length = length, .num_sge = 1, .rkey = RKEY(!host),
		.remote_addr = REMOTE, .remote_qpn = hosts[!host].qp.qpn, .remote_qkey = 77,
		.path = &hosts[host].qp.path, .sge = { { 0, length, LKEY(host) } },
	};
}

static void post_request(unsigned int host, struct fab_send_wr wr)
{
	struct ring *ring = &hosts[host].ring;

	assert(ring->posted - ring->done < SLOTS);
	wr.wr_id = ring->posted;
	ring->sends[ring->posted++ % SLOTS] = wr;
	fab_qp_ready(&hosts[host].qp);
}

static void post(unsigned int host, enum ib_wr_opcode opcode, u32 length)
{
	post_request(host, request(host, opcode, length));
}

static void post_recv(unsigned int host, u64 addr, u32 length)
{
	struct ring *ring = &hosts[host].ring;

	assert(ring->recvs_posted - ring->recvs_taken < SLOTS);
	ring->recvs[ring->recvs_posted % SLOTS] = (struct fab_recv_wr) {
		.wr_id = ring->recvs_posted, .num_sge = 1, .length = length,
		.sge = { { addr, length, LKEY(host) } },
	};
	ring->recvs_posted++;
}

static u64 counter(unsigned int host, enum fab_counter which)
{
	return hosts[host].hca.engine.counters[which];
}

/* Are @n sends of host 0 complete, the last with @status? */
static bool done(u32 n, enum ib_wc_status status)
{
	return hosts[0].n_done[0] == n && (!n || hosts[0].done[0][n - 1].status == status);
}

#endif
