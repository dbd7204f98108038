// SPDX-License-Identifier: GPL-2.0
/*
 * Reads scenario files: the schema (what a key is), then the checks that a
 * schema cannot express. Settings and actions have their grammar in setting.c
 * and step.c, which check what they will later do.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cmd.h"
#include "cost.h"
#include "data.h"
#include "scenario.h"
#include "setting.h"
#include "step.h"
#include "units.h"
#include "worker_tcp.h"
#include "yamlfile.h"

#define MAX_ITEMS	256

static const cyaml_schema_value_t text_value = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};

#define TEXT(flags, type, key, member) \
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), type, member, \
			       1, CYAML_UNLIMITED)
/* Lists of text; the number of items is in a member called MEMBER_count. */
#define TEXTS(type, key, member) \
	CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, \
			     member, &text_value, 1, MAX_ITEMS)

static const cyaml_schema_field_t expect_fields[] = {
	TEXT(0, struct scenario_expect, "metric", metric),
	TEXT(0, struct scenario_expect, "operator", operator),
	TEXT(0, struct scenario_expect, "value", value),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario_expect, "ask", ask),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t expect_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct scenario_expect, expect_fields),
};

static const cyaml_schema_field_t step_fields[] = {
	TEXT(0, struct scenario_step, "name", name),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario_step, "at", at),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario_step, "title", title),
	TEXTS(struct scenario_step, "do", actions),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t step_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct scenario_step, step_fields),
};

static const cyaml_schema_field_t variant_fields[] = {
	TEXT(0, struct scenario_variant, "name", name),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario_variant, "title", title),
	TEXTS(struct scenario_variant, "set", set),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t variant_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct scenario_variant, variant_fields),
};

static const cyaml_schema_field_t traffic_fields[] = {
	TEXT(0, struct scenario_traffic, "from", from),
	TEXT(0, struct scenario_traffic, "to", to),
	CYAML_FIELD_UINT("messages", CYAML_FLAG_DEFAULT, struct scenario_traffic, messages),
	TEXT(0, struct scenario_traffic, "size", size),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario_traffic, "order", order),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario_traffic, "op", op),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario_traffic, "mistake", mistake),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t scenario_fields[] = {
	CYAML_FIELD_UINT("number", CYAML_FLAG_OPTIONAL, struct scenario, number),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario, "lesson", lesson),
	CYAML_FIELD_UINT("lesson_scenario", CYAML_FLAG_OPTIONAL, struct scenario,
			 lesson_scenario),
	TEXT(0, struct scenario, "title", title),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario, "question", question),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario, "shows", shows),
	CYAML_FIELD_UINT("seconds", CYAML_FLAG_OPTIONAL, struct scenario, seconds),
	CYAML_FIELD_BOOL("fails_on_purpose", CYAML_FLAG_OPTIONAL, struct scenario,
			 fails_on_purpose),
	TEXT(CYAML_FLAG_OPTIONAL, struct scenario, "topology", topology),
	TEXTS(struct scenario, "paths", paths),
	TEXTS(struct scenario, "set", set),
	CYAML_FIELD_MAPPING_PTR("traffic", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
				struct scenario, traffic, traffic_fields),
	CYAML_FIELD_SEQUENCE("steps", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct scenario, steps, &step_schema, 1, MAX_ITEMS),
	CYAML_FIELD_SEQUENCE("variants", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct scenario, variants, &variant_schema, 1, MAX_ITEMS),
	CYAML_FIELD_SEQUENCE("expect", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct scenario, expect, &expect_schema, 1, MAX_ITEMS),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t scenario_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct scenario, scenario_fields),
};

/* A loaded file: the scenario is the YAML library's, its names are ours. */
struct loaded {
	struct scenario s;	/* first: a scenario is what callers see */
	struct yamlfile *yaml;
};

static bool get_number(const char *s, double *v)
{
	char *end;

	*v = strtod(s, &end);
	return end != s && !*end;
}

static bool get_interval(struct scenario_expect *e)
{
	char *dots = strstr(e->value, ".."), low[64];

	if (!dots || (size_t)(dots - e->value) >= sizeof(low))
		return false;
	memcpy(low, e->value, dots - e->value);
	low[dots - e->value] = '\0';
	return get_number(low, &e->low) && get_number(dots + 2, &e->high) &&
	       e->low <= e->high;
}

