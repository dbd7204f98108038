// SPDX-License-Identifier: GPL-2.0
/* Writes and reads /run/fabsim/last; see last.h. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "last.h"
#include "path.h"

static void end_tree(struct json_object *o, const struct worker_met *m)
{
	char gid[INET6_ADDRSTRLEN];

	tree_u64(o, "qpn", m->qpn);
	tree_u64(o, "qp_state", m->qp_state);
	tree_u64(o, "mtu", m->mtu);
	tree_u64(o, "gid_index", m->gid_index);
	tree_str(o, "gid", inet_ntop(AF_INET6, m->gid, gid, sizeof(gid)));
	tree_u64(o, "pkey_index", m->pkey_index);
	tree_u64(o, "pkey", m->pkey);
	tree_u64(o, "registered", m->registered);
	tree_u64(o, "used", m->used);
	tree_u64(o, "rkey", m->rkey);
	tree_u64(o, "far_rkey", m->far_rkey);
	tree_u64(o, "receives", m->receives);
}

/* Beside it first: who reads meanwhile sees the old or the new, never half. */
static void write_file(struct json_object *all)
{
	static const char new[] = LAST_FILE ".new";

	if (json_object_to_file(new, all) || rename(new, LAST_FILE))
		unlink(new);
}

void last_record(enum fabsim_path path, const struct worker_job *job,
		 const struct worker_result *res)
{
	struct json_object *all = json_object_from_file(LAST_FILE), *o;

	if (!json_object_is_type(all, json_type_object)) {
		json_object_put(all);
		all = json_object_new_object();
	}
	o = tree_object(all, paths[path].name);
	tree_str(o, "from", job->from->name);
	tree_str(o, "to", job->to->name);
	tree_bool(o, "ok", res->ok);
	tree_str(o, "reason", res->ok ? NULL : res->reason);
	tree_str(o, "status", res->status[0] ? res->status : NULL);
	tree_bool(o, "connected", !res->bring_up_failed);
	tree_u64(o, "at_ns", fab_real_ns());
	if (path != FABSIM_PATH_TCP) {
		end_tree(tree_object(o, "sender"), &res->met[0]);
		end_tree(tree_object(o, "receiver"), &res->met[1]);
	}
	write_file(all);
	json_object_put(all);
}

struct json_object *last_find(enum fabsim_path path, const char *from, const char *to)
{
	struct json_object *all = json_object_from_file(LAST_FILE), *o;

	o = json_object_is_type(all, json_type_object) ?
		    json_object_get(tree_get(all, paths[path].name)) : NULL;
	json_object_put(all);
	if (!o || (!strcmp(tree_text(o, "from", ""), from) &&
		   !strcmp(tree_text(o, "to", ""), to)))
		return o;
	json_object_put(o);
	return NULL;
}

void last_forget(void)
{
	unlink(LAST_FILE);
}
