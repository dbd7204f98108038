// SPDX-License-Identifier: GPL-2.0
/*
 * The long computations of the subnet manager, on a workqueue.
 *
 * Routes of a large subnet take seconds, and the fabric thread has none. So a work
 * item takes a picture of what the sweep has found, computes (route.c is a pure
 * function of the picture), and hands the result back; three short calls into the
 * thread with nothing but arithmetic in between. If the subnet has changed meanwhile
 * (sm->generation), the result is thrown away. Memory is allocated here too, where
 * waiting for it is allowed.
 *
 *	call: how large?  ->  allocate  ->  call: copy  ->  compute  ->  call: take it
 *
 * The trees of multicast groups are computed the same way, on the routes in
 * operation: those are replaced only by this work item, so it may read them.
 */
#include <linux/slab.h>
#include "sa.h"
#include "sm.h"

/**
 * struct route_job - routes of the subnet found
 * @sm: whose
 * @wanted: the sweep waits for them
 * @generation: sm->generation, when the picture was taken
 * @route: picture and result
 * @n_switches: how many it has
 * @n_ports: external ports of all switches
 * @n_ends: ends, switches included
 * @err: of the computation
 */
struct route_job {
	struct fab_sm *sm;
	bool wanted;
	u32 generation;
	struct fab_route route;
	u32 n_switches;
	u32 n_ports;
	u32 n_ends;
	int err;
};

static void call_measure(void *arg)
{
	struct route_job *job = arg;
	struct fab_sm *sm = job->sm;

	job->wanted = !sm->stopped && fab_sm_wants_routes(sm) && sm->found;
	if (!job->wanted)
		return;
	job->generation = sm->generation;
	job->n_switches = sm->found->n_switches;
	job->n_ports = sm->found->n_ports;
	job->n_ends = sm->found->n_switches + sm->found->n_ends;
}

static void copy_switch(struct fab_route *route, const struct fab_sm_node *node, u32 first)
{
	const struct fab_sm_port *peer;
	u32 p;

	route->switches[node->index].first = first;
	route->switches[node->index].n_ports = node->n_ports;
	for (p = 1; p <= node->n_ports; p++) {
		peer = node->ports[p].peer;
		if (!peer || !peer->node->is_switch || peer->node == node)
			continue;
		route->peers[first + p - 1] = peer->node->index;
		route->peer_ports[first + p - 1] = peer->num;
	}
}

/* An adapter is an end if its cable leads to a switch. */
static bool copy_end(struct fab_route_end *end, const struct fab_sm_node *node)
{
	const struct fab_sm_port *at = node->ports[0].peer;

	end->lid = node->lid;
	end->n_lids = 1U << node->lmc;
	if (node->is_switch) {
		end->sw = node->index;
		end->port = 0;
		return true;
	}
	if (!at || !at->node->is_switch)
		return false;
	end->sw = at->node->index;
	end->port = at->num;
	return true;
}

static void call_copy(void *arg)
{
	struct route_job *job = arg;
	struct fab_sm *sm = job->sm;
	const struct fab_sm_node *node;
	u32 first = 0, n = 0;

	job->wanted = !sm->stopped && sm->generation == job->generation;
	if (!job->wanted)
		return;
	job->route.engine = sm->set.engine;
	job->route.top_lid = sm->found->top_lid;
	list_for_each_entry(node, &sm->found->nodes, list) {
		if (node->is_switch) {
			copy_switch(&job->route, node, first);
			first += node->n_ports;
		}
		n += copy_end(&job->route.ends[n], node);
	}
	job->route.n_ends = n;
	sm->computing = &job->route;
}

/* The routes before stay until the tables are written; those before them leave with the job. */
static void call_take(void *arg)
{
	struct route_job *job = arg;
	struct fab_sm *sm = job->sm;

	sm->computing = NULL;
	if (sm->stopped || sm->generation != job->generation)
		return;
	if (!job->err) {
		swap(sm->before, sm->route);
		swap(sm->route, job->route);
		sm->before_fits = sm->route_fits;
		sm->route_fits = false;
	}
	fab_sm_routed(sm, job->err);
}

static void compute_routes(struct fab_sm *sm)
{
	struct route_job job = { .sm = sm };

	fab_call(call_measure, &job);
	if (!job.wanted)
		return;
	job.err = fab_route_alloc(&job.route, job.n_switches, job.n_ports, job.n_ends);
	if (!job.err) {
		fab_call(call_copy, &job);
		if (job.wanted)
			job.err = fab_route_compute(&job.route);
	}
	if (job.wanted)
		fab_call(call_take, &job);
	fab_route_free(&job.route);
}

/* fab_route_tree() may read sm->route: nobody but compute_routes() replaces it. */
static bool compute_tree(struct fab_sm *sm)
{
	struct fab_sa_tree tree = { .sm = sm };

	fab_call(fab_sa_tree_measure, &tree);
	if (!tree.wanted)
		return false;
	tree.members = kvcalloc(tree.n_members + 1, sizeof(*tree.members), GFP_KERNEL);
	tree.masks = kvcalloc(sm->route.n_switches + 1, sizeof(*tree.masks), GFP_KERNEL);
	tree.n_masks = sm->route.n_switches;
	if (tree.members && tree.masks) {
		fab_call(fab_sa_tree_copy, &tree);
		if (tree.wanted) {
			tree.err = fab_route_tree(&sm->route, tree.members, tree.n_members,
						  tree.masks);
			fab_call(fab_sa_tree_take, &tree);
		}
	} else {
		tree.err = -ENOMEM;
		fab_call(fab_sa_tree_take, &tree);
	}
	kvfree(tree.members);
	kvfree(tree.masks);
	return !tree.err;
}

static void work(struct work_struct *item)
{
	struct fab_sm *sm = container_of(item, struct fab_sm, job);

	compute_routes(sm);
	while (compute_tree(sm))
		cond_resched();
}

/**
 * fab_sm_job_init() - make the work item ready
 * @sm: subnet manager
 */
void fab_sm_job_init(struct fab_sm *sm)
{
	INIT_WORK(&sm->job, work);
}

/**
 * fab_sm_job_start() - there is something to compute
 * @sm: subnet manager
 */
void fab_sm_job_start(struct fab_sm *sm)
{
	if (!sm->stopped)
		queue_work(system_unbound_wq, &sm->job);
}

/**
 * fab_sm_job_abandon() - what is being computed is of no use any more
 * @sm: subnet manager
 */
void fab_sm_job_abandon(struct fab_sm *sm)
{
	sm->generation++;
	if (sm->computing)
		WRITE_ONCE(sm->computing->stop, true);
}

/**
 * fab_sm_job_flush() - wait until nothing is computed any more
 * @sm: subnet manager; stopped
 *
 * Context: process context, not the fabric thread.
 */
void fab_sm_job_flush(struct fab_sm *sm)
{
	cancel_work_sync(&sm->job);
}
