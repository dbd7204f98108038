// SPDX-License-Identifier: GPL-2.0
/*
 * Rings in a program's memory: how a program and the HCA talk without a call.
 *
 * A verbs program posts work by writing a work queue element (WQE) into a ring,
 * moving an index on, and storing a word into the doorbell page. The HCA fetches
 * the WQE, does what it says, writes a completion (CQE) into another ring, and
 * moves an index on there (InfiniBand volume 1, 10.8). Here the fabric thread is
 * the HCA. Layout of rings and doorbells are those of VMware's paravirtual RDMA
 * device (rdma/vmw_pvrdma-abi.h), because every rdma-core has a provider for it.
 *
 *	SQ buffer	| indices: tx = SQ, rx = RQ | WQEs ...		a page, then slots
 *	RQ buffer	| WQEs ...
 *	CQ, SRQ buffer	| indices: rx		    | CQEs, WQEs ...
 *
 * Indices run modulo twice the number of slots, so that full and empty differ.
 *
 * All of it can be scribbled over by the program at any time. So: the index that
 * is ours is kept in the kernel and only written out; the program's is checked
 * whenever it is read; a WQE is copied before it is looked at, and only the copy
 * is used. A broken ring harms its own QP or CQ and nobody else.
 *
 * The rings hold the truth, a doorbell is only a hint: a word over which others
 * may have been written since. Any word for QPs means: look at all of this program's QPs.
 *
 * Events are harder. A program arms a CQ by storing a word, but its next
 * unsuccessful poll stores another over it, often before anybody has looked. So a
 * CQ that was not seen armed is signaled too, up to UNASKED_EVENTS times in a
 * row (a program that never asks would leave all these events in its channel);
 * after that only when its program lets completions lie for STALL_NS, as one does
 * that sleeps. To be seen arming resets this.
 */
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <rdma/ib_cache.h>
#include "ring_user.h"
#include "verbs.h"

/* Of a program with many QPs, so many are looked at in a turn. */
#define LOOK_QPS	64
#define UNASKED_EVENTS	256
#define STALL_NS	(100 * NSEC_PER_USEC)

/* A work completion with an invalidated key: the provider hands on flags as the program's own. */
#define USER_WC_WITH_INV	BIT(3)

static_assert(sizeof(struct pvrdma_sq_wqe_hdr) == 80);
static_assert(sizeof(struct pvrdma_rq_wqe_hdr) == 16);
static_assert(sizeof(struct pvrdma_sge) == 16 && sizeof(struct fab_sge) == 16);
static_assert(offsetof(struct pvrdma_sge, lkey) == offsetof(struct fab_sge, lkey));
static_assert(sizeof(struct pvrdma_cqe) == 64);
static_assert((int)PVRDMA_WC_GENERAL_ERR == (int)IB_WC_GENERAL_ERR);
static_assert((int)PVRDMA_WC_RETRY_EXC_ERR == (int)IB_WC_RETRY_EXC_ERR);
static_assert((int)PVRDMA_WC_FETCH_ADD == (int)IB_WC_FETCH_ADD);
static_assert((int)PVRDMA_WC_RECV_RDMA_WITH_IMM == (int)IB_WC_RECV_RDMA_WITH_IMM);
static_assert((int)PVRDMA_WR_ATOMIC_FETCH_AND_ADD == (int)IB_WR_ATOMIC_FETCH_AND_ADD);

/* Copy what the program can change; the compiler must not look there again. */
static void snapshot(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	barrier();
}

/* A program trips on something: its owner finds the reason in the kernel's log. */
static __printf(2, 3) void complain(const struct fab_qp *qp, const char *format, ...)
{
	struct va_format text = { .fmt = format };
	va_list args;

	va_start(args, format);
	text.va = &args;
	ibdev_notice_ratelimited(&qp->hca->ibdev, "QP 0x%x: %pV\n", qp->qpn, &text);
	va_end(args);
}

/* How many WQEs wait; FAB_RING_BROKEN if the program's index makes no sense. */
static u32 waiting(const struct ring_queue *queue)
{
	/* What is in the slots was written before the index. */
	return fab_ring_used(queue->n, smp_load_acquire(&queue->index->prod_tail), queue->taken);
}

