// SPDX-License-Identifier: GPL-2.0
/*
 * The lab is built, removed and reset here.
 *
 * Order of "up": the module is told BUILDING; then for every host its record,
 * its files, its namespace, its node; then the cables; then the addresses; then
 * READY. A controller that dies anywhere on this way leaves BUILDING and a
 * record that names at least what exists: the next one undoes that first. One
 * that fails undoes it itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cmd.h"
#include "lab.h"
#include "lab_host.h"
#include "lab_state.h"
#include "netns.h"
#include "output.h"
#include "param.h"
#include "subnet.h"

#define LOCK_FILE	LAB_DIR "/lock"
#define LOCK_TRIES	100		/* of 100 ms */
#define PROGRESS_FROM	64		/* steps; fewer are over before one reads it */

static int lock_fd = -1;
static unsigned int lock_depth;

static int lock_wait(void)
{
	char pid[16] = "";
	int tries;

	for (tries = 0; flock(lock_fd, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (tries == 10 || tries == LOCK_TRIES) {
			if (pread(lock_fd, pid, sizeof(pid) - 1, 0) < 0)
				pid[0] = '\0';
			fab_note("%s fabctl (pid %s) to finish",
				 tries == 10 ? "waiting for another" :
				 "gave up to wait for the", pid);
		}
		if (tries == LOCK_TRIES)
			return -EBUSY;
		usleep(100000);
	}
	return 0;
}

/* The one who held it before may have removed the file that we waited for. */
static bool lock_is_current(void)
{
	struct stat file, path;

	return !fstat(lock_fd, &file) && !stat(LOCK_FILE, &path) &&
	       file.st_ino == path.st_ino && file.st_dev == path.st_dev;
}

static void lock_close(void)
{
	if (lock_fd >= 0)
		close(lock_fd);
	lock_fd = -1;
}

static int lock_take(void)
{
	int err;

	for (;;) {
		mkdir(LAB_DIR, 0755);
		lock_fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
		/* ENOENT: the folder went between the two calls. */
		if (lock_fd < 0 && errno == ENOENT && !geteuid())
			continue;
		err = lock_fd < 0 ? -errno : lock_wait();
		if (err || lock_is_current())
			break;
		lock_close();
	}
	return err;
}

int lab_lock(void)
{
	int err;

	if (lock_depth++)
		return FAB_OK;
	err = lock_take();
	if (!err) {
		if (!ftruncate(lock_fd, 0))
			dprintf(lock_fd, "%d", getpid());
		return FAB_OK;
	}
	lock_depth = 0;
	lock_close();
	if (err == -EACCES || err == -ENOENT)
		fab_err("this needs root: try sudo");
	else
		fab_err("%s: %s", LOCK_FILE, strerror(-err));
	return FAB_ENV;
}

void lab_unlock(void)
{
	if (!lock_depth || --lock_depth)
		return;
	/* Not only close(): a child may have the same open file. */
	flock(lock_fd, LOCK_UN);
	lock_close();
}

/* With the lab goes its folder, which holds nothing but the lock then. */
static void remove_folder(void)
{
	if (access(LAB_STATE_FILE, F_OK)) {
		unlink(LOCK_FILE);
		rmdir(LAB_DIR);
	}
}

/*
 * While it is at work a signal is only noted; it takes effect when all that was
 * made is undone and the old mask is back.
 */
static void hold_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, old);
}

static int check_interrupted(void)
{
	sigset_t set;

	if (sigpending(&set) ||
	    (!sigismember(&set, SIGINT) && !sigismember(&set, SIGTERM)))
		return FAB_OK;
	fab_err("interrupted");
	return FAB_ENV;
}

static int set_state(struct fab_nl *nl, uint32_t state, const struct topology *t)
{
	struct nl_msg *msg = fab_nl_msg(nl, FABSIM_CMD_FABRIC_SET);

	nla_put_u32(msg, FABSIM_A_FABRIC_STATE, state);
	if (t) {
		nla_put_string(msg, FABSIM_A_FABRIC_TOPOLOGY, t->name);
		if (t->seed != TOPO_NO_U64)
			nla_put_u64(msg, FABSIM_A_FABRIC_SEED, t->seed);
		if (t->pace != TOPO_NO_U32)
			nla_put_u32(msg, FABSIM_A_FABRIC_PACE, t->pace);
	}
	return fab_nl_do(nl, msg);
}

