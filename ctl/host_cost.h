/* SPDX-License-Identifier: GPL-2.0 */
/* What the probes counted, as the "host" and "stages" of a path's result. */
#ifndef FABCTL_HOST_COST_H
#define FABCTL_HOST_COST_H

#include "cost.h"
#include "tree.h"
#include "worker_tcp.h"

struct host_cost {
	struct cost_result counts;	/* of the pass with probes */
	struct cost_result times;	/* of the pass without */
	uint64_t messages, bytes;
	bool polls_known;		/* the programs did not poll: poll_ns is 0 */
	/* Paths 2 and 3: the programs poll, and said how long they worked. */
	bool verbs, receiver_polls;
	struct worker_once once[2];	/* sender, receiver: least of all passes */
	struct worker_once once_max[2];
	struct worker_busy busy[2];
	uint64_t wire_ns;		/* fabric time of a message, 0: not seen */
};

/* One more pass has done the one-time steps. */
void host_cost_once(struct host_cost *c, const struct worker_once once[2]);
void host_cost_tree(const struct host_cost *c, struct json_object *path);

#endif /* FABCTL_HOST_COST_H */
