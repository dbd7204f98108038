// SPDX-License-Identifier: GPL-2.0
/*
 * One generic netlink socket and the conversations over it.
 *
 * libnl knows nothing of extended acks, so its error and finish callbacks are
 * ours: they find the text behind the error number. Messages that answer
 * another request (packets of a capture on the same socket) are passed over.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "cmd.h"
#include "nl.h"

#define RCVBUF		(8 << 20)	/* dumps and events of big fabrics */
#define RCVBUF_SMALL	(200 << 10)	/* what a user without rights may have */

struct talk {
	struct fab_nl *nl;
	uint32_t seq;
	int max;
	fab_nl_fn fn;
	void *arg;
	int err;
	bool done;
};

void fab_nl_big_buffer(int fd)
{
	int size = RCVBUF, small = RCVBUF_SMALL;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
}

struct fab_nl *fab_nl_try_open(void)
{
	struct fab_nl *nl = calloc(1, sizeof(*nl));
	int one = 1, err = ENOMEM;

	if (!nl)
		goto err_errno;
	nl->sock = nl_socket_alloc();
	if (!nl->sock)
		goto err_free;
	err = EIO;
	if (genl_connect(nl->sock))
		goto err_sock;
	err = ENOENT;
	nl->family = genl_ctrl_resolve(nl->sock, FABSIM_GENL_NAME);
	if (nl->family < 0)
		goto err_sock;
	setsockopt(fab_nl_fd(nl), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fab_nl_fd(nl), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	fab_nl_big_buffer(fab_nl_fd(nl));
	nl_socket_set_msg_buf_size(nl->sock, 128 << 10);
	return nl;

err_sock:
	nl_socket_free(nl->sock);
err_free:
	free(nl);
err_errno:
	errno = err;
	return NULL;
}

struct fab_nl *fab_nl_open(void)
{
	struct fab_nl *nl = fab_nl_try_open();

	if (nl)
		return nl;
	if (errno == ENOENT)
		fab_err("the fabsim module is not loaded: modprobe fabsim");
	else
		fab_err("cannot open a netlink socket: %s", strerror(errno));
	exit(FAB_ENV);
}

void fab_nl_close(struct fab_nl *nl)
{
	if (!nl)
		return;
	nl_socket_free(nl->sock);
	free(nl);
}

int fab_nl_fd(const struct fab_nl *nl)
{
	return nl_socket_get_fd(nl->sock);
}

struct nl_msg *fab_nl_msg(struct fab_nl *nl, enum fabsim_cmd cmd)
{
	/* One page by default; a list of streams needs more. */
	struct nl_msg *msg = cmd == FABSIM_CMD_GEN_START ?
				     nlmsg_alloc_size(256 << 10) : nlmsg_alloc();

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0,
				 NLM_F_REQUEST, cmd, FABSIM_GENL_VERSION)) {
		fab_err("out of memory");
		exit(FAB_ENV);
	}
	return msg;
}

/* The text begins with the module's name, which tells the user nothing. */
static void read_text(struct fab_nl *nl, struct nlattr *a)
{
	static const char prefix[] = "fabsim: ";
	const char *text = nla_data(a);
	int len = nla_len(a), skip = sizeof(prefix) - 1;

	if (len > skip && !memcmp(text, prefix, skip)) {
		text += skip;
		len -= skip;
	}
	snprintf(nl->ext, sizeof(nl->ext), "%.*s", len, text);
}

/* The attributes of an extended ack begin at @p. */
static void read_ext(struct fab_nl *nl, void *p, int len)
{
	struct nlattr *a, *head = p;
	int rem;

	nla_for_each_attr(a, head, len, rem) {
		if (nla_type(a) == NLMSGERR_ATTR_MSG)
			read_text(nl, a);
		else if (nla_type(a) == NLMSGERR_ATTR_OFFS && nla_len(a) >= 4)
			nl->ext_attr = nla_get_u32(a);
	}
}

bool fab_nl_is_answer(struct fab_nl *nl, struct nlmsghdr *h, uint32_t seq,
		      int *err)
{
	size_t used = NLMSG_HDRLEN + sizeof(struct nlmsgerr);
	struct nlmsgerr *e = nlmsg_data(h);

	if (h->nlmsg_type != NLMSG_ERROR || h->nlmsg_seq != seq ||
	    h->nlmsg_len < used)
		return false;
	*err = e->error;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		used += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	if ((h->nlmsg_flags & NLM_F_ACK_TLVS) && h->nlmsg_len > used)
		read_ext(nl, (char *)h + used, h->nlmsg_len - used);
	return true;
}

static int on_error(struct sockaddr_nl *who, struct nlmsgerr *e, void *arg)
{
	struct nlmsghdr *h = (void *)((char *)e - NLMSG_HDRLEN);
	struct talk *t = arg;

	if (!fab_nl_is_answer(t->nl, h, t->seq, &t->err))
		return NL_SKIP;
	t->done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;

	if (nlmsg_hdr(msg)->nlmsg_seq != t->seq)
		return NL_SKIP;
	t->done = true;
	return NL_STOP;
}

