"""Cropped posters: the shipped nginx, and the nginx process that crops. Rule oembed-S8."""

import concurrent.futures
import os
import re
import signal
import socket
import struct
import subprocess
import time

import pytest

import nginx_check
import oembed_asking
from nginx_front import Front
from processes import PATIENCE, children_of, start, wait_until
from shipped_nginx import EMBED, OEMBED
from stack import REPOSITORY, Thumbnails

BEHIND_A_PROXY = "set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP;\n"
YEAR, DAY, MINUTE = "public, max-age=31536000, immutable", "public, max-age=86400", "public, max-age=60"


def draw(file, graph, *more):
    file.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", graph, *more, "-frames:v", "1", "-q:v", "3",
                    "-f", "image2", "-update", "1", "-c:v", "mjpeg", file], check=True, timeout=PATIENCE)


def size_of(jpeg):
    """The size in a JPEG's frame header (SOF0 to SOF2)."""
    at = 2
    while True:
        mark, kind, length = struct.unpack_from(">BBH", jpeg, at)
        assert jpeg[:2] == b"\xff\xd8" and mark == 0xff
        if 0xc0 <= kind <= 0xc2:
            height, width = struct.unpack_from(">HH", jpeg, at + 5)
            return width, height
        at += 2 + length


def size_in(picture):
    """The size of a picture of any kind."""
    done = subprocess.run(["ffprobe", "-v", "error", "-i", "pipe:0", "-show_entries", "stream=width,height", "-of", "csv=p=0"],
                          input=picture, capture_output=True, check=True, timeout=PATIENCE)
    return tuple(int(side) for side in done.stdout.decode().strip().split(",")[:2])


def colour_of(jpeg):
    """The average colour: red, green, blue."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-f", "image2pipe", "-c:v", "mjpeg", "-i", "pipe:0", "-vf",
                           "scale=1:1:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"],
                          input=jpeg, capture_output=True, check=True, timeout=PATIENCE)
    return tuple(done.stdout)


class Posters:
    """Both nginx, and one media with a poster of 1280x720: red, green in the middle third, blue."""

    def __init__(self, stack, *, limits=False, thumbnails=True):
        self.stack = stack
        self.folder = stack.directory / "media" / "abc"
        self.poster = self.folder / "poster.jpg"
        draw(self.poster, "color=red:s=426x720[a];color=lime:s=428x720[b];color=blue:s=426x720[c];[a][b][c]hstack=3")
        self.cropper = stack.start_thumbnails(limits=limits) if thumbnails else None
        self.front = Front(stack)
        self.nginx = self.front.nginx
        self.cache = stack.directory / "thumbnails-cache"

    def get(self, size, *, path="/files/abc/poster.jpg", **how):
        return self.nginx.request(f"{path}?image_crop_resized={size}", host=EMBED, **how)

    def change(self, name, old, new):
        """Changes a file of the installation, and reloads nginx."""
        file = self.stack.directory / "svc" / name
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))
        self.nginx.reload()

    def is_unchanged(self, answer):
        return answer.status == 200 and answer.body == self.poster.read_bytes()

    def cached(self):
        return [file for file in self.cache.rglob("*") if file.is_file()]

    def wait_for_cached(self, count):
        """nginx moves a crop into its cache after it has sent it."""
        wait_until(lambda: len(self.cached()) == count, f"{count} cached crops", PATIENCE)

    def results(self, lines):
        """The access log's path and result of the cache, by line."""
        return [tuple(re.search(rf'"{key}":"([^"]*)"', line)[1] for key in ("uri", "cache"))
                for line in self.front.access_log(lines)]


@pytest.fixture
def posters(stack):
    one = Posters(stack)
    yield one
    one.front.__exit__()


def test_oembed_S8_the_crop_has_the_requested_size(posters):
    for size in ((640, 360), (500, 281), (150, 100), (100, 300), (1, 1), (1280, 720), (1280, 10)):
        answer = posters.get("{}x{}".format(*size))
        assert (answer.status, size_of(answer.body)) == (200, size)
    assert answer.header("content-type") == "image/jpeg"
    assert answer.header("cache-control") == DAY
    assert answer.header("x-content-type-options") == "nosniff"
    assert answer.header("access-control-allow-origin") == "*"
    assert answer.header("cross-origin-resource-policy") == "cross-origin"
    assert answer.header("server") == "nginx" and b"nginx" not in answer.body


def test_oembed_S8_the_crop_is_the_middle(posters):
    for size in ("100x300", "40x90"):  # crops of the middle third
        red, green, blue = colour_of(posters.get(size).body)
        assert green > 220 and red < 30 and blue < 30, (size, red, green, blue)
    red, green, blue = colour_of(posters.get("640x100").body)  # the whole width
    assert min(red, green, blue) > 60


