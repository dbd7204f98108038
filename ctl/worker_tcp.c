// SPDX-License-Identifier: GPL-2.0
/*
 * Path 1: messages over TCP, by two programs that use sockets as every textbook
 * does: blocking send() on one side, recv(MSG_WAITALL) on the other. What such
 * a message costs inside the two hosts is what the lesson is about, so nothing
 * here is clever: one send() and one recv() a message, and no other system
 * call while it is counted.
 *
 * Life of the pair (the controller's part is worker_pair.c):
 *
 *	receiver: listen ----- accept - ready - sleep |  recv ... recv | verify
 *	sender:         connect ------- ready - sleep |  send ... send | close
 *	controller:                                open               close
 *
 * Between open and close lies the measured window. Buffers are filled, and
 * touched, before it opens; contents are checked after it has closed: each
 * message has a place of its own in the receiver's memory until then.
 *
 * "One at a time": the next message may leave only when the last has arrived.
 * An answer sent back by the receiving program would say so, and would double
 * the syscalls and copies that we want to count. So the kernel holds the sender
 * back: its send buffer has room for one message only, and send() blocks until
 * TCP has the acknowledgment of the message before. TCP acknowledges what a
 * program's recv() has emptied from the buffer, so that is "arrived".
 * The kernel's smallest send buffer (4,608 bytes, overhead included) is too
 * large for this with messages below 4 KiB. There the receiver counts arrivals
 * in memory that both programs share, and the sender looks at the counter; that
 * needs no syscall, but the looking is CPU time (a pass that measures CPU time
 * sleeps on the counter instead).
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "tcp_counts.h"
#include "worker_data.h"
#include "worker_pair.h"

/* Message sizes of which exactly one fits into a send buffer of that size. */
#define HOLD_KERNEL_MIN		4096
#define HOLD_KERNEL_MAX		32768

enum worker_hold worker_tcp_hold(uint32_t size)
{
	if (size >= HOLD_KERNEL_MIN && size <= HOLD_KERNEL_MAX)
		return WORKER_HOLD_KERNEL;
	return WORKER_HOLD_LOOK;
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

/* ---- the sender ---- */

/* Waits until the receiver has counted message @i; see the top of the file. */
static int sender_hold(struct worker_shared *sh, uint32_t i)
{
	switch (sh->job.hold) {
	case WORKER_HOLD_LOOK:
		while (atomic_load(&sh->arrived) <= i) {
			if (worker_state(&sh->receiver) == WORKER_FAILED)
				return -1;
		}
		break;
	case WORKER_HOLD_SLEEP:
		if (worker_wait_arrived(sh, i + 1) < 0)
			return -1;
		break;
	case WORKER_HOLD_KERNEL:	/* the next send() blocks */
	case WORKER_HOLD_NONE:
		break;
	}
	return 0;
}

static int sender_send_all(struct worker_shared *sh, int fd, char *buf)
{
	const struct worker_job *job = &sh->job;

	for (uint32_t i = 0; i < job->messages; i++) {
		ssize_t n;

		if (job->stamp)
			sh->sent_at[i] = fab_real_ns();
		n = send(fd, data_message(job, buf, i), job->size, MSG_NOSIGNAL);
		if (n != (ssize_t)job->size)
			return worker_fail(&sh->sender, "message %u of %u: %s", i + 1,
				    job->messages, n >= 0 || errno == EAGAIN ?
				    "nothing was acknowledged in time" :
				    strerror(errno));
		if (sender_hold(sh, i))
			return worker_fail(&sh->sender, "message %u of %u did not arrive",
				    i + 1, job->messages);
	}
	return 0;
}

/* connect(), but no longer than WORKER_PATIENCE_MS. */
static int sender_connect(struct worker_shared *sh, int fd)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr = sh->job.to->ip,
		.sin_port = htons(sh->port),
	};

	/* For connect(), too, SO_SNDTIMEO is the limit; it says EINPROGRESS. */
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return 0;
	if (errno == EINPROGRESS || errno == EAGAIN)
		errno = ETIMEDOUT;
	return worker_fail(&sh->sender, "connect to %s (%s): %s", sh->job.to->name,
		    sh->job.to->ip_str, strerror(errno));
}

