"""bounded_load: clients that use the service as applications do, and a ledger of the changes that the service acknowledged.

A client is a thread that sends one request at a time through nginx, in cycles: oEmbed requests, a code exchange, bearer
requests, a refresh, a revocation, and uses of revoked tokens. It knows the right response to each of them. A grant
belongs to one client, so that no other request changes it in between.

A response without certainty (503, none at all) to an exchange or a revocation leaves the grant unclear. audit() asks
for all grants again once the fault is over.
"""

import collections
import contextlib
import http.client
import itertools
import json
import os
import threading
import time
import urllib.parse

from hosts import host_of
from oauth_store import FORM, exchange_fields, refresh_fields, token_fields
from processes import PATIENCE, wait_until

LONG = bool(os.environ.get("SVC_LONG"))
CLIENTS = 4
# s between two requests of a client: the load is bounded, so that the fault and not the load is measured. The short form
# waits most of its time for a replica to take over.
PAUSE = 0.005 if LONG else 0.02
# Media of the demonstration catalog, 1920 × 1080.
MEDIA, TITLE = "l4unchf1lm", "Launch film"
HOT_WIDTHS = (320, 640, 960, 1280)
KEEP_SPENT_CODE = 540  # s; the service keeps it for 600 s
SPARED = 2  # grants per client that are revoked only during a fault
ACCESS_TOKENS = 50  # per grant at most; the service revokes the oldest beyond its own limit of 100

RIGHT, AWAY, GATEWAY, CUT, WRONG = KINDS = ("right", "503", "502/504", "no response", "wrong")
LOADS = ("memory", "store", "unknown", "exchange", "refresh", "bearer", "revoke", "revoked")


def pause(seconds):
    """Lets time pass that belongs to a load or a fault; nothing is measured by it."""
    time.sleep(seconds)


def oembed_target(width, media=MEDIA):
    url = urllib.parse.quote(f"https://acme.svc.localhost/medias/{media}", safe="")
    return f"/oembed?url={url}&maxwidth={width}"


class Grant:
    """A grant, with the service's acknowledgements. `state`: code, live, revoked; or unclear if the response to
    an exchange or a revocation was lost."""

    def __init__(self, code):
        self.code, self.state, self.access, self.refresh = code, "code", [], None
        self.began = time.monotonic()  # when the exchange began

    def learn(self, tokens):
        self.state = "live"
        self.access.append(tokens["access_token"])
        self.refresh = tokens["refresh_token"]


