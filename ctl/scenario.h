/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scenario: a file that says what to build, what to send and what must be
 * seen (docs/scenarios.md describes its keys). Loaded and checked completely
 * before anything happens.
 */
#ifndef FABCTL_SCENARIO_H
#define FABCTL_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "../kmod/uapi/fabsim.h"
#include "mistake.h"

enum expect_op {
	EXPECT_EQ, EXPECT_NE, EXPECT_LT, EXPECT_LE, EXPECT_GT, EXPECT_GE,
	EXPECT_IN,		/* low..high, both included */
};

struct scenario_expect {
	char *metric;		/* a path into the result: tcp.host.sender.syscalls */
	char *operator;
	char *value;		/* as written: a number, a word, low..high */
	char *ask;		/* --ask: the question that the metric answers */
	enum expect_op op;
	bool number;		/* low (and high) are set */
	double low, high;
};

struct scenario_step {
	char *name;
	char *at;		/* time after the first step, real; absent: at once */
	char *title;		/* what happens, for the reader */
	char **actions;
	uint32_t actions_count;
	uint64_t at_ns;
};

struct scenario_traffic {
	char *from, *to;
	uint32_t messages;
	char *size;		/* as written: 4K */
	char *order;		/* "one at a time" (default) or "back to back" */
	char *op;		/* of RDMA: write (default), read, send */
	char *mistake;		/* what is wrong on purpose, as written */
	enum mistake wrong;
	uint32_t size_bytes;
	bool one_at_a_time;
};

struct scenario_variant {
	char *name;
	char *title;
	char **set;
	uint32_t set_count;
};

struct scenario {
	char *name;		/* the file's, without folder and .yaml */
	char *file;
	uint32_t number;
	char *lesson;
	uint32_t lesson_scenario;	/* 0: not one of the lesson's four */
	char *title, *question;
	char *shows;		/* one line for "fabctl list" */
	uint32_t seconds;
	bool fails_on_purpose;
	char *topology;
	char **paths;
	uint32_t paths_count;
	char **set;
	uint32_t set_count;
	struct scenario_traffic *traffic;
	struct scenario_step *steps;
	uint32_t steps_count;
	struct scenario_variant *variants;
	uint32_t variants_count;
	struct scenario_expect *expect;
	uint32_t expect_count;
};

/* @what: a name, a number or a file. NULL after a complaint. */
struct scenario *scenario_load(const char *what);
void scenario_free(struct scenario *s);

/* All scenarios in order of their number; ends with NULL. Free with _list_free. */
struct scenario **scenario_list(void);
void scenario_list_free(struct scenario **list);

/* Is this an operation of RDMA: write, read, send? */
bool scenario_op_known(const char *op);
/* The mistake that a program can make, by its name; -1: no such. */
int scenario_mistake(const char *name);

struct scenario_variant *scenario_variant(struct scenario *s, const char *name);

#endif /* FABCTL_SCENARIO_H */
