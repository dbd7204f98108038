# SPDX-License-Identifier: GPL-2.0
"""MADs from userspace, through the kernel's ib_umad: what the tests need of it.

The formats are those of rdma/ib_user_mad.h and of the InfiniBand specification
(vol 1, 13.4, 14.2).
"""
import fcntl
import glob
import os
import select
import struct

REGISTER_AGENT = 0xC01C1B01
ENABLE_PKEY = 0x00001B03
HEADER = 64
SMP_LID, SMP_DIRECTED, SUBN_ADM, PERF = 0x01, 0x81, 0x03, 0x04
GET, SET, GET_RESP = 0x01, 0x02, 0x81
PERMISSIVE = 0xffff
QP1_QKEY = 0x80010000

NODE_INFO, SWITCH_INFO, PORT_INFO, PKEY_TABLE = 0x11, 0x12, 0x15, 0x16
SL_TO_VL, VL_ARB, LFT, MFT, SM_INFO = 0x17, 0x18, 0x19, 0x1b, 0x20


class Timeout(Exception):
    """Nobody has answered."""


class Umad:
    """An HCA's port, open for MADs of one class."""

    def __init__(self, device, mgmt_class, version=1):
        self.fd = os.open(self.find(device), os.O_RDWR)
        fcntl.ioctl(self.fd, ENABLE_PKEY)
        self.qpn = 0 if mgmt_class in (SMP_LID, SMP_DIRECTED) else 1
        self.mgmt_class, self.version = mgmt_class, version
        ask = struct.pack("=5I6BB", 0, 0, 0, 0, 0, self.qpn, mgmt_class, version, 0, 0, 0, 0)
        self.id = struct.unpack_from("=I", fcntl.ioctl(self.fd, REGISTER_AGENT, ask + bytes(1)))[0]
        self.tid = 1

    @staticmethod
    def find(device):
        for path in glob.glob("/sys/class/infiniband_mad/umad*/ibdev"):
            with open(path, encoding="ascii") as file:
                if file.read().strip() == device:
                    return "/dev/infiniband/" + path.split("/")[-2]
        raise FileNotFoundError("no umad of " + device)

    def send(self, mad, lid=PERMISSIVE, timeout=0, retries=0):
        """@mad: 256 bytes."""
        header = struct.pack("=5I", self.id, 0, timeout, retries, 0)
        header += struct.pack(">IIHBB4B16sI", self.qpn, QP1_QKEY if self.qpn else 0, lid, 0, 0,
                              0, 0, 0, 0, bytes(16), 0)
        os.write(self.fd, header + struct.pack("=H6x", 0) + mad)

    def drain(self):
        """Forget what has come."""
        while select.select([self.fd], [], [], 0)[0]:
            os.read(self.fd, HEADER + 256)

    def ask(self, mad, lid=PERMISSIVE):
        """The answer to @mad: 256 bytes."""
        self.send(mad, lid, timeout=500, retries=3)
        data = os.read(self.fd, HEADER + 256)
        if struct.unpack_from("=I", data, 4)[0]:
            raise Timeout()
        return data[HEADER:]

    def mad(self, method, attribute, modifier=0):
        self.tid += 1
        return struct.pack(">BBBBHHQHHI", 1, self.mgmt_class, self.version, method, 0, 0, self.tid,
                           attribute, 0, modifier)

    def smp(self, method, attribute, modifier=0, data=b"", path=()):
        """Directed along the output ports in @path, or for a LID."""
        mad = bytearray(self.mad(method, attribute, modifier))
        mad += struct.pack(">QHH28x", 0, PERMISSIVE, PERMISSIVE) + data.ljust(64, b"\0")
        mad += bytes([0, *path]).ljust(64, b"\0") + bytes(64)
        if self.mgmt_class == SMP_DIRECTED:
            mad[7] = len(path)
        return bytes(mad)

    def get(self, attribute, modifier=0, path=(), lid=PERMISSIVE):
        return self.ask(self.smp(GET, attribute, modifier, path=path), lid)[64:128]

    def set(self, attribute, modifier, data, path=(), lid=PERMISSIVE):
        """The status, and what the attribute is now."""
        answer = self.ask(self.smp(SET, attribute, modifier, data, path), lid)
        return struct.unpack_from(">H", answer, 4)[0] & 0x7fff, answer[64:128]
