// SPDX-License-Identifier: GPL-2.0
/*
 * GEN_*: the generator's list of streams comes as nests, one a stream, in the
 * order in which frames of equal times are sent.
 */
#include "extack.h"
#include "fabric.h"
#include "gen.h"
#include "netlink.h"

/* Times are below this, so that a stream's length can be counted. */
#define SPAN_MAX	BIT_ULL(62)

static struct netlink_range_validation span_range = { .max = SPAN_MAX };
static struct netlink_range_validation count_range = { .min = 1, .max = U32_MAX };
static struct netlink_range_validation at_range = { .max = S64_MAX };

static const struct nla_policy stream_policy[FABSIM_A_STREAM_MAX + 1] = {
	[FABSIM_A_STREAM_PORT] = { .type = NLA_NUL_STRING, .len = FABSIM_PORT_NAME_MAX },
	[FABSIM_A_STREAM_DST] = NLA_POLICY_ETH_ADDR,
	[FABSIM_A_STREAM_START] = NLA_POLICY_FULL_RANGE(NLA_U64, &span_range),
	[FABSIM_A_STREAM_INTERVAL] = NLA_POLICY_FULL_RANGE(NLA_U64, &span_range),
	[FABSIM_A_STREAM_JITTER] = NLA_POLICY_FULL_RANGE(NLA_U64, &span_range),
	[FABSIM_A_STREAM_COUNT] = NLA_POLICY_FULL_RANGE(NLA_U32, &count_range),
	[FABSIM_A_STREAM_SIZE] = NLA_POLICY_RANGE(NLA_U32, ETH_ZLEN - ETH_HLEN, FABSIM_MTU_MAX),
	[FABSIM_A_STREAM_PRIO] = NLA_POLICY_MAX(NLA_U8, 7),
};

const struct nla_policy fab_nl_gen_start_policy[FABSIM_A_GEN_MAX + 1] = {
	[FABSIM_A_GEN_AT] = NLA_POLICY_FULL_RANGE(NLA_U64, &at_range),
	[FABSIM_A_GEN_SEED] = { .type = NLA_U64 },
	[FABSIM_A_GEN_STREAM] = NLA_POLICY_NESTED(stream_policy),
};

static const struct fab_nl_field stream_fields[] = {
	FAB_NL_FIELD(FABSIM_A_STREAM_START, struct fab_stream, start, 0),
	FAB_NL_FIELD(FABSIM_A_STREAM_INTERVAL, struct fab_stream, interval, 0),
	FAB_NL_FIELD(FABSIM_A_STREAM_JITTER, struct fab_stream, jitter, 0),
	FAB_NL_FIELD(FABSIM_A_STREAM_COUNT, struct fab_stream, count, 0),
	FAB_NL_FIELD(FABSIM_A_STREAM_SIZE, struct fab_stream, size, 0),
	FAB_NL_FIELD(FABSIM_A_STREAM_PRIO, struct fab_stream, prio, 0),
};

static const struct fab_nl_field state_fields[] = {
	FAB_NL_FIELD(FABSIM_A_GEN_RUNNING, struct fab_gen_state, running, 0),
	FAB_NL_FIELD(FABSIM_A_GEN_SENT, struct fab_gen_state, sent, 0),
	FAB_NL_FIELD(FABSIM_A_GEN_RECEIVED, struct fab_gen_state, received, 0),
	FAB_NL_FIELD(FABSIM_A_GEN_DROPPED, struct fab_gen_state, dropped, 0),
	FAB_NL_FIELD(FABSIM_A_GEN_FIRST, struct fab_gen_state, first, 0),
	FAB_NL_FIELD(FABSIM_A_GEN_LAST, struct fab_gen_state, last, 0),
};

