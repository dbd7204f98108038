// SPDX-License-Identifier: GPL-2.0
/* A capture on two ports, over a socket of its own; see tap.h. */
#include <stdlib.h>
#include <netlink/genl/genl.h>

#include "cmd.h"
#include "nl.h"
#include "tap.h"

struct tap {
	struct fab_nl *nl;
	uint32_t from_id, to_id;
	uint64_t lost;
	/* while reading */
	void (*fn)(const struct tap_packet *p, void *arg);
	void *arg;
};

static int on_packet(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[FABSIM_A_CAPTURE_MAX + 1];
	struct tap *t = arg;
	struct tap_packet p;
	uint32_t id;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, FABSIM_A_CAPTURE_MAX, NULL))
		return NL_SKIP;
	if (tb[FABSIM_A_CAPTURE_LOST])
		t->lost = nla_get_u64(tb[FABSIM_A_CAPTURE_LOST]);
	if (!tb[FABSIM_A_CAPTURE_PORT_ID] || !tb[FABSIM_A_CAPTURE_DIR] ||
	    !tb[FABSIM_A_CAPTURE_TIME] || !tb[FABSIM_A_CAPTURE_LEN] ||
	    !tb[FABSIM_A_CAPTURE_DATA])
		return NL_OK;
	id = nla_get_u32(tb[FABSIM_A_CAPTURE_PORT_ID]);
	if (id != t->from_id && id != t->to_id)
		return NL_OK;
	p = (struct tap_packet) {
		.far = id == t->to_id,
		.leaves = nla_get_u8(tb[FABSIM_A_CAPTURE_DIR]) == FABSIM_CAPTURE_TX,
		.time = nla_get_u64(tb[FABSIM_A_CAPTURE_TIME]),
		.len = nla_get_u32(tb[FABSIM_A_CAPTURE_LEN]),
		.caplen = nla_len(tb[FABSIM_A_CAPTURE_DATA]),
		.data = nla_data(tb[FABSIM_A_CAPTURE_DATA]),
	};
	t->fn(&p, t->arg);
	return NL_OK;
}

static int start(struct tap *t, const char *from, const char *to, uint32_t snaplen)
{
	struct fab_port_info port;
	struct nl_msg *msg;
	int err = fab_port_get(t->nl, from, &port);

	if (err)
		return err;
	t->from_id = port.id;
	err = fab_port_get(t->nl, to, &port);
	if (err)
		return err;
	t->to_id = port.id;
	msg = fab_nl_msg(t->nl, FABSIM_CMD_CAPTURE_START);
	nla_put_string(msg, FABSIM_A_CAPTURE_PORT, from);
	nla_put_string(msg, FABSIM_A_CAPTURE_PORT, to);
	nla_put_u32(msg, FABSIM_A_CAPTURE_SNAPLEN, snaplen);
	return fab_nl_do(t->nl, msg);
}

struct tap *tap_open(const char *from, const char *to, uint32_t snaplen)
{
	struct tap *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return NULL;
	/* A socket of its own: it gets every packet as a message. */
	t->nl = fab_nl_open();
	err = start(t, from, to, snaplen);
	if (!err)
		return t;
	fab_nl_fail(t->nl, err, "capture on %s and %s", from, to);
	tap_close(t);
	return NULL;
}

static int any_seq(struct nl_msg *msg, void *arg)
{
	return NL_OK;
}

void tap_read(struct tap *t, void (*fn)(const struct tap_packet *p, void *arg), void *arg)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	if (!cb)
		return;
	t->fn = fn;
	t->arg = arg;
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_seq, NULL);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_packet, t);
	nl_socket_set_nonblocking(t->nl->sock);
	while (nl_recvmsgs(t->nl->sock, cb) >= 0)
		;
	nl_cb_put(cb);
}

uint64_t tap_lost(const struct tap *t)
{
	return t->lost;
}

void tap_close(struct tap *t)
{
	if (!t)
		return;
	fab_nl_close(t->nl);	/* the capture ends with its socket */
	free(t);
}
