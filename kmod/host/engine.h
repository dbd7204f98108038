/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the engine offer to each other: engine.c has the model.
 * Everything here is for the fabric thread.
 */
#ifndef FAB_ENGINE_H
#define FAB_ENGINE_H

#include "bth.h"
#include "mem.h"
#include "qp.h"

/**
 * struct fab_incoming - a packet that came in, taken apart
 * @packet: packet; its skb begins with the BTH
 * @arrival: what the network said of it; NULL for one that was held back
 * @bth: the BTH, and the other headers behind it, in one piece
 * @op: its row of the table of opcodes
 * @psn: PSN
 * @offset: of the payload in the skb
 * @length: of the payload, without pad
 */
struct fab_incoming {
	struct fab_packet *packet;
	const struct fab_arrival *arrival;
	const struct fab_bth *bth;
	const struct fab_opcode *op;
	u32 psn;
	u32 offset;
	u32 length;
};

/* What a turn of a QP came to. */
enum fab_turn {
	FAB_TURN_IDLE,		/* there is nothing to do */
	FAB_TURN_WORKED,	/* and there may be more */
	FAB_TURN_NO_MEMORY,	/* try again later */
};

/* engine.c */
bool fab_incoming_parse(struct fab_packet *packet, struct fab_incoming *in);
struct fab_packet *fab_engine_packet(struct fab_qp *qp, u32 header, u32 payload);
void fab_engine_send(struct fab_qp *qp, const struct fab_path *path, struct fab_packet *packet,
		     const struct fab_bth *bth);
bool fab_engine_accepts(struct fab_qp *qp, const struct fab_incoming *in);
void fab_qp_look_up_pkey(struct fab_qp *qp);
void fab_qp_flush_init(struct fab_qp *qp);

static inline bool fab_qp_is_datagram(const struct fab_qp *qp)
{
	return qp->type != IB_QPT_RC && qp->type != IB_QPT_UC;
}

static inline bool fab_qp_is_management(const struct fab_qp *qp)
{
	return qp->type == IB_QPT_SMI || qp->type == IB_QPT_GSI;
}

static inline struct fab_bth fab_bth_make(u8 opcode, u16 pkey, u32 qpn, u32 psn, bool ack_req,
					  bool solicited)
{
	return (struct fab_bth) {
		.opcode	= opcode,
		.flags	= FAB_BTH_MIGRATED | (solicited ? FAB_BTH_SOLICITED : 0),
		.pkey	= cpu_to_be16(pkey),
		.qpn	= cpu_to_be32(qpn),
		.psn	= cpu_to_be32(psn | (ack_req ? FAB_BTH_ACK_REQ : 0)),
	};
}

/* A header behind the BTH of an incoming packet. */
static inline const void *fab_incoming_header(const struct fab_incoming *in, u32 offset)
{
	return (const u8 *)in->bth + offset;
}

/* sqe.c */

/* Completions of a QP that is flushed, in one turn. */
#define FAB_FLUSH_BATCH	16

int fab_sqe_init(struct fab_qp *qp);
void fab_sqe_exit(struct fab_qp *qp);
struct fab_sqe *fab_sqe_take(struct fab_qp *qp);
void fab_sqe_complete(struct fab_qp *qp, const struct fab_send_wr *wr, enum ib_wc_status status);
void fab_sqe_retire(struct fab_qp *qp);
enum fab_turn fab_qp_flush(struct fab_qp *qp);

static inline struct fab_sqe *fab_sqe_at(const struct fab_qp *qp, u32 i)
{
	return qp->req.sqes + (i & qp->req.mask) * qp->req.stride;
}

/* Answered by data, not only by an acknowledgment. */
static inline bool fab_sqe_is_read(const struct fab_sqe *sqe)
{
	return sqe->wr.opcode == IB_WR_RDMA_READ || sqe->wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       sqe->wr.opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

/* rc_request.c */
enum fab_turn fab_rc_request_turn(struct fab_qp *qp);
void fab_rc_go_back(struct fab_qp *qp, u32 psn);
void fab_rc_resend(struct fab_qp *qp, u32 psn);

/* rc_respond.c: true: the packet was kept */
bool fab_rc_request(struct fab_qp *qp, struct fab_incoming *in);
void fab_rc_respond_purge(struct fab_qp *qp);

/* rc_answer.c */
enum fab_turn fab_rc_answer_turn(struct fab_qp *qp);
void fab_rc_settle(struct fab_qp *qp);

/* rc_complete.c */
void fab_rc_answer(struct fab_qp *qp, struct fab_incoming *in);
void fab_rc_timer(struct fab_event *timer);
void fab_rc_await(struct fab_qp *qp);
void fab_rc_timeout_changed(struct fab_qp *qp);

/* recv.c */
int fab_recv_take(struct fab_qp *qp, struct fab_recv_wr *wr);
void fab_recv_complete(struct fab_qp *qp, struct fab_completion *done);

/* ud.c */
enum fab_turn fab_ud_turn(struct fab_qp *qp);
void fab_ud_receive(struct fab_qp *qp, const struct fab_incoming *in);

/* mcast.c */
void fab_mcast_receive(struct fab_hca *hca, const struct fab_incoming *in);
void fab_mcast_leave_all(struct fab_qp *qp);

#endif /* FAB_ENGINE_H */