/* Removes the module's part and ours. Number of namespaces, or -1. */
static int remove_all(struct fab_nl *nl, struct lab_state *s)
{
	int err = 0, n;

	if (nl)
		err = fab_nl_do(nl, fab_nl_msg(nl, FABSIM_CMD_FABRIC_DOWN));
	if (err)
		fab_nl_fail(nl, err, "the fabric cannot be removed");
	n = s ? lab_state_clean(s, NULL) : 0;
	return err ? -1 : n;
}

static int builder_alive(struct fab_nl *nl, const struct fab_fabric_info *f)
{
	int err;

	if (f->state != FABSIM_FABRIC_BUILDING)
		return FAB_OK;
	/* The module lets us in only when the other one is dead. */
	err = set_state(nl, FABSIM_FABRIC_BUILDING, NULL);
	return err ? fab_nl_fail(nl, err, "a lab is being built") : FAB_OK;
}

/* Whatever is there already: refuse, or remove the rest of a dead builder. */
static int make_room(struct fab_nl *nl)
{
	struct fab_fabric_info f;
	struct lab_state s;
	bool rest, recorded;
	char what[64];
	int err, n;

	err = fab_fabric_get(nl, &f);
	if (err)
		return fab_nl_fail(nl, err, "the fabric's state");
	if (f.state == FABSIM_FABRIC_READY) {
		fab_err("a lab is up already (%s, %u nodes): %s",
			f.topology[0] ? f.topology : "not by fabctl", f.nodes,
			"\"fabctl down\" removes it, \"fabctl reset\" makes it like new");
		return FAB_ENV;
	}
	if (builder_alive(nl, &f))
		return FAB_ENV;
	recorded = !lab_state_load(&s);
	rest = recorded || f.state == FABSIM_FABRIC_BUILDING;
	if (!rest)
		return FAB_OK;
	n = remove_all(nl, recorded ? &s : NULL);
	snprintf(what, sizeof(what), "%u nodes, %d namespaces", f.nodes,
		 n < 0 ? 0 : n);
	if (f.state == FABSIM_FABRIC_BUILDING)
		fab_note("removed the rest of a lab whose builder (pid %u) had died: %s",
			 f.builder, what);
	else
		fab_note("removed the rest of a lab whose module was unloaded: %s",
			 what);
	lab_state_put(&s);
	return n < 0 ? FAB_ENV : FAB_OK;
}

static void progress(const struct topology *t, uint32_t done)
{
	uint32_t total = t->nr_nodes + t->nr_links;

	if (total >= PROGRESS_FROM && !(done % 16))
		out_progress("building:", done, total);
}

static int make_nodes(struct fab_nl *nl, struct lab_state *s,
		      const struct topology *t, struct lab_net *nets)
{
	uint32_t i;
	int ret, err;

	for (i = 0; i < t->nr_nodes; i++) {
		const struct topo_node *n = &t->nodes[i];

		ret = check_interrupted();
		if (ret)
			return ret;
		progress(t, i);
		if (n->kind == FABSIM_NODE_HOST && n->live) {
			ret = lab_host_make(nl, s, n, &nets[i]);
			if (ret)
				return ret;
			continue;
		}
		err = lab_node_new(nl, n, NULL);
		if (err)
			return fab_nl_fail(nl, err, "node %s", n->name);
	}
	return FAB_OK;
}

static void put_link_settings(struct nl_msg *msg, const struct topo_link *l)
{
	if (l->rate != TOPO_NO_U64)
		nla_put_u64(msg, FABSIM_A_LINK_RATE, l->rate);
	if (l->delay != TOPO_NO_U64)
		nla_put_u64(msg, FABSIM_A_LINK_DELAY, l->delay);
	if (l->ber != TOPO_NO_U64)
		nla_put_u64(msg, FABSIM_A_LINK_BER, l->ber);
	if (l->mtu != TOPO_NO_U32)
		nla_put_u32(msg, FABSIM_A_LINK_MTU, l->mtu);
	if (l->loss != TOPO_NO_U32)
		nla_put_u32(msg, FABSIM_A_LINK_LOSS, l->loss);
	if (l->down)
		nla_put_u8(msg, FABSIM_A_LINK_UP, 0);
}

static int make_links(struct fab_nl *nl, const struct topology *t)
{
	const struct topo_link *l;
	struct nl_msg *msg;
	uint32_t i;
	int err;

	for (i = 0; i < t->nr_links; i++) {
		if (check_interrupted())
			return FAB_ENV;
		progress(t, t->nr_nodes + i);
		l = &t->links[i];
		msg = fab_nl_msg(nl, FABSIM_CMD_LINK_NEW);
		if (l->name[0])
			nla_put_string(msg, FABSIM_A_LINK_NAME, l->name);
		nla_put_string(msg, FABSIM_A_LINK_A_NODE, t->nodes[l->a].name);
		nla_put_u32(msg, FABSIM_A_LINK_A_PORT, l->a_port);
		nla_put_string(msg, FABSIM_A_LINK_B_NODE, t->nodes[l->b].name);
		nla_put_u32(msg, FABSIM_A_LINK_B_PORT, l->b_port);
		put_link_settings(msg, l);
		err = fab_nl_do(nl, msg);
		if (err)
			return fab_nl_fail(nl, err, "link %s - %s",
					   t->nodes[l->a].name,
					   t->nodes[l->b].name);
	}
	return FAB_OK;
}

