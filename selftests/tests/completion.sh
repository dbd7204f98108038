#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Completion in bash: the function alone for what it offers, and a real prompt
# for what readline makes of it. Names need a lab, so they are skipped outside
# of a VM:
#
#	h1 ── es1 ── h2		(star)
. "$(dirname "$0")/../lib.sh"
need fabctl python3

completion=$tree/ctl/completion/fabctl.bash

# offers LINE: what TAB at the end of LINE would offer, one word after the other.
offers() {
	bash --norc -c '
		. "$1"
		COMP_LINE=$2 COMP_POINT=${#2}
		_fabctl 2>&1
		echo "${COMPREPLY[*]}"' bash "$completion" "$1"
}
offered() { equal "'$1'" "$2" "$(offers "$1")"; } # LINE WORDS
has() { # LINE WORD
	if grep -qwF -- "$2" <<<"$(offers "$1")"; then pass "'$1' has $2"; else fail "'$1' has $2" "$(offers "$1")"; fi
}
has_not() { # LINE WORD
	if grep -qwF -- "$2" <<<"$(offers "$1")"; then fail "'$1' has no $2" "$(offers "$1")"; else pass "'$1' has no $2"; fi
}

check "it can be sourced" bash --norc -eu "$completion"
offered "fabctl mon" monitor
offered "fabctl -j fre" freeze
offered "fabctl nosuch " ""
offered "fabctl show " "overview hosts ports links switches fdb lft sm qps gids headers fabric"
offered "fabctl up --h" "--hosts --help"
offered "fabctl up --hosts " ""
has "fabctl up -t " diamond
has_not "fabctl up -t star " diamond
offered "fabctl set " "link port switch host sm fabric lossless"
offered "fabctl set lossless o" "on off"
offered "fabctl set lossless off --net " "eth ib"
offered "fabctl why h1 h2 " "tcp roce ib"
offered "fabctl send --path " "tcp roce ib"
offered "fabctl set fabric " "pace= seed="
offered "fabctl set link x ra" rate=
offered "fabctl set link x loss=1% ra" rate=
offered "fabctl set link x dir=" "both a-b b-a"
offered "fabctl link " "up down add del"
offered "fabctl link add a b na" name=
offered "fabctl host " "add del"
offered "fabctl help ste" step
has "fabctl run " baseline
has "fabctl run -s x=1 " baseline
has "fabctl lesson " 1
has "fabctl cost -- ec" echo
has "fabctl exec h1 ec" echo
has_not "fabctl exec h1 ls -" --json
has "fabctl capture --" --snaplen

# typed KEYS: the line that stands at the prompt after them (\t: TAB).
typed() {
	timeout 60 python3 - "$completion" "$1" <<'PYTHON'
import os, pty, sys

pid, tty = pty.fork()
if pid == 0:
    os.environ.update(TERM='dumb', PS1='', INPUTRC='/dev/null')
    os.execlp('bash', 'bash', '--norc', '--noprofile', '-i')
keys = sys.argv[2].encode().decode('unicode_escape')
# ^A and "echo": the line is printed, not run.
os.write(tty, f". {sys.argv[1]}\n{keys}\x01echo '\x05'=LINE\nexit\n".encode())
seen = b''
while True:
    try:
        some = os.read(tty, 4096)
    except OSError:
        break
    if not some:
        break
    seen += some
os.waitpid(pid, 0)
lines = [l for l in seen.decode(errors='replace').splitlines() if l.endswith('=LINE') and "'" not in l]
print(lines[-1].removesuffix('=LINE') if lines else repr(seen))
PYTHON
}

equal "at a prompt: a command" "fabctl monitor " "$(typed 'fabctl moni\t')"
equal "at a prompt: a key, no blank behind it" "fabctl set link x rate=1G" "$(typed 'fabctl set link x ra\t1G')"
equal "at a prompt: a value behind a key" "fabctl set link x up=yes " "$(typed 'fabctl set link x up=y\t')"
equal "at a prompt: after an option" "fabctl -j show switches " "$(typed 'fabctl -j show sw\t')"

if [ -z "${FABSIM_VM-}" ]; then
	skip "names of the lab" "not in a VM"
	exit
fi
load
lab_up
offered "fabctl exec " "h1 h2 h3 h4"
offered "fabctl exec -- " "h1 h2 h3 h4"
offered "fabctl send h1 " "h1 h2 h3 h4"
offered "fabctl why h1 " "h1 h2 h3 h4"
offered "fabctl cost -p " "h1 h2 h3 h4"
offered "fabctl host del h2" h2
offered "fabctl host add h9 --switch " es1
offered "fabctl show links h3-e" h3-es1
offered "fabctl show ports h2-" "h2-eth h2-ib"
offered "fabctl show fdb " es1
offered "fabctl set switch " "es1 is1"
offered "fabctl show lft " is1
offered "fabctl sm stop " is1
offered "fabctl link down h4-e" h4-es1
offered "fabctl gen h1-eth dst=" "h1 h2 h3 h4"
has "fabctl capture -w x -i " h1-eth
offered "fabctl capture -i es1:4" 4
equal "at a prompt: a name with a colon" "fabctl show ports es1:4 " "$(typed 'fabctl show ports es1:4\t')"
equal "at a prompt: a host behind a key" "fabctl gen h1-eth dst=h2" "$(typed 'fabctl gen h1-eth dst=h2\t' | sed 's/ $//')"
