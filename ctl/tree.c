// SPDX-License-Identifier: GPL-2.0
/* Shorthands over json-c; see tree.h. */
#include <stdio.h>
#include <string.h>

#include "tree.h"

struct json_object *tree_object(struct json_object *in, const char *key)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(in, key, o);
	return o;
}

struct json_object *tree_array(struct json_object *in, const char *key)
{
	struct json_object *o = json_object_new_array();

	json_object_object_add(in, key, o);
	return o;
}

struct json_object *tree_item(struct json_object *array)
{
	struct json_object *o = json_object_new_object();

	json_object_array_add(array, o);
	return o;
}

void tree_str(struct json_object *in, const char *key, const char *value)
{
	json_object_object_add(in, key, value ? json_object_new_string(value) : NULL);
}

void tree_u64(struct json_object *in, const char *key, uint64_t value)
{
	json_object_object_add(in, key, json_object_new_uint64(value));
}

void tree_bool(struct json_object *in, const char *key, bool value)
{
	json_object_object_add(in, key, json_object_new_boolean(value));
}

void tree_null(struct json_object *in, const char *key)
{
	json_object_object_add(in, key, NULL);
}

void tree_double(struct json_object *in, const char *key, double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.6g", value);
	json_object_object_add(in, key, json_object_new_double_s(value, digits));
}

static struct json_object *child(struct json_object *in, const char *key)
{
	struct json_object *o = NULL;

	if (json_object_is_type(in, json_type_object)) {
		json_object_object_get_ex(in, key, &o);
		return o;
	}
	if (!json_object_is_type(in, json_type_array))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(in); i++) {
		o = json_object_array_get_idx(in, i);
		if (!strcmp(tree_text(o, "name", ""), key))
			return o;
	}
	return NULL;
}

struct json_object *tree_get(struct json_object *in, const char *path)
{
	char key[64];

	while (in && *path) {
		size_t n = strcspn(path, ".");

		if (n >= sizeof(key))
			return NULL;
		memcpy(key, path, n);
		key[n] = '\0';
		in = child(in, key);
		path += n + (path[n] == '.');
	}
	return in;
}

bool tree_is_number(struct json_object *o)
{
	return json_object_is_type(o, json_type_int) ||
	       json_object_is_type(o, json_type_double);
}

double tree_number(struct json_object *in, const char *path, double dflt)
{
	struct json_object *o = tree_get(in, path);

	return tree_is_number(o) ? json_object_get_double(o) : dflt;
}

const char *tree_text(struct json_object *in, const char *path, const char *dflt)
{
	struct json_object *o = tree_get(in, path);

	return json_object_is_type(o, json_type_string) ?
		       json_object_get_string(o) : dflt;
}
