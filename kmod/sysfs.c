// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/fabsim: state and counters, one value a file, all read-only.
 * docs/ABI.md describes each.
 *
 *	nodes/<name>/  ports/<name>/  links/<name>/  paths/<path>/<side>/
 *
 * A file is a line in a table: where its value stands in a structure, or how
 * it is found. A directory is a kobject of its own (struct fab_kobject) that
 * points to what it shows. So taking a directory away waits until no reader is
 * inside any more, and then the object can be freed, whoever may still hold
 * the kobject.
 *
 * A directory costs about 3 KB of memory, more than what it shows. So a large
 * fabric has only the first MAX_DIRS of them (live hosts always); the rest is to
 * be seen by netlink.
 *
 * Readers take no lock of ours: removal runs under the control mutex and waits
 * for them. So a file shows only what lives as long as its directory. That is
 * why a port does not show its cable here (a link may go while its ports
 * stay), but a link shows its ports; and netlink shows both.
 */
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "clock.h"
#include "cost/cost.h"
#include "eth/eth.h"
#include "fabric.h"
#include "ib/ib.h"
#include "packet.h"
#include "sysfs.h"
#include "sysfs_file.h"

#define MAX_DIRS	16384

/* Room for the largest structure that a load function copies. */
union copy {
	struct fab_clock_state clock;
	struct fab_switch_stats switch_stats;
	struct fab_nic_stats nic;
	struct fab_ib_report ib;
	struct fab_ib_switch_report ib_switch;
};

static ssize_t show(struct kobject *kobj, struct attribute *attr, char *out)
{
	const struct fab_kobject *dir = container_of(kobj, struct fab_kobject, kobj);
	const struct fab_file *file = container_of(attr, struct fab_file, attr);
	const void *from = dir->object;
	union copy copy = {};

	if (file->show)
		return file->show(dir, file, out);
	if (file->load) {
		file->load(dir, &copy);
		from = &copy;
	}
	from += file->offset;
	switch (file->size) {
	case sizeof(u8):
		return sysfs_emit(out, "%u\n", READ_ONCE(*(const u8 *)from));
	case sizeof(u32):
		return sysfs_emit(out, "%u\n", READ_ONCE(*(const u32 *)from));
	default:
		return sysfs_emit(out, file->hex ? "0x%016llx\n" : "%llu\n",
				  READ_ONCE(*(const u64 *)from));
	}
}

static const struct sysfs_ops ops = { .show = show };

static void release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct fab_kobject, kobj));
}

/* The fabric. */

static void load_clock(const struct fab_kobject *dir, void *buf)
{
	fab_clock_read(buf);
}

static ssize_t show_root_version(const struct fab_kobject *dir, const struct fab_file *file,
				 char *out)
{
	return sysfs_emit(out, "%s\n", THIS_MODULE->version);
}

static ssize_t show_root_packets(const struct fab_kobject *dir, const struct fab_file *file,
				 char *out)
{
	return sysfs_emit(out, "%llu\n", fab_packets_alive());
}

static ssize_t show_root_seed(const struct fab_kobject *dir, const struct fab_file *file,
			      char *out)
{
	return sysfs_emit(out, "%llu\n", READ_ONCE(fab_fabric.seed));
}

static ssize_t show_root_state(const struct fab_kobject *dir, const struct fab_file *file,
			       char *out)
{
	static const char * const names[] = {
		[FABSIM_FABRIC_EMPTY] = "empty",
		[FABSIM_FABRIC_BUILDING] = "building",
		[FABSIM_FABRIC_READY] = "ready",
	};

	return sysfs_emit(out, "%s\n", names[fab_fabric_state()]);
}

TEXT(version, root);
TEXT(packets, root);
TEXT(seed, root);
TEXT(state, root);
COPIED(time_ns, clock, struct fab_clock_state, now);
COPIED(lag_ns, clock, struct fab_clock_state, lag);
COPIED(events, clock, struct fab_clock_state, events);
COPIED(thread_ns, clock, struct fab_clock_state, thread_ns);
COPIED(pace, clock, struct fab_clock_state, pace);
COPIED(frozen, clock, struct fab_clock_state, frozen);

