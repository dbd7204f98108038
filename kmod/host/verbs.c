// SPDX-License-Identifier: GPL-2.0
/*
 * The table of verbs: what ib_core, and through it every RDMA program, can ask of
 * an HCA. Here are the questions about device and port; the rest is where its
 * object is.
 *
 * "Verbs" is the InfiniBand specification's word for what an HCA can do (volume 1,
 * chapter 11); it is no API, but ib_core's is close to it. There is one table
 * for both networks: what differs between them is behind hca->net.
 */
#include <linux/module.h>
#include <rdma/vmw_pvrdma-abi.h>
#include "qp.h"
#include "ring.h"
#include "verbs.h"

/* "Vendor": an OUI that is nobody's (locally administered), as the MAC addresses of the fabric. */
#define VENDOR_ID	0x02fab5
#define VENDOR_PART_ID	1
#define HW_VERSION	1
#define FW_VERSION	"1.0"

static int query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	if (udata && udata->inlen)
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	attr->fw_ver = 1ULL << 32;
	attr->sys_image_guid = ibdev->node_guid;
	attr->vendor_id = VENDOR_ID;
	attr->vendor_part_id = VENDOR_PART_ID;
	attr->hw_ver = HW_VERSION;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = PAGE_MASK;
	attr->max_qp = FAB_MAX_QP;
	attr->max_qp_wr = FAB_MAX_QP_WR;
	attr->device_cap_flags = IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
				 IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_MEM_MGT_EXTENSIONS;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	attr->max_send_sge = FAB_MAX_SGE;
	attr->max_recv_sge = FAB_MAX_SGE;
	attr->max_sge_rd = FAB_MAX_SGE;
	attr->max_cq = FAB_MAX_CQ;
	attr->max_cqe = FAB_MAX_CQE;
	attr->max_mr = FAB_MAX_MR;
	attr->max_pd = FAB_MAX_PD;
	attr->max_qp_rd_atom = FAB_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = FAB_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = FAB_MAX_RD_ATOMIC * FAB_MAX_QP;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_mcast_grp = FAB_MAX_GROUPS;
	attr->max_mcast_qp_attach = FAB_MAX_MEMBERS;
	attr->max_total_mcast_qp_attach = FAB_MAX_GROUPS * FAB_MAX_MEMBERS;
	/* They are only memory. */
	attr->max_ah = INT_MAX;
	attr->max_srq = FAB_MAX_SRQ;
	attr->max_srq_wr = FAB_MAX_QP_WR;
	attr->max_srq_sge = FAB_MAX_SGE;
	attr->max_fast_reg_page_list_len = FAB_MAX_REG_PAGES;
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = 15;
	return 0;
}

static int modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, modify->node_desc, sizeof(ibdev->node_desc));
	return 0;
}

static void get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	strscpy(str, FW_VERSION, IB_FW_VERSION_NAME_MAX);
}

/* What ibstat and ibv_devinfo show of the hardware; the core has no attributes for it. */

static ssize_t hca_type_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "fabsim\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t hw_rev_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%x\n", HW_VERSION);
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t board_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "fabsim-%u\n", VENDOR_PART_ID);
}
static DEVICE_ATTR_RO(board_id);

static struct attribute *hardware[] = {
	&dev_attr_hca_type.attr,
	&dev_attr_hw_rev.attr,
	&dev_attr_board_id.attr,
	NULL
};

static const struct attribute_group hardware_group = { .attrs = hardware };

static enum rdma_link_layer get_link_layer(struct ib_device *ibdev, u32 port)
{
	return to_fab_hca(ibdev)->net->link_layer;
}

static int query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct fab_hca *hca = to_fab_hca(ibdev);

	return hca->net->query_port(hca, attr);
}

static int modify_port(struct ib_device *ibdev, u32 port, int mask, struct ib_port_modify *modify)
{
	struct fab_hca *hca = to_fab_hca(ibdev);

	if (mask & ~IB_PORT_RESET_QKEY_CNTR)
		return -EOPNOTSUPP;
	return hca->net->modify_port(hca, modify->set_port_cap_mask, modify->clr_port_cap_mask,
				     mask & IB_PORT_RESET_QKEY_CNTR);
}

static int get_port_immutable(struct ib_device *ibdev, u32 port,
			      struct ib_port_immutable *immutable)
{
	struct fab_hca *hca = to_fab_hca(ibdev);
	struct ib_port_attr attr;
	int err;

