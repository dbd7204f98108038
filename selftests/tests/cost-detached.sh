#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Probes that are not attached cost nothing: outside of a measurement the kernel
# runs as if fabsim had none. That is read from the kernel itself: the list of
# kprobes is empty, and the switches of the tracepoints and of the driver's own
# hooks (static keys: patched into the code as no-ops while they are 0) are off.
#
#	before    0 probes  switches off
#	meanwhile probes    switches on
#	after     the same as before; also if the controller was killed
. "$(dirname "$0")/../lib.sh"
need python3
need_file /sys/kernel/debug/kprobes/list

load
lab_up

cat >"$work/switches.py" <<'END'
# Prints NAME=USERS of static keys, read from the running kernel's memory.
import struct, sys

marks = ["sys_enter", "sys_exit", "sched_switch", "sched_wakeup", "sched_process_fork",
         "sched_process_exit", "softirq_entry", "softirq_exit", "napi_gro_receive_entry",
         "napi_gro_receive_exit"]
# A tracepoint is a pointer to its name, then its key.
want = {"__tracepoint_" + m: 8 for m in marks}
want["fab_cost_running"] = 0
found = {}
for line in open("/proc/kallsyms"):
    address, _, name = line.split()[:3]
    if name in want:
        found[name] = int(address, 16) + want[name]
missing = set(want) - set(found)
if missing or not all(found.values()):
    sys.exit("no address of " + " ".join(sorted(missing or found)))
core = open("/proc/kcore", "rb")
offset, = struct.unpack_from("Q", core.read(64), 32)
core.seek(0)
count, = struct.unpack_from("H", core.read(64), 56)
segments = []
core.seek(offset)
for _ in range(count):
    kind, _, at, virtual, _, size, _, _ = struct.unpack("IIQQQQQQ", core.read(56))
    if kind == 1:
        segments.append((virtual, size, at))
for name in sorted(found):
    address = found[name]
    for virtual, size, at in segments:
        if virtual <= address < virtual + size:
            core.seek(at + address - virtual)
            print("%s=%d" % (name, struct.unpack("i", core.read(4))[0]))
            break
END

probes() { wc -l </sys/kernel/debug/kprobes/list; }
switches() { python3 "$work/switches.py" 2>"$work/why"; }
attached() { [ "$(probes)" -gt 0 ]; }
as_before() { [ "$before" = "$(switches)" ]; }
detached() { [ "$(probes)" = 0 ]; }

equal "no kprobe before a measurement" 0 "$(probes)"
before=$(switches)
can_read=
if [ -r /proc/kcore ] && [ "$(wc -l <<<"$before")" = 11 ]; then
	can_read=1
	equal "the driver's hooks are patched out" 0 "$(sed -n 's/^fab_cost_running=//p' <<<"$before")"
else
	skip "the driver's hooks are patched out" "the kernel's memory is not readable: $(head -1 "$work/why")"
fi

# A program that ends when it is told to.
mkfifo "$work/gate"
fabctl -j cost -- sh -c "read line <$work/gate" >"$work/out" 2>&1 &
program=$!
check "kprobes during one" eventually "$(limit 10)" attached
[ -z "$can_read" ] ||
	equal "and every switch is on" 11 "$(join <(echo "${before//=/ }") <(switches | tr '=' ' ') | awk '$3 > $2' | wc -l)"
echo go >"$work/gate"
wait "$program"
equal "no kprobe after it" 0 "$(probes)"
[ -z "$can_read" ] || equal "and the switches are as before" "$before" "$(switches)"

# The probes belong to the controller's socket.
fabctl -j cost -- sh -c "exec sleep 60" >/dev/null 2>&1 &
program=$!
check "kprobes during another" eventually "$(limit 10)" attached
kill -9 "$program"
wait "$program" 2>/dev/null
check "killed: no kprobe is left" eventually "$(limit 10)" detached
[ -z "$can_read" ] || check "and the switches are as before" eventually "$(limit 10)" as_before
