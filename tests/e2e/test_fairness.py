"""More keep-alive connections than workers: each gets its share.

If workers stayed with their own connections, others would starve although the throughput looks fine. So responses are
counted per client.
"""

import multiprocessing
import os
import time

import pytest

import fastcgi_client as fcgi
from processes import wait_until

CLIENTS = 12
WORKERS = 4
SECONDS = 1.2  # s, in which responses are counted
# On a busy machine a client may starve once; with an unfair pool it happens on every attempt.
ATTEMPTS = 4

# When each client connects, in s before the counting begins.
ARRIVALS = {
    "as they come": [0.3 + 0.01 * (i * 7 % CLIENTS) for i in range(CLIENTS)],
    "all at once": [0.3] * CLIENTS,
    "one after the other": [1.0 - 0.06 * i for i in range(CLIENTS)],
}


def ask_until(socket, connects_at, counts_from, ends_at, result):
    """Runs a client that sends one request at a time on one connection. Puts its number of responses, or its failure,
    into `result`."""
    try:
        time.sleep(max(0.0, connects_at - time.monotonic()))
        count = 0
        question = fcgi.request("/healthz")
        with fcgi.Connection(socket) as connection:
            while (now := time.monotonic()) < ends_at:
                connection.send(question)
                answer = connection.read_answer()
                if answer is None or answer.status != 200:
                    raise fcgi.Broken(f"not answered: {answer}")
                count += now >= counts_from
        result.put(count)
    except Exception as error:  # pylint: disable=broad-except
        result.put(repr(error))


def answers_of_clients(socket, arrivals):
    fork = multiprocessing.get_context("fork")
    results = fork.SimpleQueue()
    counts_from = time.monotonic() + 0.2 + max(arrivals)
    clients = [fork.Process(target=ask_until, daemon=True,
                            args=(socket, counts_from - before, counts_from, counts_from + SECONDS,
                                  results))
               for before in arrivals]
    for client in clients:
        client.start()
    answers = [results.get() for _ in clients]
    for client in clients:
        client.join()
    return answers


@pytest.fixture(scope="module", name="pool")
def fixture_pool(module_stack):
    return module_stack.start_pool(workers=WORKERS, max_requests=0)


def connections_of(pool):
    """Returns a function for the number of connections that each worker holds, smallest first. The pool must be
    unused."""
    before = {worker: descriptors(worker) for worker in pool.workers()}
    return lambda: sorted(descriptors(worker) - count for worker, count in before.items())


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.parametrize("arrivals", ARRIVALS.values(), ids=ARRIVALS)
def test_each_connection_gets_at_least_half_of_its_share(pool, arrivals):
    for _ in range(ATTEMPTS):
        answers = answers_of_clients(pool.socket, arrivals)
        refused = [answer for answer in answers if isinstance(answer, str)]
        assert not refused, refused
        if min(answers) >= sum(answers) / CLIENTS / 2:
            return
    pytest.fail(f"answers of each client: {sorted(answers)}")


def test_serves_all_clients_despite_idle_connections(pool):
    """Idle connections count as held, but must not push the busy connections onto one worker."""
    silent = [pool.connect() for _ in range(2 * WORKERS)]
    try:
        for _ in range(ATTEMPTS):
            answers = answers_of_clients(pool.socket, [0.3] * WORKERS)
            assert all(isinstance(answer, int) for answer in answers), answers
            if min(answers) >= sum(answers) / WORKERS / 4:
                return
        pytest.fail(f"answers of each client: {sorted(answers)}")
    finally:
        for connection in silent:
            connection.close()


@pytest.mark.parametrize("requests", [0, 1])
def test_spreads_connections_evenly_over_all_workers(stack, requests):
    """Although Linux prefers to wake the same waiting process again."""
    pool = stack.start_pool(workers=WORKERS)
    held = connections_of(pool)
    kept = []
    try:
        for _ in range(10 * WORKERS):
            kept.append(pool.connect())
            for _ in range(requests):
                assert kept[-1].request("/healthz").status == 200
        wait_until(lambda: sum(held()) == len(kept), "all connections are held")
        assert held()[0] >= 5 and held()[-1] <= 20, held()
    finally:
        for connection in kept:
            connection.close()
