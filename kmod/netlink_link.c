// SPDX-License-Identifier: GPL-2.0
/*
 * LINK_*: cables, and what goes wrong on them.
 *
 * One table says which attribute is which setting; it reads LINK_NEW and
 * LINK_SET and writes LINK_GET.
 */
#include "compat.h"
#include "extack.h"
#include "fabric.h"
#include "netlink.h"

static struct netlink_range_validation rate_range = { .max = FABSIM_RATE_MAX };
static struct netlink_range_validation delay_range = { .max = FABSIM_DELAY_MAX };
static struct netlink_range_validation ber_range = { .max = FABSIM_BER_ONE };
static struct netlink_range_validation loss_range = { .max = FABSIM_PPB };
static struct netlink_range_validation port_range = { .max = FABSIM_PORTS_MAX };

#define SETTINGS_POLICY								\
	[FABSIM_A_LINK_UP] = NLA_POLICY_MAX(NLA_U8, 1),				\
	[FABSIM_A_LINK_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &rate_range),	\
	[FABSIM_A_LINK_DELAY] = NLA_POLICY_FULL_RANGE(NLA_U64, &delay_range),	\
	[FABSIM_A_LINK_MTU] = NLA_POLICY_RANGE(NLA_U32, FABSIM_MTU_MIN, FABSIM_MTU_MAX), \
	[FABSIM_A_LINK_BER] = NLA_POLICY_FULL_RANGE(NLA_U64, &ber_range),	\
	[FABSIM_A_LINK_LOSS] = NLA_POLICY_FULL_RANGE(NLA_U32, &loss_range),	\
	[FABSIM_A_LINK_DROP_NTH] = { .type = NLA_U64 },				\
	[FABSIM_A_LINK_CORRUPT_NTH] = { .type = NLA_U64 },			\
	[FABSIM_A_LINK_STALL] = NLA_POLICY_MASK(NLA_U8, FABSIM_STALL_A | FABSIM_STALL_B), \
	[FABSIM_A_LINK_FAULT_DIR] = NLA_POLICY_MAX(NLA_U8, FABSIM_FAULT_B_TO_A), \
	[FABSIM_A_LINK_SEED] = { .type = NLA_U64 }

#define ID_POLICY								\
	[FABSIM_A_LINK_ID] = { .type = NLA_U32 },				\
	[FABSIM_A_LINK_NAME] = { .type = NLA_NUL_STRING, .len = FABSIM_LINK_NAME_MAX }

const struct nla_policy fab_nl_link_new_policy[FABSIM_A_LINK_MAX + 1] = {
	[FABSIM_A_LINK_NAME] = NLA_POLICY_VALIDATE_FN(NLA_NUL_STRING, fab_nl_check_name,
						      FABSIM_LINK_NAME_MAX),
	[FABSIM_A_LINK_A_NODE] = { .type = NLA_NUL_STRING, .len = FABSIM_NODE_NAME_MAX },
	[FABSIM_A_LINK_B_NODE] = { .type = NLA_NUL_STRING, .len = FABSIM_NODE_NAME_MAX },
	[FABSIM_A_LINK_A_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_range),
	[FABSIM_A_LINK_B_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_range),
	SETTINGS_POLICY,
};

const struct nla_policy fab_nl_link_id_policy[FABSIM_A_LINK_MAX + 1] = {
	ID_POLICY,
};

const struct nla_policy fab_nl_link_set_policy[FABSIM_A_LINK_MAX + 1] = {
	ID_POLICY,
	SETTINGS_POLICY,
};

