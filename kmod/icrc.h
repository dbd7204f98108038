/* SPDX-License-Identifier: GPL-2.0 */
/* Check sums of RDMA packets: icrc.c has the model. Pure, also built by the unit tests. */
#ifndef FAB_ICRC_H
#define FAB_ICRC_H

#include <linux/types.h>

#define FAB_ICRC_LEN	4
#define FAB_VCRC_LEN	2
/* The longest that a packet has behind its payload. */
#define FAB_TAIL_MAX	(FAB_ICRC_LEN + FAB_VCRC_LEN)

bool fab_icrc_ib(const u8 *packet, u32 len, u8 icrc[FAB_ICRC_LEN]);
bool fab_icrc_roce(const u8 *packet, u32 len, u8 icrc[FAB_ICRC_LEN]);
void fab_vcrc(const u8 *packet, u32 len, const u8 icrc[FAB_ICRC_LEN], u8 vcrc[FAB_VCRC_LEN]);
u32 fab_icrc_tail(const u8 *packet, u32 len, bool ethernet, u8 tail[FAB_TAIL_MAX]);

#endif /* FAB_ICRC_H */
