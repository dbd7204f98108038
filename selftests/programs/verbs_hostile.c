// SPDX-License-Identifier: GPL-2.0
/*
 * A program that breaks every rule: it writes random values over its rings, indices
 * and doorbells, of which it learns by standing in for mmap(). Half of what it writes
 * makes sense, so that it gets past the first check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "verbs.h"

#define MAX_MAPS	64
/* Bytes of a completion queue's ring of 1,024: the page of indices, and entries. */
#define CQ_LENGTH	(4096 + 1024 * 64)
/* After so many rounds the QPs, which mostly have failed by then, begin anew. */
#define REVIVE_EVERY	64

static struct map {
	uint8_t *at;
	size_t length;
	bool doorbell;
} maps[MAX_MAPS];
static int n_maps;
static bool recording;

void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	void *at = (void *)syscall(SYS_mmap, addr, length, prot, flags, fd, offset);

	if (recording && at != MAP_FAILED && n_maps < MAX_MAPS)
		maps[n_maps++] = (struct map) { at, length, fd >= 0 };
	return at;
}

void *mmap64(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
	__alias("mmap");

static uint64_t state;

static uint32_t random32(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

/* Small, large, near a power of two, or a key or address that is good. */
static uint32_t likely(const struct pair *pair)
{
	uintptr_t addr = (uintptr_t)pair->a.buf;

	switch (random32() % 8) {
	case 0: return random32() % 16;
	case 1: return random32() % 65536;
	case 2: return 1U << random32() % 32;
	case 3: return pair->a.mr->lkey;
	case 4: return pair->b.mr->rkey;
	case 5: return addr;
	case 6: return addr >> 32;
	default: return random32();
	}
}

static unsigned long completions;

/* The fabric looks at any time. */
static void store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* An overrun CQ would end everything: mostly take what came, as a good program does. */
static bool spared(struct map *map)
{
	uint32_t *words = (uint32_t *)map->at, tail;

	if (map->length != CQ_LENGTH || random32() % 256 == 0)
		return false;
	tail = __atomic_load_n(&words[2], __ATOMIC_ACQUIRE);
	completions += (tail - words[3]) % 2048;
	store(&words[3], tail);
	return true;
}

static void scribble(const struct pair *pair, struct map *map)
{
	uint32_t *words = (uint32_t *)map->at;
	size_t n = map->length / 4, i;

	if (spared(map))
		return;

	if (map->doorbell) {
		store(&words[random32() % 3], random32() % 2 ? random32() :
		      (random32() % 8) << 29 | random32() % 16);
		return;
	}
	/* The indices: 4 words at the begin of an SQ, CQ or SRQ. */
	if (random32() % 2)
		store(&words[random32() % 4], random32() % 4 ? random32() % 128 : random32());
	for (i = 0; i < 40; i++)
		store(&words[random32() % n], likely(pair));
}

static struct ibv_qp *qps[5];
static const struct how ways[5] = {
	{}, {}, { .srq = true }, { .srq = true }, { .type = IBV_QPT_UD },
};

/* Each is the peer of its neighbour; the datagram QP has none. */
static void connect_all(struct pair *pair)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	int i;

	for (i = 0; i < 5; i++) {
		struct end *end = i % 2 ? &pair->b : &pair->a, *peer = i % 2 ? &pair->a : &pair->b;

		if (ibv_modify_qp(qps[i], &reset, IBV_QP_STATE) ||
		    qp_connect(end, qps[i], peer, qps[(i ^ 1) % 5]->qp_num, &ways[i]))
			broken("connect QP %d", i);
	}
}

/* QPs of each kind, in states where they are listened to. */
static void open_all(struct pair *pair, char **argv)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 64, .max_sge = 4 } };
	int i;

	recording = true;
	pair_open(pair, argv, true);
	pair->a.srq = ibv_create_srq(pair->a.pd, &init);
	pair->b.srq = ibv_create_srq(pair->b.pd, &init);
	if (!pair->a.srq || !pair->b.srq)
		broken("make the SRQs");
	for (i = 0; i < 5; i++) {
		qps[i] = qp_make(i % 2 ? &pair->b : &pair->a, &ways[i]);
		if (!qps[i])
			broken("make QP %d", i);
	}
	connect_all(pair);
	recording = false;
}

void verbs_hostile(int argc, char **argv)
{
	long rounds = atol(argv[4]), i;
	struct pair pair;

	(void)argc;
	state = strtoull(argv[3], NULL, 0);
	open_all(&pair, argv);
	if (n_maps < 8)
		broken("only %d mappings seen", n_maps);
	for (i = 0; i < rounds; i++) {
		scribble(&pair, &maps[random32() % n_maps]);
		if (i % 16 == 0)
			usleep(random32() % 500);
		if (i % REVIVE_EVERY == 0)
			connect_all(&pair);
	}
	printf("%d mappings, %ld rounds, %lu completions\n", n_maps, rounds, completions);
	passed("seed %s: all was scribbled over", argv[3]);
	/* No good-bye: the kernel takes it all away. */
	_exit(0);
}
