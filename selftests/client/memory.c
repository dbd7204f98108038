// SPDX-License-Identifier: GPL-2.0
/*
 * Keys: what they open, what they do not, and until when. Each refusal ends the
 * connection, so that it is made again after each.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "client.h"

#define PAGES	4

/* Fast registration. */

/* All of @sgs pages from @at on, but for @skip bytes at both ends. */
static bool map_pages(struct ib_mr *mr, u8 *at, int sgs, u32 skip)
{
	struct scatterlist sg[PAGES];
	int i;

	sg_init_table(sg, sgs);
	/* Every second page: they are one only by their registration. */
	for (i = 0; i < sgs; i++)
		sg_set_buf(&sg[i], at + i * 2 * PAGE_SIZE, PAGE_SIZE);
	sg[0].offset += skip;
	sg[0].length -= skip;
	sg[sgs - 1].length -= skip;
	for (i = 0; i < sgs; i++) {
		sg_dma_address(&sg[i]) = address_of(sg_virt(&sg[i]));
		sg_dma_len(&sg[i]) = sg[i].length;
	}
	return ib_map_mr_sg(mr, sg, sgs, NULL, PAGE_SIZE) == sgs;
}

static bool reg(struct end *end, struct ib_mr *mr, u32 key, int access, enum ib_wc_status status)
{
	struct ib_reg_wr wr = {
		.wr = { .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.mr = mr,
		.key = key,
		.access = access,
	};

	return !post_wr(end, &wr.wr) && completes(end, status, IB_WC_REG_MR, NULL, "REG_MR");
}

/* The first page of an end's memory, registered. */
struct ib_mr *region_create(struct end *end, int access)
{
	struct ib_mr *mr = ib_alloc_mr(end->pd, IB_MR_TYPE_MEM_REG, PAGES);

	if (IS_ERR(mr))
		return NULL;
	if (map_pages(mr, end->memory, 1, 0) && reg(end, mr, mr->rkey, access, IB_WC_SUCCESS))
		return mr;
	ib_dereg_mr(mr);
	return NULL;
}

static bool invalidate(struct end *end, u32 key, enum ib_wc_status status)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};

	return !post_wr(end, &wr) && completes(end, status, IB_WC_LOCAL_INV, NULL, "LOCAL_INV");
}

static bool write_to(struct pair *pair, u64 remote, u32 rkey, u32 length,
		     enum ib_wc_status status)
{
	return !post(&pair->a, IB_WR_RDMA_WRITE, address_of(pair->a.memory), length,
		     pair->a.pd->local_dma_lkey, remote, rkey) &&
	       completes(&pair->a, status, IB_WC_RDMA_WRITE, NULL, "WRITE");
}

/* Does the message lie in the pages as they were registered, and nowhere else? */
static bool is_scattered(const u8 *at, u32 length, u32 skip, u8 seed)
{
	u8 *flat = kvmalloc(length, GFP_KERNEL);
	u32 i, place;
	bool ok;

	if (!flat)
		return false;
	for (i = 0; i < length; i++) {
		place = i + skip;
		flat[i] = at[place / PAGE_SIZE * 2 * PAGE_SIZE + place % PAGE_SIZE];
	}
	ok = is_filled(flat, length, seed);
	kvfree(flat);
	return ok;
}

