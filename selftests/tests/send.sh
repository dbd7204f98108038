#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl send: the lab as it is, and the reason where it fails.
#
#	h1 --- es1, is1 --- h2	(star, h1..h4)
. "$(dirname "$0")/../lib.sh"
need ip

load
refused "no lab" "fabctl up" fabctl send
lab_up

status() { "$@" >"$work/out" 2>"$work/err"; echo $?; }
metric() { json "$1" <"$work/out"; }
tcp="d['paths']['tcp']"

equal "h1 to h2" 0 "$(status fabctl -j send)"
for path in tcp roce ib; do
	equal "$path: ok" ok "$(metric "d['paths']['$path']['state']")"
	equal "$path: every byte verified" 409600 "$(metric "d['paths']['$path']['verified_bytes']")"
done
for op in read send; do
	equal "--op $op" 0 "$(status fabctl -j send --path roce,ib --op $op --count 10)"
	equal "$op: every byte verified" "40960 40960" \
		"$(metric '" ".join(str(p["verified_bytes"]) for p in d["paths"].values())')"
done
equal "h1 to h2 over path tcp" 0 "$(status fabctl -j send --path tcp)"
equal "no other path" tcp "$(metric '" ".join(d["paths"])')"
equal "every byte verified" 409600 "$(metric "${tcp}['verified_bytes']")"
between "latency" 1 1e9 "$(metric "${tcp}['latency_ns']['p50']")"
check "p50 is not above p99" test "$(metric "${tcp}['latency_ns']['p50'] <= ${tcp}['latency_ns']['p99']")" = true
between "goodput" 1 1e12 "$(metric "${tcp}['goodput_bps']")"
equal "other hosts, count, size" 0 "$(status fabctl -j send h3 h4 --count 7 --size 100)"
equal "7 messages of 100 B" 700 "$(metric "${tcp}['verified_bytes']")"
equal "large messages" 0 "$(status fabctl -j send h4 h1 --count 3 --size 1M)"

refused "an unknown host" "h9" fabctl send h1 h9
refused "to itself" "itself" fabctl send h1 h1
refused "an unknown path" "no path" fabctl send --path carrier-pigeon
refused "too much" "256 MiB" fabctl send --size 1G

# fails DESCRIPTION REASON [PATHS]: within 2 s a path (and something for the VM), status 1.
fails() {
	SECONDS=0
	equal "$1: status 1" 1 "$(status fabctl -j send h1 h2 --count 10 --path "${3-tcp}")"
	between "$1: at once" 0 "$(limit 12)" "$SECONDS"
	if grep -qE "$2" "$work/out"; then pass "$1: the reason"; else fail "$1: the reason" "$(cat "$work/out")"; fi
}
# The kernel starts a device whose carrier is back a moment later, so try again.
heals() { check "$1: healed" eventually 10 fabctl send h1 h2 --count 10 --path "${2-tcp}"; }

fabctl link down h2-es1 >/dev/null
fails "the receiver's link is down" "link h2-es1 is down"
fabctl link up h2-es1 >/dev/null
heals "the receiver's link"

fabctl link down h1-es1 >/dev/null
fails "the sender's link is down" "link h1-es1 is down"
fabctl link up h1-es1 >/dev/null
heals "the sender's link"

ip -n h2 link set h2-eth down
fails "the receiver's device is switched off" "h2-eth is switched off in h2"
ip -n h2 link set h2-eth up
heals "the receiver's device"

fabctl link down h2-is1 >/dev/null
fails "the receiver's InfiniBand link is down" "link h2-is1 is down" tcp,roce,ib
equal "the others do not care" "ok ok failed" "$(metric '" ".join(p["state"] for p in d["paths"].values())')"
fabctl link up h2-is1 >/dev/null
heals "the receiver's InfiniBand link" ib

# -- the subnet manager goes: what it wrote stays, and the ends tell their LIDs --

fabctl sm stop >/dev/null
equal "without a subnet manager: all arrive" 0 "$(status fabctl -j send --count 10)"
equal "and it says how" true "$(metric 'd["paths"]["ib"]["lids_over_tcp"]')"
fabctl sm stop --cold >/dev/null
equal "as if none had ever been: status 1" 1 "$(status fabctl -j send --count 10)"
equal "only path 3 fails" "ok ok failed" "$(metric '" ".join(p["state"] for p in d["paths"].values())')"
equal "the reason" true "$(metric 'd["paths"]["ib"]["reason"].startswith("no subnet manager")')"
fabctl sm start >/dev/null
equal "with one again" 0 "$(status fabctl -j send --count 10 --path ib)"
equal "the SA tells the path" false "$(metric 'd["paths"]["ib"]["lids_over_tcp"]')"

fabctl freeze >/dev/null
fails "the fabric is frozen" "frozen"
fabctl thaw >/dev/null
heals "the fabric"
