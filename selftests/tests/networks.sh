#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hosts on two networks: ports by kind, and cables that fit only where both ends
# are of one kind.
#
#	es1 ── g1 ── is1        g2 ── g3        (ghosts: no HCA is needed)
. "$(dirname "$0")/../lib.sh"
need python3
load

timeout 60 python3 "$tree/selftests/tests/networks.py" >"$work/out" 2>&1 ||
	fail "networks.py" "$(cat "$work/out")"
while IFS= read -r line; do
	case $line in
	"ok "*) pass "${line#ok }" ;;
	"not ok "*) fail "${line#not ok }" ;;
	*) note "$line" ;;
	esac
done <"$work/out"
