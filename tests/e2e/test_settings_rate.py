"""The settings' forms have a rate limit per session, as shipped (oauth-K7)."""

import time

import pytest

from user_agent import Browser

HOST = "app.svc.example"
BURST, RATE = 30, 1  # nginx/svc-limits-rates.conf; requests, and requests per second


@pytest.fixture(params=["https", "http"])
def site(request, stack):
    stack.import_catalog()
    stack.write_config(app_url=f"{request.param}://{HOST}")
    stack.start_pool("web", roles="web")
    stack.nginx = stack.start_shipped_nginx(limits=True)
    stack.cookie_name = "__Host-svc_session" if request.param == "https" else "svc_session"
    return stack


def session_of(site, email):
    """Returns the value of the session's cookie."""
    browser = Browser(site.nginx)
    browser.log_in(browser.page("/settings"), email)
    return browser.cookies[site.cookie_name]


def post(site, cookies, path="/settings/security/others"):
    """Posts a form without a token, which is refused but counted. Returns the status."""
    return site.nginx.request(path, method="POST", host=HOST, headers={"Cookie": cookies}).status


def test_forms_of_the_settings_have_a_rate_limit_per_session(site):
    name, other_name = site.cookie_name, {"svc_session", "__Host-svc_session"} - {site.cookie_name}
    olivia = session_of(site, "olivia@acme.example")
    manuel = session_of(site, "manuel@acme.example")
    junk = [f"svcs_{number:064x}" for number in range(200)]
    shapes = [
        f"{name}={olivia}",
        f"a=b;{name}={olivia}; c=d",
        "{other}={junk}; {name}={olivia}",
        "x{name}={junk}; {name}={olivia}",
        "{name}x={junk};   {name}={olivia}",
        "{name}={olivia}; {name}={junk}",
        "a={name}={junk}; {name}={olivia}",
    ]
    began = time.monotonic()
    statuses = []
    for number in range(100):
        shape = shapes[number % len(shapes)]
        statuses.append(post(site, shape.format(name=name, olivia=olivia, junk=junk[number], other=min(other_name)),
                             ["/settings/security/others", "/settings/connected/x"][number % 2]))
    passed = [status for status in statuses if status != 429]
    assert BURST < len(passed) <= 1 + BURST + RATE * (time.monotonic() - began) + 1, statuses
    assert set(passed) == {403}, "the worker saw her session every time, and refused the form"
    assert statuses[:BURST] == [403] * BURST
    assert post(site, f"{name}={manuel}") == 403, "another session is not limited"
    assert site.nginx.request("/settings", host=HOST, headers={"Cookie": f"{name}={olivia}"}).status == 200
    # If the first cookie is not hers, the worker does not accept her session either.
    assert post(site, f"{name}=svcs_none; {name}={olivia}") in (200, 429)
