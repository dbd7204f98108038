// SPDX-License-Identifier: GPL-2.0
/* The walk as a whole; see why.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gids.h"
#include "units.h"
#include "why.h"

static bool noted(const struct why *w, const char *what, const char *found)
{
	size_t n = json_object_array_length(w->looked);

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(w->looked, i);

		if (!strcmp(tree_text(o, "what", ""), what) &&
		    !strcmp(tree_text(o, "found", ""), found))
			return true;
	}
	return false;
}

static void note(struct why *w, const char *what, bool ok, const char *found)
{
	struct json_object *o;

	if (!w->looked)
		w->looked = json_object_new_array();
	/* The way back is looked at too, over the same cables. */
	if (ok && noted(w, what, found))
		return;
	o = tree_item(w->looked);
	tree_str(o, "what", what);
	tree_bool(o, "ok", ok);
	tree_str(o, "found", found);
}

bool why_fine(struct why *w, const char *what, const char *fmt, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	note(w, what, true, text);
	return false;
}

bool why_found(struct why *w, const char *what, const char *lesson, const char *mend,
	       const char *fmt, ...)
{
	va_list ap;

	w->found = true;
	w->lesson = lesson;
	snprintf(w->mend, sizeof(w->mend), "%s", mend ? mend : "");
	va_start(ap, fmt);
	vsnprintf(w->reason, sizeof(w->reason), fmt, ap);
	va_end(ap);
	note(w, what, false, w->reason);
	return true;
}

void why_put(struct why *w)
{
	json_object_put(w->looked);
	w->looked = NULL;
}

const char *why_hca(const struct why *w, const struct lab_host *host)
{
	static char text[2][FABSIM_NODE_NAME_MAX + 8];
	static int i;

	i = !i;
	snprintf(text[i], sizeof(text[i]), "%s-%s", host->name,
		 w->path == FABSIM_PATH_IB ? "ib" : "roce");
	return text[i];
}

static bool stalled(struct why *w, const struct fab_link_info *l)
{
	char mend[96];

	snprintf(mend, sizeof(mend), "fabctl set link %s stall=none", l->name);
	return why_found(w, l->name, "5", mend, "an end of link %s is stalled", l->name);
}

bool why_link(struct why *w, const char *name)
{
	struct fab_link_info l;
	char mend[96];

	if (fab_link_get(w->nl, name, &l))
		return why_found(w, name, "1", "fabctl show links", "link %s is gone", name);
	if (!l.up) {
		snprintf(mend, sizeof(mend), "fabctl link up %s", name);
		return why_found(w, name, "1", mend, "link %s is down", name);
	}
	if (l.stall)
		return stalled(w, &l);
	snprintf(mend, sizeof(mend), "fabctl set link %s loss=0", name);
	if (l.loss == FABSIM_PPB || (l.loss && w->failed))
		return why_found(w, name, "5", mend, "link %s loses packets", name);
	return why_fine(w, name, l.loss ? "cable, up; it loses some packets" : "cable, up");
}

static bool frozen(struct why *w)
{
	struct fab_fabric_info f;

	return !fab_fabric_get(w->nl, &f) && f.frozen &&
	       why_found(w, "fabric", "1", "fabctl thaw",
			 "the fabric is frozen: fabctl thaw");
}

/* The HCA of a host: it may have been made without. */
static bool hca_missing(struct why *w, const struct lab_host *host)
{
	const char *name = why_hca(w, host);
	struct fab_node_info n;

	if (fab_node_get(w->nl, host->name, &n))
		return false;
	if (w->path == FABSIM_PATH_IB ? n.ib : n.roce)
		return false;
	return why_found(w, name, "3", NULL, "%s has no %s", host->name,
			 w->path == FABSIM_PATH_IB ? "InfiniBand port" : "HCA on Ethernet");
}

/* An index names an entry of a table; programs want the one of the IPv4 address. */
static bool no_gid(struct why *w, const struct lab_host *host)
{
	const char *name = why_hca(w, host);
	int index = gids_roce_index(name);

	if (index < 0)
		return why_found(w, name, "3", "fabctl show gids",
				 "%s has no RoCE v2 GID of an IPv4 address", name);
	return why_fine(w, name, "GID index %d is RoCE v2 of %s", index, host->ip_str);
}

bool why_gids(struct why *w)
{
	return no_gid(w, w->from) || no_gid(w, w->to);
}

void why_lab(struct why *w)
{
	if (frozen(w))
		return;
	if (w->path != FABSIM_PATH_TCP && (hca_missing(w, w->from) || hca_missing(w, w->to)))
		return;
	if (w->path == FABSIM_PATH_IB)
		why_ib(w);
	else if (!why_ethernet(w) && w->path == FABSIM_PATH_ROCE)
		why_gids(w);
}
