/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: an array that is as large as it can get. */
#ifndef _UNIT_LINUX_XARRAY_H
#define _UNIT_LINUX_XARRAY_H

#include <errno.h>
#include <string.h>
#include <linux/slab.h>

struct xarray {
	void *at[0x10000];
};

#define xa_init(xa)		memset(xa, 0, sizeof(*(xa)))
#define xa_destroy(xa)		((void)(xa))
#define xa_load(xa, i)		((xa)->at[i])
#define xa_err(x)		(x)

static inline int xa_store(struct xarray *xa, unsigned long i, void *entry, int flags)
{
	xa->at[i] = entry;
	return unit_no_memory ? -ENOMEM : 0;
}

#define xa_insert(xa, i, entry, flags)	xa_store(xa, i, entry, flags)
#define xa_erase(xa, i)			xa_store(xa, i, NULL, 0)

/* Numbers from 2 on, each once: all that fabsim asks for. */
#define xa_alloc_cyclic(xa, i, entry, limit, next, flags)	\
	(*(next) += *(next) ? 1 : 2, *(i) = *(next), xa_store(xa, *(i), entry, flags))

#endif
