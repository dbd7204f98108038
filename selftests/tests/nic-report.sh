#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A sent frame is reported to the host (its memory, byte queue limits) also if
# its time comes while NAPI polls on another CPU and has looked already.
#
#	h1 ── es1 ── g1		(h1's poll is held by a frame from the ghost g1)
. "$(dirname "$0")/../lib.sh"
need ip python3 pgrep taskset

mapfile -t cpus < <(taskset -cp 1 | sed 's/.*: //' | tr , '\n' |
	awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
[ ${#cpus[@]} -gt 1 ] || skip_all "one CPU"

load
lab_up --hosts 2
python3 - "$tree/selftests" <<-'END' || fail "a ghost"
	import sys
	sys.path.insert(0, sys.argv[1])
	from fabnl import Genl, add_ghost, add_link
	nl = Genl()
	add_ghost(nl, "g1")
	add_link(nl, "g1", "es1")
END
# The hardware must go on while its host's CPU is held.
taskset -cp "${cpus[0]}" "$(pgrep -x fabsim)" >/dev/null || fail "the fabric thread's CPU"

ip netns exec h1 timeout 100 python3 "$tree/selftests/tests/nic-report.py" \
	"${cpus[1]}" "${cpus[0]}" >"$work/out" 2>&1
status=$?
[ $status != 4 ] || skip_all "$(cat "$work/out")"
[ $status = 0 ] || fail "nic-report.py ends well" "status $status"
cases <"$work/out"
