/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: real time as the test lets it pass. */
#ifndef _UNIT_LINUX_JIFFIES_H
#define _UNIT_LINUX_JIFFIES_H

/* A jiffy is a millisecond. */
extern unsigned long jiffies;

#define msecs_to_jiffies(ms)	(ms)
#define time_before(a, b)	((long)((a) - (b)) < 0)
#define time_after_eq(a, b)	(!time_before(a, b))

#endif
