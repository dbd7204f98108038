// SPDX-License-Identifier: GPL-2.0
/* The engine of the HCA, connections and datagrams: kmod/host/, in the lab of engine_lab.h. */
#include "engine_lab.h"
#include "host/psn.h"

static const struct lab rc = {
	.type = IB_QPT_RC, .mtu = IB_MTU_256, .timeout = 8, .retries = 3, .rnr_retries = 7,
};

static const struct lab ud = { .type = IB_QPT_UD, .mtu = IB_MTU_4096 };

static struct lab without_timer(void)
{
	struct lab lab = rc;

	lab.timeout = 0;
	return lab;
}

static void acknowledge(unsigned int to, u8 syndrome, u32 psn)
{
	struct fab_aeth aeth = { cpu_to_be32(syndrome << 24) };

	inject(to, IB_OPCODE_ACKNOWLEDGE, psn, &aeth, sizeof(aeth));
}

static void test_rnr(void)
{
	set_up(rc);
	post(0, IB_WR_SEND, 10);
	post(0, IB_WR_SEND, 10);
	run(3000);
	ksft_test_result(hosts[0].qp.req.rnr_wait && done(0, 0), "RNR: no receive: it waits\n");
	acknowledge(0, FAB_SYN_ACK, 0);
	loss = 1000;
	run(SEC);
	ksft_test_result(done(2, IB_WC_RETRY_EXC_ERR),
			 "RNR: an ACK during the wait does not stop the timer after it\n");
	tear_down();

	set_up(without_timer());
	post(0, IB_WR_SEND, 700);
	lose = 1;
	run(5000);
	ksft_test_result(counter(0, FAB_RCVD_SEQ_ERR) == 1 && hosts[0].qp.req.rnr_wait,
			 "RNR: the first packet is lost, then there is no receive\n");
	while (hosts[0].qp.req.rnr_wait)
		run_one();
	post_recv(1, REMOTE, 700);
	lose = 1;
	run(5000);
	acknowledge(0, FAB_NAK_SEQUENCE, 0);
	run(SEC);
	ksft_test_result(done(1, IB_WC_SUCCESS), "RNR: a gap after the wait is a new gap\n");
	tear_down();
}

static void test_repeated_read(void)
{
	struct fab_reth reth = {
		cpu_to_be64(REMOTE), cpu_to_be32(RKEY(1)), cpu_to_be32(0xffffffff),
	};
	u64 sent;

	set_up(rc);
	post(0, IB_WR_RDMA_READ, 100);
	run(SEC);
	/* As after 2^24 packets. */
	hosts[0].qp.req.psn = 0;
	hosts[0].qp.req.una = 0;
	hosts[0].qp.req.sent = 0;
	hosts[1].qp.resp.psn = 0;
	post(0, IB_WR_RDMA_READ, 10000);
	lose = 2;
	run(SEC);
	ksft_test_result(done(2, IB_WC_SUCCESS) &&
			 !memcmp(hosts[0].memory, hosts[1].memory + REMOTE, 10000),
			 "READ: repeated, it is answered as the newest of its PSN\n");
	sent = counter(1, FAB_SENT_PKTS);
	inject(1, IB_OPCODE_RDMA_READ_REQUEST, 1, &reth, sizeof(reth));
	run(SEC);
	ksft_test_result(hosts[1].qp.state == IB_QPS_RTS && counter(1, FAB_SENT_PKTS) == sent,
			 "READ: repeated for 2^24 packets, it is ignored\n");
	tear_down();
}

