"""The shipped nginx in front of the real pools: their responses to long requests, to each method, and to clients that
read compressed responses."""

import gzip
import json
import urllib.parse

import pytest

from hosts import host_of, public_routes, routes
from oauth_store import API
from shipped_nginx import APP
from uploads import Application

FILM = "l4unchf1lm"


@pytest.fixture(scope="module")
def service(module_stack):
    module_stack.import_catalog()
    for role in ("embed", "grant", "web", "upload"):
        module_stack.start_pool(role, roles=role)
    module_stack.nginx = module_stack.start_shipped_nginx(micro_cache=False)
    module_stack.app = Application(module_stack, module_stack.nginx, account=1001)
    module_stack.bearer = {"Authorization": f"Bearer {module_stack.app.token}"}
    return module_stack


def with_film(pattern):
    """A path of that pattern, of a film, an account and an application that exist."""
    for name, value in {"{media}": FILM, "{account}": "1001", "{language}": "en", "{client}": "demo-client-0001", "{project}": "1",
                        "{playlist}": "1", "{domain}": "a.example", "/**": "", "*": FILM}.items():
        pattern = pattern.replace(name, value)
    return pattern


# ---- long requests ------------------------------------------------------------------------------

# A line of a request may have 8192 bytes, all lines together 32 KiB (svc-limits.conf).
LINE, LONGEST = 8150, 7900
TEXTS = {"letters": "a" * LONGEST, "encoded": "%C3%BC" * (LONGEST // 6), "quotes": '"' * LONGEST,
         "arrays": "a[]=b&" * (LONGEST // 6), "slashes": "/" * LONGEST, "ampersands": "&" * LONGEST}
HEADERS = {"Cookie": "svc_session=" + "a" * LONGEST, "Referer": "https://site.example/" + "a" * LONGEST,
           "Origin": "https://" + "a" * LONGEST, "If-None-Match": '"' + "a" * LONGEST + '"',
           "Authorization": "Bearer " + "a" * LONGEST, "Accept-Language": "de," * (LONGEST // 3), "User-Agent": "a" * LONGEST,
           "Accept": "a/b," * (LONGEST // 4), "Content-Type": "a" * LONGEST, "Idempotency-Key": "a" * LONGEST,
           "If-Match": '"' + "a" * LONGEST + '"'}
TOGETHER = [{name: HEADERS[name] for name in names} for names in
            (("Cookie", "Accept-Language", "User-Agent"), ("Referer", "If-None-Match", "Accept"), ("If-Match", "Idempotency-Key", "Origin"))]
TOGETHER.append({f"X-{number}": "a" * 90 for number in range(250)})


PATHS = list(dict.fromkeys(path for row in public_routes() if row["role"] != "each" and "viewing" not in row["zones"]
                           for path in (row["example"], with_film(row["pattern"]))))


@pytest.mark.parametrize("path", PATHS)
def test_operations_N4_a_long_request_gets_a_response_or_a_refusal(service, path):
    def check(target, method, **headers):
        answer = service.nginx.request(target, method=method, host=host_of(path), headers=headers)
        assert answer.status < 500, (answer.status, method, target[:100], {name: value[:50] for name, value in headers.items()})

    for method in ("GET", "POST", "OPTIONS"):
        for text in TEXTS.values():
            for more in (f"?q={text}", f"?{text}", f"/{text}"):
                check((path + more)[:LINE], method)
                check((path + more)[:LINE], method, **service.bearer)
        for name, value in HEADERS.items():
            check(path, method, **{name: value})
        for headers in TOGETHER:
            check(path, method, **headers)


@pytest.mark.parametrize("path", ["/v1/medias", "/v1/medias.json"])
def test_operations_N4_a_list_names_its_next_page_however_long_the_query_is(service, path):
    """operations-N4: the query is in the head of the response twice, encoded."""
    films = [media["hashed_id"] for media in json.loads(service.nginx.request("/v1/medias", host=API, headers=service.bearer).body)]
    assert len(films) >= 3
    ids = "".join(f"&hashed_ids[]={films[number % len(films)]}" for number in range(100))
    answer = service.nginx.request(f"{path}?per_page=1&page=2{ids}", host=API, headers=service.bearer)
    assert answer.status == 200, answer
    links = answer.header("link")
    assert len(links) > 4096 and links.count('rel="next"') == links.count('rel="prev"') == 1
    following = urllib.parse.urlsplit(links.partition(">")[0][1:])
    assert service.nginx.request(f"{path}?{following.query}", host=API, headers=service.bearer).status == 200


# ---- methods ------------------------------------------------------------------------------------

def test_api_N1_api_N9_each_path_allows_the_methods_that_the_document_has(service):
    document = json.loads(service.nginx.request("/v1/openapi.json", host=API).body)
    checked = 0
    for row in (row for row in routes() if row["errors"] == "api" and row["hosts"]):
        methods = {name.upper() for name in document["paths"].get(row["pattern"], {}) if name.upper() in (
            "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE")}
        if row["pattern"] == "/v1/openapi.json":
            methods = {"GET"}
        assert methods, row["pattern"]
        for path in (with_film(row["pattern"]), with_film(row["pattern"]) + ".json"):
            # A page's preflight has neither a token nor a cookie.
            options = service.nginx.request(path, method="OPTIONS", host=API, headers={
                "Origin": "https://app.example", "Access-Control-Request-Method": "GET",
                "Access-Control-Request-Headers": "authorization, if-none-match"})
            wrong = service.nginx.request(path, method="PATCH", host=API)
            assert (options.status, wrong.status) == (204, 405), path
            for answer in (options, wrong):
                allowed = set(answer.header("allow").split(", "))
                assert allowed - {"HEAD", "OPTIONS"} == methods, path
                assert ("HEAD" in allowed) == ("GET" in methods), path
            assert (options.header("access-control-allow-origin") == "*") == ("GET" in methods), path
            checked += 1
    assert checked > 40


def test_api_N1_a_preflight_for_a_path_that_leads_out_of_the_api_lets_the_page_read_the_refusal(service):
    headers = {"Origin": "https://app.example", "Access-Control-Request-Method": "GET",
               "Access-Control-Request-Headers": "authorization"}
    for path in ("/v1/nothing", "/v1/a/..%2F..%2Fnothing", "/v1/medias/..%2f..%2fnothing.json", "/v1/%2e%2e/nothing.xml?a=b",
                 "/v1/../v1/nothing"):
        preflight = service.nginx.request(path, method="OPTIONS", host=API, headers=headers)
        assert (preflight.status, preflight.header("access-control-allow-origin")) == (204, "*"), path
        assert "Authorization" in preflight.header("access-control-allow-headers"), path
        answer = service.nginx.request(path, host=API, headers={"Origin": headers["Origin"]})
        assert (answer.status, answer.header("access-control-allow-origin")) == (404, "*"), path
        assert json.loads(answer.body)["error"] == "not_found", path
    for path in ("/nothing", "/oauth/a/..%2F..%2Fnothing"):
        other = service.nginx.request(path, method="OPTIONS", host=API, headers=headers)
        assert (other.status, other.header("access-control-allow-headers")) == (404, None), path
    elsewhere = service.nginx.request("/v1/a/..%2F..%2Fnothing", method="OPTIONS", host=APP, headers=headers)
    assert (elsewhere.status, elsewhere.header("access-control-allow-headers")) == (404, None)


# ---- compression --------------------------------------------------------------------------------

def unpacked(answer):
    return gzip.decompress(answer.body) if answer.header("content-encoding") == "gzip" else answer.body


def test_operations_N4_only_paths_without_secrets_are_compressed(service):
    """routes.h states why each of them reveals nothing."""
    seen = set()
    for row in public_routes():
        if "viewing" in row["zones"] or row["role"] == "each":
            continue
        path = with_film(row["pattern"])
        plain = service.nginx.request(path, host=host_of(path), headers=service.bearer)
        packed = service.nginx.request(path, host=host_of(path), headers={**service.bearer, "Accept-Encoding": "gzip"})
        is_packed = packed.header("content-encoding") == "gzip"
        assert not plain.header("content-encoding"), path
        if row["is_compressed"]:
            # Compression saves little of shorter responses. Caches keep both forms.
            assert is_packed == (len(plain.body) >= 1000), path
            assert not is_packed or "Accept-Encoding" in packed.header("vary"), path
            assert is_packed is False or packed.header("etag") is None or packed.header("etag").startswith("W/"), path
            seen |= {row["pattern"]} if is_packed else set()
        else:
            assert not is_packed and packed.header("etag") == plain.header("etag"), path
    assert {"/v1/openapi.json", "/v1/medias", "/developers", "/developers/*", "/medias/*"} <= seen, seen


def test_operations_N4_a_compressed_document_is_the_same_and_unchanged_for_its_tag(service):
    plain = service.nginx.request("/v1/openapi.json", host=API)
    packed = service.nginx.request("/v1/openapi.json", host=API, headers={"Accept-Encoding": "gzip"})
    assert unpacked(packed) == plain.body and len(packed.body) < len(plain.body) / 4
    for tag in (plain.header("etag"), packed.header("etag")):
        for encoding in ("gzip", "identity"):
            again = service.nginx.request("/v1/openapi.json", host=API, headers={"If-None-Match": tag, "Accept-Encoding": encoding})
            assert (again.status, again.body) == (304, b""), (tag, encoding)
