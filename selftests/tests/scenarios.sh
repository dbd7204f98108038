#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The scenarios that come with fabctl meet their expectations; baseline and
# first-packet have tests of their own.
#
#	star, h1..h4; diamond for the subnet managers
. "$(dirname "$0")/../lib.sh"
need ip

load
on_exit fabctl down

# meets NAME [OPTION...]: the status is 0, and every expectation was looked at.
meets() {
	local name=$1 status=0
	shift
	fabctl -j run "$name" "$@" >"$work/out" 2>"$work/err" || status=$?
	if [ $status != 0 ]; then
		fail "$name" "status $status
$(<"$work/err")
$(json '[e for e in d["expect"] if not e["ok"]]' <"$work/out" 2>&1)"
	else
		pass "$name"
	fi
}

for name in no-mr no-recv qp-not-rts no-ip; do
	meets $name
done
meets sm-off --set messages=100
# More than the receiver posts before the window, or it had no posting to do in it.
meets two-sided --set messages=400
for trap in mtu-mismatch no-mr-receiver wrong-gid-index wrong-pkey-index wrong-rkey; do
	meets traps/$trap
done
for name in sm-off-later sm-failover; do
	meets $name
done
fabctl reset
equal "reset stops the second subnet manager" "['is1']" \
	"$(fabctl -j show sm | json '[s["switch"] for s in d if s["running"]]')"
