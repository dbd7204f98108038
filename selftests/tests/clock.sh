#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fabric time: it stands still when frozen, moves a hop a step, takes as long as
# the pace says, gives a link exactly its rate, and repeats itself.
#
#	g1 \
#	     s1 -- g3		(ghost hosts)
#	g2 /
. "$(dirname "$0")/../lib.sh"

cat >"$work/lab.yaml" <<'END'
nodes:
  - { name: s1, kind: eth-switch, ports: 4 }
  - { name: g1, kind: host, live: false }
  - { name: g2, kind: host, live: false }
  - { name: g3, kind: host, live: false }
links:
  - { a: g1, b: s1 }
  - { a: g2, b: s1 }
  - { a: g3, b: s1 }
END
load
on_exit fabctl down
up() { fabctl up --topology "$work/lab.yaml" >/dev/null 2>&1; }
check "up" up

now() { fabctl -j show fabric | json "d['time_ns']"; }
gen() { fabctl -j gen "$@" >"$work/gen"; }
got() { json "d['$1']" <"$work/gen"; }

fabctl freeze >/dev/null
before=$(now)
sleep 0.5
equal "frozen time stands still" "$before" "$(now)"
refused "no step without freezing" "frozen|freeze" bash -c 'fabctl thaw >/dev/null; fabctl step'

# Two senders into one 100 Gb/s port: it is busy from the first frame to the last.
gen g3-eth dst=ff:ff:ff:ff:ff:ff count=1
gen g1-eth dst=g3 count=600 size=9000 g2-eth dst=g3 count=600 size=9000
# Frames with header, preamble, FCS and gap; the time is from the first one
# sent to the last one arrived: one more serialisation, 700 ns of cables and switch.
bits=$(($(got received) * (9000 + 14 + 24) * 8))
time=$(($(got last_ns) - $(got first_ns) - 723 - 700))
between "a 100 Gb/s link delivers its rate within 1 %" 99 101 $((bits * 1000 / time / 1000))

fabctl set fabric pace=100 >/dev/null
real=$(date +%s%N) fabric=$(now)
sleep 1
fabric=$(($(now) - fabric)) real=$(($(date +%s%N) - real))
check "pace 100: a fabric second takes at least 100 s" test $((fabric * 100)) -le $real
check "but time goes on" test $fabric -gt 0
fabctl set fabric pace=1 >/dev/null

# The same list and seed give the same events, byte for byte.
tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || tracing=/sys/kernel/debug/tracing
trace() { # FILE: one run in a new fabric, its events without ftrace's own prefix
	fabctl down >/dev/null
	up
	fabctl set link g1-s1 loss=2% ber=1e-7 >/dev/null
	fabctl set switch s1 buffer=64K >/dev/null
	echo >$tracing/trace
	echo 1 >$tracing/events/fabsim/enable
	gen --at 1000s --seed 7 g1-eth dst=g3 count=500 size=1500 interval=100ns jitter=300ns \
		g2-eth dst=g3 count=500 size=1500 interval=130ns
	echo 0 >$tracing/events/fabsim/enable
	grep -v '^#' $tracing/trace | sed 's/^.*: \(fabsim_[a-z]*: \)/\1/' >"$1"
	cp "$work/gen" "$1.gen"
}
if [ -e $tracing/events/fabsim ]; then
	trace "$work/first"
	trace "$work/second"
	between "a run leaves a trace" 2000 20000 "$(wc -l <"$work/first")"
	check "two runs with one seed are equal, byte for byte" cmp "$work/first" "$work/second"
	check "and so are their results" cmp "$work/first.gen" "$work/second.gen"
	between "with drops in them" 1 999 "$(json "d['dropped']" <"$work/first.gen")"
else
	skip "the trace" "no tracefs in this kernel"
fi

refused "a start in the past" "past" fabctl gen --at 1ns g1-eth dst=g3 count=1
refused "an unknown port" "g9" fabctl gen g9-eth dst=g3 count=1
refused "a pace of nothing" "pace" fabctl set fabric pace=0
