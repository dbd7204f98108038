# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of fabctl in bash. Commands and options are those of its own help,
# names of hosts, links and so on those of the lab that is up: one call of
# "fabctl -j show", without python or jq.

# Values of key $1 in the JSON that "fabctl -j $2..." prints.
_fabctl_values() {
	local key=$1
	shift
	fabctl -j "$@" 2>/dev/null | grep -oE "[{,]\"$key\":(\"[^\"]*\"|[0-9]+)" |
		sed 's/^[^:]*://; s/"//g'
}

_fabctl_names() { _fabctl_values name show "$1"; }

_fabctl_switches() { # eth or ib
	fabctl -j show switches 2>/dev/null |
		sed 's/{/\n{/g' | sed -nE "s/.*\"name\":\"([^\"]*)\",\"kind\":\"$1-switch\".*/\1/p"
}

_fabctl_reply() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }

_fabctl_files() { # PATTERN [WORDS]
	mapfile -t COMPREPLY < <(compgen -W "${2-}" -- "$cur"
		compgen -f -X "!$1" -- "$cur"; compgen -d -- "$cur")
	compopt -o filenames 2>/dev/null
}

# Of the command, as its help says: "  -n, --count N   ...".
_fabctl_options() {
	_fabctl_reply "$(sed -nE 's/^ +((-[a-z]), )?(--[a-z-]+).*/\2 \3/p' <<<"$help") $global"
}

_fabctl_show() {
	case $1 in
	'') _fabctl_reply "overview hosts ports links switches fdb lft sm qps gids headers fabric" ;;
	hosts | links | switches | ports) _fabctl_reply "$(_fabctl_names "$1")" ;;
	fdb) _fabctl_reply "$(_fabctl_switches eth)" ;;
	lft | sm) _fabctl_reply "$(_fabctl_switches ib)" ;;
	qps | gids) _fabctl_reply "$(_fabctl_names hosts)" ;;
	esac
}

_fabctl_link_settings() {
	echo "rate= delay= mtu= ber= loss= drop-nth= corrupt-nth= seed=" up={yes,no} \
		dir={both,a-b,b-a} stall={none,rx-at-A,rx-at-B,both}
}

_fabctl_set() {
	case $1,$2 in
	,*) _fabctl_reply "link port switch host sm fabric lossless" ;;
	lossless,*) _fabctl_reply "on off" ;;
	fabric,*) _fabctl_reply "pace= seed=" ;;
	switch,) _fabctl_reply "$(_fabctl_names switches)" ;;
	sm,) _fabctl_reply "$(_fabctl_switches ib)" ;;
	*,) _fabctl_reply "$(_fabctl_names "$1s")" ;;
	link,* | port,*) _fabctl_reply "$(_fabctl_link_settings)" ;;
	switch,*) _fabctl_reply "buffer= alpha= latency= ageing=" ;;
	host,*) _fabctl_reply "$(echo cpu= repeat={go-back-n,selective})" ;;
	sm,*) _fabctl_reply "$(echo priority= sweep= poll= lmc= routing={min-hop,updn})" ;;
	esac
}

_fabctl_link() { # the words behind "link"
	case $1,$# in
	,*) _fabctl_reply "up down add del" ;;
	add,1 | add,2) _fabctl_reply "$(_fabctl_names hosts) $(_fabctl_names switches)" ;;
	add,*) _fabctl_reply "name= $(_fabctl_link_settings)" ;;
	*,1) _fabctl_reply "$(_fabctl_names links)" ;;
	esac
}

_fabctl_gen() {
	_fabctl_reply "$(_fabctl_values interface show hosts)
		$(_fabctl_names hosts | sed 's/^/dst=/')
		count= size= interval= start= jitter= prio="
}

