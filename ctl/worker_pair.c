// SPDX-License-Identifier: GPL-2.0
/*
 * The controller's part of a sender and a receiver: starts them in their hosts,
 * opens and closes the measured window, collects what they found, and sees to
 * it that none of them outlives it.
 */
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "worker_pair.h"

static long futex(atomic_uint *word, int op, uint32_t val,
		  const struct timespec *timeout)
{
	return syscall(SYS_futex, word, op, val, timeout, NULL, 0);
}

void worker_wait_open(struct worker_shared *sh, struct worker_side *me)
{
	worker_set_state(me, WORKER_READY);
	while (atomic_load(&sh->window) == 0)
		futex(&sh->window, FUTEX_WAIT, 0, NULL);
}

void worker_wait_close(struct worker_shared *sh, struct worker_side *me)
{
	worker_set_state(me, WORKER_DONE);
	while (atomic_load(&sh->window) == 1) {
		/* Where syscalls are counted, going to sleep would be one more. */
		if (!sh->job.still)
			futex(&sh->window, FUTEX_WAIT, 1, NULL);
	}
}

void worker_sleep_through(struct worker_shared *sh, struct worker_side *me)
{
	worker_set_state(me, WORKER_READY);
	while (atomic_load(&sh->over) == 0)
		futex(&sh->over, FUTEX_WAIT, 0, NULL);
}

int worker_fail(struct worker_side *me, const char *fmt, ...)
{
	va_list ap;

	me->err = errno;
	va_start(ap, fmt);
	vsnprintf(me->reason, sizeof(me->reason), fmt, ap);
	va_end(ap);
	worker_set_state(me, WORKER_FAILED);
	return 1;
}

static void window_set(struct worker_shared *sh, uint32_t to)
{
	atomic_store(&sh->window, to);
	futex(&sh->window, FUTEX_WAKE, 2, NULL);
	if (to == 2) {
		atomic_store(&sh->over, 1);
		futex(&sh->over, FUTEX_WAKE, 2, NULL);
	}
}

void worker_count_arrival(struct worker_shared *sh)
{
	atomic_fetch_add(&sh->arrived, 1);
	if (sh->job.hold == WORKER_HOLD_SLEEP)
		futex(&sh->arrived, FUTEX_WAKE, 1, NULL);
}

int worker_wait_arrived(struct worker_shared *sh, uint32_t n)
{
	const struct timespec patience = {
		.tv_sec = WORKER_PATIENCE_MS / 1000,
		.tv_nsec = WORKER_PATIENCE_MS % 1000 * 1000000,
	};
	uint32_t now;

	while ((now = atomic_load(&sh->arrived)) < n) {
		if (futex(&sh->arrived, FUTEX_WAIT, now, &patience) &&
		    errno == ETIMEDOUT)
			return -1;
	}
	return 0;
}

/* One mapping for the struct and, with @stamp, the two arrays of times. */
static size_t shared_size(const struct worker_job *job)
{
	size_t stamps = job->stamp ? 2 * (size_t)job->messages : 0;

	return sizeof(struct worker_shared) + stamps * sizeof(uint64_t);
}

static struct worker_shared *shared_new(const struct worker_job *job)
{
	struct worker_shared *sh;

