// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a switch, shared by the queues of all its ports.
 *
 * Were it divided evenly, a burst to one port would be dropped while the rest
 * of the memory lies idle; were it handed out freely, one congested port would
 * take it all. The usual answer is a dynamic threshold (Choudhury and Hahne
 * 1998): a queue may grow while it is shorter than alpha times the memory that
 * is still free. The more ports are congested, the less is free, the shorter
 * each queue must be. With alpha = 1 a single congested queue stops at half.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include "buffer.h"

/**
 * fab_buffer_threshold() - how long may a queue be now?
 * @buffer: buffer
 *
 * Return: bytes.
 */
u64 fab_buffer_threshold(const struct fab_buffer *buffer)
{
	u32 free = buffer->size > buffer->used ? buffer->size - buffer->used : 0;

	return div_u64((u64)free * buffer->alpha, 1000);
}

/**
 * fab_buffer_take() - take memory for a packet, if its queue may grow
 * @buffer: buffer
 * @queued: bytes in the packet's queue
 * @len: of the packet
 *
 * Return: false if the packet must be dropped.
 */
bool fab_buffer_take(struct fab_buffer *buffer, u32 queued, u32 len)
{
	if (queued >= fab_buffer_threshold(buffer) || (u64)buffer->used + len > buffer->size)
		return false;
	buffer->used += len;
	buffer->peak = max(buffer->peak, buffer->used);
	return true;
}

/**
 * fab_buffer_give() - a packet has left
 * @buffer: buffer
 * @len: of the packet
 */
void fab_buffer_give(struct fab_buffer *buffer, u32 len)
{
	buffer->used -= min(len, buffer->used);
}
