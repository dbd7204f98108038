// SPDX-License-Identifier: GPL-2.0
/*
 * The two check sums of an RDMA packet.
 *
 * The invariant CRC (InfiniBand specification vol. 1, 7.8.1) goes from end to
 * end: it is Ethernet's CRC-32 over everything that no switch or router may
 * change. What they may change is taken as ones:
 *
 *	LRH	VL; all of it where a GRH follows
 *	GRH	traffic class, flow label, hop limit
 *	IPv4	type of service, time to live, header check sum
 *	IPv6	traffic class, flow label, hop limit
 *	UDP	check sum
 *	BTH	the byte in front of the destination QP, which has FECN and BECN
 *
 * RoCEv2 has no LRH, but eight bytes of ones stand for it (annex A17, 17.3.3), as
 * if there were a GRH. So a packet has the same protection on both networks, and
 * the computation begins the same way.
 *
 * The variant CRC (7.8.2), on InfiniBand only, goes from link to link like
 * Ethernet's FCS: a CRC-16, polynomial 0x100B, over all bytes from the LRH to the
 * ICRC as they are.
 *
 * Both are sent with the coefficient of the highest power first, least
 * significant bit of a byte first: a reflected CRC stored as little endian.
 */
#include <linux/crc32.h>
#include <linux/string.h>
#include <linux/types.h>
#include "icrc.h"

#define LRH_LEN		8
#define GRH_LEN		40
#define IPV4_LEN	20
#define UDP_LEN		8
#define BTH_LEN		12
/* The longest part of a packet in which something is taken as ones, LRH included. */
#define MASKED_MAX	(LRH_LEN + GRH_LEN + UDP_LEN + BTH_LEN)

/* LRH: what follows it (7.7.5). */
#define LNH_MASK	3
#define LNH_LOCAL	2
#define LNH_GLOBAL	3

/* x^16 + x^12 + x^3 + x + 1, with the bits in the order in which they are sent */
#define VCRC_POLY	0xd008

static void mask_bth(u8 *bth)
{
	bth[4] = 0xff;
}

/* A GRH, and an IPv6 header, whose format it has: version, class, label ... hop limit */
static void mask_grh(u8 *grh)
{
	grh[0] |= 0x0f;
	memset(grh + 1, 0xff, 3);
	grh[7] = 0xff;
}

static void mask_ipv4(u8 *ip)
{
	ip[1] = 0xff;			/* type of service */
	ip[8] = 0xff;			/* time to live */
	memset(ip + 10, 0xff, 2);	/* header check sum */
}

static void mask_udp(u8 *udp)
{
	memset(udp + 6, 0xff, 2);	/* check sum */
}

/* @masked: LRH to BTH; @packet: the rest is read from here, @skip bytes on. */
static void compute(const u8 *masked, u32 masked_len, const u8 *packet, u32 len, u32 skip,
		    u8 icrc[FAB_ICRC_LEN])
{
	u32 crc = ~crc32_le(crc32_le(~0U, masked, masked_len), packet + skip, len - skip);
	unsigned int i;

	for (i = 0; i < FAB_ICRC_LEN; i++)
		icrc[i] = crc >> (8 * i);
}

/**
 * fab_icrc_ib() - ICRC of an InfiniBand packet
 * @packet: from the LRH on
 * @len: to the end of payload and pad, bytes
 * @icrc: the ICRC, as it is sent
 *
 * Return: false if it is a raw packet, which has none, or too short to be any.
 */
bool fab_icrc_ib(const u8 *packet, u32 len, u8 icrc[FAB_ICRC_LEN])
{
	u32 headers = LRH_LEN + BTH_LEN;
	u8 masked[MASKED_MAX];
	u8 lnh;

	if (len < headers)
		return false;
	lnh = packet[1] & LNH_MASK;
	if (lnh == LNH_GLOBAL)
		headers += GRH_LEN;
	else if (lnh != LNH_LOCAL)
		return false;
	if (len < headers)
		return false;
	memcpy(masked, packet, headers);
	if (lnh == LNH_GLOBAL) {
		memset(masked, 0xff, LRH_LEN);
		mask_grh(masked + LRH_LEN);
	} else {
		masked[0] |= 0xf0;	/* VL */
	}
	mask_bth(masked + headers - BTH_LEN);
	compute(masked, headers, packet, len, headers, icrc);
	return true;
}

