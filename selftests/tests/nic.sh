#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A host's NIC is a NIC like any other: ethtool, counters, carrier, MTU, moves
# between namespaces, promiscuous mode, and what people put on top of it.
#
#	h1 --- es1 --- h2	(star, h1..h4)
. "$(dirname "$0")/../lib.sh"
need ip ethtool ping tcpdump tc bridge

load
lab_up

on() { ip netns exec "$@"; }
nic_counter() { on "$1" ethtool -S "$1-eth" | awk -v n="$2:" '$1 == n { print $2 }'; }
link_counter() { ip -n "$1" -j -s link show "$1-eth" | json "d[0]['stats64']['$2']['$3']"; }
carrier() { on h1 cat /sys/class/net/h1-eth/carrier; }
pings() { on "$1" ping -q -c "${3-2}" -i 0.2 -W 2 "$2"; }

check "ethtool -i names the driver" bash -c 'ip netns exec h1 ethtool -i h1-eth | grep -q "^driver: fabsim$"'
check "ethtool -g" bash -c 'ip netns exec h1 ethtool -g h1-eth | grep -q "RX:.*1024"'
check "ethtool -k: segmentation offload" bash -c 'ip netns exec h1 ethtool -k h1-eth | grep -q "^tcp-segmentation-offload: on"'
check "ethtool -a" bash -c 'ip netns exec h1 ethtool -a h1-eth | grep -q "^RX:.*off"'
check "the speed is the link's" bash -c 'ip netns exec h1 ethtool h1-eth | grep -q "Speed: 100000Mb/s"'
fabctl set link h1-es1 rate=25G >/dev/null
check "also when it changes" bash -c 'ip netns exec h1 ethtool h1-eth | grep -q "Speed: 25000Mb/s"'
fabctl set link h1-es1 rate=100G >/dev/null
check "the permanent address is the burned-in one" bash -c \
	'ip netns exec h1 ethtool -P h1-eth | grep -q 02:fa:b5:00:00:01'

before=$(link_counter h2 rx packets) sent=$(link_counter h1 tx packets)
irqs=$(nic_counter h2 interrupts)
check "ping" pings h1 10.0.0.2 5
between "h1 counted what it sent" 5 20 $(($(link_counter h1 tx packets) - sent))
between "h2 counted what it received" 5 20 $(($(link_counter h2 rx packets) - before))
between "h2 was interrupted" 1 20 $(($(nic_counter h2 interrupts) - irqs))

equal "carrier" 1 "$(carrier)"
fabctl link down h1-es1 >/dev/null
equal "no carrier while the link is down" 0 "$(carrier)"
check "nor at the other tools" bash -c 'ip -n h1 link show h1-eth | grep -q NO-CARRIER'
fabctl link up h1-es1 >/dev/null
equal "carrier again" 1 "$(carrier)"
check "and traffic" pings h1 10.0.0.2

check "a smaller MTU" ip -n h1 link set h1-eth mtu 1500
check "is obeyed" pings h1 10.0.0.2
refused "a frame longer than it" "too long|Message too long" on h1 ping -c 1 -M 'do' -s 3000 10.0.0.2
refused "a senseless MTU" "MTU|mtu|range" ip -n h1 link set h1-eth mtu 99999
ip -n h1 link set h1-eth mtu 9000

# Frames for others: es1 floods what it does not know, the NIC filters.
filtered=$(nic_counter h3 rx_filtered)
on h1 ip neigh replace 10.0.0.99 lladdr 02:00:00:00:00:99 dev h1-eth
on h1 ping -q -c 3 -i 0.2 -W 1 10.0.0.99 >/dev/null
between "frames for others are filtered" 3 9 $(($(nic_counter h3 rx_filtered) - filtered))
on h3 timeout 10 tcpdump -i h3-eth -c 2 -w "$work/promisc.pcap" ether host 02:00:00:00:00:99 2>/dev/null &
sleep 1
on h1 ping -q -c 4 -i 0.3 -W 1 10.0.0.99 >/dev/null
wait $!
equal "promiscuous mode sees them" 2 "$(tcpdump -nr "$work/promisc.pcap" 2>/dev/null | wc -l)"

# A VLAN on top, through the switch that does not care.
modprobe 8021q 2>/dev/null
for i in 1 2; do
	ip -n h$i link add link h$i-eth name vlan7 type vlan id 7
	ip -n h$i addr add 10.7.0.$i/24 dev vlan7
	ip -n h$i link set vlan7 up
done
check "a VLAN on top" pings h1 10.7.0.2
for i in 1 2; do ip -n h$i link del vlan7; done

# A bridge on top: h3 becomes a switch, its NIC promiscuous.
modprobe bridge 2>/dev/null
ip -n h3 addr flush dev h3-eth
ip -n h3 link add br0 type bridge
ip -n h3 link set h3-eth master br0
ip -n h3 addr add 10.0.0.3/24 dev br0
ip -n h3 link set br0 up
check "a bridge on top" pings h1 10.0.0.3
ip -n h3 link del br0
ip -n h3 addr add 10.0.0.3/24 dev h3-eth

modprobe sch_netem 2>/dev/null
if tc -n h1 qdisc add dev h1-eth root netem loss 100% 2>/dev/null; then
	refused "netem loses all" "100% packet loss" pings h1 10.0.0.2
	check "netem goes" tc -n h1 qdisc del dev h1-eth root
	check "and nothing is lost" pings h1 10.0.0.2
else
	skip "netem" "not in this kernel"
fi

# Moves between namespaces, and back.
ip netns add elsewhere
on_exit ip netns del elsewhere
check "moves to another namespace" ip -n h4 link set h4-eth netns elsewhere
ip -n elsewhere addr add 10.0.0.44/24 dev h4-eth
ip -n elsewhere link set h4-eth up
check "works there" pings h1 10.0.0.44
check "moves back" ip -n elsewhere link set h4-eth netns h4
ip -n h4 addr add 10.0.0.4/24 dev h4-eth
ip -n h4 link set h4-eth up
check "works here" pings h1 10.0.0.4

flap() {
	local ping i
	ip netns exec h1 ping -q -f -c 2000 -w 3 10.0.0.2 >/dev/null &
	ping=$!
	for ((i = 0; i < 5; i++)); do
		ip -n h2 link set h2-eth down
		ip -n h2 link set h2-eth up
		sleep 0.1
	done
	kill $ping 2>/dev/null
	wait $ping
	ip netns exec h1 ping -q -c 2 -W 2 10.0.0.2
}
check "goes down and up under traffic" flap
