// SPDX-License-Identifier: GPL-2.0
/*
 * The opcodes of the transport (InfiniBand volume 1, table 38).
 *
 * The upper 3 bits of an opcode say which service it belongs to (RC, UC, UD),
 * the lower 5 what the packet is. A message longer than the path MTU is a FIRST,
 * some MIDDLEs and a LAST; a short one is an ONLY. Which headers follow the BTH
 * is fixed by the opcode, so one table says all.
 */
#include "bth.h"

#define BTH	sizeof(struct fab_bth)
#define RETH	(BTH + sizeof(struct fab_reth))
#define IMMDT	(BTH + sizeof(struct fab_immdt))
#define AETH	(BTH + sizeof(struct fab_aeth))

#define SEND	FAB_OP_SEND
#define WRT	FAB_OP_WRITE
#define RESP	(FAB_OP_READ_RESP | FAB_OP_AETH)
#define FIRST	FAB_OP_FIRST
#define LAST	FAB_OP_LAST
#define ONLY	FAB_OP_ONLY
#define RECV	FAB_OP_RECV
#define IMM	(FAB_OP_IMM | FAB_OP_RECV)

const struct fab_opcode fab_opcodes[32] = {
	[IB_OPCODE_SEND_FIRST]			= { SEND | RECV | FIRST, BTH },
	[IB_OPCODE_SEND_MIDDLE]			= { SEND, BTH },
	[IB_OPCODE_SEND_LAST]			= { SEND | LAST, BTH },
	[IB_OPCODE_SEND_LAST_WITH_IMMEDIATE]	= { SEND | LAST | FAB_OP_IMM, IMMDT },
	[IB_OPCODE_SEND_ONLY]			= { SEND | RECV | ONLY, BTH },
	[IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE]	= { SEND | ONLY | IMM, IMMDT },
	[IB_OPCODE_RDMA_WRITE_FIRST]		= { WRT | FIRST | FAB_OP_RETH, RETH },
	[IB_OPCODE_RDMA_WRITE_MIDDLE]		= { WRT, BTH },
	[IB_OPCODE_RDMA_WRITE_LAST]		= { WRT | LAST, BTH },
	[IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE] = { WRT | LAST | IMM, IMMDT },
	[IB_OPCODE_RDMA_WRITE_ONLY]		= { WRT | ONLY | FAB_OP_RETH, RETH },
	[IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE] = { WRT | ONLY | IMM | FAB_OP_RETH, RETH + 4 },
	[IB_OPCODE_RDMA_READ_REQUEST]		= { FAB_OP_READ | ONLY | FAB_OP_RETH, RETH },
	[IB_OPCODE_RDMA_READ_RESPONSE_FIRST]	= { RESP | FIRST, AETH },
	[IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE]	= { FAB_OP_READ_RESP, BTH },
	[IB_OPCODE_RDMA_READ_RESPONSE_LAST]	= { RESP | LAST, AETH },
	[IB_OPCODE_RDMA_READ_RESPONSE_ONLY]	= { RESP | ONLY, AETH },
	[IB_OPCODE_ACKNOWLEDGE]			= { FAB_OP_ACK | FAB_OP_AETH, AETH },
	[IB_OPCODE_ATOMIC_ACKNOWLEDGE]		= { FAB_OP_ATOMIC_ACK | FAB_OP_AETH, AETH + 8 },
	[IB_OPCODE_COMPARE_SWAP]		= { FAB_OP_ATOMIC | ONLY, FAB_MAX_HEADER },
	[IB_OPCODE_FETCH_ADD]			= { FAB_OP_ATOMIC | ONLY, FAB_MAX_HEADER },
	[IB_OPCODE_SEND_LAST_WITH_INVALIDATE]	= { SEND | LAST | FAB_OP_INV, IMMDT },
	[IB_OPCODE_SEND_ONLY_WITH_INVALIDATE]	= { SEND | RECV | ONLY | FAB_OP_INV, IMMDT },
};
