"""svc-ingest with a full disk, with jobs without a record, and with a record that it cannot read. operations-U1."""

import re
import subprocess

import pytest

from processes import PATIENCE, wait_until
from uploads import Application, film


def start(stack):
    """Everything but svc-ingest; returns an application with a token."""
    stack.import_catalog()
    for role in ("grant", "embed", "upload"):
        stack.start_pool(role, roles=role)
    return Application(stack, stack.start_shipped_nginx(micro_cache=False))


@pytest.fixture
def small_disk(stack):
    """A file system of 256 KiB for the converted files."""
    place = stack.directory / "media"
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", place], check=True)
    yield place
    stack.ingest.stop()
    stack.programs.remove(stack.ingest)
    subprocess.run(["umount", "--lazy", place], check=True)


def test_operations_U1_a_disk_that_is_full_delays_a_job_and_leaves_no_file(stack, small_disk):
    app = start(stack)
    stack.ingest = stack.start_ingest()
    media_id = app.upload(film(stack.directory / "film.mp4", seconds=4, size="640x360"))["hashed_id"]

    def full():
        return re.findall(r'"event":"ingest.attempt_failed".*"reason":"The disk is full."', stack.ingest.log_text())
    wait_until(full, "an attempt that found a full disk", 5 * PATIENCE)
    assert app.media(media_id)["status"] in ("queued", "processing"), "it is not the file's fault"
    assert [path for path in small_disk.rglob("*") if path.is_file() and not path.name.startswith(".ingest-")] == []
    assert (stack.directory / "uploads" / media_id).exists()

    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    assert app.wait(media_id)["progress"] == 1
    assert not (stack.directory / "uploads" / media_id).exists()


def test_operations_U1_jobs_without_a_record_do_not_delay_others_by_their_minute(stack):
    """As after uploads that were deleted while they waited. Ten minutes, if each waited for its record."""
    app = start(stack)
    for number in range(10):  # of the year 1970
        stack.redis_state.command("XADD", "ingest:jobs", f"{1000 + number}-1", "kind", "ingest", "media",
                                  f"gone00000{number}", "account", "1002", "offset", "0", "length", "1", "name", "a")
    media_id = app.upload(film(stack.directory / "film.mp4"))["hashed_id"]
    stack.start_ingest()
    app.wait(media_id)


def test_operations_U1_a_record_that_cannot_be_read_stops_no_other_job(stack):
    app = start(stack)
    path = film(stack.directory / "film.mp4")
    broken, whole = (app.upload(path)["hashed_id"] for _ in range(2))
    stack.redis_state.command("SET", f"catalog:media:{broken}", "of a later version")
    ingest = stack.start_ingest()
    app.wait(whole)
    assert re.search(rf'"event":"ingest.given_up","pid":\d+,"media":"{broken}"', ingest.log_text())
    assert stack.redis_state.command("XLEN", "ingest:dead") == 1
    assert (stack.directory / "uploads" / broken).exists(), "svcctl jobs retry needs it"

    # Also one that becomes unreadable while its film is converted.
    late = app.upload(film(stack.directory / "long.mp4", seconds=20, size="640x360"))["hashed_id"]
    wait_until(lambda: app.media(late)["progress"] > 0, "it is converted")
    stack.redis_state.command("SET", f"catalog:media:{late}", "of a later version")
    app.wait(app.upload(path)["hashed_id"])
    assert stack.redis_state.command("XLEN", "ingest:dead") == 2
    assert (stack.directory / "uploads" / late).exists()
