"""The file of a backup: what systemd/backup-archive seals, refuses and unpacks. The files of attackers are made here."""

import hashlib
import hmac
import io
import os
import re
import subprocess
import tarfile

import pytest

from processes import PATIENCE
from stack import REPOSITORY

ARCHIVE = REPOSITORY / "systemd" / "backup-archive"
KEY, OTHER_KEY = "5a" * 32, "c3" * 32
FILES = {"state.rdb": b"REDIS0010", "etc/svc/keys": b"k1:00\n", "etc/svc/svc.conf.d/names.conf": b"workers = 2\n",
         "etc/svc/redis-tls.key": b"key\n", "etc/systemd/system/svc-ingest.service.d/nice.conf": b"[Service]\n",
         "etc/nginx/sites-available/svc": b"server {}\n", "etc/letsencrypt/archive/key1.pem": b"-----BEGIN PRIVATE KEY-----\n",
         "etc/letsencrypt/renewal-hooks/deploy/svc": b"#!/bin/sh\n", "etc/ssl/private/svc.key": b"-----BEGIN PRIVATE KEY-----\n",
         "var/lib/svc/media/abc/film.mp4": b"film\n", "var/lib/svc/redis-state/redis.conf": b"masterauth x\n"}
# Its path is named only in the manifest.
CERTIFICATE = {"srv/tls/site.pem": b"certificate\n"}
LINKS = {"etc/nginx/sites-enabled/svc": "../sites-available/svc", "etc/letsencrypt/live/key.pem": "../archive/key1.pem"}
MANIFEST = (b"made: 2026-11-28T10:00:00Z\nmedia-dir: /var/lib/svc/media, 1 files, 5 bytes, in this file\n"
            b"certificate: /srv/tls/site.pem\n")


def entry(name, content=b"x", **more):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    # None of it may reach the disk.
    info.uid, info.gid, info.mode = 4321, 4321, 0o6777
    for field, value in more.items():
        setattr(info, field, value)
    return info, content


def packed(entries=(), files=None, manifest=MANIFEST):
    """The bytes before the seal: a whole backup, and further entries, whose sums are right, too."""
    files = FILES if files is None else files
    whole = [entry("MANIFEST", manifest), *(entry(name, content) for name, content in files.items()),
             *(entry(name, b"", type=tarfile.SYMTYPE, linkname=target) for name, target in LINKS.items()), *entries]
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {info.name}\n" for info, content in whole if info.isreg())
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for info, content in [whole[0], entry("SHA256SUMS", sums.encode()), *whole[1:]]:
            tar.addfile(info, io.BytesIO(content))
    return subprocess.run(["zstd", "-q", "-c"], input=out.getvalue(), capture_output=True, check=True).stdout


def seal_of(content, key=KEY):
    return (b"P*M\x18" + (82).to_bytes(4, "little") + b"svc-backup-seal-1 " +
            hmac.new(bytes.fromhex(key), content, hashlib.sha256).hexdigest().encode())


