// SPDX-License-Identifier: GPL-2.0
/* sm: subnet managers start and stop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "nl.h"
#include "output.h"
#include "subnet.h"
#include "units.h"
#include "topology.h"

static const char is_cold[] =
	"the fabric is as if no subnet manager had ever run: ports in INIT, no LIDs,\n"
	"empty tables, and only management packets move. See: fabctl show ports\n";
static const char is_stopped[] =
	"stopped. Data goes on: LIDs, tables and active ports stay as it left them; but\n"
	"nobody mends a route now, and nobody answers questions for paths.\n"
	"A fabric that never had one: fabctl sm stop --cold\n";

static int stop_sms(struct fab_nl *nl, const char *node, bool cold)
{
	int ret = subnet_stop(nl, node, cold);

	if (!ret)
		out_text("%s", cold ? is_cold : is_stopped);
	return ret;
}

/* What the wait was for. */
static int say_up(struct fab_nl *nl, uint64_t took)
{
	struct fab_sm_info *list;
	size_t n;
	int err = fab_sm_list(nl, NULL, &list, &n);

	if (err)
		return fab_nl_fail(nl, err, "subnet managers");
	for (size_t i = 0; i < n; i++) {
		if (!list[i].running)
			continue;
		out_text("%s: %s", list[i].node, fab_sm_state_name(list[i].state));
		if (list[i].state == FABSIM_SM_MASTER && list[i].up)
			out_text(", %u LIDs given, subnet up", list[i].lids);
		out_text("\n");
	}
	out_text("after %s. See: fabctl show sm \u00b7 fabctl show lft\n", units_time(took));
	free(list);
	return FAB_OK;
}

static int start_sms(struct fab_nl *nl, const char *node, unsigned int priority)
{
	uint64_t begin = fab_real_ns();
	int ret;

	ret = node ? subnet_start(nl, node, priority, false) : subnet_start_usual(nl);
	if (!ret)
		ret = subnet_wait(nl);
	return ret ? ret : say_up(nl, fab_real_ns() - begin);
}

int cmd_sm(int argc, char **argv)
{
	unsigned int priority = TOPO_SM_PRIORITY;
	bool cold = false, is_start;
	const struct fab_opt opts[] = {
		{ "--cold", NULL, FAB_ARG_FLAG, &cold, 0, 0 },
		{ "--priority", NULL, FAB_ARG_U32, &priority, 0, FABSIM_SM_PRIORITY_MAX },
		{ }
	};
	const char *node;
	struct fab_nl *nl;
	int ret;

	argc = fab_getopts(argc, argv, opts, 2);
	if (argc < 0)
		return FAB_USAGE;
	if (argc < 2 || (strcmp(argv[1], "start") && strcmp(argv[1], "stop")))
		return fab_usage("sm start or stop?");
	is_start = !strcmp(argv[1], "start");
	node = argc > 2 ? argv[2] : NULL;
	if (is_start && cold)
		return fab_usage("--cold goes with \"sm stop\"");
	if (cold && node)
		return fab_usage("a whole fabric is cold, not one switch: leave out %s", node);
	nl = fab_nl_open();
	ret = is_start ? start_sms(nl, node, priority) : stop_sms(nl, node, cold);
	fab_nl_close(nl);
	return ret;
}