/* The other end reaches the pages, all of them in one piece, by the new key alone. */
static void register_and_use(struct pair *pair, struct ib_mr *mr)
{
	u32 skip = 100, length = PAGES * PAGE_SIZE - 2 * skip;
	u8 *at = pair->b.memory;

	report(write_to(pair, address_of(at), mr->rkey, 8, IB_WC_REM_ACCESS_ERR) &&
	       !pair_again(pair), "a region without a registration is closed");
	fill(pair->a.memory, length, 3);
	memset(at, 0, PAGES * 2 * PAGE_SIZE);
	report(map_pages(mr, at, PAGES, skip) &&
	       reg(&pair->b, mr, mr->rkey, ALL_ACCESS, IB_WC_SUCCESS) &&
	       write_to(pair, mr->iova, mr->rkey, length, IB_WC_SUCCESS) &&
	       is_scattered(at, length, skip, 3), "REG_MR opens its pages as one piece");
	report(write_to(pair, mr->iova + length - 7, mr->rkey, 8, IB_WC_REM_ACCESS_ERR) &&
	       !pair_again(pair), "one byte past a registration is refused");
	report(write_to(pair, mr->iova, mr->lkey, 8, IB_WC_REM_ACCESS_ERR) &&
	       !pair_again(pair), "the L_Key of a registration is no R_Key");
	report(!post_recv(&pair->b, mr->iova, 64, mr->lkey) &&
	       !post(&pair->a, IB_WR_SEND, address_of(pair->a.memory), 64,
		     pair->a.pd->local_dma_lkey, 0, 0) &&
	       completes(&pair->a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "SEND") &&
	       completes(&pair->b, IB_WC_SUCCESS, IB_WC_RECV, NULL, "RECV") &&
	       is_filled(at + skip, 64, 3), "its L_Key serves for a RECV");
	report(reg(&pair->b, mr, mr->rkey, ALL_ACCESS, IB_WC_MW_BIND_ERR) && !pair_again(pair),
	       "REG_MR of what is registered is refused");
}

/* Reuse: the same region, other pages, the key's low bits changed. */
static void reuse(struct pair *pair, struct ib_mr *mr)
{
	u32 old = mr->rkey;
	u8 *at = pair->b.memory + 16 * PAGE_SIZE;

	report(invalidate(&pair->b, old, IB_WC_SUCCESS) &&
	       write_to(pair, mr->iova, old, 8, IB_WC_REM_ACCESS_ERR) && !pair_again(pair),
	       "after LOCAL_INV the key opens nothing");
	ib_update_fast_reg_key(mr, ib_inc_rkey(old));
	fill(pair->a.memory, PAGE_SIZE, 4);
	memset(at, 0, 2 * PAGE_SIZE);
	report(map_pages(mr, at, 1, 0) &&
	       reg(&pair->b, mr, mr->rkey, IB_ACCESS_REMOTE_READ, IB_WC_SUCCESS) &&
	       write_to(pair, mr->iova, mr->rkey, 8, IB_WC_REM_ACCESS_ERR) && !pair_again(pair),
	       "a registration for READ cannot be written");
	report(write_to(pair, mr->iova, old, 8, IB_WC_REM_ACCESS_ERR) && !pair_again(pair),
	       "the key before is dead when the region is used again");
	memset(pair->a.memory, 0, PAGE_SIZE);
	fill(at, PAGE_SIZE, 5);
	report(!post(&pair->a, IB_WR_RDMA_READ, address_of(pair->a.memory), PAGE_SIZE,
		     pair->a.pd->local_dma_lkey, mr->iova, mr->rkey) &&
	       completes(&pair->a, IB_WC_SUCCESS, IB_WC_RDMA_READ, NULL, "READ") &&
	       is_filled(pair->a.memory, PAGE_SIZE, 5), "the new key reads the new pages");
	report(invalidate(&pair->b, mr->rkey, IB_WC_SUCCESS), "and is invalidated again");
	report(invalidate(&pair->b, 0x12345678, IB_WC_MW_BIND_ERR) && !pair_again(pair),
	       "LOCAL_INV of no region is refused");
}

static bool send_invalidating(struct pair *pair, u32 rkey, enum ib_wc_status status)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND_WITH_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = rkey,
	};

	return !post_recv(&pair->b, address_of(pair->b.memory), 64, pair->b.pd->local_dma_lkey) &&
	       !post_wr(&pair->a, &wr) &&
	       completes(&pair->a, status, IB_WC_SEND, NULL, "SEND with invalidate");
}

