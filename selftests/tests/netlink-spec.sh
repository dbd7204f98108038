#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The YAML spec of the netlink family says what the C header says: names,
# numbers, types, rights. No module is loaded. That the comparison finds
# something at all is tried with specs that have been made wrong.
. "$(dirname "$0")/../lib.sh"
need python3
python3 -c 'import yaml' 2>/dev/null || skip_all "no python3-yaml"

spec=$tree/docs/netlink/fabsim.yaml
header=$tree/kmod/uapi/fabsim.h
compare() { python3 "$tree/selftests/tests/netlink-spec.py" "$1" "$header"; }

wrong() { # DESCRIPTION PATTERN SED-SCRIPT
	sed "$3" "$spec" >"$work/wrong.yaml"
	refused "$1" "$2" compare "$work/wrong.yaml"
}

check "spec and header are equal" compare "$spec"
wrong "a name that is not the header's" "FABRIC_PLACE is in the spec only" \
	's/^        name: pace$/        name: place/'
wrong "a number that is not the header's" "NODES_MAX is 65537" 's/value: 65536$/value: 65537/'
wrong "a type that is not the header's" "FABRIC_LAG is u32" \
	'/^        name: lag$/ { n; s/u64/u32/ }'
wrong "a right that is missing" "STEP needs CAP_NET_ADMIN" \
	'/^      name: step$/,/do:/ { /admin-perm/d }'
