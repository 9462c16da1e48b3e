"""The shipped nginx files: nginx accepts them, nginx_check finds no problem, and each host has its paths.

The checker is tested with configurations that it must flag, one per rule.
"""

import base64
import hashlib
import os
import re
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

import nginx_check
from hosts import BUILD, ROLES, public_routes, routes, tables
from nginx_front import POOLS, Front, check_page
from processes import PATIENCE, free_port
from shipped_nginx import (API, APP, EMBED, FORMER, OEMBED, REPOSITORY, SERVERS, SHIPPED, SITES, make_certificate,
                           printed, put)


# ---- the shipped files ------------------------------------------------------------------------


def configuration(directory, text=None, site="four"):
    """Writes a nginx.conf as Debian's own, with the files where README.md puts them and a link in sites-enabled, and
    returns the result of `nginx -t`."""
    make_certificate(directory)
    put(directory, free_port(), clear=free_port(), site=site, text=text)
    for name in ("modules-enabled", "conf.d", "sites-enabled"):
        (directory / name).mkdir(exist_ok=True)
    (directory / "sites-enabled" / "svc").symlink_to("../svc/site.conf")
    debian = Path("/etc/nginx/nginx.conf").read_text()
    for old in ("/etc/nginx/", "/run/", "/var/log/nginx/"):
        debian = debian.replace(old, f"{directory}/")
    debian = debian.replace(f"{directory}/mime.types", "/etc/nginx/mime.types")
    assert f"include {directory}/sites-enabled/*" in debian
    (directory / "nginx.conf").write_text(debian)
    return subprocess.run(["nginx", "-t", "-c", str(directory / "nginx.conf"), "-e", "stderr"],
                          capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.parametrize("site", SITES)
def test_operations_N1_nginx_accepts_them_as_installed_on_Debian(tmp_path, site):
    done = configuration(tmp_path, site=site)
    assert done.returncode == 0 and "[warn]" not in done.stderr, done.stderr


def load_shipped(tmp_path, site="four"):
    if not (tmp_path / "svc").exists():
        (tmp_path / "svc").symlink_to(REPOSITORY / "nginx")
    (tmp_path / "nginx.conf").write_text(f"events {{}} http {{ {printed(site)} }}")
    return nginx_check.load(str(tmp_path / "nginx.conf"))


def test_operations_N81_the_site_includes_one_file_for_all_servers_and_the_optional_files():
    before, _, _ = printed("four").partition("\nserver {")
    assert re.findall(r"(?m)^([^#\s].*);$", before) == [
        "include svc/svc-http.conf", "include svc/svc-limits-rates.conf", "include svc/svc-micro-cache.conf"]


@pytest.mark.parametrize("site", SITES)
def test_operations_N1_the_checker_finds_nothing_in_the_files(tmp_path, site):
    assert [str(finding) for finding in nginx_check.check(load_shipped(tmp_path, site))] == []


def test_operations_N1_every_file_is_in_use(tmp_path):
    included = lambda text: set(re.findall(r"(?m)^[^#\n]*\binclude svc/(\S+);", text))  # noqa: E731
    used, more = set(), set().union(*(included(printed(site)) for site in SITES))
    while more:
        used |= more
        more = {name for file in more for name in included((REPOSITORY / "nginx" / file).read_text())} - used
    assert used == {file.name for file in SHIPPED}


def test_operations_N69_the_files_follow_from_the_table_of_routes():
    done = subprocess.run([REPOSITORY / "scripts/derive-routes", "--check"], capture_output=True, text=True,
                          timeout=PATIENCE, env={**os.environ, "SVC_BUILD_DIR": str(BUILD)})
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("site", FORMER, ids=lambda file: file.stem)
def test_operations_N70_a_site_of_the_former_package_still_works(stack, site):
    text, hosts = site.read_text(), [APP] * 4 if "one" in site.name else [APP, API, OEMBED, EMBED]
    (stack.directory / "checked").mkdir()
    done = configuration(stack.directory / "checked", text)
    assert done.returncode == 0 and "[warn]" not in done.stderr, done.stderr
    make_certificate(stack.directory)
    front = Front(stack, text=text)
    tls = ssl.create_default_context()
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    for path, host, pool in zip(("/login", "/oauth/token", "/oembed", "/medias/a"), hosts, ("web", "grant", "embed", "embed")):
        for wanted, answered in ((path, 200), ("/readyz", 200), ("/nothing", 404)):
            port = front.tls_port if "tls" in site.name else front.nginx.port
            with socket.create_connection(("127.0.0.1", port), PATIENCE) as plain, \
                    tls.wrap_socket(plain, server_hostname=host) if "tls" in site.name else plain as client:
                client.sendall(f"GET {wanted} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
                assert int(client.makefile("rb").readline().split()[1]) == answered, (host, wanted)
        assert front.pools[pool].seen[0]["DOCUMENT_URI"] == path
        for each in front.pools.values():
            each.seen.clear()
    front.__exit__()


@pytest.mark.parametrize("name", [*(file.name for file in SHIPPED), *SITES])
def test_operations_N1_each_directive_has_a_comment_with_its_reason_and_default(name):
    """operations-N1: checked per paragraph, since several directives may share a comment."""
    text = printed(name) if name in SITES else (REPOSITORY / "nginx" / name).read_text()
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in paragraph.splitlines()]
        directives = [line for line in lines if line and not re.match(
            r"#|\}|'|include |(server|upstream|location)\b.*\{|fastcgi_param DOCUMENT_URI /|"
            r"fastcgi_pass svc_", line)]
        if directives:
            assert any(line.startswith("#") for line in lines), f"no reason: {directives}"
            # nginx defines no default for a value that is emptied on purpose.
            assert "efault" in paragraph or "fastcgi_param" in paragraph, f"no default: {directives}"


# ---- the checker ------------------------------------------------------------------------------

# A correct configuration; each case below inserts a mistake into one of its three places.
CLEAN = """
events {{}}
http {{
  log_format svc escape=json '{{"uri":"$uri"}}';
  upstream pool {{ server unix:/run/p max_fails=0; server unix:/run/p max_fails=0; }}
  {http}
  server {{ listen 80 default_server; server_tokens off; access_log /l svc; return 444; }}
  server {{
    listen 80;
    server_name a.example;
    server_tokens off;
    access_log /l svc;
    {server}
    location = /a {{
      include svc-fastcgi.conf;
      fastcgi_pass_request_body off;
      fastcgi_pass pool;
      {location}
    }}
    location / {{ return 404 '{{"a":"}}"}}'; }} # a comment with a }}
  }}
}}
"""
PARAMETERS = "fastcgi_pass_request_headers off; fastcgi_param DOCUMENT_URI $uri;"


def findings(directory, **places):
    (directory / "svc-fastcgi.conf").write_text(PARAMETERS)
    file = directory / "nginx.conf"
    file.write_text(CLEAN.format(**{"http": "", "server": "", "location": "", **places}))
    return nginx_check.check(nginx_check.load(str(file)))


def test_the_checker_reports_nothing_in_a_correct_configuration(tmp_path):
    assert findings(tmp_path) == []


BAD = [  # rule, place, inserted text
    ("add_header_redefinition", "server", "add_header A b; location = /x { add_header C d; }"),
    ("add_header_redefinition", "http",
     "add_header A b; server { listen 80; server_tokens off; access_log /l svc; add_header C d; }"),
    ("http_splitting", "server", "location = /x { return 302 https://a.example$uri; }"),
    ("http_splitting", "server", "location = /x { rewrite ^ https://a.example${document_uri}; }"),
    ("http_splitting", "server", "location = /x { add_header X-Path $uri; }"),
    ("host_spoofing", "location", "fastcgi_param HTTP_HOST $http_host;"),
    ("alias_traversal", "server", "location /files { alias /srv/files/; }"),
    ("if_is_evil", "location", "if ($arg_a) { gzip off; }"),
    ("if_is_evil", "location", "if ($arg_a) { rewrite ^ /x break; }"),
    ("allow_without_deny", "location", "allow 127.0.0.1;"),
    ("allow_without_deny", "location", "deny all; allow 127.0.0.1;"),
    ("parameter_twice", "location", "fastcgi_param DOCUMENT_URI /healthz;"),
    ("body_on_get", "server", "location = /x { include svc-fastcgi.conf; fastcgi_pass pool; }"),
    ("body_on_get", "location", "fastcgi_param CONTENT_LENGTH $content_length;"),
    ("tries", "http", "upstream one { server unix:/run/p max_fails=0; }"),
    ("tries", "http", "upstream kept { server unix:/run/p max_fails=0;"
     " server unix:/run/p max_fails=0; keepalive 4; }"),
    ("tries", "http", "upstream out { server unix:/run/p; server unix:/run/p max_fails=0; }"),
]


@pytest.mark.parametrize("rule, place, snippet", BAD, ids=[f"{b[0]}: {b[2]}" for b in BAD])
def test_the_checker_reports(tmp_path, rule, place, snippet):
    found = {finding.rule for finding in findings(tmp_path, **{place: snippet})}
    assert found == {rule}


def test_the_checker_has_a_bad_example_for_every_rule():
    assert {rule for rule, _, _ in BAD} == set(nginx_check.RULES)


@pytest.mark.parametrize("text", ["server {", "a b", "}", "a }", "; a", "'a", "include nothing;"])
def test_the_checker_refuses_invalid_syntax(tmp_path, text):
    file = tmp_path / "broken.conf"
    file.write_text(text)
    with pytest.raises(nginx_check.ConfigError):
        nginx_check.load(str(file))


@pytest.fixture
def front(stack):
    with Front(stack) as one:
        yield one


# ---- hosts ------------------------------------------------------------------------------------

# The pools that are asked where they are more than that of the route, or another.
ASKED = {"/healthz": "embed", "/readyz": "ready"}
# oembed-W10, by a secret of this test.
SIGNED_FILE = "/signed-files/{}/k1/{}/a/0/360p.mp4".format(
    base64.urlsafe_b64encode(hashlib.md5(b"secret 999999999999/a/0").digest()).decode().rstrip("="), "9" * 12)
# A path for each location, the roles that have it, and the pools that are asked; "file" is nginx itself, "ready" the
# host's own pools.
PATHS = [
    *((row["example"], row["hosts"], ASKED.get(row["pattern"], row["role"])) for row in public_routes()),
    ("/settings/other", ["app"], "web"), ("/medias/a/manage", ["embed"], "embed"), ("/oauth/tokens", ["api"], "grant"),
    ("/v1/other", ["api"], "grant"), ("/embed/other", ["embed"], "embed"),
    ("/assets/external/E-v1.js", ["embed"], "file"), ("/assets/player.js", ["embed"], "file"),
    ("/assets/player@1.js", ["embed"], "file"), ("/deliveries/clipmp4/360p.mp4", ["embed"], "file"),
    ("/files/a/360p.mp4", ["embed"], "file"), (SIGNED_FILE, ["embed"], "file"),
    ("/.well-known/acme-challenge/a", ROLES, "file"), ("/assets/site.css", ["app", "embed"], "file"),
    *((f"{row['pattern']}/{role}", ROLES, role) for row in routes() if row["role"] == "each" for role in POOLS),
]


def locations_of(server):
    """Returns a server's locations that a client can request, without nested ones and those that only take a slash away."""
    takes_a_slash_away = lambda d: d.args[0] == "=" and d.args[-1].endswith("/") and d.all("return")
    return {d.args[-1]: d for d in server.all("location")
            if (not d.args[-1].startswith("@") and d.args[-1] != "/" or d.args[0] == "=")
            and not takes_a_slash_away(d) and not d.all("internal")}


@pytest.mark.parametrize("site", SITES)
def test_operations_N8_each_host_has_exactly_the_paths_of_its_roles(tmp_path, site):
    """operations-N8: the table above contains every location of every server."""
    found = {}
    for server in nginx_check.blocks(load_shipped(tmp_path, site), "server"):
        (names,) = [d.args for d in server.all("server_name")]
        if names != ["_"] and locations_of(server):
            found[names[0]] = server
    assert list(found) == list(SERVERS[site])
    for host, server in found.items():
        expected = [path for path, roles, _ in PATHS if set(roles) & set(SERVERS[site][host])]
        known = set()
        for name, location in locations_of(server).items():
            exact = location.args[0] == "="
            if exact and location.all("return"):
                assert f"{name}/" in locations_of(server), f"{host} refuses {name}, which is no folder's name"
                continue
            # api-N1: the same path as `.json`.
            matching = [path for path in expected
                        if (name in (path, f"{path}.json") if exact else path.startswith(name))]
            assert matching, f"{host} has {name}, and the table does not know it"
            known |= set(matching)
        assert known == set(expected)


@pytest.mark.parametrize("site", [site for site in SITES if site != "tls"])
def test_operations_N8_a_host_answers_the_paths_of_its_roles_and_404_for_others(stack, site):
    (stack.directory / "nginx-file-secrets.conf").write_text("=k1 secret;\n")
    front = Front(stack, site)
    needs = {host["name"]: host["needs"].split() for host in tables()["hosts"]}
    (stack.directory / "media/a").mkdir(parents=True)
    (stack.directory / "media/a/360p.mp4").write_bytes(b"a")
    (stack.directory / "acme/.well-known/acme-challenge").mkdir(parents=True)
    (stack.directory / "acme/.well-known/acme-challenge/a").write_text("a.b")
    front.pools["grant"].answer = front.pools["web"].answer = lambda sent: "X-Svc-Account: 1\r\n\r\n"
    for path, roles, who in PATHS:
        for host, of_host in SERVERS[site].items():
            for pool in front.pools.values():
                pool.seen.clear()
            answer = front.nginx.request(path, host=host, headers={"X-Other": "a", "Remote-User": "admin"})
            asked = [name for name, pool in front.pools.items() if pool.seen]
            for sent in (one for pool in front.pools.values() for one in pool.seen):
                assert sent["REMOTE_USER"] == "" and "HTTP_X_OTHER" not in sent, (host, path)
            if set(roles) & set(of_host):
                pools = {"file": [], "ready": [name for name in POOLS if any(name in needs[role] for role in of_host)]}
                assert (answer.status, asked) == (200, pools.get(who, who.split())), (host, path)
            else:
                assert (answer.status, asked) == (404, []), (host, path)
                check_page(answer, "Page not found") if "html" in answer.header("content-type") else None
    for pool in front.pools.values():
        pool.close()


@pytest.mark.parametrize("words", [[], ["--tls"], ["--media-domains"], ["--certificate=/a/b.pem", "--key=/a/b.key"]])
def test_operations_N71_the_site_has_the_hosts_of_the_settings(words):
    settings = {"app-url": "https://APP.clips.example:8443", "base-url": "https://app.clips.example", "oembed-url":
                "https://oembed.clips.example", "embed-host": "https://clips.example", "service-domain": "clips.example",
                "short-domain": "c.example"}

    def svcctl(*more):
        return subprocess.run([BUILD / "svcctl", "--config", REPOSITORY / "systemd/svc.conf",
                               *(f"--{name}={value}" for name, value in settings.items()), "nginx", *words, *more],
                              capture_output=True, text=True, check=True).stdout
    text = svcctl()
    names = ["app.clips.example", "oembed.clips.example", "clips.example"]
    tls = "--tls" in words or len(words) > 1
    expected = ["_", *([" ".join(names)] if tls else []), *names]
    if "--media-domains" in words:
        expected[-1] += " *.clips.example c.example *.c.example"
    assert re.findall(r"(?m)^    server_name (.*);$", text) == expected
    assert svcctl("--names") == ",".join(" ".join(expected[-3:]).split()) + "\n"
    ports = ["80", "443", "80", *["443"] * 3] if tls else ["80"] * 4
    assert re.findall(r"listen ([^ ;]+)", text) == [listen for port in ports for listen in (port, f"[::]:{port}")]
    for directive, file in (("ssl_certificate", "/a/b.pem"), ("ssl_certificate_key", "/a/b.key")):
        assert re.findall(rf"(?m)^ +{directive} +(.*);$", text) == ([file] * 3 if len(words) > 1 else [])
    assert text.count("include svc/svc-certificate.conf;") == (3 if words == ["--tls"] else 0)
