// SPDX-License-Identifier: GPL-2.0
/*
 * fabctl: drives fabsim.ko. This file holds the table of commands and the help
 * made from it; opts.c reads command lines; one cmd_*.c does one noun or verb.
 *
 * There is no matching of commands by prefix: a script that worked with "s"
 * would break on the day a second command begins with it. A mistyped command
 * gets a "did you mean" instead.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

struct fab_opts fab_opts;

static const struct fab_cmd *current;	/* for the synopsis in complaints */

static int cmd_help(int argc, char **argv);

/* A synopsis that is too long goes on in the next line. */
#define NEXT	"\n             "

const struct fab_cmd fab_cmds[] = {
	{ "up", "[-t FILE|NAME] [--hosts N] [--no-ib] [--check]",
	  "build the lab: hosts, switches, links",
	  "  -t, --topology T  star (default), diamond, chain, ring, fat-tree:K,\n"
	  "                    or a YAML file (docs/topology.md)\n"
	  "  -n, --hosts N     number of hosts of a built-in topology\n"
	  "      --no-ib       without the InfiniBand network (is1 and its links)\n"
	  "      --check       read and check the topology, build nothing\n"
	  "\n"
	  "Every live host is a network namespace of its name; hosts know each\n"
	  "other by name: fabctl exec h1 ping h2\n",
	  cmd_up },
	{ "down", "", "remove the lab, or what a killed fabctl left of one",
	  NULL, cmd_down },
	{ "reset", "[--counters]",
	  "settings back to default, queues and tables empty",
	  "      --counters  keep the settings\n", cmd_reset },
	{ "run", "NAME... [-s KEY=VALUE]... [-p PATHS] [-r N] [-o FILE] [-e]"
	  NEXT "[--ask] [--check]",
	  "run a scenario and print its table",
	  "  -s, --set KEY=VALUE  change a setting (may be given again)\n"
	  "  -p, --path PATHS     only these, for example: tcp\n"
	  "  -r, --repeat N       run it N times, show the spread\n"
	  "  -o, --output FILE    also write the JSON there\n"
	  "  -e, --evidence       under each row the command that shows where it is from\n"
	  "      --ask            ask for a prediction first\n"
	  "      --check          read and check the scenario, run nothing\n"
	  "\n"
	  "NAME is one of \"fabctl list\", NAME:VARIANT, 1 to 4 (the lesson's), or a\n"
	  "file. With no lab up it builds the one that the scenario wants.\n",
	  cmd_run },
	{ "list", "", "list the scenarios", NULL, cmd_list },
	{ "lesson", "[N]", "one screen of the lesson; without N the titles",
	  NULL, cmd_lesson },
	{ "send", "[A B] [-p PATHS] [--op OP] [-n N] [--size S]",
	  "send messages over the lab as it is",
	  "  -p, --path PATHS  of tcp,roce,ib; default: all that the hosts have\n"
	  "      --op OP       write (default), read or send; of RDMA paths\n"
	  "  -n, --count N     messages; default 100\n"
	  "      --size S      bytes of each; default 4K\n"
	  "\n"
	  "Without A and B: from h1 to h2.\n",
	  cmd_send },
	{ "why", "A B [PATHS]",
	  "why a message does not get from A to B",
	  "  PATHS  of tcp,roce,ib; default: all three\n"
	  "\n"
	  "Walks each path, nearest first, and names the first thing in the way: port,\n"
	  "cable, subnet manager, LID, forwarding table, GID, partition; then queue pairs\n"
	  "that are there; then what the last send or run met: keys, memory, RECV, MTU.\n"
	  "Exits with 1 if something is in the way.\n",
	  cmd_why },
	{ "cost", "[-p HOST] [--path PATH] -- CMD [ARGS]",
	  "count what a program and its children cost",
	  "  -p, --host HOST  run it on this host\n"
	  "      --path PATH  count it as this path's; default: tcp\n"
	  "\n"
	  "Exits with the program's status.\n",
	  cmd_cost },
	{ "show", "[overview|hosts|ports|links|switches|fdb|lft|sm|qps|gids"
	  NEXT "|headers|fabric] [-v] [NAME]",
	  "show the state of the lab",
	  "  overview       everything on one screen (default)\n"
	  "  hosts          namespaces, addresses, interfaces\n"
	  "  ports          state, counters, drops; NAME: a port or a node\n"
	  "  links          ends and settings\n"
	  "  switches       settings and counters\n"
	  "  fdb            what the switches learned; NAME: a switch\n"
	  "  lft            what a subnet manager wrote into them; NAME: a switch\n"
	  "  sm             subnet managers; NAME: a switch\n"
	  "  qps            queue pairs; NAME: a host\n"
	  "  gids           addresses that RDMA programs name; NAME: a host\n"
	  "  headers        one packet of RoCE and of InfiniBand, cut into its parts\n"
	  "  fabric         time, pace, seed\n"
	  "  -v, --verbose  more columns, wider than 80\n"
	  "\n"
	  "<..> or \u2039..\u203a marks a setting of this lab, not a result.\n",
	  cmd_show },
	{ "set", "link|port|switch|host|sm|fabric NAME KEY=VALUE..."
	  NEXT "| lossless on|off [--net eth|ib]", "change settings",
	  "  link NAME    rate=100G|max delay=50ns mtu=9000 seed=N up=yes|no\n"
	  "               ber=1e-9 loss=1% drop-nth=N corrupt-nth=N\n"
	  "               dir=both|a-b|b-a       which packets faults hit\n"
	  "               stall=none|rx-at-A|rx-at-B|both\n"
	  "  port NAME    the same keys, of the link plugged into the port\n"
	  "  switch NAME  buffer=2M alpha=1 latency=600ns ageing=300s\n"
	  "  host NAME    cpu=N                  which CPU its NIC interrupts\n"
	  "               repeat=go-back-n|selective   how new QPs repeat lost packets\n"
	  "  sm SWITCH    priority=1 sweep=10s poll=1s routing=min-hop|updn lmc=0\n"
	  "  fabric       pace=1 seed=N          has no NAME\n"
	  "  lossless     Ethernet is lossy; InfiniBand has no such switch\n"
	  "\n"
	  "      --net NET  lossless of eth (default) or ib\n"
	  "\n"
	  "\"fabctl show links\" and \"show switches\" list the names.\n",
	  cmd_set },
	{ "link", "up|down|del NAME | add A[:PORT] B[:PORT] [name=NAME]"
	  NEXT "[KEY=VALUE...]",
	  "plug, unplug, add and remove cables",
	  "KEY=VALUE: as in \"fabctl set link\"\n",
	  cmd_link },
	{ "host", "add NAME [-s SWITCH] | del NAME",
	  "plug in or remove a host",
	  "  -s, --switch SWITCH  plug it in there; default: where a port is free\n",
	  cmd_host },
	{ "sm", "start [SWITCH] [--priority N] | stop [--cold] [SWITCH]",
	  "start or stop an InfiniBand subnet manager",
	  "      --priority N  0 to 15; the highest is master, others stand by\n"
	  "      --cold        as if there had never been one: no LIDs, ports in INIT\n"
	  "\n"
	  "It runs in a switch; without SWITCH: those of the topology. When it stops,\n"
	  "data goes on: addresses, tables and active ports stay as they are.\n",
	  cmd_sm },
	{ "exec", "HOST CMD [ARGS]", "run a program on a host",
	  "As \"ip netns exec HOST CMD\"; exits with the program's status.\n",
	  cmd_exec },
	{ "monitor", "[-n N] [--timeout SECONDS]", "print events as they happen",
	  "  -n, --count N          end after so many\n"
	  "      --timeout SECONDS  end after this real time\n"
	  "\n"
	  "With -j one JSON object a line.\n", cmd_monitor },
	{ "capture", "-w FILE|- [-i PORT]... [-c COUNT] [-s SNAPLEN]"
	  NEXT "[--timeout SECONDS]",
	  "write packets to a pcapng file",
	  "  -w, --write FILE       where to; - is stdout\n"
	  "  -i, --interface PORT   only this port (may be given again); default: all\n"
	  "  -c, --count COUNT      end after so many packets\n"
	  "  -s, --snaplen SNAPLEN  bytes kept of a packet, 64 to 65536\n"
	  "      --timeout SECONDS  end after this real time\n"
	  "\n"
	  "Each port is an interface of the file; times are fabric time, from 0.\n",
	  cmd_capture },
	{ "freeze", "", "stop fabric time", NULL, cmd_freeze },
	{ "step", "[N] [--events]", "while frozen: let a packet move one hop",
	  "  N             so many hops\n"
	  "  -e, --events  count events of the simulation instead of hops\n",
	  cmd_step },
	{ "thaw", "", "let fabric time go on", NULL, cmd_thaw },
	{ "gen", "FILE|STREAM... [--at TIME] [--seed N]",
	  "send frames at exact fabric times",
	  "STREAM: PORT dst=HOST|MAC [count=1000] [size=1500] [interval=0]\n"
	  "        [start=0] [jitter=0] [prio=0]; the next PORT begins the next\n"
	  "FILE:   YAML: streams: a list of mappings with these keys and port\n"
	  "  --at TIME   fabric time to start at; default: now\n"
	  "  --seed N    of the jitter; default: the fabric's\n",
	  cmd_gen },
	{ "help", "[COMMAND]", "this, or more about a command", NULL, cmd_help },
	{ }
};

