"""Third-party clients: npm packages and ffprobe, against a service like that of scripts/serve."""

import json
import shutil
import subprocess

import pytest

import ctl_calls
import node_suite
import stack as stacks
from client_document_host import Host, certificates
from processes import free_port

CLIENTS = stacks.REPOSITORY / "tests" / "clients"


@pytest.fixture(scope="module")
def service(module_stack):
    base = node_suite.serve(module_stack)
    for role, workers in (("embed", 2), ("web", 3), ("grant", 2)):
        module_stack.start_pool(role, roles=role, workers=workers)
    return base


@pytest.mark.parametrize("file", ["clients.test.js", "oauth.test.js", "public.test.js", "conformance.test.js"])
def test_clients_of_others_get_the_expected_responses(service, file):
    results = node_suite.results(CLIENTS, [file], SVC_URL=service)
    assert not any(results.values()), "".join(results.values())


def test_clients_of_others_take_the_responses_to_a_new_application(service, module_stack):
    """Only the required options are set."""
    made = ctl_calls.said(module_stack, "app", "create", "--account", "1001", "--name", "New", "--redirect-uri",
                          "http://127.0.0.1:9090/new", "--scopes", "media:read,stats:read")
    results = node_suite.results(CLIENTS, ["new-application.test.js"], SVC_URL=service, SVC_CLIENT=made["client_id"],
                                 SVC_SECRET=made["client_secret"])
    assert len(results) == 3 and not any(results.values()), "".join(results.values())


def mcp_server(stack):
    """The settings of a server of the Model Context Protocol: it is registered as a resource server, and reads the data
    API by an account token."""
    port = free_port()
    server = ctl_calls.said(stack, "app", "create", "--account", "1001", "--name", "Media tools",
                            "--redirect-uri", f"http://127.0.0.1:{port}/unused", "--scopes", "media:read",
                            "--resource-server", "--resource", f"http://127.0.0.1:{port}/mcp")
    token = ctl_calls.said(stack, "token", "create", "--account", "1001", "--user", "olivia@acme.example",
                           "--name", "Media tools", "--scopes", "media:read", "--expires", "30")
    return {"SVC_CALLBACK_PORT": str(free_port()), "SVC_MCP_PORT": str(port), "SVC_MCP_CLIENT": server["client_id"], "SVC_MCP_SECRET": server["client_secret"],
            "SVC_MCP_TOKEN": token["token"]}


def test_clients_of_the_model_context_protocol_call_a_tool_of_a_resource_server(service, module_stack):
    results = node_suite.results(CLIENTS, ["mcp.test.js"], SVC_URL=service, **mcp_server(module_stack))
    assert len(results) == 2 and not any(results.values()), "".join(results.values())


def test_clients_with_a_metadata_document_get_tokens(stack, tmp_path):
    """Clients of the Model Context Protocol, and its conformance program, which then prints no warning."""
    certificates(tmp_path, "IP:127.0.0.1")
    host = Host(tmp_path)
    try:
        base = node_suite.serve(stack, client_id_hosts="127.0.0.1", courier_ca_file=tmp_path / "ca.pem",
                                courier_allow_loopback="on")
        for role in ("web", "grant"):
            stack.start_pool(role, roles=role, workers=2)
        stack.start_courier()
        uris = ["http://127.0.0.1/callback", "http://localhost/callback"]  # at any port
        url = host.has("/client", host.document("/client", client_name="A test of MCP", redirect_uris=uris,
                                                grant_types=["authorization_code", "refresh_token"]))
        results = node_suite.results(CLIENTS, ["mcp.test.js", "conformance.test.js"], SVC_URL=base, SVC_CLIENT_DOCUMENT=url,
                                     **mcp_server(stack))
        assert len(results) == 6 and not any(results.values()), "".join(results.values())
        assert host.asked
    finally:
        host.shutdown()


@pytest.mark.parametrize("media", ["l4unchf1lm", "p0rtrait99", "0dd1279717", "l1ves0und1"])
def test_oembed_M6_ffprobe_finds_every_variant(service, media):
    assert shutil.which("ffprobe"), "ffprobe comes with the package ffmpeg"
    done = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-of", "json",
                           f"{service}/embed/medias/{media}.m3u8"],
                          capture_output=True, text=True, timeout=stacks.PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    streams = json.loads(done.stdout)["streams"]
    catalog = next(line for line in map(json.loads, stacks.CATALOG.read_text().strip().split("\n"))
                   if line.get("id") == media)
    pictures = {(asset["width"], asset["height"]) for asset in catalog["assets"]
                if asset["type"] == "hls" and asset["width"]}
    assert {(stream["width"], stream["height"]) for stream in streams
            if stream["codec_type"] == "video"} == pictures
    assert any(stream["codec_type"] == "audio" for stream in streams)
