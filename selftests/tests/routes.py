#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Walk the linear forwarding tables of the lab, from every host to every LID.

usage: routes.py [A B]

Knows only what `fabctl show` says: cables, LIDs, tables. Prints an object: the number
of host ports, of ways that were walked, those that lead nowhere, the longest, and
whether buffers may wait for each other in a circle; with A and B the cables between
these two as well.
"""
import collections
import json
import subprocess
import sys


def show(what):
    done = subprocess.run(["fabctl", "-j", "show", what], check=True, capture_output=True)
    return json.loads(done.stdout)


def walk(start, lid, peers, node_of, tables):
    """The ports that a packet leaves by; None where it gets lost."""
    way = [start]
    while len(way) < 64:
        at = peers.get(way[-1])
        if not at:
            return None
        node = node_of[at]
        if node not in tables:
            return way
        out = tables[node].get(lid)
        if out is None:
            return None
        if out == "":
            return way
        way.append(out)
    return None


def has_circle(after):
    """Of a graph: may one come back to where one was?"""
    missing = collections.Counter(to for tos in after.values() for to in tos)
    free = [port for port in after if not missing[port]]
    seen = 0
    while free:
        port = free.pop()
        seen += 1
        for to in after[port]:
            missing[to] -= 1
            if not missing[to]:
                free.append(to)
    return seen < len(after)


def main(args):
    ports = {p["name"]: p for p in show("ports") if p["kind"] == "ib"}
    # A cable that is down leads nowhere.
    peers = {n: p["peer"] for n, p in ports.items() if p["peer"] and p["state"] == "forwarding"}
    node_of = {n: p["node"] for n, p in ports.items()}
    tables = collections.defaultdict(dict)
    for line in show("lft"):
        tables[line["switch"]][line["lid"]] = line["port"]
    hosts = {n: p for n, p in ports.items() if n == p["node"] + "-ib" and n in peers}
    after = collections.defaultdict(set)
    ways, lost, longest = 0, [], 0
    cables = []
    for start, port in hosts.items():
        for end, to in hosts.items():
            if start == end:
                continue
            ways += 1
            way = walk(start, to["lid"], peers, node_of, tables)
            if not way or peers[way[-1]] != end:
                lost.append(start + " " + end)
                continue
            longest = max(longest, len(way))
            for a, b in zip(way, way[1:] + [None]):
                after[a].update([b] if b else [])
            if [port["node"], to["node"]] == args:
                cables = [ports[p]["link"] for p in way]
    lids = [p["lid"] for p in hosts.values()]
    print(json.dumps({
        "hosts": len(hosts), "ways": ways, "lost": lost, "longest": longest,
        "circle": has_circle({p: after[p] for p in list(after)}),
        "inactive": [n for n in peers if ports[n]["ib_state"] != "active"],
        "lids": len(set(lids) - {0, None}), "cables": cables}))


if __name__ == "__main__":
    main(sys.argv[1:])
