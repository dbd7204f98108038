// SPDX-License-Identifier: GPL-2.0
/*
 * YAML files with complaints that name file, line and key.
 *
 * The file is parsed twice: by libyaml into a plain tree, which finds syntax
 * errors and knows the line of everything; and by libcyaml, which checks it
 * against the schema and fills the structs. libcyaml tells in its log where it
 * stopped, as a path; the tree turns the path into a line.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#include "cmd.h"
#include "yamlfile.h"

#define FILE_MAX	(64 << 20)
#define STEPS_MAX	16

struct yamlfile {
	char *path;
	char *text;
	size_t len;
	yaml_document_t doc;
	bool parsed;
	cyaml_config_t cfg;
	const cyaml_schema_value_t *schema;
	void *data;
	/* what libcyaml said */
	char problem[256];
	char steps[STEPS_MAX][64];	/* innermost first */
	unsigned int nr_steps;
};

static int read_file(struct yamlfile *f)
{
	FILE *in = fopen(f->path, "re");
	struct stat st;

	if (!in)
		return -errno;
	if (fstat(fileno(in), &st) || S_ISDIR(st.st_mode)) {
		fclose(in);
		return -EISDIR;
	}
	f->text = malloc(FILE_MAX + 1);
	if (f->text)
		f->len = fread(f->text, 1, FILE_MAX + 1, in);
	fclose(in);
	if (!f->text)
		return -ENOMEM;
	return f->len > FILE_MAX ? -EFBIG : 0;
}

static int parse_tree(struct yamlfile *f, const char *what)
{
	yaml_parser_t parser;
	int ret = FAB_USAGE;

	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_string(&parser, (unsigned char *)f->text, f->len);
	if (!yaml_parser_load(&parser, &f->doc)) {
		size_t line = parser.problem_mark.line;

		/* The reader's errors have no mark, only an offset. */
		if (parser.error == YAML_READER_ERROR)
			for (size_t i = line = 0;
			     i < parser.problem_offset && i < f->len; i++)
				line += f->text[i] == '\n';
		fab_err("%s:%zu: not YAML: %s", f->path, line + 1,
			parser.problem ? parser.problem : "cannot be parsed");
		goto out;
	}
	f->parsed = true;
	if (!yaml_document_get_root_node(&f->doc)) {
		fab_err("%s: the file is empty; a %s was expected", f->path, what);
		goto out;
	}
	ret = FAB_OK;
out:
	yaml_parser_delete(&parser);
	return ret;
}

static yaml_node_t *map_get(struct yamlfile *f, yaml_node_t *map,
			    const char *key, size_t len, yaml_node_t **key_node)
{
	yaml_node_pair_t *p = map->data.mapping.pairs.top;

	/* From the end: of a key given twice, the second is the wrong one. */
	while (p-- > map->data.mapping.pairs.start) {
		yaml_node_t *k = yaml_document_get_node(&f->doc, p->key);

		if (k && k->type == YAML_SCALAR_NODE &&
		    k->data.scalar.length == len &&
		    !memcmp(k->data.scalar.value, key, len)) {
			*key_node = k;
			return yaml_document_get_node(&f->doc, p->value);
		}
	}
	return NULL;
}

static yaml_node_t *seq_get(struct yamlfile *f, yaml_node_t *seq, long i)
{
	yaml_node_item_t *items = seq->data.sequence.items.start;

	if (i < 0 || items + i >= seq->data.sequence.items.top)
		return NULL;
	return yaml_document_get_node(&f->doc, items[i]);
}

static unsigned int find_line(const struct yamlfile *cf, const char *path)
{
	struct yamlfile *f = (struct yamlfile *)cf;
	yaml_node_t *n, *at, *next;
	size_t len;

	n = yaml_document_get_root_node(&f->doc);
	at = n;
	while (n && *path) {
		len = strcspn(path, ".");
		if (n->type == YAML_MAPPING_NODE) {
			next = map_get(f, n, path, len, &at);
		} else if (n->type == YAML_SEQUENCE_NODE) {
			next = seq_get(f, n, atol(path));
			at = next ? next : at;
		} else {
			break;
		}
		if (!next)
			break;
		n = next;
		path += len + (path[len] == '.');
	}
	return at ? at->start_mark.line + 1 : 1;
}

unsigned int yamlfile_line(const struct yamlfile *f, const char *path, ...)
{
	char full[256];
	va_list ap;

	va_start(ap, path);
	vsnprintf(full, sizeof(full), path, ap);
	va_end(ap);
	return find_line(f, full);
}

/* "links.3.rate" -> "rate" */
static const char *last_key(const char *path)
{
	const char *p = path + strlen(path), *end = p;

	while (p > path) {
		while (p > path && p[-1] != '.')
			p--;
		if (!isdigit((unsigned char)*p))
			return p;
		end = p > path ? --p : p;
	}
	return end == path ? path : p;
}

int yamlfile_err(const struct yamlfile *f, const char *path, const char *fmt,
		 ...)
{
	const char *key = last_key(path);
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fab_err("%s:%u: %.*s%s%s", f->path, find_line(f, path),
		(int)strcspn(key, "."), key, *key ? ": " : "", text);
	return FAB_USAGE;
}

