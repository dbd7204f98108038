#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl run: its rules. Exit status, settings, what it undoes, what it says.
#
#	h1 --- es1 --- h2	(star, h1..h4)
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