static void test_datagrams(void)
{
	struct {
		struct fab_deth deth;
		u8 payload[4];
	} packet = { { cpu_to_be32(77), cpu_to_be32(3) }, { 1, 2, 3, 4 } };
	u32 i;

	set_up(ud);
	post_recv(1, 0, 140);
	inject(1, IB_OPCODE_UD | IB_OPCODE_SEND_FIRST, 0, &packet, sizeof(packet));
	ksft_test_result(!hosts[1].n_done[1] && counter(1, FAB_RCVD_DROPPED) == 1,
			 "UD: the first packet of a message is no message\n");
	inject(1, IB_OPCODE_UD_SEND_ONLY, 0, &packet, sizeof(packet));
	ksft_test_result(hosts[1].n_done[1] == 1 && !hosts[1].done[1][0].status &&
			 hosts[1].done[1][0].byte_len == 44 &&
			 !memcmp(hosts[1].memory + 40, packet.payload, 4),
			 "UD: a whole message is one\n");
	/* Host 0 fails, with much behind it. */
	post(0, IB_WR_SEND, 5000);
	for (i = 0; i < 1000; i++)
		post(0, IB_WR_SEND, 4);
	while (hosts[0].qp.state != IB_QPS_SQE)
		run_one();
	modify(0, (struct ib_qp_attr) { .qp_state = IB_QPS_RTS }, IB_QP_STATE);
	run(SEC);
	ksft_test_result(hosts[0].done[0][0].status == IB_WC_LOC_LEN_ERR &&
			 done(1001, IB_WC_WR_FLUSH_ERR) && !counter(0, FAB_SENT_PKTS),
			 "UD: what was posted before SQE was left is flushed, not sent\n");
	post(0, IB_WR_SEND, 4);
	run(SEC);
	ksft_test_result(done(1002, IB_WC_SUCCESS), "UD: and then it sends again\n");
	tear_down();
}

static void test_overrun(void)
{
	set_up(rc);
	hosts[0].cq[0].dead = true;
	post(0, IB_WR_RDMA_WRITE, 10);
	run(SEC);
	ksft_test_result(hosts[0].qp.state == IB_QPS_ERR &&
			 hosts[0].events[IB_EVENT_QP_FATAL] == 1,
			 "CQ overrun: it stops each of its QPs\n");
	tear_down();
}

static void test_limit(void)
{
	struct fab_qp qp = { };
	struct ib_qp_init_attr init = { .cap = { 1, 1, 1, 1, 0 }, .qp_type = IB_QPT_UD };
	int err;

	set_up(ud);
	qp.ibqp.device = &hosts[0].hca.ibdev;
	init.send_cq = &hosts[0].cq[0].ibcq;
	init.recv_cq = init.send_cq;
	hosts[0].hca.n_qps.n = FAB_MAX_QP;
	err = fab_qp_create(&qp.ibqp, &init, NULL);
	ksft_test_result(err == -ENOMEM && hosts[0].hca.n_qps.n == FAB_MAX_QP,
			 "create: no more QPs than the device says\n");
	hosts[0].hca.n_qps.n = 1;
	tear_down();
}

static void post_writes(u32 n)
{
	while (n--)
		post(0, IB_WR_RDMA_WRITE, 0x10000);
	run(2000);
}

static void test_drain(void)
{
	struct ib_qp_attr sqd = { .qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1 };
	u32 n;

	set_up(rc);
	post_writes(10);
	modify(0, sqd, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY);
	ksft_test_result(!hosts[0].events[IB_EVENT_SQ_DRAINED], "SQD: not drained at once\n");
	modify(0, sqd, IB_QP_STATE);
	run(SEC);
	n = hosts[0].n_done[0];
	ksft_test_result(hosts[0].events[IB_EVENT_SQ_DRAINED] == 1 && n && n < 10,
			 "SQD: told twice, it drains once (%u done)\n", n);
	modify(0, (struct ib_qp_attr) { .qp_state = IB_QPS_RTS }, IB_QP_STATE);
	run(SEC);
	ksft_test_result(done(10, IB_WC_SUCCESS), "SQD: and goes on\n");
	tear_down();

	/* 8 seconds, made 1 ms while a packet waits for its answer. */
	set_up((struct lab) { IB_QPT_RC, IB_MTU_256, 0, 31, 1, 7, false });
	loss = 1000;
	post(0, IB_WR_RDMA_WRITE, 10);
	run(1000);
	modify(0, sqd, IB_QP_STATE);
	modify(0, (struct ib_qp_attr) { .qp_state = IB_QPS_SQD, .timeout = 8 },
	       IB_QP_STATE | IB_QP_TIMEOUT);
	run(SEC / 100);
	ksft_test_result(done(1, IB_WC_RETRY_EXC_ERR) && counter(0, FAB_TIMEOUTS) == 2,
			 "SQD: a shorter ACK timeout counts at once\n");
	tear_down();
}