static struct attribute *root_attrs[] = {
	ATTR(root_version), ATTR(root_packets), ATTR(root_seed), ATTR(root_state),
	ATTR(clock_time_ns), ATTR(clock_lag_ns), ATTR(clock_events), ATTR(clock_thread_ns),
	ATTR(clock_pace), ATTR(clock_frozen),
	NULL
};
ATTRIBUTE_GROUPS(root);

/* Nodes. */

static void load_switch(const struct fab_kobject *dir, void *buf)
{
	fab_switch_read_stats(dir->node, buf);
}

static ssize_t show_node_kind(const struct fab_kobject *dir, const struct fab_file *file,
			      char *out)
{
	static const char * const names[] = {
		[FABSIM_NODE_HOST] = "host",
		[FABSIM_NODE_ETH_SWITCH] = "ethernet-switch",
		[FABSIM_NODE_IB_SWITCH] = "infiniband-switch",
	};

	return sysfs_emit(out, "%s\n", names[dir->node->kind]);
}

static ssize_t show_node_mac(const struct fab_kobject *dir, const struct fab_file *file,
			     char *out)
{
	return sysfs_emit(out, "%pM\n", fab_host_mac(dir->node));
}

TEXT(kind, node);
TEXT(mac, node);
MEMBER(id, node, struct fab_node, id);
MEMBER(n_ports, node, struct fab_node, n_ports);
MEMBER(cpu, node, struct fab_node, set.cpu);
MEMBER(selective, node, struct fab_node, set.selective);
MEMBER(buffer, node, struct fab_node, set.buffer);
MEMBER(alpha, node, struct fab_node, set.alpha);
MEMBER(latency_ns, node, struct fab_node, set.latency);
MEMBER(ageing_ms, node, struct fab_node, set.ageing);
COPIED(fdb_entries, switch, struct fab_switch_stats, fdb_entries);
COPIED(learned, switch, struct fab_switch_stats, learned);
COPIED(flooded, switch, struct fab_switch_stats, flooded);
COPIED(forwarded, switch, struct fab_switch_stats, forwarded);
COPIED(filtered, switch, struct fab_switch_stats, filtered);
COPIED(buffer_used, switch, struct fab_switch_stats, buffer_used);
COPIED(buffer_peak, switch, struct fab_switch_stats, buffer_peak);

static struct attribute *host_attrs[] = {
	ATTR(node_kind), ATTR(node_id), ATTR(node_n_ports), ATTR(node_mac), ATTR(node_cpu),
	ATTR(node_selective),
	NULL
};
ATTRIBUTE_GROUPS(host);

static struct attribute *switch_attrs[] = {
	ATTR(node_kind), ATTR(node_id), ATTR(node_n_ports),
	ATTR(node_buffer), ATTR(node_alpha), ATTR(node_latency_ns), ATTR(node_ageing_ms),
	ATTR(switch_fdb_entries), ATTR(switch_learned), ATTR(switch_flooded),
	ATTR(switch_forwarded), ATTR(switch_filtered),
	ATTR(switch_buffer_used), ATTR(switch_buffer_peak),
	NULL
};
ATTRIBUTE_GROUPS(switch);

static void load_ib_switch(const struct fab_kobject *dir, void *buf)
{
	fab_ib_switch_report(dir->node, buf);
}

HEX(guid, ib_switch, struct fab_ib_switch_report, guid);
COPIED(lid, ib_switch, struct fab_ib_switch_report, lid);
COPIED(sm, ib_switch, struct fab_ib_switch_report, sm);
COPIED(forwarded, ib_switch, struct fab_ib_switch_report, forwarded);
COPIED(multicast, ib_switch, struct fab_ib_switch_report, multicast);
COPIED(no_route, ib_switch, struct fab_ib_switch_report, no_route);
COPIED(smps, ib_switch, struct fab_ib_switch_report, smps);

static struct attribute *ib_switch_attrs[] = {
	ATTR(node_kind), ATTR(node_id), ATTR(node_n_ports), ATTR(node_latency_ns),
	ATTR(ib_switch_guid), ATTR(ib_switch_lid), ATTR(ib_switch_sm), ATTR(ib_switch_forwarded),
	ATTR(ib_switch_multicast), ATTR(ib_switch_no_route), ATTR(ib_switch_smps),
	NULL
};
ATTRIBUTE_GROUPS(ib_switch);

