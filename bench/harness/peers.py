"""peers: alternatives to the service, each from its directory in bench/peers, on the same Redis, with as many
processes, behind one nginx of their own with as many workers as the service's. The oEmbed peers return the service's
bytes."""

import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import processes

from .service import BUILD

HERE = Path(__file__).resolve().parents[1] / "peers"

# The peers' names in figures.
RETURN, FASTCGI_CACHE = "nginx return", "nginx fastcgi_cache hit"
CONSTANT, ONE_GET, ACCEPT_LOOP = "responder, constant bytes", "responder, one GET", "FCGX_Accept_r loop, one GET"
PHP, NODE = "php-fpm + php-redis", "node + ioredis"
OIDC, OAUTH2 = "oidc-provider", "oauth2-server"

CLIENT = {"client_id": "bench", "client_secret": "bench-secret-0001-not-for-production"}
REDIRECT_URI = "https://client.example/callback"


def filled(template, **values):
    """The text of a .in file, with @NAME@ replaced; a name without a value is a mistake of ours."""
    return re.sub(r"@([A-Z_]+)@", lambda match: str(values[match.group(1)]), (HERE / template).read_text())


def quoted(body):
    """Escaped for single quotes in nginx's configuration."""
    text = body.decode()
    if "$" in text:
        raise processes.Failed("an answer with a $ cannot stand in nginx's configuration")
    return text.replace("\\", "\\\\").replace("'", "\\'")


def npm(name):
    """Installs the packages of a peer once, from its lockfile."""
    if not (HERE / name / "node_modules").is_dir():
        processes.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=HERE / name)
    return HERE / name


class Peers:
    """Those that were asked for, each with a URL and the processes that take part."""

    def __init__(self, started, directory, count, service, body=b"", head=b""):
        self.started, self.directory, self.count = started, Path(directory), count
        self.redis, self.redis_pids = service.redis_state, service.parts["Redis"]
        self.body, self.servers, self.urls, self.parts = body, [], {}, {}
        self.directory.mkdir(exist_ok=True)
        (self.directory / "body").write_bytes(body)
        (self.directory / "head").write_bytes(head)

    def serve(self, name, template, upstream="", workers=(), **values):
        port = processes.free_port()
        self.urls[name] = f"http://127.0.0.1:{port}"
        self.parts[name] = {"workers": list(workers), "Redis": self.redis_pids}
        self.servers.append(filled(template, PORT=port, NAME=upstream, **values))

    def log(self, name):
        return open(self.directory / f"{name}.log", "ab")

    def program(self, name, command):
        """A peer that makes its own socket. Returns the socket and its processes."""
        sock = self.directory / f"{name}.sock"
        with self.log(name) as log:
            process = self.started.start(command(sock), stdout=log, stderr=log)
        processes.wait_until(sock.exists, f"the peer {name} listens")
        return {"SOCKET": sock, "workers": [process.pid]}

    def node(self, name, server, count, more=()):
        """This number of processes of a server.js; the first gets the further arguments."""
        home = npm(server)
        sockets = [self.directory / f"{server}-{number}.sock" for number in range(count)]
        children = []
        for number, sock in enumerate(sockets):
            with self.log(server) as log:
                children.append(self.started.start(
                    ["node", "server.js", sock, self.redis, *(more if number == 0 else ())], cwd=home, text=True,
                    stdout=subprocess.PIPE, stderr=log, env={**os.environ, "NODE_ENV": "production"}))
        for child in children:
            if child.stdout.readline().strip() != "ready":
                raise processes.Failed(f"the peer {name} did not start; its log: {self.directory}/{server}.log")
        self.serve(name, "node/server.conf.in", server, [child.pid for child in children],
                   PROCESS_SOCKETS=" ".join(f"server unix:{sock};" for sock in sockets))

    # --- one function a peer ---

    def nginx_return(self):
        self.serve(RETURN, "nginx/return.conf.in", BODY_QUOTED=quoted(self.body))

    def responder(self):
        made = self.program("responder-constant", lambda s: [BUILD / "bench" / "responder", s, self.count,
                                                             self.directory / "head", self.directory / "body"])
        self.serve(CONSTANT, "responder/server.conf.in", "responder-constant", **made)

    def responder_get(self):
        made = self.program("responder-get", lambda s: [BUILD / "bench" / "responder", s, self.count,
                                                        self.directory / "head", self.directory / "body", self.redis])
        self.serve(ONE_GET, "responder/server.conf.in", "responder-get", **made)

    def fastcgi_cache(self):
        """Needs the responder."""
        self.serve(FASTCGI_CACHE, "nginx/fastcgi-cache.conf.in")

    def accept_loop(self):
        made = self.program("accept-loop", lambda s: [BUILD / "bench" / "accept_loop", s, self.count, self.redis,
                                                      "catalog:media:", self.directory / "body"])
        self.serve(ACCEPT_LOOP, "accept-loop/server.conf.in", **made)

    def php_fpm(self):
        config = self.directory / "php-fpm.conf"
        user = "user = root\ngroup = root" if os.geteuid() == 0 else ""
        config.write_text(filled("php-fpm/php-fpm.conf.in", DIR=self.directory, PROCESSES=self.count, USER=user))
        path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        fpm = shutil.which("php-fpm8.2", path=path) or shutil.which("php-fpm", path=path)
        if fpm is None:
            raise processes.Failed("php-fpm is not installed")
        root = ["-R"] if os.geteuid() == 0 else []
        made = self.program("php-fpm", lambda s: [fpm, *root, "-F", "-y", config])
        self.serve(PHP, "php-fpm/server.conf.in", **made, HERE=HERE / "php-fpm", REDIS=self.redis)

    def node_http(self):
        self.node(NODE, "node", self.count)

    def oidc_provider(self, refresh_tokens, codes):
        """The tokens, and the codes."""
        kept = self.directory / "oidc-provider.kept"
        self.node(OIDC, "oidc-provider", 2, [str(refresh_tokens), str(codes), str(kept)])
        lines = kept.read_text().split()
        return lines[:refresh_tokens], lines[refresh_tokens:]

    def oauth2_server(self):
        self.node(OAUTH2, "oauth2-server", 2)

    # ---

    def ready(self, names=None):
        """Starts their nginx, and waits until each answers."""
        config = self.directory / "peers-nginx.conf"
        config.write_text(filled("nginx/front.conf.in", DIR=self.directory, SERVERS="\n".join(self.servers),
                                 USER=processes.user_directive()))
        with self.log("peers-nginx") as log:
            nginx = self.started.start(["nginx", "-p", self.directory, "-c", config, "-e",
                                        self.directory / "peers-error.log"], stdout=log, stderr=log)
        for parts in self.parts.values():
            parts["nginx"] = [nginx.pid]
        for name in names or self.urls:
            processes.wait_until(lambda url=self.urls[name]: _listens(url), f"the peer {name} answers")
        return self

    def must_answer(self, path, body):
        """A peer must return the same bytes."""
        for name, url in self.urls.items():
            with urllib.request.urlopen(url + path, timeout=10) as answer:
                if answer.read() != body:
                    raise processes.Failed(f"the peer {name} does not give the service's answer")


def _listens(url):
    try:
        with urllib.request.urlopen(url, timeout=10):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
