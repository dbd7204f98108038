#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Topology files: the good ones are understood, the bad ones are refused with
# file, line and key, and with exit status 2. Nothing is built, so no module is
# needed, but for the last part, which builds one:
#
#	web ── es1:4     db ── es1 ── root (in the initial namespace)     g: a ghost
. "$(dirname "$0")/../lib.sh"
need fabctl python3

file=${work:?}/lab.yaml

# bad DESCRIPTION PATTERN <FILE
bad() {
	cat >"$file"
	answers "$1" 2 "lab.yaml:$2" timeout 60 fabctl up --check -t "$file"
}

# good DESCRIPTION EXPRESSION <FILE: fabctl -j up --check gives d.
good() {
	cat >"$file"
	if out=$(fabctl -j up --check -t "$file" 2>&1); then
		equal "$1" true "$(json "$2" <<<"$out")"
	else
		fail "$1" "$out"
	fi
}

two="nodes:
  - name: h1
  - name: h2
  - name: es1
    kind: eth-switch
    ports: 4
links:
  - { a: h1, b: es1 }"

good "a small one" "d['hosts'] == 2 and d['switches'] == 1 and d['links'] == 1" <<<"$two"
good "a node alone" "d['hosts'] == 1 and d['links'] == 0" <<<"nodes: [ { name: h1 } ]"
good "its own name" "d['topology'] == 'mine'" <<<"name: mine
$two"
good "every setting" "d['ghosts'] == 1" <<'END'
pace: 1000000
seed: 18446744073709551615
defaults: { rate: max, delay: 1.5us, mtu: 1500, ber: 1e-12, loss: 0.1% }
nodes:
  - { name: h1, live: false, cpu: 0 }
  - { name: h2, netns: init, ip: none }
  - { name: h3, live: true, netns: own, ip: 192.168.1.1/30 }
  - { name: s, kind: eth-switch, ports: 256, buffer: 1G, alpha: 64, latency: 1s, ageing: 1ms }
links:
  - { a: "h1:1", b: "s:256", name: x, down: true, rate: 10T }
  - { a: h2, b: s, rate: 1M, delay: 0, mtu: 9216, ber: 0, loss: 100% }
END
good "free ports keep clear of those that are named" "d['links'] == 2" <<'END'
nodes: [ { name: a }, { name: b }, { name: s, kind: eth-switch, ports: 2 } ]
links: [ { a: a, b: s }, { a: b, b: "s:1" } ]
END

bad "an empty file" "1?.*empty|.*empty" </dev/null
bad "comments only" ".*empty" <<<"# nothing"
bad "not YAML" "2: not YAML" <<<"nodes: [
}}"
head -c 4096 /dev/urandom >"$work/noise"
bad "noise" "[0-9]+:" <"$work/noise"
bad "a tab" "2: not YAML" <<<"nodes:
	- name: h1"
bad "a word" "1: .*mapping" <<<"hello"
bad "a list" "1: .*mapping" <<<"- name: h1"
bad "no nodes" "1: .*\"nodes\" is missing" <<<"name: x"
bad "no node in it" "1: nodes: .*needs nodes" <<<"nodes: []"
bad "nodes that are no list" "1: nodes: must be a list" <<<"nodes: 4"
bad "an alias" "[0-9]+:" <<<"nodes: [ &a { name: h1 }, *a ]"
bad "an unknown key" "2: nods: unknown key; did you mean \"nodes\"" <<<"name: x
nods: []"
bad "an unknown key of a node" "4: kinds: unknown key; did you mean \"kind\"" <<<"nodes:
  - name: h1
  - name: h2
    kinds: host"
bad "an unknown key of a link" "9: colour: unknown key" <<<"$two
  - { a: h2, b: es1, colour: red }"
bad "a key given twice" "3: name: given twice" <<<"nodes:
  - name: h1
    name: h2"
bad "a node without a name" "2: .*\"name\" is missing" <<<"nodes:
  - kind: host"
bad "a duplicate name" "3: name: \"h1\" is the name of two nodes" <<<"nodes:
  - name: h1
  - name: h1"
bad "a name with a slash" "2: name: \"a/b\"" <<<"nodes:
  - name: a/b"
bad "a name that is a path" "2: name: \"\.\.\"" <<<"nodes:
  - name: .."
bad "a name like an option" "2: name: \"-h\"" <<<"nodes:
  - name: -h"
bad "a name that is too long" "2: name: .*longer than 10" <<<"nodes:
  - name: abcdefghijk"
bad "an empty name" "2: name: .*empty" <<<"nodes:
  - name: ''"
