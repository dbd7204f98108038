/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: the kernel's numbers. The C library's errno.h reads this file too. */
#include <asm/errno.h>
