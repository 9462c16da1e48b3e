"""svcctl in a terminal emulator of 24x80: how its imports look."""

import json
import re
import signal

import pytest

import stack as stacks
from ctl_calls import ctl
from tmux_session import TmuxSession


@pytest.fixture(name="stack", scope="module")
def _stack(module_stack):
    module_stack.start_redis()
    catalog = module_stack.directory / "ctl.jsonl"
    catalog.write_text("".join(json.dumps(line) + "\n" for line in [
        {"kind": "account", "id": 41, "name": "With", "host": "with.svc.localhost",
         "url": "https://with.svc.localhost", "oauth_enabled": True}]))
    module_stack.import_catalog(catalog)
    return module_stack


def session(stack, *words):
    return TmuxSession([stacks.program("svcctl"), "--config", stack.config, *words])


def test_import_shows_one_line_of_progress_and_stops_at_ctrl_c(stack, tmp_path):
    lines = tmp_path / f"a file with a rather long name {'x' * 60}.jsonl"
    lines.write_text("".join(json.dumps({"kind": "project", "id": f"p{n}", "account_id": 41, "name": "name",
                                         "created": "2026-01-05T09:00:00Z", "updated": "2026-01-05T09:00:00Z"}) + "\n"
                             for n in range(300_000)))
    with session(stack, "import", str(lines)) as terminal:
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
    with session(stack, "import", str(lines)) as terminal:
        assert terminal.ended() == 0
        shown = [line for line in terminal.history() if line]
        assert re.fullmatch(r"project: \d+ added, \d+ changed, \d+ unchanged", shown[-1]), shown
    assert "300000 unchanged" in ctl(stack, "import", str(lines)).stdout