	sh = mmap(NULL, shared_size(job), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (sh == MAP_FAILED)
		return NULL;
	sh->job = *job;
	if (job->stamp) {
		sh->sent_at = (uint64_t *)(sh + 1);
		sh->arrived_at = sh->sent_at + job->messages;
	}
	return sh;
}

struct pair {
	struct worker_shared *sh;
	pid_t sender, receiver;		/* 0: not running */
};

/* True while neither has failed nor died. */
static bool pair_alive(struct pair *p)
{
	pid_t *pids[] = { &p->sender, &p->receiver };
	struct worker_side *sides[] = { &p->sh->sender, &p->sh->receiver };

	for (int i = 0; i < 2; i++) {
		if (*pids[i] && waitpid(*pids[i], NULL, WNOHANG) == *pids[i]) {
			*pids[i] = 0;
			if (worker_state(sides[i]) < WORKER_DONE) {
				snprintf(sides[i]->reason, sizeof(sides[i]->reason),
					 "the %s program died", i ? "receiving" : "sending");
				worker_set_state(sides[i], WORKER_FAILED);
			}
		}
		if (worker_state(sides[i]) == WORKER_FAILED)
			return false;
	}
	return true;
}

/*
 * Waits until @side has come to @state. The programs do not call us (that would
 * be a syscall of theirs), so we look twice a millisecond. As long as messages
 * arrive there is no time limit; the programs have their own for each message.
 */
static bool pair_wait(struct pair *p, struct worker_side *side,
		      enum worker_state state)
{
	const struct timespec nap = { .tv_nsec = 500000 };

