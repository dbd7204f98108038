// SPDX-License-Identifier: GPL-2.0
/* Expectations and predictions; see expect.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cost.h"
#include "expect.h"

/* The path that a metric is of, or -1. */
static int path_of(const char *metric)
{
	char name[8];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(metric, "."), metric);
	return cost_path_find(name);
}

struct json_object *expect_metric(struct json_object *result, const char *metric)
{
	struct json_object *from = path_of(metric) < 0 ?
					   result : tree_get(result, "paths");

	return tree_get(from, metric);
}

static bool was_asked_for(struct json_object *result, const char *name)
{
	struct json_object *path = tree_get(tree_get(result, "paths"), name);

	return path && strcmp(tree_text(path, "state", ""), "skipped");
}

/*
 * An expectation of a path that was not asked for says nothing. Whether a row of the
 * table is the same, it is on both RDMA paths.
 */
static bool applies(struct json_object *result, const struct scenario_expect *e)
{
	int which = path_of(e->metric);

	if (which >= 0)
		return was_asked_for(result, cost_path_name(which));
	if (!strncmp(e->metric, "table.", strlen("table.")))
		return was_asked_for(result, "roce") && was_asked_for(result, "ib");
	return true;
}

static bool met_number(const struct scenario_expect *e, double got)
{
	switch (e->op) {
	case EXPECT_EQ:
		return got == e->low;
	case EXPECT_NE:
		return got != e->low;
	case EXPECT_LT:
		return got < e->low;
	case EXPECT_LE:
		return got <= e->low;
	case EXPECT_GT:
		return got > e->low;
	case EXPECT_GE:
		return got >= e->low;
	case EXPECT_IN:
		return got >= e->low && got <= e->high;
	}
	return false;
}

static bool met(const struct scenario_expect *e, struct json_object *got)
{
	bool same;

	if (!got)
		return false;
	if (e->number && tree_is_number(got))
		return met_number(e, json_object_get_double(got));
	same = !strcmp(json_object_get_string(got), e->value);
	return e->op == EXPECT_EQ ? same : e->op == EXPECT_NE && !same;
}

bool expect_check(struct json_object *result, const struct scenario *s)
{
	struct json_object *list = tree_array(result, "expect");
	bool all = true;
	char want[128];

	for (uint32_t i = 0; i < s->expect_count; i++) {
		const struct scenario_expect *e = &s->expect[i];
		struct json_object *got, *o;
		bool ok;

		if (!applies(result, e))
			continue;
		got = expect_metric(result, e->metric);
		ok = met(e, got);
		all &= ok;
		o = tree_item(list);
		snprintf(want, sizeof(want), "%s %s", e->operator, e->value);
		tree_str(o, "metric", e->metric);
		tree_str(o, "want", want);
		json_object_object_add(o, "got", json_object_get(got));
		tree_bool(o, "ok", ok);
	}
	return all;
}

/* Questions go to stderr: stdout may be a pipe, and with -j it is JSON. */
void expect_ask(const struct scenario *s, struct json_object *answers)
{
	char line[80];

	if (s->question)
		fprintf(stderr, "%s\n", s->question);
	for (uint32_t i = 0; i < s->expect_count; i++) {
		if (!s->expect[i].ask)
			continue;
		fprintf(stderr, "  %s your guess: ", s->expect[i].ask);
		fflush(stderr);
		if (!fgets(line, sizeof(line), stdin)) {
			fputc('\n', stderr);
			return;
		}
		line[strcspn(line, "\n")] = '\0';
		if (!isatty(STDIN_FILENO))	/* nobody else shows the answer */
			fprintf(stderr, "%s\n", line);
		tree_str(answers, s->expect[i].metric, line);
	}
}

/* Right is what the scenario expects too, or what is within a tenth of it. */
static bool right(const struct scenario_expect *e, const char *said,
		  struct json_object *got)
{
	double guess, is;
	char *end;

	if (!got)
		return false;
	if (!tree_is_number(got))
		return !strcmp(json_object_get_string(got), said);
	guess = strtod(said, &end);
	if (end == said)
		return false;
	is = json_object_get_double(got);
	return fabs(guess - is) <= fabs(is) / 10 ||
	       (e->op == EXPECT_IN && met_number(e, guess) && met_number(e, is));
}

void expect_compare(struct json_object *result, const struct scenario *s,
		    struct json_object *answers)
{
	struct json_object *list = tree_array(result, "predictions");

	for (uint32_t i = 0; i < s->expect_count; i++) {
		const struct scenario_expect *e = &s->expect[i];
		struct json_object *said = NULL, *got, *o;

		/* The metric has dots in it: a plain key here, not a path. */
		if (!e->ask || !json_object_object_get_ex(answers, e->metric, &said))
			continue;
		got = expect_metric(result, e->metric);
		o = tree_item(list);
		tree_str(o, "ask", e->ask);
		tree_str(o, "said", json_object_get_string(said));
		json_object_object_add(o, "got", json_object_get(got));
		tree_bool(o, "right", right(e, json_object_get_string(said), got));
	}
}
