#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl run: what path tcp must measure in "baseline" and in a stream.
#
#	h1 --- es1 --- h2	(star, h1..h4)
. "$(dirname "$0")/../lib.sh"
need ip

load
on_exit fabctl down

status() { "$@" >"$work/out" 2>"$work/err"; echo $?; }
metric() { json "$1" <"$work/out"; }

# -- baseline -----------------------------------------------------------------

equal "baseline starts a lab and meets its expectations" 0 "$(status fabctl -j run baseline)"
equal "it said that it started a lab" true "$(metric 'd["lab_started"]')"
equal "ok" true "$(metric 'd["ok"]')"
equal "state" ok "$(metric 'd["paths"]["tcp"]["state"]')"
equal "every byte verified" 4096000 "$(metric 'd["paths"]["tcp"]["verified_bytes"]')"
for side in sender receiver; do
	of="d['paths']['tcp']['host']['$side']"
	between "$side: copies of each byte" 0.99 1.05 "$(metric "${of}['copied_bytes'] / 4096000")"
	between "$side: syscalls a message" 1.0 1.1 "$(metric "${of}['syscalls'] / 1000")"
	equal "$side: no page fault in the window" 0 "$(metric "${of}['page_faults']")"
	between "$side: CPU time was measured" 1 1e12 "$(metric "${of}['cpu_ns']")"
done
network="d['paths']['tcp']['network']"
between "one message at a time is one packet a message" 1000 1010 "$(metric "${network}['data_packets']")"
between "the receiver was interrupted" 500 5000 "$(metric "d['paths']['tcp']['host']['receiver']['interrupts']")"
equal "TCP header with its time stamps" 32 "$(metric "${network}['header_bytes']['transport']")"
equal "Ethernet, IP and FCS" 38 "$(metric "${network}['header_bytes']['wrapper']")"
equal "three segments to connect" 3 "$(metric "${network}['bring_up']['tcp_segments']")"
# Two links of 100 Gb/s (4162 bytes of frame, about 333 ns each), their delays
# of 50 ns, 600 ns in the switch: the settings of the default lab.
between "time on the wire" 1200 1600 "$(metric "${network}['wire_ns']")"
equal "the switch learned where h2 is" "es1 learned" "$(metric "${network}['forwarding_from']")"
equal "the stages in order" "sender network receiver" \
	"$(metric '" ".join(dict.fromkeys(s["side"] for s in d["paths"]["tcp"]["stages"]))')"
equal "the lab stays up" ready "$(cat /sys/kernel/fabsim/state)"
equal "sysfs has the syscalls" 1000 "$(cat /sys/kernel/fabsim/paths/tcp/sender/syscalls)"

# -- the table ----------------------------------------------------------------

equal "as text" 0 "$(status fabctl run baseline -e --set messages=50)"
equal "no line over 80 columns" "[]" "$(python3 -c '
import sys
print([line for line in open(sys.argv[1], encoding="utf-8") if len(line.rstrip()) > 80])' "$work/out")"
equal "ASCII if asked for" 0 "$(status fabctl --ascii run baseline --set messages=50)"
equal "no byte beyond ASCII" 0 "$(LC_ALL=C grep -c '[^ -~]' "$work/out")"

# What compares two paths is not expected of one.
for path in tcp roce; do
	equal "path $path alone meets what is expected of it" 0 "$(status fabctl -j run baseline --path $path --set messages=50)"
	between "path $path alone: that is something" 4 20 "$(metric 'len(d["expect"])')"
done

# -- a stream -----------------------------------------------------------------

cat >"$work/stream.yaml" <<-END
	title: 20 MB back to back
	traffic: {from: h1, to: h2, messages: 5000, size: 4K, order: back to back}
	expect:
	  - {metric: tcp.state, operator: "=", value: ok}
END
equal "a stream of 20 MB" 0 "$(status fabctl -j run "$work/stream.yaml")"
for side in sender receiver; do
	between "stream, $side: the probes' bytes within 1 %" 20275200 20684800 \
		"$(metric "d['paths']['tcp']['host']['$side']['copied_bytes']")"
done
