"""Reloads of the configuration during requests: rule operations-P7."""

import contextlib
import http.client
import os
import re
import resource
import signal
import subprocess
import threading
from pathlib import Path

from fastcgi_client import PARAMS, STDIN, begin, encode_pairs, environment, record, stream
from oembed_asking import VIDEO_QUERY
from processes import PATIENCE, start, wait_until
from stack import ended, program
from test_status import status_of


def svcctl(*arguments):
    """Runs svcctl without a configuration, so that only the pool reads a wrong one."""
    return ended("svcctl", *arguments, patience=2 * PATIENCE)


def reload(pool, status=0):
    done = svcctl("reload", "--socket", pool.socket)
    assert done.returncode == status, f"{done.stdout}{done.stderr}"
    return done


# --- no request is lost --------------------------------------------------------------------------


class Client(threading.Thread):
    """Sends the same request to nginx repeatedly, on one connection as long as that stays open."""

    def __init__(self, port, host, method, target, body, expected):
        super().__init__(daemon=True)
        self.port, self.host, self.expected = port, host, expected
        self.question = (method, target, body)
        self.answered, self.failed, self.go_on = 0, [], True

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        method, target, body = self.question
        headers = {"Host": self.host}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        while self.go_on:
            try:
                connection.request(method, target, body, headers)
                answer = connection.getresponse()
                text = answer.read()
                if answer.status == self.expected:
                    self.answered += 1
                else:
                    self.failed.append((answer.status, text[:200]))
            except (OSError, http.client.HTTPException) as error:
                self.failed.append(repr(error))
                connection.close()


def test_operations_P7_twenty_reloads_at_full_load_lose_no_request(stack):
    """GET and POST, through the shipped nginx without its cache."""
    stack.import_catalog()
    embed = stack.start_pool("embed", workers=3)
    grant = stack.start_pool("grant", roles="grant", workers=3)
    nginx = stack.start_shipped_nginx(micro_cache=False)
    wrong_client = ("grant_type=refresh_token&refresh_token=none&client_id=" + "0" * 64 +
                    "&client_secret=" + "1" * 64)
    kinds = [("oembed.svc.example", "GET", f"/oembed?{VIDEO_QUERY}", None, 200),
             ("api.svc.example", "POST", "/oauth/token", wrong_client, 401)]
    clients = [Client(nginx.port, *kinds[i % 2]) for i in range(8)]
    for client in clients:
        client.start()
    wait_until(lambda: all(client.answered for client in clients), "every client is served")
    for _ in range(20):
        for pool in (embed, grant):
            before = [client.answered for client in clients]
            reload(pool)
            wait_until(lambda: all(client.failed or client.answered > count  # pylint: disable=W0640
                                   for client, count in zip(clients, before)), "they still get responses")
    wait_until(lambda: sum(client.answered for client in clients) >= 4000 or
               any(client.failed for client in clients), "thousands of answers")
    for client in clients:
        client.go_on = False
    for client in clients:
        client.join(PATIENCE)
    assert [failure for client in clients for failure in client.failed] == []
    for number in (0, 1):
        assert sum(client.answered for client in clients[number::2]) >= 500
    for pool in (embed, grant):
        assert len(pool.events("reload.done")) == 20
        status = status_of(pool)
        assert status["generation"] == 21 and status["reload"]["answered"] == 20


def test_operations_P7_the_old_generation_completes_a_request_that_has_begun(stack):
    pool = stack.start_pool()
    body = b"b" * 1000
    params = begin() + stream(PARAMS, encode_pairs(environment("/oembed", method="POST", body=body)))
    old = pool.workers()
    with pool.connect() as half, pool.connect() as kept:
        assert kept.request("/healthz").status == 200
        half.send(params + record(STDIN, body[:400]))
        reload(pool)
        half.send(record(STDIN, body[400:]) + record(STDIN))
        assert half.read_answer().status == 405
        # Keep-alive connections of nginx are closed after a response, not before.
        assert kept.request("/healthz").status == 200
        wait_until(lambda: kept.request("/healthz") is None, "the connection is closed")
    pool.wait_for_workers(2, without=old)


