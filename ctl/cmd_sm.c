// SPDX-License-Identifier: GPL-2.0
/* sm: subnet managers start and stop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lab_sm.h"
#include "lab_state.h"
#include "nl.h"
#include "output.h"
#include "topology.h"

struct start {
	struct fab_nl *nl;
	unsigned int n;
};

/* @line: a setting of the topology: "sm is1 priority=1". */
static int start_recorded(char *line, void *arg)
{
	struct start *s = arg;
	unsigned int priority;
	char name[32];

	if (sscanf(line, "sm %31s priority=%u", name, &priority) != 2)
		return 0;
	s->n++;
	return lab_sm_start(s->nl, name, priority, true);
}

/* Those of the topology; where it has none, one in the first switch. */
static int start_usual(struct fab_nl *nl)
{
	struct start s = { .nl = nl };
	struct fab_sm_info *list;
	struct lab_state state;
	int ret = FAB_OK, err;
	size_t n;

	if (!lab_state_load(&state)) {
		ret = lab_state_each_setting(&state, start_recorded, &s);
		lab_state_put(&state);
	}
	if (ret || s.n)
		return ret;
	err = fab_sm_list(nl, NULL, &list, &n);
	if (err)
		return fab_nl_fail(nl, err, "subnet managers");
	if (n) {
		ret = lab_sm_start(nl, list[0].node, TOPO_SM_PRIORITY, true);
	} else {
		fab_err("the lab has no InfiniBand switch for a subnet manager to run in");
		ret = FAB_USAGE;
	}
	free(list);
	return ret;
}

static int start_sms(struct fab_nl *nl, const char *node, unsigned int priority)
{
	int ret;

	ret = node ? lab_sm_start(nl, node, priority, false) : start_usual(nl);
	return ret ? ret : lab_sm_wait(nl);
}

static const char is_cold[] =
	"the fabric is as if no subnet manager had ever run: ports in INIT, no LIDs,\n"
	"empty tables, and only management packets move. See: fabctl show ports\n";
static const char is_stopped[] =
	"stopped. Data goes on: LIDs, tables and active ports stay as it left them; but\n"
	"nobody mends a route now, and nobody answers questions for paths.\n"
	"A fabric that never had one: fabctl sm stop --cold\n";

static int stop_sms(struct fab_nl *nl, const char *node, bool cold)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_SM_STOP);
	int ret;

	if (node)
		nla_put_string(msg, FABSIM_A_SM_NODE, node);
	if (cold)
		nla_put_flag(msg, FABSIM_A_SM_COLD);
	ret = fab_nl_change(nl, msg, "sm stop");
	if (ret)
		return ret;
	out_text("%s", cold ? is_cold : is_stopped);
	return FAB_OK;
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
