// SPDX-License-Identifier: GPL-2.0
/*
 * Paths 2 and 3: messages by RDMA, by two programs that use verbs as every
 * textbook does. The same two programs for RoCE and InfiniBand: only the name of
 * the device and the bring-up (verbs_bringup) differ.
 *
 *	receiver: open, register, listen ---- accept - ready - sleep ...... | verify
 *	sender:   open, register,      connect ------- ready | post, poll ... |
 *	controller:                                        open             close
 *
 * A message is a work request: "write these bytes of my memory into that memory of
 * the peer". ibv_post_send() puts it in a ring in this program's own memory and
 * rings a doorbell, a store into a page of the HCA; ibv_poll_cq() looks in
 * another ring for the completion. Neither enters the kernel. The HCA reads the
 * sender's memory and writes the receiver's by itself, so nobody copies.
 *
 * WRITE and READ are one-sided: the receiver's program sleeps all the time. SEND
 * is two-sided: the receiver says with ibv_post_recv() where the next message
 * shall go, before it comes, and polls for its completion.
 *
 * Polling has a price: the sender's CPU looks until the completion is there. So
 * CPU time is split into work (post, and the poll that finds something) and
 * waiting. Programs that wait on a completion channel instead sleep, and pay with
 * an interrupt and two syscalls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <time.h>

#include "cmd.h"
#include "worker_data.h"
#include "worker_verbs.h"

enum verbs_op verbs_op_find(const char *op)
{
	if (op && !strcmp(op, "send"))
		return VERBS_SEND;
	return op && !strcmp(op, "read") ? VERBS_READ : VERBS_WRITE;
}

static const struct worker_job *job_of(const struct verbs_end *end)
{
	return &end->sh->job;
}

/*
 * The CPU time of each call, of this end (a process of its own): not the time that the
 * fabric's thread takes when a doorbell wakes it on this CPU. An emulated CPU's host may
 * be busy elsewhere meanwhile, so that one call in a hundred may seem to have taken a
 * hundred times as long: what counts is the call in the middle.
 */
static struct calls {
	uint32_t *ns, n, room;
} posts, reaps;

static void calls_make(struct calls *c, uint32_t room)
{
	c->ns = malloc(room * sizeof(*c->ns));
	c->room = c->ns ? room : 0;
	c->n = 0;
	/* Its pages are there before the window: a page fault is a cost. */
	if (c->ns)
		memset(c->ns, 1, room * sizeof(*c->ns));
}

/* Asking is a syscall, and so only done in a pass that does not count them. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void call_took(struct calls *c, uint64_t start)
{
	if (c->n < c->room)
		c->ns[c->n++] = cpu_ns() - start;
}

static int by_length(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* All of them, as if each were the one in the middle. */
static uint64_t calls_ns(struct calls *c)
{
	if (!c->n)
		return 0;
	qsort(c->ns, c->n, sizeof(*c->ns), by_length);
	return (uint64_t)c->ns[c->n / 2] * c->n;
}

/* After the window: sorting is not the program's work. */
static void put_busy(struct verbs_end *end)
{
	end->sh->busy[end->sends ? 0 : 1] = (struct worker_busy) {
		.post_ns = calls_ns(&posts), .reap_ns = calls_ns(&reaps),
	};
}

/* 0 in a pass that counts. */
static uint64_t stamp(const struct verbs_end *end)
{
	return job_of(end)->stamp ? cpu_ns() : 0;
}

static int post_failed(struct verbs_end *end, const char *what, int err)
{
	errno = err < 0 ? errno : err;
	snprintf(end->sh->status, sizeof(end->sh->status), "POST_REFUSED");
	return worker_fail(end->me, "%s was refused: %s%s", what, strerror(errno),
			   verbs_end_stays_init(end) ? " (the queue pair is in INIT)" : "");
}

/* The controller has more patience than the HCA, so this is the exception. */
static int waited_too_long(struct verbs_end *end)
{
	return worker_fail(end->me, "no completion came in time");
}

static int completed_badly(struct verbs_end *end, const struct ibv_wc *wc)
{
	snprintf(end->sh->status, sizeof(end->sh->status), "%s",
		 verbs_status_name(wc->status));
	errno = 0;
	return worker_fail(end->me, "message %u: %s (%s)", (unsigned int)wc->wr_id + 1,
			   verbs_status_name(wc->status), ibv_wc_status_str(wc->status));
}

/* ---- the sender ---- */

static int post_message(struct verbs_end *end, uint32_t i)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[VERBS_WRITE] = IBV_WR_RDMA_WRITE,
		[VERBS_SEND] = IBV_WR_SEND,
		[VERBS_READ] = IBV_WR_RDMA_READ,
	};
	const struct worker_job *job = job_of(end);
	struct ibv_sge here = {
		.addr = (uintptr_t)data_message(job, end->buf, i),
		.length = job->size,
		.lkey = end->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = i,
		.sg_list = &here, .num_sge = 1,
		.opcode = opcodes[job->verbs->op],
		.send_flags = IBV_SEND_SIGNALED,
		/* Where at the far end; SEND does not know. */
		.wr.rdma.remote_addr = end->far.addr + (uint64_t)i * job->size,
		.wr.rdma.rkey = end->far.rkey,
	}, *bad;
	uint64_t start;
	int err;

	if (job->stamp)
		end->sh->sent_at[i] = fab_real_ns();
	start = stamp(end);
	err = ibv_post_send(end->qp, &wr, &bad);
	if (job->stamp)
		call_took(&posts, start);
	return err ? post_failed(end, "ibv_post_send()", err) : 0;
}

