// SPDX-License-Identifier: GPL-2.0
/* Routes of an InfiniBand subnet: kmod/ib/route.c. */
#include <string.h>
#include "kselftest.h"
#include "ib/route.c"

int unit_no_memory;

static struct fab_route route;
static u32 made_ports, made_ends;

/* A subnet of @switches with @ports each, and room for @ends; every switch has a LID. */
static void begin(u32 switches, u32 ports, u32 ends, enum fab_route_engine engine)
{
	u32 sw;

	fab_route_free(&route);
	memset(&route, 0, sizeof(route));
	fab_route_alloc(&route, switches, switches * ports, switches + ends);
	route.engine = engine;
	made_ends = 0;
	made_ports = ports;
	for (sw = 0; sw < switches; sw++) {
		route.switches[sw].first = sw * ports;
		route.switches[sw].n_ports = ports;
		route.ends[made_ends++] = (struct fab_route_end){
			.sw = sw, .lid = ++route.top_lid, .n_lids = 1,
		};
	}
}

static void cable(u32 a, u32 port_a, u32 b, u32 port_b)
{
	route.peers[a * made_ports + port_a - 1] = b;
	route.peer_ports[a * made_ports + port_a - 1] = port_b;
	route.peers[b * made_ports + port_b - 1] = a;
	route.peer_ports[b * made_ports + port_b - 1] = port_a;
}

static u16 host(u32 sw, u32 port, u16 n_lids)
{
	u16 lid = route.top_lid + 1;

	route.ends[made_ends++] = (struct fab_route_end){
		.sw = sw, .lid = lid, .n_lids = n_lids, .port = port,
	};
	route.top_lid += n_lids;
	return lid;
}

/* Hops from switch @sw to @lid; -1 if it does not get there. */
static int walk(u32 sw, u16 lid, u32 target)
{
	int hops = 0;
	u8 port;

	while (sw != target) {
		port = fab_route_lft(&route, sw)[lid];
		if (port == FAB_ROUTE_NONE || !port || ++hops > route.n_switches)
			return -1;
		sw = fab_route_peer(&route, sw, port);
	}
	return hops;
}

/* Every end is reached from every switch, and left there by its own port. Returns the most hops. */
static int all_reached(void)
{
	const struct fab_route_end *end;
	int most = 0, hops;
	u32 sw, i, k;

	for (i = 0; i < route.n_ends; i++) {
		end = &route.ends[i];
		for (k = 0; k < end->n_lids; k++) {
			if (fab_route_lft(&route, end->sw)[end->lid + k] != end->port)
				return -1;
			for (sw = 0; sw < route.n_switches; sw++) {
				hops = walk(sw, end->lid + k, end->sw);
				if (hops < 0)
					return -1;
				most = max(most, hops);
			}
		}
	}
	return most;
}

/*
 * Credit loops (Dally and Seitz): a packet that holds the buffer behind one cable waits for
 * the one behind the next. @waits[a * n + b]: some packet between ends goes from cable a to
 * cable b. A loop of that relation is a possible deadlock.
 */
static bool visit(const u8 *waits, u8 *seen, u32 n, u32 at)
{
	u32 next;

	seen[at] = 1;
	for (next = 0; next < n; next++)
		if (waits[at * n + next] &&
		    (seen[next] == 1 || (!seen[next] && visit(waits, seen, n, next))))
			return true;
	seen[at] = 2;
	return false;
}

static void note_path(u8 *waits, u32 n, u32 sw, const struct fab_route_end *end, u16 lid)
{
	u32 last = n, at;

	while (sw != end->sw) {
		at = route.switches[sw].first + fab_route_lft(&route, sw)[lid] - 1;
		if (last != n)
			waits[last * n + at] = 1;
		last = at;
		sw = route.peers[at];
	}
}

static bool has_credit_loop(void)
{
	u32 n = route.n_ports, i, k, sw;
	u8 *waits = calloc(n, n), *seen = calloc(n, 1);
	bool loop = false;

	for (i = 0; i < route.n_ends; i++)
		for (sw = 0; sw < route.n_switches; sw++)
			if (route.ends[i].port || route.switches[sw].n_ends)
				for (k = 0; k < route.ends[i].n_lids; k++)
					note_path(waits, n, sw, &route.ends[i],
						  route.ends[i].lid + k);
	for (i = 0; i < n && !loop; i++)
		loop = !seen[i] && visit(waits, seen, n, i);
	free(waits);
	free(seen);
	return loop;
}

