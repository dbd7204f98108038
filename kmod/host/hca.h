/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The HCA: its objects, and what its files offer to each other.
 *
 * Who owns what:
 *  - verbs calls that make, change or end an object run in the caller's context
 *    in three parts (DESIGN 3): the caller pins, allocates and copies; a
 *    fab_call() publishes the object to, or takes it from, the fabric thread;
 *    the caller frees.
 *  - the engine (rc_*.c, ud.c) runs on the fabric thread and owns every QP's
 *    transport state, the reading side of the send and receive queues and the
 *    writing side of the completion queues.
 *  - user rings lie in the program's memory (ring.c), kernel rings in ours
 *    (kring.c): the engine sees both through struct fab_ring_ops.
 */
#ifndef FAB_HCA_H
#define FAB_HCA_H

#include <linux/kref.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include "../clock.h"
#include "../packet.h"
#include "net.h"

#define FAB_MAX_SGE		16
#define FAB_MAX_QP_WR		16384
#define FAB_MAX_CQE		65536
#define FAB_MAX_MSG		BIT(30)
#define FAB_MAX_RD_ATOMIC	16
#define FAB_MAX_QP		32768
#define FAB_MAX_CQ		(2 * FAB_MAX_QP)
#define FAB_MAX_SRQ		FAB_MAX_QP
/* A region has two keys, of 24 bits and 8 that vary; a protection domain's number has 24. */
#define FAB_MAX_MR		(BIT(23) - 1)
#define FAB_MAX_PD		(BIT(24) - 1)
#define FAB_MAX_REG_PAGES	512
/* Multicast groups of an HCA, and QPs of one: a packet is looked up, and copied, in one go. */
#define FAB_MAX_GROUPS		1024
#define FAB_MAX_MEMBERS		256

/* The kernel's key for all of its memory. No entry of fab_hca.mrs is at 0. */
#define FAB_LOCAL_DMA_LKEY	0xd1

struct fab_mr;

/*
 * struct fab_sge - a piece of memory, as a work request names it
 */
struct fab_sge {
	u64 addr;
	u32 length;
	u32 lkey;
};

/*
 * struct fab_send_wr - a send work request: a snapshot, checked for form
 *
 * The program can scribble over its ring at any time, so nothing is read twice.
 */
struct fab_send_wr {
	u64 wr_id;
	enum ib_wr_opcode opcode;
	u32 flags;			/* IB_SEND_* */
	u32 num_sge;
	u32 length;			/* of all of @sge */
	union {
		__be32 imm;
		u32 invalidate_rkey;
	};
	u64 remote_addr;		/* WRITE, READ, atomics */
	u32 rkey;
	u64 compare_add;
	u64 swap;
	u32 remote_qpn;			/* UD */
	u32 remote_qkey;
	u16 pkey_index;
	struct fab_path *path;		/* UD: the ring's; valid until the next next_send() */
	struct fab_mr *mr;		/* REG_MR */
	u32 key;
	int access;
	struct fab_sge sge[FAB_MAX_SGE];
};

struct fab_recv_wr {
	u64 wr_id;
	u32 num_sge;
	u32 length;
	struct fab_sge sge[FAB_MAX_SGE];
};

/* Counters of an HCA, in rxe's manner; counters.c has their names. */
enum fab_counter {
	FAB_SENT_PKTS,
	FAB_RCVD_PKTS,
	FAB_DUPLICATE_REQUEST,
	FAB_OUT_OF_SEQ_REQUEST,
	FAB_RCVD_RNR_ERR,
	FAB_SEND_RNR_ERR,
	FAB_RCVD_SEQ_ERR,
	FAB_ACK_DEFERRED,
	FAB_RETRY_EXCEEDED_ERR,
	FAB_RETRY_RNR_EXCEEDED_ERR,
	FAB_COMPLETER_RETRY_ERR,
	FAB_SEND_ERR,
	FAB_RDMA_SENDS,
	FAB_RDMA_RECVS,
	FAB_TIMEOUTS,
	FAB_RETRANSMITTED_PKTS,
	FAB_RETRANSMITTED_BYTES,
	FAB_COPIED_BYTES,
	FAB_RCVD_DROPPED,
	FAB_BAD_PKEY,
	FAB_BAD_QKEY,
	FAB_NO_MEMORY,
	FAB_MADS_DROPPED,
	FAB_N_COUNTERS,
};

