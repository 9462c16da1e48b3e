"""networks: what lies between the workers and Redis, and can be made worse while both run: a relay with a delay, two
network namespaces that lose packets, a name server that falls silent. Namespaces and mounts need root."""

import asyncio
import contextlib
import fcntl
import os
import random
import select
import socket
import struct
import threading

from processes import PATIENCE, run


class Link:
    """A unix socket that relays to Redis; replies arrive `delay` s later, whole connections can be reset."""

    def __init__(self, directory, redis):
        self.path, self.redis = directory / "link.sock", redis
        self.url = f"unix://{self.path}"
        self.delay = 0.0  # s
        self.transports = set()
        self.loop = asyncio.new_event_loop()
        listening = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(listening,), daemon=True)
        self.thread.start()
        assert listening.wait(PATIENCE)

    def close(self):
        asyncio.run_coroutine_threadsafe(self._end(), self.loop)
        self.thread.join(PATIENCE)

    async def _end(self):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        self.loop.stop()

    def reset_half(self, chance):
        """Ends each connection with the probability of one half. Returns how many it ended."""
        chosen = [one for one in list(self.transports) if chance.random() < 0.5]
        for one in chosen:
            self.loop.call_soon_threadsafe(one.abort)
        return len(chosen)

    def _run(self, listening):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(asyncio.start_unix_server(self._relay, self.path, backlog=64))
        listening.set()
        self.loop.run_forever()
        self.loop.close()

    async def _relay(self, near_in, near_out):
        with contextlib.suppress(OSError):
            far_in, far_out = await asyncio.open_unix_connection(self.redis.socket)
            self.transports.add(near_out.transport)
            await asyncio.gather(self._pass_on(near_in, far_out, 0), self._pass_on(far_in, near_out, 1))
            far_out.close()
        self.transports.discard(near_out.transport)
        near_out.close()

    async def _pass_on(self, source, target, delays):
        """Keeps the order and the throughput: each piece has a time of its own at which it is due."""
        pieces = asyncio.Queue()

        async def deliver():
            while (piece := await pieces.get())[1]:
                await asyncio.sleep(max(0, piece[0] - self.loop.time()))
                with contextlib.suppress(OSError):
                    target.write(piece[1])
            target.close()

        delivery = asyncio.ensure_future(deliver())
        data = b"-"
        while data:
            with contextlib.suppress(OSError):
                data = b""
                data = await source.read(1 << 16)
            pieces.put_nowait((self.loop.time() + delays * self.delay, data))
        await delivery


class LossyNetwork:
    """Two network namespaces, `near` for the pools and `far` for Redis, connected by two TAP devices and a thread that
    forwards packets, and drops the share `loss` of them."""

    FAR = "10.97.0.2"

    def __init__(self):
        self.loss, self.dropped, self.chance = 0.0, 0, random.Random(1)
        mark = f"svc{os.getpid() % 100_000}"
        self.near, self.far = f"{mark}-near", f"{mark}-far"
        self.ends, self.over = [], threading.Event()
        for number, name in enumerate((self.near, self.far)):
            run(["ip", "netns", "add", name])
            device = f"{mark}t{number}"
            end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            # TUNSETIFF with IFF_TAP | IFF_NO_PI
            fcntl.ioctl(end, 0x400454CA, struct.pack("16sH22x", device.encode(), 0x0002 | 0x1000))
            self.ends.append(end)
            run(["ip", "link", "set", device, "netns", name])
            run(["ip", "-n", name, "addr", "add", f"10.97.0.{number + 1}/24", "dev", device])
            for each in ("lo", device):
                run(["ip", "-n", name, "link", "set", each, "up"])
        self.thread = threading.Thread(target=self._forward, daemon=True)
        self.thread.start()

    def inside(self, name):
        """Returns the command prefix that runs a program in that namespace."""
        return ["ip", "netns", "exec", name]

    def _forward(self):
        while not self.over.is_set():
            for end in select.select(self.ends, [], [], 0.1)[0]:
                other = self.ends[1 - self.ends.index(end)]
                with contextlib.suppress(OSError):
                    packet = os.read(end, 65_536)
                    if self.chance.random() < self.loss:
                        self.dropped += 1
                    else:
                        os.write(other, packet)

    def close(self):
        self.over.set()
        self.thread.join(PATIENCE)
        for end in self.ends:
            os.close(end)
        for name in (self.near, self.far):
            run(["ip", "netns", "delete", name])


class NameServer:
    """A name server on an address of its own below 127.0.0.0/8, whose answer to every name is 127.0.0.1. It gives none
    while `silent`."""

    def __init__(self, directory):
        self.silent, self.asked = False, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # An address that another run has is refused.
        for _ in range(100):
            address = f"127.{random.randrange(1, 255)}.{random.randrange(1, 255)}.{random.randrange(1, 255)}"
            with contextlib.suppress(OSError):
                self.socket.bind((address, 53))
                break
        self.file = directory / "resolv.conf"
        self.file.write_text(f"nameserver {self.socket.getsockname()[0]}\noptions timeout:1 attempts:1\n")
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def inside(self):
        """Returns the command prefix that runs a program with this name server, in a mount namespace of its own."""
        return ["unshare", "--mount", "sh", "-ec", f'mount --bind {self.file} /etc/resolv.conf; exec "$@"', "sh"]

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                query, client = self.socket.recvfrom(512)
                if not query:
                    return
                self.asked += 1
                if not self.silent:
                    self.socket.sendto(self._answer(query), client)

    @staticmethod
    def _answer(query):
        """RFC 1035, 4.1: the question, and one A record for a question of that type."""
        end = query.index(b"\0", 12) + 5
        is_a = query[end - 4:end - 2] == b"\0\1"
        head = query[:2] + b"\x81\x80" + struct.pack(">4H", 1, int(is_a), 0, 0)
        record = b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 0, 4) + bytes((127, 0, 0, 1))
        return head + query[12:end] + (record if is_a else b"")

    def close(self):
        address = self.socket.getsockname()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", address)
        self.thread.join(PATIENCE)
        self.socket.close()