static void print_err(const char *fmt, va_list ap)
{
	fflush(stdout);
	fputs("fabctl: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void fab_err(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_err(fmt, ap);
	va_end(ap);
}

void fab_note(const char *fmt, ...)
{
	va_list ap;

	if (fab_opts.json)
		return;
	va_start(ap, fmt);
	print_err(fmt, ap);
	va_end(ap);
}

static void print_synopsis(FILE *f, const struct fab_cmd *c)
{
	fprintf(f, "usage: fabctl %s%s%s\n", c->name, *c->args ? " " : "",
		c->args);
}

int fab_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_err(fmt, ap);
	va_end(ap);
	if (current)
		print_synopsis(stderr, current);
	return FAB_USAGE;
}

static void help_all(FILE *f)
{
	const struct fab_cmd *c;

	fputs("usage: fabctl [-j] [-p] [-c] [--ascii] COMMAND ...\n\n", f);
	for (c = fab_cmds; c->name; c++)
		fprintf(f, "  %-9s %s\n", c->name, c->brief);
	fputs("\n"
	      "  -j, --json    print JSON          -c, --color   colours on a terminal\n"
	      "  -p, --pretty  JSON with lines     --ascii       no characters beyond ASCII\n"
	      "  -h, --help    help                -V, --version version\n"
	      "\n"
	      "Exit status: 0 done, 1 an expectation was missed, 2 wrong usage or a bad\n"
	      "file, 3 the environment: no module, no rights, no lab.\n"
	      "\n"
	      "\"fabctl help COMMAND\" says more. Begin with: fabctl up\n", f);
}

