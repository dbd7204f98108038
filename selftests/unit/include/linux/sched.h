/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: what fabsim's pure files use of the kernel's header. */
#ifndef _UNIT_LINUX_SCHED_H
#define _UNIT_LINUX_SCHED_H

static inline void cond_resched(void)
{
}

#endif
