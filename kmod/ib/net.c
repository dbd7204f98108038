// SPDX-License-Identifier: GPL-2.0
/*
 * InfiniBand, to the HCA: what it puts in front of a BTH, and what it takes off.
 *
 *	| LRH: lane, SL, both LIDs, length | GRH, if the path has one | BTH ...
 *
 * The path's LID comes from the subnet manager (a path record, or what the other
 * end said in its handshake); nothing is looked up or learned here. The lane is
 * chosen at the port, by the service level (7.6.6); only QP 0 is on VL15.
 */
#include "../host/hca.h"
#include "internal.h"

static struct fab_ib_port *to_ibp(const struct fab_hca *hca)
{
	return fab_to_ib_port(hca->port);
}

static __be64 net_node_guid(const struct fab_hca *hca)
{
	return cpu_to_be64(to_ibp(hca)->ibn->guid);
}

static int net_query_port(struct fab_hca *hca, struct ib_port_attr *out)
{
	struct fab_ib_port *ibp = to_ibp(hca);
	struct fab_ib_attrs attr;

	fab_ib_port_read(ibp, &attr);
	out->subnet_prefix = attr.gid_prefix;
	out->state = attr.state;
	out->phys_state = attr.phys_state;
	out->max_mtu = IB_MTU_4096;
	out->active_mtu = attr.mtu;
	out->gid_tbl_len = FAB_IB_GUIDS;
	out->pkey_tbl_len = FAB_IB_PKEYS;
	out->port_cap_flags = attr.cap_mask;
	out->max_msg_sz = FAB_MAX_MSG;
	out->bad_pkey_cntr = attr.pkey_violations;
	out->qkey_viol_cntr = attr.qkey_violations;
	out->lid = attr.lid;
	out->lmc = attr.lmc;
	out->sm_lid = attr.sm_lid;
	out->sm_sl = attr.sm_sl;
	/* VLCap's code of VL0 to VL3. */
	out->max_vl_num = 3;
	out->subnet_timeout = attr.subnet_timeout;
	out->init_type_reply = attr.init_reply;
	out->active_width = IB_WIDTH_4X;
	out->active_speed = fab_ib_speed(ibp).verbs;
	return 0;
}

static int net_query_pkey_entry(struct fab_hca *hca, u16 index, u16 *pkey)
{
	if (index >= FAB_IB_PKEYS)
		return -EINVAL;
	*pkey = READ_ONCE(to_ibp(hca)->attr.pkeys[index]);
	return 0;
}

static int net_query_gid_entry(struct fab_hca *hca, int index, union ib_gid *gid)
{
	struct fab_ib_port *ibp = to_ibp(hca);
	unsigned long flags;

	if (index < 0 || index >= FAB_IB_GUIDS)
		return -EINVAL;
	memset(gid, 0, sizeof(*gid));
	spin_lock_irqsave(&ibp->lock, flags);
	if (ibp->attr.guids[index]) {
		gid->global.subnet_prefix = cpu_to_be64(ibp->attr.gid_prefix);
		gid->global.interface_id = ibp->attr.guids[index];
	}
	spin_unlock_irqrestore(&ibp->lock, flags);
	return 0;
}

static bool is_own_lid(const struct fab_ib_port *ibp, u16 lid)
{
	u16 own = fab_ib_lid(ibp);

	return own && lid >= own && lid < own + (1U << READ_ONCE(ibp->attr.lmc));
}

static int put_grh(struct fab_hca *hca, const struct rdma_ah_attr *attr, struct ib_grh *grh)
{
	const struct ib_global_route *route = rdma_ah_read_grh(attr);
	union ib_gid sgid;
	int err;

	err = net_query_gid_entry(hca, route->sgid_index, &sgid);
	if (err)
		return err;
	*grh = (struct ib_grh) {
		.version_tclass_flow = cpu_to_be32(FAB_GRH_VERSION << 28 |
						   route->traffic_class << 20 |
						   (route->flow_label & 0xfffff)),
		.next_hdr = FAB_GRH_NEXT_HEADER,
		.hop_limit = route->hop_limit,
		.sgid = sgid,
		.dgid = route->dgid,
	};
	return 0;
}

