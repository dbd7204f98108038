// SPDX-License-Identifier: GPL-2.0
/*
 * fabctl lesson: one screen of text, docs/lessons/N.txt. The first line is the
 * lesson's title. The texts hold no figure: figures come from running things.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "data.h"
#include "output.h"

static FILE *open_lesson(const char *dir, const char *name)
{
	char *path;
	FILE *f;

	if (asprintf(&path, "%s/%s.txt", dir, name) < 0)
		return NULL;
	f = fopen(path, "re");
	free(path);
	return f;
}

static int is_lesson(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && dot != e->d_name && !strcmp(dot, ".txt");
}

static void print_title(const char *dir, const char *name)
{
	char title[256] = "";
	FILE *f = open_lesson(dir, name);

	if (f && fgets(title, sizeof(title), f))
		title[strcspn(title, "\n")] = '\0';
	if (f)
		fclose(f);
	out_object(NULL);
	out_str("lesson", "  %s  ", name);
	out_str("title", "%s\n", title);
	out_end();
}

/* Titles of all; @to: also as one word after the other, for a complaint. */
static int each_lesson(const char *dir, bool print, char *to, size_t len)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, is_lesson, versionsort);
	size_t used = 0;

	for (int i = 0; i < n; i++) {
		*strrchr(entries[i]->d_name, '.') = '\0';
		if (print)
			print_title(dir, entries[i]->d_name);
		else if (used < len)
			used += snprintf(to + used, len - used, "%s%s",
					 i ? ", " : "", entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n;
}

static int list_lessons(const char *dir)
{
	out_text("lessons:\n");
	out_array(NULL);
	each_lesson(dir, true, NULL, 0);
	out_end();
	out_text("\nfabctl lesson N\n");
	out_done();
	return FAB_OK;
}

static int print_lesson(const char *dir, const char *name)
{
	char text[8192], all[128] = "";
	FILE *f = strchr(name, '/') ? NULL : open_lesson(dir, name);
	size_t n;

	if (!f) {
		each_lesson(dir, false, all, sizeof(all));
		fab_err("no lesson \"%s\"; there are: %s", name, all);
		return FAB_USAGE;
	}
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	out_object(NULL);
	out_str("lesson", NULL, name);
	out_str("text", "%s", text);
	out_end();
	out_done();
	return FAB_OK;
}

int cmd_lesson(int argc, char **argv)
{
	char *dir;
	int ret;

	argc = fab_getopts(argc, argv, NULL, 1);
	if (argc < 0)
		return FAB_USAGE;
	dir = data_dir("lessons");
	if (!dir) {
		fab_err("no lessons found (FABSIM_DATA names their folder)");
		return FAB_ENV;
	}
	ret = argc == 2 ? print_lesson(dir, argv[1]) : list_lessons(dir);
	free(dir);
	return ret;
}
