// SPDX-License-Identifier: GPL-2.0
/*
 * Bring-up of path 3, InfiniBand's own way, without any IP address: the
 * connection manager. The sender knows the receiver's GID and a service number.
 *
 *	sender				receiver
 *	resolve the GID			listen at its own GID
 *	ask the subnet manager's SA
 *	  for the path to it (MADs)
 *	REQ: my queue pair	----->	INIT, RTR, RTS
 *	RTR, RTS		<-----	REP: my queue pair
 *	RTU			----->
 *
 * The three messages are MADs, too. What our programs tell each other beside
 * (address and key of the memory) rides in REQ and REP as private data. The
 * library could drive the queue pair; here it is done by hand, as in
 * bringup_tcp.c, so that the same steps are counted.
 *
 * The kernel looks connection requests by GID up in the initial network
 * namespace only (Linux 6.12). So the receiving program is started there: the
 * HCA and the memory are those of its host all the same.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/ib.h>
#include <rdma/rdma_cma.h>

#include "cmd.h"
#include "verbs_end.h"

#define PKEY_DEFAULT	0xffff
#define SID_TCP		0x0000000001060000ULL	/* service numbers of librdmacm's TCP space */

struct cm_link {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct rdma_cm_event *event;	/* the last, not given back yet */
};

static struct cm_link *link_of(const struct verbs_end *end)
{
	return end->link;
}

static void cm_address(struct sockaddr_ib *to, const void *gid, uint16_t port)
{
	memset(to, 0, sizeof(*to));
	to->sib_family = AF_IB;
	to->sib_pkey = htons(PKEY_DEFAULT);
	memcpy(&to->sib_addr, gid, sizeof(to->sib_addr));
	if (!port)
		return;
	to->sib_sid = htobe64(SID_TCP | port);
	to->sib_sid_mask = htobe64(UINT64_MAX);
}

static int cm_open(struct verbs_end *end)
{
	struct cm_link *cm = calloc(1, sizeof(*cm));
	int fd;

	if (!cm)
		return worker_fail(end->me, "no memory");
	end->link = cm;
	cm->channel = rdma_create_event_channel();
	if (!cm->channel || rdma_create_id(cm->channel, &cm->id, NULL, RDMA_PS_TCP))
		return worker_fail(end->me, "connection manager: %s", strerror(errno));
	fd = cm->channel->fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return 0;
}

/* The next event, which must be @want. @limit: ms, -1 for ever. */
static int cm_wait(struct verbs_end *end, enum rdma_cm_event_type want, int limit)
{
	struct cm_link *cm = link_of(end);
	struct pollfd p = { .fd = cm->channel->fd, .events = POLLIN };

	if (cm->event)
		rdma_ack_cm_event(cm->event);
	cm->event = NULL;
	while (rdma_get_cm_event(cm->channel, &cm->event)) {
		if (errno != EAGAIN || poll(&p, 1, limit) <= 0)
			return worker_fail(end->me, "no answer to %s in time",
					   want == RDMA_CM_EVENT_ROUTE_RESOLVED ?
					   "the path query" : "the connection request");
	}
	if (cm->event->event == want)
		return 0;
	errno = cm->event->status < 0 ? -cm->event->status : 0;
	return worker_fail(end->me, "connection manager: %s%s%s",
			   rdma_event_str(cm->event->event), errno ? ": " : "",
			   errno ? strerror(errno) : "");
}

/*
 * The connection manager knows the attributes that come from the path (LIDs,
 * service level, MTU) and from REQ and REP (the peer's queue pair, first PSN).
 */
static int cm_modify(struct verbs_end *end, struct rdma_cm_id *id, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask = 0;

	if (rdma_init_qp_attr(id, &attr, &mask))
		return worker_fail(end->me, "attributes of the queue pair: %s",
				   strerror(errno));
	if (state == IBV_QPS_INIT && verbs_end_pkey_index(end))
		attr.pkey_index = verbs_end_pkey_index(end);
	if (state == IBV_QPS_INIT) {
		attr.qp_access_flags = verbs_end_access();
		mask |= IBV_QP_ACCESS_FLAGS;
	}
	/* The trap of bringup_tcp.c. */
	if (state == IBV_QPS_RTR && end->sh->job.mistake == MISTAKE_MTU && !end->sends)
		attr.path_mtu = IBV_MTU_1024;
	if (state == IBV_QPS_RTR)
		attr.min_rnr_timer = 1;
	if (state == IBV_QPS_RTS)
		attr.timeout = VERBS_ACK_TIMEOUT;
	return verbs_end_modify(end, &attr, mask);
}

static int cm_to_rts(struct verbs_end *end, struct rdma_cm_id *id)
{
	int ret;

	if (verbs_end_stays_init(end))
		return 0;
	ret = cm_modify(end, id, IBV_QPS_RTR);
	return ret ? ret : cm_modify(end, id, IBV_QPS_RTS);
}

