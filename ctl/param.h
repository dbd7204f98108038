/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of links, switches, hosts and the fabric: name, range, netlink
 * attribute. One table serves topology files, "set" and "link add".
 */
#ifndef FABCTL_PARAM_H
#define FABCTL_PARAM_H

#include <stddef.h>
#include <stdint.h>

#include "nl.h"

enum param_of {
	PARAM_LINK,
	PARAM_SWITCH,
	PARAM_NEW_SWITCH,	/* what can only be said when it is made */
	PARAM_HOST,
	PARAM_FABRIC,
	PARAM_SM,
};

struct param;

/* NULL: no such setting. */
const struct param *param_find(enum param_of of, const char *key);
const char *param_key(const struct param *p);
/* "rate delay mtu ..." */
const char *param_keys(enum param_of of);

/* 0, or -1 with the reason ("... is out of range (1M to 10T, or max)"). */
int param_read(const struct param *p, const char *value, uint64_t *v,
	       char *why, size_t size);
void param_put(struct nl_msg *msg, const struct param *p, uint64_t v);

/*
 * Reads every "key=value" of argv[0..argc-1] into @msg. FAB_OK, or FAB_USAGE
 * after a complaint that names the key and the range.
 */
int param_put_all(struct nl_msg *msg, enum param_of of, int argc, char **argv);

#endif /* FABCTL_PARAM_H */
