#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Our RoCE HCA and the kernel's own software one (rdma_rxe) talk to each other through
# our switch: what one of them sends, the other one understands and acknowledges.
#
#	h1 (fabsim's HCA) ── es1 ── h2 (rdma_rxe on its net_device, initial namespace)
. "$(dirname "$0")/../lib.sh"
need ibv_rc_pingpong ib_send_bw ib_write_bw ib_read_bw rdma tshark python3
modprobe rdma_rxe 2>/dev/null || skip_all "this kernel has no rdma_rxe"
on_exit modprobe -r rdma_rxe

cat >"$work/lab.yaml" <<'YAML'
nodes:
  - { name: es1, kind: eth-switch, ports: 4 }
  - { name: h1, kind: host, ib: off }
  - { name: h2, kind: host, netns: init, roce: off, ib: off }
links:
  - { a: h1, b: es1 }
  - { a: h2, b: es1 }
YAML
load
lab_up --topology "$work/lab.yaml"
# Hosts have addresses in the order of the file.
h1=10.0.0.1 h2=10.0.0.2
check "rdma_rxe on h2's device" rdma link add rxe0 type rxe netdev h2-eth
on_exit rdma link del rxe0
check "h2 answers" fabctl exec h1 ping -q -c 1 "$h2"

# The index of the first GID of a device that matches; rxe's table has 1,024.
gid() { # DEVICE PATTERN
	local index port=/sys/class/infiniband/$1/ports/1
	for index in {0..7}; do
		grep -q v2 "$port/gid_attrs/types/$index" 2>/dev/null && grep -q "$2" "$port/gids/$index" && echo "$index" && return
	done
}
# Hosts of the lab have no IPv6 addresses, and a GID leads only where neighbour discovery answers.
ip -n h1 addr add fd00::1/64 dev h1-eth nodad
ip addr add fd00::2/64 dev h2-eth nodad
ipv4=0000:0000:0000:0000:0000:ffff ipv6=^fd00
has_gids() { [ -n "$(gid h1-roce $ipv4)" ] && [ -n "$(gid rxe0 $ipv4)" ] && [ -n "$(gid h1-roce $ipv6)" ] && [ -n "$(gid rxe0 $ipv6)" ]; }
check "both have GIDs of IPv4 and IPv6" eventually 10 has_gids
# Without a link-local address the kernel asks for a neighbour only on behalf of a packet, not of a QP.
check "h2 answers over IPv6" fabctl exec h1 ping -q -c 1 fd00::2

file=$work/x.pcapng
fabctl capture -w "$file" -i es1:1 --timeout 100 >"$work/log" 2>&1 &
capture=$!
sleep 0.5

declare -A enter=([h1]="ip netns exec h1" [h2]="")
# pair DESCRIPTION SERVER CLIENT ADDRESS PROGRAM ARGUMENT...: GIDs of $family
pair() {
	local description=$1 server=$2 client=$3 address=$4 job port=18515 status=0
	local -A device=([h1]=h1-roce [h2]=rxe0)
	shift 4
	local index=-x
	[ "$1" != ibv_rc_pingpong ] || index=-g
	${enter[$server]} timeout 40 "$@" -d "${device[$server]}" "$index" "$(gid "${device[$server]}" "$family")" >"$work/server" 2>&1 &
	job=$!
	eventually 5 sh -c "${enter[$server]} ss -Hltn 'sport = :$port' | grep -q ."
	out=$(${enter[$client]} timeout 30 "$@" -d "${device[$client]}" "$index" "$(gid "${device[$client]}" "$family")" "$address" 2>&1) || status=$?
	[ $status = 0 ] || kill $job 2>/dev/null
	wait $job 2>/dev/null
	# perftest could not measure an emulated CPU's clock: no matter.
	if [ $status = 0 ] || grep -q "measured CPU frequency\|r\^2" <<<"$out"; then
		pass "$description"
	else
		fail "$description" "status $status: $out
server: $(cat "$work/server")"
	fi
}

for family in $ipv4 $ipv6; do
	name=IPv4
	[ "$family" = $ipv4 ] || name=IPv6
	pair "$name: SEND and RECV, ours first" h2 h1 "$h2" ibv_rc_pingpong -n 20 -m 1024 -c
	pair "$name: SEND and RECV, rxe first" h1 h2 "$h1" ibv_rc_pingpong -n 20 -m 1024 -c
done
family=$ipv4
for op in send write read; do
	options=()
	# rxe announces 128 outstanding READs, which are more than our HCA asks for.
	[ $op != read ] || options=(-o 4)
	pair "$op, ours asks" h2 h1 "$h2" "ib_${op}_bw" "${options[@]}" -n 20 -s 10000 -m 1024 -F --tclass=106
	pair "$op, rxe asks" h1 h2 "$h1" "ib_${op}_bw" "${options[@]}" -n 20 -s 10000 -m 1024 -F --tclass=106
done
kill -INT $capture
wait $capture

count() { tshark -nr "$file" -Y "$1" 2>/dev/null | wc -l; }
check "every ICRC is right, in both directions" python3 "$tree/selftests/tests/icrc.py" "$file"
note "$out"
between "of many packets" 300 100000 "$(json "d['roce']" <<<"$out")"
equal "none is malformed" 0 "$(count _ws.malformed)"
between "ours over IPv4" 50 100000 "$(count "udp.dstport == 4791 && ip.src == $h1")"
between "rxe's over IPv4" 50 100000 "$(count "udp.dstport == 4791 && ip.src == $h2")"
between "over IPv6" 50 100000 "$(count 'udp.dstport == 4791 && ipv6')"
between "ours carry the DSCP that was asked for" 50 100000 "$(count "udp.dstport == 4791 && ip.src == $h1 && ip.dsfield.dscp == 26")"
equal "all of ours can be marked by ECN" 0 "$(count "udp.dstport == 4791 && ip.src == $h1 && ip.dsfield.ecn != 2")"
equal "nothing was lost or sent again" 0 "$(cat /sys/class/infiniband/h1-roce/ports/1/hw_counters/{rcvd_seq_err,seq_error,retry_exceeded}* 2>/dev/null | awk '{n += $1} END {print n + 0}')"
