/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lab: a fabric in the module, and around it what lives in user space: the
 * hosts' namespaces, addresses and names.
 *
 * What is ours in user space is written in /run/fabsim/lab before it is made,
 * so that whoever comes after a killed controller removes exactly that. One
 * lock file keeps two controllers apart.
 *
 * Functions that return int and say so print their own complaint and return an
 * exit status (enum fab_exit).
 */
#ifndef FABCTL_LAB_H
#define FABCTL_LAB_H

#include <stdbool.h>
#include <netinet/in.h>
#include <sys/types.h>

#include "nl.h"
#include "topology.h"

#define LAB_DIR		"/run/fabsim"

struct lab_host {
	char name[FABSIM_NODE_NAME_MAX + 1];
	char ifname[16];
	unsigned int ifindex;
	uint8_t mac[6];
	bool has_ip;
	struct in_addr ip;
	unsigned int prefix;
	char ip_str[INET_ADDRSTRLEN];
	bool netns_init;	/* lives in our own namespace */
	int netns;		/* open fd, or -1 (ghost host, or orphaned) */
};

/*
 * Builds @t, and waits until its InfiniBand subnets are up. What this kernel cannot
 * have is left out of @t, with a remark. Exit status.
 */
int lab_up(struct topology *t);
/* Removes the lab, or the rest of one. Exit status. */
int lab_down(void);
/*
 * With no lab up: builds @spec (NULL: star) and says so; *started tells.
 * With one up: FAB_OK, whatever it is. Exit status.
 */
int lab_ensure_up(const char *spec, bool *started);
/* Empties queues and FDBs, zeroes counters; @defaults: settings too. Exit status. */
int lab_reset(bool defaults);

/* Of a live host. FAB_OK, or a status after its complaint (lists the hosts). */
int lab_host_info(const char *name, struct lab_host *h);
void lab_host_put(struct lab_host *h);	/* closes the fd */
/* Moves this process there, as "ip netns exec" does. Exit status. */
int lab_host_enter(const struct lab_host *h);
/* May we run programs there? Exit status. */
int lab_host_may_enter(const struct lab_host *h);
/* FAB_OK and what it is if a lab is up; else a status after its complaint. */
int lab_is_up(struct fab_nl *nl, struct fab_fabric_info *f);

/* A host added to or taken from a lab that is up. Exit status. */
int lab_host_add(const char *name, const char *sw);
int lab_host_del(const char *name);

/*
 * Forks a child that runs @fn in the host's namespace (names and /sys as with
 * "ip netns exec") and exits with what it returns. The pid, or -errno.
 */
pid_t lab_spawn(const struct lab_host *h, int (*fn)(void *arg), void *arg);

/* Serialises controllers: waits for the other to finish. FAB_OK or FAB_ENV. */
int lab_lock(void);
void lab_unlock(void);

#endif /* FABCTL_LAB_H */
