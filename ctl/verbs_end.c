// SPDX-License-Identifier: GPL-2.0
/*
 * Before the first message. All of this is done once; each step enters the
 * kernel, and its time is kept apart from that of the messages:
 *
 *	open the device		the HCA of this host on that network
 *	register memory		the kernel pins its pages and tells the HCA where
 *				they are; lkey is this end's name for them, rkey
 *				that of the other end
 *	PD, CQ, QP		protection domain, completion queue, queue pair
 *	RESET to RTS		see bringup_tcp.c and bringup_cm.c
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "array.h"
#include "cmd.h"
#include "verbs_end.h"
#include "worker_data.h"

#define PAGE	4096

static const char *host_name(const struct verbs_end *end)
{
	return end->sends ? end->sh->job.from->name : end->sh->job.to->name;
}

static int device_open(struct verbs_end *end)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	char name[64];

	snprintf(name, sizeof(name), "%s-%s", host_name(end),
		 end->sh->job.verbs->device);
	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			end->ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	if (!end->ctx)
		return worker_fail(end->me, "RDMA device %s: %s", name,
				   errno ? strerror(errno) : "not there");
	if (ibv_query_port(end->ctx, VERBS_PORT, &end->port))
		return worker_fail(end->me, "%s: query port: %s", name, strerror(errno));
	return 0;
}

/*
 * A port has a table of GIDs. On InfiniBand the first one will do: it is made
 * from the port's GUID. On Ethernet there is one for each address and version of
 * RoCE; ours is that of RoCEv2 with the host's IPv4 address.
 */
static bool gid_fits(const struct verbs_end *end, const struct ibv_gid_entry *g)
{
	static const uint8_t ipv4[12] = { [10] = 0xff, [11] = 0xff };

	if (g->gid_type == IBV_GID_TYPE_IB)
		return true;
	if (g->gid_type != IBV_GID_TYPE_ROCE_V2)
		return false;
	/* The trap: another version, or another address. */
	if (end->sh->job.mistake == MISTAKE_WRONG_GID_INDEX && end->sends)
		return memcmp(g->gid.raw, ipv4, sizeof(ipv4));
	return !memcmp(g->gid.raw, ipv4, sizeof(ipv4));
}

static int gid_find(struct verbs_end *end)
{
	struct ibv_gid_entry g;

	for (int i = 0; i < end->port.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(end->ctx, VERBS_PORT, i, &g, 0) ||
		    !gid_fits(end, &g))
			continue;
		end->gid = g.gid;
		end->gid_index = i;
		end->met->gid_index = i;
		memcpy(end->met->gid, g.gid.raw, sizeof(end->met->gid));
		return 0;
	}
	return worker_fail(end->me, "%s has no RoCEv2 address: its interface has no IP address",
			   host_name(end));
}

/* True if this end's messages shall not be registered. */
static bool forgets_mr(const struct verbs_end *end)
{
	return end->sh->job.mistake ==
	       (end->sends ? MISTAKE_NO_MR : MISTAKE_NO_MR_FAR);
}

static int memory(struct verbs_end *end)
{
	const enum verbs_op op = end->sh->job.verbs->op;
	uint64_t start;

	end->buf = data_buffer(&end->sh->job);
	end->len = (size_t)end->sh->job.messages * end->sh->job.size;
	end->spare = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!end->buf || end->spare == MAP_FAILED)
		return worker_fail(end->me, "no memory for %u messages",
				   end->sh->job.messages);
	/* Data is where it comes from: for READ, at the far end. */
	if (op == VERBS_READ ? !end->sends : end->sends)
		data_fill(&end->sh->job, end->buf);
	start = fab_real_ns();
	end->mr = ibv_reg_mr(end->pd, forgets_mr(end) ? end->spare : end->buf,
			     forgets_mr(end) ? PAGE : end->len,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_READ);
	if (!end->mr)
		return worker_fail(end->me, "register %zu bytes: %s", end->len,
				   strerror(errno));
	end->once->register_ns = fab_real_ns() - start;
	end->met->used = end->len;
	end->met->registered = forgets_mr(end) ? 0 : end->len;
	end->met->rkey = end->mr->rkey;
	return 0;
}

static int objects(struct verbs_end *end)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,	/* reliable, connected */
		.cap = {
			.max_send_wr = VERBS_SQ_DEPTH, .max_recv_wr = VERBS_RQ_DEPTH,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};

	end->cq = ibv_create_cq(end->ctx, VERBS_CQ_DEPTH, NULL, NULL, 0);
	if (!end->cq)
		return worker_fail(end->me, "create CQ: %s", strerror(errno));
	attr.send_cq = end->cq;
	attr.recv_cq = end->cq;
	end->qp = ibv_create_qp(end->pd, &attr);
	if (!end->qp)
		return worker_fail(end->me, "create QP: %s", strerror(errno));
	end->met->qpn = end->qp->qp_num;
	return 0;
}

