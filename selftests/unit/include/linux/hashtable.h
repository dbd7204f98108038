/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the unit tests: a hash table with the names of the kernel's. The hash is
 * the low bits of the key, so that a test can make keys collide.
 */
#ifndef _UNIT_LINUX_HASHTABLE_H
#define _UNIT_LINUX_HASHTABLE_H

#include <stddef.h>

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#define DECLARE_HASHTABLE(name, bits)	struct hlist_head name[1 << (bits)]
#define UNIT_SIZE(table)		(sizeof(table) / sizeof((table)[0]))
#define UNIT_BUCKET(table, key)		(&(table)[(key) % UNIT_SIZE(table)])
#define UNIT_ENTRY(node, type, member)	\
	((node) ? (type *)((char *)(node) - offsetof(type, member)) : NULL)

#define hash_init(table) do {						\
	for (size_t _i = 0; _i < UNIT_SIZE(table); _i++)		\
		(table)[_i].first = NULL;				\
} while (0)

static inline void unit_hash_add(struct hlist_head *head, struct hlist_node *node)
{
	node->next = head->first;
	node->pprev = &head->first;
	if (head->first)
		head->first->pprev = &node->next;
	head->first = node;
}

#define hash_add(table, node, key)	unit_hash_add(UNIT_BUCKET(table, key), node)

static inline void hash_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

#define hash_for_each_possible(table, obj, member, key)				\
	for (obj = UNIT_ENTRY(UNIT_BUCKET(table, key)->first, __typeof__(*obj), member); \
	     obj; obj = UNIT_ENTRY(obj->member.next, __typeof__(*obj), member))

#define unit_for_each_safe(head, tmp, obj, member)				\
	for (obj = UNIT_ENTRY((head)->first, __typeof__(*obj), member);		\
	     obj && ({ tmp = obj->member.next; 1; });				\
	     obj = UNIT_ENTRY(tmp, __typeof__(*obj), member))

#define hash_for_each_safe(table, bkt, tmp, obj, member)			\
	for (bkt = 0; bkt < UNIT_SIZE(table); bkt++)				\
		unit_for_each_safe(&(table)[bkt], tmp, obj, member)

#endif
