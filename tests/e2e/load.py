#!/usr/bin/python3
"""load: sends GET and POST requests to nginx at 127.0.0.1 continuously, and counts every wrong response.

load.py DOMAIN MEDIA

Half of the clients GET an oEmbed response for the media. The others POST a refresh token that they got as an
application does: a user logs in, allows one of the demonstration applications, and the code is exchanged. Each client
has a connection of its own as long as nginx keeps it open. A status other than 200, a wrong body, and a connection that
ends before its response are failures; no request is retried.

It runs with a lower priority, so that tests in parallel continue: their workers check passwords at idle priority. It
ends at the end of its standard input. Prints "ready", then the number of responses whenever it has grown, and at last a
JSON object.
"""

import http.client
import json
import multiprocessing
import multiprocessing.connection
import os
import socket
import sys
import threading
import time
import urllib.parse

from fastcgi_client import Answer
from hosts import host_of
from processes import PATIENCE
from user_agent import Browser, Page

PROCESSES, THREADS = 4, 4
PERSON = "olivia@acme.example"
# Id, secret, redirect URI, scope; one grant per application.
APPLICATIONS = (("demo-client-0001", "demo-secret-0001-not-for-production", "http://127.0.0.1:9090/callback",
                 "media:read"),
                ("demo-client-0003", "demo-secret-0003-not-for-production", "http://127.0.0.1:9090/all", "all:all"))
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Site:
    """The interface of nginx that Browser uses, with all hosts below one domain."""

    def __init__(self, domain):
        self.domain = domain

    def request(self, target, *, method="GET", host=None, headers=(), body=b""):
        del host
        connection = http.client.HTTPConnection("127.0.0.1", 80, timeout=PATIENCE)
        connection.request(method, target, body or None, {"Host": host_of(target, self.domain), **dict(headers)})
        answer = connection.getresponse()
        got = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, got, answer.read())


def refresh_token(domain, application):
    client, secret, redirect, scope = application
    nginx = Site(domain)
    browser = Browser(nginx)
    question = urllib.parse.urlencode({"response_type": "code", "client_id": client, "redirect_uri": redirect,
                                       "scope": scope})
    answer = browser.log_in(browser.page(f"/oauth/authorize?{question}"), PERSON)
    if answer.status == 200:  # consent was not given before
        answer = browser.answer(Page(answer), "allow")
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["location"]).query)["code"][0]
    answer = nginx.request("/oauth/token", method="POST", headers=FORM, body=urllib.parse.urlencode({
        "grant_type": "authorization_code", "client_id": client, "client_secret": secret,
        "redirect_uri": redirect, "code": code}).encode())
    assert answer.status == 200, answer.body
    return json.loads(answer.body)["refresh_token"]


def ask(question, counts, failures, ended):
    domain, method, target, body, expected = question
    headers = {"Host": host_of(target, domain), **(FORM if body else {})}
    connection = http.client.HTTPConnection("127.0.0.1", 80, timeout=PATIENCE)
    mine = 0 if method == "GET" else 1
    while not ended.is_set():
        try:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200 or expected not in text:
                failures.put((method, time.time(), answer.status, text[:200].decode(errors="replace")))
        except (OSError, http.client.HTTPException) as error:
            failures.put((method, time.time(), repr(error), ""))
            connection.close()
        with counts.get_lock():
            counts[mine] += 1


def client(questions, counts, failures, ended):
    os.nice(10)
    threads = [threading.Thread(target=ask, args=(question, counts, failures, ended)) for question in questions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    domain, media = sys.argv[1:]
    ended = multiprocessing.Event()
    questions = [(domain, "GET", f"/oembed?{urllib.parse.urlencode({'url': media})}", None, b'"title":')]
    for application in APPLICATIONS:
        client_id, secret = application[:2]
        body = urllib.parse.urlencode({"grant_type": "refresh_token", "client_id": client_id, "client_secret": secret,
                                       "refresh_token": refresh_token(domain, application)})
        questions.append((domain, "POST", "/oauth/token", body, b'"access_token"'))
    posts = questions[1:]
    counts, failures = multiprocessing.Array("l", 2), multiprocessing.Queue()
    processes = [multiprocessing.Process(target=client, daemon=True, args=(
        [questions[0], posts[i % len(posts)]] * (THREADS // 2), counts, failures, ended))
        for i in range(PROCESSES)]

    def end_with_input():
        sys.stdin.read()
        ended.set()

    print("ready", flush=True)
    began = time.monotonic()
    for process in processes:
        process.start()
    threading.Thread(target=end_with_input, daemon=True).start()
    failed, shown = [], 0
    while any(process.is_alive() for process in processes) or not failures.empty():
        while not failures.empty():
            failed.append(failures.get())
        if sum(counts) > shown:
            shown = sum(counts)
            print(shown, flush=True)
        multiprocessing.connection.wait([process.sentinel for process in processes if process.is_alive()], 0.02)
    seconds = time.monotonic() - began
    print(json.dumps({"get": counts[0], "post": counts[1], "failed": failed, "seconds": round(seconds, 1)}))


if __name__ == "__main__":
    socket.setdefaulttimeout(PATIENCE)
    main()
