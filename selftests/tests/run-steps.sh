#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl run: scenarios that change the lab (topology, steps), and what happens
# when a path fails or fabctl is killed.
#
#	h1 --- es1 --- h2	(star, h1..h4; a ring once; h5 comes and goes)
. "$(dirname "$0")/../lib.sh"
need ip

load

status() { "$@" >"$work/out" 2>"$work/err"; echo $?; }
metric() { json "$1" <"$work/out"; }

lab_up
cat >"$work/ring.yaml" <<-END
	title: another topology
	topology: ring
	traffic: {from: h1, to: h2, messages: 10, size: 4K}
END
equal "a scenario with another topology" 0 "$(status fabctl -j run "$work/ring.yaml")"
equal "the change was said" true "$(metric 'any("ring" in n for n in d["notes"])')"

# -- first-packet -------------------------------------------------------------

equal "first-packet meets its expectations" 0 "$(status fabctl -j run first-packet)"
equal "and again, with h5 there" 0 "$(status fabctl -j run first-packet)"
equal "h5 was taken away first, and that was said" true "$(metric 'any("h5" in n for n in d["notes"])')"

# -- failures -----------------------------------------------------------------

cat >"$work/down.yaml" <<-END
	title: the receiver's link is down
	steps:
	  - {name: cut, do: [link down h2-es1, send h1 h2]}
	expect:
	  - {metric: tcp.state, operator: "=", value: failed}
	  - {metric: steps.cut.reason, operator: "!=", value: none}
END
SECONDS=0
equal "a failure that was expected: status 0" 0 "$(status fabctl -j run "$work/down.yaml")"
between "and it did not take long" 0 "$(limit 4)" "$SECONDS"
check "the cause is named" grep -q "link h2-es1 is down" "$work/out"

# A killed fabctl leaves neither programs nor probes.
fabctl run baseline --set messages=50000 --set size=4K >/dev/null 2>&1 &
sleep 2
kill -9 $!
wait $! 2>/dev/null
check "after kill -9 no program is left" eventually 5 sh -c '! ip netns pids h1 | grep .'
equal "and the next run works" 0 "$(status fabctl -j run baseline --set messages=50)"
