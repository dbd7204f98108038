/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wire formats of the transport: the base transport header and what may follow it
 * (InfiniBand volume 1, 9.2 to 9.4). bth.c has the table of opcodes.
 */
#ifndef FAB_BTH_H
#define FAB_BTH_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>
#include <rdma/ib_pack.h>

/**
 * struct fab_bth - base transport header
 * @opcode: IB_OPCODE_*
 * @flags: solicited event, migration state, pad count, header version
 * @pkey: partition
 * @qpn: 8 bits FECN, BECN, reserved; 24 bits destination QP
 * @psn: acknowledge request, 7 bits reserved; 24 bits PSN
 */
struct fab_bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 qpn;
	__be32 psn;
} __packed;
static_assert(sizeof(struct fab_bth) == 12);

#define FAB_BTH_SOLICITED	0x80
#define FAB_BTH_MIGRATED	0x40
#define FAB_BTH_PAD_SHIFT	4
#define FAB_BTH_PAD		0x30
#define FAB_BTH_VERSION		0x0f
#define FAB_BTH_ACK_REQ		0x80000000u
#define FAB_BTH_24		0x00ffffffu

/* RDMA extended: WRITE and READ requests. */
struct fab_reth {
	__be64 va;
	__be32 rkey;
	__be32 length;
} __packed;
static_assert(sizeof(struct fab_reth) == 16);

/* Atomic extended. */
struct fab_atomic_eth {
	__be64 va;
	__be32 rkey;
	__be64 swap_add;
	__be64 compare;
} __packed;
static_assert(sizeof(struct fab_atomic_eth) == 28);

/* ACK extended: syndrome (8 bits), message sequence number (24 bits). */
struct fab_aeth {
	__be32 syndrome_msn;
} __packed;
static_assert(sizeof(struct fab_aeth) == 4);

/* Atomic ACK extended: what was there before. */
struct fab_atomic_ack_eth {
	__be64 original;
} __packed;
static_assert(sizeof(struct fab_atomic_ack_eth) == 8);

/* Datagram extended. */
struct fab_deth {
	__be32 qkey;
	__be32 sqpn;
} __packed;
static_assert(sizeof(struct fab_deth) == 8);

/* Immediate data, or the R_Key to invalidate. */
struct fab_immdt {
	__be32 data;
} __packed;
static_assert(sizeof(struct fab_immdt) == 4);

/* The longest headers that any packet has: BTH and the atomic extended header. */
#define FAB_MAX_HEADER	(sizeof(struct fab_bth) + sizeof(struct fab_atomic_eth))

/* AETH syndromes (9.7.5.2). */
enum {
	FAB_SYN_KIND		= 0xe0,
	FAB_SYN_ACK		= 0x00,
	FAB_SYN_RNR		= 0x20,
	FAB_SYN_NAK		= 0x60,
	FAB_SYN_CODE		= 0x1f,
	FAB_SYN_NO_CREDIT	= 0x1f,	/* of an ACK: no end-to-end flow control */
	FAB_NAK_SEQUENCE	= FAB_SYN_NAK | 0,
	FAB_NAK_INVALID		= FAB_SYN_NAK | 1,
	FAB_NAK_ACCESS		= FAB_SYN_NAK | 2,
	FAB_NAK_OPERATION	= FAB_SYN_NAK | 3,
};

/* What a packet is (struct fab_opcode). */
enum {
	FAB_OP_SEND	= BIT(0),
	FAB_OP_WRITE	= BIT(1),
	FAB_OP_READ	= BIT(2),
	FAB_OP_ATOMIC	= BIT(3),
	FAB_OP_READ_RESP = BIT(4),
	FAB_OP_ACK	= BIT(5),
	FAB_OP_ATOMIC_ACK = BIT(6),
	FAB_OP_FIRST	= BIT(7),	/* begins a message */
	FAB_OP_LAST	= BIT(8),	/* ends one; ONLY is both */
	FAB_OP_IMM	= BIT(9),
	FAB_OP_INV	= BIT(10),
	FAB_OP_RECV	= BIT(11),	/* consumes a receive work request */
	FAB_OP_RETH	= BIT(12),
	FAB_OP_AETH	= BIT(13),

	FAB_OP_REQUEST	= FAB_OP_SEND | FAB_OP_WRITE | FAB_OP_READ | FAB_OP_ATOMIC,
	FAB_OP_ONLY	= FAB_OP_FIRST | FAB_OP_LAST,
};

/**
 * struct fab_opcode - one opcode
 * @mask: FAB_OP_*; 0 = no such opcode
 * @length: of the BTH and the headers behind it
 */
struct fab_opcode {
	u16 mask;
	u8 length;
};

/* By the low 5 bits of the opcode: RC and UC; UD has two of these, with a DETH in front. */
extern const struct fab_opcode fab_opcodes[32];

static inline u32 fab_bth_psn(const struct fab_bth *bth)
{
	return be32_to_cpu(bth->psn) & FAB_BTH_24;
}

static inline u32 fab_bth_qpn(const struct fab_bth *bth)
{
	return be32_to_cpu(bth->qpn) & FAB_BTH_24;
}

static inline bool fab_bth_ack_req(const struct fab_bth *bth)
{
	return be32_to_cpu(bth->psn) & FAB_BTH_ACK_REQ;
}

static inline u8 fab_bth_pad(const struct fab_bth *bth)
{
	return (bth->flags & FAB_BTH_PAD) >> FAB_BTH_PAD_SHIFT;
}

/* P_Keys match: the same partition, and not two limited members (10.9.3). */
static inline bool fab_pkeys_match(u16 a, u16 b)
{
	return ((a ^ b) & 0x7fff) == 0 && (a & 0x7fff) && ((a | b) & 0x8000);
}

#endif /* FAB_BTH_H */
