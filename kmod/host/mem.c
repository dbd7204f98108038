// SPDX-License-Identifier: GPL-2.0
/*
 * How the HCA gets at memory: keys, ranges, rights, and the bytes themselves.
 *
 * A program names memory by an address and a key. The key leads to a memory
 * region; what is asked for must lie inside of it, the region must be of the
 * same protection domain as the QP, and allow what is to be done (InfiniBand
 * volume 1, 10.6.3 and 10.7). The L_Key is for the owner's own work requests,
 * the R_Key for the far end's: here they always differ, so that taking one for
 * the other is an error as it may be on real hardware.
 *
 * A region is looked up for each packet and not kept in between: it may be
 * gone by the next one. What a packet refers to (user pages only) it holds by
 * references of its own.
 */
#include <linux/highmem.h>
#include <linux/log2.h>
#include "mem.h"

/* A stretch of memory without a gap: in @page, or at @kaddr. */
struct piece {
	struct page *page;
	void *kaddr;
	u32 offset;
	u32 length;
};

/* The kernel's own key for all of its memory (IBK_LOCAL_DMA_LKEY). */
static struct fab_mr all_memory = {
	.state	= FAB_MR_VALID,
	.access	= IB_ACCESS_LOCAL_WRITE,
	.dma	= true,
};

static bool range_fits(const struct fab_mr *mr, u64 addr, u64 length)
{
	return mr->dma || (addr >= mr->iova && length <= mr->length &&
			   addr - mr->iova <= mr->length - length);
}

static bool usable(const struct fab_mr *mr, const struct ib_pd *pd, int access)
{
	return mr->state == FAB_MR_VALID && &mr->pd->ibpd == pd && !(access & ~mr->access);
}

static struct fab_mr *find(struct fab_hca *hca, u32 key)
{
	return xa_load(&hca->mrs, key >> 8);
}

static struct fab_mr *local(const struct fab_memory *mem, const struct fab_sge *sge, int access)
{
	struct fab_mr *mr;

	if (!mem->user && sge->lkey == mem->hca->ibdev.local_dma_lkey)
		return &all_memory;
	mr = find(mem->hca, sge->lkey);
	if (!mr || mr->lkey != sge->lkey || !usable(mr, mem->pd, access) ||
	    !range_fits(mr, sge->addr, sge->length))
		return NULL;
	return mr;
}

/**
 * fab_mem_remote() - memory that the far end names
 * @qp: QP that was asked
 * @rkey: key
 * @va: address
 * @length: bytes
 * @access: IB_ACCESS_REMOTE_* that it takes
 *
 * Return: its region, or NULL: a remote access error.
 */
struct fab_mr *fab_mem_remote(const struct fab_qp *qp, u32 rkey, u64 va, u64 length, int access)
{
	struct fab_mr *mr = find(qp->hca, rkey);

	if (!mr || mr->rkey != rkey || !usable(mr, qp->ibqp.pd, access) ||
	    !range_fits(mr, va, length))
		return NULL;
	return mr;
}

/* The piece of @mr that begins at @addr, at most @length bytes; checked before. */
static struct piece piece_at(const struct fab_mr *mr, u64 addr, u32 length)
{
	u64 at = mr->offset + (addr - mr->iova);
	struct piece piece = { .length = length };
	u32 size;

	if (mr->dma) {
		piece.kaddr = (void *)(uintptr_t)addr;
		return piece;
	}
	if (mr->pages) {
		piece.page = mr->pages[at >> PAGE_SHIFT];
		piece.offset = offset_in_page(at);
		piece.length = min_t(u32, length, PAGE_SIZE - piece.offset);
		return piece;
	}
	size = 1U << mr->page_shift;
	piece.offset = at & (size - 1);
	piece.kaddr = (void *)(uintptr_t)mr->kpages[at >> mr->page_shift] + piece.offset;
	piece.length = min(length, size - piece.offset);
	return piece;
}

static void *map(const struct piece *piece)
{
	return piece->page ? kmap_local_page(piece->page) + piece->offset : piece->kaddr;
}

static void unmap(const struct piece *piece, void *addr)
{
	if (piece->page)
		kunmap_local(addr);
}

/**
 * fab_mem_mr_get() - append bytes of a region to a packet
 * @mr: region
 * @va: address; the range was checked
 * @length: bytes
 * @skb: packet, with room for them
 */