/**
 * struct fab_engine - what gives the QPs of an HCA their turns
 * @turn: a turn is due
 * @held_back: the port's queue is full: no turn until fab_hca_room()
 * @selective: QPs that come to INIT from now on use selective repeat
 * @port_events: counts what happened to the port: QPs look their P_Key up again; any context
 * @n_held: packets that responders with selective repeat keep
 * @next_qpn: where the search for a free QP number begins; callers
 * @counters: by enum fab_counter; others read with READ_ONCE
 * @wr: where next_send() puts a work request
 */
struct fab_engine {
	struct fab_event turn;
	bool held_back;
	bool selective;
	atomic_t port_events;
	u32 n_held;
	u32 next_qpn;
	u64 counters[FAB_N_COUNTERS];
	struct fab_send_wr wr;
};

/**
 * struct fab_hca - one HCA: an ib_device on one port
 * @ibdev: to ib_core
 * @net: its network
 * @port: its port of the fabric
 * @netdev: RoCE: the net_device whose addresses are its GIDs; else NULL
 * @qps: QPN (24 bit) -> struct fab_qp; changed on the fabric thread
 * @mrs: key >> 8 -> struct fab_mr, two entries each: of its lkey and of its rkey;
 *	entries are reserved by callers, filled and emptied on the fabric thread
 * @n_qps: how many QPs there are; atomic, as @n_cqs and @n_srqs: callers
 * @n_cqs: how many CQs
 * @n_srqs: how many SRQs
 * @next_key: where the search for a free entry of @mrs begins (mr.c)
 * @mcast: groups and their QPs (mcast.c); changed on the fabric thread
 * @n_mcast: how many groups
 * @contexts: user contexts whose doorbells are looked at (ring.c); fabric thread
 * @doorbells: looks at them
 * @ready: QPs with something to send, served in turn; fabric thread
 * @engine: what gives them their turns (engine.c); fabric thread
 * @net_data: the network's own
 */
struct fab_hca {
	struct ib_device ibdev;
	const struct fab_net_ops *net;
	struct fab_port *port;
	struct net_device *netdev;
	struct xarray qps;
	struct xarray mrs;
	atomic_t n_qps;
	atomic_t n_cqs;
	atomic_t n_srqs;
	u32 next_key;
	struct list_head mcast;
	u32 n_mcast;
	struct list_head contexts;
	struct fab_watch doorbells;
	struct list_head ready;
	struct fab_engine engine;
	void *net_data;
};

struct fab_pd {
	struct ib_pd ibpd;
	u32 pdn;			/* its number in the user ABI */
};

struct fab_ah {
	struct ib_ah ibah;
	struct fab_path path;
};

enum fab_mr_state { FAB_MR_FREE, FAB_MR_VALID, FAB_MR_INVALID };

/**
 * struct fab_mr - a memory region
 * @ibmr: to ib_core; lkey and rkey always differ
 * @pd: protection domain
 * @lkey: valid now for local access; as @rkey written on the fabric thread. The low
 *	8 bits change with each REG_MR; the keys in @ibmr run ahead, since the user
 *	changes them when he posts one
 * @rkey: the same for remote access
 * @state: a fast-registration region is FREE until a REG_MR work request was done
 * @access: IB_ACCESS_*
 * @iova: first address, in the addresses that work requests use
 * @length: bytes
 * @offset: of @iova in the first page
 * @n_pages: length of @pages
 * @max_pages: length of @kpages
 * @page_shift: size of a page of @pages
 * @pages: pinned user pages; NULL for kernel regions
 * @kpages: kernel addresses, for fast registration (map_mr_sg); NULL otherwise
 * @umem: pins them
 * @dma: the region of get_dma_mr(): all kernel addresses, as they are
 * @users: packets that carry references to its pages are NOT counted here: they
 *	hold the pages themselves
 *
 * Published to and taken from the fabric thread by fab_call(); the thread reads it.
 */
struct fab_mr {
	struct ib_mr ibmr;
	struct fab_pd *pd;
	u32 lkey;
	u32 rkey;
	enum fab_mr_state state;
	int access;
	u64 iova;
	u64 length;
	u32 offset;
	u32 n_pages;
	u32 max_pages;
	u8 page_shift;
	bool dma;
	struct page **pages;
	u64 *kpages;
	struct ib_umem *umem;
};

