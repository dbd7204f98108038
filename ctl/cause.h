/* SPDX-License-Identifier: GPL-2.0 */
/* Why a path failed, as far as the lab's state tells. */
#ifndef FABCTL_CAUSE_H
#define FABCTL_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "lab.h"
#include "nl.h"

/* Replaces @reason, what a program saw, by "CAUSE (what it saw)" if there is one. */
void cause_find(struct fab_nl *nl, const struct lab_host *from,
		const struct lab_host *to, char *reason, size_t len);

/* Only the cause, of Ethernet or of InfiniBand; false if nothing is in the way. */
bool cause_ethernet(struct fab_nl *nl, const struct lab_host *from,
		    const struct lab_host *to, char *why, size_t len);
bool cause_ib(struct fab_nl *nl, const struct lab_host *from,
	      const struct lab_host *to, char *why, size_t len);

#endif /* FABCTL_CAUSE_H */
