"""hosts: the paths of the service, as `svc-worker --print-routes` has them, and the host of each."""

import functools
import json
import os
import re
import subprocess
from pathlib import Path

BUILD = Path(os.environ.get("SVC_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"))
ROLES = ("app", "api", "oembed", "embed")
# Files, which nginx serves itself.
FILES = {"assets": ["app", "embed"], "deliveries": ["embed"], "files": ["embed"]}


@functools.cache
def routes():
    """Returns a dictionary per row of worker/app/routes.cpp, with an `example` of its paths."""
    rows = json.loads(subprocess.run([BUILD / "svc-worker", "--print-routes"], capture_output=True, check=True).stdout)
    for row in rows:
        row["example"] = re.sub(r"\{\w+\}", "1", row["pattern"].removesuffix("/**")).replace("*", "a")
        row["regex"] = re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(row["pattern"])).replace(
            r"/\*\*", "(/.*)?").replace(r"\*", ".*"))
    return rows


def public_routes():
    return [row for row in routes() if row["hosts"]]


def hosts_of(target, domain="svc.example"):
    """Returns the hosts, below that domain, on which the shipped nginx serves the path; those of its folder if no route
    has it."""
    path = (target if isinstance(target, str) else target.decode("latin-1")).split("?")[0]
    first = path[1:].split("/")[0]
    if path.startswith("/assets/external/"):
        found = ["embed"]
    elif first in FILES:
        found = FILES[first]
    else:
        row = next((row for row in routes() if row["regex"].fullmatch(path)), None) or next(
            (row for row in routes() if first and row["pattern"][1:].split("/")[0] == first), {"hosts": [], "role": ""})
        found = ROLES if row["role"] == "each" else row["hosts"]
    return [f"{host}.{domain}" for host in found]


def host_of(target, domain="svc.example"):
    """Returns the first of them; that of oEmbed if each host has the path, or none."""
    found = hosts_of(target, domain)
    return found[0] if 0 < len(found) < len(ROLES) else f"oembed.{domain}"
