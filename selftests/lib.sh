# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For the tests: print KTAP, and clean up whatever happens. A test looks so:
#
#	#!/bin/bash
#	# SPDX-License-Identifier: GPL-2.0
#	# What it is about, and a drawing of its topology.
#	. "$(dirname "$0")/../lib.sh"
#	need iperf3
#	load
#	check "up" fabctl up
#	check "h1 reaches h2" ip netns exec h1 ping -c 1 h2
#	refused "an unknown topology" "unknown topology" fabctl up --topology pentagon
#	out=$(fabctl -j show hosts)
#	equal "four hosts" 4 "$(json 'len(d)' <<<"$out")"
#
# The plan and the exit status come by themselves at the end: 0 all passed, 1 one
# failed, 4 the whole test was skipped. Tests are run by `guard`, which fails one
# that leaves a namespace, a device or the module behind, or a complaint in the
# kernel's log.
set -u

ktap_number=0
ktap_failed=0
ktap_skip_all=
exit_commands=()

# shellcheck disable=SC2034 # for the tests
tree=${FABSIM_TREE:-$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")}
work=$(mktemp -d)

echo "TAP version 13"

# Run at the end, last one first.
on_exit() { exit_commands+=("$(printf '%q ' "$@")"); }

finish() {
	local status=$? i
	# A subshell that is killed comes by here, too.
	[ "$BASHPID" = $$ ] || exit $status
	trap '' TERM INT
	for ((i = ${#exit_commands[@]} - 1; i >= 0; i--)); do
		eval "${exit_commands[i]}" >/dev/null 2>&1
	done
	rm -rf "$work"
	if [ -n "$ktap_skip_all" ]; then
		echo "1..0 # SKIP $ktap_skip_all"
		exit 4
	fi
	echo "1..$ktap_number"
	[ $ktap_failed = 0 ] || exit 1
	# A test that ended itself half-way has not passed.
	exit $status
}
trap finish EXIT
trap 'exit 124' TERM INT

pass() { ktap_number=$((ktap_number + 1)); echo "ok $ktap_number $1"; }
fail() { # DESCRIPTION [WHY]
	ktap_number=$((ktap_number + 1))
	ktap_failed=$((ktap_failed + 1))
	[ -z "${2-}" ] || note "$2"
	echo "not ok $ktap_number $1"
}
skip() { ktap_number=$((ktap_number + 1)); echo "ok $ktap_number $1 # SKIP $2"; }
skip_all() { ktap_skip_all=$1; exit 4; }
note() { local text=$*; echo "# ${text//$'\n'/$'\n'# }"; }

# Skip the whole test where a tool is missing.
need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip_all "no $tool"
	done
}

# Skip it on kernels without a file, as in: need_file /sys/kernel/debug/failslab
need_file() { [ -e "$1" ] || skip_all "no $1 in this kernel"; }

# check DESCRIPTION COMMAND...: the command succeeds. Its output is in $out.
check() {
	local description=$1
	shift
	if out=$("$@" 2>&1); then
		pass "$description"
	else
		fail "$description" "status $? of: $*
$out"
	fi
}

# said DESCRIPTION PATTERN: $out matches the extended regular expression.
said() {
	if grep -qE -- "$2" <<<"$out"; then pass "$1"; else fail "$1" "it does not say '$2':
$out"; fi
}

# refused DESCRIPTION PATTERN COMMAND...: it fails by itself (not by a signal or
# a time limit) and says something that matches the extended regular expression.
refused() {
	local description=$1 pattern=$2 status=0
	shift 2
	out=$("$@" 2>&1) || status=$?
	if [ $status = 0 ]; then
		fail "$description" "it succeeded: $*
$out"
	elif [ $status -ge 124 ]; then
		fail "$description" "status $status of: $*
$out"
	else
		said "$description" "$pattern"
	fi
}

# answers DESCRIPTION STATUS PATTERN COMMAND...: it exits so and says something that matches.
answers() {
	local description=$1 wanted=$2 pattern=$3 status=0
	shift 3
	out=$("$@" 2>&1) || status=$?
	if [ $status = "$wanted" ]; then
		said "$description" "$pattern"
	else
		fail "$description" "status $status, not $wanted:
$out"
	fi
}

equal() { # DESCRIPTION WANTED GOT
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "wanted '$2', got '$3'"; fi
}

# between DESCRIPTION LOW HIGH GOT: numbers, also with a fraction.
between() {
	if awk -v l="$2" -v h="$3" -v x="$4" 'BEGIN { exit !(x != "" && x + 0 >= l && x + 0 <= h) }'; then
		pass "$1"
	else
		fail "$1" "wanted $2 to $3, got '$4'"
	fi
}

# json EXPRESSION <JSON: a Python expression over the document `d`.
json() {
	python3 -c '
import json, sys
d = json.load(sys.stdin)
v = eval(sys.argv[1])
print(str(v).lower() if isinstance(v, bool) else v)' "$1"
}

# cases [PREFIX] <OUTPUT: of a helper that prints "ok TEXT" and "not ok TEXT: WHY".
cases() {
	local line
	while IFS= read -r line; do
		case $line in
		"ok "*) pass "${1-}${line#ok }" ;;
		"not ok "*) fail "${1-}${line#not ok }" ;;
		*) note "$line" ;;
		esac
	done
}

# program NAME: a C program of selftests/programs is there, as $tree/build/programs/NAME.
program() {
	make -s -C "$tree/selftests/programs" "../../build/programs/$1" >"$work/make" 2>&1 || {
		note "$(<"$work/make")"
		skip_all "$1 does not compile here"
	}
}

# Wait for a condition instead of sleeping: eventually SECONDS COMMAND...
eventually() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# The module and the lab; taken away at the end.
load() {
	modprobe fabsim "$@" || { fail "modprobe fabsim"; exit 1; }
	on_exit rmmod fabsim
}
lab_up() { # OPTIONS OF fabctl up
	on_exit fabctl down
	out=$(fabctl up "$@" 2>&1) || { fail "fabctl up $*" "$out"; exit 1; }
}
lab_down() { fabctl down; }

# carry FILE COPY SIZE COMMAND...: the file goes from h1 to h2 through TCP, in writes
# of SIZE bytes, while the command is done; all of it goes well, and the copy is whole.
# The port is none that tshark has a dissector for.
carry() {
	local file=$1 copy=$2 size=$3 sender receiver
	shift 3
	timeout 150 ip netns exec h2 socat -u -b 65536 TCP-LISTEN:50123,reuseaddr "CREATE:$copy" &
	receiver=$!
	eventually 20 ip netns exec h2 sh -c 'ss -Hltn sport = :50123 | grep -q .' || return 1
	timeout 150 ip netns exec h1 socat -u -b "$size" "OPEN:$file" TCP:10.0.0.2:50123,nodelay &
	sender=$!
	"$@" || return 1
	wait "$sender" && wait "$receiver" && cmp "$file" "$copy"
}

# Objects in use in the general slab caches, for tests that look for leaks:
# compare a long series with itself, as single numbers move by themselves.
slab_objects() {
	sync
	awk '/^(kmalloc|skbuff|net_namespace|dentry|inode)/ { n += $2 } END { print n }' /proc/slabinfo
}

# A test limit for something that should take SECONDS on an idle machine: debug
# kernels are several times slower.
limit() {
	if [ "${FABSIM_KERNEL-}" = debug ]; then echo $(($1 * 4)); else echo "$1"; fi
}
