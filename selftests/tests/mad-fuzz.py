#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Send random MADs from h1 to every agent of the subnet.

usage: mad-fuzz.py SEED COUNT LID...

Of a known class, since ib_mad looks at that, with mostly known methods and
attributes; everything else is anything. Prints how many went, and how many answers
came.
"""
import os
import random
import select
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import umad

METHODS = (1, 1, 2, 2, 2, 5, 7, 0x12, 0x14, 0x15, 0x81, 0x92)
ATTRIBUTES = {
    umad.SMP_LID: (0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1b, 0x20),
    umad.PERF: (0x01, 0x10, 0x12, 0x1d),
    umad.SUBN_ADM: (0x01, 0x02, 0x11, 0x12, 0x18, 0x20, 0x31, 0x35, 0x38, 0x38),
}
ATTRIBUTES[umad.SMP_DIRECTED] = ATTRIBUTES[umad.SMP_LID]
# Of the subnet administration only requests that a table answers are long.
VERSIONS = {umad.SUBN_ADM: 2}


def noise(rng, size):
    """Bytes: all kinds, few set, or none."""
    kind = rng.randrange(3)
    if kind == 0:
        return rng.randbytes(size)
    data = bytearray(size)
    for _ in range(rng.randrange(8) if kind == 1 else 0):
        data[rng.randrange(size)] = rng.choice((1, 2, 0x7f, 0x80, 0xff, rng.randrange(256)))
    return bytes(data)


def number(rng, bits):
    """Small, at an edge, or anything."""
    return rng.choice((0, 1, rng.randrange(64), rng.randrange(1 << 16), (1 << bits) - 1,
                       rng.randrange(1 << bits))) & ((1 << bits) - 1)


def header(rng, agent):
    version = agent.version if rng.random() < 0.95 else rng.randrange(256)
    method = rng.choice(METHODS) if rng.random() < 0.9 else rng.randrange(256)
    attributes = ATTRIBUTES[agent.mgmt_class]
    attribute = rng.choice(attributes) if rng.random() < 0.9 else rng.randrange(1 << 16)
    return struct.pack(">BBBBHBBQHHI", 1, agent.mgmt_class, version, method,
                       number(rng, 15) if rng.random() < 0.1 else 0, 0, 0, rng.randrange(1 << 31),
                       attribute, 0, number(rng, 32))


def random_mad(rng, agent):
    mad = bytearray(header(rng, agent))
    if agent.mgmt_class == umad.SUBN_ADM:
        mad += noise(rng, 12)
        mad += struct.pack(">QHHQ", rng.choice((0, 1)), number(rng, 16), 0, number(rng, 64))
        return bytes(mad + noise(rng, 200))
    if agent.mgmt_class == umad.PERF:
        return bytes(mad + noise(rng, 232))
    route = [rng.randrange(1, 8) for _ in range(rng.randrange(4))]
    mad += struct.pack(">QHH28x", 0, umad.PERMISSIVE, rng.choice((umad.PERMISSIVE, number(rng, 16))))
    mad += noise(rng, 64) + bytes([0, *route]).ljust(64, b"\0") + noise(rng, 64)
    if agent.mgmt_class == umad.SMP_DIRECTED:
        mad[7] = len(route)
    return bytes(mad)


def main(seed, count, lids):
    rng = random.Random(seed)
    agents = [umad.Umad("h1-ib", c, VERSIONS.get(c, 1)) for c in ATTRIBUTES]
    sent = refused = answers = 0
    for _ in range(count):
        agent = rng.choice(agents)
        mad = random_mad(rng, agent)
        lid = umad.PERMISSIVE
        if agent.mgmt_class != umad.SMP_DIRECTED:
            lid = rng.choice(lids) if rng.random() < 0.95 else number(rng, 16)
        try:
            # Whoever waits gets the answer, and ib_mad matches it.
            agent.send(mad, lid, timeout=rng.choice((0, 20)))
            sent += 1
        except OSError:
            refused += 1
        for fd in select.select([a.fd for a in agents], [], [], 0)[0]:
            os.read(fd, 4096)
            answers += 1
    print(sent, refused, answers)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), [int(lid) for lid in sys.argv[3:]])
