/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace events fabsim:*, one for every step of a packet's way.
 *
 *	trace-cmd record -e fabsim ...
 *
 * Every event begins with the fabric time, and nothing in its text depends on
 * this machine (no address, no CPU, no real time). So a run of the generator
 * gives, after ftrace's own prefix, the same text each time, byte for byte.
 *
 * Names are arrays and no __string(), because __assign_str() changed its
 * arguments in 6.10.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM fabsim

#if !defined(FAB_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define FAB_TRACE_H

#include <linux/etherdevice.h>
#include <linux/tracepoint.h>
#include "clock.h"
#include "fabric.h"
#include "packet.h"

#define FAB_TRACE_DROPS						\
	EM(FABSIM_DROP_CONGESTION,	"congestion")		\
	EM(FABSIM_DROP_BIT_ERROR,	"bit-error")		\
	EM(FABSIM_DROP_LOSS,		"loss")			\
	EM(FABSIM_DROP_LINK_DOWN,	"link-down")		\
	EM(FABSIM_DROP_NO_ROUTE,	"no-route")		\
	EM(FABSIM_DROP_MTU,		"mtu")			\
	EM(FABSIM_DROP_NO_BUFFER,	"no-buffer")		\
	EM(FABSIM_DROP_NO_MEMORY,	"no-memory")		\
	EM(FABSIM_DROP_FILTERED,	"filtered")		\
	EM(FABSIM_DROP_RESET,		"reset")		\
	EMe(FABSIM_DROP_PKEY,		"pkey")

#undef EM
#undef EMe
#define EM(value, name)		TRACE_DEFINE_ENUM(value);
#define EMe(value, name)	TRACE_DEFINE_ENUM(value);
FAB_TRACE_DROPS

#undef EM
#undef EMe
#define EM(value, name)		{ value, name },
#define EMe(value, name)	{ value, name }

/* A packet at a port. */
DECLARE_EVENT_CLASS(fabsim_packet,
	TP_PROTO(const struct fab_port *port, const struct fab_packet *packet),
	TP_ARGS(port, packet),

	TP_STRUCT__entry(
		__field(u64, time)
		__field(u64, packet)
		__field(u32, len)
		__field(u16, frames)
		__field(u8, prio)
		__array(char, port, FABSIM_PORT_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->time = fab_now();
		__entry->packet = packet->id;
		__entry->len = packet->len;
		__entry->frames = packet->frames;
		__entry->prio = packet->prio;
		memcpy(__entry->port, port->name, sizeof(__entry->port));
	),

	TP_printk("time=%llu port=%s packet=%llu len=%u frames=%u prio=%u",
		  __entry->time, __entry->port, __entry->packet,
		  __entry->len, __entry->frames, __entry->prio)
);

/* The first bit of a packet leaves a port. */
DEFINE_EVENT(fabsim_packet, fabsim_tx,
	TP_PROTO(const struct fab_port *port, const struct fab_packet *packet),
	TP_ARGS(port, packet)
);

/* The last bit of a packet is in a port. */
DEFINE_EVENT(fabsim_packet, fabsim_rx,
	TP_PROTO(const struct fab_port *port, const struct fab_packet *packet),
	TP_ARGS(port, packet)
);

/* A packet ends at a port without having been delivered. */
TRACE_EVENT(fabsim_drop,
	TP_PROTO(const struct fab_port *port, const struct fab_packet *packet, u32 reason),
	TP_ARGS(port, packet, reason),

	TP_STRUCT__entry(
		__field(u64, time)
		__field(u64, packet)
		__field(u32, len)
		__field(u32, reason)
		__array(char, port, FABSIM_PORT_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->time = fab_now();
		__entry->packet = packet->id;
		__entry->len = packet->len;
		__entry->reason = reason;
		memcpy(__entry->port, port->name, sizeof(__entry->port));
	),

	TP_printk("time=%llu port=%s packet=%llu len=%u reason=%s",
		  __entry->time, __entry->port, __entry->packet, __entry->len,
		  __print_symbolic(__entry->reason, FAB_TRACE_DROPS))
);

/* InfiniBand: the first packet of a lane has to wait for credits. */
TRACE_EVENT(fabsim_credit_stall,
	TP_PROTO(const struct fab_port *port, u8 vl, u16 left),
	TP_ARGS(port, vl, left),

	TP_STRUCT__entry(
		__field(u64, time)
		__field(u16, left)
		__field(u8, vl)
		__array(char, port, FABSIM_PORT_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->time = fab_now();
		__entry->left = left;
		__entry->vl = vl;
		memcpy(__entry->port, port->name, sizeof(__entry->port));
	),

	TP_printk("time=%llu port=%s vl=%u left=%u",
		  __entry->time, __entry->port, __entry->vl, __entry->left)
);

/* A switch learned that an address is behind a port. */
TRACE_EVENT(fabsim_learn,
	TP_PROTO(const struct fab_port *port, const u8 *mac),
	TP_ARGS(port, mac),

	TP_STRUCT__entry(
		__field(u64, time)
		__array(char, port, FABSIM_PORT_NAME_MAX + 1)
		__array(u8, mac, ETH_ALEN)
	),

	TP_fast_assign(
		__entry->time = fab_now();
		memcpy(__entry->port, port->name, sizeof(__entry->port));
		ether_addr_copy(__entry->mac, mac);
	),

	TP_printk("time=%llu port=%s mac=%pM", __entry->time, __entry->port, __entry->mac)
);

/* A switch sent a frame to every port, since it does not know where the address is. */
TRACE_EVENT(fabsim_flood,
	TP_PROTO(const struct fab_node *node, const struct fab_packet *packet),
	TP_ARGS(node, packet),

	TP_STRUCT__entry(
		__field(u64, time)
		__field(u64, packet)
		__field(u32, len)
		__array(char, node, FABSIM_NODE_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->time = fab_now();
		__entry->packet = packet->id;
		__entry->len = packet->len;
		memcpy(__entry->node, node->name, sizeof(__entry->node));
	),

	TP_printk("time=%llu node=%s packet=%llu len=%u",
		  __entry->time, __entry->node, __entry->packet, __entry->len)
);

/* A host's NIC interrupts its CPU. */
TRACE_EVENT(fabsim_irq,
	TP_PROTO(const struct fab_port *port),
	TP_ARGS(port),

	TP_STRUCT__entry(
		__field(u64, time)
		__array(char, port, FABSIM_PORT_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->time = fab_now();
		memcpy(__entry->port, port->name, sizeof(__entry->port));
	),

	TP_printk("time=%llu port=%s", __entry->time, __entry->port)
);

/* The generator gave frame number @seq of a stream to a port. */
TRACE_EVENT(fabsim_gen,
	TP_PROTO(const struct fab_port *port, u32 stream, u32 seq),
	TP_ARGS(port, stream, seq),

	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, stream)
		__field(u32, seq)
		__array(char, port, FABSIM_PORT_NAME_MAX + 1)
	),

	TP_fast_assign(
		__entry->time = fab_now();
		__entry->stream = stream;
		__entry->seq = seq;
		memcpy(__entry->port, port->name, sizeof(__entry->port));
	),

	TP_printk("time=%llu port=%s stream=%u seq=%u",
		  __entry->time, __entry->port, __entry->stream, __entry->seq)
);

#endif /* FAB_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
