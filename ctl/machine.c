// SPDX-License-Identifier: GPL-2.0
/*
 * Are this machine's CPU times worth comparing with wire times? Not if its CPU
 * is emulated in software. A hypervisor names itself in CPUID leaf 0x40000000;
 * QEMU's emulator has a name of its own there. Where a CPU has no such
 * instruction, the firmware's tables at least say "QEMU"; whether QEMU emulates
 * or uses the hardware cannot be seen from inside then, and we say so.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#if __has_include("cpuid.h")	/* the compiler has it for x86 only */
#include <cpuid.h>
#define HAS_CPUID
#endif

#include "array.h"
#include "machine.h"

#ifdef HAS_CPUID
static enum machine_cpu cpu_kind(void)
{
	static const char *const emulators[] = { "TCGTCGTCGTCG", "BXPC" };
	unsigned int a, b, c, d;
	char name[13] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 31)))
		return MACHINE_CPU_REAL;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
	for (unsigned int i = 0; i < ARRAY_SIZE(emulators); i++)
		if (!strncmp(name, emulators[i], strlen(emulators[i])))
			return MACHINE_CPU_EMULATED;
	return MACHINE_CPU_REAL;
}
#else
static enum machine_cpu cpu_kind(void)
{
	char vendor[64] = "";
	FILE *f = fopen("/sys/class/dmi/id/sys_vendor", "re");

	if (!f)
		return MACHINE_CPU_UNKNOWN;
	if (!fgets(vendor, sizeof(vendor), f))
		vendor[0] = '\0';
	fclose(f);
	return strstr(vendor, "QEMU") ? MACHINE_CPU_UNKNOWN : MACHINE_CPU_REAL;
}
#endif

enum machine_cpu machine_cpu(void)
{
	return cpu_kind();
}

const char *machine_kernel(void)
{
	static struct utsname u;

	return uname(&u) ? "?" : u.release;
}
