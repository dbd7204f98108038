// SPDX-License-Identifier: GPL-2.0
/*
 * Routes of an InfiniBand subnet.
 *
 * An InfiniBand switch learns nothing. It has a table that says for each
 * destination LID which port a packet leaves by, and the subnet manager wrote
 * it. So routes are a computation over the whole picture, and that is what this
 * file is: a picture goes in, a table for every switch comes out.
 *
 * Min-hop: every packet takes a shortest way. Where several ports begin one,
 * the port is taken that carries the fewest paths so far. A path is a pair of
 * ends: for one destination the switches are visited from the farthest to the
 * nearest, and each hands the number of sources whose packets pass it to the
 * switch it chose. So a switch balances what really passes it, also in the
 * third stage of a fat tree.
 *
 * Shortest ways may form a loop of cables in which every buffer waits for the
 * next one (a ring of five switches does): with credits, that is a deadlock.
 * Up/down forbids it. Cables get a direction, up to a root or down from it, and
 * no packet goes up after it went down: then no loop of waiting buffers can
 * close (Schroeder et al., Autonet, 1991). As a table knows only the destination
 * and not where a packet came from, a switch that can reach a destination by
 * going down only must do so; the others go up.
 *
 * The roots are the switches in the middle: those whose farthest end is
 * nearest. In a fat tree that is its top row. If from several roots some end
 * cannot be reached without turning up again, one of them is the root of all.
 * Only the management port of a switch may then be left over (one top switch of
 * a fat tree to another). It is reached by whatever way there is: nobody but a
 * subnet manager talks from switch to switch, on virtual lane 15, which has no
 * credits to wait for (vol 1, 7.9.1).
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "route.h"

#define FAR	0xffffffffU	/* no way */

/* How a switch may get to the destination that is being worked on. */
enum way {
	WAY_NONE,
	WAY_DOWN,	/* by going down only; min-hop: by a shortest way */
	WAY_UP,		/* by going up first */
	WAY_ANY,	/* only by turning up after down */
};

/**
 * struct work - what the computation needs beside the picture
 * @route: the picture
 * @distance: of each switch: hops to the destination
 * @way: of each switch: enum way
 * @order: switches, by distance once sort() was called
 * @queue: of the breadth-first search; then room for sort()
 * @first: of each switch: where its candidates begin in @candidates
 * @candidates: ports that begin an allowed way
 * @weight: of each switch: ends whose packets to the destination pass it
 * @by_switch: ends in the order of their switches
 * @n_reached: switches in @order
 */
struct work {
	struct fab_route *route;
	u32 *distance;
	u8 *way;
	u32 *order;
	u32 *queue;
	u32 *first;
	u8 *candidates;
	u32 *weight;
	u32 *by_switch;
	u32 n_reached;
};

/**
 * fab_route_alloc() - room for a picture
 * @route: filled in: its arrays, empty but for the peers, which are no switches
 * @switches: how many
 * @ports: external ports of all switches
 * @ends: how many
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; fab_route_free() may be called in either case.
 */
int fab_route_alloc(struct fab_route *route, u32 switches, u32 ports, u32 ends)
{
	u32 i;

	route->n_switches = switches;
	route->n_ports = ports;
	route->n_ends = ends;
	route->switches = kvcalloc(switches + 1, sizeof(*route->switches), GFP_KERNEL);
	route->peers = kvcalloc(ports + 1, sizeof(*route->peers), GFP_KERNEL);
	route->peer_ports = kvcalloc(ports + 1, sizeof(*route->peer_ports), GFP_KERNEL);
	route->ends = kvcalloc(ends + 1, sizeof(*route->ends), GFP_KERNEL);
	route->loads = kvcalloc(ports + 1, sizeof(*route->loads), GFP_KERNEL);
	route->lfts = NULL;
	if (!route->switches || !route->peers || !route->peer_ports || !route->ends ||
	    !route->loads)
		return -ENOMEM;
	for (i = 0; i < ports; i++)
		route->peers[i] = FAB_ROUTE_NO_SWITCH;
	return 0;
}

/**
 * fab_route_free() - give the memory back
 * @route: a picture, or one of zeros
 */
void fab_route_free(struct fab_route *route)
{
	kvfree(route->switches);
	kvfree(route->peers);
	kvfree(route->peer_ports);
	kvfree(route->ends);
	kvfree(route->loads);
	kvfree(route->lfts);
	route->switches = NULL;
	route->peers = NULL;
	route->peer_ports = NULL;
	route->ends = NULL;
	route->loads = NULL;
	route->lfts = NULL;
}

