#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Say wrong things to fabsim's netlink family; each must be refused.

usage: netlink-abuse.py root|nobody|random

Prints a line a case: "ok TEXT" or "not ok TEXT: WHY". The wrong requests come
from the YAML spec, so that a new attribute is tried without a line here.
"""
import errno
import os
import random
import struct
import sys

import yaml

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(TREE, "selftests"))
from fabnl import (F_ACK, F_DUMP, N, Genl, Refused, a, add_ghost, add_link, add_node, attr, parse,
                   u8, u32, u64)

with open(os.path.join(TREE, "docs/netlink/fabsim.yaml"), encoding="utf-8") as spec_file:
    SPEC = yaml.safe_load(spec_file)
SPACES = {s["name"]: {x["name"]: x for x in s["attributes"]} for s in SPEC["attribute-sets"]}
SIZES = {"u8": 1, "u32": 4, "u64": 8, "flag": 0}
LIMITS = {"s32-max": 2 ** 31 - 1, "s64-max": 2 ** 63 - 1}
# Refusals of the netlink core, which says no more than the number.
SILENT = {errno.EPERM, errno.EOPNOTSUPP}


def report(good, what, why=""):
    print("ok " + what if good else "not ok %s: %s" % (what, why))


def constant(space, name):
    return N[("FABSIM_A_%s_%s" % (space, name)).upper().replace("-", "_")]


def requests():
    """(operation, do or dump, names of the attributes it takes)"""
    for operation in SPEC["operations"]["list"]:
        for way in ("do", "dump"):
            if way in operation:
                request = operation[way].get("request", {})
                yield operation, way, request.get("attributes", [])


class Watch:
    """The lab, before and after."""

    def __init__(self, nl):
        self.nl = nl
        self.before = self.look()

    def look(self):
        moving = {N["FABSIM_A_FABRIC_" + x] for x in ("TIME", "LAG", "EVENTS", "THREAD_NS")}
        fabric = [x for x in parse(self.nl.ask("FABRIC_GET")[0]) if x[0] not in moving]
        return [fabric, self.nl.dump("NODE_GET"), self.nl.dump("PORT_GET"),
                self.nl.dump("LINK_GET"), self.nl.ask("GEN_GET")]

    def unchanged(self):
        return self.look() == self.before


class Cases:
    """A group of wrong requests, one line of the report together."""

    def __init__(self, nl, watch, what):
        self.nl, self.watch, self.what = nl, watch, what
        self.count = 0
        self.wrong = []

    def refuse(self, name, attrs, flags=F_ACK, codes=None, says="", silent=False, **options):
        self.count += 1
        cmd = N["FABSIM_CMD_" + name] if isinstance(name, str) else name
        try:
            self.nl.ask(cmd, attrs, flags=flags, **options)
        except Refused as refusal:
            if codes and refusal.errno not in codes:
                self.wrong.append("%s: %s, not %s" % (name, refusal, codes))
            elif says not in refusal.message:
                self.wrong.append("%s: it says '%s', not '%s'" % (name, refusal.message, says))
            elif not refusal.message and not silent and refusal.errno not in SILENT:
                self.wrong.append("%s: %s without a word" % (name, refusal))
        else:
            self.wrong.append("%s %s was accepted" % (name, attrs.hex()))

    def done(self):
        if not self.watch.unchanged():
            self.wrong.append("the state has changed")
        report(not self.wrong, "%s (%d requests)" % (self.what, self.count),
               "; ".join(self.wrong[:5]))


def cmd_of(operation):
    return N["FABSIM_CMD_" + operation["name"].upper().replace("-", "_")]


def flags_of(way):
    return F_DUMP if way == "dump" else F_ACK


def good_value(attribute):
    """Bytes that this attribute alone could be."""
    kind, checks = attribute["type"], attribute.get("checks", {})
    if kind == "string":
        return b"x\0"
    if kind == "binary":
        return bytes(checks.get("exact-len", 4))
    return (checks.get("min", 1)).to_bytes(SIZES[kind], sys.byteorder) if SIZES.get(kind) else b""


def lengths(cases):
    for operation, way, names in requests():
        space = operation["attribute-set"]
        for name in names:
            attribute = SPACES[space][name]
            good = good_value(attribute)
            bad = [good + b"\0"]
            if attribute["type"] in ("u8", "u32", "u64"):
                bad = [b"", good[:-1], good + b"\0", bytes(64)]
            elif attribute["type"] == "string":
                bad = [b"", b"x" * 300 + b"\0", b"without an end"]
            elif attribute["type"] == "nest":
                bad = [b"\1", b"\xff" * 64]
            for data in bad:
                cases.refuse(cmd_of(operation), attr(constant(space, name), data),
                             flags_of(way))


def ranges(cases):
    for operation, way, names in requests():
        space = operation["attribute-set"]
        for name in names:
            attribute = SPACES[space][name]
            size, checks = SIZES.get(attribute["type"]), attribute.get("checks", {})
            bad = []
            if size and "min" in checks:
                bad.append(checks["min"] - 1)
            if size and "max" in checks:
                top = LIMITS.get(checks["max"], checks["max"])
                bad += [top + 1, 2 ** (8 * size) - 1]
            for value in bad:
                data = attr(constant(space, name), value.to_bytes(size, sys.byteorder))
                cases.refuse(cmd_of(operation), data, flags_of(way))


def foreign(cases):
    for operation, way, names in requests():
        space = operation["attribute-set"]
        for name, attribute in SPACES[space].items():
            other = name not in names
            if operation["name"].endswith("-get") and name in ("id", "name", "node"):
                other = False   # one policy for do and dump: the handler tells them apart
            if other and attribute["type"] not in ("pad", "nest"):
                cases.refuse(cmd_of(operation),
                             attr(constant(space, name), good_value(attribute)), flags_of(way))
        for number in (0, 60, 1000, 0x3fff):
            cases.refuse(cmd_of(operation), attr(number, u32(1)), flags_of(way))


def framing(cases):
    get, new = N["FABSIM_CMD_FABRIC_GET"], N["FABSIM_CMD_NODE_NEW"]
    name = a("NODE_NAME", "late")
    cases.refuse(new, name + b"\x20\x00\x04\x00\x01")           # longer than the message
    cases.refuse(new, name + b"\x02\x00\x04\x00")               # shorter than its own header
    cases.refuse(new, name + b"\x08\x00")                       # half a header
    cases.refuse(new, name, tail=b"\0\0\0")
    cases.refuse(get, b"", length=18, silent=True)              # half a genl header
    cases.refuse(get, b"", reserved=7)
    cases.refuse(get, b"", flags=F_ACK | 0x400)                 # NLM_F_CREATE
    cases.refuse(0, b"")
    cases.refuse(200, b"")
    cases.refuse("CAPTURE_PACKET", b"")
    cases.refuse("EVENT", b"")
    cases.refuse("FDB_GET", a("FDB_NODE", "s1"))                # a dump only
    cases.refuse("FABRIC_GET", b"", flags=F_DUMP)               # no dump
    # Shorter than a header says: netlink drops it without an answer, and goes on.
    cases.nl.send(get, b"", length=4000)
    cases.nl.send(get, b"", length=3)
    cases.nl.sock.send(b"\1\2\3")
    cases.count += 3


def stream(*attrs):
    return a("GEN_STREAM", list(attrs))


def handlers(cases, nl):
    no = (errno.ENOENT,)
    bad = (errno.EINVAL,)
    dst = a("STREAM_DST", bytes(6))
    host = a("NODE_KIND", u32(N["FABSIM_NODE_HOST"]))
    switch = a("NODE_KIND", u32(N["FABSIM_NODE_ETH_SWITCH"]))
    ghost = a("NODE_LIVE", u8(0))
    here = os.open("/proc/self/ns/net", os.O_RDONLY)
    null = os.open("/dev/null", os.O_RDONLY)
    node_id = dict(parse(nl.ask("NODE_GET", a("NODE_NAME", "g1"))[0]))[N["FABSIM_A_NODE_ID"]]

    refuse = cases.refuse
    refuse("NODE_NEW", host, says="name", codes=bad)
    refuse("NODE_NEW", a("NODE_NAME", "x"), says="kind", codes=bad)
    refuse("NODE_NEW", a("NODE_NAME", "x") + host, says="NETNS_FD", codes=bad)
    refuse("NODE_NEW", a("NODE_NAME", "g1") + host + ghost, codes=(errno.EEXIST,))
    for name in ("", "a/b", "a b", "..", "\x01", "ä"):
        refuse("NODE_NEW", a("NODE_NAME", name) + host + ghost, codes=bad)
    refuse("NODE_NEW", a("NODE_NAME", "x") + host + a("NODE_NETNS_FD", u32(null)), says=str(null))
    refuse("NODE_NEW", a("NODE_NAME", "x") + host + a("NODE_NETNS_FD", u32(777)), says="777")
    refuse("NODE_NEW", a("NODE_NAME", "x") + host + ghost + a("NODE_NETNS_FD", u32(here)))
    refuse("NODE_NEW", a("NODE_NAME", "x") + host + ghost + a("NODE_PORTS", u32(2)), says="one port")
    refuse("NODE_NEW", a("NODE_NAME", "x") + host + ghost + a("NODE_ALPHA", u32(5)), says="switch")
    refuse("NODE_NEW", a("NODE_NAME", "x") + switch + ghost, says="live")
    refuse("NODE_NEW", a("NODE_NAME", "x") + switch + a("NODE_CPU", u32(0)), says="CPU")
    refuse("NODE_DEL", b"", says="name or number", codes=bad)
    refuse("NODE_DEL", a("NODE_NAME", "nobody"), says='"nobody"', codes=no)
    refuse("NODE_DEL", a("NODE_NAME", "\x1b[2Jx"), says='"?[2Jx"', codes=no)
    refuse("NODE_DEL", a("NODE_ID", u32(123456)), says="123456", codes=no)
    refuse("NODE_DEL", a("NODE_NAME", "g2") + a("NODE_ID", node_id), says="g1", codes=no)
    refuse("NODE_GET", b"", codes=bad)
    refuse("NODE_GET", a("NODE_NAME", "g1"), flags=F_DUMP, codes=bad)
    refuse("NODE_SET", a("NODE_NAME", "g1"), says="no setting", codes=bad)
    refuse("NODE_SET", a("NODE_NAME", "g1") + a("NODE_BUFFER", u32(65536)))
    refuse("PORT_GET", a("PORT_NAME", "s1:99"), says="s1:99", codes=no)
    refuse("PORT_GET", a("PORT_NODE", "s1"), codes=bad)
    refuse("PORT_GET", a("PORT_NODE", "s9"), flags=F_DUMP, says="s9", codes=no)
    refuse("LINK_NEW", a("LINK_A_NODE", "g3"), says="end b", codes=bad)
    refuse("LINK_NEW", a("LINK_A_NODE", "g3") + a("LINK_B_NODE", "s9"))
    refuse("LINK_NEW", a("LINK_A_NODE", "g3") + a("LINK_B_NODE", "g3"))
    refuse("LINK_NEW", a("LINK_A_NODE", "g1") + a("LINK_B_NODE", "s1"))
    refuse("LINK_NEW", a("LINK_A_NODE", "g3") + a("LINK_B_NODE", "s1") +
           a("LINK_B_PORT", u32(1)))
    refuse("LINK_NEW", a("LINK_A_NODE", "g3") + a("LINK_B_NODE", "s1") +
           a("LINK_B_PORT", u32(200)))
    refuse("LINK_NEW", a("LINK_A_NODE", "g3") + a("LINK_B_NODE", "s1") + a("LINK_NAME", "a/b"),
           says="name", codes=bad)
    refuse("LINK_NEW", a("LINK_A_NODE", "g3") + a("LINK_B_NODE", "s1") + a("LINK_NAME", "g1-s1"),
           codes=(errno.EEXIST,))
    refuse("LINK_NEW", a("LINK_A_NODE", "g3") + a("LINK_B_NODE", "s1") + a("LINK_RATE", u64(5)))
    refuse("LINK_SET", a("LINK_NAME", "g1-s1") + a("LINK_RATE", u64(999999)), says="rate")
    refuse("LINK_SET", a("LINK_NAME", "g9-s1") + a("LINK_UP", u8(0)), says="g9-s1", codes=no)
    refuse("LINK_SET", a("LINK_NAME", "g1-s1"), says="no setting", codes=bad)
    refuse("FDB_GET", b"", flags=F_DUMP, says="NODE", codes=bad)
    refuse("FDB_GET", a("FDB_NODE", "g1"), flags=F_DUMP, says="host", codes=bad)
    refuse("FDB_FLUSH", a("FDB_NODE", "s9"), says="s9", codes=no)
    refuse("STEP", b"", says="freeze", codes=bad)
    refuse("FABRIC_SET", a("FABRIC_STATE", u32(N["FABSIM_FABRIC_EMPTY"])))
    refuse("GEN_START", b"", says="STREAM", codes=bad)
    refuse("GEN_START", stream(dst), says="PORT", codes=bad)
    refuse("GEN_START", stream(dst, a("STREAM_PORT", "g9-eth")), says="g9-eth", codes=no)
    refuse("GEN_START", stream(dst, a("STREAM_PORT", "s1:1")), says="switch", codes=bad)
    refuse("GEN_START", stream(dst, a("STREAM_PORT", "g1-eth")) + a("GEN_AT", u64(1)),
           says="in the past")
    refuse("GEN_START", stream(dst, a("STREAM_PORT", "g1-eth"), a("STREAM_COUNT", u32(2 ** 32 - 1)),
                               a("STREAM_INTERVAL", u64(2 ** 62))), says="end of time")
    refuse("GEN_START", stream(dst, a("STREAM_PORT", "g1-eth")) * 1025, says="1024")
    refuse("GEN_STOP", b"", says="does not run", codes=no)
    refuse("CAPTURE_START", a("CAPTURE_PORT", "g1-eth") + a("CAPTURE_PORT", "g9-eth"),
           says="g9-eth", codes=no)
    refuse("CAPTURE_STOP", b"", says="nothing", codes=no)
    refuse("COST_START", b"", says="PATH", codes=bad)
    refuse("COST_START", a("COST_PATH", u32(0)), says="MODE", codes=bad)
    refuse("COST_ATTACH", b"", says="PID", codes=bad)
    refuse("COST_ATTACH", a("COST_PID", u32(1)) + a("COST_SIDE", u32(0)) + a("COST_HOST", "g1"),
           says="g1", codes=bad)
    os.close(here)
    os.close(null)


def build(nl):
    add_node(nl, "s1", "ETH_SWITCH", a("NODE_PORTS", u32(8)))
    for name in ("g1", "g2", "g3"):
        add_ghost(nl, name)
    add_link(nl, "g1", "s1")
    add_link(nl, "g2", "s1")


def as_root():
    nl = Genl()
    build(nl)
    watch = Watch(nl)
    for what, tries in (("messages cut short or framed wrong", framing),
                        ("attributes too short, too long or without an end", lengths),
                        ("figures out of range", ranges),
                        ("attributes that the command does not take, or nobody knows", foreign)):
        cases = Cases(nl, watch, what)
        tries(cases)
        cases.done()
    cases = Cases(nl, watch, "things missing, unknown, taken or senseless")
    handlers(cases, nl)
    cases.done()


def as_nobody():
    nl = Genl()
    cases = Cases(nl, Watch(nl), "without CAP_NET_ADMIN nothing changes")
    for operation in SPEC["operations"]["list"]:
        if "admin-perm" in operation.get("flags", []):
            cases.refuse(cmd_of(operation), b"", codes=(errno.EPERM,))
    cases.refuse("LINK_SET", a("LINK_NAME", "g1-s1") + a("LINK_UP", u8(0)), codes=(errno.EPERM,))
    cases.refuse("NODE_DEL", a("NODE_NAME", "g1"), codes=(errno.EPERM,))
    cases.done()
    nodes = len(nl.dump("NODE_GET"))
    report(nodes == 4, "without CAP_NET_ADMIN everything can be read", "%d nodes" % nodes)


def at_random():
    """Requests that are right in part. What they do is theirs; the kernel must live."""
    dice = random.Random(2)
    nl = Genl()
    words = [b"g1\0", b"s1\0", b"g1-s1\0", b"g1-eth\0", b"s1:1\0", b"new\0", b""]
    todo = [x for x in requests() if not x[0]["name"].startswith(("cost", "capture"))]
    accepted = 0
    for _ in range(3000):
        operation, way, names = dice.choice(todo)
        space = operation["attribute-set"]
        attrs = b""
        for name in dice.sample(names, dice.randint(0, min(4, len(names)))):
            attribute = SPACES[space][name]
            data = good_value(attribute)
            if attribute["type"] == "string":
                data = dice.choice(words)
            elif data and dice.random() < 0.5:
                data = dice.choice([data, bytes(len(data)), dice.randbytes(len(data))])
            attrs += attr(constant(space, name), data)
        if dice.random() < 0.1 and attrs:
            cut = dice.randrange(len(attrs))
            attrs = attrs[:cut] + dice.randbytes(1) + attrs[cut + 1:]
        try:
            nl.ask(cmd_of(operation), attrs, flags=flags_of(way))
            accepted += 1
        except Refused:
            pass
    for end in (("GEN_STOP",), ("FABRIC_DOWN",)):
        try:
            nl.ask(*end)
        except Refused:
            pass
    nodes = len(nl.dump("NODE_GET"))
    report(nodes == 0, "3000 requests that are right in part", "%d nodes left" % nodes)
    print("# %d of them were accepted" % accepted)


{"root": as_root, "nobody": as_nobody, "random": at_random}[sys.argv[1]]()