static void remote_invalidate(struct pair *pair, struct ib_mr *mr)
{
	struct ib_wc wc;

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	report(map_pages(mr, pair->b.memory, 2, 0) &&
	       reg(&pair->b, mr, mr->rkey, ALL_ACCESS, IB_WC_SUCCESS) &&
	       send_invalidating(pair, mr->rkey, IB_WC_SUCCESS) &&
	       completes(&pair->b, IB_WC_SUCCESS, IB_WC_RECV, &wc, "RECV") &&
	       wc.wc_flags & IB_WC_WITH_INVALIDATE && wc.ex.invalidate_rkey == mr->rkey,
	       "SEND with invalidate names the key to the receiver");
	report(write_to(pair, mr->iova, mr->rkey, 8, IB_WC_REM_ACCESS_ERR) && !pair_again(pair),
	       "and has closed the region");
	report(send_invalidating(pair, open_rkey(&pair->b), IB_WC_REM_ACCESS_ERR) &&
	       !pair_again(pair), "SEND with invalidate of what is no registration is refused");
}

void case_fast_registration(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	struct ib_mr *mr;
	struct pair pair;

	if (pair_create(&pair, a, b, &setup))
		return;
	mr = ib_alloc_mr(pair.b.pd, IB_MR_TYPE_MEM_REG, PAGES);
	if (!IS_ERR(mr)) {
		report(mr->lkey != mr->rkey, "L_Key and R_Key differ");
		report(!map_pages(mr, pair.b.memory, PAGES, 0) ||
		       ib_map_mr_sg(mr, NULL, 0, NULL, PAGE_SIZE) <= 0, "no pages are no region");
		register_and_use(&pair, mr);
		reuse(&pair, mr);
		remote_invalidate(&pair, mr);
		ib_dereg_mr(mr);
	} else {
		report(false, "ib_alloc_mr: %ld", PTR_ERR(mr));
	}
	pair_destroy(&pair);
}

/* Keys and ranges. */

/* A WRITE to @remote fails so; and the other end has the event for it. */
static void refused(struct pair *pair, u64 remote, u32 rkey, u32 length,
		    enum ib_wc_status status, enum ib_event_type event, const char *what)
{
	report(write_to(pair, remote, rkey, length, status) && has_event(&pair->b, event) &&
	       end_state(&pair->a) == IB_QPS_ERR && end_state(&pair->b) == IB_QPS_ERR &&
	       !pair_again(pair), "%s", what);
}

static void no_access(struct pair *pair, u64 remote, u32 rkey, u32 length, const char *what)
{
	refused(pair, remote, rkey, length, IB_WC_REM_ACCESS_ERR, IB_EVENT_QP_ACCESS_ERR, what);
}

static void local_keys(struct pair *pair, const struct ib_pd *other)
{
	static const char * const names[] = { "of another PD", "of nothing", "that is an R_Key" };
	u32 keys[] = { other->__internal_mr->lkey, 0x00123400, open_rkey(&pair->a) };
	unsigned int i;

	report(!post(&pair->a, IB_WR_RDMA_WRITE, address_of(pair->a.memory), 8,
		     pair->a.pd->__internal_mr->lkey, address_of(pair->b.memory),
		     open_rkey(&pair->b)) &&
	       completes(&pair->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE, NULL, "WRITE"),
	       "a local key of the QP's PD is taken");
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		report(!post(&pair->a, IB_WR_RDMA_WRITE, address_of(pair->a.memory), 8, keys[i],
			     address_of(pair->b.memory), open_rkey(&pair->b)) &&
		       completes(&pair->a, IB_WC_LOC_PROT_ERR, 0, NULL, "WRITE") &&
		       !pair_again(pair), "a local key %s is refused", names[i]);
}

