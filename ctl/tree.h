/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The result of a run is one JSON tree. What "-j" prints, what the table shows
 * and what expectations compare are read from this one tree, so they agree.
 */
#ifndef FABCTL_TREE_H
#define FABCTL_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <json-c/json.h>

/* A new object or array under @key. */
struct json_object *tree_object(struct json_object *in, const char *key);
struct json_object *tree_array(struct json_object *in, const char *key);
/* A new object at the end of an array. */
struct json_object *tree_item(struct json_object *array);

void tree_str(struct json_object *in, const char *key, const char *value);
void tree_u64(struct json_object *in, const char *key, uint64_t value);
void tree_bool(struct json_object *in, const char *key, bool value);
void tree_null(struct json_object *in, const char *key);
/* With six significant digits. */
void tree_double(struct json_object *in, const char *key, double value);

/*
 * The value at a path of keys, "host.sender.syscalls"; NULL if there is none.
 * In an array, a word finds the object whose "name" it is.
 */
struct json_object *tree_get(struct json_object *in, const char *path);
/* The same as number or text; @dflt if there is none. */
double tree_number(struct json_object *in, const char *path, double dflt);
const char *tree_text(struct json_object *in, const char *path, const char *dflt);
bool tree_is_number(struct json_object *o);

#endif /* FABCTL_TREE_H */
