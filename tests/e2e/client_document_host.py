"""client_document_host: an https server on this machine, with client ID metadata documents."""

import http.server
import json
import ssl
import subprocess
import threading

from processes import PATIENCE

REDIRECTS = ["https://client.example/cb"]


class Host(http.server.ThreadingHTTPServer):
    """An https server. `pages`: by path, a function that gets the request's handler and responds. `name`: in its
    URLs; default: its address."""

    daemon_threads = True

    def __init__(self, folder, address=("127.0.0.1", 0), name=None):
        self.pages, self.asked = {}, []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):  # pylint: disable=invalid-name
                self.server.asked.append((self.path, dict(self.headers)))
                try:
                    self.server.pages[self.path](self)
                except OSError:
                    pass  # the courier has left
                self.close_connection = True

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        super().__init__(address, Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem", folder / "server.key")
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.name = name or f"127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """The courier may end a handshake: the test passes."""

    def url(self, path):
        return f"https://{self.name}{path}"

    def document(self, path, **more):
        return json.dumps({"client_id": self.url(path), "redirect_uris": REDIRECTS, **more}).encode()

    def has(self, path, body=None, *, status=200, **headers):
        """The page has that body, or a valid document, and these headers with _ for -."""
        content = self.document(path) if body is None else body

        def send(handler):
            handler.send_response(status)
            ours = {"Content-Type": "application/json", "Content-Length": str(len(content))}
            for name, value in (ours | {name.replace("_", "-"): value for name, value in headers.items()}).items():
                if value is not None:
                    handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(content)
        self.pages[path] = send
        return self.url(path)


def certificates(folder, names):
    """A CA, ca.pem, and a certificate of it for these names, server.pem."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", "-days", "2", "-subj", "/CN=CA of a test", *key, "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", "-subj", "/CN=server", *key, "-keyout", "server.key", "-out", "server.csr")
    (folder / "names").write_text(f"subjectAltName={names}\n")
    openssl("x509", "-req", "-days", "2", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-extfile", "names", "-out", "server.pem")