def test_oembed_S8_a_poster_is_never_enlarged(posters):
    assert posters.is_unchanged(posters.get("1920x1080"))
    assert size_of(posters.get("1500x100").body) == (1280, 100)


def test_oembed_S8_a_size_that_svc_ingest_made_is_its_file(posters):
    draw(posters.folder / "poster-640x360.jpg", "color=white:s=640x360")
    answer = posters.get("640x360")
    assert answer.body == (posters.folder / "poster-640x360.jpg").read_bytes()
    assert (answer.header("cache-control"), answer.header("content-disposition")) == (DAY, None)
    assert posters.is_unchanged(posters.nginx.request("/files/abc/poster.jpg", host=EMBED))
    assert posters.cached() == []
    assert posters.results(2)[0] == ("/files/abc/poster-640x360.jpg", "")


def test_oembed_S8_the_demonstration_has_crops_too(posters):
    path = "/deliveries/l4unchf1lm/poster.jpg"
    answer = posters.get("320x180", path=path)
    assert (answer.status, size_of(answer.body)) == (200, (320, 180))
    assert answer.header("cache-control") == "public, max-age=3600"
    whole = posters.nginx.request(path, host=EMBED)
    assert whole.body == (REPOSITORY / "scripts/demo" / path[1:]).read_bytes()


@pytest.mark.parametrize("name, graph", [
    ("still-1-0.jpg", "mandelbrot=s=4000x3000,noise=alls=8"), ("original.jpg", "mandelbrot=s=4000x3000,noise=alls=8"),
    ("original.png", "testsrc2=s=4000x3000"), ("original.webp", "testsrc2=s=4000x3000"), ("still-2-0.gif", "testsrc2=s=4000x3000")])
def test_oembed_S8_a_poster_that_its_owner_chose_is_cropped(posters, name, graph):
    """An uncropped photograph has several megabytes. The crop of a JPEG stays below 70 kB."""
    picture = posters.folder / name
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", graph, "-frames:v", "1", "-q:v", "4", "-update", "1",
                    picture], check=True, timeout=PATIENCE)
    answer = posters.get("640x360", path=f"/files/abc/{name}")
    assert (answer.status, size_in(answer.body)) == (200, (640, 360))
    if name.endswith(".jpg"):
        assert len(answer.body) < 70_000 < 1_000_000 < picture.stat().st_size, (len(answer.body), picture.stat().st_size)
    whole = posters.nginx.request(f"/files/abc/{name}", host=EMBED)
    assert whole.body == picture.read_bytes()
    assert whole.header("content-disposition") == ("attachment" if name.startswith("original") else None)


@pytest.mark.parametrize("name, status", [("original.png", 404), ("still-3-0.png", 200)])
def test_oembed_S8_an_upload_too_large_to_crop_is_never_sent_in_place_of_a_size(posters, name, status):
    """It has more than the 4 MB that the process takes. A still is made small."""
    picture = posters.folder / name
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=gray:s=1600x1200,noise=alls=100:allf=t", "-frames:v",
                    "1", "-pix_fmt", "rgb24", "-update", "1", picture], check=True, timeout=PATIENCE)
    assert picture.stat().st_size > 4 << 20
    answer = posters.get("640x360", path=f"/files/abc/{name}")
    assert answer.status == status
    if status == 404:
        assert len(answer.body) < 10_000
    else:
        assert answer.body == picture.read_bytes()
    assert posters.nginx.request(f"/files/abc/{name}", host=EMBED).body == picture.read_bytes()


def test_oembed_S8_any_other_value_is_the_unchanged_poster(posters):
    values = ["", "640", "640x", "x360", "0x0", "0x360", "640x0", "-640x360", "640x-360", "+640x360", "0640x360",
              "1921x100", "100x1921", "99999x99999", "999999999999999999999x1", "640X360", "640*360", "640x360x1",
              "640x360%20", "640%78360", "6%340x360", "640x360%00", "../640x360", "640x360/../..", "1e2x1e2", "640.0x360",
              "%0d%0aX-A:b", "/etc/passwd"]
    for value in values:
        answer = posters.get(value)
        assert posters.is_unchanged(answer) and answer.header("cache-control") == YEAR, value
    assert posters.cached() == [] and {*posters.results(len(values))} == {("/files/abc/poster.jpg", "")}


