"""The page for media in real browsers, against a service that converts films.

The tests themselves are in tests/browser/settings, for node. Here they get the service, a film, a photograph, and a session.
"""

import pytest

import node_suite
from test_browser import BROWSER
from uploads import film, make
from user_agent import Browser

FILES = ("settings/uploads.test.js",)


@pytest.fixture(scope="module")
def node_results(module_stack):
    stack = module_stack
    base = node_suite.serve(stack, micro_cache=False)
    for role in ("web", "embed", "upload"):
        stack.start_pool(role, roles=role)
    stack.start_ingest()
    stack.start_thumbnails()
    photo = make(stack.directory / "photo.jpg", "-f", "lavfi", "-i", "mandelbrot=s=4000x3000,noise=alls=8", "-frames:v", 1, "-q:v", 4,
                 "-update", 1)
    browser = Browser(stack.nginx)
    browser.log_in(browser.page("/settings"), "olivia@acme.example")
    ((name, value),) = browser.cookies.items()
    return node_suite.results(BROWSER, FILES, SVC_URL=base, SVC_NEWCOMERS="0", SVC_SESSION_OLIVIA=f"{name}={value}",
                              SVC_FILM=str(film(stack.directory / "film.mp4")), SVC_PHOTO=str(photo))


globals().update(node_suite.tests(BROWSER, FILES))
