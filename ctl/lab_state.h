/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of the lab lives outside the module: /run/fabsim/lab, a file of lines.
 *
 *	fabsim-lab 1
 *	builder PID			who built it
 *	etc dir				we made /etc/netns
 *	namespace NAME COOKIE		we made /run/netns/NAME
 *	etcdir NAME			we made /etc/netns/NAME
 *	etchosts NAME			we made /etc/netns/NAME/hosts
 *	host NAME IP/PREFIX|- own|init	address, and where its interface lives
 *	set ARGUMENTS			a setting of the topology, for "reset"
 *	gone NAME			forget what was said of this host
 *
 * A line is written before the thing is made, so at any moment the file names
 * at least what exists. Things are removed only where they are still the ones
 * we made: a namespace by its cookie, a file by where it points.
 */
#ifndef FABCTL_LAB_STATE_H
#define FABCTL_LAB_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "compiler.h"

#define LAB_STATE_FILE	"/run/fabsim/lab"
#define LAB_HOSTS_FILE	"/run/fabsim/hosts"

struct lab_state_host {
	char name[32];
	char address[32];	/* "10.0.0.1/24", or "-" */
	bool init;
};

struct lab_state {
	int fd;			/* open for appending, or -1 */
	pid_t builder;
	struct lab_entry *entries;
	size_t n;
};

/* 0; -ENOENT: there is none; other -errno. Nothing to free after a failure. */
int lab_state_load(struct lab_state *s);
/* An empty one, open for appending. */
int lab_state_begin(struct lab_state *s);
/* Opens a loaded one for appending. */
int lab_state_open(struct lab_state *s);
void lab_state_put(struct lab_state *s);

/* Appends one line (see above). 0 or -errno. */
__printf(2, 3)
int lab_state_add(struct lab_state *s, const char *fmt, ...);

/* The host of this name; false: none. */
bool lab_state_host(const struct lab_state *s, const char *name,
		    struct lab_state_host *h);
void lab_state_each_host(const struct lab_state *s,
			 void (*fn)(const struct lab_state_host *h, void *arg),
			 void *arg);
/* Settings of the topology, as arguments of "set"; stops when @fn fails. */
int lab_state_each_setting(const struct lab_state *s,
			   int (*fn)(char *line, void *arg), void *arg);

/*
 * Removes what is there of one host (@name), or all of it and the file itself
 * (NULL). What is in the way but not ours stays and is named. How many
 * namespaces went; -1 if something of ours could not be removed.
 */
int lab_state_clean(struct lab_state *s, const char *name);

/* Writes LAB_HOSTS_FILE, which every host's /etc/hosts shows. 0 or -errno. */
int lab_state_write_hosts(const struct lab_state *s);

#endif /* FABCTL_LAB_STATE_H */
