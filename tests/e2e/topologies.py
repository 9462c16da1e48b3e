"""topologies: a state store of several Redis servers, with the shipped settings and users: a primary with two
replicas and three Sentinels, or a Cluster of three primaries with a replica each and one server with the catalog."""

import contextlib
import hashlib
import os
import re
import secrets
import statistics
import subprocess

import redis

import readme
import stack as stacks
from processes import PATIENCE, Program, free_port, run, wait_until
from redis_client import Client, ClusterClient

SLOTS = 16_384
# Copies of the data are only as new as their last full copy until the replicas are in sync.
IN_SYNC = "master_link_status:up"
MACHINES = stacks.REPOSITORY / "systemd" / "machines"
# ms. On a busy machine, a primary that lives can be silent for the shipped second, and would be replaced.
DOWN_AFTER = 1000 if os.environ.get("SVC_LONG") else 5000
# The users that exist only with a password file.
OPTIONAL = ("replication", "sentinel", "discovery", "cluster")


class Secrets:
    """The passwords and ACL files of all servers, made by the shipped program."""

    def __init__(self, folder):
        self.folder = folder / "secrets"
        self.folder.mkdir()
        self.passwords = stacks.PASSWORDS | {user: secrets.token_hex(32) for user in OPTIONAL}
        for user, password in self.passwords.items():
            self.file(user).write_text(f"{password}\n")
            self.file(user).chmod(0o600)
        subprocess.run([stacks.REPOSITORY / "systemd" / "make-secrets", self.folder], check=True, timeout=PATIENCE)
        # The users of the tests come with the stack.
        self.state_users = "".join(line + "\n" for line in self.acl("state").splitlines()
                                   if line.split()[1] in OPTIONAL)

    def file(self, user):
        return self.folder / f"redis-{user}.password"

    def acl(self, store):
        return (self.folder / f"redis-{store}.acl").read_text()


def shipped(name, **words):
    """Returns the shipped file with this machine's values: of each setting its arguments, of each placeholder its
    value."""
    text = (MACHINES / name).read_text()
    for word, value in words.items():
        if word.isupper():
            text = text.replace(f"@{word}@", str(value))
        else:
            text, count = re.subn(rf"(?m)^({word.replace('_', '[- ]')}) .*$", rf"\1 {value}", text)
            assert count == 1, word
    return text


class Server(stacks.Redis):
    """A state Redis of several, which listens on a free port of 127.0.0.1; `file` has its settings."""

    def __init__(self, directory, secret, file, **settings):
        directory.mkdir()
        super().__init__(directory, "redis-state")
        self.port = free_port()
        self.users.write_text(self.users.read_text() + secret.state_users)
        own = directory / "redis.conf"
        own.write_text(shipped(file, include=self.config, bind="127.0.0.1", port=self.port,
                               REPLICATION=secret.passwords["replication"], **settings))
        self.config = own

    def load_functions(self):
        """A primary without replicas refuses them, and a replica has those of its primary: load_into_primaries()."""

    def is_primary(self):
        with contextlib.suppress(redis.RedisError):
            return self.command("ROLE")[0] == "master"
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()


def load_into_primaries(topology):
    """As an operator does once."""
    for server in topology.primaries():
        stacks.Redis.load_functions(server)


class Sentinel(Program):
    def __init__(self, directory, secret, primary):
        directory.mkdir()
        super().__init__("sentinel", directory / "sentinel.log")
        self.port = free_port()
        self.config = directory / "sentinel.conf"
        users = directory / "sentinel.acl"
        digest = hashlib.sha256(stacks.PASSWORDS["tests"].encode()).hexdigest()
        users.write_text(f"{secret.acl('sentinel')}user tests on #{digest} ~* &* +@all\n")
        self.config.write_text(shipped(
            "redis-sentinel.conf", bind="127.0.0.1", port=self.port, dir=directory, logfile='""',
            pidfile=directory / "sentinel.pid", sentinel_down_after_milliseconds=f"svc {DOWN_AFTER}", aclfile=users, sentinel_monitor=f"svc 127.0.0.1 {primary.port} 2",
            SENTINEL=secret.passwords["sentinel"]))

    def start(self):
        self.launch(["redis-server", str(self.config), "--sentinel"])
        wait_until(lambda: self.sees("sentinel_masters:1"), "the Sentinel answers")
        return self

    def command(self, *words):
        with contextlib.closing(Client(port=self.port, user="tests", password=stacks.PASSWORDS["tests"])) as client:
            return client.command(*words)

    def primary_port(self):
        return int(self.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "svc")[1])

    def sees(self, text):
        with contextlib.suppress(redis.RedisError):
            return text in self.command("INFO", "sentinel")
        return False

    def can_fail_over(self):
        with contextlib.suppress(redis.RedisError):
            primary, *replicas = (dict(zip(fields[::2], fields[1::2])) for fields in (
                self.command("SENTINEL", "MASTER", "svc"), *self.command("SENTINEL", "REPLICAS", "svc")))
            return primary["flags"] == "master" and any(
                (replica["flags"], replica["master-link-status"]) == ("slave", "ok") for replica in replicas)
        return False


