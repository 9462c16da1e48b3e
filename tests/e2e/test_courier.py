"""svc-courier (oauth-M2): documents that it fetches and refuses, from a server of the test on loopback, and its
refusals without the permission to connect to loopback."""

import gzip
import hashlib
import http.server
import itertools
import re
import socket
import threading
import time
import urllib.parse
from pathlib import Path

import pytest

import stack as stacks
from client_document_host import REDIRECTS, Host, certificates
from name_server import NameServer
from network import Network
from processes import PATIENCE, run, wait_until
from user_agent import Browser, Page


class Desk:
    """Asks a courier as a worker does."""

    def __init__(self, stack):
        self.stack = stack
        self.state = stack.redis_state

    def ask(self, url):
        """Returns (the seconds for which the document is fresh, None) or (0, why it is refused), and how long it took."""
        key = f"courier:document:{hashlib.sha256(url.encode()).hexdigest()}"
        self.state.command("DEL", key)
        began = time.monotonic()
        self.state.command("RPUSH", "courier:queue:{courier}", f"{int(time.time())} {url}")
        text = wait_until(lambda: self.state.command("GET", key), f"an answer about {url}")
        took = time.monotonic() - began
        head, _, rest = text.partition("\n")
        _, until, kind = head.split()
        return (max(0, round(int(until) - time.time())), None if kind == "document" else rest, took)

    def events(self):
        """The audit trail: [(what, URL, detail)]."""
        found = []
        for _, fields in self.state.command("XRANGE", "audit:metadata", "-", "+"):
            fields = dict(zip(fields[::2], fields[1::2])) if isinstance(fields, list) else fields
            found.append((fields["what"], fields["client"], fields.get("detail", "")))
        return found


@pytest.fixture(scope="module", name="folder")
def folder_with_certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("courier")
    certificates(folder, "IP:127.0.0.1")
    return folder


@pytest.fixture(name="host", scope="module")
def running_host(folder):
    host = Host(folder)
    yield host
    host.shutdown()


@pytest.fixture(name="desk", scope="module")
def courier_that_may_ask_loopback(module_stack, folder):
    stack = module_stack
    stack.start_redis()
    stack.write_config(client_id_hosts="*", courier_ca_file=folder / "ca.pem", courier_allow_loopback="on",
                       app_url="http://127.0.0.1:8080", base_url="http://127.0.0.1:8080")
    stack.courier = stack.start_courier()
    return Desk(stack)


def test_oauth_M2_a_document_is_fetched_with_a_plain_request_and_audited(desk, host):
    url = host.has("/a?v=1", host.document("/a?v=1"), Cache_Control="public, max-age=300",
                   Content_Type="application/vnd.client+json; charset=utf-8")
    fresh, refused, _ = desk.ask(url)
    assert refused is None and 290 <= fresh <= 300
    path, headers = host.asked[-1]
    assert path == "/a?v=1"
    assert headers == {"Host": host.name, "Accept": "application/json", "Accept-Encoding": "identity",
                       "User-Agent": "svc-courier", "Connection": "close"}
    wait_until(lambda: ("client_metadata.fetched", url, "") in desk.events(), "the event")
    assert desk.stack.redis_state.command("ZCARD", "courier:documents") == 1


@pytest.mark.parametrize("name, page, why", [
    ("a redirect", {"status": 302, "Location": "https://169.254.169.254/latest/meta-data"}, "redirect, which is not followed"),
    ("a missing page", {"status": 404}, "status 404"),
    ("no content", {"body": b"", "status": 204}, "status 204"),
    ("HTML", {"Content_Type": "text/html"}, "not application/json"),
    ("no type", {"Content_Type": None}, "not application/json"),
    ("compressed", {"body": gzip.compress(b"x" * 5000), "Content_Encoding": "gzip"}, "compressed"),
    ("5 121 bytes", {"body": b" " * 5121}, "larger than 5120 bytes"),
    ("1 GB by its length", {"body": b"{}", "Content_Length": str(1 << 30)}, "larger than 5120 bytes"),
    ("cut off", {"body": b"{}", "Content_Length": "3"}, "ended before the response"),
    ("not JSON", {"body": b"x"}, "not a JSON object"),
    ("of another client", {"body": b'{"client_id":"https://other.example/x"}'}, "client_id differs"),
])
def test_oauth_M2_an_invalid_document_is_refused(desk, host, name, page, why):
    url = host.has("/" + name.replace(" ", "-"), **page)
    fresh, refused, took = desk.ask(url)
    assert fresh == 0 and why in refused, refused
    assert took < PATIENCE
    wait_until(lambda: ("client_metadata.refused", url, refused) in desk.events(), "the event")
    assert not any(path.startswith("/latest") for path, _ in host.asked)


