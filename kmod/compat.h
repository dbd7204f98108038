/* SPDX-License-Identifier: GPL-2.0 */
/* The one place for what differs between the kernels that fabsim supports, 6.1 and newer. */
#ifndef FAB_COMPAT_H
#define FAB_COMPAT_H

#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/version.h>
#include <net/genetlink.h>

/* Kbuild: this kernel has InfiniBand, so host/, ib/ and eth/roce*.c are there; else nordma.c. */
#ifdef FAB_RDMA
#define FAB_HAS_RDMA	true
#else
#define FAB_HAS_RDMA	false
#endif

/* skb_gso_segment() moved out of linux/netdevice.h in 6.6. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#include <net/gso.h>
#endif

/* The accessors of unaligned words moved in 6.12. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
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

/* The flags of a mapping got an accessor in 6.3. */
static inline void fab_vma_set_flags(struct vm_area_struct *vma, vm_flags_t flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

/* What create_cq is given of the caller's request; NULL for the kernel. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define fab_cq_udata	struct uverbs_attr_bundle
#define fab_cq_driver_udata(data)					\
({									\
	fab_cq_udata *_data = (data);					\
									\
	_data ? &_data->driver_udata : NULL;				\
})
#else
#define fab_cq_udata	struct ib_udata
#define fab_cq_driver_udata(data)	(data)
#endif

/* Are there frames of this poll that GRO has not passed on yet? */
static inline bool fab_gro_holds(const struct napi_struct *napi)
{
	return napi->gro_bitmask || napi->rx_count;
}

#endif /* FAB_COMPAT_H */