#define SETTING(_name, _member)	\
	FAB_NL_FIELD(FABSIM_A_LINK_##_name, struct fab_link_settings, _member, FAB_LINK_##_name)

static const struct fab_nl_field settings[] = {
	SETTING(UP, up),
	SETTING(RATE, rate),
	SETTING(DELAY, delay),
	SETTING(MTU, mtu),
	SETTING(BER, ber),
	SETTING(LOSS, loss),
	SETTING(DROP_NTH, drop_nth),
	SETTING(CORRUPT_NTH, corrupt_nth),
	SETTING(STALL, stall),
	SETTING(FAULT_DIR, fault_dir),
	SETTING(SEED, seed),
};

/* Each end's attributes, by end. */
static const struct {
	u16 node;
	u16 port;
	const char *what;
} ends[2] = {
	{ FABSIM_A_LINK_A_NODE, FABSIM_A_LINK_A_PORT, "the node at end a (A_NODE)" },
	{ FABSIM_A_LINK_B_NODE, FABSIM_A_LINK_B_PORT, "the node at end b (B_NODE)" },
};

static int fill_link(struct sk_buff *skb, const void *object)
{
	const struct fab_link *link = object;
	int i;

	if (nla_put_u32(skb, FABSIM_A_LINK_ID, link->id) ||
	    nla_put_string(skb, FABSIM_A_LINK_NAME, link->name))
		return -EMSGSIZE;
	for (i = 0; i < 2; i++)
		if (nla_put_string(skb, ends[i].node, link->wire[i].from->node->name) ||
		    nla_put_u32(skb, ends[i].port, link->wire[i].from->index))
			return -EMSGSIZE;
	return fab_nl_put_fields(skb, settings, ARRAY_SIZE(settings),
				 FABSIM_A_LINK_PAD, &link->set);
}

/* The link that a request names, by number, name, or both. */
static struct fab_link *find_link(struct genl_info *info)
{
	struct nlattr *name = info->attrs[FABSIM_A_LINK_NAME];
	struct nlattr *id = info->attrs[FABSIM_A_LINK_ID];
	struct fab_link *link;

	if (!id && fab_nl_need(info, FABSIM_A_LINK_NAME, "the link's name or number"))
		return ERR_PTR(-EINVAL);
	link = id ? fab_link_by_id(nla_get_u32(id)) : fab_link_find(nla_data(name));
	if (!link || (name && nla_strcmp(name, link->name))) {
		NL_SET_BAD_ATTR(info->extack, name ?: id);
		if (name)
			fab_err(info->extack, "there is no link \"%s\"", (char *)nla_data(name));
		else
			fab_err(info->extack, "there is no link with number %u", nla_get_u32(id));
		return ERR_PTR(-ENOENT);
	}
	return link;
}

static int read_end(struct genl_info *info, int i, struct fab_link_params *params)
{
	struct nlattr *node = info->attrs[ends[i].node];
	struct nlattr *port = info->attrs[ends[i].port];

	if (fab_nl_need(info, ends[i].node, ends[i].what))
		return -EINVAL;
	nla_strscpy(params->end[i].node, node, sizeof(params->end[i].node));
	if (port)
		params->end[i].port = nla_get_u32(port);
	return 0;
}

/* LINK_NEW */
int fab_nl_link_new(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *name = info->attrs[FABSIM_A_LINK_NAME];
	struct fab_link_params params = {};
	struct fab_nl_reply reply;
	struct fab_link *link;
	int err;

	err = read_end(info, 0, &params) ?: read_end(info, 1, &params);
	if (err)
		return err;
	if (name)
		nla_strscpy(params.name, name, sizeof(params.name));
	params.mask = fab_nl_read(info->attrs, settings, ARRAY_SIZE(settings), &params.set);
	err = fab_nl_reply_begin(&reply, info);
	if (err)
		return err;
	link = fab_link_create(&params, info->extack);
	if (IS_ERR(link)) {
		fab_nl_reply_cancel(&reply);
		return PTR_ERR(link);
	}
	fab_nl_topology_changed();
	return fab_nl_reply_end(&reply, info, fill_link, link);
}

/* LINK_DEL */
int fab_nl_link_del(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_link *link = find_link(info);

	if (IS_ERR(link))
		return PTR_ERR(link);
	fab_link_destroy(link);
	fab_nl_topology_changed();
	return 0;
}

/* LINK_GET */
int fab_nl_link_get(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_link *link = find_link(info);

	return IS_ERR(link) ? PTR_ERR(link) : fab_nl_answer(info, fill_link, link);
}

/* LINK_GET of all */
int fab_nl_link_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = fab_dump_attrs(cb);
	struct fab_link *link;
	u32 id = cb->args[0];

	if (attrs[FABSIM_A_LINK_NAME] || attrs[FABSIM_A_LINK_ID]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "a dump is of every link: ask for one without it");
		return -EINVAL;
	}
	fab_control_lock();
	fab_nl_dump_begin(cb);
	for (; (link = fab_link_next(&id)); id++)
		if (fab_nl_dump_one(skb, cb, FABSIM_CMD_LINK_GET, fill_link, link))
			break;
	fab_control_unlock();
	cb->args[0] = id;
	return skb->len;
}

/* LINK_SET */
int fab_nl_link_set(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_link *link = find_link(info);
	struct fab_link_settings set = {};
	u32 mask = fab_nl_read(info->attrs, settings, ARRAY_SIZE(settings), &set);

	if (IS_ERR(link))
		return PTR_ERR(link);
	if (!mask) {
		NL_SET_ERR_MSG_MOD(info->extack, "no setting is given");
		return -EINVAL;
	}
	return fab_link_set(link, &set, mask, info->extack);
}