/* Paths between ends that leave through each port, counted by walking all of them. */
static u32 *count_paths(void)
{
	u32 *paths = calloc(route.n_ports + 1, sizeof(*paths)), i, sw, at, k;
	const struct fab_route_end *end;

	for (i = 0; i < route.n_ends; i++) {
		end = &route.ends[i];
		for (k = 0; end->port && k < end->n_lids * route.n_switches; k++) {
			u16 lid = end->lid + k / route.n_switches;
			u32 from = k % route.n_switches;

			for (sw = from;; sw = route.peers[at]) {
				at = route.switches[sw].first + fab_route_lft(&route, sw)[lid] - 1;
				paths[at] += route.switches[from].n_ends;
				if (sw == end->sw)
					break;
			}
		}
	}
	return paths;
}

/* The least and the most paths on any of the ports @from to @to of switches @sw to @last. */
static void spread(u32 sw, u32 last, u32 from, u32 to, u32 *least, u32 *most)
{
	u32 *paths = count_paths();
	u32 p, load;

	*least = ~0U;
	*most = 0;
	for (; sw <= last; sw++)
		for (p = from; p <= to; p++) {
			load = paths[route.switches[sw].first + p - 1];
			*least = min(*least, load);
			*most = max(*most, load);
		}
	if (memcmp(paths, route.loads, route.n_ports * sizeof(*paths)))
		*most = ~0U;	/* it has counted others itself */
	free(paths);
}

/*
 *   h h h h
 *    \| |/
 *     sw
 */
static void test_star(void)
{
	u32 p;

	begin(1, 4, 4, FAB_ROUTE_MIN_HOP);
	for (p = 1; p <= 4; p++)
		host(0, p, 1);
	ksft_test_result(!fab_route_compute(&route) && !all_reached(), "star: every host\n");
	ksft_test_result(fab_route_lft(&route, 0)[1] == 0 && fab_route_lft(&route, 0)[5] == 4 &&
			 fab_route_lft(&route, 0)[0] == FAB_ROUTE_NONE,
			 "star: its own LID is port 0, LID 0 is nobody's\n");
	ksft_test_result(route.loads[0] == 4, "star: a path from each, itself too, to each\n");
	route.engine = FAB_ROUTE_UP_DOWN;
	ksft_test_result(!fab_route_compute(&route) && !all_reached(), "star: the same up/down\n");
}

/*
 *  h h    1    h h
 *   \ |  / \  | /
 *     0 /   \ 3
 *       \   /
 *         2
 */
static void diamond(enum fab_route_engine engine)
{
	begin(4, 6, 4, engine);
	cable(0, 1, 1, 1);
	cable(0, 2, 2, 1);
	cable(3, 1, 1, 2);
	cable(3, 2, 2, 2);
	host(0, 3, 1);
	host(0, 4, 1);
	host(3, 3, 1);
	host(3, 4, 2);
}

static void test_diamond(void)
{
	u32 least, most;

	diamond(FAB_ROUTE_MIN_HOP);
	ksft_test_result(!fab_route_compute(&route) && all_reached() == 2, "diamond: shortest\n");
	ksft_test_result(fab_route_lft(&route, 0)[7] != fab_route_lft(&route, 0)[8],
			 "diamond: hosts behind one switch are reached by two ways\n");
	spread(3, 3, 1, 2, &least, &most);
	ksft_test_result(least == most, "diamond: as many paths on each\n");
	ksft_test_result(fab_route_lft(&route, 0)[8] != fab_route_lft(&route, 0)[9],
			 "diamond: two LIDs of one port (LMC 1) take different ways\n");
	ksft_test_result(!has_credit_loop(), "diamond: no credit loop\n");
	diamond(FAB_ROUTE_UP_DOWN);
	ksft_test_result(!fab_route_compute(&route) && all_reached() == 2 && !has_credit_loop() &&
			 fab_route_lft(&route, 0)[7] != fab_route_lft(&route, 0)[8],
			 "diamond: up/down uses both ways too\n");

	diamond(FAB_ROUTE_MIN_HOP);
	route.peers[0] = FAB_ROUTE_NO_SWITCH;
	route.peers[made_ports] = FAB_ROUTE_NO_SWITCH;
	ksft_test_result(!fab_route_compute(&route) && all_reached() == 3,
			 "diamond: with a cable cut, the other way\n");
	route.peers[1] = FAB_ROUTE_NO_SWITCH;
	route.peers[2 * made_ports] = FAB_ROUTE_NO_SWITCH;
	ksft_test_result(!fab_route_compute(&route) && all_reached() == -1 &&
			 fab_route_lft(&route, 0)[7] == FAB_ROUTE_NONE &&
			 fab_route_lft(&route, 0)[5] == 3,
			 "diamond: with both cut, no way there, but to those that are here\n");
}

/* Five switches in a circle (numbered so that two of them are lower than their neighbours). */
static void ring(enum fab_route_engine engine)
{
	static const u32 circle[] = { 0, 3, 1, 4, 2 };
	u32 i;

	begin(5, 4, 10, engine);
	for (i = 0; i < 5; i++)
		cable(circle[i], 1, circle[(i + 1) % 5], 2);
	for (i = 0; i < 10; i++)
		host(i / 2, 3 + i % 2, 1);
}

