/* SPDX-License-Identifier: GPL-2.0 */
/* The one place for what differs between the kernels that fabsim supports, 6.1 and newer. */
#ifndef FAB_COMPAT_H
#define FAB_COMPAT_H

#include <linux/netdevice.h>
#include <linux/version.h>
#include <net/genetlink.h>

/* skb_gso_segment() moved out of linux/netdevice.h in 6.6. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#include <net/gso.h>
#endif

/* The operation that a family's pre_doit and post_doit are told, and the attributes of a dump. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define fab_genl_op	genl_split_ops
#else
#define fab_genl_op	genl_ops
#endif

static inline struct nlattr **fab_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return genl_dumpit_info(cb)->info.attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* Are there frames of this poll that GRO has not passed on yet? */
static inline bool fab_gro_holds(const struct napi_struct *napi)
{
	return napi->gro_bitmask || napi->rx_count;
}

#endif /* FAB_COMPAT_H */
