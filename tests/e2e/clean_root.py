"""clean_root: the root of a clean Debian, in a folder.

clean_root() is a Debian with systemd, for installing our package. build_root() is any release with the packages for
building ours.

mmdebstrap makes each root once, in the build folder, for all later tests and runs. The dependencies of our package are
not installed in clean_root(), but their files are in apt's cache, so that `apt install` needs no network, and those of
FURTHER, which documents name or tests need.
"""

import contextlib
import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

from stack import BUILD

# pebble is a certificate authority for tests of ACME.
FURTHER = ("certbot", "pebble")
SOURCES = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")


@contextlib.contextmanager
def _alone(path):
    """Locks the file, so that processes run one after the other."""
    with open(path, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def clean_root(control):
    """Returns the path of a root of this machine's Debian. `control` is the package's control file, which names its
    dependencies."""
    return _once("clean-root", Path(control).read_bytes(), lambda root: _make_clean(
        "bookworm", root, [*_names(control), *_libraries()], sources=[next(path for path in SOURCES if Path(path).exists())]))


def clean_root_for(release, package):
    """The same of that Debian release, for a package that was built for it."""
    fields = subprocess.run(["dpkg-deb", "-f", package, "Depends", "Recommends"], capture_output=True, text=True,
                            check=True).stdout
    names = [word.split("|")[0].split("(")[0].strip() for line in fields.splitlines()
             for word in line.partition(":")[2].split(",")]
    names += ["valkey-server"] if release == "trixie" else []
    return _once(f"{release}-clean-root", fields.encode(), lambda root: _make_clean(release, root, names))


def build_root(release, packages, kind="root"):
    """Returns the path of a root of that Debian release with these packages installed. A release has one root of each
    kind."""
    return _once(f"{release}-{kind}", " ".join(packages).encode(), lambda root: _mmdebstrap(
        release, root, f"--include={','.join(packages)}"))


def _once(kind, made_from, make):
    """Returns a root that is made again only if `made_from` or this file changes."""
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
    """Uses Debian's own archive, unless `sources` names a file with another one."""
    done = subprocess.run(["mmdebstrap", "-q", "--variant=minbase", *options, release, str(root), *sources],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"mmdebstrap failed: {done.stdout}{done.stderr}"


def _names(control):
    """Returns the package names of Depends and Recommends, of alternatives the first. Leaves out substitution
    variables: the libraries come from _owners()."""
    done = subprocess.run(["perl", "-MDpkg::Control::Info", "-e", """
        my $package = (Dpkg::Control::Info->new($ARGV[0])->get_packages())[0];
        print join(",", map { $package->{$_} } qw(Depends Recommends)), "\\n";
        """, str(control)], capture_output=True, text=True, check=True)
    names = [word.split("|")[0].split("(")[0].strip() for word in done.stdout.split(",")]
    return [name for name in names if name and not name.startswith("$")]


def _libraries():
    return sorted({line.split(":")[0] for program in ("svc-worker", "svcctl", "svc-ingest", "svc-courier", "svc-keeper")
                   for line in _owners(BUILD / program)})


def _make_clean(release, root, names, sources=()):
    # A file of root's own: mmdebstrap refuses other users' folders.
    _mmdebstrap(release, root, "--include=systemd,systemd-sysv,dbus,curl", "--skip=cleanup/apt",
                "--customize-hook=chroot \"$1\" apt-get install -y -q --download-only -o APT::Install-Recommends=true "
                + " ".join([*names, *FURTHER]), sources=sources)


def _owners(program):
    """Returns the packages of the libraries that a program is linked with."""
    lines = subprocess.run(["ldd", str(program)], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    paths = {str(Path(line.split("=>")[1].split("(")[0].strip()).resolve())
             for line in lines if "=>" in line}
    # dpkg knows a library by the path that it was unpacked to, which may be below /lib.
    known = subprocess.run(["dpkg", "-S", *sorted(path.removeprefix("/usr") for path in paths),
                            *sorted(paths)], capture_output=True, text=True).stdout
    return known.splitlines()
