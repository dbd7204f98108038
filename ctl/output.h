/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The print layer. One call prints a fact as text or, with -j, as JSON, so the
 * two cannot drift apart.
 *
 * JSON is a tree that is built by the calls and printed by out_done(). Text
 * goes to stdout at once, except a table's, whose columns get their width
 * when its last row is known.
 *
 *	out_object(NULL);
 *	out_str("name", "%s ", link->name);
 *	out_u64("delay", NULL, link->delay);	// JSON only: no text format
 *	out_text("up %s\n", units_time(...));	// text only
 *	out_end();
 *	out_done();
 *
 * A key of NULL is right at the top and inside arrays.
 */
#ifndef FABCTL_OUTPUT_H
#define FABCTL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler.h"

enum out_color {
	OUT_PLAIN,
	OUT_GOOD,
	OUT_BAD,
	OUT_WARN,
	OUT_NAME,
	OUT_DIM,
};

void out_object(const char *key);
void out_array(const char *key);
void out_end(void);			/* closes the innermost of the two */

/* @fmt: how the value looks as text; NULL: in JSON only. */
void out_str(const char *key, const char *fmt, const char *value);
void out_bool(const char *key, const char *fmt, bool value);	/* fmt: %s yes/no */
void out_u64(const char *key, const char *fmt, uint64_t value);	/* fmt: %llu kind */
void out_i64(const char *key, const char *fmt, int64_t value);	/* fmt: %lld kind */
void out_double(const char *key, const char *fmt, double value);
void out_null(const char *key);		/* JSON only */

/*
 * A value that reads differently in text: @value as number in JSON, @human in
 * text ("100 Gb/s" for 100000000000), through @fmt with one %s.
 */
void out_human(const char *key, const char *fmt, uint64_t value,
	       const char *human);

/* Text only; silent with -j. */
__printf(1, 2)
void out_text(const char *fmt, ...);
__printf(2, 3)
void out_text_color(enum out_color c, const char *fmt, ...);

/* Text only: lines of 80 columns, each with @indent blanks in front. */
void out_lines(unsigned int indent, const char *s);
/* The same behind a text that has brought the first line to @indent. */
void out_lines_behind(unsigned int indent, const char *s);

/* Prints and frees the JSON tree, flushes. out_line() the same on one line. */
void out_done(void);
void out_line(void);

/*
 * Tables. In JSON: an array of objects under the array's key. In text: aligned
 * columns with a title line. A cell whose column has no title is in JSON only.
 * Cells may be left out from the end of a row only with out_cell_none().
 */
struct out_col {
	const char *key;	/* JSON */
	const char *title;	/* text; NULL: not shown */
	bool right;		/* numbers */
};

void out_table(const char *key, const struct out_col *cols, unsigned int n);
void out_row(void);
void out_cell_str(const char *value);
void out_cell_u64(uint64_t value);
void out_cell_human(uint64_t value, const char *human);
void out_cell_strh(const char *value, const char *human);
void out_cell_bool(bool value, const char *human);
void out_cell_none(void);		/* null in JSON, "-" in text */
void out_cell_color(enum out_color c);	/* of the last cell */
void out_table_end(void);

/* "‹50 ns›", or "<50 ns>" with --ascii: a setting of this lab, not a result. */
const char *out_setting(const char *human);

/* Columns a string takes in a terminal (UTF-8). */
unsigned int out_width(const char *s);

/* Progress of long work, on stderr when that is a terminal; silent with -j. */
void out_progress(const char *what, unsigned long done, unsigned long total);
void out_progress_end(void);

#endif /* FABCTL_OUTPUT_H */
