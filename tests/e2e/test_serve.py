"""scripts/serve: its two Redis have the shipped settings and users (operations-D6, oauth-K8)."""

import contextlib
import html
import json
import os
import re
import shutil
import signal
import subprocess

import pytest

import node_suite
from processes import PATIENCE, free_port, make_directory, start, wait_until
from stack import REPOSITORY, USERS, program

HALF = b"*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET"


@pytest.fixture
def folder():
    path = make_directory("svc-serve-")
    yield path
    shutil.rmtree(path)


@contextlib.contextmanager
def served(folder):
    """Runs scripts/serve. Yields its output up to "ready"; at the end, checks that it exits with 0."""
    command = [REPOSITORY / "scripts" / "serve", "--port", str(free_port()), "--workers", "1", "--dir", folder]
    serve = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = ""
    try:
        for line in serve.stdout:
            said += line
            if line.startswith("ready "):
                break
        else:
            raise AssertionError(said)
        yield said
    finally:
        serve.send_signal(signal.SIGTERM)
        serve.stdout.read()
        assert serve.wait(PATIENCE) == 0


def directives(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def cli(folder, *words):
    """Runs redis-cli as a developer does: without a user."""
    return subprocess.run(["redis-cli", "-s", folder / "redis-state.sock", *words], capture_output=True, text=True,
                          timeout=PATIENCE, check=True).stdout


def fetched(url, host):
    """Returns the page that curl gets for that address; its host is another name of this machine."""
    return subprocess.run(["curl", "-sSf", "--noproxy", "*", "-H", f"Host: {host}", url], capture_output=True,
                          text=True, timeout=PATIENCE, check=True).stdout


def test_the_demonstration_names_its_users_and_leads_to_the_gallery_of_every_embed_code(folder):
    with served(folder) as said:
        url = re.search(r"^ready (\S+)$", said, re.M)[1]
        port = url.rpartition(":")[2]
        start = fetched(url + "/", "127.0.0.1")
        for words in (f'href="http://gallery.localhost:{port}/"', "olivia@acme.example", "olivia-demo-password"):
            assert words in start
        page = fetched(url + "/", f"gallery.localhost:{port}")
        # The codes are markup once and text once.
        for code in ('<iframe src="{}/embed/iframe/', 'svc_async_l4unchf1lm autoPlay=true', 'videoFoam=true',
                     'svc_async_l4unchf1lm popover=true', '<iframe src="{}/embed/playlists/',
                     'svc.playlist("pl4yl1st01"', 'svc_playlist_pl4yl1st01 popover=true'):
            code = code.format(url)
            assert code in page and html.escape(code, quote=False) in page, code
        assert page.count("og:video:url") == 1, "as text only"
        # In browsers: the tests themselves are in tests/browser/serve.
        results = node_suite.results(REPOSITORY / "tests" / "browser", ("serve/gallery.test.js",),
                                     SVC_GALLERY=f"http://gallery.localhost:{port}/")
        assert len(results) == 3 and not any(results.values()), results
        # The configuration that is shipped has neither.
        assert not [file for file in (REPOSITORY / "nginx").glob("*.conf") if "gallery" in file.read_text()]
        assert "demo-" not in (REPOSITORY / "systemd" / "svc.conf").read_text()


def test_operations_D6_oauth_K8_redis_has_the_shipped_settings_and_users_and_a_truncated_file_is_repaired(folder):
    with served(folder) as said:
        assert "cut off" not in said
        users = set(re.findall(r"name=svc-worker:(\w+)\S* .* user=(\w+)", cli(folder, "CLIENT", "LIST")))
        assert users == {(user, user) for user in USERS}
        acl = cli(folder, "ACL", "LIST")
        assert "user embed on" in acl and "user default on nopass" in acl
        done = subprocess.run([program("svcctl"), "--config", folder / "svc.conf", "app", "list", "--json"],
                              capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0 and "demo-client-0001" in done.stdout, done
        # nginx has the secrets of the keys that sign addresses of files.
        printed = subprocess.run([program("svcctl"), "--config", folder / "svc.conf", "keys", "nginx"], capture_output=True,
                                 text=True, timeout=PATIENCE, check=True).stdout
        assert re.search(r"(?m)^=k1 [0-9a-f]{64};$", printed) and (folder / "nginx-file-secrets.conf").read_text() == printed
        assert f"include {folder}/nginx-file-secrets[.]conf;" in (folder / "svc/svc-media-values.conf").read_text()
        for name in ("redis-state", "redis-cache"):
            shipped = directives((REPOSITORY / "systemd" / f"{name}.conf").read_text())
            own = directives((folder / f"{name}.conf").read_text())
            differ = {line.split()[0] for line in set(shipped) ^ set(own)}
            assert differ == {"dir", "unixsocket", "unixsocketperm", *(["maxmemory"] if name == "redis-state" else [])}
        wait_until(lambda: cli(folder, "EXISTS", "ingest:jobs") == "1\n", "svc-ingest has made its stream")
        before = cli(folder, "DBSIZE")
    (file,) = (folder / "redis-state" / "appendonlydir").glob("*.incr.aof")
    with open(file, "ab") as content:
        content.write(HALF)
    with served(folder) as said:
        assert f"{file}: removed the last {len(HALF)} of " in said
        assert cli(folder, "DBSIZE") == before
    assert (folder / "redis-state" / "appendonly.cut").read_bytes() == HALF


def test_operations_P81_svcctl_reload_reaches_every_program_of_the_demonstration(folder):
    def reload():
        return subprocess.run([program("svcctl"), "--config", folder / "svc.conf", "reload"], capture_output=True, text=True,
                              timeout=PATIENCE)

    with served(folder):
        wait_until(lambda: cli(folder, "EXISTS", "ingest:jobs") == "1\n", "svc-ingest has made its stream")
        config = folder / "svc.conf"
        before = config.read_text()
        config.write_text(before + "client-id-hosts = *\n")
        done = reload()
        assert (done.returncode, done.stderr) == (0, ""), done
        assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["embed", "grant", "web", "upload", "courier", "ingest", "keeper"]
        for name, outcome in (("courier", "courier.reloaded"), ("ingest", "reload.done"), ("keeper", "reload.done")):
            log = folder / "log" / f"{name}.log"
            wait_until(lambda log=log, outcome=outcome: f'"{outcome}"' in log.read_text(), f"{name}: {outcome}")
        # svc-ingest works on.
        assert cli(folder, "XINFO", "CONSUMERS", "ingest:jobs", "ingest") != ""
        config.write_text(before + "client-id-hosts = a/b\n")
        assert reload().returncode == 2, "a wrong configuration reaches no program"


def test_the_films_of_the_demonstration_can_be_private_or_for_some_sites(folder):
    def told(*words):
        done = subprocess.run([program("svcctl"), "--config", folder / "svc.conf", *words], capture_output=True, text=True,
                              timeout=PATIENCE)
        assert done.returncode == 0, done
        return done.stdout

    def status(path):
        return subprocess.run(["curl", "-s", "-o", os.devnull, "-w", "%{http_code}", "--noproxy", "*", url + path],
                              capture_output=True, text=True, timeout=PATIENCE, check=True).stdout

    with served(folder) as said:
        url = re.search(r"^ready (\S+)$", said, re.M)[1]
        first = "/files/l4unchf1lm/360p/index.m3u8"
        assert status(first) == "200"
        for media in ("l4unchf1lm", "sm4ll480px"):
            told("media", "edit", media, "--visibility", "private")
        wait_until(lambda: status(first) == "403", "svc-keeper has closed the folder")
        token = json.loads(told("media", "link", "l4unchf1lm", "--for", "1h", "--json"))["token"]
        manifest = fetched(f"{url}/embed/medias/l4unchf1lm.m3u8?watch={token}", "127.0.0.1")
        assert "#EXTINF" in fetched(next(line for line in manifest.splitlines() if "/360p/" in line), "127.0.0.1")
        assert status("/deliveries/clip16x9/360p/index.m3u8") == "404"
        for account in ("1001", "1002"):
            told("account", "set", account, "--allowed-domains", "site.example")
    # The changes persist.
    with served(folder) as said:
        url = re.search(r"^ready (\S+)$", said, re.M)[1]
        assert json.loads(told("media", "show", "l4unchf1lm", "--json"))["visibility"] == "private"
        assert status(first) == "403"
    # A catalog that has changed is imported, and films are copied again: those that are private stay closed.
    (folder / "redis-state" / "imported").unlink()
    shutil.rmtree(folder / "media" / "sm4ll480px")
    second = "/files/sm4ll480px/270p/index.m3u8"
    with served(folder) as said:
        url = re.search(r"^ready (\S+)$", said, re.M)[1]
        wait_until(lambda: status(second) == "403", "svc-keeper has closed the new folder")
