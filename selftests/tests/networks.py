#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Hosts on two networks: which ports they have, and which cables fit.

Prints a line a case: "ok TEXT" or "not ok TEXT: WHY".
"""
import errno
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fabnl import N, Genl, Refused, a, add_link, add_node, field, text, u8, u32

GHOST = a("NODE_LIVE", u8(0))
IB = a("NODE_IB", u8(1))
ETH_KIND, IB_KIND = N["FABSIM_PORT_KIND_ETH"], N["FABSIM_PORT_KIND_IB"]


def report(good, what, why=""):
    print("ok " + what if good else "not ok %s: %s" % (what, why), flush=True)


def refused(what, code, says, ask, *args):
    try:
        ask(*args)
    except Refused as error:
        report(error.errno == code and says in error.message, what, error)
    else:
        report(False, what, "it was not refused")


def ports(nl, node):
    return [(text(p, "PORT_NAME"), field(p, "PORT_INDEX"), field(p, "PORT_KIND"))
            for p in nl.dump("PORT_GET", a("PORT_NODE", node))]


def ends(body):
    return [field(body, "LINK_A_PORT"), field(body, "LINK_B_PORT")]


def on_port(side, index):
    return a("LINK_%s_PORT" % side, u32(index))


def main(nl):
    made = add_node(nl, "g1", "HOST", GHOST, IB)[0]
    report(field(made, "NODE_PORTS") == 2 and field(made, "NODE_IB") == 1 and
           field(made, "NODE_ROCE") == 0, "a host on both networks has two ports", made)
    found = ports(nl, "g1")
    report(found == [("g1-eth", 1, ETH_KIND), ("g1-ib", 2, IB_KIND)], "one of each kind", found)
    add_node(nl, "g2", "HOST", GHOST, IB)
    add_node(nl, "g3", "HOST", GHOST)
    found = ports(nl, "g3")
    report(found == [("g3-eth", 1, ETH_KIND)], "a host on Ethernet alone has one", found)
    report(text(nl.ask("PORT_GET", a("PORT_NAME", "g1-ib"))[0], "PORT_NODE") == "g1",
           "the InfiniBand port is found by its name")
    refused("but not where there is none", errno.ENOENT, "g3-ib", nl.ask, "PORT_GET",
            a("PORT_NAME", "g3-ib"))

    add_node(nl, "es1", "ETH_SWITCH", a("NODE_PORTS", u32(4)))
    add_node(nl, "is1", "IB_SWITCH", a("NODE_PORTS", u32(4)))
    found = {kind for _, _, kind in ports(nl, "is1")}
    report(found == {IB_KIND}, "an InfiniBand switch has InfiniBand ports", found)
    found = ends(add_link(nl, "g1", "es1")[0])
    report(found == [1, 1], "a cable to an Ethernet switch takes the Ethernet port", found)
    found = ends(add_link(nl, "is1", "g1")[0])
    report(found == [1, 2], "one to an InfiniBand switch the InfiniBand port", found)
    found = ends(add_link(nl, "g2", "g3")[0])
    report(found == [1, 1], "and one between two hosts what both have", found)

    refused("Ethernet does not fit InfiniBand", errno.EINVAL, "alike", add_link, nl, "es1", "is1")
    refused("nor does a named port", errno.EINVAL, "alike", add_link, nl, "g2", "es1",
            on_port("A", 2))
    refused("a port is used once", errno.EBUSY, "has a link already", add_link, nl, "g1", "is1",
            on_port("A", 2))
    refused("a host that has its port used up", errno.ENOSPC, "no free port", add_link, nl, "g1",
            "es1")
    refused("a ghost with an HCA", errno.EINVAL, "HCA", add_node, nl, "x", "HOST", GHOST,
            a("NODE_ROCE", u8(1)))
    refused("a host with three ports", errno.EINVAL, "one Ethernet and one InfiniBand", add_node,
            nl, "x", "HOST", GHOST, IB, a("NODE_PORTS", u32(3)))
    refused("a switch with an HCA", errno.EINVAL, "HCA", add_node, nl, "x", "IB_SWITCH",
            a("NODE_ROCE", u8(1)))
    refused("an InfiniBand switch with a shared buffer", errno.EINVAL, "buffer", add_node, nl,
            "x", "IB_SWITCH", a("NODE_BUFFER", u32(1 << 20)))
    refused("an Ethernet table of an InfiniBand switch", errno.EINVAL, "LFT", nl.dump, "FDB_GET",
            a("FDB_NODE", "is1"))
    refused("frames from an InfiniBand port", errno.EINVAL, "InfiniBand", nl.ask, "GEN_START",
            a("GEN_STREAM", [a("STREAM_PORT", "g1-ib"), a("STREAM_DST", bytes(5) + b"\2"),
                             a("STREAM_COUNT", u32(1))]))
    nl.ask("FABRIC_DOWN")
    report(not nl.dump("PORT_GET"), "and all of it goes")


if __name__ == "__main__":
    main(Genl())
