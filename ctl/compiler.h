/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FABCTL_COMPILER_H
#define FABCTL_COMPILER_H

#include <stddef.h>

/* The compiler checks the arguments against format number @fmt. */
#ifndef __printf
#define __printf(fmt, args)	__attribute__((format(printf, fmt, args)))
#endif

#ifndef sizeof_field
#define sizeof_field(type, member)	sizeof(((type *)0)->member)
#endif

#ifndef static_assert
#define static_assert		_Static_assert
#endif

#endif /* FABCTL_COMPILER_H */
