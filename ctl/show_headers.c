// SPDX-License-Identifier: GPL-2.0
/*
 * show headers: one real packet of path 2 and of path 3, cut where the network's
 * wrapper ends and what the HCAs say to each other begins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lab.h"
#include "path.h"
#include "show.h"
#include "wire_rdma.h"

#define MESSAGE	4096
#define TEXT	(2 * RDMA_SNAPLEN)

struct sample {
	bool ib;
	bool found;
	struct rdma_packet r;
	uint8_t front[RDMA_SNAPLEN];
	uint32_t caplen;
};

static void take_first(const struct tap_packet *p, void *arg)
{
	struct sample *s = arg;
	struct rdma_packet r;

	if (s->found || p->far || !p->leaves || !rdma_parse(p, s->ib, &r) || r.dest_qp < 2)
		return;
	s->found = true;
	s->r = r;
	s->caplen = p->caplen < sizeof(s->front) ? p->caplen : sizeof(s->front);
	memcpy(s->front, p->data, s->caplen);
}

/* Bytes as hexadecimal, in groups of four. */
static const char *hex(const uint8_t *p, uint32_t n)
{
	static char text[TEXT + TEXT / 4];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < n && used + 4 < sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%02x",
				 i && i % 4 == 0 ? " " : "", p[i]);
	return text;
}

/* What the wrapper is made of. */
static const char *wrapper(const struct sample *s)
{
	static char text[64];
	uint32_t l3 = s->r.front - 14 - 8;

	if (s->ib)
		return s->r.front > 8 ? "LRH 8, GRH 40" : "LRH 8";
	snprintf(text, sizeof(text), "Ethernet 14, IPv%u %u, UDP 8", l3 >= 40 ? 6 : 4, l3);
	return text;
}

static void print_part(const char *what, const char *names, uint32_t bytes)
{
	out_text("  %-10s %4u B%s%s\n", what, bytes, *names ? "  " : "", names);
}

static void print_bytes(const uint8_t *p, uint32_t n)
{
	out_lines(20, hex(p, n));
}

static void print_sample(const struct path *path, const struct sample *s)
{
	const struct rdma_packet *r = &s->r;

	out_object(path->name);
	out_text("%s %s", path_symbol(path), path->name);
	out_str("operation", "  %s", rdma_opcode_name(r->opcode));
	out_u64("dest_qp", "  to queue pair %llu", r->dest_qp);
	out_u64("psn", ", packet number %llu\n", r->psn);
	print_part("wrapper", wrapper(s), r->front);
	print_bytes(s->front, r->front);
	print_part("transport", r->headers > 12 ? "BTH 12, and what the operation adds" : "BTH 12",
		   r->headers);
	print_bytes(s->front + r->front, r->headers);
	print_part("payload", "", r->payload);
	print_part("transport", "ICRC: over all that does not change on the way", r->icrc);
	print_part("wrapper", s->ib ? "VCRC" : "FCS", r->back);
	out_str("wrapper", NULL, hex(s->front, r->front));
	out_str("transport", NULL, hex(s->front + r->front, r->headers));
	out_u64("payload_bytes", NULL, r->payload);
	out_object("header_bytes");
	out_u64("transport", NULL, r->headers + r->icrc);
	out_u64("wrapper", NULL, r->front + r->back);
	out_end();
	out_end();
}

static int send_one(struct fab_nl *nl, const struct path *path, const struct lab_host *from,
		    const struct lab_host *to, struct sample *s)
{
	const struct worker_job job = {
		.from = from, .to = to, .messages = 1, .size = MESSAGE, .seed = 1,
		.hold = WORKER_HOLD_SLEEP,
	};
	struct worker_result res;
	char a[24], b[24];
	struct tap *tap;
	int err;

	s->ib = path == &paths[FABSIM_PATH_IB];
	snprintf(a, sizeof(a), "%s-%s", from->name, s->ib ? "ib" : "eth");
	snprintf(b, sizeof(b), "%s-%s", to->name, s->ib ? "ib" : "eth");
	tap = tap_open(a, b, RDMA_SNAPLEN);
	if (!tap)
		return FAB_ENV;
	err = path->send(&job, "write", &res);
	tap_read(tap, take_first, s);
	tap_close(tap);
	free(res.latency_ns);
	if (err) {
		fab_err("%s: cannot start the programs: %s", path->name, strerror(-err));
		return FAB_ENV;
	}
	if (s->found)
		return FAB_OK;
	path_explain(nl, path, &job, &res);
	fab_err("%s: no packet: %s", path->name, res.reason);
	return FAB_MISSED;
}

/* The first two live hosts. */
static int two_hosts(struct fab_nl *nl, struct lab_host host[2])
{
	struct fab_fabric_info info;
	struct fab_node_info *list;
	int found = 0, ret, err;
	size_t n;

	ret = lab_is_up(nl, &info);
	if (ret)
		return ret;
	err = fab_node_list(nl, &list, &n);
	if (err)
		return fab_nl_fail(nl, err, "hosts");
	for (size_t i = 0; !ret && i < n && found < 2; i++) {
		if (list[i].kind != FABSIM_NODE_HOST || !list[i].live)
			continue;
		ret = lab_host_info(list[i].name, &host[found]);
		found += !ret;
	}
	free(list);
	if (!ret && found == 2)
		return FAB_OK;
	while (found)
		lab_host_put(&host[--found]);
	if (!ret)
		fab_err("this needs a lab with two live hosts: fabctl up");
	return ret ? ret : FAB_ENV;
}

int show_headers(struct show *show)
{
	static const enum fabsim_path which[] = { FABSIM_PATH_ROCE, FABSIM_PATH_IB };
	struct sample sample[2] = { };
	struct lab_host host[2];
	int ret = two_hosts(show->nl, host);
	bool same;

	if (ret)
		return ret;
	for (int i = 0; !ret && i < 2; i++)
		ret = send_one(show->nl, &paths[which[i]], &host[0], &host[1], &sample[i]);
	lab_host_put(&host[0]);
	lab_host_put(&host[1]);
	if (ret)
		return ret;
	out_object(NULL);
	for (int i = 0; i < 2; i++)
		print_sample(&paths[which[i]], &sample[i]);
	same = sample[0].r.opcode == sample[1].r.opcode &&
	       sample[0].r.headers == sample[1].r.headers;
	out_bool("same_layout", NULL, same);
	out_text("The transport part %s the same layout; its numbers are of two connections.\n",
		 same ? "has" : "does not have");
	out_end();
	return FAB_OK;
}
