// SPDX-License-Identifier: GPL-2.0
/* The verbs program of the tests: its subcommands. */
#include <stdio.h>
#include <string.h>
#include "verbs.h"

static const struct {
	const char *name;
	void (*run)(int argc, char **argv);
	int argc;
	const char *arguments;
} commands[] = {
	{ "ops", verbs_ops, 3, "DEVICE DEVICE GID-INDEX" },
	{ "faults", verbs_faults, 3, "DEVICE DEVICE GID-INDEX" },
	{ "frozen", verbs_frozen, 3, "DEVICE DEVICE GID-INDEX" },
	{ "memlock", verbs_memlock, 1, "DEVICE" },
	{ "stream", verbs_stream, 3, "DEVICE DEVICE GID-INDEX" },
	{ "hold", verbs_hold, 4, "DEVICE DEVICE GID-INDEX QPS" },
	{ "many", verbs_many, 4, "DEVICE DEVICE GID-INDEX QPS" },
	{ "connects", verbs_connects, 4, "DEVICE DEVICE GID-INDEX TIMES" },
	{ "poll-only", verbs_poll_only, 4, "DEVICE DEVICE GID-INDEX COMPLETIONS" },
	{ "hostile", verbs_hostile, 5, "DEVICE DEVICE GID-INDEX SEED ROUNDS" },
};

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[1], commands[i].name) || argc - 2 != commands[i].argc)
			continue;
		commands[i].run(argc - 2, argv + 2);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(stderr, "usage: verbs %s %s\n", commands[i].name, commands[i].arguments);
	return 2;
}
