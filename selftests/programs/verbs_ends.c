// SPDX-License-Identifier: GPL-2.0
/* The two ends of a connection: made, connected, used, ended. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "verbs.h"

#define ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

void passed(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("ok ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

void not_ok(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("not ok ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

void verdict(bool good, const char *name, const char *format, ...)
{
	char why[200];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	if (good)
		passed("%s", name);
	else
		not_ok("%s: %s", name, why);
}

void broken(const char *format, ...)
{
	int error = errno;
	va_list args;

	va_start(args, format);
	printf("not ok the program can go on: ");
	vprintf(format, args);
	printf(" (%s)\n", strerror(error));
	va_end(args);
	exit(1);
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* This thread goes into a host's network namespace, or back (NULL). */
void enter_host(const char *host)
{
	static int home = -1;
	char path[64];
	int fd;

	if (home < 0)
		home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (!host) {
		if (setns(home, CLONE_NEWNET))
			broken("back to the own namespace");
		return;
	}
	snprintf(path, sizeof(path), "/run/netns/%s", host);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		broken("namespace %s", host);
	close(fd);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		broken("open %s", name);
	ibv_free_device_list(list);
	return ctx;
}

struct ibv_mr *mr_make(struct end *end, struct ibv_pd *pd, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, end->buf, BUF_SIZE, access);

	if (!mr)
		broken("register memory of %s", end->dev);
	return mr;
}

void end_open(struct end *end, const char *dev, int gid_index, bool channel, int cqe)
{
	const char *dash = strrchr(dev, '-');

	memset(end, 0, sizeof(*end));
	end->dev = dev;
	end->host = strndup(dev, dash ? (size_t)(dash - dev) : strlen(dev));
	end->gid_index = gid_index;
	end->ctx = open_device(dev);
	if (ibv_query_port(end->ctx, 1, &end->port) ||
	    ibv_query_gid(end->ctx, 1, gid_index, &end->gid))
		broken("ask about the port of %s", dev);
	end->pd = ibv_alloc_pd(end->ctx);
	if (channel)
		end->channel = ibv_create_comp_channel(end->ctx);
	end->cq = ibv_create_cq(end->ctx, cqe, NULL, end->channel, 0);
	if (!end->pd || !end->cq)
		broken("make a CQ of %s", dev);
	if (posix_memalign((void **)&end->buf, 4096, BUF_SIZE))
		broken("memory");
	memset(end->buf, 0, BUF_SIZE);
	end->mr = mr_make(end, end->pd, ALL_ACCESS);
}

void end_close(struct end *end)
{
	if (end->qp && ibv_destroy_qp(end->qp))
		broken("destroy the QP of %s", end->dev);
	if (ibv_dereg_mr(end->mr) || ibv_destroy_cq(end->cq) ||
	    (end->channel && ibv_destroy_comp_channel(end->channel)) ||
	    ibv_dealloc_pd(end->pd) || ibv_close_device(end->ctx))
		broken("close %s", end->dev);
	free(end->buf);
	free((void *)end->host);
}

void pair_open(struct pair *pair, char **argv, bool channel)
{
	end_open(&pair->a, argv[0], atoi(argv[2]), channel, 1024);
	end_open(&pair->b, argv[1], atoi(argv[2]), channel, 1024);
	pair->ethernet = pair->a.port.link_layer == IBV_LINK_LAYER_ETHERNET;
	pair->mtu = 128 << pair->a.port.active_mtu;
}

void pair_close(struct pair *pair)
{
	end_close(&pair->a);
	end_close(&pair->b);
}

struct ibv_qp *qp_make(struct end *end, const struct how *how)
{
	int depth = how->depth ? how->depth : 64;
	struct ibv_qp_init_attr init = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.qp_type = how->type ? how->type : IBV_QPT_RC,
		.cap = {
			.max_send_wr = depth, .max_recv_wr = depth,
			.max_send_sge = 4, .max_recv_sge = 4,
		},
		.srq = how->srq ? end->srq : NULL,
	};

	return ibv_create_qp(end->pd, &init);
}

