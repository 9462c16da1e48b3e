"""fronts: front machines before one store machine, each in a network namespace of its own, with the shipped files."""

import contextlib
import os
import re
import signal
import socket

from network import Network
from processes import PATIENCE, children_of, has_ended, wait_until
from stack import REPOSITORY, ROLES, Stack

MACHINES = REPOSITORY / "systemd" / "machines"
# The addresses of the shipped files.
NETWORK_SETTINGS = (MACHINES / "redis-state-network.conf").read_text()
STORE = re.search(r"(?m)^bind (\S+)$", NETWORK_SETTINGS)[1]
FRONTS = re.search(r"(?m)^IPAddressAllow=(.*)$",
                   (MACHINES / "svc-redis-state.service.d/network.conf").read_text())[1].split()


class Store:
    """The store machine: both Redis, as shipped, and svcctl."""

    def __init__(self, network):
        self.stack = Stack()
        namespace = network.namespace()
        self.port = network.join(namespace, STORE)
        with open(self.stack.redis_state.config, "a", encoding="utf-8") as config:
            config.write(NETWORK_SETTINGS)
        with namespace.entered():
            self.stack.start_redis()
        self.stack.import_catalog()


class FrontMachine:
    """A front machine: nginx, a pool per role, and the Redis of its cache. Its requests begin on this machine."""

    def __init__(self, network, store, address):
        self.namespace = network.namespace()
        self.port = network.join(self.namespace, address)
        self.stack = Stack()
        self.stack.key_file.write_bytes(store.stack.key_file.read_bytes())
        self.stack.watch_key_file.write_bytes(store.stack.watch_key_file.read_bytes())
        self.stack.write_config(redis_state=f"redis://{STORE}")
        with self.namespace.entered():
            self.stack.add(self.stack.redis_cache).start()
            self.pools = {role: self.stack.start_pool(role, roles=role, deaths_expected=True) for role in ROLES}
            self.nginx = self.stack.start_shipped_nginx()

    def request(self, target, **how):
        """As stack.Nginx.request()."""
        with self.namespace.entered():
            return self.nginx.request(target, **how)

    def kill(self):
        """Kills every process of the machine, as a power loss does."""
        for program in self.stack.programs:
            # A stopped parent starts no child.
            os.kill(program.pid, signal.SIGSTOP)
            children = children_of(program.pid)
            for pid in (program.pid, *children):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            program.process.wait(PATIENCE)
            # A child that has not ended yet still has its sockets.
            wait_until(lambda pids=children: all(map(has_ended, pids)), "every process has ended")

    def start_again(self):
        """After kill()."""
        with self.namespace.entered():
            self.stack.redis_cache.start()
            for pool in self.pools.values():
                pool.start().wait_for("pool.ready", 1 + len(pool.events("pool.ready")))
            self.nginx.start()


class RoundTrips:
    """Round trips between a front machine and the store, on a connection of their own."""

    def __init__(self, front):
        with front.namespace.entered():
            self.connection = socket.create_connection((STORE, 6379), PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def wait(self):
        """Returns after one round trip. Redis refuses the command, because no user is logged in."""
        self.connection.sendall(b"PING\r\n")
        reply = b""
        while not reply.endswith(b"\r\n"):
            reply += self.connection.recv(1024)
        assert reply.startswith(b"-NOAUTH"), reply


class Site:
    """A store and two fronts."""

    def __init__(self, delay):
        self.network, self.machines = Network(delay), []
        try:
            self.store = self._add(Store(self.network))
            self.fronts = [self._add(FrontMachine(self.network, self.store, address)) for address in FRONTS]
        except BaseException:
            self.end()
            raise

    def _add(self, machine):
        self.machines.append(machine)
        return machine

    def end(self):
        with contextlib.ExitStack() as ends:
            ends.callback(self.network.end)
            for machine in self.machines:
                ends.callback(machine.stack.stop)
