#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl up is killed (-9) in each of its phases: whoever comes next, "up" or
# "down", removes exactly what is left. And what is in its way but not its own is
# named and not touched.
#
#	h1 ── es1 ── h2 …
. "$(dirname "$0")/../lib.sh"
need ip strace
load
on_exit fabctl down

state() { fabctl -j show fabric | json "d['state']"; }
left() {
	fabctl -j show fabric | json "d['nodes']"
	find /run/netns /etc/netns /run/fabsim -name 'h[1-4]' -o -path '/run/fabsim*' 2>/dev/null
}

# Each phase is the N-th call of a system call: a namespace gets its name
# (mount), a line is recorded (write), the module is told (sendmsg), a name file
# is made (symlink, mkdir).
for phase in "mount 2" "mount 4" "write 4" "write 7" "write 14" "sendmsg 4" "sendmsg 9" \
	"symlink 3" "mkdir 5"; do
	read -r call nth <<<"$phase"
	status=0
	{ strace -f -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=SIGKILL:when=$nth" \
		fabctl up >/dev/null 2>&1; } 2>/dev/null || status=$?
	equal "killed at $phase" 137 $status
	case $nth in
	*[02468]) check "killed at $phase: up again (it was $(state))" fabctl up ;;
	esac
	check "killed at $phase: down" fabctl down
	equal "killed at $phase: nothing is left" 0 "$(left)"
done

ip netns add h2
on_exit ip netns del h2
refused "a namespace in the way" "namespace h2 exists" fabctl up
equal "and nothing was begun" empty "$(state)"
check "it is still there" ip netns exec h2 true
ip netns del h2

mkdir -p /etc/netns/h3
on_exit rm -rf /etc/netns/h3
echo mine >/etc/netns/h3/hosts
refused "a file in the way" "/etc/netns/h3/hosts exists" fabctl up
equal "it was not touched" mine "$(cat /etc/netns/h3/hosts)"
mv /etc/netns/h3/hosts /etc/netns/h3/networks

check "up" fabctl up
refused "a second up says what is in the way" "a lab is up already \(star, 6 nodes\)" fabctl up
ip netns del h1
equal "a host without its namespace is orphaned" orphaned \
	"$(fabctl -j show hosts | json "d[0]['state']")"
ip netns add h1
on_exit ip netns del h1
check "down, with somebody else's h1" fabctl down
equal "says that it left it alone" 1 "$(grep -c "left alone: namespace h1" <<<"${out:?}")"
check "which is true" ip netns exec h1 true
equal "somebody else's file stayed, too" mine "$(cat /etc/netns/h3/networks)"
ip netns del h1

check "up" fabctl up
rmmod fabsim
check "down after the module went" fabctl down
equal "left no namespace" "" "$(ls /run/netns)"
modprobe fabsim
check "up" fabctl up
rmmod fabsim
modprobe fabsim
check "up after the module went" fabctl up
check "down" fabctl down
fabctl up >/dev/null 2>&1 &
first=$!
fabctl up >/dev/null 2>&1
second=$?
wait $first
equal "of two at once, one wins" 3 $((second + $?))
