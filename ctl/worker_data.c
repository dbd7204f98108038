// SPDX-License-Identifier: GPL-2.0
/* Contents of messages; see worker_data.h. */
#include <string.h>
#include <sys/mman.h>

#include "worker_data.h"

/*
 * Contents of word @word of message @msg: every word of a run differs, so a
 * message that is lost, doubled, shifted or swapped cannot pass for another.
 */
static uint64_t content(uint64_t seed, uint64_t msg, uint64_t word)
{
	uint64_t x = (msg << 32 | word) + seed * 0x9e3779b97f4a7c15ULL + 1;

	x *= 0xd1342543de82ef95ULL;
	x ^= x >> 31;
	return x * 0xaf251af3b0f025b5ULL;
}

static void message_fill(const struct worker_job *job, uint32_t msg, char *to)
{
	for (uint32_t at = 0; at < job->size; at += sizeof(uint64_t)) {
		uint64_t word = content(job->seed, msg, at / sizeof(word));
		uint32_t left = job->size - at;

		memcpy(to + at, &word, left < sizeof(word) ? left : sizeof(word));
	}
}

static uint64_t message_verify(const struct worker_job *job, uint32_t msg,
			       const char *got)
{
	uint64_t right = 0;

	for (uint32_t at = 0; at < job->size; at += sizeof(uint64_t)) {
		uint64_t word = content(job->seed, msg, at / sizeof(word));
		uint32_t left = job->size - at;
		uint32_t len = left < sizeof(word) ? left : sizeof(word);

		if (memcmp(got + at, &word, len) == 0)
			right += len;
	}
	return right;
}

/* Present before the window opens, so that no page fault falls into it. */
char *data_buffer(const struct worker_job *job)
{
	size_t len = (size_t)job->messages * job->size;
	char *buf = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return buf == MAP_FAILED ? NULL : buf;
}

char *data_message(const struct worker_job *job, char *buf, uint32_t i)
{
	return buf + (size_t)i * job->size;
}

void data_fill(const struct worker_job *job, char *buf)
{
	for (uint32_t i = 0; i < job->messages; i++)
		message_fill(job, i, data_message(job, buf, i));
}

uint64_t data_verify(const struct worker_job *job, char *buf, uint32_t messages)
{
	uint64_t right = 0;

	for (uint32_t i = 0; i < messages; i++)
		right += message_verify(job, i, data_message(job, buf, i));
	return right;
}
