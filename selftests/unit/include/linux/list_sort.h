/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: a stable sort, by insertion. */
#ifndef _UNIT_LINUX_LIST_SORT_H
#define _UNIT_LINUX_LIST_SORT_H

#include <linux/list.h>

typedef int unit_compare(void *arg, const struct list_head *, const struct list_head *);

static inline void list_sort(void *arg, struct list_head *head, unit_compare *compare)
{
	struct list_head *at = head->next, *next, *place;

	for (INIT_LIST_HEAD(head); at != head; at = next) {
		next = at->next;
		for (place = head->prev; place != head && compare(arg, place, at) > 0;)
			place = place->prev;
		list_add_tail(at, place->next);
	}
}

#endif
