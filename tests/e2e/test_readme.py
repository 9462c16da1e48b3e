"""The commands of the documents, as they are written there: every block runs in one of these environments."""

import ast
import collections
import datetime
import json
import os
import re
import shutil
import subprocess
import threading
import urllib.parse

import pytest

import documents
import readme
import stack as stacks
import uploads
from ctl_calls import said
from deployed import deployed, make_whole
from processes import PATIENCE, start, wait_until
from user_agent import Browser, Page

# The sections whose blocks the tests of this file run, and where. Other modules take theirs by functions of readme.
WALK = ("worker/endpoints/README.md", "Register an application, get a token")
RUN_HERE = {
    ("README.md", "Start here"): "serve",
    WALK: "walk",
    ("worker/endpoints/README.md", "Upload a file"): "upload",
    ("worker/endpoints/README.md", "Read statistics"): "statistics",
    ("worker/endpoints/README.md", "Show a film to people with a link"): "link",
    ("systemd/README.md", "Expressions of nginx"): "machine",
    ("systemd/README.md", "Connections of nginx"): "machine",
    ("systemd/README.md", "Start, stop, reload"): "machine",
    ("systemd/README.md", "Secrets"): "machine",
    ("systemd/README.md", "Keys of links"): "machine",
    ("systemd/README.md", "Log"): "machine",
    ("tests/README.md", "Run one"): "checkout",
    ("tests/fastcgi/README.md", "FastCGI conformance"): "conformance",
}
BLOCKS = [(how, block) for section, how in RUN_HERE.items() for block in readme.blocks(*section)]
TAKES = {"blocks", "commands", "script", "follow"}  # functions that take a block by its heading and number


def those(how):
    """The blocks of that environment, as parameters."""
    found = [block for way, block in BLOCKS if way == how]
    return pytest.mark.parametrize("block", found, ids=[f"{block.path} {block.section}" for block in found])


@pytest.fixture
def nginx(stack):
    stack.import_catalog(stacks.served_catalog(stack.directory))
    for role in stacks.ROLES:
        stack.start_pool(role, roles=role)
    return stack.start_shipped_nginx()


def for_this_stack(stack, nginx, text):
    """A block that is meant for scripts/serve, for this stack."""
    for ours, theirs in (("http://127.0.0.1:8080", f"http://127.0.0.1:{nginx.port}"),
                         ("build/svcctl", stacks.program("svcctl")), ("$PWD/.serve/svc.conf", str(stack.config))):
        text = text.replace(ours, theirs)
    return text


def taken(module):
    """The blocks that a module takes: the path, heading and number of each call of readme or deployed.follow()."""
    tree = ast.parse(module.read_text())
    texts = {target.id: node.value.value for node in tree.body
             if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) for target in node.targets
             if isinstance(target, ast.Name)}
    found = set()
    for call in ast.walk(tree):
        name = getattr(call, "func", None) and getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name in TAKES:
            words = [texts.get(getattr(word, "id", ""), getattr(word, "value", None)) for word in call.args]
            sections = [word for word in words if isinstance(word, str)]
            path = next((word for word in sections if word.endswith(".md")), "systemd/README.md")
            number = next((word for word in words if isinstance(word, int)), 0)
            found |= {(path, section, number) for section in sections if section != path}
    return found


def test_operations_Y81_every_block_of_every_document_is_run():
    folder = stacks.REPOSITORY / "tests/e2e"
    run = set().union(*(taken(module) for module in folder.glob("*.py")))
    written, counts = [], collections.Counter()
    for path in map(str, documents.paths()):
        for block in readme.blocks(path):
            written.append((block.path, block.section, counts[block.path, block.section]))
            counts[block.path, block.section] += 1
    assert [f"{path}, {section}: block {number + 1}" for path, section, number in written
            if (path, section) not in RUN_HERE and (path, section, number) not in run] == [], "no test runs these"
    assert {*RUN_HERE} <= {*counts}


# Those that build in build/. `--once -R` instead of a whole run, which builds the same.
BUILDING = ["scripts/serve --dir .s", "scripts/bench --quick", "scripts/check --all", "scripts/test --once -R structure.readme"]

CMAKE = """#!/bin/bash
[[ $1 == --build ]] || exec /usr/bin/cmake "$@"
folder=$2 && shift 2
[[ ${1:-} != --target ]] || shift
ninja -C "$folder" -t query "${@:-all}" >/dev/null && echo "$folder" >>"$BUILDS"
exit 9  # no script goes on with programs that are not there
"""


