// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of the kernel's own queues: ib_mad, ib_cm, IPoIB, NVMe over Fabrics.
 *
 * The same queues as a program's, but a kernel user posts by a call, and may do
 * so from any context and from several CPUs at once: that is what the locks are
 * for. A work request is copied into a slot, and the fabric thread is woken
 * through an inbox. The thread takes requests from the queues and puts
 * completions into the CQ; the CQ's owner is told by an interrupt (irq_work), as
 * it would be by hardware, so that what it does in it is not done in the thread's
 * context.
 *
 *	producer	under @lock: writes slots[prod], then prod
 *	fabric thread	reads prod, then slots[taken]; gives slots back by done
 */
#include <linux/etherdevice.h>
#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "engine.h"
#include "ring.h"
#include "verbs.h"

/**
 * struct kqueue - a ring of work requests
 * @lock: callers that post
 * @slots: the ring
 * @mask: number of slots - 1
 * @max_wr: of these, how many may be used
 * @max_sge: pieces that fit into one
 * @stride: bytes of a slot
 * @prod: posted so far; under @lock
 * @taken: taken so far; fabric thread
 * @done: given back so far; fabric thread
 */
struct kqueue {
	spinlock_t lock;	/* callers that post */
	void *slots;
	u32 mask;
	u32 max_wr;
	u32 max_sge;
	u32 stride;
	u32 prod;
	u32 taken;
	u32 done;
};

/**
 * struct kqp - the rings of a QP
 * @qp: QP
 * @inbox: wakes the thread
 * @sq: send queue
 * @rq: receive queue, if it has its own
 */
struct kqp {
	struct fab_qp *qp;
	struct fab_inbox inbox;
	struct kqueue sq;
	struct kqueue rq;
};

/* A slot of a send queue: a datagram's path is kept beside the request. */
struct kslot {
	struct fab_path path;
	struct fab_send_wr wr;
};

/**
 * struct kcq - a ring of completions
 * @lock: the thread that writes and the callers that read; also cq->armed
 * @cq: CQ
 * @wc: the ring
 * @head: read so far
 * @tail: written so far
 * @irq: tells the owner
 */
struct kcq {
	spinlock_t lock;	/* thread and readers */
	struct fab_cq *cq;
	struct ib_wc *wc;
	u32 head;
	u32 tail;
	struct irq_work irq;
};

static const struct fab_ring_ops kring_ops;

static void *slot_at(const struct kqueue *queue, u32 index)
{
	return queue->slots + (size_t)(index & queue->mask) * queue->stride;
}

/* Posting. */

static bool is_full(const struct kqueue *queue)
{
	/* The thread has read the slot before it gave it back. */
	return queue->prod - smp_load_acquire(&queue->done) >= queue->max_wr;
}

static int copy_pieces(struct fab_sge *to, u32 *length, const struct ib_sge *from, int n,
		       const struct kqueue *queue)
{
	u64 sum = 0;
	int i;

	if (n < 0 || n > queue->max_sge)
		return -EINVAL;
	for (i = 0; i < n; i++) {
		to[i].addr = from[i].addr;
		to[i].length = from[i].length;
		to[i].lkey = from[i].lkey;
		sum += from[i].length;
	}
	*length = min_t(u64, sum, U32_MAX);
	return 0;
}

static void copy_rdma(struct fab_send_wr *to, const struct ib_send_wr *from)
{
	to->imm = from->ex.imm_data;
	to->remote_addr = rdma_wr(from)->remote_addr;
	to->rkey = rdma_wr(from)->rkey;
}

static void copy_atomic(struct fab_send_wr *to, const struct ib_send_wr *from)
{
	to->remote_addr = atomic_wr(from)->remote_addr;
	to->compare_add = atomic_wr(from)->compare_add;
	to->swap = atomic_wr(from)->swap;
	to->rkey = atomic_wr(from)->rkey;
}

static void copy_reg(struct fab_send_wr *to, const struct ib_send_wr *from)
{
	to->mr = to_fab_mr(reg_wr(from)->mr);
	to->key = reg_wr(from)->key;
	to->access = reg_wr(from)->access;
}

