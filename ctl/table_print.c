// SPDX-License-Identifier: GPL-2.0
/*
 * A result as text for a terminal of 80 columns. Columns exist only for paths
 * that ran; the comparison of paths 2 and 3 only if both did.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "output.h"
#include "path.h"
#include "table.h"
#include "units.h"

#define LABEL_WIDTH	34
#define COLUMN_WIDTH	13	/* of three; more when there are fewer */
#define COLUMNS_WIDTH	40
#define NARROW		6	/* half a host cell */

struct columns {
	const struct path *path[FABSIM_PATH_MAX + 1];
	unsigned int n, width;
	bool compare;		/* 2 and 3 both ran */
};

/* Spaces are owed until something follows, so that no line ends in them. */
static unsigned int owed;

static void spaces(int n)
{
	if (n > 0)
		owed += n;
}

static void pay(void)
{
	if (owed)
		out_text("%*s", (int)owed, "");
	owed = 0;
}

static void line_end(void)
{
	owed = 0;
	out_text("\n");
}

/* @s in @width columns; what is too long ends in "..". */
static void cell(const char *s, unsigned int width, bool right)
{
	unsigned int w = out_width(s);
	int bytes = strlen(s);

	while (w > width) {
		do
			bytes--;
		while ((s[bytes] & 0xc0) == 0x80);
		w--;
	}
	if (right)
		spaces(width - w);
	pay();
	out_text("%.*s", bytes, s);
	if (!right)
		spaces(width - w);
}

static bool ran(struct json_object *result, const struct path *p)
{
	const char *state = tree_text(tree_get(tree_get(result, "paths"), p->name),
				      "state", "");

	return !strcmp(state, "ok") || !strcmp(state, "failed");
}

static struct columns columns_of(struct json_object *result)
{
	struct columns c = { };

	for (int i = 0; i <= FABSIM_PATH_MAX; i++)
		if (ran(result, &paths[i]))
			c.path[c.n++] = &paths[i];
	c.width = c.n ? COLUMNS_WIDTH / c.n : 0;
	if (c.width > 26)
		c.width = 26;
	c.compare = ran(result, &paths[FABSIM_PATH_ROCE]) &&
		    ran(result, &paths[FABSIM_PATH_IB]);
	return c;
}

/* 1, 0.5, 48, 210: no more digits than mean something; only 0 is "0". */
static void number(double v, char *buf, size_t len)
{
	if (v == 0)
		snprintf(buf, len, "0");
	else if (v < 0.01)
		snprintf(buf, len, "<0.01");
	else if (fabs(v - round(v)) < 0.005 || v >= 100)
		snprintf(buf, len, "%.0f", v);
	else if (v < 0.1)
		snprintf(buf, len, "%.2f", v);
	else
		snprintf(buf, len, "%.1f", v);
}

static void print_side(struct json_object *c, const char *side)
{
	struct json_object *v = c ? tree_get(c, side) : NULL;
	char buf[32] = "-";

	if (v)
		number(json_object_get_double(v), buf, sizeof(buf));
	cell(buf, NARROW, true);
}

static void print_mark(struct json_object *row, const struct columns *c,
		       const struct table_row *def)
{
	struct json_object *same = tree_get(row, "same");

	if (!c->compare || !same)
		return;
	pay();
	if (json_object_get_boolean(same))
		out_text_color(OUT_GOOD, "  %s", def->varies ? "\u2248" : "=");
	else
		out_text_color(OUT_WARN, "  \u2260");
}

static void print_evidence(struct json_object *result, const struct table_row *def)
{
	char command[160];

	snprintf(command, sizeof(command), def->evidence,
		 tree_text(result, "traffic.from", "h1"),
		 tree_text(result, "traffic.to", "h2"));
	out_text_color(OUT_DIM, "      %s\n", command);
}

static const struct table_row *definition(const struct table_row *rows,
					  const char *name)
{
	while (rows->name && strcmp(rows->name, name))
		rows++;
	return rows;
}

static void print_row(struct json_object *row, const struct columns *c,
		      const struct table_row *def)
{
	unsigned int unit = def->unit ? out_width(def->unit) : 0;

	spaces(2);
	cell(def->name, LABEL_WIDTH - 4 - unit, false);
	if (def->unit)
		cell(def->unit, unit, false);
	spaces(2);
	for (unsigned int i = 0; i < c->n; i++) {
		struct json_object *v = tree_get(row, c->path[i]->name);

		if (def->key) {
			print_side(v, "sender");
			print_side(v, "receiver");
			spaces(c->width - 2 * NARROW);
		} else {
			spaces(2);
			cell(v ? json_object_get_string(v) : "-", c->width - 2, false);
		}
	}
	print_mark(row, c, def);
	line_end();
}

