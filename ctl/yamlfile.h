/* SPDX-License-Identifier: GPL-2.0 */
/*
 * YAML files read by libcyaml with a schema, with complaints that say where:
 * "FILE:LINE: KEY: what is wrong". libcyaml's own positions are those of the
 * token before, so the line is looked up in a second, plain parse of the file;
 * the same parse gives lines to checks made after loading.
 */
#ifndef FABCTL_YAMLFILE_H
#define FABCTL_YAMLFILE_H

#include <stdarg.h>
#include <cyaml/cyaml.h>

#include "compiler.h"

struct yamlfile;

/*
 * Loads @path. NULL after a complaint, and *data is NULL. @what names the kind
 * of file in complaints ("topology", "scenario"). The top value must be a
 * mapping with CYAML_FLAG_POINTER. yamlfile_free() frees *data as well.
 */
struct yamlfile *yamlfile_load(const char *path, const char *what,
			       const cyaml_schema_value_t *schema, void **data);
void yamlfile_free(struct yamlfile *f);

/*
 * Line of the value that a path of keys and numbers leads to, e.g.
 * yamlfile_line(f, "links.3.rate"); the nearest parent's if it is not there.
 */
__printf(2, 3)
unsigned int yamlfile_line(const struct yamlfile *f, const char *path, ...);

/* Complains "FILE:LINE: KEY: ..." at @path. Always returns FAB_USAGE. */
__printf(3, 4)
int yamlfile_err(const struct yamlfile *f, const char *path, const char *fmt,
		 ...);

#endif /* FABCTL_YAMLFILE_H */