static void test_pkey(void)
{
	set_up(rc);
	post_recv(1, 0, 50);
	post(0, IB_WR_SEND, 10);
	run(SEC);
	ksft_test_result(done(1, IB_WC_SUCCESS), "P_Key: it fits\n");
	hosts[1].pkey = 0x8001;
	hosts[1].hca.engine.port_events.n++;
	post_recv(1, 0, 50);
	post(0, IB_WR_SEND, 10);
	run(SEC);
	ksft_test_result(done(2, IB_WC_RETRY_EXC_ERR) && hosts[1].n_done[1] == 1 &&
			 counter(1, FAB_BAD_PKEY), "P_Key: taken away, nothing passes\n");
	tear_down();
}

static void test_flush(void)
{
	u64 before;
	u32 n;

	set_up(rc);
	post_writes(40);
	port_full = true;
	run(2000);
	n = hosts[0].n_done[0];
	fab_qp_error(&hosts[0].qp);
	before = now;
	drain_inboxes();
	ksft_test_result(n < 40 && done(40, IB_WC_WR_FLUSH_ERR) && now == before,
			 "flush: needs neither room at the port nor time\n");
	tear_down();
}

static void test_held(void)
{
	struct lab lab = rc;
	u32 *held, most = 0;

	lab.selective = true;
	set_up(lab);
	held = &hosts[1].hca.engine.n_held;
	/* As if others kept all but 10. */
	*held = FAB_MAX_HELD_ALL - 10;
	lose = 1;
	post(0, IB_WR_RDMA_WRITE, 0x10000);
	while (!hosts[0].n_done[0] && run_one())
		most = max(most, *held);
	ksft_test_result(done(1, IB_WC_SUCCESS) && most == FAB_MAX_HELD_ALL &&
			 !memcmp(hosts[0].memory, hosts[1].memory + REMOTE, 0x10000) &&
			 *held == FAB_MAX_HELD_ALL - 10,
			 "selective repeat: an HCA keeps so many packets, and does without more\n");
	tear_down();
}

/*
 * Soak: both ends do everything at once, and receives may come late. Each work request in
 * flight has a slot in the memory of both ends for what it brings; what it brings is from the
 * front part, which nobody writes.
 */
#define SLOT	4096
#define DEEP	8
#define FRONT	(DEEP * SLOT)
#define WRITES	(2 * FRONT)
#define READS	(3 * FRONT)
#define RECVS	(4 * FRONT)
#define ATOMIC	(5 * FRONT)

struct soak {
	u32 n_recvs;			/* that the peer needs */
	struct {
		bool write;
		u32 length;
		__be32 imm;
	} recvs[MOST];
	u64 sum;			/* of atomics */
	u8 want[MEMORY];
};

static struct soak *soaks;

static void soak_post(unsigned int host)
{
	static const enum ib_wr_opcode ops[] = {
		IB_WR_SEND, IB_WR_SEND_WITH_IMM, IB_WR_RDMA_WRITE, IB_WR_RDMA_WRITE_WITH_IMM,
		IB_WR_RDMA_READ, IB_WR_ATOMIC_FETCH_AND_ADD,
	};
	enum ib_wr_opcode op = ops[random_u32() % ARRAY_SIZE(ops)];
	u32 length = op == IB_WR_ATOMIC_FETCH_AND_ADD ? 8 : random_u32() % (SLOT + 1);
	struct fab_send_wr wr = request(host, op, length);
	struct soak *mine = &soaks[host], *peer = &soaks[!host];
	u32 slot = hosts[host].ring.posted % DEEP * SLOT;

	wr.imm = random_u32();
	wr.flags = random_u32() % 8 ? 0 : IB_SEND_FENCE;
	wr.sge[0].addr = slot;
	wr.remote_addr = WRITES + slot;
	if (op == IB_WR_RDMA_READ) {
		wr.sge[0].addr = READS + slot;
		wr.remote_addr = slot;
		memcpy(mine->want + READS + slot, peer->want + slot, length);
	} else if (op == IB_WR_ATOMIC_FETCH_AND_ADD) {
		wr.sge[0].addr = READS + slot;
		wr.remote_addr = ATOMIC;
		wr.compare_add = random_u32();
		memcpy(mine->want + READS + slot, &mine->sum, 8);
		mine->sum += wr.compare_add;
		memcpy(peer->want + ATOMIC, &mine->sum, 8);
	} else if (op == IB_WR_RDMA_WRITE || op == IB_WR_RDMA_WRITE_WITH_IMM) {
		memcpy(peer->want + WRITES + slot, mine->want + slot, length);
	} else {
		memcpy(peer->want + RECVS + mine->n_recvs % DEEP * SLOT, mine->want + slot, length);
	}
	if (op == IB_WR_SEND || op == IB_WR_SEND_WITH_IMM || op == IB_WR_RDMA_WRITE_WITH_IMM) {
		mine->recvs[mine->n_recvs].write = op == IB_WR_RDMA_WRITE_WITH_IMM;
		mine->recvs[mine->n_recvs].length = length;
		mine->recvs[mine->n_recvs++].imm = op == IB_WR_SEND ? 0 : wr.imm;
	}
	post_request(host, wr);
}

