// SPDX-License-Identifier: GPL-2.0
/* up, down, reset: the lab as a whole. */
#include <stdint.h>
#include <stdio.h>

#include "cmd.h"
#include "lab.h"
#include "output.h"
#include "topology.h"
#include "units.h"

struct summary {
	uint32_t hosts, ghosts, switches;
};

static struct summary count(const struct topology *t)
{
	struct summary s = { 0 };
	uint32_t i;

	for (i = 0; i < t->nr_nodes; i++) {
		if (t->nodes[i].kind != FABSIM_NODE_HOST)
			s.switches++;
		else if (t->nodes[i].live)
			s.hosts++;
		else
			s.ghosts++;
	}
	return s;
}

/* Two hosts to try with. */
static void print_next(const struct topology *t)
{
	const char *name[2];
	uint32_t i, n = 0;

	for (i = 0; i < t->nr_nodes && n < 2; i++)
		if (t->nodes[i].kind == FABSIM_NODE_HOST && t->nodes[i].live)
			name[n++] = t->nodes[i].name;
	out_text("next: fabctl show \u00b7 fabctl exec %s ping %s\n", name[0],
		 name[1]);
}

static void print(const struct topology *t, bool built, uint64_t ns)
{
	struct summary s = count(t);

	out_object(NULL);
	out_str("topology", "%s: ", t->name);
	out_u64("hosts", s.hosts == 1 ? "%llu host, " : "%llu hosts, ", s.hosts);
	out_u64("ghosts", !s.ghosts ? NULL : s.ghosts == 1 ?
		"%llu ghost host, " : "%llu ghost hosts, ", s.ghosts);
	out_u64("switches", s.switches == 1 ? "%llu switch, " : "%llu switches, ",
		s.switches);
	out_u64("links", t->nr_links == 1 ? "%llu link" : "%llu links",
		t->nr_links);
	out_bool("built", NULL, built);
	if (built)
		out_human("real_ns", ", up in %s", ns, units_time(ns));
	out_text(built ? "\n" : ": good\n");
	if (built && s.hosts > 1)
		print_next(t);
	out_end();
	out_done();
}

int cmd_up(int argc, char **argv)
{
	const char *spec = NULL;
	unsigned int hosts = 0;
	bool no_ib = false, check = false;
	const struct fab_opt opts[] = {
		{ "--topology", "-t", FAB_ARG_STR, &spec, 0, 0 },
		{ "--hosts", "-n", FAB_ARG_U32, &hosts, 1, FABSIM_NODES_MAX },
		{ "--no-ib", NULL, FAB_ARG_FLAG, &no_ib, 0, 0 },
		{ "--check", NULL, FAB_ARG_FLAG, &check, 0, 0 },
		{ }
	};
	uint64_t begin = fab_real_ns();
	struct topology *t;
	int ret = FAB_OK;

	if (fab_getopts(argc, argv, opts, 0) < 0)
		return FAB_USAGE;
	t = topology_get(spec, hosts, no_ib);
	if (!t)
		return FAB_USAGE;
	if (!check)
		ret = lab_up(t);
	if (!ret)
		print(t, !check, fab_real_ns() - begin);
	topology_free(t);
	return ret;
}

int cmd_down(int argc, char **argv)
{
	return fab_getopts(argc, argv, NULL, 0) < 0 ? FAB_USAGE : lab_down();
}

int cmd_reset(int argc, char **argv)
{
	bool counters = false;
	const struct fab_opt opts[] = {
		{ "--counters", NULL, FAB_ARG_FLAG, &counters, 0, 0 },
		{ }
	};

	if (fab_getopts(argc, argv, opts, 0) < 0)
		return FAB_USAGE;
	return lab_reset(!counters);
}
