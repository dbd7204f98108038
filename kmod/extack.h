/* SPDX-License-Identifier: GPL-2.0 */
/* Refusals that say what is wrong and why, with the figures in them (extack.c). */
#ifndef FAB_EXTACK_H
#define FAB_EXTACK_H

#include <linux/compiler_attributes.h>

struct netlink_ext_ack;

/* "fabsim: " and the text, for the caller of a netlink command; at most 127 characters. */
__printf(2, 3) void fab_err(struct netlink_ext_ack *extack, const char *fmt, ...);

#endif /* FAB_EXTACK_H */
