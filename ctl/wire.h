/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at the packets of one TCP connection while they pass two ports: what is
 * in them, and how long they were on the way in fabric time.
 */
#ifndef FABCTL_WIRE_H
#define FABCTL_WIRE_H

#include <stdbool.h>
#include <stdint.h>

struct wire;

struct wire_facts {
	uint32_t data_packets;		/* that left the sender */
	uint32_t transport_bytes;	/* TCP header of a data packet */
	uint32_t wrapper_bytes;		/* Ethernet, IP, frame check sequence */
	uint64_t message_ns;		/* fabric: median of first byte to last packet in */
	uint32_t messages;		/* that this median is of */
	uint64_t lost;			/* packets we were too slow to see */
};

/* Ports as "h1-eth". NULL after a complaint. */
struct wire *wire_open(const char *from, const char *to);
/* What was seen of messages of @size bytes to TCP port @port. */
void wire_read(struct wire *w, uint16_t port, uint32_t size,
	       struct wire_facts *facts);
void wire_close(struct wire *w);

#endif /* FABCTL_WIRE_H */
