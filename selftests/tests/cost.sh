#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl cost: what it counts for programs of which we know it.
. "$(dirname "$0")/../lib.sh"
need gcc strace

load
lab_up

status() { "$@" >"$work/out" 2>"$work/err"; echo $?; }
metric() { json "$1" <"$work/out"; }

# A program that makes exactly 1000 syscalls after its start, of which 500 copy
# 4096 bytes each into the kernel (a pipe's other end lets them pass).
cat >"$work/known.c" <<'END'
static long call(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}
static char buf[4096] = { 1 };
void _start(void)
{
	int fds[2];

	call(22, (long)fds, 0, 0);			/* pipe */
	for (int i = 0; i < 499; i++) {
		call(1, fds[1], (long)buf, 4096);	/* write */
		call(0, fds[0], (long)buf, 4096);	/* read */
	}
	call(231, 7, 0, 0);				/* exit_group */
}
END
if [ "$(uname -m)" != x86_64 ]; then
	skip_all "the known program is for x86_64"
fi
gcc -O1 -static -nostdlib -fno-stack-protector -o "$work/known" "$work/known.c" || skip_all "no compiler"

equal "the program's own status" 7 "$(status fabctl -j cost -- "$work/known")"
# execve, pipe, 998 reads and writes, exit_group.
equal "syscalls, exactly" 1001 "$(metric 'd["syscalls"]')"
# execve's own copies of the file's head are not the program's doing: at most a page or two.
between "bytes into the kernel" $((499 * 4096)) $((499 * 4096 + 8192)) "$(metric 'd["copied_in"]')"
between "bytes out of the kernel" $((499 * 4096)) $((499 * 4096 + 8192)) "$(metric 'd["copied_out"]')"
between "CPU time" 1 1e11 "$(metric 'd["cpu_ns"]')"

strace -f -o "$work/trace" true 2>/dev/null
equal "the same count as strace for true" \
	"$(grep -cE '^[0-9]+ +[a-z_0-9]+\(' "$work/trace")" \
	"$(fabctl -j cost -- true 2>/dev/null | json 'd["syscalls"]')"

equal "children count too" 0 "$(status fabctl -j cost -- sh -c "$work/known; $work/known; true")"
between "two of them" 2002 2500 "$(metric 'd["syscalls"]')"
equal "killed by a signal" 137 "$(status fabctl -j cost -- sh -c 'kill -9 $$')"
equal "no such program" 127 "$(status fabctl cost -- /no/such)"
equal "stdout of the program, without -j" hello "$(fabctl cost -- echo hello | head -1)"
equal "without a program: status 2" 2 "$(status fabctl cost)"
refused "an unknown host" "h9" fabctl cost -p h9 -- true
equal "on a host" 0 "$(status fabctl -j cost -p h1 -- ping -c 2 -i 0.2 h2)"
between "the host's NIC interrupted" 2 100 "$(metric 'd["interrupts"]')"
equal "another program is not counted" 1001 \
	"$(yes >/dev/null & fabctl -j cost -- "$work/known" | json 'd["syscalls"]'; kill $!)"

# Detached, nothing is left of the probes.
equal "no kprobe is left" 0 "$(grep -c fabsim /sys/kernel/debug/kprobes/list)"
