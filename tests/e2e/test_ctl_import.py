"""`svcctl import` of a file that is older than the store: it restores no old credential."""

import json
import subprocess
import urllib.parse

import pytest

import stack as stacks
from ctl_calls import ctl, done
from processes import start
from user_agent import PASSWORDS

API = "api.svc.example"
OLIVIA = "olivia@acme.example"
MEDIAS = ["l4unchf1lm", "sm4ll480px", "p0rtrait99"]
CLIENTS = {f"demo-client-000{n}": f"demo-secret-000{n}-not-for-production" for n in (1, 2, 3)}


@pytest.fixture(name="site", scope="module")
def _site(module_stack):
    module_stack.import_catalog()
    module_stack.start_pool("grant", roles="grant", workers=1)
    module_stack.nginx = module_stack.start_shipped_nginx()
    return module_stack


def import_again(stack, *words):
    """Imports the same catalog again. Returns the finished process."""
    ran = ctl(stack, "import", str(stacks.CATALOG), *words)
    assert ran.returncode == 0, ran
    return ran


def events(stack, *names):
    lines = done(stack, "audit", "--count", "100000", "--json").splitlines()
    return [event for line in lines if (event := json.loads(line))["what"] in names]


def is_right(stack, client_id, secret):
    """Whether the token endpoint takes it for the client's secret."""
    fields = {"grant_type": "refresh_token", "client_id": client_id, "client_secret": secret,
              "refresh_token": "svcr_" + "0" * 96}
    answer = stack.nginx.request("/oauth/token", host=API, method="POST",
                                 headers={"Content-Type": "application/x-www-form-urlencoded"},
                                 body=urllib.parse.urlencode(fields).encode())
    error = json.loads(answer.body)["error"]
    assert error in ("invalid_client", "invalid_grant"), answer.body
    return error == "invalid_grant"


def line_of(key, value):
    with open(stacks.CATALOG, encoding="utf-8") as lines:
        (number,) = [number for number, line in enumerate(lines, 1) if json.loads(line).get(key) == value]
    return number


def test_an_import_restores_nothing_that_was_revoked_or_deleted(site):
    unchanged = import_again(site)
    assert unchanged.stderr == "" and " 0 added, 0 changed, " in unchanged.stdout

    # Credentials change. integration/ctl shows that they stay.
    done(site, "user", "passwd", OLIVIA, "--password-stdin", given="a better password\n")
    done(site, "app", "rotate-secret", "demo-client-0002")
    done(site, "app", "rotate-secret", "demo-client-0002", "--retire-old")
    done(site, "app", "delete", "demo-client-0001", "--yes")
    done(site, "app", "delete", "demo-client-0003", "--yes")
    for _ in range(2):
        ran = import_again(site)
        at = str(stacks.CATALOG)
        assert ran.stderr.splitlines() == [
            f"{at}:{line_of('email', OLIVIA)}: kept: password of user 501",
            f"{at}:{line_of('client_id', 'demo-client-0001')}: kept: deletion of application demo-client-0001",
            f"{at}:{line_of('client_id', 'demo-client-0002')}: kept: secrets of application demo-client-0002",
            f"{at}:{line_of('client_id', 'demo-client-0003')}: kept: deletion of application demo-client-0003",
            "kept: 1 password, 1 application with other secrets, 2 deleted applications; "
            "--reset-credentials overwrites them"]
        assert "application: 0 added, 0 changed, 1 unchanged, 2 kept deleted" in ran.stdout
        assert all(": 0 added, 0 changed, " in line for line in ran.stdout.splitlines())
    assert len(events(site, "import")) == 1, "the others changed nothing"

    # With --reset-credentials all are restored and audited.
    ran = import_again(site, "--reset-credentials")
    assert ran.stderr == "" and "application: 2 added, 1 changed, 0 unchanged\n" in ran.stdout
    found = events(site, "password.reset", "secret.reset", "client.restored", "import")[-5:]
    # Each kind has its own stream, so events of one millisecond have no order between kinds.
    assert {(event["what"], event.get("contact"), event.get("client")) for event in found} == {
        ("password.reset", 501, None), ("client.restored", None, "demo-client-0001"),
        ("secret.reset", None, "demo-client-0002"), ("client.restored", None, "demo-client-0003"),
        ("import", None, None)}
    assert all(str(stacks.CATALOG) in event["detail"] and "with svcctl" in event["detail"] for event in found)
    assert not any(secret in str(found) for secret in (*CLIENTS.values(), *PASSWORDS.values()))
    ran = import_again(site, "--reset-credentials")
    assert ran.stderr == "" and " 1 added" not in ran.stdout
    assert events(site, "password.reset", "secret.reset", "client.restored", "import")[-5:] == found


