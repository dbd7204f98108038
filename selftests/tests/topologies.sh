#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every built-in topology carries traffic, no ring of switches makes a storm, and
# a cut cable is gone round where there is another one.
. "$(dirname "$0")/../lib.sh"
need ip ping

load
pings() { ip netns exec "$1" ping -q -c 2 -i 0.2 -W 3 "$2"; }
broadcasts() { ip netns exec h1 ping -q -b -c 3 -i 0.2 -W 1 10.0.0.255 >/dev/null 2>&1; }
flooded() { fabctl -j show switches | json "sum(s['flooded'] or 0 for s in d)"; }
blocking() { fabctl -j show ports | json "sum(p['state'] == 'blocking' for p in d)"; }
last_host() { fabctl -j show hosts | json "d[-1]['name']"; }
address() { fabctl exec h1 getent hosts "$1" | awk '{ print $1 }'; }

for topology in star diamond chain ring fat-tree:4; do
	check "$topology: up" fabctl up --topology $topology
	last=$(last_host)
	check "$topology: h1 reaches $last by name" fabctl exec h1 ping -q -c 2 -i 0.2 -W 3 "$last"
	check "$topology: and back" pings "$last" 10.0.0.1
	# A storm would flood without end.
	broadcasts
	sleep 0.3
	before=$(flooded)
	sleep 1
	between "$topology: no storm" 0 40 $(($(flooded) - before))
	check "$topology: down" fabctl down
done

check "ring up" fabctl up --topology ring
equal "a ring of four blocks one cable" 2 "$(blocking)"
check "h1 reaches h3" pings h1 10.0.0.3
for link in $(fabctl -j show links | json "' '.join(l['name'] for l in d if l['a'].startswith('es') and l['b'].startswith('es'))"); do
	fabctl link down "$link" >/dev/null
	equal "$link cut: every other cable is used" 0 "$(blocking)"
	check "$link cut: h1 reaches h3 the other way" pings h1 10.0.0.3
	fabctl link up "$link" >/dev/null
done
check "down" fabctl down
