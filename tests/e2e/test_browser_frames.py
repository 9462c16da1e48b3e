"""Our frames in pages of others, in Chromium, with files on hosts of others.

The tests themselves are in tests/browser, for node. Here they get the service, and a server of files that knows nothing
of it: it sends CORS headers, as hls.js and captions need them, but no Cross-Origin-Resource-Policy.
"""

import contextlib
import http.server
import json
import re
import threading

import pytest

import node_suite
import stack as stacks
from processes import free_port
from test_browser import BROWSER

FILES = ("frames/frames.test.js",)
# With films that only pages of this port may show.
RESTRICTED = ("frames/domains.test.js",)
FOLDERS = re.compile("^/(signed-files/([^/]+/){4}[0-9-]+|files/[^/]+)/")


class Files(http.server.SimpleHTTPRequestHandler):
    """The demonstration's files, below a folder that begins with `/films`. Each folder of svc-ingest has all of them; signatures
    are not checked."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=str(stacks.REPOSITORY / "scripts" / "demo"))

    def translate_path(self, path):
        return super().translate_path(FOLDERS.sub("/deliveries/", path.removeprefix("/films"), count=1))

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def file_server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def elsewhere(media, host, name):
    """Returns the media under another id, with all of its files on that host."""
    files = [{**asset, "url": host + asset["url"]} for asset in media["assets"]]
    return {**media, "id": name, "name": f"On another host: {host}", "assets": files,
            "thumbnail": {**media["thumbnail"], "url": host + media["thumbnail"]["url"]}}


@pytest.fixture(scope="module")
def node_results(module_stack, tmp_path_factory):
    stack = module_stack
    lines = stacks.catalog_lines()
    media = {line["id"]: line for line in lines if line["kind"] == "media"}
    playlist = next(line for line in lines if line["kind"] == "playlist")
    with file_server() as port:
        lines += [elsewhere(media["l4unchf1lm"], f"http://films.localhost:{port}", "f0reignhls"),
                  elsewhere(media["mp4only001"], f"http://films.localhost:{port}", "f0reignmp4"),
                  elsewhere(media["l4unchf1lm"], f"http://my_files.example:{port}", "f0reignund"),
                  {**playlist, "id": "f0reignpla", "media_ids": ["l4unchf1lm", "f0reignund"]}]
        pages = free_port()
        lines += [{**stacks.with_own_files(media["l4unchf1lm"], "r3str1cted"),
                   "allowed_domains": [f"localhost:{pages}", f"http://127.0.0.1:{pages}", "capacitor://localhost"]},
                  {**playlist, "id": "r3str1ctpl", "media_ids": ["r3str1cted"]}]
        catalog = tmp_path_factory.mktemp("catalog") / "catalog.jsonl"
        catalog.write_text("".join(json.dumps(line) + "\n" for line in lines))
        # The other films of the catalog are on a third host, below a folder.
        base = node_suite.serve(stack, catalog, asset_base=f"http://assets.localhost:{port}/films")
        stack.start_pool(workers=3)
        yield {**node_suite.results(BROWSER, FILES, SVC_URL=base),
               **node_suite.results(BROWSER, RESTRICTED, SVC_URL=base, SVC_PAGES_PORT=str(pages))}


globals().update(node_suite.tests(BROWSER, (*FILES, *RESTRICTED)))
