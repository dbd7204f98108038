// SPDX-License-Identifier: GPL-2.0
/*
 * Which rows the table has, and what stands in them. Only facts of the result
 * are used, so the table cannot say what -j does not.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "table.h"
#include "units.h"

#define SAME_WITHIN	0.2	/* times vary from run to run */

static void cell_address(struct json_object *path, char *buf, size_t len)
{
	snprintf(buf, len, "%s", tree_text(path, "network.address", ""));
}

static void cell_given_by(struct json_object *path, char *buf, size_t len)
{
	snprintf(buf, len, "%s", tree_text(path, "network.address_from", ""));
}

static void cell_forwarding(struct json_object *path, char *buf, size_t len)
{
	snprintf(buf, len, "%s", tree_text(path, "network.forwarding_from", ""));
}

static void cell_lossless(struct json_object *path, char *buf, size_t len)
{
	snprintf(buf, len, "%s", tree_text(path, "network.lossless_by", ""));
}

static void cell_bring_up(struct json_object *path, char *buf, size_t len)
{
	double segments = tree_number(path, "network.bring_up.tcp_segments", 0);
	double mads = tree_number(path, "network.bring_up.mads", 0);

	if (segments > 0)
		snprintf(buf, len, "%.0f TCP segs", segments);
	else if (mads > 0)
		snprintf(buf, len, "%.0f MADs", mads);
	else
		buf[0] = '\0';
}

static void cell_count(struct json_object *path, const char *key, char *buf, size_t len)
{
	double n = tree_number(path, key, 0);

	buf[0] = '\0';
	if (n > 0)
		snprintf(buf, len, "%.0f", n);
}

static void cell_transport(struct json_object *path, char *buf, size_t len)
{
	cell_count(path, "network.header_bytes.transport", buf, len);
}

static void cell_wrapper(struct json_object *path, char *buf, size_t len)
{
	cell_count(path, "network.header_bytes.wrapper", buf, len);
}

static void cell_bring_up_time(struct json_object *path, char *buf, size_t len)
{
	double ns = tree_number(path, "network.bring_up.ns", 0);

	buf[0] = '\0';
	if (ns > 0)
		snprintf(buf, len, "%.0f", ns / 1000);
}

static void cell_human(struct json_object *path, char *buf, size_t len)
{
	snprintf(buf, len, "%s", tree_text(path, "network.settings_by_hand", ""));
}

/* Only a network with a subnet manager has an answer. */
static void cell_through_sm(struct json_object *path, char *buf, size_t len)
{
	double n = tree_number(path, "network.sm_data_packets", -1);

	buf[0] = '\0';
	if (n >= 0)
		snprintf(buf, len, "%.0f", n);
}

static void cell_alive(struct json_object *path, char *buf, size_t len)
{
	snprintf(buf, len, "%s", tree_text(path, "network.must_stay_alive", ""));
}

static void cell_wire(struct json_object *path, char *buf, size_t len)
{
	double ns = tree_number(path, "network.wire_ns", 0);

	buf[0] = '\0';
	if (ns > 0)
		snprintf(buf, len, "%.*f", ns < 10000 ? 2 : 1, ns / 1000);
}

static void cell_drops(struct json_object *path, char *buf, size_t len)
{
	double drops = tree_number(path, "network.drops", -1);

	buf[0] = '\0';
	if (drops >= 0)
		snprintf(buf, len, "%.0f", drops);
}

const struct table_row table_host[] = {
	{ "syscalls", NULL, "measured", false, "per_message.syscalls", NULL,
	  "cat /sys/kernel/fabsim/paths/tcp/*/syscalls" },
	{ "CPU copies of each byte", NULL, "measured", false,
	  "per_message.copies_of_each_byte", NULL,
	  "cat /sys/kernel/fabsim/paths/tcp/*/copied_*" },
	{ "interrupts", NULL, "measured", false, "per_message.interrupts", NULL,
	  "cat /sys/kernel/fabsim/paths/tcp/*/interrupts" },
	{ "stages that use a CPU", NULL, "measured", false, "cpu_stages", NULL,
	  "fabctl -j -p run baseline | jq .paths.tcp.stages" },
	{ "CPU time, working", "\u00b5s", "measured", true, "per_message.cpu_us", NULL,
	  "fabctl -j run baseline | jq .paths.tcp.host" },
	{ "CPU time, waiting in poll", "\u00b5s", "measured", true, "per_message.poll_us", NULL,
	  "fabctl -j run baseline | jq .paths.ib.host.sender.poll_ns" },
	{ "one time: register memory", "\u00b5s", "measured", true, "one_time.register_us",
	  NULL, "fabctl exec %1$s rdma resource show mr" },
	{ "one time: PD, CQ, QP", "\u00b5s", "measured", true, "one_time.objects_us",
	  NULL, "fabctl exec %1$s rdma resource show" },
	{ "one time: RESET to RTS", "\u00b5s", "measured", true, "one_time.rts_us",
	  NULL, "fabctl show qps" },
	{ }
};