def test_operations_P7_the_old_generation_drains_only_when_the_new_workers_are_ready(stack):
    """Draining workers and their generation are still listed in the status."""
    pool = stack.start_pool(workers=2)
    with contextlib.ExitStack() as kept:
        for _ in range(4):
            assert kept.enter_context(pool.connect()).request("/healthz").status == 200
        old = pool.workers()
        reload(pool)
        status = status_of(pool)
        phases = {each["pid"]: each["phase"] for each in status["processes"]}
        assert [phases[pid] for pid in old] == ["draining", "draining"]
        assert len([pid for pid in phases if pid not in old]) == 2
        assert status["leaving_processes"] == 2 and status["workers"] == 2
    pool.wait_for_workers(2, without=old)


# --- effects of a reload -------------------------------------------------------------------------


def test_operations_P7_reload_changes_the_number_of_workers(stack):
    stack.write_config(workers=2)
    pool = stack.start_pool(workers=None)
    for number in (5, 1, 3):
        stack.write_config(workers=number)
        before = pool.workers()
        done = reload(pool)
        assert re.fullmatch(rf"embed: generation \d+, {number} workers? serves?\n", done.stdout)
        pool.wait_for_workers(number, without=before)
        assert status_of(pool)["workers"] == number


def test_operations_P7_reload_reads_the_password_again(stack):
    stack.import_catalog()
    pool = stack.start_pool()
    file = stack.password_file("embed")
    right = file.read_text()
    assert pool.request("/readyz").status == 200
    file.write_text("wrong\n")
    reload(pool)
    # An old worker may accept one more request before it takes its signal.
    wait_until(lambda: pool.request("/readyz").status == 503, "the new workers have the new password")
    file.write_text(right)
    reload(pool)
    wait_until(lambda: pool.request("/readyz").status == 200, "the new workers have the right password")


def test_operations_P7_reload_reads_the_keys_again_and_refuses_wrong_ones(stack):
    pool = stack.start_pool("grant", roles="grant")
    workers = pool.workers()
    right = stack.key_file.read_text()
    stack.key_file.write_text("k1:short\n")
    done = reload(pool, status=1)
    assert str(stack.key_file) in done.stderr and "short" not in done.stderr
    assert pool.workers() == workers
    stack.key_file.write_text("k2:" + "ab" * 32 + "\n" + right)
    reload(pool)
    pool.wait_for_workers(2, without=workers)


# --- failures ------------------------------------------------------------------------------------


def test_operations_P7_a_wrong_configuration_is_refused_and_has_no_effect(stack):
    pool = stack.start_pool()
    workers = pool.workers()
    with open(stack.config, "a", encoding="utf-8") as file:
        file.write("concurrency = 3\n")
    line = len(stack.config.read_text().splitlines())
    with pool.connect() as kept:
        assert kept.request("/healthz").status == 200
        done = reload(pool, status=1)
        assert "refused" in done.stderr and f"{stack.config}:{line}: unknown key concurrency" in done.stderr
        assert "log-requests" in done.stderr, "all known keys are named, to the last"
        for _ in range(5):
            assert kept.request("/healthz").status == 200
    assert pool.workers() == workers
    (said,) = pool.events("reload.refused")
    assert said["level"] == "error" and "concurrency" in said["reason"]
    status = status_of(pool)
    assert status["generation"] == 1 and status["reload"]["outcome"] == "refused"
    stack.write_config()
    reload(pool)
    assert status_of(pool)["reload"]["outcome"] == "done"


def test_operations_P7_settings_of_the_socket_cannot_change(stack):
    pool = stack.pool(roles=None)
    pool.options["listen"] = None
    stack.write_config(listen=pool.socket, roles="embed")
    pool.start().wait_ready()
    workers = pool.workers()
    for name, value in (("roles", "embed,web"), ("listen", f"{pool.socket}2"), ("backlog", 100)):
        stack.write_config(**{"listen": pool.socket, "roles": "embed", name: value})
        assert f"{name} cannot change" in reload(pool, status=1).stderr
    assert pool.workers() == workers