static int check_expect(struct yamlfile *y, struct scenario_expect *e, uint32_t i)
{
	static const char *const ops[] = { "=", "!=", "<", "<=", ">", ">=", "in" };
	char where[64];
	uint32_t op;

	for (op = 0; op < ARRAY_SIZE(ops); op++)
		if (!strcmp(e->operator, ops[op]))
			break;
	snprintf(where, sizeof(where), "expect.%u.operator", i);
	if (op > EXPECT_IN)
		return yamlfile_err(y, where, "\"%s\" is none of = != < <= > >= in",
				    e->operator);
	e->op = op;
	snprintf(where, sizeof(where), "expect.%u.value", i);
	e->number = op == EXPECT_IN ? get_interval(e) : get_number(e->value, &e->low);
	if (op == EXPECT_IN && !e->number)
		return yamlfile_err(y, where, "\"%s\" is not LOW..HIGH", e->value);
	if (op >= EXPECT_LT && !e->number)
		return yamlfile_err(y, where, "\"%s\" is not a number", e->value);
	return FAB_OK;
}

bool scenario_op_known(const char *op)
{
	return !strcmp(op, "write") || !strcmp(op, "read") || !strcmp(op, "send");
}

int scenario_mistake(const char *name)
{
	static const char *const names[] = {
		[MISTAKE_NONE] = "none",
		[MISTAKE_NO_MR] = "no-mr",
		[MISTAKE_NO_MR_FAR] = "no-mr-receiver",
		[MISTAKE_NO_RECV] = "no-recv",
		[MISTAKE_QP_NOT_RTS] = "qp-not-rts",
		[MISTAKE_WRONG_RKEY] = "wrong-rkey",
		[MISTAKE_WRONG_GID_INDEX] = "wrong-gid-index",
		[MISTAKE_MTU] = "mtu-mismatch",
		[MISTAKE_WRONG_PKEY_INDEX] = "wrong-pkey-index",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static int check_mistake(struct yamlfile *y, struct scenario_traffic *t)
{
	int wrong = t->mistake ? scenario_mistake(t->mistake) : MISTAKE_NONE;

	if (wrong < 0)
		return yamlfile_err(y, "traffic.mistake", "no mistake \"%s\"", t->mistake);
	t->wrong = wrong;
	return FAB_OK;
}

static int check_traffic(struct yamlfile *y, struct scenario_traffic *t)
{
	uint64_t size;

	if (units_get_size(t->size, &size) || !size || size > WORKER_BYTES_MAX)
		return yamlfile_err(y, "traffic.size", "\"%s\" is not a size from 1 to 256M",
				    t->size);
	t->size_bytes = size;
	if (!t->messages || size * t->messages > WORKER_BYTES_MAX)
		return yamlfile_err(y, "traffic.messages",
				    "%u messages of %s: must be at least 1, and 256 MiB in all at most",
				    t->messages, t->size);
	t->one_at_a_time = !t->order || !strcmp(t->order, "one at a time");
	if (!t->one_at_a_time && strcmp(t->order, "back to back"))
		return yamlfile_err(y, "traffic.order",
				    "\"%s\" is neither \"one at a time\" nor \"back to back\"",
				    t->order);
	if (t->op && !scenario_op_known(t->op))
		return yamlfile_err(y, "traffic.op", "\"%s\" is none of write, read, send",
				    t->op);
	if (!strcmp(t->from, t->to))
		return yamlfile_err(y, "traffic.to", "%s would send to itself", t->to);
	return check_mistake(y, t);
}

static int check_set(struct yamlfile *y, const char *at, char **set, uint32_t n)
{
	char where[96], why[160];
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (!setting_check(set[i], why, sizeof(why)))
			continue;
		snprintf(where, sizeof(where), "%s.%u", at, i);
		return yamlfile_err(y, where, "%s", why);
	}
	return FAB_OK;
}

static int check_step(struct yamlfile *y, struct scenario_step *s, uint32_t i)
{
	char where[64], why[160];
	uint32_t a;

	snprintf(where, sizeof(where), "steps.%u.at", i);
	if (s->at && units_get_time(s->at, &s->at_ns))
		return yamlfile_err(y, where, "\"%s\" is not a time (10ms, 2s)", s->at);
	for (a = 0; a < s->actions_count; a++) {
		if (!step_check(s->actions[a], why, sizeof(why)))
			continue;
		snprintf(where, sizeof(where), "steps.%u.do.%u", i, a);
		return yamlfile_err(y, where, "%s", why);
	}
	return FAB_OK;
}

static int check_lists(struct yamlfile *y, struct scenario *s)
{
	char where[64];
	uint32_t i;
	int err = check_set(y, "set", s->set, s->set_count);

	for (i = 0; !err && i < s->paths_count; i++) {
		snprintf(where, sizeof(where), "paths.%u", i);
		if (cost_path_find(s->paths[i]) < 0)
			err = yamlfile_err(y, where, "\"%s\" is none of tcp, roce, ib",
					   s->paths[i]);
	}
	for (i = 0; !err && i < s->steps_count; i++)
		err = check_step(y, &s->steps[i], i);
	for (i = 0; !err && i < s->variants_count; i++) {
		snprintf(where, sizeof(where), "variants.%u.set", i);
		err = check_set(y, where, s->variants[i].set, s->variants[i].set_count);
	}
	for (i = 0; !err && i < s->expect_count; i++)
		err = check_expect(y, &s->expect[i], i);
	return err;
}

static int check(struct yamlfile *y, struct scenario *s)
{
	if (!s->traffic && !s->steps_count)
		return yamlfile_err(y, "title", "the scenario has neither traffic nor steps");
	if (s->traffic && check_traffic(y, s->traffic))
		return FAB_USAGE;
	return check_lists(y, s);
}

static char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *name = strdup(slash ? slash + 1 : file), *dot;

	dot = name ? strrchr(name, '.') : NULL;
	if (dot)
		*dot = '\0';
	return name;
}