class Place:
    """A folder with a backup, keys, and the files that a restore unpacks."""

    def __init__(self, path):
        self.path, self.file, self.root, self.work = path, path / "today.tar.zst", path / "root", path / "work"
        self.key = path / "backup.key"
        self.key.write_text(KEY + "\n")
        self.root.mkdir()
        self.work.mkdir()

    def run(self, command, key, *words):
        return subprocess.run([ARCHIVE, command, self.file, key, *words], capture_output=True, text=True, timeout=PATIENCE)

    def check(self, content, key=None):
        self.file.write_bytes(content)
        return self.run("check", self.key if key is None else key, self.work)

    def unpack(self, key=None):
        done = self.run("unpack", self.key if key is None else key, self.work, self.root, "/var/lib/svc/media")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def unpacked(self):
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*") if not path.is_dir() or path.is_symlink()}


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_operations_Y99_a_sealed_backup_is_unpacked_with_modes_of_its_paths(place):
    files = FILES | CERTIFICATE
    content = packed(files=files)
    place.file.write_bytes(content)
    done = place.run("seal", place.key)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    whole = place.file.read_bytes()
    assert whole == content + seal_of(content)
    assert subprocess.run(["zstd", "-dcq", place.file], capture_output=True, check=True).stdout == \
        subprocess.run(["zstd", "-dcq"], input=content, capture_output=True, check=True).stdout, "zstd skips the seal"
    done = place.check(whole)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    # A link that waits in the folder of media leads nowhere.
    outside = place.path / "outside"
    outside.mkdir()
    (place.root / "var/lib/svc/media").mkdir(parents=True)
    (place.root / "var/lib/svc/media/abc").symlink_to(outside)
    place.unpack()
    assert place.unpacked() == set(files) - {"state.rdb"} | set(LINKS)
    assert {name: os.readlink(place.root / name) for name in LINKS} == LINKS
    for name, content in files.items():
        if name == "state.rdb":
            continue
        got = (place.root / name).stat()
        mode = (0o600 if "redis" in name or "key" in name else 0o755 if "hooks" in name else 0o644)
        assert (got.st_uid, got.st_mode & 0o7777, (place.root / name).read_bytes()) == (os.geteuid(), mode, content), name
    assert (place.work / "state.rdb").read_bytes() == FILES["state.rdb"] and not list(outside.iterdir())
    assert [path.name for path in (place.root / "var/lib/svc/media").iterdir()] == ["abc"]


HOSTILE = {
    "a path above": ([entry("etc/svc/../../root/.ssh/authorized_keys")], None),
    "a path that begins above": ([entry("../etc/svc/keys")], None),
    "an absolute path": ([entry("/etc/svc/new.conf")], "path"),
    "a path of root's": ([entry("root/.ssh/authorized_keys")], "root/.ssh/authorized_keys is no path"),
    "a job of cron": ([entry("etc/cron.d/svc")], "etc/cron.d/svc is no path"),
    "another unit": ([entry("etc/systemd/system/ssh.service.d/x.conf")], "is no path"),
    "a path that only begins so": ([entry("etc/svcx/keys")], "is no path"),
    "the state's own files": ([entry("var/lib/svc/redis-state/appendonlydir/appendonly.aof.manifest")], "is no path"),
    "a file through a link": ([entry("etc/svc/out", b"", type=tarfile.SYMTYPE, linkname="/root"), entry("etc/svc/out/.profile")],
                              "is below a file or link"),
    "a file through a relative link": ([entry("etc/nginx/svc/up", b"", type=tarfile.SYMTYPE, linkname="../../.."),
                                        entry("etc/nginx/svc/up/x")], "is below a file or link"),
    "a file through a link with an arrow": ([entry("etc/svc/out -> x", b"", type=tarfile.SYMTYPE, linkname="/root"),
                                             entry("etc/svc/out -> x/.profile")], "has an arrow"),
    "a file through a link that ends with an arrow": ([entry("etc/svc/out ->", b"", type=tarfile.SYMTYPE, linkname="../.."),
                                                       entry("etc/svc/out ->/x")], "has an arrow"),
    "a folder through a link": ([entry("etc/svc/out", b"", type=tarfile.SYMTYPE, linkname="keys.d"),
                                 entry("etc/svc/out/d", b"", type=tarfile.DIRTYPE)], "is below a file or link"),
    "a link after the file through it": ([entry("etc/svc/out/.profile"),
                                          entry("etc/svc/out", b"", type=tarfile.SYMTYPE, linkname="/root")],
                                         "is below a file or link"),
    "a link among the films": ([entry("var/lib/svc/media/abc/x", b"", type=tarfile.SYMTYPE, linkname="/etc/shadow")], "is a link"),
    "a hard link": ([entry("etc/svc/shadow", b"", type=tarfile.LNKTYPE, linkname="etc/svc/keys")], "neither"),
    "a hard link outside": ([entry("etc/svc/shadow", b"", type=tarfile.LNKTYPE, linkname="/etc/shadow")], "neither"),
    "a device": ([entry("etc/svc/disk", b"", type=tarfile.BLKTYPE, devmajor=8)], "neither"),
    "a terminal": ([entry("etc/svc/tty", b"", type=tarfile.CHRTYPE, devmajor=5)], "neither"),
    "a pipe": ([entry("etc/svc/keys.d", b"", type=tarfile.FIFOTYPE)], "neither"),
    "a file twice": ([entry("etc/svc/keys", b"k1:11\n")], "etc/svc/keys occurs twice"),
    "a file that becomes a link": ([entry("etc/svc/svc.conf.d/names.conf", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")],
                                   "occurs twice"),
    "a name with a line": ([entry("etc/svc/a\n" + "0" * 64 + "  etc/svc/keys")], "characters"),
    "a second manifest": ([entry("MANIFEST", MANIFEST + b"certificate: /root/.ssh\n"), entry("root/.ssh/authorized_keys")], None),
}


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "unverified"])
@pytest.mark.parametrize("case", HOSTILE)
def test_operations_Y99_a_hostile_archive_is_refused(place, case, sealed):
    entries, why = HOSTILE[case]
    content = packed(entries)
    done = place.check(content + seal_of(content), None if sealed else "")
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done
    assert str(place.file) in done.stderr and (why or "") in done.stderr, done


