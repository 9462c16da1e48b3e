"""topologies: a state store of several Redis servers, with the shipped settings and users: a primary with two
replicas and three Sentinels, or a Cluster of three primaries with a replica each."""

import contextlib
import hashlib
import re
import secrets
import subprocess

import redis

import stack as stacks
from processes import PATIENCE, Program, free_port, wait_until

SLOTS = 16_384
# Copies of the data are only as new as their last full copy until the replicas are in sync.
IN_SYNC = "master_link_status:up"
MACHINES = stacks.REPOSITORY / "systemd" / "machines"
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

    def is_primary(self):
        with contextlib.suppress(redis.RedisError):
            return self.command("ROLE")[0] == "master"
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()


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
            pidfile=directory / "sentinel.pid", aclfile=users, sentinel_monitor=f"svc 127.0.0.1 {primary.port} 2",
            SENTINEL=secret.passwords["sentinel"]))

    def start(self):
        self.launch(["redis-server", str(self.config), "--sentinel"])
        wait_until(lambda: self.sees("sentinel_masters:1"), "the Sentinel answers")
        return self

    def command(self, *words):
        with redis.Redis(port=self.port, username="tests", password=stacks.PASSWORDS["tests"],
                         decode_responses=True) as one:
            one.response_callbacks.clear()
            return one.execute_command(*words)

    def primary_port(self):
        return int(self.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "svc")[1])

    def sees(self, text):
        with contextlib.suppress(redis.RedisError):
            return text in self.command("INFO", "sentinel")
        return False


def wait_for_replicas(servers):
    """Waits until every server that is no primary is in sync with one. Until then, its primary may refuse writes."""
    for server in servers:
        wait_until(lambda one=server: one.is_primary() or IN_SYNC in one.command("INFO", "replication"),
                   "all replicas are in sync")


class Watched:
    """A primary with two replicas and three Sentinels."""

    def __init__(self, stack):
        folder = stack.directory
        self.secrets = secret = Secrets(folder)
        self.servers = [Server(folder / f"server-{number}", secret, "redis-state-replicated.conf")
                        for number in range(3)]
        for server in self.servers:
            stack.add(server.start())
        primary, *replicas = self.servers
        for replica in replicas:
            replica.command("REPLICAOF", "127.0.0.1", str(primary.port))
        self.sentinels = [stack.add(Sentinel(folder / f"sentinel-{number}", secret, primary).start())
                          for number in range(3)]
        for replica in replicas:
            wait_until(lambda one=replica: IN_SYNC in one.command("INFO", "replication"), "the replica is in sync")
        for sentinel in self.sentinels:
            wait_until(lambda one=sentinel: one.sees("slaves=2,sentinels=3"), "the Sentinels know each other")
        self.settings = {
            "redis_state": "sentinel://" + ",".join(f"127.0.0.1:{one.port}" for one in self.sentinels) + "/svc",
            "sentinel_user": "discovery", "sentinel_password_file": secret.file("discovery"),
            "redis_wait_replicas": 1}

    def primaries(self):
        return [server for server in self.servers if server.alive() and server.is_primary()]

    def fail_over(self):
        """Kills the primary, waits until another server is the primary, and starts the killed one again."""
        (before,) = self.primaries()
        before.kill()
        wait_until(self.primaries, "a replica is promoted")
        (after,) = self.primaries()
        # As RestartSec= of replicated.conf: one that comes back earlier would still be the primary.
        for sentinel in self.sentinels:
            wait_until(lambda one=sentinel: one.primary_port() == after.port, "the Sentinels know the new primary")
        before.start()
        wait_for_replicas(self.servers)


class Nodes:
    """A Cluster of three primaries with a replica each."""

    def __init__(self, stack):
        self.secrets = Secrets(stack.directory)
        self.servers = []
        for number in range(6):
            bus = free_port()
            server = Server(stack.directory / f"node-{number}", self.secrets, "redis-state-cluster.conf",
                            cluster_port=bus)
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
        self.settings = {"redis_state": "cluster://" + ",".join(f"127.0.0.1:{one.port}" for one in self.servers[:3]),
                         "redis_wait_replicas": 1}

    def primaries(self):
        return [server for server in self.servers if server.alive() and server.is_primary()]

    def fail_over(self):
        """Kills a primary, waits until its replica is the primary and all others know it, and starts the killed one
        again: until then, the promoted one has no replica and refuses writes."""
        before = self.primaries()[0]
        before.kill()
        wait_until(lambda: len(self.primaries()) == 3, "its replica is promoted")

        def knows(server):
            owners = {slots[2][1] for slots in server.command("CLUSTER", "SLOTS")}
            return len(owners) == 3 and before.port not in owners

        for server in self.servers:
            if server.alive():
                wait_until(lambda one=server: knows(one), "every node knows the new primary")
        before.start()
        wait_until(lambda: not before.is_primary(), "it is a replica")
        wait_for_replicas(self.servers)