def test_oembed_S8_the_first_of_repeated_parameters_counts(posters):
    for query, size in (("100x50&image_crop_resized=60x60", (100, 50)), ("0x0&image_crop_resized=60x60", (1280, 720)),
                        ("60x60&a=b&width=9999", (60, 60))):
        assert size_of(posters.get(query).body) == size
    # The rest of the query does not make another file.
    posters.get("60x60&c=d")
    posters.wait_for_cached(2)
    assert [result for _, result in posters.results(4)] == ["MISS", "", "MISS", "HIT"]


def test_oembed_S8_no_other_file_is_cropped(posters):
    (posters.folder.parent / "linked").symlink_to(posters.folder)
    (posters.folder.parent / "link").mkdir()
    (posters.folder.parent / "link" / "poster.jpg").symlink_to(posters.poster)
    (posters.folder.parent / ".abc").mkdir()
    (posters.folder.parent / ".abc" / "poster.jpg").write_bytes(posters.poster.read_bytes())
    for path, status in (("/files/none", 404), ("/files/abc/../none", 404), ("/files/abc/x", 404), ("/files/..%2fabc", 404),
                         ("/files/%2e%2e/%2e%2e/keys", 400), ("/files/.abc", 404), ("/files/abc%0d%0aX-A:b", 404),
                         ("/files/linked", 404), ("/files/link", 404), ("/deliveries/none", 404),
                         ("/svc-poster/files/abc", 404)):
        answer = posters.get("100x100", path=path + "/poster.jpg")
        assert (answer.status, answer.header("cache-control")) == (status, "no-store"), path
        assert answer.header("x-a") is None and b"nginx" not in answer.body
    assert posters.cached() == []


def test_oembed_S8_a_poster_that_cannot_be_read_is_unchanged(posters):
    large = posters.poster.read_bytes().ljust(4_200_000, b"\0")
    for content in (b"", b"<script>alert(1)</script>" * 20, b"\xff\xd8\xff", b"\xff\xd8" + bytes(9000), large):
        posters.poster.write_bytes(content)
        answer = posters.get("100x100")
        assert posters.is_unchanged(answer) and answer.header("cache-control") == MINUTE
        assert answer.header("content-type") == "image/jpeg" and answer.header("x-content-type-options") == "nosniff"
        assert posters.cached() == [] and posters.cropper.alive()


def test_oembed_S8_the_second_request_is_served_from_the_cache(posters):
    first, second = posters.get("500x281"), posters.get("500x281")
    assert first.body == second.body
    posters.wait_for_cached(1)
    assert posters.results(2) == [("/files/abc/poster-500x281.jpg", result) for result in ("MISS", "HIT")]
    # Other query strings share it, and it outlives the process.
    posters.cropper.stop()
    assert posters.get("500x281&a=b").body == first.body


def test_oembed_S8_head_and_conditional_requests(posters):
    got = posters.get("500x281")
    for _ in range(2):
        head = posters.get("500x281", method="HEAD")
        assert (head.status, head.body, head.header("content-length")) == (200, b"", str(len(got.body)))
    for headers in ({"If-None-Match": got.header("etag")}, {"If-Modified-Since": got.header("last-modified")}):
        same = posters.get("500x281", headers=headers)
        assert (same.status, same.body, same.header("cache-control")) == (304, b"", DAY)
    other = posters.get("500x281", headers={"If-None-Match": '"other"'})
    assert (other.status, other.body) == (200, got.body)
    # A first request by HEAD, or with a condition, stores the whole crop.
    for width, how in ((71, {"method": "HEAD"}), (72, {"headers": {"If-None-Match": got.header("etag")}}),
                       (73, {"headers": {"Range": "bytes=0-9"}})):
        posters.get(f"{width}x70", **how)
    posters.wait_for_cached(4)
    files = [file.read_bytes() for file in posters.cached()]
    assert {size_of(file[file.index(b"\xff\xd8"):]) for file in files} == {(500, 281), (71, 70), (72, 70), (73, 70)}


def test_oembed_S8_other_methods_are_refused(posters):
    for method in ("POST", "PUT", "DELETE"):
        answer = posters.get("500x281", method=method, body=b"a")
        assert (answer.status, answer.header("allow")) == (405, "GET, HEAD")
    assert posters.cached() == []


def test_oembed_S8_the_poster_while_the_process_is_down(posters):
    posters.cropper.stop()
    answer = posters.get("500x281")
    assert posters.is_unchanged(answer) and answer.header("cache-control") == MINUTE
    assert posters.get("500x281", path="/files/none/poster.jpg").status == 404


