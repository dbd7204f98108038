#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A capture decodes in tshark: no malformed frame, whole frames, checksums that fit
# although the emulated NICs offload both segmentation and checksums.
#
#	h1 --- es1 --- h2	(star, h1..h4)
. "$(dirname "$0")/../lib.sh"
need tshark ping socat

load
lab_up
file=$work/x.pcapng
fabctl capture -w "$file" -i h1-eth -i es1:2 --timeout 60 >"$work/log" 2>&1 &
capture=$!
sleep 1
check "ping" fabctl exec h1 ping -q -c 3 -i 0.2 h2
# Every byte of it crosses both ports: at least 235 frames at each. No dissector of
# tshark takes these bytes for its own.
yes fabsim | head -c 2M >"$work/data"
check "a TCP stream, which arrives whole" carry "$work/data" "$work/got" 65536 true
kill -INT $capture
wait $capture

count() { tshark -nr "$file" -o tcp.check_checksum:TRUE -o ip.check_checksum:TRUE -Y "$1" 2>/dev/null | wc -l; }
between "frames were captured" 400 100000 "$(count frame)"
equal "none is malformed" 0 "$(count _ws.malformed)"
equal "no checksum is bad" 0 "$(count 'tcp.checksum.status == 0 || ip.checksum.status == 0')"
between "and they were checked" 400 100000 "$(count 'tcp.checksum.status == 1')"
equal "no frame is longer than the MTU allows" 0 "$(count 'frame.len > 9014')"
equal "three echo requests at two ports" 6 "$(count 'icmp.type == 8')"
