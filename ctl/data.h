/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the files that come with fabctl are: beside the program in the source
 * tree, or in the installed folder. FABSIM_DATA names another one.
 */
#ifndef FABCTL_DATA_H
#define FABCTL_DATA_H

/* Path of the folder of @kind ("scenarios", "lessons"), to be freed, or NULL. */
char *data_dir(const char *kind);

#endif /* FABCTL_DATA_H */