def test_oauth_M2_an_endless_body_ends_at_the_limit(desk, host):
    sent = []

    def endless(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        while True:
            handler.wfile.write(b" " * 65536)
            sent.append(65536)
    host.pages["/endless"] = endless
    _, refused, _ = desk.ask(host.url("/endless"))
    assert "larger than 5120 bytes" in refused
    assert sum(sent) < 64 << 20  # the buffers of the sockets, not a gigabyte


def test_oauth_M2_a_slow_document_ends_after_five_seconds_and_delays_no_other(desk, host):
    left = threading.Event()

    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        while not left.wait(0.2):
            handler.wfile.write(b" ")
    host.pages["/slow"] = drip
    outcome = []
    slow = threading.Thread(target=lambda: outcome.append(Desk(desk.stack).ask(host.url("/slow"))))
    slow.start()
    wait_until(lambda: any(path == "/slow" for path, _ in host.asked), "it is being fetched")
    _, refused, _ = desk.ask(host.has("/quick"))
    assert refused is None and not outcome
    slow.join(PATIENCE)
    left.set()
    _, refused, took = outcome[0]
    assert "within 5 s" in refused and took >= 4.9


def test_oauth_M2_the_certificate_must_name_the_host(desk, host, tmp_path):
    certificates(tmp_path, "DNS:other.example")
    other = Host(tmp_path)
    _, refused, _ = desk.ask(other.has("/x"))
    assert "certificate verify failed" in refused and not other.asked
    other.shutdown()
    assert desk.ask(host.has("/fine"))[1] is None


def test_oauth_M2_a_connection_that_is_refused_or_not_tls_is_a_refusal(desk):
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as plain:
        threading.Thread(target=plain.serve_forever, daemon=True).start()
        _, refused, _ = desk.ask(f"https://127.0.0.1:{plain.server_port}/x")
        assert refused.startswith("TLS: "), refused
        plain.shutdown()
        port = plain.server_port
    assert "cannot be reached" in desk.ask(f"https://127.0.0.1:{port}/x")[1]


def test_oauth_M2_only_hosts_that_are_themselves_on_loopback_may_be(desk):
    """A name that leads to loopback is refused even here."""
    for name in ("localhost.localdomain", "ip6-localhost", "10.0.0.1", "169.254.169.254"):
        _, refused, _ = desk.ask(f"https://{name}/x")
        assert refused and "cannot be reached" not in refused, (name, refused)


def test_oauth_M2_a_reload_takes_the_new_hosts(desk, host):
    url = host.has("/reloaded")
    assert desk.ask(url)[1] is None
    text = desk.stack.config.read_text()
    desk.stack.config.write_text(text.replace("client-id-hosts = *", "client-id-hosts = other.example"))
    desk.stack.courier.send_signal(1)
    desk.stack.courier.wait_for("courier.reloaded")
    assert "does not allow" in desk.ask(url)[1]
    desk.stack.config.write_text(text.replace("client-id-hosts = *", "client-id-hosts = a/b"))
    desk.stack.courier.send_signal(1)
    desk.stack.courier.wait_for("courier.reload_refused")
    assert "does not allow" in desk.ask(url)[1]
    desk.stack.config.write_text(text)
    desk.stack.courier.send_signal(1)
    desk.stack.courier.wait_for("courier.reloaded", 2)
    assert desk.ask(url)[1] is None


def test_oauth_M2_idle_its_own_memory_is_at_most_6_MiB(desk):
    """Counts the pages that it has written to, and its program file. Pages of libraries are shared with other programs and do
    not count; the libraries of a pool's endpoints are not loaded."""
    if stacks.is_sanitized("svc-courier"):
        return  # most of its memory is the sanitizer's
    program = stacks.program("svc-courier")
    maps = re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", Path(f"/proc/{desk.stack.courier.pid}/smaps").read_text())
    own = 0
    for each in maps[1:]:
        measure = "Rss" if each.partition("\n")[0].endswith(str(program)) else "Private_Dirty"
        own += int(re.search(rf"(?m)^{measure}:\s+(\d+) kB", each)[1])
    assert own <= 6 * 1024, f"{own} kB"
    loaded = " ".join(each.partition("\n")[0] for each in maps)
    assert "libcrypto" in loaded and not re.search("libfcgi|libicu", loaded)


def test_oauth_M2_a_user_waits_at_most_six_seconds_for_a_document(stack, folder, host):
    """With the pool, the courier and nginx as shipped."""
    stack.import_catalog()
    stack.write_config(client_id_hosts="127.0.0.1", courier_ca_file=folder / "ca.pem", courier_allow_loopback="on",
                       base_url="http://127.0.0.1")
    stack.start_pool("web", roles="web")
    browser = Browser(stack.start_shipped_nginx(shipped_timeouts=True))
    url = host.has("/app", host.document("/app", client_name="Player"))
    query = urllib.parse.urlencode({"response_type": "code", "client_id": url, "redirect_uri": REDIRECTS[0],
                                    "code_challenge": "a" * 43, "code_challenge_method": "S256"})
    login = browser.page(f"/oauth/authorize?{query}")
    began = time.monotonic()
    late = browser.log_in(login, "olivia@acme.example")
    assert (late.status, late.headers["retry-after"]) == (503, "6")
    assert b"cannot be checked now" in late.body and time.monotonic() - began >= 6
    assert not any(path == "/app" for path, _ in host.asked)
    stack.start_courier()

    def asked():
        """The first job is late: the courier leaves it."""
        answer = browser.request(f"/oauth/authorize?{query}")
        return answer if answer.status == 200 else None
    consent = wait_until(asked, "the consent page")
    assert f"<strong><bdi>{host.name}</bdi></strong>".encode() in consent.body
    sent = browser.answer(Page(consent), "allow")
    assert sent.status == 303 and sent.headers["location"].startswith(f"{REDIRECTS[0]}?code=")


def test_oauth_M2_as_shipped_no_address_of_loopback_is_connected_to(stack, folder, host):
    """Also if a name that was fine before leads there now: it is resolved once, and that address is checked."""
    stack.start_redis()
    stack.write_config(client_id_hosts="*", courier_ca_file=folder / "ca.pem")
    stack.start_courier()
    desk = Desk(stack)
    before = len(host.asked)
    assert "must have the name of a host" in desk.ask(host.has("/x"))[1]
    assert desk.ask("https://localhost/x")[1] == "the server has an address that is not public"
    assert len(host.asked) == before




def test_oauth_M2_a_name_that_leads_to_a_private_address_the_second_time_is_refused(stack, tmp_path):
    """DNS rebinding, in a network of the test: both addresses have the same server, and listen on port 443."""
    name, public, private = "rebind.svc-clients.net", "93.184.216.34", "10.97.0.5"
    certificates(tmp_path, f"DNS:{name}")
    network = Network()
    namespace = network.namespace()
    network.join(namespace, public)
    with namespace.entered():
        run(["ip", "addr", "add", f"{private}/24", "dev", "lo"], timeout=PATIENCE)
        hosts = [Host(tmp_path, (address, 443), name) for address in (public, private)]
        # Each later lookup returns the private address.
        names = NameServer(tmp_path, itertools.chain([public], itertools.repeat(private)))
    connected = []
    accept = hosts[1].get_request
    hosts[1].get_request = lambda: (connected.append(1), accept())[1]
    try:
        stack.start_redis()
        stack.write_config(client_id_hosts="*", courier_ca_file=tmp_path / "ca.pem")
        courier = stack.start_courier(wrapper=["nsenter", f"--net={namespace.path}", *names.inside()])
        desk = Desk(stack)
        for host in hosts:
            url = host.has("/app")
        fresh, refused, _ = desk.ask(url)
        assert (fresh, refused) == (0, None) and len(hosts[0].asked) == 1
        asked = names.asked
        for _ in range(3):
            assert desk.ask(url)[:2] == (0, "the server has an address that is not public")
        assert names.asked > asked and len(hosts[0].asked) == 1
        assert not connected and not hosts[1].asked
        courier.stop()
        with namespace.entered(), socket.create_connection((private, 443), PATIENCE):
            wait_until(lambda: connected, "the test can connect to it")
    finally:
        with namespace.entered():
            names.close()
        for host in hosts:
            host.shutdown()
        network.end()