static void free_work(struct work *work)
{
	kvfree(work->distance);
	kvfree(work->way);
	kvfree(work->order);
	kvfree(work->queue);
	kvfree(work->first);
	kvfree(work->candidates);
	kvfree(work->weight);
	kvfree(work->by_switch);
}

static int alloc_work(struct work *work, struct fab_route *route)
{
	u32 n = route->n_switches + 1;

	*work = (struct work){
		.route = route,
		.distance = kvcalloc(n, sizeof(u32), GFP_KERNEL),
		.way = kvcalloc(n, sizeof(u8), GFP_KERNEL),
		.order = kvcalloc(n, sizeof(u32), GFP_KERNEL),
		.queue = kvcalloc(n + 1, sizeof(u32), GFP_KERNEL),
		.first = kvcalloc(n, sizeof(u32), GFP_KERNEL),
		.candidates = kvcalloc(route->n_ports + 1, sizeof(u8), GFP_KERNEL),
		.weight = kvcalloc(n, sizeof(u32), GFP_KERNEL),
		.by_switch = kvcalloc(route->n_ends + 1, sizeof(u32), GFP_KERNEL),
	};
	if (work->distance && work->way && work->order && work->queue && work->first &&
	    work->candidates && work->weight && work->by_switch)
		return 0;
	free_work(work);
	return -ENOMEM;
}

/* Ends by switch: a counting sort, as nothing here may depend on how often it is run. */
static void sort_ends(struct work *work)
{
	struct fab_route *route = work->route;
	u32 i, at = 0;

	for (i = 0; i < route->n_switches; i++) {
		route->switches[i].n_ends = 0;
		work->weight[i] = 0;
	}
	for (i = 0; i < route->n_ends; i++) {
		route->switches[route->ends[i].sw].n_ends += route->ends[i].port != 0;
		work->weight[route->ends[i].sw]++;
	}
	for (i = 0; i < route->n_switches; i++) {
		route->switches[i].first_end = at;
		at += work->weight[i];
		work->weight[i] = route->switches[i].first_end;
	}
	route->switches[i].first_end = at;
	for (i = 0; i < route->n_ends; i++)
		work->by_switch[work->weight[route->ends[i].sw]++] = i;
}

/* Is the cable from @from to @to one that goes up? Equal ranks are told apart by number. */
static bool goes_up(const struct fab_route *route, u32 from, u32 to)
{
	u32 a = route->switches[from].rank;
	u32 b = route->switches[to].rank;

	return a == b ? to < from : b < a;
}

/* Breadth first from @target against the direction of packets; @down: only where those go down. */
static void search(struct work *work, u32 target, bool down)
{
	const struct fab_route *route = work->route;
	u32 head = 0, tail = 0, i, p, sw, next;

	for (i = 0; i < route->n_switches; i++) {
		work->distance[i] = FAR;
		work->way[i] = WAY_NONE;
	}
	work->distance[target] = 0;
	work->way[target] = WAY_DOWN;
	work->queue[tail++] = target;
	while (head < tail) {
		sw = work->queue[head++];
		for (p = 1; p <= route->switches[sw].n_ports; p++) {
			next = fab_route_peer(route, sw, p);
			if (next == FAB_ROUTE_NO_SWITCH || work->distance[next] != FAR)
				continue;
			if (down && goes_up(route, next, sw))
				continue;
			work->distance[next] = work->distance[sw] + 1;
			work->way[next] = WAY_DOWN;
			work->queue[tail++] = next;
		}
	}
	work->n_reached = tail;
}

static u32 nearest_neighbour(const struct work *work, u32 sw, bool up)
{
	const struct fab_route *route = work->route;
	u32 best = FAR, p, next;

	for (p = 1; p <= route->switches[sw].n_ports; p++) {
		next = fab_route_peer(route, sw, p);
		if (next != FAB_ROUTE_NO_SWITCH && (!up || goes_up(route, sw, next)))
			best = min(best, work->distance[next]);
	}
	return best;
}

