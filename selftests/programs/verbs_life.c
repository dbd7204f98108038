// SPDX-License-Identifier: GPL-2.0
/* Traffic without end, many QPs, many connections, completions that are only polled for. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "verbs.h"

#define DEPTH	16

/* Has the device gone? */
static bool gone(struct ibv_context *ctx)
{
	struct pollfd fd = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	bool fatal;

	if (poll(&fd, 1, 0) <= 0 || ibv_get_async_event(ctx, &event))
		return false;
	fatal = event.event_type == IBV_EVENT_DEVICE_FATAL;
	ibv_ack_async_event(&event);
	return fatal;
}

/* WRITE and READ until an error comes or the device goes; says which. */
void verbs_stream(int argc, char **argv)
{
	const struct how how = {};
	struct work work[2] = {
		{ .opcode = IBV_WR_RDMA_WRITE, .length = 200000 },
		{ .opcode = IBV_WR_RDMA_READ, .length = 100000, .offset = 1 << 20 },
	};
	uint64_t last = now_ns();
	int i, posted = 0, done = 0;
	struct pair pair;
	struct ibv_wc wc;

	(void)argc;
	pair_open(&pair, argv, false);
	pair_connect(&pair, &how);
	for (;;) {
		for (i = 0; posted - done < DEPTH; i++, posted++)
			if (post(&pair.a, &pair.b, &work[i % 2]))
				break;
		if (ibv_poll_cq(pair.a.cq, 1, &wc) > 0) {
			if (wc.status) {
				printf("error: %s\n", ibv_wc_status_str(wc.status));
				break;
			}
			if (!done++)
				printf("running\n");
			last = now_ns();
			continue;
		}
		if (gone(pair.a.ctx)) {
			printf("error: the device is gone\n");
			break;
		}
		if (now_ns() - last > 60000000000ULL) {
			printf("nothing happens\n");
			break;
		}
		usleep(100);
	}
	/* A verb that asks the kernel is refused, and does not wait. */
	errno = 0;
	if (!ibv_alloc_pd(pair.a.ctx))
		printf("refused: %s\n", strerror(errno));
}

static void make_qps(struct pair *pair, struct ibv_qp **a, struct ibv_qp **b, int n)
{
	const struct how how = { .depth = 4 };
	int i;

	for (i = 0; i < n; i++) {
		a[i] = qp_make(&pair->a, &how);
		b[i] = qp_make(&pair->b, &how);
		if (!a[i] || !b[i])
			broken("QP %d", i);
		errno = qp_connect(&pair->a, a[i], &pair->b, b[i]->qp_num, &how);
		if (!errno)
			errno = qp_connect(&pair->b, b[i], &pair->a, a[i]->qp_num, &how);
		if (errno)
			broken("connect QP %d", i);
	}
}

/* QPs that are connected and idle, until a line comes on stdin. */
void verbs_hold(int argc, char **argv)
{
	int n = atoi(argv[3]);
	struct ibv_qp **a = calloc(n, sizeof(*a)), **b = calloc(n, sizeof(*b));
	struct pair pair;

	(void)argc;
	pair_open(&pair, argv, false);
	make_qps(&pair, a, b, n);
	printf("running\n");
	getchar();
}

/* All at once, each carries a message. */
void verbs_many(int argc, char **argv)
{
	int n = atoi(argv[3]), i, good = 0;
	struct ibv_qp **a = calloc(n, sizeof(*a)), **b = calloc(n, sizeof(*b));
	struct work work = { .opcode = IBV_WR_RDMA_WRITE, .length = 8 };
	struct pair pair;
	struct ibv_wc wc;

	(void)argc;
	pair_open(&pair, argv, false);
	make_qps(&pair, a, b, n);
	for (i = 0; i < n; i++) {
		pair.a.qp = a[i];
		work.offset = i * 8;
		work.remote_offset = i * 8;
		*(uint64_t *)(pair.a.buf + i * 8) = i + 1;
		if (post(&pair.a, &pair.b, &work))
			broken("post to QP %d", i);
		/* The CQ holds 1,024. */
		if (i >= 500)
			good += wait_wc(&pair.a, &wc, 20) && !wc.status;
	}
	while (i-- > (n > 500 ? n - 500 : 0))
		good += wait_wc(&pair.a, &wc, 20) && !wc.status;
	for (i = 0; i < n; i++)
		good -= *(uint64_t *)(pair.b.buf + i * 8) != (uint64_t)i + 1;
	printf("%d QPs a side, %d messages\n", n, good);
	verdict(good == n, "each of many QPs carries its message", "%d of %d", good, n);
	for (i = 0; i < n; i++)
		if (ibv_destroy_qp(a[i]) || ibv_destroy_qp(b[i]))
			broken("destroy QP %d", i);
	pair.a.qp = NULL;
	pair_close(&pair);
}