	while (worker_state(side) < state) {
		if (!pair_alive(p))
			return false;
		nanosleep(&nap, NULL);
	}
	return worker_state(side) != WORKER_FAILED;
}

static void child_end(pid_t *pid)
{
	if (!*pid)
		return;
	kill(*pid, SIGKILL);
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
}

/* Waits for a program that has nothing left to do but to end. */
static void child_join(pid_t *pid)
{
	if (!*pid)
		return;
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
}

static int pair_start(struct pair *p)
{
	const struct worker_job *job = &p->sh->job;
	pid_t pid;

	pid = lab_spawn(job->to, job->programs.receiver, p->sh);
	if (pid < 0)
		return pid;
	p->receiver = pid;
	if (!pair_wait(p, &p->sh->receiver, WORKER_LISTENING))
		return 0;
	pid = lab_spawn(job->from, job->programs.sender, p->sh);
	if (pid < 0)
		return pid;
	p->sender = pid;
	if (pair_wait(p, &p->sh->sender, WORKER_READY))
		pair_wait(p, &p->sh->receiver, WORKER_READY);
	return 0;
}

static bool pair_ready(struct pair *p)
{
	return worker_state(&p->sh->sender) == WORKER_READY &&
	       worker_state(&p->sh->receiver) == WORKER_READY;
}

/*
 * Programs that wait for the end of the window without a syscall do it by
 * looking, and taking probes off takes a while. A stopped program does not look.
 */
static void pair_signal(struct pair *p, int sig)
{
	if (!p->sh->job.still)
		return;
	if (p->sender)
		kill(p->sender, sig);
	if (p->receiver && !p->sh->job.programs.receiver_asleep)
		kill(p->receiver, sig);
}

/*
 * A program that polls for completions has no time limit of its own, because
 * asking for the time can be a syscall. So the clock is here.
 */
static void pair_watch(struct pair *p, struct worker_side *side)
{
	const struct timespec nap = { .tv_nsec = 500000 };
	uint64_t moved_at = fab_real_ns();
	uint32_t seen = 0;

	while (worker_state(side) < WORKER_DONE && pair_alive(p)) {
		uint32_t now = atomic_load(&p->sh->arrived);

		if (now != seen)
			moved_at = fab_real_ns();
		seen = now;
		if (fab_real_ns() - moved_at > WORKER_PATIENCE_MS * 1000000ULL)
			atomic_store(&p->sh->give_up, 1);
		nanosleep(&nap, NULL);
	}
}

static bool pair_done(struct pair *p)
{
	return worker_state(&p->sh->sender) == WORKER_DONE &&
	       (p->sh->job.programs.receiver_asleep ||
		worker_state(&p->sh->receiver) == WORKER_DONE);
}

/* The measured window. */
static int pair_measure(struct pair *p)
{
	struct worker_shared *sh = p->sh;
	int err = 0;

	if (sh->job.open)
		err = sh->job.open(p->sender, p->receiver, sh->job.arg);
	if (err)
		return err;
	window_set(sh, 1);
	if (sh->job.verbs)
		pair_watch(p, &sh->sender);
	if (sh->job.verbs && !sh->job.programs.receiver_asleep)
		pair_watch(p, &sh->receiver);
	if (!sh->job.programs.receiver_asleep)
		pair_wait(p, &sh->receiver, WORKER_DONE);
	pair_wait(p, &sh->sender, WORKER_DONE);
	pair_signal(p, SIGSTOP);
	if (sh->job.close)
		sh->job.close(sh->job.arg);
	window_set(sh, 2);
	pair_signal(p, SIGCONT);
	if (pair_done(p)) {
		child_join(&p->receiver);
		child_join(&p->sender);
	}
	return 0;
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t *latencies(const struct worker_shared *sh)
{
	uint32_t n = sh->job.messages;
	uint64_t *ns = calloc(n, sizeof(*ns));

	for (uint32_t i = 0; ns && i < n; i++)
		ns[i] = sh->arrived_at[i] - sh->sent_at[i];
	if (ns)
		qsort(ns, n, sizeof(*ns), compare_ns);
	return ns;
}

/* The sender's reason is the nearer one: the receiver only sees nothing come. */
static void collect_failure(struct worker_shared *sh, struct worker_result *res)
{
	struct worker_side *side = &sh->sender;

	if (worker_state(side) != WORKER_FAILED)
		side = &sh->receiver;
	res->err = side->err;
	snprintf(res->reason, sizeof(res->reason), "%s", side->reason);
}

static void collect(struct worker_shared *sh, struct worker_result *res)
{
	const struct worker_job *job = &sh->job;

	res->messages = atomic_load(&sh->arrived);
	res->bytes = res->messages * job->size;
	res->verified_bytes = sh->verified_bytes;
	res->bring_up_ns = sh->bring_up_ns;
	res->bring_up_segments = sh->bring_up_segments;
	res->port = sh->port;
	res->bring_up_failed = !sh->bring_up_ns;
	memcpy(res->once, sh->once, sizeof(res->once));
	memcpy(res->met, sh->met, sizeof(res->met));
	snprintf(res->status, sizeof(res->status), "%s", sh->status);
	if (worker_state(&sh->sender) != WORKER_DONE ||
	    worker_state(&sh->receiver) != WORKER_DONE) {
		collect_failure(sh, res);
		return;
	}
	memcpy(res->busy, sh->busy, sizeof(res->busy));
	if (sh->last_arrival > sh->first_send)
		res->window_ns = sh->last_arrival - sh->first_send;
	res->data_segments = sh->data_segments;
	res->retransmitted_bytes = sh->retransmitted_bytes;
	if (job->stamp) {
		res->first_latency_ns = sh->arrived_at[0] - sh->sent_at[0];
		res->latency_ns = latencies(sh);
	}
	res->ok = res->verified_bytes == (uint64_t)job->messages * job->size;
	if (!res->ok)
		snprintf(res->reason, sizeof(res->reason),
			 "%llu of %llu bytes are not what was sent",
			 (unsigned long long)(res->bytes - res->verified_bytes),
			 (unsigned long long)res->bytes);
}

int worker_run(const struct worker_job *job, struct worker_result *res)
{
	struct pair p = { };
	int err;

	memset(res, 0, sizeof(*res));
	p.sh = shared_new(job);
	if (!p.sh)
		return -ENOMEM;
	fflush(NULL);	/* what waits in stdio must not be printed by a child */
	err = pair_start(&p);
	if (!err && pair_ready(&p))
		err = pair_measure(&p);
	/* The receiver has a limit of its own; a failed pair need not wait for it. */
	child_end(&p.sender);
	child_end(&p.receiver);
	if (!err)
		collect(p.sh, res);
	munmap(p.sh, shared_size(job));
	return err;
}

uint64_t worker_latency(const struct worker_result *res, unsigned int p)
{
	if (!res->latency_ns || !res->messages)
		return 0;
	return res->latency_ns[(res->messages - 1) * p / 100];
}
