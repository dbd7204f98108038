#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whatever a MAD says, no agent falls over: random ones to the agents of hosts, of a
# ghost and of a switch, and to the subnet administration. They may well wreck the
# subnet (that is what SubnSet is for); a cold start brings it back.
#
#	h1 ── is1 ── h2, g1		FABSIM_FUZZ_SEED, FABSIM_FUZZ_MADS: another series
. "$(dirname "$0")/../lib.sh"
need python3

cat >"$work/lab.yaml" <<'YAML'
nodes:
  - { name: is1, kind: ib-switch, ports: 8, sm: 1 }
  - { name: h1, kind: host }
  - { name: h2, kind: host }
  - { name: g1, kind: host, live: false, ib: on }
links:
  - { a: h1, b: is1 }
  - { a: h2, b: is1 }
  - { a: g1, b: is1 }
YAML
load
lab_up --topology "$work/lab.yaml"

seed=${FABSIM_FUZZ_SEED:-1}
inactive() { fabctl -j show ports | json "[p['name'] for p in d if p['kind'] == 'ib' and p['state'] == 'forwarding' and p['ib_state'] != 'active']"; }
equal "every port is active" "[]" "$(inactive)"
for ((round = 0; round < 4; round++)); do
	check "random MADs, seed $((seed + round))" timeout 60 \
		python3 "$tree/selftests/tests/mad-fuzz.py" $((seed + round)) "${FABSIM_FUZZ_MADS:-400}" 1 2 3 4
	note "sent, refused by ib_mad, came back: $out"
	fabctl sm stop --cold >/dev/null 2>&1
	check "a cold start" fabctl sm start
	equal "and every port is active again" "[]" "$(inactive)"
done
