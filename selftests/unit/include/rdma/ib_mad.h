/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the unit tests: what the kernel's rdma/ib_smi.h, which they are built with (see
 * the Makefile), wants to find here, and constants of MADs (InfiniBand vol 1, 13.4, 14.2).
 */
#ifndef _UNIT_RDMA_IB_MAD_H
#define _UNIT_RDMA_IB_MAD_H

#include <linux/compiler.h>
#include <linux/types.h>

typedef uint16_t __be16;
typedef uint32_t __be32;
typedef u64 __be64;

#define cpu_to_be16(x)		((__be16)__builtin_bswap16(x))
#define be16_to_cpu(x)		((u16)__builtin_bswap16(x))
#define cpu_to_be32(x)		((__be32)__builtin_bswap32(x))
#define be32_to_cpu(x)		((u32)__builtin_bswap32(x))
#define cpu_to_be64(x)		((__be64)__builtin_bswap64(x))
#define be64_to_cpu(x)		((u64)__builtin_bswap64(x))

#define IB_MGMT_BASE_VERSION			1
#define IB_MGMT_CLASS_SUBN_LID_ROUTED		0x01
#define IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE	0x81
#define IB_MGMT_METHOD_GET			0x01
#define IB_MGMT_METHOD_SET			0x02
#define IB_MGMT_METHOD_TRAP			0x05
#define IB_MGMT_METHOD_TRAP_REPRESS		0x07
#define IB_MGMT_METHOD_GET_RESP			0x81
#define IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE	0x001c
#define IB_LID_PERMISSIVE			0xffff

#define IB_PORT_SM			0x00000002
#define IB_PORT_CLIENT_REG_SUP		0x02000000

enum { IB_PORT_NOP, IB_PORT_DOWN, IB_PORT_INIT, IB_PORT_ARMED, IB_PORT_ACTIVE };

#endif