void fab_mem_mr_get(struct fab_mr *mr, u64 va, u32 length, struct sk_buff *skb)
{
	struct piece piece;
	void *from;

	for (; length; length -= piece.length, va += piece.length) {
		piece = piece_at(mr, va, length);
		from = map(&piece);
		skb_put_data(skb, from, piece.length);
		unmap(&piece, from);
	}
}

/**
 * fab_mem_mr_put() - write bytes of a packet to a region
 * @mr: region
 * @va: address; the range was checked
 * @skb: packet
 * @from: offset of the bytes in it
 * @length: how many
 */
void fab_mem_mr_put(struct fab_mr *mr, u64 va, const struct sk_buff *skb, u32 from, u32 length)
{
	struct piece piece;
	void *to;

	for (; length; length -= piece.length, va += piece.length, from += piece.length) {
		piece = piece_at(mr, va, length);
		to = map(&piece);
		skb_copy_bits(skb, from, to, piece.length);
		unmap(&piece, to);
	}
}

static void put_bytes(struct fab_mr *mr, u64 va, const void *data, u32 length)
{
	struct piece piece;
	void *to;

	for (; length; length -= piece.length, va += piece.length, data += piece.length) {
		piece = piece_at(mr, va, length);
		to = map(&piece);
		memcpy(to, data, piece.length);
		unmap(&piece, to);
	}
}

/* The pages of the bytes become fragments of the packet, which holds them. */
static bool refer(struct fab_mr *mr, u64 va, u32 length, struct sk_buff *skb)
{
	struct piece piece;

	for (; length; length -= piece.length, va += piece.length) {
		piece = piece_at(mr, va, length);
		/* One is kept for the pad. */
		if (!piece.page || skb_shinfo(skb)->nr_frags >= MAX_SKB_FRAGS - 1)
			return false;
		get_page(piece.page);
		skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, piece.page, piece.offset,
				piece.length, piece.length);
	}
	return true;
}

/**
 * fab_mem_valid() - may all of this memory be used?
 * @mem: memory
 * @access: IB_ACCESS_LOCAL_WRITE if it is to be written, else 0
 *
 * Return: whether; else it is a local protection error.
 */
bool fab_mem_valid(const struct fab_memory *mem, int access)
{
	u32 i;

	for (i = 0; i < mem->num_sge; i++)
		if (mem->sge[i].length && !local(mem, &mem->sge[i], access))
			return false;
	return true;
}

/**
 * fab_mem_can_refer() - will a packet of this memory have few enough fragments?
 * @mem: memory, of a program
 * @length: bytes of the packet
 *
 * Return: whether fab_mem_get() may be asked for references.
 */
bool fab_mem_can_refer(const struct fab_memory *mem, u32 length)
{
	return mem->user && length > FAB_COPY_BREAK &&
	       (length >> PAGE_SHIFT) + 2 * mem->num_sge < MAX_SKB_FRAGS - 1;
}

/*
 * Walk the pieces of @mem that hold @length bytes from @offset. The loop's body
 * has the region in @mr, the address in @addr, the bytes in @n.
 */
struct walk {
	const struct fab_memory *mem;
	u32 i;
	u32 offset;
	u32 left;
	int access;
	struct fab_mr *mr;
	u64 addr;
	u32 n;
};

/* The next stretch; false at the end, and with @left > 0 if there is none or it is not allowed. */
static bool walk_next(struct walk *walk)
{
	const struct fab_sge *sge;

	if (!walk->left)
		return false;
	for (; walk->i < walk->mem->num_sge; walk->i++) {
		sge = &walk->mem->sge[walk->i];
		if (walk->offset < sge->length)
			break;
		walk->offset -= sge->length;
	}
	if (walk->i == walk->mem->num_sge)
		return false;
	walk->mr = local(walk->mem, sge, walk->access);
	if (!walk->mr)
		return false;
	walk->addr = sge->addr + walk->offset;
	walk->n = min(walk->left, sge->length - walk->offset);
	walk->left -= walk->n;
	walk->offset += walk->n;
	return true;
}

/**
 * fab_mem_get() - append bytes of a work request to a packet
 * @mem: its memory
 * @offset: of the bytes
 * @length: how many
 * @skb: packet; with room for them, unless
 * @by_reference: the pages become fragments
 *
 * Return: false: local protection error.
 */
bool fab_mem_get(const struct fab_memory *mem, u32 offset, u32 length, struct sk_buff *skb,
		 bool by_reference)
{
	struct walk walk = { .mem = mem, .offset = offset, .left = length };

	while (walk_next(&walk)) {
		if (!by_reference)
			fab_mem_mr_get(walk.mr, walk.addr, walk.n, skb);
		else if (!refer(walk.mr, walk.addr, walk.n, skb))
			return false;
	}
	if (!by_reference)
		fab_count_add(mem->hca, FAB_COPIED_BYTES, length);
	return !walk.left;
}

