/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FABCTL_COMPILER_H
#define FABCTL_COMPILER_H

#include <assert.h>
#include <stddef.h>

/* __printf(fmt, args) comes from the Makefile: checkpatch knows only the kernel's. */

#ifndef sizeof_field
#define sizeof_field(type, member)	sizeof((*(type *)0).member)
#endif

#endif /* FABCTL_COMPILER_H */
