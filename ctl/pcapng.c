// SPDX-License-Identifier: GPL-2.0
/*
 * pcapng blocks. Each is built in memory and written with one call, so that a
 * reader of a pipe never sees half of one.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcapng.h"

#define BLOCK_SECTION		0x0a0d0d0a
#define BLOCK_INTERFACE		1
#define BLOCK_STATISTICS	5
#define BLOCK_PACKET		6

#define BYTE_ORDER_MAGIC	0x1a2b3c4d

#define OPT_END			0
#define OPT_COMMENT		1
#define OPT_SHB_USERAPPL	4
#define OPT_IF_NAME		2
#define OPT_IF_DESCRIPTION	3
#define OPT_IF_TSRESOL		9
#define OPT_EPB_FLAGS		2
#define OPT_ISB_IFRECV		4
#define OPT_ISB_IFDROP		5

#define EPB_INBOUND		1
#define EPB_OUTBOUND		2

#define TSRESOL_NS		9	/* 10^-9 s */

#define ERF_INFINIBAND		21
#define ERF_VARYING_LENGTH	4
#define ERF_TRUNCATED		8

struct block {
	unsigned char *buf;
	size_t len, room;
};

static void put(struct block *b, const void *data, size_t len)
{
	size_t padded = (len + 3) & ~(size_t)3;
	unsigned char *to;

	if (b->len + padded > b->room) {
		b->room = (b->len + padded) * 2;
		b->buf = realloc(b->buf, b->room);
		if (!b->buf)
			abort();
	}
	to = b->buf + b->len;
	memcpy(to, data, len);
	memset(to + len, 0, padded - len);
	b->len += padded;
}

static void put_u32(struct block *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void put_u16x2(struct block *b, uint16_t x, uint16_t y)
{
	uint16_t v[2] = { x, y };

	put(b, v, sizeof(v));
}

/* A time is its high half, then its low half. */
static void put_time(struct block *b, uint64_t ns)
{
	put_u32(b, ns >> 32);
	put_u32(b, (uint32_t)ns);
}

static void put_option(struct block *b, uint16_t code, const void *data,
		       size_t len)
{
	put_u16x2(b, code, len);
	put(b, data, len);
}

static void put_string(struct block *b, uint16_t code, const char *s)
{
	if (s)
		put_option(b, code, s, strlen(s));
}

/* The length stands before and behind the body; 0 until it is known. */
static void begin(struct block *b, uint32_t type)
{
	memset(b, 0, sizeof(*b));
	put_u32(b, type);
	put_u32(b, 0);
}

static int end(struct block *b, FILE *f)
{
	uint32_t total;
	int err = 0;

	put_u16x2(b, OPT_END, 0);
	total = b->len + sizeof(total);
	memcpy(b->buf + 4, &total, sizeof(total));
	put_u32(b, total);
	errno = 0;
	if (fwrite(b->buf, 1, b->len, f) != b->len)
		err = errno ? -errno : -EIO;
	free(b->buf);
	return err;
}

int pcapng_section(FILE *f, const char *application)
{
	struct block b;

	begin(&b, BLOCK_SECTION);
	put_u32(&b, BYTE_ORDER_MAGIC);
	put_u16x2(&b, 1, 0);			/* version */
	put_u32(&b, UINT32_MAX);		/* length of the section: */
	put_u32(&b, UINT32_MAX);		/* not known beforehand */
	put_string(&b, OPT_SHB_USERAPPL, application);
	return end(&b, f);
}

int pcapng_interface(FILE *f, uint16_t linktype, uint32_t snaplen,
		     const char *name, const char *description)
{
	const unsigned char tsresol = TSRESOL_NS;
	struct block b;

	begin(&b, BLOCK_INTERFACE);
	put_u16x2(&b, linktype, 0);
	put_u32(&b, snaplen);
	put_string(&b, OPT_IF_NAME, name);
	put_string(&b, OPT_IF_DESCRIPTION, description);
	put_option(&b, OPT_IF_TSRESOL, &tsresol, 1);
	return end(&b, f);
}

/* The fixed part of a packet; its data comes next, then end_packet(). */
static void begin_packet(struct block *b, uint32_t interface, uint64_t ns,
			 uint32_t caplen, uint32_t len)
{
	begin(b, BLOCK_PACKET);
	put_u32(b, interface);
	put_time(b, ns);
	put_u32(b, caplen);
	put_u32(b, len);
}

static int end_packet(struct block *b, FILE *f, bool outbound)
{
	const uint32_t flags = outbound ? EPB_OUTBOUND : EPB_INBOUND;

	put_option(b, OPT_EPB_FLAGS, &flags, sizeof(flags));
	return end(b, f);
}

int pcapng_packet(FILE *f, uint32_t interface, uint64_t ns, bool outbound,
		  const void *data, uint32_t caplen, uint32_t len)
{
	struct block b;

	begin_packet(&b, interface, ns, caplen, len);
	put(&b, data, caplen);
	return end_packet(&b, f, outbound);
}

/* Seconds and 2^-32 s, little endian; then, big endian, the lengths of record and packet. */
static void put_erf_header(struct block *b, uint64_t ns, uint32_t caplen,
			   uint32_t len)
{
	uint64_t time = htole64(ns / 1000000000 << 32 |
				(ns % 1000000000 << 32) / 1000000000);
	uint16_t record = htobe16(PCAPNG_ERF_HEADER + caplen);
	uint16_t wire = htobe16(len);
	unsigned char h[PCAPNG_ERF_HEADER] = {
		[8] = ERF_INFINIBAND,
		[9] = ERF_VARYING_LENGTH | (caplen < len ? ERF_TRUNCATED : 0),
	};

	memcpy(h, &time, sizeof(time));
	memcpy(h + 10, &record, sizeof(record));
	memcpy(h + 14, &wire, sizeof(wire));
	put(b, h, sizeof(h));
}

int pcapng_infiniband(FILE *f, uint32_t interface, uint64_t ns, bool outbound,
		      const void *data, uint32_t caplen, uint32_t len)
{
	struct block b;

	begin_packet(&b, interface, ns, PCAPNG_ERF_HEADER + caplen,
		     PCAPNG_ERF_HEADER + len);
	put_erf_header(&b, ns, caplen, len);
	put(&b, data, caplen);
	return end_packet(&b, f, outbound);
}

int pcapng_statistics(FILE *f, uint32_t interface, uint64_t ns,
		      uint64_t received, uint64_t dropped, const char *comment)
{
	struct block b;

	begin(&b, BLOCK_STATISTICS);
	put_u32(&b, interface);
	put_time(&b, ns);
	put_string(&b, OPT_COMMENT, comment);
	put_option(&b, OPT_ISB_IFRECV, &received, sizeof(received));
	put_option(&b, OPT_ISB_IFDROP, &dropped, sizeof(dropped));
	return end(&b, f);
}
