// SPDX-License-Identifier: GPL-2.0
/*
 * Bring-up of path 2, as most programs on Ethernet do it: the two ends tell each
 * other their queue pair's number, and the address and key of their memory, over
 * a plain TCP connection; then each sets up its own queue pair by hand:
 *
 *	RESET - INIT	which port, what a peer may do with our memory
 *	INIT  - RTR	ready to receive: who the peer is and how to reach it
 *	RTR   - RTS	ready to send: time-outs, tries
 *
 * So path 2 needs what path 1 needs: IP addresses, ARP, a listening port. (On
 * InfiniBand this works too, for who has IP beside it: ends that know each other's
 * LIDs need no subnet manager any more. Many test programs do so.)
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "cmd.h"
#include "tcp_counts.h"
#include "verbs_end.h"

#define HOP_LIMIT	64

/* The one socket of an end is kept as end->link. */
static void socket_keep(struct verbs_end *end, int fd)
{
	end->link = (void *)(intptr_t)fd;
}

static int socket_of(const struct verbs_end *end)
{
	return (int)(intptr_t)end->link;
}

static void set_patience(int fd)
{
	struct timeval tv = {
		.tv_sec = WORKER_PATIENCE_MS / 1000,
		.tv_usec = WORKER_PATIENCE_MS % 1000 * 1000,
	};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
}

static int listen_tcp(struct verbs_end *end)
{
	struct worker_shared *sh = end->sh;
	struct sockaddr_in me = {
		.sin_family = AF_INET, .sin_addr = sh->job.to->ip,
	};
	socklen_t len = sizeof(me);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&me, sizeof(me)) ||
	    listen(fd, 1) || getsockname(fd, (struct sockaddr *)&me, &len))
		return worker_fail(end->me, "listen on %s: %s", sh->job.to->ip_str,
				   strerror(errno));
	sh->port = ntohs(me.sin_port);
	socket_keep(end, fd);
	worker_set_state(end->me, WORKER_LISTENING);
	return 0;
}

/* Both ends say and hear the same number of bytes. */
static int exchange(struct verbs_end *end, int fd, const void *say, void *hear, size_t len)
{
	if (send(fd, say, len, MSG_NOSIGNAL) != (ssize_t)len ||
	    recv(fd, hear, len, MSG_WAITALL) != (ssize_t)len)
		return worker_fail(end->me, "exchange of queue pair numbers: %s",
				   errno ? strerror(errno) : "the other end hung up");
	return 0;
}

static int to_init(struct verbs_end *end)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = VERBS_PORT,
		.pkey_index = verbs_end_pkey_index(end),
		.qp_access_flags = verbs_end_access(),
	};

	return verbs_end_modify(end, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

static enum ibv_mtu path_mtu(const struct verbs_end *end)
{
	/* The trap: the two ends do not agree on how long a packet may be. */
	if (end->sh->job.mistake == MISTAKE_MTU && !end->sends)
		return IBV_MTU_1024;
	return end->port.active_mtu;
}

static int to_rtr(struct verbs_end *end)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = path_mtu(end),
		.dest_qp_num = end->far.qpn,
		.rq_psn = end->far.psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 1,
		.ah_attr = {
			.port_num = VERBS_PORT,
			/* Ethernet: always with a GID; InfiniBand: LIDs will do. */
			.is_global = end->port.link_layer == IBV_LINK_LAYER_ETHERNET,
			.dlid = end->far.lid,
			.grh = {
				.sgid_index = end->gid_index, .hop_limit = HOP_LIMIT,
			},
		},
	};

	memcpy(attr.ah_attr.grh.dgid.raw, end->far.gid, sizeof(end->far.gid));
	return verbs_end_modify(end, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct verbs_end *end, uint32_t psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = psn,
		.timeout = VERBS_ACK_TIMEOUT,
		.retry_cnt = VERBS_RETRIES,
		/* 0 is what a program gets that does not think of it: the trap. */
		.rnr_retry = end->sh->job.mistake == MISTAKE_NO_RECV ? 0 : 7,
		.max_rd_atomic = 1,
	};

	return verbs_end_modify(end, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				IBV_QP_MAX_QP_RD_ATOMIC);
}

static int bring_up(struct verbs_end *end, int fd)
{
	struct verbs_address mine = verbs_end_address(end), far;
	const uint32_t psn = end->sh->job.seed & 0xffff;
	char ready = 'r', other;
	int ret;

	mine.psn = htonl(psn);
	ret = exchange(end, fd, &mine, &far, sizeof(mine));
	if (!ret) {
		verbs_end_set_far(end, &far);
		ret = to_init(end);
	}
	if (!ret && !verbs_end_stays_init(end))
		ret = to_rtr(end);
	if (!ret && !verbs_end_stays_init(end))
		ret = to_rts(end, psn);
	/* Nobody sends before the other end is ready to receive. */
	return ret ? ret : exchange(end, fd, &ready, &other, 1);
}

static int accept_tcp(struct verbs_end *end)
{
	int fd = accept4(socket_of(end), NULL, NULL, SOCK_CLOEXEC), ret;

	if (fd < 0)
		return worker_fail(end->me, "nobody connected: %s", strerror(errno));
	set_patience(fd);
	ret = bring_up(end, fd);
	close(fd);
	return ret;
}

static int connect_tcp(struct verbs_end *end)
{
	struct worker_shared *sh = end->sh;
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_addr = sh->job.to->ip,
		.sin_port = htons(sh->port),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), ret;
	uint64_t start = fab_real_ns();
	struct tcp_counts counts;

	if (fd < 0)
		return worker_fail(end->me, "socket: %s", strerror(errno));
	set_patience(fd);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		if (errno == EINPROGRESS || errno == EAGAIN)
			errno = ETIMEDOUT;
		return worker_fail(end->me, "connect to %s (%s): %s", sh->job.to->name,
				   sh->job.to->ip_str, strerror(errno));
	}
	ret = bring_up(end, fd);
	tcp_counts_get(fd, &counts);
	sh->bring_up_segments = counts.segments;
	if (!ret)
		sh->bring_up_ns = fab_real_ns() - start;
	close(fd);
	return ret;
}

const struct verbs_bringup verbs_bringup_tcp = {
	.name = "program, over TCP",
	.listen = listen_tcp, .accept = accept_tcp, .connect = connect_tcp,
};
