// SPDX-License-Identifier: GPL-2.0
/*
 * The programs' part of "why": queue pairs that are there now, whoever made them, and
 * what the last "send" or "run" met.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "cmd.h"
#include "gids.h"
#include "last.h"
#include "subnet.h"
#include "units.h"
#include "verbs_end.h"
#include "why.h"

#define LOOK_NS		60000000	/* long enough for an RNR NAK to be seen */

/* ---- queue pairs that are there ---- */

/* Does @gid, of sixteen bytes, belong to an HCA of @host? */
static bool gid_of(const struct why *w, const struct lab_host *host, const uint8_t *gid)
{
	struct gid *list;
	size_t n = gids_list(why_hca(w, host), &list);
	uint8_t raw[16];
	bool found = false;

	for (size_t i = 0; !found && i < n; i++)
		found = inet_pton(AF_INET6, list[i].gid, raw) == 1 &&
			!memcmp(raw, gid, sizeof(raw));
	free(list);
	return found;
}

static bool goes_there(const struct why *w, const struct fab_qp_info *q)
{
	struct fab_port_info port;

	if (!q->has_dest)
		return true;		/* it does not say yet */
	if (q->has_gid)
		return gid_of(w, w->to, q->dest_gid);
	return !subnet_port(w->nl, w->to->name, &port) && q->dest_lid == port.lid;
}

static const struct fab_qp_info *peer_of(const struct why *w, const struct fab_qp_info *q,
					 const struct fab_qp_info *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].qpn == q->dest_qpn && !strcmp(list[i].hca, why_hca(w, w->to)))
			return &list[i];
	return NULL;
}

/* How often the receiver's HCA answered "not ready": no RECV was there. */
static uint64_t rnr_naks(const char *hca)
{
	unsigned long long n = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/hw_counters/rcvd_rnr_err", hca);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &n) != 1)
		n = 0;
	fclose(f);
	return n;
}

static bool waits_for_receive(struct why *w, const struct fab_qp_info *q)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	uint64_t before = rnr_naks(q->hca);

	if (!q->sends)
		return false;
	nanosleep(&look, NULL);
	return rnr_naks(q->hca) > before &&
	       why_found(w, q->hca, "3", "ibv_post_recv() before the peer sends",
			 "%s says \"receiver not ready\": it has no RECV posted",
			 w->to->name);
}

static bool pair_wrong(struct why *w, const struct fab_qp_info *q,
		       const struct fab_qp_info *peer)
{
	if (!peer)
		return why_found(w, q->hca, "3", "start the program at the other end again",
				 "queue pair %u, the peer of %u, is not there at %s",
				 q->dest_qpn, q->qpn, w->to->name);
	if (peer->state < FABSIM_QP_RTR)
		return why_found(w, peer->hca, "3", "ibv_modify_qp() to RTR",
				 "queue pair %u of %s is in %s, not ready to receive",
				 peer->qpn, w->to->name, fab_qp_state_name(peer->state));
	if (peer->state == FABSIM_QP_ERR)
		return why_found(w, peer->hca, "3", "a queue pair leaves ERR by RESET only",
				 "queue pair %u of %s is in ERR", peer->qpn, w->to->name);
	if (peer->mtu < q->mtu)
		return why_found(w, q->hca, "3", "the same path_mtu at both ends",
				 "path MTU: %s sends packets of %u bytes, %s takes %u",
				 w->from->name, q->mtu, w->to->name, peer->mtu);
	return waits_for_receive(w, q);
}

static bool queue_pair(struct why *w, const struct fab_qp_info *q,
		       const struct fab_qp_info *peers, size_t n)
{
	/* A server that waits for its client is so, and hinders nobody. */
	if (!q->has_dest && q->state < FABSIM_QP_RTR)
		return why_fine(w, q->hca, "queue pair %u is in %s: it waits to hear of a peer",
				q->qpn, fab_qp_state_name(q->state));
	if (q->state == FABSIM_QP_ERR)
		return why_found(w, q->hca, "3", "a queue pair leaves ERR by RESET only",
				 "queue pair %u of %s is in ERR: an error ended it", q->qpn,
				 w->from->name);
	if (q->state != FABSIM_QP_RTS)
		return why_found(w, q->hca, "3", "ibv_modify_qp() to RTR, then to RTS",
				 "queue pair %u of %s is in %s, not in RTS", q->qpn,
				 w->from->name, fab_qp_state_name(q->state));
	return pair_wrong(w, q, peer_of(w, q, peers, n)) ||
	       why_fine(w, q->hca, "queue pair %u is in RTS, path MTU %u", q->qpn, q->mtu);
}

static bool queue_pairs(struct why *w)
{
	struct fab_qp_info *mine = NULL, *theirs = NULL;
	size_t n = 0, nr_theirs = 0;
	bool found = false;

	if (fab_qp_list(w->nl, w->from->name, &mine, &n))
		return false;
	if (!fab_qp_list(w->nl, w->to->name, &theirs, &nr_theirs))
		for (size_t i = 0; !found && i < n; i++)
			if (mine[i].user && mine[i].type == FABSIM_QP_TYPE_RC &&
			    !strcmp(mine[i].hca, why_hca(w, w->from)) &&
			    goes_there(w, &mine[i]))
				found = queue_pair(w, &mine[i], theirs, nr_theirs);
	free(mine);
	free(theirs);
	return found;
}

