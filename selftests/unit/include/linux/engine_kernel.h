/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For test_engine.c: what the engine of the HCA (kmod/host/) uses of the kernel. Read
 * before each of its files, in place of the kernel's headers, which are empty (Makefile).
 * The numbers and states of verbs are the kernel's own: verbs_enums.h is cut out of
 * its headers.
 */
#ifndef _UNIT_ENGINE_KERNEL_H
#define _UNIT_ENGINE_KERNEL_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/unit_kernel.h>
#include <linux/xarray.h>
#include <rdma/ib_mad.h>

typedef u16 __sum16;

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define GENMASK(high, low)	((2u << (high)) - (1u << (low)))
#define IS_ALIGNED(x, to)	(!((x) & ((to) - 1)))
#define clamp_t(type, x, low, high)	min_t(type, max_t(type, x, low), high)
#define WARN_ON_ONCE(x)		({ bool _wrong = (x); assert(!_wrong); _wrong; })
#define WARN_ON(x)		WARN_ON_ONCE(x)
#define ERR_PTR(err)		((void *)(long)(err))
#define GFP_KERNEL_ACCOUNT	0
#define XA_LIMIT(low, high)	0

static inline u32 roundup_pow_of_two(u32 n)
{
	u32 power = 1;

	while (power < n)
		power *= 2;
	return power;
}

/* One thread: no locks, and atomic is everything. */
struct mutex { };

#define mutex_init(m)		((void)(m))
#define mutex_lock(m)		((void)(m))
#define mutex_unlock(m)		((void)(m))
#define test_bit(n, word)	(*(word) >> (n) & 1)

typedef struct { int n; } atomic_t;

#define atomic_read(a)		((a)->n)
#define atomic_read_acquire(a)	((a)->n)
#define atomic_dec(a)		((a)->n--)
#define atomic_add_unless(a, by, most)	((a)->n != (most) && ((a)->n += (by), true))

/* kmod/clock.h: the lab's own heap and lists (engine_lab.h). */
struct llist_node { struct llist_node *next; };
struct rb_node { struct list_head list; bool queued; };
struct timerqueue_node { struct rb_node node; u64 expires; };

#define RB_EMPTY_NODE(n)	(!(n)->queued)

/* A packet in one piece. */
struct sk_buff {
	u8 *data;
	u32 len;
	u32 room;
};

static inline void *skb_put(struct sk_buff *skb, u32 n)
{
	u8 *end = skb->data + skb->len;

	assert(skb->len + n <= skb->room);
	skb->len += n;
	return end;
}

#define skb_put_zero(skb, n)	memset(skb_put(skb, n), 0, n)
#define pskb_may_pull(skb, n)	((n) <= (skb)->len)
#define skb_is_nonlinear(skb)	false
#define get_page(page)		((void)0)
#define skb_add_rx_frag(skb, ...)	((void)(skb))

#define ETH_ALEN		6
#define ether_addr_copy(to, from)	memcpy(to, from, ETH_ALEN)

struct in6_addr { u8 raw[16]; };
struct iphdr { u8 head[12]; __be32 saddr, daddr; };

#define ipv6_addr_set_v4mapped(from, to)	memcpy((to)->raw + 12, &(from), 4)

/* rdma/ib_verbs.h. */
struct ib_device { u32 local_dma_lkey; };
struct ib_pd { struct ib_device *device; };
struct ib_ucontext { struct ib_device *device; };
struct ib_ah { struct ib_device *device; };
struct ib_mr { u32 lkey, rkey, page_size; u64 iova, length; };
struct ib_mad;
struct ib_port_attr;
struct ib_udata;
struct ib_wc;
struct net_device;
struct rdma_hw_stats;
struct ib_event;

typedef void ib_handler(struct ib_event *event, void *context);

union ib_gid { u8 raw[16]; };
struct ib_grh { __be32 version; __be16 length; u8 next, hops; union ib_gid sgid, dgid; };

union rdma_network_hdr {
	struct ib_grh ibgrh;
	struct { u8 reserved[20]; struct iphdr roce4grh; };
};

enum rdma_network_type { RDMA_NETWORK_IB, RDMA_NETWORK_ROCE_V1, RDMA_NETWORK_IPV4 };
enum rdma_link_layer { IB_LINK_LAYER_UNSPECIFIED };

struct ib_global_route { const void *sgid_attr; union ib_gid dgid; u8 sgid_index; };
struct rdma_ah_attr { struct ib_global_route grh; u8 sl, port_num, ah_flags; };

#define IB_AH_GRH		1
#define IB_MULTICAST_QPN	0xffffff
#define IB_DEFAULT_PKEY_FULL	0xffff
#define rdma_ah_get_ah_flags(a)	((a)->ah_flags)
#define rdma_ah_get_dlid(a)	0
#define rdma_ah_get_sl(a)	((a)->sl)
#define rdma_ah_get_port_num(a)	((a)->port_num)
#define rdma_ah_read_grh(a)	(&(a)->grh)

static inline void ibdev_notice_ratelimited(const struct ib_device *dev, const char *format, ...)
{
}

#include "verbs_enums.h"

struct ib_cq { struct ib_device *device; ib_handler *event_handler; void *cq_context; };

struct ib_srq {
	struct ib_device *device;
	struct ib_pd *pd;
	ib_handler *event_handler;
	void *srq_context;
};

struct ib_qp {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *send_cq, *recv_cq;
	struct ib_srq *srq;
	ib_handler *event_handler;
	void *qp_context;
	u32 qp_num;
};

struct ib_qp_init_attr {
	ib_handler *event_handler;
	void *qp_context;
	struct ib_cq *send_cq, *recv_cq;
	struct ib_srq *srq;
	struct ib_qp_cap cap;
	enum ib_sig_type sq_sig_type;
	enum ib_qp_type qp_type;
	u32 create_flags;
	u8 port_num;
};

struct ib_event {
	struct ib_device *device;
	union { struct ib_cq *cq; struct ib_qp *qp; struct ib_srq *srq; } element;
	enum ib_event_type event;
};

/* Tests only make moves that are allowed. */
#define ib_modify_qp_is_ok(from, to, type, mask)	((void)(type), true)
#define ib_mtu_enum_to_int(mtu)		(128 << (mtu))

/* kmod/compat.h and kmod/host/verbs.h. */
#define FAB_COMPAT_H
#define FAB_VERBS_H
#define to_fab_hca(dev)	container_of(dev, struct fab_hca, ibdev)
#define to_fab_cq(cq)	container_of(cq, struct fab_cq, ibcq)
#define to_fab_srq(srq)	container_of(srq, struct fab_srq, ibsrq)

#endif
