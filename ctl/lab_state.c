// SPDX-License-Identifier: GPL-2.0
/* The lab's record in /run/fabsim/lab; see lab_state.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "array.h"
#include "cmd.h"
#include "lab.h"
#include "lab_state.h"
#include "last.h"
#include "netns.h"
#include "units.h"

enum entry_kind { E_ETC, E_NETNS, E_ETCDIR, E_ETCHOSTS, E_HOST, E_SET, E_GONE };

static const char *const kinds[] = {
	[E_ETC] = "etc", [E_NETNS] = "namespace", [E_ETCDIR] = "etcdir",
	[E_ETCHOSTS] = "etchosts", [E_HOST] = "host", [E_SET] = "set",
	[E_GONE] = "gone",
};

struct lab_entry {
	enum entry_kind kind;
	char name[64];
	char rest[192];
};

/* Namespaces that lost their name, to tell who still sits in them. */
struct removed {
	struct {
		uint64_t inode;
		char name[64];
	} *v;
	size_t n;
};

static void forget(struct lab_state *s, const char *name)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		if (s->entries[i].kind == E_ETC || s->entries[i].kind == E_SET ||
		    strcmp(s->entries[i].name, name))
			s->entries[n++] = s->entries[i];
	s->n = n;
}

static void parse_line(struct lab_state *s, char *line)
{
	struct lab_entry e = { 0 };
	char word[16] = "";
	int at = 0;
	size_t i;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "builder %d", &s->builder) == 1)
		return;
	if (sscanf(line, "%15s %63s %n", word, e.name, &at) >= 2 && at)
		snprintf(e.rest, sizeof(e.rest), "%.191s", line + at);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i], word))
			break;
	if (i == ARRAY_SIZE(kinds))
		return;
	/* The names become paths. The last line may be cut short, too. */
	if (strchr(e.name, '/') || e.name[0] == '.')
		return;
	e.kind = i;
	if (e.kind == E_GONE) {
		forget(s, e.name);
		return;
	}
	if (!(s->n & (s->n - 1))) {
		s->entries = reallocarray(s->entries, s->n ? s->n * 2 : 1,
					  sizeof(e));
		if (!s->entries)
			abort();
	}
	s->entries[s->n++] = e;
}

int lab_state_load(struct lab_state *s)
{
	FILE *f = fopen(LAB_STATE_FILE, "re");
	char *line = NULL;
	size_t size = 0;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0)
		parse_line(s, line);
	free(line);
	fclose(f);
	return 0;
}

int lab_state_open(struct lab_state *s)
{
	s->fd = open(LAB_STATE_FILE, O_WRONLY | O_APPEND | O_CLOEXEC);
	return s->fd < 0 ? -errno : 0;
}

int lab_state_begin(struct lab_state *s)
{
	memset(s, 0, sizeof(*s));
	s->fd = open(LAB_STATE_FILE, O_WRONLY | O_APPEND | O_CREAT | O_EXCL |
		     O_CLOEXEC, 0644);
	if (s->fd < 0)
		return -errno;
	dprintf(s->fd, "fabsim-lab 1\n");
	return lab_state_add(s, "builder %d", getpid());
}

void lab_state_put(struct lab_state *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->entries);
	s->entries = NULL;
	s->n = 0;
	s->fd = -1;
}

int lab_state_add(struct lab_state *s, const char *fmt, ...)
{
	char line[320];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(line) - 1)
		return -ENAMETOOLONG;
	line[n] = '\n';
	/* One write: a killed controller leaves whole lines. */
	if (write(s->fd, line, n + 1) != n + 1)
		return errno ? -errno : -ENOSPC;
	line[n] = '\0';
	parse_line(s, line);
	return 0;
}

static void read_host(const struct lab_entry *e, struct lab_state_host *h)
{
	char where[8] = "";

	snprintf(h->name, sizeof(h->name), "%.31s", e->name);
	if (sscanf(e->rest, "%31s %7s", h->address, where) < 1)
		strcpy(h->address, "-");
	h->init = !strcmp(where, "init");
}

bool lab_state_host(const struct lab_state *s, const char *name,
		    struct lab_state_host *h)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->entries[i].kind != E_HOST ||
		    strcmp(s->entries[i].name, name))
			continue;
		read_host(&s->entries[i], h);
		return true;
	}
	return false;
}

void lab_state_each_host(const struct lab_state *s,
			 void (*fn)(const struct lab_state_host *h, void *arg),
			 void *arg)
{
	struct lab_state_host h;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->entries[i].kind != E_HOST)
			continue;
		read_host(&s->entries[i], &h);
		fn(&h, arg);
	}
}

