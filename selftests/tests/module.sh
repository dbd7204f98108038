#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module alone, without a lab: it loads, says so once, and goes without a
# trace, also many times.
. "$(dirname "$0")/../lib.sh"

lines() { dmesg | grep -c 'fabsim: ' || true; }

# The log line about an unsigned module comes with the first load only.
modprobe fabsim && rmmod fabsim
before=$(lines)
check "loads" modprobe fabsim
equal "one line in the log" $((before + 1)) "$(lines)"
check "is listed" test -d /sys/module/fabsim
refused "no second one" "File exists" insmod "$FABSIM_KO"
check "unloads" rmmod fabsim
check "nothing left in /sys" test ! -e /sys/module/fabsim -a ! -e /sys/kernel/fabsim

many() {
	local i
	for ((i = 0; i < $1; i++)); do
		modprobe fabsim && rmmod fabsim || return
	done
}
many 5
before=$(slab_objects)
check "loads and unloads 20 times" many 20
after=$(slab_objects)
# KASAN holds freed objects back for a while; that kernel has kmemleak.
if [ -e /sys/kernel/debug/kmemleak ]; then
	skip "no objects left by 20 loads" "kmemleak looks for them in this kernel"
else
	note "slab objects before and after: $before $after"
	between "no objects left by 20 loads" 0 $((before + 400)) "$after"
fi
