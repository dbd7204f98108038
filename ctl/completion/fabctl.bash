# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of fabctl in bash. Names of hosts, links and so on are those of the
# lab that is up: one call of "fabctl -j show", without python or jq.

# Values of key $2 in the list that "fabctl -j show $1" prints.
_fabctl_names() {
	fabctl -j show "$1" 2>/dev/null | grep -o "[{,]\"$2\":\"[^\"]*\"" |
		sed 's/.*:"\(.*\)"/\1/; s/.*"\(.*\)"$/\1/'
}

_fabctl_reply() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }

_fabctl_files() { # PATTERN [WORDS]
	mapfile -t COMPREPLY < <(compgen -W "${2-}" -- "$cur"
		compgen -f -X "!$1" -- "$cur"; compgen -d -- "$cur")
	compopt -o filenames 2>/dev/null || true
}

_fabctl_show() {
	case $1 in
	'') _fabctl_reply "overview hosts ports links switches fdb fabric -v" ;;
	hosts | links | switches | ports) _fabctl_reply "$(_fabctl_names "$1" name)" ;;
	fdb) _fabctl_reply "$(_fabctl_names switches name)" ;;
	esac
}

_fabctl_set() {
	local link="rate= delay= mtu= ber= loss= drop-nth= corrupt-nth= stall= dir= seed= up="
	compopt -o nospace
	case $1,$2 in
	,*) compopt +o nospace; _fabctl_reply "link port switch host fabric" ;;
	fabric,*) _fabctl_reply "pace= seed=" ;;
	switch,) compopt +o nospace; _fabctl_reply "$(_fabctl_names switches name)" ;;
	*,) compopt +o nospace; _fabctl_reply "$(_fabctl_names "$1s" name)" ;;
	link,* | port,*) _fabctl_reply "$link" ;;
	switch,*) _fabctl_reply "buffer= alpha= latency= ageing=" ;;
	host,*) _fabctl_reply "cpu=" ;;
	esac
}

# $1, $2: the words behind the command, if there are any.
_fabctl_operand() {
	case $command,$1 in
	show,*) _fabctl_show "$1" ;;
	set,*) _fabctl_set "$1" "$2" ;;
	link,) _fabctl_reply "up down add del" ;;
	link,add) _fabctl_reply "$(_fabctl_names hosts name) $(_fabctl_names switches name)" ;;
	link,*) _fabctl_reply "$(_fabctl_names links name)" ;;
	host,) _fabctl_reply "add del" ;;
	host,del) _fabctl_reply "$(_fabctl_names hosts name)" ;;
	exec, | send,*) _fabctl_reply "$(_fabctl_names hosts name)" ;;
	gen,*) _fabctl_reply "$(_fabctl_names hosts interface) dst= count= size= interval= start= jitter= prio= --at --seed" ;;
	run,*) _fabctl_files '*.yaml' "1 2 3 4 $(_fabctl_names_of_list)" ;;
	lesson,) _fabctl_reply "1 2 3 4 5 6" ;;
	help,) _fabctl_reply "$commands" ;;
	up,*) _fabctl_reply "--topology --hosts --no-ib --check" ;;
	reset,*) _fabctl_reply "--counters" ;;
	monitor,*) _fabctl_reply "--count --timeout" ;;
	capture,*) _fabctl_reply "-w -i -c -s --timeout" ;;
	step,*) _fabctl_reply "--events" ;;
	esac
}

_fabctl_names_of_list() {
	fabctl -j list 2>/dev/null | grep -o '"name":"[^"]*"' | cut -d'"' -f4
}

_fabctl_option_value() { # true if the word before is an option with a value
	case $command,$1 in
	up,-t | up,--topology) _fabctl_files '*.yaml' "star diamond chain ring fat-tree:4" ;;
	capture,-w | capture,--write) _fabctl_files '*.pcapng' ;;
	capture,-i | capture,--interface) _fabctl_reply "$(_fabctl_names ports name)" ;;
	host,--switch) _fabctl_reply "$(_fabctl_names switches name)" ;;
	run,-o | run,--output) _fabctl_files '*' ;;
	cost,-p | cost,--host) _fabctl_reply "$(_fabctl_names hosts name)" ;;
	*) return 1 ;;
	esac
}

_fabctl() {
	local cur prev words cword command='' commands i operands=()
	# "es1:3" and "rate=" are one word each.
	_get_comp_words_by_ref -n := cur prev words cword 2>/dev/null || {
		cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
		words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
	}
	commands=$(fabctl help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		-*) ;;
		*) if [ -z "$command" ]; then command=${words[i]}; else operands+=("${words[i]}"); fi ;;
		esac
	done
	if [ -z "$command" ]; then
		_fabctl_reply "$commands --json --pretty --color --ascii --help --version"
	elif [ "$command" = exec ] && [ ${#operands[@]} -gt 0 ]; then
		mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
	else
		_fabctl_option_value "$prev" ||
			_fabctl_operand "${operands[0]-}" "${operands[1]-}"
	fi
	if declare -F __ltrim_colon_completions >/dev/null; then
		__ltrim_colon_completions "$cur"
	fi
}

complete -F _fabctl fabctl