/* A host's interface takes what its cable can carry. */
static int make_addresses(const struct topology *t, struct lab_net *nets)
{
	unsigned int *mtu = calloc(t->nr_nodes + 1, sizeof(*mtu));
	const struct topo_link *l;
	int ret = FAB_OK;
	uint32_t i;

	if (!mtu)
		abort();
	for (i = 0; i < t->nr_links; i++) {
		l = &t->links[i];
		if (l->mtu == TOPO_NO_U32 || l->ib)
			continue;
		mtu[l->a] = l->mtu;
		mtu[l->b] = l->mtu;
	}
	for (i = 0; i < t->nr_nodes && !ret; i++) {
		if (nets[i].netns < 0)
			continue;
		ret = check_interrupted();
		if (!ret)
			ret = lab_host_address(&t->nodes[i], &nets[i],
					       mtu[i] ? mtu[i] : MTU_DEFAULT);
	}
	free(mtu);
	return ret;
}

static int start_sms(struct fab_nl *nl, const struct topology *t)
{
	uint32_t i;
	int ret = FAB_OK;

	for (i = 0; i < t->nr_nodes && !ret; i++)
		if (t->nodes[i].sm)
			ret = subnet_start(nl, t->nodes[i].name,
					   t->nodes[i].sm_priority, false);
	return ret;
}

static int note_setting(const char *line, void *arg)
{
	return lab_state_add(arg, "set %s", line);
}

static int build(struct fab_nl *nl, struct lab_state *s,
		 const struct topology *t, struct lab_net *nets)
{
	int ret, err;

	/* What "reset" must put back after the module's own defaults. */
	err = topology_each_setting(t, note_setting, s);
	if (err) {
		fab_err("%s: %s", LAB_STATE_FILE, strerror(-err));
		return FAB_ENV;
	}
	ret = make_nodes(nl, s, t, nets);
	if (!ret)
		ret = make_links(nl, t);
	if (!ret)
		ret = make_addresses(t, nets);
	if (!ret)
		ret = start_sms(nl, t);
	if (ret)
		return ret;
	err = lab_state_write_hosts(s);
	if (err) {
		fab_err("%s: %s", LAB_HOSTS_FILE, strerror(-err));
		return FAB_ENV;
	}
	err = set_state(nl, FABSIM_FABRIC_READY, NULL);
	return err ? fab_nl_fail(nl, err, "the fabric's state") : FAB_OK;
}

/* Every live host is an open file for a while. */
static void raise_file_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= 1024)
		return;
	r.rlim_cur = r.rlim_max < 1024 ? r.rlim_max : 1024;
	setrlimit(RLIMIT_NOFILE, &r);
}

static int build_or_undo(struct fab_nl *nl, const struct topology *t)
{
	struct lab_net *nets = calloc(t->nr_nodes + 1, sizeof(*nets));
	struct lab_state s = { .fd = -1 };
	uint32_t i;
	int ret, err;

	if (!nets)
		abort();
	for (i = 0; i < t->nr_nodes; i++)
		nets[i].netns = -1;
	err = lab_state_begin(&s);
	if (err) {
		fab_err("%s: %s", LAB_STATE_FILE, strerror(-err));
		ret = FAB_ENV;
	} else {
		ret = build(nl, &s, t, nets);
	}
	out_progress_end();
	for (i = 0; i < t->nr_nodes; i++)
		if (nets[i].netns >= 0)
			close(nets[i].netns);
	if (ret && remove_all(nl, &s) >= 0)
		fab_note("everything made so far was removed again");
	lab_state_put(&s);
	free(nets);
	return ret;
}

static void leave_out(struct fab_nl *nl, struct topology *t)
{
	struct fab_fabric_info f;

	if (fab_fabric_get(nl, &f) || f.rdma || !topology_drop_rdma(t))
		return;
	fab_note("this kernel is without InfiniBand (CONFIG_INFINIBAND), and so is the lab: "
		 "no HCAs (no RoCE) and no InfiniBand network; only TCP will run");
}

