// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of an HCA, as `rdma statistic` and /sys/class/infiniband/DEVICE/ports/1/hw_counters
 * show them. Names are those of the kernel's soft RoCE device (rdma_rxe) where it
 * counts the same thing, so that what a student learns here holds there.
 */
#include <linux/build_bug.h>
#include "engine.h"
#include "verbs.h"

static const struct rdma_stat_desc names[] = {
	[FAB_SENT_PKTS]			= { .name = "sent_pkts" },
	[FAB_RCVD_PKTS]			= { .name = "rcvd_pkts" },
	[FAB_DUPLICATE_REQUEST]		= { .name = "duplicate_request" },
	[FAB_OUT_OF_SEQ_REQUEST]	= { .name = "out_of_seq_request" },
	[FAB_RCVD_RNR_ERR]		= { .name = "rcvd_rnr_err" },
	[FAB_SEND_RNR_ERR]		= { .name = "send_rnr_err" },
	[FAB_RCVD_SEQ_ERR]		= { .name = "rcvd_seq_err" },
	[FAB_ACK_DEFERRED]		= { .name = "ack_deferred" },
	[FAB_RETRY_EXCEEDED_ERR]	= { .name = "retry_exceeded_err" },
	[FAB_RETRY_RNR_EXCEEDED_ERR]	= { .name = "retry_rnr_exceeded_err" },
	[FAB_COMPLETER_RETRY_ERR]	= { .name = "completer_retry_err" },
	[FAB_SEND_ERR]			= { .name = "send_err" },
	[FAB_RDMA_SENDS]		= { .name = "rdma_sends" },
	[FAB_RDMA_RECVS]		= { .name = "rdma_recvs" },
	[FAB_TIMEOUTS]			= { .name = "local_ack_timeout_err" },
	[FAB_RETRANSMITTED_PKTS]	= { .name = "retransmitted_pkts" },
	[FAB_RETRANSMITTED_BYTES]	= { .name = "retransmitted_bytes" },
	[FAB_COPIED_BYTES]		= { .name = "copied_bytes" },
	[FAB_RCVD_DROPPED]		= { .name = "rcvd_dropped" },
	[FAB_BAD_PKEY]			= { .name = "bad_pkey" },
	[FAB_BAD_QKEY]			= { .name = "bad_qkey" },
	[FAB_NO_MEMORY]			= { .name = "no_memory" },
	[FAB_MADS_DROPPED]		= { .name = "mads_dropped" },
};

static_assert(ARRAY_SIZE(names) == FAB_N_COUNTERS);

/**
 * fab_counters_alloc() - room for the counters, for ib_core
 * @ibdev: device
 * @port: 1
 *
 * Return: it, or NULL.
 */
struct rdma_hw_stats *fab_counters_alloc(struct ib_device *ibdev, u32 port)
{
	return rdma_alloc_hw_stats_struct(names, ARRAY_SIZE(names), RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * fab_counters_get() - what was counted
 * @ibdev: device
 * @stats: filled in
 * @port: 1
 * @index: of one counter, or all; all are filled in
 *
 * Return: how many, or -EINVAL.
 */
int fab_counters_get(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	const struct fab_hca *hca = to_fab_hca(ibdev);
	unsigned int i;

	if (!port || !stats)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		stats->value[i] = READ_ONCE(hca->engine.counters[i]);
	return ARRAY_SIZE(names);
}
