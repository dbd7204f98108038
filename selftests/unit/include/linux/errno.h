/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: the C library's numbers are the kernel's. */
#include <errno.h>
