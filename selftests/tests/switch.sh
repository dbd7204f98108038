#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An Ethernet switch learns, floods, forwards, forgets, shares its memory and
# drops what does not fit. The generator sends, so every number is exact.
#
#	g1 \
#	g2 -- s1 -- g4		(ghost hosts: no network stack disturbs)
#	g3 /
. "$(dirname "$0")/../lib.sh"

cat >"$work/lab.yaml" <<'END'
nodes:
  - { name: s1, kind: eth-switch, ports: 8 }
  - { name: g1, kind: host, live: false }
  - { name: g2, kind: host, live: false }
  - { name: g3, kind: host, live: false }
  - { name: g4, kind: host, live: false }
links:
  - { a: g1, b: s1 }
  - { a: g2, b: s1 }
  - { a: g3, b: s1 }
  - { a: g4, b: s1 }
END
load
check "up" fabctl up --topology "$work/lab.yaml"

sw() { fabctl -j show switches | json "[s for s in d if s['name'] == 's1'][0]['$1']"; }
drops() { fabctl -j show ports | json "[p for p in d if p['name'] == '$1'][0]['drops_by'].get('$2', 0)"; }
rx() { fabctl -j show ports | json "[p for p in d if p['name'] == '$1'][0]['rx_packets']"; }
gen() { fabctl -j gen "$@" >"$work/gen"; }
got() { json "d['$1']" <"$work/gen"; }

gen g1-eth dst=g4 count=1
equal "an unknown address is flooded" 1 "$(sw flooded)"
equal "and reaches its host" 1 "$(got received)"
equal "and the two others, whose NICs are not addressed" 1 "$(rx g2-eth)"
equal "the sender is learned" 1 "$(sw learned)"
gen g4-eth dst=g1 count=1
equal "a known address is not flooded" 1 "$(sw flooded)"
equal "but forwarded" 1 "$(sw forwarded)"
gen g1-eth dst=g4 count=10
equal "now the first one's way is known too" 10 "$(got received)"
equal "two addresses in the table" 2 "$(fabctl -j show fdb | json 'len(d)')"
gen g2-eth dst=ff:ff:ff:ff:ff:ff count=5
equal "a broadcast goes to all others" 15 "$(got received)"

fabctl set switch s1 ageing=50ms >/dev/null
sleep 0.3
equal "unseen addresses are forgotten" 0 "$(fabctl -j show fdb | json 'len(d)')"
gen g1-eth dst=g4 count=1
equal "and flooded again" 7 "$(sw flooded)"
fabctl set switch s1 ageing=300s >/dev/null

# Three senders at line rate into one port: two of three frames have no place.
fabctl set switch s1 buffer=64K >/dev/null
gen g4-eth dst=ff:ff:ff:ff:ff:ff count=1
gen g1-eth dst=g4 count=1000 size=1500 g2-eth dst=g4 count=1000 size=1500 g3-eth dst=g4 count=1000 size=1500
equal "all are accounted for" 3000 $(($(got received) + $(got dropped)))
between "a full buffer drops" 1000 2000 "$(got dropped)"
equal "the drops are the switch port's, for congestion" "$(got dropped)" "$(drops s1:4 congestion)"
between "alpha 1: the queue had half of the memory" 31000 36000 \
	"$(fabctl -j show ports | json "[p for p in d if p['name'] == 's1:4'][0]['queue_peak']")"
equal "nothing is left in the buffer" 0 "$(sw buffer_used)"

# A higher priority passes the queue of a lower one.
fabctl set switch s1 buffer=2M >/dev/null
gen g1-eth dst=g4 count=200 size=1500 prio=1 g2-eth dst=g4 count=200 size=1500 prio=1 g3-eth dst=g4 count=100 size=1500 prio=6
equal "with memory enough nothing is dropped" 500 "$(got received)"

fabctl reset >/dev/null
equal "reset forgets addresses" 0 "$(fabctl -j show fdb | json 'len(d)')"
equal "and counters" 0 "$(sw flooded)"
equal "and settings" 2097152 "$(sw buffer)"
