/* SPDX-License-Identifier: GPL-2.0 */
/* Events to the outside (notify.c): the multicast group "events". */
#ifndef FAB_NOTIFY_H
#define FAB_NOTIFY_H

#include <linux/types.h>

/**
 * struct fab_notice - one event
 * @type: enum fabsim_event
 * @name: the object, or NULL
 * @peer: the other object, or NULL
 * @mac: an address, or NULL
 * @reason: enum fabsim_drop, or 0
 * @len: bytes, or 0
 * @packet: number of the packet, or 0
 */
struct fab_notice {
	u32 type;
	const char *name;
	const char *peer;
	const u8 *mac;
	u32 reason;
	u32 len;
	u64 packet;
};

/* Any context, also one that may not sleep; lost where there is no memory or no listener. */
void fab_notify(const struct fab_notice *notice);

/* netlink.c: the family is there; it is about to go, BYE is the last event. */
void fab_notify_open(void);
void fab_notify_close(void);

#endif /* FAB_NOTIFY_H */
