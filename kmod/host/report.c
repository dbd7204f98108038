// SPDX-License-Identifier: GPL-2.0
/*
 * What an HCA tells to readers outside the fabric thread: its queue pairs.
 *
 * A queue pair's transport state is the thread's own and changes with every packet.
 * So a reader gets copies, some at a time and in order of their numbers, each made
 * between two events; from one call to the next QPs may come and go.
 */
#include "../uapi/fabsim.h"
#include "hca.h"
#include "qp.h"

/* As userspace numbers them, and so does the UAPI. */
static_assert((int)FABSIM_QP_TYPE_SMI == IB_QPT_SMI && (int)FABSIM_QP_TYPE_GSI == IB_QPT_GSI);
static_assert((int)FABSIM_QP_TYPE_RC == IB_QPT_RC && (int)FABSIM_QP_TYPE_UC == IB_QPT_UC);
static_assert((int)FABSIM_QP_TYPE_UD == IB_QPT_UD);
static_assert((int)FABSIM_QP_RESET == IB_QPS_RESET && (int)FABSIM_QP_RTS == IB_QPS_RTS);
static_assert((int)FABSIM_QP_ERR == IB_QPS_ERR);

static bool has_peer(const struct fab_qp *qp)
{
	return (qp->type == IB_QPT_RC || qp->type == IB_QPT_UC) && qp->state >= IB_QPS_RTR;
}

static void fill_peer(const struct fab_qp *qp, struct fab_qp_line *line)
{
	const struct rdma_ah_attr *attr = &qp->path.attr;

	line->has_dest = has_peer(qp);
	if (!line->has_dest)
		return;
	line->dest_qpn = qp->attr.dest_qp_num;
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		line->dest_lid = rdma_ah_get_dlid(attr);
	line->has_gid = rdma_ah_get_ah_flags(attr) & IB_AH_GRH;
	if (line->has_gid)
		memcpy(line->dest_gid, rdma_ah_read_grh(attr)->dgid.raw, sizeof(line->dest_gid));
}

static void fill(const struct fab_qp *qp, struct fab_qp_line *line)
{
	*line = (struct fab_qp_line) {
		.qpn		= qp->qpn,
		.type		= qp->type,
		.state		= qp->state,
		.user		= qp->user,
		.selective	= qp->selective,
		.mtu		= qp->mtu,
		.sq_psn		= qp->req.psn,
		.una_psn	= qp->req.una,
		.rq_psn		= qp->resp.psn,
		.sends		= qp->req.tail - qp->req.head,
		.retries	= qp->req.retries,
		.tx_packets	= qp->tx_packets,
		.rx_packets	= qp->rx_packets,
		.retransmitted	= qp->retransmitted,
	};
	fill_peer(qp, line);
}

struct reading {
	struct fab_hca *hca;
	unsigned long from;
	struct fab_qp_line *lines;
	unsigned int max;
	unsigned int n;
};

static void call_read(void *arg)
{
	struct reading *reading = arg;
	unsigned long qpn = reading->from;
	struct fab_qp *qp;

	xa_for_each_start(&reading->hca->qps, qpn, qp, reading->from) {
		if (reading->n == reading->max)
			return;
		fill(qp, &reading->lines[reading->n++]);
	}
}

/**
 * fab_hca_read_qps() - some queue pairs of an HCA
 * @hca: HCA
 * @from: the lowest number wanted
 * @lines: filled in, in order of the numbers
 * @max: length of @lines
 *
 * Context: process context, control mutex.
 * Return: how many were filled in; fewer than @max: these were the last.
 */
unsigned int fab_hca_read_qps(struct fab_hca *hca, u32 from, struct fab_qp_line *lines,
			      unsigned int max)
{
	struct reading reading = { .hca = hca, .from = from, .lines = lines, .max = max };

	fab_call(call_read, &reading);
	return reading.n;
}

/**
 * fab_hca_name() - the name of an HCA's RDMA device
 * @hca: HCA
 *
 * Context: control mutex.
 * Return: name.
 */
const char *fab_hca_name(const struct fab_hca *hca)
{
	return dev_name(&hca->ibdev.dev);
}

/**
 * fab_hca_set_selective() - how do its QPs repeat what was lost?
 * @hca: HCA
 * @on: QPs that come to INIT from now on use selective repeat; else go-back-N
 *
 * Context: any in which the HCA exists.
 */
void fab_hca_set_selective(struct fab_hca *hca, bool on)
{
	WRITE_ONCE(hca->engine.selective, on);
}
