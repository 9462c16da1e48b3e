"""clean_root: a Debian 12 as it comes, with systemd and nothing of ours, to install a package in.

Made by mmdebstrap once, below the build folder, and then used by every test and every run that finds
it there. The packages that ours asks for are not installed in it: their files lie in apt's cache, so
that `apt install` finds them without a network.
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
    key = hashlib.sha256(Path(control).read_bytes() + Path(__file__).read_bytes()).hexdigest()[:12]
    root = BUILD / f"clean-root-{key}"
    with _alone(BUILD / "clean-root.lock"):
        if not root.exists():
            for old in BUILD.glob("clean-root-*"):
                shutil.rmtree(old)
            _make(root, _names(control))
    return root


def _names(control):
    """Package names of Depends and Recommends, the first of those that may stand for each other; of
    the libraries, which the build finds out, those of the packages that we build with."""
    done = subprocess.run(["perl", "-MDpkg::Control::Info", "-e", """
        my $package = (Dpkg::Control::Info->new($ARGV[0])->get_packages())[0];
        print join(",", map { $package->{$_} } qw(Depends Recommends)), "\\n";
        """, str(control)], capture_output=True, text=True, check=True)
    names = [word.split("|")[0].split("(")[0].strip() for word in done.stdout.split(",")]
    return [name for name in names if name and not name.startswith("$")]


def _make(root, names):
    partial = root.with_name(root.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    libraries = sorted({
        line.split(":")[0] for program in ("svc-worker", "svcctl")
        for line in _owners(BUILD / program)})
    # Root's own: mmdebstrap refuses others' folders.
    done = subprocess.run(
        ["mmdebstrap", "-q", "--variant=minbase", "--include=systemd,systemd-sysv,dbus,curl",
         "--skip=cleanup/apt", f"--customize-hook=chroot \"$1\" apt-get install -y -q --download-only "
         "-o APT::Install-Recommends=true "
         + " ".join([*names, *libraries]), "bookworm", str(partial),
         next(path for path in SOURCES if Path(path).exists())],
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"mmdebstrap failed: {done.stdout}{done.stderr}"
    partial.rename(root)


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
