"""The files of the login page."""

import gzip
import re

from user_agent import Browser

def test_pages_load_only_existing_files(stack):
    stack.import_catalog()
    stack.start_pool("web", roles="web")
    browser = Browser(stack.start_shipped_nginx())
    files = set(re.findall(rb'(?:href|src)="(/assets/[^"]*)"', browser.page("/login").answer.body))
    assert files
    for path in files:
        assert browser.request(path.decode()).status == 200, path
    assert len(gzip.compress(browser.request("/assets/site.css").body)) < 20 * 1024
