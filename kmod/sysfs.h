/* SPDX-License-Identifier: GPL-2.0 */
/* /sys/kernel/fabsim (sysfs.c). Caller's context; show functions never take the control mutex. */
#ifndef FAB_SYSFS_H
#define FAB_SYSFS_H

struct fab_node;
struct fab_link;

int fab_sysfs_init(void);
void fab_sysfs_exit(void);
/* A node's directory and those of its ports; a ghost gets none. */
int fab_sysfs_add_node(struct fab_node *node);
/* Returns when no reader is inside any more. */
void fab_sysfs_del_node(struct fab_node *node);
int fab_sysfs_add_link(struct fab_link *link);
void fab_sysfs_del_link(struct fab_link *link);

#endif /* FAB_SYSFS_H */
