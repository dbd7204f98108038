/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directed routes. Pure; smi.c has the model.
 */
#ifndef FAB_SMI_H
#define FAB_SMI_H

#include <rdma/ib_smi.h>

#define FAB_IB_PERMISSIVE	0xffff

/**
 * enum fab_smi_verdict - what to do with a directed-route SMP
 * @FAB_SMI_DISCARD: it is wrong
 * @FAB_SMI_LOCAL: to the agent of this node, or its manager if it is an answer
 * @FAB_SMI_PORT: out of a port, with permissive LIDs
 * @FAB_SMI_LID: to a LID
 */
enum fab_smi_verdict { FAB_SMI_DISCARD, FAB_SMI_LOCAL, FAB_SMI_PORT, FAB_SMI_LID };

enum fab_smi_verdict fab_smi_route(struct ib_smp *smp, bool is_switch, u8 in, u8 n_ports, u16 *out);

#endif /* FAB_SMI_H */
