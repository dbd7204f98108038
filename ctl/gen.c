// SPDX-License-Identifier: GPL-2.0
/*
 * Plans for the generator, from words of a command line or from a YAML file:
 * the same keys, read by the same table.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "compiler.h"
#include "cmd.h"
#include "gen.h"
#include "units.h"
#include "yamlfile.h"

enum key_type { K_PORT, K_DST, K_TIME, K_NUMBER };

static const struct gen_key {
	const char *name;
	enum key_type type;
	unsigned short offset;		/* in struct gen_stream */
	unsigned char size;
	uint64_t min, max;
	const char *range;
} keys[] = {
	{ "port", K_PORT, 0, 0, 0, 0, "" },
	{ "dst", K_DST, 0, 0, 0, 0, "" },
	{ "start", K_TIME, offsetof(struct gen_stream, start), 8, 0,
	  1ULL << 62, "a time" },
	{ "interval", K_TIME, offsetof(struct gen_stream, interval), 8, 0,
	  1ULL << 62, "a time" },
	{ "jitter", K_TIME, offsetof(struct gen_stream, jitter), 8, 0,
	  1ULL << 62, "a time" },
	{ "count", K_NUMBER, offsetof(struct gen_stream, count), 4, 1,
	  UINT32_MAX, "1 to 4294967295" },
	{ "size", K_NUMBER, offsetof(struct gen_stream, size), 4, 46,
	  FABSIM_MTU_MAX, "46 to 9216" },
	{ "prio", K_NUMBER, offsetof(struct gen_stream, prio), 1, 0, 7, "0 to 7" },
};

#define NR_KEYS	(ARRAY_SIZE(keys))

static const struct gen_key *find_key(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < NR_KEYS; i++)
		if (strlen(keys[i].name) == len && !strncmp(keys[i].name, name, len))
			return &keys[i];
	return NULL;
}

/* "h1" or "h1-eth". */
static int read_port(struct fab_nl *nl, struct gen_stream *s, const char *v,
		     char *why, size_t size)
{
	struct fab_port_info p;
	char name[64];

	snprintf(name, sizeof(name), "%.50s", v);
	if (fab_port_get(nl, name, &p)) {
		snprintf(name, sizeof(name), "%.50s-eth", v);
		if (fab_port_get(nl, name, &p)) {
			snprintf(why, size, "there is no port \"%.50s\"", v);
			return -1;
		}
	}
	strcpy(s->port, p.name);
	return 0;
}

static int read_dst(struct fab_nl *nl, struct gen_stream *s, const char *v,
		    char *why, size_t size)
{
	struct fab_node_info n;
	char name[64];

	if (!units_get_mac(v, s->dst))
		return 0;
	/* A name that is too long would be refused for that, not for itself. */
	snprintf(name, sizeof(name), "%.50s", v);
	if (strlen(name) > 4 && !strcmp(name + strlen(name) - 4, "-eth"))
		name[strlen(name) - 4] = '\0';
	if (!fab_node_get(nl, name, &n) && n.kind == FABSIM_NODE_HOST) {
		memcpy(s->dst, n.mac, 6);
		return 0;
	}
	snprintf(why, size, "\"%.50s\" is neither a host nor a MAC address", v);
	return -1;
}

static int read_key(struct fab_nl *nl, struct gen_stream *s,
		    const struct gen_key *k, const char *v, char *why,
		    size_t size)
{
	char *to = (char *)s + k->offset;
	uint64_t n = 0;
	int err;

	if (k->type == K_PORT)
		return read_port(nl, s, v, why, size);
	if (k->type == K_DST)
		return read_dst(nl, s, v, why, size);
	err = k->type == K_TIME ? units_get_time(v, &n) : units_get_u64(v, &n);
	if (!err && (n < k->min || n > k->max))
		err = -ERANGE;
	if (err) {
		snprintf(why, size, err == -ERANGE ? "%.50s is out of range (%s)" :
			 "\"%.50s\" cannot be read (%s)", v, k->range);
		return -1;
	}
	if (k->size == 1)
		*(uint8_t *)to = n;
	else if (k->size == 4)
		*(uint32_t *)to = n;
	else
		*(uint64_t *)to = n;
	return 0;
}

static struct gen_stream *new_stream(struct gen_plan *p)
{
	struct gen_stream *s;

	p->streams = reallocarray(p->streams, p->n + 1, sizeof(*p->streams));
	if (!p->streams)
		abort();
	s = &p->streams[p->n++];
	*s = (struct gen_stream){ .count = 1000, .size = 1500 };
	return s;
}

static bool has_dst(const struct gen_stream *s)
{
	static const uint8_t none[6];

	return memcmp(s->dst, none, 6);
}