/* End of a dump: the error is in the message, its text behind it. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	int len = nlmsg_datalen(h);
	struct talk *t = arg;

	if (h->nlmsg_seq != t->seq)
		return NL_SKIP;
	if (len >= (int)sizeof(int))
		memcpy(&t->err, nlmsg_data(h), sizeof(int));
	if (t->err > 0)
		t->err = 0;
	if ((h->nlmsg_flags & NLM_F_ACK_TLVS) && len > (int)sizeof(int))
		read_ext(t->nl, (char *)nlmsg_data(h) + sizeof(int),
			 len - sizeof(int));
	t->done = true;
	return NL_STOP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	struct talk *t = arg;
	struct nlattr **tb;
	int err;

	if (h->nlmsg_seq != t->seq || !t->fn)
		return NL_SKIP;
	tb = calloc(t->max + 1, sizeof(*tb));
	if (!tb) {
		t->err = -ENOMEM;
		return NL_OK;
	}
	err = genlmsg_parse(h, 0, tb, t->max, NULL);
	if (!err)
		err = t->fn(tb, t->arg);
	if (err && !t->err)
		t->err = err < 0 && err > -4096 ? err : -EBADMSG;
	free(tb);
	return NL_OK;
}

static int on_any_seq(struct nl_msg *msg, void *arg)
{
	return NL_OK;
}

static int receive(struct talk *t)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return -ENOMEM;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, t);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_any_seq, NULL);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, t);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, t);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, t);
	while (!t->done) {
		ret = nl_recvmsgs(t->nl->sock, cb);
		/* A refusal makes it fail, too; on_error() has read it. */
		if (t->done)
			break;
		if (ret == -NLE_DUMP_INTR) {
			t->err = -EAGAIN;
			t->done = true;
		} else if (ret < 0) {
			t->err = ret == -NLE_NOMEM ? -ENOBUFS : -EIO;
			break;
		}
	}
	nl_cb_put(cb);
	return t->err;
}

int fab_nl_send(struct fab_nl *nl, struct nl_msg *msg, int flags, uint32_t *seq)
{
	int ret;

	nl->ext[0] = '\0';
	nl->ext_attr = 0;
	nlmsg_hdr(msg)->nlmsg_flags |= flags;
	ret = nl_send_auto(nl->sock, msg);
	*seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	if (ret < 0)
		return ret == -NLE_PERM ? -EPERM : -EIO;
	return 0;
}

static int talk(struct fab_nl *nl, struct nl_msg *msg, int flags, int max,
		fab_nl_fn fn, void *arg)
{
	struct talk t = { .nl = nl, .max = max, .fn = fn, .arg = arg };
	int err = fab_nl_send(nl, msg, flags, &t.seq);

	return err ? err : receive(&t);
}

int fab_nl_do(struct fab_nl *nl, struct nl_msg *msg)
{
	return talk(nl, msg, NLM_F_ACK, 0, NULL, NULL);
}

int fab_nl_ask(struct fab_nl *nl, struct nl_msg *msg, int max, fab_nl_fn fn,
	       void *arg)
{
	return talk(nl, msg, NLM_F_ACK, max, fn, arg);
}

int fab_nl_dump(struct fab_nl *nl, struct nl_msg *msg, int max, fab_nl_fn fn,
		void *arg)
{
	return talk(nl, msg, NLM_F_DUMP, max, fn, arg);
}

static const char *reason(struct fab_nl *nl, int err)
{
	if (err == -EPERM || err == -EACCES)
		return "this needs root (CAP_NET_ADMIN): try sudo";
	/* The kernel's own words, for a name that is too long and the like. */
	if (!strcmp(nl->ext, "Attribute failed policy validation"))
		return "a name is too long, or a value out of range";
	if (nl->ext[0])
		return nl->ext;
	if (err == -ENOENT)
		return "there is no such object";
	if (err == -EIO)
		return "the module does not answer";
	return strerror(-err);
}

/* What was not found: without a lab nothing is. */
static bool is_empty(struct fab_nl *nl)
{
	struct fab_fabric_info f;

	return !fab_fabric_get(nl, &f) && f.state == FABSIM_FABRIC_EMPTY;
}

static int fail(struct fab_nl *nl, int err, const char *fmt, va_list ap)
{
	char what[256], why[sizeof(nl->ext)];

	vsnprintf(what, sizeof(what), fmt, ap);
	snprintf(why, sizeof(why), "%s", reason(nl, err));
	if (err == -ENOENT && is_empty(nl)) {
		fab_err(FAB_NO_LAB);
		return FAB_ENV;
	}
	/* "there is no link "x"" names it already. */
	if (err == -ENOENT && !strncmp(why, "there is no ", 12) && strchr(why, '"'))
		fab_err("%s", why);
	else
		fab_err("%s: %s", what, why);
	switch (-err) {
	case EPERM:
	case EACCES:
	case EBUSY:
	case EIO:
	case ENOMEM:
	case ENOBUFS:
	case EMFILE:
	case ENFILE:
		return FAB_ENV;
	}
	return FAB_USAGE;
}

int fab_nl_fail(struct fab_nl *nl, int err, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = fail(nl, err, fmt, ap);
	va_end(ap);
	return ret;
}

int fab_nl_change(struct fab_nl *nl, struct nl_msg *msg, const char *fmt, ...)
{
	int err = fab_nl_do(nl, msg), ret = FAB_OK;
	va_list ap;

	va_start(ap, fmt);
	if (err)
		ret = fail(nl, err, fmt, ap);
	va_end(ap);
	return ret;
}
