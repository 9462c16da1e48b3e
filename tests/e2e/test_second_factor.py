"""The second factor with another implementation of RFC 6238."""

import re
import subprocess

from user_agent import Browser, Page

OLIVIA = "olivia@acme.example"
PAGE = "/settings/second-factor"


def code_of(key, *more):
    """The code that Debian's oathtool shows for a key, as it is on the page."""
    return subprocess.run(["oathtool", "--totp", "--base32", *more, key], check=True, capture_output=True,
                          text=True).stdout.strip()


def scanned(body):
    """Returns the text of the QR code in a page."""
    svg = body[body.index(b"<svg class=\"qr\""):]
    svg = svg[:svg.index(b"</svg>") + 6].replace(b"<svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"", 1)
    png = subprocess.run(["rsvg-convert", "--zoom=3"], input=svg, check=True, capture_output=True).stdout
    return subprocess.run(["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "png:-"], input=png,
                          check=True, capture_output=True).stdout.decode().strip()


def test_the_codes_of_oathtool_log_in(stack):
    stack.import_catalog()
    stack.start_pool("web", roles="web")
    nginx = stack.start_shipped_nginx()
    browser = Browser(nginx)
    browser.log_in(browser.page("/login"), OLIVIA)
    page = browser.page(PAGE)
    (key,) = re.findall(r'<textarea id="key"[^>]*>([^<]*)<', page.answer.body.decode())
    (uri,) = [attributes["value"] for tag, attributes in page.elements if attributes.get("id") == "uri"]
    assert f"secret={key.replace(' ', '')}&" in uri
    assert scanned(page.answer.body) == uri
    added = Page(browser.request(PAGE, fields={**page.form(PAGE)["fields"], "code": code_of(key)}))
    assert "The second factor is set up." in added.text, added.text

    other = Browser(nginx)
    fields = {**other.page("/login").form("/login")["fields"], "email": OLIVIA, "password": "olivia-demo-password"}
    asked = Page(other.request("/login", fields=fields))
    # The code of the next 30 seconds: the present code was used.
    code = code_of(key, "--now=now + 30 seconds")
    answer = other.request("/login", fields={**asked.form("/login")["fields"], "code": code})
    assert (answer.status, answer.headers["location"]) == (303, "/settings")
    assert other.page("/settings").text.count("Olivia") > 0
