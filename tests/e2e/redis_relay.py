"""redis_relay: stands between workers and their Redis, counts trips, and can end a worker at any step of one."""

import os
import re
import signal
import socket
import struct
import threading
import time

from processes import PATIENCE


class Relay:
    """A unix socket in front of Redis. `look` is asked about all that passes, before it is passed on: by the process id
    of the worker, "to" or "from" Redis, and the bytes. LOSE and KEEP kill the worker; what was to be passed on is then
    lost, or still arrives. While `holds` says so, of the process id and the name of a connection, nothing of it passes
    in either way."""

    LOSE, KEEP = "lose", "keep"

    def __init__(self, directory, redis):
        self.path = directory / "relay.sock"
        self.url = f"unix://{self.path}"
        self.redis = redis
        self.look = lambda pid, way, data: None
        self.holds = lambda pid, name: False
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen(64)
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def close(self):
        self.holds = lambda pid, name: False
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
            names = []
            for way, source, target in (("to", worker, redis), ("from", redis, worker)):
                threading.Thread(target=self._pass_on, args=(pid, names, way, source, target), daemon=True).start()

    def _pass_on(self, pid, names, way, source, target):
        try:
            while data := source.recv(1 << 20):
                if way == "to" and not names:
                    names += [name.decode() for name in re.findall(rb"\bSETNAME\r\n\$\d+\r\n([^\r]*)\r", data)]
                while self.holds(pid, names[0] if names else ""):
                    time.sleep(0.002)
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


class Trips:
    """Counts how often a worker waits for Redis: it asked something, and an answer came."""

    def __init__(self, relay):
        self.count, self.asked, self.seen = 0, False, b""
        relay.look = self.look

    def look(self, _pid, way, data):
        if data.startswith((b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n")):
            return  # of the link for changes
        if way == "to":
            self.asked, self.seen = True, self.seen + data
        elif self.asked:
            self.asked, self.count = False, self.count + 1

    def of(self, action):
        """Its answer, and how many trips it took."""
        self.count, self.seen = 0, b""
        answer = action()
        return answer, self.count
