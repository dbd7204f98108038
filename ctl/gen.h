/* SPDX-License-Identifier: GPL-2.0 */
/* Streams of the generator, as people write them. */
#ifndef FABCTL_GEN_H
#define FABCTL_GEN_H

#include "nl.h"

struct gen_stream {
	char port[FABSIM_PORT_NAME_MAX + 1];
	uint8_t dst[6];
	uint64_t start, interval, jitter;
	uint32_t count, size;
	uint8_t prio;
};

struct gen_plan {
	struct gen_stream *streams;
	unsigned int n;
	bool has_at, has_seed;
	uint64_t at, seed;
};

/* Both: FAB_OK, or a status after a complaint. */
int gen_plan_words(struct fab_nl *nl, struct gen_plan *p, int argc, char **argv);
int gen_plan_file(struct fab_nl *nl, struct gen_plan *p, const char *path);
void gen_plan_put(struct gen_plan *p);

#endif /* FABCTL_GEN_H */
