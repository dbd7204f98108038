/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of a switch, shared by the queues of all its ports: buffer.c has
 * the model. Pure arithmetic, also built by the unit tests.
 */
#ifndef FAB_BUFFER_H
#define FAB_BUFFER_H

#include <linux/types.h>

/**
 * struct fab_buffer - a shared packet buffer
 * @size: bytes
 * @alpha: how much of the free memory one queue may take, thousandths
 * @used: bytes taken
 * @peak: most bytes that were ever taken since the last reset
 */
struct fab_buffer {
	u32 size;
	u32 alpha;
	u32 used;
	u32 peak;
};

u64 fab_buffer_threshold(const struct fab_buffer *buffer);
bool fab_buffer_take(struct fab_buffer *buffer, u32 queued, u32 len);
void fab_buffer_give(struct fab_buffer *buffer, u32 len);

#endif /* FAB_BUFFER_H */
