"""name_server: a name server that falls silent, or changes its mind. Needs root for a mount namespace."""

import contextlib
import itertools
import random
import socket
import struct
import threading

from processes import PATIENCE


class NameServer:
    """A name server on an address of its own below 127.0.0.0/8. It answers each question for an IPv4 address, of any name,
    with the next of `addresses`; default: always 127.0.0.1. It does not answer while `silent`."""

    def __init__(self, directory, addresses=None):
        self.silent, self.asked = False, 0
        self.addresses = addresses or itertools.repeat("127.0.0.1")
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

    def _answer(self, query):
        """RFC 1035, 4.1: the question, and one A record for a question of that type."""
        end = query.index(b"\0", 12) + 5
        is_a = query[end - 4:end - 2] == b"\0\1"
        head = query[:2] + b"\x81\x80" + struct.pack(">4H", 1, int(is_a), 0, 0)
        if not is_a:
            return head + query[12:end]
        return head + query[12:end] + b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 0, 4) + socket.inet_aton(next(self.addresses))

    def close(self):
        address = self.socket.getsockname()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", address)
        self.thread.join(PATIENCE)
        self.socket.close()
