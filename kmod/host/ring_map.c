// SPDX-License-Identifier: GPL-2.0
/*
 * The making and the end of rings in a program's memory. ring.c has the model.
 *
 * The provider allocates the buffers and says where they are and how big. We pin
 * and map what we need of them, for sizes rounded as it rounds them, and only if
 * that fits. The thread learns of a ring last, and forgets it first.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/uverbs_ioctl.h>
#include "ring_user.h"
#include "verbs.h"

/* Numbers of QPs in the provider's table, and of CQs in a doorbell. */
#define HANDLE_LIMIT	XA_LIMIT(1, 0xfffe)
#define CQN_LIMIT	XA_LIMIT(1, PVRDMA_UAR_HANDLE_MASK)

/**
 * fab_ring_init() - before programs open an HCA
 * @hca: HCA
 */
void fab_ring_init(struct fab_hca *hca)
{
	INIT_LIST_HEAD(&hca->contexts);
	fab_watch_init(&hca->doorbells, fab_ring_look);
}

static void call_context_start(void *arg)
{
	struct fab_ucontext *context = arg;

	list_add_tail(&context->list, &context->hca->contexts);
	fab_watch_start(&context->hca->doorbells);
}

static void call_context_stop(void *arg)
{
	struct fab_ucontext *context = arg;

	list_del(&context->list);
	if (list_empty(&context->hca->contexts))
		fab_watch_stop(&context->hca->doorbells);
}

/**
 * fab_ring_context_start() - the thread begins to look at a program's doorbells
 * @context: program
 *
 * Return: 0, -EINTR, -ENOMEM.
 */
int fab_ring_context_start(struct fab_ucontext *context)
{
	xa_init_flags(&context->qps, XA_FLAGS_ALLOC1);
	xa_init_flags(&context->cqs, XA_FLAGS_ALLOC1);
	INIT_LIST_HEAD(&context->queues);
	INIT_LIST_HEAD(&context->stalls);
	return fab_call_killable(call_context_start, context);
}

/**
 * fab_ring_context_stop() - and ends it; all of the program's objects are gone
 * @context: program
 */
void fab_ring_context_stop(struct fab_ucontext *context)
{
	fab_call(call_context_stop, context);
	WARN_ON(!xa_empty(&context->qps) || !xa_empty(&context->cqs));
	xa_destroy(&context->qps);
	xa_destroy(&context->cqs);
}

static u32 slot_size(u32 header, u32 max_sge)
{
	return roundup_pow_of_two(header + max_sge * sizeof(struct pvrdma_sge));
}

/* Sizes are the provider's, rounded as it does; then the ring must fit into the buffer. */
static int init_queue(struct ring_queue *queue, u32 header, u32 n, u32 max_sge, size_t room)
{
	if (!is_power_of_2(n) || n > FAB_MAX_QP_WR || !max_sge || max_sge > FAB_MAX_SGE)
		return -EINVAL;
	queue->n = n;
	queue->max_sge = max_sge;
	queue->stride = slot_size(header, max_sge);
	return room >= (size_t)n * queue->stride ? 0 : -EINVAL;
}

static int map_sq(struct ring_qp *rings, const struct pvrdma_create_qp *request)
{
	const struct fab_qp *qp = rings->qp;
	size_t size = request->sbuf_size;
	int err;

	if (size <= PAGE_SIZE)
		return -EINVAL;
	err = init_queue(&rings->sq, sizeof(struct pvrdma_sq_wqe_hdr), qp->cap.max_send_wr,
			 qp->cap.max_send_sge, size - PAGE_SIZE);
	if (err)
		return err;
	size = PAGE_SIZE + (qp->cap.max_send_wr * rings->sq.stride);
	err = fab_umap_pin(&rings->sq_map, &qp->hca->ibdev, request->sbuf_addr, size);
	if (err)
		return err;
	rings->sq.index = &((struct ring_index_page *)rings->sq_map.addr)->tx;
	rings->sq.slots = rings->sq_map.addr + PAGE_SIZE;
	return 0;
}

static int map_rq(struct ring_qp *rings, const struct pvrdma_create_qp *request)
{
	struct fab_qp *qp = rings->qp;
	size_t size;
	int err;

	err = init_queue(&rings->rq, sizeof(struct pvrdma_rq_wqe_hdr), qp->cap.max_recv_wr,
			 qp->cap.max_recv_sge, request->rbuf_size);
	if (err)
		return err;
	size = qp->cap.max_recv_wr * rings->rq.stride;
	err = fab_umap_pin(&rings->rq_map, &qp->hca->ibdev, request->rbuf_addr, size);
	if (err)
		return err;
	rings->rq.index = &((struct ring_index_page *)rings->sq_map.addr)->rx;
	rings->rq.slots = rings->rq_map.addr;
	qp->rq.ops = &fab_user_ring_ops;
	qp->rq.ring = &rings->rq;
	qp->rq.max_wr = qp->cap.max_recv_wr;
	qp->rq.max_sge = qp->cap.max_recv_sge;
	return 0;
}