/* Switches that have no way yet get one over their neighbours, until nothing changes. */
static void extend(struct work *work, bool up, enum way way)
{
	bool changed = true;
	u32 sw, best;

	while (changed) {
		changed = false;
		for (sw = 0; sw < work->route->n_switches; sw++) {
			if (work->distance[sw] != FAR)
				continue;
			best = nearest_neighbour(work, sw, up);
			if (best == FAR)
				continue;
			work->distance[sw] = best + 1;
			work->way[sw] = way;
			changed = true;
		}
	}
}

/*
 * The same for going up, by the shortest way. Everything above a switch must have its
 * distance first: work->order has the switches from the roots down.
 */
static void extend_up(struct work *work)
{
	u32 i, sw, best;

	for (i = 0; i < work->route->n_switches; i++) {
		sw = work->order[i];
		if (work->distance[sw] != FAR)
			continue;
		best = nearest_neighbour(work, sw, true);
		if (best == FAR)
			continue;
		work->distance[sw] = best + 1;
		work->way[sw] = WAY_UP;
	}
}

/* Sort switches by @key, then number, into @order. Returns how many have a key that is not FAR. */
static u32 sort(const struct work *work, const u32 *key, u32 *order, u32 *count)
{
	u32 n = work->route->n_switches, i, at = 0, k;

	for (i = 0; i <= n; i++)
		count[i] = 0;
	for (i = 0; i < n; i++)
		count[min(key[i], n)]++;
	for (i = 0; i <= n; i++) {
		k = count[i];
		count[i] = at;
		at += k;
	}
	k = count[n];
	for (i = 0; i < n; i++)
		order[count[min(key[i], n)]++] = i;
	return k;
}

/* From the farthest that @from's own ends are away: one bound of how central each switch is. */
static void farthest_end(struct work *work, u32 *far)
{
	const struct fab_route *route = work->route;
	u32 sw, i;

	for (i = 0; i < route->n_switches; i++)
		far[i] = 0;
	for (sw = 0; sw < route->n_switches && !READ_ONCE(route->stop); sw++) {
		if (!route->switches[sw].n_ends)
			continue;
		search(work, sw, false);
		for (i = 0; i < route->n_switches; i++)
			far[i] = max(far[i], work->distance[i]);
		cond_resched();
	}
}

/* Ranks: steps from the nearest of the switches whose @far is least; only the first if @one. */
static void rank_from(struct work *work, const u32 *far, bool one)
{
	struct fab_route *route = work->route;
	u32 least = FAR, head = 0, tail = 0, i, p, sw, next;

	for (i = 0; i < route->n_switches; i++) {
		least = min(least, far[i]);
		route->switches[i].rank = FAR;
	}
	for (i = 0; i < route->n_switches; i++) {
		if (far[i] != least || (one && tail))
			continue;
		route->switches[i].rank = 0;
		work->queue[tail++] = i;
	}
	while (head < tail) {
		sw = work->queue[head++];
		for (p = 1; p <= route->switches[sw].n_ports; p++) {
			next = fab_route_peer(route, sw, p);
			if (next == FAB_ROUTE_NO_SWITCH || route->switches[next].rank != FAR)
				continue;
			route->switches[next].rank = route->switches[sw].rank + 1;
			work->queue[tail++] = next;
		}
	}
}

/* Switches from the roots down: whatever is above one comes before it. */
static void order_by_rank(struct work *work)
{
	u32 i;

	for (i = 0; i < work->route->n_switches; i++)
		work->distance[i] = work->route->switches[i].rank;
	sort(work, work->distance, work->order, work->queue);
}

/* Can every switch reach every end by going up, then down? */
static bool all_reach_all(struct work *work)
{
	const struct fab_route *route = work->route;
	u32 sw, i;

	order_by_rank(work);
	for (sw = 0; sw < route->n_switches && !READ_ONCE(route->stop); sw++) {
		if (!route->switches[sw].n_ends)
			continue;
		search(work, sw, true);
		extend_up(work);
		for (i = 0; i < route->n_switches; i++)
			if (work->distance[i] == FAR)
				return false;
		cond_resched();
	}
	return true;
}

/* work->first has room for a number a switch, and is not used yet. */
static void rank_switches(struct work *work)
{
	farthest_end(work, work->first);
	rank_from(work, work->first, false);
	if (!all_reach_all(work))
		rank_from(work, work->first, true);
}

/* Distances and ways of all switches to @target, and the switches by distance. */
static void find_ways(struct work *work, u32 target)
{
	bool up_down = work->route->engine == FAB_ROUTE_UP_DOWN;

	search(work, target, up_down);
	if (up_down) {
		/* What is above has a smaller rank, so ranks come first in the order. */
		extend_up(work);
		extend(work, false, WAY_ANY);
	}
}

