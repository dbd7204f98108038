#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a link can be told to do wrong, counted to the frame by the generator.
#
#	g1 --- s1 --- g2
. "$(dirname "$0")/../lib.sh"

cat >"$work/lab.yaml" <<'END'
nodes:
  - { name: s1, kind: eth-switch, ports: 2 }
  - { name: g1, kind: host, live: false }
  - { name: g2, kind: host, live: false }
links:
  - { a: g1, b: s1 }
  - { a: g2, b: s1 }
END
load
check "up" fabctl up --topology "$work/lab.yaml"

run() { fabctl reset >/dev/null; [ $# = 0 ] || fabctl set link g1-s1 "$@" >/dev/null; }
rx() { fabctl -j show ports | json "[p for p in d if p['name'] == '$1'][0]['rx_packets']"; }
gen() { fabctl -j gen g1-eth dst=g2 count=2000 size=1500 interval=200ns >"$work/gen"; }
got() { json "d['$1']" <"$work/gen"; }
drops() { fabctl -j show ports | json "[p for p in d if p['name'] == '$1'][0]['drops_by'].get('$2', 0)"; }

run; gen
equal "without a fault all arrive" 2000 "$(got received)"

run drop-nth=500; gen
equal "drop-nth loses one" 1999 "$(got received)"
equal "at the port behind the cable" 1 "$(drops s1:1 loss)"

run corrupt-nth=7; gen
equal "corrupt-nth damages one" 1999 "$(got received)"
equal "which the receiver's check finds" 1 "$(drops s1:1 bit_error)"

run loss=5%; gen
lost=$(drops s1:1 loss)
between "5 % loss" 60 140 "$lost"
equal "all are accounted for" 2000 $(($(got received) + lost))
run loss=5%; gen
equal "the same seed loses the same" "$lost" "$(drops s1:1 loss)"
run loss=5% seed=99; gen
check "another seed loses others" test "$lost" != "$(drops s1:1 loss)"

run ber=1e-6; gen
# 1 - (1 - 10^-6)^12112 = 1.2 %: 24 of 2000.
between "bit errors" 5 50 "$(drops s1:1 bit_error)"

run loss=100% dir=b-a; gen
equal "a fault of the other direction does no harm" 2000 "$(got received)"
run loss=100% dir=a-b; gen
equal "one of this direction does" 0 "$(got received)"

run mtu=1000; gen
equal "frames longer than the MTU are dropped" 2000 "$(drops g1-eth mtu)"

run stall=rx-at-B
# Whole frames of 1514 bytes: 86 fit in the 128 KiB that the stalled end holds.
timeout 3 fabctl -j gen g1-eth dst=g2 count=200 size=1500 >"$work/gen" 2>&1 || true
between "a stalled end holds what fits" 110 118 "$(drops s1:1 no_buffer)"
fabctl set link g1-s1 stall=none >/dev/null
sleep 0.3
equal "and delivers it when it goes on" 86 "$(rx g2-eth)"

run
for bad in rate=0.5 rate=1e30 rate=-1G delay=2s mtu=10 mtu=99999 ber=2 loss=101% loss=-1% \
	   drop-nth=-1 stall=everywhere dir=up colour=red rate=; do
	refused "set link $bad" "${bad%%=*}" fabctl set link g1-s1 "$bad"
done
equal "and nothing has changed" 100000000000 "$(fabctl -j show links | json "d[0]['rate_bps']")"
refused "an unknown link" "no link|nolink" fabctl set link nolink rate=1G