const struct table_row table_network[] = {
	{ "address", NULL, "state", false, NULL, cell_address,
	  "ip -n %2$s address show dev %2$s-eth" },
	{ "given by", NULL, "state", false, NULL, cell_given_by,
	  "fabctl exec %2$s ethtool -P %2$s-eth" },
	{ "forwarding table", NULL, "state", false, NULL, cell_forwarding,
	  "fabctl show fdb" },
	{ "lossless by", NULL, "state", false, NULL, cell_lossless,
	  "fabctl exec %1$s dcb pfc show dev %1$s-eth" },
	{ "settings made by a human", NULL, "state", false, NULL, cell_human,
	  "ip -n %1$s address; ip -n %2$s address" },
	{ "bring-up", NULL, "emulated", false, NULL, cell_bring_up,
	  "fabctl exec %1$s nstat -az TcpInSegs TcpOutSegs" },
	{ "bring-up takes", "\u00b5s", "measured", true, NULL, cell_bring_up_time,
	  "fabctl -j run baseline | jq .paths.ib.network.bring_up" },
	{ "must stay alive", NULL, "state", false, NULL, cell_alive,
	  "fabctl show sm" },
	{ "data packets through the SM", NULL, "emulated", false, NULL, cell_through_sm,
	  "fabctl capture -w /tmp/x.pcapng -i %1$s-ib" },
	{ "transport header", "B", "emulated", false, NULL, cell_transport,
	  "fabctl show headers" },
	{ "wrapper around it", "B", "emulated", false, NULL, cell_wrapper,
	  "fabctl show headers" },
	{ "wire time of a message", "\u00b5s", "emulated", true, NULL, cell_wire,
	  "fabctl capture -w /tmp/x.pcapng -i %1$s-eth -i %2$s-eth" },
	{ "packets dropped", NULL, "measured", false, NULL, cell_drops,
	  "fabctl show ports" },
	{ }
};

/* Both sides of a host row, or NULL where the path has none. */
static struct json_object *host_cell(const struct table_row *row,
				     struct json_object *path)
{
	static const char *const sides[] = { "sender", "receiver" };
	struct json_object *cell = NULL, *v;
	char where[80];

	for (int i = 0; i < 2; i++) {
		snprintf(where, sizeof(where), "host.%s.%s", sides[i], row->key);
		v = tree_get(path, where);
		if (!v)
			continue;
		if (!cell)
			cell = json_object_new_object();
		json_object_object_add(cell, sides[i], json_object_get(v));
		snprintf(where, sizeof(where), "host.%s.%s_max", sides[i], row->key);
		v = tree_get(path, where);
		if (!v)
			continue;
		snprintf(where, sizeof(where), "%s_max", sides[i]);
		json_object_object_add(cell, where, json_object_get(v));
	}
	return cell;
}

static struct json_object *network_cell(const struct table_row *row,
					struct json_object *path)
{
	char buf[64];

	row->cell(path, buf, sizeof(buf));
	return buf[0] ? json_object_new_string(buf) : NULL;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= SAME_WITHIN * fmax(fabs(a), fabs(b));
}

/* Times of one-time steps come from several passes: do their ranges meet? */
static bool meets(struct json_object *a, struct json_object *b, const char *side)
{
	double low_a = tree_number(a, side, 0), low_b = tree_number(b, side, 0);
	char most[24];

	snprintf(most, sizeof(most), "%s_max", side);
	return low_a <= tree_number(b, most, low_b) && low_b <= tree_number(a, most, low_a);
}

static bool same_side(struct json_object *a, struct json_object *b, const char *side)
{
	return near(tree_number(a, side, 0), tree_number(b, side, 0)) ||
	       meets(a, b, side);
}

static bool same(const struct table_row *row, struct json_object *a,
		 struct json_object *b)
{
	if (!row->varies)
		return json_object_equal(a, b);
	if (!row->key)
		return near(atof(json_object_get_string(a)),
			    atof(json_object_get_string(b)));
	return same_side(a, b, "sender") && same_side(a, b, "receiver");
}

/* True if the row has a value in any path; compares 2 and 3 if in both. */
static bool build_row(const struct table_row *row, struct json_object *paths_tree,
		      struct json_object *out)
{
	struct json_object *cells[FABSIM_PATH_MAX + 1];
	bool any = false;

	tree_str(out, "name", row->name);
	for (int i = 0; i <= FABSIM_PATH_MAX; i++) {
		struct json_object *path = tree_get(paths_tree, paths[i].name);

		cells[i] = !path ? NULL : row->key ? host_cell(row, path) :
						     network_cell(row, path);
		json_object_object_add(out, paths[i].name, cells[i]);
		any |= !!cells[i];
	}
	tree_str(out, "unit", row->unit);
	tree_str(out, "kind", row->kind);
	if (cells[FABSIM_PATH_ROCE] && cells[FABSIM_PATH_IB])
		tree_bool(out, "same", same(row, cells[FABSIM_PATH_ROCE],
					    cells[FABSIM_PATH_IB]));
	else
		tree_null(out, "same");
	return any;
}

static void build_section(const struct table_row *rows, const char *name,
			  struct json_object *paths_tree, struct json_object *table)
{
	struct json_object *section = tree_object(table, name), *list, *row, *eq;
	uint64_t compared = 0, equal = 0;