/**
 * fab_mem_put() - write bytes of a packet to a work request's memory
 * @mem: memory
 * @offset: where in it
 * @skb: packet
 * @from: offset of the bytes in it
 * @length: how many
 *
 * Return: false: local protection error.
 */
bool fab_mem_put(const struct fab_memory *mem, u32 offset, const struct sk_buff *skb, u32 from,
		 u32 length)
{
	struct walk walk = {
		.mem = mem, .offset = offset, .left = length, .access = IB_ACCESS_LOCAL_WRITE,
	};

	while (walk_next(&walk)) {
		fab_mem_mr_put(walk.mr, walk.addr, skb, from, walk.n);
		from += walk.n;
	}
	return !walk.left;
}

/**
 * fab_mem_put_bytes() - the same from a buffer
 * @mem: memory
 * @offset: where in it
 * @data: bytes
 * @length: how many
 *
 * Return: false: local protection error.
 */
bool fab_mem_put_bytes(const struct fab_memory *mem, u32 offset, const void *data, u32 length)
{
	struct walk walk = {
		.mem = mem, .offset = offset, .left = length, .access = IB_ACCESS_LOCAL_WRITE,
	};

	while (walk_next(&walk)) {
		put_bytes(walk.mr, walk.addr, data, walk.n);
		data += walk.n;
	}
	return !walk.left;
}

/**
 * fab_mem_atomic() - compare and swap, or fetch and add, 8 bytes
 * @mr: region
 * @va: address; the range was checked
 * @swap: compare and swap
 * @operand: what to put there, or to add
 * @compare: what must be there to be swapped
 * @before: what was there
 *
 * Done with the CPU's own atomic instructions, so it is atomic to programs too.
 *
 * Return: false if the memory is not aligned.
 */
bool fab_mem_atomic(struct fab_mr *mr, u64 va, bool swap, u64 operand, u64 compare, u64 *before)
{
	struct piece piece = piece_at(mr, va, sizeof(u64));
	void *at = map(&piece);
	bool aligned = IS_ALIGNED((uintptr_t)at, sizeof(u64)) && piece.length == sizeof(u64);

	if (aligned)
		*before = swap ? atomic64_cmpxchg(at, compare, operand) :
				 atomic64_fetch_add(operand, at);
	unmap(&piece, at);
	return aligned;
}

/**
 * fab_mem_register() - REG_MR: make a fast-registration region valid
 * @qp: QP
 * @wr: work request; its key is the region's R_Key or L_Key with new low bits
 *
 * Return: false: the region is not free, or not of this protection domain.
 */
bool fab_mem_register(const struct fab_qp *qp, const struct fab_send_wr *wr)
{
	struct fab_mr *mr = wr->mr;
	u32 base = wr->key & ~0xffU, variant = wr->key & 0xff;

	if (!mr || !mr->n_pages || mr->state == FAB_MR_VALID || &mr->pd->ibpd != qp->ibqp.pd ||
	    (base != (mr->lkey & ~0xffU) && base != (mr->rkey & ~0xffU)))
		return false;
	mr->lkey = (mr->lkey & ~0xffU) | variant;
	mr->rkey = (mr->rkey & ~0xffU) | variant;
	mr->access = wr->access;
	mr->iova = mr->ibmr.iova;
	mr->length = mr->ibmr.length;
	mr->page_shift = ilog2(mr->ibmr.page_size);
	mr->offset = mr->iova & (mr->ibmr.page_size - 1);
	mr->state = FAB_MR_VALID;
	return true;
}

/**
 * fab_mem_invalidate() - a fast-registration region is no longer to be used
 * @qp: QP
 * @rkey: its R_Key; for the owner, its L_Key is as good
 * @remote: the far end asks for it
 *
 * Return: false: there is no such region, or it is not to be invalidated.
 */
bool fab_mem_invalidate(const struct fab_qp *qp, u32 rkey, bool remote)
{
	struct fab_mr *mr = find(qp->hca, rkey);

	if (!mr || !mr->kpages || &mr->pd->ibpd != qp->ibqp.pd)
		return false;
	if (mr->rkey != rkey && (remote || mr->lkey != rkey))
		return false;
	mr->state = FAB_MR_FREE;
	return true;
}
