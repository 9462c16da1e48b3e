"""svcctl in a terminal emulator of 24x80 and of 200x60: how its help, prompts and imports look."""

import json
import re
import signal

import pytest

import stack as stacks
from ctl_calls import audited, ctl, said
from tmux_session import TmuxSession

SIZES = pytest.mark.parametrize("columns, rows", [(80, 24), (200, 60)], ids=["24x80", "200x60"])
CREATE = ("app", "create", "--account", "41", "--redirect-uri", "https://client.example/cb", "--scopes", "media:read")


@pytest.fixture(name="stack", scope="module")
def _stack(module_stack):
    module_stack.start_redis()
    catalog = module_stack.directory / "ctl.jsonl"
    catalog.write_text("".join(json.dumps(line) + "\n" for line in [
        {"kind": "account", "id": 41, "name": "With", "host": "with.svc.localhost",
         "url": "https://with.svc.localhost", "oauth_enabled": True},
        {"kind": "user", "id": 410, "name": "Owner", "email": "owner@example.com", "password": "the first password",
         "memberships": [{"account_id": 41, "role": "owner"}]}]))
    module_stack.import_catalog(catalog)
    return module_stack


def session(stack, columns, rows, *words):
    return TmuxSession([stacks.program("svcctl"), "--config", stack.config, *words], columns, rows)


@SIZES
@pytest.mark.parametrize("words", [(), ("help",), ("--help",)], ids=["alone", "help", "--help"])
def test_the_help_lists_all_commands_on_one_screen(stack, columns, rows, words):
    with session(stack, columns, rows, *words) as terminal:
        assert terminal.ended() == (0 if words else 2)
        screen = terminal.screen()
        assert any(line.startswith("usage: svcctl ") for line in screen), screen
        assert any("--help-settings" in line for line in screen), screen


@SIZES
def test_app_delete_shows_the_consequences_and_asks(stack, columns, rows):
    app = said(stack, *CREATE, "--name", "Reports")["client_id"]
    prompt = f"Type {app} to delete it:"
    with session(stack, columns, rows, "app", "delete", app) as terminal:
        screen = terminal.wait_for(prompt)
        assert any(re.fullmatch(r"grants +0", line) for line in screen), screen
        terminal.type("yes")
        terminal.press("Enter")
        assert terminal.ended() == 1
        assert "nothing was deleted" in "\n".join(terminal.history())
    with session(stack, columns, rows, "app", "delete", app) as terminal:
        terminal.wait_for(prompt)
        terminal.press("C-c")
        assert terminal.ended() == 128 + 2
    assert said(stack, "app", "show", app)["name"] == "Reports"
    with session(stack, columns, rows, "app", "delete", app) as terminal:
        terminal.wait_for(prompt)
        terminal.type(app)
        terminal.press("Enter")
        assert terminal.ended() == 0
        assert "deleted" in terminal.screen()
    assert audited(stack, "client.deleted", client=app)


@SIZES
def test_user_passwd_asks_twice_without_echo(stack, columns, rows):
    with session(stack, columns, rows, "user", "passwd", "owner@example.com") as terminal:
        for prompt in ("Password:", "Repeat the password:"):
            terminal.wait_for(prompt)
            terminal.type("a secret sentence")
            terminal.press("Enter")
        assert terminal.ended() == 0
        assert "secret" not in "\n".join(terminal.history())


@SIZES
def test_stored_names_and_arguments_do_not_change_the_terminal(stack, columns, rows):
    stack.store_application("hostile", "\x1b]2;owned\x07\x1b[2J\x1b[1;1Hgone\u202e", account_id=41,
                            redirect_uri="https://client.example/cb", scopes=["media:read"])
    with session(stack, columns, rows, "app", "list") as terminal:
        assert terminal.ended() == 0
        assert terminal.value("pane_title") != "owned"
        assert terminal.history()[0].startswith("CLIENT ID"), "the screen was not cleared"
    # A message repeats the argument.
    with session(stack, columns, rows, "app", "show", "\x1b]2;owned\x07\x1b[2J") as terminal:
        assert terminal.ended() == 1
        assert terminal.value("pane_title") != "owned"
        assert "?]2;owned??[2J is not a client id" in "\n".join(terminal.history())


def projects(path, count, name):
    path.write_text("".join(json.dumps({"kind": "project", "id": f"p{n}", "account_id": 41, "name": name,
                                        "created": "2026-01-05T09:00:00Z", "updated": "2026-01-05T09:00:00Z"}) + "\n"
                            for n in range(count)))
    return path


@SIZES
def test_import_shows_one_line_of_progress_and_stops_at_ctrl_c(stack, columns, rows, tmp_path):
    lines = projects(tmp_path / f"a file with a rather long name {'x' * 60}.jsonl", 300_000, f"of {columns}")
    with session(stack, columns, rows, "import", str(lines)) as terminal:
        terminal.wait_for(r"writing .*%")
        # So that it is not over before the key is pressed.
        stack.redis_state.send_signal(signal.SIGSTOP)
        try:
            shown = [line for line in terminal.screen() if line]
            assert len(shown) == 1, f"the bar is one line: {shown}"
            terminal.press("C-c")
        finally:
            stack.redis_state.send_signal(signal.SIGCONT)
        assert terminal.ended() == 130
        history = "\n".join(terminal.history())
        assert "interrupted; all written records are complete. Run the import again for the rest" in history
    with session(stack, columns, rows, "import", str(lines)) as terminal:
        assert terminal.ended() == 0
        shown = [line for line in terminal.history() if line]
        assert re.fullmatch(r"project: \d+ added, \d+ changed, \d+ unchanged", shown[-1]), shown
    assert "300000 unchanged" in ctl(stack, "import", str(lines)).stdout


@SIZES
def test_import_lists_each_refused_line_on_its_own_line(stack, columns, rows, tmp_path):
    lines = tmp_path / "wrong.jsonl"
    lines.write_text('{"kind":"nothing"}\n{"kind":"\x1b[2J"}\n{}\n')
    with session(stack, columns, rows, "import", str(lines)) as terminal:
        assert terminal.ended() == 1
        shown = terminal.history()
        for number in (1, 2, 3):
            assert any(line.startswith(f"{lines}:{number}: ") for line in shown), shown
        assert "nothing was written: 3 lines refused" in "\n".join(shown)
