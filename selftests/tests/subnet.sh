#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The subnet manager: it brings every built-in topology up, mends it when a cable is
# pulled, and is not missed by data while it is away; two of them agree who is master.
#
#	        is2
#	h1 ── is1     is4 ── h3		(diamond; h2 at is1, h4 at is4)
#	        is3
. "$(dirname "$0")/../lib.sh"
need python3 ibv_rc_pingpong ss
load
on_exit fabctl down

routes() { python3 "$tree/selftests/tests/routes.py" "$@" >"$work/routes" 2>"$work/routes.err"; }
got() { json "d['$1']" <"$work/routes"; }
sm() { fabctl -j show sm "$1" | json "d[0]['$2']"; }
lids() { fabctl -j show ports | json "[(p['name'], p['lid']) for p in d if p['kind'] == 'ib' and p['node'][0] == 'h']"; }

# pingpong A B COUNT: a program of today, which asks no SA: QP data goes over TCP.
pingpong() {
	local server status
	timeout 20 ip netns exec "$2" ibv_rc_pingpong -d "$2-ib" -n "$3" >"$work/server" 2>&1 &
	server=$!
	if ! eventually 5 sh -c "ip netns exec $2 ss -Hltn 'sport = :18515' | grep -q ."; then
		cat "$work/server"
		return 1
	fi
	timeout 15 ip netns exec "$1" ibv_rc_pingpong -d "$1-ib" -n "$3" "$2" 2>&1
	status=$?
	[ $status = 0 ] || kill $server 2>/dev/null
	wait $server 2>/dev/null
	return $status
}

# -- every shape ----------------------------------------------------------------

shape() { # TOPOLOGY HOSTS OPTION...
	local hosts=$2
	check "$1: up" fabctl up --topology "$1" "${@:3}"
	routes
	equal "$1: every port with a cable is active" "[]" "$(got inactive)"
	equal "$1: every host has a LID of its own" "$hosts" "$(got lids)"
	equal "$1: from every host to every other there is a way" "$((hosts * (hosts - 1))) []" "$(got ways) $(got lost)"
}
shape star 4
note "a sweep took $(sm is1 sweep_ns) ns"
between "the first sweep took less than a second" 1 999999999 "$(sm is1 sweep_ns)"
fabctl down >/dev/null
shape chain 3 --hosts 3
equal "chain: over every switch" 4 "$(got longest)"
fabctl down >/dev/null
shape fat-tree:4 16 --hosts 2
equal "fat-tree:4: over the core and back" 6 "$(got longest)"
equal "fat-tree:4: no circle of buffers" false "$(got circle)"
fabctl down >/dev/null
shape ring 5 --hosts 5
equal "ring: shortest ways close a circle of buffers" true "$(got circle)"
sweeps=$(sm is1 sweeps)
fabctl set sm is1 routing=updn >/dev/null
swept() { [ "$(sm is1 sweeps)" -gt "$sweeps" ]; }
check "ring: a sweep with up/down routing" eventually 10 swept
routes
equal "ring: up/down has no circle, and reaches all" "false []" "$(got circle) $(got lost)"
fabctl down >/dev/null
shape diamond 4
before=$(lids)

# -- cables ----------------------------------------------------------------------

check "data passes" pingpong h1 h3 50
routes h1 h3
cable=$(got "cables")
cable=$(python3 -c "print(eval(\"$cable\")[1])")
# Is the way of h1 to h3 whole, and without that cable?
mended() { routes h1 h3 && [ "$(got lost) $(got inactive)" = "[] []" ] && [[ $(got cables) != *"'$cable'"* ]]; }
traps=$(sm is1 traps)
check "the cable in use is pulled" fabctl link down "$cable"
check "traffic goes around it" eventually 5 mended
between "a switch told the subnet manager by a trap" $((traps + 1)) $((traps + 100)) "$(sm is1 traps)"
check "data passes" pingpong h1 h3 50
equal "LIDs are what they were" "$before" "$(lids)"
check "the cable is back" fabctl link up "$cable"
whole() { routes && [ "$(got lost) $(got inactive)" = "[] []" ]; }
check "and its ports are active" eventually 5 whole

