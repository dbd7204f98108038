/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: the formats of subnet management (InfiniBand vol 1, 14.2). */
#ifndef _UNIT_RDMA_IB_SMI_H
#define _UNIT_RDMA_IB_SMI_H

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

#define IB_SMP_MAX_PATH_HOPS	64
#define IB_SMP_DIRECTION	cpu_to_be16(0x8000)
#define IB_SMP_DATA_SIZE	64

#define IB_SMP_ATTR_NOTICE			0x0200	/* big endian */
#define IB_SMP_ATTR_NODE_DESC			0x1000
#define IB_SMP_ATTR_NODE_INFO			0x1100
#define IB_SMP_ATTR_SWITCH_INFO			0x1200
#define IB_SMP_ATTR_PORT_INFO			0x1500
#define IB_SMP_ATTR_LINEAR_FORWARD_TABLE	0x1900
#define IB_SMP_ATTR_MCAST_FORWARD_TABLE		0x1b00
#define IB_SMP_ATTR_SM_INFO			0x2000

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

struct ib_smp {
	u8 base_version;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	__be16 status;
	u8 hop_ptr;
	u8 hop_cnt;
	__be64 tid;
	__be16 attr_id;
	__be16 resv;
	__be32 attr_mod;
	__be64 mkey;
	__be16 dr_slid;
	__be16 dr_dlid;
	u8 reserved[28];
	u8 data[64];
	u8 initial_path[IB_SMP_MAX_PATH_HOPS];
	u8 return_path[IB_SMP_MAX_PATH_HOPS];
} __attribute__((packed));

struct ib_port_info {
	__be64 mkey;
	__be64 gid_prefix;
	__be16 lid;
	__be16 sm_lid;
	__be32 cap_mask;
	__be16 diag_code;
	__be16 mkey_lease_period;
	u8 local_port_num;
	u8 link_width_enabled;
	u8 link_width_supported;
	u8 link_width_active;
	u8 linkspeed_portstate;
	u8 portphysstate_linkdown;
	u8 mkeyprot_resv_lmc;
	u8 linkspeedactive_enabled;
	u8 neighbormtu_mastersmsl;
	u8 vlcap_inittype;
	u8 vl_high_limit;
	u8 vl_arb_high_cap;
	u8 vl_arb_low_cap;
	u8 inittypereply_mtucap;
	u8 vlstallcnt_hoqlife;
	u8 operationalvl_pei_peo_fpi_fpo;
	__be16 mkey_violations;
	__be16 pkey_violations;
	__be16 qkey_violations;
	u8 guid_cap;
	u8 clientrereg_resv_subnetto;
	u8 resv_resptimevalue;
	u8 localphyerrors_overrunerrors;
	__be16 max_credit_hint;
	u8 resv;
	u8 link_roundtrip_latency[3];
};

struct ib_node_info {
	u8 base_version;
	u8 class_version;
	u8 node_type;
	u8 num_ports;
	__be64 sys_guid;
	__be64 node_guid;
	__be64 port_guid;
	__be16 partition_cap;
	__be16 device_id;
	__be32 revision;
	u8 local_port_num;
	u8 vendor_id[3];
} __attribute__((packed));

static inline u8 ib_get_smp_direction(struct ib_smp *smp)
{
	return (smp->status & IB_SMP_DIRECTION) == IB_SMP_DIRECTION;
}

#endif
