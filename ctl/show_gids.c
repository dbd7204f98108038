// SPDX-License-Identifier: GPL-2.0
/*
 * show gids: the addresses that RDMA programs name, read where every tool reads
 * them, in /sys/class/infiniband; of the lab's hosts only.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "gids.h"
#include "show.h"

#define CLASS	"/sys/class/infiniband"
#define MAPPED	"0000:0000:0000:0000:0000:ffff:"	/* an IPv4 address */

static void read_line(char *to, size_t size, const char *path)
{
	FILE *f = fopen(path, "re");

	to[0] = '\0';
	if (!f)
		return;
	/* An empty entry of the table is an error to read. */
	if (!fgets(to, size, f))
		to[0] = '\0';
	to[strcspn(to, "\n")] = '\0';
	fclose(f);
}

static bool read_gid(struct gid *g)
{
	char path[512], layer[32];

	snprintf(path, sizeof(path), CLASS "/%s/ports/%u/gids/%u", g->device, g->port, g->index);
	read_line(g->gid, sizeof(g->gid), path);
	if (strspn(g->gid, "0:") == strlen(g->gid))
		return false;
	/* Made by its subnet prefix alone: no GUID is there. */
	if (strlen(g->gid) > 20 && strspn(g->gid + 20, "0:") == strlen(g->gid + 20))
		return false;
	snprintf(path, sizeof(path), CLASS "/%s/ports/%u/gid_attrs/types/%u", g->device, g->port,
		 g->index);
	read_line(g->type, sizeof(g->type), path);
	snprintf(path, sizeof(path), CLASS "/%s/ports/%u/gid_attrs/ndevs/%u", g->device, g->port,
		 g->index);
	read_line(g->netdev, sizeof(g->netdev), path);
	/* The kernel has one word for InfiniBand's and for RoCE's first version. */
	snprintf(path, sizeof(path), CLASS "/%s/ports/%u/link_layer", g->device, g->port);
	read_line(layer, sizeof(layer), path);
	if (!strcmp(layer, "InfiniBand"))
		snprintf(g->type, sizeof(g->type), "InfiniBand");
	return true;
}

static int by_index(const void *a, const void *b)
{
	const struct gid *x = a, *y = b;
	int diff = strcmp(x->device, y->device);

	return diff ? diff : (x->index > y->index) - (x->index < y->index);
}

static void add_device(const char *device, struct gid **list, size_t *n)
{
	struct gid g = { .port = 1 };
	struct dirent *e;
	char path[512];
	DIR *d;

	snprintf(g.device, sizeof(g.device), "%s", device);
	snprintf(path, sizeof(path), CLASS "/%s/ports/%u/gids", g.device, g.port);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		g.index = strtoul(e->d_name, NULL, 10);
		if (!read_gid(&g))
			continue;
		if (!(*n & (*n - 1)))
			*list = reallocarray(*list, *n ? *n * 2 : 1, sizeof(g));
		if (!*list)
			abort();
		(*list)[(*n)++] = g;
	}
	if (d)
		closedir(d);
}

size_t gids_list(const char *device, struct gid **list)
{
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	*list = NULL;
	if (device) {
		add_device(device, list, &n);
	} else {
		d = opendir(CLASS);
		while (d && (e = readdir(d)))
			if (e->d_name[0] != '.')
				add_device(e->d_name, list, &n);
		if (d)
			closedir(d);
	}
	if (n)
		qsort(*list, n, sizeof(**list), by_index);
	return n;
}

int gids_roce_index(const char *device)
{
	struct gid *list;
	size_t n, i;
	int index = -1;

	n = gids_list(device, &list);
	for (i = 0; i < n && index < 0; i++)
		if (!strcmp(list[i].type, "RoCE v2") &&
		    !strncmp(list[i].gid, MAPPED, strlen(MAPPED)))
			index = list[i].index;
	free(list);
	return index;
}

/* "0000:...:ffff:0a00:0001" is 10.0.0.1 */
static const char *address_of(const struct gid *g)
{
	static char text[16];
	unsigned int a, b;

	if (strncmp(g->gid, MAPPED, strlen(MAPPED)) ||
	    sscanf(g->gid + strlen(MAPPED), "%4x:%4x", &a, &b) != 2)
		return "";
	snprintf(text, sizeof(text), "%u.%u.%u.%u", a >> 8 & 255, a & 255, b >> 8 & 255,
		 b & 255);
	return text;
}

static void cell_or_none(const char *s)
{
	if (s[0])
		out_cell_str(s);
	else
		out_cell_none();
}

static size_t print_device(const char *host, const char *device)
{
	struct gid *list;
	size_t n, i;

	n = gids_list(device, &list);
	for (i = 0; i < n; i++) {
		out_row();
		out_cell_str(list[i].device);
		out_cell_color(OUT_NAME);
		out_cell_u64(list[i].index);
		out_cell_str(list[i].gid);
		out_cell_str(list[i].type);
		cell_or_none(address_of(&list[i]));
		cell_or_none(list[i].netdev);
		out_str("host", NULL, host);
	}
	free(list);
	return n;
}

int show_gids(struct show *s)
{
	static const struct out_col cols[] = {
		{ "device", "device", false },
		{ "index", "index", true },
		{ "gid", "GID", false },
		{ "type", "type", false },
		{ "address", "+is", false },
		{ "netdev", "+of interface", false },
	};
	struct fab_node_info *nodes;
	size_t n, i, rows = 0;
	char device[64];
	int err;

	err = fab_node_list(s->nl, &nodes, &n);
	if (err)
		return fab_nl_fail(s->nl, err, "hosts");
	show_table(s, cols, ARRAY_SIZE(cols));
	for (i = 0; i < n; i++) {
		if (nodes[i].kind != FABSIM_NODE_HOST || !nodes[i].live ||
		    (s->name && strcmp(s->name, nodes[i].name)))
			continue;
		snprintf(device, sizeof(device), "%s-roce", nodes[i].name);
		rows += print_device(nodes[i].name, device);
		snprintf(device, sizeof(device), "%s-ib", nodes[i].name);
		rows += print_device(nodes[i].name, device);
	}
	out_table_end();
	if (!rows)
		show_nothing(s, "no GIDs: no host has an HCA");
	free(nodes);
	return FAB_OK;
}
