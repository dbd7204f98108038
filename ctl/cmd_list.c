// SPDX-License-Identifier: GPL-2.0
/* fabctl list: the scenarios that can be run. */
#include <stdio.h>

#include "array.h"
#include "cmd.h"
#include "output.h"
#include "scenario.h"

static const struct out_col columns[] = {
	{ "number", "#", true },
	{ "name", "name", false },
	{ "lesson", "lesson", false },
	{ "lesson_scenario", NULL, false },
	{ "seconds", "s", true },
	{ "shows", "shows", false },
	{ "title", NULL, false },
	{ "fails_on_purpose", NULL, false },
	{ "file", NULL, false },
};

static void print_scenario(const struct scenario *s)
{
	char shows[160];

	snprintf(shows, sizeof(shows), "%s%s", s->shows ? s->shows : s->title,
		 s->fails_on_purpose ? " (fails on purpose)" : "");
	out_row();
	out_cell_u64(s->number);
	out_cell_str(s->name);
	out_cell_str(s->lesson ? s->lesson : "");
	if (s->lesson_scenario)
		out_cell_u64(s->lesson_scenario);
	else
		out_cell_none();
	out_cell_u64(s->seconds);
	out_cell_strh(s->shows ? s->shows : s->title, shows);
	out_cell_str(s->title);
	out_cell_bool(s->fails_on_purpose, "");
	out_cell_str(s->file);
}

int cmd_list(int argc, char **argv)
{
	struct scenario **list;

	if (fab_getopts(argc, argv, NULL, 0) < 0)
		return FAB_USAGE;
	list = scenario_list();
	if (!list || !list[0]) {
		fab_err("no scenario found (FABSIM_DATA names their folder)");
		scenario_list_free(list);
		return FAB_ENV;
	}
	out_table(NULL, columns, ARRAY_SIZE(columns));
	for (unsigned int i = 0; list[i]; i++)
		print_scenario(list[i]);
	out_table_end();
	out_text("\nmistakes of programs: fabctl run traps/wrong-rkey, traps/wrong-gid-index,\n"
		 "traps/wrong-pkey-index, traps/mtu-mismatch, traps/no-mr-receiver\n");
	out_text("fabctl run NAME \u00b7 fabctl run 1 \u00b7 fabctl run --check FILE\n");
	out_done();
	scenario_list_free(list);
	return FAB_OK;
}
