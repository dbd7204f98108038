#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A capture of RDMA packets is what the wire would carry: tshark decodes both
# networks, nothing is malformed, and an independent check finds every ICRC and
# VCRC right. And the counters of management (PMA) count these very bytes.
#
#	h1 ══ es1, is1 ══ h2	(star)
. "$(dirname "$0")/../lib.sh"
need tshark ibv_rc_pingpong ib_write_bw perfquery python3
load
lab_up
roce_gid() { grep -l "0000:0000:0000:0000:0000:ffff" /sys/class/infiniband/"$1"/ports/1/gids/* 2>/dev/null | xargs -n 1 basename | head -1; }
ready() { [ -n "$(roce_gid h1-roce)" ] && [ -n "$(roce_gid h2-roce)" ]; }
eventually 10 ready

pair() { # DESCRIPTION NETWORK PROGRAM ARGUMENT...
	local description=$1 network=$2 job status=0 x1=() x2=()
	shift 2
	if [ "$network" = roce ]; then
		x1=(-x "$(roce_gid h1-roce)") x2=(-x "$(roce_gid h2-roce)")
		[ "$1" != ibv_rc_pingpong ] || x1[0]=-g x2[0]=-g
	fi
	timeout 30 ip netns exec h2 "$@" -d "h2-$network" "${x2[@]}" >"$work/server" 2>&1 &
	job=$!
	eventually 5 sh -c "ip netns exec h2 ss -Hltn 'sport = :18515' | grep -q ."
	out=$(timeout 30 ip netns exec h1 "$@" -d "h1-$network" "${x1[@]}" h2 2>&1) || status=$?
	[ $status = 0 ] || kill $job 2>/dev/null
	wait $job 2>/dev/null
	if [ $status = 0 ] || grep -q "r\^2" <<<"$out"; then
		pass "$description"
	else
		fail "$description" "status $status: $out"
	fi
}
counter() { awk -F: -v n="$1" '{ gsub(/\.*/, "", $2) } $1 == n { print $2 + 0 }' "$2"; }

file=$work/x.pcapng
fabctl capture -w "$file" -i h1-ib -i h1-eth --timeout 60 >"$work/log" 2>&1 &
capture=$!
sleep 1
lid=$(fabctl -j show ports h1-ib | json "d[0]['lid']")
other=$(fabctl -j show ports h2-ib | json "d[0]['lid']")
perfquery -C h1-ib -P 1 -x "$lid" 1 >"$work/before"
pair "SEND and RECV on InfiniBand" ib ibv_rc_pingpong -n 20 -s 10000
pair "WRITE on InfiniBand" ib ib_write_bw -n 20 -s 10000 -F
perfquery -C h1-ib -P 1 -x "$lid" 1 >"$work/after"
pair "SEND and RECV on RoCE" roce ibv_rc_pingpong -n 20 -s 10000
pair "WRITE on RoCE" roce ib_write_bw -n 20 -s 10000 -F
kill -INT $capture
wait $capture

count() { tshark -nr "$file" -Y "$1" 2>/dev/null | wc -l; }
check "every ICRC and VCRC is right" python3 "$tree/selftests/tests/icrc.py" "$file"
note "$out"
result=$out
between "of RoCE packets" 200 100000 "$(json "d['roce']" <<<"$result")"
between "of InfiniBand packets" 200 100000 "$(json "d['ib']" <<<"$result")"
equal "none is malformed" 0 "$(count _ws.malformed)"
between "tshark knows InfiniBand's transport on both" 400 100000 "$(count infiniband.bth)"
between "with an LRH on InfiniBand" 200 100000 "$(count infiniband.lrh)"
between "and none on RoCE" 200 100000 "$(count 'infiniband.bth && udp.dstport == 4791')"
between "WRITE, first packets" 40 100000 "$(count 'infiniband.bth.opcode == 6')"
between "with their RETH" 40 100000 "$(count 'infiniband.reth')"

# PortXmitData is in units of 4 bytes, from the LRH to the ICRC.
moved() { echo $(($(counter "$1" "$work/after") - $(counter "$1" "$work/before"))); }
bytes() { json "d['bytes_from'].get('$1', 0)" <<<"$result"; }
# The kernel asks the SA now and then: such a MAD of 288 bytes may fall between the two readings.
all_but_mads() { # DESCRIPTION LID OTHER-LID COUNTER
	local data mads got
	data=$(bytes "$2") got=$((4 * $(moved "$4")))
	mads=$(json "d['mads_from'].get('$2', 0) + d['mads_from'].get('$3', 0)" <<<"$result")
	between "$1" "$data" $((data + mads)) "$got"
	equal "$1: the rest is whole MADs" 0 $(((got - data) % 288))
}
note "$(diff "$work/before" "$work/after" | tr '\n' ' ')"
all_but_mads "PortXmitData is what was captured" "$lid" "" PortXmitData
all_but_mads "PortRcvData too" "$other" 1 PortRcvData
