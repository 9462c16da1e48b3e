"""The package on a clean Debian that has booted: built, checked by lintian, installed as systemd/README.md
describes, upgraded under load, removed, purged. The tests are these stages, in this order.

With SVC_LONG set, as in `ctest -C long
-R e2e.package.long`, the load is the required one: 100,000 requests. SVC_RELEASE names another Debian, for which the
package is compiled: `e2e.package.13`.
"""

import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import documents
import readme
from clean_root import clean_root, clean_root_for
from machine import Machine
from processes import make_directory, start
from stack import BUILD, CATALOG, PATIENCE, REPOSITORY, children_of, wait_until

LONG = bool(os.environ.get("SVC_LONG"))
RELEASE = os.environ.get("SVC_RELEASE")
REQUESTS, RELOADS, RESTARTS = (100_000, 20, 5) if LONG else (5_000, 3, 1)
# Kills per pool, of two pools, and the responses between them.
KILLS, BETWEEN = (100, 100) if LONG else (15, 40)

ROLES = ("embed", "grant", "web", "upload")
POOLS = "svc-worker@*.service"
UNITS = (*(f"svc-{name}" for role in ROLES for name in (
    f"worker@{role}.socket", f"queue@{role}.socket", f"worker@{role}.service")),
         "svc-ingest.service", "svc-courier.service", "svc-keeper.service", "svc-thumbnails.socket", "svc-thumbnails.service",
         "svc-redis-state.service", "svc-redis-cache.service", "svc.target")
DOMAIN = "clips.example"
HOST = f"app.{DOMAIN}"
MEDIA = "https://acme.clips.example/medias/l4unchf1lm"
SLOW = 600  # s; a timeout against hangs, for steps that take longer than others


@pytest.fixture(scope="module")
def folder():
    path = make_directory("svc-package-")
    yield path
    shutil.rmtree(path)


def build(folder):
    how = ["--release", RELEASE] if RELEASE else ["--programs", BUILD]
    done = subprocess.run([REPOSITORY / "scripts/package", *how, "--out", folder / "0"], capture_output=True, text=True,
                          timeout=5 * SLOW)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name.split("_")[0]: path for path in (folder / "0").glob("*.deb")}


@pytest.fixture(scope="module")
def made(folder):
    """Returns the packages by name and the root of a clean Debian, which are built in parallel."""
    if RELEASE:
        packages = build(folder)
        return packages, clean_root_for({"12": "bookworm", "13": "trixie"}[RELEASE], packages["svc-worker"])
    with concurrent.futures.ThreadPoolExecutor() as pool:
        packages = pool.submit(build, folder)
        root = pool.submit(clean_root, REPOSITORY / "systemd/debian/control")
        return packages.result(), root.result()


@pytest.fixture(scope="module")
def machine(made):
    one = Machine(made[1])
    try:
        one.boot()
        yield one
    finally:
        one.end()


def names_of_ours(machine):
    """Returns all files with our name that do not belong to a package."""
    found = machine.run("find", "/", "-xdev", "(", "-path", "/proc", "-o", "-path", "/sys", "-o", "-path",
                        "/machine", "-o", "-path", "/srv", "-o", "-path", "/var/lib/dpkg", ")", "-prune",
                        "-o", "-name", "*svc*", "-print").stdout.splitlines()
    found += machine.run("find", "/run", "-name", "*svc*").stdout.splitlines()
    # dpkg may know a path of systemd or of the merged /usr by its other name.
    known = {line.split(": ")[1] for path in found for line in machine.run(
        "dpkg", "-S", path, path.removeprefix("/usr"), check=False).stdout.splitlines()}
    # The database of MIME types, which the recommended packages made, has a type of that name.
    found = [path for path in found if not path.startswith("/usr/share/mime/")]
    return {path for path in found if not {path, path.removeprefix("/usr")} & known}


def repacked(folder, package, version, change=lambda tree: None):
    """Builds the same package with a later version number, and with that change of its files."""
    tree = folder / version
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True, timeout=PATIENCE)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {version}", control.read_text()))
    change(tree)
    made = folder / f"svc-worker_{version}_amd64.deb"
    subprocess.run(["dpkg-deb", "-Zxz", "-z1", "--root-owner-group", "-b", tree, made], check=True,
                   capture_output=True, timeout=PATIENCE)
    return made


def put(machine, file):
    shutil.copy(file, machine.path("/srv"))
    return f"/srv/{file.name}"


def apt(machine, *words):
    """Runs apt-get without questions."""
    done = machine.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q", *words, patience=SLOW)
    return done.stdout + done.stderr


