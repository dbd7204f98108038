// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of all kinds and sizes, by RC, UC and UD: every byte arrives where it
 * belongs, none beside it, and the completions say what happened.
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "client.h"

#define IMM	cpu_to_be32(0x12345678)
/* In front of the place where a message goes, and behind it. */
#define GUARD	64

static const struct kind {
	enum ib_wr_opcode opcode;
	enum ib_wc_opcode done;
	const char *name;
	bool to_recv;		/* takes a receive */
	bool there;		/* the data goes to the receive's memory, not to an address */
	bool imm;
	bool rc_only;
} kinds[] = {
	{ IB_WR_SEND, IB_WC_SEND, "SEND", true, true, false, false },
	{ IB_WR_SEND_WITH_IMM, IB_WC_SEND, "SEND with immediate", true, true, true, false },
	{ IB_WR_RDMA_WRITE, IB_WC_RDMA_WRITE, "WRITE", false, false, false, false },
	{ IB_WR_RDMA_WRITE_WITH_IMM, IB_WC_RDMA_WRITE, "WRITE with immediate",
	  true, false, true, false },
	{ IB_WR_RDMA_READ, IB_WC_RDMA_READ, "READ", false, false, false, true },
};

/* Only the message was written: the bytes around it are as before. */
static bool is_alone(const u8 *at, size_t length)
{
	return is_filled(at - GUARD, GUARD, 99) && is_filled(at + length, GUARD, 98);
}

static void put_guards(u8 *at, size_t length)
{
	memset(at, 0, length);
	fill(at - GUARD, GUARD, 99);
	fill(at + length, GUARD, 98);
}

static bool recv_is_right(struct end *end, const struct kind *kind, u32 length)
{
	enum ib_wc_opcode opcode = kind->there ? IB_WC_RECV : IB_WC_RECV_RDMA_WITH_IMM;
	struct ib_wc wc;

	return completes(end, IB_WC_SUCCESS, opcode, &wc, kind->name) &&
	       wc.byte_len == length && !!(wc.wc_flags & IB_WC_WITH_IMM) == kind->imm &&
	       (!kind->imm || wc.ex.imm_data == IMM);
}

/* One message; memory begins at odd places, so that pieces cross pages everywhere. */
static bool one_message(struct pair *pair, const struct kind *kind, u32 length, u8 seed)
{
	u8 *from = pair->a.memory + GUARD + 3, *to = pair->b.memory + PAGE_SIZE - 5;
	u32 lkey = pair->a.pd->local_dma_lkey;

	if (kind->opcode == IB_WR_RDMA_READ)
		swap(from, to);
	fill(from, length, seed);
	put_guards(to, length);
	if (kind->to_recv &&
	    post_recv(&pair->b, kind->there ? address_of(to) : 0, kind->there ? length : 0,
		      pair->b.pd->local_dma_lkey))
		return false;
	if (kind->opcode == IB_WR_RDMA_READ)
		swap(from, to);
	if (post(&pair->a, kind->opcode, address_of(from), length, lkey, address_of(to),
		 open_rkey(&pair->b)))
		return false;
	if (!completes(&pair->a, IB_WC_SUCCESS, kind->done, NULL, kind->name))
		return false;
	if (kind->to_recv && !recv_is_right(&pair->b, kind, length))
		return false;
	if (kind->opcode == IB_WR_RDMA_READ)
		swap(from, to);
	return is_filled(to, length, seed) && is_alone(to, length);
}

static u32 mtu_of(const struct pair *pair)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	if (ib_query_qp(pair->a.qp, &attr, IB_QP_PATH_MTU, &init))
		return 0;
	return ib_mtu_enum_to_int(attr.path_mtu);
}

/*
 * UC says nothing of what has arrived. In a fabric that loses nothing all does, but a
 * WRITE has to be waited for by one more message behind it.
 */
static bool push_uc(struct pair *pair)
{
	return !post_recv(&pair->b, 0, 0, 0) &&
	       !post(&pair->a, IB_WR_SEND, 0, 0, 0, 0, 0) &&
	       completes(&pair->a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "UC: SEND behind") &&
	       completes(&pair->b, IB_WC_SUCCESS, IB_WC_RECV, NULL, "UC: RECV behind");
}

