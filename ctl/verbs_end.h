/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One end of an RDMA connection: the objects that verbs want before the first
 * message, and the states of the queue pair. The same for paths 2 and 3.
 */
#ifndef FABCTL_VERBS_END_H
#define FABCTL_VERBS_END_H

#include <infiniband/verbs.h>

#include "worker_pair.h"

#define VERBS_PORT		1	/* an HCA of ours has one */
#define VERBS_SQ_DEPTH		64
#define VERBS_RQ_DEPTH		256
#define VERBS_CQ_DEPTH		512	/* no less than the two */
/*
 * 4.096 us * 2^8, about 1 ms of fabric time, and 7 tries: a path that is cut shows
 * within seconds also where a fabric second takes long. (14 and 7 are usual.)
 */
#define VERBS_ACK_TIMEOUT	8
#define VERBS_RETRIES		7

enum verbs_op { VERBS_WRITE, VERBS_SEND, VERBS_READ };

/* What one end must know of the other. Travels in network byte order. */
struct verbs_address {
	uint64_t addr;		/* of the buffer */
	uint32_t rkey;		/* that opens it to the other end */
	uint32_t qpn;		/* queue pair number */
	uint32_t psn;		/* the first packet's */
	uint16_t lid;		/* InfiniBand */
	uint8_t gid[16];
	uint16_t reserved;
};

static_assert(sizeof(struct verbs_address) == 40, "no padding on the wire");

struct verbs_end {
	struct worker_shared *sh;
	bool sends;		/* this is the sender's end */
	struct worker_side *me;
	struct worker_once *once;
	struct worker_met *met;

	char *buf;		/* the messages */
	size_t len;
	char *spare;		/* a page that has nothing to do with them */

	struct ibv_context *ctx;	/* the open device */
	struct ibv_pd *pd;		/* protection domain: what may be used together */
	struct ibv_cq *cq;		/* completions arrive here */
	struct ibv_qp *qp;		/* the send and receive queues */
	struct ibv_mr *mr;		/* the registered memory */
	struct ibv_port_attr port;
	union ibv_gid gid;
	int gid_index;

	struct verbs_address far;	/* in host byte order */
	void *link;			/* of the bring-up that is used */
};

/*
 * How two ends find each other: the only thing in which the programs of paths 2
 * and 3 differ. Each returns 0, or has called worker_fail() and returns 1.
 */
struct verbs_bringup {
	const char *name;		/* as "brought up by" */
	int (*listen)(struct verbs_end *end);	/* sets sh->port, says LISTENING */
	int (*accept)(struct verbs_end *end);
	int (*connect)(struct verbs_end *end);	/* sets sh->bring_up_* */
};

extern const struct verbs_bringup verbs_bringup_tcp, verbs_bringup_cm;

/* What a path wants its two programs to do. */
struct verbs_plan {
	const char *device;		/* "roce": devices are h1-roce, h2-roce */
	enum verbs_op op;
	uint32_t depth;			/* messages under way at most */
	const struct verbs_bringup *bringup;
};

/* Opens the device, registers the buffer, makes PD, CQ and QP. */
int verbs_end_open(struct verbs_end *end, struct worker_shared *sh, bool sends);

/* What the other end has to know. */
struct verbs_address verbs_end_address(const struct verbs_end *end);
void verbs_end_set_far(struct verbs_end *end, const struct verbs_address *wire);

/* One step of RESET - INIT - RTR - RTS, timed and counted. */
int verbs_end_modify(struct verbs_end *end, struct ibv_qp_attr *attr, int mask);
/* Which entry of the port's partition table this end's queue pair uses. */
uint16_t verbs_end_pkey_index(const struct verbs_end *end);
/* Does this end's program forget the steps after INIT? (a mistake) */
bool verbs_end_stays_init(const struct verbs_end *end);
/* What a peer may do with our memory through this QP. */
int verbs_end_access(void);

/* "IBV_WC_LOC_PROT_ERR" without IBV_WC_. */
const char *verbs_status_name(enum ibv_wc_status status);

#endif /* FABCTL_VERBS_END_H */
