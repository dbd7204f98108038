/* SPDX-License-Identifier: GPL-2.0 */
/* Subnet managers of the lab: started, stopped, waited for. */
#ifndef FABCTL_LAB_SM_H
#define FABCTL_LAB_SM_H

#include "nl.h"

/*
 * Starts one in @sw. Where one runs already and @may_run, it gets @priority and
 * otherwise the default settings. Exit status.
 */
int lab_sm_start(struct fab_nl *nl, const char *sw, uint32_t priority, bool may_run);
/*
 * Waits until every subnet manager is master of a subnet that is up, or standby,
 * and the ports are active. Exit status, after a complaint if that takes too long.
 */
int lab_sm_wait(struct fab_nl *nl);

#endif /* FABCTL_LAB_SM_H */
