"""topologies: a state store of several Redis servers, with the shipped settings and users: a primary with two
replicas and three Sentinels, or a Cluster of three primaries with a replica each."""

import contextlib

import redis

import stack as stacks
from processes import Program, free_port, wait_until

SLOTS = 16_384
# Copies of the data are only as new as their last full copy until the replicas are in sync.
IN_SYNC = "master_link_status:up"


class Server(stacks.Redis):
    """A state Redis that also listens on a free port of 127.0.0.1."""

    def __init__(self, directory, lines):
        directory.mkdir()
        super().__init__(directory, "redis-state")
        self.port = free_port()
        password = stacks.PASSWORDS["tests"]
        with self.config.open("a") as config:
            config.write("\n".join(["", f"port {self.port}", "bind 127.0.0.1", "masteruser tests",
                                    f"masterauth {password}", "repl-diskless-sync-delay 0", *lines, ""]))

    def is_primary(self):
        with contextlib.suppress(redis.RedisError):
            return self.command("ROLE")[0] == "master"
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()


class Sentinel(Program):
    def __init__(self, directory, primary):
        directory.mkdir()
        super().__init__("sentinel", directory / "sentinel.log")
        self.port = free_port()
        self.config = directory / "sentinel.conf"
        self.config.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {directory}\nsentinel monitor svc 127.0.0.1 {primary.port} 2\n"
            f"sentinel auth-user svc tests\nsentinel auth-pass svc {stacks.PASSWORDS['tests']}\n"
            "sentinel down-after-milliseconds svc 1000\nsentinel failover-timeout svc 3000\n")

    def start(self):
        self.launch(["redis-server", str(self.config), "--sentinel"])
        return self

    def command(self, *words):
        with redis.Redis(port=self.port, decode_responses=True) as one:
            one.response_callbacks.clear()
            return one.execute_command(*words)

    def sees(self, text):
        with contextlib.suppress(redis.RedisError):
            return text in self.command("INFO", "sentinel")
        return False


class Watched:
    """A primary with two replicas and three Sentinels."""

    def __init__(self, stack):
        folder = stack.directory
        self.servers = [Server(folder / f"server-{number}", []) for number in range(3)]
        for server in self.servers:
            stack.add(server.start())
        primary, *replicas = self.servers
        for replica in replicas:
            replica.command("REPLICAOF", "127.0.0.1", str(primary.port))
        self.sentinels = [stack.add(Sentinel(folder / f"sentinel-{number}", primary).start()) for number in range(3)]
        for replica in replicas:
            wait_until(lambda one=replica: IN_SYNC in one.command("INFO", "replication"), "the replica is in sync")
        for sentinel in self.sentinels:
            wait_until(lambda one=sentinel: one.sees("slaves=2,sentinels=3"), "the Sentinels know each other")
        self.url = "sentinel://" + ",".join(f"127.0.0.1:{one.port}" for one in self.sentinels) + "/svc"

    def primaries(self):
        return [server for server in self.servers if server.alive() and server.is_primary()]

    def fail_over(self):
        """Kills the primary, and waits until another server is the primary."""
        (before,) = self.primaries()
        before.kill()
        wait_until(self.primaries, "a replica is promoted")


class Nodes:
    """A Cluster of three primaries with a replica each."""

    def __init__(self, stack):
        lines = ["cluster-enabled yes", "cluster-node-timeout 1000", "cluster-replica-validity-factor 0"]
        self.servers = []
        for number in range(6):
            bus = free_port()
            server = Server(stack.directory / f"node-{number}", [*lines, f"cluster-port {bus}"])
            server.bus = bus
            self.servers.append(stack.add(server.start()))
        first, *others = self.servers
        for number, server in enumerate(self.servers[:3]):
            server.command("CLUSTER", "ADDSLOTSRANGE", number * SLOTS // 3, (number + 1) * SLOTS // 3 - 1)
        for number, server in enumerate(others):
            server.command("CLUSTER", "SET-CONFIG-EPOCH", number + 2)
            server.command("CLUSTER", "MEET", "127.0.0.1", first.port, first.bus)
        for server in self.servers:
            wait_until(lambda one=server: one.command("CLUSTER", "NODES").count(" connected") == 6,
                       "the nodes know each other")
        for primary, replica in zip(self.servers, self.servers[3:]):
            name = primary.command("CLUSTER", "MYID")
            wait_until(lambda name=name, one=replica: name in one.command("CLUSTER", "NODES"), "the replica knows it")
            replica.command("CLUSTER", "REPLICATE", name)
        for server in self.servers:
            wait_until(lambda one=server: "cluster_state:ok" in one.command("CLUSTER", "INFO"), "the Cluster is ready")
        for replica in self.servers[3:]:
            wait_until(lambda one=replica: IN_SYNC in one.command("INFO", "replication"), "the replica is in sync")
        self.url = "cluster://" + ",".join(f"127.0.0.1:{one.port}" for one in self.servers[:3])

    def primaries(self):
        return [server for server in self.servers if server.alive() and server.is_primary()]

    def fail_over(self):
        """Kills a primary, and waits until its replica is the primary and all others know it."""
        before = self.primaries()[0]
        before.kill()
        wait_until(lambda: len(self.primaries()) == 3, "its replica is promoted")

        def knows(server):
            owners = {slots[2][1] for slots in server.command("CLUSTER", "SLOTS")}
            return len(owners) == 3 and before.port not in owners

        for server in self.servers:
            if server.alive():
                wait_until(lambda one=server: knows(one), "every node knows the new primary")
