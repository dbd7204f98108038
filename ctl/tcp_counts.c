// SPDX-License-Identifier: GPL-2.0
/*
 * Reads TCP_INFO. A file of its own because the kernel's header has the whole
 * struct and the C library's, which libnl includes, has not; one file cannot
 * include both.
 */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "tcp_counts.h"

void tcp_counts_get(int fd, struct tcp_counts *counts)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len);
	counts->segments = info.tcpi_segs_out + info.tcpi_segs_in;
	counts->data_segments = info.tcpi_data_segs_out;
	counts->retransmitted_bytes = info.tcpi_bytes_retrans;
}
