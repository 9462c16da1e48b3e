"""Uploads: from a file to a playing embed, by an application's token, as shipped; and processes that die during an upload."""

import contextlib
import json
import os
import re
import signal
import subprocess
import urllib.parse
from pathlib import Path

import pytest

from ctl_calls import ctl, said
from oauth_store import API
from processes import PATIENCE, children_of, wait_until
from stack import Ingest, is_sanitized
from uploads import ACCOUNT, EMBED, Application, Sending, film, form, make, unique
from user_agent import Browser


@pytest.fixture(scope="module")
def service(module_stack):
    module_stack.import_catalog()
    module_stack.start_pool("grant", roles="grant")
    module_stack.start_pool("embed", roles="embed")
    module_stack.start_pool("web", roles="web")
    module_stack.upload = module_stack.start_pool("upload", roles="upload")
    module_stack.nginx = module_stack.start_shipped_nginx(micro_cache=False)
    module_stack.ingest = module_stack.start_ingest()
    return module_stack


@pytest.fixture(scope="module")
def app(service):
    return Application(service, service.nginx)


@pytest.fixture(scope="module")
def clip(service):
    return film(unique(service.directory))


def fetch(service, url):
    """Returns a file of a media; `url` is absolute or a path."""
    path = urllib.parse.urlsplit(url).path
    answer = service.nginx.request(path, host=EMBED)
    assert answer.status == 200, (path, answer.status)
    return answer


def leftovers(service):
    """Files of uploads that are not media yet, and folders in work."""
    uploads = [path for path in (service.directory / "uploads").rglob("*") if path.is_file()]
    work = [path for path in (service.directory / "media" / ".work").glob("*/*")]
    return uploads + work


def test_an_upload_becomes_a_media_that_plays(service, app, clip):
    media = app.upload(clip, name="My film", description="<p>Words</p>")
    assert (media["status"], media["progress"], media["name"]) == ("queued", 0, "My film")
    assert media["embedCode"] is None
    ready = app.wait(media["hashed_id"])
    assert (ready["progress"], ready["type"], ready["description"]) == (1, "Video", "<p>Words</p>")
    assert ready["duration"] == pytest.approx(3, abs=0.2)
    assert media["hashed_id"] in ready["embedCode"]
    assert {asset["type"] for asset in ready["assets"]} == {"hls", "mp4", "storyboard"}
    assert not any(asset["width"] > 320 for asset in ready["assets"] if "width" in asset)
    storyboard = next(asset["url"] for asset in ready["assets"] if asset["type"] == "storyboard")
    assert fetch(service, storyboard).body.startswith(b"WEBVTT")
    # The manifest, each media playlist, each segment.
    manifest = fetch(service, f"/embed/medias/{media['hashed_id']}.m3u8").body.decode()
    assert re.search(r'CODECS="avc1\.[0-9a-f]{6},mp4a\.40\.2"', manifest), manifest
    for url in re.findall(r"(?m)^https?://\S+$", manifest):
        answer = fetch(service, url)
        assert answer.headers["content-type"] == "application/vnd.apple.mpegurl"
        folder = urllib.parse.urlsplit(url).path.rpartition("/")[0]
        names = re.findall(r'(?m)^[^#\n]\S*$|URI="([^"]+)"', answer.body.decode())
        assert names
        for name in re.findall(r"(?m)^[^#\n]\S*$", answer.body.decode()):
            assert fetch(service, f"{folder}/{name}").body
    poster = fetch(service, ready["thumbnail"]["url"])
    assert poster.headers["content-type"] == "image/jpeg" and poster.body.startswith(b"\xff\xd8")
    oembed = service.nginx.request(
        f"/oembed?url={urllib.parse.quote('https://svc.localhost/medias/' + media['hashed_id'], safe='')}",
        host="oembed.svc.example")
    assert oembed.status == 200 and json.loads(oembed.body)["title"] == "My film"
    wait_until(lambda: not leftovers(service), "nothing is left of the upload")


