/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: what every kernel file may use without asking for it. */
#ifndef _UNIT_LINUX_UNIT_KERNEL_H
#define _UNIT_LINUX_UNIT_KERNEL_H

#include <assert.h>
#include <string.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#define BIT(n)			(1U << (n))
#define WRITE_ONCE(x, v)	((x) = (v))
#define __aligned(n)		__attribute__((aligned(n)))
#define __force
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define min3(a, b, c)		min(min(a, b), c)
#define swap(a, b)		do { __typeof__(a) _t = (a); (a) = (b); (b) = _t; } while (0)
#define struct_size(p, _member, n)	(sizeof(*(p)) + (n) * sizeof((p)->_member[0]))
#define ALIGN(n, to)		(((n) + (to) - 1) / (to) * (to))
#define DIV_ROUND_UP(n, by)	(((n) + (by) - 1) / (by))

#endif