	immutable->core_cap_flags = hca->net->core_cap_flags;
	err = ib_query_port(ibdev, port, &attr);
	if (err)
		return err;
	immutable->gid_tbl_len = attr.gid_tbl_len;
	immutable->pkey_tbl_len = attr.pkey_tbl_len;
	immutable->max_mad_size = hca->net->max_mad_size;
	return 0;
}

static int query_gid(struct ib_device *ibdev, u32 port, int index, union ib_gid *gid)
{
	struct fab_hca *hca = to_fab_hca(ibdev);

	return hca->net->query_gid(hca, index, gid);
}

static int query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	struct fab_hca *hca = to_fab_hca(ibdev);

	return hca->net->query_pkey(hca, index, pkey);
}

static int process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_size, u16 *out_pkey_index)
{
	struct fab_hca *hca = to_fab_hca(ibdev);

	return hca->net->process_mad(hca, flags, wc, grh, in, out);
}

static const struct ib_device_ops verbs = {
	.owner			= THIS_MODULE,
	.driver_id		= RDMA_DRIVER_VMW_PVRDMA,
	.uverbs_abi_ver		= PVRDMA_UVERBS_ABI_VERSION,
	.device_group		= &hardware_group,

	.query_device		= query_device,
	.modify_device		= modify_device,
	.get_dev_fw_str		= get_dev_fw_str,
	.get_link_layer		= get_link_layer,
	.query_port		= query_port,
	.get_port_immutable	= get_port_immutable,
	.query_pkey		= query_pkey,
	.alloc_hw_port_stats	= fab_counters_alloc,
	.get_hw_stats		= fab_counters_get,

	.alloc_ucontext		= fab_ucontext_alloc,
	.dealloc_ucontext	= fab_ucontext_dealloc,
	.disassociate_ucontext	= fab_ucontext_disassociate,
	.mmap			= fab_ucontext_mmap,
	.alloc_pd		= fab_pd_alloc,
	.dealloc_pd		= fab_pd_dealloc,

	.get_dma_mr		= fab_mr_get_dma,
	.reg_user_mr		= fab_mr_reg_user,
	.alloc_mr		= fab_mr_alloc,
	.map_mr_sg		= fab_mr_map_sg,
	.dereg_mr		= fab_mr_dereg,

	.create_cq		= fab_cq_create,
	.destroy_cq		= fab_cq_destroy,
	.poll_cq		= fab_cq_poll,
	.req_notify_cq		= fab_cq_req_notify,

	.create_srq		= fab_srq_create,
	.modify_srq		= fab_srq_modify,
	.query_srq		= fab_srq_query,
	.destroy_srq		= fab_srq_destroy,
	.post_srq_recv		= fab_post_srq_recv,

	.create_qp		= fab_qp_create,
	.modify_qp		= fab_qp_modify,
	.query_qp		= fab_qp_query,
	.destroy_qp		= fab_qp_destroy,
	.post_send		= fab_post_send,
	.post_recv		= fab_post_recv,
	.attach_mcast		= fab_mcast_attach,
	.detach_mcast		= fab_mcast_detach,

	.create_ah		= fab_ah_create,
	.create_user_ah		= fab_ah_create,
	.query_ah		= fab_ah_query,
	.destroy_ah		= fab_ah_destroy,

	INIT_RDMA_OBJ_SIZE(ib_ah, fab_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, fab_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, fab_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, fab_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, fab_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, fab_ucontext, ibuc),
};

/* What not every network has. ib_core goes by whether the verb is there. */
static const struct ib_device_ops modify_port_verb = { .modify_port = modify_port };
static const struct ib_device_ops query_gid_verb = { .query_gid = query_gid };
static const struct ib_device_ops process_mad_verb = { .process_mad = process_mad };

/**
 * fab_verbs_set() - tell ib_core what an HCA can do
 * @hca: HCA, not registered yet; its network is known
 */
void fab_verbs_set(struct fab_hca *hca)
{
	ib_set_device_ops(&hca->ibdev, &verbs);
	if (hca->net->modify_port)
		ib_set_device_ops(&hca->ibdev, &modify_port_verb);
	if (hca->net->query_gid)
		ib_set_device_ops(&hca->ibdev, &query_gid_verb);
	if (hca->net->process_mad)
		ib_set_device_ops(&hca->ibdev, &process_mad_verb);
}
