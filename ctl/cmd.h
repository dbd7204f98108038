/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a command of fabctl is.
 *
 * Each command is one row of a static table (fabctl.c, or the table of a
 * command with sub-commands): its help, completion and dispatch come from that
 * row. A command function gets its own name as argv[0] and returns the exit
 * status. It reads its options with fab_getopts(), which takes the global ones
 * (-j -p -c --ascii -h) too where the command has none of that letter itself:
 * so they may stand before or after the command. "--" ends the options; exec,
 * whose arguments belong to another program, does not call it.
 */
#ifndef FABCTL_CMD_H
#define FABCTL_CMD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

#define FABCTL_VERSION	"0.1"

/* Exit status (EXPERIENCE.md 1). */
enum fab_exit {
	FAB_OK,			/* done; a run: expectations met */
	FAB_MISSED,		/* a run: an expectation was missed */
	FAB_USAGE,		/* usage, file, or the request was refused */
	FAB_ENV,		/* environment: no module, no rights, in the way */
};

struct fab_opts {
	bool json;		/* -j */
	bool pretty;		/* -p: JSON with line breaks */
	bool color;		/* -c and stdout is a terminal */
	bool ascii;		/* --ascii: (1)(2)(3) instead of circled figures */
};

extern struct fab_opts fab_opts;

struct fab_cmd {
	const char *name;
	const char *args;	/* synopsis after the name */
	const char *brief;	/* one line of "fabctl help" */
	const char *help;	/* the rest of "fabctl help NAME", or NULL */
	int (*fn)(int argc, char **argv);
};

extern const struct fab_cmd fab_cmds[];

/* stderr: "fabctl: ...\n" */
__printf(1, 2)
void fab_err(const char *fmt, ...);
/* The same for a remark that is no error; silent with -j. */
__printf(1, 2)
void fab_note(const char *fmt, ...);
/* fab_err() with the synopsis of the command under it; returns FAB_USAGE. */
__printf(1, 2)
int fab_usage(const char *fmt, ...);

/* Prints the help of the running command (of all, before there is one). */
void fab_help_current(void);

/* Takes one global option; "-jp" and the like too. Exits after -V. */
enum fab_global { FAB_GLOBAL_NONE, FAB_GLOBAL_TAKEN, FAB_GLOBAL_HELP };
enum fab_global fab_global_opt(const char *arg);

/* The nearest of @words (NULL ended) to a mistyped @word, or NULL. */
const char *fab_nearest(const char *word, const char *const *words);
/* ", did you mean ..." of the nearest word, or @otherwise. */
const char *fab_hint(const char *word, const char *const *words,
		     const char *otherwise);

/* CLOCK_MONOTONIC: one clock for all programs, whatever their namespace. */
uint64_t fab_real_ns(void);

/* Options of one command: a table instead of getopt's globals. */
enum fab_arg {
	FAB_ARG_FLAG,		/* bool *: set to true */
	FAB_ARG_STR,		/* const char **: the word */
	FAB_ARG_U32,		/* unsigned int *: a number, min..max */
	FAB_ARG_LIST,		/* struct fab_strs *: may be given again */
};

struct fab_strs {
	const char **v;		/* grown by fab_getopts(), the caller may free it */
	unsigned int n;
};

struct fab_opt {
	const char *name;	/* "--name", or NULL at the end of the table */
	const char *alias;	/* "-n" or NULL */
	enum fab_arg type;
	void *to;
	unsigned int min, max;	/* of FAB_ARG_U32; max 0: no limit */
};

/*
 * Takes the options out of argv, which then holds the operands only (argv[0]
 * stays). Returns the new argc, or -1 when it has already complained, also
 * about more than @most operands.
 * Both "--name value" and "--name=value" are read; "--" ends the options.
 */
#define FAB_ANY	INT_MAX
int fab_getopts(int argc, char **argv, const struct fab_opt *opts, int most);

/* A file that becomes readable on SIGINT or SIGTERM, which then do nothing else. */
int fab_signal_fd(void);

int cmd_up(int argc, char **argv);
int cmd_down(int argc, char **argv);
int cmd_reset(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_link(int argc, char **argv);
int cmd_host(int argc, char **argv);
int cmd_sm(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_monitor(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_freeze(int argc, char **argv);
int cmd_step(int argc, char **argv);
int cmd_thaw(int argc, char **argv);
int cmd_gen(int argc, char **argv);

/* The run side. */
int cmd_run(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_lesson(int argc, char **argv);
int cmd_send(int argc, char **argv);
int cmd_cost(int argc, char **argv);
int cmd_why(int argc, char **argv);

#endif /* FABCTL_CMD_H */
