/* SPDX-License-Identifier: GPL-2.0 */
/* For the unit tests: formats of subnet administration (InfiniBand vol 1, 13.4, 13.6, 15.2). */
#ifndef _UNIT_RDMA_IB_SA_H
#define _UNIT_RDMA_IB_SA_H

#include <rdma/ib_smi.h>

#define IB_MGMT_CLASS_SUBN_ADM		3
#define IB_MGMT_METHOD_RESP		0x80
#define IB_MGMT_MAD_STATUS_BAD_VERSION	0x0004
#define IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB	0x000c
#define IB_MGMT_RMPP_VERSION		1
#define IB_MGMT_RMPP_NO_RESPTIME	0x1f
#define IB_MGMT_RMPP_STATUS_SUCCESS	0
#define IB_DEFAULT_PKEY_PARTIAL		0x7fff
#define IB_DEFAULT_PKEY_FULL		0xffff
#define IB_SA_CLASS_VERSION		2
#define IB_SA_CAP_MASK2_SENDONLY_FULL_MEM_SUPPORT	0x1000

enum { IB_MGMT_RMPP_TYPE_DATA = 1, IB_MGMT_RMPP_TYPE_ACK };
enum { IB_MGMT_RMPP_FLAG_ACTIVE = 1, IB_MGMT_RMPP_FLAG_FIRST = 2, IB_MGMT_RMPP_FLAG_LAST = 4 };
enum { IB_MGMT_RMPP_HDR = 36, IB_MGMT_SA_HDR = 56, IB_MGMT_SA_DATA = 200 };
enum { IB_SA_METHOD_GET_TABLE = 0x12, IB_SA_METHOD_DELETE = 0x15 };
enum { IB_SA_GT, IB_SA_LT, IB_SA_EQ, IB_SA_BEST };
enum { IB_MTU_256 = 1, IB_MTU_2048 = 4, IB_MTU_4096 };
enum { IB_WIDTH_4X = 2, IB_WIDTH_8X = 4, IB_WIDTH_12X = 8, IB_WIDTH_2X = 16 };

enum {
	IB_SA_ATTR_CLASS_PORTINFO = 0x01,
	IB_SA_ATTR_NODE_REC = 0x11,
	IB_SA_ATTR_PORT_INFO_REC = 0x12,
	IB_SA_ATTR_SM_INFO_REC = 0x18,
	IB_SA_ATTR_LINK_REC = 0x20,
	IB_SA_ATTR_SERVICE_REC = 0x31,
	IB_SA_ATTR_PATH_REC = 0x35,
	IB_SA_ATTR_MC_MEMBER_REC = 0x38,
};

enum {
	IB_RATE_2_5_GBPS = 2, IB_RATE_10_GBPS, IB_RATE_30_GBPS, IB_RATE_5_GBPS, IB_RATE_20_GBPS,
	IB_RATE_40_GBPS, IB_RATE_60_GBPS, IB_RATE_80_GBPS, IB_RATE_120_GBPS, IB_RATE_14_GBPS,
	IB_RATE_56_GBPS, IB_RATE_112_GBPS, IB_RATE_168_GBPS, IB_RATE_25_GBPS, IB_RATE_100_GBPS,
	IB_RATE_200_GBPS, IB_RATE_300_GBPS, IB_RATE_28_GBPS, IB_RATE_50_GBPS, IB_RATE_400_GBPS,
	IB_RATE_600_GBPS,
};

struct ib_mad_hdr {
	u8 base_version;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	__be16 status;
	__be16 class_specific;
	__be64 tid;
	__be16 attr_id;
	__be16 resv;
	__be32 attr_mod;
};

struct ib_rmpp_hdr {
	u8 rmpp_version;
	u8 rmpp_type;
	u8 rmpp_rtime_flags;
	u8 rmpp_status;
	__be32 seg_num;
	__be32 paylen_newwin;
};

struct ib_mad {
	struct ib_mad_hdr mad_hdr;
	u8 data[232];
};

struct ib_rmpp_mad {
	struct ib_mad_hdr mad_hdr;
	struct ib_rmpp_hdr rmpp_hdr;
	u8 data[220];
};

struct ib_sa_mad {
	struct ib_mad_hdr mad_hdr;
	struct ib_rmpp_hdr rmpp_hdr;
	struct {
		__be64 sm_key;
		__be16 attr_offset;
		__be16 reserved;
		__be64 comp_mask;
	} __attribute__((packed)) sa_hdr;
	u8 data[IB_MGMT_SA_DATA];
} __attribute__((packed));

struct ib_class_port_info {
	u8 base_version;
	u8 class_version;
	__be16 capability_mask;
	__be32 cap_mask2_resp_time;
	u8 other[64];
};

#define ib_set_cpi_capmask2(info, mask)		\
	((info)->cap_mask2_resp_time |= cpu_to_be32((mask) << 5))
#define ib_set_cpi_resp_time(info, time)	\
	((info)->cap_mask2_resp_time |= cpu_to_be32(time))

#endif
