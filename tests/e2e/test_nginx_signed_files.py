"""Files of media that only some viewers may watch: the shipped nginx, the markers in their folders, and signed addresses.
Rule oembed-W10."""

import base64
import hashlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import time
import urllib.parse

import pytest

import oembed_asking
from nginx_front import Front, check_refusal
from processes import PATIENCE, wait_until
from shipped_nginx import EMBED, REPOSITORY, make_certificate
from stack import EMBED_HOST, ended, program

FORBIDDEN, MISSING = {"error": "forbidden"}, {"error": "not found"}
HOUR, YEAR, MINUTE = 3600, "public, max-age=31536000, immutable", "private, max-age=60"
SEGMENT = bytes(range(256)) * 16
MANIFEST = b"#EXTM3U\n#EXTINF:4,\n720p/1.m4s\n" + b"#EXTINF:4,\n720p/2.m4s\n" * 20 + b"#EXT-X-ENDLIST\n"
# A file of each kind that svc-ingest makes: its content, and its type.
VIDEO = {"index.m3u8": (MANIFEST, "application/vnd.apple.mpegurl"), "720p/1.m4s": (SEGMENT, "video/mp4"),
         "720p/init.mp4": (SEGMENT[:700], "video/mp4"), "360p.mp4": (SEGMENT * 3, "video/mp4"), "1.ts": (SEGMENT, "video/mp2t"),
         "en.vtt": (b"WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n", "text/vtt"), "storyboard-1.jpg": (SEGMENT, "image/jpeg"),
         "original.mov": (SEGMENT, "application/octet-stream")}
PICTURES = ("poster.jpg", "poster-640x360.jpg", "still-1.png")
KEYS = {"k1": secrets.token_hex(32), "K.2_a-b": secrets.token_hex(32), "default": secrets.token_hex(32)}


