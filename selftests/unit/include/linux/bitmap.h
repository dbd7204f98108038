/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: bitmaps of a byte a bit. */
#ifndef _UNIT_LINUX_BITMAP_H
#define _UNIT_LINUX_BITMAP_H

#include <string.h>
#include <linux/slab.h>
#include <linux/types.h>

#define bitmap_zalloc(n, flags)	kzalloc(n, flags)
#define bitmap_free(map)	free(map)
#define bitmap_zero(map, n)	memset(map, 0, n)
#define bitmap_set(map, at, n)	memset((u8 *)(map) + (at), 1, n)

static inline unsigned long find_next_bit(const unsigned long *map, unsigned long end,
					  unsigned long at)
{
	while (at < end && !((const u8 *)map)[at])
		at++;
	return at;
}

static inline unsigned long find_last_bit(const unsigned long *map, unsigned long n)
{
	while (n && !((const u8 *)map)[n - 1])
		n--;
	return n ? n - 1 : n;
}

static inline unsigned long
bitmap_find_next_zero_area(unsigned long *map, unsigned long end, unsigned long at, unsigned int n,
			   unsigned long align)
{
	for (at = (at + align) & ~align; at + n <= end; at += align + 1)
		if (find_next_bit(map, at + n, at) == at + n)
			return at;
	return end;
}

#endif
