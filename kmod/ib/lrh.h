/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wire formats of the link and network layers (vol 1, 7.7, 7.9.4, 8.3), and the few
 * of the transport layer that a MAD packet has (9.2, 9.3.2).
 *
 *	| LRH 8 | GRH 40, if LNH says so | BTH 12 | DETH 8 | payload, pad | ICRC 4 | VCRC 2 |
 */
#ifndef FAB_LRH_H
#define FAB_LRH_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* LRH: what follows it. */
enum { FAB_LNH_RAW = 0, FAB_LNH_IP = 1, FAB_LNH_LOCAL = 2, FAB_LNH_GLOBAL = 3 };

/* What every packet has behind its payload, and is not in its skb. */
#define FAB_IB_TAIL		6	/* ICRC 4, VCRC 2 */
#define FAB_FLOW_TAIL		2	/* LPCRC */

/**
 * struct fab_lrh - local route header
 * @vl_lver: virtual lane: 4 bits; version of the link layer: 4 bits, 0
 * @sl_lnh: service level: 4 bits; reserved: 2; link next header: 2
 * @dlid: destination LID
 * @len: reserved: 5 bits; packet length in units of 4 bytes: 11 bits, from the
 *	first byte of the LRH to the last before the VCRC
 * @slid: source LID
 */
struct fab_lrh {
	u8 vl_lver;
	u8 sl_lnh;
	__be16 dlid;
	__be16 len;
	__be16 slid;
};

static_assert(sizeof(struct fab_lrh) == 8);
static_assert(sizeof(struct ib_grh) == 40);

#define FAB_LRH_LEN_MASK	0x7ff

static inline u8 fab_lrh_vl(const struct fab_lrh *lrh)
{
	return lrh->vl_lver >> 4;
}

static inline void fab_lrh_set_vl(struct fab_lrh *lrh, u8 vl)
{
	lrh->vl_lver = vl << 4;
}

static inline u8 fab_lrh_sl(const struct fab_lrh *lrh)
{
	return lrh->sl_lnh >> 4;
}

static inline u8 fab_lrh_lnh(const struct fab_lrh *lrh)
{
	return lrh->sl_lnh & 3;
}

/* Length of the headers in front of the BTH; 0 if there is none. */
static inline unsigned int fab_lrh_headers(const struct fab_lrh *lrh)
{
	switch (fab_lrh_lnh(lrh)) {
	case FAB_LNH_LOCAL:
		return sizeof(*lrh);
	case FAB_LNH_GLOBAL:
		return sizeof(*lrh) + sizeof(struct ib_grh);
	default:
		return 0;
	}
}

#define FAB_GRH_VERSION		6
#define FAB_GRH_NEXT_HEADER	0x1b

/**
 * struct fab_flow - flow-control packet (7.9.4), without its LPCRC
 * @op_fctbs: operand: 4 bits (0 = normal, 1 = link initialises); FCTBS: 12 bits
 * @vl_fccl: virtual lane: 4 bits; FCCL: 12 bits
 */
struct fab_flow {
	__be16 op_fctbs;
	__be16 vl_fccl;
};

static_assert(sizeof(struct fab_flow) == 4);

enum { FAB_FLOW_NORMAL = 0, FAB_FLOW_INIT = 1 };

/* A MAD packet's transport headers. */
struct fab_mad_headers {
	u8 opcode;
	u8 flags;			/* solicited, MigReq, pad count: 2 bits, version: 4 bits */
	__be16 pkey;
	__be32 dest_qp;			/* 8 bits reserved */
	__be32 psn;			/* AckReq, 7 bits reserved */
	__be32 qkey;
	__be32 src_qp;			/* 8 bits reserved */
};

static_assert(sizeof(struct fab_mad_headers) == 20);

#define FAB_OPCODE_UD_SEND_ONLY	0x64
#define FAB_QP_MASK		0xffffff

#endif /* FAB_LRH_H */
