#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabctl why: each cause provoked, named, and gone again.
#
#	h1 --- es1, is1 --- h2	(star, h1..h4; then a diamond)
. "$(dirname "$0")/../lib.sh"
need ip ibv_rc_pingpong

load
lab_up

# because PATH PATTERN A B: status 1, and a reason that matches.
because() {
	local path=$1 pattern=$2 status=0
	shift 2
	fabctl -j why "$@" "$path" >"$work/out" 2>"$work/err" || status=$?
	equal "why $* $path: status 1" 1 $status
	out=$(json "d['paths']['$path']['reason']" <"$work/out")
	said "why $* $path: $pattern" "$pattern"
	equal "and a lesson is named" true "$(json "d['paths']['$path']['lesson'] in '1345'" <"$work/out")"
}
clear() { # PATHS A B: nothing is in the way
	local paths=$1
	shift
	answers "why $* $paths: nothing" 0 "nothing is in the way" fabctl why "$@" "$paths"
}

# -- in order ---------------------------------------------------------------------

clear tcp,roce,ib h1 h2
equal "three paths were looked at" 3 "$(fabctl -j why h1 h2 | json 'len(d["paths"])')"
equal "nothing is looked at twice" true "$(fabctl -j why h1 h2 ib | json \
	'(lambda l: len(l) == len(set(l)))([(o["what"], o["found"]) for o in d["paths"]["ib"]["looked_at"]])')"
said "its P_Key is the default" "0xffff"  # of the text above

# -- cables, ports -----------------------------------------------------------------

fabctl link down h2-es1
because tcp "link h2-es1 is down" h1 h2
because roce "link h2-es1 is down" h1 h2
clear ib h1 h2
fabctl link up h2-es1
fabctl link down h1-is1
because ib "link h1-is1 is down" h1 h2
clear tcp h1 h2
fabctl link up h1-is1
check "the subnet is whole again" eventually 20 fabctl why h1 h2 ib
fabctl set link h2-is1 loss=100%
because ib "link h2-is1 loses packets" h1 h2
fabctl set link h2-is1 loss=0 stall=rx-at-B
because ib "an end of link h2-is1 is stalled" h1 h2
fabctl reset >/dev/null
fabctl freeze >/dev/null
because ib "frozen" h1 h2
fabctl thaw >/dev/null

# -- the subnet manager ---------------------------------------------------------------

fabctl sm stop >/dev/null
because ib "no subnet manager runs now" h1 h2
equal "what is connected goes on" true "$(json 'd["paths"]["ib"]["living_go_on"]' <"$work/out")"
fabctl host add h5 >/dev/null
because ib "no subnet manager" h1 h5
fabctl host del h5 >/dev/null
fabctl sm stop --cold >/dev/null
because ib "^no subnet manager$" h1 h2
out=$(fabctl why h1 h2 ib)
said "the port's state and LID are named" "h1-ib .*INIT, LID 0"
said "and what mends it" "mend: fabctl sm start"
fabctl sm start >/dev/null
clear ib h1 h2

# -- what programs do wrong: the last run is remembered -----------------------------------

for case in "traps/wrong-rkey:named rkey 0x[0-9a-f]+; that of h2 is 0x" "no-recv:h2 had posted 0 RECVs" \
	"qp-not-rts:the queue pair of h1 was in INIT" "no-mr:bytes of its messages are registered" \
	"traps/no-mr-receiver:h2: its memory for the messages is not registered" \
	"traps/mtu-mismatch:path MTU: h1 sends packets of 4096 bytes, h2 takes 1024"; do
	fabctl run "${case%%:*}" --path roce,ib >"$work/run" 2>&1 || fail "run ${case%%:*}" "$(<"$work/run")"
	for path in roce ib; do
		because $path "${case#*:}" h1 h2
	done
done
fabctl run traps/wrong-gid-index --path roce >/dev/null
because roce "GID index 0 of h1 is fe80" h1 h2
fabctl run traps/wrong-pkey-index --path ib >/dev/null
because ib "P_Key index [0-9]+ of h1 names no partition" h1 h2
fabctl send h1 h2 >/dev/null
clear tcp,roce,ib h1 h2

# -- programs that are there ----------------------------------------------------------------

# A server that waits for its client is no cause.
fabctl exec h1 ibv_rc_pingpong -d h1-ib >/dev/null 2>&1 &
server=$!
waits_in_init() { fabctl -j show qps h1 | grep -q '"state":"INIT"'; }
eventually 20 waits_in_init || fail "the server has no queue pair" "$(fabctl show qps)"
clear ib h1 h2
kill $server
wait $server 2>/dev/null

# -- addresses, cables that are not there ---------------------------------------------------------

ip -n h2 address flush dev h2-eth
because tcp "h2 has no IP address" h1 h2
because roce "h2 has no IP address" h1 h2
clear ib h1 h2
fabctl link del h4-is1
because ib "no cable is plugged into h4-ib" h1 h4

# -- forwarding tables: the one who wrote them is gone, and so is a cable ---------------------------

fabctl down
lab_up --topology diamond
fabctl sm stop >/dev/null
route=$(fabctl -j show lft is1 | json '[e["port"] for e in d if e["of"] == "h4-ib"][0]')
cable=$(fabctl -j show ports "$route" | json 'd[0]["link"]')
fabctl link del "$cable"
because ib "the way leads to $route, where no cable is" h1 h4
