#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Scenario files: those that come with fabctl are good; bad ones are refused
# with file, line and key, before anything happens. Needs no lab.
. "$(dirname "$0")/../lib.sh"

for file in "$tree"/scenarios/*.yaml "$tree"/scenarios/traps/*.yaml; do
	check "${file##*/} is good" fabctl run --check "$file"
done

traffic='traffic: {from: h1, to: h2, messages: 1, size: 4K}'

# bad DESCRIPTION PATTERN LINE...: a file of these lines is refused.
bad() {
	local description=$1 pattern=$2
	shift 2
	printf '%s\n' "$@" >"$work/bad.yaml"
	refused "$description" "$pattern" fabctl run --check "$work/bad.yaml"
	equal "$description: status 2" 2 "$(fabctl run --check "$work/bad.yaml" >/dev/null 2>&1; echo $?)"
}

: >"$work/empty.yaml"
refused "an empty file" "empty.yaml: the file is empty" fabctl run --check "$work/empty.yaml"
refused "no such file" "No such file" fabctl run --check "$work/none.yaml"
bad "not YAML" "bad.yaml:[0-9]+: not YAML" 'a: ['
bad "an unknown key" "bad.yaml:2: colour: unknown key" 'title: x' 'colour: red' "$traffic"
bad "no title" 'key "title" is missing' "$traffic"
bad "nothing to do" "neither traffic nor steps" 'title: x'
bad "a word for a number" "bad.yaml:5: messages:" \
	'title: x' traffic: '  from: h1' '  to: h2' '  messages: many' '  size: 4K'
bad "a size that is none" "bad.yaml:6: size: \"4X\"" \
	'title: x' traffic: '  from: h1' '  to: h2' '  messages: 1' '  size: 4X'
bad "too much to remember" "messages: .*256 MiB" \
	'title: x' 'traffic: {from: h1, to: h2, messages: 1000000, size: 1M}'
bad "a host that sends to itself" "to: h1 would send to itself" \
	'title: x' 'traffic: {from: h1, to: h1, messages: 1, size: 4K}'
bad "an unknown order" "neither \"one at a time\"" \
	'title: x' 'traffic: {from: h1, to: h2, messages: 1, size: 4K, order: never}'
bad "an unknown path" "none of tcp, roce, ib" 'title: x' 'paths: [tcp, udp]' "$traffic"
bad "an unknown setting" "bad.yaml:4: set: no setting \"links.speed\"" \
	'title: x' 'set:' ' - pace=1' ' - links.speed=1G' "$traffic"
bad "a setting out of range" "out of range" 'title: x' 'set: [pace=0]' "$traffic"
bad "an absurd rate" "range|rate" 'title: x' 'set: [links.rate=1]' "$traffic"
bad "an unknown action" "bad.yaml:4: do: no action" 'title: x' steps: ' - name: a' '   do: [dance]'
bad "half an action" "must be \"send A B" 'title: x' steps: ' - name: a' '   do: [send h1]'
bad "a subnet manager that is neither" "must be .*sm on" 'title: x' steps: ' - name: a' '   do: [sm maybe]'
bad "a priority that is none" "not a priority up to 15" 'title: x' steps: ' - name: a' '   do: [sm start is1 16]'
bad "words behind a path" "then ACTION" 'title: x' steps: ' - name: a' '   do: [send h1 h2 1 ib later]'
bad "a send in a send" "then ACTION" 'title: x' steps: ' - name: a' '   do: [send h1 h2 1 ib then send h1 h2]'
bad "an action in a send" "no action" 'title: x' steps: ' - name: a' '   do: [send h1 h2 1 ib then dance]'
bad "an unknown mistake" "mistake" 'title: x' 'traffic: {from: h1, to: h2, messages: 1, size: 4K, mistake: typo}'
bad "a time that is none" "at: .*not a time" \
	'title: x' steps: ' - name: a' '   at: noon' '   do: [forget]'
bad "an unknown operator" "bad.yaml:5: operator:" \
	'title: x' "$traffic" expect: ' - metric: a' '   operator: about' '   value: 1'
bad "an interval upside down" "value: .*LOW..HIGH" \
	'title: x' "$traffic" expect: ' - metric: a' '   operator: in' '   value: 2..1'

check "a trap by its name" fabctl run --check traps/wrong-rkey
refused "no such trap" "No such file" fabctl run --check traps/none
refused "a mistyped name" 'did you mean "baseline"' fabctl run --check baselin
refused "an unknown variant" "no variant" fabctl run --check baseline:sideways
refused "an unknown path on the command line" 'no path "udp"' fabctl run --check baseline --path udp
equal "run without a name: status 2" 2 "$(fabctl run >/dev/null 2>&1; echo $?)"
check "list" fabctl -j list
equal "every file is listed" "$(find "$tree/scenarios" -maxdepth 1 -name '*.yaml' | wc -l)" "$(json 'len(d)' <<<"$out")"
check "lessons" fabctl lesson
refused "an unknown lesson says which exist" "there are: 1" fabctl lesson 99
