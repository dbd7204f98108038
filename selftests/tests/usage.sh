#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What fabctl says to wrong input, and how it exits: 2 for wrong usage and for
# what the module refuses, 3 for the environment. Without the module first, then
# without a lab, then with one:
#
#	h1 ── es1 ── h2		(star)
# shellcheck source=selftests/lib.sh disable=SC2119
. "$(dirname "$0")/../lib.sh"
need fabctl

# says STATUS PATTERN COMMAND...: it exits so and says something that matches.
says() {
	local status=$1 pattern=$2
	shift 2
	answers "$*" "$status" "$pattern" timeout "$(limit 30)" "$@" </dev/null
}
narrow() { # COMMAND...: nothing that it prints is wider than 80 columns
	between "$*: 80 columns" 1 80 "$("$@" 2>&1 </dev/null | LC_ALL=C.UTF-8 wc -L)"
}

# -- without anything ----------------------------------------------------------

says 2 'usage: fabctl' fabctl
says 2 'did you mean "show"' fabctl shwo
says 2 'see "fabctl help"' fabctl xyzzy
says 2 'no option "--frob"' fabctl --frob
says 2 'no command "frob"' fabctl help frob
says 2 '"list" is not expected' fabctl help show list
says 2 'no option "--frob"' fabctl list --frob
says 2 '"x" is not expected' fabctl freeze x
says 2 '"-1" is out of range|-1 is out of range' fabctl monitor --count -1
says 2 '"1x" is not a number' fabctl monitor --timeout 1x
says 2 'needs a value' fabctl monitor --count
says 2 'takes no value' fabctl up --check=1
says 2 'on which host' fabctl exec
says 2 'which program' fabctl exec h1
says 2 'which program' fabctl cost
says 2 'which program' fabctl cost -p h1 --
says 127 'no such program' fabctl cost nosuchprogram
says 127 'No such file' fabctl cost /nofolder/x
says 126 'Permission denied' fabctl cost /etc/passwd
says 2 'which scenario' fabctl run
says 2 'No such file' fabctl run -o /nofolder/x baseline
says 0 'baseline.yaml: good' fabctl run --check baseline
says 0 '^\{"file":.*"good":true\}' fabctl -j run --check baseline
says 2 'from h1 to which host' fabctl send h1
says 2 'would send to itself' fabctl send h2 h2
says 2 'from which host to which' fabctl why h1
says 2 'would send to itself' fabctl why h1 h1
says 2 'no path "udp": tcp, roce, ib' fabctl why h1 h2 udp
says 2 'which\? tcp, roce, ib' fabctl why h1 h2 ''
says 2 '"x" is not expected' fabctl why h1 h2 ib x
says 2 'no path "udp": tcp, roce, ib' fabctl send --path udp
says 2 '--op push: write, read, send' fabctl send --op push
says 2 'start or stop' fabctl sm
says 2 'start or stop' fabctl sm pause
says 2 'goes with "sm stop"' fabctl sm start --cold
says 2 'leave out is1' fabctl sm stop --cold is1
says 2 '16 is out of range' fabctl sm start --priority 16
says 2 'InfiniBand has no switch for that' fabctl set lossless off --net ib
says 0 'it is so already: credits' fabctl set lossless on --net ib
says 2 'no PFC and no ECN' fabctl set lossless on
says 2 'lossless on or off' fabctl set lossless maybe
says 2 '--net lan: eth, ib' fabctl set lossless off --net lan
says 2 'goes with "set lossless"' fabctl set fabric pace=1 --net ib
says 2 'cannot show "header"; did you mean "headers"' fabctl show header
says 2 'set what' fabctl set
says 2 'which link' fabctl set link
says 2 'There are: buffer alpha latency ageing$' fabctl set switch es1
says 2 'between which two' fabctl link add h1
says 2 'which link' fabctl link up
says 2 '"x" is not expected' fabctl link del h1-es1 x
says 2 'which host' fabctl host add
says 2 'where to' fabctl capture
says 2 'which stream' fabctl gen
says 2 'is not a time' fabctl gen h1 dst=h2 --at noon

# Output that cannot be written is no success; nothing else gets our text.
says 3 'cannot write to standard output' sh -c 'fabctl list >/dev/full'
says 3 'cannot write to standard output' sh -c 'fabctl list >&-'
says 3 'cannot write to standard output' sh -c 'fabctl -j list >&-'
says 0 '' sh -c 'fabctl list 2>&- <&-'

