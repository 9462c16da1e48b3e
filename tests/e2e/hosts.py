"""hosts: the paths of the service, as `svc-worker --print-routes` has them, and the host of each."""

import functools
import json
import os
import re
import subprocess
from pathlib import Path

BUILD = Path(os.environ.get("SVC_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"))
ROLES = ("app", "api", "oembed", "embed")


def with_paths(row):
    """Adds an example of a row's paths, and a regular expression of them (worker/http/router.h)."""
    pattern = row["pattern"]
    row["example"] = re.sub(r"\{\w+\}", "1", pattern.removesuffix("/**")).replace("*", "a")
    row["regex"] = re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(pattern)).replace(
        r"/\*\*", "(/.*)?").replace(r"\*", ".*"))
    # As in the router: no placeholder, then the most literal characters.
    row["rank"] = (not re.search(r"[{*]", pattern), len(re.sub(r"\{\w+\}|\*", "", pattern)))
    return row


@functools.cache
def tables():
    """Returns worker/app/routes.h: its "routes", best match first, its "files", which nginx serves, and its "hosts"."""
    found = json.loads(subprocess.run([BUILD / "svc-worker", "--print-routes"], capture_output=True, check=True).stdout)
    for name in ("routes", "files"):
        found[name] = sorted(map(with_paths, found[name]), key=lambda row: row["rank"], reverse=True)
    return found


def routes():
    return tables()["routes"]


def public_routes():
    return [row for row in routes() if row["hosts"]]


def hosts_of(target, domain="svc.example"):
    """Returns the hosts, below that domain, on which the shipped nginx serves the path; those of its folder if no route
    has it."""
    path = (target if isinstance(target, str) else target.decode("latin-1")).split("?")[0]
    first = path[1:].split("/")[0]
    row = next((row for row in (*tables()["files"], *routes()) if row["regex"].fullmatch(path)), None) or next(
        (row for row in routes() if first and row["pattern"][1:].split("/")[0] == first), {"hosts": []})
    found = ROLES if row.get("role") == "each" else row["hosts"]
    return [f"{host}.{domain}" for host in found]


def host_of(target, domain="svc.example"):
    """Returns the first of them; that of oEmbed if each host has the path, or none."""
    found = hosts_of(target, domain)
    return found[0] if 0 < len(found) < len(ROLES) else f"oembed.{domain}"
