/* SPDX-License-Identifier: GPL-2.0 */
/* What kind of CPU the figures come from. */
#ifndef FABCTL_MACHINE_H
#define FABCTL_MACHINE_H

#include <stdbool.h>

enum machine_cpu {
	MACHINE_CPU_REAL,	/* instructions run on a CPU: bare metal, KVM, ... */
	MACHINE_CPU_EMULATED,	/* a program interprets them: QEMU's TCG, Bochs */
	MACHINE_CPU_UNKNOWN,
};

enum machine_cpu machine_cpu(void);
/* Release of the running kernel. */
const char *machine_kernel(void);

#endif /* FABCTL_MACHINE_H */
