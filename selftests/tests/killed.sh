#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kill -9 of fabctl at any moment of `up` and `down`: what is left is removed by
# the next `down`, and the next `up` works.
. "$(dirname "$0")/../lib.sh"
need ip ping

load
on_exit fabctl down
left() { ip netns list; ip -o link | grep -- -eth; ls /etc/netns /run/fabsim 2>/dev/null; }
before=$(left)

killed_after() { # SECONDS COMMAND...
	local delay=$1
	shift
	"$@" >/dev/null 2>&1 &
	sleep "$delay"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
}

# `up` takes a tenth of a second and more; step through it.
for delay in 0.02 0.05 0.08 0.11 0.14 0.18 0.22 0.3 0.4; do
	killed_after $delay fabctl up
	check "killed after $delay s: down" fabctl down
	equal "killed after $delay s: nothing is left" "$before" "$(left)"
done
for delay in 0.03 0.07 0.12 0.2; do
	killed_after $delay fabctl up
	# Either it was complete, which `up` says, or this one builds it.
	if ! out=$(fabctl up 2>&1) && ! grep -q 'is up already' <<<"$out"; then
		fail "killed after $delay s: the next up" "$out"
	else
		check "killed after $delay s: the next up works" ip netns exec h1 ping -q -c 1 -W 3 10.0.0.4
	fi
	killed_after $delay fabctl down
	check "down killed after $delay s: the next down" fabctl down
	equal "down killed after $delay s: nothing is left" "$before" "$(left)"
done

# What is not ours is not touched.
ip netns add h2
on_exit ip netns del h2
refused "a namespace that is not ours is in the way" "h2" fabctl up
check "and is still there" ip netns exec h2 true
ip netns del h2
