#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What only the kernel's own verbs reach, from a client of ib_core's (selftests/client),
# on both networks.
#
#	h1 --- es1, is1 --- h2	(star, h1..h4)
. "$(dirname "$0")/../lib.sh"
need_file "${FABSIM_CLIENT:-none}"
file=/sys/kernel/debug/fabsim_client

load
lab_up
check "the client" insmod "$FABSIM_CLIENT" fabctl="$(command -v fabctl)"
on_exit rmmod fabsim_client

# A case has its own time limits for what may not happen.
run() { # CASE DEVICE DEVICE
	echo "$*" >$file || fail "$*: does not run"
	cases "${2#*-}: " <$file
}

gone() { ! kill -0 "$1"; }

for net in ib roce; do
	for case in messages datagrams fast-registration keys states queues not-ready events dereg drain; do
		run $case h1-$net h2-$net
	done
	# To the HCA itself, and so without a link.
	run messages h1-$net h1-$net
done

# A link so slow that packets queue for as long as anybody may look.
fabctl set link h1-is1 rate=10M >/dev/null
fabctl set link h1-es1 rate=10M >/dev/null
for net in ib roce; do
	run early-free h1-$net h2-$net
done
fabctl reset >/dev/null

# A program that is killed with a MAD on its way has to wait for its completion.
if command -v perfquery >/dev/null && modprobe ib_umad; then
	on_exit rmmod ib_umad
	lid=$(($(</sys/class/infiniband/h2-ib/ports/1/lid)))
	fabctl freeze >/dev/null
	perfquery -C h1-ib -P 1 -t 60000 $lid 1 >/dev/null 2>&1 &
	program=$!
	check "it waits for an answer" eventually 10 grep -q poll /proc/$program/wchan
	kill -KILL $program
	check "a program with a MAD on its way is killed, frozen" eventually 10 gone $program
	fabctl thaw >/dev/null
	wait $program 2>/dev/null
fi

# A device that goes takes its users along, whether time moves or not.
for net in ib roce; do
	run hold h1-$net h2-$net
done
check "freeze" fabctl freeze
check "host del, frozen, with connections in use" fabctl host del h1
cases <$file
check "thaw" fabctl thaw
for net in ib roce; do
	run hold h3-$net h4-$net
done
check "freeze" fabctl freeze
check "down, frozen, with connections in use" fabctl down
cases <$file