int verbs_end_open(struct verbs_end *end, struct worker_shared *sh, bool sends)
{
	uint64_t start;
	int ret;

	*end = (struct verbs_end) {
		.sh = sh, .sends = sends,
		.me = sends ? &sh->sender : &sh->receiver,
		.once = &sh->once[sends ? 0 : 1],
		.met = &sh->met[sends ? 0 : 1],
	};
	ret = device_open(end);
	if (!ret)
		ret = gid_find(end);
	if (ret)
		return ret;
	start = fab_real_ns();
	end->pd = ibv_alloc_pd(end->ctx);
	if (!end->pd)
		return worker_fail(end->me, "alloc PD: %s", strerror(errno));
	ret = objects(end);
	end->once->objects_ns = fab_real_ns() - start;
	return ret ? ret : memory(end);
}

struct verbs_address verbs_end_address(const struct verbs_end *end)
{
	struct verbs_address a = {
		.addr = htobe64((uintptr_t)end->buf),
		.rkey = htonl(end->mr->rkey),
		.qpn = htonl(end->qp->qp_num),
		.lid = htons(end->port.lid),
	};

	memcpy(a.gid, end->gid.raw, sizeof(a.gid));
	return a;
}

void verbs_end_set_far(struct verbs_end *end, const struct verbs_address *wire)
{
	end->far = (struct verbs_address) {
		.addr = be64toh(wire->addr), .rkey = ntohl(wire->rkey),
		.qpn = ntohl(wire->qpn), .psn = ntohl(wire->psn),
		.lid = ntohs(wire->lid),
	};
	memcpy(end->far.gid, wire->gid, sizeof(wire->gid));
	/* The trap: a key that opens nothing. */
	if (end->sends && end->sh->job.mistake == MISTAKE_WRONG_RKEY)
		end->far.rkey ^= 0x5500;
	end->met->far_rkey = end->far.rkey;
}

int verbs_end_access(void)
{
	return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
}

/* The trap: an entry of the table in which nothing stands. */
uint16_t verbs_end_pkey_index(const struct verbs_end *end)
{
	return end->sends && end->sh->job.mistake == MISTAKE_WRONG_PKEY_INDEX;
}

bool verbs_end_stays_init(const struct verbs_end *end)
{
	return end->sends && end->sh->job.mistake == MISTAKE_QP_NOT_RTS;
}

static const char *state_name(enum ibv_qp_state state)
{
	return state == IBV_QPS_INIT ? "INIT" : state == IBV_QPS_RTR ? "RTR" :
	       state == IBV_QPS_RTS ? "RTS" : "?";
}

/* For who asks later; see struct worker_met. */
static void met(struct verbs_end *end, const struct ibv_qp_attr *attr, int mask)
{
	__be16 pkey = 0;

	if (mask & IBV_QP_PATH_MTU)
		end->met->mtu = 128u << attr->path_mtu;
	if (!(mask & IBV_QP_PKEY_INDEX))
		return;
	ibv_query_pkey(end->ctx, VERBS_PORT, attr->pkey_index, &pkey);
	end->met->pkey_index = attr->pkey_index;
	end->met->pkey = ntohs(pkey);
}

int verbs_end_modify(struct verbs_end *end, struct ibv_qp_attr *attr, int mask)
{
	uint64_t start = fab_real_ns();
	int err = ibv_modify_qp(end->qp, attr, mask);

	end->once->rts_ns += fab_real_ns() - start;
	end->once->steps++;
	if (!err || mask & IBV_QP_PKEY_INDEX)
		met(end, attr, mask);
	if (!err) {
		end->met->qp_state = attr->qp_state;
		return 0;
	}
	errno = err < 0 ? errno : err;
	return worker_fail(end->me, "queue pair of %s to %s: %s", host_name(end),
			   state_name(attr->qp_state), strerror(errno));
}

const char *verbs_status_name(enum ibv_wc_status status)
{
	static const char *const names[] = {
		[IBV_WC_SUCCESS] = "SUCCESS",
		[IBV_WC_LOC_LEN_ERR] = "LOC_LEN_ERR",
		[IBV_WC_LOC_QP_OP_ERR] = "LOC_QP_OP_ERR",
		[IBV_WC_LOC_EEC_OP_ERR] = "LOC_EEC_OP_ERR",
		[IBV_WC_LOC_PROT_ERR] = "LOC_PROT_ERR",
		[IBV_WC_WR_FLUSH_ERR] = "WR_FLUSH_ERR",
		[IBV_WC_MW_BIND_ERR] = "MW_BIND_ERR",
		[IBV_WC_BAD_RESP_ERR] = "BAD_RESP_ERR",
		[IBV_WC_LOC_ACCESS_ERR] = "LOC_ACCESS_ERR",
		[IBV_WC_REM_INV_REQ_ERR] = "REM_INV_REQ_ERR",
		[IBV_WC_REM_ACCESS_ERR] = "REM_ACCESS_ERR",
		[IBV_WC_REM_OP_ERR] = "REM_OP_ERR",
		[IBV_WC_RETRY_EXC_ERR] = "RETRY_EXC_ERR",
		[IBV_WC_RNR_RETRY_EXC_ERR] = "RNR_RETRY_EXC_ERR",
	};

	if ((size_t)status < ARRAY_SIZE(names) && names[status])
		return names[status];
	return "GENERAL_ERR";
}