bad "an unknown kind" "3: kind: \"router\"" <<<"nodes:
  - name: h1
    kind: router"
bad "a switch's setting on a host" "3: buffer: a host has no such key" <<<"nodes:
  - name: h1
    buffer: 1M"
bad "a host's setting on a switch" "4: live: a switch has no such key" <<<"nodes:
  - name: s
    kind: eth-switch
    live: true"
bad "no address" "3: ip: " <<<"nodes:
  - name: h1
    ip: 10.0.0.300/24"
bad "ports out of range" "4: ports: 257 is out of range" <<<"nodes:
  - name: s
    kind: eth-switch
    ports: 257"
bad "a link to an unknown node" "9: b: there is no node \"es9\"" <<<"$two
  - { a: h2, b: es9 }"
bad "a link to an unknown port" "9: b: es1 has no port 5" <<<"$two
  - { a: h2, b: 'es1:5' }"
bad "port 0" "9: b: \"0\" is no port number" <<<"$two
  - { a: h2, b: 'es1:0' }"
bad "port x" "9: b: \"x\" is no port number" <<<"$two
  - { a: h2, b: 'es1:x' }"
bad "a port used twice" "9: .*port es1:2 is used twice" <<<"nodes:
  - name: h1
  - name: h2
  - name: es1
    kind: eth-switch

links:
  - { a: h1, b: 'es1:2' }
  - { a: h2, b: 'es1:2' }"
bad "a host used twice" "9: .*host h1 is used twice" <<<"$two
  - { a: h1, b: es1 }"
bad "more links than ports" "4: .*all 1 ports of s" <<<"nodes: [ { name: a }, { name: b }, { name: s, kind: eth-switch, ports: 1 } ]
links:
  - { a: a, b: s }
  - { a: b, b: s }"
bad "a link to itself" "9: .*both ends are es1" <<<"$two
  - { a: es1, b: es1 }"
bad "two links of one name" "4: name: \"x\" is the name of two links" <<<"nodes: [ { name: a }, { name: b }, { name: s, kind: eth-switch } ]
links:
  - { a: a, b: s, name: x }
  - { a: b, b: s, name: x }"
for rate in 0 0G -1G 1K 11T 1e30 nan 0x10 G "''" "10 parsecs"; do
	bad "rate $rate" "9: rate: .*1M to 10T, or max" <<<"$two
  - { a: h2, b: es1, rate: $rate }"
done
for setting in "delay: 2s" "delay: -1" "mtu: 67" "mtu: 9217" "mtu: big" "loss: 101%" \
	"loss: 2" "ber: 1.5" "ber: x" "down: maybe"; do
	bad "$setting" "9: ${setting%%:*}: " <<<"$two
  - { a: h2, b: es1, $setting }"
done
bad "a default out of range" "1: rate: 0 is out of range" <<<"defaults: { rate: 0 }
$two"
bad "pace 0" "1: pace: 0 is out of range" <<<"pace: 0
$two"

nodes() { # COUNT EXTRA
	echo "nodes:"
	seq -f "  - { name: h%.0f$2 }" "$1"
}
bad "70,000 nodes" "[0-9]+: nodes: .*at most 65536" < <(nodes 70000 ", live: false")
bad "257 live hosts" "258: .*more than 256 live hosts" < <(nodes 257 "")
good "65,536 nodes" "d['ghosts'] == 65536" < <(nodes 65536 ", live: false")

# A bomb would fill all memory.
{
	echo "a: &a [x, x, x, x, x, x, x, x, x]"
	for c in b c d e f g h i; do
		p=$(tr b-i a-h <<<$c)
		echo "$c: &$c [*$p, *$p, *$p, *$p, *$p, *$p, *$p, *$p, *$p]"
	done
} >"$work/bomb"
bad "a bomb of aliases" "[0-9]+:" <"$work/bomb"

status=0
out=$(fabctl up --check -t "$work/nothing.yaml" 2>&1) || status=$?
equal "no such file: status" 2 $status
refused "no such file" "nothing.yaml: no such file" fabctl up --check -t "$work/nothing.yaml"
refused "a folder" "lab: Is a directory|Is a directory" fabctl up --check -t "$work"
refused "an unknown shape" "no built-in topology" fabctl up --check -t pentagon
refused "an odd fat tree" "even" fabctl up --check -t fat-tree:3
refused "a fat tree without a size" "fat-tree:4" fabctl up --check -t fat-tree
refused "a fat tree that is too big" "2 to 62" fabctl up --check -t fat-tree:64
refused "hosts of a file" "built-in" fabctl up --check --hosts 3 -t "$file"
refused "no hosts" "out of range" fabctl up --check --hosts 0
refused "too many hosts" "at most 256" fabctl up --check --hosts 257
refused "a fat tree with more ends than LIDs" "no-ib" fabctl up --check -t fat-tree:58
for shape in star diamond chain ring fat-tree:2 fat-tree:8 fat-tree:56; do
	check "$shape is good" fabctl up --check -t $shape