/* What belongs to the opcode. */
static int copy_operands(struct fab_send_wr *to, const struct ib_send_wr *from)
{
	switch (from->opcode) {
	case IB_WR_SEND:
		return 0;
	case IB_WR_SEND_WITH_IMM:
		to->imm = from->ex.imm_data;
		return 0;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		to->invalidate_rkey = from->ex.invalidate_rkey;
		return 0;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		copy_rdma(to, from);
		return 0;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		copy_atomic(to, from);
		return 0;
	case IB_WR_REG_MR:
		copy_reg(to, from);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int copy_ud(struct kslot *slot, const struct ib_send_wr *from)
{
	const struct ib_ud_wr *ud = ud_wr(from);

	if ((from->opcode != IB_WR_SEND && from->opcode != IB_WR_SEND_WITH_IMM) || !ud->ah)
		return -EINVAL;
	slot->path = to_fab_ah(ud->ah)->path;
	slot->wr.path = &slot->path;
	slot->wr.remote_qpn = ud->remote_qpn;
	slot->wr.remote_qkey = ud->remote_qkey;
	slot->wr.pkey_index = ud->pkey_index;
	return 0;
}

static int copy_send(const struct fab_qp *qp, const struct kqueue *sq, struct kslot *slot,
		     const struct ib_send_wr *from)
{
	struct fab_send_wr *wr = &slot->wr;
	int err;

	if (from->send_flags & IB_SEND_INLINE)
		return -EINVAL;
	memset(wr, 0, offsetof(struct fab_send_wr, sge));
	wr->wr_id = from->wr_id;
	wr->opcode = from->opcode;
	/* It will only be flushed: whoever drains a queue posts what it could not carry out. */
	if (qp->state == IB_QPS_ERR)
		return 0;
	wr->flags = from->send_flags & (IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED);
	err = copy_operands(wr, from);
	if (!err && fab_qp_is_datagram(qp))
		err = copy_ud(slot, from);
	if (err || wr->opcode == IB_WR_REG_MR || wr->opcode == IB_WR_LOCAL_INV)
		return err;
	wr->num_sge = from->num_sge;
	return copy_pieces(wr->sge, &wr->length, from->sg_list, from->num_sge, sq);
}

static int post_one_send(struct fab_qp *qp, const struct ib_send_wr *wr)
{
	struct kqp *rings = qp->ring;
	struct kqueue *sq = &rings->sq;
	int err;

	if (is_full(sq))
		return -ENOMEM;
	err = copy_send(qp, sq, slot_at(sq, sq->prod), wr);
	if (err)
		return err;
	/* The thread sees the slot before it sees the index. */
	smp_store_release(&sq->prod, sq->prod + 1);
	return 0;
}

/* Something was posted. */
static void tell_thread(struct fab_qp *qp)
{
	struct kqp *rings = qp->ring;

	/* Pairs with the thread, which sets the state and then looks at the queue. */
	smp_mb();
	if (READ_ONCE(qp->state) == IB_QPS_ERR || fab_qp_is_management(qp))
		fab_qp_flush_soon(qp);
	else
		fab_inbox_post(&rings->inbox);
}

/**
 * fab_post_send() - verb: post send work requests
 * @ibqp: QP of the kernel
 * @wr: list of them
 * @bad_wr: the one that failed
 *
 * Context: any.
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOMEM if the queue is full.
 */
int fab_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct fab_qp *qp = to_fab_qp(ibqp);
	enum ib_qp_state state = READ_ONCE(qp->state);
	struct kqp *rings = qp->ring;
	unsigned long flags;
	int err = 0;

	*bad_wr = wr;
	if (qp->user)
		return -EOPNOTSUPP;
	if (state == IB_QPS_RESET || state == IB_QPS_INIT || state == IB_QPS_RTR)
		return -EINVAL;
	spin_lock_irqsave(&rings->sq.lock, flags);
	for (; wr && !err; wr = wr->next) {
		*bad_wr = wr;
		err = post_one_send(qp, wr);
	}
	spin_unlock_irqrestore(&rings->sq.lock, flags);
	tell_thread(qp);
	return err;
}

static int post_one_recv(struct kqueue *rq, const struct ib_recv_wr *wr)
{
	struct fab_recv_wr *slot = slot_at(rq, rq->prod);
	int err;

	if (is_full(rq))
		return -ENOMEM;
	slot->wr_id = wr->wr_id;
	slot->num_sge = wr->num_sge;
	err = copy_pieces(slot->sge, &slot->length, wr->sg_list, wr->num_sge, rq);
	if (err)
		return err;
	/* The thread sees the slot before it sees the index. */
	smp_store_release(&rq->prod, rq->prod + 1);
	return 0;
}

static int post_recvs(struct kqueue *rq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&rq->lock, flags);
	for (; wr && !err; wr = wr->next) {
		*bad_wr = wr;
		err = post_one_recv(rq, wr);
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

/**
 * fab_post_recv() - verb: post receive work requests
 * @ibqp: QP of the kernel that has no shared receive queue
 * @wr: list of them
 * @bad_wr: the one that failed
 *
 * Context: any.
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOMEM if the queue is full.
 */
int fab_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct fab_qp *qp = to_fab_qp(ibqp);
	struct kqp *rings = qp->ring;
	int err;

	*bad_wr = wr;
	if (qp->user)
		return -EOPNOTSUPP;
	if (qp->srq || READ_ONCE(qp->state) == IB_QPS_RESET)
		return -EINVAL;
	err = post_recvs(&rings->rq, wr, bad_wr);
	/* Pairs with the thread, which sets the state and then looks at the queue. */
	smp_mb();
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		fab_qp_flush_soon(qp);
	return err;
}

/**
 * fab_post_srq_recv() - verb: post to a shared receive queue
 * @ibsrq: queue of the kernel
 * @wr: list of receive work requests
 * @bad_wr: the one that failed
 *
 * Context: any.
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOMEM if the queue is full.
 */
int fab_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	*bad_wr = wr;
	if (ibsrq->uobject)
		return -EOPNOTSUPP;
	return post_recvs(to_fab_srq(ibsrq)->rq.ring, wr, bad_wr);
}

