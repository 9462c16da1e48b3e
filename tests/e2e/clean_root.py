"""clean_root: a clean Debian in a folder: clean_root(), a Debian 12 with systemd, to install our package in;
build_root(), any release with the packages that building us takes.

mmdebstrap makes each once, in the build folder; later tests and runs use it again. The packages that ours
depends on are not installed in clean_root(): their files are in apt's cache, so that `apt install` finds
them without a network.
"""

import contextlib
import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

from stack import BUILD

SOURCES = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")


@contextlib.contextmanager
def _alone(path):
    """One process at a time."""
    with open(path, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def clean_root(control):
    """Its path. `control` is the file that names what our package asks for."""
    return _once("clean-root", Path(control).read_bytes(), lambda root: _make_clean(root, _names(control)))


def build_root(release, packages):
    """The path of a root of that Debian release with these packages installed."""
    return _once(f"{release}-root", " ".join(packages).encode(), lambda root: _mmdebstrap(
        release, root, f"--include={','.join(packages)}"))


def _once(kind, made_from, make):
    """A root that is made again only if `made_from` or this file changes."""
    root = BUILD / f"{kind}-{hashlib.sha256(made_from + Path(__file__).read_bytes()).hexdigest()[:12]}"
    with _alone(BUILD / f"{kind}.lock"):
        if not root.exists():
            for old in BUILD.glob(f"{kind}-*"):
                shutil.rmtree(old)
            partial = root.with_name(root.name + ".part")
            make(partial)
            partial.rename(root)
    return root


def _mmdebstrap(release, root, *options, sources=()):
    """From Debian's own archive, unless `sources` has a file that names another."""
    done = subprocess.run(["mmdebstrap", "-q", "--variant=minbase", *options, release, str(root), *sources],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"mmdebstrap failed: {done.stdout}{done.stderr}"


def _names(control):
    """Package names of Depends and Recommends, the first of those that may stand for each other; of
    the libraries, which the build finds out, those of the packages that we build with."""
    done = subprocess.run(["perl", "-MDpkg::Control::Info", "-e", """
        my $package = (Dpkg::Control::Info->new($ARGV[0])->get_packages())[0];
        print join(",", map { $package->{$_} } qw(Depends Recommends)), "\\n";
        """, str(control)], capture_output=True, text=True, check=True)
    names = [word.split("|")[0].split("(")[0].strip() for word in done.stdout.split(",")]
    return [name for name in names if name and not name.startswith("$")]


def _make_clean(root, names):
    libraries = sorted({
        line.split(":")[0] for program in ("svc-worker", "svcctl")
        for line in _owners(BUILD / program)})
    # Root's own: mmdebstrap refuses others' folders.
    _mmdebstrap("bookworm", root, "--include=systemd,systemd-sysv,dbus,curl", "--skip=cleanup/apt",
                "--customize-hook=chroot \"$1\" apt-get install -y -q --download-only -o APT::Install-Recommends=true "
                + " ".join([*names, *libraries]), sources=[next(path for path in SOURCES if Path(path).exists())])


def _owners(program):
    """The packages of the libraries that a program is linked with."""
    lines = subprocess.run(["ldd", str(program)], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    paths = {str(Path(line.split("=>")[1].split("(")[0].strip()).resolve())
             for line in lines if "=>" in line}
    # dpkg knows a library where it was unpacked to, which may be below /lib.
    known = subprocess.run(["dpkg", "-S", *sorted(path.removeprefix("/usr") for path in paths),
                            *sorted(paths)], capture_output=True, text=True).stdout
    return known.splitlines()
