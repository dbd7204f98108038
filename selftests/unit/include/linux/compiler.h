/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: what fabsim's pure files use of the kernel's header. */
#ifndef _UNIT_LINUX_COMPILER_H
#define _UNIT_LINUX_COMPILER_H

#define READ_ONCE(x)	(x)
#define __packed	__attribute__((packed))

#endif
