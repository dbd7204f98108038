// SPDX-License-Identifier: GPL-2.0
/*
 * The print layer: text at once, JSON as a tree that out_done() prints.
 *
 * With --ascii every text goes through one small table, so no command thinks
 * about it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <json-c/json.h>

#include "array.h"
#include "cmd.h"
#include "output.h"

#define DEPTH	16

static struct json_object *root;
static struct json_object *stack[DEPTH];
static unsigned int depth;

static struct {
	const struct out_col *cols;
	unsigned int n, at;
	bool in_row;
	char **cells;			/* rows of n */
	enum out_color *colors;
	unsigned int rows;
} tab;

static const char *const color_codes[] = {
	[OUT_PLAIN] = "", [OUT_GOOD] = "\033[32m", [OUT_BAD] = "\033[31m",
	[OUT_WARN] = "\033[33m", [OUT_NAME] = "\033[36m", [OUT_DIM] = "\033[2m",
};

static const struct {
	const char *utf8, *ascii;
} ascii_table[] = {
	{ "\u2039", "<" }, { "\u203a", ">" }, { "\u00b5", "u" },
	{ "\u00b7", "-" }, { "\u2192", "->" }, { "\u2194", "<->" },
	{ "\u2460", "(1)" }, { "\u2461", "(2)" }, { "\u2462", "(3)" },
	{ "\u2248", "~" }, { "\u2260", "!=" }, { "\u2550", "=" },
	{ "\u2026", "..." }, { "\u2265", ">=" }, { "\u2264", "<=" },
	{ "\u03b1", "alpha" }, { "\u2502", "|" }, { "\u2500", "-" },
	{ "\u00d7", "x" }, { "\u00f7", "/" }, { "\u00b1", "+-" },
};

static void no_memory(void)
{
	fab_err("out of memory");
	exit(FAB_ENV);
}

/* A fresh copy of @s as this terminal may see it. */
static char *terminal_text(const char *s)
{
	size_t n = ARRAY_SIZE(ascii_table), i, len;
	char *out = malloc(strlen(s) * 3 + 1), *p = out;

	if (!out)
		no_memory();
	if (!fab_opts.ascii)
		return strcpy(out, s);
	while (*s) {
		if (!(*s & 0x80)) {
			*p++ = *s++;
			continue;
		}
		for (i = 0; i < n; i++) {
			len = strlen(ascii_table[i].utf8);
			if (!strncmp(s, ascii_table[i].utf8, len))
				break;
		}
		p = stpcpy(p, i < n ? ascii_table[i].ascii : "?");
		s++;
		while ((*s & 0xc0) == 0x80)
			s++;
	}
	*p = '\0';
	return out;
}

static void text_v(const char *fmt, va_list ap)
{
	char *raw, *text;

	if (vasprintf(&raw, fmt, ap) < 0)
		no_memory();
	text = terminal_text(raw);
	fputs(text, stdout);
	free(text);
	free(raw);
}

static void text(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_v(fmt, ap);
	va_end(ap);
}

static void json_put(const char *key, struct json_object *o)
{
	struct json_object *top = depth ? stack[depth - 1] : NULL;

	if (!top)
		root = o;
	else if (json_object_is_type(top, json_type_array))
		json_object_array_add(top, o);
	else
		json_object_object_add(top, key, o);
}

static void open_json(const char *key, struct json_object *o)
{
	json_put(key, o);
	if (depth == DEPTH)
		abort();
	stack[depth++] = o;
}

void out_object(const char *key)
{
	if (fab_opts.json)
		open_json(key, json_object_new_object());
}

void out_array(const char *key)
{
	if (fab_opts.json)
		open_json(key, json_object_new_array());
}

void out_end(void)
{
	if (fab_opts.json && depth)
		depth--;
}

void out_str(const char *key, const char *fmt, const char *value)
{
	if (fab_opts.json)
		json_put(key, json_object_new_string(value));
	else if (fmt)
		text(fmt, value);
}

