"""A private film in the programs of viewers: browsers, ffprobe, ffmpeg, VLC and yt-dlp, with a link and after its
end. The service is the shipped one, with svc-ingest and svc-keeper, which make what nginx needs to guard the files."""

import hashlib
import hmac
import json
import re
import shutil
import subprocess
import time

import pytest

import ctl_calls
import node_suite
import uploads
from processes import PATIENCE, wait_until
from test_browser import BROWSER
from test_clients import CLIENTS

FILES = ("frames/private.test.js",)


def curl(*words):
    """Returns status and body."""
    done = subprocess.run(["curl", "-sS", "-w", "\n%{http_code}", *words], capture_output=True, text=True, check=True,
                          timeout=PATIENCE)
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


class Film:
    """A film that was uploaded, and then became private."""

    def __init__(self, stack):
        self.stack = stack
        self.base = node_suite.serve(stack, host="localhost")
        for role in ("embed", "grant", "upload", "web"):
            stack.start_pool(role, roles=role)
        stack.start_ingest()
        stack.start_keeper()
        path = uploads.make(stack.directory / "film.mkv", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30", "-f",
                            "lavfi", "-i", "sine=frequency=440", "-t", 6, "-c:v", "libx264", "-preset", "ultrafast",
                            "-pix_fmt", "yuv420p", "-c:a", "aac")
        app = uploads.Application(stack, stack.nginx)
        self.id = app.upload(path, name="Private film")["hashed_id"]
        media = app.wait(self.id)
        self.files = [asset["url"] for asset in media["assets"]] + [media["thumbnail"]["url"]]
        manifest = curl(f"{self.base}/embed/medias/{self.id}.m3u8")[1]
        variant = next(line for line in manifest.splitlines() if line.startswith("http"))
        names = re.findall(r'^[^#\n]+$|URI="([^"]+)"', curl(variant)[1], re.M)
        segment = next(line for line in curl(variant)[1].splitlines() if line and not line.startswith("#"))
        assert names
        self.files += [variant, f"{variant.rpartition('/')[0]}/{segment}"]
        assert {curl("-o", "/dev/null", url)[0] for url in self.files} == {200}
        ctl_calls.ctl(stack, "media", "edit", self.id, "--visibility", "private")
        wait_until(lambda: curl("-o", "/dev/null", variant)[0] != 200, "svc-keeper guards the files")
        self.link = ctl_calls.said(stack, "media", "link", self.id, "--for", "1d")["token"]

    def ended(self):
        """A link that ended a second ago."""
        line = next(line for line in self.stack.watch_key_file.read_text().splitlines() if line and line[0] != "#")
        key = bytes.fromhex(line.partition(":")[2])
        mac = lambda secret, text: hmac.new(secret, text.encode(), hashlib.sha256)
        body = f"{int(time.time()) - 1}.{2**50}"
        of_links = mac(key, "link to a film").digest()
        return f"{body}.{mac(of_links, self.id + chr(10) + body).hexdigest()[:32]}"

    def manifest(self, link):
        return f"{self.base}/embed/medias/{self.id}.m3u8?watch={link}"

    def page(self, link):
        return f"{self.base}/medias/{self.id}?watch={link}"


@pytest.fixture(scope="module")
def film(module_stack):
    return Film(module_stack)


@pytest.fixture(scope="module")
def node_results(film):
    return node_suite.results(BROWSER, FILES, SVC_URL=film.base, SVC_MEDIA=film.id, SVC_WATCH=film.link,
                              SVC_ENDED=film.ended())


globals().update(node_suite.tests(BROWSER, FILES))


def test_clients_of_others_find_the_film_by_its_link_only(film):
    results = node_suite.results(CLIENTS, ["private.test.js"], SVC_URL=film.base, SVC_MEDIA=film.id, SVC_WATCH=film.link)
    assert len(results) == 2 and not any(results.values()), "".join(results.values())


def test_no_address_that_the_public_film_had_opens_the_private_one(film):
    for url in film.files:
        status, body = curl(url)
        assert status in (403, 404), url
        assert "Private film" not in body