/* The next WQE: 1; none: 0; the ring is broken, which is told once: -EINVAL. */
static int take(struct ring_queue *queue, const void **slot)
{
	u32 n;

	if (queue->broken)
		return 0;
	n = waiting(queue);
	if (!n)
		return 0;
	if (n == FAB_RING_BROKEN) {
		queue->broken = true;
		return -EINVAL;
	}
	*slot = queue->slots + fab_ring_slot(queue->n, queue->taken) * queue->stride;
	queue->taken = fab_ring_index(queue->n, queue->taken + 1);
	return 1;
}

/* The program may write to the slots of the @n oldest WQEs that it still lacks. */
static void give_back(struct ring_queue *queue, u32 n)
{
	n = min(n, fab_ring_index(queue->n, queue->taken - queue->done));
	queue->done = fab_ring_index(queue->n, queue->done + n);
	/* What was in the slots has been copied. */
	smp_store_release(&queue->index->cons_head, queue->done);
}

static void restart(struct ring_queue *queue)
{
	queue->taken = 0;
	queue->done = 0;
	queue->broken = false;
}

/* Copy the pieces of a WQE. Returns their length, at most U32_MAX. */
static u32 take_pieces(struct fab_sge *sge, u32 n, const void *from)
{
	u64 length = 0;
	u32 i;

	snapshot(sge, from, n * sizeof(*sge));
	for (i = 0; i < n; i++)
		length += sge[i].length;
	return min_t(u64, length, U32_MAX);
}

/* A datagram's address vector comes from the program: nothing in it is trusted. */
static bool av_ok(const struct fab_qp *qp, const struct pvrdma_av *av)
{
	if ((av->port_pd & PVRDMA_UAR_HANDLE_MASK) != to_fab_pd(qp->ibqp.pd)->pdn) {
		complain(qp, "address handle of another protection domain");
		return false;
	}
	if (av->port_pd >> 24 != 1) {
		complain(qp, "address handle of port %u, the HCA has one", av->port_pd >> 24);
		return false;
	}
	return true;
}

static void read_av(struct fab_qp *qp, const struct pvrdma_av *av,
		    const struct ib_gid_attr *sgid, struct rdma_ah_attr *attr)
{
	u8 *dmac;

	memset(attr, 0, sizeof(*attr));
	attr->type = rdma_ah_find_type(&qp->hca->ibdev, 1);
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_sl(attr, av->sl_tclass_flowlabel >> 28);
	rdma_ah_set_static_rate(attr, av->stat_rate);
	rdma_ah_set_path_bits(attr, av->src_path_bits & 0x7f);
	rdma_ah_set_grh(attr, NULL, av->sl_tclass_flowlabel & 0xfffff, av->gid_index,
			av->hop_limit, av->sl_tclass_flowlabel >> 20);
	rdma_ah_set_dgid_raw(attr, (void *)av->dgid);
	attr->grh.sgid_attr = sgid;
	dmac = rdma_ah_retrieve_dmac(attr);
	if (dmac)
		ether_addr_copy(dmac, av->dmac);
}

/* Where a datagram goes. Programs send many to one place: the last one is remembered. */
static struct fab_path *find_path(struct ring_qp *rings, const struct pvrdma_av *av)
{
	struct fab_qp *qp = rings->qp;
	const struct ib_gid_attr **known = &rings->path.attr.grh.sgid_attr;
	const struct ib_gid_attr *sgid;
	struct rdma_ah_attr attr;

	if (!av_ok(qp, av))
		return NULL;
	sgid = rdma_get_gid_attr(&qp->hca->ibdev, 1, av->gid_index);
	if (IS_ERR(sgid)) {
		complain(qp, "address handle with GID index %u, which is empty", av->gid_index);
		return NULL;
	}
	if (sgid == *known && !memcmp(av, &rings->av, sizeof(*av))) {
		rdma_put_gid_attr(sgid);
		return &rings->path;
	}
	if (*known)
		rdma_put_gid_attr(*known);
	*known = NULL;
	read_av(qp, av, sgid, &attr);
	if (qp->hca->net->resolve(qp->hca, &attr, &rings->path, false)) {
		complain(qp, "address handle that leads nowhere");
		*known = NULL;
		rdma_put_gid_attr(sgid);
		return NULL;
	}
	*known = sgid;
	rings->av = *av;
	return &rings->path;
}

