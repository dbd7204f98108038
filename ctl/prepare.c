// SPDX-License-Identifier: GPL-2.0
/*
 * A scenario begins with every setting at its default. What the user had set is
 * undone and listed. The list needs no knowledge of defaults: it is the
 * difference between the settings before the reset and after it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cold.h"
#include "lab.h"
#include "prepare.h"
#include "setting.h"
#include "step.h"
#include "units.h"

static void say(struct json_object *list, const char *text)
{
	json_object_array_add(list, json_object_new_string(text));
}

static int change_topology(const char *from, const char *to, struct prepared *p)
{
	struct topology *t = topology_get(to, 0, false);
	char note[160];
	int ret;

	if (!t)
		return FAB_USAGE;
	ret = lab_down();
	/* The lock went with the lab: take that of the next one. */
	lab_unlock();
	if (lab_lock())
		ret = FAB_ENV;
	if (!ret)
		ret = lab_up(t);
	topology_free(t);
	snprintf(note, sizeof(note), "the scenario needs topology %s: replaced %s", to, from);
	say(p->notes, note);
	return ret;
}

int prepare_lab(struct fab_nl *nl, const struct scenario *s, struct prepared *p)
{
	struct fab_fabric_info info;
	bool started;
	int ret, err;

	ret = lab_ensure_up(s->topology, &started);
	if (ret)
		return ret;
	err = fab_fabric_get(nl, &info);
	if (err)
		return fab_nl_fail(nl, err, "fabric");
	/* On a terminal lab_ensure_up() has said so. */
	p->started = started;
	if (!started && s->topology && strcmp(info.topology, s->topology))
		ret = change_topology(info.topology, s->topology, p);
	return ret ? ret : steps_prepare(nl, s, p->notes);
}

struct snapshot {
	struct fab_fabric_info fabric;
	struct fab_link_info *links;
	struct fab_node_info *nodes;
	size_t nr_links, nr_nodes;
};

static int snapshot_take(struct fab_nl *nl, struct snapshot *s)
{
	int err = fab_fabric_get(nl, &s->fabric);

	s->links = NULL;
	s->nodes = NULL;
	if (!err)
		err = fab_link_list(nl, &s->links, &s->nr_links);
	if (!err)
		err = fab_node_list(nl, &s->nodes, &s->nr_nodes);
	return err ? fab_nl_fail(nl, err, "the lab's settings") : FAB_OK;
}

static void snapshot_free(struct snapshot *s)
{
	free(s->links);
	free(s->nodes);
}

struct differ {
	struct json_object *list;
	const char *what, *name;	/* "link", "h1-es1" */
};

static void differ(const struct differ *d, const char *key, uint64_t was, uint64_t is,
		   const char *(*text)(uint64_t v))
{
	char before[32], note[160];

	if (was == is)
		return;
	snprintf(before, sizeof(before), "%s", text(was));
	snprintf(note, sizeof(note), "%s%s%s: %s %s \u2192 %s", d->what,
		 *d->name ? " " : "", d->name, key, before, text(is));
	say(d->list, note);
}

static const char *plain(uint64_t v)
{
	static char text[2][24];
	static int i;

	i = !i;
	snprintf(text[i], sizeof(text[i]), "%llu", (unsigned long long)v);
	return text[i];
}

static const char *thousandths(uint64_t v)
{
	static char text[2][24];
	static int i;

	i = !i;
	snprintf(text[i], sizeof(text[i]), "%g", v / 1000.0);
	return text[i];
}

static const char *milliseconds(uint64_t v)
{
	return units_time(v * 1000000);
}

static const char *yes_no(uint64_t v)
{
	return v ? "yes" : "no";
}

static const char *loss_text(uint64_t v)
{
	return units_fraction(v, FABSIM_PPB);
}

static const char *ber_text(uint64_t v)
{
	return units_fraction(v, FABSIM_BER_ONE);
}

static const char *dir_text(uint64_t v)
{
	return fab_fault_dir_name(v);
}

static const char *stall_text(uint64_t v)
{
	return fab_stall_name(v);
}

static void diff_link(struct json_object *list, const struct fab_link_info *a,
		      const struct fab_link_info *b)
{
	const struct differ d = { list, "link", a->name };

	differ(&d, "up", a->up, b->up, yes_no);
	differ(&d, "rate", a->rate, b->rate, units_rate);
	differ(&d, "delay", a->delay, b->delay, units_time);
	differ(&d, "mtu", a->mtu, b->mtu, plain);
	differ(&d, "ber", a->ber, b->ber, ber_text);
	differ(&d, "loss", a->loss, b->loss, loss_text);
	differ(&d, "drop-nth", a->drop_nth, b->drop_nth, plain);
	differ(&d, "corrupt-nth", a->corrupt_nth, b->corrupt_nth, plain);
	differ(&d, "dir", a->fault_dir, b->fault_dir, dir_text);
	differ(&d, "stall", a->stall, b->stall, stall_text);
	differ(&d, "seed", a->seed, b->seed, plain);
}

static void diff_node(struct json_object *list, const struct fab_node_info *a,
		      const struct fab_node_info *b)
{
	const struct differ d = { list, "switch", a->name };

	differ(&d, "buffer", a->buffer, b->buffer, units_size);
	differ(&d, "alpha", a->alpha, b->alpha, thousandths);
	differ(&d, "latency", a->latency, b->latency, units_time);
	differ(&d, "ageing", a->ageing, b->ageing, milliseconds);
}

static void diff_fabric(struct json_object *list, const struct fab_fabric_info *a,
			const struct fab_fabric_info *b)
{
	const struct differ d = { list, "fabric", "" };

	differ(&d, "pace", a->pace, b->pace, plain);
	differ(&d, "seed", a->seed, b->seed, plain);
	differ(&d, "frozen", a->frozen, b->frozen, yes_no);
}

/* A reset neither adds nor removes objects nor changes their order. */
static void diff(struct json_object *list, const struct snapshot *a,
		 const struct snapshot *b)
{
	diff_fabric(list, &a->fabric, &b->fabric);
	for (size_t i = 0; i < a->nr_links && i < b->nr_links; i++)
		if (a->links[i].id == b->links[i].id)
			diff_link(list, &a->links[i], &b->links[i]);
	for (size_t i = 0; i < a->nr_nodes && i < b->nr_nodes; i++)
		if (a->nodes[i].id == b->nodes[i].id &&
		    a->nodes[i].kind != FABSIM_NODE_HOST)
			diff_node(list, &a->nodes[i], &b->nodes[i]);
}

int prepare_state(struct fab_nl *nl, struct prepared *p)
{
	struct snapshot before, after;
	int ret, err;

	ret = snapshot_take(nl, &before);
	if (!ret)
		ret = lab_reset(true);
	if (ret)
		goto out_before;
	ret = snapshot_take(nl, &after);
	if (!ret)
		diff(p->undone, &before, &after);
	snapshot_free(&after);
	if (!ret) {
		err = cold_start(nl);
		ret = err ? fab_nl_fail(nl, err, "cold start") : FAB_OK;
	}
out_before:
	snapshot_free(&before);
	return ret;
}

int prepare_settings(struct fab_nl *nl, char *const *set, uint32_t n)
{
	int ret = FAB_OK;

	for (uint32_t i = 0; !ret && i < n; i++)
		ret = setting_apply(nl, set[i]);
	return ret;
}
