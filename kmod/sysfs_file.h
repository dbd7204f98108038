/* SPDX-License-Identifier: GPL-2.0 */
/* What a directory and a file of /sys/kernel/fabsim are: for sysfs.c alone. */
#ifndef FAB_SYSFS_FILE_H
#define FAB_SYSFS_FILE_H

#include <linux/kobject.h>
#include <linux/stringify.h>
#include <linux/sysfs.h>

struct fab_link;
struct fab_node;
struct fab_port;

/**
 * struct fab_kobject - a directory
 * @kobj: its kobject
 * @object: what it shows; by its type:
 * @node: a node
 * @port: a port
 * @link: a link
 * @path: a side of a path: enum fabsim_path
 * @side: and enum fabsim_side
 */
struct fab_kobject {
	struct kobject kobj;
	union {
		const void *object;
		struct fab_node *node;
		struct fab_port *port;
		struct fab_link *link;
		struct {
			u32 path;
			u32 side;
		};
	};
};

/**
 * struct fab_file - a file of a directory
 * @attr: name and mode
 * @load: copies the structure that @offset is in to @buf; NULL: it is the directory's object
 * @offset: of the value
 * @size: of the value: 1, 4 or 8
 * @hex: a GUID, not a number
 * @show: prints what is no number of a structure
 */
struct fab_file {
	struct attribute attr;
	void (*load)(const struct fab_kobject *dir, void *buf);
	ssize_t (*show)(const struct fab_kobject *dir, const struct fab_file *file, char *out);
	u32 offset;
	u32 size;
	bool hex;
};

#define VALUE(_name, _of, _load, _struct, _member)				\
	static const struct fab_file file_##_of##_##_name = {			\
		.attr = { .name = __stringify(_name), .mode = 0444 },		\
		.load = _load,							\
		.offset = offsetof(_struct, _member),				\
		.size = sizeof_field(_struct, _member) }

/* A member of the object itself, and of a copy that load_<of>() makes. */
#define MEMBER(_name, _of, _struct, _member)	VALUE(_name, _of, NULL, _struct, _member)
#define COPIED(_name, _of, _struct, _member)	VALUE(_name, _of, load_##_of, _struct, _member)

#define HEX(_name, _of, _struct, _member)					\
	static const struct fab_file file_##_of##_##_name = {			\
		.attr = { .name = __stringify(_name), .mode = 0444 },		\
		.load = load_##_of, .hex = true,				\
		.offset = offsetof(_struct, _member),				\
		.size = sizeof_field(_struct, _member) }

#define TEXT(_name, _what)							\
	static const struct fab_file file_##_what##_##_name = {			\
		.attr = { .name = __stringify(_name), .mode = 0444 },		\
		.show = show_##_what##_##_name }

/* sysfs wants pointers to attributes that it could change, and does not. */
#define ATTR(_file)	((struct attribute *)&file_##_file.attr)

#define TYPE(_name)								\
	static const struct kobj_type _name##_type = {				\
		.sysfs_ops = &ops, .release = release,				\
		.default_groups = _name##_groups }

#endif /* FAB_SYSFS_FILE_H */
