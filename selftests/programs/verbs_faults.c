// SPDX-License-Identifier: GPL-2.0
/* What must be refused, and with which status; afterwards new QPs work again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "verbs.h"

static const struct how plain;

/* On QPs of its own, as a fault ends them. */
static void refused(struct pair *pair, const char *name, const struct work *work,
		    enum ibv_wc_status wanted)
{
	enum ibv_wc_status status;

	pair_connect(pair, &plain);
	status = result(&pair->a, &pair->b, work);
	verdict(status == wanted, name, "%s, not %s", ibv_wc_status_str(status),
		ibv_wc_status_str(wanted));
}

static void keys(struct pair *pair)
{
	struct end *a = &pair->a, *b = &pair->b;
	struct ibv_pd *pd_a = ibv_alloc_pd(a->ctx), *pd_b = ibv_alloc_pd(b->ctx);
	const int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct ibv_mr *mr_a = mr_make(a, pd_a, all), *mr_b = mr_make(b, pd_b, all);
	struct work work = { .opcode = IBV_WR_RDMA_WRITE, .length = 100 };

	verdict(b->mr->lkey != b->mr->rkey, "L_Key and R_Key differ", "0x%x", b->mr->lkey);
	work.rkey = b->mr->lkey;
	refused(pair, "an L_Key as R_Key", &work, IBV_WC_REM_ACCESS_ERR);
	work.rkey = mr_b->rkey;
	refused(pair, "an R_Key of another protection domain", &work, IBV_WC_REM_ACCESS_ERR);
	work.rkey = a->mr->rkey;
	if (a->mr->rkey != b->mr->rkey && a->mr->rkey != mr_b->rkey)
		refused(pair, "an R_Key of another device", &work, IBV_WC_REM_ACCESS_ERR);
	work.rkey = 0xffffffff;
	refused(pair, "an R_Key of nothing", &work, IBV_WC_REM_ACCESS_ERR);
	work.rkey = 0;
	work.lkey = a->mr->rkey;
	refused(pair, "an R_Key as L_Key", &work, IBV_WC_LOC_PROT_ERR);
	work.lkey = mr_a->lkey;
	refused(pair, "an L_Key of another protection domain", &work, IBV_WC_LOC_PROT_ERR);
	/* The kernel's own key to all memory. */
	work.lkey = 0xd1;
	refused(pair, "the kernel's L_Key", &work, IBV_WC_LOC_PROT_ERR);
	work.lkey = 0;
	work.rkey = mr_b->rkey;
	if (ibv_dereg_mr(mr_b))
		broken("deregister");
	refused(pair, "an R_Key that was given up", &work, IBV_WC_REM_ACCESS_ERR);
	mr_b = mr_make(b, pd_b, all);
	verdict(mr_b->rkey >> 8 != work.rkey >> 8 && mr_b->lkey >> 8 != work.rkey >> 8,
		"it is not handed out again at once", "0x%x", work.rkey);
	if (ibv_dereg_mr(mr_a) || ibv_dereg_mr(mr_b) || ibv_dealloc_pd(pd_a) ||
	    ibv_dealloc_pd(pd_b))
		broken("give them back");
}

