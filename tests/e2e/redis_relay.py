"""redis_relay: a relay between workers and Redis that can kill a worker at any step."""

import os
import signal
import socket
import struct
import threading

from processes import PATIENCE


class Relay:
    """A unix socket that relays to Redis.

    `look` is called for all data before it is relayed, with the worker's process id, "to" or "from" Redis, and the
    bytes. If it returns LOSE or KEEP, the worker is killed; with LOSE the data is dropped, with KEEP it is still
    relayed."""

    LOSE, KEEP = "lose", "keep"

    def __init__(self, directory, redis):
        self.path = directory / "relay.sock"
        self.url = f"unix://{self.path}"
        self.redis = redis
        self.look = lambda pid, way, data: None
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen(64)
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(PATIENCE)
        self.listener.close()

    def _accept(self):
        while True:
            try:
                worker, _ = self.listener.accept()
            except OSError:
                return
            credentials = worker.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            pid = struct.unpack("3i", credentials)[0]
            redis = socket.socket(socket.AF_UNIX)
            redis.connect(str(self.redis.socket))
            for way, source, target in (("to", worker, redis), ("from", redis, worker)):
                threading.Thread(target=self._pass_on, args=(pid, way, source, target), daemon=True).start()

    def _pass_on(self, pid, way, source, target):
        try:
            while data := source.recv(1 << 20):
                if fate := self.look(pid, way, data):
                    os.kill(pid, signal.SIGKILL)
                    if fate == self.LOSE:
                        break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
