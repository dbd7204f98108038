/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes pcapng (draft-ietf-opsawg-pcapng): one section, one interface a port,
 * nanoseconds of fabric time.
 */
#ifndef FABCTL_PCAPNG_H
#define FABCTL_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PCAPNG_ETHERNET		1	/* LINKTYPE_ETHERNET */
#define PCAPNG_ERF		197	/* LINKTYPE_ERF: a record header first */
#define PCAPNG_ERF_HEADER	16	/* bytes of it */

/* All: 0 or -errno. Integers are written in this machine's byte order. */
int pcapng_section(FILE *f, const char *application);
/* Interfaces are numbered from 0 in the order of these calls. */
int pcapng_interface(FILE *f, uint16_t linktype, uint32_t snaplen,
		     const char *name, const char *description);
int pcapng_packet(FILE *f, uint32_t interface, uint64_t ns, bool outbound,
		  const void *data, uint32_t caplen, uint32_t len);
/*
 * An InfiniBand packet, from its LRH on, in an interface of PCAPNG_ERF. There is
 * a link type for such packets alone, 247, but Wireshark does not read it.
 */
int pcapng_infiniband(FILE *f, uint32_t interface, uint64_t ns, bool outbound,
		      const void *data, uint32_t caplen, uint32_t len);
int pcapng_statistics(FILE *f, uint32_t interface, uint64_t ns,
		      uint64_t received, uint64_t dropped, const char *comment);

#endif /* FABCTL_PCAPNG_H */