static void ranges(struct pair *pair)
{
	struct work work = { .opcode = IBV_WR_RDMA_WRITE, .length = 100 };

	work.remote_offset = BUF_SIZE - 99;
	refused(pair, "a WRITE that ends one byte behind the region", &work, IBV_WC_REM_ACCESS_ERR);
	work.remote_offset = -1;
	refused(pair, "a WRITE that begins one byte before it", &work, IBV_WC_REM_ACCESS_ERR);
	work.remote_addr = UINT64_MAX - 50;
	refused(pair, "a WRITE around the end of all addresses", &work, IBV_WC_REM_ACCESS_ERR);
	work.remote_addr = 0;
	work.opcode = IBV_WR_RDMA_READ;
	work.remote_offset = BUF_SIZE - 99;
	refused(pair, "a READ that ends one byte behind the region", &work, IBV_WC_REM_ACCESS_ERR);
	work.remote_offset = 0;
	work.offset = BUF_SIZE - 99;
	refused(pair, "a READ into memory behind the own region", &work, IBV_WC_LOC_PROT_ERR);
	work.opcode = IBV_WR_SEND;
	refused(pair, "a SEND of memory behind it", &work, IBV_WC_LOC_PROT_ERR);
	work.offset = 0;
	work.length = 0xffffffff;
	work.opcode = IBV_WR_RDMA_WRITE;
	refused(pair, "4 GiB in one piece", &work, IBV_WC_LOC_QP_OP_ERR);
	work.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	work.length = 8;
	work.remote_offset = 4;
	refused(pair, "an atomic at an odd address", &work, IBV_WC_REM_INV_REQ_ERR);
	work.length = 4;
	work.remote_offset = 0;
	refused(pair, "an atomic of 4 bytes", &work, IBV_WC_LOC_QP_OP_ERR);
}

static void zero_length(struct pair *pair)
{
	struct work work = { .opcode = IBV_WR_RDMA_WRITE, .rkey = 0xffffffff, .remote_addr = 1 };

	refused(pair, "a WRITE of no bytes needs no key", &work, IBV_WC_SUCCESS);
	work.opcode = IBV_WR_RDMA_READ;
	refused(pair, "nor does a READ", &work, IBV_WC_SUCCESS);
}