def test_every_address_that_the_page_leads_to_opens_with_the_link(film):
    """Follows all addresses from page, frame, data and manifest: none opens without its signature."""
    pages = [film.page(film.link), f"{film.base}/embed/iframe/{film.id}?watch={film.link}",
             f"{film.base}/embed/medias/{film.id}.json?watch={film.link}", film.manifest(film.link)]
    found = set()
    for page in pages:
        status, body = curl(page)
        assert status == 200, page
        body = body.replace("&quot;", '"').replace("&amp;", "&").replace("\\/", "/")
        found |= {url for url in re.findall(rf"{re.escape(film.base)}[^\s\"'<>\\)]*", body) if film.id in url}
    files = {url for url in found if "/signed-files/" in url}
    assert {url.partition("?")[0].rpartition(".")[2] for url in files} >= {"m3u8", "mp4", "jpg"}, found
    assert not [url for url in found if "/files/" in url.replace("/signed-files/", "/")], found
    for url in files:
        assert curl("-o", "/dev/null", url)[0] == 200, url
        for other in (url.replace("/signed-files/", "/files/"), re.sub(r"/signed-files/[^/]+/[^/]+/[^/]+/", "/files/", url),
                      re.sub(r"/signed-files/[^/]+/[^/]+/[^/]+/(\w+)/[\d-]+/", r"/files/\1/", url)):
            assert curl("-o", "/dev/null", other)[0] in (403, 404), other
    for url in found - files:
        if "watch=" in url:
            bare = re.sub(r"[?&]watch=[^&]*", "", url)
            assert curl("-o", "/dev/null", bare)[0] in (401, 403), bare


def test_a_link_tells_how_often_a_frame_or_its_data_were_opened_with_it(film):
    made = ctl_calls.said(film.stack, "media", "link", film.id, "--for", "1d")
    data = f"{film.base}/embed/medias/{film.id}.json?watch={made['token']}"
    frame = f"{film.base}/embed/iframe/{film.id}?watch={made['token']}"
    # A page that has the film already, a HEAD request, and the page around a frame.
    for words in ([f"{data}&renewed"], ["--head", frame], [film.page(made["token"])]):
        assert curl("-o", "/dev/null", *words)[0] == 200, words
    for url in (frame, data, frame):
        assert curl("-o", "/dev/null", url)[0] == 200, url

    def openings():
        lines = ctl_calls.done(film.stack, "media", "links", film.id, "--json").splitlines()
        return next(each["openings"] for each in map(json.loads, lines) if each["link"] == made["link"])
    wait_until(lambda: openings() >= 3, "the openings are counted")
    assert openings() == 3


def frames(path):
    done = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v", "-show_entries",
                           "stream=nb_read_packets", "-of", "json", path], capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    streams = json.loads(done.stdout or "{}").get("streams", [])
    return int(streams[0]["nb_read_packets"]) if streams else 0


def test_ffmpeg_reads_the_whole_film_with_its_link_and_nothing_after_its_end(film, tmp_path):
    for link, expected in ((film.link, 180), (film.ended(), 0)):
        copy = tmp_path / f"{expected}.mkv"
        done = subprocess.run(["ffmpeg", "-v", "error", "-i", film.manifest(link), "-map", "0:p:0", "-c", "copy", copy],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (done.returncode == 0) == bool(expected), done.stderr
        if expected:
            assert frames(copy) >= expected
        else:
            assert "403" in done.stderr and not copy.exists()


def test_vlc_plays_the_film_with_its_link_and_nothing_after_its_end(film, tmp_path):
    # It refuses to run as root.
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents[:2]:
        parent.chmod(0o755)
    for link, plays in ((film.link, True), (film.ended(), False)):
        copy = tmp_path / f"{plays}.ts"
        subprocess.run(["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "env", f"HOME={tmp_path}",
                        "cvlc", "--no-sout-all", "--play-and-exit", "--sout",
                        f"#std{{access=file,mux=ts,dst={copy}}}", film.manifest(link), "vlc://quit"],
                       capture_output=True, timeout=PATIENCE, check=False)
        assert (frames(copy) >= 150 if plays else not copy.exists() or frames(copy) == 0), link


@pytest.mark.parametrize("where", ["page", "manifest"])
def test_yt_dlp_saves_the_film_with_its_link_and_nothing_after_its_end(film, tmp_path, where):
    for link, saved in ((film.link, True), (film.ended(), False)):
        folder = tmp_path / str(saved)
        done = subprocess.run(["yt-dlp", "--no-cache-dir", "--no-playlist", "-P", folder, "-o", "film.%(ext)s",
                               getattr(film, where)(link)], capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        assert (done.returncode == 0) == saved, done.stdout + done.stderr
        files = list(folder.glob("film.*")) if folder.exists() else []
        assert [frames(path) >= 180 for path in files] == ([True] if saved else []), done.stdout
        if not saved:
            assert "403" in done.stderr
