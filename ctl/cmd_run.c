// SPDX-License-Identifier: GPL-2.0
/* fabctl run: runs scenarios, prints their results. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "expect.h"
#include "output.h"
#include "path.h"
#include "run.h"
#include "table.h"
#include "tree.h"

struct run_args {
	const char *path, *file;
	struct fab_strs set;
	unsigned int repeat;
	bool evidence, ask, check;
};

static void report(struct json_object *result, const struct run_args *args)
{
	table_print(result, args->evidence);
	out_text("the lab stays so: fabctl show \u00b7 fabctl show fdb \u00b7 "
		 "fabctl reset\n");
}

/* NAME or NAME:VARIANT; a file's name may have a colon of its own. */
static struct scenario *load(char *what, const char **variant)
{
	char *colon = strchr(what, '/') ? NULL : strchr(what, ':');

	*variant = NULL;
	if (colon) {
		*colon = '\0';
		*variant = colon + 1;
	}
	return scenario_load(what);
}

static int check_one(struct scenario *s, const char *variant,
		     struct json_object *all)
{
	struct json_object *o;

	if (variant && !scenario_variant(s, variant)) {
		fab_err("%s has no variant \"%s\"", s->name, variant);
		return FAB_USAGE;
	}
	out_text("%s: good\n", s->file);
	o = tree_item(all);
	tree_str(o, "file", s->file);
	tree_bool(o, "good", true);
	return FAB_OK;
}

static int run_one(char *what, const struct run_args *args, unsigned int mask,
		   struct json_object *all)
{
	struct run_opts opts = {
		.mask = mask, .set = (char *const *)args->set.v,
		.set_count = args->set.n, .repeat = args->repeat,
	};
	struct json_object *result = NULL;
	struct scenario *s = load(what, &opts.variant);
	int ret;

	if (!s)
		return FAB_USAGE;
	if (args->check) {
		ret = check_one(s, opts.variant, all);
		goto out;
	}
	if (args->ask) {
		opts.answers = json_object_new_object();
		expect_ask(s, opts.answers);
	}
	ret = run_scenario(s, &opts, &result);
	if (result) {
		if (!fab_opts.json)
			report(result, args);
		json_object_array_add(all, result);
	}
	json_object_put(opts.answers);
out:
	scenario_free(s);
	return ret;
}

static int write_json(FILE *f, struct json_object *all, unsigned int asked)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE |
		    (fab_opts.pretty ? JSON_C_TO_STRING_PRETTY |
		     JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN);
	struct json_object *o = all;

	if (!json_object_array_length(all))
		return FAB_OK;
	/* One name: one object. Several: an array, also if some failed. */
	if (asked == 1)
		o = json_object_array_get_idx(all, 0);
	fprintf(f, "%s\n", json_object_to_json_string_ext(o, flags));
	return fflush(f) ? FAB_ENV : FAB_OK;
}

/* Before the run, which takes its time; an old file is kept until it is over. */
static int open_file(const char *name, FILE **f)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	*f = fd < 0 ? NULL : fdopen(fd, "w");
	if (*f)
		return FAB_OK;
	fab_err("%s: %s", name, strerror(errno));
	return FAB_USAGE;
}

static int write_file(FILE *f, const char *name, struct json_object *all,
		      unsigned int asked)
{
	int ret;

	/* A pipe or device cannot be cut, and need not. */
	if (ftruncate(fileno(f), 0) && errno != EINVAL)
		fab_err("%s: %s", name, strerror(errno));
	ret = write_json(f, all, asked);
	if (fclose(f))
		ret = FAB_ENV;
	if (ret)
		fab_err("%s: not written", name);
	return ret;
}

static int read_args(int argc, char **argv, struct run_args *args)
{
	const struct fab_opt opts[] = {
		{ "--path", "-p", FAB_ARG_STR, &args->path, 0, 0 },
		{ "--set", "-s", FAB_ARG_LIST, &args->set, 0, 0 },
		{ "--repeat", "-r", FAB_ARG_U32, &args->repeat, 1, 1000 },
		{ "--output", "-o", FAB_ARG_STR, &args->file, 0, 0 },
		{ "--evidence", "-e", FAB_ARG_FLAG, &args->evidence, 0, 0 },
		{ "--ask", NULL, FAB_ARG_FLAG, &args->ask, 0, 0 },
		{ "--check", NULL, FAB_ARG_FLAG, &args->check, 0, 0 },
		{ }
	};

	return fab_getopts(argc, argv, opts, FAB_ANY);
}

int cmd_run(int argc, char **argv)
{
	struct run_args args = { .repeat = 1 };
	struct json_object *all;
	unsigned int mask = 0;
	FILE *file = NULL;
	int ret = FAB_OK, one;

	argc = read_args(argc, argv, &args);
	if (argc < 0)
		return FAB_USAGE;
	if (argc < 2)
		return fab_usage("which scenario? see \"fabctl list\"");
	if (args.path) {
		mask = path_mask(args.path);
		if (!mask)
			return FAB_USAGE;
	}
	if (args.file && open_file(args.file, &file))
		return FAB_USAGE;
	all = json_object_new_array();
	for (int i = 1; i < argc; i++) {
		one = run_one(argv[i], &args, mask, all);
		if (one > ret)
			ret = one;
		if (one == FAB_ENV)
			break;
	}
	if (fab_opts.json)
		write_json(stdout, all, argc - 1);
	if (file) {
		one = write_file(file, args.file, all, argc - 1);
		if (one > ret)
			ret = one;
	}
	json_object_put(all);
	free(args.set.v);
	return ret;
}