/* What the region, or the QP, does not allow. */
static void rights(struct pair *pair)
{
	struct end *a = &pair->a, *b = &pair->b;
	struct ibv_mr *read_only = mr_make(b, b->pd, IBV_ACCESS_REMOTE_READ);
	struct ibv_mr *local = mr_make(b, b->pd, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *source = mr_make(a, a->pd, 0);
	const struct how none = { .access = NO_ACCESS };
	struct work work = { .opcode = IBV_WR_RDMA_WRITE, .length = 8, .rkey = read_only->rkey };
	enum ibv_wc_status status;

	refused(pair, "a WRITE to memory for READ", &work, IBV_WC_REM_ACCESS_ERR);
	work.opcode = IBV_WR_RDMA_READ;
	refused(pair, "a READ of it", &work, IBV_WC_SUCCESS);
	work.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	refused(pair, "an atomic on it", &work, IBV_WC_REM_ACCESS_ERR);
	work.rkey = local->rkey;
	work.opcode = IBV_WR_RDMA_READ;
	refused(pair, "a READ of memory for its owner", &work, IBV_WC_REM_ACCESS_ERR);
	work.rkey = 0;
	work.lkey = source->lkey;
	refused(pair, "a READ into memory that may not be written", &work, IBV_WC_LOC_PROT_ERR);
	work.lkey = 0;
	work.opcode = IBV_WR_RDMA_WRITE;
	pair_connect(pair, &none);
	status = result(a, b, &work);
	verdict(status == IBV_WC_REM_INV_REQ_ERR || status == IBV_WC_REM_ACCESS_ERR,
		"a WRITE to a QP that allows none", "%s", ibv_wc_status_str(status));
	if (ibv_dereg_mr(read_only) || ibv_dereg_mr(local) || ibv_dereg_mr(source))
		broken("deregister");
}

static void no_region(struct end *end, const char *name, void *at, size_t length, int access,
		      int wanted)
{
	struct ibv_mr *mr = ibv_reg_mr(end->pd, at, length, access);
	int error = errno;

	verdict(!mr && error == wanted, name, "%s", mr ? "it was registered" : strerror(error));
	if (mr)
		ibv_dereg_mr(mr);
}

static void registrations(struct pair *pair)
{
	struct end *end = &pair->a;
	void *page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int write = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	no_region(end, "read-only memory for remote WRITE", page, 4096, write, EFAULT);
	no_region(end, "remote WRITE without local write", end->buf, 4096,
		  IBV_ACCESS_REMOTE_WRITE, EINVAL);
	munmap(page, 8192);
	no_region(end, "memory that is not there", page, 4096, write, EFAULT);
	no_region(end, "no memory at all", end->buf, 0, write, EINVAL);
	no_region(end, "a range around the end of all addresses", end->buf, SIZE_MAX - 4096, write,
		  EINVAL);
}

static void receives(struct pair *pair)
{
	struct work work = { .opcode = IBV_WR_SEND, .length = 5000 };
	enum ibv_wc_status status;
	struct ibv_wc wc = {};

	pair_connect(pair, &plain);
	if (post_recv(&pair->b, 0, 4999))
		broken("post a RECV");
	status = result(&pair->a, &pair->b, &work);
	verdict(status == IBV_WC_REM_INV_REQ_ERR, "a SEND longer than the RECV", "%s",
		ibv_wc_status_str(status));
	verdict(wait_wc(&pair->b, &wc, 10) && wc.status == IBV_WC_LOC_LEN_ERR,
		"and what the receiver sees", "%s", ibv_wc_status_str(wc.status));
	if (post_recv(&pair->b, 0, 100))
		broken("post to a QP in the error state");
	verdict(wait_wc(&pair->b, &wc, 10) && wc.status == IBV_WC_WR_FLUSH_ERR,
		"a RECV in the error state is flushed", "%s", ibv_wc_status_str(wc.status));
}

/* SEND before RECV. */
static void not_ready(struct pair *pair)
{
	struct work work = { .opcode = IBV_WR_SEND, .length = 10 };
	struct how how = { .rnr_retry = NO_RETRY };
	enum ibv_wc_status status;
	struct ibv_wc wc = {};

	pair_connect(pair, &how);
	status = result(&pair->a, &pair->b, &work);
	verdict(status == IBV_WC_RNR_RETRY_EXC_ERR, "SEND before RECV, rnr_retry 0", "%s",
		ibv_wc_status_str(status));
	how.rnr_retry = 1;
	pair_connect(pair, &how);
	status = result(&pair->a, &pair->b, &work);
	verdict(status == IBV_WC_RNR_RETRY_EXC_ERR, "SEND before RECV, rnr_retry 1", "%s",
		ibv_wc_status_str(status));
	how.rnr_retry = 7;
	pair_connect(pair, &how);
	if (post(&pair->a, &pair->b, &work))
		broken("post a SEND");
	verdict(!wait_wc(&pair->a, &wc, 1), "SEND before RECV, rnr_retry 7: it waits", "%s",
		ibv_wc_status_str(wc.status));
	if (post_recv(&pair->b, 0, 10))
		broken("post a RECV");
	verdict(wait_wc(&pair->a, &wc, 10) && !wc.status &&
		wait_wc(&pair->b, &wc, 10) && !wc.status,
		"until there is one", "%s", ibv_wc_status_str(wc.status));
}

static void no_path(struct pair *pair, const char *name, const struct how *how)
{
	struct work work = { .opcode = IBV_WR_SEND, .length = 10 };
	enum ibv_wc_status status;
	int err;

	pair_disconnect(pair);
	pair->a.qp = qp_make(&pair->a, how);
	err = qp_connect(&pair->a, pair->a.qp, &pair->b, 2, how);
	if (err) {
		verdict(err == EINVAL || err == EHOSTUNREACH || err == ENETUNREACH ||
			err == ENODATA || err == ETIMEDOUT || err == EADDRNOTAVAIL, name, "%s",
			strerror(err));
		printf("%s: modify_qp says %s\n", name, strerror(err));
		return;
	}
	status = result(&pair->a, &pair->b, &work);
	verdict(status == IBV_WC_RETRY_EXC_ERR, name, "%s", ibv_wc_status_str(status));
	printf("%s: %s\n", name, ibv_wc_status_str(status));
}

static void gids(struct pair *pair)
{
	union ibv_gid nobody = pair->b.gid;
	struct how how = { .gid_index = 1 + 100 };

	no_path(pair, "a GID index that is empty", &how);
	how.gid_index = 0;
	how.dgid = &nobody;
	nobody.raw[15] = 200;
	if (pair->ethernet)
		no_path(pair, "a GID of nobody", &how);
	how.dgid = NULL;
	how.gid_index = 1 + !pair->a.gid_index;
	if (pair->ethernet)
		no_path(pair, "a GID of another kind than the destination's", &how);
}

/* A region goes while it is used: an error or not, but nothing of it is touched later. */
static void dereg(struct pair *pair)
{
	struct work read = { .opcode = IBV_WR_RDMA_READ, .length = 2 << 20 };
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	struct ibv_wc wc = {};
	struct ibv_mr *mr;
	int i;

	for (i = 0; i < 2; i++) {
		struct end *end = i ? &pair->a : &pair->b;

		mr = mr_make(end, end->pd, access);
		read.rkey = i ? 0 : mr->rkey;
		read.lkey = i ? mr->lkey : 0;
		pair_connect(pair, &plain);
		if (post(&pair->a, &pair->b, &read))
			broken("post a READ");
		usleep(3000);
		if (ibv_dereg_mr(mr))
			broken("deregister");
		verdict(wait_wc(&pair->a, &wc, 20) && (!wc.status || wc.status ==
			(i ? IBV_WC_LOC_PROT_ERR : IBV_WC_REM_ACCESS_ERR)),
			i ? "the reader's region goes during a READ" :
			    "a region goes during a READ",
			"%s", ibv_wc_status_str(wc.status));
	}
}

/* The peer's QP has gone: nobody answers. */
static void nobody(struct pair *pair)
{
	struct work work = { .opcode = IBV_WR_SEND, .length = 10 };
	enum ibv_wc_status status;

	pair_connect(pair, &plain);
	if (ibv_destroy_qp(pair->b.qp))
		broken("destroy");
	pair->b.qp = NULL;
	status = result(&pair->a, &pair->b, &work);
	verdict(status == IBV_WC_RETRY_EXC_ERR, "a SEND to a QP that is gone", "%s",
		ibv_wc_status_str(status));
}

static void healthy(struct pair *pair)
{
	struct work work = { .opcode = IBV_WR_RDMA_WRITE, .length = 100000 };

	refused(pair, "after all that, a WRITE works", &work, IBV_WC_SUCCESS);
}

void verbs_faults(int argc, char **argv)
{
	struct pair pair;

	(void)argc;
	pair_open(&pair, argv, false);
	keys(&pair);
	ranges(&pair);
	zero_length(&pair);
	rights(&pair);
	registrations(&pair);
	receives(&pair);
	not_ready(&pair);
	gids(&pair);
	dereg(&pair);
	nobody(&pair);
	healthy(&pair);
	pair_disconnect(&pair);
	pair_close(&pair);
}

static void run_fabctl(const char *what)
{
	char line[80];

	snprintf(line, sizeof(line), "fabctl %s >/dev/null", what);
	if (system(line))
		broken("fabctl %s", what);
}

/*
 * The receiver ends its QP as soon as it has the message, before its HCA has had a turn
 * to acknowledge it: the sender must not suffer.
 */
static void leave(struct pair *pair)
{
	struct work work = { .opcode = IBV_WR_SEND, .length = 64 };
	struct ibv_wc wc = {};
	int i, got = 0;

	pair_connect(pair, &plain);
	run_fabctl("freeze");
	if (post_recv(&pair->b, 0, 64) || post(&pair->a, &pair->b, &work))
		broken("post");
	for (i = 0; i < 20 && !got; i++) {
		run_fabctl("step");
		usleep(20000);
		got = ibv_poll_cq(pair->b.cq, 1, &wc);
	}
	if (got != 1 || ibv_destroy_qp(pair->b.qp))
		broken("receive step by step");
	pair->b.qp = NULL;
	run_fabctl("thaw");
	got = wait_wc(&pair->a, &wc, 20);
	verdict(got && !wc.status, "a receiver that leaves at once", "%s",
		got ? ibv_wc_status_str(wc.status) : "no completion");
}

/* Time stands still: what the caller does is done all the same, and packets on their way keep. */
void verbs_frozen(int argc, char **argv)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	struct work read = { .opcode = IBV_WR_RDMA_READ, .length = 1 << 20 };
	struct work write = { .opcode = IBV_WR_RDMA_WRITE, .length = 1 << 20, .offset = 2 << 20 };
	struct ibv_mr *there, *here;
	struct ibv_wc wc = {};
	struct pair pair;

	(void)argc;
	pair_open(&pair, argv, false);
	pair_connect(&pair, &plain);
	there = mr_make(&pair.b, pair.b.pd, access);
	here = mr_make(&pair.a, pair.a.pd, access);
	memset(pair.a.buf + (2 << 20), 0x77, 1 << 20);
	run_fabctl("freeze");
	read.rkey = there->rkey;
	write.lkey = here->lkey;
	if (post(&pair.a, &pair.b, &write) || post(&pair.a, &pair.b, &read))
		broken("post");
	verdict(!wait_wc(&pair.a, &wc, 1), "nothing completes while the fabric is frozen", "%s",
		ibv_wc_status_str(wc.status));
	verdict(!ibv_dereg_mr(there) && !ibv_dereg_mr(here), "regions go in a frozen fabric", "%s",
		strerror(errno));
	run_fabctl("thaw");
	verdict(wait_wc(&pair.a, &wc, 20) && wc.status == IBV_WC_LOC_PROT_ERR,
		"a WRITE whose region went meanwhile", "%s", ibv_wc_status_str(wc.status));
	pair_connect(&pair, &plain);
	run_fabctl("freeze");
	if (post(&pair.a, &pair.b, &read))
		broken("post");
	pair_disconnect(&pair);
	passed("QPs go in a frozen fabric");
	run_fabctl("thaw");
	leave(&pair);
	pair_disconnect(&pair);
	pair_close(&pair);
}