void out_bool(const char *key, const char *fmt, bool value)
{
	if (fab_opts.json)
		json_put(key, json_object_new_boolean(value));
	else if (fmt)
		text(fmt, value ? "yes" : "no");
}

void out_u64(const char *key, const char *fmt, uint64_t value)
{
	if (fab_opts.json)
		json_put(key, json_object_new_uint64(value));
	else if (fmt)
		text(fmt, (unsigned long long)value);
}

void out_i64(const char *key, const char *fmt, int64_t value)
{
	if (fab_opts.json)
		json_put(key, json_object_new_int64(value));
	else if (fmt)
		text(fmt, (long long)value);
}

void out_double(const char *key, const char *fmt, double value)
{
	char digits[32];

	if (fab_opts.json) {
		snprintf(digits, sizeof(digits), "%.12g", value);
		json_put(key, json_object_new_double_s(value, digits));
	} else if (fmt) {
		text(fmt, value);
	}
}

void out_null(const char *key)
{
	if (fab_opts.json)
		json_put(key, NULL);
}

void out_human(const char *key, const char *fmt, uint64_t value,
	       const char *human)
{
	if (fab_opts.json)
		json_put(key, json_object_new_uint64(value));
	else if (fmt)
		text(fmt, human);
}

void out_text(const char *fmt, ...)
{
	va_list ap;

	if (fab_opts.json)
		return;
	va_start(ap, fmt);
	text_v(fmt, ap);
	va_end(ap);
}

void out_lines_behind(unsigned int indent, const char *s)
{
	unsigned int at = indent;	/* column */
	size_t n;

	for (; *s; s += n + strspn(s + n, " ")) {
		n = strcspn(s, " ");
		if (at > indent && at + 1 + n > 79) {
			out_text("\n%*s", (int)indent, "");
			at = indent;
		}
		out_text("%s%.*s", at > indent ? " " : "", (int)n, s);
		at += (at > indent) + n;
	}
	out_text("\n");
}

void out_lines(unsigned int indent, const char *s)
{
	out_text("%*s", (int)indent, "");
	out_lines_behind(indent, s);
}

void out_text_color(enum out_color c, const char *fmt, ...)
{
	va_list ap;

	if (fab_opts.json)
		return;
	if (fab_opts.color && c)
		fputs(color_codes[c], stdout);
	va_start(ap, fmt);
	text_v(fmt, ap);
	va_end(ap);
	if (fab_opts.color && c)
		fputs("\033[0m", stdout);
}

