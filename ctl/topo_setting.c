// SPDX-License-Identifier: GPL-2.0
/*
 * The settings a topology brings with it, written as the arguments of "fabctl
 * set", so that "reset" can put them back after the module's own defaults.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler.h"
#include "topology.h"

struct line {
	char text[200];
	size_t head;		/* length without any setting */
};

__printf(2, 3)
static void begin(struct line *l, const char *fmt, ...);
__printf(2, 3)
static void add(struct line *l, const char *fmt, ...);

static void begin(struct line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
	l->head = strlen(l->text);
}

static void add(struct line *l, const char *fmt, ...)
{
	size_t n = strlen(l->text);
	va_list ap;

	l->text[n++] = ' ';
	va_start(ap, fmt);
	vsnprintf(l->text + n, sizeof(l->text) - n, fmt, ap);
	va_end(ap);
}

static void write_link(const struct topology *t, const struct topo_link *k,
		       struct line *l)
{
	const struct topo_node *n = &t->nodes[k->a];

	if (n->kind == FABSIM_NODE_HOST)
		begin(l, "port %s-%s", n->name, k->ib ? "ib" : "eth");
	else
		begin(l, "port %s:%u", n->name, k->a_port);
	if (k->rate != TOPO_NO_U64 && k->rate)
		add(l, "rate=%llu", (unsigned long long)k->rate);
	else if (!k->rate)
		add(l, "rate=max");
	if (k->delay != TOPO_NO_U64)
		add(l, "delay=%llu", (unsigned long long)k->delay);
	if (k->mtu != TOPO_NO_U32)
		add(l, "mtu=%u", k->mtu);
	if (k->ber != TOPO_NO_U64)
		add(l, "ber=%.17g", (double)k->ber / (double)FABSIM_BER_ONE);
	if (k->loss != TOPO_NO_U32)
		add(l, "loss=%.9f", (double)k->loss / FABSIM_PPB);
	if (k->down)
		add(l, "up=no");
}

static void write_switch(const struct topo_node *n, struct line *l)
{
	begin(l, "switch %s", n->name);
	if (n->buffer != TOPO_NO_U32)
		add(l, "buffer=%u", n->buffer);
	if (n->alpha != TOPO_NO_U32)
		add(l, "alpha=%u.%03u", n->alpha / 1000, n->alpha % 1000);
	if (n->latency != TOPO_NO_U32)
		add(l, "latency=%u", n->latency);
	if (n->ageing != TOPO_NO_U32)
		add(l, "ageing=%ums", n->ageing);
}

int topology_each_setting(const struct topology *t,
			  int (*fn)(const char *line, void *arg), void *arg)
{
	struct line l;
	uint32_t i;
	int err = 0;

	begin(&l, "fabric");
	if (t->pace != TOPO_NO_U32)
		add(&l, "pace=%u", t->pace);
	if (t->seed != TOPO_NO_U64)
		add(&l, "seed=%llu", (unsigned long long)t->seed);
	if (l.text[l.head])
		err = fn(l.text, arg);
	for (i = 0; i < t->nr_nodes && !err; i++) {
		if (t->nodes[i].kind == FABSIM_NODE_HOST)
			continue;
		write_switch(&t->nodes[i], &l);
		if (l.text[l.head])
			err = fn(l.text, arg);
	}
	for (i = 0; i < t->nr_nodes && !err; i++) {
		if (!t->nodes[i].sm)
			continue;
		begin(&l, "sm %s", t->nodes[i].name);
		add(&l, "priority=%u", t->nodes[i].sm_priority);
		err = fn(l.text, arg);
	}
	for (i = 0; i < t->nr_links && !err; i++) {
		write_link(t, &t->links[i], &l);
		if (l.text[l.head])
			err = fn(l.text, arg);
	}
	return err;
}
