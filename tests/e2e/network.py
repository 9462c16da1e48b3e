"""network: network namespaces joined by a switch with delay, loss and cuts.

The switch is in user space, because not every kernel has netem. Each member has a TAP device, and a thread of the test
passes frames between these devices. Needs root. Nothing has a name outside its namespace, so runs do not interfere. A
namespace belongs to a process that ends with the test, also with a killed one, and the devices end with it.
"""

import contextlib
import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import threading
import time
from pathlib import Path

from processes import PATIENCE, Processes, run, wait_until

CLONE_NEWNET = 0x40000000  # sched.h
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000  # linux/if_tun.h
DEVICE = "svc0"
FRAME = 65536  # bytes; more than any frame

libc = ctypes.CDLL(None, use_errno=True)


def _set_namespace(descriptor):
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Namespace:
    """The network namespace of a process."""

    def __init__(self, pid):
        self.path = f"/proc/{pid}/ns/net"

    @contextlib.contextmanager
    def entered(self):
        """The present thread's sockets and processes begin in this namespace. Other threads are not affected."""
        inside = os.open(self.path, os.O_RDONLY)
        outside = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            _set_namespace(inside)
            try:
                yield self
            finally:
                _set_namespace(outside)
        finally:
            os.close(inside)
            os.close(outside)


class Port:
    """A member's device, seen by the switch."""

    def __init__(self, namespace, address):
        self.address = address
        self.is_cut = False
        with namespace.entered():
            self.device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(self.device, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), IFF_TAP | IFF_NO_PI))
            for words in (f"addr add {address}/24 dev {DEVICE}", f"link set {DEVICE} up", "link set lo up"):
                run(["ip", *words.split()], timeout=PATIENCE)

    def frames(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                yield os.read(self.device, FRAME)

    def send(self, frame):
        with contextlib.suppress(OSError):  # a full queue, or a member that has ended: the frame is lost
            os.write(self.device, frame)


class Network:
    """A switch. `delay` in s is that of one way between two members; `loss` is the share of lost frames, 0 to 1. Both
    may change at any time. Within one pair of members, frames stay in order while the delay is constant."""

    def __init__(self, delay=0.0, loss=0.0):
        self.delay, self.loss = delay, loss
        self._processes = Processes()
        self._ports = []
        self._chance = random.Random(1)
        self._wake_up, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._relay, daemon=True)
        self._thread.start()

    def namespace(self):
        """Returns a new namespace, which ends with the network."""
        outside = os.readlink("/proc/self/ns/net")
        holder = self._processes.start(["unshare", "--net", "sleep", "infinity"])
        wait_until(lambda: Path(f"/proc/{holder.pid}/comm").read_text() == "sleep\n", "a namespace exists")
        assert os.readlink(f"/proc/{holder.pid}/ns/net") != outside
        return Namespace(holder.pid)

    def join(self, namespace, address):
        """Adds to the namespace a device with that IPv4 address, in a network of 24 bits, and returns its port."""
        port = Port(namespace, address)
        self._ports = [*self._ports, port]
        os.write(self._wake, b"x")
        return port

    @contextlib.contextmanager
    def cut(self, port):
        """Loses all frames of that member silently, as a broken switch does."""
        port.is_cut = True
        try:
            yield
        finally:
            port.is_cut = False

    def end(self):
        os.close(self._wake)
        self._thread.join(PATIENCE)
        os.close(self._wake_up)
        for port in self._ports:
            os.close(port.device)
        for process in list(self._processes.processes):
            self._processes.stop(process)

    def _relay(self):
        known, due, numbers = {}, [], itertools.count()
        while True:
            ports = {port.device: port for port in self._ports}
            pause = max(0.0, due[0][0] - time.monotonic()) if due else None
            readable = select.select([self._wake_up, *ports], [], [], pause)[0]
            if self._wake_up in readable and not os.read(self._wake_up, 1):
                return
            for port in (ports[one] for one in readable if one in ports):
                for frame in port.frames():
                    known[frame[6:12]] = port
                    if port.is_cut or self._chance.random() < self.loss:
                        continue
                    target = known.get(frame[:6])
                    targets = [target] if target else [one for one in ports.values() if one is not port]
                    for one in targets:
                        heapq.heappush(due, (time.monotonic() + self.delay, next(numbers), one, frame))
            while due and due[0][0] <= time.monotonic():
                _, _, port, frame = heapq.heappop(due)
                if not port.is_cut:
                    port.send(frame)