/* PORT KEY=VALUE... PORT KEY=VALUE... */
int gen_plan_words(struct fab_nl *nl, struct gen_plan *p, int argc, char **argv)
{
	struct gen_stream *s = NULL;
	const struct gen_key *k;
	const char *v;
	char why[128];
	int i;

	for (i = 0; i < argc; i++) {
		v = strchr(argv[i], '=');
		k = v ? find_key(argv[i], v - argv[i]) : &keys[0];
		if (!k)
			return fab_usage("no key \"%.*s\"; there are %s",
					 (int)(v - argv[i]), argv[i],
					 "dst count size interval start jitter prio");
		if (k->type == K_PORT) {
			if (s && !has_dst(s))
				return fab_usage("%s: dst= is missing", s->port);
			s = new_stream(p);
		}
		if (!s)
			return fab_usage("%s: of which port?", argv[i]);
		if (read_key(nl, s, k, v ? v + 1 : argv[i], why, sizeof(why))) {
			fab_err("%s: %s", argv[i], why);
			return FAB_USAGE;
		}
	}
	if (!s)
		return fab_usage("which stream?");
	if (!has_dst(s))
		return fab_usage("%s: dst= is missing", s->port);
	return FAB_OK;
}

struct file_stream {
	char *v[NR_KEYS];		/* in the order of the table */
};

struct file_top {
	char *at, *seed;
	struct file_stream *streams;
	uint32_t streams_count;
};

#define STR(_i, _key, _flags)						\
	{ .key = _key, .value = { .type = CYAML_STRING,			\
		.flags = CYAML_FLAG_POINTER | (_flags), .data_size = 1,	\
		.string = { .min = 0, .max = 4096 } },			\
	  .data_offset = (_i) * sizeof(char *) }

static const cyaml_schema_field_t stream_fields[] = {
	STR(0, "port", 0), STR(1, "dst", 0),
	STR(2, "start", CYAML_FLAG_OPTIONAL),
	STR(3, "interval", CYAML_FLAG_OPTIONAL),
	STR(4, "jitter", CYAML_FLAG_OPTIONAL),
	STR(5, "count", CYAML_FLAG_OPTIONAL),
	STR(6, "size", CYAML_FLAG_OPTIONAL),
	STR(7, "prio", CYAML_FLAG_OPTIONAL), CYAML_FIELD_END
};

static_assert(ARRAY_SIZE(stream_fields) == NR_KEYS + 1,
	      "a key is not in the schema");

static const cyaml_schema_value_t stream_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_stream, stream_fields)
};

static const cyaml_schema_field_t top_fields[] = {
	CYAML_FIELD_STRING_PTR("at", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct file_top, at, 0, 64),
	CYAML_FIELD_STRING_PTR("seed", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct file_top, seed, 0, 64),
	CYAML_FIELD_SEQUENCE("streams", CYAML_FLAG_POINTER, struct file_top,
			     streams, &stream_schema, 0, CYAML_UNLIMITED),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t top_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_top, top_fields)
};

static int file_stream(struct fab_nl *nl, struct gen_plan *p,
		       struct yamlfile *f, const struct file_stream *in,
		       uint32_t at)
{
	struct gen_stream *s = new_stream(p);
	char path[64], why[128];
	unsigned int i;

	for (i = 0; i < NR_KEYS; i++) {
		if (!in->v[i] ||
		    !read_key(nl, s, &keys[i], in->v[i], why, sizeof(why)))
			continue;
		snprintf(path, sizeof(path), "streams.%u.%s", at, keys[i].name);
		return yamlfile_err(f, path, "%s", why);
	}
	return FAB_OK;
}

static int file_all(struct fab_nl *nl, struct gen_plan *p, struct yamlfile *f,
		    const struct file_top *top)
{
	uint32_t i;

	if (top->at && !p->has_at) {
		p->has_at = true;
		if (units_get_time(top->at, &p->at))
			return yamlfile_err(f, "at", "\"%s\" is not a time",
					    top->at);
	}
	if (top->seed && !p->has_seed) {
		p->has_seed = true;
		if (units_get_u64(top->seed, &p->seed))
			return yamlfile_err(f, "seed", "\"%s\" is not a number",
					    top->seed);
	}
	if (!top->streams_count || top->streams_count > FABSIM_STREAMS_MAX)
		return yamlfile_err(f, "streams", "%u streams are out of range (1 to %d)",
				    top->streams_count, FABSIM_STREAMS_MAX);
	for (i = 0; i < top->streams_count; i++)
		if (file_stream(nl, p, f, &top->streams[i], i))
			return FAB_USAGE;
	return FAB_OK;
}

int gen_plan_file(struct fab_nl *nl, struct gen_plan *p, const char *path)
{
	struct file_top *top;
	struct yamlfile *f;
	int ret;

	f = yamlfile_load(path, "plan for the generator", &top_schema,
			  (void **)&top);
	if (!f)
		return FAB_USAGE;
	ret = file_all(nl, p, f, top);
	yamlfile_free(f);
	return ret;
}

void gen_plan_put(struct gen_plan *p)
{
	free(p->streams);
	p->streams = NULL;
	p->n = 0;
}
