"""svc-ingest with a full disk, and with a record that it cannot read; its second process; deletions."""

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from ctl_calls import ctl
from processes import PATIENCE, children_of, wait_until
from uploads import Application, film, form, repeated


def start(stack):
    """Everything but svc-ingest; returns an application with a token."""
    stack.import_catalog()
    for role in ("grant", "embed", "upload"):
        stack.start_pool(role, roles=role)
    return Application(stack, stack.start_shipped_nginx(micro_cache=False))


class Disk:
    """A file system of its own for the converted files."""

    def __init__(self, place):
        self.place = place
        place.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,nr_inodes=1000", "none", place], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.place], check=True)

    def fill(self, free=0):
        """Leaves `free` bytes free."""
        self.empty()
        room = os.statvfs(self.place)
        with (self.place / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            file.write(b"x" * (room.f_bavail * room.f_frsize - free))

    def fill_inodes(self):
        (self.place / "files").mkdir()
        with contextlib.suppress(OSError):
            for number in itertools.count():
                (self.place / "files" / str(number)).touch()

    def empty(self):
        (self.place / "filler").unlink(missing_ok=True)
        shutil.rmtree(self.place / "files", ignore_errors=True)

    def leftovers(self):
        return [path for path in self.place.rglob("*") if path.is_file() and path.parent.name != "files"
                and path.name != "filler" and not path.name.startswith(".ingest-") and ".accounts" not in path.parts]


@pytest.fixture
def small_disk(stack):
    disk = Disk(stack.directory / "media")
    yield disk
    stack.ingest.stop()
    stack.programs.remove(stack.ingest)
    subprocess.run(["umount", "--lazy", disk.place], check=True)


def delayed(stack, media_id, reason):
    def said():
        return re.findall(rf'"event":"ingest.attempt_failed".*"media":"{media_id}".*"reason":"{reason}"',
                          stack.ingest.log_text())
    wait_until(said, f"an attempt for which {reason}", 5 * PATIENCE)


def assert_plays(disk, media_id, seconds):
    """Every rendition of the film has all of its pictures, and decodes without an error."""
    playlists = list((disk.place / media_id).glob("*/index.m3u8"))
    assert playlists
    for file in [*playlists, disk.place / media_id / "video.mp4"]:
        ran = subprocess.run(["ffmpeg", "-v", "error", "-i", file, "-map", "0:v", "-f", "framehash", "-"],
                             capture_output=True, text=True, check=True)
        pictures = [line for line in ran.stdout.splitlines() if not line.startswith("#")]
        assert (len(pictures), ran.stderr) == (25 * seconds, ""), file


def test_operations_U35_a_full_disk_delays_jobs_and_blames_no_film(stack, small_disk):
    """ffmpeg exits with 0 although its disk is full: the film was "damaged", and its upload deleted."""
    app = start(stack)
    path = film(stack.directory / "film.mp4", seconds=12, size="640x360")
    small_disk.fill()
    stack.ingest = stack.start_ingest()
    for name, spoil, mend, reason in [
            ("full", small_disk.fill, small_disk.empty, "The disk is full."),
            ("200 KB free", lambda: small_disk.fill(200_000), small_disk.empty, "The disk is full."),
            ("400 KB free", lambda: small_disk.fill(400_000), small_disk.empty, "The disk is full."),
            ("no inodes", small_disk.fill_inodes, small_disk.empty, "The disk is full."),
            ("too small for this film", lambda: small_disk.fill(1_500_000), small_disk.empty, "The disk is full.")]:
        spoil()
        media_id = app.upload(path)["hashed_id"]
        delayed(stack, media_id, reason)
        assert app.media(media_id)["status"] in ("queued", "processing"), name
        assert (stack.directory / "uploads" / media_id).exists(), name
        assert small_disk.leftovers() == [], name
        mend()
        assert app.wait(media_id)["progress"] == 1, name
        assert_plays(small_disk, media_id, 12)
        wait_until(lambda media_id=media_id: not (stack.directory / "uploads" / media_id).exists(), "the job ends")
        assert app.delete(media_id) == 204
        wait_until(lambda media_id=media_id: not (small_disk.place / media_id).exists(), "its files are deleted")
    assert stack.redis_state.command("XLEN", "ingest:dead") == 0


def test_operations_U35_a_disk_that_is_read_only_delays_jobs(stack, small_disk):
    app = start(stack)
    small_disk.remount("ro")
    stack.ingest = stack.start_ingest()
    media_id = app.upload(film(stack.directory / "film.mp4"))["hashed_id"]
    wait_until(lambda: re.search(r'"event":"ingest.no_room".*"reason":"The disk is read-only."', stack.ingest.log_text()),
               "svc-ingest waits")
    assert app.media(media_id)["status"] == "queued"
    small_disk.remount("rw")
    app.wait(media_id)
    assert_plays(small_disk, media_id, 3)


def test_operations_U35_a_disk_that_fills_up_delays_the_film_that_is_being_converted(stack, small_disk):
    app = start(stack)
    stack.ingest = stack.start_ingest()
    media_id = app.upload(film(stack.directory / "film.mp4", seconds=30, size="640x360"))["hashed_id"]
    wait_until(lambda: list(small_disk.place.glob(".work/*/*/*/0.m4s")), "segments are written")
    small_disk.fill()
    delayed(stack, media_id, "The disk is full.")
    small_disk.empty()
    app.wait(media_id)
    assert_plays(small_disk, media_id, 30)


def side_process(ingest, name, but=None):
    """Waits for the process of svc-ingest with that name, and returns its id."""
    def found():
        return [pid for pid in children_of(ingest.pid) - {but} if Path(f"/proc/{pid}/comm").read_text().strip() == name]
    return wait_until(found, f"{name} runs")[0]


def test_a_film_is_closed_while_svc_ingest_is_stopped(stack):
    app = start(stack)
    ingest = stack.start_ingest()
    media_id = app.upload(film(stack.directory / "film.mp4"))["hashed_id"]
    app.wait(media_id)
    folder = stack.directory / "media" / media_id
    for pid in (ingest.pid, side_process(ingest, "svc-short-lane")):
        os.kill(pid, signal.SIGSTOP)
    # 50 000 accounts have one job each, and an import into one account has 50 000 jobs.
    stack.redis_state.command("EVAL", "for i = 0, 49999 do redis.call('ZADD', 'ingest:guards', 0, 'c ' .. 5000 + i .. ' film', 0, "
                                "'b 5000 film' .. i) end", "0")
    keeper = stack.start_keeper()
    ctl(stack, "media", "edit", media_id, "--visibility", "private")
    wait_until(lambda: (folder / ".private").exists() and (folder / ".guarded").exists(), "the film is closed")
    assert int(stack.redis_state.command("ZCARD", "ingest:guards")) > 10_000, "it has overtaken the others"
    stack.redis_state.command("DEL", "ingest:guards")
    # What it had begun is done by the next.
    keeper.stop()
    ctl(stack, "media", "edit", media_id, "--visibility", "public")
    assert (folder / ".private").exists(), "svc-ingest marks no film that changes"
    stack.start_keeper()
    wait_until(lambda: not (folder / ".private").exists(), "the film is open")
    assert os.readlink(folder / ".guarded").startswith("../.accounts/")
    # It finds the films of an account by itself, after a restore.
    wait_until((folder.parent / ".accounts" / ".linked").exists, "it has seen each folder once")
    (folder / ".guarded").unlink()
    stack.redis_state.command("DEL", "ingest:guards_again")  # it would mark the film itself once more
    ctl(stack, "catalog", "reindex")
    wait_until((folder / ".guarded").is_symlink, "the folder is marked again")
    for pid in (ingest.pid, side_process(ingest, "svc-short-lane")):
        os.kill(pid, signal.SIGCONT)


def test_a_short_upload_is_ready_while_the_first_process_does_not_come_to_it(stack):
    app = start(stack)
    ingest = stack.start_ingest()
    second = side_process(ingest, "svc-short-lane")
    ingest.send_signal(signal.SIGSTOP)
    app.wait(app.upload(film(stack.directory / "film.mp4"))["hashed_id"])
    ingest.send_signal(signal.SIGCONT)
    # It is started again if it dies, and ends with the first.
    os.kill(second, signal.SIGKILL)
    another = side_process(ingest, "svc-short-lane", but=second)
    ingest.stop()
    assert not Path(f"/proc/{another}").exists()


def test_operations_U1_other_jobs_run_despite_an_unreadable_record(stack):
    app = start(stack)
    path = film(stack.directory / "film.mp4")
    broken, whole = (app.upload(path)["hashed_id"] for _ in range(2))
    stack.redis_state.command("SET", f"catalog:media:{broken}", "of a later version")
    ingest = stack.start_ingest()
    app.wait(whole)
    assert re.search(rf'"event":"ingest.given_up","pid":\d+,"media":"{broken}"', ingest.log_text())
    assert stack.redis_state.command("XLEN", "ingest:dead") == 1
    assert (stack.directory / "uploads" / broken).exists(), "svcctl jobs retry needs it"

    # Another record becomes unreadable while its film is converted.
    late = app.upload(film(stack.directory / "long.mp4", seconds=20, size="640x360"))["hashed_id"]
    wait_until(lambda: app.media(late)["progress"] > 0, "it is converted")
    stack.redis_state.command("SET", f"catalog:media:{late}", "of a later version")
    app.wait(app.upload(path)["hashed_id"])
    wait_until(lambda: stack.redis_state.command("XLEN", "ingest:dead") == 2, "it is given up")
    assert (stack.directory / "uploads" / late).exists()


def test_files_are_deleted_while_another_film_is_converted(stack):
    app = start(stack)
    stack.start_ingest()
    done, waiting = (app.upload(film(stack.directory / "film.mp4"))["hashed_id"] for _ in range(2))
    app.wait(done)
    app.wait(waiting)
    short = film(stack.directory / "short.mp4", size="1280x720")
    long = app.upload(repeated(stack.directory / "long.mp4", short, 40))["hashed_id"]
    wait_until(lambda: app.media(long)["progress"] > 0, "it is converted")
    waiting = app.upload(stack.directory / "film.mp4")["hashed_id"]
    for media_id in (done, waiting):
        assert app.delete(media_id) == 204
    wait_until(lambda: not (stack.directory / "media" / done).exists(), "the files of a film are deleted")
    wait_until(lambda: not (stack.directory / "uploads" / waiting).exists(), "the file of an upload is deleted")
    assert app.media(long)["status"] == "processing"
    assert app.delete(long) == 204


def test_a_media_is_deleted_from_a_state_that_is_full(stack):
    app = start(stack)
    media_id, other = (app.upload(film(stack.directory / "film.mp4"))["hashed_id"] for _ in range(2))
    stack.start_ingest()
    app.wait(media_id)
    app.wait(other)
    used = int(re.search(r"used_memory:(\d+)", stack.redis_state.command("INFO", "memory"))[1])
    stack.redis_state.command("CONFIG", "SET", "maxmemory", used // 2)
    assert app.post(form({}, "film.mp4", b"x")).status == 503
    assert app.delete(media_id) == 204
    assert ctl(stack, "media", "delete", other, "--yes").returncode == 0
    for gone in (media_id, other):
        wait_until(lambda: not (stack.directory / "media" / gone).exists(), "the files are deleted")