/* Collects libcyaml's log: the problem, then where, innermost first. */
static void on_log(cyaml_log_t level, void *ctx, const char *fmt, va_list ap)
{
	struct yamlfile *f = ctx;
	char line[256], *p, *end;

	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = '\0';
	p = strstr(line, "in mapping field '");
	if (!p)
		p = strstr(line, "in sequence entry '");
	if (p && f->nr_steps < STEPS_MAX) {
		p = strchr(p, '\'') + 1;
		end = strchr(p, '\'');
		snprintf(f->steps[f->nr_steps], sizeof(f->steps[0]), "%.*s",
			 end ? (int)(end - p) : 0, p);
		/* Entries count from 1 there, paths from 0 here. */
		if (strstr(line, "in sequence entry"))
			snprintf(f->steps[f->nr_steps], sizeof(f->steps[0]),
				 "%ld", atol(p) - 1);
		f->nr_steps++;
	} else if (!strncmp(line, "Load: ", 6) && !f->problem[0] &&
		   !strstr(line, "Backtrace")) {
		snprintf(f->problem, sizeof(f->problem), "%.200s", line + 6);
	}
}

/* The schema of the mapping that @path leads to, for "did you mean". */
static const cyaml_schema_field_t *schema_at(const cyaml_schema_value_t *v,
					     const char *path)
{
	const cyaml_schema_field_t *fld;
	size_t len;

	while (v) {
		len = strcspn(path, ".");
		if (v->type == CYAML_SEQUENCE) {
			v = v->sequence.entry;
		} else if (v->type == CYAML_MAPPING) {
			if (!*path)
				return v->mapping.fields;
			for (fld = v->mapping.fields; fld->key; fld++)
				if (strlen(fld->key) == len &&
				    !strncmp(fld->key, path, len))
					break;
			v = fld->key ? &fld->value : NULL;
		} else {
			return NULL;
		}
		path += len + (path[len] == '.');
	}
	return NULL;
}

static int unknown_key(struct yamlfile *f, const char *path, const char *key)
{
	const cyaml_schema_field_t *fld = schema_at(f->schema, path);
	char full[512], known[256] = "; known here:";
	const char *words[64];
	unsigned int n = 0;

	for (; fld && fld->key && n < 63; fld++) {
		words[n++] = fld->key;
		if (strlen(known) + strlen(fld->key) + 3 < sizeof(known)) {
			strcat(known, " ");
			strcat(known, fld->key);
		}
	}
	words[n] = NULL;
	snprintf(full, sizeof(full), "%s%s%s", path, *path ? "." : "", key);
	return yamlfile_err(f, full, "unknown key%s", fab_hint(key, words, known));
}

static int explain(struct yamlfile *f, cyaml_err_t err)
{
	const char *arg = strstr(f->problem, ": ");
	char path[400] = "";
	unsigned int i = f->nr_steps;

	arg = arg ? arg + 2 : "";
	while (i--) {
		if (strlen(path) + strlen(f->steps[i]) + 2 > sizeof(path))
			break;
		strcat(path, path[0] ? "." : "");
		strcat(path, f->steps[i]);
	}
	if (err == CYAML_ERR_INVALID_KEY)
		return unknown_key(f, path, arg);
	if (err == CYAML_ERR_MAPPING_FIELD_MISSING) {
		/* The innermost step is the field read last: not it. */
		char *dot = strrchr(path, '.');

		if (dot && !isdigit((unsigned char)dot[1]))
			*dot = '\0';
		return yamlfile_err(f, path, "key \"%s\" is missing", arg);
	}
	if (strstr(f->problem, "already seen"))
		return yamlfile_err(f, path, "given twice");
	if (!strncmp(f->problem, "Expecting SEQ", 13))
		return yamlfile_err(f, path, "must be a list (- ...)");
	if (!strncmp(f->problem, "Expecting MAP", 13))
		return yamlfile_err(f, path, "must be a mapping (key: value)");
	if (!strncmp(f->problem, "Expecting SCALAR", 16))
		return yamlfile_err(f, path, "must be a single value");
	if (strstr(f->problem, "int64_t value"))
		return yamlfile_err(f, path, "not a number: %s", arg);
	return yamlfile_err(f, path, "%s",
			    f->problem[0] ? f->problem : cyaml_strerror(err));
}

struct yamlfile *yamlfile_load(const char *path, const char *what,
			       const cyaml_schema_value_t *schema, void **data)
{
	struct yamlfile *f = calloc(1, sizeof(*f));
	cyaml_err_t err;
	int ret;

	*data = NULL;
	if (!f)
		abort();
	f->path = strdup(path);
	f->schema = schema;
	ret = read_file(f);
	if (ret) {
		fab_err("%s: %s", path, strerror(-ret));
		goto err_free;
	}
	if (parse_tree(f, what))
		goto err_free;
	if (yaml_document_get_root_node(&f->doc)->type != YAML_MAPPING_NODE) {
		fab_err("%s:1: a %s is a mapping (key: value), this is not one",
			path, what);
		goto err_free;
	}
	f->cfg = (cyaml_config_t) {
		.log_fn = on_log, .log_ctx = f, .mem_fn = cyaml_mem,
		.log_level = CYAML_LOG_WARNING,
		/* An alias of an alias of ... could fill all memory. */
		.flags = CYAML_CFG_NO_ALIAS,
	};
	err = cyaml_load_data((uint8_t *)f->text, f->len, &f->cfg, schema, data,
			      NULL);
	if (err != CYAML_OK) {
		explain(f, err);
		goto err_free;
	}
	f->data = *data;
	return f;

err_free:
	yamlfile_free(f);
	return NULL;
}

void yamlfile_free(struct yamlfile *f)
{
	if (!f)
		return;
	if (f->data)
		cyaml_free(&f->cfg, f->schema, f->data, 0);
	if (f->parsed)
		yaml_document_delete(&f->doc);
	free(f->text);
	free(f->path);
	free(f);
}