/* The receiver ends its QP as soon as it has the message; the sender must not suffer. */
static void leaving(struct pair *pair, int n)
{
	const struct how how = {};
	struct work work = { .opcode = IBV_WR_SEND, .length = 64 };
	struct ibv_wc wc = {};
	struct ibv_cq *cq;
	void *context;
	int i, good = 0;

	for (i = 0; i < n; i++) {
		pair_connect(pair, &how);
		if (ibv_req_notify_cq(pair->b.cq, 0) || post_recv(&pair->b, 0, 64) ||
		    post(&pair->a, &pair->b, &work))
			broken("post");
		/* Asleep, so that it is woken as soon as the completion is there. */
		while (!ibv_poll_cq(pair->b.cq, 1, &wc)) {
			if (ibv_get_cq_event(pair->b.channel, &cq, &context))
				broken("wait for an event");
			ibv_ack_cq_events(cq, 1);
		}
		if (ibv_destroy_qp(pair->b.qp))
			broken("destroy");
		pair->b.qp = NULL;
		good += wait_wc(&pair->a, &wc, 20) && !wc.status;
	}
	verdict(good == n, "receivers that leave at once", "%d of %d, %s", good, n,
		ibv_wc_status_str(wc.status));
}

/* Open, connect, one message, close. */
void verbs_connects(int argc, char **argv)
{
	const struct how how = {};
	struct work work = { .opcode = IBV_WR_SEND, .length = 64 };
	int n = atoi(argv[3]), i, good = 0;
	struct pair pair;

	(void)argc;
	pair_open(&pair, argv, true);
	for (i = 0; i < n; i++) {
		pair_connect(&pair, &how);
		if (post_recv(&pair.b, 0, 64))
			broken("post a RECV");
		good += result(&pair.a, &pair.b, &work) == IBV_WC_SUCCESS;
	}
	verdict(good == n, "connections come and go", "%d of %d", good, n);
	leaving(&pair, n);
	pair_disconnect(&pair);
	pair_close(&pair);
}

/* Objects of the slabs that events of completion channels come from. */
static long slab(void)
{
	char line[200], name[40];
	long used, sum = 0;
	FILE *file = fopen("/proc/slabinfo", "r");

	if (!file)
		broken("slabinfo");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%39s %ld", name, &used) == 2 && !strncmp(name, "kmalloc", 7))
			sum += used;
	fclose(file);
	return sum;
}

/* A program that has a channel and never reads it. */
void verbs_poll_only(int argc, char **argv)
{
	const struct how how = {};
	struct work work = { .opcode = IBV_WR_RDMA_WRITE, .length = 8 };
	long n = atol(argv[3]), posted = 0, done = 0, before = 0, after;
	struct pair pair;
	struct ibv_wc wc;

	(void)argc;
	pair_open(&pair, argv, true);
	pair_connect(&pair, &how);
	while (done < n) {
		while (posted < n && posted - done < 32 && !post(&pair.a, &pair.b, &work))
			posted++;
		if (!wait_wc(&pair.a, &wc, 20) || wc.status)
			return not_ok("completion %ld: %s", done, ibv_wc_status_str(wc.status));
		if (++done == n / 10)
			before = slab();
	}
	after = slab();
	printf("%ld completions, general slab objects %ld then %ld\n", n, before, after);
	/* An event of each would be 9/10 of n. */
	verdict(after - before < n / 4, "a channel that nobody reads does not fill up",
		"%ld objects more", after - before);
	pair_disconnect(&pair);
	pair_close(&pair);
}