/*
 * struct fab_completion - what the engine says of a finished work request
 *
 * As struct ib_wc, without pointers.
 */
struct fab_completion {
	u64 wr_id;
	enum ib_wc_status status;
	enum ib_wc_opcode opcode;
	u32 vendor_err;
	u32 byte_len;
	u32 src_qp;
	u32 wc_flags;
	union {
		__be32 imm;
		u32 invalidate_rkey;
	};
	u16 pkey_index;
	u16 slid;
	u8 sl;
	u8 path_bits;
	u8 network;
	u8 smac[ETH_ALEN];
	u16 vlan;
	bool solicited;
};

struct fab_qp;
struct fab_cq;
struct fab_srq;
struct fab_rq;

/**
 * struct fab_ring_ops - rings, to the engine: user memory (ring.c) or ours (kring.c)
 * @next_send: take the next posted send; 1 = one, 0 = none, -EINVAL = malformed
 *	(@wr->wr_id is set: complete it with LOC_QP_OP_ERR and stop the QP)
 * @next_recv: the same of a receive queue or shared receive queue
 * @complete: put a completion in @cq, and signal it as it is armed; false if the
 *	ring is full (CQ overrun: the caller raises the events)
 * @send_done: the @n oldest sends that were taken are done: the program may have their
 *	slots (called before complete(), or a program that reposts at once sees a full ring)
 * @recvs_posted: how many receives wait to be taken; for the SRQ limit
 * @reset: @qp came to RESET: rings begin at 0, what was posted is forgotten
 *
 * All on the fabric thread.
 */
struct fab_ring_ops {
	int (*next_send)(struct fab_qp *qp, struct fab_send_wr *wr);
	int (*next_recv)(struct fab_rq *rq, struct fab_recv_wr *wr);
	void (*send_done)(struct fab_qp *qp, u32 n);
	u32 (*recvs_posted)(const struct fab_rq *rq);
	void (*reset)(struct fab_qp *qp);
	bool (*complete)(struct fab_cq *cq, struct fab_qp *qp, const struct fab_completion *done);
};

/**
 * struct fab_cq - a completion queue
 * @ibcq: to ib_core
 * @hca: whose
 * @ops: its ring
 * @cqn: its number in the user ABI
 * @entries: how many completions it holds
 * @armed: 0, IB_CQ_SOLICITED or IB_CQ_NEXT_COMP: signal the next one
 * @dead: overrun, or the program broke the ring
 * @ring: of @ops
 */
struct fab_cq {
	struct ib_cq ibcq;
	struct fab_hca *hca;
	const struct fab_ring_ops *ops;
	u32 cqn;
	u32 entries;
	unsigned int armed;
	bool dead;
	void *ring;
};

/* A receive queue, of a QP or shared. */
struct fab_rq {
	const struct fab_ring_ops *ops;
	struct fab_qp *qp;		/* or */
	struct fab_srq *srq;
	u32 max_wr;
	u32 max_sge;
	void *ring;
};

struct fab_srq {
	struct ib_srq ibsrq;
	struct fab_hca *hca;
	struct fab_rq rq;
	u32 srqn;
	u32 limit;
};

/* engine.c. Caller's context, before the HCA is registered; and after it is unregistered. */
void fab_engine_init(struct fab_hca *hca);
void fab_engine_exit(struct fab_hca *hca);

/* counters.c, for the ops table. */
struct rdma_hw_stats *fab_counters_alloc(struct ib_device *ibdev, u32 port);
int fab_counters_get(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);

static inline void fab_count(struct fab_hca *hca, enum fab_counter counter)
{
	WRITE_ONCE(hca->engine.counters[counter], hca->engine.counters[counter] + 1);
}

static inline void fab_count_add(struct fab_hca *hca, enum fab_counter counter, u64 n)
{
	WRITE_ONCE(hca->engine.counters[counter], hca->engine.counters[counter] + n);
}

/* Any context. */
static inline u64 fab_counter(const struct fab_hca *hca, enum fab_counter counter)
{
	return READ_ONCE(hca->engine.counters[counter]);
}

#endif /* FAB_HCA_H */
