/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: a timer that the test has to fire. */
#ifndef _UNIT_LINUX_TIMER_H
#define _UNIT_LINUX_TIMER_H

#include <stdbool.h>

struct timer_list {
	void (*fire)(struct timer_list *timer);
	unsigned long at;
	bool set;
};

#define timer_setup(t, f, flags)	((t)->fire = (f))
#define mod_timer(t, when)		((t)->at = (when), (t)->set = true)
#define del_timer_sync(t)		((t)->set = false)

#endif