static int map_qp(struct ring_qp *rings, struct ib_udata *udata)
{
	struct pvrdma_create_qp request;
	int err = fab_udata_read(udata, &request, sizeof(request));

	if (err)
		return err;
	err = map_sq(rings, &request);
	if (err || rings->qp->srq)
		return err;
	err = map_rq(rings, &request);
	if (err)
		fab_umap_unpin(&rings->sq_map);
	return err;
}

static void unmap_qp(struct ring_qp *rings)
{
	fab_umap_unpin(&rings->rq_map);
	fab_umap_unpin(&rings->sq_map);
}

static void call_qp_enter(void *arg)
{
	struct ring_qp *rings = arg;
	struct fab_ucontext *context = rings->context;

	/* Into a reserved entry: nothing is allocated. */
	xa_store(&context->qps, rings->qp->handle, rings, GFP_NOWAIT);
	list_add_tail(&rings->list, &context->queues);
	context->n_queues++;
}

static void call_qp_leave(void *arg)
{
	struct ring_qp *rings = arg;
	struct fab_ucontext *context = rings->context;

	xa_erase(&context->qps, rings->qp->handle);
	list_del(&rings->list);
	context->n_queues--;
	context->to_look = min(context->to_look, context->n_queues);
}

/**
 * fab_ring_qp_explain() - say what a program will not be able to do with its QP
 * @qp: QP
 * @init: what the program wants
 *
 * The provider refuses some verbs by itself: the kernel never hears of them, and the
 * program gets no more than NULL or EINVAL. This is the only place to give the reason.
 *
 * Context: the program's own.
 */
void fab_ring_qp_explain(const struct fab_qp *qp, const struct ib_qp_init_attr *init)
{
	struct ib_device *ibdev = &qp->hca->ibdev;

	if (qp->type == IB_QPT_UC)
		ibdev_notice_ratelimited(ibdev,
					 "%s[%d] makes a UC QP: the user-space provider (vmw_pvrdma) refuses to send on it (EINVAL); the kernel can\n",
					 current->comm, current->pid);
	if (qp->type == IB_QPT_UD && !rdma_cap_eth_ah(ibdev, 1))
		ibdev_notice_ratelimited(ibdev,
					 "%s[%d] makes a UD QP: the user-space provider (vmw_pvrdma) makes no address handle on this link layer (ibv_create_ah returns NULL); the kernel can\n",
					 current->comm, current->pid);
	if (init->cap.max_inline_data)
		ibdev_notice_ratelimited(ibdev,
					 "%s[%d] asks for %u bytes of inline data: the user-space provider (vmw_pvrdma) has none, 0 are granted\n",
					 current->comm, current->pid, init->cap.max_inline_data);
}

/**
 * fab_ring_qp_create() - the rings of a program's QP
 * @qp: QP; qpn, type, cap and srq are known
 * @udata: where the rings are; gets the answer
 *
 * Context: the program's own.
 * Return: 0, -EINVAL for rings that do not fit, -ENOMEM, -EFAULT, -EINTR.
 */
int fab_ring_qp_create(struct fab_qp *qp, struct ib_udata *udata)
{
	struct fab_ucontext *context = rdma_udata_to_drv_context(udata, struct fab_ucontext, ibuc);
	struct ring_qp *rings = kzalloc(sizeof(*rings), GFP_KERNEL_ACCOUNT);
	struct pvrdma_create_qp_resp answer = {};
	int err;

	if (!rings)
		return -ENOMEM;
	rings->context = context;
	rings->qp = qp;
	err = map_qp(rings, udata);
	if (err)
		goto err_free;
	err = xa_alloc_cyclic(&context->qps, &qp->handle, NULL, HANDLE_LIMIT, &context->next_qp,
			      GFP_KERNEL);
	if (err < 0)
		goto err_unmap;
	answer.qpn = qp->qpn;
	answer.qp_handle = qp->handle;
	err = fab_udata_answer(udata, &answer, sizeof(answer));
	if (err)
		goto err_handle;
	qp->ops = &fab_user_ring_ops;
	qp->ring = rings;
	err = fab_call_killable(call_qp_enter, rings);
	if (err)
		goto err_handle;
	return 0;

err_handle:
	xa_erase(&context->qps, qp->handle);
err_unmap:
	unmap_qp(rings);
err_free:
	kfree(rings);
	return err;
}

/**
 * fab_ring_qp_destroy() - the end of them; the engine has done with the QP
 * @qp: QP
 */
void fab_ring_qp_destroy(struct fab_qp *qp)
{
	struct ring_qp *rings = qp->ring;

	fab_call(call_qp_leave, rings);
	if (rings->path.attr.grh.sgid_attr)
		rdma_put_gid_attr(rings->path.attr.grh.sgid_attr);
	unmap_qp(rings);
	kfree(rings);
}

/**
 * fab_ring_srq_create() - the ring of a program's shared receive queue
 * @srq: queue; rq.max_wr and rq.max_sge are known
 * @udata: where the ring is; gets the answer
 *
 * Context: the program's own.
 * Return: 0, -EINVAL, -ENOMEM, -EFAULT.
 */
