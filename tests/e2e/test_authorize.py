"""The authorization flow through the shipped nginx, with the longest requests and responses that it lets through."""

import urllib.parse

import pytest

from user_agent import Browser, Page

CLIENT = {"client_id": "demo-client-0001", "redirect_uri": "http://127.0.0.1:9090/callback"}


def target(**parameters):
    query = {"response_type": "code", **CLIENT, **parameters}
    return "/oauth/authorize?" + urllib.parse.urlencode(query)


def sent_back(answer):
    """Returns the parameters that the redirect adds to the application's URI."""
    assert answer.status == 303, (answer.status, answer.body[:2000])
    uri, location = CLIENT["redirect_uri"], answer.headers["location"]
    assert location.startswith(uri), location
    return dict(urllib.parse.parse_qsl(location[len(uri) + 1:], strict_parsing=True, errors="surrogateescape"))


@pytest.fixture(scope="module")
def nginx(module_stack):
    module_stack.import_catalog()
    module_stack.start_pool("web", roles="web", workers=3)
    return module_stack.start_shipped_nginx()


@pytest.fixture
def browser(nginx, module_stack):
    """A browser without a session. Existing grants are deleted."""
    for key in module_stack.redis_state.command("KEYS", "oauth:grant:*"):
        module_stack.redis_state.command("DEL", key)
    return Browser(nginx)


ROOM = 8192 - len("GET  HTTP/1.1\r\n")  # nginx/svc-limits.conf


@pytest.mark.parametrize("more", [{}, {"scope": "none"}, {"response_mode": "form_post"}],
                         ids=["query", "error", "form_post"])
@pytest.mark.parametrize("unit", ["/", "%E2%82%AC"])
def test_the_longest_state_that_nginx_accepts_returns(browser, unit, more):
    """After a login, in each way of returning it. One byte more is nginx's 414."""
    link = target(**more) + "&state="
    link += unit * ((ROOM - len(link)) // len(unit))
    link += "b" * (ROOM - len(link))
    state = urllib.parse.unquote(link.partition("&state=")[2])
    answer = browser.log_in(browser.page(link), "olivia@acme.example")
    if "scope" in more:
        assert sent_back(answer)["error"] == "invalid_scope" and sent_back(answer)["state"] == state
        return
    for word in ("deny", "allow"):
        sent = browser.answer(Page(browser.request(link)), word)
        if "response_mode" in more:
            assert Page(sent).form(CLIENT["redirect_uri"])["fields"]["state"] == state
        else:
            assert sent_back(sent)["state"] == state
    assert browser.request(link + "b").status == 414
