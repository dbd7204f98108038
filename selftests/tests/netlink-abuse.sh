#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Wrong netlink messages: cut short, of wrong types, with unknown attributes, out
# of range, incomplete, senseless, and from users without the right. Each is
# refused with a message, and the lab is as it was.
#
#	g1 ── s1 ── g2    g3        (ghosts: no network device is needed)
. "$(dirname "$0")/../lib.sh"
need python3 setpriv unshare
python3 -c 'import yaml' 2>/dev/null || skip_all "no python3-yaml"
load

# The helper prints "ok TEXT" and "not ok TEXT: WHY"; nothing at all is a failure.
report() { # COMMAND...
	"$@" >"$work/out" 2>&1 || fail "the helper" "$(cat "$work/out")"
	[ -s "$work/out" ] || fail "the helper said nothing"
	cases <"$work/out"
}
abuse() { python3 "$tree/selftests/tests/netlink-abuse.py" "$@"; }

report abuse root
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
report as_user python3 "$tree/selftests/tests/netlink-abuse.py" nobody
# Root of a user namespace of its own is not root here.
if unshare -Ur true 2>/dev/null; then
	report unshare -Ur python3 "$tree/selftests/tests/netlink-abuse.py" nobody
else
	skip "root of another user namespace" "no user namespaces"
fi
report abuse random