def test_oembed_C3_oauth_L8_an_import_refuses_long_playlists_and_weak_or_expensive_hashes(site, tmp_path):
    hashed = {"kind": "user", "id": 900, "name": "Weak", "email": "weak@acme.example", "memberships": []}
    lines = [{"kind": "playlist", "id": "long", "account_id": 1001, "name": "Long", "media_ids": MEDIAS[:3]},
             hashed | {"password_hash": f"scrypt$14$8$1${'0' * 32}${'0' * 64}"},
             hashed | {"id": 901, "password_hash": f"scrypt$17$8$16${'0' * 32}${'0' * 64}"}]
    file = tmp_path / "catalog.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = ctl(site, "--max-playlist-medias", "2", "import", str(file))
    assert ran.returncode == 1 and ran.stdout == ""
    assert ran.stderr.splitlines()[:3] == [
        f"{file}:1: media_ids has 3 media; max-playlist-medias allows 2",
        f"{file}:2: password_hash is too weak: scrypt with N=2^14 r=8 p=5, or parameters that need as much memory "
        "(N*r) and work (N*r*p), is allowed",
        f"{file}:3: password_hash is too expensive to verify: work (N*r*p) of at most 2^20 is allowed, as of "
        "N=2^17 r=8 p=1"]
    assert "nothing was written: 3 lines refused" in ran.stderr
    ran = ctl(site, "import", str(file), "--keep-going")
    assert ran.returncode == 1 and "playlist: 1 added" in ran.stdout and "2 lines refused and skipped" in ran.stderr
    assert site.redis_state.command("EXISTS", "catalog:contact:900", "catalog:contact:901") == 0


def test_simultaneous_imports_restore_nothing(site, tmp_path):
    def write(name, secret):
        file = tmp_path / name
        file.write_text("".join(json.dumps({
            "kind": "application", "client_id": f"many-{n}", "client_secret": f"{secret}-{n}", "account_id": 1001,
            "name": secret, "redirect_uri": "https://many.example/back", "scopes": ["media:read"],
            "created": "2026-01-05T09:00:00Z"}) + "\n" for n in range(300)))
        return file

    files = [write("one.jsonl", "one"), write("two.jsonl", "two")]
    done(site, "import", str(files[0]))
    for n in range(0, 300, 100):
        done(site, "app", "delete", f"many-{n}", "--yes")
    for _ in range(3):
        both = [start([stacks.program("svcctl"), "--config", str(site.config), "import", str(file)],
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for file in files]
        for one in both:
            _, said = one.communicate(timeout=stacks.PATIENCE)
            # An import that met a concurrent change reports it, and is repeated.
            assert one.returncode in (0, 1), said
            assert one.returncode == 0 or "was changed by another client during the import" in said
    for file in files:
        assert ctl(site, "import", str(file)).returncode == 0
    live = {json.loads(line)["client_id"] for line in done(site, "app", "list", "--json").splitlines()}
    assert len([client for client in live if client.startswith("many-")]) == 297
    assert not live & {"many-0", "many-100", "many-200"}
    assert is_right(site, "many-7", "one-7") and not is_right(site, "many-7", "two-7")