/* Looks until a completion is there. */
static int poll_one(struct verbs_end *end, struct ibv_wc *wc)
{
	uint64_t start;
	int n;

	do {
		if (worker_give_up(end->sh))
			return waited_too_long(end);
		if (!end->sends && worker_state(&end->sh->sender) == WORKER_FAILED)
			return worker_fail(end->me, "the sender gave up");
		start = stamp(end);
		n = ibv_poll_cq(end->cq, 1, wc);
	} while (n == 0);
	if (n < 0)
		return worker_fail(end->me, "ibv_poll_cq() failed");
	if (job_of(end)->stamp)
		call_took(&reaps, start);
	return wc->status == IBV_WC_SUCCESS ? 0 : completed_badly(end, wc);
}

static int send_all(struct verbs_end *end)
{
	const struct worker_job *job = job_of(end);
	uint32_t posted = 0, done = 0;
	struct ibv_wc wc;

	while (done < job->messages) {
		while (posted < job->messages && posted - done < job->verbs->depth) {
			if (post_message(end, posted))
				return 1;
			posted++;
		}
		if (poll_one(end, &wc))
			return 1;
		if (job->stamp)
			end->sh->arrived_at[wc.wr_id] = fab_real_ns();
		done++;
		worker_count_arrival(end->sh);
	}
	return 0;
}

static int worker_verbs_sender(void *arg)
{
	struct worker_shared *sh = arg;
	const struct worker_job *job = &sh->job;
	struct verbs_end end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (verbs_end_open(&end, sh, true) || job->verbs->bringup->connect(&end))
		return 1;
	calls_make(&posts, job->messages);
	calls_make(&reaps, job->messages);
	worker_wait_open(sh, end.me);
	if (!job->still)
		sh->first_send = fab_real_ns();
	if (send_all(&end))
		return 1;
	if (!job->still)
		sh->last_arrival = fab_real_ns();
	worker_wait_close(sh, end.me);
	put_busy(&end);
	if (job->verbs->op == VERBS_READ)
		sh->verified_bytes = data_verify(job, end.buf, job->messages);
	return 0;
}

/* ---- the receiver ---- */

static int post_receive(struct verbs_end *end, uint32_t i)
{
	const struct worker_job *job = job_of(end);
	struct ibv_sge here = {
		.addr = (uintptr_t)data_message(job, end->buf, i),
		.length = job->size,
		.lkey = end->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &here, .num_sge = 1 }, *bad;
	uint64_t start = stamp(end);
	int err = ibv_post_recv(end->qp, &wr, &bad);

	if (job->stamp)
		call_took(&posts, start);
	end->met->receives += !err;
	return err ? post_failed(end, "ibv_post_recv()", err) : 0;
}

/* As many as there is room for; the trap is to have none. */
static int post_first(struct verbs_end *end, uint32_t *posted)
{
	const struct worker_job *job = job_of(end);

	if (job->verbs->op != VERBS_SEND || job->mistake == MISTAKE_NO_RECV)
		return 0;
	for (; *posted < job->messages && *posted < VERBS_RQ_DEPTH; (*posted)++)
		if (post_receive(end, *posted))
			return 1;
	return 0;
}

static int receive_all(struct verbs_end *end, uint32_t posted)
{
	const struct worker_job *job = job_of(end);
	struct ibv_wc wc;

	for (uint32_t done = 0; done < job->messages; done++) {
		if (poll_one(end, &wc))
			return 1;
		if (posted < job->messages && post_receive(end, posted++))
			return 1;
	}
	return 0;
}

static int worker_verbs_receiver(void *arg)
{
	struct worker_shared *sh = arg;
	const struct worker_job *job = &sh->job;
	uint32_t posted = 0;
	struct verbs_end end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (verbs_end_open(&end, sh, false) || job->verbs->bringup->listen(&end) ||
	    job->verbs->bringup->accept(&end) || post_first(&end, &posted))
		return 1;
	/* What was posted before the window is not in it. */
	calls_make(&posts, job->messages);
	calls_make(&reaps, job->messages);
	if (job->programs.receiver_asleep) {
		worker_sleep_through(sh, end.me);
	} else {
		worker_wait_open(sh, end.me);
		if (receive_all(&end, posted))
			return 1;
		worker_wait_close(sh, end.me);
		put_busy(&end);
	}
	if (job->verbs->op != VERBS_READ)
		sh->verified_bytes = data_verify(job, end.buf, job->messages);
	worker_set_state(end.me, WORKER_DONE);
	return 0;
}

int worker_verbs_run(const struct worker_job *job, const struct verbs_plan *plan,
		     struct worker_result *res)
{
	struct worker_job verbs = *job;

	verbs.programs = (struct worker_programs) {
		.sender = worker_verbs_sender, .receiver = worker_verbs_receiver,
		.receiver_asleep = plan->op != VERBS_SEND,
	};
	verbs.verbs = plan;
	verbs.hold = WORKER_HOLD_NONE;	/* by the depth of the plan */
	return worker_run(&verbs, res);
}