static void print_tree(int flags)
{
	if (fab_opts.json && root) {
		puts(json_object_to_json_string_ext(root, flags |
						    JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(root);
	}
	root = NULL;
	depth = 0;
	fflush(stdout);
}

void out_done(void)
{
	print_tree(fab_opts.pretty ? JSON_C_TO_STRING_PRETTY |
		   JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN);
}

void out_line(void)
{
	print_tree(JSON_C_TO_STRING_PLAIN);
}

void out_table(const char *key, const struct out_col *cols, unsigned int n)
{
	memset(&tab, 0, sizeof(tab));
	tab.cols = cols;
	tab.n = n;
	out_array(key);
}

static void row_end(void)
{
	if (tab.in_row)
		out_end();
	tab.in_row = false;
}

void out_row(void)
{
	size_t cells;

	row_end();
	out_object(NULL);
	tab.in_row = true;
	tab.at = 0;
	tab.rows++;
	if (fab_opts.json)
		return;
	cells = (size_t)tab.rows * tab.n;
	tab.cells = reallocarray(tab.cells, cells, sizeof(*tab.cells));
	tab.colors = reallocarray(tab.colors, cells, sizeof(*tab.colors));
	if (!tab.cells || !tab.colors)
		no_memory();
	memset(tab.cells + cells - tab.n, 0, tab.n * sizeof(*tab.cells));
	memset(tab.colors + cells - tab.n, 0, tab.n * sizeof(*tab.colors));
}

static void cell(struct json_object *o, const char *human)
{
	unsigned int at = tab.at++;

	if (at >= tab.n)
		abort();
	if (fab_opts.json)
		json_put(tab.cols[at].key, o);
	else if (tab.cols[at].title)
		tab.cells[(size_t)(tab.rows - 1) * tab.n + at] =
			terminal_text(human);
}

void out_cell_str(const char *value)
{
	out_cell_strh(value, *value ? value : "-");
}

void out_cell_strh(const char *value, const char *human)
{
	cell(fab_opts.json ? json_object_new_string(value) : NULL, human);
}

void out_cell_u64(uint64_t value)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%llu", (unsigned long long)value);
	out_cell_human(value, buf);
}

void out_cell_human(uint64_t value, const char *human)
{
	cell(fab_opts.json ? json_object_new_uint64(value) : NULL, human);
}

void out_cell_bool(bool value, const char *human)
{
	cell(fab_opts.json ? json_object_new_boolean(value) : NULL, human);
}

void out_cell_none(void)
{
	cell(NULL, "-");
}

void out_cell_color(enum out_color c)
{
	if (!fab_opts.json && tab.at)
		tab.colors[(size_t)(tab.rows - 1) * tab.n + tab.at - 1] = c;
}

static unsigned int col_width(unsigned int c)
{
	unsigned int r, w = out_width(tab.cols[c].title), cw;

	for (r = 0; r < tab.rows; r++) {
		const char *s = tab.cells[(size_t)r * tab.n + c];

		cw = s ? out_width(s) : 0;
		if (cw > w)
			w = cw;
	}
	return w;
}

static void pad(unsigned int n)
{
	while (n--)
		putchar(' ');
}

static void print_cell(const char *s, enum out_color color, unsigned int w,
		       bool right, bool last)
{
	unsigned int gap = w - out_width(s);

	if (right)
		pad(gap);
	if (fab_opts.color && color)
		fputs(color_codes[color], stdout);
	fputs(s, stdout);
	if (fab_opts.color && color)
		fputs("\033[0m", stdout);
	if (!right && !last)
		pad(gap);
	fputs(last ? "\n" : "  ", stdout);
}

static void print_table(void)
{
	unsigned int width[32] = { 0 }, c, r, last = 0;
	const char *s;

	for (c = 0; c < tab.n && c < 32; c++) {
		if (!tab.cols[c].title)
			continue;
		width[c] = col_width(c);
		last = c;
	}
	for (c = 0; c < tab.n; c++)
		if (tab.cols[c].title)
			print_cell(tab.cols[c].title, OUT_DIM, width[c],
				   tab.cols[c].right, c == last);
	for (r = 0; r < tab.rows; r++) {
		for (c = 0; c < tab.n; c++) {
			if (!tab.cols[c].title)
				continue;
			s = tab.cells[(size_t)r * tab.n + c];
			print_cell(s ? s : "-",
				   tab.colors[(size_t)r * tab.n + c], width[c],
				   tab.cols[c].right, c == last);
		}
	}
}

void out_table_end(void)
{
	size_t i;

	row_end();
	if (!fab_opts.json) {
		if (tab.rows)
			print_table();
		for (i = 0; i < (size_t)tab.rows * tab.n; i++)
			free(tab.cells[i]);
		free(tab.cells);
		free(tab.colors);
	}
	out_end();
	memset(&tab, 0, sizeof(tab));
}

const char *out_setting(const char *human)
{
	static char ring[8][192];
	static unsigned int at;
	char *b = ring[at++ % 8];

	snprintf(b, sizeof(ring[0]), "\u2039%s\u203a", human);
	return b;
}

unsigned int out_width(const char *s)
{
	unsigned int w = 0;

	for (; *s; s++)
		if ((*s & 0xc0) != 0x80)
			w++;
	return w;
}

static bool progress_shown;

void out_progress(const char *what, unsigned long done, unsigned long total)
{
	if (fab_opts.json || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%s %lu of %lu", what, done, total);
	fflush(stderr);
	progress_shown = true;
}

void out_progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}
