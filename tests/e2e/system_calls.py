"""system_calls: counts a worker's system calls per request on a keep-alive connection, with strace."""

import collections
import re
import signal
import subprocess

import stack as stacks
from fastcgi_client import Connection
from processes import start, stop

_CALL = re.compile(r"^\d+ +(\w+)\(")
# Redis' requests begin with an asterisk, its replies with one of $ + : as well; FastCGI records begin with a byte of 1.
_REDIS = re.compile(r'\(\d+(?:<[^"]*>)?, "[*$+:]')


def per_request(pool, path, query="", requests=100):
    """Returns the number of calls per request by name, without those for Redis. The pool must have one worker."""
    workers = stacks.children_of(pool.pid)
    assert len(workers) == 1, "the pool must have one worker"
    trace = pool.log.with_suffix(".strace")
    with Connection(pool.socket) as connection:
        for _ in range(10):
            assert connection.request(path, query).status == 200
        tracer = start(["strace", "-p", str(workers.pop()), "-f", "-o", str(trace)],
                       stderr=subprocess.PIPE, text=True)
        line = tracer.stderr.readline()
        assert "attached" in line, f"strace cannot look: {line}"
        for _ in range(requests):
            assert connection.request(path, query).status == 200
        stop(tracer, signal.SIGINT)
        tracer.stderr.close()
    counts = collections.Counter(
        call.group(1) for line in trace.read_text().splitlines()
        if (call := _CALL.match(line)) and not _REDIS.search(line))
    return {name: count / requests for name, count in counts.items()}