static void print_total(struct json_object *section, const struct columns *c,
			bool network)
{
	unsigned int rows = tree_number(section, "rows", 0);
	unsigned int same = tree_number(section, "same", 0);

	if (!c->compare || !rows)
		return;
	spaces(LABEL_WIDTH);
	pay();
	if (network)
		out_text("%u of %u rows differ\n", rows - same, rows);
	else
		out_text("%u of %u rows: %s = %s\n", same, rows,
			 path_symbol(&paths[FABSIM_PATH_ROCE]),
			 path_symbol(&paths[FABSIM_PATH_IB]));
}

static void print_section(struct json_object *result, const struct columns *c,
			  bool network, bool evidence)
{
	const struct table_row *defs = network ? table_network : table_host, *def;
	struct json_object *section = tree_get(tree_get(result, "table"),
					       network ? "network" : "host");
	struct json_object *list = tree_get(section, "list"), *row;

	if (!list || !json_object_array_length(list))
		return;
	cell(network ? "network layer" : "inside the host, per message",
	     LABEL_WIDTH, false);
	for (unsigned int i = 0; i < c->n && !network; i++) {
		cell("snd", NARROW, true);
		cell("rcv", NARROW, true);
		spaces(c->width - 2 * NARROW);
	}
	line_end();
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		row = json_object_array_get_idx(list, i);
		def = definition(defs, tree_text(row, "name", ""));
		print_row(row, c, def);
		if (evidence && def->evidence)
			print_evidence(result, def);
	}
	print_total(section, c, network);
}

static void print_symbols(const struct columns *c)
{
	spaces(LABEL_WIDTH);
	for (unsigned int i = 0; i < c->n; i++) {
		const char *s = path_symbol(c->path[i]);
		unsigned int w = fab_opts.ascii ? strlen(s) : 1;

		spaces(NARROW);
		pay();
		out_text("%s", s);
		spaces(c->width - NARROW - w);
	}
	if (c->compare) {
		pay();
		out_text("%s%s", path_symbol(&paths[FABSIM_PATH_ROCE]),
			 path_symbol(&paths[FABSIM_PATH_IB]));
	}
	line_end();
}

static void print_path(struct json_object *result, const struct path *p)
{
	struct json_object *o = tree_get(tree_get(result, "paths"), p->name);
	const char *state = tree_text(o, "state", NULL);
	const char *from = tree_text(result, "traffic.from", NULL);

	if (!state)
		return;
	out_text("%s %-5s ", path_symbol(p), p->name);
	if (from && strcmp(state, "skipped"))
		out_text("%s %s %s %s %s  ", from, p->out,
			 tree_text(o, "network.via", "?"), p->in,
			 tree_text(result, "traffic.to", "?"));
	out_text_color(!strcmp(state, "ok") ? OUT_GOOD : OUT_WARN, "%s", state);
	if (!strcmp(state, "ok"))
		out_text("  %s B verified",
			 units_count(tree_number(o, "verified_bytes", 0)));
	else if (!strcmp(state, "skipped"))
		out_text("  %s", tree_text(o, "reason", "?"));
	out_text("\n");
	if (!strcmp(state, "failed"))
		out_lines(8, tree_text(o, "reason", "?"));
	if (tree_text(o, "detail", NULL))
		out_lines(8, tree_text(o, "detail", ""));
}

/* left ... right, in 80 columns. */
static void print_head(struct json_object *result)
{
	double which = tree_number(result, "lesson_scenario", 0);
	const char *lesson = tree_text(result, "lesson", NULL);
	char left[200], scenario[40] = "", lessons[40] = "", right[64];
	int gap;

	if (which > 0)
		snprintf(scenario, sizeof(scenario), "lesson scenario %.0f: ", which);
	if (lesson)
		snprintf(lessons, sizeof(lessons), " \u00b7 lesson%s %s",
			 strchr(lesson, '-') || strchr(lesson, ',') ? "s" : "", lesson);
	snprintf(left, sizeof(left), "%s \u00b7 %s%s%s",
		 tree_text(result, "scenario", "?"), scenario,
		 tree_text(result, "title", ""), lessons);
	snprintf(right, sizeof(right), "seed %.0f \u00b7 pace %.0f",
		 tree_number(result, "seed", 0), tree_number(result, "pace", 0));
	gap = 79 - (int)out_width(left) - (int)out_width(right);
	if (gap >= 2)
		out_text("%s%*s%s\n", left, gap, "", right);
	else
		out_text("%s\n%*s%s\n", left, 79 - (int)out_width(right), "", right);
}

static void print_traffic(struct json_object *result)
{
	struct json_object *t = tree_get(result, "traffic");
	char op[8] = "";

	if (!t)
		return;
	snprintf(op, sizeof(op), "%s", tree_text(t, "op", "write"));
	for (char *c = op; *c; c++)
		*c = toupper(*c);
	out_text("%s messages of %s %s\u2192%s, %s, RDMA op %s\n",
		 units_count(tree_number(t, "messages", 0)),
		 path_size(tree_number(t, "size", 0)), tree_text(t, "from", "?"),
		 tree_text(t, "to", "?"), tree_text(t, "order", "?"), op);
}

