#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The kernel's side of control: dumps, events, captures, the generator, sysfs.

usage: control.py PART, one of those that control.sh runs, or listen

Prints a line a case: "ok TEXT" or "not ok TEXT: WHY".
"""
import errno
import os
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fabnl import (F_REQUEST, N, NETLINK_NO_ENOBUFS, SO_RCVBUFFORCE, SOL_NETLINK, Genl, Refused, a,
                   add_ghost, add_link, add_node, field, number, parse, text, u8, u32, u64)

TRACING = "/sys/kernel/tracing"


def report(good, what, why=""):
    print("ok " + what if good else "not ok %s: %s" % (what, why), flush=True)


def refusal(nl, *request):
    try:
        nl.ask(*request)
    except Refused as refused:
        return refused
    return None


def star(nl, *names):
    """Ghosts around a switch. Returns their addresses by name."""
    add_node(nl, "s1", "ETH_SWITCH")
    for name in names:
        add_ghost(nl, name)
        add_link(nl, name, "s1")
    return {text(n, "NODE_NAME"): field(n, "NODE_MAC") for n in nl.dump("NODE_GET")}


def stream(port, dst, count=1, *attrs):
    return a("GEN_STREAM", [a("STREAM_PORT", port), a("STREAM_DST", dst),
                            a("STREAM_COUNT", u32(count)), *attrs])


def gen_state(nl):
    body = nl.ask("GEN_GET")[0]
    return {x: field(body, "GEN_" + x) for x in
            ("RUNNING", "SENT", "RECEIVED", "DROPPED", "FIRST", "LAST")}


def gen_wait(nl):
    for _ in range(400):
        state = gen_state(nl)
        if not state["RUNNING"]:
            return state
        time.sleep(0.05)
    return state


def dumps(nl):
    # KASAN and lockdep make everything ten times as slow.
    many = 500 if os.path.exists("/sys/kernel/debug/kmemleak") else 3000
    for i in range(many):
        add_ghost(nl, "g%d" % i)
    ids = [field(n, "NODE_ID") for n in nl.dump("NODE_GET")]
    report(len(ids) == many and ids == sorted(set(ids)), "a dump of %d nodes has each once" % many,
           len(ids))
    report(not nl.interrupted, "a dump of a topology that stands still is not marked", "")

    other = Genl()
    stop = threading.Event()

    def churn():
        while not stop.is_set():
            add_ghost(other, "late")
            other.ask("NODE_DEL", a("NODE_NAME", "late"))

    thread = threading.Thread(target=churn)
    thread.start()
    kept, marked = True, False
    for _ in range(3):
        names = [text(n, "NODE_NAME") for n in nl.dump("NODE_GET")]
        kept &= len([n for n in names if n != "late"]) == many
        marked |= nl.interrupted
    stop.set()
    thread.join()
    report(kept, "nodes that stay are in every dump while others come and go")
    report(marked, "such a dump is marked as interrupted")
    nl.ask("FABRIC_DOWN")
    report(not nl.dump("NODE_GET"), "an empty fabric has an empty dump")


def events(nl):
    here, slow = Genl(), Genl()
    here.join("events")
    # A listener who never reads must cost nobody else anything.
    slow.sock.setsockopt(1, 8, 1024)
    slow.join("events")
    with subprocess.Popen(["unshare", "-n", sys.executable, sys.argv[0], "listen"],
                          stdout=subprocess.PIPE) as there:
        there.stdout.read(1)
        for i in range(60):
            add_ghost(nl, "g%d" % i)
        names = [here.other("EVENT")[N["FABSIM_A_EVENT_NAME"]] for _ in range(60)]
        status = there.wait()
    report(names == [b"g%d\0" % i for i in range(60)], "every node is announced, in order", names)
    report(status == 0, "a listener in another namespace hears the same", status)
    nl.ask("FABRIC_DOWN")


def listen(nl):
    """Run by events() in another namespace."""
    nl.join("events")
    print("x", flush=True)
    names = [nl.other("EVENT")[N["FABSIM_A_EVENT_NAME"]] for _ in range(60)]
    sys.exit(names != [b"g%d\0" % i for i in range(60)])


def captures(nl):
    macs = star(nl, "g1", "g2", "g3")
    every, one = Genl(), Genl()
    every.ask("CAPTURE_START", a("CAPTURE_SNAPLEN", u32(64)))
    one.ask("CAPTURE_START", a("CAPTURE_PORT", "g2-eth"))
    again = refusal(one, "CAPTURE_START")
    report(again and again.errno == errno.EBUSY, "a socket has one capture", again)
    nl.ask("GEN_START", stream("g1-eth", macs["g2"], 3, a("STREAM_SIZE", u32(500)),
                               a("STREAM_INTERVAL", u64(10000))))
    gen_wait(nl)
    packet = one.other("CAPTURE_PACKET")
    data = packet[N["FABSIM_A_CAPTURE_DATA"]]
    want = macs["g2"] + macs["g1"] + b"\x88\xb5" + struct.pack(">II", 0, 0)
    report(data.startswith(want) and len(data) == 514, "a frame is captured byte for byte",
           data[:24].hex())
    report(number(packet[N["FABSIM_A_CAPTURE_DIR"]]) == N["FABSIM_CAPTURE_RX"],
           "at the receiver it is received")
    # The first frame is flooded: 3 hops; the others take 2. Each hop is seen at both ends.
    seen = [every.other("CAPTURE_PACKET") for _ in range(2 * (3 + 2 + 2))]
    report(all(len(p[N["FABSIM_A_CAPTURE_DATA"]]) == 64 and
               number(p[N["FABSIM_A_CAPTURE_LEN"]]) == 514 for p in seen),
           "a capture of every port sees every hop, cut to snaplen")
    add_ghost(nl, "g4")
    add_link(nl, "g4", "s1")
    nl.ask("GEN_START", stream("g4-eth", macs["g1"]))
    gen_wait(nl)
    report(bool(every.other("CAPTURE_PACKET")), "ports that came later are in it")
    nl.ask("NODE_DEL", a("NODE_NAME", "g2"))
    one.ask("CAPTURE_STOP")
    report(refusal(one, "CAPTURE_STOP").errno == errno.ENOENT, "a capture ends once")
    every.close()
    slow(nl, macs)
    nl.ask("FABRIC_DOWN")


def slow(nl, macs):
    """A reader that does not read loses packets, and is told how many."""
    late = Genl()
    late.sock.setsockopt(SOL_NETLINK, NETLINK_NO_ENOBUFS, 1)
    late.ask("CAPTURE_START", a("CAPTURE_PORT", "g1-eth"))
    many = 2000
    nl.ask("GEN_START", stream("g1-eth", macs["g3"], many, a("STREAM_SIZE", u32(1000)),
                               a("STREAM_INTERVAL", u64(1000))))
    gen_wait(nl)
    got = 0
    late.sock.settimeout(0.5)
    try:
        while True:
            lost = number(late.other("CAPTURE_PACKET")[N["FABSIM_A_CAPTURE_LOST"]])
            got += 1
    except TimeoutError:
        pass
    late.sock.settimeout(20)
    nl.ask("GEN_START", stream("g1-eth", macs["g3"]))
    gen_wait(nl)
    lost = number(late.other("CAPTURE_PACKET")[N["FABSIM_A_CAPTURE_LOST"]])
    report(0 < got < many and got + lost == many, "a slow reader is told what it lost",
           "%d read, %d lost, of %d" % (got, lost, many))
    late.close()


def trace(on):
    with open(TRACING + "/events/fabsim/enable", "w", encoding="ascii") as file:
        file.write("1" if on else "0")


def read_trace():
    with open(TRACING + "/trace", encoding="ascii") as file:
        lines = [line.rstrip() for line in file if " fabsim_" in line]
    with open(TRACING + "/trace", "w", encoding="ascii"):
        pass
    return [line[line.index("fabsim_"):] for line in lines]


def generated(nl, seed):
    """One run on a new fabric: its trace, its figures, its captured frames."""
    macs = star(nl, "g1", "g2", "g3", "g4")
    nl.ask("LINK_SET", a("LINK_NAME", "g2-s1"), a("LINK_LOSS", u32(200000000)))
    reader = Genl()
    reader.sock.setsockopt(1, 33, 1 << 24)
    reader.ask("CAPTURE_START", a("CAPTURE_PORT", "s1:2"))
    read_trace()
    trace(True)
    nl.ask("GEN_START", a("GEN_AT", u64(10 ** 12)), a("GEN_SEED", u64(seed)),
           *[stream(port, macs[to], 200, a("STREAM_INTERVAL", u64(300)),
                    a("STREAM_JITTER", u64(700)), a("STREAM_SIZE", u32(size)),
                    a("STREAM_PRIO", u8(prio)))
             for port, to, size, prio in (("g1-eth", "g2", 1500, 0), ("g3-eth", "g2", 9000, 5),
                                          ("g2-eth", "g1", 46, 7), ("g4-eth", "g3", 700, 0))])
    state = gen_wait(nl)
    trace(False)
    frames = []
    reader.sock.settimeout(0.5)
    try:
        while True:
            frames.append(sorted(reader.other("CAPTURE_PACKET").items()))
    except TimeoutError:
        pass
    reader.close()
    nl.ask("FABRIC_DOWN")
    # A port's number is never used again, so it is no part of the run.
    port_id = N["FABSIM_A_CAPTURE_PORT_ID"]
    return read_trace(), state, [[x for x in frame if x[0] != port_id] for frame in frames]


def generator(nl):
    first, state, frames = generated(nl, 7)
    report(state["SENT"] == 800 and state["SENT"] == state["RECEIVED"] + state["DROPPED"],
           "every frame that was sent arrived or was dropped", state)
    report(state["DROPPED"] > 0 and state["FIRST"] == 10 ** 12, "it starts on time, and loses some",
           state)
    again, same, same_frames = generated(nl, 7)
    report(len(first) > 3000 and first == again, "the same seed gives the same trace, byte for byte",
           "%d and %d lines, %s" % (len(first), len(again),
                                    next((x for x in zip(first, again) if x[0] != x[1]), "")))
    report(state == same and len(frames) > 400 and frames == same_frames,
           "and the same frames at the same times", "%s %s" % (state, same))
    other, _, _ = generated(nl, 8)
    report(first != other, "another seed gives another trace")
    stopping(nl)


def stopping(nl):
    macs = star(nl, "g1", "g2")
    long = stream("g1-eth", macs["g2"], 10 ** 9, a("STREAM_INTERVAL", u64(10 ** 6)))
    nl.ask("GEN_START", long)
    busy = refusal(nl, "GEN_START", long)
    report(busy and busy.errno == errno.EBUSY, "one run at a time", busy)
    nl.ask("GEN_STOP")
    state = gen_wait(nl)
    report(not state["RUNNING"] and state["SENT"] == state["RECEIVED"], "it can be stopped", state)
    nl.ask("GEN_START", long)
    nl.ask("NODE_DEL", a("NODE_NAME", "g1"))
    report(not gen_wait(nl)["RUNNING"], "it stops when its node goes away")
    ears = Genl()
    ears.join("events")
    nl.ask("GEN_START", stream("g2-eth", macs["g1"], 5))
    gen_wait(nl)
    kinds = []
    ears.sock.settimeout(0.5)
    try:
        while True:
            kinds.append(number(ears.other("EVENT")[N["FABSIM_A_EVENT_TYPE"]]))
    except TimeoutError:
        pass
    report(kinds.count(N["FABSIM_EVENT_GEN_DONE"]) == 1, "its end is announced, once", kinds)
    # A burst that no queue can hold: refused frame by frame, and it ends.
    nl.ask("GEN_START", stream("g2-eth", macs["g1"], 5000, a("STREAM_SIZE", u32(9000))))
    state = gen_wait(nl)
    report(state["DROPPED"] > 0 and state["SENT"] == 5000, "a burst has a limit", state)
    nl.ask("FABRIC_DOWN")


def oversize(nl):
    """What is longer than the MTU of a hop ends there; a tag does not count."""
    macs = star(nl, "g1", "g2")
    mtu_drops = {"g1-eth": 0, "s1:2": 0}

    def run(size, where, prio=0):
        nl.ask("GEN_START", stream("g1-eth", macs["g2"], 3, a("STREAM_SIZE", u32(size)),
                                   a("STREAM_PRIO", u8(prio))))
        state = gen_wait(nl)
        if where:
            mtu_drops[where] += 3
        seen = {port: mtu_drops_of(nl, port) for port in mtu_drops}
        dropped = 3 if where else 0
        report(state["SENT"] == 3 and state["DROPPED"] == dropped and
               state["RECEIVED"] == 3 - dropped and seen == mtu_drops,
               "frames of %d bytes%s %s" % (size, " with a tag" if prio else "",
                                            "are dropped at " + where if where else "arrive"),
               "%s %s" % (state, seen))

    nl.ask("LINK_SET", a("LINK_NAME", "g1-s1"), a("LINK_MTU", u32(1500)))
    run(1500, None)
    run(1501, "g1-eth")
    run(1500, None, prio=5)
    run(1501, "g1-eth", prio=5)
    nl.ask("LINK_SET", a("LINK_NAME", "g1-s1"), a("LINK_MTU", u32(9000)))
    nl.ask("LINK_SET", a("LINK_NAME", "g2-s1"), a("LINK_MTU", u32(1500)))
    run(1501, "s1:2")
    run(9000, "s1:2", prio=5)
    run(1500, None)
    nl.ask("FABRIC_DOWN")


def idle(nl):
    """To have had nothing to do is not to lag. No other request may wake the thread before."""
    macs = star(nl, "g1", "g2")
    before = field(nl.ask("FABRIC_GET")[0], "FABRIC_LAG")
    time.sleep(3)
    nl.ask("GEN_START", stream("g1-eth", macs["g2"], 1))
    gen_wait(nl)
    lag = field(nl.ask("FABRIC_GET")[0], "FABRIC_LAG") - before
    report(lag < 1000000000, "3 idle seconds are no lag", lag)
    nl.ask("FABRIC_DOWN")


def mtu_drops_of(nl, port):
    drops = field(nl.ask("PORT_GET", a("PORT_NAME", port))[0], "PORT_DROPS") or b""
    return sum(number(count) for reason, count in parse(drops) if reason == N["FABSIM_DROP_MTU"])


def builder(nl):
    building = a("FABRIC_STATE", u32(N["FABSIM_FABRIC_BUILDING"]))
    code = ("import sys, time; sys.path.insert(0, %r); from fabnl import *; nl = Genl(); "
            "nl.ask('FABRIC_SET', a('FABRIC_STATE', u32(1))); print('x', flush=True); "
            "time.sleep(60)" % os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        other.stdout.read(1)
        busy = refusal(nl, "FABRIC_SET", building)
        report(busy and busy.errno == errno.EBUSY and str(other.pid) in busy.message,
               "a second builder is told who builds", busy)
        other.kill()
        other.wait()
    try:
        nl.ask("FABRIC_SET", building)
        report(True, "one that was killed is in nobody's way")
    except Refused as refused:
        report(False, "one that was killed is in nobody's way", refused)
    report(field(nl.ask("FABRIC_GET")[0], "FABRIC_BUILDER") == os.getpid(), "the builder is shown")
    nl.ask("FABRIC_DOWN")


def state(nl):
    """EMPTY, BUILDING or READY, also for who never says BUILDING."""
    def set_state(name):
        nl.ask("FABRIC_SET", a("FABRIC_STATE", u32(N["FABSIM_FABRIC_" + name])))

    def expect(name, when):
        got = field(nl.ask("FABRIC_GET")[0], "FABRIC_STATE")
        with open("/sys/kernel/fabsim/state", encoding="ascii") as file:
            shown = file.read().strip()
        report(got == N["FABSIM_FABRIC_" + name] and shown == name.lower(),
               "the state is %s %s" % (name, when), "%s, %s" % (got, shown))

    expect("EMPTY", "without a node")
    add_ghost(nl, "g1")
    expect("READY", "with a node that nobody announced")
    nl.ask("NODE_DEL", a("NODE_NAME", "g1"))
    expect("EMPTY", "when the last node is gone")
    set_state("READY")
    expect("EMPTY", "whatever a controller says, without a node")
    set_state("BUILDING")
    expect("BUILDING", "before the first node")
    add_ghost(nl, "g1")
    expect("BUILDING", "until the builder says so")
    set_state("READY")
    expect("READY", "from then on")
    nl.ask("FABRIC_DOWN")
    expect("EMPTY", "after FABRIC_DOWN")


def ports_by_state(nl):
    found = {}
    for port in nl.dump("PORT_GET"):
        found.setdefault(field(port, "PORT_STATE"), set()).add(text(port, "PORT_NAME"))
    return found


def ring(nl):
    for i in range(1, 4):
        add_node(nl, "s%d" % i, "ETH_SWITCH", a("NODE_PORTS", u32(3)))
    add_ghost(nl, "g1")
    add_link(nl, "g1", "s1")
    for i, j in ((1, 2), (2, 3), (3, 1)):
        add_link(nl, "s%d" % i, "s%d" % j)


def tree(nl):
    """While a fabric is built its cables between switches block; then there is a tree."""
    blocking, forwarding = N["FABSIM_PORT_BLOCKING"], N["FABSIM_PORT_FORWARDING"]
    ring(nl)
    alone = ports_by_state(nl)
    report(alone[blocking] == {"s2:2", "s3:1"}, "a ring has one cable that blocks", alone)
    nl.ask("FABRIC_DOWN")
    nl.ask("FABRIC_SET", a("FABRIC_STATE", u32(N["FABSIM_FABRIC_BUILDING"])))
    ring(nl)
    ports = ports_by_state(nl)
    report(ports[forwarding] == {"g1-eth", "s1:1"} and len(ports[blocking]) == 6,
           "while it is built, each of its cables blocks", ports)
    nl.ask("LINK_DEL", a("LINK_NAME", "s1-s2"))
    ports = ports_by_state(nl)
    report(len(ports[blocking]) == 4, "but none that was pulled out", ports)
    add_link(nl, "s1", "s2")
    nl.ask("FABRIC_SET", a("FABRIC_STATE", u32(N["FABSIM_FABRIC_READY"])))
    ports = ports_by_state(nl)
    report(ports == alone, "then it is as one that grew by itself", ports)
    nl.ask("LINK_DEL", a("LINK_NAME", "s1-s2"))
    ports = ports_by_state(nl)
    report(blocking not in ports, "and changes as one", ports)
    nl.ask("FABRIC_DOWN")


def is_debug():
    """In a debug kernel what is large takes minutes, and every object is bigger."""
    return os.path.exists("/sys/kernel/debug/kmemleak")


def large(nl):
    """Only so many directories, since they cost more than what they show; netlink has it all."""
    if is_debug():
        return
    root = "/sys/kernel/fabsim"
    switches = 70               # of 256 ports
    for i in range(switches):
        add_node(nl, "s%d" % i, "ETH_SWITCH", a("NODE_PORTS", u32(256)))
    shown = len(os.listdir(root + "/ports"))
    report(len(nl.dump("PORT_GET")) == switches * 256, "a large fabric is all in a dump")
    report(16000 < shown < 16384, "sysfs shows the first of it", shown)
    add_link(nl, "s0", "s1")
    nl.ask("NODE_DEL", a("NODE_NAME", "s0"))
    add_node(nl, "small", "ETH_SWITCH")
    report(os.path.exists(root + "/nodes/small"), "and others when there is room again")
    nl.ask("FABRIC_DOWN")
    report(not os.listdir(root + "/ports") and not os.listdir(root + "/nodes"),
           "nothing is left of it")


def slab():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("SUnreclaim:"))


def add_ghosts(first, end):
    """Many a message, since a round trip each would take minutes."""
    nl = Genl()
    nl.sock.setsockopt(1, SO_RCVBUFFORCE, 1 << 23)
    kind = a("NODE_KIND", u32(N["FABSIM_NODE_HOST"])) + a("NODE_LIVE", u8(0))
    cmd = struct.pack("=BBH", N["FABSIM_CMD_NODE_NEW"], 1, 0)
    for i in range(first, end, 128):
        bodies = [cmd + a("NODE_NAME", "g%d" % j) + kind for j in range(i, min(i + 128, end))]
        nl.sock.send(b"".join(struct.pack("=IHHII", 16 + len(body), nl.id, F_REQUEST, 1, 0) + body
                              for body in bodies))
        for _ in bodies:
            if struct.unpack_from("=H", nl.sock.recv(1 << 16), 4)[0] != nl.id:
                raise RuntimeError("a ghost was refused")
    nl.close()


def limit(nl):
    """As many nodes as there may be, and one more."""
    if is_debug():
        return
    most = N["FABSIM_NODES_MAX"]
    before = slab()
    add_ghosts(0, most)
    size = (slab() - before) / most
    report(field(nl.ask("FABRIC_GET")[0], "FABRIC_NODES") == most, "there can be %d nodes" % most)
    print("a ghost takes %d bytes" % size)
    report(300 < size < 1000, "a ghost takes some hundred bytes", size)
    more = refusal(nl, "NODE_NEW", a("NODE_NAME", "more"), a("NODE_LIVE", u8(0)),
                   a("NODE_KIND", u32(N["FABSIM_NODE_HOST"])))
    report(more and more.errno == errno.ENOSPC and str(most) in more.message, "and no more", more)
    nl.ask("NODE_DEL", a("NODE_NAME", "g7"))
    add_ghost(nl, "more")
    report(field(nl.ask("FABRIC_GET")[0], "FABRIC_NODES") == most, "but one for another")
    nl.ask("FABRIC_DOWN")
    report(not nl.dump("NODE_GET"), "they go at once")


def sysfs(nl):
    """Readers and removal at the same time, and every file can be read."""
    root = "/sys/kernel/fabsim"
    star(nl, "g1", "g2")
    empty, files = [], 0
    for folder, _, names in os.walk(root):
        for name in names:
            files += 1
            try:
                with open(os.path.join(folder, name), encoding="ascii") as file:
                    value = file.read()
                if not value.endswith("\n") or value.count("\n") != 1:
                    empty.append(name)
            except OSError as error:
                if error.errno != errno.ENODATA or "/paths/" not in folder:
                    empty.append("%s: %s" % (name, error))
    report(files > 500 and not empty, "every file has one line", empty[:5])
    stop = threading.Event()

    def read():
        while not stop.is_set():
            for name in ("nodes/s2/learned", "ports/s2:1/tx_packets", "links/g1-s1/a"):
                try:
                    with open(os.path.join(root, name), encoding="ascii") as file:
                        file.read()
                except OSError:
                    pass

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        add_node(nl, "s2", "ETH_SWITCH", a("NODE_PORTS", u32(4)))
        nl.ask("LINK_DEL", a("LINK_NAME", "g1-s1"))
        add_link(nl, "g1", "s1")
        nl.ask("NODE_DEL", a("NODE_NAME", "s2"))
    stop.set()
    for thread in threads:
        thread.join()
    report(True, "directories come and go under readers")
    nl.ask("FABRIC_DOWN")
    report(not os.listdir(root + "/ports") and not os.listdir(root + "/links"),
           "nothing is left of what is gone")


NL = Genl()
if sys.argv[1] != "listen":
    NL.ask("FABRIC_DOWN")       # whatever a part before this one has left
globals()[sys.argv[1]](NL)
