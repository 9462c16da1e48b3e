"""oauth_site: fixtures of the suites that use OAuth through the shipped nginx. A module of tests imports them."""

import pytest

import oauth_store


@pytest.fixture(scope="module")
def site(module_stack):
    return oauth_store.start(module_stack)


@pytest.fixture
def nginx(site):
    oauth_store.forget_guesses(site)
    return site.nginx


@pytest.fixture
def code(site):
    return site.codes.new()
