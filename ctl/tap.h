/* SPDX-License-Identifier: GPL-2.0 */
/* Packets as they leave and reach two ports, with fabric times. */
#ifndef FABCTL_TAP_H
#define FABCTL_TAP_H

#include <stdbool.h>
#include <stdint.h>

struct tap;

struct tap_packet {
	bool far;		/* seen at the second port */
	bool leaves;		/* leaves the port; else it reaches it */
	uint64_t time;		/* fabric ns: first bit out, last bit in */
	uint32_t len, caplen;	/* on the wire (without FCS), here */
	const uint8_t *data;
};

/* @snaplen: bytes kept of a packet. NULL after a complaint. */
struct tap *tap_open(const char *from, const char *to, uint32_t snaplen);
/* Calls @fn for all packets until now. */
void tap_read(struct tap *t, void (*fn)(const struct tap_packet *p, void *arg),
	      void *arg);
uint64_t tap_lost(const struct tap *t);	/* packets we were too slow for */
void tap_close(struct tap *t);

#endif /* FABCTL_TAP_H */
