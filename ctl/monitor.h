/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FABCTL_MONITOR_H
#define FABCTL_MONITOR_H

#include "nl.h"

/* One event as a line, or as a JSON object (of an open array, or the top). */
void monitor_print(const struct fab_event_info *e);

#endif /* FABCTL_MONITOR_H */
