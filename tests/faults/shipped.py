"""shipped: the service with its shipped nginx files, Redis settings and users, timeouts, and the units' restarts."""

import contextlib
import json
import subprocess
import threading

from bounded_load import HOT_WIDTHS, oembed_target
from oauth_store import Codes
from processes import PATIENCE, Failed, run, wait_until
from stack import program

# The defaults of svc-worker; stack.TIMEOUTS are longer.
TIMEOUTS = {"redis_timeout": 500, "request_timeout": 3000}
RESTART_DELAY = 0.2  # s, RestartSec= of svc-redis-state.service
WORKERS = 2
# Longer than the largest step of a clock, and than a run.
CODE_LIFETIME = 4 * 3600  # s


class Unit:
    """Restarts a Redis as its unit does: after each exit, it waits, repairs the files of the state, and starts."""

    def __init__(self, redis):
        self.redis = redis
        self.restarts = 0
        self.problems = []
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        assert self.ready.wait(2 * PATIENCE) and not self.problems, f"{redis.name} did not start: {self.problems}"

    def _run(self):
        # The kernel ends a process with the thread that started it, so this thread starts the first process, too.
        try:
            self.redis.start()
        except Exception as error:  # __init__ reports it
            self.problems.append(repr(error))
            return
        finally:
            self.ready.set()
        while not self.over.wait(0.01):
            if self.redis.alive():
                continue
            if self.over.wait(RESTART_DELAY):
                return
            with self.lock:
                self._restart()

    def _restart(self):
        if self.redis.name == "redis-state":
            status, text = self.redis.repair()
            if status != 0:
                self.problems.append(text)
                return
        self.redis.launch()
        self.restarts += 1
        # As ExecStartPost=-, which may fail: Redis may end before it answers.
        with contextlib.suppress(Failed, AssertionError, subprocess.SubprocessError):
            wait_until(lambda: not self.redis.alive() or self.redis.answers(), "Redis answers")
            if self.redis.alive():
                self.redis.load_functions()

    @contextlib.contextmanager
    def held(self):
        """Starts no process within this context."""
        with self.lock:
            yield

    def stop(self):
        self.over.set()
        self.thread.join(PATIENCE)


class Shipped:
    """The whole service for one row of the table: two Redis, an embed and a grant pool, nginx.

    `settings(stack)` returns settings of the pools in addition; it is called once Redis runs. `topology` has the
    servers of the state if there are several, which run."""

    def __init__(self, stack, *, codes, settings=lambda _: {}, topology=None, deaths_expected=False, wrapper=(),
                 **how):
        self.stack = stack
        self.units = []
        for server in (stack.redis_cache,) if topology else (stack.redis_state, stack.redis_cache):
            stack.add(server)
            self.units.append(Unit(server))
        self.settings = TIMEOUTS | (topology.settings if topology else {}) | settings(stack)
        stack.import_catalog()
        stack.write_config(**self.settings)
        self.embed, self.grant = (stack.pool(role, roles=role, workers=WORKERS, deaths_expected=deaths_expected,
                                             memory_limit=None) for role in ("embed", "grant"))
        for pool in self.pools:
            pool.start(wrapper=wrapper, **how)
        for pool in self.pools:
            pool.wait_ready()
        self.nginx = stack.start_shipped_nginx(shipped_timeouts=True)
        self.ledger = Codes(stack, topology.store if topology else stack.redis_state)
        self.codes = self.many_codes(codes)

    @property
    def state(self):
        return self.stack.redis_state

    @property
    def unit(self):
        """The unit of the state Redis."""
        return self.units[0]

    @property
    def pools(self):
        return (self.embed, self.grant)

    def configure(self, **settings):
        """Reloads the pools with these settings in addition. Returns once the old workers have exited."""
        self.stack.write_config(**self.settings, **settings)
        for pool in self.pools:
            run([program("svcctl"), "reload", "--socket", pool.socket], timeout=4 * PATIENCE)

    def many_codes(self, count):
        """Returns new codes, each of another contact. All are written in one batch."""
        batch = Batch()
        self.ledger.redis, store = batch, self.ledger.redis
        codes = [self.ledger.new(seconds=CODE_LIFETIME) for _ in range(count)]
        self.ledger.redis = store
        with contextlib.closing(store.client()) as client:
            client.commands(batch.commands)
        return codes

    def warm(self):
        """Requests the hot responses until every worker has them in memory."""
        def hits():
            return json.loads(self.embed.request("/status").body)["cache"]["memory"]["entries"]

        def all_have_them():
            for width in HOT_WIDTHS * 4:
                path, _, query = oembed_target(width).partition("?")
                assert self.embed.request(path, query).status == 200
            return hits() >= WORKERS * len(HOT_WIDTHS)
        wait_until(all_have_them, "every worker has the hot responses")

    def stop(self):
        for unit in self.units:
            unit.stop()
        assert not [problem for unit in self.units for problem in unit.problems]


class Batch:
    """Collects the commands that Codes writes. A new contact has no consent yet."""

    def __init__(self):
        self.commands = []

    def command(self, *words):
        if words[0] != "HGET":
            self.commands.append(words)