static int decode_ud(struct ring_qp *rings, const struct pvrdma_sq_wqe_hdr *wqe,
		     struct fab_send_wr *wr)
{
	if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM) {
		complain(rings->qp, "opcode %u in a datagram QP", wr->opcode);
		return -EINVAL;
	}
	wr->remote_qpn = wqe->wr.ud.remote_qpn;
	wr->remote_qkey = wqe->wr.ud.remote_qkey;
	wr->path = find_path(rings, &wqe->wr.ud.av);
	return wr->path ? 1 : -EINVAL;
}

static int decode_rc(const struct pvrdma_sq_wqe_hdr *wqe, struct fab_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		wr->remote_addr = wqe->wr.rdma.remote_addr;
		wr->rkey = wqe->wr.rdma.rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wr->remote_addr = wqe->wr.atomic.remote_addr;
		wr->rkey = wqe->wr.atomic.rkey;
		wr->compare_add = wqe->wr.atomic.compare_add;
		wr->swap = wqe->wr.atomic.swap;
		break;
	default:
		break;
	}
	return 1;
}

/* What the provider cannot do, and a program may try all the same. */
static bool form_ok(const struct fab_qp *qp, const struct ring_queue *sq,
		    const struct pvrdma_sq_wqe_hdr *wqe)
{
	if (wqe->opcode > PVRDMA_WR_ATOMIC_FETCH_AND_ADD) {
		complain(qp, "opcode %u, which user space cannot post through this provider",
			 wqe->opcode);
		return false;
	}
	if (wqe->send_flags & IB_SEND_INLINE) {
		complain(qp, "inline data, which this provider cannot do (max_inline_data is 0)");
		return false;
	}
	if (wqe->num_sge > sq->max_sge) {
		complain(qp, "%u pieces in a work request, the QP has %u", wqe->num_sge,
			 sq->max_sge);
		return false;
	}
	return true;
}

static int ring_next_send(struct fab_qp *qp, struct fab_send_wr *wr)
{
	struct ring_qp *rings = qp->ring;
	struct pvrdma_sq_wqe_hdr wqe;
	const void *slot;
	int got = take(&rings->sq, &slot);

	/* But for the pieces. */
	memset(wr, 0, offsetof(struct fab_send_wr, sge));
	if (got <= 0)
		return got;
	snapshot(&wqe, slot, sizeof(wqe));
	wr->wr_id = wqe.wr_id;
	wr->flags = wqe.send_flags & (IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED);
	if (!form_ok(qp, &rings->sq, &wqe))
		return -EINVAL;
	wr->opcode = wqe.opcode;
	wr->imm = wqe.ex.imm_data;
	wr->num_sge = wqe.num_sge;
	wr->length = take_pieces(wr->sge, wr->num_sge, slot + sizeof(wqe));
	return qp->type == IB_QPT_UD ? decode_ud(rings, &wqe, wr) : decode_rc(&wqe, wr);
}

static int ring_next_recv(struct fab_rq *rq, struct fab_recv_wr *wr)
{
	struct pvrdma_rq_wqe_hdr wqe;
	struct ring_queue *queue = rq->ring;
	const void *slot;
	int got = take(queue, &slot);

	wr->wr_id = 0;
	wr->num_sge = 0;
	wr->length = 0;
	if (got <= 0)
		return got;
	snapshot(&wqe, slot, sizeof(wqe));
	wr->wr_id = wqe.wr_id;
	if (wqe.num_sge <= queue->max_sge) {
		wr->num_sge = wqe.num_sge;
		wr->length = take_pieces(wr->sge, wr->num_sge, slot + sizeof(wqe));
	} else {
		got = -EINVAL;
	}
	give_back(queue, 1);
	return got;
}

static void ring_send_done(struct fab_qp *qp, u32 n)
{
	struct ring_qp *rings = qp->ring;

	give_back(&rings->sq, n);
}

