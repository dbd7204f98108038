/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the messages of a run hold: the same over every path, each byte known in
 * advance, so that the far end can tell what was sent from what was not.
 */
#ifndef FABCTL_WORKER_DATA_H
#define FABCTL_WORKER_DATA_H

#include "worker_tcp.h"

/* Memory for all messages, present in full; NULL: no memory. */
char *data_buffer(const struct worker_job *job);
/* Where message @i is in it. */
char *data_message(const struct worker_job *job, char *buf, uint32_t i);

void data_fill(const struct worker_job *job, char *buf);
/* How many bytes of the first @messages messages are what was sent. */
uint64_t data_verify(const struct worker_job *job, char *buf, uint32_t messages);

#endif /* FABCTL_WORKER_DATA_H */