static bool one_uc_write(struct pair *pair, const struct kind *kind, u32 length, u8 seed)
{
	u8 *from = pair->a.memory + GUARD + 3, *to = pair->b.memory + PAGE_SIZE - 5;

	fill(from, length, seed);
	put_guards(to, length);
	if (post(&pair->a, kind->opcode, address_of(from), length, pair->a.pd->local_dma_lkey,
		 address_of(to), open_rkey(&pair->b)) ||
	    !completes(&pair->a, IB_WC_SUCCESS, kind->done, NULL, kind->name))
		return false;
	return push_uc(pair) && is_filled(to, length, seed) && is_alone(to, length);
}

static noinline_for_stack void all_sizes(struct pair *pair, const struct kind *kind,
					 const char *type)
{
	u32 mtu = mtu_of(pair);
	const u32 sizes[] = { 0, 1, mtu - 1, mtu, mtu + 1, 65536, 65537, MAX_MESSAGE };
	bool uc_write = pair->setup.type == IB_QPT_UC && !kind->to_recv;
	unsigned int i;
	bool ok;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ok = uc_write ? one_uc_write(pair, kind, sizes[i], i * 31 + 1) :
				one_message(pair, kind, sizes[i], i * 31 + 1);
		if (!ok) {
			report(false, "%s %s of %u bytes", type, kind->name, sizes[i]);
			return;
		}
	}
	report(true, "%s %s of 0, 1, MTU-1, MTU, MTU+1, 64 K, 64 K+1, 2 M bytes", type,
	       kind->name);
}

static bool one_atomic(struct pair *pair, struct ib_mr *mr, enum ib_wr_opcode opcode,
		       u64 compare_add, u64 swap, u64 *before)
{
	struct ib_sge sge = { address_of(pair->a.memory), 8, pair->a.pd->local_dma_lkey };
	struct ib_atomic_wr wr = {
		.wr = { .sg_list = &sge, .num_sge = 1, .opcode = opcode,
			.send_flags = IB_SEND_SIGNALED },
		.remote_addr = mr->iova,
		.compare_add = compare_add,
		.swap = swap,
		.rkey = mr->rkey,
	};
	enum ib_wc_opcode done = opcode == IB_WR_ATOMIC_CMP_AND_SWP ? IB_WC_COMP_SWAP :
								      IB_WC_FETCH_ADD;

	if (post_wr(&pair->a, &wr.wr) ||
	    !completes(&pair->a, IB_WC_SUCCESS, done, NULL, "atomic"))
		return false;
	*before = *(u64 *)pair->a.memory;
	return true;
}

static noinline_for_stack void try_atomics(struct pair *pair)
{
	u64 *word = (u64 *)pair->b.memory, before;
	struct ib_mr *mr = region_create(&pair->b, ALL_ACCESS);

	if (!report(mr, "a region for atomics"))
		return;
	*word = 1000;
	report(one_atomic(pair, mr, IB_WR_ATOMIC_FETCH_AND_ADD, -1ULL, 0, &before) &&
	       before == 1000 && *word == 999, "RC fetch and add");
	report(one_atomic(pair, mr, IB_WR_ATOMIC_CMP_AND_SWP, 999, 5, &before) &&
	       before == 999 && *word == 5, "RC compare and swap: equal");
	report(one_atomic(pair, mr, IB_WR_ATOMIC_CMP_AND_SWP, 999, 6, &before) &&
	       before == 5 && *word == 5, "RC compare and swap: not equal");
	ib_dereg_mr(mr);
}

/* A list of pieces, and more READs than may be on their way. */
static noinline_for_stack void pieces_and_depth(struct pair *pair)
{
	u8 *from = pair->a.memory, *to = pair->b.memory;
	u32 lkey = pair->a.pd->local_dma_lkey;
	struct ib_sge sge[4] = {
		{ address_of(from), 1, lkey }, { address_of(from + 1), 5000, lkey },
		{ 0, 0, 0 }, { address_of(from + 5001), 4095, lkey },
	};
	struct ib_rdma_wr wr = {
		.wr = { .sg_list = sge, .num_sge = 4, .opcode = IB_WR_RDMA_WRITE,
			.send_flags = IB_SEND_SIGNALED },
		.remote_addr = address_of(to),
		.rkey = open_rkey(&pair->b),
	};
	int i, n = 0;

	fill(from, 9096, 7);
	memset(to, 0, 9096);
	report(!post_wr(&pair->a, &wr.wr) &&
	       completes(&pair->a, IB_WC_SUCCESS, IB_WC_RDMA_WRITE, NULL, "WRITE") &&
	       is_filled(to, 9096, 7), "RC WRITE of four pieces, one of them empty");
	memset(from, 0, 32 * 10000);
	fill(to, 32 * 10000, 9);
	for (i = 0; i < 32; i++)
		n += !post(&pair->a, IB_WR_RDMA_READ, address_of(from + i * 10000), 10000, lkey,
			   address_of(to + i * 10000), open_rkey(&pair->b));
	report(n == 32 && all_complete(&pair->a, n) && is_filled(from, 32 * 10000, 9),
	       "32 READs, %u at once",
	       pair->setup.max_rd);
}