def test_oembed_S8_the_poster_if_the_process_hangs(posters):
    assert posters.get("500x281").status == 200
    (worker,) = children_of(posters.cropper.pid)
    os.kill(worker, signal.SIGSTOP)
    try:
        with concurrent.futures.ThreadPoolExecutor(1) as client:
            waiting = client.submit(posters.get, "500x282")
            for _ in range(5):
                assert size_of(posters.get("500x281").body) == (500, 281), "what is cached does not wait"
                assert posters.nginx.request("/oembed?url=a", host=OEMBED).status == 200, "nor do other responses"
            assert not waiting.done()
            assert posters.is_unchanged(waiting.result())
    finally:
        os.kill(worker, signal.SIGCONT)


def test_oembed_S58_a_media_that_was_deleted_loses_its_crops(posters):
    """Also the crops that nginx has in its cache, and the sizes that svc-ingest made, if only they are left."""
    draw(posters.folder / "poster-640x360.jpg", "color=white:s=640x360")
    for size in ("500x281", "640x360"):
        assert posters.get(size).header("cache-control") == DAY
    posters.wait_for_cached(1)
    assert posters.get("500x281").status == 200
    posters.poster.unlink()
    for how in ({}, {"method": "HEAD"}, {"headers": {"If-None-Match": '"a"'}}):
        for size in ("500x281", "640x360", "70x70"):
            answer = posters.get(size, **how)
            assert (answer.status, answer.header("cache-control")) == (404, "no-store")


def test_oembed_S8_a_cached_crop_is_compared_with_its_poster(stack):
    one = Posters(stack)
    one.change("svc-media.conf", "proxy_cache_valid 200 1h;", "proxy_cache_valid 200 1s;")
    first = one.get("500x281")
    crop = "/files/abc/poster-500x281.jpg"

    def compared():
        assert one.get("500x281").body == first.body
        nonlocal asked
        asked += 1
        return one.results(asked)[-1] == (crop, "REVALIDATED")
    asked = 1
    wait_until(compared, "it has expired")
    assert {*one.results(asked)} <= {(crop, "MISS"), (crop, "HIT"), (crop, "REVALIDATED")}
    one.front.__exit__()


def test_oembed_S8_the_cache_evicts_the_least_recently_used_crops(stack):
    one = Posters(stack)
    one.change("svc-thumbnails-cache.conf", "max_size=256m", "max_size=64k")
    stack.programs.remove(one.nginx)
    one.nginx.stop()
    assert one.nginx.start_again()
    stack.add(one.nginx)
    for width in range(100, 160):
        one.get(f"{width}x100")
        one.get("99x99")

    def remaining():
        """None while the cache manager deletes files."""
        try:
            files = [(file.stat().st_blocks * 512, file.read_bytes()) for file in one.cached()]
        except FileNotFoundError:
            return None
        if sum(size for size, _ in files) > 64 * 1024:
            return None
        return {re.search(rb"KEY: (\S+)", content)[1].decode() for _, content in files}
    keys = wait_until(remaining, "the cache manager deletes files", PATIENCE)
    assert "/files/abc/poster-99x99.jpg" in keys and "/files/abc/poster-100x100.jpg" not in keys, keys
    assert size_of(one.get("100x100").body) == (100, 100), "it is made again"
    one.front.__exit__()


def test_oembed_S8_new_sizes_are_limited_by_address_and_cached_ones_are_not(stack):
    one = Posters(stack, limits=True)
    begun = time.monotonic()
    answers = [one.get(f"{width}x50") for width in range(100, 200)]
    seconds = time.monotonic() - begun
    made = [answer for answer in answers if len(answer.body) < 5000]
    assert 41 <= len(made) <= 41 + 5 * seconds + 1, (len(made), seconds)
    assert all(one.is_unchanged(answer) and answer.header("cache-control") == MINUTE
               for answer in answers if answer not in made)
    for _ in range(50):
        assert size_of(one.get("100x50").body) == (100, 50)
    one.front.__exit__()


def test_operations_N4_simultaneous_crops_count_by_network(stack):
    """As other limits do: by the /64 of an IPv6 address. The process that crops is a socket here, which does not answer."""
    one = Posters(stack, thumbnails=False)
    one.change("svc-media.conf", "svc_crops_at_once 128;", "svc_crops_at_once 1;")
    one.change("site.conf", "", BEHIND_A_PROXY)
    with socket.socket(socket.AF_UNIX) as cropper, concurrent.futures.ThreadPoolExecutor(2) as clients:
        cropper.bind(str(stack.directory / "thumbnails.sock"))
        cropper.listen(8)
        cropper.settimeout(PATIENCE)

        def ask(width, address):
            return one.get(f"{width}x70", headers={"X-Real-IP": address})
        waiting = [clients.submit(ask, 70, "2001:db8::1")]
        held = [cropper.accept()[0]]
        assert one.is_unchanged(ask(71, "2001:db8::2"))
        waiting.append(clients.submit(ask, 72, "2001:db8:0:1::1"))
        held.append(cropper.accept()[0])
        asked = [connection.recv(1000).split()[1] for connection in held]
        assert asked == [b"/files/abc/poster-70x70.jpg", b"/files/abc/poster-72x70.jpg"]
        for connection in held:
            connection.close()
        assert all(one.is_unchanged(answer.result()) for answer in waiting)
    one.front.__exit__()


