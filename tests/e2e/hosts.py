"""hosts: which host a path is on, for clients that do not care: the roles of nginx/svc-server-*.conf."""

import re

# The first that matches; test_nginx_config.py compares it with the files.
ROLE_OF_PATH = (
    (r"/oauth/authorize$", "app"), (r"/(oauth|v1|\.well-known)(/|$)", "api"),
    (r"/(embed|medias|deliveries|assets/external)(/|$)", "embed"),
    (r"/($|login$|logout$|settings(/|$)|embed-codes$|assets/)", "app"), ("", "oembed"))


def host_of(target, domain="svc.example"):
    """The host, below that domain, that nginx as shipped answers that path on."""
    path = (target if isinstance(target, str) else target.decode("latin-1")).split("?")[0]
    return next(f"{role}.{domain}" for pattern, role in ROLE_OF_PATH if re.match(pattern, path))
