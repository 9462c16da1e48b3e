"""uploads: films made by ffmpeg, and applications that upload them."""

import http.client
import json
import secrets
import subprocess
import urllib.parse

from oauth_store import API, EVERYTHING, EVERYTHING_SECRET, Codes, exchange, tokens_of
from processes import PATIENCE, wait_until

BOUNDARY = "----svc-test-boundary"
ACCOUNT = 1002
EMBED = "embed.svc.example"


def make(path, *arguments):
    """Makes a file with ffmpeg."""
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments), str(path)], check=True, timeout=PATIENCE)
    return path


def film(path, *, seconds=3, size="320x180", more=()):
    return make(path, "-f", "lavfi", "-i", f"testsrc=size={size}:rate=25", "-f", "lavfi", "-i",
                "sine=frequency=440:sample_rate=44100", "-t", seconds, "-c:v", "libx264", "-preset", "ultrafast",
                "-pix_fmt", "yuv420p", "-c:a", "aac", *more)


def repeated(path, film_path, times):
    """Makes a long film of a short one, without encoding it again."""
    return make(path, "-stream_loop", times - 1, "-i", film_path, "-c", "copy")


def form(fields, file_name=None, data=b"", file_field="file"):
    """Returns the body of multipart/form-data."""
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
             for name, value in fields.items()]
    if file_name is not None:
        parts.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{file_field}"; filename="{file_name}"\r\n'
                     "Content-Type: application/octet-stream\r\n\r\n".encode() + data + b"\r\n")
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


class Application:
    """An application with a token of an account."""

    def __init__(self, stack, nginx, scopes="all:all", account=ACCOUNT, store=None):
        self.nginx = nginx
        code = Codes(stack, store).new(client=EVERYTHING, account=account, scopes=scopes,
                                contact=200_000 + secrets.randbelow(10**9), uri="http://127.0.0.1:9090/all")
        self.token = tokens_of(exchange(nginx, code, client_id=EVERYTHING, client_secret=EVERYTHING_SECRET,
                                        redirect_uri="http://127.0.0.1:9090/all"))["access_token"]

    def path(self, path="/v1/medias", **query):
        return f"{path}?{urllib.parse.urlencode({'access_token': self.token, **query})}"

    def post(self, body, path=None, headers=None):
        return self.nginx.request(path or self.path(), method="POST", host=API, body=body, headers={
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}", **(headers or {})})

    def upload(self, file, **fields):
        """Uploads a file; returns the media as the API has it."""
        answer = self.post(form(fields, file.name, file.read_bytes()))
        assert answer.status == 201, (answer.status, answer.body)
        media = json.loads(answer.body)
        assert answer.headers["location"].endswith(f"/v1/medias/{media['hashed_id']}")
        return media

    def media(self, media_id):
        answer = self.nginx.request(self.path(f"/v1/medias/{media_id}"), host=API)
        return json.loads(answer.body) if answer.status == 200 else None

    def wait(self, media_id, status="ready"):
        """Waits until the media has an end, which must be `status`; returns it."""
        def ended():
            media = self.media(media_id)
            return media if media and media["status"] in ("ready", "failed") else None
        media = wait_until(ended, f"{media_id} is processed", patience=5 * PATIENCE, pause=0.1)
        assert media["status"] == status, media
        return media

    def delete(self, media_id):
        return self.nginx.request(self.path(f"/v1/medias/{media_id}"), method="DELETE", host=API).status


class Sending:
    """An upload whose bytes are sent piece by piece."""

    def __init__(self, application, length):
        self.connection = http.client.HTTPConnection("127.0.0.1", application.nginx.port, timeout=PATIENCE)
        self.connection.putrequest("POST", application.path(), skip_host=True)
        for name, value in {"Host": API, "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
                            "Content-Length": length}.items():
            self.connection.putheader(name, value)
        self.connection.endheaders()

    def send(self, data):
        self.connection.send(data)

    def answer(self):
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def leave(self):
        self.connection.close()


def unique(directory, suffix=".mp4"):
    return directory / f"{secrets.token_hex(6)}{suffix}"