static int sender_open(struct worker_shared *sh)
{
	struct tcp_counts counts;
	int fd, one = 1;
	uint64_t start;

	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -worker_fail(&sh->sender, "socket: %s", strerror(errno));
	set_patience(fd);
	/* A message is complete: TCP shall not wait for more to send with it. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (sh->job.hold == WORKER_HOLD_KERNEL) {
		int half = sh->job.size / 2;	/* the kernel doubles it */

		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &half, sizeof(half));
	}

	start = fab_real_ns();
	if (sender_connect(sh, fd))
		return -1;
	sh->bring_up_ns = fab_real_ns() - start;
	tcp_counts_get(fd, &counts);
	sh->bring_up_segments = counts.segments;
	return fd;
}

static int worker_tcp_sender(void *arg)
{
	struct worker_shared *sh = arg;
	struct tcp_counts counts;
	char *buf;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	buf = data_buffer(&sh->job);
	if (!buf)
		return worker_fail(&sh->sender, "no memory for %u messages",
			    sh->job.messages);
	data_fill(&sh->job, buf);

	fd = sender_open(sh);
	if (fd < 0)
		return 1;
	worker_wait_open(sh, &sh->sender);
	if (!sh->job.still)
		sh->first_send = fab_real_ns();
	if (sender_send_all(sh, fd, buf))
		return 1;
	worker_wait_close(sh, &sh->sender);

	tcp_counts_get(fd, &counts);
	sh->data_segments = counts.data_segments;
	sh->retransmitted_bytes = counts.retransmitted_bytes;
	close(fd);
	return 0;
}

/* ---- the receiver ---- */

static int receiver_recv_all(struct worker_shared *sh, int fd, char *buf)
{
	const struct worker_job *job = &sh->job;

	for (uint32_t i = 0; i < job->messages; i++) {
		ssize_t n = recv(fd, data_message(job, buf, i), job->size, MSG_WAITALL);

		if (n == 0)
			return worker_fail(&sh->receiver,
					   "the sender hung up after %u of %u messages",
					   i, job->messages);
		if (n != (ssize_t)job->size)
			return worker_fail(&sh->receiver, "message %u of %u: %s", i + 1,
				    job->messages, n >= 0 || errno == EAGAIN ?
				    "did not arrive in time" : strerror(errno));
		if (job->stamp)
			sh->arrived_at[i] = fab_real_ns();
		worker_count_arrival(sh);
	}
	if (!job->still)	/* on some clocks, this is a syscall */
		sh->last_arrival = fab_real_ns();
	return 0;
}

static int receiver_listen(struct worker_shared *sh)
{
	struct sockaddr_in me = {
		.sin_family = AF_INET,
		.sin_addr = sh->job.to->ip,
	};
	socklen_t len = sizeof(me);
	int fd;

	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -worker_fail(&sh->receiver, "socket: %s", strerror(errno));
	if (bind(fd, (struct sockaddr *)&me, sizeof(me)))
		return -worker_fail(&sh->receiver, "%s has no address %s any more: %s",
			     sh->job.to->name, sh->job.to->ip_str, strerror(errno));
	if (listen(fd, 1) || getsockname(fd, (struct sockaddr *)&me, &len))
		return -worker_fail(&sh->receiver, "listen: %s", strerror(errno));
	sh->port = ntohs(me.sin_port);
	worker_set_state(&sh->receiver, WORKER_LISTENING);
	return fd;
}

static int worker_tcp_receiver(void *arg)
{
	/* Nobody receives yet when the first message comes. */
	const struct timespec late = { .tv_nsec = 200000000 };
	struct worker_shared *sh = arg;
	int listener, fd;
	char *buf;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	buf = data_buffer(&sh->job);
	if (!buf)
		return worker_fail(&sh->receiver, "no memory for %u messages",
			    sh->job.messages);
	listener = receiver_listen(sh);
	if (listener < 0)
		return 1;
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return worker_fail(&sh->receiver, "nobody connected: %s", strerror(errno));
	set_patience(fd);

	worker_wait_open(sh, &sh->receiver);
	if (sh->job.mistake == MISTAKE_NO_RECV)
		nanosleep(&late, NULL);
	if (receiver_recv_all(sh, fd, buf))
		return 1;
	worker_wait_close(sh, &sh->receiver);

	sh->verified_bytes = data_verify(&sh->job, buf, sh->job.messages);
	close(fd);
	return 0;
}

int worker_tcp_run(const struct worker_job *job, struct worker_result *res)
{
	struct worker_job tcp = *job;

	tcp.programs = (struct worker_programs) {
		.sender = worker_tcp_sender, .receiver = worker_tcp_receiver,
	};
	return worker_run(&tcp, res);
}