int lab_state_each_setting(const struct lab_state *s,
			   int (*fn)(char *line, void *arg), void *arg)
{
	char line[300];
	int ret = 0;
	size_t i;

	for (i = 0; i < s->n && !ret; i++) {
		if (s->entries[i].kind != E_SET)
			continue;
		snprintf(line, sizeof(line), "%s %s", s->entries[i].name,
			 s->entries[i].rest);
		ret = fn(line, arg);
	}
	return ret;
}

static int clean_failed(const char *path, int err)
{
	fab_err("cannot remove %s: %s", path, strerror(err));
	return -1;
}

static int clean_netns(const struct lab_entry *e, struct removed *r)
{
	uint64_t ours = 0, inode = 0;
	int fd, err;

	if (!netns_exists(e->name))
		return 0;
	units_get_u64(e->rest, &ours);
	fd = netns_is_mounted(e->name) ? netns_open(e->name) : -1;
	if (fd >= 0) {
		bool same = netns_cookie(fd) == ours;

		inode = netns_inode(fd);
		close(fd);
		if (!same) {
			fab_err("left alone: namespace %s is not the one fabctl made",
				e->name);
			return 0;
		}
	}
	err = netns_remove(e->name);
	if (err) {
		fab_err("cannot remove namespace %s: %s", e->name, strerror(-err));
		return -1;
	}
	r->v = reallocarray(r->v, r->n + 1, sizeof(*r->v));
	if (!r->v)
		abort();
	r->v[r->n].inode = inode;
	snprintf(r->v[r->n++].name, sizeof(r->v[0].name), "%s", e->name);
	return 1;
}

static int clean_etchosts(const struct lab_entry *e)
{
	char path[128], to[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s/hosts", NETNS_ETC, e->name);
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0 && errno == ENOENT)
		return 0;
	if (n > 0)
		to[n] = '\0';
	if (n < 0 || strcmp(to, LAB_HOSTS_FILE)) {
		fab_err("left alone: %s is not the one fabctl made", path);
		return 0;
	}
	return unlink(path) ? clean_failed(path, errno) : 0;
}

static int clean_dir(const char *path)
{
	/* Files of others in it: then it stays, and it is no error. */
	if (!rmdir(path) || errno == ENOENT || errno == ENOTEMPTY ||
	    errno == EEXIST)
		return 0;
	return clean_failed(path, errno);
}

static int clean_entry(const struct lab_entry *e, struct removed *r)
{
	char path[128];

	switch (e->kind) {
	case E_NETNS:
		return clean_netns(e, r);
	case E_ETCHOSTS:
		return clean_etchosts(e);
	case E_ETCDIR:
		snprintf(path, sizeof(path), "%s/%s", NETNS_ETC, e->name);
		return clean_dir(path);
	case E_ETC:
		return clean_dir(NETNS_ETC);
	default:
		return 0;
	}
}

static void tell_holder(pid_t pid, const char *comm, uint64_t inode, void *arg)
{
	struct removed *r = arg;
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->v[i].inode == inode && inode)
			fab_note("%s (pid %d) still runs in what was host %s",
				 comm, pid, r->v[i].name);
}

int lab_state_clean(struct lab_state *s, const char *name)
{
	struct removed r = { 0 };
	bool failed = false;
	size_t i;

	/* Backwards: a directory was made before what is in it. */
	for (i = s->n; i--;) {
		if (name && (s->entries[i].kind == E_ETC ||
			     strcmp(s->entries[i].name, name)))
			continue;
		if (clean_entry(&s->entries[i], &r) < 0)
			failed = true;
	}
	if (r.n)
		netns_processes(tell_holder, &r);
	free(r.v);
	if (failed)
		return -1;
	if (name) {
		lab_state_add(s, "gone %s", name);
	} else {
		unlink(LAB_HOSTS_FILE);
		last_forget();
		unlink(LAB_STATE_FILE);
	}
	return r.n;
}

static void write_host(const struct lab_state_host *h, void *arg)
{
	if (h->address[0] != '-')
		fprintf(arg, "%.*s\t%s\n", (int)strcspn(h->address, "/"),
			h->address, h->name);
}

int lab_state_write_hosts(const struct lab_state *s)
{
	/* Written in place: it is mounted over /etc/hosts of running programs. */
	FILE *f = fopen(LAB_HOSTS_FILE, "we");

	if (!f)
		return -errno;
	fputs("127.0.0.1\tlocalhost\n::1\tlocalhost\n", f);
	lab_state_each_host(s, write_host, f);
	return fclose(f) ? -errno : 0;
}