def signature(end, folder, number, secret):
    digest = hashlib.md5(f"{secret} {end}/{folder}/{number}".encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


class Signed:
    """Signed addresses of a folder. Later changes by a test are not signed."""

    def __init__(self, folder="abc", number="0", key="k1", **how):
        self.end, self.folder, self.number, self.key = how.get("end", int(time.time()) + HOUR), folder, number, key
        self.signature = how.get("signature") or signature(self.end, folder, number, how.get("secret", KEYS.get(key)))

    def but(self, **changed):
        other = Signed(signature=self.signature)
        other.__dict__.update(self.__dict__ | changed)
        return other

    def path(self, name):
        return f"/signed-files/{self.signature}/{self.key}/{self.end}/{self.folder}/{self.number}/{name}"


class Media:
    """nginx with the shipped files, and folders of media."""

    def __init__(self, stack, **how):
        self.stack = stack
        self.secrets = stack.directory / "nginx-file-secrets.conf"
        if not self.secrets.exists():
            self.secrets.write_text("".join(f"={key} {secret};\n" for key, secret in KEYS.items()))
        for folder in ("abc", "def"):
            for name, (content, _) in VIDEO.items():
                self.put(folder, name, content)
            for name in PICTURES:
                self.put(folder, name, (REPOSITORY / "scripts/demo/deliveries/l4unchf1lm/poster.jpg").read_bytes())
        self.front = Front(stack, **how)
        self.nginx = self.front.nginx

    def put(self, folder, name, content=b""):
        file = self.stack.directory / "media" / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file

    def mark(self, *names, folder="abc"):
        for name in names:
            self.put(folder, name)

    def get(self, path, **how):
        return self.nginx.request(path if path.startswith("/") else f"/files/abc/{path}", host=EMBED, **how)

    def refused(self, path, status=403, **how):
        check_refusal(self.get(path, **how), status, {403: FORBIDDEN, 404: MISSING}[status])


@pytest.fixture
def media(stack):
    one = Media(stack)
    yield one
    one.front.__exit__()


def test_oembed_W10_one_marker_of_an_account_closes_all_folders_that_link_to_it(media):
    """Also on a connection that has the file already, and by links alone: a file that is a link stays a 404."""
    folders, marker = ("abc", "def"), media.stack.directory / "media/.accounts/7/.guarded"
    marker.parent.mkdir(parents=True)
    for folder in folders:
        media.mark(".guarded-0", folder=folder)
        (media.stack.directory / "media" / folder / ".guarded").symlink_to("../.accounts/7/.guarded")
    (media.stack.directory / "media/abc/linked.ts").symlink_to("1.ts")

    def statuses(*names):
        return {media.get(f"/files/{folder}/{name}").status for folder in folders for name in names}
    for closed in (False, True, False):
        if closed:
            marker.touch()
        else:
            marker.unlink(missing_ok=True)
        assert statuses(*VIDEO) == {403 if closed else 200}
        assert statuses(*PICTURES, "poster.jpg?image_crop_resized=640x360") == {200}
        assert {media.get(Signed(folder).path(name)).status for folder in folders for name in VIDEO} == {200}
        media.refused("linked.ts", 403 if closed else 404)
        for path in ("/files/.accounts/7/.guarded", "/files/abc/.guarded", Signed(".accounts").path("7/.guarded")):
            assert media.get(path).status in (403, 404)


# ---- signatures -------------------------------------------------------------------------------


def test_oembed_W10_a_signed_address_serves_the_same_as_the_plain_address(media):
    media.mark(".guarded-0", ".guarded")
    kept = ("content-type", "content-length", "content-disposition", "content-security-policy", "access-control-allow-origin",
            "access-control-expose-headers", "timing-allow-origin", "cross-origin-resource-policy", "x-content-type-options",
            "etag", "last-modified", "accept-ranges", "vary")
    for name, (content, kind) in VIDEO.items():
        media.refused(name)
        signed, plain = media.get(Signed().path(name)), media.get(f"/files/def/{name}")
        assert (signed.status, signed.body, signed.header("content-type")) == (200, content, kind), name
        assert (signed.header("cache-control"), plain.header("cache-control")) == (MINUTE, YEAR)
        for header in set(kept) - {"etag", "last-modified"}:
            assert signed.header(header) == plain.header(header), (name, header)
    for key in KEYS:
        assert media.get(Signed(key=key).path("1.ts")).status == 200


def test_oembed_W10_a_signed_address_has_ranges_conditions_and_HEAD(media):
    media.mark(".guarded-0", ".guarded")
    path = Signed().path("360p.mp4")
    part = media.get(path, headers={"Range": "bytes=10-19"})
    assert (part.status, part.body, part.header("content-range")) == (206, SEGMENT[10:20], f"bytes 10-19/{3 * len(SEGMENT)}")
    assert part.header("cache-control") == MINUTE
    assert media.get(path, headers={"Range": "bytes=99999-"}).status == 416
    head = media.get(path, method="HEAD")
    assert (head.status, head.body, head.header("content-length")) == (200, b"", str(3 * len(SEGMENT)))
    same = media.get(path, headers={"If-None-Match": head.header("etag")})
    assert (same.status, same.header("cache-control")) == (304, MINUTE)
    packed = media.get(Signed().path("index.m3u8"), headers={"Accept-Encoding": "gzip"})
    assert packed.header("content-encoding") == "gzip" and len(packed.body) < len(MANIFEST)
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        answer = media.get(path, method=method)
        assert (answer.status, answer.header("allow")) == (405, "GET, HEAD")
    # A refusal is one for HEAD and for a condition, too.
    wrong = Signed(number="1").path("360p.mp4")
    assert media.get(wrong, method="HEAD").status == 404
    assert media.get(wrong, headers={"If-None-Match": head.header("etag")}).status == 404
    assert media.get("360p.mp4", method="HEAD").status == 403
    assert media.get("360p.mp4", headers={"If-None-Match": head.header("etag"), "Range": "bytes=0-1"}).status == 403


def test_oembed_W10_a_link_that_has_ended_ends_its_addresses_alone(media):
    media.mark(".guarded-5", ".guarded", ".ended-17")
    media.refused(Signed(number="5-17").path("1.ts"))
    for number in ("5-18", "5"):
        assert media.get(Signed(number=number).path("1.ts")).status == 200, number
    media.refused(Signed(number="4-18").path("1.ts"), 404)
    for number in ("5", "5-18", "5-", "5-17-18"):
        media.refused(Signed(number="5-17").but(number=number).path("1.ts"))


def test_oembed_W10_only_the_signature_of_these_values_is_valid(media):
    for folder in ("abc", "def"):
        media.mark(".guarded-0", ".guarded-1", ".guarded", folder=folder)
    good, now = Signed(), int(time.time())
    other = {"a guess": good.but(signature="A" * 22), "truncated": good.but(signature=good.signature[:-1]),
             "extended": good.but(signature=good.signature + "A"), "a padding": good.but(signature=good.signature + "=="),
             "none": good.but(signature="-"), "other case": good.but(signature=good.signature.swapcase()),
             "a later end": good.but(end=good.end + 1), "an end of zeros": good.but(end=f"0{good.end}"),
             "no end": good.but(end="0"), "a large end": good.but(end="9" * 12), "a larger end": good.but(end="9" * 40),
             "a negative end": good.but(end="-1"), "an end of letters": good.but(end="never"),
             "another folder": good.but(folder="def"), "another number": good.but(number="1"),
             "a number of zeros": good.but(number="00"), "another key": good.but(key="K.2_a-b"),
             "an unknown key": good.but(key="k3"), "a part of a key": good.but(key="k"), "the map's word": good.but(key="include"),
             "a long key": good.but(key="k" * 33), "ended a second ago": Signed(end=now - 1), "ended in 1970": Signed(end=1),
             "the secret of another key": Signed(secret=KEYS["default"]), "another secret": Signed(secret="a" * 64)}
    # As an attacker would who knows that the secret of an unknown key is empty.
    for key in ("k3", "volatile", "", "=k1", "~k"):
        other[f"an empty secret of {key}"] = Signed(key=key, secret="")
    other["an empty secret"] = Signed(secret="")
    for name, each in other.items():
        answer = media.get(each.path("1.ts"))
        assert answer.status in ((400, 403) if "~" in name or "-1" in str(each.end) else (403,)), name
        check_refusal(answer, 403, FORBIDDEN)
    # The signature is valid for its own folder and number only.
    assert media.get(good.path("1.ts")).status == 200
    assert media.get(Signed(folder="def", number="1").path("1.ts")).status == 200
    for path in ("/signed-files/", "/signed-files/a", f"/signed-files/{good.signature}/1.ts",
                 good.path("").rstrip("/"), good.path(""), good.path("720p").replace("/0/720p", "")):
        media.refused(path)


def test_oembed_W10_nothing_is_signed_without_a_file_of_secrets(media):
    media.mark(".guarded-0", ".guarded")
    assert media.get(Signed().path("1.ts")).status == 200
    media.secrets.unlink()
    media.nginx.reload()
    media.refused(Signed().path("1.ts"))
    media.refused(Signed(secret="").path("1.ts"))
    assert media.get("/files/def/1.ts").status == 200


def test_oembed_W10_a_refusal_in_a_browser_is_a_page(media):
    media.mark(".guarded")
    for path in ("/files/abc/360p.mp4", Signed(end=1).path("360p.mp4")):
        check_refusal(media.get(path, headers={"Accept": "text/html"}), 403, "Open the page of the video again.")


def test_oembed_W10_a_signature_is_valid_over_HTTP_2(stack):
    make_certificate(stack.directory, EMBED)
    one = Media(stack, site="tls")
    one.mark(".guarded-0", ".guarded")

    def fetched(path):
        done = subprocess.run(["curl", "-sS", "--http2", "--path-as-is", "--cacert", stack.directory / "svc.pem", "--resolve",
                               f"{EMBED}:{one.front.tls_port}:127.0.0.1", "-o", stack.directory / "fetched", "-w",
                               "%{http_version} %{http_code}", f"https://{EMBED}:{one.front.tls_port}{path}"],
                              capture_output=True, text=True, check=True, timeout=PATIENCE)
        return done.stdout
    assert fetched(Signed().path("1.ts")) == "2 200" and (stack.directory / "fetched").read_bytes() == SEGMENT
    assert fetched("/files/abc/1.ts") == fetched(Signed(end=1).path("1.ts")) == "2 403"
    assert fetched(Signed(number="1").path("1.ts")) == fetched("/svc-signed/files/abc/1.ts") == "2 404"
    one.front.__exit__()


def test_oembed_W10_nginx_accepts_what_a_pool_signs(stack):
    """For a page of an allowed site: the address of the MP4 in the data, the addresses in the manifest, and the files that a
    playlist names relative to its own address."""
    folder = stack.directory / "media/r3str1cted"
    for name, (content, _) in VIDEO.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / ".guarded-0").touch()
    (folder / ".guarded").touch()
    nginx = oembed_asking.start(stack)
    at = "/files/r3str1cted/"
    oembed_asking.import_media(stack, "l4unchf1lm", id="r3str1cted", allowed_domains=["site.example"], thumbnail=None, assets=[
        {"type": "hls", "width": 1280, "height": 720, "bandwidth": 92672, "codecs": "avc1.4d401f,mp4a.40.2",
         "url": f"{at}index.m3u8"},
        {"type": "mp4", "width": 640, "height": 360, "bandwidth": 30000, "url": f"{at}360p.mp4"}])

    def get(url, **headers):
        assert url.startswith(EMBED_HOST), url
        return nginx.request(url.removeprefix(EMBED_HOST), host=EMBED, headers=headers)
    data = json.loads(get(f"{EMBED_HOST}/embed/medias/r3str1cted.json", Origin="https://site.example").body)
    assert "/signed-files/" in data["mp4"] and get(data["mp4"]).body == VIDEO["360p.mp4"][0]
    address, = re.findall(r"(?m)^[^#\n]+$", get(data["manifest"]).body.decode())
    playlist = urllib.parse.urljoin(data["manifest"], address)
    assert "/signed-files/" in playlist and get(playlist).body == MANIFEST
    segments = re.findall(r"(?m)^[^#\n]+$", MANIFEST.decode())
    assert get(urllib.parse.urljoin(playlist, segments[0])).body == SEGMENT
    assert get(EMBED_HOST + at + "720p/1.m4s").status == 403