def test_every_script_builds_after_every_other(tmp_path):
    """On one fresh clone, in each order of two. Nothing is built, but every target must exist."""
    clone, tools, builds = tmp_path / "clone", tmp_path / "tools", tmp_path / "builds"
    clone.mkdir()
    subprocess.run(["sh", "-c", 'git ls-files -z | xargs -0 cp --parents -t "$0"', clone], cwd=stacks.REPOSITORY,
                   check=True)
    for words in ("init -q", "add -A", "-c user.name=a -c user.email=a@a.example commit -q -m a"):
        subprocess.run(["git", *words.split()], cwd=clone, check=True, capture_output=True)
    tools.mkdir()
    # Packages are another matter: tests/structure/packages_test.py.
    for name, text in (("cmake", CMAKE), ("dpkg-query", '#!/bin/sh\nshift 2\nfor name; do echo "$name ii"; done\n')):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "BUILDS": str(builds),
                   "PYTEST_ADDOPTS": "--collect-only"}
    order = [one for number, first in enumerate(BUILDING)
             for one in [*(each for second in BUILDING[number + 1:] for each in (first, second)), first]]
    assert {*zip(order, order[1:])} >= {(one, other) for one in BUILDING for other in BUILDING if one != other}
    for number, command in enumerate(order):
        builds.write_text("")
        done = subprocess.run(command.split(), cwd=clone, env=environment, capture_output=True, text=True,
                              timeout=stacks.SUITE_PATIENCE, check=False)
        assert builds.read_text() and "unknown target" not in done.stdout + done.stderr, (
            command, "after", order[:number], done.stdout, done.stderr)


FIELD = """field() { printf '%s' "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"; }"""


