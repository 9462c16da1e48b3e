"""svcctl user disable at a terminal, with the shipped Redis users."""

from ctl_calls import ctl, done, said, terminal


def test_user_disable_checks_the_user_again_after_the_prompt(stack):
    stack.import_catalog()
    email = "waits@example.com"
    prompt = f"Type {email} to disable the user: "

    def create():
        assert ctl(stack, "user", "create", "--name", "N", "--email", email, "--account", "1001:user",
                   "--password-stdin", given="a good password\n").returncode == 0

    def meanwhile(*words):
        def run():
            done(stack, *words)
            return f"{email}\n".encode()
        return run

    create()
    done(stack, "user", "disable", email, "--yes")
    status, shown = terminal(stack, "user", "disable", email, answers=[(prompt, meanwhile("user", "enable", email))])
    assert status == 0 and shown.endswith("disabled\r\n")
    assert said(stack, "user", "show", email)["disabled"] is True
    status, shown = terminal(stack, "user", "disable", email,
                             answers=[(prompt, meanwhile("user", "delete", email, "--yes"))])
    assert status == 1 and f"{email} was deleted in the meantime" in shown
    assert ctl(stack, "user", "show", email).returncode == 1