static void cm_param(const struct verbs_end *end, struct verbs_address *mine,
		     struct rdma_conn_param *p)
{
	*mine = verbs_end_address(end);
	*p = (struct rdma_conn_param) {
		.private_data = mine, .private_data_len = sizeof(*mine),
		.responder_resources = 1, .initiator_depth = 1,
		.retry_count = VERBS_RETRIES,
		/* 0 is what a program gets that does not think of it: the trap. */
		.rnr_retry_count = end->sh->job.mistake == MISTAKE_NO_RECV ? 0 : 7,
		.qp_num = end->qp->qp_num,
	};
}

static int cm_take_far(struct verbs_end *end)
{
	const struct rdma_conn_param *p = &link_of(end)->event->param.conn;

	if (p->private_data_len < sizeof(struct verbs_address))
		return worker_fail(end->me, "the other end is no program of ours");
	verbs_end_set_far(end, p->private_data);
	return 0;
}

static int listen_cm(struct verbs_end *end)
{
	struct sockaddr_ib me;
	struct cm_link *cm;

	if (cm_open(end))
		return 1;
	cm = link_of(end);
	cm_address(&me, &end->gid, 0);
	if (rdma_bind_addr(cm->id, (struct sockaddr *)&me) || rdma_listen(cm->id, 1))
		return worker_fail(end->me, "listen at the GID of %s: %s",
				   end->sh->job.to->name, strerror(errno));
	end->sh->port = ntohs(rdma_get_src_port(cm->id));
	memcpy(end->sh->gid, end->gid.raw, sizeof(end->sh->gid));
	worker_set_state(end->me, WORKER_LISTENING);
	return 0;
}

static int accept_cm(struct verbs_end *end)
{
	struct verbs_address mine;
	struct rdma_conn_param p;
	struct rdma_cm_id *peer;
	int ret = cm_wait(end, RDMA_CM_EVENT_CONNECT_REQUEST, -1);

	if (ret)
		return ret;
	peer = link_of(end)->event->id;
	ret = cm_take_far(end);
	if (!ret)
		ret = cm_modify(end, peer, IBV_QPS_INIT);
	if (!ret)
		ret = cm_to_rts(end, peer);
	if (ret)
		return ret;
	cm_param(end, &mine, &p);
	if (rdma_accept(peer, &p))
		return worker_fail(end->me, "accept: %s", strerror(errno));
	return cm_wait(end, RDMA_CM_EVENT_ESTABLISHED, WORKER_PATIENCE_MS);
}

static int resolve(struct verbs_end *end)
{
	struct rdma_cm_id *id = link_of(end)->id;
	struct sockaddr_ib me, to;
	int ret;

	cm_address(&me, &end->gid, 0);
	cm_address(&to, end->sh->gid, end->sh->port);
	if (rdma_resolve_addr(id, (struct sockaddr *)&me, (struct sockaddr *)&to,
			      WORKER_PATIENCE_MS))
		return worker_fail(end->me, "resolve the GID of %s: %s",
				   end->sh->job.to->name, strerror(errno));
	ret = cm_wait(end, RDMA_CM_EVENT_ADDR_RESOLVED, WORKER_PATIENCE_MS);
	if (ret)
		return ret;
	/* This asks the SA, at the LID that the subnet manager gave itself. */
	if (rdma_resolve_route(id, WORKER_PATIENCE_MS / 2))
		return worker_fail(end->me, "path query: %s", errno == EAGAIN ?
				   "the port knows no subnet manager to ask" :
				   strerror(errno));
	return cm_wait(end, RDMA_CM_EVENT_ROUTE_RESOLVED, WORKER_PATIENCE_MS);
}

static int request(struct verbs_end *end)
{
	struct rdma_cm_id *id = link_of(end)->id;
	struct verbs_address mine;
	struct rdma_conn_param p;
	int ret = cm_modify(end, id, IBV_QPS_INIT);

	if (ret)
		return ret;
	cm_param(end, &mine, &p);
	if (rdma_connect(id, &p))
		return worker_fail(end->me, "connection request: %s", strerror(errno));
	ret = cm_wait(end, RDMA_CM_EVENT_CONNECT_RESPONSE, WORKER_PATIENCE_MS);
	if (!ret)
		ret = cm_take_far(end);
	if (!ret)
		ret = cm_to_rts(end, id);
	if (!ret && rdma_establish(id))
		ret = worker_fail(end->me, "RTU: %s", strerror(errno));
	return ret;
}

static int connect_cm(struct verbs_end *end)
{
	uint64_t start = fab_real_ns();
	int ret = cm_open(end);

	if (!ret)
		ret = resolve(end);
	if (!ret)
		ret = request(end);
	if (!ret)
		end->sh->bring_up_ns = fab_real_ns() - start;
	return ret;
}

const struct verbs_bringup verbs_bringup_cm = {
	.name = "CM and SA",
	.listen = listen_cm, .accept = accept_cm, .connect = connect_cm,
};