/* What a service has no packets for is refused when it is carried out. */
static void uc_refuses(struct pair *pair)
{
	bool ok = !post(&pair->a, IB_WR_RDMA_READ, address_of(pair->a.memory), 8,
			pair->a.pd->local_dma_lkey, address_of(pair->b.memory),
			open_rkey(&pair->b)) &&
		  completes(&pair->a, IB_WC_LOC_QP_OP_ERR, 0, NULL, "UC READ");

	report(ok && end_state(&pair->a) == IB_QPS_SQE, "UC READ is refused, the send queue stops");
}

static void connected(struct ib_device *a, struct ib_device *b, enum ib_qp_type type)
{
	struct setup setup = SETUP(type);
	struct pair pair;
	unsigned int i;

	if (pair_create(&pair, a, b, &setup))
		return;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (type == IB_QPT_RC || !kinds[i].rc_only)
			all_sizes(&pair, &kinds[i], type == IB_QPT_RC ? "RC" : "UC");
	if (type == IB_QPT_RC) {
		try_atomics(&pair);
		pieces_and_depth(&pair);
	} else {
		uc_refuses(&pair);
	}
	pair_destroy(&pair);
}

void case_messages(struct ib_device *a, struct ib_device *b)
{
	connected(a, b, IB_QPT_RC);
	connected(a, b, IB_QPT_UC);
}

/* Datagrams. */

static int datagram_to(struct end *a, struct end *b, struct ib_ah *ah, enum ib_wr_opcode opcode,
		       const u8 *from, u32 length, u32 qkey)
{
	struct ib_sge sge = { address_of(from), length, a->pd->local_dma_lkey };
	struct ib_ud_wr wr = {
		.wr = { .sg_list = &sge, .num_sge = 1, .opcode = opcode,
			.send_flags = IB_SEND_SIGNALED, .ex.imm_data = IMM },
		.ah = ah,
		.remote_qpn = b->qp->qp_num,
		.remote_qkey = qkey,
	};

	return post_wr(a, &wr.wr);
}

static int send_datagram(struct pair *pair, struct ib_ah *ah, enum ib_wr_opcode opcode,
			 const u8 *from, u32 length, u32 qkey)
{
	return datagram_to(&pair->a, &pair->b, ah, opcode, from, length, qkey);
}

/* One datagram from @a to @b, whole. */
static bool passes(struct end *a, struct end *b, struct ib_ah *ah, enum ib_wr_opcode opcode,
		   u32 length, bool grh)
{
	u8 *from = a->memory + 1, *to = b->memory + GUARD;
	struct ib_wc wc;

	fill(from, length, 77);
	put_guards(to, length + 40);
	if (post_recv(b, address_of(to), length + 40, b->pd->local_dma_lkey) ||
	    datagram_to(a, b, ah, opcode, from, length, QKEY) ||
	    !completes(a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "UD SEND") ||
	    !completes(b, IB_WC_SUCCESS, IB_WC_RECV, &wc, "UD RECV"))
		return false;
	return wc.byte_len == length + 40 && wc.src_qp == a->qp->qp_num &&
	       !!(wc.wc_flags & IB_WC_GRH) == grh &&
	       (opcode == IB_WR_SEND || wc.ex.imm_data == IMM) &&
	       is_filled(to + 40, length, 77) && is_alone(to, length + 40);
}

static bool datagram(struct pair *pair, struct ib_ah *ah, enum ib_wr_opcode opcode, u32 length,
		     bool grh)
{
	return passes(&pair->a, &pair->b, ah, opcode, length, grh);
}

static u32 port_mtu(struct ib_device *dev)
{
	struct ib_port_attr attr;

	return ib_query_port(dev, 1, &attr) ? 0 : ib_mtu_enum_to_int(attr.active_mtu);
}