/* Ports. */

static void load_nic(const struct fab_kobject *dir, void *buf)
{
	fab_host_nic_stats(dir->port->node, buf);
}

MEMBER(id, port, struct fab_port, id);
MEMBER(index, port, struct fab_port, index);
MEMBER(blocking, port, struct fab_port, blocking);
MEMBER(tx_packets, port, struct fab_port, stats.tx_packets);
MEMBER(tx_bytes, port, struct fab_port, stats.tx_bytes);
MEMBER(rx_packets, port, struct fab_port, stats.rx_packets);
MEMBER(rx_bytes, port, struct fab_port, stats.rx_bytes);
MEMBER(tx_cuts, port, struct fab_port, stats.tx_cuts);
MEMBER(queue_bytes, port, struct fab_port, queue_bytes);
MEMBER(queue_peak, port, struct fab_port, stats.queue_peak);
COPIED(interrupts, nic, struct fab_nic_stats, interrupts);
COPIED(polls, nic, struct fab_nic_stats, polls);
COPIED(tx_stops, nic, struct fab_nic_stats, tx_stops);

/* InfiniBand. */

static void load_ib(const struct fab_kobject *dir, void *buf)
{
	fab_ib_port_report(dir->port, buf);
}

static ssize_t show_ib_state(const struct fab_kobject *dir, const struct fab_file *file, char *out)
{
	static const char * const names[] = {
		[FABSIM_IB_NOP] = "unknown",
		[FABSIM_IB_DOWN] = "down",
		[FABSIM_IB_INIT] = "init",
		[FABSIM_IB_ARMED] = "armed",
		[FABSIM_IB_ACTIVE] = "active",
	};
	struct fab_ib_report report;

	fab_ib_port_report(dir->port, &report);
	return sysfs_emit(out, "%s\n", report.state <= FABSIM_IB_MAX ? names[report.state] :
									names[0]);
}

TEXT(state, ib);
HEX(guid, ib, struct fab_ib_report, guid);
COPIED(lid, ib, struct fab_ib_report, lid);
COPIED(lmc, ib, struct fab_ib_report, lmc);
COPIED(sm_lid, ib, struct fab_ib_report, sm_lid);
COPIED(stalls, ib, struct fab_ib_report, stalls);
COPIED(wait_ns, ib, struct fab_ib_report, wait);
COPIED(vl0, ib, struct fab_ib_report, credits[0]);
COPIED(vl1, ib, struct fab_ib_report, credits[1]);
COPIED(vl2, ib, struct fab_ib_report, credits[2]);
COPIED(vl3, ib, struct fab_ib_report, credits[3]);

static struct attribute *ib_attrs[] = {
	ATTR(ib_state), ATTR(ib_stalls), ATTR(ib_wait_ns),
	NULL
};

static struct attribute *ib_end_attrs[] = {
	ATTR(ib_guid), ATTR(ib_lid), ATTR(ib_lmc), ATTR(ib_sm_lid),
	NULL
};

static struct attribute *credit_attrs[] = {
	ATTR(ib_vl0), ATTR(ib_vl1), ATTR(ib_vl2), ATTR(ib_vl3),
	NULL
};

