# SPDX-License-Identifier: GPL-2.0
"""Fail each allocation of the create path in turn, for no-memory.sh.

/proc/self/fail-nth fails the n-th allocation of this task. A command that
allocates less often than that succeeds with a count left over: then every
allocation has had its turn. Creating must either succeed or say why not, and
leave as many objects as there were.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fabnl import Genl, N, Refused, a, u8, u32, u64  # noqa: E402

nl = Genl()
# An acknowledgement that found no memory never comes.
nl.sock.settimeout(2)


def say(text):
    print(text, flush=True)


def objects():
    return tuple(len(nl.dump(what)) for what in ("NODE_GET", "PORT_GET", "LINK_GET"))


def each_allocation(what, create, remove):
    """Try `create` with allocation 1, 2, 3... failing until none is left to fail."""
    before = objects()
    failures = 0
    for n in range(1, 2000):
        fd = os.open("/proc/self/fail-nth", os.O_RDWR)
        os.pwrite(fd, b"%d" % n, 0)
        error = None
        try:
            create()
        except Refused as refused:
            error = refused
        except OSError as failed:       # the socket's own allocation
            error = failed
        left = int(os.pread(fd, 32, 0))
        os.pwrite(fd, b"0", 0)
        os.close(fd)
        # A message that did not come through may have done its work all the same.
        if error is None or objects() != before:
            try:
                remove()
            except Refused:
                pass
        if error is not None:
            failures += 1
        if objects() != before:
            say("not ok %s: allocation %d leaves %s instead of %s" % (what, n, objects(), before))
            return
        if left:
            say("ok %s: each of %d allocations may fail; %d of the failures were refusals"
                  % (what, n - 1, failures))
            if failures == 0:
                say("not ok %s: no failure had an effect, so nothing was tested" % what)
            return
    say("not ok %s: there is no end of allocations" % what)


def node(name, kind, *more):
    return nl.ask("NODE_NEW", a("NODE_NAME", name), a("NODE_KIND", u32(N["FABSIM_NODE_" + kind])), *more)


def live(name, netns):
    fd = os.open("/run/netns/" + netns, os.O_RDONLY)
    try:
        node(name, "HOST", a("NODE_LIVE", u8(1)), a("NODE_NETNS_FD", u32(fd)))
    finally:
        os.close(fd)


def delete(name):
    nl.ask("NODE_DEL", a("NODE_NAME", name))


def cable(one, other):
    nl.ask("LINK_NEW", a("LINK_A_NODE", one), a("LINK_B_NODE", other))


# Few ports: each has a folder in sysfs, made of a dozen allocations.
FEW = a("NODE_PORTS", u32(2))
each_allocation("a switch", lambda: node("es1", "ETH_SWITCH", FEW), lambda: delete("es1"))
each_allocation("a ghost", lambda: node("g1", "HOST", a("NODE_LIVE", u8(0))), lambda: delete("g1"))
each_allocation("a live host", lambda: live("h1", "n1"), lambda: delete("h1"))
node("es1", "ETH_SWITCH", FEW)
live("h1", "n1")
node("g1", "HOST", a("NODE_LIVE", u8(0)))
each_allocation("a link", lambda: cable("h1", "es1"), lambda: nl.ask("LINK_DEL", a("LINK_NAME", "h1-es1")))
cable("g1", "es1")


def capture():
    with_capture = Genl()
    try:
        with_capture.ask("CAPTURE_START")
    finally:
        with_capture.close()


def generate():
    nl.ask("GEN_START", a("GEN_STREAM", [
        a("STREAM_PORT", "g1-eth"), a("STREAM_DST", bytes(5) + b"\2"),
        a("STREAM_COUNT", u32(3)), a("STREAM_SIZE", u32(100)), a("STREAM_INTERVAL", u64(100))]))


each_allocation("a generator run", generate, lambda: nl.ask("GEN_STOP"))
each_allocation("a capture", capture, lambda: None)
nl.ask("FABRIC_DOWN")
