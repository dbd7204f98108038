/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a message from one host does not reach another. A program only sees that
 * nothing comes back; what is in the way stands in the lab, and this walks the path
 * from the sender to the receiver, nearest first, until something is found.
 */
#ifndef FABCTL_WHY_H
#define FABCTL_WHY_H

#include <stdbool.h>

#include "compiler.h"
#include "lab.h"
#include "nl.h"
#include "tree.h"

struct why {
	struct fab_nl *nl;
	enum fabsim_path path;
	const struct lab_host *from, *to;
	bool failed;		/* a message has failed: what only loses some counts, too */

	struct json_object *looked;	/* array: what was looked at, in order */
	bool found;			/* from here on: the first thing in the way */
	bool living_go_on;		/* it stops new connections only */
	char reason[128];
	const char *lesson;		/* "3" */
	char mend[96];			/* a command, or advice */
};

/*
 * Looks at what stands in the lab; then, if that is in order, at the queue pairs that
 * are there, and at what the last "send" or "run" met. why_put() in the end.
 */
void why_lab(struct why *w);
void why_programs(struct why *w);
void why_put(struct why *w);

/* ---- between the files of why ---- */

/* Notes that @what is in order. Returns false. */
__printf(3, 4)
bool why_fine(struct why *w, const char *what, const char *fmt, ...);
/* Notes what is in the way. @mend may be NULL. Returns true. */
__printf(5, 6)
bool why_found(struct why *w, const char *what, const char *lesson, const char *mend,
	       const char *fmt, ...);

/* A cable on the way. */
bool why_link(struct why *w, const char *link);
/* Host by host and hop by hop; true if something was found. */
bool why_ethernet(struct why *w);
bool why_ib(struct why *w);
/* GIDs of RoCE. */
bool why_gids(struct why *w);
/* "h1-roce": the HCA of @host on this path. Static buffer. */
const char *why_hca(const struct why *w, const struct lab_host *host);

#endif /* FABCTL_WHY_H */