static int to_init(struct ibv_qp *qp, const struct how *how)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = 0x1234,
		.qp_access_flags = how->access == NO_ACCESS ? 0 :
				   how->access ? how->access : ALL_ACCESS,
	};
	bool ud = qp->qp_type == IBV_QPT_UD;

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static int to_rtr(struct end *end, struct ibv_qp *qp, const struct end *peer, uint32_t qpn,
		  const struct how *how)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = end->port.active_mtu,
		.dest_qp_num = qpn,
		.max_dest_rd_atomic = how->rd_atomic ? how->rd_atomic : 4,
		.min_rnr_timer = 1,
		.ah_attr = {
			.is_global = 1,
			.dlid = peer->port.lid,
			.port_num = 1,
			.grh = {
				.dgid = how->dgid ? *how->dgid : peer->gid,
				.sgid_index = how->gid_index ? how->gid_index - 1 : end->gid_index,
				.hop_limit = 64,
			},
		},
	};

	if (qp->qp_type == IBV_QPT_UD)
		return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct ibv_qp *qp, const struct how *how)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 2,
		.rnr_retry = how->rnr_retry == NO_RETRY ? 0 : how->rnr_retry ? how->rnr_retry : 7,
		.max_rd_atomic = how->rd_atomic ? how->rd_atomic : 4,
	};

	if (qp->qp_type == IBV_QPT_UD)
		return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

/* From RESET to RTS; 0, or the error of the move that failed. */
int qp_connect(struct end *end, struct ibv_qp *qp, const struct end *peer, uint32_t qpn,
	       const struct how *how)
{
	int err = to_init(qp, how);

	if (!err)
		err = to_rtr(end, qp, peer, qpn, how);
	return err ? err : to_rts(qp, how);
}

void pair_connect(struct pair *pair, const struct how *how)
{
	pair_disconnect(pair);
	pair->a.qp = qp_make(&pair->a, how);
	pair->b.qp = qp_make(&pair->b, how);
	if (!pair->a.qp || !pair->b.qp)
		broken("make the QPs");
	errno = qp_connect(&pair->a, pair->a.qp, &pair->b, pair->b.qp->qp_num, how);
	if (errno)
		broken("connect %s", pair->a.dev);
	errno = qp_connect(&pair->b, pair->b.qp, &pair->a, pair->a.qp->qp_num, how);
	if (errno)
		broken("connect %s", pair->b.dev);
}

static void drain(struct end *end)
{
	struct ibv_wc wc;

	if (end->qp && ibv_destroy_qp(end->qp))
		broken("destroy the QP of %s", end->dev);
	end->qp = NULL;
	while (ibv_poll_cq(end->cq, 1, &wc) > 0)
		;
}

void pair_disconnect(struct pair *pair)
{
	drain(&pair->a);
	drain(&pair->b);
}

int post_recv(struct end *end, size_t offset, size_t length)
{
	struct ibv_sge sge = { (uintptr_t)end->buf + offset, length, end->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = offset, .sg_list = &sge, .num_sge = 1 }, *bad;

	return end->srq ? ibv_post_srq_recv(end->srq, &wr, &bad) :
			  ibv_post_recv(end->qp, &wr, &bad);
}

int post(struct end *from, const struct end *to, const struct work *work)
{
	uint64_t remote = work->remote_addr ? work->remote_addr :
			  (uintptr_t)to->buf + work->remote_offset;
	struct ibv_sge sge = {
		(uintptr_t)from->buf + work->offset, work->length,
		work->lkey ? work->lkey : from->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = 0x5e4d,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = work->opcode,
		.send_flags = work->flags ? work->flags : IBV_SEND_SIGNALED,
		.imm_data = work->imm,
	}, *bad;
	uint32_t rkey = work->rkey ? work->rkey : to->mr->rkey;

	if (work->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    work->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = work->compare_add;
		wr.wr.atomic.swap = work->swap;
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = rkey;
	}
	return ibv_post_send(from->qp, &wr, &bad);
}

/* The next completion; the CPU is left to the fabric in between. */
bool wait_wc(struct end *end, struct ibv_wc *wc, int seconds)
{
	uint64_t until = now_ns() + seconds * 1000000000ULL;
	int n;

	do {
		n = ibv_poll_cq(end->cq, 1, wc);
		if (n > 0)
			return true;
		if (n < 0)
			broken("poll %s", end->dev);
		usleep(50);
	} while (now_ns() < until);
	return false;
}

/* Post and wait: IBV_WC_SUCCESS or another; -1: nothing came, -2: it cannot be posted. */
enum ibv_wc_status result(struct end *from, const struct end *to, const struct work *work)
{
	struct ibv_wc wc;

	if (post(from, to, work))
		return -2;
	return wait_wc(from, &wc, 20) ? wc.status : (enum ibv_wc_status)-1;
}
