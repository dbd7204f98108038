// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family "fabsim": one table of commands.
 *
 * A request passes four gates. The core asks for CAP_NET_ADMIN where the table
 * says so, and checks every attribute against the command's own policy, all of
 * them strictly: an attribute that a command does not take is refused, not
 * ignored. Then pre_doit takes the control mutex, so that there is one
 * controller at a time, and the handler checks what only the graph can tell.
 * A handler that refuses has changed nothing, and its extended ack says why.
 *
 * The family runs its operations in parallel, since genl's own mutex would
 * make every other family of this machine wait for our fabric. Dumps take the
 * control mutex for one message at a time and go on at the next id, which is
 * never reused; where nodes or links came or went in between, the messages
 * carry NLM_F_DUMP_INTR.
 *
 * What belongs to a socket (captures, a cost measurement) ends with it: the
 * notifier hears of sockets that are closed, also by a SIGKILL.
 */
#include <linux/module.h>
#include <linux/netlink.h>
#include "capture.h"
#include "compat.h"
#include "extack.h"
#include "fabric.h"
#include "netlink.h"
#include "notify.h"

/* What names are made of. */
#define GOOD_CHARS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."

static unsigned int generation = 1;	/* control mutex */

/* Refuses whatever attribute there is. */
static const struct nla_policy nothing[] = {
	[1] = { .type = NLA_REJECT },
};

static int lock_control(const struct fab_genl_op *op, struct sk_buff *skb,
			struct genl_info *info)
{
	return fab_control_lock_killable();
}

static void unlock_control(const struct fab_genl_op *op, struct sk_buff *skb,
			   struct genl_info *info)
{
	fab_control_unlock();
}

