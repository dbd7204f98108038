#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl run baseline over all three paths: what is equal inside the hosts, what
# differs in the networks, and lines that can be pasted.
#
#	h1 --- es1, is1 --- h2	(star, h1..h4)
. "$(dirname "$0")/../lib.sh"
need ip ibv_rc_pingpong

load
lab_up

status() { "$@" >"$work/out" 2>"$work/err"; echo $?; }
metric() { json "$1" <"$work/out"; }

equal "baseline meets its expectations" 0 "$(status fabctl -j run baseline --set messages=200)"
for path in roce ib; do
	equal "$path: every byte verified" 819200 "$(metric "d['paths']['$path']['verified_bytes']")"
	for side in sender receiver; do
		of="d['paths']['$path']['host']['$side']"
		for what in syscalls copied_bytes; do
			equal "$path, $side: no $what" 0 "$(metric "${of}['$what']")"
		done
	done
	equal "$path: the receiver was not interrupted" 0 "$(metric "${of}['interrupts']")"
	equal "$path: and its program slept" 0 "$(metric "${of}['process_cpu_ns']")"
	equal "$path: transport header" 32 "$(metric "d['paths']['$path']['network']['header_bytes']['transport']")"
done
equal "wrapper of path roce" 46 "$(metric 'd["paths"]["roce"]["network"]["header_bytes"]["wrapper"]')"
equal "wrapper of path ib" 10 "$(metric 'd["paths"]["ib"]["network"]["header_bytes"]["wrapper"]')"
equal "no data went through the subnet manager" 0 "$(metric 'd["paths"]["ib"]["network"]["sm_data_packets"]')"
equal "path ib came about without TCP" 0 "$(metric 'd["paths"]["ib"]["network"]["bring_up"]["tcp_segments"]')"
between "by MADs" 3 20 "$(metric 'd["paths"]["ib"]["network"]["bring_up"]["mads"]')"
between "path roce came about over TCP" 5 40 "$(metric 'd["paths"]["roce"]["network"]["bring_up"]["tcp_segments"]')"

same() { metric "' '.join(r['name'] for r in d['table']['$1']['list'] if r['same'] is $2)"; }
out=$(same host True)
for row in syscalls "CPU copies of each byte" interrupts "stages that use a CPU"; do
	said "equal inside the hosts: $row" "$row"
done
out=$(same network False)
for row in address "given by" "forwarding table" "lossless by" bring-up "must stay alive" "wrapper around it"; do
	said "different in the networks: $row" "$row"
done
out=$(same network True)
said "equal in the networks: the transport header" "transport header"

# -- as text ------------------------------------------------------------------------

narrow() { # COMMAND...
	"$@" >"$work/out" 2>&1
	between "$*: 80 columns" 1 80 "$(LC_ALL=C.UTF-8 wc -L <"$work/out")"
	equal "$*: no blank at an end" "" "$(grep ' $' "$work/out")"
}
narrow fabctl run baseline -e --set messages=20
narrow fabctl --ascii run no-mr
equal "ASCII if asked for" 0 "$(LC_ALL=C grep -c '[^ -~]' "$work/out")"
out=$(<"$work/out")
said "(2) and (3) fail alike" "LOC_PROT_ERR"
for command in "show headers" "show gids" "show lft is1" "show sm" "show qps" "why h1 h2" \
	"set lossless off --net ib" "lesson 1" "lesson 2" "lesson 3" "lesson 4"; do
	# shellcheck disable=SC2086 # a command and its arguments
	narrow fabctl $command
done
equal "two of the paths" 0 "$(status fabctl -j run baseline --path roce,ib --set messages=20)"
equal "are all that was run" "roce ib" "$(metric '" ".join(d["paths"])')"

# -- the lines to paste -------------------------------------------------------------------

mapfile -t lines < <(fabctl show hosts -v | sed -n 's/^  \(fabctl exec .*\)/\1/p')
equal "four lines to paste" 4 ${#lines[@]}
for ((i = 0; i < ${#lines[@]}; i += 2)); do
	eval "${lines[i]% &} >$work/server 2>&1 &"
	device=$(grep -o -- '-d [^ ]*' <<<"${lines[i]}" | cut -c 4-)
	listens() { fabctl exec h2 ss -ltn | grep -q :18515; }
	eventually 20 listens
	check "${lines[i + 1]}" timeout 60 bash -c "${lines[i + 1]}"
	said "$device: it tells the time of an iteration" "usec/iter"
	wait
done
