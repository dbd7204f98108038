// SPDX-License-Identifier: GPL-2.0
/* Finds the scenarios and lessons; see data.h. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data.h"

#ifndef FABCTL_DATADIR
#define FABCTL_DATADIR	"/usr/share/fabsim"
#endif

static char *dir_if_there(char *path)
{
	struct stat st;

	if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return path;
	free(path);
	return NULL;
}

static char *join(const char *a, const char *b, const char *c)
{
	char *path;

	return asprintf(&path, "%s/%s%s", a, b, c) < 0 ? NULL : path;
}

/* In the tree: TREE/ctl/fabctl, TREE/scenarios, TREE/docs/lessons. */
static char *in_tree(const char *kind)
{
	char exe[4096], *ctl, *found;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	ctl = dirname(exe);
	if (strcmp(ctl + (strlen(ctl) > 4 ? strlen(ctl) - 4 : 0), "/ctl"))
		return NULL;
	found = dir_if_there(join(ctl, "../", kind));
	return found ? found : dir_if_there(join(ctl, "../docs/", kind));
}

char *data_dir(const char *kind)
{
	const char *env = getenv("FABSIM_DATA");
	char *found = NULL;

	if (env)
		return dir_if_there(join(env, "", kind));
	found = in_tree(kind);
	return found ? found : dir_if_there(join(FABCTL_DATADIR, "", kind));
}
