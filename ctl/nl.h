/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The netlink side: one generic netlink socket, requests with an answer, and
 * readers that turn the module's messages into plain structs.
 *
 * Nothing here prints but for the functions that say so: fab_nl_open() and
 * fab_events_open(), which end fabctl, and fab_nl_fail() and fab_nl_change(),
 * which return an exit status.
 */
#ifndef FABCTL_NL_H
#define FABCTL_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netlink/netlink.h>
#include <netlink/msg.h>
#include <netlink/attr.h>

#include "compiler.h"

#include "../kmod/uapi/fabsim.h"

struct fab_nl {
	struct nl_sock *sock;
	int family;
	char ext[256];		/* extended ack text of the last failure */
	unsigned int ext_attr;	/* offset of the bad attribute, 0: unknown */
};

/* What to type where there is none. */
#define FAB_NO_LAB	"no lab is up: fabctl up"

/* Without a module it says what to type and ends fabctl with FAB_ENV. */
struct fab_nl *fab_nl_open(void);
/* The same, silent: NULL and errno (ENOENT: no module). */
struct fab_nl *fab_nl_try_open(void);
void fab_nl_close(struct fab_nl *nl);
int fab_nl_fd(const struct fab_nl *nl);
/* The biggest receive buffer this user may have. */
void fab_nl_big_buffer(int fd);

/* A new request; nla_put_*() fills it. Exits when there is no memory. */
struct nl_msg *fab_nl_msg(struct fab_nl *nl, enum fabsim_cmd cmd);

typedef int (*fab_nl_fn)(struct nlattr **tb, void *arg);

/* Send, wait for the ack. 0 or -errno; frees @msg in any case. */
int fab_nl_do(struct fab_nl *nl, struct nl_msg *msg);
/* The same where the module replies; @max: highest attribute of the reply. */
int fab_nl_ask(struct fab_nl *nl, struct nl_msg *msg, int max, fab_nl_fn fn,
	       void *arg);
/* A dump: @fn for every object. */
int fab_nl_dump(struct fab_nl *nl, struct nl_msg *msg, int max, fab_nl_fn fn,
		void *arg);

/*
 * The two halves of fab_nl_do(), for who reads the socket himself: frees @msg;
 * is @h the answer to @seq (0 or -errno in *err)?
 */
int fab_nl_send(struct fab_nl *nl, struct nl_msg *msg, int flags, uint32_t *seq);
bool fab_nl_is_answer(struct fab_nl *nl, struct nlmsghdr *h, uint32_t seq,
		      int *err);

/*
 * Prints "WHAT: reason", or that no lab is up if that is the reason. @err:
 * -errno. Returns FAB_USAGE or FAB_ENV.
 */
__printf(3, 4)
int fab_nl_fail(struct fab_nl *nl, int err, const char *fmt, ...);
/* fab_nl_do(), and fab_nl_fail() where that fails. Exit status. */
__printf(3, 4)
int fab_nl_change(struct fab_nl *nl, struct nl_msg *msg, const char *fmt, ...);

struct fab_fabric_info {
	char version[64];
	uint64_t time, lag;
	uint32_t pace;
	uint64_t seed;
	bool frozen;
	uint32_t state;			/* enum fabsim_fabric_state */
	char topology[64];
	uint32_t nodes, links;
	uint64_t events, packets, thread_ns;
	uint32_t builder;
	bool rdma;
};

struct fab_node_info {
	uint32_t id;
	char name[FABSIM_NODE_NAME_MAX + 1];
	uint32_t kind;			/* enum fabsim_node_kind */
	uint32_t ports;
	bool live, orphaned;
	uint32_t netns_ino, ifindex, cpu;
	char ifname[16];
	uint8_t mac[6];
	uint32_t buffer, alpha, latency, ageing;
	uint32_t fdb_entries, buffer_used, buffer_peak;
	uint64_t learned, flooded, forwarded, filtered;
	bool roce, ib, selective;	/* hosts */
	uint64_t guid;			/* InfiniBand switches, from here on */
	uint32_t lid;
	bool sm;
	uint64_t multicast, no_route, smps;
};

struct fab_port_info {
	uint32_t id;
	char name[FABSIM_PORT_NAME_MAX + 1];
	char node[FABSIM_NODE_NAME_MAX + 1];
	uint32_t index;
	uint32_t kind;			/* enum fabsim_port_kind */
	uint32_t state;			/* enum fabsim_port_state */
	char link[FABSIM_LINK_NAME_MAX + 1];
	char peer[FABSIM_PORT_NAME_MAX + 1];
	bool has_mac;
	uint8_t mac[6];
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;
	uint64_t interrupts, polls, tx_stops, tx_cuts;
	uint32_t queue_bytes, queue_peak;
	uint64_t drops[FABSIM_DROP_MAX + 1];
	uint64_t drops_total;		/* without FILTERED */
	uint32_t ib_state;		/* enum fabsim_ib_state; 0: not InfiniBand */
	uint64_t guid;
	uint32_t lid, lmc, sm_lid;	/* hosts */
	uint16_t pkeys[32];
	uint32_t nr_pkeys;
	uint32_t credits[FABSIM_A_VL_MAX], lanes;
	uint64_t stalls, wait;
};