def test_a_repeated_upload_makes_one_media(service, app, clip):
    body = form({"name": "Once"}, clip.name, clip.read_bytes())
    before = service.redis_state.command("KEYS", "catalog:media:*")
    first = app.post(body, headers={"Idempotency-Key": "once"})
    assert first.status == 201, first.body
    for forged in ({}, {"X-Svc-Grant": "f" * 32, "Upload-Grant": "f" * 32}):
        again = app.post(body, headers={"Idempotency-Key": "once", **forged})
        assert (again.status, again.body) == (201, first.body), forged
        assert again.header("location") == first.header("location")
    other = app.post(form({"name": "Twice"}, clip.name, clip.read_bytes()), headers={"Idempotency-Key": "once"})
    assert (other.status, list(json.loads(other.body)["errors"])) == (422, ["Idempotency-Key"])
    assert len(service.redis_state.command("KEYS", "catalog:media:*")) == len(before) + 1
    app.wait(json.loads(first.body)["hashed_id"])
    wait_until(lambda: not leftovers(service), "nothing is left of the repetitions")


def test_captions_of_2_mib_pass_nginx_and_stay_when_the_upload_is_converted(service, app, clip):
    cue = "00:00:01,000 --> 00:00:02,000\n" + "Zwölf Boxkämpfer <b>jagen</b> Eva & " * 40 + "\n\n"
    whole = (cue * (2_000_000 // len(cue.encode()))).encode()
    # With sanitizers, while other tests run, a worker takes minutes for the whole.
    text = whole[:200_000].rpartition(b"\n\n")[0] if is_sanitized("svc-worker") else whole
    media = app.upload(clip)["hashed_id"]
    path = f"/v1/medias/{media}/captions"
    answer = app.post(form({"language": "de"}, "de.srt", text, "caption_file"), app.path(path))
    assert answer.status == 201, (answer.status, answer.body[:500])
    assert app.post(form({"language": "fr"}, "fr.srt", whole * 2, "caption_file"), app.path(path)).status == 413
    ready = app.wait(media)
    (track,) = [asset for asset in ready["assets"] if asset["type"] == "captions"]
    url = urllib.parse.urlsplit(track["url"])
    shown = service.nginx.request(f"{url.path}?{url.query}", host=EMBED)
    assert shown.status == 200 and shown.headers["access-control-allow-origin"] == "*"
    assert shown.headers["content-type"] == "text/vtt; charset=utf-8"
    assert shown.body.decode().count("Zwölf") == text.decode().count("Zwölf")
    assert len(json.loads(service.nginx.request(app.path(f"{path}/de"), host=API).body)["text"]) > 0.925 * len(text)
    manifest = fetch(service, f"/embed/medias/{media}.m3u8").body
    assert b"SUBTITLES" not in manifest and b"captions" not in manifest
    assert app.delete(media) == 204
    assert not service.redis_state.command("EXISTS", f"catalog:captions:{media}")
    assert service.nginx.request(f"{url.path}?{url.query}", host=EMBED).status == 404


def test_a_file_of_another_kind_fails_with_a_reason(service, app):
    path = unique(service.directory)
    path.write_text("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n")
    media = app.wait(app.upload(path)["hashed_id"], "failed")
    assert media["failure"] and media["embedCode"] is None, media
    assert str(service.directory) not in media["failure"]
    assert (service.directory / "uploads" / media["hashed_id"]).exists(), "svcctl jobs retry needs it"
    assert app.delete(media["hashed_id"]) == 204
    wait_until(lambda: not leftovers(service), "nothing is left")
    assert service.ingest.alive()


def test_operations_U3_a_media_is_added_and_deleted_by_svcctl(service, clip):
    media = said(service, "media", "add", str(clip), "--account", "1002", "--name", "By hand")
    assert (media["status"], media["type"], media["name"]) == ("ready", "Video", "By hand")
    assert clip.exists()
    uploads = lambda: service.redis_state.command("ZRANGE", "ingest:uploads:1002", 0, -1)
    assert media["hashed_id"] in uploads()
    folder = service.directory / "media" / media["hashed_id"]
    assert folder.is_dir()
    assert ctl(service, "media", "delete", media["hashed_id"], "--yes").returncode == 0
    wait_until(lambda: not folder.exists(), "the files are deleted")
    assert media["hashed_id"] not in uploads()
    text = unique(service.directory, ".txt")
    text.write_text("no film")
    for words, why in ((("/nonexistent", "--account", "1002"), "/nonexistent: No such file"),
                       ((str(clip), "--account", "7"), "there is no account 7"),
                       ((str(text), "--account", "1002"), "failed: ")):
        refused = ctl(service, "media", "add", *words)
        assert refused.returncode == 1 and why in refused.stderr, refused
    job = said(service, "jobs", "list")
    assert job["status"] == "failed" and job["reason"] in refused.stderr
    assert ctl(service, "jobs", "retry", job["hashed_id"]).returncode == 0
    wait_until(lambda: said(service, "media", "show", job["hashed_id"])["status"] == "failed", "it fails again")
    assert ctl(service, "media", "delete", job["hashed_id"], "--yes").returncode == 0
    wait_until(lambda: ctl(service, "jobs", "list").stderr == "no jobs\n", "its job ends with the media")


def test_operations_P65_the_bytes_of_an_account_s_files_are_limited_and_counted(stack):
    limit = 4_000_000
    stack.import_catalog()
    grant = stack.start_pool("grant", roles="grant", bytes_per_account=limit)
    stack.start_pool("upload", roles="upload")
    nginx = stack.start_shipped_nginx(micro_cache=False)
    ingest = stack.start_ingest()
    one = Application(stack, nginx)
    path = film(unique(stack.directory))

    def counted():
        return said(stack, "account", "show", "1002")["upload_bytes"]

    def files(folder):
        return sum(each.stat().st_size for each in (stack.directory / folder).rglob("*") if each.is_file())

    ready = one.wait(one.upload(path)["hashed_id"])
    wait_until(lambda: counted() == files(f"media/{ready['hashed_id']}") > path.stat().st_size, "its files count")
    text = unique(stack.directory, ".txt")
    text.write_text("no film" * 1000)
    failed = one.wait(one.upload(text)["hashed_id"], "failed")
    kept = files("uploads")
    before = files("media") + kept
    assert counted() == before
    refused = one.post(form({}, "large.mp4", bytes(limit - before + 1)))
    assert (refused.status, json.loads(refused.body)["error_description"]) == (507, (
        f"The files of the account's uploads take {before} bytes, and {limit} are allowed. Delete some uploads, or ask "
        "the operator of this service."))
    assert 'svc_server_errors_total{pool="grant",endpoint="/v1/medias",status="507"} 1' in (
        grant.request("/metrics").body.decode())
    assert counted() == before and files("uploads") == kept
    # An operator has moved files, there and back. In the list is a media that was deleted, too.
    moved = stack.directory / "media" / ready["hashed_id"] / "moved.mp4"
    moved.write_bytes(bytes(limit))
    assert said(stack, "media", "recount")["changed"] == 1
    assert one.post(form({}, "small.mp4", b"x")).status == 507
    moved.unlink()
    stack.redis_state.command("ZADD", "ingest:bytes:1002", 1, "gone000001")
    assert said(stack, "media", "recount")["changed"] == 2
    assert counted() == before
    for media in (ready, failed):
        assert one.delete(media["hashed_id"]) == 204
    assert counted() == 0
    # A worker that ends halfway through a deletion leaves the count to svc-ingest.
    stack.redis_state.command("ZADD", "ingest:bytes:1002", limit, "halfway001")
    stack.redis_state.command("XADD", "ingest:deletions", "*", "media", "halfway001", "account", 1002)
    wait_until(lambda: counted() == 0, "it is taken back")
    assert ingest.alive()


def test_an_account_ends_with_its_films(stack):
    stack.import_catalog()
    for pool in ("grant", "embed", "upload"):
        stack.start_pool(pool, roles=pool)
    nginx = stack.start_shipped_nginx(micro_cache=False)
    stack.start_ingest()
    one = Application(stack, nginx)
    media = one.wait(one.upload(film(unique(stack.directory)))["hashed_id"])["hashed_id"]
    page = f"/embed/medias/{media}.json"
    assert nginx.request(page, host=EMBED).status == 200
    one.post(form({}, "text.txt", b"no film"))
    ended = said(stack, "account", "delete", str(ACCOUNT), "--yes")
    assert ended["deleted"] and ended["medias"] >= 2 and ended["applications"] >= 1, ended
    assert nginx.request(one.path(), host=API).status == 401
    assert nginx.request(page, host=EMBED).status == 404
    wait_until(lambda: not (stack.directory / "media" / media).exists() and not leftovers(stack), "its files are deleted")
    assert ctl(stack, "account", "show", str(ACCOUNT)).stderr == f"svcctl account show: there is no account {ACCOUNT}\n"
    assert ctl(stack, "catalog", "check").returncode == 0


def test_operations_U1_svc_ingest_killed_at_any_moment_does_each_job_once(service, app):
    """kill -9 again and again while films are processed: each is ready in the end, and nothing is left."""
    path = film(unique(service.directory), seconds=8, size="640x360")
    ids = [app.upload(path)["hashed_id"] for _ in range(3)]
    one = service.ingest
    for pause in (0.05, 0.4, 0.9, 1.7):
        with pytest.raises(AssertionError):
            wait_until(lambda: not one.alive(), "it runs until it is killed", patience=pause)
        one.send_signal(signal.SIGKILL)
        one.wait()
        one = service.ingest = service.add(Ingest(service, f"ingest-{pause}", deaths_expected=True)).start()
    for media_id in ids:
        app.wait(media_id)
    # A media is ready a moment before its job is deleted.
    wait_until(lambda: service.redis_state.command("XLEN", "ingest:jobs") == 0, "all jobs are deleted")
    wait_until(lambda: not leftovers(service), "nothing is left")
    wait_until(lambda: not service.redis_state.command("KEYS", "ingest:progress:*"), "no progress is left")


def test_operations_U1_a_worker_killed_in_an_upload_makes_one_media(service, app, clip):
    """nginx sends the request to another worker, which recognises it."""
    body = form({}, "clip.mp4", clip.read_bytes())
    before = service.redis_state.command("KEYS", "catalog:media:*")
    service.upload.deaths_expected = True
    for _ in range(5):
        one = Sending(app, len(body))
        one.send(body[:-10])
        workers = service.upload.workers()
        for pid in workers:
            subprocess.run(["kill", "-STOP", str(pid)], check=False)
        one.send(body[-10:])
        for pid in workers:
            subprocess.run(["kill", "-KILL", str(pid)], check=False)
        status, answer = one.answer()
        assert status == 201, answer
        app.wait(json.loads(answer)["hashed_id"])
    after = service.redis_state.command("KEYS", "catalog:media:*")
    assert len(after) - len(before) == 5
    wait_until(lambda: not leftovers(service), "nothing is left")


def test_operations_U1_redis_killed_while_a_film_is_processed(service, app):
    path = film(unique(service.directory), seconds=8, size="640x360")
    media_id = app.upload(path)["hashed_id"]
    wait_until(lambda: leftovers(service), "it is processed")
    for server in (service.redis_state,):
        server.send_signal(signal.SIGKILL)
        server.wait()
        server.start()
    app.wait(media_id)
    wait_until(lambda: not leftovers(service), "nothing is left")


def test_operations_U1_ffmpeg_killed_is_tried_again(service, app):
    path = film(unique(service.directory), seconds=8, size="640x360")
    ids = [app.upload(path)["hashed_id"]]

    def failed():
        if service.ingest.events("ingest.attempt_failed", media=ids[-1]):
            return True
        # While other tests run, an upload can be ready before this looks.
        if service.ingest.events("ingest.ready", media=ids[-1]):
            ids.append(app.upload(path)["hashed_id"])
        # A child of a few milliseconds can end before the signal. Children of its process for short files, too, but not
        # that process.
        for child in (service.ingest.pid, *children_of(service.ingest.pid)):
            for program in children_of(child):
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    if Path(f"/proc/{program}/comm").read_text().startswith("ff"):
                        os.kill(program, signal.SIGKILL)
        return False

    wait_until(failed, "an attempt fails")
    app.wait(ids[-1])
    wait_until(lambda: not leftovers(service), "nothing is left")


def test_operations_U1_a_media_deleted_while_it_is_processed_leaves_nothing(service, app):
    path = film(unique(service.directory), seconds=20, size="1280x720")
    media_id = app.upload(path)["hashed_id"]
    wait_until(lambda: app.media(media_id)["progress"] > 0, "it is processed")
    assert app.delete(media_id) == 204
    wait_until(lambda: not leftovers(service), "nothing is left")
    wait_until(lambda: service.redis_state.command("XLEN", "ingest:jobs") == 0, "both jobs are done")
    assert not (service.directory / "media" / media_id).exists()


def test_a_poster_and_a_swap_keep_their_files_when_the_others_are_deleted(service, app, clip):
    """With the users of Redis, the pools, svc-ingest and nginx as shipped."""
    def put(path, **fields):
        answer = service.nginx.request(app.path(path), method="PUT", host=API, body=json.dumps(fields).encode(),
                                       headers={"Content-Type": "application/json"})
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    def folder(media_id):
        return service.directory / "media" / media_id

    picture = make(unique(service.directory, ".png"), "-f", "lavfi", "-i", "testsrc=size=80x60", "-frames:v", "1")
    image, one, two = (app.upload(file)["hashed_id"] for file in (picture, clip, clip))
    shown = app.wait(image)["thumbnail"]["url"]
    for media_id in (one, two):
        app.wait(media_id)
    assert put(f"/v1/medias/{one}", new_still_media_id=image)["thumbnail"]["url"] == shown
    assert fetch(service, shown).headers["content-type"] == "image/png"
    assert app.delete(image) == 204
    wait_until(lambda: not folder(image).exists(), "the image is deleted")
    poster = fetch(service, app.media(one)["thumbnail"]["url"])
    # A picture of any kind becomes a JPEG.
    original = poster.body
    assert (original[:2], poster.headers["content-type"]) == (b"\xff\xd8", "image/jpeg")
    assert "content-disposition" not in poster.headers

    assert f"/files/{two}/" in json.dumps(put(f"/v1/medias/{one}/swap", replacement_media_id=two)["assets"])
    assert app.media(two) is None
    manifest = fetch(service, f"/embed/medias/{one}.m3u8").body.decode()
    assert all(f"/files/{two}/" in url and fetch(service, url) for url in re.findall(r"(?m)^https?://\S+$", manifest))
    assert fetch(service, app.media(one)["thumbnail"]["url"]).body == original
    # As after 24 hours: the former film goes, and not the poster.
    job = service.redis_state.command("XREVRANGE", "ingest:deletions", "+", "-", "COUNT", 1)[0][1]
    assert "swap-files" in job
    job[job.index("until") + 1] = "1"
    service.redis_state.command("XADD", "ingest:deletions", "*", *job)
    wait_until(lambda: [file.name[:6] for file in folder(one).iterdir() if not file.name.startswith(".guarded")] == ["still-"],
               "the former film is deleted")
    assert fetch(service, app.media(one)["thumbnail"]["url"]).body == original
    assert app.delete(one) == 204
    wait_until(lambda: not folder(one).exists() and not folder(two).exists(), "all is deleted")


def test_a_user_chooses_a_picture_of_the_video_and_replaces_its_file(service, app, clip):
    """By the forms of the settings, of the largest rendition, which is larger than the MP4."""
    colours = [word for colour in ("red", "blue") for word in ("-f", "lavfi", "-i", f"color={colour}:s=1920x1080:r=25:d=1.5")]
    two_colours = make(unique(service.directory), *colours, "-filter_complex", "concat", "-c:v", "libx264", "-preset",
                       "ultrafast", "-pix_fmt", "yuv420p")
    one, two = (app.upload(file)["hashed_id"] for file in (two_colours, clip))
    own = app.wait(one)["thumbnail"]["url"]
    app.wait(two)
    browser = Browser(service.nginx)
    browser.log_in(browser.page("/settings"), "manuel@acme.example")
    path = f"/settings/accounts/{ACCOUNT}/media/{one}"

    def submit(action, has, **fields):
        page = browser.page(f"{path}/{action}")
        (form,) = [each for each in page.forms if has(each)]
        answer = browser.request(form["action"], fields={**form["fields"], **fields})
        assert answer.status == 303, answer.body
        return browser.page(answer.headers["location"])

    for time, is_of in (("0:01.4", lambda red, _, blue: red > 200 > 50 > blue),
                        ("0:01.6", lambda red, _, blue: blue > 200 > 50 > red)):
        before = app.media(one)["thumbnail"]["url"]
        submit("poster", lambda form: form["fields"].get("from") == "video", time=time)
        wait_until(lambda: app.media(one)["thumbnail"]["url"] != before, "the poster is made")
        poster = app.media(one)["thumbnail"]
        assert (poster["width"], poster["height"]) == (1920, 1080)
        picture = unique(service.directory, ".jpg")
        picture.write_bytes(fetch(service, poster["url"]).body)
        pixel = subprocess.run(["ffmpeg", "-v", "error", "-i", picture, "-vf", "scale=1:1", "-f", "rawvideo", "-pix_fmt",
                                "rgb24", "-"], capture_output=True, check=True, timeout=PATIENCE).stdout
        assert is_of(*pixel), (time, list(pixel))
    submit("poster", lambda form: form["fields"].get("from") == "own")
    assert app.media(one)["thumbnail"]["url"] == own

    page = submit("replace", lambda form: form["action"].endswith("/replace"), replacement=two)
    assert "The file is replaced." in page.text
    assert f"/files/{two}/" in json.dumps(app.media(one)["assets"]) and app.media(two) is None
    assert app.delete(one) == 204


def peak_of(pid):
    """The most memory that a process has had, in KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1])


def test_an_upload_of_a_gigabyte_costs_a_worker_less_than_a_mebibyte(service, app, clip):
    app.wait(app.upload(clip)["hashed_id"])  # every worker has opened its connections
    size = 1 << 30
    head, end = form({"name": "long"}, "long.mp4", b"\0").split(b"\0")
    before = {pid: peak_of(pid) for pid in service.upload.workers()}
    one = Sending(app, len(head) + size + len(end))
    one.send(head)
    piece = bytes(1 << 20)
    for _ in range(size // len(piece)):
        one.send(piece)
    one.send(end)
    status, answer = one.answer()
    assert status == 201, answer
    media_id = json.loads(answer)["hashed_id"]
    assert (service.directory / "uploads" / media_id).stat().st_size == len(head) + size + len(end)
    assert max(peak_of(pid) - before[pid] for pid in service.upload.workers()) < 1024
    app.wait(media_id, "failed")
    assert app.delete(media_id) == 204
    wait_until(lambda: not leftovers(service), "nothing is left")