static int net_resolve(struct fab_hca *hca, const struct rdma_ah_attr *attr, struct fab_path *path,
		       bool may_sleep)
{
	struct fab_ib_port *ibp = to_ibp(hca);
	bool global = rdma_ah_get_ah_flags(attr) & IB_AH_GRH;
	u32 lid = rdma_ah_get_dlid(attr);
	u8 sl = rdma_ah_get_sl(attr);
	struct fab_lrh *lrh = (struct fab_lrh *)path->header;
	int err;

	if (!lid || lid > U16_MAX || sl > 15 || (fab_ib_is_mcast(lid) && !global))
		return -EINVAL;
	*lrh = (struct fab_lrh) {
		.sl_lnh = sl << 4 | (global ? FAB_LNH_GLOBAL : FAB_LNH_LOCAL),
		.dlid = cpu_to_be16(lid),
	};
	path->header_len = sizeof(*lrh);
	if (global) {
		err = put_grh(hca, attr, (struct ib_grh *)(path->header + sizeof(*lrh)));
		if (err)
			return err;
		path->header_len += sizeof(struct ib_grh);
	}
	path->attr = *attr;
	/* The core's reference to the source address is the caller's, not the path's. */
	path->attr.grh.sgid_attr = NULL;
	path->prio = sl;
	path->loopback = is_own_lid(ibp, lid);
	/* Of the source LID: only as many bits as the LMC leaves free. */
	path->opaque = rdma_ah_get_path_bits(attr) & 0x7f;
	return 0;
}

static enum ib_mtu net_mtu_now(struct fab_hca *hca)
{
	return READ_ONCE(to_ibp(hca)->attr.mtu);
}

static u16 source_lid(const struct fab_ib_port *ibp, const struct fab_path *path, __be16 dlid)
{
	u16 mask = (1U << READ_ONCE(ibp->attr.lmc)) - 1;

	if (dlid == cpu_to_be16(FAB_IB_PERMISSIVE))
		return FAB_IB_PERMISSIVE;
	return fab_ib_lid(ibp) | (path->opaque & mask);
}

/*
 * Is it from QP 0 to QP 0? Nothing else is on VL15, whatever QP it names: not what a
 * program sends to QP 0 from a QP of its own.
 */
static bool is_smp(const struct sk_buff *skb)
{
	const struct fab_mad_headers *headers = (const struct fab_mad_headers *)skb->data;

	return skb_headlen(skb) >= sizeof(*headers) &&
	       headers->opcode == FAB_OPCODE_UD_SEND_ONLY &&
	       !(headers->dest_qp & cpu_to_be32(FAB_QP_MASK)) &&
	       !(headers->src_qp & cpu_to_be32(FAB_QP_MASK));
}

static void net_wrap(struct fab_hca *hca, const struct fab_path *path, struct fab_packet *packet)
{
	bool vl15 = is_smp(packet->skb);
	u32 transport = packet->skb->len;
	struct fab_lrh *lrh = skb_push(packet->skb, path->header_len);

	memcpy(lrh, path->header, path->header_len);
	packet->tail = FAB_IB_TAIL;
	packet->len = packet->skb->len + FAB_IB_TAIL;
	/* The VCRC does not count in the LRH's length; in the GRH's only what follows it. */
	lrh->len = cpu_to_be16((packet->len - 2) / 4);
	lrh->slid = cpu_to_be16(source_lid(to_ibp(hca), path, lrh->dlid));
	if (vl15)
		fab_lrh_set_vl(lrh, FAB_IB_VL15);
	if (fab_lrh_lnh(lrh) == FAB_LNH_GLOBAL)
		((struct ib_grh *)(lrh + 1))->paylen = cpu_to_be16(transport + 4);
}

/* Does the HCA itself hear what it sends to this group? */
static bool hears_itself(struct fab_hca *hca, const struct fab_lrh *lrh)
{
	const struct ib_grh *grh = (const struct ib_grh *)(lrh + 1);

	return fab_ib_is_mcast(be16_to_cpu(lrh->dlid)) && fab_lrh_lnh(lrh) == FAB_LNH_GLOBAL &&
	       fab_hca_listens(hca, &grh->dgid);
}

static void net_send(struct fab_hca *hca, struct fab_packet *packet)
{
	struct fab_ib_port *ibp = to_ibp(hca);
	const struct fab_lrh *lrh = fab_ib_lrh(packet);
	struct fab_packet *copy;
	u8 vl = fab_lrh_vl(lrh);

	fab_ib_cb(packet)->hold = NULL;
	packet->tx_port = ibp->port;
	ibp->backlog += packet->len;
	if (is_own_lid(ibp, be16_to_cpu(lrh->dlid))) {
		fab_ib_loop_add(ibp, packet);
		return;
	}
	if (hears_itself(hca, lrh)) {
		copy = fab_packet_clone(packet);
		if (copy) {
			fab_ib_cb(copy)->hold = NULL;
			fab_ib_loop_add(ibp, copy);
		}
	}
	if (vl != FAB_IB_VL15)
		vl = fab_ib_data_vl(ibp, 0, fab_lrh_sl(lrh));
	fab_ib_egress_add(ibp, packet, vl);
}

