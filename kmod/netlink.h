/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family. Its commands are in files of their own, one an object. */
#ifndef FAB_NETLINK_H
#define FAB_NETLINK_H

#include <linux/stddef.h>
#include <net/genetlink.h>
#include "uapi/fabsim.h"

extern struct genl_family fab_family;

int fab_netlink_init(void);
/* Says BYE and takes the family away: after it nobody asks for anything any more. */
void fab_netlink_exit(void);

/**
 * struct fab_nl_field - a member of a structure that is an attribute
 * @attr: attribute
 * @offset: of the member in the structure
 * @size: of the member and of the attribute: 1, 4 or 8
 * @bit: in the mask that says which members a request sets, or 0
 *
 * Tables of these read requests and write replies.
 */
struct fab_nl_field {
	u16 attr;
	u16 offset;
	u8 size;
	u32 bit;
};

#define FAB_NL_FIELD(_attr, _struct, _member, _bit) {			\
	.attr = _attr, .offset = offsetof(_struct, _member),		\
	.size = sizeof_field(_struct, _member), .bit = _bit }

u32 fab_nl_read(struct nlattr **attrs, const struct fab_nl_field *fields, size_t n, void *to);
int fab_nl_put_fields(struct sk_buff *skb, const struct fab_nl_field *fields, size_t n,
		      int pad, const void *from);

/* Writes the attributes of an object into a message; -EMSGSIZE if they do not fit. */
typedef int (*fab_nl_fill_fn)(struct sk_buff *skb, const void *object);

/**
 * struct fab_nl_reply - a reply that is being written
 * @skb: the message
 * @hdr: where its attributes begin
 */
struct fab_nl_reply {
	struct sk_buff *skb;
	void *hdr;
};

int fab_nl_reply_begin(struct fab_nl_reply *reply, struct genl_info *info);
int fab_nl_reply_end(struct fab_nl_reply *reply, struct genl_info *info,
		     fab_nl_fill_fn fill, const void *object);
void fab_nl_reply_cancel(struct fab_nl_reply *reply);
int fab_nl_answer(struct genl_info *info, fab_nl_fill_fn fill, const void *object);
int fab_nl_dump_one(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		    fab_nl_fill_fn fill, const void *object);

int fab_nl_need(struct genl_info *info, int attr, const char *what);
int fab_nl_check_name(const struct nlattr *attr, struct netlink_ext_ack *extack);

/* Which topology a dump was taken of; moved on whenever a node or link comes or goes. */
void fab_nl_topology_changed(void);
void fab_nl_dump_begin(struct netlink_callback *cb);

/* Policies: what a command takes. A command without one takes nothing. */
#define FAB_NL_POLICY(name, max) extern const struct nla_policy fab_nl_##name##_policy[(max) + 1]

FAB_NL_POLICY(fabric_set, FABSIM_A_FABRIC_MAX);
FAB_NL_POLICY(fabric_reset, FABSIM_A_FABRIC_MAX);
FAB_NL_POLICY(step, FABSIM_A_FABRIC_MAX);
FAB_NL_POLICY(node_new, FABSIM_A_NODE_MAX);
FAB_NL_POLICY(node_id, FABSIM_A_NODE_MAX);
FAB_NL_POLICY(node_set, FABSIM_A_NODE_MAX);
FAB_NL_POLICY(port_get, FABSIM_A_PORT_MAX);
FAB_NL_POLICY(link_new, FABSIM_A_LINK_MAX);
FAB_NL_POLICY(link_id, FABSIM_A_LINK_MAX);
FAB_NL_POLICY(link_set, FABSIM_A_LINK_MAX);
FAB_NL_POLICY(fdb, FABSIM_A_FDB_MAX);
FAB_NL_POLICY(gen_start, FABSIM_A_GEN_MAX);
FAB_NL_POLICY(capture_start, FABSIM_A_CAPTURE_MAX);
FAB_NL_POLICY(sm_get, FABSIM_A_SM_MAX);
FAB_NL_POLICY(sm_set, FABSIM_A_SM_MAX);
FAB_NL_POLICY(sm_stop, FABSIM_A_SM_MAX);
FAB_NL_POLICY(lft, FABSIM_A_LFT_MAX);
FAB_NL_POLICY(qp, FABSIM_A_QP_MAX);
FAB_NL_POLICY(cost_start, FABSIM_A_COST_MAX);
FAB_NL_POLICY(cost_attach, FABSIM_A_COST_MAX);
FAB_NL_POLICY(cost_get, FABSIM_A_COST_MAX);

/* Handlers; the control mutex is held. */
int fab_nl_fabric_get(struct sk_buff *skb, struct genl_info *info);
int fab_nl_fabric_set(struct sk_buff *skb, struct genl_info *info);
int fab_nl_fabric_down(struct sk_buff *skb, struct genl_info *info);
int fab_nl_fabric_reset(struct sk_buff *skb, struct genl_info *info);
int fab_nl_step(struct sk_buff *skb, struct genl_info *info);
int fab_nl_node_new(struct sk_buff *skb, struct genl_info *info);
int fab_nl_node_del(struct sk_buff *skb, struct genl_info *info);
int fab_nl_node_get(struct sk_buff *skb, struct genl_info *info);
int fab_nl_node_set(struct sk_buff *skb, struct genl_info *info);
int fab_nl_port_get(struct sk_buff *skb, struct genl_info *info);
int fab_nl_link_new(struct sk_buff *skb, struct genl_info *info);
int fab_nl_link_del(struct sk_buff *skb, struct genl_info *info);
int fab_nl_link_get(struct sk_buff *skb, struct genl_info *info);
int fab_nl_link_set(struct sk_buff *skb, struct genl_info *info);
int fab_nl_fdb_flush(struct sk_buff *skb, struct genl_info *info);
int fab_nl_gen_start(struct sk_buff *skb, struct genl_info *info);
int fab_nl_gen_stop(struct sk_buff *skb, struct genl_info *info);
int fab_nl_gen_get(struct sk_buff *skb, struct genl_info *info);
int fab_nl_capture_start(struct sk_buff *skb, struct genl_info *info);
int fab_nl_capture_stop(struct sk_buff *skb, struct genl_info *info);
int fab_nl_cost_start(struct sk_buff *skb, struct genl_info *info);
int fab_nl_cost_attach(struct sk_buff *skb, struct genl_info *info);
int fab_nl_cost_stop(struct sk_buff *skb, struct genl_info *info);
int fab_nl_cost_get(struct sk_buff *skb, struct genl_info *info);
int fab_nl_sm_start(struct sk_buff *skb, struct genl_info *info);
int fab_nl_sm_set(struct sk_buff *skb, struct genl_info *info);
int fab_nl_sm_stop(struct sk_buff *skb, struct genl_info *info);

/* Dumps take the control mutex themselves. */
int fab_nl_node_dump(struct sk_buff *skb, struct netlink_callback *cb);
int fab_nl_port_dump(struct sk_buff *skb, struct netlink_callback *cb);
int fab_nl_link_dump(struct sk_buff *skb, struct netlink_callback *cb);
int fab_nl_fdb_dump(struct sk_buff *skb, struct netlink_callback *cb);
int fab_nl_sm_dump(struct sk_buff *skb, struct netlink_callback *cb);
int fab_nl_lft_dump(struct sk_buff *skb, struct netlink_callback *cb);
int fab_nl_qp_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* What netlink_fabric.c and netlink_cost.c keep between requests. */
void fab_nl_fabric_exit(void);
bool fab_nl_cost_any(void);
void fab_nl_cost_end(const struct net *net, u32 portid);

#endif /* FAB_NETLINK_H */
