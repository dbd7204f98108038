#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What programs do with the HCA through the stock provider: our own program with
# both ends in it, and the field's. FABSIM_REPEAT: how often programs that wait for
# events run in a row (20 was measured once; each takes half a second).
#
#	h1-roce --- es1 --- h2-roce	(star, h1..h4)
#	h1-ib   --- is1 --- h2-ib
. "$(dirname "$0")/../lib.sh"
need ip rdma strace ibstat ibv_rc_pingpong ib_send_bw rping
program verbs
verbs=$tree/build/programs/verbs
repeat=${FABSIM_REPEAT-4}

load
lab_up
said_log() { # DESCRIPTION PATTERN
	out=$(dmesg | grep -E 'h[0-9]+-(ib|roce): ' | tail -40)
	said "$1" "$2"
}
objects() { rdma resource show; }
before=$(objects)
gid() { if [ "$1" = ib ]; then echo 0; else echo 1; fi; }

# A server in h2 and a client in h1, and what both said.
both() { # LAYER PROGRAM OPTION...
	local layer=$1 program=$2 port=$((20000 + RANDOM % 20000)) server status=0
	shift 2
	ip netns exec h2 timeout 40 "$program" -d "h2-$layer" -p $port "$@" >"$work/server" 2>&1 &
	server=$!
	eventually 10 listening h2 $port
	ip netns exec h1 timeout 30 "$program" -d "h1-$layer" -p $port "$@" 10.0.0.2 2>&1 || status=$?
	[ $status = 0 ] || kill $server 2>/dev/null
	wait $server || [ $status != 0 ] || status=1
	cat "$work/server"
	return $status
}
listening() { ip netns exec "$1" cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q "$(printf ':%04X .* 0A ' "$2")"; }

in_a_row() {
	local i
	for ((i = 0; i < repeat; i++)); do "$@" || return; done
}

out=$(ibstat h1-ib)
said "ibstat: what it is" "CA type: fabsim"
said "ibstat: hardware version" "Hardware version: 0x1"
for layer in ib roce; do
	cases "$layer: " < <(timeout 60 "$verbs" ops h1-$layer h2-$layer "$(gid $layer)")
	check "$layer: ibv_srq_pingpong" both $layer ibv_srq_pingpong -g "$(gid $layer)" -n 100
	check "$layer: ibv_rc_pingpong with events, $repeat times" in_a_row both $layer ibv_rc_pingpong -g "$(gid $layer)" -n 50 -e
done
check "roce: ibv_ud_pingpong" both roce ibv_ud_pingpong -g 1 -n 50
# What the provider cannot do fails at once, and the log has the reason.
refused "roce: ibv_uc_pingpong" "post send|opcode" both roce ibv_uc_pingpong -g 1 -n 5
said_log "its reason" "h1-roce: ibv_uc_pingpong.* UC QP: .*refuses to send"
refused "ib: ibv_ud_pingpong" "AH|remote" both ib ibv_ud_pingpong -g 0 -n 5
said_log "its reason" "h1-ib: ibv_ud_pingpong.* UD QP: .*no address handle"

perf() { # LAYER PROGRAM OPTION...
	local layer=$1 program=$2
	shift 2
	# Status 1 with a report that its clock is not good enough is no failure of ours.
	if out=$(both "$layer" "$program" -x "$(gid "$layer")" -F "$@") || [[ $out == *"r^2"* ]]; then
		pass "$layer: $program"
	else
		fail "$layer: $program" "$out"
	fi
}
# The others, and each on the other link layer, with FABSIM_PERFTEST=all.
tests=(ib:ib_write_bw ib:ib_atomic_bw roce:ib_send_lat roce:ib_read_bw)
[ "${FABSIM_PERFTEST-}" != all ] || tests=({ib,roce}:ib_{write,read,send,atomic}_{bw,lat})
for test in "${tests[@]}"; do
	perf "${test%%:*}" "${test#*:}" -n 50
done

ip netns exec h2 timeout 30 rping -s -a 10.0.0.2 -C 5 >"$work/server" 2>&1 &
server=$!
sleep 1
check "rping over RoCE" ip netns exec h1 timeout 30 rping -c -a 10.0.0.2 -C 5
wait $server
equal "the server of rping" 0 $?

# Objects show while they are there, and are gone afterwards.
mkfifo "$work/stdin"
timeout 60 "$verbs" hold h1-ib h2-ib 0 3 <"$work/stdin" >"$work/hold" &
hold=$!
exec 3>"$work/stdin"
eventually 20 grep -q running "$work/hold"
out=$(rdma resource show qp link h1-ib)
equal "rdma resource shows the QPs" 3 "$(grep -c "type RC state RTS.*comm verbs" <<<"$out")"
out=$(rdma resource show mr dev h1-ib; rdma resource show cq dev h1-ib)
said "the region" "mrlen 42.*comm verbs"
said "the completion queue" "cqe 1024 .*comm verbs"
exec 3>&-
wait $hold
back() { [ "$(objects)" = "$before" ]; }
check "object counts are back" eventually 10 back

# The verbs workers' system calls, whatever the number of messages: strace counts them
# apart from the probes. Where reading the clock is one, the pass that takes times
# makes some a message, so clock_gettime is left out. Waiting for one another at the
# begin may take one or two more or less.
syscalls() { # MESSAGES
	local trace=$work/trace.$1
	mkdir "$trace"
	strace -ff -qq --seccomp-bpf -e 'trace=!clock_gettime' -o "$trace/pid" \
		fabctl run baseline --path roce,ib -s "messages=$1" >"$work/run" 2>&1 || return
	# One file a process; only workers open the HCA.
	grep -l uverbs "$trace"/pid.* | xargs cat | wc -l
}
few=$(syscalls 50)
many=$(syscalls 500)
note "system calls of all verbs workers: $few for 50 messages a pass, $many for 500"
between "the workers were traced" 1000 100000 "$few"
between "no system call a message" $((few - 40)) $((few + 40)) "$many"