static bool soak_end_right(unsigned int host, u32 n)
{
	const struct soak *peer = &soaks[!host];
	struct host *h = &hosts[host];
	bool right = h->n_done[0] == n && h->n_done[1] == peer->n_recvs;
	u32 i;

	for (i = 0; right && i < n; i++)
		right = h->done[0][i].wr_id == i && !h->done[0][i].status;
	for (i = 0; right && i < peer->n_recvs; i++)
		right = h->done[1][i].wr_id == i && !h->done[1][i].status &&
			h->done[1][i].byte_len == peer->recvs[i].length &&
			h->done[1][i].imm == peer->recvs[i].imm &&
			(h->done[1][i].opcode != IB_WC_RECV) == peer->recvs[i].write;
	return right && !memcmp(h->memory, soaks[host].want, MEMORY);
}

static void test_soak(bool selective, unsigned int lost, bool late)
{
	const u32 n = 300;
	unsigned int i, rounds = 0;
	struct ring *ring;

	set_up((struct lab) { IB_QPT_RC, IB_MTU_256, 0xfffff0, 8, 7, 7, selective });
	soaks = calloc(2, sizeof(*soaks));
	for (i = 0; i < 2; i++) {
		memcpy(soaks[i].want, hosts[i].memory, MEMORY);
		memcpy(&soaks[!i].sum, hosts[i].memory + ATOMIC, 8);
	}
	loss = lost;
	do {
		for (i = 0; i < 2; i++) {
			ring = &hosts[i].ring;
			while (ring->posted < n && ring->posted - ring->done < DEEP)
				soak_post(i);
		}
		for (i = 0; i < 2; i++) {
			ring = &hosts[i].ring;
			while ((!late || random_u32() % 50 == 0) &&
			       ring->recvs_posted < soaks[!i].n_recvs)
				post_recv(i, RECVS + ring->recvs_posted % DEEP * SLOT, SLOT);
		}
	} while ((run_one() || late) && ++rounds < 1000000 &&
		 (hosts[0].n_done[0] < n || hosts[1].n_done[0] < n));
	run(SEC);
	ksft_test_result(soak_end_right(0, n) && soak_end_right(1, n) &&
			 !hosts[0].hca.engine.n_held && !hosts[1].hca.engine.n_held,
			 "soak: %s, %u of 1000 lost, receives %s: all is right (%llu resent)\n",
			 selective ? "selective repeat" : "go-back-N", lost,
			 late ? "late" : "in time",
			 counter(0, FAB_RETRANSMITTED_PKTS) + counter(1, FAB_RETRANSMITTED_PKTS));
	free(soaks);
	tear_down();
}

int main(void)
{
	unsigned int i;

	ksft_print_header();
	ksft_set_plan(20 + 12);
	seed = getenv("SEED") ? atoi(getenv("SEED")) : 1;
	test_rnr();
	test_repeated_read();
	test_datagrams();
	test_overrun();
	test_limit();
	test_drain();
	test_pkey();
	test_flush();
	test_held();
	for (i = 0; i < 12; i++)
		test_soak(i & 1, i / 4 * 40, i & 2);
	ksft_finished();
}
