/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: memory that can be made to run out. */
#ifndef _UNIT_LINUX_SLAB_H
#define _UNIT_LINUX_SLAB_H

#include <stdlib.h>

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

#endif
