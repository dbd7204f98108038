#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Out of memory at each allocation of the create path in turn (debug kernel), and
# now and then in the fabric thread: a clear error, and nothing left behind.
. "$(dirname "$0")/../lib.sh"
need_file /sys/kernel/debug/failslab
need_file /proc/self/fail-nth
need python3 ip ping

fault=/sys/kernel/debug
echo N >$fault/failslab/ignore-gfp-wait
echo 0 >$fault/failslab/verbose
[ ! -e $fault/fail_page_alloc ] || { echo N >$fault/fail_page_alloc/ignore-gfp-wait; echo 0 >$fault/fail_page_alloc/verbose; }

load
for i in 1 2; do
	ip netns add n$i
	on_exit ip netns del n$i
done

python3 "$tree/selftests/tests/no-memory.py" >"$work/out" 2>&1 || fail "the helper" "$(cat "$work/out")"
cases <"$work/out"

# The fabric thread: packets are lost, nothing else.
lab_up
thread=$(pgrep -x fabsim)
echo 1 >"/proc/$thread/make-it-fail"
echo Y >$fault/failslab/task-filter
echo 10 >$fault/failslab/probability
echo -1 >$fault/failslab/times
ip netns exec h1 ping -q -f -c 500 -w 5 10.0.0.2 >/dev/null
echo 0 >$fault/failslab/probability
echo 0 >"/proc/$thread/make-it-fail"
drops=$(fabctl -j show ports | json "sum(p['drops_by'].get('no_memory', 0) for p in d)")
between "failed allocations are counted drops" 1 100000 "$drops"
check "the lab works on" ip netns exec h1 ping -q -c 2 -W 3 10.0.0.2
