/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of "show", one file a few objects. */
#ifndef FABCTL_SHOW_H
#define FABCTL_SHOW_H

#include "nl.h"
#include "output.h"

struct show {
	struct fab_nl *nl;
	bool verbose;
	const char *name;	/* of one object, or NULL */
	const char *key;	/* JSON key; NULL: at the top */
	size_t most;		/* text rows at most; 0: no limit */
};

/* Each: FAB_OK, or a status after a complaint. */
int show_fabric(struct show *s);
int show_hosts(struct show *s);
int show_switches(struct show *s);
int show_links(struct show *s);
int show_ports(struct show *s);
int show_fdb(struct show *s);
int show_headers(struct show *s);
int show_lft(struct show *s);
int show_sm(struct show *s);
int show_qps(struct show *s);
int show_gids(struct show *s);
/* Text only: a line for each subnet manager. */
int show_subnet(struct show *s);

/*
 * Begins a table; a title that starts with "+" is shown with -v only. @cols
 * stays as it is.
 */
void show_table(struct show *s, const struct out_col *cols, unsigned int n);
/* After the last row: closes it, and says what was left out. */
void show_table_end(struct show *s, size_t rows, const char *what);
/* Instead of rows: @why there are none, or that no lab is up. */
void show_nothing(const struct show *s, const char *why);
/* Is row number @i printed? In JSON every row is. */
bool show_wants(const struct show *s, size_t i);
/* The line under a table of settings. */
void show_settings_note(void);

#endif /* FABCTL_SHOW_H */
