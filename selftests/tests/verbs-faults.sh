#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs that do what they must not, and programs whose HCA goes away. Numbers:
# FABSIM_QPS at once (1,026 was measured), FABSIM_CONNECTS (5,000), FABSIM_COMPLETIONS
# (10^6), FABSIM_ROUNDS of scribbling with seed FABSIM_SEED.
#
#	h1-roce --- es1 --- h2-roce	(star, h1..h4)
#	h1-ib   --- is1 --- h2-ib
. "$(dirname "$0")/../lib.sh"
need ip rdma
program verbs
verbs=$tree/build/programs/verbs
qps=${FABSIM_QPS-150} connects=${FABSIM_CONNECTS-60} completions=${FABSIM_COMPLETIONS-3000}
rounds=${FABSIM_ROUNDS-4000} seed=${FABSIM_SEED-1}

load
lab_up
objects() { rdma resource show; }
before=$(objects)
gid() { if [ "$1" = ib ]; then echo 0; else echo 1; fi; }
said_log() { # DESCRIPTION PATTERN
	out=$(dmesg)
	said "$1" "$2"
}
run() { # LAYER SUBCOMMAND ARGUMENT...
	local layer=$1 command=$2
	shift 2
	timeout "$(limit 60)" "$verbs" "$command" "h1-$layer" "h2-$layer" "$(gid "$layer")" "$@"
}
back() { [ "$(objects)" = "$before" ]; }

for layer in ib roce; do
	cases "$layer: " < <(run $layer faults)
	cases "$layer: " < <(run $layer frozen)
	cases "$layer: " < <(timeout 20 "$verbs" memlock h1-$layer)
	cases "$layer: " < <(run $layer connects "$connects")
done
said_log "the log names the limit, and what is in use" "pins 786432 bytes.*1048576 bytes, 524288 in use"
said_log "a GID of the wrong kind is named" "no path from GID index 0 to ::ffff:10.0.0.2"
cases "ib: " < <(run ib many "$qps")
cases "ib: " < <(run ib poll-only "$completions")
check "object counts are back" eventually 10 back

# -- scribbling ---------------------------------------------------------------

# Two honest programs' traffic goes on all the while.
for layer in ib roce; do
	run $layer stream >"$work/honest" 2>&1 &
	honest=$!
	eventually 20 grep -q running "$work/honest"
	for ((i = 0; i < 3; i++)); do
		cases "$layer: " < <(run $layer hostile $((seed + i)) "$rounds")
	done
	check "$layer: others' traffic went on" kill -0 $honest
	equal "$layer: without an error" running "$(<"$work/honest")"
	cases "$layer: " < <(run $layer connects 2)
	# -- kill -9 in mid-transfer ------------------------------------------
	kill -9 $honest
	wait $honest 2>/dev/null
	check "$layer: killed in mid-transfer: object counts are back" eventually 10 back
	cases "$layer: " < <(run $layer connects 2)
done

# -- the HCA goes -------------------------------------------------------------

# users: one in mid-transfer and one that is stopped, on each link layer; and an idle one.
users() {
	local layer
	pids=()
	for layer in ib roce; do
		for n in 1 2; do
			run $layer stream >"$work/$layer.$n" 2>&1 &
			pids+=($!)
		done
	done
	sleep 1000 | run ib hold 4 >"$work/hold" 2>&1 &
	holder=$!
	for layer in ib roce; do
		for n in 1 2; do eventually 20 grep -q running "$work/$layer.$n"; done
		pkill -STOP -f "verbs stream h1-$layer" -n
	done
	eventually 20 grep -q running "$work/hold"
}
verdicts() { # HOW
	pkill -CONT -f "verbs stream"
	for layer in ib roce; do
		for n in 1 2; do
			check "$1: $layer: program $n gets an error" eventually 20 grep -q "^error" "$work/$layer.$n"
		done
	done
	check "$1: and its verbs are refused" eventually 10 grep -q "^refused: Input/output error" "$work/ib.1"
	pkill -f "^sleep 1000"
	wait "${pids[@]}" $holder 2>/dev/null
}

users
check "down with users, stopped ones too" timeout "$(limit 20)" fabctl down
verdicts down
fabctl up >/dev/null 2>&1 || fail "up again"
before=$(objects)
users
check "rmmod with users, stopped ones too" timeout "$(limit 20)" rmmod fabsim
verdicts rmmod
modprobe fabsim
check "down after that" fabctl down
