/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A verbs program for the tests: both ends of a connection in one process, so that
 * what one end does and what the other sees is checked in one place.
 *
 * A case is a line "ok TEXT" or "not ok TEXT: WHY", as cases() of lib.sh reads it.
 */
#ifndef VERBS_H
#define VERBS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Bytes of each end's buffer. Half a page more than 4 MiB: FACTS, aliasing buffers. */
#define BUF_SIZE	((4 << 20) + 4096 + 2048)

/* One end: a device that is open, and what was made there. */
struct end {
	const char *dev;
	const char *host;		/* its network namespace */
	int gid_index;
	struct ibv_context *ctx;
	struct ibv_port_attr port;
	union ibv_gid gid;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf;
};

/* How QPs are made and connected; zeros are replaced by what fits most cases. */
struct how {
	enum ibv_qp_type type;
	int depth;
	int rnr_retry;			/* as the attribute, or NO_RETRY */
	int access;			/* of the QP, or NO_ACCESS */
	int rd_atomic;
	int gid_index;			/* one more than it, 0 = the end's */
	bool srq;
	const union ibv_gid *dgid;
};

#define NO_RETRY	-1
#define NO_ACCESS	-1

struct pair {
	struct end a, b;
	bool ethernet;
	int mtu;
};

/* A work request of one piece; zeros: the buffers' begin and keys. */
struct work {
	enum ibv_wr_opcode opcode;
	size_t offset;			/* in the poster's buffer */
	size_t length;
	uint32_t lkey;
	size_t remote_offset;
	uint64_t remote_addr;
	uint32_t rkey;
	uint32_t imm;
	uint64_t compare_add;
	uint64_t swap;
	int flags;
};

/* verbs_ends.c */
void passed(const char *format, ...) __printf(1, 2);
void not_ok(const char *format, ...) __printf(1, 2);
void verdict(bool good, const char *name, const char *format, ...)
	__printf(3, 4);
__noreturn void broken(const char *format, ...) __printf(1, 2);

void end_open(struct end *end, const char *dev, int gid_index, bool channel, int cqe);
void end_close(struct end *end);
void pair_open(struct pair *pair, char **argv, bool channel);
void pair_close(struct pair *pair);
struct ibv_qp *qp_make(struct end *end, const struct how *how);
int qp_connect(struct end *end, struct ibv_qp *qp, const struct end *peer, uint32_t qpn,
	       const struct how *how);
void pair_connect(struct pair *pair, const struct how *how);
void pair_disconnect(struct pair *pair);
struct ibv_mr *mr_make(struct end *end, struct ibv_pd *pd, int access);
void enter_host(const char *host);

int post_recv(struct end *end, size_t offset, size_t length);
int post(struct end *from, const struct end *to, const struct work *work);
bool wait_wc(struct end *end, struct ibv_wc *wc, int seconds);
enum ibv_wc_status result(struct end *from, const struct end *to, const struct work *work);
uint64_t now_ns(void);

/* Each a subcommand; argv[0] is what follows its name. */
void verbs_ops(int argc, char **argv);
void verbs_faults(int argc, char **argv);
void verbs_frozen(int argc, char **argv);
void verbs_memlock(int argc, char **argv);
void verbs_stream(int argc, char **argv);
void verbs_hold(int argc, char **argv);
void verbs_many(int argc, char **argv);
void verbs_connects(int argc, char **argv);
void verbs_poll_only(int argc, char **argv);
void verbs_hostile(int argc, char **argv);

#endif /* VERBS_H */
