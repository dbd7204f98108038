// SPDX-License-Identifier: GPL-2.0
/*
 * exec: a program on a host, as "ip netns exec" runs it. We become the program,
 * so signals, terminal and exit status are its own.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lab.h"

int cmd_exec(int argc, char **argv)
{
	struct lab_host h;
	int ret;

	if (argc > 1 && !strcmp(argv[1], "--")) {
		argc--;
		argv++;
	}
	if (argc < 2)
		return fab_usage("on which host?");
	if (argv[1][0] == '-')
		return fab_usage("no option \"%s\"", argv[1]);
	if (argc < 3)
		return fab_usage("which program?");
	ret = lab_host_info(argv[1], &h);
	if (ret)
		return ret;
	ret = lab_host_enter(&h);
	lab_host_put(&h);
	if (ret)
		return ret;
	execvp(argv[2], argv + 2);
	fab_err("%s: %s", argv[2], strerror(errno));
	/* As a shell answers. */
	return errno == ENOENT ? 127 : 126;
}
