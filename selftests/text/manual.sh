#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Help, man page, README and completion know the same commands and options, and
# the settings that they name exist. Help fits on a screen of 80 columns.
. "$(dirname "$0")/../lib.sh"
need fabctl python3

# shellcheck source=ctl/completion/fabctl.bash
. "$tree/ctl/completion/fabctl.bash"
manual=$tree/docs/man/fabctl.8
global="-j --json -p --pretty -c --color --ascii -h --help"

sorted() { tr ' ' '\n' <<<"$*" | sed '/^$/d' | sort -u | tr '\n' ' '; } # WORDS...
options() { sed -nE 's/^ +((-[a-z]), )?(--[a-z-]+).*/\2 \3/p'; } # <HELP
# offers LINE: what TAB at its end would offer.
offers() {
	COMP_LINE=$1 COMP_POINT=${#1}
	_fabctl
	echo "${COMPREPLY[*]}"
}
narrow() { # DESCRIPTION TEXT
	equal "$1: 80 columns, no blank at the end" "" "$(LC_ALL=C awk 'length > 80 || / $/' <<<"$2")"
}
has() { # DESCRIPTION TEXT PART
	if [[ $2 == *"$3"* ]]; then pass "$1"; else fail "$1" "no '$3'"; fi
}

# From the man page's source, "COMMAND OPTION..." for each: the items of the
# outermost lists below COMMANDS are the commands.
declare -A man
while read -r command rest; do
	man[$command]=$rest
done < <(python3 - "$manual" <<'PYTHON'
import re, sys

of = {}
depth = 0
section = command = None
for line in open(sys.argv[1]):
    if line.startswith('.Sh'):
        section = line.split()[1]
    depth += line.startswith('.Bl')
    depth -= line.startswith('.El')
    if section != 'COMMANDS':
        continue
    item = re.match(r'\.It Cm ([a-z]+)', line)
    if item and depth == 1:
        command = item[1]
        of.setdefault(command, set())
    if command and line.startswith('.It'):
        of[command] |= {'-' + o for o in re.findall(r'\bFl (-?[a-z][a-z-]*)', line)}
for command, options in of.items():
    print(command, *options)
PYTHON
)

help=$(fabctl help)
commands=$(sed -nE 's/^  ([a-z]+) .*/\1/p' <<<"$help")
narrow help "$help"
equal "the man page has the commands" "$(sorted "$commands")" "$(sorted "${!man[@]}")"
equal "completion has the commands and global options" "$(sorted "$commands" "$global" -V --version)" "$(sorted "$(offers "fabctl ")")"
for option in $global -V --version; do
	has "help has $option" "${help//[],[]/ } " " $option "
done

for command in $commands; do
	text=$(fabctl help "$command")
	of=$(options <<<"$text")
	narrow "help $command" "$text"
	equal "$command: options of the man page" "$(sorted "$of")" "$(sorted "${man[$command]}")"
	equal "$command: options of completion" "$(sorted "$of" "$global")" "$(sorted "$(offers "fabctl $command -")")"
	# "--help" is a value to some, and none that they could use.
	for option in $of; do
		out=$(cd "$work" && timeout 20 fabctl "$command" "$option" --help 2>&1)
		if [[ $out == *"no option"* ]]; then fail "$command knows $option"; else pass "$command knows $option"; fi
	done
done

# Settings: what "set" says there is, in its help, in the man page, at TAB.
text=$(fabctl help set)
page=$(<"$manual")
for kind in "link x" "switch x" "host x" fabric; do
	# shellcheck disable=SC2086 # kind and name
	keys=$(fabctl set $kind 2>&1 | sed -n 's/.*There are: //p')
	equal "set $kind: settings at TAB" "$(sorted "$keys")" "$(sorted "$(offers "fabctl set $kind " | sed -E 's/=[^ ]*//g')")"
	equal "set port x: as of a link" "$(offers "fabctl set link x ")" "$(offers "fabctl set port x ")"
	for key in $keys; do
		has "help: set $kind $key" "$text" " $key="
		has "man page: set $kind $key" "${page//[=,$'\n']/ } " "Cm $key "
	done
done

# Parts of "show", the same way.
text=$(fabctl help show)
parts=$(sed -nE 's/^  ([a-z]+) .*/\1/p' <<<"$text")
equal "show: parts at TAB" "$(sorted "$parts")" "$(sorted "$(offers "fabctl show ")")"
for part in $parts; do
	out=$(fabctl show "$part" 2>&1)
	if [[ $out == *"cannot show"* ]]; then fail "show $part"; else pass "show $part"; fi
done

# Commands of the README exist.
while read -r command; do
	has "README: $command" " ${commands//$'\n'/ } " " $command "
done < <(grep -oE '(^ +|; )fabctl [a-z]+' "$tree/README.md" | sed 's/.* //' | sort -u)
