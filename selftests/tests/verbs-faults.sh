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
qps=${FABSIM_QPS-150} connects=${FABSIM_CONNECTS-40} completions=${FABSIM_COMPLETIONS-3000}
rounds=${FABSIM_ROUNDS-3000} seed=${FABSIM_SEED-1}

load
lab_up
objects() { rdma resource show; }
before=$(objects)
gid() { if [ "$1" = ib ]; then echo 0; else echo 1; fi; }
said_log() { # DESCRIPTION PATTERN
	out=$(dmesg | grep -E 'h[0-9]+-(ib|roce): ' | tail -40)
	said "$1" "$2"
}
run() { # LAYER SUBCOMMAND ARGUMENT...
	local layer=$1 command=$2
	shift 2
	timeout "$(limit 60)" "$verbs" "$command" "h1-$layer" "h2-$layer" "$(gid "$layer")" "$@"
}
back() { [ "$(objects)" = "$before" ]; }
# Started without anything in between, so that $! is the program itself.
stream() { # LAYER OUTPUT
	"$verbs" stream "h1-$1" "h2-$1" "$(gid "$1")" >"$2" 2>&1 &
}

for layer in ib roce; do
	cases "$layer: " < <(run $layer faults)
	cases "$layer: " < <(run $layer frozen)
	cases "$layer: " < <(timeout 20 "$verbs" memlock h1-$layer)
	cases "$layer: " < <(run $layer connects "$connects")
done
said_log "the log names the limit, and what is in use" "pins 786432 bytes.*1048576 bytes, 524288 in use"
cases "ib: " < <(run ib many "$qps")
# Where a completion stays unread for 100 us an event is due; in that kernel each does.
if [ -e /sys/kernel/debug/kmemleak ]; then
	skip "ib: a channel that nobody reads does not fill up" "too slow a kernel"
else
	cases "ib: " < <(run ib poll-only "$completions")
fi
check "object counts are back" eventually 10 back

# -- scribbling ---------------------------------------------------------------

# An honest program's traffic goes on all the while; then it is killed in mid-transfer.
for layer in ib roce; do
	stream $layer "$work/honest"
	honest=$!
	eventually 20 grep -q running "$work/honest"
	for ((i = 0; i < 2; i++)); do
		cases "$layer: " < <(run $layer hostile $((seed + i)) "$rounds")
	done
	check "$layer: others' traffic went on" kill -0 $honest
	equal "$layer: without an error" running "$(<"$work/honest")"
	kill -9 $honest
	wait $honest 2>/dev/null
	check "$layer: killed in mid-transfer: object counts are back" eventually 10 back
	cases "$layer: " < <(run $layer connects 2)
done

# -- the HCA goes -------------------------------------------------------------

# On each link layer a program in mid-transfer and one that is stopped; and one that is idle.
users() {
	local layer
	pids=()
	for layer in ib roce; do
		for n in 1 2; do
			stream $layer "$work/$layer.$n"
			pids+=($!)
		done
	done
	"$verbs" hold h1-ib h2-ib 0 4 <"$work/stdin" >"$work/hold" 2>&1 &
	pids+=($!)
	exec 3>"$work/stdin"
	for layer in ib roce; do
		for n in 1 2; do eventually 20 grep -q running "$work/$layer.$n"; done
	done
	eventually 20 grep -q running "$work/hold"
	kill -STOP "${pids[1]}" "${pids[3]}"
}
verdicts() { # HOW
	kill -CONT "${pids[1]}" "${pids[3]}"
	for layer in ib roce; do
		for n in 1 2; do
			check "$1: $layer: program $n gets an error" eventually 20 grep -q "^error" "$work/$layer.$n"
			check "$1: and is refused verbs" eventually 10 grep -q "^refused: Input/output error" "$work/$layer.$n"
		done
	done
	exec 3>&-
	wait "${pids[@]}"
}

mkfifo "$work/stdin"
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