int fab_ring_srq_create(struct fab_srq *srq, struct ib_udata *udata)
{
	struct ring_srq *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	static atomic_t numbers = ATOMIC_INIT(0);
	struct pvrdma_create_srq_resp answer = {};
	struct pvrdma_create_srq request;
	int err;

	if (!ring)
		return -ENOMEM;
	err = fab_udata_read(udata, &request, sizeof(request));
	if (err)
		goto err_free;
	err = request.buf_size > PAGE_SIZE ?
	      init_queue(&ring->rq, sizeof(struct pvrdma_rq_wqe_hdr), srq->rq.max_wr,
			 srq->rq.max_sge, request.buf_size - PAGE_SIZE) : -EINVAL;
	if (err)
		goto err_free;
	err = fab_umap_pin(&ring->map, &srq->hca->ibdev, request.buf_addr,
			   PAGE_SIZE + srq->rq.max_wr * ring->rq.stride);
	if (err)
		goto err_free;
	ring->rq.index = &((struct ring_index_page *)ring->map.addr)->rx;
	ring->rq.slots = ring->map.addr + PAGE_SIZE;
	/* Only for show: the doorbell of an SRQ is not needed. */
	srq->srqn = atomic_inc_return(&numbers) & PVRDMA_UAR_HANDLE_MASK;
	answer.srqn = srq->srqn;
	err = fab_udata_answer(udata, &answer, sizeof(answer));
	if (err)
		goto err_unpin;
	srq->rq.ops = &fab_user_ring_ops;
	srq->rq.ring = &ring->rq;
	return 0;

err_unpin:
	fab_umap_unpin(&ring->map);
err_free:
	kfree(ring);
	return err;
}

/**
 * fab_ring_srq_destroy() - the end of it; no QP uses it
 * @srq: queue
 */
void fab_ring_srq_destroy(struct fab_srq *srq)
{
	struct ring_srq *ring = container_of(srq->rq.ring, struct ring_srq, rq);

	fab_umap_unpin(&ring->map);
	kfree(ring);
}

static void call_cq_enter(void *arg)
{
	struct ring_cq *ring = arg;

	xa_store(&ring->context->cqs, ring->cq->cqn, ring->cq, GFP_NOWAIT);
}

static void call_cq_leave(void *arg)
{
	struct ring_cq *ring = arg;

	xa_erase(&ring->context->cqs, ring->cq->cqn);
	list_del(&ring->stall);
}

static int map_cq(struct ring_cq *ring, struct ib_udata *udata)
{
	size_t size = PAGE_SIZE + ring->cq->entries * sizeof(struct pvrdma_cqe);
	struct pvrdma_create_cq request;
	int err = fab_udata_read(udata, &request, sizeof(request));

	if (err)
		return err;
	if (request.buf_size < size)
		return -EINVAL;
	err = fab_umap_pin(&ring->map, &ring->cq->hca->ibdev, request.buf_addr, size);
	if (err)
		return err;
	ring->index = &((struct ring_index_page *)ring->map.addr)->rx;
	ring->cqes = ring->map.addr + PAGE_SIZE;
	return 0;
}

/**
 * fab_ring_cq_create() - the ring of a program's completion queue
 * @cq: queue; entries is known, and a power of two
 * @udata: where the ring is; gets the answer
 *
 * Context: the program's own.
 * Return: 0, -EINVAL, -ENOMEM, -EFAULT, -EINTR.
 */
int fab_ring_cq_create(struct fab_cq *cq, struct ib_udata *udata)
{
	struct fab_ucontext *context = rdma_udata_to_drv_context(udata, struct fab_ucontext, ibuc);
	struct ring_cq *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	struct pvrdma_create_cq_resp answer = {};
	int err;

	if (!ring)
		return -ENOMEM;
	ring->context = context;
	ring->cq = cq;
	INIT_LIST_HEAD(&ring->stall);
	err = map_cq(ring, udata);
	if (err)
		goto err_free;
	err = xa_alloc_cyclic(&context->cqs, &cq->cqn, NULL, CQN_LIMIT, &context->next_cq,
			      GFP_KERNEL);
	if (err < 0)
		goto err_unpin;
	answer.cqn = cq->cqn;
	err = fab_udata_answer(udata, &answer, sizeof(answer));
	if (err)
		goto err_number;
	cq->ops = &fab_user_ring_ops;
	cq->ring = ring;
	err = fab_call_killable(call_cq_enter, ring);
	if (err)
		goto err_number;
	return 0;

err_number:
	xa_erase(&context->cqs, cq->cqn);
err_unpin:
	fab_umap_unpin(&ring->map);
err_free:
	kfree(ring);
	return err;
}

/**
 * fab_ring_cq_destroy() - the end of it; no QP uses it
 * @cq: queue
 */
void fab_ring_cq_destroy(struct fab_cq *cq)
{
	struct ring_cq *ring = cq->ring;

	fab_call(call_cq_leave, ring);
	fab_umap_unpin(&ring->map);
	kfree(ring);
}