# ---- the folder -------------------------------------------------------------------------------


def test_oembed_W10_a_signature_opens_no_other_folder(media):
    for folder in ("abc", "def"):
        media.mark(".guarded-0", ".guarded", folder=folder)
    media.put("abc", "%2e%2e", b"a name")
    (media.stack.directory / "media" / "secret.mp4").write_bytes(SEGMENT)
    (media.stack.directory / "media" / "abc" / "linked").symlink_to("../def")
    (media.stack.directory / "media" / "abc" / "link.mp4").symlink_to("../def/360p.mp4")
    good = Signed()
    for name in ("../def/1.ts", "..%2fdef/1.ts", "%2e%2e/def/1.ts", "%2e%2e%2fdef%2f1.ts", ".%2e/def/1.ts", "720p/../../def/1.ts",
                 "..//def/1.ts", "../secret.mp4", "../../../../../../etc/passwd", "..%5cdef%5c1.ts", "%252e%252e/def/1.ts",
                 "linked/1.ts", "link.mp4", "720p", "720p/", ".", "..", "none.ts", "1.ts%00", "1.ts%0a", "1.ts%3f", "1.ts/",
                 "1.ts/1.ts", "1.ts%2f..%2f..%2fdef%2f1.ts", "%0a/.guarded"):
        answer = media.get(good.path(name))
        assert answer.status in (400, 403, 404) and SEGMENT not in answer.body and b"root" not in answer.body, name
    # Spellings of a path within the folder.
    for name in ("720p/../1.ts", "1%2ets", "720p%2f1.m4s", "./1.ts", "720p//1.m4s", "/1.ts", "1.ts?a=b", "1.ts?/../def/1.ts"):
        assert media.get(good.path(name)).status == 200, name
    spelt = good.path("1.ts").replace("/k1/", "/%6b1/").replace("/abc/", "/%61bc/")
    assert media.get(spelt).status == media.get(good.path("1.ts").replace("/", "//")).status == 200
    # On another host, and paths that only nginx itself requests.
    assert media.nginx.request(good.path("1.ts"), host="app.svc.example").status == 404
    for path in ("/svc-signed/files/abc/1.ts", "/svc-signed/files/abc/poster.jpg", "/svc-poster/files/abc/poster.jpg"):
        media.refused(path, 404)


