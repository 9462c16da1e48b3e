"""Logins while an attacker guesses from a hundred addresses (oauth-L4).

Requests go to the pool without nginx, because each needs an address of its own. The time of a login depends on the
machine and its load, so a login is measured by the number of guesses that were checked while it waited.
"""

import itertools
import re
import threading
import time
import urllib.parse

import pytest

from processes import PATIENCE, wait_until

FORM = "application/x-www-form-urlencoded"
OLIVIA = ("olivia@acme.example", "olivia-demo-password")
OTHERS = [("manuel@acme.example", "manuel-demo-password"), ("uma@acme.example", "uma-demo-password"),
          ("clara@closed.example", "clara-demo-password")]
HOME = "203.0.113.10"

ADDRESSES = 100
EVERY = 1.4  # s between two guesses from one address: ten in 14 s
KNOWN = 20  # logins from a known address
UNKNOWN = 10  # logins from an unknown address
OVERTAKING = 12  # most guesses checked while a login from a known address waits; a hundred are queued
SLOWEST = 30  # limit for a first login, as a multiple of the slowest login from a known address
MOST = 240  # s; maximum duration of an attack

ATTACKS = {
    "a network each": [f"10.{number}.7.1" for number in range(ADDRESSES)],
    "one network": [f"198.51.100.{number}" for number in range(ADDRESSES)],
}


class Visitor:
    """A login form and its cookie, for logins from any address. Threads may share it."""

    def __init__(self, pool):
        self.pool = pool
        page = pool.request("/login")
        self.cookie = page.headers["set-cookie"].partition(";")[0]
        self.token = re.search(rb'name="csrf" value="([^"]*)"', page.body)[1].decode()

    def log_in(self, email, password, address):
        """Returns the response, or None if the connection is closed without a response."""
        body = urllib.parse.urlencode({"csrf": self.token, "email": email, "password": password}).encode()
        extra = {"REMOTE_ADDR": address, "HTTP_COOKIE": self.cookie, "CONTENT_TYPE": FORM, "HTTP_ORIGIN": "null"}
        with self.pool.connect(patience=PATIENCE) as connection:
            return connection.request("/login", method="POST", body=body, extra=extra, keep=False)


class Attack:
    """Wrong logins from all these addresses until the with statement ends."""

    def __init__(self, visitor, addresses):
        self.visitor, self.over, self.statuses = visitor, threading.Event(), []
        self.threads = [threading.Thread(target=self._guess, args=(number, address), daemon=True)
                        for number, address in enumerate(addresses)]

    def _guess(self, number, address):
        self.over.wait(EVERY * number / ADDRESSES)
        for guess in itertools.count():
            if self.over.is_set():
                return
            began = time.monotonic()
            email = OLIVIA[0] if number % 2 else f"c{number}.{guess}@acme.example"
            answer = self.visitor.log_in(email, f"guess {guess}", address)
            self.statuses.append(answer.status if answer else 0)
            self.over.wait(max(0, began + EVERY - time.monotonic()))

    def checked(self):
        """Returns the number of guesses whose password was hashed so far."""
        return self.statuses.count(403)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        wait_until(lambda: len(self.statuses) >= ADDRESSES, "each address has made an attempt")
        return self

    def __exit__(self, *unused):
        self.over.set()
        for thread in self.threads:
            thread.join()


def pause(seconds):
    """Persons have a pace, and come back when the service says so."""
    time.sleep(seconds)


def until(ends, count, step):
    """Returns the results of up to `count` steps; no step begins after `ends`."""
    results = []
    while len(results) < count and time.monotonic() < ends:
        results.append(step(len(results)))
    return results


def log_in_from_home(visitor, attack, _):
    """Returns the seconds until Olivia is logged in and the guesses checked in that time; None if she was refused."""
    began, checked = time.monotonic(), attack.checked()
    answer = visitor.log_in(*OLIVIA, HOME)
    took = (time.monotonic() - began, attack.checked() - checked) if answer and answer.status == 303 else None
    pause(0.3)
    return took


def log_in_anywhere(visitor, ends, number):
    """Returns the seconds until a first login succeeds, with retries after Retry-After; None if it does not before
    `ends`."""
    began = time.monotonic()
    while time.monotonic() < ends:
        answer = visitor.log_in(*OTHERS[number % len(OTHERS)], f"192.{number + 1}.2.7")
        if answer.status == 303:
            return time.monotonic() - began
        assert answer.status == 429
        pause(int(answer.headers["retry-after"]))
    return None


def see_a_page(pool, _):
    began = time.monotonic()
    assert pool.request("/login").status == 200
    took = time.monotonic() - began
    pause(0.1)
    return took


def share(results, most):
    return sum(result is not None and result <= most for result in results) / len(results)


def side_by_side(*steps):
    """Runs all functions in parallel, and returns their results."""
    results = [None] * len(steps)

    def run(number, step):
        results[number] = step()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(steps)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert None not in results, "a thread has failed"
    return results


@pytest.mark.parametrize("addresses", ATTACKS.values(), ids=ATTACKS)
def test_users_get_in_while_a_hundred_addresses_guess(stack, addresses):
    """Most logins from a known address overtake the attacker's queue, first logins succeed in time, and pages are
    served."""
    stack.import_catalog()
    pool = stack.start_pool("web", roles="web", workers=4, max_requests=0)
    visitor = Visitor(pool)
    assert visitor.log_in(*OLIVIA, HOME).status == 303
    with Attack(visitor, addresses) as attack:
        ends = time.monotonic() + MOST
        known, unknown, pages = side_by_side(
            lambda: until(ends, KNOWN, lambda number: log_in_from_home(visitor, attack, number)),
            lambda: until(ends, UNKNOWN, lambda number: log_in_anywhere(visitor, ends, number)),
            lambda: until(ends - MOST + 10, 100, lambda number: see_a_page(pool, number)))
    guesses = {status: attack.statuses.count(status) for status in sorted(set(attack.statuses))}
    overtaken = [each and each[1] for each in known]
    slowest = max(each[0] for each in known if each)
    print(f"guesses: {guesses}; known: the slowest {slowest:.2f} s; pages: {len(pages)}, "
          f"the slowest {max(pages):.2f} s\nknown: {known}\nunknown: {unknown}")
    assert len(known) == KNOWN or time.monotonic() > ends
    assert share(overtaken, OVERTAKING) >= 0.95, known
    # A busy machine has time for a few only, so one may always be late.
    late = sum(took is None or took > SLOWEST * slowest for took in unknown)
    assert late <= max(1, len(unknown) // 5), unknown
    assert set(guesses) == {403, 429}, guesses
    assert len(pages) > 20, "and pages are served"
