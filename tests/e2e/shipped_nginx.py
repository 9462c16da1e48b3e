"""shipped_nginx: the files of nginx as the package has them, and its site as svcctl prints it, in a test's directory."""

import functools
import re
import subprocess
from pathlib import Path

from hosts import BUILD, ROLES

REPOSITORY = Path(__file__).resolve().parents[2]


def shipped(top=REPOSITORY):
    return sorted((top / "nginx").glob("*.conf"))


SHIPPED = shipped()
# The sites that the package had before svcctl printed one.
FORMER = sorted((REPOSITORY / "tests/data/nginx-sites").glob("*.conf"))
DOMAIN = "svc.example"
APP, API, OEMBED, EMBED = (f"{name}.{DOMAIN}" for name in ROLES)

# The sites of svcctl: its words, by name.
SITES = {
    "four": ["nginx"],
    "tls": ["nginx", "--tls"],
    "two": [f"--base-url=https://{APP}", f"--embed-host=https://{OEMBED}", "nginx"],
    "one": [*(f"--{setting}=https://{APP}" for setting in ("base-url", "oembed-url", "embed-host")), "nginx"],
}
# The names of each site's servers, and the roles of each.
SERVERS = {
    "four": {APP: ["app"], API: ["api"], OEMBED: ["oembed"], EMBED: ["embed"]},
    "two": {APP: ["app", "api"], OEMBED: ["oembed", "embed"]},
    "one": {APP: list(ROLES)},
}
SERVERS["tls"] = SERVERS["four"]


@functools.cache
def printed(site):
    """Returns the site as svcctl prints it for the shipped settings."""
    return subprocess.run([BUILD / "svcctl", "--config", REPOSITORY / "systemd/svc.conf", *SITES[site]],
                          capture_output=True, text=True, check=True).stdout


def put(directory, port, *, site="four", clear=None, text=None, change=lambda text: text, top=REPOSITORY):
    """Puts the files below directory/svc, as below /etc/nginx/svc, and the site, or `text`, as svc/site.conf, and returns
    its include directive. Only sockets, folders, logs, addresses (IPv4 only) and the certificate are changed, and what
    `change` does. `port` is that of TLS, if there is a port `clear`. `top` is the checkout that has the files."""
    target = directory / "svc"
    target.mkdir(exist_ok=True)
    (directory / "uploads").mkdir(exist_ok=True)  # in it nginx makes the folder `incoming`
    places = {"/run/svc-nginx-cache": f"{directory}/micro-cache", "/var/cache/svc-thumbnails": f"{directory}/thumbnails-cache",
              "/run/svc/": f"{directory}/", "/var/log/nginx/": f"{directory}/", "/var/lib/svc/": f"{directory}/", "/etc/svc/": f"{directory}/",
              "/etc/ssl/certs/": f"{directory}/", "/etc/ssl/private/": f"{directory}/",
              "/usr/share/svc/assets/": f"{top}/worker/pages/assets/",
              "/usr/share/svc/player/": f"{top}/nginx/player/dist/",
              "/usr/share/svc/demo": f"{top}/scripts/demo"}
    ports = {"80": clear or port, "443": port}
    for name, content in [*((file.name, file.read_text()) for file in shipped(top)), ("site.conf", text or printed(site))]:
        for old, new in places.items():
            content = content.replace(old, new)
        content = re.sub(r"(?m)^\s*listen \[::\]:.*\n", "", content)
        content = re.sub(r"(?m)^(\s*listen )(80|443)\b", lambda found: f"{found[1]}127.0.0.1:{ports[found[2]]}", content)
        (target / name).write_text(change(content))
    return f"include {target}/site.conf;"


def without_rates(text):
    return re.sub(r"(?m)^\s*limit_(req|conn) .*$", "", text)


def make_certificate(directory, *names):
    """Makes svc.pem and svc.key for the names, by default that of the web application."""
    names = names or (APP,)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", f"/CN={names[0]}", "-addext",
                    f"subjectAltName={','.join(f'DNS:{name}' for name in names)}", "-keyout", directory / "svc.key",
                    "-out", directory / "svc.pem"], check=True, capture_output=True)