def test_oembed_W10_spellings_of_a_plain_path_are_refused_too(media):
    media.mark(".guarded-0", ".guarded", ".private")
    for path in ("/files/abc/1%2ets", "/files/%61bc/1.ts", "/files/abc%2f1.ts", "/files//abc//1.ts", "/files/def/../abc/1.ts",
                 "/files/def/%2e%2e/abc/1.ts", "/files/./abc/720p/../1.ts", "/fil%65s/abc/1.ts", "/deliveries/../files/abc/1.ts",
                 "/files/abc/none.ts", "/files/abc/", "/files/abc/720p/", "/files/abc/1.ts?a=b", "/files/abc/poster%2ejpg",
                 "/files/abc/./poster.jpg?image_crop_resized=70x70", "/files/abc/Poster.jpg", "/files/abc/720p/poster.jpg"):
        media.refused(path)


def test_oembed_W10_markers_are_never_served(media):
    media.mark(".guarded-0", ".guarded", ".private")
    media.put("abc", ".720p/1.ts", SEGMENT)
    media.put(".abc", "1.ts", SEGMENT)
    for name in (".guarded", ".guarded-0", ".private", ".720p/1.ts", "%2eguarded", "720p/%2e%2e/.guarded", "720p/../%2eprivate"):
        for path in (f"/files/abc/{name}", Signed().path(name)):
            media.refused(path, 404)
    media.refused("/files/.abc/1.ts", 404)
    media.refused(Signed(folder=".abc").path("1.ts"))