struct fab_sm_info {
	char node[FABSIM_NODE_NAME_MAX + 1];
	bool running, up;
	uint32_t state;			/* enum fabsim_sm_state */
	char phase[32];
	uint64_t guid, master;
	uint32_t lid, switches, ends, lids, groups;
	uint32_t priority, lmc, routing, sweep, poll;
	uint64_t sweeps, light_sweeps, sweep_ns, sweep_smps, swept, traps;
	uint64_t smps_sent, smps_received, timeouts, sa_requests, sa_refused, takeovers;
};

struct fab_lft_info {
	char node[FABSIM_NODE_NAME_MAX + 1];
	uint32_t lid, index;
	char port[FABSIM_PORT_NAME_MAX + 1];
};

struct fab_qp_info {
	char node[FABSIM_NODE_NAME_MAX + 1];
	char hca[64];
	uint32_t qpn;
	uint32_t type, state;		/* enum fabsim_qp_type, enum fabsim_qp_state */
	bool user, selective;
	bool has_dest, has_gid;
	uint32_t dest_qpn, dest_lid;
	uint8_t dest_gid[16];
	uint32_t mtu, sq_psn, una_psn, rq_psn, sends, retries;
	uint64_t tx_packets, rx_packets, retransmitted;
};

struct fab_link_info {
	uint32_t id;
	char name[FABSIM_LINK_NAME_MAX + 1];
	char a_node[FABSIM_NODE_NAME_MAX + 1], b_node[FABSIM_NODE_NAME_MAX + 1];
	uint32_t a_port, b_port;
	bool up;
	uint64_t rate, delay, ber, drop_nth, corrupt_nth, seed;
	uint32_t mtu, loss;
	uint8_t stall, fault_dir;
};

struct fab_fdb_info {
	char node[FABSIM_NODE_NAME_MAX + 1];
	uint8_t mac[6];
	char port[FABSIM_PORT_NAME_MAX + 1];
	uint64_t age;
};

struct fab_gen_info {
	bool running;
	uint64_t sent, received, dropped, first, last;
};

struct fab_event_info {
	uint32_t type;			/* enum fabsim_event */
	uint64_t time, packet;
	char name[FABSIM_LINK_NAME_MAX + 1];
	char peer[FABSIM_LINK_NAME_MAX + 1];
	bool has_mac;
	uint8_t mac[6];
	uint32_t reason, len;
};

int fab_fabric_get(struct fab_nl *nl, struct fab_fabric_info *info);
int fab_node_get(struct fab_nl *nl, const char *name, struct fab_node_info *i);
int fab_port_get(struct fab_nl *nl, const char *name, struct fab_port_info *i);
int fab_link_get(struct fab_nl *nl, const char *name, struct fab_link_info *i);
int fab_gen_get(struct fab_nl *nl, struct fab_gen_info *info);

/* Dumps; the caller frees *list. 0 or -errno. */
int fab_node_list(struct fab_nl *nl, struct fab_node_info **list, size_t *n);
int fab_port_list(struct fab_nl *nl, const char *node,
		  struct fab_port_info **list, size_t *n);
int fab_link_list(struct fab_nl *nl, struct fab_link_info **list, size_t *n);
int fab_fdb_list(struct fab_nl *nl, const char *node,
		 struct fab_fdb_info **list, size_t *n);

/* @sw, @host: NULL: all. */
int fab_sm_list(struct fab_nl *nl, const char *sw, struct fab_sm_info **list, size_t *n);
int fab_lft_list(struct fab_nl *nl, const char *sw, struct fab_lft_info **list, size_t *n);
int fab_qp_list(struct fab_nl *nl, const char *host, struct fab_qp_info **list, size_t *n);

/*
 * Events come over a socket of their own; who cannot have one is told, and
 * fabctl ends. fab_events_next() waits @timeout_ms (-1: for ever): 1 an event,
 * 0 none, -ENOBUFS some were lost, other -errno.
 */
struct fab_events;
struct fab_events *fab_events_open(struct fab_nl *nl);
void fab_events_close(struct fab_events *ev);
int fab_events_fd(const struct fab_events *ev);
int fab_events_next(struct fab_events *ev, struct fab_event_info *info,
		    int timeout_ms);

/* Names of enum values, as they stand in text and JSON. */
const char *fab_node_kind_name(uint32_t kind);
const char *fab_port_state_name(uint32_t state);
const char *fab_ib_state_name(uint32_t state);
const char *fab_sm_state_name(uint32_t state);
const char *fab_routing_name(uint32_t routing);
const char *fab_qp_type_name(uint32_t type);
const char *fab_qp_state_name(uint32_t state);
const char *fab_fabric_state_name(uint32_t state);
const char *fab_drop_name(uint32_t reason);
const char *fab_event_name(uint32_t type);
const char *fab_fault_dir_name(uint32_t dir);
const char *fab_stall_name(uint32_t stall);

#endif /* FABCTL_NL_H */