static int up_locked(struct fab_nl *nl, struct topology *t)
{
	uint32_t i;
	int ret, err;

	ret = make_room(nl);
	if (!ret)
		leave_out(nl, t);
	for (i = 0; i < t->nr_nodes && !ret; i++)
		ret = lab_host_check(&t->nodes[i]);
	if (ret)
		return ret;
	err = netns_init();
	if (err) {
		fab_err("%s: %s", NETNS_DIR, strerror(-err));
		return FAB_ENV;
	}
	err = set_state(nl, FABSIM_FABRIC_BUILDING, t);
	if (err)
		return fab_nl_fail(nl, err, "up");
	return build_or_undo(nl, t);
}

int lab_up(struct topology *t)
{
	struct fab_nl *nl = fab_nl_open();
	sigset_t old;
	int ret;

	ret = lab_lock();
	if (!ret) {
		raise_file_limit();
		hold_signals(&old);
		ret = up_locked(nl, t);
		if (ret)
			remove_folder();
		lab_unlock();
		sigprocmask(SIG_SETMASK, &old, NULL);
		/* It is complete now: who has had enough of waiting may interrupt. */
		if (!ret)
			ret = subnet_wait(nl);
	}
	fab_nl_close(nl);
	return ret;
}

static int down_locked(struct fab_nl *nl)
{
	struct fab_fabric_info f = { 0 };
	struct lab_state s;
	bool recorded;
	int err, ret;

	err = nl ? fab_fabric_get(nl, &f) : 0;
	if (err)
		return fab_nl_fail(nl, err, "the fabric's state");
	if (nl && builder_alive(nl, &f))
		return FAB_ENV;
	recorded = !lab_state_load(&s);
	if (!recorded && f.state == FABSIM_FABRIC_EMPTY) {
		if (nl) {
			fab_note("no lab is up");
			return FAB_OK;
		}
		fab_err("the fabsim module is not loaded, and nothing is left of a lab");
		return FAB_ENV;
	}
	ret = remove_all(nl, recorded ? &s : NULL) < 0 ? FAB_ENV : FAB_OK;
	lab_state_put(&s);
	return ret;
}

int lab_down(void)
{
	struct fab_nl *nl = fab_nl_try_open();
	int ret;

	ret = lab_lock();
	if (!ret) {
		ret = down_locked(nl);
		remove_folder();
		lab_unlock();
	}
	fab_nl_close(nl);
	return ret;
}

int lab_ensure_up(const char *spec, bool *started)
{
	struct fab_nl *nl = fab_nl_open();
	struct fab_fabric_info f;
	struct topology *t;
	int ret, err;

	*started = false;
	err = fab_fabric_get(nl, &f);
	ret = err ? fab_nl_fail(nl, err, "the fabric's state") : FAB_OK;
	fab_nl_close(nl);
	if (ret || f.state == FABSIM_FABRIC_READY)
		return ret;
	t = topology_get(spec, 0, false);
	if (!t)
		return FAB_USAGE;
	ret = lab_up(t);
	if (!ret) {
		*started = true;
		fab_note("no lab was up: started \"%s\" (%u nodes)", t->name,
			 t->nr_nodes);
	}
	topology_free(t);
	return ret;
}

/* @line: the arguments of a "fabctl set". */
static int put_back(char *line, void *arg)
{
	char *argv[24] = { "set" }, *word, *save = NULL, sm[32];
	unsigned int priority;
	int argc = 1;

	if (sscanf(line, "sm %31s priority=%u", sm, &priority) == 2)
		return subnet_start(arg, sm, priority, true);
	for (word = strtok_r(line, " ", &save); word && argc < 23;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	return cmd_set(argc, argv);
}

int lab_reset(bool defaults)
{
	struct fab_nl *nl = fab_nl_open();
	struct lab_state s;
	struct nl_msg *msg;
	int err, ret;

	ret = lab_lock();
	if (ret)
		goto out;
	msg = fab_nl_msg(nl, FABSIM_CMD_FABRIC_RESET);
	if (defaults)
		nla_put_flag(msg, FABSIM_A_FABRIC_DEFAULTS);
	err = fab_nl_do(nl, msg);
	if (err) {
		ret = fab_nl_fail(nl, err, "reset");
	} else if (defaults && !lab_state_load(&s)) {
		ret = lab_state_each_setting(&s, put_back, nl);
		if (!ret)
			ret = subnet_stop_unrecorded(nl, &s);
		lab_state_put(&s);
		if (!ret)
			ret = subnet_wait(nl);
	}
	lab_unlock();
out:
	fab_nl_close(nl);
	return ret;
}
