// SPDX-License-Identifier: GPL-2.0
/*
 * A TCP stream or a ping-pong between two network namespaces, timed.
 *
 *	tcpbench stream FROM TO ADDRESS BYTES WRITE_SIZE	ns a byte
 *	tcpbench rr     FROM TO ADDRESS ROUNDS SIZE		ns a round trip
 *
 * FROM and TO are names of namespaces. Both ends run here, one process each,
 * and block in their system calls, so that with one CPU and a clock that counts
 * instructions the time is the work that was done.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT	5001

static void enter(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(3, "%s", path);
	close(fd);
}

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void send_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, 0);

		if (n < 0)
			err(1, "send");
		data += n;
		len -= n;
	}
}

static bool receive_all(int fd, char *data, size_t len)
{
	ssize_t n = recv(fd, data, len, MSG_WAITALL);

	if (n < 0)
		err(1, "recv");
	return (size_t)n == len;
}

/* Memory for @size bytes, away from the 1 MiB steps that collide in the emulator's TLB. */
static char *memory(size_t size)
{
	char *data = malloc(size + 4096 * 3);

	if (!data)
		err(1, "malloc");
	memset(data, 1, size);
	return data;
}

static void serve(int listener, bool echo, long long total, size_t size)
{
	int fd = accept(listener, NULL, NULL), one = 1;
	char *data = memory(size);
	long long done = 0;
	ssize_t n;

	if (fd < 0)
		err(1, "accept");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (echo) {
		while (receive_all(fd, data, size))
			send_all(fd, data, size);
		exit(0);
	}
	while (done < total && (n = recv(fd, data, size, 0)) > 0)
		done += n;
	send_all(fd, "!", 1);
	exit(done == total ? 0 : 1);
}

static int listen_on(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)address, sizeof(*address)) || listen(fd, 1))
		err(1, "listen");
	return fd;
}

static int connect_to(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (connect(fd, (struct sockaddr *)address, sizeof(*address)))
		err(1, "connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static double stream(int fd, long long total, size_t size)
{
	char *data = memory(size);
	long long left, begin;
	char done;

	begin = now();
	for (left = total; left > 0; left -= size)
		send_all(fd, data, size);
	if (!receive_all(fd, &done, 1))
		errx(1, "the receiver missed something");
	return (double)(now() - begin) / total;
}

static double ping_pong(int fd, long long rounds, size_t size)
{
	char *data = memory(size);
	long long i, begin = 0;

	/* The first rounds warm up caches and the congestion window. */
	for (i = -rounds / 10; i < rounds; i++) {
		if (i == 0)
			begin = now();
		send_all(fd, data, size);
		if (!receive_all(fd, data, size))
			errx(1, "the peer is gone");
	}
	return (double)(now() - begin) / rounds;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	bool echo;
	int listener, fd, status;
	long long amount;
	size_t size;
	pid_t child;

	if (argc != 7 || inet_pton(AF_INET, argv[4], &address.sin_addr) != 1)
		errx(2, "usage: tcpbench stream|rr FROM TO ADDRESS AMOUNT SIZE");
	echo = !strcmp(argv[1], "rr");
	amount = atoll(argv[5]);
	size = atol(argv[6]);
	if (amount <= 0 || !size)
		errx(2, "AMOUNT and SIZE are positive numbers");
	if (!echo)
		amount -= amount % size;

	enter(argv[3]);
	listener = listen_on(&address);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child)
		serve(listener, echo, amount, size);
	close(listener);
	enter(argv[2]);
	fd = connect_to(&address);
	printf("%.3f\n", echo ? ping_pong(fd, amount, size) : stream(fd, amount, size));
	close(fd);
	waitpid(child, &status, 0);
	return status ? 1 : 0;
}