static void help_one(const struct fab_cmd *c)
{
	print_synopsis(stdout, c);
	printf("\n%s\n", c->brief);
	if (c->help)
		printf("\n%s", c->help);
}

static const struct fab_cmd *find_cmd(const struct fab_cmd *tab,
				      const char *name)
{
	for (; tab->name; tab++)
		if (!strcmp(tab->name, name))
			return tab;
	return NULL;
}

static int no_such_cmd(const struct fab_cmd *tab, const char *name)
{
	const char *words[64];
	unsigned int n = 0;

	for (; tab->name && n < 63; tab++)
		words[n++] = tab->name;
	words[n] = NULL;
	fab_err("no command \"%s\"%s", name,
		fab_hint(name, words, "; see \"fabctl help\""));
	return FAB_USAGE;
}

static int cmd_help(int argc, char **argv)
{
	const struct fab_cmd *c;

	argc = fab_getopts(argc, argv, NULL, 1);
	if (argc < 0)
		return FAB_USAGE;
	if (argc < 2) {
		help_all(stdout);
		return FAB_OK;
	}
	c = find_cmd(fab_cmds, argv[1]);
	if (!c)
		return no_such_cmd(fab_cmds, argv[1]);
	help_one(c);
	return FAB_OK;
}

void fab_help_current(void)
{
	if (current)
		help_one(current);
	else
		help_all(stdout);
}

static bool is_help(const char *s)
{
	return !strcmp(s, "help") || !strcmp(s, "-h") || !strcmp(s, "--help");
}

static int run_cmd(const struct fab_cmd *c, int argc, char **argv)
{
	current = c;
	if (argc == 2 && is_help(argv[1])) {
		fab_help_current();
		return FAB_OK;
	}
	return c->fn(argc, argv);
}

/*
 * Where stdin, stdout or stderr is closed, the next file opened would take its
 * place and get our text. What stands there instead can be neither read nor
 * written: who closed it sees the error that he would have seen.
 */
static void fill_closed_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* On a full disk nobody shall take half a table for a whole one. */
static void check_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	fab_err("cannot write to standard output");
	_exit(FAB_ENV);
}

int main(int argc, char **argv)
{
	const struct fab_cmd *c;
	int n;

	fill_closed_files();
	atexit(check_stdout);

	argc--;
	argv++;
	while (argc > 0 && argv[0][0] == '-') {
		n = fab_global_opt(argv[0]);
		if (n == FAB_GLOBAL_HELP) {
			help_all(stdout);
			return FAB_OK;
		}
		if (n != FAB_GLOBAL_TAKEN) {
			fab_err("no option \"%s\"; see \"fabctl help\"", argv[0]);
			return FAB_USAGE;
		}
		argc--;
		argv++;
	}
	if (argc < 1) {
		help_all(stderr);
		return FAB_USAGE;
	}
	c = find_cmd(fab_cmds, argv[0]);
	if (!c)
		return no_such_cmd(fab_cmds, argv[0]);
	return run_cmd(c, argc, argv);
}
