"""The player in Safari's engine: the tests are in tests/browser/webkit.test.js, for node."""

import os

import node_suite
from test_browser import BROWSER, serve

# WebKit hangs in some runs. The slowest test takes half a minute; a test that takes four times as long hangs.
FIRST_TRY_MS = 120_000


def test_plays_every_embed_code_in_webkit_with_its_own_hls_and_with_hls_js(stack, record_property):
    base = serve(stack)
    results = node_suite.results(BROWSER, ["webkit.test.js"], SVC_URL=base, SVC_PATIENCE_MS=str(FIRST_TRY_MS))
    failed = {name: report for name, report in results.items() if report}
    if failed:  # as in test_browser.py, only what fails twice counts
        record_property("failed in the first try", sorted(failed))
        again = node_suite.results(BROWSER, ["webkit.test.js"], failed, SVC_URL=base)
        failed = {name: report for name, report in again.items() if report}
    assert not failed, "\n".join(failed.values())[-8000:]
    kinds = ("WebKit with its own HLS: ", "WebKit with hls.js: ")
    for kind, least in zip(kinds, (9, 9) if os.environ.get("SVC_LONG") else (9, 2)):
        assert sum(name.startswith(kind) for name in results) >= least, sorted(results)
