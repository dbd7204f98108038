/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers as people write them.
 *
 * Readers take the whole string, check the range and return 0, -EINVAL (not
 * such a number) or -ERANGE. Writers return a string of a small ring of static
 * buffers: good for the arguments of one printf.
 */
#ifndef FABCTL_UNITS_H
#define FABCTL_UNITS_H

#include <stdint.h>

int units_get_rate(const char *s, uint64_t *bps);	/* 100G 100Gb/s 25M max */
int units_get_time(const char *s, uint64_t *ns);	/* 50 50ns 1.5us 2ms 3s */
int units_get_size(const char *s, uint64_t *bytes);	/* 4096 64K 2M 1.5MiB; K=1024 */
int units_get_fraction(const char *s, uint64_t one, uint64_t *v); /* 0.01 1% 1e-12 */
int units_get_thousandths(const char *s, uint64_t *v);	/* 1.5 -> 1500 */
int units_get_u64(const char *s, uint64_t *v);		/* 0x too */
int units_get_mac(const char *s, unsigned char mac[6]);

const char *units_rate(uint64_t bps);			/* "100 Gb/s", "max" */
const char *units_time(uint64_t ns);			/* "50 ns", "1.2 ms" */
const char *units_size(uint64_t bytes);			/* "2 MiB" */
const char *units_count(uint64_t n);			/* "1,234,567" */
const char *units_fraction(uint64_t v, uint64_t one);	/* "1 %", "1e-12" */
const char *units_mac(const unsigned char mac[6]);

#endif /* FABCTL_UNITS_H */