static bool begins_way(const struct work *work, u32 sw, u32 next)
{
	const struct fab_route *route = work->route;

	if (next == FAB_ROUTE_NO_SWITCH || work->distance[next] == FAR ||
	    work->distance[next] + 1 != work->distance[sw])
		return false;
	if (route->engine == FAB_ROUTE_MIN_HOP || work->way[sw] == WAY_ANY)
		return true;
	if (work->way[sw] == WAY_DOWN)
		return work->way[next] == WAY_DOWN && !goes_up(route, sw, next);
	return goes_up(route, sw, next);
}

/* Of every switch: the ports by which a packet to the target may leave. */
static void find_candidates(struct work *work)
{
	const struct fab_route *route = work->route;
	u32 sw, p, n = 0;

	for (sw = 0; sw < route->n_switches; sw++) {
		work->first[sw] = n;
		if (work->distance[sw] == FAR || !work->distance[sw])
			continue;
		for (p = 1; p <= route->switches[sw].n_ports; p++)
			if (begins_way(work, sw, fab_route_peer(route, sw, p)))
				work->candidates[n++] = p;
	}
	work->first[sw] = n;
}

static u8 least_loaded(const struct work *work, u32 sw)
{
	const u32 *load = work->route->loads + work->route->switches[sw].first - 1;
	u32 i = work->first[sw];
	u8 best = work->candidates[i];

	for (i++; i < work->first[sw + 1]; i++)
		if (load[work->candidates[i]] < load[best])
			best = work->candidates[i];
	return best;
}

/* One LID: from the farthest switch to the nearest, each chooses a port. */
static void route_lid(struct work *work, const u32 *order, const struct fab_route_end *end, u16 lid)
{
	struct fab_route *route = work->route;
	u32 i, sw;
	u8 port;

	for (sw = 0; sw < route->n_switches; sw++)
		work->weight[sw] = end->port ? route->switches[sw].n_ends : 0;
	for (i = work->n_reached; i--;) {
		sw = order[i];
		if (sw == end->sw)
			continue;
		port = least_loaded(work, sw);
		fab_route_lft(route, sw)[lid] = port;
		route->loads[route->switches[sw].first + port - 1] += work->weight[sw];
		work->weight[fab_route_peer(route, sw, port)] += work->weight[sw];
	}
	fab_route_lft(route, end->sw)[lid] = end->port;
	if (end->port)
		route->loads[route->switches[end->sw].first + end->port - 1] +=
			work->weight[end->sw];
}

static void route_switch(struct work *work, u32 target, u32 *order)
{
	const struct fab_route *route = work->route;
	const struct fab_route_switch *sw = &route->switches[target];
	const struct fab_route_end *end;
	u32 i, k;

	find_ways(work, target);
	work->n_reached = sort(work, work->distance, order, work->queue);
	find_candidates(work);
	for (i = sw[0].first_end; i < sw[1].first_end; i++) {
		end = &route->ends[work->by_switch[i]];
		for (k = 0; k < end->n_lids && end->lid + k <= route->top_lid; k++)
			route_lid(work, order, end, end->lid + k);
		cond_resched();
	}
}

static int make_tables(struct work *work)
{
	struct fab_route *route = work->route;
	size_t size = (size_t)route->top_lid + 1;
	u32 *order;
	size_t i;
	u32 sw;

	order = kvcalloc(route->n_switches + 1, sizeof(*order), GFP_KERNEL);
	kvfree(route->lfts);
	route->lfts = kvcalloc(route->n_switches + 1, size, GFP_KERNEL);
	if (!order || !route->lfts) {
		kvfree(order);
		return -ENOMEM;
	}
	for (i = 0; i < route->n_switches * size; i++)
		route->lfts[i] = FAB_ROUTE_NONE;
	for (i = 0; i < route->n_ports; i++)
		route->loads[i] = 0;
	for (sw = 0; sw < route->n_switches && !READ_ONCE(route->stop); sw++)
		route_switch(work, sw, order);
	kvfree(order);
	return READ_ONCE(route->stop) ? -ECANCELED : 0;
}

/**
 * fab_route_compute() - forwarding tables for all switches
 * @route: the picture; its tables, loads and ranks are filled in
 *
 * The same picture gives the same tables.
 *
 * Context: may sleep, and takes long for a large subnet.
 * Return: 0, -ENOMEM, or -ECANCELED if it was told to stop.
 */