static void drain_posted(struct fab_inbox *inbox)
{
	fab_qp_ready(container_of(inbox, struct kqp, inbox)->qp);
}

/* The engine's side: the fabric thread. */

static u32 waiting(const struct kqueue *queue)
{
	/* What is in the slots was written before the index. */
	return smp_load_acquire(&queue->prod) - queue->taken;
}

static void give_back(struct kqueue *queue, u32 n)
{
	n = min(n, queue->taken - queue->done);
	/* The slots were read before. */
	smp_store_release(&queue->done, queue->done + n);
}

static int kring_next_send(struct fab_qp *qp, struct fab_send_wr *wr)
{
	struct kqueue *sq = &((struct kqp *)qp->ring)->sq;
	const struct kslot *slot;

	if (!waiting(sq))
		return 0;
	slot = slot_at(sq, sq->taken++);
	memcpy(wr, &slot->wr, offsetof(struct fab_send_wr, sge[slot->wr.num_sge]));
	return 1;
}

static int kring_next_recv(struct fab_rq *rq, struct fab_recv_wr *wr)
{
	struct kqueue *queue = rq->ring;
	const struct fab_recv_wr *slot;

	if (!waiting(queue)) {
		/* Pairs with fab_post_recv(): of a new state and a new request, one is seen. */
		smp_mb();
		if (!waiting(queue))
			return 0;
	}
	slot = slot_at(queue, queue->taken++);
	memcpy(wr, slot, offsetof(struct fab_recv_wr, sge[slot->num_sge]));
	give_back(queue, 1);
	return 1;
}

static void kring_send_done(struct fab_qp *qp, u32 n)
{
	give_back(&((struct kqp *)qp->ring)->sq, n);
}

static u32 kring_recvs_posted(const struct fab_rq *rq)
{
	return waiting(rq->ring);
}

/* Nobody may post in RESET; who does so at the same moment has it forgotten. */
static void forget(struct kqueue *queue)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	queue->taken = queue->prod;
	/* Nobody reads the slots any more. */
	smp_store_release(&queue->done, queue->prod);
	spin_unlock_irqrestore(&queue->lock, flags);
}

static void kring_reset(struct fab_qp *qp)
{
	struct kqp *rings = qp->ring;

	forget(&rings->sq);
	if (!qp->srq)
		forget(&rings->rq);
}

