/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FABCTL_ARRAY_H
#define FABCTL_ARRAY_H

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif

#endif /* FABCTL_ARRAY_H */