def test_oembed_W10_the_marker_of_a_number_ends_signatures_of_others(media):
    old, new = Signed(number="0"), Signed(number="1795819000123")
    media.mark(".guarded-0", ".guarded")
    assert [media.get(each.path("1.ts")).status for each in (old, new)] == [200, 404]
    media.mark(".guarded-1795819000123")
    (media.stack.directory / "media/abc/.guarded-0").unlink()
    assert [media.get(each.path("1.ts")).status for each in (old, new)] == [404, 200]
    (media.stack.directory / "media/abc/.guarded-1795819000123").unlink()
    assert [media.get(each.path("1.ts")).status for each in (old, new)] == [404, 404]
    # Without a guard the folder is open, also by a signature.
    (media.stack.directory / "media/abc/.guarded").unlink()
    assert [media.get(path).status for path in (old.path("1.ts"), new.path("1.ts"), "1.ts")] == [200, 200, 200]
    media.refused(old.but(end=old.end + 1).path("1.ts"))


# ---- posters, and caches after a change --------------------------------------------------------


def test_oembed_W10_posters_are_open_until_the_media_is_private(media):
    media.mark(".guarded-0", ".guarded")
    for name in PICTURES:
        answer = media.get(name)
        assert (answer.status, answer.header("cache-control")) == (200, YEAR)
        media.refused("storyboard-1.jpg")
    media.mark(".private")
    for name in PICTURES:
        media.refused(name)
        answer = media.get(Signed().path(name))
        assert (answer.status, answer.header("cache-control"), answer.header("content-disposition")) == (200, MINUTE, None)


def test_oembed_W10_crops_are_refused_before_their_cache(media):
    cache = media.stack.directory / "thumbnails-cache"
    cached = lambda: [file for file in cache.rglob("*") if file.is_file()]  # noqa: E731
    cropper = media.stack.start_thumbnails()
    crop, made = "poster.jpg?image_crop_resized=500x281", "poster.jpg?image_crop_resized=640x360"
    whole = (media.stack.directory / "media/abc/poster.jpg").read_bytes()
    public = media.get(crop)
    assert public.status == 200 and public.body != whole and public.header("cache-control") == "public, max-age=86400"
    wait_until(lambda: len(cached()) == 1, "the crop is in the cache", PATIENCE)
    media.mark(".guarded-0", ".guarded", ".private")
    for path in (crop, made, "poster.jpg?image_crop_resized=70x70"):
        media.refused(path)
        media.refused(path, headers={"If-None-Match": public.header("etag")})
    # All signatures share one crop: its name in the cache omits the signature.
    for each in (Signed(), Signed(end=int(time.time()) + 2 * HOUR)):
        signed = media.get(each.path(crop))
        assert (signed.status, signed.body, signed.header("cache-control")) == (200, public.body, MINUTE)
        same = media.get(each.path(crop), headers={"If-None-Match": signed.header("etag")})
        assert (same.status, same.header("cache-control")) == (304, MINUTE)
    assert len(cached()) == 1
    assert media.get(Signed().path(made)).header("cache-control") == MINUTE
    for each in (Signed(end=1), Signed(number="1"), Signed(secret="")):
        media.refused(each.path(crop), 404 if each.number == "1" else 403)
    # Without the process, only a signature gets the poster in place of a crop.
    cropper.stop()
    instead = media.get(Signed().path("poster.jpg?image_crop_resized=80x80"))
    assert (instead.status, instead.body, instead.header("cache-control")) == (200, whole, MINUTE)
    media.refused("poster.jpg?image_crop_resized=80x80")
    open_one = media.get("/files/def/poster.jpg?image_crop_resized=80x80")
    assert (open_one.status, open_one.header("cache-control")) == (200, "public, max-age=60")
    shutil.rmtree(media.stack.directory / "media/abc")
    media.refused(Signed().path(crop), 404)


