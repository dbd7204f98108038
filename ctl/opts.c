// SPDX-License-Identifier: GPL-2.0
/*
 * Command lines: options as a table a command, the global options, "did you
 * mean", and the signals that end a command.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/signalfd.h>

#include "array.h"
#include "cmd.h"
#include "units.h"

static bool global_letter(char c)
{
	switch (c) {
	case 'j':
		fab_opts.json = true;
		return true;
	case 'p':
		fab_opts.pretty = true;
		return true;
	case 'c':
		fab_opts.color = isatty(STDOUT_FILENO);
		return true;
	}
	return false;
}

static char global_word(const char *word)
{
	static const struct {
		const char *word;
		char letter;
	} words[] = {
		{ "--json", 'j' }, { "--pretty", 'p' }, { "--color", 'c' },
		{ "--help", 'h' }, { "--version", 'V' }, { "--ascii", 'a' },
		{ "-h", 'h' }, { "-V", 'V' },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i].word))
			return words[i].letter;
	return 0;
}

enum fab_global fab_global_opt(const char *arg)
{
	char letter = global_word(arg);
	const char *p;

	switch (letter) {
	case 'h':
		return FAB_GLOBAL_HELP;
	case 'V':
		printf("fabctl %s\n", FABCTL_VERSION);
		exit(FAB_OK);
	case 'a':
		fab_opts.ascii = true;
		return FAB_GLOBAL_TAKEN;
	case 0:
		break;
	default:
		global_letter(letter);
		return FAB_GLOBAL_TAKEN;
	}
	if (arg[0] != '-' || !arg[1] || strspn(arg + 1, "jpc") != strlen(arg + 1))
		return FAB_GLOBAL_NONE;
	for (p = arg + 1; *p; p++)
		global_letter(*p);
	return FAB_GLOBAL_TAKEN;
}

static int get_u32(const struct fab_opt *o, const char *val)
{
	unsigned int max = o->max ? o->max : UINT32_MAX;
	uint64_t n;
	int err = units_get_u64(val, &n);

	if (err == -EINVAL)
		return fab_usage("%s: \"%s\" is not a number", o->name, val);
	if (err || n < o->min || n > max)
		return fab_usage("%s: %s is out of range (%u to %u)", o->name,
				 val, o->min, max);
	*(unsigned int *)o->to = n;
	return 0;
}

static int take(const struct fab_opt *o, const char *val)
{
	struct fab_strs *l;

	switch (o->type) {
	case FAB_ARG_FLAG:
		*(bool *)o->to = true;
		return 0;
	case FAB_ARG_STR:
		*(const char **)o->to = val;
		return 0;
	case FAB_ARG_U32:
		return get_u32(o, val);
	case FAB_ARG_LIST:
		l = o->to;
		l->v = reallocarray(l->v, l->n + 1, sizeof(*l->v));
		if (!l->v)
			abort();
		l->v[l->n++] = val;
		return 0;
	}
	return 0;
}

static const struct fab_opt *find_opt(const struct fab_opt *o, const char *arg,
				      size_t len)
{
	for (; o && o->name; o++) {
		if (strlen(o->name) == len && !strncmp(o->name, arg, len))
			return o;
		if (o->alias && strlen(o->alias) == len &&
		    !strncmp(o->alias, arg, len))
			return o;
	}
	return NULL;
}

static int unknown_opt(const struct fab_opt *opts, const char *arg)
{
	const char *words[32];
	unsigned int n = 0;

	for (; opts && opts->name && n < 31; opts++)
		words[n++] = opts->name;
	words[n] = NULL;
	fab_usage("no option \"%s\"%s", arg, fab_hint(arg, words, ""));
	return -1;
}

/* One option at argv[i]: how many words it took, or -1. */
static int one_opt(const struct fab_opt *opts, int argc, char **argv, int i)
{
	const char *eq = strncmp(argv[i], "--", 2) ? NULL : strchr(argv[i], '=');
	size_t len = eq ? (size_t)(eq - argv[i]) : strlen(argv[i]);
	const struct fab_opt *o = find_opt(opts, argv[i], len);

	if (!o) {
		switch (fab_global_opt(argv[i])) {
		case FAB_GLOBAL_TAKEN:
			return 1;
		case FAB_GLOBAL_HELP:
			fab_help_current();
			exit(FAB_OK);
		default:
			return unknown_opt(opts, argv[i]);
		}
	}
	if (o->type == FAB_ARG_FLAG && eq) {
		fab_usage("%s takes no value", o->name);
		return -1;
	}
	if (o->type == FAB_ARG_FLAG || eq)
		return take(o, eq ? eq + 1 : NULL) ? -1 : 1;
	if (i + 1 >= argc) {
		fab_usage("%s needs a value", o->name);
		return -1;
	}
	return take(o, argv[i + 1]) ? -1 : 2;
}

int fab_getopts(int argc, char **argv, const struct fab_opt *opts, int most)
{
	int i = 1, n = 1, took;

	while (i < argc) {
		if (!strcmp(argv[i], "--")) {
			for (i++; i < argc; i++)
				argv[n++] = argv[i];
			break;
		}
		/* "-" alone is a file name: stdin or stdout. */
		if (argv[i][0] != '-' || !argv[i][1]) {
			argv[n++] = argv[i++];
			continue;
		}
		took = one_opt(opts, argc, argv, i);
		if (took < 0)
			return -1;
		i += took;
	}
	argv[n] = NULL;
	if (n - 1 > most) {
		fab_usage("\"%s\" is not expected here", argv[most + 1]);
		return -1;
	}
	return n;
}

uint64_t fab_real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int fab_signal_fd(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Edit distance, short words. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[32], i, j, diag, up;
	size_t la = strlen(a), lb = strlen(b);

	if (la > 31 || lb > 31)
		return 99;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diag = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			up = row[j];
			row[j] = diag + (a[i - 1] != b[j - 1]);
			if (up + 1 < row[j])
				row[j] = up + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diag = up;
		}
	}
	return row[lb];
}

const char *fab_nearest(const char *word, const char *const *words)
{
	unsigned int best = strlen(word) / 3 + 2, d;
	const char *near = NULL;

	for (; *words; words++) {
		d = distance(word, *words);
		if (d < best) {
			best = d;
			near = *words;
		}
	}
	return near;
}

const char *fab_hint(const char *word, const char *const *words,
		     const char *otherwise)
{
	const char *near = fab_nearest(word, words);
	static char text[80];

	if (!near)
		return otherwise;
	snprintf(text, sizeof(text), "; did you mean \"%s\"?", near);
	return text;
}
