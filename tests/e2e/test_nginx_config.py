"""The shipped nginx files: nginx accepts them, nginx_check finds no problem, and each host has its paths.

The checker is tested with configurations that it must flag, one per rule.
"""

import re
import subprocess

import pytest

import nginx_check
from hosts import public_routes
from nginx_front import API, APP, EMBED, OEMBED, POOLS, SHIPPED, SITES, Front, check_page, install
from processes import PATIENCE, free_port
from stack import HOSTS, REPOSITORY


# ---- the shipped files ------------------------------------------------------------------------


def make_certificate(directory):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=app.svc.example", "-keyout", directory / "svc.key",
                    "-out", directory / "svc.pem"], check=True, capture_output=True)


@pytest.mark.parametrize("site", SITES)
def test_operations_N1_nginx_accepts_the_files_without_a_warning(tmp_path, site):
    make_certificate(tmp_path)
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/main.log;\n"
        f"events {{}} http {{ gzip on; {install(tmp_path, free_port(), site=site)} }}\n")
    done = subprocess.run(["nginx", "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"),
                           "-e", "stderr"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr


@pytest.mark.parametrize("site", SITES)
def test_operations_N1_nginx_accepts_them_as_installed_on_Debian(tmp_path, site):
    """operations-N1: Debian's own nginx.conf, the files where README.md puts them, and a link in sites-enabled."""
    make_certificate(tmp_path)
    install(tmp_path, free_port(), site=site)
    (tmp_path / "modules-enabled").mkdir()
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "sites-enabled").mkdir()
    (tmp_path / "sites-enabled" / "svc").symlink_to(f"../svc/{site}")
    with open("/etc/nginx/nginx.conf", encoding="utf-8") as file:
        text = file.read()
    for old in ("/etc/nginx/", "/run/", "/var/log/nginx/"):
        text = text.replace(old, f"{tmp_path}/")
    text = text.replace(f"{tmp_path}/mime.types", "/etc/nginx/mime.types")
    assert f"include {tmp_path}/sites-enabled/*" in text
    (tmp_path / "nginx.conf").write_text(text)
    done = subprocess.run(["nginx", "-t", "-c", str(tmp_path / "nginx.conf"), "-e", "stderr"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and "[warn]" not in done.stderr, done.stderr


def load_shipped(tmp_path, site=SITES[0]):
    if not (tmp_path / "svc").exists():
        (tmp_path / "svc").symlink_to(REPOSITORY / "nginx")
    (tmp_path / "nginx.conf").write_text(f"events {{}} http {{ include svc/{site}; }}")
    return nginx_check.load(str(tmp_path / "nginx.conf"))


@pytest.mark.parametrize("site", SITES)
def test_operations_N1_the_checker_finds_nothing_in_the_files(tmp_path, site):
    assert [str(finding) for finding in nginx_check.check(load_shipped(tmp_path, site))] == []


def test_operations_N1_every_file_is_in_use(tmp_path):
    used, more = set(), set(SITES)
    while more:
        used |= more
        more = {name for file in more for name in re.findall(
            r"(?m)^[^#\n]*\binclude svc/(\S+);", (REPOSITORY / "nginx" / file).read_text())} - used
    assert used == {file.name for file in SHIPPED}
    loaded = {d.file.rsplit("/")[-1] for site in SITES for d in load_shipped(tmp_path, site).walk()}
    assert loaded - {"nginx.conf"} <= used


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_operations_N1_each_directive_has_a_comment_with_its_reason_and_default(file):
    """operations-N1: checked per paragraph, since several directives may share a comment."""
    for paragraph in re.split(r"\n\s*\n", file.read_text()):
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


PASS = "fastcgi_pass_request_body off; fastcgi_pass pool;"

CACHED = ("fastcgi_cache one; fastcgi_cache_key \"$request_method $host$uri?$args\"; fastcgi_cache_valid 200 1s;"
          " fastcgi_ignore_headers X-Accel-Expires Cache-Control Expires;")

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
    ("default_server", "http", "server { listen 81; server_tokens off; access_log /l svc; }"),
    ("default_server", "http", "server { server_tokens off; access_log /l svc; }"),
    ("version_disclosure", "http", "server { listen 80; access_log /l svc; }"),
    ("version_disclosure", "http", "server { listen 80; server_tokens on; access_log /l svc; }"),
    ("error_log_off", "server", "error_log off;"),
    ("log_device", "location", "error_log /dev/null emerg;"),
    ("allow_without_deny", "location", "allow 127.0.0.1;"),
    ("allow_without_deny", "location", "deny all; allow 127.0.0.1;"),
    ("return_bypasses_allow", "server", "location = /x { allow ::1; deny all; return 204; }"),
    ("secret_in_access_log", "http", "log_format bad '$remote_addr \"$request\"';"),
    ("secret_in_access_log", "http", "log_format bad '$request_uri';"),
    ("secret_in_access_log", "http", "log_format bad '$uri?${args}';"),
    ("secret_in_access_log", "http", "log_format bad '$uri?$query_string';"),
    ("secret_in_access_log", "http", "log_format bad $http_referer;"),
    ("secret_in_access_log", "http", "log_format bad '{\"to\":\"$sent_http_location\"}';"),
    ("secret_in_access_log", "http", "log_format bad $arg_code;"),
    ("secret_in_access_log", "location", "access_log /l;"),
    ("secret_in_access_log", "location", "access_log /l combined;"),
    ("secret_in_access_log", "http", "server { listen 80; server_tokens off; }"),
    ("secret_in_error_log", "location", "fastcgi_param HTTP_COOKIE $http_cookie;"),
    ("secret_in_error_log", "location",
     "error_log /l error; fastcgi_param HTTP_AUTHORIZATION $http_authorization;"),
    ("parameter_file", "server",
     f"location = /x {{ fastcgi_pass_request_headers off; {PASS} }}"),
    # A location's own parameter drops those that the server included.
    ("parameter_file", "server", "include svc-fastcgi.conf; "
     f"location = /x {{ fastcgi_param A b; {PASS} }}"),
    ("request_headers", "server",
     f"location = /x {{ include svc-fastcgi.conf; {PASS} fastcgi_pass_request_headers on; }}"),
    ("parameter_twice", "location", "fastcgi_param DOCUMENT_URI /healthz;"),
    ("body_on_get", "server", "location = /x { include svc-fastcgi.conf; fastcgi_pass pool; }"),
    ("body_on_get", "location", "fastcgi_param CONTENT_LENGTH $content_length;"),
    ("pass_variable", "server",
     "location = /x { include svc-fastcgi.conf; fastcgi_pass_request_body off;"
     " fastcgi_pass unix:/run/$arg_pool; }"),
    ("old_tls", "http", "ssl_protocols TLSv1.1 TLSv1.2;"),
    ("old_tls", "http", "server { listen 443 ssl default_server; server_tokens off; access_log /l svc; }"),
    ("redirect_to_any_host", "http",
     "server { listen 80; server_tokens off; access_log /l svc; return 301 https://$host$request_uri; }"),
    ("stale_cache", "location", "fastcgi_cache_use_stale updating;"),
    ("stale_cache", "http", "fastcgi_cache_lock on;"),
    ("stale_cache", "http", "fastcgi_cache one;"),
    ("stale_cache", "http", CACHED.replace("$request_method ", "")),
    ("stale_cache", "http", CACHED.replace("Cache-Control ", "")),
    ("stale_cache", "http", CACHED.replace("Expires;", "Expires Set-Cookie;")),
    ("stale_cache", "http", CACHED.replace("200 1s", "200 2s")),
    ("tries", "http", "upstream one { server unix:/run/p max_fails=0; }"),
    ("tries", "http", "upstream kept { server unix:/run/p max_fails=0;"
     " server unix:/run/p max_fails=0; keepalive 4; }"),
    ("tries", "http", "upstream out { server unix:/run/p; server unix:/run/p max_fails=0; }"),
]


@pytest.mark.parametrize("rule, place, snippet", BAD, ids=[f"{b[0]}: {b[2]}" for b in BAD])
def test_the_checker_reports(tmp_path, rule, place, snippet):
    found = {finding.rule for finding in findings(tmp_path, **{place: snippet})}
    # request_headers "on" after "off" repeats a directive, which nginx itself refuses.
    assert found == {rule}


def test_the_checker_accepts_a_correct_cache(tmp_path):
    assert findings(tmp_path, http=CACHED) == []


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
ASKED = {"/v1/medias": "grant upload", "/healthz": "embed", "/readyz": "ready"}
# A path for each location, the hosts that have it, and the pools that are asked; "file" is nginx itself, "ready" the
# host's own pools.
EVERY = (APP, API, OEMBED, EMBED)
PATHS = [
    *((row["example"], tuple(f"{host}.svc.example" for host in row["hosts"]), ASKED.get(row["pattern"], row["role"]))
      for row in public_routes()),
    ("/oembed.json?callback=a", (OEMBED,), "embed"), ("/settings/", (APP,), "web"), ("/medias/a/manage", (EMBED,), "embed"),
    ("/assets/external/E-v1.js", (EMBED,), "file"), ("/assets/external/frame-v1.css", (EMBED,), "file"),
    ("/deliveries/clipmp4/360p.mp4", (EMBED,), "file"), ("/files/a/360p.mp4", (EMBED,), "file"),
    ("/assets/site.css", (APP, EMBED), "file"), ("/assets/show-password.js", (APP, EMBED), "file"),
    *((f"/{what}/{role}", EVERY, role) for what in ("healthz", "readyz", "status", "metrics")
      for role in POOLS),
]
READY = {APP: "web upload", API: "grant upload", OEMBED: "embed", EMBED: "embed"}


def locations_of(server):
    """Returns a server's locations that a client can request, without nested ones."""
    return {d.args[-1]: d for d in server.all("location")
            if not d.args[-1].startswith("@") and d.args[-1] != "/" or d.args[0] == "=" if not d.all("internal")}


def servers_of(tmp_path, site):
    """Returns the servers that have our names and are not redirects, by name."""
    found = {}
    for server in nginx_check.blocks(load_shipped(tmp_path, site), "server"):
        names = [name for d in server.all("server_name") for name in d.args]
        if names != ["_"] and locations_of(server):
            assert len(names) == 1 and names[0] not in found, names
            found[names[0]] = server
    return found


@pytest.mark.parametrize("site", SITES[:2])
def test_operations_N8_each_host_has_exactly_the_paths_of_its_role(tmp_path, site):
    """operations-N8: the table above contains every location of every server."""
    servers = servers_of(tmp_path, site)
    assert set(servers) == {APP, API, OEMBED, EMBED}
    for host, server in servers.items():
        known = set()
        for name, location in locations_of(server).items():
            exact = location.args[0] == "="
            matching = [path for path, hosts, _ in PATHS if host in hosts and
                        (path.split("?")[0] == name if exact else path.startswith(name))]
            assert matching, f"{host} has {name}, and the table does not know it"
            known |= set(matching)
        assert known == {path for path, hosts, _ in PATHS if host in hosts}


def test_operations_N8_a_single_host_has_the_paths_of_all_four(tmp_path):
    one = servers_of(tmp_path, "svc-site-one.conf")
    assert set(one) == {APP}
    four = servers_of(tmp_path, "svc-site.conf").values()
    assert locations_of(one[APP]).keys() == set().union(*(locations_of(server) for server in four))


@pytest.mark.parametrize("site", [SITES[0], SITES[2]])
def test_operations_N8_a_host_answers_the_paths_of_its_role_and_404_for_others(stack, site):
    front = Front(stack, site)
    (stack.directory / "media/a").mkdir(parents=True)
    (stack.directory / "media/a/360p.mp4").write_bytes(b"a")
    for path, hosts, who in PATHS:
        for host in EVERY if site == SITES[0] else (APP,):
            for pool in front.pools.values():
                pool.seen.clear()
            answer = front.nginx.request(path, host=host)
            asked = [name for name, pool in front.pools.items() if pool.seen]
            if host in hosts or site != SITES[0]:
                pools = {"file": "", "ready": READY[host] if site == SITES[0] else " ".join(POOLS)}.get(who, who)
                assert (answer.status, asked) == (200, pools.split()), (host, path)
            else:
                assert (answer.status, asked) == (404, []), (host, path)
                check_page(answer, "There is nothing here") if "html" in answer.header("content-type") else None
    for pool in front.pools.values():
        pool.close()


def test_operations_N8_the_shipped_settings_have_the_hosts_of_nginx():
    settings = dict(re.findall(r"(?m)^([a-z-]+) = (.*)$", (REPOSITORY / "systemd/svc.conf").read_text()))
    assert {settings[key] for key in ("app-url", "base-url", "oembed-url", "embed-host")} == {
        f"https://{host}" for host in EVERY}
    assert all(host.split("://")[1].split(":")[0] in EVERY for host in (
        HOSTS[key] for key in ("app-url", "base-url", "oembed-url", "embed-host")))
