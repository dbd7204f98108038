/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue pair, and the three parties inside it.
 *
 * The InfiniBand specification (volume 1, chapter 9) describes a reliable
 * connection as three state machines, and so does this code:
 *
 *	requester (rc_request.c)   takes send work requests, cuts them into packets
 *	responder (rc_respond.c)   at the other end: writes memory, answers
 *	completer (rc_complete.c)  back at the requester: takes the answers, completes
 *
 * All three run on the fabric thread and own what is below, but for what is
 * marked otherwise. qp.c makes, changes and ends QPs; engine.c gives them turns.
 */
#ifndef FAB_QP_H
#define FAB_QP_H

#include <linux/mutex.h>
#include "hca.h"

/* Packets that may be on their way without an answer; a power of two. */
#define FAB_WINDOW		512
/* Send work requests that the engine has taken from the ring at once, at most. */
#define FAB_MAX_TAKEN		256
/* A long message asks for an acknowledgment after so many packets, not only at its end. */
#define FAB_ACK_EVERY		64
/* Packets that a responder with selective repeat keeps behind a gap. */
#define FAB_MAX_HELD		256
/* ... and all of an HCA, since each of many QPs may wait behind a gap that is never filled. */
#define FAB_MAX_HELD_ALL	8192

/**
 * struct fab_sqe - a send work request that was taken from the ring and is not yet complete
 * @first: PSN of its first packet
 * @last: PSN of its last packet; of a READ, of the last packet of the answer
 * @packets: how many PSNs; 0 = it makes no packets (REG_MR, LOCAL_INV, errors)
 * @started: its first packet was sent once: it counts in n_rd, say
 * @finished: nothing more will happen to it: complete it when it is the oldest. With an
 *	error, nothing behind it is sent
 * @status: with which
 * @wr: the request. Memory is only there for as many sge as the QP has: never
 *	assign a whole one
 */
struct fab_sqe {
	u32 first;
	u32 last;
	u32 packets;
	bool started;
	bool finished;
	enum ib_wc_status status;
	struct fab_send_wr wr;
};

/**
 * struct fab_requester - the sending side
 * @sqes: ring of &struct fab_sqe
 * @stride: of one of them, bytes
 * @mask: how many, less one
 * @head: the oldest that is not complete
 * @next: the one that is being cut into packets
 * @tail: one after the newest
 * @index: packet of @next to be sent next
 * @psn: PSN that the next new work request begins with
 * @sent: one after the highest PSN that was ever sent
 * @una: oldest PSN without an answer
 * @n_rd: READs and atomics on their way
 * @rnr_wait: the responder was not ready: nothing is sent until the timer fires
 * @went_back: already resending because of a gap; until an answer moves @una
 * @retries: left before the QP gives up on silence and gaps
 * @rnr_retries: left before it gives up on a receiver that is not ready; 7 = for ever
 * @resend: PSNs to be sent once more, alone (selective repeat)
 * @n_resend: of these
 * @deadline: fabric time at which an answer is overdue; 0 = none is awaited
 */
struct fab_requester {
	void *sqes;
	u32 stride;
	u32 mask;
	u32 head;
	u32 next;
	u32 tail;
	u32 index;
	u32 psn;
	u32 sent;
	u32 una;
	u32 n_rd;
	bool rnr_wait;
	bool went_back;
	u8 retries;
	u8 rnr_retries;
	u8 n_resend;
	u32 resend[16];
	u64 deadline;
};

enum fab_answer_kind { FAB_ANSWER_NONE, FAB_ANSWER_READ, FAB_ANSWER_ATOMIC };

/**
 * struct fab_answer - a READ or atomic that the responder answers, or has answered
 * @kind: enum fab_answer_kind
 * @active: packets of it are still to be sent
 * @repeated: not for the first time
 * @first: PSN of the request
 * @last: PSN of the last packet of the answer
 * @next: PSN of the next packet of the answer
 * @va: READ: address that belongs to PSN @next
 * @left: READ: bytes from there
 * @rkey: READ
 * @begin: READ: PSN of the first packet of the answer, as it was asked for last
 * @stop: READ: PSN of the last one of it
 * @value: atomic: what was there before; kept so that a repeated request gets the same
 * @msn: message number it is answered with
 */
struct fab_answer {
	u8 kind;
	bool active;
	bool repeated;
	u32 first;
	u32 last;
	u32 next;
	u32 begin;
	u32 stop;
	u64 va;
	u32 left;
	u32 rkey;
	u64 value;
	u32 msn;
};

/**
 * struct fab_responder - the receiving side
 * @psn: the PSN expected next
 * @msn: messages completed (AETH)
 * @op: what message is in progress (rc_respond.c)
 * @drop_message: UC: a packet was lost, nothing is taken until a message begins
 * @have_recv: @recv is a receive work request that a message is being put into
 * @recv: that
 * @offset: bytes of the message so far
 * @va: WRITE: where the next byte goes
 * @left: WRITE: bytes to come
 * @rkey: WRITE
 * @length: WRITE: of the whole message
 * @answers: ring of the last READs and atomics
 * @answer_tail: one after the newest of @answers
 * @n_active: of @answers, those with packets to send
 * @ack: an acknowledgment is to be sent, after the active answers
 * @nak: instead of it this AETH syndrome, once; 0 = none
 * @nak_psn: PSN of that
 * @nak_sent: the requester was told to resend; until the PSN expected arrives
 * @rnr: the NAK was one of RNR: what comes after it is not even kept
 * @dying: after the answers and @nak the QP goes to the error state
 * @event: affiliated event of that, or -1
 * @held: packets that came early, in order (selective repeat)
 * @n_held: of these
 * @established: the first packet came in (IB_EVENT_COMM_EST)
 */