class Connection:
    """A keep-alive connection to nginx."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def send(self, target, fields=None, token=None):
        """Returns the status, the headers and the body. Throws OSError or HTTPException if no response came."""
        headers = {"Host": host_of(target)}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if fields is not None:
            headers |= FORM
        try:
            self.connection.request("POST" if fields is not None else "GET", target, fields, headers)
            answer = self.connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            raise

    def close(self):
        self.connection.close()


def has_retry_after(headers):
    return headers.get("Retry-After", "").isdigit() and int(headers["Retry-After"]) >= 1


class Client:
    """One client: its connection, its grants, and the counts of its responses by (phase, load, kind)."""

    def __init__(self, load, number):
        self.load = load
        self.connection = Connection(load.port)
        # Every second grant stays, so that there is enough to lose; the others are revoked.
        self.stays, self.leaves, self.revoked = [], collections.deque(), collections.deque(maxlen=20)
        self.learned = 0  # grants so far
        # Each is used once, so that no worker has the response. All are below the media's own width.
        self.widths = itertools.cycle(range(321 + number, 1920, CLIENTS))
        self.counts = collections.Counter()
        self.cycles = 0  # complete ones
        self.right_cycle = -1  # the number of the last cycle with right responses only
        self.thread = threading.Thread(target=self.run, daemon=True)

    # --- one request ---

    def ask(self, load, target, right, **how):
        """Sends one request, counts the response, and returns its kind and body. `right` is a function of the status and
        the body."""
        phase = self.load.phase
        try:
            status, headers, body = self.connection.send(target, **how)
        except (OSError, http.client.HTTPException) as error:
            return self.count(phase, load, CUT, repr(error)), b""
        what = f"{status} {body[:200].decode(errors='replace')}"
        if status in (502, 503, 504):
            kind = (AWAY if status == 503 else GATEWAY) if has_retry_after(headers) else WRONG
            return self.count(phase, load, kind, what), b""
        try:
            fits = right(status, body)
        except (ValueError, KeyError):
            fits = False
        return self.count(phase, load, RIGHT if fits else WRONG, what), body

    def count(self, phase, load, kind, what):
        self.counts[phase, load, kind] += 1
        if kind != RIGHT:
            self.clean = False
            self.load.note(phase, load, kind, what)
        pause(PAUSE)
        return kind

    # --- the loads ---

    def oembed(self, load, width):
        def right(status, body):
            return status == 200 and json.loads(body)["width"] == width and json.loads(body)["title"] == TITLE
        self.ask(load, oembed_target(width), right)

    def unknown(self):
        self.ask("unknown", oembed_target(320, "n0tthere00"), lambda status, _: status == 404)

    def exchange(self):
        code = self.load.codes()
        if code is None:
            return
        grant = Grant(code)
        self.load.grants.append(grant)
        kind, body = self.ask("exchange", "/oauth/token", has_tokens, fields=exchange_fields(code))
        if kind == RIGHT:
            grant.learn(json.loads(body))
            (self.stays if self.learned % 2 == 0 else self.leaves).append(grant)
            self.learned += 1
        else:
            grant.state = "unclear"

    def refresh(self, grant):
        kind, body = self.ask("refresh", "/oauth/token", has_tokens, fields=refresh_fields(grant.refresh))
        if kind == RIGHT and len(grant.access) < ACCESS_TOKENS:
            grant.learn(json.loads(body))

    def bearer(self, token):
        self.ask("bearer", f"/v1/medias/{MEDIA}", is_media, token=token)

    def revoke(self, grant):
        kind, _ = self.ask("revoke", "/oauth/revoke", lambda status, _: status == 200,
                           fields=token_fields(grant.access[-1]))
        if kind == RIGHT:
            grant.state = "revoked"
            self.revoked.append(grant)
        else:
            grant.state = "unclear"

    def use_revoked(self, grant):
        self.ask("revoked", f"/v1/medias/{MEDIA}", is_invalid_token, token=grant.access[-1])
        self.ask("revoked", "/oauth/token", is_invalid_grant, fields=refresh_fields(grant.refresh))

    def cycle(self):
        self.oembed("memory", HOT_WIDTHS[self.cycles % len(HOT_WIDTHS)])
        self.oembed("store", next(self.widths))
        self.unknown()
        self.exchange()
        if self.stays:
            newest, older = self.stays[-1], self.stays[self.cycles % len(self.stays)]
            self.bearer(newest.access[0])
            if len(older.access) < ACCESS_TOKENS:
                self.refresh(older)
            self.bearer(older.access[-1])
        # Some are spared for the fault.
        if len(self.leaves) > SPARED or (self.leaves and not self.clean):
            self.revoke(self.leaves.popleft())
        if self.revoked:
            self.use_revoked(self.revoked[-1])
            self.use_revoked(self.revoked[0])

    def run(self):
        while not self.load.over.is_set():
            self.clean = True
            self.cycle()
            if self.clean:
                self.right_cycle = self.cycles
            self.cycles += 1
        self.connection.close()


def has_tokens(status, body):
    return status == 200 and bool(json.loads(body)["access_token"]) and bool(json.loads(body)["refresh_token"])


def is_media(status, body):
    return status == 200 and json.loads(body)["hashed_id"] == MEDIA


def is_invalid_token(status, _):
    return status == 401


def is_invalid_grant(status, body):
    return status == 400 and json.loads(body)["error"] == "invalid_grant"


class Load:
    """All clients. `phase` is before, during or after the fault."""

    def __init__(self, port, codes):
        self.port, self.phase, self.over = port, "before", threading.Event()
        self.supply, self.lock = collections.deque(codes), threading.Lock()
        self.grants, self.notes = [], []
        self.clients = [Client(self, number) for number in range(CLIENTS)]

    def codes(self):
        """Returns an unused code, or None after the last code."""
        with contextlib.suppress(IndexError):
            return self.supply.popleft()
        return None

    def note(self, phase, load, kind, what):
        with self.lock:
            self.notes.append((phase, load, kind, what))

    def __enter__(self):
        for client in self.clients:
            client.thread.start()
        return self

    def __exit__(self, *_):
        self.finish()

    def finish(self):
        """Ends the clients after their current cycle."""
        self.over.set()
        for client in self.clients:
            client.thread.join(2 * PATIENCE)

    def run_cycles(self, count, meanwhile=lambda: None):
        """Waits until every client has run `count` further cycles, and calls `meanwhile` 50 times per second."""
        enough = [client.cycles + count for client in self.clients]

        def done():
            meanwhile()
            return all(client.cycles >= goal for client, goal in zip(self.clients, enough))
        wait_until(done, f"every client sends {count} times all its requests: {self.notes[-5:]}", patience=4 * PATIENCE,
                   pause=0.02)

    def wait_until_right(self):
        """Waits until every client has run one more cycle with right responses only. Returns the seconds."""
        began = time.monotonic()
        after = [client.cycles for client in self.clients]  # the current cycle may have begun earlier

        def all_right():
            assert self.noted(WRONG) == []
            return all(client.right_cycle > number for client, number in zip(self.clients, after))
        wait_until(all_right, f"all responses are right again: {self.notes[-5:]}", patience=2 * PATIENCE)
        return time.monotonic() - began

    def counts(self, phase):
        """Returns the counts by (load, kind)."""
        total = collections.Counter()
        for client in self.clients:
            for (when, load, kind), count in list(client.counts.items()):
                if when == phase:
                    total[load, kind] += count
        return total

    def noted(self, *kinds):
        """Returns the responses of these kinds, in any phase."""
        return [note for note in self.notes if note[2] in kinds]


class Audit:
    """Checks which acknowledged grants, tokens and revocations remain. Repeats a request while the response is an
    outage, so the store must be available."""

    def __init__(self, load, codes):
        self.connection = Connection(load.port)
        self.codes = codes
        self.acknowledged, self.lost = collections.Counter(), collections.Counter()
        self.unclear, self.repeated = 0, False
        for grant in load.grants:
            {"live": self.check_live, "revoked": self.check_revoked, "unclear": self.check_unclear}[grant.state](grant)
        self.connection.close()

    def certain(self, target, **how):
        """Returns the first response other than an outage. `repeated` tells if an outage came before."""
        self.repeated = False

        def answer():
            with contextlib.suppress(OSError, http.client.HTTPException):
                status, _, body = self.connection.send(target, **how)
                if status not in (502, 503, 504):
                    return status, body
            self.repeated = True
            return None
        return wait_until(answer, target)

    def bearer(self, token):
        return self.certain(f"/v1/medias/{MEDIA}", token=token)

    def refresh(self, grant):
        return self.certain("/oauth/token", fields=refresh_fields(grant.refresh))

    def expect(self, what, holds):
        self.acknowledged[what] += 1
        self.lost[what] += not holds

    def check_live(self, grant):
        for token in grant.access:
            self.expect("token", is_media(*self.bearer(token)))
        self.expect("token", has_tokens(*self.refresh(grant)))

    def check_revoked(self, grant):
        for token in grant.access:
            self.expect("revocation", is_invalid_token(*self.bearer(token)))
        self.expect("revocation", is_invalid_grant(*self.refresh(grant)))

    def check_unclear(self, grant):
        """Checks that an unspent code is still valid and that a repeated revocation holds. The store deletes a spent code
        when it expires, so an older code proves nothing."""
        self.unclear += 1
        if grant.access:
            assert self.certain("/oauth/revoke", fields=token_fields(grant.access[-1]))[0] == 200
            self.check_revoked(grant)
        elif time.monotonic() - grant.began < KEEP_SPENT_CODE and not self.codes.spent(grant.code):
            good = has_tokens(*self.certain("/oauth/token", fields=exchange_fields(grant.code)))
            # A request without a certain response may have spent it.
            if good or not self.repeated:
                self.expect("code", good)