int fab_route_compute(struct fab_route *route)
{
	struct work work;
	int err;

	err = alloc_work(&work, route);
	if (err)
		return err;
	sort_ends(&work);
	if (route->engine == FAB_ROUTE_UP_DOWN) {
		rank_switches(&work);
		order_by_rank(&work);
	}
	err = make_tables(&work);
	free_work(&work);
	return err;
}

static void set_port(struct fab_route_mask *mask, u32 port)
{
	mask->ports[port / 16] |= 1U << (port % 16);
}

/* The port of @sw that leads to the switch next to it on the way to the root; 0 = none. */
static u32 root_port(const struct work *work, u32 sw)
{
	const struct fab_route *route = work->route;
	u32 p, next;

	for (p = 1; p <= route->switches[sw].n_ports; p++) {
		next = fab_route_peer(route, sw, p);
		if (next != FAB_ROUTE_NO_SWITCH && work->distance[next] != FAR &&
		    work->distance[next] + 1 == work->distance[sw])
			return p;
	}
	return 0;
}

/* Where does the tree begin: at a root of up/down, else at the first member's switch. */
static u32 tree_root(const struct fab_route *route, const struct fab_route_member *members)
{
	u32 sw;

	for (sw = 0; route->engine == FAB_ROUTE_UP_DOWN && sw < route->n_switches; sw++)
		if (!route->switches[sw].rank)
			return sw;
	return members[0].sw;
}

/* The cables from @sw towards the root, until a switch that is in the tree already. */
static void climb(struct work *work, struct fab_route_mask *masks, u32 sw)
{
	const struct fab_route *route = work->route;
	u32 p;

	while (!work->way[sw]) {
		work->way[sw] = WAY_DOWN;
		p = root_port(work, sw);
		if (!p)
			return;
		set_port(&masks[sw], p);
		p += route->switches[sw].first - 1;
		sw = route->peers[p];
		set_port(&masks[sw], route->peer_ports[p]);
	}
}

/* The only port in @mask; 0 if there is none or more than one. */
static u32 only_port(const struct fab_route_mask *mask)
{
	u32 p, only = 0;

	for (p = 0; p <= FAB_ROUTE_PORTS_MAX; p++) {
		if (!(mask->ports[p / 16] & 1U << (p % 16)))
			continue;
		if (only || !p)
			return 0;
		only = p;
	}
	return only;
}

/* A root with one branch and no member is of no use, and so on down that branch. */
static void prune(const struct fab_route *route, const struct work *work,
		  struct fab_route_mask *masks, u32 sw)
{
	u32 p, peer;

	/* work->weight: members on each switch. */
	while (!work->weight[sw] && (p = only_port(&masks[sw]))) {
		masks[sw].ports[p / 16] = 0;
		p += route->switches[sw].first - 1;
		sw = route->peers[p];
		peer = route->peer_ports[p];
		masks[sw].ports[peer / 16] &= ~(1U << (peer % 16));
	}
}

/**
 * fab_route_tree() - the tree by which a multicast group is served
 * @route: a picture that fab_route_compute() has seen
 * @members: ports of the group
 * @n_members: how many
 * @masks: filled in: of each switch, the ports a packet to the group leaves by
 *	(never by the one it came in by; vol 1, 18.2.4.3.3)
 *
 * A packet may enter the tree at any member, so every cable of the tree is used in
 * both directions, and both its ends are in the masks.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int fab_route_tree(struct fab_route *route, const struct fab_route_member *members,
		   u32 n_members, struct fab_route_mask *masks)
{
	struct work work;
	u32 i, root;
	int err;

	for (i = 0; i < route->n_switches; i++)
		masks[i] = (struct fab_route_mask){ };
	if (!n_members)
		return 0;
	err = alloc_work(&work, route);
	if (err)
		return err;
	root = tree_root(route, members);
	search(&work, root, false);
	for (i = 0; i < route->n_switches; i++)
		work.way[i] = WAY_NONE;
	for (i = 0; i < n_members; i++) {
		climb(&work, masks, members[i].sw);
		work.weight[members[i].sw]++;
	}
	prune(route, &work, masks, root);
	for (i = 0; i < n_members; i++)
		if (members[i].receives)
			set_port(&masks[members[i].sw], members[i].port);
	free_work(&work);
	return 0;
}
