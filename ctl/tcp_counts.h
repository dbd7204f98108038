/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel counted for one TCP connection. */
#ifndef FABCTL_TCP_COUNTS_H
#define FABCTL_TCP_COUNTS_H

#include <stdint.h>

struct tcp_counts {
	uint32_t segments;		/* sent and received, of any kind */
	uint32_t data_segments;		/* sent, with data in them */
	uint64_t retransmitted_bytes;
};

void tcp_counts_get(int fd, struct tcp_counts *counts);

#endif /* FABCTL_TCP_COUNTS_H */
