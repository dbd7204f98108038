/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at the RDMA packets between two ports. What stands in front of the BTH
 * and behind the ICRC is the network's wrapper; the rest is the same on both.
 */
#ifndef FABCTL_WIRE_RDMA_H
#define FABCTL_WIRE_RDMA_H

#include <stdbool.h>
#include <stdint.h>

#include "tap.h"

#define RDMA_SNAPLEN	256

struct rdma_packet {
	bool ib;		/* wrapped for InfiniBand, else for Ethernet */
	uint32_t front;		/* bytes in front of the BTH */
	uint32_t headers;	/* BTH and what follows it, without payload */
	uint32_t payload;	/* pad included */
	uint32_t icrc;		/* bytes: 4 */
	uint32_t back;		/* behind the ICRC: VCRC or FCS */
	uint8_t opcode;
	uint32_t dest_qp;
	uint32_t psn;
	uint32_t dlid;		/* InfiniBand: where the network takes it */
};

/* False if @p is no RDMA packet. */
bool rdma_parse(const struct tap_packet *p, bool ib, struct rdma_packet *r);
/* "RC RDMA WRITE ONLY" */
const char *rdma_opcode_name(uint8_t opcode);

struct rdma_wire;

struct rdma_facts {
	uint32_t data_packets;		/* requests of ours that left the sender */
	uint32_t mads;			/* of the connection's bring-up, at the sender's port */
	uint32_t sm_data_packets;	/* of data_packets: that had the SM's LID on them */
	uint32_t transport_bytes, wrapper_bytes;	/* of the first data packet */
	uint64_t message_ns;		/* fabric: median, first bit out to last bit in */
	uint32_t messages;		/* that this median is of */
	uint64_t lost;
};

struct rdma_wire *rdma_wire_open(const char *from, const char *to, bool ib);
/* @sm_lid: of the master subnet manager, 0: none. */
void rdma_wire_read(struct rdma_wire *w, uint32_t sm_lid, struct rdma_facts *facts);
void rdma_wire_close(struct rdma_wire *w);

#endif /* FABCTL_WIRE_RDMA_H */
