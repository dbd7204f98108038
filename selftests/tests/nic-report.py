#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Hold a NIC's poll, let a sent frame's time come meanwhile, and see it reported.

usage: ip netns exec h1 nic-report.py CPU OTHER-CPU

h1 and a ghost g1 must be on one switch, and the fabric thread on OTHER-CPU.
Prints a line a case: "ok TEXT" or "not ok TEXT: WHY".

What holds the poll is a socket filter: a program that runs for each received
frame, inside the poll, and spins until the time that its map says. The kernel wants to
see the end of every loop, so it spins a limited number of times; many sockets
with the same filter, one after the other, make that long enough.
"""
import ctypes
import fcntl
import mmap
import os
import platform
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fabnl import N, Genl, a, field, u32

SYS_BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
MAP_CREATE, PROG_LOAD = 0, 5
ARRAY, MMAPABLE, SOCKET_FILTER = 2, 1 << 10, 1
SO_ATTACH_BPF, SIOCOUTQ = 50, 0x5411
GENERATED = 0x88b5              # EtherType of the generator's frames
SPINS, SOCKETS = 8000, 800      # the verifier follows 8192 jumps
ROUNDS = 3
TRIES = 8                       # a busy machine may let the filters end before we look
# Places in the map: spin until then (ns), how often it began to.
DEADLINE, ENTERED = 0, 8

libc = ctypes.CDLL(None, use_errno=True)


def report(good, what, why=""):
    print("ok " + what if good else "not ok %s: %s" % (what, why), flush=True)


def bpf(cmd, attr):
    attr += bytes(128 - len(attr))
    fd = libc.syscall(SYS_BPF, cmd, ctypes.c_char_p(attr), len(attr))
    if fd < 0:
        raise OSError(ctypes.get_errno(), "bpf(%d): %s" % (cmd, os.strerror(ctypes.get_errno())))
    return fd


def insn(code, dst=0, src=0, off=0, imm=0):
    return struct.pack("=BBhi", code, src << 4 | dst, off, imm)


def load_filter(map_fd):
    """r6 = the map's value; it counts itself, then spins with r7 as the number of times."""
    code = [
        insn(0x62, 10, off=-4),                         # *(u32 *)(r10 - 4) = 0, the key
        insn(0xbf, 2, 10), insn(0x07, 2, imm=-4),       # r2 = r10 - 4
        insn(0x18, 1, 1, imm=map_fd), insn(0),          # r1 = map
        insn(0x85, imm=1),                              # r0 = map_lookup_elem(r1, r2)
        insn(0x15, 0, off=9),                           # if !r0 goto out
        insn(0xbf, 6, 0),                               # r6 = r0
        insn(0xb7, 7), insn(0xb7, 1, imm=1),            # r7 = 0, r1 = 1
        insn(0xdb, 6, 1, off=ENTERED),                  # lock *(u64 *)(r6 + ENTERED) += r1
        insn(0x85, imm=5),                              # loop: r0 = ktime_get_ns()
        insn(0x79, 1, 6, off=DEADLINE),                 # r1 = *(u64 *)(r6 + DEADLINE)
        insn(0x2d, 0, 1, off=2),                        # if r0 > r1 goto out
        insn(0x07, 7, imm=1),                           # r7++
        insn(0xa5, 7, off=-5, imm=SPINS),               # if r7 < SPINS goto loop
        insn(0xb7, 0), insn(0x95),                      # out: return 0, not for this socket
    ]
    program = ctypes.create_string_buffer(b"".join(code))
    licence = ctypes.create_string_buffer(b"GPL")
    return bpf(PROG_LOAD, struct.pack("=IIQQ", SOCKET_FILTER, len(code),
                                      ctypes.addressof(program), ctypes.addressof(licence)))


class Holder:
    """Sockets whose filter holds the poll that brings them a generated frame."""

    def __init__(self):
        fd = bpf(MAP_CREATE, struct.pack("=IIIII", ARRAY, 4, 16, 1, MMAPABLE))
        self.map = mmap.mmap(fd, mmap.PAGESIZE)
        program = load_filter(fd)
        self.sockets = []
        for _ in range(SOCKETS):
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_BPF, program)
            sock.bind(("h1-eth", GENERATED))
            self.sockets.append(sock)

    def arm(self, seconds):
        self.map[:16] = struct.pack("=QQ", time.monotonic_ns() + int(seconds * 1e9), 0)

    def entered(self):
        return struct.unpack_from("=Q", self.map, ENTERED)[0]

    def holds(self):
        """For certain: the last of the filters has not even begun."""
        return 0 < self.entered() < SOCKETS

    def release(self):
        self.map[DEADLINE:DEADLINE + 8] = bytes(8)


def unreported(sock):
    """Bytes sent whose memory the NIC's driver has not given back."""
    return struct.unpack("=i", fcntl.ioctl(sock, SIOCOUTQ, bytes(4)))[0]


def wait(seconds, condition):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


class NotHeldError(Exception):
    """The filters ended too early: this round says nothing."""


def one_round(nl, holder, sender, mac):
    wait(2, lambda: not field(nl.ask("GEN_GET")[0], "GEN_RUNNING"))
    nl.ask("NODE_SET", a("NODE_NAME", "h1"), a("NODE_CPU", u32(int(sys.argv[1]))))
    holder.arm(5)
    nl.ask("GEN_START", a("GEN_STREAM", [a("STREAM_PORT", "g1-eth"), a("STREAM_DST", mac),
                                         a("STREAM_COUNT", u32(1))]))
    if not wait(4, holder.holds):
        raise NotHeldError("the poll was not held (%d)" % holder.entered())
    # The frame's timer shall be of a CPU that is free to run it.
    nl.ask("NODE_SET", a("NODE_NAME", "h1"), a("NODE_CPU", u32(int(sys.argv[2]))))
    sender.send(b"\xff" * 6 + mac + b"\x88\xb6" + bytes(100))
    sent = wait(2, lambda: unreported(sender) > 0)
    time.sleep(0.05)            # many ticks; it needs one
    held = holder.holds()
    holder.release()
    if not sent or not held:
        raise NotHeldError("the poll was not held long enough (%s, %d)" % (sent, holder.entered()))
    if not wait(2, lambda: unreported(sender) == 0):
        return "%d bytes are not reported" % unreported(sender)
    return ""


def decisive_round(*what):
    """The verdict of the first round whose poll was held; else why none was."""
    why = ""
    for _ in range(TRIES):
        try:
            return one_round(*what)
        except NotHeldError as error:
            why = str(error)
    return why


def main():
    os.sched_setaffinity(0, {int(sys.argv[2])})
    nl = Genl()
    mac = field(nl.ask("NODE_GET", a("NODE_NAME", "h1"))[0], "NODE_MAC")
    sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sender.bind(("h1-eth", 0))
    try:
        holder = Holder()
    except OSError as error:
        print("# no socket filter: %s" % error)
        sys.exit(4)
    for i in range(ROUNDS):
        why = decisive_round(nl, holder, sender, mac)
        report(not why, "a frame whose time comes during a poll is reported (%d)" % (i + 1), why)


main()