#define POLICY(name)							\
	.policy = fab_nl_##name##_policy,				\
	.maxattr = ARRAY_SIZE(fab_nl_##name##_policy) - 1

#define ADMIN	.flags = GENL_ADMIN_PERM

static const struct genl_ops ops[] = {
	{ .cmd = FABSIM_CMD_FABRIC_GET, .doit = fab_nl_fabric_get },
	{ .cmd = FABSIM_CMD_FABRIC_SET, .doit = fab_nl_fabric_set, POLICY(fabric_set), ADMIN },
	{ .cmd = FABSIM_CMD_FABRIC_DOWN, .doit = fab_nl_fabric_down, ADMIN },
	{ .cmd = FABSIM_CMD_FABRIC_RESET, .doit = fab_nl_fabric_reset, POLICY(fabric_reset),
	  ADMIN },
	{ .cmd = FABSIM_CMD_STEP, .doit = fab_nl_step, POLICY(step), ADMIN },
	{ .cmd = FABSIM_CMD_NODE_NEW, .doit = fab_nl_node_new, POLICY(node_new), ADMIN },
	{ .cmd = FABSIM_CMD_NODE_DEL, .doit = fab_nl_node_del, POLICY(node_id), ADMIN },
	{ .cmd = FABSIM_CMD_NODE_GET, .doit = fab_nl_node_get, .dumpit = fab_nl_node_dump,
	  POLICY(node_id) },
	{ .cmd = FABSIM_CMD_NODE_SET, .doit = fab_nl_node_set, POLICY(node_set), ADMIN },
	{ .cmd = FABSIM_CMD_PORT_GET, .doit = fab_nl_port_get, .dumpit = fab_nl_port_dump,
	  POLICY(port_get) },
	{ .cmd = FABSIM_CMD_LINK_NEW, .doit = fab_nl_link_new, POLICY(link_new), ADMIN },
	{ .cmd = FABSIM_CMD_LINK_DEL, .doit = fab_nl_link_del, POLICY(link_id), ADMIN },
	{ .cmd = FABSIM_CMD_LINK_GET, .doit = fab_nl_link_get, .dumpit = fab_nl_link_dump,
	  POLICY(link_id) },
	{ .cmd = FABSIM_CMD_LINK_SET, .doit = fab_nl_link_set, POLICY(link_set), ADMIN },
	{ .cmd = FABSIM_CMD_FDB_GET, .dumpit = fab_nl_fdb_dump, POLICY(fdb) },
	{ .cmd = FABSIM_CMD_FDB_FLUSH, .doit = fab_nl_fdb_flush, POLICY(fdb), ADMIN },
	{ .cmd = FABSIM_CMD_GEN_START, .doit = fab_nl_gen_start, POLICY(gen_start), ADMIN },
	{ .cmd = FABSIM_CMD_GEN_STOP, .doit = fab_nl_gen_stop, ADMIN },
	{ .cmd = FABSIM_CMD_GEN_GET, .doit = fab_nl_gen_get },
	{ .cmd = FABSIM_CMD_CAPTURE_START, .doit = fab_nl_capture_start, POLICY(capture_start),
	  ADMIN },
	{ .cmd = FABSIM_CMD_CAPTURE_STOP, .doit = fab_nl_capture_stop, ADMIN },
	{ .cmd = FABSIM_CMD_COST_START, .doit = fab_nl_cost_start, POLICY(cost_start), ADMIN },
	{ .cmd = FABSIM_CMD_COST_ATTACH, .doit = fab_nl_cost_attach, POLICY(cost_attach), ADMIN },
	{ .cmd = FABSIM_CMD_COST_STOP, .doit = fab_nl_cost_stop, ADMIN },
	{ .cmd = FABSIM_CMD_COST_GET, .doit = fab_nl_cost_get, POLICY(cost_get) },
	{ .cmd = FABSIM_CMD_SM_GET, .dumpit = fab_nl_sm_dump, POLICY(sm_get) },
	{ .cmd = FABSIM_CMD_SM_START, .doit = fab_nl_sm_start, POLICY(sm_set), ADMIN },
	{ .cmd = FABSIM_CMD_SM_SET, .doit = fab_nl_sm_set, POLICY(sm_set), ADMIN },
	{ .cmd = FABSIM_CMD_SM_STOP, .doit = fab_nl_sm_stop, POLICY(sm_stop), ADMIN },
	{ .cmd = FABSIM_CMD_LFT_GET, .dumpit = fab_nl_lft_dump, POLICY(lft) },
	{ .cmd = FABSIM_CMD_QP_GET, .dumpit = fab_nl_qp_dump, POLICY(qp) },
};

static const struct genl_multicast_group groups[] = {
	{ .name = FABSIM_MCGRP_EVENTS },	/* notify.c counts on its being the first */
};

struct genl_family fab_family __ro_after_init = {
	.name = FABSIM_GENL_NAME,
	.version = FABSIM_GENL_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.policy = nothing,
	.maxattr = ARRAY_SIZE(nothing) - 1,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
	.pre_doit = lock_control,
	.post_doit = unlock_control,
};

/**
 * fab_nl_read() - take what a request sets
 * @attrs: attributes of the request
 * @fields: which attribute goes where
 * @n: length of @fields
 * @to: structure that is written
 *
 * The policy has checked types and sizes.
 *
 * Return: the bits of the fields that were there.
 */
u32 fab_nl_read(struct nlattr **attrs, const struct fab_nl_field *fields, size_t n, void *to)
{
	u32 mask = 0;

	for (; n--; fields++) {
		if (!attrs[fields->attr])
			continue;
		nla_memcpy(to + fields->offset, attrs[fields->attr], fields->size);
		mask |= fields->bit;
	}
	return mask;
}

static int put_field(struct sk_buff *skb, const struct fab_nl_field *field, int pad,
		     const void *from)
{
	from += field->offset;
	switch (field->size) {
	case sizeof(u8):
		return nla_put_u8(skb, field->attr, READ_ONCE(*(const u8 *)from));
	case sizeof(u32):
		return nla_put_u32(skb, field->attr, READ_ONCE(*(const u32 *)from));
	default:
		return nla_put_u64_64bit(skb, field->attr, READ_ONCE(*(const u64 *)from), pad);
	}
}

/**
 * fab_nl_put_fields() - write members of a structure as attributes
 * @skb: message
 * @fields: which members
 * @n: length of @fields
 * @pad: attribute that aligns 64-bit ones
 * @from: structure
 *
 * Return: 0 or -EMSGSIZE.
 */
int fab_nl_put_fields(struct sk_buff *skb, const struct fab_nl_field *fields, size_t n,
		      int pad, const void *from)
{
	for (; n--; fields++)
		if (put_field(skb, fields, pad, from))
			return -EMSGSIZE;
	return 0;
}

/**
 * fab_nl_reply_begin() - get the memory for a reply, before anything is changed
 * @reply: reply
 * @info: request
 *
 * Return: 0 or -ENOMEM.
 */
int fab_nl_reply_begin(struct fab_nl_reply *reply, struct genl_info *info)
{
	reply->skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply->skb)
		return -ENOMEM;
	reply->hdr = genlmsg_put_reply(reply->skb, info, &fab_family, 0, info->genlhdr->cmd);
	return 0;
}

/**
 * fab_nl_reply_end() - write the reply and send it
 * @reply: reply, gone after this
 * @info: request
 * @fill: writes the attributes
 * @object: of this
 *
 * Return: 0 or an error.
 */
