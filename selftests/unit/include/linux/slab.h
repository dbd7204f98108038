/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: memory that can be made to run out. */
#ifndef _UNIT_LINUX_SLAB_H
#define _UNIT_LINUX_SLAB_H

#include <stdlib.h>
#include <string.h>

#define GFP_KERNEL	0
#define GFP_NOWAIT	0
#define __GFP_NOWARN	0

/* While set, there is no memory. */
extern int unit_no_memory;

static inline void *kmalloc(size_t size, int flags)
{
	(void)flags;
	return unit_no_memory ? NULL : malloc(size);
}

static inline void kfree(const void *memory)
{
	free((void *)memory);
}

static inline void *kvcalloc(size_t n, size_t size, int flags)
{
	(void)flags;
	return unit_no_memory ? NULL : calloc(n, size);
}

static inline void kvfree(const void *memory)
{
	free((void *)memory);
}

static inline void *kzalloc(size_t size, int flags)
{
	return kvcalloc(1, size, flags);
}

#define kvzalloc(size, flags)	kzalloc(size, flags)

static inline void *krealloc(void *old, size_t size, int flags)
{
	(void)flags;
	return unit_no_memory ? NULL : realloc(old, size);
}

static inline void *kmemdup(const void *old, size_t size, int flags)
{
	void *copy = kmalloc(size, flags);

	return copy ? memcpy(copy, old, size) : NULL;
}

#endif