# -- without a subnet manager ------------------------------------------------------

check "the subnet manager stops" fabctl sm stop
check "data passes all the same" pingpong h1 h3 50
routes h1 h3
cable=$(python3 -c "print(eval(\"$(got cables)\")[1])")
check "the cable in use is pulled" fabctl link down "$cable"
sleep 1
routes
equal "nobody mends the ways over it" 1 "$([ "$(got lost)" != "[]" ] && echo 1)"
refused "and data does not pass" "transport retry counter exceeded|Failed" pingpong h1 h3 10
check "the subnet manager starts" fabctl sm start
check "and goes around it" eventually 5 mended
check "data passes" pingpong h1 h3 50
check "LIDs are what they were" test "$before" = "$(lids)"
fabctl link up "$cable" >/dev/null
check "the cable is back" eventually 5 whole

# -- sweeps under traffic -----------------------------------------------------------

fabctl set sm is1 sweep=100ms >/dev/null
sweeps=$(sm is1 light_sweeps)
check "data passes while sweeps run" pingpong h1 h3 "${FABSIM_PINGPONGS:-1000}"
between "there were some" $((sweeps + 1)) 1000000 "$(sm is1 light_sweeps)"
fabctl set sm is1 sweep=10s poll=100ms >/dev/null

# -- two ----------------------------------------------------------------------------

# The better one takes over, and the other one stands by.
traps=$(sm is1 traps)
check "a second one, with more priority" fabctl sm start is2 --priority 5
is_state() { [ "$(sm "$1" state)" = "$2" ]; }
check "it becomes master" eventually 10 is_state is2 master
check "the first one stands by" eventually 10 is_state is1 standby
between "it had told of itself by a trap" $((traps + 1)) $((traps + 100)) "$(sm is1 traps)"
check "the subnet is up" eventually 10 whole
check "data passes" pingpong h1 h3 50
check "LIDs are what they were" test "$before" = "$(lids)"
cat >"$work/del.py" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from fabnl import Genl, a
Genl().ask("NODE_DEL", a("NODE_NAME", sys.argv[2]))
PY
check "the master's switch dies" python3 "$work/del.py" "$tree/selftests" is2
check "the standby takes over" eventually 15 is_state is1 master
check "the subnet is whole without it" eventually 10 whole
check "LIDs are what they were" test "$before" = "$(lids)"
check "data passes" pingpong h1 h3 50

# -- hosts come and go -----------------------------------------------------------------

check "a host is plugged in" fabctl host add h5
five() { whole && [ "$(got lids)" = 5 ]; }
check "it has a LID and a way to everybody" eventually 10 five
check "data passes to it" pingpong h1 h5 50
check "it is unplugged" fabctl host del h5
four() { whole && [ "$(got lids)" = 4 ]; }
check "the others go on" eventually 10 four
check "reset" fabctl reset
check "changes nothing of the subnet" whole
check "LIDs are what they were" test "$before" = "$(lids)"

# -- cold ---------------------------------------------------------------------------------

check "a cold fabric" fabctl sm stop --cold
cold() { fabctl -j show ports | json "{(p['ib_state'], p['lid']) for p in d if p['kind'] == 'ib' and p['state'] == 'forwarding' and p['node'][0] == 'h'}"; }
equal "every host's port is in INIT, without a LID" "{('init', None)}" "$(cold)"
equal "no switch has a table" "[]" "$(fabctl -j show lft)"
moved() { fabctl -j show switches | json "sum(s['forwarded'] or 0 for s in d if s['kind'] == 'ib-switch')"; }
before=$(moved)
refused "no program gets through" "local LID" pingpong h1 h3 10
equal "not one data packet moved" "$before" "$(moved)"
check "a subnet manager brings it up" fabctl sm start
check "wholly" eventually 10 whole
check "data passes" pingpong h1 h3 50
