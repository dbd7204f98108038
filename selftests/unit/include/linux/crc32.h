/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: the kernel's crc32_le(), bit by bit. */
#ifndef _UNIT_LINUX_CRC32_H
#define _UNIT_LINUX_CRC32_H

#include <linux/types.h>

static inline u32 crc32_le(u32 crc, const u8 *data, size_t len)
{
	unsigned int bit;

	while (len--) {
		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

#endif
