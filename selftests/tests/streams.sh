#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Real TCP through what links and people do to it: what arrives is what was sent.
#
#	h1 -- es1 -- h2
. "$(dirname "$0")/../lib.sh"
need socat ethtool

load
lab_up --hosts 2
on_exit pkill -x socat

head -c 8000000 /dev/urandom >"$work/data"

stream() { carry "$work/data" "$work/got" "$@"; } # SIZE COMMAND...
ports() { fabctl -j show ports | json "[p for p in d if p['name'] == '$1'][0]$2"; }
cuts() { ip netns exec h1 ethtool -S h1-eth | awk '/tx_tso_cuts/ { print $2 }'; }
offload() { for h in h1 h2; do ip netns exec $h ethtool -K $h-eth tso "$1" gso "$1" >/dev/null; done; }
set_links() { for l in h1-es1 h2-es1; do fabctl set link $l "$@" >/dev/null || return; done; }

check "frames of a finite rate" stream 65536 true
check "were cut by the NIC" test "$(cuts)" -gt 0

set_links rate=max
fabctl reset >/dev/null; set_links rate=max
check "segments that travel whole" stream 65536 true
equal "were not cut" 0 "$(cuts)"

flip() {
	local i
	for i in 1 2 3 4 5 6; do
		set_links rate=1G; sleep 0.1; set_links rate=max; sleep 0.1
	done
}
check "a rate that changes in mid-stream" stream 16384 flip

smaller() { fabctl set link h2-es1 mtu=1500 && sleep 0.3 && fabctl set link h2-es1 mtu=9000; }
check "a hop that takes smaller frames for a while" stream 16384 smaller

# A lost frame is sent again from the bytes that its clones have shared with the
# receiver: nobody may have changed them (GRO would).
for off in on off; do
	offload $off
	set_links loss=2%
	check "loss, segmentation offload $off" stream 4000 true
	set_links loss=0 corrupt-nth=50
	check "a damaged frame, segmentation offload $off" stream 4000 true
	set_links corrupt-nth=0
done
offload on
check "something was sent again" test "$(ip netns exec h1 nstat -asz TcpRetransSegs | awk '/Tcp/ { print $2 }')" -gt 20

cut() { fabctl link down h1-es1 && sleep 0.5 && fabctl link up h1-es1; }
check "a cable that is pulled and put back in mid-stream" stream 4000 cut

# The queues of the NIC stand still for 10 s: no watchdog may bark (the run looks).
freeze() { fabctl freeze && sleep 10 && fabctl thaw; }
set_links rate=50M
check "10 s of frozen time in mid-stream" stream 4000 freeze
set_links rate=100G

fabctl freeze >/dev/null
before=$(fabctl -j show fabric | json "d['time_ns']")
sleep 1
fabctl set fabric pace=2 >/dev/null
equal "frozen time stands still, whatever is set" "$before" "$(fabctl -j show fabric | json "d['time_ns']")"
fabctl set fabric pace=1 >/dev/null
fabctl thaw >/dev/null

before=$(fabctl -j show fabric | json "d['time_ns']")
sleep 1
check "time goes on in an idle fabric" test "$(fabctl -j show fabric | json "d['time_ns']")" -ge $((before + 1000000000))
fabctl reset >/dev/null
sleep 2
lag=$(fabctl -j show fabric | json "d['lag_ns']")
fabctl gen h1-eth dst=h2 count=1 >/dev/null
between "to have been idle is not to lag" 0 1000000000 $(($(fabctl -j show fabric | json "d['lag_ns']") - lag))

before=$(ip -j -s -n h1 link show h1-eth | json "d[0]['stats64']['tx']['bytes']")
fabctl reset >/dev/null
check "a net_device's counters survive a reset" \
	test "$(ip -j -s -n h1 link show h1-eth | json "d[0]['stats64']['tx']['bytes']")" -ge "$before"
check "and were not 0" test "$before" -gt 8000000

for h in 1 2; do
	ip -n h$h link add link h$h-eth name outer type vlan proto 802.1ad id 5
	ip -n h$h link add link outer name inner type vlan id 6
	ip -n h$h link set outer up
	ip -n h$h link set inner up
	ip -n h$h addr add 10.9.0.$h/24 dev inner
done
check "full frames with two tags" ip netns exec h1 ping -c 3 -i 0.2 -s 8972 -M 'do' 10.9.0.2

# What is in flight is nobody's memory but the fabric's: it has an end.
set_links rate=max delay=1s
fabctl -j gen h1-eth dst=h2 count=30000 size=9000 interval=1ns >"$work/gen"
got() { json "d['$1']" <"$work/gen"; }
check "a long cable holds a lot" test "$(got received)" -gt 1000
check "but not everything" test "$(got received)" -lt 30000
# At each of the two cables; a few frames of the hosts themselves may be among them.
lost=$(($(ports es1:1 "['drops_by'].get('no_memory', 0)") + $(ports h2-eth "['drops_by'].get('no_memory', 0)")))
between "the rest is counted" 30000 30100 $(($(got received) + lost))
