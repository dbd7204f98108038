/* SPDX-License-Identifier: GPL-2.0 */
/* Hosts, as nodes: hosts.c has the model. Caller's side, control mutex. */
#ifndef FAB_HOSTS_H
#define FAB_HOSTS_H

struct fab_node;
struct fab_node_params;
struct netlink_ext_ack;

struct fab_node *fab_host_create(const struct fab_node_params *params,
				 struct netlink_ext_ack *extack);
/* Every live host's devices at once, before the hosts are destroyed. */
void fab_hosts_unregister_all(void);

#endif /* FAB_HOSTS_H */
