#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check the ICRC and VCRC of every RDMA packet of a pcapng file.

usage: icrc.py FILE

Knows nothing of fabsim: CRC-32 is zlib's, the masks are the InfiniBand
specification's (vol. 1, 7.8; annex A17.3.3). Prints an object with the numbers of
packets by kind, and bytes of InfiniBand, VCRC not counted, by source LID: of data and
of MADs; status 1 if a check sum is wrong.
"""
import collections
import json
import struct
import sys
import zlib

ETHERNET, ERF = 1, 197
ERF_HEADER, ERF_INFINIBAND = 16, 21
ROCE_PORT = 4791


def crc16(data):
    """x^16 + x^12 + x^3 + x + 1, least significant bit of a byte first."""
    crc = 0xffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xd008 if crc & 1 else 0)
    return struct.pack("<H", crc ^ 0xffff)


def icrc(packet, *ones):
    """CRC-32 of the packet with the bytes [from, to) of ONES taken as ones."""
    masked = bytearray(packet)
    for first, last in ones:
        masked[first:last] = b"\xff" * (last - first)
    return struct.pack("<I", zlib.crc32(bytes(masked)))


def mask_version(packet, at):
    """The traffic class begins in the second half of the byte that has the version."""
    return packet[:at] + bytes([packet[at] | 0x0f]) + packet[at + 1:]


def check_ethernet(frame):
    """None if it is not RoCE, else whether its ICRC is good."""
    at = 18 if frame[12:14] == b"\x81\x00" else 14
    kind, ip = frame[at - 2:at], frame[at:]
    if kind == b"\x08\x00" and ip[0] == 0x45 and ip[9] == 17:
        length, udp, ones = struct.unpack_from("!H", ip, 2)[0], 20, [(1, 2), (8, 9), (10, 12)]
    elif kind == b"\x86\xdd" and ip[6] == 17:
        length, udp, ones = 40 + struct.unpack_from("!H", ip, 4)[0], 40, [(1, 4), (7, 8)]
        ip = mask_version(ip, 0)
    else:
        return None
    if struct.unpack_from("!H", ip, udp + 2)[0] != ROCE_PORT:
        return None
    if length > len(ip) or length < udp + 8 + 12 + 4:
        return False
    ones += [(udp + 6, udp + 8), (udp + 8 + 4, udp + 8 + 5)]
    covered = b"\xff" * 8 + ip[:length - 4]
    return icrc(covered, *[(a + 8, b + 8) for a, b in ones]) == ip[length - 4:length]


def check_infiniband(packet):
    """(whether the ICRC is good, None for a raw packet; whether the VCRC is)"""
    length = 4 * (struct.unpack_from("!H", packet, 4)[0] & 0x7ff)
    vcrc_good = len(packet) == length + 2 and crc16(packet[:-2]) == packet[-2:]
    follows, covered = packet[1] & 3, packet[:length - 4]
    if follows == 3:
        covered = mask_version(covered, 8)
        good = icrc(covered, (0, 8), (9, 12), (15, 16), (52, 53)) == packet[length - 4:length]
    elif follows == 2:
        covered = bytes([covered[0] | 0xf0]) + covered[1:]
        good = icrc(covered, (12, 13)) == packet[length - 4:length]
    else:
        good = None
    return good, vcrc_good


def packets(data):
    """(link type, bytes) of each packet that was kept whole."""
    at, links = 0, []
    while at + 12 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 1:
            links.append(struct.unpack_from("<H", data, at + 8)[0])
        elif kind == 6:
            interface, _, _, kept, length = struct.unpack_from("<IIIII", data, at + 8)
            if kept == length:
                yield links[interface], data[at + 28:at + 28 + kept]
        at += size


def main(path):
    with open(path, "rb") as file:
        data = file.read()
    count = dict.fromkeys(("roce", "ib", "ib_raw", "bad_icrc", "bad_vcrc"), 0)
    sums = {"bytes_from": collections.Counter(), "mads_from": collections.Counter()}
    for link, packet in packets(data):
        if link == ETHERNET:
            good = check_ethernet(packet)
            count["roce"] += good is not None
            count["bad_icrc"] += good is False
        elif link == ERF and packet[8] == ERF_INFINIBAND:
            packet = packet[ERF_HEADER:]
            good, vcrc_good = check_infiniband(packet)
            at = 48 if packet[1] & 1 else 8
            kind = "mads_from" if packet[at + 5:at + 8] in (b"\0\0\0", b"\0\0\1") else "bytes_from"
            sums[kind][struct.unpack_from("!H", packet, 6)[0]] += len(packet) - 2
            count["ib_raw" if good is None else "ib"] += 1
            count["bad_icrc"] += good is False
            count["bad_vcrc"] += not vcrc_good
    print(json.dumps(dict(count, **sums)))
    return 1 if count["bad_icrc"] or count["bad_vcrc"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