def operate(machine, text):
    """Runs a block of the manual, next to the package, without questions from apt."""
    return machine.run("sh", "-euc", "cd /srv\n" + re.sub(r"(?m)^apt (\w+)", r"apt \1 -y", text), patience=SLOW,
                       env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def oembed(machine):
    """Returns status and body of a request through nginx."""
    body, _, status = machine.run(
        "curl", "-sS", "-w", "\n%{http_code}", "-H", f"Host: oembed.{DOMAIN}", "--get", "--data-urlencode",
        f"url={MEDIA}",
        "http://127.0.0.1/oembed").stdout.rpartition("\n")
    return int(status), body


# --- contents ------------------------------------------------------------------------------------


def test_operations_Y4_lintian_finds_nothing(made):
    packages = made[0]
    done = subprocess.run(["lintian", "--allow-root", "--pedantic", "--fail-on", "error,warning,pedantic",
                           *packages.values()], capture_output=True, text=True, timeout=SLOW)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_operations_Y4_the_packages_contain_programs_symbols_pages_and_settings(made, folder):
    packages = made[0]
    assert set(packages) == {"svc-worker", "svc-worker-dbgsym"}
    listed = subprocess.run(["dpkg-deb", "-c", packages["svc-worker"]], capture_output=True, text=True,
                            check=True).stdout
    for path in ("/usr/bin/svc-worker", "/usr/bin/svcctl", "/usr/bin/svc-ingest", "/usr/bin/svc-courier", "/usr/bin/svc-keeper",
                 "/usr/share/man/man8/svc-worker.8.gz", "/usr/share/man/man8/svcctl.8.gz",
                 "/usr/share/man/man8/svc-ingest.8.gz", "/usr/share/svc/machines/svc-ingest.service.d/store.conf",
                 "/usr/lib/systemd/system/svc-worker@upload.service.d/files.conf",
                 "/usr/lib/systemd/system/svc-worker@embed.service.d/keys.conf", "/usr/share/doc/svc-worker/copyright",
                 "/usr/share/doc/svc-worker/changelog.gz", "/usr/share/doc/svc-worker/README.systemd.md",
                 "/usr/share/doc/svc-worker/UNITS.md", "/usr/share/doc/svc-worker/examples/catalog.jsonl",
                 "/usr/share/svc/machines/svc-worker@.service.d/store.conf",
                 "/usr/share/svc/machines/redis-state-network.conf",
                 "/usr/share/svc/machines/redis-state-replicated.conf",
                 "/usr/share/svc/machines/redis-state-cluster.conf", "/usr/share/svc/machines/redis-sentinel.conf",
                 "/usr/share/svc/machines/svc-redis-state.service.d/replicated.conf",
                 "/usr/share/svc/machines/svc-redis-state.service.d/sentinel.conf",
                 "/usr/share/svc/redis-sentinel.acl.in",
                 "/usr/share/bash-completion/completions/svcctl"):
        assert f" .{path}\n" in listed, path
    tree = folder / "tree"
    subprocess.run(["dpkg-deb", "-R", packages["svc-worker"], tree], check=True)
    # Every settings file is a conffile, so that an edited one survives an upgrade.
    settings = {f"/{path.relative_to(tree)}" for path in (tree / "etc").rglob("*") if path.is_file()}
    assert {"/etc/svc/svc.conf", "/etc/nginx/svc/svc-upstreams.conf"} <= settings
    assert settings == set((tree / "DEBIAN/conffiles").read_text().split())
    # The debug symbols match these programs.
    subprocess.run(["dpkg-deb", "-x", packages["svc-worker-dbgsym"], folder / "symbols"], check=True)
    for name in ("svc-worker", "svcctl", "svc-ingest", "svc-courier", "svc-keeper"):
        said = subprocess.run(["readelf", "-n", tree / "usr/bin" / name], capture_output=True, text=True,
                              check=True).stdout
        number = re.search(r"Build ID: (\w+)", said).group(1)
        assert (folder / f"symbols/usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug").exists()


def test_operations_Y80_every_link_of_the_installed_documents_leads_somewhere(made, folder):
    subprocess.run(["dpkg-deb", "-x", made[0]["svc-worker"], folder / "documents"], check=True)
    found = sorted((folder / "documents/usr/share/doc/svc-worker").glob("*.md"))
    links = [link for path in found for link in documents.inline(documents.tokens(path), "link_open")]
    assert len(found) > 5 and len([link for link in links if ".md" in link.attrs["href"]]) > 30
    assert {path.name: dead for path in found if (dead := documents.dead_links(path))} == {}


def test_operations_Y82_the_package_of_a_commit_without_a_tag_has_its_number_and_hash(made):
    def said(*words):
        return subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.strip()
    version = said("dpkg-deb", "-f", made[0]["svc-worker"], "Version")
    program = said(BUILD / "svcctl", "version").removeprefix("svcctl ")
    debian = f"+deb{RELEASE}" if RELEASE else ""
    if f"v{program}" in said("git", "tag", "--points-at", "HEAD").split():
        assert version == program + debian
    else:
        number, commit = said("git", "rev-list", "--count", "HEAD"), said("git", "rev-parse", "--short", "HEAD")
        assert re.fullmatch(re.escape(program) + rf"[~+]{number}\.g{commit}" + re.escape(debian), version)


def test_operations_Y84_the_bill_of_materials_names_every_part_by_others(made, folder):
    subprocess.run(["dpkg-deb", "-x", made[0]["svc-worker"], folder / "bill"], check=True)
    shared = folder / "bill/usr/share/doc/svc-worker"
    bill = json.loads((shared / "svc-worker.spdx.json").read_text())
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0"
    parts = {part["SPDXID"]: part for part in bill["packages"]}
    assert len(parts) == len(bill["packages"])
    assert {word for relation in bill["relationships"] for word in (
        relation["spdxElementId"], relation["relatedSpdxElement"])} == {*parts, "SPDXRef-DOCUMENT"}
    for part in parts.values():
        assert {"name", "versionInfo", "downloadLocation", "licenseDeclared", "licenseConcluded", "copyrightText"} <= {*part}
    versions = {part["name"]: part["versionInfo"] for part in parts.values()}
    # The bill has the libraries that Debian's tools find, and the npm packages in the source map of hls.js.
    said = subprocess.run(["dpkg-deb", "-f", made[0]["svc-worker"], "Version", "Depends"], capture_output=True, text=True,
                          check=True).stdout
    assert versions["svc-worker"] == re.search(r"(?m)^Version: (.*)$", said)[1]
    libraries = set(re.findall(r"\b(lib[\w.+-]+)", said))
    assert len(libraries) > 8 and libraries <= {*versions}, libraries - {*versions}
    player = REPOSITORY / "nginx/player/node_modules/hls.js"
    own = json.loads((player / "package.json").read_text())
    sources = json.loads((player / "dist/hls.mjs.map").read_text())["sources"]
    bundled = {found[1] for path in sources if (found := re.search(r"node_modules/((?:@[\w-]+/)?[\w.-]+)/", path))}
    wanted = {"hls.js": own["version"], **{name: own["devDependencies"][name] for name in bundled}}
    assert len(bundled) > 3 and {name: versions.get(name) for name in wanted} == wanted
    notices = (shared / "copyright").read_text()
    assert "All rights reserved" in notices
    named = {part["name"].rpartition("/")[2] for part in parts.values() if "npm" in part["SPDXID"]}
    served = folder / "bill/usr/share/svc/player"
    for text in (notices, (served / "notices-v1.txt").read_text()):
        assert [name for name in sorted(named) if name not in text] == []
    assert all("notices-v1.txt" in script.read_text()[:200] for script in served.glob("hls-*.js"))


@pytest.mark.parametrize("name, words", [
    ("svc-worker", ("SIGHUP", "EXIT STATUS", "FILES", "/etc/svc/svc.conf")),
    ("svcctl", ("svcctl import", "svcctl keys rotate", "EXIT STATUS", "FILES", "svcctl status", "CATALOG")),
])
def test_operations_Y4_a_manual_page_lists_every_option_of_its_program(made, folder, name, words):
    packages = made[0]
    page = folder / f"{name}.8.gz"
    with open(page, "wb") as out:
        unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", packages["svc-worker"]], capture_output=True,
                                  check=True).stdout
        out.write(subprocess.run(["tar", "-xO", f"./usr/share/man/man8/{name}.8.gz"], input=unpacked,
                                 capture_output=True, check=True).stdout)
    shown = subprocess.run(["man", "--warnings", "-E", "ascii", "-l", page], capture_output=True, text=True,
                           check=True, env={**os.environ, "MANWIDTH": "1000", "MAN_KEEP_FORMATTING": "",
                                            "LC_ALL": "C.UTF-8"})
    assert shown.stderr == ""
    text = " ".join(shown.stdout.split())
    asks = "--help-settings" if name == "svcctl" else "--help"
    said = subprocess.run([BUILD / name, asks], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"(?m)^  (?:-\w \[ )?(--[a-z-]+)", said))
    if name == "svcctl":  # the other manual page explains its settings
        options &= {"--config", "--help", "--help-settings", "--version", "--check-config", "--print-config"}
    assert len(options) >= 5
    assert [option for option in sorted(options) if option not in text] == []
    assert [word for word in words if word not in text] == []