	list = json_object_new_array();
	for (; rows->name; rows++) {
		row = json_object_new_object();
		if (!build_row(rows, paths_tree, row)) {
			json_object_put(row);
			continue;
		}
		json_object_array_add(list, row);
		eq = tree_get(row, "same");
		compared += !!eq;
		equal += eq && json_object_get_boolean(eq);
	}
	tree_u64(section, "rows", compared);
	tree_u64(section, "same", equal);
	json_object_object_add(section, "list", list);
}

/* Over all paths. */
static double sum_of(struct json_object *result, const char *key)
{
	double sum = 0;

	for (int i = 0; i <= FABSIM_PATH_MAX; i++)
		sum += tree_number(tree_get(tree_get(result, "paths"), paths[i].name), key, 0);
	return sum;
}

static void notice(struct json_object *list, const char *text)
{
	json_object_array_add(list, json_object_new_string(text));
}

/* Both sides of a host row together. */
static double both(struct json_object *path, const char *key)
{
	char where[80];
	double sum = 0;

	snprintf(where, sizeof(where), "host.sender.per_message.%s", key);
	sum += tree_number(path, where, 0);
	snprintf(where, sizeof(where), "host.receiver.per_message.%s", key);
	return sum + tree_number(path, where, 0);
}

/* "2 copies, 2 syscalls": what @to has less of than @from; false: nothing. */
static bool taken(struct json_object *from, struct json_object *to, char *buf, size_t len)
{
	static const char *const what[][2] = {
		{ "copies_of_each_byte", "copies" }, { "syscalls", "syscalls" },
		{ "interrupts", "interrupts" },
	};
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < 3 && used < len; i++) {
		double less = both(from, what[i][0]) - both(to, what[i][0]);

		if (less < 0.05)
			continue;
		used += snprintf(buf + used, len - used, "%s%.*f %s", used ? ", " : "",
				 fabs(less - round(less)) < 0.05 ? 0 : 1, less, what[i][1]);
	}
	return used;
}

/* Which step saved what: from 1 to 2 the host's work, from 2 to 3 only the network's. */
static void build_credit(struct json_object *result)
{
	struct json_object *p[FABSIM_PATH_MAX + 1];
	char first[80], second[80], text[320];
	double wire;

	for (int i = 0; i <= FABSIM_PATH_MAX; i++) {
		p[i] = tree_get(tree_get(result, "paths"), paths[i].name);
		if (!p[i] || !tree_get(p[i], "host"))
			return;
	}
	if (!taken(p[0], p[1], first, sizeof(first)))
		snprintf(first, sizeof(first), "nothing");
	if (!taken(p[1], p[2], second, sizeof(second)))
		snprintf(second, sizeof(second), "none of these");
	wire = tree_number(p[1], "network.wire_ns", 0) - tree_number(p[2], "network.wire_ns", 0);
	snprintf(text, sizeof(text), "%s\u2192%s took away %s a message. "
		 "%s\u2192%s took away %s, and %.1f \u00b5s of wire.",
		 path_symbol(&paths[0]), path_symbol(&paths[1]), first,
		 path_symbol(&paths[1]), path_symbol(&paths[2]), second, wire / 1000);
	tree_str(result, "credit", text);
}

/* What could mislead, said where it applies (EXPERIENCE.md 3). */
static void build_notices(struct json_object *result)
{
	struct json_object *list = tree_array(result, "notices");
	struct json_object *emulated = tree_get(result, "emulated_cpu");
	double hardware = sum_of(result, "hardware_cpu_ns");
	double pace = tree_number(result, "pace", 1);
	double missed = sum_of(result, "host.sender.missed_probes");
	char text[160];

	if (emulated && json_object_get_boolean(emulated) &&
	    tree_get(result, "table.host.list") &&
	    json_object_array_length(tree_get(result, "table.host.list")))
		notice(list, "CPU times are of an emulated CPU: compare columns, "
			     "not with wire times");
	if (hardware > 0) {
		snprintf(text, sizeof(text),
			 "the NIC's own DMA (fabsim's thread, %s CPU) is charged to no path",
			 units_time(hardware));
		notice(list, text);
	}
	if (missed > 0) {
		snprintf(text, sizeof(text),
			 "%s probe hits were missed: times of stages are a little too low",
			 units_count(missed));
		notice(list, text);
	}
	if (tree_get(result, "paths.roce.host") && tree_get(result, "paths.ib.host"))
		notice(list, "\u2248 rows vary between runs; = rows do not");
	if (pace == 1)
		return;
	snprintf(text, sizeof(text), "rates are fabric rates; 1 fabric s took %s s",
		 units_count(pace));
	notice(list, text);
	notice(list, "\u2460 latency needs pace 1 (fabctl run baseline)");
}

void table_build(struct json_object *result)
{
	struct json_object *table = tree_object(result, "table");
	struct json_object *paths_tree = tree_get(result, "paths");

	build_section(table_host, "host", paths_tree, table);
	build_section(table_network, "network", paths_tree, table);
	build_credit(result);
	build_notices(result);
}