/**
 * fab_icrc_roce() - ICRC of a RoCEv2 packet
 * @packet: from the IP header on
 * @len: to the end of payload and pad, bytes
 * @icrc: the ICRC, as it is sent
 *
 * Return: false if it is neither IPv4 without options nor IPv6 with UDP, or too short.
 */
bool fab_icrc_roce(const u8 *packet, u32 len, u8 icrc[FAB_ICRC_LEN])
{
	u8 masked[MASKED_MAX];
	u8 *ip = masked + LRH_LEN;
	u32 ip_len, headers;

	if (!len)
		return false;
	if (packet[0] == 0x45)
		ip_len = IPV4_LEN;
	else if (packet[0] >> 4 == 6)
		ip_len = GRH_LEN;
	else
		return false;
	headers = ip_len + UDP_LEN + BTH_LEN;
	if (len < headers)
		return false;
	memset(masked, 0xff, LRH_LEN);
	memcpy(ip, packet, headers);
	if (ip_len == IPV4_LEN)
		mask_ipv4(ip);
	else
		mask_grh(ip);
	mask_udp(ip + ip_len);
	mask_bth(ip + ip_len + UDP_LEN);
	compute(masked, LRH_LEN + headers, packet, len, headers, icrc);
	return true;
}

static u16 update_vcrc(u16 crc, const u8 *data, u32 len)
{
	unsigned int bit;

	while (len--) {
		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? VCRC_POLY : 0);
	}
	return crc;
}

/**
 * fab_vcrc() - VCRC of an InfiniBand packet
 * @packet: from the LRH on
 * @len: to the end of payload and pad, bytes
 * @icrc: what is sent behind these; NULL for a raw packet, which has no ICRC
 * @vcrc: the VCRC, as it is sent
 */
void fab_vcrc(const u8 *packet, u32 len, const u8 icrc[FAB_ICRC_LEN], u8 vcrc[FAB_VCRC_LEN])
{
	u16 crc = update_vcrc(0xffff, packet, len);

	if (icrc)
		crc = update_vcrc(crc, icrc, FAB_ICRC_LEN);
	crc = ~crc;
	vcrc[0] = crc;
	vcrc[1] = crc >> 8;
}

/* Where the IP header of a frame begins, or 0. */
static u32 ip_offset(const u8 *frame, u32 len)
{
	u32 at = 12;

	if (len >= at + 6 && frame[at] == 0x81 && frame[at + 1] == 0x00)
		at += 4;		/* 802.1Q tag */
	if (len < at + 2)
		return 0;
	if ((frame[at] == 0x08 && frame[at + 1] == 0x00) ||
	    (frame[at] == 0x86 && frame[at + 1] == 0xdd))
		return at + 2;
	return 0;
}

/**
 * fab_icrc_tail() - what a packet has behind its payload on the wire
 * @packet: from its first header on: Ethernet, or LRH
 * @len: to the end of payload and pad, bytes
 * @ethernet: which of the two
 * @tail: ICRC; on InfiniBand also VCRC; as they are sent
 *
 * Return: the length of @tail; 0 if this is no RDMA packet.
 */
u32 fab_icrc_tail(const u8 *packet, u32 len, bool ethernet, u8 tail[FAB_TAIL_MAX])
{
	u32 at;

	if (ethernet) {
		at = ip_offset(packet, len);
		return at && fab_icrc_roce(packet + at, len - at, tail) ? FAB_ICRC_LEN : 0;
	}
	if (fab_icrc_ib(packet, len, tail)) {
		fab_vcrc(packet, len, tail, tail + FAB_ICRC_LEN);
		return FAB_TAIL_MAX;
	}
	if (len < LRH_LEN)
		return 0;
	fab_vcrc(packet, len, NULL, tail);
	return FAB_VCRC_LEN;
}