[ -e /sys/module/fabsim ] || for command in up reset send show "set fabric pace=1" "link up x" "host add h9" "exec h1 true" \
	monitor "capture -w $work/x" freeze thaw step "gen h1 dst=h2" "run baseline" "cost -- true"; do
	# shellcheck disable=SC2086 # a command and its arguments
	says 3 'the fabsim module is not loaded: modprobe fabsim' fabctl $command
done
says 3 'not loaded, and nothing is left' fabctl down

if [ -z "${FABSIM_VM-}" ]; then
	skip "with the module" "not in a VM"
	exit
fi

# -- with the module, without a lab ---------------------------------------------

load
for command in send "why h1 h2" "show headers" "set link x up=no" "set switch es1 alpha=1" "link up x" "link del x" "host add h9" "host del h9" \
	"exec h1 true" "gen h1 dst=h2" "show links x" "show hosts h1" "capture -w $work/x -i h1-eth" "cost -p h1 -- true"; do
	# shellcheck disable=SC2086
	says 3 '^fabctl: no lab is up: fabctl up$' fabctl $command
done
for part in overview hosts ports links switches fdb; do
	says 0 'no lab is up: fabctl up' fabctl show $part
done
says 0 '^\[\]$' fabctl -j show hosts

# -- with a lab -------------------------------------------------------------------

lab_up
long=$(printf 'x%.0s' {1..100})
says 2 '^fabctl: there is no link "nolink"$' fabctl set link nolink up=no
says 2 '^fabctl: there is no node "h9"$' fabctl show hosts h9
says 2 'a name is too long' fabctl show hosts "$long"
says 2 'a name is too long' fabctl set link "$long" up=no
says 2 'no setting "ports"' fabctl set switch es1 ports=8
says 2 'did you mean "loss"' fabctl set link h1-es1 los=1
says 2 '-1 is out of range' fabctl set link h1-es1 loss=-1
says 2 'h1 is a host, not a switch' fabctl host add h6 --switch h1
says 2 'no host "h9"; there are: h1 h2 h3 h4' fabctl why h1 h9
says 2 'there is no node "is9"' fabctl sm start is9
says 2 'es1' fabctl sm stop es1
says 2 'is1' fabctl sm start is1
says 2 'no host "h9"; there are: h1 h2 h3 h4' fabctl cost -p h9 -- true
says 126 'Permission denied' fabctl exec h1 /etc/passwd
says 127 'No such file' fabctl exec h1 nosuchprogram
says 7 '' fabctl exec h1 sh -c 'exit 7'
says 2 'time runs' fabctl step
says 2 'h9: there is no port' fabctl gen h9 dst=h2
says 2 'two different nodes' fabctl link add es1 es1 rate=1G name=loop
says 3 'cannot write to standard output' sh -c 'fabctl show >/dev/full'
says 3 'cannot write to standard output' sh -c 'fabctl monitor --timeout 20 >/dev/full & sleep 1; fabctl freeze; wait $!'
says 0 '' fabctl thaw

# A user without rights is told so, and nothing is half done.
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
for command in up down reset send "set link h1-es1 loss=1%" "link down h1-es1" "host add h7" "host del h1" \
	"sm stop" "why h1 h2" "show headers" "exec h1 true" "capture -w /tmp/x" freeze step "gen h1 dst=h2" "run baseline" "cost -- true" "cost -p h1 -- true"; do
	# shellcheck disable=SC2086
	says 3 'this needs root' $nobody fabctl $command
done
# shellcheck disable=SC2086
says 0 'h1-eth' $nobody fabctl show hosts

says 0 '1 message of 4 KiB' fabctl send --count 1
fabctl set link h1-es1 loss=1% ber=1e-9 corrupt-nth=1000000 drop-nth=1000000 dir=a-b
says 0 '‹ber .*, dir a-b›$' fabctl show links h1-es1
fabctl reset
for part in overview hosts ports links switches fdb lft sm qps gids headers fabric; do
	narrow fabctl show $part
done
narrow fabctl send
narrow fabctl why h1 h2
fabctl freeze
narrow fabctl show
narrow fabctl send --count 1