class CurrentPrimary:
    """The data of a primary with replicas, whichever server it is now."""

    def __init__(self, topology):
        self.topology = topology

    def client(self):
        return self.topology.primary().client()

    def command(self, *words):
        return self.topology.primary().command(*words)


class Watched:
    """A primary with two replicas and three Sentinels, as the state of a stack.

    `start(server)` starts a server; the faults restart them as their units do."""

    def __init__(self, stack, start=Server.start):
        folder = stack.directory
        self.secrets = secret = Secrets(folder)
        self.servers = [Server(folder / f"server-{number}", secret, "redis-state-replicated.conf")
                        for number in range(3)]
        for server in self.servers:
            start(stack.add(server))
        first, *replicas = self.servers
        for replica in replicas:
            replica.command("REPLICAOF", "127.0.0.1", str(first.port))
        self.sentinels = [stack.add(Sentinel(folder / f"sentinel-{number}", secret, first).start())
                          for number in range(3)]
        self.store = CurrentPrimary(self)
        self.wait_until_whole()
        load_into_primaries(self)
        self.settings = {
            "redis_state": "sentinel://" + ",".join(f"127.0.0.1:{one.port}" for one in self.sentinels) + "/svc",
            "sentinel_user": "discovery", "sentinel_password_file": secret.file("discovery"),
            "redis_wait_replicas": 1}
        stack.redis_state = first
        stack.write_config(**self.settings)

    def primaries(self):
        return [server for server in self.servers if server.alive() and server.is_primary()]

    def primary(self):
        """The server that two Sentinels name."""
        port = statistics.mode(one.primary_port() for one in self.sentinels)
        return next(server for server in self.servers if server.port == port)

    def wait_for_another(self, than):
        """Waits until another server is the primary, and all Sentinels name it."""
        def another():
            primary = self.primary()
            return primary is not than and primary.is_primary() and all(
                sentinel.primary_port() == primary.port for sentinel in self.sentinels)
        wait_until(another, "another server is the primary")

    def wait_until_whole(self):
        """Waits until both other servers are in sync with the primary, and all Sentinels know them."""
        def whole():
            primary = self.primary()
            with contextlib.suppress(redis.RedisError):  # a server that is just starting
                return primary.is_primary() and all(
                    all(text in server.command("INFO", "replication")
                        for text in (IN_SYNC, f"master_port:{primary.port}"))
                    for server in self.servers if server is not primary)
            return False
        wait_until(whole, "both replicas are in sync")
        for sentinel in self.sentinels:
            wait_until(lambda one=sentinel: one.sees("status=ok") and one.sees("slaves=2,sentinels=3"),
                       "the Sentinels know all servers")
            # It names the new primary before its failover has ended, and before it knows how the replicas are.
            wait_until(sentinel.can_fail_over, "the Sentinels can replace the primary again")

    def fail_over(self):
        """Kills the primary, waits until another server is the primary, and starts the killed one again."""
        (before,) = self.primaries()
        before.kill()
        # As RestartSec= of sentinel.conf: a server that restarts earlier would still be the primary.
        self.wait_for_another(before)
        before.start()
        self.wait_until_whole()

    def fail_over_as_documented(self):
        """Replaces a primary that lives, by the commands for operators."""
        (block,) = readme.blocks("systemd/README.md", "Replace the primary by hand")
        text = block.text
        for theirs, ours in (("-h 10.0.0.10 -p 26379", f"-p {self.sentinels[0].port}"),
                             ("/etc/svc/redis-sentinel.password", str(self.secrets.file("sentinel")))):
            assert theirs in text
            text = text.replace(theirs, ours)
        said = run(["sh", "-eu", "-c", text], timeout=PATIENCE).stdout
        assert said.split() == ["OK"] * 5, said