struct fab_responder {
	u32 psn;
	u32 msn;
	u8 op;
	bool drop_message;
	bool have_recv;
	bool ack;
	bool nak_sent;
	bool rnr;
	bool dying;
	bool established;
	u8 nak;
	u32 nak_psn;
	int event;
	u32 offset;
	u64 va;
	u32 left;
	u32 rkey;
	u32 length;
	u32 answer_tail;
	u32 n_active;
	struct fab_answer answers[FAB_MAX_RD_ATOMIC];
	struct list_head held;
	u32 n_held;
	struct fab_recv_wr recv;
};

/**
 * struct fab_qp - a queue pair
 * @ibqp: to ib_core
 * @hca: whose
 * @type: IB_QPT_RC, _UC, _UD, _SMI, _GSI
 * @state: written on the fabric thread
 * @qpn: its number on the wire
 * @handle: its number in the user ABI (ring.c)
 * @user: its rings are in a program's memory
 * @sq_sig_all: every send is signaled
 * @selective: selective repeat instead of go-back-N; both ends must agree
 * @ops: rings of the send queue
 * @ring: of @ops
 * @rq: receive queue, where there is no SRQ
 * @send_cq: completion queue of sends
 * @recv_cq: and of receives
 * @srq: shared receive queue, or NULL
 * @cap: as granted
 * @lock: one modify at a time; caller's context
 * @attr: as set by modify_qp; written on the fabric thread
 * @path: RC, UC: where the other end is
 * @pkey: P_Key of @attr.pkey_index, as it was at the last look
 * @port_events: hca->engine.port_events at that time
 * @mtu: bytes of a full packet
 * @ready: place in hca->ready
 * @flush: wants to be served at once, without a turn; see fab_qp_flush_soon()
 * @timer: an answer is overdue, or an RNR wait is over
 * @req: requester and completer
 * @resp: responder
 * @drain_event: SQD: tell when nothing is on its way any more
 * @last_wqe_told: the event of a QP with an SRQ was raised
 * @n_mcast: groups it is attached to
 * @tx_packets: sent, repeated ones too
 * @rx_packets: received, whatever became of them
 * @retransmitted: sent once more
 */
struct fab_qp {
	struct ib_qp ibqp;
	struct fab_hca *hca;
	enum ib_qp_type type;
	enum ib_qp_state state;
	u32 qpn;
	u32 handle;
	bool user;
	bool sq_sig_all;
	bool selective;
	bool drain_event;
	bool last_wqe_told;
	const struct fab_ring_ops *ops;
	void *ring;
	struct fab_rq rq;
	struct fab_cq *send_cq;
	struct fab_cq *recv_cq;
	struct fab_srq *srq;
	struct ib_qp_cap cap;
	struct mutex lock;		/* one modify at a time */
	struct ib_qp_attr attr;
	struct fab_path path;
	u16 pkey;
	int port_events;
	u32 mtu;
	struct list_head ready;
	struct fab_inbox flush;
	struct fab_event timer;
	struct fab_requester req;
	struct fab_responder resp;
	u32 n_mcast;
	u64 tx_packets;
	u64 rx_packets;
	u64 retransmitted;
};

static inline struct fab_qp *to_fab_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct fab_qp, ibqp);
}

/* For the ops table (verbs.c). */
int fab_qp_create(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
int fab_qp_modify(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int fab_qp_query(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int fab_qp_destroy(struct ib_qp *ibqp, struct ib_udata *udata);
int fab_mcast_attach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int fab_mcast_detach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/*
 * What qp.c needs of a queue pair's rings: user rings (ring.c), kernel rings (kring.c).
 * Caller's context. *_create sets @qp->ops, @qp->ring and, where there is no SRQ,
 * @qp->rq (ops, ring, max_wr, max_sge), from @qp->cap, which holds what was granted;
 * @qp->qpn is known, so that the user's answer can be copied there.
 */
int fab_ring_qp_create(struct fab_qp *qp, struct ib_udata *udata);
void fab_ring_qp_explain(const struct fab_qp *qp, const struct ib_qp_init_attr *init);
void fab_ring_qp_destroy(struct fab_qp *qp);
int fab_kring_qp_create(struct fab_qp *qp);
void fab_kring_qp_destroy(struct fab_qp *qp);

/*
 * Fabric thread, from the rings: something was posted to @qp's send queue, or (only
 * needed in the error state, to be flushed) to its receive queue. Cheap, and harmless
 * in any state.
 */
void fab_qp_ready(struct fab_qp *qp);

/*
 * Any context: what is posted to @qp waits neither for fabric time nor for room at the
 * port. So it is with flushing in the error state, since nothing leaves the HCA there; and
 * with management datagrams: a program that is killed waits for them in its close().
 */
void fab_qp_flush_soon(struct fab_qp *qp);

/* Fabric thread: @qp goes to the error state; its work requests are flushed in its turns. */
void fab_qp_error(struct fab_qp *qp);
/* Fabric thread: the same, and its user is told: IB_EVENT_QP_FATAL, _QP_REQ_ERR, _QP_ACCESS_ERR. */
void fab_qp_fatal(struct fab_qp *qp, enum ib_event_type event);
/* Fabric thread: raise an affiliated event. */
void fab_qp_event(struct fab_qp *qp, enum ib_event_type event);
/* Fabric thread: put a completion in a CQ of @qp; handles an overrun. */
void fab_qp_complete(struct fab_qp *qp, struct fab_cq *cq, const struct fab_completion *done);

#endif /* FAB_QP_H */