/* What Ethernet switches did says nothing where only InfiniBand was sent over. */
static bool steps_use_ethernet(struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		if (tree_get(o, "ok") && strcmp(tree_text(o, "path", "tcp"), "ib"))
			return true;
	}
	return false;
}

static void print_step(struct json_object *o, bool ethernet)
{
	struct json_object *ok = tree_get(o, "ok");
	double ns = tree_number(o, "first_message_ns", -1);
	char us[32] = "-";

	if (ns >= 0)
		snprintf(us, sizeof(us), "%.0f", ns / 1000);
	out_text("  %-16s %-7s", tree_text(o, "name", "?"),
		 !ok ? "-" : json_object_get_boolean(ok) ? "ok" : "failed");
	if (ethernet)
		out_text(" %14.0f %9.0f %9.0f", tree_number(o, "broadcasts", 0),
			 tree_number(o, "flooded", 0), tree_number(o, "learned", 0));
	out_text(" %18s\n", us);
	if (tree_text(o, "title", NULL))
		out_text_color(OUT_DIM, "    %s\n", tree_text(o, "title", ""));
	if (tree_text(o, "reason", NULL))
		out_lines(4, tree_text(o, "reason", ""));
}

static void print_steps(struct json_object *result)
{
	struct json_object *list = tree_get(result, "steps");
	bool ethernet;

	if (!list)
		return;
	ethernet = steps_use_ethernet(list);
	out_text("%-18s %-7s%s %19s\n", "step", "result",
		 ethernet ? " ARP broadcasts   flooded   learned" : "",
		 "first message \u00b5s");
	for (size_t i = 0; i < json_object_array_length(list); i++)
		print_step(json_object_array_get_idx(list, i), ethernet);
}

static void print_strings(struct json_object *list, const char *before)
{
	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		out_text("%s%s\n", before,
			 json_object_get_string(json_object_array_get_idx(list, i)));
}

static bool is_met(struct json_object *expect)
{
	return json_object_get_boolean(tree_get(expect, "ok"));
}

static void print_expect(struct json_object *result)
{
	struct json_object *list = tree_get(result, "expect"), *o;
	size_t n = list ? json_object_array_length(list) : 0, met = 0;

	for (size_t i = 0; i < n; i++)
		met += is_met(json_object_array_get_idx(list, i));
	if (!n)
		return;
	out_text_color(met == n ? OUT_GOOD : OUT_BAD, "expected: %zu of %zu seen\n",
		       met, n);
	for (size_t i = 0; i < n; i++) {
		o = json_object_array_get_idx(list, i);
		if (is_met(o))
			continue;
		out_text_color(OUT_BAD, "  missed: %s should be %s, is %s\n",
			       tree_text(o, "metric", ""), tree_text(o, "want", ""),
			       tree_get(o, "got") ?
			       json_object_get_string(tree_get(o, "got")) : "not measured");
	}
}

static void print_predictions(struct json_object *result)
{
	struct json_object *list = tree_get(result, "predictions"), *o;

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		bool right;

		o = json_object_array_get_idx(list, i);
		right = json_object_get_boolean(tree_get(o, "right"));
		out_text("%s\n", tree_text(o, "ask", ""));
		out_text_color(right ? OUT_GOOD : OUT_WARN,
			       "  you said %s, measured %s: %s\n",
			       tree_text(o, "said", ""),
			       tree_get(o, "got") ?
			       json_object_get_string(tree_get(o, "got")) : "nothing",
			       right ? "right" : "look again");
	}
}

static void print_spread(struct json_object *result)
{
	struct json_object *list = tree_get(result, "repeat.spread"), *o;

	if (!list)
		return;
	out_text("over %.0f runs%*smin       median          max\n",
		 tree_number(result, "repeat.runs", 0), 40, "");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		o = json_object_array_get_idx(list, i);
		out_text("  %-40s %12.6g %12.6g %12.6g\n", tree_text(o, "metric", ""),
			 tree_number(o, "min", 0), tree_number(o, "median", 0),
			 tree_number(o, "max", 0));
	}
}

void table_print(struct json_object *result, bool evidence)
{
	struct columns c = columns_of(result);

	print_strings(tree_get(result, "notes"), "note: ");
	print_strings(tree_get(result, "undone"), "undone: ");
	print_head(result);
	print_traffic(result);
	for (int i = 0; i <= FABSIM_PATH_MAX; i++)
		print_path(result, &paths[i]);
	out_text("\n");
	print_steps(result);
	if (tree_get(result, "traffic") && c.n) {
		print_symbols(&c);
		print_section(result, &c, false, evidence);
		print_section(result, &c, true, evidence);
		if (tree_text(result, "credit", NULL)) {
			out_text("credit:\n");
			out_lines(2, tree_text(result, "credit", ""));
		}
	}
	print_spread(result);
	print_predictions(result);
	print_expect(result);
	print_strings(tree_get(result, "notices"), "note: ");
}