/* The receiver's own mistakes: what each end hears of them. */
static void bad_recvs(struct pair *pair, struct ib_mr *read_only)
{
	bool ok;

	ok = !post_recv(&pair->b, address_of(pair->b.memory), 7, pair->b.pd->local_dma_lkey) &&
	     !post(&pair->a, IB_WR_SEND, address_of(pair->a.memory), 8,
		   pair->a.pd->local_dma_lkey, 0, 0) &&
	     completes(&pair->b, IB_WC_LOC_LEN_ERR, 0, NULL, "RECV") &&
	     completes(&pair->a, IB_WC_REM_INV_REQ_ERR, 0, NULL, "SEND");
	report(ok && !pair_again(pair), "a RECV that is too small");
	ok = !post_recv(&pair->b, read_only->iova, 64, read_only->lkey) &&
	     !post(&pair->a, IB_WR_SEND, address_of(pair->a.memory), 8,
		   pair->a.pd->local_dma_lkey, 0, 0) &&
	     completes(&pair->b, IB_WC_LOC_PROT_ERR, 0, NULL, "RECV") &&
	     completes(&pair->a, IB_WC_REM_OP_ERR, 0, NULL, "SEND");
	report(ok && !pair_again(pair), "a RECV into memory that is not to be written");
}

static void no_length(struct pair *pair)
{
	report(write_to(pair, 0, 0xdeadbeef, 0, IB_WC_SUCCESS) &&
	       !post(&pair->a, IB_WR_RDMA_READ, 0, 0, 0, 0, 0xdeadbeef) &&
	       completes(&pair->a, IB_WC_SUCCESS, IB_WC_RDMA_READ, NULL, "READ"),
	       "with no bytes there is no key to check");
}

/* What the QP itself does not allow, whatever the key. */
static void qp_access(struct pair *pair)
{
	struct ib_qp_attr attr = { .qp_access_flags = IB_ACCESS_REMOTE_READ };

	report(!ib_modify_qp(pair->b.qp, &attr, IB_QP_ACCESS_FLAGS), "access is changed in RTS");
	refused(pair, address_of(pair->b.memory), open_rkey(&pair->b), 8, IB_WC_REM_INV_REQ_ERR,
		IB_EVENT_QP_REQ_ERR, "a WRITE that the QP does not allow");
}

static void unaligned_atomic(struct pair *pair, struct ib_mr *mr)
{
	struct ib_sge sge = { address_of(pair->a.memory), 8, pair->a.pd->local_dma_lkey };
	struct ib_atomic_wr wr = {
		.wr = { .sg_list = &sge, .num_sge = 1, .opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
			.send_flags = IB_SEND_SIGNALED },
		.remote_addr = mr->iova + 4,
		.compare_add = 1,
		.rkey = mr->rkey,
	};

	report(!post_wr(&pair->a, &wr.wr) &&
	       completes(&pair->a, IB_WC_REM_INV_REQ_ERR, 0, NULL, "atomic") &&
	       has_event(&pair->b, IB_EVENT_QP_REQ_ERR) && !pair_again(pair),
	       "an atomic that is not aligned");
}

void case_keys(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	struct ib_mr *mr, *read_only, *foreign;
	struct ib_pd *pd, *own;
	struct pair pair;
	u64 at;

	if (pair_create(&pair, a, b, &setup))
		return;
	pd = ib_alloc_pd(b, IB_PD_UNSAFE_GLOBAL_RKEY);
	own = ib_alloc_pd(a, IB_PD_UNSAFE_GLOBAL_RKEY);
	mr = region_create(&pair.b, ALL_ACCESS);
	read_only = region_create(&pair.b, IB_ACCESS_REMOTE_READ);
	foreign = region_create(&pair.a, ALL_ACCESS);
	if (!report(!IS_ERR(pd) && !IS_ERR(own) && mr && read_only && foreign, "regions to try"))
		goto out;
	at = mr->iova;
	no_access(&pair, at, pair.b.pd->local_dma_lkey, 8, "the kernel's L_Key as an R_Key");
	no_access(&pair, at, mr->lkey, 8, "an L_Key as an R_Key");
	no_access(&pair, at, pd->unsafe_global_rkey, 8, "a key of another PD");
	no_access(&pair, at, mr->rkey ^ 1, 8, "a key with another low bit");
	if (a != b)
		no_access(&pair, foreign->iova, foreign->rkey, 8, "a key of another device");
	no_access(&pair, at + PAGE_SIZE - 4, mr->rkey, 8, "a range that ends outside");
	no_access(&pair, at - 4, mr->rkey, 8, "a range that begins before");
	no_access(&pair, -4ULL, mr->rkey, 8, "a range that wraps around");
	no_access(&pair, at, mr->rkey, 2 * PAGE_SIZE, "a range of several packets, too long");
	no_access(&pair, read_only->iova, read_only->rkey, 8, "a WRITE to memory that may be read");
	local_keys(&pair, own);
	bad_recvs(&pair, read_only);
	no_length(&pair);
	unaligned_atomic(&pair, mr);
	qp_access(&pair);
	report(write_to(&pair, at, mr->rkey, 8, IB_WC_SUCCESS), "and the right one still works");
out:
	if (mr)
		ib_dereg_mr(mr);
	if (read_only)
		ib_dereg_mr(read_only);
	if (foreign)
		ib_dereg_mr(foreign);
	if (!IS_ERR(pd))
		ib_dealloc_pd(pd);
	if (!IS_ERR(own))
		ib_dealloc_pd(own);
	pair_destroy(&pair);
}

