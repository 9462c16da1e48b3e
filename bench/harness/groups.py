"""groups: the measurements. Each group starts its own programs next to the service, adds its figures, and the rows of
the table that follow from them. A group never reads the figures of another group."""

import contextlib
import dataclasses
import functools
import json
import statistics
import subprocess
import time
from pathlib import Path

import fastcgi_client
import processes
import stack as stacks
import system_calls
from redis_client import Client

from . import grants, list_groups, overload, peers, requests, service, share_groups, store_groups, topology_groups, upload_groups, viewing_groups
from .loads import CONNECTIONS, Load, OpenLoad, interleave, medians, ratio
from .peers import ACCEPT_LOOP, CONSTANT, OAUTH2, OIDC, ONE_GET, PHP, RETURN
from .results import at_least, at_most, number

TWO = "svc, 2 workers"
SHIPPED, MEMORY, REDIS_EACH = "svc, as shipped", "svc, micro-cache off", "svc, every request to Redis"
NO_MEMORY_OPTION = "svc-worker has no option that turns its memory off"
NO_MICRO_CACHE = "nginx/ has no micro-cache"


@dataclasses.dataclass(frozen=True)
class Settings:
    quick: bool
    rounds: int
    seconds: float
    workers: int = 4
    against: Path | None = None  # another checkout of the service

    @property
    def short(self):
        """Where much is measured and little depends on it."""
        return self.seconds if self.quick else self.seconds * 0.75

    @property
    def lead(self):
        """The lead time of a hot set: nginx caches a URL after 20 requests, and forgets it during the turns of the
        other loads. The rarest of a thousand media needs three seconds to be cached again."""
        return 0 if self.quick else 3

    @property
    def sizes(self):
        return (1_000, 100_000) if self.quick else (1_000, 100_000, 1_000_000)


def modes_of(front):
    """The ways to answer of another service, by name."""
    return {SHIPPED: front, MEMORY: front.front("memory"),
            REDIS_EACH: front.front("redis", front.pool("redis", options=service.MEMORY_OFF))}