#define DROP(_name, _reason)							\
	MEMBER(_name, port, struct fab_port, stats.drops[FABSIM_DROP_##_reason])

DROP(congestion, CONGESTION);
DROP(bit_error, BIT_ERROR);
DROP(loss, LOSS);
DROP(link_down, LINK_DOWN);
DROP(no_route, NO_ROUTE);
DROP(mtu, MTU);
DROP(no_buffer, NO_BUFFER);
DROP(no_memory, NO_MEMORY);
DROP(filtered, FILTERED);
DROP(reset, RESET);
DROP(pkey, PKEY);

static struct attribute *port_attrs[] = {
	ATTR(port_id), ATTR(port_index), ATTR(port_blocking),
	ATTR(port_tx_packets), ATTR(port_tx_bytes), ATTR(port_rx_packets), ATTR(port_rx_bytes),
	ATTR(port_tx_cuts), ATTR(port_queue_bytes), ATTR(port_queue_peak),
	NULL
};

static struct attribute *nic_attrs[] = {
	ATTR(nic_interrupts), ATTR(nic_polls), ATTR(nic_tx_stops),
	NULL
};

static struct attribute *drop_attrs[] = {
	ATTR(port_congestion), ATTR(port_bit_error), ATTR(port_loss), ATTR(port_link_down),
	ATTR(port_no_route), ATTR(port_mtu), ATTR(port_no_buffer), ATTR(port_no_memory),
	ATTR(port_filtered), ATTR(port_reset), ATTR(port_pkey),
	NULL
};

static_assert(ARRAY_SIZE(drop_attrs) == FABSIM_DROP_MAX + 1);

static const struct attribute_group port_group = { .attrs = port_attrs };
static const struct attribute_group nic_group = { .attrs = nic_attrs };
static const struct attribute_group drop_group = { .name = "drops", .attrs = drop_attrs };

static const struct attribute_group ib_group = { .attrs = ib_attrs };
static const struct attribute_group ib_end_group = { .attrs = ib_end_attrs };
static const struct attribute_group credit_group = { .name = "credits", .attrs = credit_attrs };

static const struct attribute_group *port_groups[] = { &port_group, &drop_group, NULL };
static const struct attribute_group *host_port_groups[] = {
	&port_group, &nic_group, &drop_group, NULL
};

static const struct attribute_group *ib_port_groups[] = {
	&port_group, &ib_group, &credit_group, &drop_group, NULL
};

static const struct attribute_group *ib_host_port_groups[] = {
	&port_group, &ib_group, &ib_end_group, &credit_group, &drop_group, NULL
};

/* Links. */

static ssize_t show_link_a(const struct fab_kobject *dir, const struct fab_file *file,
			   char *out)
{
	return sysfs_emit(out, "%s\n", dir->link->wire[0].from->name);
}

static ssize_t show_link_b(const struct fab_kobject *dir, const struct fab_file *file,
			   char *out)
{
	return sysfs_emit(out, "%s\n", dir->link->wire[1].from->name);
}

TEXT(a, link);
TEXT(b, link);
MEMBER(id, link, struct fab_link, id);
MEMBER(up, link, struct fab_link, set.up);
MEMBER(rate_bps, link, struct fab_link, set.rate);
MEMBER(delay_ns, link, struct fab_link, set.delay);
MEMBER(mtu, link, struct fab_link, set.mtu);
MEMBER(ber, link, struct fab_link, set.ber);
MEMBER(loss_ppb, link, struct fab_link, set.loss);
MEMBER(drop_nth, link, struct fab_link, set.drop_nth);
MEMBER(corrupt_nth, link, struct fab_link, set.corrupt_nth);
MEMBER(stall, link, struct fab_link, set.stall);
MEMBER(fault_dir, link, struct fab_link, set.fault_dir);
MEMBER(seed, link, struct fab_link, set.seed);

static struct attribute *link_attrs[] = {
	ATTR(link_a), ATTR(link_b), ATTR(link_id), ATTR(link_up), ATTR(link_rate_bps),
	ATTR(link_delay_ns), ATTR(link_mtu), ATTR(link_ber), ATTR(link_loss_ppb),
	ATTR(link_drop_nth), ATTR(link_corrupt_nth), ATTR(link_stall), ATTR(link_fault_dir),
	ATTR(link_seed),
	NULL
};
ATTRIBUTE_GROUPS(link);

/* Paths: what the last measurement of a path has counted at a side. */

static ssize_t show_counter(const struct fab_kobject *dir, const struct fab_file *file,
			    char *out)
{
	u64 value;
	int err = fab_cost_counter(dir->path, dir->side, file->offset, &value);

	return err ?: sysfs_emit(out, "%llu\n", value);
}

#define COUNTER(_name, _attr)							\
	static const struct fab_file file_counter_##_name = {			\
		.attr = { .name = __stringify(_name), .mode = 0444 },		\
		.show = show_counter, .offset = FABSIM_A_COUNTER_##_attr }

COUNTER(syscalls, SYSCALLS);
COUNTER(copies_in, COPIES_IN);
COUNTER(copies_out, COPIES_OUT);
COUNTER(copied_in_bytes, COPIED_IN);
COUNTER(copied_out_bytes, COPIED_OUT);
COUNTER(copy_ns, COPY_NS);
COUNTER(stack_ns, STACK_NS);
COUNTER(softirq_ns, SOFTIRQ_NS);
COUNTER(interrupts, INTERRUPTS);
COUNTER(polls, POLLS);
COUNTER(wakeups, WAKEUPS);
COUNTER(context_switches, CONTEXT_SWITCHES);
COUNTER(page_faults, PAGE_FAULTS);
COUNTER(cpu_ns, CPU_NS);
COUNTER(user_ns, USER_NS);
COUNTER(missed, MISSED);

static struct attribute *counter_attrs[] = {
	ATTR(counter_syscalls), ATTR(counter_copies_in), ATTR(counter_copies_out),
	ATTR(counter_copied_in_bytes), ATTR(counter_copied_out_bytes), ATTR(counter_copy_ns),
	ATTR(counter_stack_ns), ATTR(counter_softirq_ns), ATTR(counter_interrupts),
	ATTR(counter_polls), ATTR(counter_wakeups), ATTR(counter_context_switches),
	ATTR(counter_page_faults), ATTR(counter_cpu_ns), ATTR(counter_user_ns),
	ATTR(counter_missed),
	NULL
};
ATTRIBUTE_GROUPS(counter);

static_assert(ARRAY_SIZE(counter_attrs) == FABSIM_A_COUNTER_MAX - FABSIM_A_COUNTER_PAD + 1);

TYPE(root);
TYPE(host);
TYPE(switch);
TYPE(ib_switch);
TYPE(port);
TYPE(host_port);
TYPE(ib_port);
TYPE(ib_host_port);
TYPE(link);
TYPE(counter);

static struct {
	struct fab_kobject *root;
	struct kobject *nodes;
	struct kobject *ports;
	struct kobject *links;
	struct kobject *paths;
	struct kobject *tcp;
	struct fab_kobject *sides[FABSIM_SIDE_MAX + 1];
	unsigned int n;		/* how many struct fab_kobject; control mutex */
} dirs;

static struct fab_kobject *new_dir(void)
{
	return kzalloc(sizeof(struct fab_kobject), GFP_KERNEL);
}

/* Publishes @dir, which must be complete; frees it if that fails. */
static int add_dir(struct fab_kobject *dir, const struct kobj_type *type,
		   struct kobject *parent, const char *name)
{
	int err;

	if (!dir)
		return -ENOMEM;
	err = kobject_init_and_add(&dir->kobj, type, parent, "%s", name);
	if (err)
		kobject_put(&dir->kobj);
	else
		dirs.n++;
	return err;
}

/* Returns when no reader is inside any more. */
static void del_dir(struct fab_kobject *dir)
{
	if (!dir)
		return;
	kobject_del(&dir->kobj);
	kobject_put(&dir->kobj);
	dirs.n--;
}

static const struct kobj_type *type_of(const struct fab_port *port)
{
	bool is_host = port->node->kind == FABSIM_NODE_HOST;

	if (port->ops->kind == FABSIM_PORT_KIND_IB)
		return is_host ? &ib_host_port_type : &ib_port_type;
	return is_host ? &host_port_type : &port_type;
}

static int add_port(struct fab_port *port)
{
	struct fab_kobject *dir = new_dir();
	int err;

	if (dir)
		dir->port = port;
	err = add_dir(dir, type_of(port), dirs.ports, port->name);
	if (!err)
		port->kobj = dir;
	return err;
}

static void del_ports(struct fab_node *node, unsigned int n)
{
	while (n--) {
		del_dir(node->ports[n].kobj);
		node->ports[n].kobj = NULL;
	}
}

static int add_ports(struct fab_node *node)
{
	unsigned int i;
	int err;

	for (i = 0; i < node->n_ports; i++) {
		err = add_port(&node->ports[i]);
		if (err) {
			del_ports(node, i);
			return err;
		}
	}
	return 0;
}

static bool is_shown(const struct fab_node *node)
{
	if (node->kind == FABSIM_NODE_HOST)
		return node->live;
	return dirs.n + 1 + node->n_ports <= MAX_DIRS;
}

/**
 * fab_sysfs_add_node() - show a node and its ports
 * @node: complete node; a ghost gets no directory, nor what is too much
 *
 * Context: process context, control mutex.
 * Return: 0 or an error.
 */
int fab_sysfs_add_node(struct fab_node *node)
{
	static const struct kobj_type *const types[] = {
		[FABSIM_NODE_HOST]	 = &host_type,
		[FABSIM_NODE_ETH_SWITCH] = &switch_type,
		[FABSIM_NODE_IB_SWITCH]	 = &ib_switch_type,
	};
	struct fab_kobject *dir;
	int err;

	if (!is_shown(node))
		return 0;
	dir = new_dir();
	if (dir)
		dir->node = node;
	err = add_dir(dir, types[node->kind], dirs.nodes, node->name);
	if (err)
		return err;
	err = add_ports(node);
	if (err)
		goto err_del_dir;
	node->kobj = dir;
	return 0;

err_del_dir:
	del_dir(dir);
	return err;
}

/**
 * fab_sysfs_del_node() - show a node and its ports no more
 * @node: node; nobody reads it through sysfs after this
 *
 * Context: process context, control mutex.
 */
void fab_sysfs_del_node(struct fab_node *node)
{
	del_ports(node, node->n_ports);
	del_dir(node->kobj);
	node->kobj = NULL;
}

/**
 * fab_sysfs_add_link() - show a link
 * @link: complete link; one too many gets no directory
 *
 * Context: process context, control mutex.
 * Return: 0 or an error.
 */
int fab_sysfs_add_link(struct fab_link *link)
{
	struct fab_kobject *dir;
	int err;

	if (dirs.n >= MAX_DIRS)
		return 0;
	dir = new_dir();
	if (dir)
		dir->link = link;
	err = add_dir(dir, &link_type, dirs.links, link->name);
	if (!err)
		link->kobj = dir;
	return err;
}

/**
 * fab_sysfs_del_link() - show a link no more
 * @link: link; nobody reads it through sysfs after this
 *
 * Context: process context, control mutex.
 */
void fab_sysfs_del_link(struct fab_link *link)
{
	del_dir(link->kobj);
	link->kobj = NULL;
}

static int add_root(void)
{
	struct fab_kobject *dir = new_dir();
	int err = add_dir(dir, &root_type, kernel_kobj, "fabsim");

	if (!err)
		dirs.root = dir;
	return err;
}

static int add_side(u32 side, const char *name)
{
	struct fab_kobject *dir = new_dir();
	int err;

	if (dir) {
		dir->path = FABSIM_PATH_TCP;
		dir->side = side;
	}
	err = add_dir(dir, &counter_type, dirs.tcp, name);
	if (!err)
		dirs.sides[side] = dir;
	return err;
}

static int add_plain(struct kobject **dir, const char *name, struct kobject *parent)
{
	*dir = kobject_create_and_add(name, parent);
	return *dir ? 0 : -ENOMEM;
}

/* Also of what init left half done. */
static void del_all(void)
{
	unsigned int side;

	for (side = 0; side < ARRAY_SIZE(dirs.sides); side++)
		del_dir(dirs.sides[side]);
	kobject_put(dirs.tcp);
	kobject_put(dirs.paths);
	kobject_put(dirs.links);
	kobject_put(dirs.ports);
	kobject_put(dirs.nodes);
	del_dir(dirs.root);
	memset(&dirs, 0, sizeof(dirs));
}

/**
 * fab_sysfs_init() - make /sys/kernel/fabsim
 *
 * Return: 0 or an error.
 */
int __init fab_sysfs_init(void)
{
	int err = add_root();

	if (!err)
		err = add_plain(&dirs.nodes, "nodes", &dirs.root->kobj);
	if (!err)
		err = add_plain(&dirs.ports, "ports", &dirs.root->kobj);
	if (!err)
		err = add_plain(&dirs.links, "links", &dirs.root->kobj);
	if (!err)
		err = add_plain(&dirs.paths, "paths", &dirs.root->kobj);
	if (!err)
		err = add_plain(&dirs.tcp, "tcp", dirs.paths);
	if (!err)
		err = add_side(FABSIM_SIDE_SENDER, "sender");
	if (!err)
		err = add_side(FABSIM_SIDE_RECEIVER, "receiver");
	if (err)
		del_all();
	return err;
}

/**
 * fab_sysfs_exit() - take it away; nodes and links are gone already
 */
void fab_sysfs_exit(void)
{
	del_all();
}
