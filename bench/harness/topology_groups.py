"""topology_groups: the state in a Cluster of three primaries against one Redis, all on this machine."""

import re
import statistics

import processes
import redis
from redis_client import Client, ClusterClient

from . import grants
from .loads import Load, ratio
from .results import at_least
from .store_groups import NEAR

MANY = 256  # clients: enough for the highest throughput. With fewer, a node syncs fewer writes at a time
ONE, ONE_TCP, CLUSTER = "one Redis", "one Redis over TCP", "a Cluster of three"


class State:
    """Redis servers with the settings and users of the service's, on ports of 127.0.0.1. The catalog stays in the
    service's own."""

    def __init__(self, started, bench, name, count):
        front = bench.service
        self.ports = [processes.free_port() for _ in range(count)]
        settings = re.sub(r"(?m)^(unixsocket|unixsocketperm|dir|port) .*\n", "",
                          (front.directory / "redis-state.conf").read_text())
        self.pids = []
        for port in self.ports:
            home = bench.directory / name / str(port)
            home.mkdir(parents=True)
            cluster = f"cluster-enabled yes\ncluster-port {processes.free_port()}\n" if count > 1 else ""
            (home / "redis.conf").write_text(f"{settings}\n{cluster}port {port}\nbind 127.0.0.1\ndir {home}\n")
            with open(home / "redis.log", "wb") as log:
                self.pids.append(started.start(["redis-server", home / "redis.conf", "--aclfile",
                                                front.directory / "redis-state.acl"], stdout=log, stderr=log).pid)
        nodes = [f"127.0.0.1:{port}" for port in self.ports]
        for port in self.ports:
            processes.wait_until(lambda port=port: _answers(port), "Redis answers")
        if count > 1:
            processes.run(["redis-cli", "--cluster", "create", *nodes, "--cluster-yes"])
            for port in self.ports:
                processes.wait_until(lambda port=port: "cluster_state:ok" in Client(port=port).command(
                    "CLUSTER", "INFO"), "the Cluster is ready")
            self.url, self.client = f"cluster://{','.join(nodes)}", ClusterClient(self.ports)
        else:
            self.url, self.client = f"redis://{nodes[0]}", Client(port=self.ports[0])
        front.svcctl("--redis-state", self.url, "--redis-user", "loader", "--redis-password-file",
                     front.directory / "redis-loader.password", "--redis-catalog", f"unix://{front.redis_state}",
                     "catalog", "load-functions", "state")

    def front(self, bench, name, role):
        """An nginx before a pool of that role, and what to measure of it."""
        found = bench.service.front(name, bench.service.pool(name, role=role, options={
            "redis-state": self.url, "redis-catalog": f"unix://{bench.service.redis_state}"}), role)
        found.parts["Redis"] = self.pids
        return found


def _answers(port):
    try:
        return Client(port=port).command("PING") == "PONG"
    except (OSError, redis.RedisError):
        return False


def topologies(bench):
    """Refresh grants, before one server and before a Cluster."""
    front, results = bench.service, bench.results
    with processes.Processes() as started, front.started_by(started):
        bench.progress.say("topologies: the servers start")
        states = {ONE_TCP: State(started, bench, "state-one", 1), CLUSTER: State(started, bench, "state-cluster", 3)}
        granting, bodies = {ONE: front}, {ONE: bench.refresh_bodies}
        for number, (name, state) in enumerate(states.items()):
            granting[name] = state.front(bench, f"state-{number}-grant", "grant")
            bodies[name] = grants.OfTheService(front, state.client, granting[name].port).tokens()[1]
        refreshing = {name: bench.requests.posts(f"refresh-{number}", "/oauth/token", bodies[name])
                      for number, name in enumerate(granting)}
        for clients, need in ((MANY, at_least(0.8)), (NEAR, None)):
            refreshes = bench.rounds(f"refresh grants, {clients} clients", [
                Load(name, pool.url, refreshing[name], clients, parts=pool.parts) for name, pool in granting.items()])
            results.figures("topologies", **{f"refreshes-{clients}": refreshes})
            what = f"refresh grants, {clients} clients"
            results.row("topologies", f"{what}: a Cluster of three against one Redis over TCP",
                        ratio(refreshes, CLUSTER, ONE_TCP), need, " ×")
            results.row("topologies", f"{what}: against one Redis on a unix socket", ratio(refreshes, CLUSTER, ONE),
                        None, " ×")
            for name in (ONE_TCP, CLUSTER):
                for part in ("workers", "Redis"):
                    results.row("topologies", f"{what}: processor time of {part}, {name}",
                                statistics.median(each["cpu"][part] for each in refreshes[name]), None, " µs")