_fabctl_program() { # its arguments, or none
	if [ $# = 0 ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur"; compgen -f -- "$cur")
	else
		_fabctl_files '*'
	fi
}

_fabctl_operand() { # the words behind the command
	case $command,${1-} in
	show,*) _fabctl_show "${1-}" ;;
	set,*) _fabctl_set "${1-}" "${2-}" ;;
	link,*) _fabctl_link "$@" ;;
	host,) _fabctl_reply "add del" ;;
	sm,) _fabctl_reply "start stop" ;;
	sm,start | sm,stop) _fabctl_reply "$(_fabctl_switches ib)" ;;
	host,del) _fabctl_reply "$(_fabctl_names hosts)" ;;
	why,*) if [ $# -lt 2 ]; then _fabctl_reply "$(_fabctl_names hosts)"; else _fabctl_reply "tcp roce ib"; fi ;;
	exec, | send,*) _fabctl_reply "$(_fabctl_names hosts)" ;;
	exec,*) _fabctl_program "${@:2}" ;;
	cost,*) _fabctl_program "$@" ;;
	gen,*) _fabctl_gen ;;
	run,*) _fabctl_files '*.yaml' "$(_fabctl_values lesson_scenario list) $(_fabctl_values name list)" ;;
	lesson,) _fabctl_reply "$(_fabctl_values lesson lesson)" ;;
	help,) _fabctl_reply "$commands" ;;
	up,* | reset,* | monitor,* | capture,* | step,*) _fabctl_options ;;
	esac
}

# Does option $1 want a value? The help shows one in capitals: "--count N".
_fabctl_takes_value() {
	grep -E '^ +(-[a-z], )?--[a-z-]+ [A-Z]' <<<"$help" | grep -qE -- "(^| )$1[ ,]"
}

_fabctl_option_value() {
	case $command,$1 in
	up,-t | up,--topology) _fabctl_files '*.yaml' "star diamond chain ring fat-tree:4" ;;
	capture,-w | capture,--write) _fabctl_files '*.pcapng' ;;
	capture,-i | capture,--interface) _fabctl_reply "$(_fabctl_names ports)" ;;
	host,-s | host,--switch) _fabctl_reply "$(_fabctl_switches eth)" ;;
	run,-o | run,--output) _fabctl_files '*' ;;
	run,-p | run,--path | send,-p | send,--path | cost,--path) _fabctl_reply "tcp roce ib" ;;
	set,--net) _fabctl_reply "eth ib" ;;
	send,--op) _fabctl_reply "write read send" ;;
	cost,-p | cost,--host) _fabctl_reply "$(_fabctl_names hosts)" ;;
	esac
}

# The command and its operands of "words", options and their values left out.
_fabctl_parse() {
	local i
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		if [ "$program" ]; then
			operands+=("${words[i]}")
			continue
		fi
		case ${words[i]} in
		--) program=1 ;;
		-*) if _fabctl_takes_value "${words[i]}"; then option=${words[i++]}; fi ;;
		*)
			if [ "$command" ]; then
				operands+=("${words[i]}")
			else
				command=${words[i]} help=$(fabctl help "${words[i]}" 2>/dev/null)
			fi
			# From here on the words are another program's.
			if [[ $command,${#operands[@]} == @(exec|cost),1 ]]; then program=1; fi
			;;
		esac
	done
}

_fabctl() {
	local line=${COMP_LINE:0:COMP_POINT} global="-j --json -p --pretty -c --color --ascii -h --help"
	local cur words operands=() commands command='' help='' option='' program='' before
	# Not COMP_WORDS: there "es1:3" and "rate=1G" are three words each.
	read -ra words <<<"$line"
	[[ $line != *[[:space:]] ]] || words+=('')
	cur=${words[-1]}
	commands=$(fabctl help 2>/dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p')
	COMPREPLY=()
	_fabctl_parse
	if [ -z "$command" ]; then
		_fabctl_reply "$commands $global -V --version"
	elif [ "$option" ] && [ "$option" = "${words[-2]}" ]; then
		_fabctl_option_value "$option"
	elif [[ $cur == -* && -z $program ]]; then
		_fabctl_options
	else
		_fabctl_operand "${operands[@]}"
	fi
	# Readline puts a reply behind the last of these in the word.
	before=${cur%"${cur##*[:=]}"}
	COMPREPLY=("${COMPREPLY[@]#"$before"}")
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
}

complete -F _fabctl fabctl
