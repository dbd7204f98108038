// SPDX-License-Identifier: GPL-2.0
/* show: the state of the lab, read from the module and the hosts. */
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "show.h"
#include "units.h"

#define COLS_MAX	32
#define OVERVIEW_ROWS	16

void show_table(struct show *s, const struct out_col *cols, unsigned int n)
{
	static struct out_col shown[COLS_MAX];
	unsigned int i;

	for (i = 0; i < n && i < COLS_MAX; i++) {
		shown[i] = cols[i];
		if (!cols[i].title || cols[i].title[0] != '+')
			continue;
		shown[i].title = s->verbose ? cols[i].title + 1 : NULL;
	}
	out_table(s->key, shown, n);
}

bool show_wants(const struct show *s, size_t i)
{
	return fab_opts.json || !s->most || i < s->most;
}

void show_nothing(const struct show *s, const char *why)
{
	struct fab_fabric_info f;

	if (!fab_fabric_get(s->nl, &f) && !f.nodes)
		why = FAB_NO_LAB;
	out_text("%s\n", why);
}

void show_table_end(struct show *s, size_t rows, const char *what)
{
	char none[32];

	out_table_end();
	snprintf(none, sizeof(none), "no %s", what);
	if (!rows)
		show_nothing(s, none);
	else if (!show_wants(s, rows - 1))
		out_text("and %s more: fabctl show %s\n",
			 units_count(rows - s->most), what);
}

void show_settings_note(void)
{
	out_text("\u2039 \u203a = a setting of this lab, not a result\n");
}

static int show_overview(struct show *s)
{
	struct fab_fabric_info f;
	int ret, err;

	err = fab_fabric_get(s->nl, &f);
	if (err)
		return fab_nl_fail(s->nl, err, "fabric");
	s->most = OVERVIEW_ROWS;
	out_object(NULL);
	s->key = "fabric";
	ret = show_fabric(s);
	if (!f.nodes && !fab_opts.json) {
		out_text(FAB_NO_LAB "\n");
		return ret;
	}
	out_text("\n");
	s->key = "hosts";
	if (!ret)
		ret = show_hosts(s);
	out_text("\n");
	s->key = "switches";
	if (!ret)
		ret = show_switches(s);
	if (!ret && !fab_opts.json)
		ret = show_subnet(s);
	out_end();
	out_text("more: fabctl show ports \u00b7 links \u00b7 fdb \u00b7 "
		 "lft \u00b7 sm \u00b7 qps \u00b7 gids \u00b7 headers\n");
	return ret;
}

static const struct part {
	const char *name;
	int (*show)(struct show *s);
	bool named;		/* takes the name of one object */
} parts[] = {
	{ "overview", show_overview, false },
	{ "hosts", show_hosts, true },
	{ "ports", show_ports, true },
	{ "links", show_links, true },
	{ "switches", show_switches, true },
	{ "fdb", show_fdb, true },
	{ "lft", show_lft, true },
	{ "gids", show_gids, true },
	{ "sm", show_sm, true },
	{ "qps", show_qps, true },
	{ "headers", show_headers, false },
	{ "fabric", show_fabric, false },
};

#define NR_PARTS	(ARRAY_SIZE(parts))

static const struct part *find_part(const char *name)
{
	const char *words[NR_PARTS + 1];
	unsigned int i;

	for (i = 0; i < NR_PARTS; i++) {
		if (!strcmp(parts[i].name, name))
			return &parts[i];
		words[i] = parts[i].name;
	}
	words[i] = NULL;
	fab_usage("cannot show \"%s\"%s", name, fab_hint(name, words, ""));
	return NULL;
}

int cmd_show(int argc, char **argv)
{
	struct show s = { 0 };
	const struct fab_opt opts[] = {
		{ "--verbose", "-v", FAB_ARG_FLAG, &s.verbose, 0, 0 },
		{ }
	};
	const struct part *p = &parts[0];
	int ret;

	argc = fab_getopts(argc, argv, opts, 2);
	if (argc < 0)
		return FAB_USAGE;
	if (argc > 1)
		p = find_part(argv[1]);
	if (!p)
		return FAB_USAGE;
	if (argc > 2 && !p->named)
		return fab_usage("\"%s\" is not expected here", argv[2]);
	s.name = argc > 2 ? argv[2] : NULL;
	s.nl = fab_nl_open();
	ret = p->show(&s);
	if (!ret)
		out_done();
	fab_nl_close(s.nl);
	return ret;
}