def test_operations_Y99_a_changed_file_is_refused(place):
    content = packed()
    whole, foreign = content + seal_of(content), packed([entry("etc/svc/new.conf")])
    changed = {at: whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:] for at in (0, 9, len(content) // 2, len(content) - 1,
                                                                                  len(content) + 1, len(content) + 5, len(whole) - 1)}
    cases = {**changed, "half": whole[:len(whole) // 2], "without its seal": content, "a byte short": whole[:-1],
             "a byte longer": whole + b"x", "another's seal": foreign + seal_of(content),
             "sealed by another key": content + seal_of(content, OTHER_KEY), "twice": whole + whole,
             "with a further frame": content + foreign + seal_of(content), "empty": b"", "no seal but its words": seal_of(b"")}
    for name, bad in cases.items():
        done = place.check(bad)
        assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, (name, done)
    assert place.check(whole).returncode == 0
    assert place.check(whole, place.path / "missing.key").stderr.count("--key FILE") == 1
    place.key.write_text("k1:" + KEY)
    assert "is not a key" in place.check(whole).stderr


def test_operations_Y99_checksums_find_a_change_without_the_key(place):
    content = packed(files={**FILES, "etc/svc/keys": b"k1:11\n"})
    assert place.check(content, "").returncode == 0
    sums = packed(manifest=MANIFEST + b"x")
    for bad in (content[:-3], sums[:len(sums) // 2], b"PK"):
        assert place.check(bad, "").returncode == 1


def test_operations_Y99_an_unverified_backup_brings_nothing_that_root_would_run(place):
    assert place.check(packed(), "").stderr == ""
    place.unpack("")
    assert place.unpacked() == {"etc/svc/keys", "etc/svc/svc.conf.d/names.conf", "var/lib/svc/media/abc/film.mp4"}
    left = {str(path.relative_to(place.work / "left-out")) for path in (place.work / "left-out").rglob("*")
            if path.is_symlink() or not path.is_dir()}
    assert left == set(FILES) - place.unpacked() - {"state.rdb"} | set(LINKS)
    assert "srv/tls/site.pem is no path" in place.check(packed(files=FILES | CERTIFICATE), "").stderr, "anyone may have written that manifest"


def test_operations_Y99_a_file_that_changes_after_the_check_is_not_unpacked(place):
    content = packed()
    assert place.check(content + seal_of(content)).returncode == 0
    other = packed(files={**FILES, "etc/svc/keys": b"k1:22\n"})
    place.file.write_bytes(other + seal_of(other, OTHER_KEY))
    done = place.run("unpack", place.key, place.work, place.root, "/var/lib/svc/media")
    assert done.returncode == 1 and "changed" in done.stderr and place.unpacked() == set()


def test_operations_Y99_a_file_that_needs_more_than_the_disk_has_changes_nothing(place):
    content = packed([entry("etc/svc/large.conf", b"\0" * 4096)])
    assert place.check(content, "").returncode == 0
    (place.work / "size").write_text(str(1 << 60))
    done = place.run("unpack", "", place.work, place.root)
    assert done.returncode == 1 and re.search("has no room for [0-9]+ bytes", done.stderr) and place.unpacked() == set()
