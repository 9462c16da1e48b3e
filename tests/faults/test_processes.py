"""Faults of the workers and of nginx: killed, hanging, spinning, growing, without descriptors; clients that disconnect;
keys rotated and clocks stepped while requests run."""

import json
import os
import random
import resource
import signal
import socket
import struct
import time

import row
from bounded_load import AWAY, oembed_target, pause
from hosts import host_of
from oauth_store import INTROSPECT, exchange, exchange_fields, post, token_fields, tokens_of
from processes import children_of, run, wait_until
from shipped import WORKERS
from stack import program

KILLS = 100 if row.LONG else 10
HOUR = 3600  # s


def some_worker(pool):
    """Returns a random worker, once all workers run."""
    return random.choice(sorted(wait_until(lambda: len(found := pool.workers()) == WORKERS and found, "all workers")))


def test_killed_workers(stack):
    def fault(service, load):
        for number in range(KILLS):
            os.kill(some_worker(service.pools[number % 2]), signal.SIGKILL)
            load.run_cycles(1)
    row.run(stack, f"workers killed, {KILLS} times (SIGKILL)", fault, memory=False, deaths_expected=True)


def test_hanging_workers(stack):
    """The parent kills a worker without a heartbeat, and nginx repeats its requests."""
    def fault(service, load):
        hanging = [some_worker(pool) for pool in service.pools]
        for worker in hanging:
            os.kill(worker, signal.SIGSTOP)
        for pool in service.pools:
            pool.wait_for_workers(WORKERS, without=hanging)
        load.run_cycles(1)
    row.run(stack, "one worker per pool hangs (SIGSTOP)", fault, memory=False, deaths_expected=True)


def test_workers_without_descriptors(stack):
    """Open connections work on; new ones, to Redis too, fail."""
    def limit(pools, number):
        for pool in pools:
            for worker in pool.workers():
                _, hard = resource.prlimit(worker, resource.RLIMIT_NOFILE)
                resource.prlimit(worker, resource.RLIMIT_NOFILE, (number, hard))

    def fault(service, load):
        usual = resource.prlimit(next(iter(service.embed.workers())), resource.RLIMIT_NOFILE)[0]
        limit(service.pools, 3)
        service.state.command("CLIENT", "KILL", "USER", "grant")
        load.run_cycles(row.CYCLES)
        limit(service.pools, usual)
    row.run(stack, "workers without file descriptors (prlimit)", fault, gateway=True)


def test_clients_that_disconnect(stack):
    """Halfway through their request, or before the response."""
    def fault(service, load):
        body = [exchange_fields(code) for code in service.many_codes(40)]
        requests = [f"POST /oauth/token HTTP/1.1\r\nHost: {host_of('/oauth/token')}\r\nContent-Length: {len(text)}\r\n"
                    f"Content-Type: application/x-www-form-urlencoded\r\n\r\n{text}".encode() for text in body]
        requests += [f"GET {oembed_target(width)} HTTP/1.1\r\nHost: {host_of('/oembed')}\r\n\r\n".encode()
                     for width in range(200, 240)]
        chance = random.Random(1)
        for request in requests * row.CYCLES:
            with socket.create_connection(("127.0.0.1", service.nginx.port)) as leaving:
                leaving.sendall(request[:chance.choice((chance.randrange(1, len(request)), len(request)))])
                pause(chance.choice((0, 0.002)))
        load.run_cycles(1)
    _, load, _ = row.run(stack, "clients disconnect halfway", fault, settings=row.patient)
    assert load.noted(AWAY) == []


def test_a_killed_worker_of_nginx(stack):
    def fault(service, load):
        for _ in range(KILLS):
            worker = max(wait_until(lambda: children_of(service.nginx.pid), "nginx has a worker"))
            os.kill(worker, signal.SIGKILL)
            load.run_cycles(1)
    row.run(stack, f"nginx's worker killed, {KILLS} times", fault, cut=True)


def test_nginx_killed(stack):
    """Connections are refused until nginx runs again."""
    def fault(service, load):
        workers = children_of(service.nginx.pid)
        service.nginx.send_signal(signal.SIGKILL)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        service.nginx.wait()
        load.run_cycles(row.CYCLES)
        assert service.nginx.start_again()
    row.run(stack, "nginx killed and started again", fault, cut=True)


def test_a_key_rotated_under_load(stack):
    def fault(service, load):
        for step in ([], ["--activate"]):
            run([program("svcctl"), "--config", stack.config, "keys", "rotate", *step], timeout=400)
            service.configure()
            load.run_cycles(row.CYCLES)
    _, load, _ = row.run(stack, "the server's key rotated", fault, memory=False, settings=row.patient)
    assert load.noted(AWAY) == []


def test_a_clock_that_steps(stack):
    """Steps the clocks of the workers and of Redis an hour forward, back, an hour backward, and back."""
    file = stack.directory / "clock"
    file.write_bytes(struct.pack("q", 0))
    shifted = {**os.environ, "LD_PRELOAD": program("tests/libsvc-clock-shift.so"), "SVC_CLOCK_SHIFT": str(file)}
    for server in (stack.redis_state, stack.redis_cache):
        server.environment = shifted

    def answered(send):
        """Returns the first response that is not 503, with which a worker without processor time answers."""
        return wait_until(lambda: (answer := send()).status != 503 and answer, "a worker has time")

    def shown(service):
        """Returns the clocks of Redis and of a worker."""
        tokens = tokens_of(answered(lambda: exchange(service.nginx, service.many_codes(1)[0])))
        fields = token_fields(tokens["access_token"])
        answer = answered(lambda: post(service.nginx, INTROSPECT, fields))
        return int(service.state.command("TIME")[0]), json.loads(answer.body)["iat"]

    def fault(service, load):
        for seconds in (HOUR, 0, -HOUR, 0):
            with open(file, "r+b") as clock:  # the same file: it is mapped
                clock.write(struct.pack("q", seconds))
            assert all(abs(clock - time.time() - seconds) < HOUR / 2 for clock in shown(service))
            load.run_cycles(row.CYCLES)
    row.run(stack, "clock steps by an hour, both ways", fault, env=shifted)
