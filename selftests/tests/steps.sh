#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A frozen fabric: one packet, one hop at a time; ten seconds of it do no harm.
#
#	h1 --- es1 --- h2
. "$(dirname "$0")/../lib.sh"
need ip ping

load
lab_up --no-ib
fabctl exec h1 ping -q -c 1 h2 >/dev/null	# ARP is done, nothing but the ping moves

fabctl freeze >/dev/null
fabctl exec h1 ping -q -c 1 -W 60 h2 >"$work/ping" &
ping=$!
rx() { fabctl -j show ports | json "[p for p in d if p['name'] == '$1'][0]['rx_packets']"; }
waits() { test "$(cat /proc/$ping/stat 2>/dev/null | awk '{ print $3 }')" = S; }
eventually 10 waits
sleep 0.5
at_switch=$(rx es1:1) at_host=$(rx h2-eth)
check "one step" fabctl step
equal "the packet is in the switch" $((at_switch + 1)) "$(rx es1:1)"
equal "and not yet at the host" "$at_host" "$(rx h2-eth)"
check "one more" fabctl step
equal "now it is" $((at_host + 1)) "$(rx h2-eth)"
sleep 10
check "ten seconds later the ping still waits" kill -0 $ping
fabctl thaw >/dev/null
wait $ping
equal "and has its answer when time goes on" 0 $?
equal "no complaint of a queue that stood still" 0 "$(dmesg | grep -c 'NETDEV WATCHDOG')"