# --- installed -----------------------------------------------------------------------------------


def test_operations_Y42_operations_P64_following_the_README_ends_with_films_that_play(machine, made):
    machine.path("/srv/password").write_text("a good long password\n")
    put(machine, made[0]["svc-worker"])
    commands = readme.commands("systemd/README.md", "Deploy")
    assert commands[0].startswith("apt install ./svc-worker_") and "curl" in commands[-1], commands
    for command in (*commands[:2], *commands[1:]):
        # Adapts the commands: no questions from apt, and this machine's names.
        command = command.replace("apt install", "apt install -y").replace("svc.example", DOMAIN)
        done = machine.run("sh", "-ec", f"cd /srv; {command}", patience=SLOW,
                           env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        if command.startswith("apt "):
            # None of our units runs before the operator has configured it.
            for unit in UNITS:
                assert machine.show(unit)["ActiveState"] == "inactive", unit
        if command.startswith("svcctl setup"):
            assert f"log in: https://{HOST}/login as owner@{DOMAIN}" in done.stdout
    assert done.stdout == '{"status":"ok"}'
    assert json.loads(machine.run("svcctl", "user", "list", "--json").stdout)["accounts"] == ["1:owner"]
    status, body = oembed(machine)
    assert status == 200, body
    assert '"title":"Launch film"' in body and "https://embed.clips.example/" in body
    assert f'"provider_url":"https://{HOST}"' in body
    film = machine.run("curl", "-fsS", "-H", f"Host: embed.{DOMAIN}",
                       "http://127.0.0.1/deliveries/clip16x9/360p/index.m3u8").stdout
    assert film.startswith("#EXTM3U")
    for unit in UNITS:
        assert machine.show(unit)["ActiveState"] == "active", unit
    assert machine.systemctl("is-system-running").stdout.strip() == "running"
    assert machine.systemctl("is-enabled", "svc.target").stdout == "enabled\n"
    # Only these Redis servers run: the package does not depend on Debian's, which would start.
    assert machine.run("sh", "-c", "cat /proc/[0-9]*/comm | grep -cx redis-server").stdout == "2\n"
    # Users and applications, for the tests below.
    machine.path("/srv/catalog.jsonl").write_bytes(CATALOG.read_bytes())
    machine.run("svcctl", "import", "/srv/catalog.jsonl")


def test_operations_N7_nginx_s_logs_are_rotated_without_losing_lines(machine):
    access = machine.path("/var/log/nginx/svc-access.log")
    machine.wait_for("nginx.service", "has written", lambda _: access.stat().st_size > 0)
    before = access.stat().st_ino
    machine.run("logrotate", "--force", "/etc/logrotate.d/nginx")
    old = machine.path("/var/log/nginx/svc-access.log.1")
    assert old.stat().st_ino == before
    assert oembed(machine)[0] == 200
    machine.wait_for("nginx.service", "writes to the new one", lambda _: access.stat().st_size > 0)
    # In a full nightly run no file may belong to two configurations.
    assert machine.run("logrotate", "--debug", "/etc/logrotate.conf").stderr.count("error:") == 0


# A certificate authority (Debian's pebble) and DNS for our names, in the machine.
AUTHORITY = """
set -e
cd /srv
DEBIAN_FRONTEND=noninteractive apt-get install -y -q pebble
printf '127.0.0.1 %s\n::1 %s\n' "$names" "$names" >/etc/hosts
printf '{"pebble": {"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000", "httpPort": 80,
    "tlsPort": 443, "certificate": "/srv/ca.pem", "privateKey": "/srv/ca.key"}}' >pebble.json
systemd-run -q --unit pebble -E PEBBLE_VA_NOSLEEP=1 -E PEBBLE_WFE_NONCEREJECT=0 pebble -config /srv/pebble.json
"""


def test_operations_N80_a_machine_gets_a_certificate_by_acme_and_its_renewals(machine):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-subj", "/CN=ca", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", machine.path("/srv/ca.key"),
                    "-out", machine.path("/srv/ca.pem")], check=True, capture_output=True)
    site = machine.path("/etc/nginx/sites-available/svc").read_bytes()
    files = "find /etc/nginx /etc/svc -type f ! -path /etc/nginx/sites-available/svc -exec md5sum {} +"
    before = machine.run("sh", "-c", files).stdout
    names = machine.run("svcctl", "nginx", "--names").stdout.strip().split(",")
    machine.run("env", f"names={' '.join(names)}", "sh", "-ec", AUTHORITY, patience=SLOW)
    settings = machine.path("/etc/letsencrypt/cli.ini")

    def ask(url, *words, root="/srv/root.pem"):
        return machine.run("curl", "-sS", "--cacert", root, *words, url).stdout

    def serial():
        said = subprocess.run(machine.on_its_network("openssl", "s_client", "-connect", "127.0.0.1:443", "-servername", HOST),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE).stdout
        return subprocess.run(["openssl", "x509", "-noout", "-serial"], input=said, capture_output=True, text=True,
                              check=True).stdout

    for command in readme.commands("nginx/README.md", "TLS"):
        machine.run("sh", "-ec", command.replace("apt install", "apt install -y"), patience=SLOW,
                    env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        if command.startswith("apt "):
            settings.write_text("server = https://127.0.0.1:14000/dir\nno-verify-ssl = True\n")
    machine.path("/srv/root.pem").write_text(ask("https://127.0.0.1:15000/roots/0", root="/srv/ca.pem"))
    # nginx takes its configuration over while certbot ends: first the certificate, then the redirections.
    machine.wait_for("nginx.service", "has the site", lambda _: "ok" in machine.run(
        "curl", "-sk", f"https://{HOST}/readyz", check=False).stdout)
    machine.wait_for("nginx.service", "redirects to it", lambda _: machine.run(
        "curl", "-s", "-o", "/dev/null", "-w", "%{redirect_url}", f"http://{HOST}/login", check=False).stdout != "")
    for family in ("-4", "-6"):
        for name in names:
            assert ask(f"https://{name}/readyz", family) == '{"status":"ok"}', (family, name)
        assert ask(f"http://{HOST}/login", family, "-o", "/dev/null", "-w", "%{redirect_url}") == f"https://{HOST}/login"
        assert "<form" in ask(f"https://{HOST}/login", family)
    assert "[warn]" not in machine.run("nginx", "-t").stderr
    # Adds a film with the documented command, and decodes a frame over TLS.
    machine.run("sh", "-ec", "cd /srv; ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=2 film.mp4")
    added = machine.run("svcctl", "media", "add", "/srv/film.mp4", "--account", "1", "--json", patience=SLOW).stdout
    playlist = f"https://embed.{DOMAIN}/embed/medias/{json.loads(added)['hashed_id']}.m3u8"
    machine.run("env", "SSL_CERT_FILE=/srv/root.pem", "ffmpeg", "-v", "error", "-tls_verify", "1", "-ca_file", "/srv/root.pem",
                "-i", playlist, "-frames:v", "1", "/srv/frame.png", patience=SLOW)
    assert machine.path("/srv/frame.png").read_bytes().startswith(b"\x89PNG")
    first = serial()
    machine.run("certbot", "renew", "--force-renewal", "--no-random-sleep-on-renew", patience=SLOW)
    machine.wait_for("nginx.service", "has the renewed certificate", lambda _: serial() != first)
    assert machine.run("sh", "-c", files).stdout == before
    # As it was, for the next tests.
    machine.path("/etc/nginx/sites-available/svc").write_bytes(site)
    machine.reload_nginx()
    machine.systemctl("stop", "pebble")
    apt(machine, "purge", "certbot", "pebble")
    machine.run("rm", "-rf", "/etc/letsencrypt", "/etc/hosts")


# --- upgraded ------------------------------------------------------------------------------------


class Load:
    """Clients that send requests until stop()."""

    def __init__(self, machine):
        self.process = start(
            machine.on_its_network(sys.executable, Path(__file__).parent / "load.py", DOMAIN, MEDIA),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.guard = threading.Timer(SLOW, self.process.kill)
        self.guard.start()
        line = self.process.stdout.readline()
        assert line == "ready\n", line + self.process.stderr.read()
        self.answered, self.result = 0, None
        # A thread, so that `answered` is always current.
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.result = json.loads(line)
            else:
                self.answered = int(line)

    def wait_for(self, more):
        """Waits until `more` further requests are answered."""
        wanted = self.answered + more
        wait_until(lambda: self.answered >= wanted or not self.reader.is_alive(), "answers", SLOW)
        assert self.reader.is_alive(), self.process.stderr.read()

    def stop(self):
        """Ends the load and returns its result."""
        self.process.stdin.close()
        self.reader.join()
        assert self.process.wait() == 0 and self.result, self.process.stderr.read()
        return self.result

    def end(self):
        self.guard.cancel()
        self.process.kill()
        self.process.wait()
        self.reader.join()


def programs(machine):
    """Returns the inode of the program that each pool's parent runs, by role."""
    return {role: os.stat(f"/proc/{machine.main_pid(f'svc-worker@{role}.service')}/exe").st_ino for role in ROLES}


# Settings files that the next version changes.
CHANGED = ("etc/svc/svc.conf", "etc/svc/redis-state.conf", "etc/svc/redis-cache.conf", "etc/nginx/svc/svc-http.conf",
           "etc/nginx/svc/svc-certificate.conf")


def test_operations_P7_operations_Y4_operations_Y61_reloads_restarts_and_an_upgrade_under_load_lose_no_request(machine, made, folder):
    # One client exceeds the rate limits here, and every GET must reach a pool.
    machine.run("sed", "-i", "-e", "/svc-limits-rates/d", "-e", "/svc-micro-cache/d", "/etc/nginx/sites-available/svc")
    # On a busy machine a Redis can get no processor time for longer than the shipped timeouts. That does not lose requests.
    machine.run("sh", "-ec", "sed -i -E 's/^( *fastcgi_(connect|send|read|next_upstream)_timeout) [0-9]+s;/\\1 30s;/' "
                             "/etc/nginx/svc/*.conf; "
                             "printf 'redis-timeout = 10000\\nrequest-timeout = 15000\\n' > /etc/svc/svc.conf.d/slow.conf")
    machine.systemctl("restart", POOLS, patience=SLOW)
    machine.reload_nginx()

    def more_settings(tree):
        for name in CHANGED:
            with open(tree / name, "a", encoding="utf-8") as file:
                file.write("# Of the next version.\n")
    new = put(machine, repacked(folder, made[0]["svc-worker"], "0.1.1", more_settings))
    settings = machine.run("svcctl", "--print-config").stdout
    secrets = machine.path("/etc/svc/keys").read_bytes()
    redis = machine.main_pid("svc-redis-state.service")
    before = programs(machine)
    reloaded = len(machine.events("svc-worker@embed.service", "reload.done"))

    def reload():
        machine.systemctl("reload", POOLS)

    def restart():
        machine.systemctl("restart", POOLS, patience=SLOW)

    def upgrade():
        said = apt(machine, "install", new).replace("debconf: delaying package configuration, since apt-utils is not installed", "")
        complaints = re.findall(r"(?im)^.*(?:fail|error|unable|warning|not start|conffile|configuration file|svc-worker:).*$", said)
        assert complaints == [], said

    # The upgrade is in the middle; restarts are spread evenly among the reloads.
    events = [reload] * RELOADS
    for number in range(RESTARTS):
        events.insert((number + 1) * len(events) // (RESTARTS + 1), restart)
    events.insert(len(events) // 2, upgrade)
    load = Load(machine)
    try:
        # An equal share of requests before, between and after the events; the load continues during them.
        share = REQUESTS // (len(events) + 1) + 1
        for event in events:
            load.wait_for(share)
            event()
        load.wait_for(share)
        result = load.stop()
    finally:
        load.end()
    print(json.dumps({**result, "failed": len(result["failed"])}))
    assert result["failed"] == [], result["failed"][:20]
    assert result["get"] + result["post"] >= REQUESTS and min(result["get"], result["post"]) >= REQUESTS // 10
    # All events happened, and the pools run the new program. They also started at boot and for the timeouts.
    assert "0.1.1" in machine.run("dpkg-query", "-W", "svc-worker").stdout
    program = machine.path("/usr/bin/svc-worker").stat().st_ino
    assert set(programs(machine).values()) == {program} and program not in before.values()
    for role in ROLES:
        # The second `svcctl setup` was a reload, too.
        assert len(machine.events(f"svc-worker@{role}.service", "reload.done")) == RELOADS + reloaded
        assert len(machine.events(f"svc-worker@{role}.service", "pool.ready")) == RESTARTS + 3
        assert machine.events(f"svc-worker@{role}.service", "worker.died") == []
    # The operator's settings and generated secrets are unchanged, and the store was not restarted.
    assert machine.run("svcctl", "--print-config").stdout == settings
    for name in CHANGED:
        assert machine.path(f"/{name}").read_text().endswith("# Of the next version.\n"), name
    assert machine.path("/etc/svc/keys").read_bytes() == secrets
    assert machine.main_pid("svc-redis-state.service") == redis


def test_operations_P8_operations_N2_killed_workers_cause_no_failed_request_and_are_replaced(machine):
    """GET and POST under full load."""
    pools = [f"svc-worker@{role}.service" for role in ("embed", "grant")]
    parents = [machine.main_pid(unit) for unit in pools]
    chance, killed = random.Random(8), set()
    load = Load(machine)
    try:
        load.wait_for(100)
        for _ in range(KILLS):
            for parent in parents:
                # On a busy machine a killed worker can still be among them.
                workers = wait_until(lambda: children_of(parent) - killed, "a worker")  # pylint: disable=W0640
                one = chance.choice(sorted(workers))
                os.kill(one, signal.SIGKILL)
                killed.add(one)
            load.wait_for(BETWEEN)
        result = load.stop()
    finally:
        load.end()
    print(json.dumps({**result, "failed": len(result["failed"]), "killed": 2 * KILLS}))
    assert result["failed"] == [], result["failed"][:20]
    assert min(result["get"], result["post"]) >= 100
    for unit, parent in zip(pools, parents):
        wait_until(lambda: len(machine.events(unit, "worker.died")) >= KILLS, "all deaths are logged")
        assert len(machine.events(unit, "worker.died")) == KILLS
        machine.wait_for(unit, "is full", lambda shown: shown["StatusText"].startswith("4 of 4 workers up"))
        assert machine.main_pid(unit) == parent


def test_operations_Y4_an_upgrade_with_a_wrong_configuration_keeps_the_pools_and_reports_it(machine, made, folder):
    wrong = machine.path("/etc/svc/svc.conf.d/wrong.conf")
    before = programs(machine)
    wrong.write_text("no-such-key = 1\n")
    try:
        said = apt(machine, "install", put(machine, repacked(folder, made[0]["svc-worker"], "0.1.2")))
    finally:
        wrong.unlink()
    assert "no-such-key" in said and "systemctl restart 'svc-worker@*.service'" in said, said
    assert programs(machine) == before
    assert oembed(machine)[0] == 200
    machine.systemctl("restart", POOLS)
    assert set(programs(machine).values()).isdisjoint(before.values())
    assert oembed(machine)[0] == 200


def test_operations_Y4_an_upgrade_that_changes_redis_users_restarts_that_redis(machine, made, folder):
    def more_commands(tree):
        acl = tree / "usr/share/svc/redis-cache.acl.in"
        acl.write_text(acl.read_text().replace("+hlen", "+hlen +hstrlen"))
    new = repacked(folder, made[0]["svc-worker"], "0.1.3", more_commands)
    # A file of a version in which all pools shared one Redis user.
    single = machine.path("/etc/svc/redis-service.password")
    single.write_text("x\n")
    before = {name: machine.main_pid(f"svc-redis-{name}.service") for name in ("state", "cache")}
    apt(machine, "install", put(machine, new))
    assert not single.exists()
    after = {name: machine.main_pid(f"svc-redis-{name}.service") for name in ("state", "cache")}
    assert after["state"] == before["state"] and after["cache"] != before["cache"]
    assert oembed(machine)[0] == 200


def test_operations_Y62_the_version_before_returns_with_what_both_stored(machine, made, folder):
    old, new = "0.1.3", "0.1.4"
    put(machine, repacked(folder, made[0]["svc-worker"], new))

    def follow(commands):
        for command in commands:
            for word, version in (("OLD", old), ("NEW", new)):
                command = command.replace(f"_{word}_", f"_{version}_")
            machine.run("sh", "-ec", f"cd /srv; {command.replace('apt install', 'apt install -y')}", patience=SLOW,
                        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        for role in ROLES:
            machine.wait_for(f"svc-worker@{role}.service", "is up", lambda shown: shown["ActiveState"] == "active")
        assert oembed(machine)[0] == 200
        names = {json.loads(line)["name"] for line in machine.run("svcctl", "account", "list", "--json").stdout.splitlines()}
        return machine.run("dpkg-query", "-W", "-f", "${Version}", "svc-worker").stdout, names & {"Before", "Since"}

    machine.run("svcctl", "account", "create", "--name", "Before", "--host", f"before.{DOMAIN}")
    assert follow(readme.commands("systemd/README.md", "Upgrade and return", 0)) == (new, {"Before"})
    machine.run("svcctl", "account", "create", "--name", "Since", "--host", f"since.{DOMAIN}")
    assert follow(readme.commands("systemd/README.md", "Upgrade and return", 1)) == (old, {"Before", "Since"})
    assert follow(readme.commands("systemd/README.md", "Upgrade and return", 2)) == (old, {"Before"})
    machine.run("sh", "-ec", "rm -r /var/lib/svc/redis-state/before-restore.*; rm /var/backups/svc/before.tar.zst")


# --- backed up, restored -------------------------------------------------------------------------

BACKUP = "/var/backups/svc/today.tar.zst"


def test_operations_Y40_a_backup_fails_no_request_and_each_changed_byte_is_found(machine):
    # As certbot leaves a certificate: the site names a link.
    machine.run("mkdir", "-p", "/etc/letsencrypt/live", "/etc/letsencrypt/archive")
    archive = machine.path("/etc/letsencrypt/archive")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-subj", f"/CN={HOST}", "-keyout", archive / "key1.pem", "-out", archive / "cert1.pem"],
                   check=True, capture_output=True)
    machine.run("sh", "-ec", """
        for name in key cert; do ln -s ../archive/${name}1.pem /etc/letsencrypt/live/$name.pem; done
        sed -i -e 's|/etc/ssl/certs/svc.pem|/etc/letsencrypt/live/cert.pem|' \
               -e 's|/etc/ssl/private/svc.key|/etc/letsencrypt/live/key.pem|' /etc/nginx/svc/svc-certificate.conf
        mkdir -p /etc/systemd/system/svc-ingest.service.d
        printf '[Service]\nNice=7\n' >/etc/systemd/system/svc-ingest.service.d/nice.conf
        cp -a /etc/nginx/sites-available/svc /srv/plain
        svcctl nginx --tls >/srv/tls""")
    load = Load(machine)
    try:
        load.wait_for(100)
        # The backup contains the site's file, not the configuration that nginx has loaded.
        machine.run("cp", "/srv/tls", "/etc/nginx/sites-available/svc")
        for command in readme.commands("systemd/README.md", "Back up and restore", 0):
            machine.run("sh", "-ec", command, patience=SLOW)
        load.wait_for(100)
        result = load.stop()
    finally:
        load.end()
        machine.run("cp", "-a", "/srv/plain", "/etc/nginx/sites-available/svc")
    assert result["failed"] == [] and min(result["get"], result["post"]) > 50, result["failed"][:20]
    machine.systemctl("disable", "--now", "svc-backup.timer")
    file = machine.path(BACKUP)
    assert file.stat().st_mode & 0o7777 == 0o600
    whole = file.read_bytes()
    damaged = machine.path("/srv/damaged")
    for at in (len(whole) // 3, len(whole) // 2, len(whole) - 50):
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        assert machine.run("svcctl", "backup", "--verify", "/srv/damaged", check=False).returncode == 1, at
    damaged.write_bytes(whole[:len(whole) // 2])
    assert machine.run("svcctl", "backup", "--verify", "/srv/damaged", check=False).returncode == 1
    refused = machine.run("svcctl", "restore", BACKUP, check=False)
    assert refused.returncode == 1 and "--yes" in refused.stderr and oembed(machine)[0] == 200


def processor_seconds():
    """Returns the processor time of the commands that have ended, which other work on this machine does not change."""
    times = os.times()
    return times.children_user + times.children_system


def test_operations_Y40_a_new_machine_with_the_package_continues_from_the_backup(machine, made):
    one = Machine(made[1])
    try:
        one.boot()
        put(one, made[0]["svc-worker"])
        one.path("/srv/today.tar.zst").write_bytes(machine.path(BACKUP).read_bytes())
        one.path("/srv/backup.key").write_bytes(machine.path("/etc/svc/backup.key").read_bytes())
        began = processor_seconds()
        for command in readme.commands("systemd/README.md", "Back up and restore", 1):
            one.run("sh", "-ec", f"cd /srv; {command.replace('apt install', 'apt install -y')}", patience=SLOW,
                    env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        assert processor_seconds() - began < 300
        for words in ("account list", "user list", "app list", "media list --account 1001"):
            said = [each.run("svcctl", *words.split(), "--json").stdout for each in (machine, one)]
            assert said[0] and sorted(said[0].splitlines()) == sorted(said[1].splitlines()), words
        # The key ring of the old machine opens its sealed secrets.
        secret = [each.run("svcctl", "app", "show", "demo-client-0001", "--secret", "--json").stdout
                  for each in (machine, one)]
        assert secret[0] == secret[1]
        assert one.show("svc-ingest.service")["Nice"] == "7"
        assert one.run("readlink", "/etc/letsencrypt/live/cert.pem").stdout == "../archive/cert1.pem\n"
        shown = one.run("curl", "-sS", "--cacert", "/etc/letsencrypt/live/cert.pem", "--connect-to", "::127.0.0.1:",
                        f"https://{HOST}/readyz").stdout
        assert shown == '{"status":"ok"}'
        for unit in UNITS:
            assert one.show(unit)["ActiveState"] == "active", unit
        assert one.systemctl("is-enabled", "svc.target").stdout == "enabled\n"
        # As where the backup was made.
        assert one.systemctl("is-enabled", "svc-backup.timer", check=False).stdout == "enabled\n"
        assert one.show("svc-backup.timer")["ActiveState"] == "active"
        # After a restart of Redis the state is the same, with the later changes.
        one.run("svcctl", "user", "disable", "uma@acme.example", "--yes")
        one.systemctl("restart", "svc-redis-state")
        assert '"disabled":true' in one.run("svcctl", "user", "show", "uma@acme.example", "--json").stdout
        # The timer's service, in its sandbox.
        one.run("sh", "-ec", "mkdir -p /run/systemd/system/svc-backup.service.d; printf '[Service]\nEnvironment=KEEP=1\n' "
                             ">/run/systemd/system/svc-backup.service.d/keep.conf; systemctl daemon-reload")
        kept = set()
        for _ in range(2):
            one.systemctl("start", "svc-backup.service", patience=SLOW)
            files = one.run("sh", "-c", "ls /var/backups/svc/*").stdout.split()
            assert len(files) == 1 and not kept & set(files)
            kept |= set(files)
            one.run("svcctl", "backup", "--verify", *files)
        one.run("svcctl", "restore", "/srv/today.tar.zst", "--yes", patience=SLOW)
        assert '"disabled":false' in one.run("svcctl", "user", "show", "uma@acme.example", "--json").stdout
    finally:
        one.end()


if RELEASE == "13":
    def test_operations_Y63_a_machine_with_valkey_and_without_redis_answers(made):
        one = Machine(made[1])
        try:
            one.boot()
            put(one, made[0]["svc-worker"])
            one.path("/srv/password").write_text("a good long password\n")
            for command in (*readme.commands("systemd/README.md", "Valkey instead of Redis"),
                            *readme.commands("systemd/README.md", "Deploy")[1:],
                            "svcctl backup /srv/today.tar.zst"):
                command = command.replace("apt install", "apt install -y").replace("svc.example", DOMAIN)
                one.run("sh", "-ec", f"cd /srv; {command}", patience=SLOW,
                        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
            status, body = oembed(one)
            assert status == 200 and '"title":"Launch film"' in body, body
            for unit in UNITS:
                assert one.show(unit)["ActiveState"] == "active", unit
            for store in ("state", "cache"):
                program = os.readlink(f"/proc/{one.main_pid(f'svc-redis-{store}.service')}/exe")
                assert program == "/usr/bin/valkey-check-rdb", program
            assert not one.path("/usr/bin/redis-server").exists()
        finally:
            one.end()


# --- removed -------------------------------------------------------------------------------------


def test_operations_Y4_removal_stops_the_service_and_keeps_settings_and_data(machine):
    kept = ("/etc/svc/svc.conf", "/etc/svc/keys", "/etc/svc/watch-keys", "/etc/nginx/sites-available/svc", "/var/lib/svc/redis-state")
    apt(machine, "remove", "svc-worker")
    for unit in UNITS:
        shown = machine.show(unit)
        assert (shown["ActiveState"], shown["LoadState"]) == ("inactive", "not-found"), unit
    assert not machine.path("/usr/bin/svc-worker").exists()
    assert not any(machine.path(f"/run/svc/{role}.sock").exists() for role in ROLES)
    for path in kept:
        assert machine.path(path).exists(), path
    # nginx still has its files and responds.
    machine.run("nginx", "-t")
    status, body = oembed(machine)
    assert status in (502, 503) and "error" in json.loads(body)


def test_operations_Y4_a_new_installation_finds_the_former_catalog(machine, made):
    apt(machine, "install", put(machine, made[0]["svc-worker"]))
    machine.systemctl("enable", "--now", "svc.target")
    assert oembed(machine)[0] == 200


def test_operations_Y21_operations_Y4_purging_leaves_only_the_system_users_and_mounted_file_systems(machine):
    operate(machine, readme.script("systemd/README.md", "Remove"))
    assert machine.path("/etc/svc/keys").exists() and machine.path("/etc/nginx/sites-available/svc").exists()
    folder = machine.path("/var/lib/svc")
    (folder / "left").write_text("")
    # As in README.systemd.md: a file system per folder. `media` is a bind mount of a folder of the same file system.
    machine.run("mount", "-t", "tmpfs", "tmpfs", "/var/lib/svc/uploads")
    machine.run("sh", "-ec", "mkdir /srv/films && mount --bind /srv/films /var/lib/svc/media && touch /srv/films/film")
    done = operate(machine, readme.script("systemd/README.md", "Remove", 1))
    said = done.stdout + done.stderr
    mounted = ("/var/lib/svc/media", "/var/lib/svc/uploads")
    kept = "/var/backups/svc"
    assert [path for path in (*mounted, kept) if f"left {path}: " not in said] == [], said
    assert sorted(os.listdir(folder)) == ["media", "uploads"] and machine.path("/srv/films/film").exists()
    assert not any(machine.path(f"/etc/svc/{name}").exists() for name in ("keys", "watch-keys", "nginx-file-secrets.conf"))
    assert machine.path("/etc/svc/backup.key").exists(), "it restores the backups that stay"
    machine.run("rm", "-r", "/etc/svc")
    machine.run("umount", *mounted)
    # The files that the operator added in an earlier test are removed too.
    machine.run("rm", "-r", "/var/lib/svc", "/srv/films", kept, "/etc/systemd/system/svc-ingest.service.d")
    assert names_of_ours(machine) == set()
    for unit in UNITS:
        assert machine.show(unit)["LoadState"] == "not-found"
    assert machine.systemctl("list-units", "--failed", "--plain", "--no-legend").stdout == ""
    # These users can neither log in nor own any file.
    for name in ("svc", "svc-redis-state", "svc-redis-cache", "svc-ingest", "svc-courier", "svc-keeper", "svc-thumbnails"):
        account = machine.run("getent", "passwd", name).stdout.strip().split(":")
        assert account[5:] == ["/", "/usr/sbin/nologin"]
        assert machine.run("getent", "shadow", name).stdout.split(":")[1].startswith("!")
        owned = machine.run("find", "/", "-xdev", "-path", "/proc", "-prune", "-o", "-user", name, "-print").stdout
        assert owned == ""
    # nginx was not reconfigured and still has a valid configuration.
    machine.run("nginx", "-t")
