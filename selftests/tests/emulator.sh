#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The emulated machine lives on where its kernel patches code that another CPU runs
# (vm/emulator, vm/unstick). Without these 6.12 dies here, and 6.1 stands still.
. "$(dirname "$0")/../lib.sh"

[ -n "${FABSIM_STALE_INT3-}" ] || skip_all "no machine that is emulated with several CPUs"
toggle=/sys/kernel/tracing/events/raw_syscalls/enable
need_file $toggle

for _ in 1 2; do
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	on_exit kill $!
done
toggles=0
for ((i = 0; i < 200; i++)); do
	echo 1 >$toggle && echo 0 >$toggle && toggles=$((toggles + 1))
done
equal "code is patched beside syscalls" 200 $toggles
note "$(</sys/module/stale_int3/parameters/survived) breakpoints were not there"