/* ---- what the last send or run met ---- */

static const char what_met[] = "last send";

static double number(struct json_object *last, const char *key)
{
	return tree_number(last, key, 0);
}

static bool met_lkey(struct why *w, struct json_object *last)
{
	if (number(last, "sender.registered") < number(last, "sender.used"))
		return why_found(w, what_met, "3", "ibv_reg_mr() the buffer, and use its lkey",
				 "%s: %.0f of %.0f bytes of its messages are registered memory",
				 w->from->name, number(last, "sender.registered"),
				 number(last, "sender.used"));
	return why_found(w, what_met, "3", "the lkey of the memory that is sent",
			 "%s: its HCA refused lkey, range or rights", w->from->name);
}

static bool met_rkey(struct why *w, struct json_object *last)
{
	uint32_t used = number(last, "sender.far_rkey"), is = number(last, "receiver.rkey");

	if (number(last, "receiver.registered") < number(last, "receiver.used"))
		return why_found(w, what_met, "3", "ibv_reg_mr() at the receiver",
				 "%s: its memory for the messages is not registered",
				 w->to->name);
	if (used != is)
		return why_found(w, what_met, "3", "send the rkey of ibv_reg_mr() to the peer",
				 "%s named rkey 0x%x; that of %s is 0x%x", w->from->name, used,
				 w->to->name, is);
	return why_found(w, what_met, "3", "IBV_ACCESS_REMOTE_WRITE, and the right range",
			 "%s: its HCA refused range or rights", w->to->name);
}

static bool met_request(struct why *w, struct json_object *last)
{
	uint32_t mine = number(last, "sender.mtu"), theirs = number(last, "receiver.mtu");

	if (mine != theirs)
		return why_found(w, what_met, "3", "the same path_mtu at both ends",
				 "path MTU: %s sends packets of %u bytes, %s takes %u",
				 w->from->name, mine, w->to->name, theirs);
	return why_found(w, what_met, "3", NULL, "%s: its HCA cannot do what was asked",
			 w->to->name);
}

static bool met_no_recv(struct why *w, struct json_object *last)
{
	return why_found(w, what_met, "3", "ibv_post_recv() first, or rnr_retry above 0",
			 "%s had posted %.0f RECVs when the SEND came", w->to->name,
			 number(last, "receiver.receives"));
}

static bool met_refused(struct why *w, struct json_object *last)
{
	const uint32_t state = number(last, "sender.qp_state");

	return why_found(w, what_met, "3", "ibv_modify_qp() to RTR, then to RTS",
			 "the queue pair of %s was in %s, not in RTS", w->from->name,
			 fab_qp_state_name(state));
}

/* Is it an IPv4 address? As a path has two ends, both must be, or neither. */
static bool mapped(struct json_object *last, const char *key)
{
	return !strncmp(tree_text(last, key, ""), "::ffff:", 7);
}

static bool met_gid(struct why *w, struct json_object *last)
{
	if (w->path != FABSIM_PATH_ROCE || !tree_text(last, "sender.gid", NULL) ||
	    mapped(last, "sender.gid") == mapped(last, "receiver.gid"))
		return false;
	return why_found(w, what_met, "3", "fabctl show gids",
			 "GID index %.0f of %s is %s, no IPv4 address as that of %s",
			 number(last, "sender.gid_index"), w->from->name,
			 tree_text(last, "sender.gid", "?"), w->to->name);
}

static bool met_pkey(struct why *w, struct json_object *last)
{
	if (!number(last, "sender.pkey_index") || number(last, "sender.pkey"))
		return false;
	return why_found(w, what_met, "3", "P_Key index 0 is the default partition",
			 "P_Key index %.0f of %s names no partition",
			 number(last, "sender.pkey_index"), w->from->name);
}

static const struct {
	const char *status;
	bool (*met)(struct why *w, struct json_object *last);
} by_status[] = {
	{ "LOC_PROT_ERR", met_lkey },
	{ "REM_ACCESS_ERR", met_rkey },
	{ "REM_INV_REQ_ERR", met_request },
	{ "RNR_RETRY_EXC_ERR", met_no_recv },
	{ "POST_REFUSED", met_refused },
};

static bool met(struct why *w, struct json_object *last)
{
	const char *status = tree_text(last, "status", "");

	if (json_object_get_boolean(tree_get(last, "ok")))
		return why_fine(w, what_met, "%s ago: all arrived",
				units_time(fab_real_ns() - number(last, "at_ns")));
	if (met_gid(w, last) || met_pkey(w, last))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(by_status); i++)
		if (!strcmp(by_status[i].status, status))
			return by_status[i].met(w, last);
	/* What was in its way is gone, if it stood in the lab. */
	return why_fine(w, what_met, "%s ago; it failed, and the cause is gone: %s",
			units_time(fab_real_ns() - number(last, "at_ns")),
			tree_text(last, "reason", "?"));
}

void why_programs(struct why *w)
{
	struct json_object *last;

	/* What new connections lack is nothing to those that are there. */
	if (w->path != FABSIM_PATH_TCP && queue_pairs(w))
		return;
	last = last_find(w->path, w->from->name, w->to->name);
	if (last)
		met(w, last);
	json_object_put(last);
}