def test_oembed_S8_all_addresses_together_are_limited(stack):
    one = Posters(stack, limits=True)
    one.change("site.conf", "", BEHIND_A_PROXY)
    begun = time.monotonic()
    answers = [one.get(f"{100 + n}x50", headers={"X-Real-IP": f"192.0.2.{n}"}) for n in range(150)]
    seconds = time.monotonic() - begun
    made = sum(len(answer.body) < 5000 for answer in answers)
    assert 61 <= made <= 61 + 20 * seconds + 1, (made, seconds)
    one.front.__exit__()


@pytest.mark.parametrize("poster, asked, size", [
    ((1280, 720), {}, (640, 360)), ((1280, 720), {"width": "1600"}, (1280, 720)),
    ((1280, 720), {"width": "2560"}, (1280, 720)), ((2560, 1440), {"width": "2560"}, (1920, 1080)),
    ((320, 320), {"width": "640.5"}, (320, 180)), ((640, 100), {"maxwidth": "640px"}, (178, 100))],
    ids=lambda value: str(value))
def test_the_picture_has_the_size_that_the_response_claims(stack, poster, asked, size):
    front = oembed_asking.start(stack)
    draw(stack.directory / "media/abc/poster.jpg", "testsrc2=s={}x{}".format(*poster))
    stack.start_thumbnails()
    oembed_asking.import_media(stack, "l4unchf1lm", thumbnail={
        "url": "/files/abc/poster.jpg", "width": poster[0], "height": poster[1]})
    answer = oembed_asking.document(oembed_asking.asking(front)(**asked))
    assert (answer["thumbnail_width"], answer["thumbnail_height"]) == size
    picture = front.request("/files/abc/poster.jpg?" + answer["thumbnail_url"].partition("?")[2], host=EMBED)
    assert (picture.status, size_of(picture.body)) == (200, size)


# ---- the configuration of the process -------------------------------------------------------------


def test_operations_N1_the_checker_finds_nothing_in_the_settings_of_the_process(stack):
    cropper = Thumbnails(stack.directory)
    text = cropper.config.read_text()
    assert [str(one) for one in nginx_check.check(nginx_check.load(str(cropper.config)))] == []
    assert text.count("listen ") == 1


def test_operations_N1_each_directive_of_the_process_has_a_reason_and_a_default():
    for paragraph in re.split(r"\n\s*\n", (REPOSITORY / "systemd/thumbnails.conf").read_text()):
        lines = [line.strip() for line in paragraph.splitlines()]
        if [line for line in lines if line and not re.match(r"#|\}|(server|http)\b.*\{", line)]:
            assert any(line.startswith("#") for line in lines) and "efault" in paragraph, paragraph


def test_operations_N1_the_process_takes_its_socket_from_systemd(stack):
    """svc-thumbnails.socket passes descriptor 3, and the unit names it in NGINX."""
    draw(stack.directory / "media/abc/poster.jpg", "testsrc2=s=1280x720")
    cropper = Thumbnails(stack.directory)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(cropper.socket))
        listener.listen(64)
        inode = os.stat(cropper.socket).st_ino

        # bash moves it to descriptor 3, as systemd does.
        process = start(
            ["bash", "-c", f'exec 3<&{listener.fileno()}; exec nginx -p "$0" -c "$1" -e stderr', cropper.home,
             cropper.config], pass_fds=(listener.fileno(),), env={**os.environ, "NGINX": "3;"})
        try:
            for _ in range(2):
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(PATIENCE)
                    client.connect(str(cropper.socket))
                    client.sendall(b"GET /files/abc/poster-200x100.jpg HTTP/1.0\r\n\r\n")
                    got = b""
                    while part := client.recv(65536):
                        got += part
                assert got.startswith(b"HTTP/1.1 200 ") and size_of(got[got.index(b"\r\n\r\n") + 4:]) == (200, 100)
        finally:
            process.send_signal(signal.SIGQUIT)
            assert process.wait(PATIENCE) == 0
        assert os.stat(cropper.socket).st_ino == inode, "it stays for the next start"
