#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Everything can be taken away at any time: hosts, links, namespaces, the module,
# under traffic, frozen, and while somebody listens.
#
#	h1 --- es1 --- h2	(star, h1..h4)
. "$(dirname "$0")/../lib.sh"
need ip ping

load
on_exit fabctl down
up() { out=$(fabctl up 2>&1) || fail "up" "$out"; }
flood() { ip netns exec h1 ping -q -f -w 30 10.0.0.2 >/dev/null 2>&1 & flood=$!; sleep 0.3; }
stop() { kill "$flood" 2>/dev/null; wait "$flood" 2>/dev/null; }
gone() { ! test -e /sys/module/fabsim; }

up; flood
check "rmmod under traffic" rmmod fabsim
check "the module is gone" gone
stop
modprobe fabsim
check "a lab whose module went: down cleans up" fabctl down

up; flood
check "down under traffic" fabctl down
stop

up
fabctl capture -w /dev/null >/dev/null 2>&1 &
capture=$!
fabctl monitor >/dev/null 2>&1 &
monitor=$!
sleep 0.5; flood
check "rmmod under a capture and a monitor" rmmod fabsim
stop
ended() { ! kill -0 $capture 2>/dev/null && ! kill -0 $monitor 2>/dev/null; }
check "which end by themselves" eventually 10 ended
modprobe fabsim
fabctl down >/dev/null 2>&1

up; flood
fabctl freeze >/dev/null
sleep 0.5
check "rmmod while frozen" rmmod fabsim
stop
modprobe fabsim
fabctl down >/dev/null 2>&1

# A namespace that something else keeps alive after its name is gone.
up
ip netns exec h2 sleep 60 &
holder=$!
sleep 0.3
ip netns del h2
check "down while a process holds a namespace" fabctl down
kill $holder

up; flood
check "ip netns del under traffic" ip netns del h2
orphan() { fabctl -j show hosts | json "[h for h in d if h['name'] == 'h2'][0]['state']" | grep -q orphan; }
check "its host is an orphan" eventually 10 orphan
stop
check "down removes it" fabctl down
equal "no device is left" 0 "$(ip -o link | grep -c -- '-eth')"

up; flood
mid() { fabctl link down h1-es1 && sleep 0.2 && fabctl link up h1-es1; }
check "a link goes and comes in mid-stream" mid
stop
check "traffic goes on" ip netns exec h1 ping -q -c 2 -W 3 10.0.0.2
flood
check "a host is plugged in under traffic" fabctl host add h9
check "and taken away" fabctl host del h9
check "the host that receives is taken away" fabctl host del h2
stop
check "down" fabctl down

many() {
	local i
	for ((i = 0; i < $1; i++)); do
		fabctl up >/dev/null 2>&1 && fabctl down >/dev/null 2>&1 || return
	done
}
# KASAN holds freed objects back for a while; that kernel is slow, and has kmemleak.
if [ -e /sys/kernel/debug/kmemleak ]; then
	check "up and down twice" many 2
	skip "no objects left" "kmemleak looks for them in this kernel"
else
	many 5
	before=$(slab_objects)
	check "up and down 15 times" many 15
	between "no objects left" $((before - 1000000)) $((before + 3000)) "$(slab_objects)"
fi
