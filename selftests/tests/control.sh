#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's side of control, without fabctl: dumps of a topology that moves,
# events across namespaces, captures and slow readers, the generator and its
# promise of equal runs, frames that are too long, builders that were killed, the
# spanning tree of a fabric that is being built, sysfs under removal, large fabrics.
#
#	g1 ── s1 ── g2 …            (ghosts: no network device is needed)
. "$(dirname "$0")/../lib.sh"
need python3 unshare
load

mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
echo 16384 >/sys/kernel/tracing/buffer_size_kb

for part in dumps events captures generator oversize idle builder state tree sysfs large limit; do
	timeout 300 python3 "$tree/selftests/tests/control.py" $part >"$work/out" 2>&1 ||
		fail "$part" "$(cat "$work/out")"
	cases "$part: " <"$work/out"
done