class Bench:
    """Shared by the groups: the service with a catalog, and the folders for files."""

    def __init__(self, settings, directory, started, progress, results):
        self.settings, self.directory, self.started = settings, Path(directory), started
        self.progress, self.results = progress, results
        self.requests = requests.Requests(self.directory)

    @functools.cached_property
    def service(self):
        self.progress.say("the service starts")
        return service.Service(self.started, self.directory / "s", self.settings.workers)

    def imported(self, count):
        """The ids of the media with an embed code in a catalog of that size, which is added to the store."""
        catalog = self.directory / "catalog.jsonl"
        with open(catalog, "wb") as out:
            subprocess.run([service.TOP / "scripts" / "make-catalog", str(count)], stdout=out, check=True)
        return catalog, requests.embeddable_ids(catalog)

    @functools.cached_property
    def hot_ids(self):
        """A thousand media to ask for."""
        catalog, ids = self.imported(requests.HOT * 5 // 4)
        self.service.svcctl("import", catalog)
        return ids[:requests.HOT]

    @functools.cached_property
    def rendering(self):
        """The rendering of the hottest media. All renderings of the hot set are stored where the peers look for
        them."""
        return requests.store_renderings(Client(self.service.redis_state), self.service, self.hot_ids)

    @functools.cached_property
    def head(self):
        """The header lines of its answer for the hottest media, as a worker sends them, without its length."""
        with fastcgi_client.Connection(self.service.socket("embed")) as link:
            found = link.request("/oembed", requests.oembed(self.hot_ids[0]).partition("?")[2]).headers
        return b"".join(f"{name}: {value}\r\n".encode() for name, value in found.items() if name != "content-length")

    @functools.cached_property
    def memory_front(self):
        return self.service.front("memory")

    @functools.cached_property
    def redis_front(self):
        return self.service.front("redis", self.service.pool("redis", options=service.MEMORY_OFF))

    @functools.cached_property
    def granted(self):
        """The service's tokens and codes, with applications and users of their own."""
        self.service.svcctl("import", grants.catalog(self.directory))
        return grants.OfTheService(self.service)

    @functools.cached_property
    def refresh_bodies(self):
        """The bodies of refresh requests, one per application."""
        return self.granted.tokens()[1]

    @functools.cached_property
    def access_tokens(self):
        """Tokens of grants without refreshes: live access tokens of a grant are limited; new ones evict old ones."""
        return self.granted.tokens()[0]

    def modes(self):
        """The service's own ways to answer, by name."""
        found = {SHIPPED: self.service, MEMORY: self.memory_front}
        if service.can_turn_memory_off():
            found[REDIS_EACH] = self.redis_front
        return found

    def rounds(self, title, loads, seconds=None, **how):
        return interleave(title, loads, self.settings.rounds, seconds or self.settings.seconds, self.progress, **how)


# ---- throughput --------------------------------------------------------------------------------------


def hot(bench):
    """The hot set, asked for by a Zipf law, of the service and of every oEmbed peer."""
    count, rows = bench.settings.workers, functools.partial(bench.results.row, "hot")
    file = bench.requests.hot(bench.hot_ids)
    with processes.Processes() as started:
        others = peers.Peers(started, bench.directory / "peers-hot", count, bench.service, bench.rendering, bench.head)
        for start in (others.nginx_return, others.responder, others.responder_get, others.php_fpm, others.accept_loop):
            bench.progress.say(f"hot: the peer {start.__name__} starts")
            start()
        if not bench.settings.quick:
            others.fastcgi_cache()
            others.node_http()
        others.ready().must_answer(requests.oembed(bench.hot_ids[0]), bench.rendering)
        loads = [Load(name, front.url, file, parts=front.parts) for name, front in bench.modes().items()]
        loads += [Load(name, url, file, parts=others.parts[name]) for name, url in others.urls.items()]
        figures = bench.rounds("hot", loads, lead=bench.settings.lead)
    bench.results.figures("hot", rounds=figures, bytes=len(bench.rendering), connections=CONNECTIONS)
    compare = functools.partial(ratio, figures)
    rows("hot as shipped, against nginx return of the same bytes", compare(SHIPPED, RETURN), at_least(0.6), " ×")
    rows("hot from a worker's memory, micro-cache off, against a responder of constant bytes",
         compare(MEMORY, CONSTANT), at_least(1), " ×")
    rows("hot, micro-cache off, against php-fpm + php-redis", compare(MEMORY, PHP), at_least(5), " ×")
    rows("hot as shipped, against php-fpm + php-redis", compare(SHIPPED, PHP), at_least(8), " ×")
    for what, other, need in (("that responder with one GET", ONE_GET, 0.85), (PHP, PHP, 3.5)):
        measured = compare(REDIS_EACH, other) if REDIS_EACH in figures else None
        rows(f"every request to Redis, micro-cache off, against {what}", measured, at_least(need), " ×",
             "" if measured else NO_MEMORY_OPTION)
    rows("hot, micro-cache off, against a plain FCGX_Accept_r loop with one GET", compare(MEMORY, ACCEPT_LOOP),
         at_least(2), " ×")


def latency(bench):
    """Open loops at a half of the most that the service as shipped answers, and at a quarter and three quarters."""
    file = bench.requests.hot(bench.hot_ids)
    most = medians(bench.rounds("latency, the most", [Load(SHIPPED, bench.service.url, file)]))[SHIPPED]
    shares = (0.5,) if bench.settings.quick else (0.25, 0.5, 0.75)
    with processes.Processes() as started:
        others = peers.Peers(started, bench.directory / "peers-latency", bench.settings.workers,
                             bench.service, bench.rendering)
        others.nginx_return()
        others.ready()
        urls = {SHIPPED: bench.service.url, MEMORY: bench.memory_front.url, RETURN: others.urls[RETURN]}
        found = {}
        for share in shares:
            loads = [OpenLoad(name, url, file, most * share, bench.directory) for name, url in urls.items()]
            found[str(share)] = bench.rounds(f"latency at {share:.0%} of the most", loads, max(1, bench.settings.short),
                                             warm_up=False)
    bench.results.figures("latency", most=most, rounds=found)
    bench.results.row("latency", "p99 at half of the most, against nginx return at the same rate",
                      ratio(found["0.5"], SHIPPED, RETURN, "p99"), at_most(2), " ×")
    bench.results.row("latency", "p99 at that rate", medians(found["0.5"], "p99")[SHIPPED], unit=" ms")


def catalog(bench):
    """Media drawn evenly from the first thousand of a large catalog, from more of it, from all of it; and its
    import."""
    sizes, rows = bench.settings.sizes, functools.partial(bench.results.row, "catalog")
    bench.progress.say(f"catalog: making one of {sizes[-1]:,} media")
    file, ids = bench.imported(sizes[-1])
    bench.progress.say("catalog: importing it")
    rate, mib = _import(bench.service, file, sizes[-1])
    file.unlink()
    _wait_for_rewrite(Client(bench.service.redis_state))
    share = len(ids) / sizes[-1]
    files = {size: bench.requests.uniform(f"uniform-{size}", ids[:max(1, round(size * share))]) for size in sizes}
    with processes.Processes() as started:
        others = peers.Peers(started, bench.directory / "peers-catalog", bench.settings.workers,
                             bench.service, bench.rendering)
        others.accept_loop()
        others.ready([])
        modes = bench.modes()
        loads = [Load(f"{name}: {size}", front.url, files[size], parts=front.parts)
                 for name, front in modes.items() for size in sizes]
        loads.append(Load(f"{ACCEPT_LOOP}: {sizes[0]}", others.urls[ACCEPT_LOOP], files[sizes[0]],
                          parts=others.parts[ACCEPT_LOOP]))
        figures = bench.rounds("catalog", loads, bench.settings.short)
    bench.results.figures("catalog", rounds=figures, sizes=sizes, modes=list(modes), import_rate=rate, import_mib=mib)
    for name in modes:
        # Judged where no cache helps: with one, a thousand media fit into it and a million do not.
        judged = name == (REDIS_EACH if REDIS_EACH in modes else MEMORY)
        rows(f"uniform over {number(sizes[-1])} media against {number(sizes[0])}, {name[5:]}",
             ratio(figures, f"{name}: {sizes[-1]}", f"{name}: {sizes[0]}"), at_least(0.8) if judged else None, " ×")
    rows(f"uniform over {number(sizes[0])} media, micro-cache off, against a plain loop with one GET",
         ratio(figures, f"{MEMORY}: {sizes[0]}", f"{ACCEPT_LOOP}: {sizes[0]}"), at_least(2), " ×")
    rows(f"import of {number(sizes[-1])} media, a second", rate, at_least(25_000))
    rows("memory of the import", mib, at_most(300), " MiB")


def _import(front, file, count):
    """Media a second, and MiB at most, into a store that syncs every write."""
    began = time.monotonic()
    done = processes.run(["/usr/bin/time", "-f", "%M", service.BUILD / "svcctl", "--config",
                          front.directory / "svc.conf", "import", file])
    return count / (time.monotonic() - began), int(done.stderr.split()[-1]) / 1024


def _wait_for_rewrite(redis):
    """Redis rewrites its append-only file after this growth; the rewrite is not part of the measurement."""
    processes.wait_until(lambda: "aof_rewrite_in_progress:0" in redis.command("INFO", "persistence"),
                         "Redis has written its file anew", 120, pause=0.2)


def workers(bench):
    """The hot set of pools with one worker and more, the micro-cache off."""
    file, loads = bench.requests.hot(bench.hot_ids), []
    counts = (1, 4) if bench.settings.quick else (1, 2, 4, 8)
    with processes.Processes() as started:
        front = bench.service
        with front.started_by(started):
            for count in counts:
                name = front.pool(f"workers-{count}", count)
                loads.append(Load(str(count), front.front(name, name).url, file))
        figures = bench.rounds("workers", loads, bench.settings.short)
    bench.results.figures("workers", rounds=figures, counts=counts)
    for count in counts[1:]:
        bench.results.row("workers", f"{count} workers against one", ratio(figures, str(count), "1"), unit=" ×")


class _DuringStorm(Load):
    """A load during an open loop with another file."""

    def measure(self, seconds):
        log = processes.start(
            ["h2load", "--h1", "-c8", "-t1", f"--rps={STORM // 8}", f"-D{int(seconds) + 2}", "-i", self.storm],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            time.sleep(0.3)
            return super().measure(seconds)
        finally:
            log.terminate()
            log.communicate()


STORM = 1000  # requests a second


def storm(bench):
    """Random ids, a thousand per second, during the hot set, which must stay as fast."""
    file = bench.requests.hot(bench.hot_ids)
    loads = []
    for name, front in list(bench.modes().items())[:2]:
        url = front.url
        uris = bench.directory / f"storm-{len(loads)}.uris"
        uris.write_text("".join(f"{url}{requests.oembed(name)}\n" for name in bench.requests.random_ids()))
        stormed = _DuringStorm(f"{name}, random ids beside it", url, file)
        stormed.storm = uris
        loads += [Load(name, url, file), stormed]
    figures = bench.rounds("404 storm", loads, bench.settings.short)
    bench.results.figures("storm", rounds=figures, storm_rate=STORM)
    for name in (SHIPPED, MEMORY):
        bench.results.row("storm", f"hot throughput kept beside {STORM} random ids a second, {name[5:]}",
                          ratio(figures, f"{name}, random ids beside it", name), at_least(0.9), " ×")


def scenarios(bench):
    """What else is asked of the service as shipped."""
    access, refresh = bench.access_tokens, bench.refresh_bodies
    ids, make, url = bench.hot_ids, bench.requests, bench.service.url
    parts = dict(bench.service.parts)
    parts["workers"] = parts["workers"] + bench.service.pids("grant")
    loads = [
        Load("hot set, Zipf", url, make.hot(ids), parts=parts),
        Load("mixed formats and embed types", url, make.mixed(ids), parts=parts),
        Load("manifests", url, make.manifests(ids), parts=parts),
        Load("random ids, all 404", url, make.storm(), refusals="all", parts=parts),
        Load("the mix of a day", url, make.day(ids, service.HOT_MEDIA, access, refresh), refusals="some", parts=parts),
    ]
    figures = bench.rounds("scenarios", loads, bench.settings.short)
    bench.results.figures("scenarios", rounds=figures)
    for load in loads:
        bench.results.row("scenarios", f"{load.name}: requests a second", medians(figures)[load.name])


# ---- grants ------------------------------------------------------------------------------------------


def oauth(bench):
    """Refresh grants, code exchanges and bearer checks, of the service and of the grant peers."""
    rows, settings, make = functools.partial(bench.results.row, "oauth"), bench.settings, bench.requests
    codes_a_round = 200 if settings.quick else 500
    front = bench.service
    access, refresh = bench.access_tokens, bench.refresh_bodies
    with processes.Processes() as started:
        others = peers.Peers(started, bench.directory / "peers-oauth", 2, front)
        bench.progress.say("grants: the peers start")
        tokens, codes = others.oidc_provider(grants.APPLICATIONS, codes_a_round * settings.rounds)
        others.oauth2_server()
        others.ready()
        oauth2 = grants.OfOauth2Server(front.redis_state)
        four = f"svc, {settings.workers} workers"
        two = front.front("grant2", front.pool("grant2", 2, role="grant"), "grant")
        file = make.posts("svc-refresh", "/oauth/token", refresh)
        loads = [
            Load(TWO, two.url, file),
            Load(four, front.url, file),
            Load(OIDC, others.urls[OIDC], make.posts("oidc-refresh", "/token", map(grants.peer_refresh, tokens))),
            Load(OAUTH2, others.urls[OAUTH2], make.posts(
                "oauth2-refresh", "/token", map(grants.peer_refresh, oauth2.refresh_tokens(grants.APPLICATIONS)))),
        ]
        refreshes = bench.rounds("refresh grants", loads)

        exchanges = {"svc": [], OIDC: [], OAUTH2: []}
        for turn in range(settings.rounds):
            bench.progress.say(f"code exchange: round {turn + 1} of {settings.rounds}")
            mine = codes[turn * codes_a_round:(turn + 1) * codes_a_round]
            for name, url, path, bodies in (
                    ("svc", front.url, "/oauth/token", bench.granted.code_bodies(codes_a_round)),
                    (OIDC, others.urls[OIDC], "/token", map(grants.peer_code, mine)),
                    (OAUTH2, others.urls[OAUTH2], "/token", map(grants.peer_code, oauth2.codes(codes_a_round)))):
                exchanges[name].append(
                    Load(name, url, make.posts("codes", path, bodies), refusals="few", once=True).measure(60))

        theirs = (f"GET\t/medias\tBearer {token}" for token in oauth2.access_tokens(grants.APPLICATIONS))
        bearers = bench.rounds("bearer checks", [
            Load("svc", front.url, make.bearer(service.HOT_MEDIA, access)),
            Load(OAUTH2, others.urls[OAUTH2], make.file("oauth2-bearer", theirs))], settings.short)

    bench.results.figures("oauth", refresh=refreshes, exchange=exchanges, bearer=bearers)

    rows("refresh grants of two workers against two processes of oidc-provider", ratio(refreshes, TWO, OIDC),
         at_least(5), " ×")
    rows("their p99 against its", ratio(refreshes, TWO, OIDC, "p99"), at_most(0.25), " ×")
    rows(f"refresh grants of {settings.workers} workers against the same", ratio(refreshes, four, OIDC), unit=" ×")
    rows("refresh grants of two workers against two processes of oauth2-server", ratio(refreshes, TWO, OAUTH2),
         unit=" ×")
    for name in (OIDC, OAUTH2):
        rows(f"code exchange against {name}", ratio(exchanges, "svc", name), unit=" ×")
    rows("bearer checks against oauth2-server", ratio(bearers, "svc", OAUTH2), at_least(2), " ×")


def logins(bench):
    """Refresh grants while the login pool is saturated, and while it is not."""
    front = bench.service
    load = Load("svc", front.url, bench.requests.posts("svc-refresh", "/oauth/token", bench.refresh_bodies),
                connections=4, pause=4)
    quiet, busy, rates = [], [], []
    for turn in range(bench.settings.rounds):
        bench.progress.say(f"refresh grants beside logins: round {turn + 1} of {bench.settings.rounds}")
        quiet.append(load.measure(bench.settings.seconds))
        began = time.monotonic()
        with grants.Logins(front.port) as people:
            busy.append(load.measure(bench.settings.seconds))
        rates.append(people.count / (time.monotonic() - began))
    beside = {"without logins": quiet, "with logins": busy}
    bench.results.figures("logins", beside=beside, logins=statistics.median(rates))
    rows = functools.partial(bench.results.row, "logins")
    rows("p99 of refresh grants with the login pool saturated, against without",
         ratio({"a": busy, "b": quiet}, "a", "b", "p99"), at_most(1.5), " ×")
    rows("logins a second meanwhile", statistics.median(rates), at_least(40))


def library(bench):
    """Logins, one after the other, with and without readers of a library."""
    front, rows = bench.service, functools.partial(bench.results.row, "library")
    bench.hot_ids  # noqa: B018: they make the account
    front.svcctl("import", grants.catalog(bench.directory, libraries=(grants.LIBRARY,)))
    alone, beside, rates = [], [], []
    for turn in range(bench.settings.rounds):
        bench.progress.say(f"logins beside a library: round {turn + 1} of {bench.settings.rounds}")
        alone += grants.login_times(front.port, bench.settings.seconds)
        began = time.monotonic()
        with grants.Readers(front.port, grants.LIBRARY) as readers:
            beside += grants.login_times(front.port, bench.settings.seconds)
        rates.append(readers.count / (time.monotonic() - began))
    bench.results.figures("library", alone=alone, beside=beside, pages=statistics.median(rates))
    for name, part in (("p50", 0.5), ("p99", 0.99)):
        rows(f"{name} of a login beside {grants.READERS} readers of a library of a thousand media, against without",
             sorted(beside)[int(len(beside) * part)] / sorted(alone)[int(len(alone) * part)], unit=" ×")
    rows("pages of the library a second meanwhile", statistics.median(rates))


# ---- another commit ----------------------------------------------------------------------------------


def _grant_parts(front):
    return {**front.parts, "workers": front.pids("grant")}


def against(bench):
    """The service of another checkout, built there, in turns with this checkout: the effect of a change."""
    settings, rows = bench.settings, functools.partial(bench.results.row, "against")
    bench.progress.say("against: the other service starts")
    other = service.Service(bench.started, bench.directory / "other", settings.workers, top=settings.against)
    other.svcctl("import", bench.imported(requests.HOT * 5 // 4)[0])
    pairs = []  # the load, its file, the target of this checkout and of the other, the tool
    hot_file = bench.requests.hot(bench.hot_ids)
    for (name, mine), theirs in zip(bench.modes().items(), modes_of(other).values()):
        pairs.append((name.removeprefix("svc, "), hot_file, hot_file, mine, theirs))
    numbers = range(grants.APPLICATIONS)
    people = []
    codes_a_round = 100
    needed = grants.OfTheFrontDoor.people_for(grants.APPLICATIONS + codes_a_round * settings.rounds)
    for front in (bench.service, other):
        front.svcctl("import", grants.catalog(bench.directory, needed))
        people.append(grants.OfTheFrontDoor(front))
    # An access token of a grant that is refreshed all the time is soon replaced, so each has its own half.
    half = grants.APPLICATIONS // 2
    refresh = [person.tokens(numbers[:half])[1] for person in people]
    access = [person.tokens(numbers[half:])[0] for person in people]
    make = bench.requests
    pairs.append(("refresh grants", *(make.posts(f"against-refresh-{side}", "/oauth/token", refresh[side])
                                      for side in (0, 1)), bench.service, other))
    pairs.append(("bearer checks", *(make.bearer(service.HOT_MEDIA, access[side], f"against-bearer-{side}")
                                     for side in (0, 1)), bench.service, other))
    figures = {}
    for what, my_file, their_file, mine, theirs in pairs:
        parts = [front.parts if my_file == hot_file else _grant_parts(front) for front in (mine, theirs)]
        found = bench.rounds(f"against: {what}",
                             [Load("this", mine.url, my_file, parts=parts[0]),
                              Load("other", theirs.url, their_file, parts=parts[1])],
                             lead=settings.lead if my_file == hot_file else 0)
        figures[what] = found
        rows(what, ratio(found, "this", "other"), unit=" ×")
        # Depends less on other work of the machine. A hundred exchanges are too few for the clock.
        rows(f"{what}, by processor time", statistics.median(
            sum(b["cpu"].values()) / sum(a["cpu"].values()) for a, b in zip(found["this"], found["other"])), unit=" ×")

    found = {"this": [], "other": []}
    for turn in range(settings.rounds):
        bench.progress.say(f"against: code exchange, round {turn + 1} of {settings.rounds}")
        for name, front, person in (("this", bench.service, people[0]), ("other", other, people[1])):
            bodies = [person.code_body(number % grants.APPLICATIONS) for number in range(codes_a_round)]
            found[name].append(Load(name, front.url, make.posts(f"against-codes-{name}", "/oauth/token", bodies),
                                    refusals="few", once=True).measure(60))
    figures["code exchange"] = found
    rows("code exchange", ratio(found, "this", "other"), unit=" ×")
    bench.results.figures("against", rounds=figures)


# ---- changes -----------------------------------------------------------------------------------------


def changes(bench):
    """From the moment that Redis has a changed media to the last worker's first new answer."""
    settings, front = bench.settings, bench.service
    times = 10 if settings.quick else 40
    redis, key = Client(front.redis_state), f"catalog:media:{service.HOT_MEDIA}"
    record = next(json.loads(line) for line in service.DEMO.read_text().split("\n")
                  if f'"id": "{service.HOT_MEDIA}"' in line and '"kind": "media"' in line)
    query = requests.oembed(service.HOT_MEDIA).partition("?")[2]
    file = bench.directory / "change.jsonl"

    def change(name):
        """When the store had it."""
        file.write_text(json.dumps({**record, "name": name}) + "\n")
        importing = processes.start([service.BUILD / "svcctl", "--config", front.directory / "svc.conf", "import",
                                     file],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        processes.wait_until(lambda: _has(redis, key, name) or importing.poll(), "the change is stored", pause=0)
        if not _has(redis, key, name):
            raise processes.Failed("svcctl import did not store the change")
        return time.monotonic(), importing

    waits = []
    with processes.Processes() as started, contextlib.ExitStack() as stack, front.started_by(started):
        links = [stack.enter_context(fastcgi_client.Connection(front.socket(front.pool(f"change-{count}", 1))))
                 for count in range(settings.workers)]
        for turn in range(times):
            bench.progress.say(f"changes: {turn + 1} of {times}, each worker asked directly")
            for link in links * 3:  # so that each has it in its memory
                link.request("/oembed", query)
            name = f"Take {turn} of workers"
            began, importing = change(name)
            waiting = list(links)
            while waiting:
                for link in list(waiting):
                    if name.encode() in link.request("/oembed", query).body:
                        waits.append((time.monotonic() - began) * 1000)
                        waiting.remove(link)
                if time.monotonic() - began > 30:
                    raise processes.Failed("a worker gives the old answer for half a minute")
            importing.wait()
    waits.sort()
    p99 = waits[min(len(waits) - 1, int(len(waits) * 0.99))]
    bench.results.row("changes", "a media changed: old answer gone from every worker, p99", p99, at_most(50), " ms")

    through, what = [], "with the micro-cache, the latest"
    if front.has_micro_cache():
        for turn in range(2 if settings.quick else 8):
            bench.progress.say(f"changes: {turn + 1}, through the micro-cache")
            for _ in range(50):  # until nginx keeps it
                front.get(requests.oembed(service.HOT_MEDIA))
            name = f"Take {turn} of nginx"
            began, importing = change(name)
            last_old = began
            # The measurement ends half a second after the last old response.
            while time.monotonic() - last_old < 0.5 or last_old == began and time.monotonic() - began < 3:
                if name.encode() not in front.get(requests.oembed(service.HOT_MEDIA)):
                    last_old = time.monotonic()
                if last_old - began > 30:
                    raise processes.Failed("nginx gives the old answer for half a minute")
                time.sleep(0.005)
            importing.wait()
            through.append((last_old - began) * 1000)
        bench.results.row("changes", what, max(through), at_most(2000), " ms")
    else:
        bench.results.row("changes", what, None, at_most(2000), " ms", NO_MICRO_CACHE)
    bench.results.figures("changes", workers_ms=waits, micro_cache_ms=through)


def _has(redis, key, name):
    return f'"{name}"' in (redis.command("GET", key) or "")


# ---- single parts ------------------------------------------------------------------------------------


def functions(bench):
    """Nanoseconds of processor time a call, medians of repeated runs."""
    bench.progress.say("functions, by Google Benchmark")
    out = processes.run([service.BUILD / "bench" / "svc-bench", "--benchmark_format=json",
                         f"--benchmark_min_time={0.005 if bench.settings.quick else 0.05}", "--benchmark_repetitions=5",
                         "--benchmark_report_aggregates_only=true"]).stdout
    runs = json.loads(out)["benchmarks"]
    ns = {run["run_name"]: run["cpu_time"] for run in runs if run["aggregate_name"] == "median"}
    bench.results.figures("functions", ns=ns)

    def slowest(*prefixes):
        return max(value for name, value in ns.items() if name.startswith(prefixes)) / 1000
    rows = functools.partial(bench.results.row, "functions", unit=" µs")
    rows("rendering one answer, the slowest kind", slowest("BM_Renders"), at_most(3))
    rows("recognising one URL", slowest("BM_Recognises", "BM_Refuses"), at_most(1))
    rows("building a manifest of a loaded media", slowest("BM_BuildsAManifest"), at_most(3))


def pool(bench):
    """An idle pool, and the system calls of a request."""
    bench.progress.say("a pool at rest")
    rows, stack = functools.partial(bench.results.row, "pool"), stacks.Stack()
    try:
        stack.import_catalog()
        resting = stack.start_pool("rest", workers=bench.settings.workers)
        ready = json.loads(next(line for line in resting.log_text().splitlines() if '"pool.ready"' in line))
        rest = max(service.private_mib(pid) for pid in stacks.children_of(resting.pid))
        calls = system_calls.per_request(stack.start_pool("single", workers=1), "/oembed",
                                         requests.oembed(service.HOT_MEDIA).partition("?")[2])
    finally:
        stack.stop()
    bench.results.figures("pool", ready_ms=ready["ms"], rest_mib=rest, system_calls=calls)
    # A tick of the clock may add a wait between two requests.
    rows("system calls for FastCGI a request", sum(calls.values()), at_most(4.05))
    rows("private memory of a worker at rest", rest, at_most(1), " MiB")
    rows("pool ready after", ready["ms"], at_most(100), " ms")


# ---- all of them -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Group:
    name: str
    title: str
    run: object
    loads: int        # rounds times loads, to estimate the duration
    more: float = 0   # seconds in addition
    more_quick: float = 0

    def guess(self, settings):
        beside = self.more_quick if settings.quick else self.more
        return self.loads * (settings.rounds * (settings.seconds + 0.1)
                             + min(1, max(0.2, settings.seconds / 2))) + beside


# In the order of the table and the report.
GROUPS = {group.name: group for group in (
    Group("hot", "The hot set", hot, 10, 160, 5),
    Group("latency", "Latency at a fixed rate", latency, 8, 3, 1),
    Group("workers", "Workers", workers, 3, 2, 1),
    Group("catalog", "Catalog size", catalog, 8, 75, 12),
    Group("lists", "Lists of media", list_groups.lists, 8, 75, 12),
    Group("scenarios", "Other scenarios", scenarios, 4, 2, 1),
    Group("storm", "Random ids beside the hot set", storm, 4, 5, 3),
    Group("changes", "A media changes", changes, 0, 25, 8),
    Group("oauth", "Grants and tokens", oauth, 6, 40, 12),
    Group("logins", "Grants beside logins", logins, 2, 3, 2),
    Group("library", "Logins beside a library", library, 2, 5, 4),
    Group("shares", "Others beside one account", share_groups.shares, 2, 3, 2),
    Group("viewing", "What players tell", viewing_groups.viewing, 6, 5, 3),
    Group("uploads", "Other answers beside a conversion", upload_groups.uploads, 8, 40, 30),
    Group("closing", "A film becomes private", upload_groups.closing, 0, 20, 15),
    Group("distance", "A store that is far away, stopped, or asked too much", store_groups.distance, 19, 25, 10),
    Group("topologies", "A Cluster of three primaries against one Redis", topology_groups.topologies, 12, 15, 10),
    Group("overload", "Several times the capacity, in an open loop", overload.overload, 8, 25, 12),
    Group("memory", "Memory of requests in flight", store_groups.memory, 0, 6, 6),
    Group("against", "Against another commit", against, 12, 30, 10),
    Group("functions", "Functions", functions, 0, 30, 10),
    Group("pool", "A pool at rest", pool, 0, 5, 5),
)}


def in_order_of_running(groups):
    """The groups with a million media in Redis run last, so that they do not affect the others."""
    return sorted(groups, key=lambda group: group.name in ("catalog", "lists"))