/* As a normal user, with a small limit of locked memory. */
void verbs_memlock(int argc, char **argv)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	struct ibv_mr *small, *big;
	struct ibv_pd *pd;
	char *buf;
	int i;

	(void)argc;
	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), argv[0]))
			ctx = ibv_open_device(list[i]);
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setgid(65534) || setuid(65534))
		broken("become a normal user");
	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	buf = aligned_alloc(4096, 2 << 20);
	if (!pd || !buf)
		broken("open %s", argv[0]);
	memset(buf, 1, 2 << 20);
	small = ibv_reg_mr(pd, buf, 512 << 10, IBV_ACCESS_LOCAL_WRITE);
	verdict(small, "a normal user registers half of his limit", "%s", strerror(errno));
	errno = 0;
	big = ibv_reg_mr(pd, buf, 768 << 10, IBV_ACCESS_LOCAL_WRITE);
	verdict(!big && errno == ENOMEM, "more than is left of it is refused", "%s",
		strerror(errno));
	errno = 0;
	verdict(!ibv_create_cq(ctx, 16384, NULL, NULL, 0) && errno == ENOMEM,
		"and so is a ring of that size", "%s", strerror(errno));
	if (!small || ibv_dereg_mr(small))
		broken("deregister");
	big = ibv_reg_mr(pd, buf, 768 << 10, IBV_ACCESS_LOCAL_WRITE);
	verdict(big, "what was given back counts no more", "%s", strerror(errno));
}