static u32 net_backlog(const struct fab_hca *hca)
{
	return to_ibp(hca)->backlog;
}

/**
 * fab_ib_hca_packet() - a packet came for an HCA: take the network's headers off
 * @ibp: its port
 * @packet: packet, from its LRH on; consumed
 *
 * Context: fabric thread.
 */
void fab_ib_hca_packet(struct fab_ib_port *ibp, struct fab_packet *packet)
{
	const struct fab_lrh *lrh = fab_ib_lrh(packet);
	unsigned int headers = fab_lrh_headers(lrh);
	const u8 *bth = packet->skb->data + headers;
	u16 dlid = be16_to_cpu(lrh->dlid);
	struct fab_arrival arrival = {
		.slid = be16_to_cpu(lrh->slid),
		.dlid = dlid,
		.sl = fab_lrh_sl(lrh),
		.path_bits = is_own_lid(ibp, dlid) ? dlid - fab_ib_lid(ibp) : 0,
		.has_grh = fab_lrh_lnh(lrh) == FAB_LNH_GLOBAL,
		/* FECN: the first bit behind the destination partition (A10). */
		.congested = bth[4] & 0x80,
		.vl15 = fab_lrh_vl(lrh) == FAB_IB_VL15,
		.network = RDMA_NETWORK_IB,
		.vlan = 0xffff,
	};

	fab_ib_release(packet);
	/* Which of the port's partitions a QP is in, the HCA knows; here: is it any of them? */
	if (!arrival.vl15 && !fab_ib_pkey_ok(ibp, fab_ib_pkey(packet))) {
		fab_ib_port_violation(ibp, true);
		fab_port_drop(ibp->port, packet, FABSIM_DROP_PKEY);
		return;
	}
	if (arrival.has_grh)
		memcpy(&arrival.grh.ibgrh, lrh + 1, sizeof(arrival.grh.ibgrh));
	skb_pull(packet->skb, headers);
	fab_hca_receive(ibp->hca, packet, &arrival);
}

static int answer_smp(struct fab_ib_port *ibp, int flags, u8 in, struct ib_smp *smp)
{
	switch (fab_sma_answer(ibp->ibn, in, smp, flags & IB_MAD_IGNORE_MKEY)) {
	case FAB_IB_REPLY:
		if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
			smp->status |= IB_SMP_DIRECTION;
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	case FAB_IB_CONSUMED:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}

static int net_answer(struct fab_hca *hca, int flags, const struct ib_wc *wc,
		      const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out)
{
	struct fab_ib_port *ibp = to_ibp(hca);

	*out = *in;
	switch (in->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		return answer_smp(ibp, flags, ibp->num, (struct ib_smp *)out);
	case IB_MGMT_CLASS_PERF_MGMT:
		if (fab_pma_answer(ibp->ibn, out) == FAB_IB_REPLY)
			return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
		return IB_MAD_RESULT_SUCCESS;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}

static int net_modify_port(struct fab_hca *hca, u32 set, u32 clear, bool reset_qkeys)
{
	struct fab_ib_port *ibp = to_ibp(hca);
	unsigned long flags;
	u32 old, new;

	spin_lock_irqsave(&ibp->lock, flags);
	old = ibp->attr.cap_mask;
	new = (old | set) & ~clear;
	WRITE_ONCE(ibp->attr.cap_mask, new);
	if (reset_qkeys)
		ibp->attr.qkey_violations = 0;
	spin_unlock_irqrestore(&ibp->lock, flags);
	/* Another SM may want to know: IsSM came or went (13.4.8.2, trap 144). */
	if ((old ^ new) & IB_PORT_SM)
		fab_ib_port_trap(ibp, FAB_IB_TRAP_CAP);
	return 0;
}

static void net_violation(struct fab_hca *hca, enum fab_violation violation)
{
	fab_ib_port_violation(to_ibp(hca), violation == FAB_VIOLATION_PKEY);
}

const struct fab_net_ops fab_ib_net_ops = {
	.name		= "ib",
	.link_layer	= IB_LINK_LAYER_INFINIBAND,
	.core_cap_flags	= RDMA_CORE_PORT_IBA_IB,
	.max_mad_size	= IB_MGMT_MAD_SIZE,
	.node_guid	= net_node_guid,
	.query_port	= net_query_port,
	.query_pkey	= net_query_pkey_entry,
	.query_gid	= net_query_gid_entry,
	.resolve	= net_resolve,
	.mtu		= net_mtu_now,
	.wrap		= net_wrap,
	.send		= net_send,
	.backlog	= net_backlog,
	.process_mad	= net_answer,
	.modify_port	= net_modify_port,
	.violation	= net_violation,
};
