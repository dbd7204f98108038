// SPDX-License-Identifier: GPL-2.0
/* why: the first thing in the way of a message, and the lesson that it teaches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "last.h"
#include "output.h"
#include "path.h"
#include "why.h"

#define FOUND_AT	19	/* column of the text behind what was looked at */

static bool failed_before(const struct why *w)
{
	struct json_object *last = last_find(w->path, w->from->name, w->to->name);
	bool failed = last && !json_object_get_boolean(tree_get(last, "ok"));

	json_object_put(last);
	return failed;
}

static void print_looked(struct json_object *looked)
{
	size_t n = looked ? json_object_array_length(looked) : 0;

	out_array("looked_at");
	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(looked, i);
		bool ok = json_object_get_boolean(tree_get(o, "ok"));

		out_object(NULL);
		out_bool("ok", NULL, ok);
		out_text("  ");
		out_text_color(ok ? OUT_GOOD : OUT_BAD, "%s", ok ? "ok" : "NO");
		out_str("what", "  %-14s ", tree_text(o, "what", ""));
		out_str("found", NULL, tree_text(o, "found", ""));
		out_lines_behind(FOUND_AT, tree_text(o, "found", ""));
		out_end();
	}
	out_end();
}

static void print_why(const struct why *w)
{
	out_text("%s %-5s %s \u2192 %s", path_symbol(&paths[w->path]), paths[w->path].name,
		 w->from->name, w->to->name);
	out_object(paths[w->path].name);
	out_bool("ok", NULL, !w->found);
	if (w->found) {
		out_text("\n");
		out_lines(8, w->reason);
		out_str("reason", NULL, w->reason);
		out_str("lesson", NULL, w->lesson);
		out_bool("living_go_on", NULL, w->living_go_on);
	} else {
		out_text("  nothing is in the way\n");
		out_null("reason");
		out_null("lesson");
	}
	print_looked(w->looked);
	if (w->found && w->mend[0])
		out_str("mend", "      mend: %s\n", w->mend);
	if (w->living_go_on)
		out_text("      Connections that are there go on.\n");
	if (w->found)
		out_text("      more: fabctl lesson %s\n", w->lesson);
	out_end();
}

static bool why_path(struct fab_nl *nl, enum fabsim_path path, const struct lab_host *from,
		     const struct lab_host *to)
{
	struct why w = { .nl = nl, .path = path, .from = from, .to = to };
	bool found;

	w.failed = failed_before(&w);
	why_lab(&w);
	if (!w.found)
		why_programs(&w);
	print_why(&w);
	found = w.found;
	why_put(&w);
	return found;
}

static int why_all(struct fab_nl *nl, const char *from, const char *to, unsigned int mask)
{
	struct fab_fabric_info info;
	struct lab_host a, b;
	bool found = false;
	int ret = lab_is_up(nl, &info);

	if (!ret)
		ret = lab_host_info(from, &a);
	if (ret)
		return ret;
	ret = lab_host_info(to, &b);
	if (!ret)
		ret = lab_host_may_enter(&a);
	if (!ret) {
		out_object(NULL);
		out_str("from", NULL, a.name);
		out_str("to", NULL, b.name);
		out_object("paths");
		for (int i = 0; i <= FABSIM_PATH_MAX; i++)
			if (mask & 1u << i)
				found |= why_path(nl, i, &a, &b);
		out_end();
		out_end();
		out_done();
	}
	lab_host_put(&b);
	lab_host_put(&a);
	return ret ? ret : found ? FAB_MISSED : FAB_OK;
}

int cmd_why(int argc, char **argv)
{
	unsigned int mask;
	struct fab_nl *nl;
	int ret;

	argc = fab_getopts(argc, argv, NULL, 3);
	if (argc < 0)
		return FAB_USAGE;
	if (argc < 3)
		return fab_usage("why does a message not get from which host to which?");
	if (!strcmp(argv[1], argv[2]))
		return fab_usage("%s would send to itself", argv[1]);
	mask = path_mask(argc > 3 ? argv[3] : "tcp,roce,ib");
	if (!mask)
		return FAB_USAGE;
	nl = fab_nl_open();
	ret = why_all(nl, argv[1], argv[2], mask);
	fab_nl_close(nl);
	return ret;
}
