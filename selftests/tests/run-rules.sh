#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl run: its rules. Exit status, settings, what it undoes, what it says.
#
#	h1 --- es1 --- h2	(star, h1..h4)
# shellcheck source=selftests/lib.sh disable=SC2119
. "$(dirname "$0")/../lib.sh"
need ip

refused "without the module: says what to type" "modprobe fabsim" fabctl run baseline
equal "without the module: status 3" 3 "$(fabctl run baseline >/dev/null 2>&1; echo $?)"

load

status() { "$@" >"$work/out" 2>"$work/err"; echo $?; }
metric() { json "$1" <"$work/out"; }

lab_up
fabctl set link h1-es1 rate=10G >/dev/null
equal "small messages, in a file too" 0 \
	"$(status fabctl -j run baseline --set size=64 --set messages=100 -o "$work/file")"
equal "the file holds the same" "$(cat "$work/out")" "$(cat "$work/file")"
equal "--set came through" 6400 "$(metric 'd["paths"]["tcp"]["verified_bytes"]')"
between "small messages: still one syscall each" 100 110 \
	"$(metric 'd["paths"]["tcp"]["host"]["sender"]["syscalls"]')"
equal "the user's setting was undone, and that was said" true \
	"$(metric 'any("h1-es1" in u and "rate" in u for u in d["undone"])')"

equal "several: an array" 0 "$(status fabctl -j run baseline baseline --set seed=7 --set messages=20)"
equal "two results" 2 "$(metric 'len(d)')"
equal "the seed of --set" 7 "$(metric 'd[1]["seed"]')"
equal "--repeat" 0 "$(status fabctl -j run baseline --repeat 3 --set messages=50)"
equal "three runs" 3 "$(metric 'd["repeat"]["runs"]')"

cat >"$work/missed.yaml" <<-END
	title: cannot be
	traffic: {from: h1, to: h2, messages: 10, size: 4K}
	expect:
	  - {metric: tcp.host.sender.syscalls, operator: "=", value: 0, ask: "How many?"}
END
equal "an expectation missed: status 1" 1 "$(status fabctl run "$work/missed.yaml")"
check "and it is named" grep -q "missed: tcp.host.sender.syscalls should be = 0, is 10" "$work/out"
equal "--ask compares" 1 "$(status fabctl -j run "$work/missed.yaml" --ask <<<10)"
equal "the guess was right" true "$(metric 'd["predictions"][0]["right"]')"

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