/* A handle made from a completion: how anybody answers a datagram. */
static void send_back(struct pair *pair, struct ib_ah *ah)
{
	u8 *to = pair->b.memory;
	struct rdma_ah_attr attr;
	struct ib_ah *back;
	struct ib_wc wc;
	bool ok;

	ok = !post_recv(&pair->b, address_of(to), 140, pair->b.pd->local_dma_lkey) &&
	     !send_datagram(pair, ah, IB_WR_SEND, pair->a.memory, 100, QKEY) &&
	     completes(&pair->a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "UD SEND") &&
	     completes(&pair->b, IB_WC_SUCCESS, IB_WC_RECV, &wc, "UD RECV");
	if (!ok || ib_init_ah_attr_from_wc(pair->b.dev, 1, &wc, (struct ib_grh *)to, &attr)) {
		report(false, "UD: the address in a completion");
		return;
	}
	back = rdma_create_ah(pair->b.pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&attr);
	if (IS_ERR(back)) {
		report(false, "UD: a handle to answer with: %ld", PTR_ERR(back));
		return;
	}
	report(passes(&pair->b, &pair->a, back, IB_WR_SEND, 64, wc.wc_flags & IB_WC_GRH),
	       "UD: an answer to where the completion says");
	rdma_destroy_ah(back, 0);
}

/* Wrong Q_Key: silence, and a count. What comes after it arrives. */
static void wrong_qkey(struct pair *pair, struct ib_ah *ah, bool grh)
{
	s64 before = counter(pair->b.dev, "bad_qkey");
	struct ib_port_attr attr;
	u32 violations = 0;
	bool ok;

	if (!ib_query_port(pair->b.dev, 1, &attr))
		violations = attr.qkey_viol_cntr;
	ok = !send_datagram(pair, ah, IB_WR_SEND, pair->a.memory, 8, QKEY + 1) &&
	     completes(&pair->a, IB_WC_SUCCESS, IB_WC_SEND, NULL, "UD SEND") &&
	     datagram(pair, ah, IB_WR_SEND, 8, grh);
	report(ok && counter(pair->b.dev, "bad_qkey") == before + 1,
	       "UD: a wrong Q_Key is dropped and counted");
	report(!ib_query_port(pair->b.dev, 1, &attr) && attr.qkey_viol_cntr == violations + 1,
	       "UD: the port's Q_Key violations count it");
	/* On Ethernet nobody resets it: the core has no such call there. */
	if (!rdma_cap_eth_ah(pair->b.dev, 1))
		report(!ib_modify_port(pair->b.dev, 1, IB_PORT_RESET_QKEY_CNTR,
				       &(struct ib_port_modify){}) &&
		       !ib_query_port(pair->b.dev, 1, &attr) && !attr.qkey_viol_cntr,
		       "UD: and are set to 0 on demand");
}

static void too_long(struct pair *pair, struct ib_ah *ah, u32 mtu, bool grh)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .cur_qp_state = IB_QPS_SQE };
	bool ok = !send_datagram(pair, ah, IB_WR_SEND, pair->a.memory, mtu + 1, QKEY) &&
		  !send_datagram(pair, ah, IB_WR_SEND, pair->a.memory, 1, QKEY) &&
		  completes(&pair->a, IB_WC_LOC_LEN_ERR, 0, NULL, "UD SEND over the MTU") &&
		  completes(&pair->a, IB_WC_WR_FLUSH_ERR, 0, NULL, "UD SEND behind it");

	report(ok && end_state(&pair->a) == IB_QPS_SQE, "UD: longer than the MTU stops the sends");
	ok = !ib_modify_qp(pair->a.qp, &attr, IB_QP_STATE | IB_QP_CUR_STATE);
	report(ok && datagram(pair, ah, IB_WR_SEND, mtu, grh),
	       "UD: SQE to RTS, and it sends again");
}

static void by_handle(struct pair *pair, bool grh)
{
	u32 mtu = port_mtu(pair->a.dev);
	struct rdma_ah_attr attr;
	struct ib_ah *ah;

	if (end_address(&pair->a, &pair->b, grh, &attr)) {
		report(false, "UD: an address");
		return;
	}
	ah = rdma_create_ah(pair->a.pd, &attr, 0);
	if (IS_ERR(ah)) {
		report(false, "UD: a handle: %ld", PTR_ERR(ah));
		return;
	}
	report(datagram(pair, ah, IB_WR_SEND, 0, grh) && datagram(pair, ah, IB_WR_SEND, 1, grh) &&
	       datagram(pair, ah, IB_WR_SEND, mtu, grh),
	       "UD SEND of 0, 1, MTU bytes %s a GRH", grh ? "with" : "without");
	report(datagram(pair, ah, IB_WR_SEND_WITH_IMM, 1001, grh), "UD SEND with immediate");
	send_back(pair, ah);
	wrong_qkey(pair, ah, grh);
	too_long(pair, ah, mtu, grh);
	rdma_destroy_ah(ah, 0);
}