def test_operations_P7_a_generation_that_fails_to_start_is_withdrawn(stack):
    """The new workers have no descriptor left for their epoll set. The parent's last file is a pipe of settings, so
    that the test can lower the limit after that and before the workers start. It reads no secrets then."""
    stack.write_config(redis_user="", redis_password_file="", watch_key_file="", stats_bots_file="")
    pool = stack.start_pool(workers=2, deaths_expected=True, redis_user=None,
                            redis_password_file=None)
    workers = pool.workers()
    limits = resource.prlimit(pool.pid, resource.RLIMIT_NOFILE)
    descriptors = {int(name) for name in os.listdir(f"/proc/{pool.pid}/fd")}
    # A worker closes the parent's netlink socket, so that this descriptor number becomes free.
    links = {number: os.readlink(f"/proc/{pool.pid}/fd/{number}") for number in descriptors}
    netlink = {f"socket:[{line.split()[9]}]" for line in
               Path(f"/proc/{pool.pid}/net/netlink").read_text().splitlines()[1:]}
    free = min({*set(range(1000)) - descriptors, *(n for n, link in links.items() if link in netlink)})
    last = Path(f"{stack.config}.d/last.conf")
    last.parent.mkdir()
    os.mkfifo(last)
    with start([program("svcctl"), "reload", "--socket", str(pool.socket)],
               stderr=subprocess.PIPE, text=True) as asking:
        with open(last, "w", encoding="utf-8"):
            resource.prlimit(pool.pid, resource.RLIMIT_NOFILE, (free, limits[1]))
        said = asking.communicate(timeout=PATIENCE)[1]
    last.unlink()
    assert asking.returncode == 1
    assert "failed" in said and "the former configuration remains in effect" in said
    resource.prlimit(pool.pid, resource.RLIMIT_NOFILE, limits)
    (failed,) = pool.events("reload.failed")
    assert failed["level"] == "error" and failed["generation"] == 2
    assert not pool.events("pool.failing"), "it does not fail: the old generation serves"
    for _ in range(10):
        assert pool.request("/healthz").status == 200
    pool.wait_for_workers(2)
    assert pool.workers() == workers
    assert status_of(pool)["generation"] == 1
    stack.config.unlink()
    stack.write_config()
    reload(pool)
    pool.wait_for_workers(2, without=workers)


def test_operations_P7_hangups_in_a_row_are_coalesced_and_old_generations_are_limited(stack):
    pool = stack.start_pool(workers=1)
    with contextlib.ExitStack() as kept:
        most = 0
        for _ in range(12):
            # An open connection keeps its worker from exiting.
            held = kept.enter_context(pool.connect())
            assert held.request("/healthz").status == 200
            reload(pool)
            most = max(most, len(pool.workers()))
        # At most eight generations, one starting or one exiting worker, and the current one.
        assert 4 <= most <= 10, most
        for _ in range(200):
            pool.send_signal(signal.SIGHUP)
        reload(pool)
        assert pool.request("/healthz").status == 200
    pool.wait_for_workers(1)
    assert pool.stop() == 0


def test_operations_P7_TERM_during_reloads_ends_all_workers(stack):
    pool = stack.start_pool(workers=3)
    for number in range(3):
        pool.send_signal(signal.SIGHUP)
        pool.wait_for("reload.begins", number + 1)
    assert pool.stop() == 0
    assert not pool.socket.exists()


# --- svcctl reload -------------------------------------------------------------------------------


def test_operations_P7_svcctl_finds_the_pool_by_its_pid_file(stack):
    pool = stack.start_pool()
    done = svcctl("reload", "--pid-file", pool.pid_file)
    assert (done.returncode, done.stdout) == (0, "embed: generation 2, 2 workers serve\n")
    done = svcctl("--listen", pool.socket, "reload", "--pid", pool.pid)
    assert (done.returncode, done.stdout) == (0, "embed: generation 3, 2 workers serve\n")


def test_operations_P7_svcctl_reports_unreachable_pools_and_the_process_of_another(stack):
    pool = stack.start_pool()
    missing = stack.directory / "nobody.sock"
    other = stack.directory / "other.pid"
    other.write_text("1\n")
    for arguments, status, words in [
            (["--socket", missing], 3, str(missing)),
            (["--socket", pool.socket, "--pid-file", other], 2, f"{pool.pid}, not 1"),
            (["--socket", stack.config], 3, str(stack.config))]:
        done = svcctl("reload", *arguments)
        assert done.returncode == status and words in done.stderr, (arguments, done)
    assert not pool.events("reload.begins")


def test_operations_P7_svcctl_reloads_several_pools_and_names_the_pool_that_refused(stack):
    embed = stack.start_pool("embed")
    grant = stack.start_pool("grant", roles="grant")
    both = ["--socket", embed.socket, "--socket", grant.socket]
    done = svcctl("reload", *both)
    assert done.stdout == ("embed: generation 2, 2 workers serve\n"
                           "grant: generation 2, 2 workers serve\n")
    stack.key_file.unlink()
    done = svcctl("reload", *both)
    assert done.returncode == 1
    assert done.stdout == "embed: generation 3, 2 workers serve\n" and "grant: refused" in done.stderr
