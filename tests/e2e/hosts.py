"""hosts: the host of each path, for tests that do not set one; the roles of nginx/svc-server-*.conf."""

import re

# The first match counts; test_nginx_config.py compares this table with the files.
ROLE_OF_PATH = (
    (r"/oauth/authorize$", "app"), (r"/(oauth|v1|\.well-known)(/|$)", "api"),
    (r"/(embed|medias|m|deliveries|files|assets/external)(/|$)", "embed"),
    (r"/($|login$|logout$|settings(/|$)|embed-codes$|assets/)", "app"), ("", "oembed"))


def host_of(target, domain="svc.example"):
    """Returns the host, below that domain, on which the shipped nginx serves the path."""
    path = (target if isinstance(target, str) else target.decode("latin-1")).split("?")[0]
    return next(f"{role}.{domain}" for pattern, role in ROLE_OF_PATH if re.match(pattern, path))
