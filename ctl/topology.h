/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A topology: the plan of a fabric, before anything of it exists. Built from a
 * name (star, diamond, chain, ring, fat-tree:K) or a YAML file
 * (docs/topology.md), checked completely, then made real by lab.c.
 */
#ifndef FABCTL_TOPOLOGY_H
#define FABCTL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>

#include "../kmod/uapi/fabsim.h"

#define SWITCH_PORTS	32		/* the module's default, of an Ethernet switch */
#define TOPO_NO_U32	UINT32_MAX	/* setting not given: the module's default */
#define TOPO_NO_U64	UINT64_MAX

/* A key that may be left out. */
enum topo_choice { TOPO_UNSET, TOPO_OFF, TOPO_ON };

#define TOPO_SM_PRIORITY	1	/* of "sm: on" */

struct topo_node {
	char name[FABSIM_NODE_NAME_MAX + 1];
	enum fabsim_node_kind kind;
	bool live;			/* host with a net_device */
	bool netns_init;		/* its net_device stays in this namespace */
	bool no_ip;			/* the plan says: none */
	bool has_ip;
	enum topo_choice roce;		/* HCA on a live host's Ethernet port; unset: on */
	enum topo_choice ib;		/* InfiniBand port; unset: if a cable needs it */
	bool sm;			/* a subnet manager runs in this InfiniBand switch */
	uint32_t sm_priority;
	struct in_addr ip;
	uint8_t prefix;
	uint32_t ports;			/* of a switch; TOPO_NO_U32: default */
	uint32_t buffer, alpha, latency, ageing, cpu;	/* or TOPO_NO_U32 */
};

struct topo_link {
	uint32_t a, b;			/* indices of nodes */
	uint32_t a_port, b_port;	/* from 1; 0: first free */
	char name[FABSIM_LINK_NAME_MAX + 1];	/* "": default */
	uint64_t rate, delay, ber;	/* or TOPO_NO_U64; rate 0: max */
	uint32_t mtu, loss;		/* or TOPO_NO_U32 */
	bool down;
	bool ib;			/* topology_finish(): between InfiniBand ports */
};

struct topology {
	char name[64];			/* what "show" says: star, fat-tree:4, lab.yaml */
	struct topo_node *nodes;
	uint32_t nr_nodes;
	struct topo_link *links;
	uint32_t nr_links;
	uint64_t seed;			/* or TOPO_NO_U64 */
	uint32_t pace;			/* or TOPO_NO_U32 */
	bool no_ib;			/* topology_finish() leaves out what is InfiniBand's */
	struct topo_index *index;
};

/*
 * @spec: a built-in name or a path; NULL: star. @hosts: 0: the default number.
 * @no_ib: leave out what is InfiniBand's. NULL when it has already complained (exit
 * status FAB_USAGE).
 */
struct topology *topology_get(const char *spec, unsigned int hosts, bool no_ib);
void topology_free(struct topology *t);

/* Index of a node, or -1. */
int topology_find(const struct topology *t, const char *name);

/*
 * For those who build one. They name nodes and links as they like, then
 * topology_finish() gives every cable its ports and every live host its
 * address. Index of the new object, or -1 when the name is taken.
 */
struct topology *topology_new(const char *name);
int topology_add_node(struct topology *t, const char *name,
		      enum fabsim_node_kind kind);
struct topo_link *topology_add_link(struct topology *t, uint32_t a, uint32_t b);

/* What topology_finish() found wrong; @link: index, or @node. */
struct topo_problem {
	int link, node;
	char text[160];
};

int topology_finish(struct topology *t, struct topo_problem *p);

/* Number of ports a node has. */
uint32_t topology_ports(const struct topo_node *n);
/* NULL if @name is right for a node, else what is wrong with it. */
const char *topology_name_problem(const char *name);

/* Address number @n of the lab's layout: 10.0.0.n, 10.0.x.y beyond 250. */
void topology_address(uint32_t n, struct in_addr *ip);

/*
 * The settings in it, each as the arguments of "fabctl set": "port es1:3
 * rate=...". Stops when @fn fails. Host cpu= is left out: no reset changes it.
 */
int topology_each_setting(const struct topology *t,
			  int (*fn)(const char *line, void *arg), void *arg);

/* Reads a YAML file (topo_file.c). */
struct topology *topology_read(const char *path, bool no_ib);
/* What a kernel without InfiniBand cannot have. Was there any? */
bool topology_drop_rdma(struct topology *t);

#endif /* FABCTL_TOPOLOGY_H */
