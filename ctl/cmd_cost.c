// SPDX-License-Identifier: GPL-2.0
/*
 * fabctl cost: runs a program under the probes and prints what it, and every
 * process it starts, cost. The program is attached before it begins: its
 * execve() is the first syscall that counts, exit_group() the last.
 *
 * With -j stdout is the JSON alone, and what the program prints goes to stderr.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "cmd.h"
#include "cost.h"
#include "lab.h"
#include "output.h"
#include "units.h"

#define EXIT_CANNOT_RUN	126
#define EXIT_NOT_FOUND	127

struct program {
	char **argv;
	char *file;		/* full path: no search while it is counted */
	int gate[2];		/* a pipe that lets the program begin */
	struct lab_host *host;	/* NULL: here */
};

static char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char *file;

	if (strchr(name, '/'))
		return strdup(name);
	for (path = path ? path : "/usr/bin:/bin"; *path; path = end + (*end == ':')) {
		end = strchrnul(path, ':');
		if (asprintf(&file, "%.*s/%s", (int)(end - path), path, name) < 0)
			return NULL;
		if (!access(file, X_OK))
			return file;
		free(file);
	}
	return NULL;
}

/* errno says why. As a shell answers. */
static int cannot_run(const char *name)
{
	int err = errno;

	fab_err("%s: %s", name, strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* In the child: waits until it is attached. */
static int child(void *arg)
{
	struct program *p = arg;
	char go;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fab_opts.json)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	close(p->gate[1]);
	if (read(p->gate[0], &go, 1) != 1)
		_exit(EXIT_NOT_FOUND);
	execv(p->file, p->argv);
	_exit(cannot_run(p->argv[0]));
}

static pid_t start_here(struct program *p)
{
	pid_t pid = fork();

	if (pid == 0)
		child(p);
	return pid < 0 ? -errno : pid;
}

static pid_t start(struct program *p)
{
	fflush(NULL);
	if (pipe2(p->gate, O_CLOEXEC))
		return -errno;
	return p->host ? lab_spawn(p->host, child, p) : start_here(p);
}

static int attach(struct fab_nl *nl, pid_t pid, enum fabsim_path path, const char *host)
{
	int err = cost_start(nl, path, FABSIM_COST_COUNTS);

	if (!err)
		err = cost_attach(nl, pid, FABSIM_SIDE_SENDER, host);
	return err;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_NOT_FOUND;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static const struct {
	const char *key, *text;
	enum fabsim_counter_attr attr;
	bool is_time;
} lines[] = {
	{ "syscalls", "system calls", FABSIM_A_COUNTER_SYSCALLS, false },
	{ "copies_in", "copies user to kernel", FABSIM_A_COUNTER_COPIES_IN, false },
	{ "copied_in", "  bytes", FABSIM_A_COUNTER_COPIED_IN, false },
	{ "copies_out", "copies kernel to user", FABSIM_A_COUNTER_COPIES_OUT, false },
	{ "copied_out", "  bytes", FABSIM_A_COUNTER_COPIED_OUT, false },
	{ "copy_ns", "time copying", FABSIM_A_COUNTER_COPY_NS, true },
	{ "stack_ns", "time in the network stack", FABSIM_A_COUNTER_STACK_NS, true },
	{ "softirq_ns", "  of it in softirq", FABSIM_A_COUNTER_SOFTIRQ_NS, true },
	{ "interrupts", "interrupts of the host's NIC", FABSIM_A_COUNTER_INTERRUPTS, false },
	{ "polls", "NAPI polls", FABSIM_A_COUNTER_POLLS, false },
	{ "wakeups", "wake-ups", FABSIM_A_COUNTER_WAKEUPS, false },
	{ "context_switches", "context switches", FABSIM_A_COUNTER_CONTEXT_SWITCHES, false },
	{ "page_faults", "page faults", FABSIM_A_COUNTER_PAGE_FAULTS, false },
	{ "cpu_ns", "CPU time, probes included", FABSIM_A_COUNTER_CPU_NS, true },
	{ "user_ns", "  of it in user space", FABSIM_A_COUNTER_USER_NS, true },
};

static void print(const struct program *p, const struct cost_result *res, int status)
{
	const uint64_t *c = res->counter[FABSIM_SIDE_SENDER];

	out_object(NULL);
	out_str("command", "cost of %s and its children:\n", p->argv[0]);
	out_u64("status", NULL, status);
	if (p->host)
		out_str("host", "  on host %s\n", p->host->name);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		uint64_t v = c[lines[i].attr];

		if (!cost_has(res, FABSIM_SIDE_SENDER, lines[i].attr)) {
			out_null(lines[i].key);	/* no zero: it was not measured */
			continue;
		}
		out_text("  %-30s ", lines[i].text);
		out_human(lines[i].key, "%16s\n", v,
			  lines[i].is_time ? units_time(v) : units_count(v));
	}
	out_text("  %-30s ", "real time");
	out_human("real_ns", "%16s\n", res->real_ns, units_time(res->real_ns));
	out_u64("missed_probes", NULL, c[FABSIM_A_COUNTER_MISSED]);
	if (c[FABSIM_A_COUNTER_MISSED])
		out_text("note: %s probe hits were missed: the counts are too low\n",
			 units_count(c[FABSIM_A_COUNTER_MISSED]));
	out_end();
	out_done();
}

static int measure(struct fab_nl *nl, struct program *p, enum fabsim_path path)
{
	struct cost_result res;
	pid_t pid = start(p);
	int err, status;

	if (pid < 0) {
		fab_err("cannot start %s: %s", p->argv[0], strerror(-pid));
		return FAB_ENV;
	}
	close(p->gate[0]);
	err = attach(nl, pid, path, p->host ? p->host->name : NULL);
	if (err) {
		close(p->gate[1]);	/* the child sees the end, and ends */
		wait_for(pid);
		return fab_nl_fail(nl, err, "cost probes");
	}
	/* Ctrl-C is for the program; we still print what it cost. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	if (write(p->gate[1], "g", 1) != 1)
		kill(pid, SIGKILL);
	status = wait_for(pid);
	err = cost_stop(nl);
	if (!err)
		err = cost_get(nl, path, &res);
	if (err)
		return fab_nl_fail(nl, err, "cost probes");
	print(p, &res, status);
	return status;
}

/* On the host, or here. Exit status: the program's. */
static int measure_on(struct fab_nl *nl, struct program *p, const char *host,
		      enum fabsim_path path)
{
	struct lab_host h;
	int ret;

	if (!host)
		return measure(nl, p, path);
	ret = lab_host_info(host, &h);
	if (!ret)
		ret = lab_host_may_enter(&h);
	p->host = &h;
	if (!ret)
		ret = measure(nl, p, path);
	lab_host_put(&h);
	return ret;
}

/* Where the program begins: behind "--", or at the first word without "-". */
static int program_at(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (argv[i][0] != '-')
			return i;
		if (!strcmp(argv[i], "-p") || !strcmp(argv[i], "--host") ||
		    !strcmp(argv[i], "--path"))
			i++;
	}
	return argc;
}

int cmd_cost(int argc, char **argv)
{
	const char *path = "tcp", *host = NULL;
	struct program p = { };
	const struct fab_opt opts[] = {
		{ "--host", "-p", FAB_ARG_STR, &host, 0, 0 },
		{ "--path", NULL, FAB_ARG_STR, &path, 0, 0 },
		{ }
	};
	int at = program_at(argc, argv), which, ret;
	struct fab_nl *nl;
	char *first = at < argc ? argv[at] : NULL;

	p.argv = argv + at;
	if (at > argc)
		at = argc;
	argv[at] = NULL;
	if (fab_getopts(at, argv, opts, 0) < 0)
		return FAB_USAGE;
	if (!first)
		return fab_usage("which program?");
	argv[at] = first;
	p.argv = argv + at;
	which = cost_path_find(path);
	if (which < 0)
		return fab_usage("no path \"%s\": tcp, roce, ib", path);
	p.file = find_program(first);
	if (!p.file) {
		fab_err("%s: no such program", first);
		return EXIT_NOT_FOUND;
	}
	/* Better told now than under a table of what the attempt cost. */
	if (access(p.file, X_OK)) {
		ret = cannot_run(first);
		free(p.file);
		return ret;
	}
	nl = fab_nl_open();
	ret = measure_on(nl, &p, host, which);
	fab_nl_close(nl);
	free(p.file);
	return ret;
}