def test_oembed_W10_a_hot_file_is_refused_as_soon_as_its_folder_is_guarded(media):
    """On connections that have it already, and by no cache of nginx's."""
    with socket.create_connection(("127.0.0.1", media.nginx.port), PATIENCE) as client, client.makefile("rb") as stream:
        def status(path):
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: {EMBED}\r\n\r\n".encode())
            got = int(stream.readline().split()[1])
            headers = dict(line.rstrip().lower().split(b": ", 1) for line in iter(stream.readline, b"\r\n"))
            stream.read(int(headers[b"content-length"]))
            return got
        hot = [*VIDEO, *PICTURES, "poster.jpg?image_crop_resized=640x360"]
        assert {status(f"/files/abc/{name}") for _ in range(3) for name in hot} == {200}
        media.mark(".guarded-0", ".guarded")
        assert [status(f"/files/abc/{name}") for name in hot] == [403] * len(VIDEO) + [200] * (len(hot) - len(VIDEO))
        media.mark(".private")
        assert {status(f"/files/abc/{name}") for name in hot} == {403}
        assert {status(Signed().path(name)) for name in hot} == {200}
        assert {status(f"/files/def/{name}") for name in hot} == {200}


# ---- logs -------------------------------------------------------------------------------------


def test_oembed_W10_no_log_has_a_signature(media):
    media.mark(".guarded-0", ".guarded")
    media.stack.start_thumbnails()
    unreadable = media.put("abc", "unreadable.ts", SEGMENT)
    unreadable.unlink()
    unreadable.symlink_to("1.ts")  # an error for nginx, as a missing permission is
    good = Signed()
    asked = [good.path("1.ts"), good.path("none.ts"), good.path("unreadable.ts"), good.path(".guarded"), good.path(""),
             good.path("poster.jpg?image_crop_resized=70x70"), good.path("poster.jpg?image_crop_resized=640x360"),
             good.but(end=good.end + 1).path("1.ts"), Signed(number="1").path("1.ts"), good.but(key="k3").path("1.ts"),
             good.path("1.ts").replace("/signed-files/", "/signed-files/a/"),
             good.path("1.ts").replace("/signed-files/", "/Signed-Files/"), f"/embed{good.path('1.ts')}",
             f"/medias/a{good.path('1.ts')}", f"/a%0a{good.path('1.ts')}", f"/files/abc{good.path('1.ts')}",
             f"/signed-files//a//{good.signature}", f"/signed-files/{good.signature}"]
    statuses = [media.get(path).status for path in asked]
    assert statuses[:2] == [200, 404] and statuses[5:10] == [200, 200, 403, 404, 403]
    media.get(good.path("1.ts"), method="POST")
    lines = media.front.access_log(len(asked) + 1)
    paths = [json.loads(line)["uri"] for line in lines]
    rest = f"k1/{good.end}/abc/0"
    assert paths[:5] == ["/svc-signed/files/abc/1.ts", "/svc-signed/files/abc/none.ts", "/svc-signed/files/abc/unreadable.ts",
                         f"/signed-files/-/{rest}/.guarded", "/signed-files/-"]
    assert paths[5:7] == ["/files/abc/poster-70x70.jpg", "/svc-signed/files/abc/poster-640x360.jpg"]
    assert paths[7:10] == [f"/signed-files/-/k1/{good.end + 1}/abc/0/1.ts", f"/signed-files/-/k1/{good.end}/abc/1/1.ts",
                           f"/signed-files/-/k3/{good.end}/abc/0/1.ts"]
    assert paths[10] == "/signed-files/-"
    for pool in media.front.pools.values():
        assert all(call["DOCUMENT_URI"].startswith(("/embed/", "/medias/")) for call in pool.seen)
    for file in [*media.stack.directory.glob("*.log"), *(media.stack.directory / "thumbnails-cache").rglob("*")]:
        if file.is_file():
            text = file.read_bytes()
            assert good.signature.encode() not in text, file
            assert not re.search(rb"secret|" + KEYS["k1"].encode(), text), file


# ---- keys -------------------------------------------------------------------------------------


