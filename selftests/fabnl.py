# SPDX-License-Identifier: GPL-2.0
"""fabsim's netlink family by hand: bytes in, bytes out, no library between.

The tests use it to say what fabctl would never say. Numbers come from the UAPI
header, so that a name here is the name there.
"""
import errno
import os
import re
import socket
import struct

NETLINK_GENERIC = 16
SOL_NETLINK = 270
NETLINK_ADD_MEMBERSHIP, NETLINK_NO_ENOBUFS, NETLINK_EXT_ACK, NETLINK_CAP_ACK = 1, 5, 11, 10
SO_RCVBUFFORCE = 33
NLMSG_ERROR, NLMSG_DONE = 2, 3
F_REQUEST, F_MULTI, F_ACK, F_DUMP_INTR, F_DUMP = 1, 2, 4, 0x10, 0x300
F_CAPPED, F_ACK_TLVS = 0x100, 0x200
NESTED, TYPE_MASK = 0x8000, 0x3fff
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kmod/uapi/fabsim.h")


def read_header(path=HEADER):
    """Every enumerator and simple #define of a header: {name: number or string}."""
    text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
    names = {}
    for name, value in re.findall(r"^#define\s+(FABSIM_\w+)[ \t]+(\S.*?)\s*$", text, flags=re.M):
        value = re.sub(r"(?<=\d)U?LL\b", "", value)
        names[name] = eval(value, {}, names)
    for body in re.findall(r"^enum\s+\w+\s*\{(.*?)\}", text, flags=re.M | re.S):
        number = -1
        for item in filter(None, (part.strip() for part in body.split(","))):
            name, _, value = (part.strip() for part in item.partition("="))
            number = eval(value, {}, names) if value else number + 1
            names[name] = number
    return names


N = read_header()


def attr(kind, data):
    """One attribute; an int must come packed, a str gets its NUL, a list is a nest."""
    if isinstance(data, str):
        data = data.encode() + b"\0"
    elif isinstance(data, list):
        data = b"".join(data)
        kind |= NESTED
    size = 4 + len(data)
    return struct.pack("=HH", size, kind) + data + bytes(-size % 4)


def u8(value):
    return struct.pack("=B", value)


def u32(value):
    return struct.pack("=I", value)


def u64(value):
    return struct.pack("=Q", value)


def a(name, data):
    """An attribute by its name without FABSIM_A_, as in a("NODE_NAME", "h1")."""
    return attr(N["FABSIM_A_" + name], data)


def parse(data):
    """Attributes as a list of (type, bytes)."""
    found = []
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        if size < 4 or size > len(data):
            raise ValueError("a broken attribute from the kernel")
        found.append((kind & TYPE_MASK, data[4:size]))
        data = data[(size + 3) & ~3:]
    return found


class Refused(OSError):
    """The kernel's error, and what it says about it."""

    def __init__(self, code, message):
        super().__init__(code, message or os.strerror(code))
        self.message = message

    def __str__(self):
        return "%s: %s" % (errno.errorcode.get(self.errno, self.errno), self.message or "")


class Genl:
    """A generic netlink socket that speaks to the family "fabsim"."""

    def __init__(self, family=True):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.sock.bind((0, 0))
        for option in (NETLINK_EXT_ACK, NETLINK_CAP_ACK):
            self.sock.setsockopt(SOL_NETLINK, option, 1)
        self.sock.settimeout(20)
        self.seq = 0
        self.others = []        # messages that are no answer: captures, events
        self.groups = {}
        self.id = GENL_ID_CTRL
        if family:
            self._resolve()

    def _resolve(self):
        for kind, data in parse(self.ask(CTRL_CMD_GETFAMILY, attr(2, N["FABSIM_GENL_NAME"]))[0]):
            if kind == 1:
                family = struct.unpack("=H", data)[0]
            elif kind == 7:
                for _, group in parse(data):
                    fields = dict(parse(group))
                    name = fields[1].rstrip(b"\0").decode()
                    self.groups[name] = struct.unpack("=I", fields[2])[0]
        self.id = family

    def close(self):
        self.sock.close()

    def join(self, group):
        self.sock.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, self.groups[group])

    def send(self, cmd, attrs=b"", flags=F_ACK, kind=None, length=None, tail=b"", reserved=0):
        """One message as it is told, also a wrong one. Returns its number."""
        self.seq += 1
        body = struct.pack("=BBH", cmd, 1, reserved) + attrs + tail
        size = 16 + len(body) if length is None else length
        head = struct.pack("=IHHII", size, self.id if kind is None else kind,
                           F_REQUEST | flags, self.seq, 0)
        self.sock.send(head + body)
        return self.seq

    def _messages(self):
        data = self.sock.recv(1 << 20)
        while len(data) >= 16:
            size, kind, flags, seq, _ = struct.unpack_from("=IHHII", data)
            yield kind, flags, seq, data[16:size]
            data = data[(size + 3) & ~3:]

    @staticmethod
    def _error(flags, body, tlvs_at):
        code = -struct.unpack_from("=i", body)[0]
        message = ""
        if flags & F_ACK_TLVS:
            for kind, data in parse(body[tlvs_at:]):
                if kind == 1:
                    message = data.rstrip(b"\0").decode(errors="replace")
        return code, message

    def answer(self, seq):
        """Wait for the end of an answer. Returns the bodies, without the genl header."""
        found = []
        self.interrupted = False
        while True:
            for kind, flags, number, body in self._messages():
                if number != seq:
                    self.others.append((kind, body))
                    continue
                self.interrupted |= bool(flags & F_DUMP_INTR)
                if kind == NLMSG_ERROR:
                    code, message = self._error(flags, body, 4 + 16)
                elif kind == NLMSG_DONE:
                    code, message = self._error(flags, body, 4)
                else:
                    found.append(body[4:])
                    continue
                if code:
                    raise Refused(code, message)
                return found

    def ask(self, cmd, *attrs, **options):
        if isinstance(cmd, str):
            cmd = N["FABSIM_CMD_" + cmd]
        return self.answer(self.send(cmd, b"".join(attrs), **options))

    def dump(self, cmd, *attrs):
        return self.ask(cmd, *attrs, flags=F_DUMP)

    def other(self, wanted):
        """The next message that is no answer, of a command, as {attribute: bytes}."""
        while True:
            while self.others:
                _, body = self.others.pop(0)
                if body[0] == N["FABSIM_CMD_" + wanted]:
                    return dict(parse(body[4:]))
            self.others += [(kind, body) for kind, _, seq, body in self._messages()]


def field(body, name):
    """An attribute of an answer by its name: number, or bytes for what is none."""
    for kind, data in parse(body):
        if kind == N["FABSIM_A_" + name]:
            return number(data)
    return None


def number(data):
    formats = {1: "=B", 4: "=I", 8: "=Q"}
    return struct.unpack(formats[len(data)], data)[0] if len(data) in formats else data


def text(body, name):
    for kind, data in parse(body):
        if kind == N["FABSIM_A_" + name]:
            return data.rstrip(b"\0").decode()
    return None


def add_node(nl, name, kind="HOST", *attrs):
    return nl.ask("NODE_NEW", a("NODE_NAME", name), a("NODE_KIND", u32(N["FABSIM_NODE_" + kind])),
                  *attrs)


def add_ghost(nl, name):
    return add_node(nl, name, "HOST", a("NODE_LIVE", u8(0)))


def add_link(nl, node_a, node_b, *attrs):
    return nl.ask("LINK_NEW", a("LINK_A_NODE", node_a), a("LINK_B_NODE", node_b), *attrs)