int fab_nl_reply_end(struct fab_nl_reply *reply, struct genl_info *info,
		     fab_nl_fill_fn fill, const void *object)
{
	int err = fill(reply->skb, object);

	WARN_ON_ONCE(err == -EMSGSIZE);
	if (err) {
		nlmsg_free(reply->skb);
		return err;
	}
	genlmsg_end(reply->skb, reply->hdr);
	return genlmsg_reply(reply->skb, info);
}

/**
 * fab_nl_reply_cancel() - there will be no reply
 * @reply: reply
 */
void fab_nl_reply_cancel(struct fab_nl_reply *reply)
{
	nlmsg_free(reply->skb);
}

/**
 * fab_nl_answer() - reply to a question
 * @info: request
 * @fill: writes the attributes
 * @object: of this
 *
 * Return: 0 or an error.
 */
int fab_nl_answer(struct genl_info *info, fab_nl_fill_fn fill, const void *object)
{
	struct fab_nl_reply reply;
	int err = fab_nl_reply_begin(&reply, info);

	return err ?: fab_nl_reply_end(&reply, info, fill, object);
}

/**
 * fab_nl_dump_one() - one more object of a dump
 * @skb: message that is being filled
 * @cb: the dump
 * @cmd: command of the object
 * @fill: writes the attributes
 * @object: of this
 *
 * Return: 0, or -EMSGSIZE if the message is full and the object must go into the next one.
 */
int fab_nl_dump_one(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		    fab_nl_fill_fn fill, const void *object)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				&fab_family, NLM_F_MULTI, cmd);

	if (!hdr)
		return -EMSGSIZE;
	if (fill(skb, object)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genl_dump_check_consistent(cb, hdr);
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * fab_nl_dump_begin() - tell netlink which topology this part of a dump is of
 * @cb: dump
 *
 * Context: control mutex.
 */
void fab_nl_dump_begin(struct netlink_callback *cb)
{
	fab_control_assert();
	cb->seq = generation;
}

/**
 * fab_nl_topology_changed() - nodes or links came or went
 *
 * Context: control mutex.
 */
void fab_nl_topology_changed(void)
{
	fab_control_assert();
	if (!++generation)
		generation = 1;
}

/**
 * fab_nl_need() - is a required attribute there?
 * @info: request
 * @attr: attribute
 * @what: its name, for the refusal
 *
 * Return: 0 or -EINVAL.
 */
int fab_nl_need(struct genl_info *info, int attr, const char *what)
{
	if (!GENL_REQ_ATTR_CHECK(info, attr))
		return 0;
	fab_err(info->extack, "%s is missing", what);
	return -EINVAL;
}

/**
 * fab_nl_check_name() - part of a policy: may an object be called so?
 * @attr: string that ends with NUL
 * @extack: says what is wrong with it
 *
 * Names become file names in sysfs and parts of commands.
 *
 * Return: 0 or -EINVAL.
 */
int fab_nl_check_name(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const char *name = nla_data(attr);
	size_t good = strspn(name, GOOD_CHARS);

	if (!*name) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "a name must not be empty");
		return -EINVAL;
	}
	if (name[good] || *name == '.' || *name == '-') {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a name is made of letters, digits, _ - and . and begins with none of the last two");
		return -EINVAL;
	}
	return 0;
}

static int socket_closed(struct notifier_block *block, unsigned long event, void *data)
{
	const struct netlink_notify *socket = data;

	if (event != NETLINK_URELEASE || socket->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	/* Sockets of other families close all the time and must not wait for our mutex. */
	if (!fab_capture_any() && !fab_nl_cost_any())
		return NOTIFY_DONE;
	fab_control_lock();
	fab_capture_end(socket->net, socket->portid);
	fab_nl_cost_end(socket->net, socket->portid);
	fab_control_unlock();
	return NOTIFY_OK;
}

static struct notifier_block socket_notifier = {
	.notifier_call = socket_closed,
};

/**
 * fab_netlink_init() - open the family; the last step of loading
 *
 * Return: 0 or an error.
 */
int __init fab_netlink_init(void)
{
	int err;

	err = netlink_register_notifier(&socket_notifier);
	if (err)
		return err;
	err = genl_register_family(&fab_family);
	if (err)
		goto err_unregister_notifier;
	fab_notify_open();
	return 0;

err_unregister_notifier:
	netlink_unregister_notifier(&socket_notifier);
	return err;
}

/**
 * fab_netlink_exit() - say BYE and close the family; the first step of unloading
 */
void fab_netlink_exit(void)
{
	fab_notify_close();
	genl_unregister_family(&fab_family);
	fab_capture_exit();
	netlink_unregister_notifier(&socket_notifier);
	fab_nl_fabric_exit();
}
