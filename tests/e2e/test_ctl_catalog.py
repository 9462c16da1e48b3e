"""svcctl media, with the shipped Redis users and running pools."""

import json
import re
import signal
import urllib.parse

import pytest

from ctl_calls import audited, begin, ctl, said
from processes import PATIENCE, wait_until

MEDIA = "l4unchf1lm"


@pytest.fixture(name="stack", scope="module")
def _stack(module_stack):
    module_stack.import_catalog()
    return module_stack


def import_lines(stack, *records):
    file = stack.directory / "more.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    stack.import_catalog(file)


def media_line(hashed_id, account=1001, name="Film"):
    return {"kind": "media", "id": hashed_id, "account_id": account, "type": "Video", "name": name, "status": "ready",
            "duration": 5, "created": "2026-03-01T10:00:00Z", "updated": "2026-03-01T10:00:00Z",
            "assets": [{"type": "mp4", "url": "/d/x.mp4", "bandwidth": 1, "codecs": "avc1"}]}


def playlist_line(hashed_id, *medias):
    return {"kind": "playlist", "id": hashed_id, "account_id": 1001, "name": "List", "media_ids": list(medias)}


def dangling(stack):
    """Media that a playlist contains and that are not stored."""
    redis = stack.redis_state
    named = {media for key in redis.command("KEYS", "catalog:playlist:*")
             for media in json.loads(redis.command("GET", key))["media_ids"]}
    return {media for media in named if not redis.command("EXISTS", f"catalog:media:{media}")}


# --- media ---

def test_media_list_ends_when_its_reader_closes_the_pipe(stack):
    import_lines(stack, *(media_line(f"read{number:05}", account=1002) for number in range(5_000)))
    listing = begin(stack, "media", "list", "--json")
    assert json.loads(listing.stdout.readline())
    listing.stdout.close()
    assert listing.wait(30) != 0
    listing.stderr.close()


def test_a_deleted_media_responds_with_404_on_every_worker(stack):
    import_lines(stack, media_line("d3leted", name="Deleted"), playlist_line("w1thdeleted", "d3leted", MEDIA),
                 playlist_line("on1ydeleted", "d3leted"))
    pool = stack.start_pool("deletions", workers=4, memory_cache_unheard=3600)
    connections = [pool.connect() for _ in range(12)]

    def statuses(path):
        query = urllib.parse.urlencode({"url": f"http://svc.localhost/{path}"})
        return {connection.request("/oembed", query).status for connection in connections}

    for _ in range(3):
        assert statuses("medias/d3leted") == {200}
    assert statuses("embed/playlists/w1thdeleted") == statuses("embed/playlists/on1ydeleted") == {200}

    asked = ctl(stack, "media", "delete", "d3leted")
    assert asked.returncode == 1 and "nothing was deleted: --yes is missing" in asked.stderr
    assert "would end with it:" in asked.stdout and re.search(r"^playlists +2$", asked.stdout, re.M)
    assert statuses("medias/d3leted") == {200}

    deleted = said(stack, "media", "delete", "d3leted", "--yes")
    assert (deleted["playlists"], deleted["playlists_emptied"], deleted["deleted"]) == (2, 1, True)
    # The workers receive the invalidation while svcctl ends.
    wait_until(lambda: statuses("medias/d3leted") == {404}, "404 from every worker")
    assert statuses("medias/d3leted") == {404}
    assert statuses("embed/playlists/w1thdeleted") == {200}, "without it"
    wait_until(lambda: 200 not in statuses("embed/playlists/on1ydeleted"), "an empty playlist is not embedded")
    assert stack.redis_cache.command("EXISTS", "embed:rendering:d3leted") == 0
    assert dangling(stack) == set()
    assert audited(stack, "media.deleted", account=1001)
    again = ctl(stack, "media", "delete", "d3leted", "--yes")
    assert again.returncode == 1 and "there is no media d3leted" in again.stderr
    import_lines(stack, media_line("d3leted"))
    wait_until(lambda: statuses("medias/d3leted") == {200}, "an import restores it")
    for connection in connections:
        connection.close()


def test_a_deletion_that_was_interrupted_is_finished_by_the_next_run(stack):
    count = 6_000
    import_lines(stack, media_line("1nterrupted"),
                 *(playlist_line(f"int{number:05}", "1nterrupted", MEDIA) for number in range(count)))
    redis = stack.redis_state

    def containing():
        keys = redis.command("KEYS", "catalog:playlist:int*")
        return sum("1nterrupted" in record for record in redis.command("MGET", *keys))

    running = begin(stack, "media", "delete", "1nterrupted", "--yes")
    wait_until(lambda: containing() < count, "it has begun")
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=PATIENCE)
    left = containing()
    assert 0 < left < count, "it was interrupted in between"
    assert dangling(stack) == set(), "the store is whole"
    assert redis.command("EXISTS", "catalog:media:1nterrupted") == 1
    assert said(stack, "media", "delete", "1nterrupted", "--yes")["playlists"] == left
    assert containing() == 0 and redis.command("EXISTS", "catalog:media:1nterrupted") == 0