static int find_port(struct nlattr *name, struct fab_stream *stream,
		     struct netlink_ext_ack *extack)
{
	stream->port = fab_port_find(nla_data(name));
	if (stream->port && fab_port_is_nic(stream->port))
		return 0;
	NL_SET_BAD_ATTR(extack, name);
	if (!stream->port)
		fab_err(extack, "there is no port \"%s\"", (char *)nla_data(name));
	else if (stream->port->node->kind == FABSIM_NODE_HOST)
		fab_err(extack, "port \"%s\" is InfiniBand's: the frames are Ethernet's",
			(char *)nla_data(name));
	else
		fab_err(extack, "port \"%s\" is a switch's: only hosts send",
			(char *)nla_data(name));
	return stream->port ? -EINVAL : -ENOENT;
}

static int read_stream(struct nlattr *nest, struct fab_stream *stream,
		       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[FABSIM_A_STREAM_MAX + 1];
	int err;

	err = nla_parse_nested(tb, FABSIM_A_STREAM_MAX, nest, stream_policy, extack);
	if (err)
		return err;
	if (!tb[FABSIM_A_STREAM_PORT] || !tb[FABSIM_A_STREAM_DST]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "a stream needs PORT and DST");
		return -EINVAL;
	}
	err = find_port(tb[FABSIM_A_STREAM_PORT], stream, extack);
	if (err)
		return err;
	nla_memcpy(stream->dst, tb[FABSIM_A_STREAM_DST], ETH_ALEN);
	stream->count = 1;
	stream->size = ETH_ZLEN - ETH_HLEN;
	fab_nl_read(tb, stream_fields, ARRAY_SIZE(stream_fields), stream);
	return 0;
}

static unsigned int count_streams(struct genl_info *info)
{
	struct nlattr *attr;
	unsigned int n = 0;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		n += nla_type(attr) == FABSIM_A_GEN_STREAM;
	return n;
}

static int read_streams(struct genl_info *info, struct fab_gen_run *run)
{
	struct nlattr *attr;
	unsigned int i = 0;
	int err, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != FABSIM_A_GEN_STREAM)
			continue;
		err = read_stream(attr, fab_gen_stream(run, i++), info->extack);
		if (err)
			return err;
	}
	return 0;
}

static int start(struct genl_info *info, struct fab_gen_run *run)
{
	struct nlattr *seed = info->attrs[FABSIM_A_GEN_SEED];
	struct nlattr *at = info->attrs[FABSIM_A_GEN_AT];
	u64 time = at ? nla_get_u64(at) : 0;

	return fab_gen_start(run, at ? &time : NULL, seed ? nla_get_u64(seed) : fab_fabric.seed,
			     info->extack);
}

/* GEN_START */
int fab_nl_gen_start(struct sk_buff *skb, struct genl_info *info)
{
	unsigned int n = count_streams(info);
	struct fab_gen_run *run;
	int err;

	if (!n)
		return fab_nl_need(info, FABSIM_A_GEN_STREAM, "a stream (STREAM)");
	if (n > FABSIM_STREAMS_MAX) {
		fab_err(info->extack, "%u streams: %u are the limit", n, FABSIM_STREAMS_MAX);
		return -E2BIG;
	}
	run = fab_gen_alloc(n);
	if (!run)
		return -ENOMEM;
	err = read_streams(info, run) ?: start(info, run);
	if (err)
		fab_gen_free(run);
	return err;
}

/* GEN_STOP */
int fab_nl_gen_stop(struct sk_buff *skb, struct genl_info *info)
{
	return fab_gen_stop(info->extack);
}

static int fill_gen(struct sk_buff *skb, const void *state)
{
	return fab_nl_put_fields(skb, state_fields, ARRAY_SIZE(state_fields),
				 FABSIM_A_GEN_PAD, state);
}

/* GEN_GET */
int fab_nl_gen_get(struct sk_buff *skb, struct genl_info *info)
{
	struct fab_gen_state state;

	fab_gen_read(&state);
	return fab_nl_answer(info, fill_gen, &state);
}