class Routed:
    """The keys of a Cluster, for tests."""

    def __init__(self, servers):
        self.servers = servers

    def client(self):
        return ClusterClient([server.port for server in self.servers if server.alive()], "tests",
                             stacks.PASSWORDS["tests"])

    def command(self, *words):
        with contextlib.closing(self.client()) as client:
            return client.command(*words)


class Nodes:
    """A Cluster of three primaries with a replica each, as the state of a stack, whose catalog is one Redis. `start` as for
    Watched."""

    def __init__(self, stack, start=Server.start):
        self.secrets = Secrets(stack.directory)
        self.servers = []
        for number in range(6):
            bus = free_port()
            server = Server(stack.directory / f"node-{number}", self.secrets, "redis-state-cluster.conf",
                            cluster_port=bus)
            server.bus = bus
            self.servers.append(stack.add(server))
            start(server)
        first, *others = self.servers
        for number, server in enumerate(self.servers[:3]):
            server.command("CLUSTER", "ADDSLOTSRANGE", number * SLOTS // 3, (number + 1) * SLOTS // 3 - 1)
        for number, server in enumerate(others):
            server.command("CLUSTER", "SET-CONFIG-EPOCH", number + 2)

        def know_each_other():
            # Repeated, because a node forgets an introduction that is not answered within its timeout.
            for server in others:
                server.command("CLUSTER", "MEET", "127.0.0.1", first.port, first.bus)
            return all(server.command("CLUSTER", "NODES").count(" connected") == 6 for server in self.servers)

        wait_until(know_each_other, "the nodes know each other", pause=0.5)
        for primary, replica in zip(self.servers, self.servers[3:]):
            name = primary.command("CLUSTER", "MYID")
            wait_until(lambda name=name, one=replica: name in one.command("CLUSTER", "NODES"), "the replica knows it")
            replica.command("CLUSTER", "REPLICATE", name)
        self.wait_until_whole()
        load_into_primaries(self)
        self.store = Routed(self.servers)
        stack.own_catalog = stack.add(stack.redis_state).start()
        self.settings = {"redis_state": "cluster://" + ",".join(f"127.0.0.1:{one.port}" for one in self.servers[:3]),
                         "redis_wait_replicas": 1,
                         "redis_catalog": stack.own_catalog.url, "redis_catalog_wait_replicas": 0}
        stack.redis_state = first
        stack.write_config(**self.settings)

    def primaries(self):
        return [server for server in self.servers if server.alive() and server.is_primary()]

    def pair(self, number):
        """A primary and its replica."""
        primary = self.primaries()[number]
        name = primary.command("CLUSTER", "MYID")
        return primary, next(server for server in self.servers
                             if f"myself,slave {name}" in server.command("CLUSTER", "NODES"))

    def wait_for_another(self, than):
        """Waits until a replica took over the slots of this primary, and all nodes know it."""
        wait_until(lambda: than not in self.primaries() and len(self.primaries()) == 3, "its replica is promoted")

        def knows(server):
            owners = {slots[2][1] for slots in server.command("CLUSTER", "SLOTS")}
            return len(owners) == 3 and than.port not in owners

        for server in self.servers:
            if server.alive():
                wait_until(lambda one=server: knows(one), "every node knows the new primary")

    def wait_until_whole(self):
        """Waits until there are three primaries with a replica each. Before, some refuse writes."""
        def whole(server):
            with contextlib.suppress(redis.RedisError):  # a server that is just starting
                text = server.command("INFO", "replication")
                return "cluster_state:ok" in server.command("CLUSTER", "INFO") and (
                    IN_SYNC in text or "connected_slaves:1" in text)
            return False
        for server in self.servers:
            wait_until(lambda one=server: whole(one), "every primary has its replica")

    def fail_over(self):
        """Kills a primary, waits until its replica is the primary and all others know it, and starts the killed server
        again. Until then, the promoted server lacks a replica and refuses writes."""
        before = self.primaries()[0]
        before.kill()
        self.wait_for_another(before)
        before.start()
        self.wait_until_whole()