void case_datagrams(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_UD);
	struct pair pair;

	if (pair_create(&pair, a, b, &setup))
		return;
	if (rdma_cap_eth_ah(a, 1)) {
		by_handle(&pair, true);
	} else {
		by_handle(&pair, false);
		by_handle(&pair, true);
	}
	pair_destroy(&pair);
}

/*
 * Memory is the user's again as soon as the completion is there, also while the packets
 * still queue: the link is slow here. What arrives is what was there when it was posted.
 */

static bool poisoned(struct pair *pair, enum ib_wc_status status, u8 *buffer, u32 length)
{
	bool ok = completes(&pair->a, status, IB_WC_SEND, NULL, "SEND");

	memset(buffer, 0xee, length);
	kfree(buffer);
	return ok;
}

static bool free_early(struct pair *pair, struct ib_ah *ah, u32 length, u32 header)
{
	u8 *to = pair->b.memory;
	struct ib_wc wc[8];
	u8 *buffer;
	int i;

	for (i = 0; i < 8; i++)
		if (post_recv(&pair->b, address_of(to + i * PAGE_SIZE * 2), length + header,
			      pair->b.pd->local_dma_lkey))
			return false;
	for (i = 0; i < 8; i++) {
		buffer = kmalloc(length, GFP_KERNEL);
		if (!buffer)
			return false;
		fill(buffer, length, i + 1);
		if (ah ? send_datagram(pair, ah, IB_WR_SEND, buffer, length, QKEY) :
			 post(&pair->a, IB_WR_SEND, address_of(buffer), length,
			      pair->a.pd->local_dma_lkey, 0, 0)) {
			kfree(buffer);
			return false;
		}
		if (!poisoned(pair, IB_WC_SUCCESS, buffer, length))
			return false;
	}
	if (reap(&pair->b, wc, 8) != 8)
		return false;
	for (i = 0; i < 8; i++)
		if (wc[i].status != IB_WC_SUCCESS ||
		    !is_filled(to + i * PAGE_SIZE * 2 + header, length, i + 1))
			return false;
	return true;
}

static void early_free_by(struct ib_device *a, struct ib_device *b, enum ib_qp_type type,
			  const char *name)
{
	struct setup setup = SETUP(type);
	struct rdma_ah_attr attr;
	struct ib_ah *ah = NULL;
	struct pair pair;
	bool ok = true;

	if (pair_create(&pair, a, b, &setup))
		return;
	if (type == IB_QPT_UD) {
		ok = !end_address(&pair.a, &pair.b, false, &attr);
		ah = rdma_create_ah(pair.a.pd, &attr, 0);
		ok = ok && !IS_ERR(ah);
	}
	report(ok && free_early(&pair, ah, 1000, type == IB_QPT_UD ? 40 : 0),
	       "%s: memory freed at once, while packets queue", name);
	if (!IS_ERR_OR_NULL(ah))
		rdma_destroy_ah(ah, 0);
	pair_destroy(&pair);
}

/* A QP is stopped with packets of it at the port: their memory is the user's again, too. */
static void flushed_early(struct ib_device *a, struct ib_device *b)
{
	struct setup setup = SETUP(IB_QPT_RC);
	u32 length = 16 * 4096;
	struct pair pair;
	u8 *buffer;
	bool ok;

	if (pair_create(&pair, a, b, &setup))
		return;
	buffer = kmalloc(length, GFP_KERNEL);
	ok = buffer && !post_recv(&pair.b, address_of(pair.b.memory), length,
				  pair.b.pd->local_dma_lkey) &&
	     !post(&pair.a, IB_WR_SEND, address_of(buffer), length,
		   pair.a.pd->local_dma_lkey, 0, 0);
	/* Time enough for the first packets. */
	schedule_timeout_uninterruptible(2);
	ok = ok && !end_move(&pair.a, &pair.b, &setup, IB_QPS_ERR) &&
	     poisoned(&pair, IB_WC_WR_FLUSH_ERR, buffer, length);
	report(ok, "RC: memory freed after a flush, while packets queue");
	pair_destroy(&pair);
}

void case_early_free(struct ib_device *a, struct ib_device *b)
{
	early_free_by(a, b, IB_QPT_UD, "UD");
	early_free_by(a, b, IB_QPT_UC, "UC");
	early_free_by(a, b, IB_QPT_RC, "RC");
	flushed_early(a, b);
}
