/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Named network namespaces, made as "ip netns add" makes them: a bind mount of
 * the namespace on /run/netns/NAME. So "ip netns exec h1 ..." works too.
 */
#ifndef FABCTL_NETNS_H
#define FABCTL_NETNS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NETNS_DIR	"/run/netns"
#define NETNS_ETC	"/etc/netns"

/* Prepares NETNS_DIR (a shared mount). 0 or -errno. */
int netns_init(void);
/* A new namespace without a name, and its cookie. An open fd, or -errno. */
int netns_new(uint64_t *cookie);
/* Gives it a name; -EEXIST if the name is taken. 0 or -errno. */
int netns_name(int fd, const char *name);
/* Takes the name away; the namespace lives on while somebody holds it. */
int netns_remove(const char *name);
bool netns_exists(const char *name);
/* True if NETNS_DIR/@name is a namespace (not a left-over empty file). */
bool netns_is_mounted(const char *name);
/* An open fd, or -errno. Inode of an open namespace: 0 on failure. */
int netns_open(const char *name);
uint64_t netns_inode(int fd);
/*
 * The namespace's cookie: unlike the inode never used again, so it tells our
 * h1 from the h1 that somebody made after ours was deleted. 0 on failure.
 */
uint64_t netns_cookie(int fd);

/*
 * Runs @fn in namespace @fd on a helper thread and returns what it returned:
 * the caller's own namespace never changes. -errno if it could not enter.
 */
int netns_call(int fd, int (*fn)(void *arg), void *arg);

/*
 * Moves this process into namespace @name as "ip netns exec" does: /sys of that
 * namespace, and the files of /etc/netns/NAME over those of /etc. For use in a
 * child. 0 or -errno.
 */
int netns_enter(const char *name);

/*
 * Calls @fn for every process of the machine with the inode of the network
 * namespace it is in: one pass over /proc answers for any number of them.
 */
void netns_processes(void (*fn)(pid_t pid, const char *comm, uint64_t inode,
				void *arg), void *arg);

#endif /* FABCTL_NETNS_H */
