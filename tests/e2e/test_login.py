"""Logins whose workers die, and the files of their page."""

import contextlib
import os
import re
import threading

from processes import hashes, wait_until
from user_agent import Browser

OLIVIA = "olivia@acme.example"


def test_the_hashing_permit_of_a_dead_worker_is_released(stack):
    stack.import_catalog()
    pool = stack.start_pool("web", roles="web", workers=2, deaths_expected=True)
    nginx = stack.start_shipped_nginx()
    browser = Browser(nginx)
    page = browser.page("/login")

    def guess_in_vain():
        with contextlib.suppress(OSError):
            browser.request("/login", fields={**page.form("/login")["fields"], "email": "a@b.example", "password": "guess"})

    for _ in range(3):
        before = pool.workers()
        thread = threading.Thread(target=guess_in_vain)
        thread.start()
        wait_until(lambda: hashes(before) or not thread.is_alive(), "a worker hashes")  # pylint: disable=W0640
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