done
for shape in star diamond chain ring fat-tree:2 fat-tree:62; do
	check "$shape without InfiniBand is good" fabctl up --check --no-ib -t $shape
done

ib="nodes: [ { name: h1 }, { name: h2, ib: off }, { name: e, kind: eth-switch }, { name: i, kind: ib-switch, sm: on } ]"
good "a host on both networks" "d['links'] == 2" <<<"$ib
links: [ { a: h1, b: e }, { a: h1, b: i } ]"
bad "a cable to a port that is off" "2: .*h2 has no InfiniBand port" <<<"$ib
links: [ { a: h2, b: i } ]"
bad "a cable between the networks" "2: .*e is an Ethernet switch" <<<"$ib
links: [ { a: e, b: i } ]"
bad "an Ethernet port into an InfiniBand switch" "2: .*h1:1 is an Ethernet port" <<<"$ib
links: [ { a: \"h1:1\", b: i } ]"
bad "a buffer of an InfiniBand switch" "1: buffer: an InfiniBand switch has no such key" \
	<<<"nodes: [ { name: i, kind: ib-switch, buffer: 64K } ]"
bad "a subnet manager of an Ethernet switch" "1: sm: a switch has no such key" \
	<<<"nodes: [ { name: e, kind: eth-switch, sm: on } ]"
bad "a priority out of range" "1: sm: .*0 to 15" <<<"nodes: [ { name: i, kind: ib-switch, sm: 16 } ]"
bad "an HCA of a ghost" "1: roce: a ghost" <<<"nodes: [ { name: g, live: false, roce: on } ]"

if [ "$(id -u)" != 0 ] || ! modprobe -n fabsim 2>/dev/null; then
	exit 0
fi

cat >"$file" <<'END'
name: mylab
pace: 2
seed: 9
defaults: { rate: 10G, delay: 1us }
nodes:
  - { name: es1, kind: eth-switch, ports: 4, buffer: 64K, alpha: 0.5, latency: 300ns, ageing: 1s }
  - { name: web, ip: 192.168.7.1/24 }
  - { name: db }
  - { name: root, netns: init, ip: 10.0.0.9/24 }
  - { name: g, live: false }
links:
  - { a: web, b: "es1:4", mtu: 1500, loss: 1% }
  - { a: db, b: es1, rate: max }
  - { a: root, b: es1, name: myl }
  - { a: g, b: es1, down: true }
END
load
lab_up -t "$file"
settings() {
	fabctl -j show links | json "[(l['name'], l['a'], l['b'], l['up'], l['rate_bps'], l['delay_ns'], l['mtu'], l['loss_ppb']) for l in d]"
	fabctl -j show switches | json "[(s['ports'], s['buffer'], s['alpha_milli'], s['latency_ns'], s['ageing_ms']) for s in d]"
	fabctl -j show fabric | json "(d['topology'], d['pace'], d['seed'], d['nodes'])"
}
settings >"$work/before"
equal "links, switches and fabric are as the file says" "$(cat "$work/before")" \
"[('web-es1', 'web-eth', 'es1:4', True, 10000000000, 1000, 1500, 10000000), ('db-es1', 'db-eth', 'es1:1', True, 0, 1000, 9000, 0), ('myl', 'root-eth', 'es1:2', True, 10000000000, 1000, 9000, 0), ('g-es1', 'g-eth', 'es1:3', False, 10000000000, 1000, 9000, 0)]
[(4, 65536, 500, 300, 1000)]
('mylab', 2, 9, 5)"
equal "addresses" "10.0.0.1/24 10.0.0.9/24 192.168.7.1/24" \
	"$(fabctl -j show hosts | json "' '.join(sorted(h['address'] for h in d if h['address']))")"
check "a host in the initial namespace is reached" ping -q -c 1 -W 5 10.0.0.1
equal "a host's MTU is its link's" 1500 "$(fabctl exec web cat /sys/class/net/web-eth/mtu)"
fabctl set link myl rate=1G loss=5% && fabctl link up g-es1 &&
	fabctl set switch es1 alpha=8 buffer=1M && fabctl set fabric pace=1 seed=3
check "reset" fabctl reset
equal "reset brings back what the file says" "$(cat "$work/before")" "$(settings)"