static struct scenario *load_file(const char *file)
{
	struct loaded *l = calloc(1, sizeof(*l));
	void *data;

	if (!l)
		return NULL;
	l->yaml = yamlfile_load(file, "scenario", &scenario_schema, &data);
	if (!l->yaml)
		goto err_free;
	l->s = *(struct scenario *)data;
	l->s.file = strdup(file);
	l->s.name = name_of(file);
	if (check(l->yaml, &l->s))
		goto err_yaml;
	return &l->s;

err_yaml:
	free(l->s.file);
	free(l->s.name);
	yamlfile_free(l->yaml);
err_free:
	free(l);
	return NULL;
}

void scenario_free(struct scenario *s)
{
	struct loaded *l = (struct loaded *)s;

	if (!s)
		return;
	free(s->file);
	free(s->name);
	yamlfile_free(l->yaml);
	free(l);
}

static int is_yaml(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 5 && !strcmp(e->d_name + n - 5, ".yaml");
}

static int by_number(const void *a, const void *b)
{
	const struct scenario *x = *(struct scenario *const *)a;
	const struct scenario *y = *(struct scenario *const *)b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->name, y->name);
}

struct scenario **scenario_list(void)
{
	char *dir = data_dir("scenarios"), *file;
	struct dirent **entries = NULL;
	struct scenario **list;
	int n = dir ? scandir(dir, &entries, is_yaml, alphasort) : 0;
	int i, found = 0;

	list = calloc((n > 0 ? n : 0) + 1, sizeof(*list));
	for (i = 0; i < n; i++) {
		if (list && asprintf(&file, "%s/%s", dir, entries[i]->d_name) > 0) {
			list[found] = load_file(file);
			found += !!list[found];
			free(file);
		}
		free(entries[i]);
	}
	free(entries);
	free(dir);
	if (list)
		qsort(list, found, sizeof(*list), by_number);
	return list;
}

void scenario_list_free(struct scenario **list)
{
	for (uint32_t i = 0; list && list[i]; i++)
		scenario_free(list[i]);
	free(list);
}

/*
 * "run 1" to "run 4" are the lesson's four. The other numbers, those of
 * "fabctl list", begin behind them.
 */
static bool is_number_of(const struct scenario *s, const char *what)
{
	uint64_t n;

	if (units_get_u64(what, &n))
		return false;
	return s->lesson_scenario ? n == s->lesson_scenario : n == s->number;
}

static struct scenario *load_named(const char *what)
{
	struct scenario **list = scenario_list(), *found = NULL;
	const char *names[MAX_ITEMS + 1] = { NULL };

	for (uint32_t i = 0; list && list[i] && i < MAX_ITEMS; i++) {
		names[i] = list[i]->name;
		if (!strcmp(list[i]->name, what) || is_number_of(list[i], what))
			found = list[i];
	}
	if (found)
		found = load_file(found->file);
	else
		fab_err("no scenario \"%s\"%s", what,
			fab_hint(what, names, "; see \"fabctl list\""));
	scenario_list_free(list);
	return found;
}

/* "traps/wrong-rkey", wherever fabctl is called. NULL, silently: there is none. */
static char *trap_file(const char *what)
{
	char *dir = data_dir("scenarios"), *file = NULL;

	if (!dir || strncmp(what, "traps/", 6) || strstr(what, "..") ||
	    asprintf(&file, "%s/%s.yaml", dir, what) < 0)
		file = NULL;
	free(dir);
	if (file && access(file, R_OK)) {
		free(file);
		file = NULL;
	}
	return file;
}

struct scenario *scenario_load(const char *what)
{
	char *trap = trap_file(what);
	size_t n = strlen(what);
	struct scenario *s;

	if (trap) {
		s = load_file(trap);
		free(trap);
		return s;
	}

	if (strchr(what, '/') || (n > 5 && !strcmp(what + n - 5, ".yaml")) ||
	    (n > 4 && !strcmp(what + n - 4, ".yml")))
		return load_file(what);
	return load_named(what);
}

struct scenario_variant *scenario_variant(struct scenario *s, const char *name)
{
	for (uint32_t i = 0; i < s->variants_count; i++)
		if (!strcmp(s->variants[i].name, name))
			return &s->variants[i];
	return NULL;
}