def test_oembed_W10_a_rotation_of_the_keys_ends_no_signature(stack):
    stack.start_redis()
    stack.write_file_secrets()
    one = Media(stack)
    one.mark(".guarded-0", ".guarded")

    def known():
        return dict(re.findall(r"(?m)^=(\S+) (\S+);$", one.secrets.read_text()))

    def ids():
        return [line.partition(":")[0] for line in stack.watch_key_file.read_text().splitlines()]

    def rotate(*more):
        done = ended("svcctl", "--config", stack.config, "keys", "rotate", "--of", "watch", "--json", *more)
        assert done.returncode == 0, done.stderr
        for secret in known().values():
            assert secret not in done.stdout + done.stderr
        assert one.secrets.stat().st_mode & 0o7777 == stack.watch_key_file.stat().st_mode & 0o7777 == 0o600
        return json.loads(done.stdout)

    def statuses():
        return [one.get(Signed(key=key, secret=secret).path("1.ts")).status for key, secret in all_secrets.items()]

    all_secrets = known()
    old, = all_secrets
    assert statuses() == [200]
    assert rotate("--dry-run")["step"] == "would be added" and known() == all_secrets and ids() == [old]

    added = rotate()
    assert added["next"].startswith("reload nginx, then restart the embed, grant and web pools, then run")
    new, all_secrets = added["key"], {**all_secrets, added["key"]: known()[added["key"]]}
    assert known() == all_secrets and ids() == [old, new]
    assert statuses() == [200, 403], "nginx is to be reloaded before a pool signs with the new key"
    one.nginx.reload()
    assert statuses() == [200, 200]
    again = ended("svcctl", "--config", stack.config, "keys", "rotate", "--of", "watch")
    assert again.returncode == 1 and "keys rotate --of watch --activate" in again.stderr

    activated = rotate("--activate")
    assert (activated["key"], activated["former_keys"]) == (new, [old]) and ids() == [new, old]
    assert known() == all_secrets and statuses() == [200, 200]
    one.nginx.reload()
    assert statuses() == [200, 200]
    nothing = ended("svcctl", "--config", stack.config, "keys", "rotate", "--of", "watch", "--activate")
    assert nothing.returncode == 1 and "no key waits" in nothing.stderr
    # That of secrets is another one.
    assert stack.key_file.read_text().count("\n") == 1

    stack.watch_key_file.write_text(stack.watch_key_file.read_text().splitlines()[0] + "\n")
    stack.write_file_secrets()
    one.nginx.reload()
    assert statuses() == [403, 200]
    events = ended("svcctl", "--config", stack.config, "audit", "--json").stdout
    assert f"key {new} of watch-key-file" in events and all(secret not in events for secret in all_secrets.values())
    one.front.__exit__()


def test_oembed_W10_make_secrets_makes_the_keys_and_the_part_of_nginx(tmp_path):
    def make():
        subprocess.run([REPOSITORY / "systemd/make-secrets", tmp_path], check=True, timeout=PATIENCE,
                       env={**os.environ, "SVCCTL": program("svcctl")})
        return keys.read_text(), part.read_text()
    keys, part = tmp_path / "watch-keys", tmp_path / "nginx-file-secrets.conf"
    made = make()
    assert re.fullmatch(r"k1:[0-9a-f]{64}\n", made[0]) and re.search(r"\n=k1 [0-9a-f]{64};\n$", made[1])
    assert keys.stat().st_mode & 0o7777 == part.stat().st_mode & 0o7777 == 0o600
    assert made[0].partition(":")[2].strip() not in made[1]
    assert make() == made
    keys.write_text(f"k2:{'2' * 64}\n" + made[0])
    assert re.findall(r"(?m)^=(\S+) ", make()[1]) == ["k2", "k1"]


@pytest.mark.parametrize("text, wrong", [
    (f"k1:{'1' * 64}\nK1:{'2' * 64}\n", "the keys k1 and K1"), (f"k1:{'1' * 63}\n", "64 hex digits"), (None, "cannot open")],
    ids=["two that nginx cannot tell apart", "a short key", "no file"])
def test_oembed_W10_wrong_keys_are_refused_by_name(stack, text, wrong):
    stack.watch_key_file.unlink()
    if text:
        stack.watch_key_file.write_text(text)
        stack.watch_key_file.chmod(0o600)
    done = ended("svcctl", "--config", stack.config, "keys", "nginx")
    assert done.returncode == 1 and wrong in done.stderr and done.stdout == ""
    assert "1" * 60 not in done.stderr