static void test_ring(void)
{
	u32 i;

	ring(FAB_ROUTE_MIN_HOP);
	ksft_test_result(!fab_route_compute(&route) && all_reached() == 2, "ring: shortest\n");
	ksft_test_result(has_credit_loop(), "ring: shortest ways have a credit loop\n");
	ring(FAB_ROUTE_UP_DOWN);
	ksft_test_result(!fab_route_compute(&route) && all_reached() > 2,
			 "ring: up/down goes a longer way\n");
	ksft_test_result(!has_credit_loop(), "ring: and has no credit loop\n");
	for (i = 0; i < route.n_switches; i++)
		if (!route.switches[i].rank)
			break;
	ksft_test_result(i < route.n_switches, "ring: it has a root\n");
}

/* 64 leaves with 32 hosts each, 32 spines: 2,048 ends. */
static void fat_tree(enum fab_route_engine engine)
{
	u32 leaf, spine, i;

	begin(96, 64, 2048, engine);
	for (leaf = 0; leaf < 64; leaf++)
		for (spine = 0; spine < 32; spine++)
			cable(leaf, spine + 1, 64 + spine, leaf + 1);
	for (i = 0; i < 2048; i++)
		host(i / 32, 33 + i % 32, 1);
}

static void test_fat_tree(enum fab_route_engine engine, const char *name)
{
	u32 least, most, sw, up = 0;

	fat_tree(engine);
	ksft_test_result(!fab_route_compute(&route) && all_reached() == 2,
			 "fat tree, %s: 2,048 ends, all reached in two hops\n", name);
	spread(0, 63, 1, 32, &least, &most);
	ksft_test_result(least == most, "fat tree, %s: every way up has %u paths (%u)\n", name,
			 most, least);
	spread(64, 95, 1, 64, &least, &most);
	ksft_test_result(least == most, "fat tree, %s: every way down has %u paths (%u)\n", name,
			 most, least);
	ksft_test_result(!has_credit_loop(), "fat tree, %s: no credit loop\n", name);
	if (engine != FAB_ROUTE_UP_DOWN)
		return;
	for (sw = 64; sw < 96; sw++)
		up += !route.switches[sw].rank;
	ksft_test_result(up == 32 && route.switches[0].rank == 1,
			 "fat tree: its roots are its top row\n");
}

/*
 * Three rows, k = 8: 8 pods of 4 edge and 4 middle switches, 16 core switches, 128 hosts.
 * Edges are 0..31, middle 32..63, core 64..79; ports 1..4 down, 5..8 up.
 */
static void three_rows(enum fab_route_engine engine)
{
	u32 pod, i, j;

	begin(80, 8, 128, engine);
	for (pod = 0; pod < 8; pod++)
		for (i = 0; i < 4; i++)
			for (j = 0; j < 4; j++) {
				cable(pod * 4 + i, 5 + j, 32 + pod * 4 + j, 1 + i);
				cable(32 + pod * 4 + i, 5 + j, 64 + i * 4 + j, 1 + pod);
			}
	for (i = 0; i < 128; i++)
		host(i / 4, 1 + i % 4, 1);
}

static void test_three_rows(void)
{
	u32 least, most;

	three_rows(FAB_ROUTE_UP_DOWN);
	ksft_test_result(!fab_route_compute(&route) && all_reached() == 4 && !has_credit_loop(),
			 "three rows: all reached, no credit loop\n");
	spread(0, 31, 5, 8, &least, &most);
	ksft_test_result(most <= least + least / 8, "three rows: up, %u to %u paths\n", least,
			 most);
	spread(32, 63, 5, 8, &least, &most);
	ksft_test_result(most <= least + least / 4, "three rows: to the core, %u to %u paths\n",
			 least, most);
	spread(64, 79, 1, 8, &least, &most);
	ksft_test_result(most <= 2 * least, "three rows: from the core, %u to %u paths\n", least,
			 most);
}

/* Random meshes: whatever they look like, up/down reaches all and has no loop. */
static void test_meshes(void)
{
	u32 seed, i, a, b, pa, pb, bad = 0;

	for (seed = 1; seed <= 60; seed++) {
		srand(seed);
		begin(14, 12, 28, FAB_ROUTE_UP_DOWN);
		for (i = 0; i < 32; i++) {
			a = i < 13 ? i + 1 : rand() % 14;
			b = i < 13 ? rand() % (i + 1) : rand() % 14;
			for (pa = 1; pa <= 9 && fab_route_peer(&route, a, pa) != ~0U; pa++)
				;
			for (pb = 1; pb <= 9 && fab_route_peer(&route, b, pb) != ~0U; pb++)
				;
			if (a != b && pa <= 9 && pb <= 9)
				cable(a, pa, b, pb);
		}
		for (i = 0; i < 28; i++)
			host(seed % 2 ? i / 2 : rand() % 14, 10 + i % 2, 1);
		if (fab_route_compute(&route) || all_reached() < 0 || has_credit_loop())
			bad++;
	}
	ksft_test_result(!bad, "60 random meshes: up/down reaches all, without a loop\n");
}