static void write_wc(struct ib_wc *wc, struct fab_qp *qp, const struct fab_completion *done)
{
	*wc = (struct ib_wc) {
		.wr_id = done->wr_id,
		.status = done->status,
		.opcode = done->opcode,
		.vendor_err = done->vendor_err,
		.byte_len = done->byte_len,
		.qp = &qp->ibqp,
		.src_qp = done->src_qp,
		.slid = done->slid,
		.wc_flags = done->wc_flags,
		.pkey_index = done->pkey_index,
		.sl = done->sl,
		.dlid_path_bits = done->path_bits,
		.port_num = 1,
		.vlan_id = done->vlan,
		.network_hdr_type = done->network,
	};
	if (done->wc_flags & IB_WC_WITH_INVALIDATE)
		wc->ex.invalidate_rkey = done->invalidate_rkey;
	else
		wc->ex.imm_data = done->imm;
	ether_addr_copy(wc->smac, done->smac);
}

static bool kring_complete(struct fab_cq *cq, struct fab_qp *qp,
			   const struct fab_completion *done)
{
	bool solicited = done->solicited || done->status != IB_WC_SUCCESS;
	struct kcq *ring = cq->ring;
	bool room, tell = false;
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	room = !cq->dead && ring->tail - ring->head < cq->entries;
	if (room) {
		write_wc(&ring->wc[ring->tail++ & (cq->entries - 1)], qp, done);
		tell = cq->armed == IB_CQ_NEXT_COMP || (cq->armed && solicited);
		if (tell)
			cq->armed = 0;
	} else {
		cq->dead = true;
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	if (tell)
		irq_work_queue(&ring->irq);
	return room;
}

static const struct fab_ring_ops kring_ops = {
	.next_send	= kring_next_send,
	.next_recv	= kring_next_recv,
	.send_done	= kring_send_done,
	.recvs_posted	= kring_recvs_posted,
	.reset		= kring_reset,
	.complete	= kring_complete,
};

/* The interrupt. */
static void tell_owner(struct irq_work *irq)
{
	struct fab_cq *cq = container_of(irq, struct kcq, irq)->cq;

	if (cq->ibcq.comp_handler)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/**
 * fab_kring_cq_poll() - take completions
 * @cq: CQ of the kernel
 * @n: how many at most
 * @wc: put here
 *
 * Context: any.
 * Return: how many there were.
 */
int fab_kring_cq_poll(struct fab_cq *cq, int n, struct ib_wc *wc)
{
	struct kcq *ring = cq->ring;
	unsigned long flags;
	int i;

	spin_lock_irqsave(&ring->lock, flags);
	for (i = 0; i < n && ring->head != ring->tail; i++)
		wc[i] = ring->wc[ring->head++ & (cq->entries - 1)];
	spin_unlock_irqrestore(&ring->lock, flags);
	return i;
}

/**
 * fab_kring_cq_arm() - one event, when the next completion comes in
 * @cq: CQ of the kernel
 * @flags: IB_CQ_SOLICITED or IB_CQ_NEXT_COMP, IB_CQ_REPORT_MISSED_EVENTS
 *
 * Context: any.
 * Return: 1 if completions wait and @flags ask for that, else 0.
 */
int fab_kring_cq_arm(struct fab_cq *cq, enum ib_cq_notify_flags flags)
{
	struct kcq *ring = cq->ring;
	unsigned long irq_flags;
	int missed;

	spin_lock_irqsave(&ring->lock, irq_flags);
	/* Who wants to hear of all is not silenced by one who wants solicited ones. */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = flags & IB_CQ_SOLICITED_MASK;
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) && ring->head != ring->tail;
	spin_unlock_irqrestore(&ring->lock, irq_flags);
	return missed;
}

/* A QP ends: completions that nobody has read must not lead to it. */
static void forget_qp(struct fab_cq *cq, const struct fab_qp *qp)
{
	struct kcq *ring = cq->ring;
	u32 mask = cq->entries - 1;
	unsigned long flags;
	u32 from, to;

	spin_lock_irqsave(&ring->lock, flags);
	for (from = ring->head, to = ring->head; from != ring->tail; from++) {
		if (ring->wc[from & mask].qp == &qp->ibqp)
			continue;
		ring->wc[to++ & mask] = ring->wc[from & mask];
	}
	ring->tail = to;
	spin_unlock_irqrestore(&ring->lock, flags);
}

/* Coming and going: the caller's context. */

static int init_queue(struct kqueue *queue, u32 max_wr, u32 max_sge, u32 slot)
{
	u32 n = roundup_pow_of_two(max(max_wr, 1U));

	spin_lock_init(&queue->lock);
	queue->mask = n - 1;
	queue->max_wr = max_wr;
	queue->max_sge = min_t(u32, max_sge, FAB_MAX_SGE);
	queue->stride = ALIGN(slot + queue->max_sge * sizeof(struct fab_sge), sizeof(u64));
	queue->slots = kvcalloc(n, queue->stride, GFP_KERNEL);
	return queue->slots ? 0 : -ENOMEM;
}

/**
 * fab_kring_qp_create() - the rings of a QP of the kernel
 * @qp: QP; cap and srq are known
 *
 * Return: 0 or -ENOMEM.
 */
int fab_kring_qp_create(struct fab_qp *qp)
{
	struct kqp *rings = kzalloc(sizeof(*rings), GFP_KERNEL);
	int err;

	if (!rings)
		return -ENOMEM;
	rings->qp = qp;
	fab_inbox_init(&rings->inbox, drain_posted);
	err = init_queue(&rings->sq, qp->cap.max_send_wr, qp->cap.max_send_sge,
			 offsetof(struct kslot, wr.sge));
	if (err)
		goto err_free;
	qp->ops = &kring_ops;
	qp->ring = rings;
	if (qp->srq)
		return 0;
	err = init_queue(&rings->rq, qp->cap.max_recv_wr, qp->cap.max_recv_sge,
			 offsetof(struct fab_recv_wr, sge));
	if (err)
		goto err_sq;
	qp->rq.ops = &kring_ops;
	qp->rq.ring = &rings->rq;
	qp->rq.max_wr = qp->cap.max_recv_wr;
	qp->rq.max_sge = qp->cap.max_recv_sge;
	return 0;

err_sq:
	kvfree(rings->sq.slots);
err_free:
	kfree(rings);
	return err;
}

/**
 * fab_kring_qp_destroy() - the end of them; the engine has done with the QP
 * @qp: QP
 */
void fab_kring_qp_destroy(struct fab_qp *qp)
{
	struct kqp *rings = qp->ring;

	if (qp->send_cq)
		forget_qp(qp->send_cq, qp);
	if (qp->recv_cq && qp->recv_cq != qp->send_cq)
		forget_qp(qp->recv_cq, qp);
	kvfree(rings->rq.slots);
	kvfree(rings->sq.slots);
	kfree(rings);
}

/**
 * fab_kring_srq_create() - the ring of a shared receive queue of the kernel
 * @srq: queue; rq.max_wr and rq.max_sge are known
 *
 * Return: 0 or -ENOMEM.
 */
int fab_kring_srq_create(struct fab_srq *srq)
{
	struct kqueue *queue = kzalloc(sizeof(*queue), GFP_KERNEL);
	int err;

	if (!queue)
		return -ENOMEM;
	err = init_queue(queue, srq->rq.max_wr, srq->rq.max_sge,
			 offsetof(struct fab_recv_wr, sge));
	if (err) {
		kfree(queue);
		return err;
	}
	srq->rq.ops = &kring_ops;
	srq->rq.ring = queue;
	return 0;
}

/**
 * fab_kring_srq_destroy() - the end of it; no QP uses it
 * @srq: queue
 */
void fab_kring_srq_destroy(struct fab_srq *srq)
{
	struct kqueue *queue = srq->rq.ring;

	kvfree(queue->slots);
	kfree(queue);
}

/**
 * fab_kring_cq_create() - the ring of a CQ of the kernel
 * @cq: CQ; entries is known, and a power of two
 *
 * Return: 0 or -ENOMEM.
 */
int fab_kring_cq_create(struct fab_cq *cq)
{
	struct kcq *ring = kzalloc(sizeof(*ring), GFP_KERNEL);

	if (!ring)
		return -ENOMEM;
	ring->wc = kvcalloc(cq->entries, sizeof(*ring->wc), GFP_KERNEL);
	if (!ring->wc) {
		kfree(ring);
		return -ENOMEM;
	}
	ring->cq = cq;
	spin_lock_init(&ring->lock);
	init_irq_work(&ring->irq, tell_owner);
	cq->ops = &kring_ops;
	cq->ring = ring;
	return 0;
}

/**
 * fab_kring_cq_destroy() - the end of it; no QP uses it
 * @cq: CQ
 */
void fab_kring_cq_destroy(struct fab_cq *cq)
{
	struct kcq *ring = cq->ring;

	irq_work_sync(&ring->irq);
	kvfree(ring->wc);
	kfree(ring);
}