/*
 * A region ends before and in the middle of a READ. Time stands still meanwhile, so that
 * it is known when: the far end has sent some of the answer, but there is much more to it
 * than fits into a port's queue.
 */

#define LONG_PAGES	64

static struct ib_mr *long_region(struct end *end)
{
	struct ib_mr *mr = ib_alloc_mr(end->pd, IB_MR_TYPE_MEM_REG, LONG_PAGES);
	struct scatterlist sg;

	if (IS_ERR(mr))
		return NULL;
	sg_init_one(&sg, end->memory, LONG_PAGES * PAGE_SIZE);
	sg_dma_address(&sg) = address_of(end->memory);
	sg_dma_len(&sg) = sg.length;
	if (ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE) == 1 &&
	    reg(end, mr, mr->rkey, ALL_ACCESS, IB_WC_SUCCESS))
		return mr;
	ib_dereg_mr(mr);
	return NULL;
}

/* Step until the device has sent something more. */
static bool step_until_sent(struct ib_device *dev)
{
	s64 before = counter(dev, "sent_pkts");
	int i;

	for (i = 0; i < 40; i++) {
		if (!run_fabctl("step 1"))
			return false;
		if (counter(dev, "sent_pkts") != before)
			return true;
	}
	return false;
}

static bool read_and_dereg(struct pair *pair, struct ib_mr *mr, bool during)
{
	u32 length = LONG_PAGES * PAGE_SIZE;
	bool ok;

	fill(pair->b.memory, length, 6);
	memset(pair->a.memory, 0, length);
	if (!run_fabctl("freeze"))
		return false;
	ok = !post(&pair->a, IB_WR_RDMA_READ, address_of(pair->a.memory), length,
		   pair->a.pd->local_dma_lkey, mr->iova, mr->rkey);
	if (during)
		ok &= report(step_until_sent(pair->b.dev), "the READ is being answered");
	ok &= !ib_dereg_mr(mr);
	memset(pair->b.memory, 0xee, length);
	ok &= run_fabctl("thaw");
	return ok && completes(&pair->a, IB_WC_REM_ACCESS_ERR, 0, NULL, "READ") &&
	       has_event(&pair->b, IB_EVENT_QP_ACCESS_ERR) &&
	       is_filled(pair->a.memory, 1, 6) == during;
}

void case_dereg(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	struct pair pair;
	struct ib_mr *mr;
	int during;

	if (pair_create(&pair, a, b, &setup))
		return;
	for (during = 0; during < 2; during++) {
		mr = long_region(&pair.b);
		report(mr && read_and_dereg(&pair, mr, during) && !pair_again(&pair),
		       "a region ends %s a READ of it, in a frozen fabric",
		       during ? "during" : "before");
	}
	pair_destroy(&pair);
}