static bool bit(const struct fab_route_mask *mask, u32 port)
{
	return mask->ports[port / 16] >> port % 16 & 1;
}

/* How often a packet that enters at @sw by @port is delivered at each member's port. */
static void flood(const struct fab_route_mask *masks, u32 sw, u32 port, u32 *delivered, int depth)
{
	u32 p, at;

	for (p = 0; p <= route.switches[sw].n_ports; p++) {
		if (p == port || !bit(&masks[sw], p))
			continue;
		at = route.switches[sw].first + p - 1;
		if (!p || route.peers[at] == FAB_ROUTE_NO_SWITCH)
			delivered[sw * 100 + p]++;
		else if (depth < 20)
			flood(masks, route.peers[at], route.peer_ports[at], delivered, depth + 1);
	}
}

static bool serves_all(const struct fab_route_member *members, u32 n)
{
	static struct fab_route_mask masks[100];
	static u32 delivered[100 * 100];
	u32 i, k, sum, want;

	fab_route_tree(&route, members, n, masks);
	for (i = 0; i < n; i++) {
		memset(delivered, 0, sizeof(delivered));
		flood(masks, members[i].sw, members[i].port, delivered, 0);
		for (k = 0, sum = 0; k < ARRAY_SIZE(delivered); k++)
			sum += delivered[k];
		for (k = 0, want = 0; k < n; k++) {
			if (k == i || !members[k].receives)
				continue;
			want++;
			if (delivered[members[k].sw * 100 + members[k].port] != 1)
				return false;
		}
		if (sum != want)
			return false;
	}
	return true;
}

static void test_multicast(void)
{
	const struct fab_route_member far[] = {
		{ .sw = 0, .port = 3, .receives = true },
		{ .sw = 0, .port = 4, .receives = true },
		{ .sw = 3, .port = 3, .receives = true },
		{ .sw = 3, .port = 4 },
	};
	const struct fab_route_member pod[] = {
		{ .sw = 0, .port = 1, .receives = true },
		{ .sw = 1, .port = 1, .receives = true },
		{ .sw = 2, .port = 2 },
		{ .sw = 31, .port = 4, .receives = true },
	};
	static struct fab_route_mask masks[100];
	u32 sw, used = 0;

	diamond(FAB_ROUTE_MIN_HOP);
	fab_route_compute(&route);
	ksft_test_result(serves_all(far, 4), "multicast: each member once, the sender not\n");
	diamond(FAB_ROUTE_UP_DOWN);
	cable(0, 5, 1, 6);
	cable(0, 6, 1, 5);
	fab_route_compute(&route);
	ksft_test_result(serves_all(far, 4), "multicast: also over parallel cables, up/down\n");
	three_rows(FAB_ROUTE_UP_DOWN);
	fab_route_compute(&route);
	ksft_test_result(serves_all(pod, 4), "multicast: over three rows\n");
	fab_route_tree(&route, pod, 2, masks);
	for (sw = 0; sw < route.n_switches; sw++)
		used += only_port(&masks[sw]) || masks[sw].ports[0];
	ksft_test_result(used == 3 && serves_all(pod, 2), "multicast: no branch without member\n");
	ksft_test_result(serves_all(pod, 1), "multicast: a group of one\n");
	fab_route_tree(&route, pod, 0, masks);
	for (sw = 0, used = 0; sw < route.n_switches; sw++)
		used += masks[sw].ports[0];
	ksft_test_result(!used, "multicast: an empty group\n");
}

static void test_ends(void)
{
	ring(FAB_ROUTE_UP_DOWN);
	route.stop = true;
	ksft_test_result(fab_route_compute(&route) == -ECANCELED, "told to stop, it stops\n");
	route.stop = false;
	unit_no_memory = 1;
	ksft_test_result(fab_route_compute(&route) == -ENOMEM, "without memory it says so\n");
	unit_no_memory = 0;
	begin(0, 0, 0, FAB_ROUTE_UP_DOWN);
	ksft_test_result(!fab_route_compute(&route), "an empty picture has no routes\n");
	fab_route_free(&route);
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(40);
	test_star();
	test_diamond();
	test_ring();
	test_fat_tree(FAB_ROUTE_MIN_HOP, "min-hop");
	test_fat_tree(FAB_ROUTE_UP_DOWN, "up/down");
	test_three_rows();
	test_meshes();
	test_multicast();
	test_ends();
	ksft_finished();
}