@those("upload")
def test_an_upload_as_in_the_walk_through_is_a_page_that_plays(nginx, stack, tmp_path, block):
    stack.start_ingest()
    uploads.film(tmp_path / "film.mp4", seconds=1)
    token = uploads.Application(stack, nginx, scopes="media:upload").token
    before = f"url=http://127.0.0.1:{nginx.port}; token={token}; {FIELD}\n"
    assert FIELD in readme.blocks(*WALK)[0].text
    done = subprocess.run(["sh", "-eu", "-c", before + block.text], cwd=tmp_path, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    page = done.stdout.splitlines()[-1]
    media_id = page.rpartition("/")[2]
    assert '"status":"ready"' in done.stdout and page.startswith(f"http://127.0.0.1:{nginx.port}/medias/")
    assert media_id in nginx.request(f"/medias/{media_id}", host=uploads.EMBED).body.decode()


@those("statistics")
def test_statistics_as_in_the_walk_through_are_a_table_and_a_drawing_of_the_last_week(nginx, stack, tmp_path, block):
    assert shutil.which("gnuplot")
    def week():
        """As nine beacons of today change it: three of a page view that played."""
        today = datetime.datetime.now(datetime.UTC).date()
        return [f"{today - datetime.timedelta(ago)} {'0 0' if ago else '3 3'}" for ago in range(6, -1, -1)]

    ticket = json.loads(nginx.request("/embed/medias/l4unchf1lm.json").body)["viewing"]
    for number in range(3):
        for what in ("load", "play", "seen 0-99"):
            told = nginx.request("/embed/medias/l4unchf1lm/viewing", method="POST", body=f"v1 {number:014}{ticket} {what}".encode(),
                                 headers=[("Content-Type", "text/plain"), ("User-Agent", "Mozilla/5.0 Firefox/140.0")])
            assert told.status == 204
    wait_until(lambda: said(stack, "stats", "account", "1001")["plays"] == 3, "all of it is counted")
    before = week()
    first = for_this_stack(stack, nginx, readme.blocks(*WALK)[0].text.partition("\n\n")[0])
    done = subprocess.run(["sh", "-eu", "-c", f"{first}\n{for_this_stack(stack, nginx, block.text)}"], capture_output=True,
                          text=True, timeout=PATIENCE, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["play_count"] == 3, done.stdout
    days = (tmp_path / "week.txt").read_text().splitlines()
    assert [day.rpartition(" ")[0] for day in days] in (before, week()), days
    assert float(days[-1].split()[-1]) > 0
    # A filled box with a height, and no other.
    drawn = (tmp_path / "week.svg").read_text()
    boxes = re.findall(r"<polygon[^>]*points = '([^']*)'", drawn)
    heights = [{float(point.split(",")[1]) for point in box.split()} for box in boxes]
    assert len([height for height in heights if max(height) - min(height) > 50]) == 1, drawn


@those("link")
def test_a_link_as_in_the_walk_through_opens_a_private_film_until_it_is_ended(nginx, stack, tmp_path, block):
    first = for_this_stack(stack, nginx, readme.blocks(*WALK)[0].text.partition("\n\n")[0])
    done = subprocess.run(["sh", "-eu", "-c", f"{first}\n{for_this_stack(stack, nginx, block.text)}"], capture_output=True,
                          text=True, timeout=PATIENCE, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page, *answers = done.stdout.splitlines()
    assert "/medias/sm4ll480px?watch=" in page
    assert answers[1::2] == ["403", "200", "403"], done.stdout
    assert json.loads(answers[2])["id"] == "sm4ll480px"


@those("serve")
def test_the_first_commands_work_with_a_running_service(nginx, stack, block):
    done = subprocess.run(["sh", "-eu", "-c", for_this_stack(stack, nginx, block.text)], capture_output=True, text=True,
                          timeout=stacks.PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    words = (("embed", "demo-client-0001", "import") if "svcctl help" in block.text else
             ("?watch=", "PLAYS") if "visibility" in block.text else
             ('"type":"video"', "<oembed>", "svc_async_l4unchf1lm", "#EXTM3U") if "/oembed" in block.text else
             ("authorization_endpoint", "token_endpoint"))
    assert [word for word in words if word not in done.stdout] == [], done.stdout


def allow(nginx, link):
    """The user's part in a browser. Returns the code."""
    parts = urllib.parse.urlsplit(link)
    browser = Browser(nginx)
    page = Page(browser.log_in(browser.page(f"{parts.path}?{parts.query}"), "olivia@acme.example"))
    location = browser.answer(page, "allow").headers["location"]
    return urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["code"][0]


def test_an_application_is_registered_and_gets_a_token(nginx, stack):
    script = for_this_stack(stack, nginx, "\n".join(block.text for block in readme.blocks(*WALK)))
    shell = start(["sh", "-eu", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                  stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(stacks.PATIENCE, shell.kill)
    timer.start()
    try:
        link = shell.stdout.readline().strip()
        assert "/oauth/authorize?" in link, shell.communicate()[1]
        out, errors = shell.communicate(allow(nginx, link) + "\n")
    finally:
        timer.cancel()
    assert shell.returncode == 0, errors
    tokens, media, refreshed, inspected, revoked, refused, status, *deleted = out.split("\n")
    first, second = json.loads(tokens.removeprefix("code: ")), json.loads(refreshed)
    assert first["scope"] == "media:read" and first["access_token"].startswith("svca_"), out
    assert second["access_token"] != first["access_token"] and second["refresh_token"] == first["refresh_token"], out
    assert json.loads(media)["hashed_id"] == "l4unchf1lm" and json.loads(inspected)["active"] is True, out
    assert (revoked, status) == ("{}", "401") and "expired or revoked" in refused, out
    assert "deleted" in "".join(deleted), out


@pytest.fixture(scope="module", name="booted")
def fixture_booted():
    with deployed() as one:
        yield one


@those("machine")
def test_the_operators_commands_work_on_a_deployed_machine(booted, block):
    keys, watch_keys = (booted.path(f"/etc/svc/{name}").read_text().splitlines()
                        for name in ("keys", "watch-keys"))
    booted.run("sh", "-euc", block.text)
    make_whole(booted)
    if block.section == "Secrets":
        after = booted.path("/etc/svc/keys").read_text().splitlines()
        assert len(after) == len(keys) + 1 and after[0] not in keys and after[1:] == keys
    if block.section == "Keys of links":
        after = booted.path("/etc/svc/watch-keys").read_text().splitlines()
        assert after[1:] == (watch_keys if "rotate" in block.text else [])
        known = re.findall(r"(?m)^=(\S+) ", booted.path("/etc/svc/nginx-file-secrets.conf").read_text())
        assert sorted(known) == sorted(line.partition(":")[0] for line in after)
    # `systemctl reload nginx` returns before nginx has read its new configuration.
    asked = booted.run("curl", "-fsS", "--retry", "250", "--retry-connrefused", "--retry-delay", "1",
                       "--retry-max-time", "250", "--connect-to", "::127.0.0.1:", "http://app.svc.example/readyz")
    assert asked.stdout == '{"status":"ok"}'


@those("conformance")
def test_the_conformance_suite_checks_a_pool(stack, block, tmp_path):
    pool = stack.start_pool()
    text = block.text.replace("tests/fastcgi/", f"{stacks.REPOSITORY}/tests/fastcgi/").replace(
        "/run/svc/embed.sock", str(pool.socket))
    done = subprocess.run(["sh", "-eu", "-c", text], cwd=tmp_path, capture_output=True, text=True,
                          timeout=10 * stacks.PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok       MUST    a request is answered (6.2)" in done.stdout
    assert "| a request is answered | 6.2 | MUST | ok |" in done.stdout


@those("checkout")
def test_one_test_is_run_in_a_checkout(block):
    text = block.text.replace("build/tests/", f"{stacks.BUILD}/tests/")
    done = subprocess.run(["bash", "-eu", "-c", text], cwd=stacks.REPOSITORY, capture_output=True, text=True,
                          timeout=10 * stacks.PATIENCE, env={**os.environ, "SVC_BUILD_DIR": str(stacks.BUILD)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 1 and len(re.findall(r"(?m)^\d+ passed", done.stdout)) == 2, done.stdout


def test_the_settings_that_the_manual_explains_exist():
    """The notes below "In addition to the help", by name; their defaults are in the help only."""
    printed = stacks.ended("svc-worker", "--print-config").stdout
    settings = set(re.findall(r"(?m)^([a-z-]+) =", printed))
    named = []
    for note in documents.items(documents.tokens("systemd/README.md", "Settings")):
        # The names before the first word.
        for part in note.children:
            if part.type == "code_inline":
                named += [part.content.split(" ")[0]]
            elif part.content not in ("", ", ", " and "):
                break
    assert len(named) > 10 and {*named} - settings == {"#"}
    # A table of settings is not repeated by hand: svc-worker --help has it.
    for path in documents.paths():
        rows = documents.rows(documents.tokens(path))
        assert [name.content for name, value, *_ in rows if name.content in {f"`{setting}`" for setting in settings}
                and value.content.startswith("`")] == [], path


def test_operations_Y94_the_commands_of_the_manual_take_these_arguments():
    """Each command in a table, with its flags and operands, as its own help has them. "Administer" has every command."""
    named = set()
    administer, *_ = documents.tables(documents.tokens("systemd/README.md", "Administer"))
    for row in documents.rows(documents.tokens("systemd/README.md")):
        calls = [words.removeprefix("svcctl ") for words in documents.codes(*row) if words.startswith("svcctl ")]
        commands = [re.fullmatch(r"([a-z-]+(?: [a-z][a-z-]*)?)(.*)", words).groups() for words in calls]
        if any(row[0].content == its[0].content for its in administer):
            named |= {command for command, _ in commands}
        for command, arguments in commands:
            usage = stacks.ended("svcctl", *command.split(), "--help").stdout
            assert usage.startswith(f"svcctl {command}"), command
            for argument in arguments.split():
                literal = argument.startswith("--") or argument.isupper()
                assert not literal or re.search(rf"(?<![\w-]){re.escape(argument)}(?![\w-])", usage), (command, argument)
    listed = re.sub(r"\n {6,}", " ", stacks.ended("svcctl", "help").stdout)
    groups = dict(re.findall(r"(?m)^  (\w+) +(?:[\w ]+: )?([a-z-]+(?:, [a-z-]+)*)$", listed))
    every = {f"{group} {name}" for group, names in groups.items() for name in names.split(", ")}
    assert len(every) > 20 and every - named == set(), every - named


def test_the_manual_page_has_every_key_of_the_catalog():
    kinds = {}
    for line in map(json.loads, stacks.CATALOG.read_text().strip().split("\n")):
        kinds.setdefault(line["kind"], set()).update(set(line) - {"kind"})
    assert set(kinds) == {"account", "user", "project", "media", "playlist", "application"}
    page = (stacks.REPOSITORY / "systemd/man/svcctl.8.in").read_text()
    catalog = re.search(r"(?ms)^\.SH CATALOG$(.*?)(?=^\.SH )", page).group(1)
    said = dict(re.findall(r"(?ms)^\.TP\n\.B (\w+)\n(.*?)(?=^\.TP|^\.PP)", catalog))
    assert ".B app create\ntakes as flags, by their names with _" in said["application"]
    flags = re.findall("--([a-z-]+)", stacks.ended("svcctl", "app", "create", "--help").stdout)
    said["application"] += " ".join(flags).replace("-", "_")
    for kind, keys in kinds.items():
        assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b", said[kind])] == [], kind
