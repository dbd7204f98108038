// SPDX-License-Identifier: GPL-2.0
/*
 * The VM survives a fault of its emulator: breakpoints that are no longer there.
 *
 * A kernel that patches its own code (static keys, tracepoints, kprobes) puts a
 * breakpoint first and takes it away last. QEMU's multi-threaded emulator drops
 * the translations of a written address before the write lands; a CPU that
 * translates in between keeps the breakpoint. Linux 6.1 tries such an
 * instruction again, for ever (vm/unstick helps there); 6.12 dies of it.
 *
 * Here it is tried again with the resume flag set: for QEMU that is another
 * state of the CPU, so it translates the instruction anew, from memory. A
 * breakpoint that memory does hold is none of our business.
 */
#include <linux/kdebug.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

static unsigned long survived;
module_param(survived, ulong, 0444);
MODULE_PARM_DESC(survived, "how many there were so far");

static int breakpoint(struct notifier_block *block, unsigned long event, void *data)
{
	struct die_args *args = data;
	struct pt_regs *regs = args->regs;
	unsigned long address = regs->ip - INT3_INSN_SIZE;
	u8 byte;

	if (event != DIE_INT3 || user_mode(regs) ||
	    copy_from_kernel_nofault(&byte, (void *)address, sizeof(byte)) ||
	    byte == INT3_INSN_OPCODE)
		return NOTIFY_DONE;
	regs->ip = address;
	regs->flags |= X86_EFLAGS_RF;
	survived++;
	return NOTIFY_STOP;
}

static struct notifier_block breakpoints = {
	.notifier_call = breakpoint,
};

static int __init stale_int3_init(void)
{
	return register_die_notifier(&breakpoints);
}

static void __exit stale_int3_exit(void)
{
	unregister_die_notifier(&breakpoints);
}

module_init(stale_int3_init);
module_exit(stale_int3_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Retry kernel breakpoints that QEMU's emulator made up");
