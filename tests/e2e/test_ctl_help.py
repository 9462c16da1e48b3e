"""svcctl describes its commands from one table: help, manual page and completion have the same commands and flags;
which configuration file it reads."""

import os
import re
import shlex
import subprocess

import pytest

import stack as stacks
from ctl_calls import ctl

GROUPS = {"catalog": 7, "stats": 3, "app": 6, "user": 11, "token": 4, "keys": 2, "media": 10, "captions": 2, "project": 4, "jobs": 2, "account": 5,
          "demo": 1}
ALONE = ["setup", "backup", "restore", "import", "usage", "audit", "status", "reload", "nginx", "doctor", "help", "version", "completion"]


@pytest.fixture(name="stack", scope="module")
def _stack(module_stack):
    module_stack.start_redis()
    return module_stack


def svcctl(*words, **how):
    return subprocess.run([stacks.program("svcctl"), *words], capture_output=True, text=True,
                          timeout=stacks.PATIENCE, stdin=subprocess.DEVNULL, **how)


def printed(*words):
    done = svcctl(*words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


class Described:
    """One command as `svcctl help --all` describes it."""

    def __init__(self, text):
        synopsis, self.summary = re.match(r"(svcctl .*?)\n  (?! )([^\n]+)\.\n", text, re.S).groups()
        self.synopsis = " ".join(synopsis.split())
        words = self.synopsis.split()[1:]
        self.name = " ".join(words[:2] if words[0] in GROUPS else words[:1])
        rest = self.synopsis.removeprefix(f"svcctl {self.name}")
        # By name: its value, and whether it is required.
        self.flags = {flag: (value or None, bracket == "") for bracket, flag, value in
                      re.findall(r"(\[?)(--[a-z-]+)(?: ([^\s\]\[]+))?", rest)}
        self.rows = re.findall(r"(?m)^  (--[a-z-]+|[A-Z][A-Z|]*)(?: [A-Z]\S*)?\b", text)


ALL = [Described(text) for text in re.split(r"\n(?=svcctl )", printed("help", "--all"))]


def test_every_command_is_described():
    names = [command.name for command in ALL]
    assert len(names) == len(set(names))
    assert sorted(name for name in names if " " not in name) == sorted(ALONE)
    for group, count in GROUPS.items():
        assert len([name for name in names if name.startswith(f"{group} ")]) == count, group
    for command in ALL:
        assert set(command.flags) <= set(command.rows), f"{command.name}: each flag has a line of its own"
        assert len(command.summary) <= 80 and command.summary[0].isupper(), command.name
    assert max(map(len, printed("help", "--all").splitlines())) <= 80


@pytest.mark.parametrize("words", [(), ("help",), ("--help",), ("-h",)], ids=str)
def test_the_help_fits_on_one_screen_and_names_every_command(words):
    done = svcctl(*words)
    assert done.returncode == (0 if words else 2)
    shown = (done.stdout + done.stderr).splitlines()
    assert len(shown) <= 29, "one line of 30 is the prompt"
    assert max(map(len, shown)) <= 80
    # A long line continues below its text.
    text = re.sub(r"\n {6,}", " ", "\n".join(shown))
    for command in ALL:
        first, _, second = command.name.partition(" ")
        line, = re.findall(rf"(?m)^  {first} .*$", text)
        assert re.search(rf"(^  {first} +|[:,] ){second}\b", line) if second else command.summary in line, line
    assert "--help-settings" in text and "svcctl help COMMAND" in text


def test_settings_have_a_separate_help():
    text = printed("--help-settings")
    assert "--redis-state" in text and "--help-settings" in text
    assert "--redis-state" not in printed("--help")


def test_version_is_a_command_and_a_flag():
    assert printed("version") == printed("--version")


def test_operations_Y82_the_changelog_is_that_of_the_version():
    text = (stacks.REPOSITORY / "systemd/debian/changelog").read_text()
    entries = re.findall(r"(?m)^svc-worker \((\S+)\)", text)
    changes = printed("version", "--changes")
    assert printed("version") == f"svcctl {entries[0]}\n"
    assert [line for line in changes.splitlines() if line and line[0] != " "] == entries
    assert re.findall(r"(?m)^  \* .*$|^    \S.*$", changes) == re.findall(r"(?m)^  \* .*$|^    \S.*$", text)
    assert "urgency" not in changes and "maintainers" not in changes


def test_the_manual_page_has_every_command_and_flag():
    page = (stacks.BUILD / "systemd/svcctl.8").read_text()
    commands = re.search(r"(?ms)^\.SH COMMANDS\n(.*?)^\.SH ", page).group(1).replace("\\-", "-").replace("...", "…")
    sections = re.split(r"(?m)^\.TP\n\.B (?=svcctl )", commands)[1:]
    assert len(sections) == len(ALL)
    for section, command in zip(sections, ALL):
        synopsis, rest = section.split("\n", 1)
        assert synopsis.replace("…", "...") == command.synopsis
        rows = re.findall(r"(?m)^\.TP\n\.B (--[a-z-]+)", rest)
        assert sorted(rows) == sorted(command.flags)
        assert rest.startswith(command.summary.replace("...", "…") + ".\n")


@pytest.mark.parametrize("words", [("media", "edit", "--visibility"), ("media", "add", "--visibility"),
                                   ("media", "edit", "--allowed-domains"), ("jobs", "retry", "--status"),
                                   ("setup", "--tls")], ids=" ".join)
def test_help_lists_the_words_that_a_flag_takes(words):
    *command, flag = words
    text = printed("help", *command).split("\n\n")[1]
    row = " ".join(re.search(rf"(?ms)^  {flag} .*?(?=^  \S|\Z)", text).group().split())
    offered = completed(*words, "")
    assert len(offered) > 1
    for each in offered:
        assert re.search(rf"[(,;] ?{each}[,:)]", row), (each, row)


# --- completion ---

def completed(*words, folder="/"):
    """Returns the completions of a real bash for the last of these words; = and : are words of their own, as bash
    splits them."""
    script = f"""
source <({shlex.quote(str(stacks.program("svcctl")))} completion bash)
COMP_WORDS=({shlex.join(("svcctl", *words))})
COMP_CWORD={len(words)}
$(complete -p svcctl | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "--norc", "-c", script], cwd=folder, capture_output=True, text=True, check=True,
                          timeout=stacks.PATIENCE)
    return [line for line in done.stdout.splitlines() if line]


def test_the_package_installs_the_printed_completion():
    assert (stacks.BUILD / "systemd/svcctl.bash-completion").read_text() == printed("completion", "bash")


def test_bash_completes_every_command_and_flag():
    assert sorted(completed("")) == sorted({command.name.split()[0] for command in ALL})
    for group in GROUPS:
        seconds = [command.name.split()[1] for command in ALL if command.name.startswith(f"{group} ")]
        assert completed(group, "") == seconds == completed("help", group, "")
    for command in ALL:
        assert sorted(completed(*command.name.split(), "--")) == sorted([*command.flags, "--help"]), command.name


@pytest.mark.parametrize("words, offered", [
    (("ap",), ["app"]),
    (("app", "ro"), ["rotate-secret"]),
    (("--config", "x", "keys", ""), ["rotate", "nginx"]),
    (("--config", "=", "x", "keys", "r"), ["rotate"]),
    (("--workers", "2", "--log-l"), ["--log-level"]),
    (("app", "create", "--scope-format", ""), ["array", "string"]),
    (("app", "create", "--scope-format", "=", "s"), ["string"]),
    (("app", "create", "--name", "app", "--scope-f"), ["--scope-format"]),
    (("app", "create", "--name", ""), []),
    (("app", "show", ""), []),
    (("completion", ""), ["bash"]),
    (("help", "k"), ["keys"]),
])
def test_bash_completes_words_and_choices(words, offered):
    assert completed(*words) == offered


def test_bash_completes_files_where_a_file_is_expected(tmp_path):
    for name in ("catalog one.jsonl", "catalog-two.jsonl", "other"):
        (tmp_path / name).write_text("")
    catalogs = ["catalog one.jsonl", "catalog-two.jsonl"]
    assert sorted(completed("import", "cat", folder=tmp_path)) == catalogs
    assert sorted(completed("import", "--keep-going", "cat", folder=tmp_path)) == catalogs
    assert sorted(completed("--config", "cat", folder=tmp_path)) == catalogs
    assert sorted(completed("reload", "--pid-file", "cat", folder=tmp_path)) == catalogs
    assert completed("import", "catalog one.jsonl", "cat", folder=tmp_path) == []


# --- the configuration ---

def in_a_namespace(script, *arguments):
    """Runs a shell in a mount namespace whose /etc has only a copy of the first argument, as svc/svc.conf."""
    mounted = """set -e
mount -t tmpfs none /etc
mkdir /etc/svc
cp "$1" /etc/svc/svc.conf
shift
"""
    return subprocess.run(["unshare", "--mount", "sh", "-c", mounted + script, "sh", *map(str, arguments)],
                          capture_output=True, text=True, timeout=stacks.PATIENCE, stdin=subprocess.DEVNULL,
                          env={name: value for name, value in os.environ.items() if name != "SVC_CONFIG"})


def test_the_installed_configuration_is_the_default(stack):
    program = stacks.program("svcctl")
    done = in_a_namespace('"$1" app list --json; "$1" --print-config | grep "^redis-state ="', stack.config, program)
    assert done.returncode == 0, done
    assert done.stdout.splitlines()[-1] == f"redis-state = {stack.redis_state.url}"
    # The service's own user is not root.
    unreadable = in_a_namespace('chmod 700 /etc/svc; setpriv --reuid 65534 --regid 65534 --clear-groups "$1" app list',
                                stack.config, program)
    assert unreadable.returncode == 2, unreadable
    assert unreadable.stderr == (
        "svcctl: cannot read the configuration file /etc/svc/svc.conf: Permission denied\n"
        "run svcctl as a user who may read it, such as root: sudo svcctl\n")
    helped = in_a_namespace('chmod 700 /etc/svc; setpriv --reuid 65534 --regid 65534 --clear-groups "$1" --help',
                            stack.config, program)
    assert (helped.returncode, helped.stderr) == (0, "")


@pytest.mark.parametrize("words", [("help",), ("version",), ("completion", "bash"), ("app", "list", "--help"),
                                   ("--help-settings",)], ids=" ".join)
@pytest.mark.parametrize("content", ["nonsense = 1\n", None], ids=["wrong", "missing"])
def test_help_works_with_an_invalid_or_missing_configuration(tmp_path, words, content):
    config = tmp_path / "svc.conf"
    if content:
        config.write_text(content)
    for how in ({"env": {**os.environ, "SVC_CONFIG": str(config)}}, {}):
        named = () if how else ("--config", str(config))
        done = svcctl(*named, *words, **how)
        assert (done.returncode, done.stderr) == (0, ""), done


@pytest.mark.parametrize("words", ["backup file", "restore file", "setup", "demo import", "doctor"])
def test_operations_Y90_a_command_about_the_installed_service_refuses_other_settings(stack, words):
    installed = "/etc/svc/svc.conf"
    for settings in (["--config", stack.config], [f"-c{stack.config}"], ["--config=/nowhere"], ["--no-such", "1"],
                     ["--redis-state", stack.redis_state.url], ["--config", installed, "--workers", "2"]):
        refused = svcctl(*settings, *words.split())
        assert refused.returncode == 2 and refused.stderr == (
            f"svcctl {words.removesuffix(' file')} takes no settings before it: it is about the installed service, with "
            f"those of {installed} and {installed}.d\n"), settings
    # Another user may not, but is refused for that only.
    for settings in ([], ["--config", installed], ["-c", installed], [f"--config={installed}"]):
        done = svcctl(*settings, *words.split(), user=65534, group=65534, extra_groups=())
        assert done.returncode == 1 and "only root" in done.stderr, settings
    assert printed("--help", *words.split()) == printed("--help")


def test_an_unreadable_key_file_suggests_sudo(stack):
    done = subprocess.run(
        ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "sh", "-c",
         'cd /; exec "$1" --config "$2" --key-file "$3" --redis-password-file "" app list', "sh",
         stacks.program("svcctl"), "/dev/null", "/etc/shadow"],
        capture_output=True, text=True, timeout=stacks.PATIENCE, stdin=subprocess.DEVNULL)
    assert done.returncode == 2, done
    assert "Permission denied" in done.stderr and "sudo svcctl" in done.stderr


def test_commands_without_the_store_do_not_read_the_key_file(stack):
    done = ctl(stack, "--key-file", "/nowhere/keys", "status", "--socket", "/nowhere/x.sock")
    assert done.returncode == 3 and "keys" not in done.stderr


def test_a_configuration_file_with_a_read_error_is_refused():
    """/proc/self/mem opens, and its first read fails."""
    refused = svcctl("app", "list", env={**os.environ, "SVC_CONFIG": "/proc/self/mem"})
    assert refused.returncode == 2 and "cannot read the configuration file /proc/self/mem" in refused.stderr