static u32 ring_recvs_posted(const struct fab_rq *rq)
{
	const struct ring_queue *queue = rq->ring;
	u32 n = queue->broken ? 0 : waiting(queue);

	return n == FAB_RING_BROKEN ? 0 : n;
}

/* The program zeroes its indices only after this. Nothing is taken before it is in INIT. */
static void ring_reset(struct fab_qp *qp)
{
	struct ring_qp *rings = qp->ring;

	restart(&rings->sq);
	if (!qp->srq)
		restart(&rings->rq);
}

/* Completions and events. */

/* Completions that the program has not taken; FAB_RING_BROKEN if its index makes no sense. */
static u32 unread(const struct ring_cq *ring)
{
	return fab_ring_used(ring->cq->entries, ring->tail, READ_ONCE(ring->index->cons_head));
}

static void raise_event(struct ring_cq *ring)
{
	struct fab_cq *cq = ring->cq;

	cq->armed = 0;
	ring->told = ring->tail;
	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/* Whether an event is missed is seen at later looks. */
static void watch_stall(struct ring_cq *ring)
{
	if (!list_empty(&ring->stall))
		return;
	ring->stall_head = READ_ONCE(ring->index->cons_head);
	ring->stall_at = ktime_get_ns() + STALL_NS;
	list_add_tail(&ring->stall, &ring->context->stalls);
}

static void signal_cq(struct ring_cq *ring, bool solicited)
{
	struct fab_cq *cq = ring->cq;

	/* No channel: nobody to be told. */
	if (!cq->ibcq.cq_context)
		return;
	if (cq->armed == IB_CQ_SOLICITED && !solicited)
		return;
	if (cq->armed) {
		raise_event(ring);
	} else if (ring->unasked < UNASKED_EVENTS) {
		ring->unasked++;
		raise_event(ring);
	} else {
		watch_stall(ring);
	}
}

static void write_cqe(struct pvrdma_cqe *cqe, const struct fab_qp *qp,
		      const struct fab_completion *done)
{
	struct pvrdma_cqe entry = {
		.wr_id = done->wr_id,
		.qp = qp->handle,
		.opcode = done->opcode,
		.status = done->status,
		.byte_len = done->byte_len,
		.imm_data = done->imm,
		.src_qp = done->src_qp,
		.wc_flags = done->wc_flags & (IB_WC_GRH | IB_WC_WITH_IMM),
		.vendor_err = done->vendor_err,
		.pkey_index = done->pkey_index,
		.slid = done->slid,
		.sl = done->sl,
		.dlid_path_bits = done->path_bits,
		.port_num = 1,
		.network_hdr_type = done->network,
	};

	if (done->wc_flags & IB_WC_WITH_INVALIDATE)
		entry.wc_flags |= USER_WC_WITH_INV;
	ether_addr_copy(entry.smac, done->smac);
	memcpy(cqe, &entry, sizeof(entry));
}

static bool ring_complete(struct fab_cq *cq, struct fab_qp *qp, const struct fab_completion *done)
{
	struct ring_cq *ring = cq->ring;

	if (cq->dead)
		return false;
	if (unread(ring) >= cq->entries) {
		complain(qp, "completion queue %u is full, or its program has overwritten it",
			 cq->cqn);
		cq->dead = true;
		return false;
	}
	write_cqe(&ring->cqes[fab_ring_slot(cq->entries, ring->tail)], qp, done);
	ring->tail = fab_ring_index(cq->entries, ring->tail + 1);
	/* The program sees the entry before it sees the index. */
	smp_store_release(&ring->index->prod_tail, ring->tail);
	signal_cq(ring, done->solicited || done->status != IB_WC_SUCCESS);
	fab_watch_soon();
	return true;
}

const struct fab_ring_ops fab_user_ring_ops = {
	.next_send	= ring_next_send,
	.next_recv	= ring_next_recv,
	.send_done	= ring_send_done,
	.recvs_posted	= ring_recvs_posted,
	.reset		= ring_reset,
	.complete	= ring_complete,
};

/* Doorbells. */

/* Is there something to send, or to be flushed? Receives that are posted wait to be asked for. */
static bool look_at_qp(struct ring_qp *rings)
{
	struct fab_qp *qp = rings->qp;

	if (qp->state == IB_QPS_RESET)
		return false;
	if ((rings->sq.broken || !waiting(&rings->sq)) &&
	    (qp->state != IB_QPS_ERR || qp->srq || rings->rq.broken || !waiting(&rings->rq)))
		return false;
	fab_qp_ready(qp);
	return true;
}

/* Look at some of a program's QPs, in turn. */
static bool look_at_qps(struct fab_ucontext *context)
{
	u32 n = min_t(u32, context->to_look, LOOK_QPS);
	struct ring_qp *rings;
	bool found = false;

	for (context->to_look -= n; n; n--) {
		rings = list_first_entry(&context->queues, struct ring_qp, list);
		list_move_tail(&rings->list, &context->queues);
		found |= look_at_qp(rings);
	}
	return found || context->to_look;
}

/* A program was seen to arm a CQ. What came in since it did so may not have been told. */
static void arm(struct fab_cq *cq, bool solicited)
{
	struct ring_cq *ring = cq->ring;
	bool late = unread(ring) && ring->told != ring->tail;

	ring->unasked = 0;
	cq->armed = solicited ? IB_CQ_SOLICITED : IB_CQ_NEXT_COMP;
	if (late && !solicited && cq->ibcq.cq_context)
		raise_event(ring);
}

static void look_at_cq_word(struct fab_ucontext *context, u32 word)
{
	struct fab_cq *cq;

	if (!(word & (PVRDMA_UAR_CQ_ARM | PVRDMA_UAR_CQ_ARM_SOL)))
		return;
	cq = xa_load(&context->cqs, word & PVRDMA_UAR_HANDLE_MASK);
	if (cq)
		arm(cq, word & PVRDMA_UAR_CQ_ARM_SOL);
}

static void look_at_stalls(struct fab_ucontext *context)
{
	u64 now = ktime_get_ns();
	struct ring_cq *ring, *next;
	u32 head;

	list_for_each_entry_safe(ring, next, &context->stalls, stall) {
		head = READ_ONCE(ring->index->cons_head);
		if (!unread(ring)) {
			list_del_init(&ring->stall);
		} else if (head != ring->stall_head) {
			ring->stall_head = head;
			ring->stall_at = now + STALL_NS;
		} else if (now >= ring->stall_at) {
			list_del_init(&ring->stall);
			raise_event(ring);
		}
	}
	if (!list_empty(&context->stalls))
		fab_watch_soon();
}

static u32 take_word(const struct fab_ucontext *context, u32 offset)
{
	__le32 *word = context->doorbell + offset;

	/* What the program wrote to its rings before the word is seen after the exchange. */
	return READ_ONCE(*word) ? le32_to_cpu(xchg(word, 0)) : 0;
}

static bool look_at_context(struct fab_ucontext *context)
{
	u32 qp_word = take_word(context, PVRDMA_UAR_QP_OFFSET);
	u32 cq_word = take_word(context, PVRDMA_UAR_CQ_OFFSET);
	struct ring_qp *rings;
	bool found = false;

	if (qp_word) {
		rings = xa_load(&context->qps, qp_word & PVRDMA_UAR_HANDLE_MASK);
		if (rings)
			found = look_at_qp(rings);
		/* The word may hide another that said something else. */
		context->to_look = context->n_queues;
	}
	found |= look_at_qps(context);
	look_at_cq_word(context, cq_word);
	if (!list_empty(&context->stalls))
		look_at_stalls(context);
	return found;
}

/**
 * fab_ring_look() - look at the doorbells of all programs
 * @watch: of an HCA
 *
 * Context: fabric thread.
 * Return: whether a program has posted something.
 */
bool fab_ring_look(struct fab_watch *watch)
{
	struct fab_hca *hca = container_of(watch, struct fab_hca, doorbells);
	struct fab_ucontext *context;
	bool found = false;

	list_for_each_entry(context, &hca->contexts, list)
		found |= look_at_context(context);
	return found;
}

