"""Logins that take a core for a while, and a worker at a time: shared among several workers."""

import concurrent.futures
import contextlib
import os
import re
import threading
import time

from processes import wait_until
from user_agent import Browser

OLIVIA = "olivia@acme.example"


def guess(browser, page, email="a@b.example"):
    """Sends that login form with a wrong password."""
    return browser.request("/login", fields={**page.form("/login")["fields"], "email": email, "password": "guess"})


def test_oauth_L3_one_worker_stays_free_while_the_others_hash_and_further_logins_get_429(stack):
    stack.import_catalog()
    stack.start_pool("web", roles="web", workers=4)
    browser = Browser(stack.start_shipped_nginx())
    page = browser.page("/login")
    with concurrent.futures.ThreadPoolExecutor(24) as many:
        guesses = [many.submit(guess, browser, page, f"c{number}@acme.example") for number in range(24)]
        # Pages are served in the meantime, because one worker does not hash.
        while not all(each.done() for each in guesses):
            browser.page("/login")
    answers = [each.result() for each in guesses]
    assert {answer.status for answer in answers} == {403, 429}
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in answers if answer.status == 429)


def test_oauth_L3_the_hashing_permit_of_a_dead_worker_is_released(stack):
    stack.import_catalog()
    pool = stack.start_pool("web", roles="web", workers=2, deaths_expected=True)
    nginx = stack.start_shipped_nginx()
    browser = Browser(nginx)
    page = browser.page("/login")

    def guess_in_vain():
        with contextlib.suppress(OSError):
            guess(browser, page)

    for _ in range(3):
        before = pool.workers()
        thread = threading.Thread(target=guess_in_vain)
        thread.start()
        time.sleep(0.05)
        for worker in before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, 9)
        thread.join()
        pool.wait_for_workers(2, without=before)

    def logs_in():
        fresh = Browser(nginx)
        fields = {**fresh.page("/login").form("/login")["fields"], "email": OLIVIA, "password": "olivia-demo-password"}
        return fresh.request("/login", fields=fields).status == 303

    # If a permit were lost, every further login would be refused.
    wait_until(logs_in, "a login works again")


def test_pages_load_only_existing_files(stack):
    stack.import_catalog()
    stack.start_pool("web", roles="web")
    browser = Browser(stack.start_shipped_nginx())
    files = set(re.findall(rb'(?:href|src)="(/assets/[^"]*)"', browser.page("/login").answer.body))
    assert files
    for path in files:
        assert browser.request(path.decode()).status == 200, path
    assert len(browser.request("/assets/site.css").body) < 12 * 1024
