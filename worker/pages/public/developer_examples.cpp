#include "pages/public/developer_examples.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/paths.h"
#include "embed/dimensions.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/rendering.h"
#include "media/id.h"
#include "text/csp_source.h"
#include "text/form.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

namespace paths = base::paths;

embed::Embeddable example_film(const embed::Site& site) {
  embed::Embeddable film;
  if (const auto id = media::HashedId::parse(site.example_media)) film.id = *id;
  if (site.example_media.empty()) film.id = *media::HashedId::parse("MEDIAID");
  film.title = "My film";
  film.poster = "/POSTER.jpg";
  film.duration = 8.0;
  return film;
}

embed::EmbedRequest request_of(const embed::Embeddable& film, std::string_view options) {
  return embed::read_embed_request({film.kind, film.id.value(), {}}, text::Form::parse(options));
}

// Replaces `$NAME` by the value: `$` is in none of the texts otherwise.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out(text);
  for (const auto& [name, value] : values) {
    const std::string mark = "$" + std::string(name);
    for (std::size_t at = out.find(mark); at != std::string::npos;
         at = out.find(mark, at + value.size()))
      out.replace(at, mark.size(), value);
  }
  return out;
}

// One member per line.
std::string as_lines(std::string_view json) {
  std::string out;
  bool is_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '\\') {
      out.append(json.substr(i++, 2));
      continue;
    }
    if (c == '"') is_string = !is_string;
    if (c == '}' && !is_string) out += '\n';
    out += c;
    if (is_string) continue;
    if (c == '{' || c == ',') out += "\n  ";
    if (c == ':') out += ' ';
  }
  return out;
}

// The hosts of the films' files, as sources of a policy.
std::string film_sources(const embed::Site& site) {
  std::string sources = text::csp_source(site.embed_host);
  const std::string files = text::csp_source(site.asset_base);
  if (files != sources) sources += " " + files;
  return sources;
}

// The tokens of the response in `$tokens`, as variables of the shell.
constexpr std::string_view kKeepTokens =
    R"sh(member() { printf %s "$tokens" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
token=$(member access_token)
refresh_token=$(member refresh_token))sh";

// A script of the code gets a nonce.
std::string with_nonce(std::string code) {
  constexpr std::string_view kTag = "<script ";
  code.replace(code.find(kTag), kTag.size(), R"(<script nonce="cjRuZDBt" )");
  return code;
}

}  // namespace

std::string example_media(const embed::Site& site) { return example_film(site).id.value(); }

std::vector<DeveloperExample> developer_examples(const embed::Site& site) {
  const embed::Embeddable film = example_film(site);
  const auto code = [&](std::string_view options) {
    return embed::build_page_code(request_of(film, options), film, site);
  };
  const embed::EmbedRequest plain = request_of(film, "");
  const std::string responsive = code("");
  const std::string async = code("embedType=async");
  const std::string frame = embed::iframe_url(film, site);
  const std::string page = site.media_page(film.id.value());
  const std::string oembed = site.url(paths::kOembed);
  const std::string sources = film_sources(site);
  const std::string embed_source = text::csp_source(site.embed_host);
  std::string player_files = site.base_of(paths::kPlayerFiles.hosts);
  player_files += paths::kPlayerFiles.before();
  const auto with = [&](std::string_view text) {
    return filled(text, {{"ASYNC_FILM", code("embedType=async&handle=film")},
                         {"ASYNC", async},
                         {"RESPONSIVE", responsive},
                         {"FRAME", frame},
                         {"FILES", player_files},
                         {"ELEMENT", site.url(paths::kPlayerElement)},
                         {"PAGE_ENCODED", text::percent_encode(page)},
                         {"OEMBED", oembed},
                         {"SOURCES", sources},
                         {"HOST", embed_source},
                         {"MEDIA", film.id.value()}});
  };
  using enum CodeKind;
  return {
      // Embed codes.
      {"responsive", Html, responsive},
      {"container", Html,
       with("<div style=\"max-width: 40rem; margin: 0 auto\">\n$RESPONSIVE\n</div>")},
      {"portrait", Html, with(R"(<style>
  .film { display: block; width: 100%; max-width: 22rem; aspect-ratio: 9 / 16; border: 0; }
</style>
<iframe class="film" src="$FRAME" title="My film"
  allow="autoplay; fullscreen" allowfullscreen></iframe>)")},
      {"fixed", Html,
       embed::build_embed_code(plain, film, embed::fit(plain.size, film.native), site)},
      {"lazy", Html, code("loading=lazy")},
      {"async", Html, async},
      {"popover", Html, code("embedType=async_popover")},
      {"later", Script, with(R"(const src = '$FILESE-v1.js';
document.head.append(Object.assign(document.createElement('script'), { src }));

// At any time, before or after the script has loaded:
document.body.insertAdjacentHTML('beforeend',
  '<div class="svc_embed svc_async_$MEDIA videoFoam=true"></div>');)")},

      // Player options.
      {"options-iframe", Html,
       code("autoPlay=true&muted=true&endVideoBehavior=loop&playerColor=c2410c")},
      {"options-async", Html, code("embedType=async&time=3&volume=0.5&resumable=true")},

      // Control.
      {"handle", Html, with(R"($ASYNC_FILM
<p>
  <button type="button" id="jump" disabled>Play from 0:03</button>
  <output id="seconds">0</output> s
</p>
<script>
  document.addEventListener('svc:player', ({ detail: player }) => {
    const jump = document.getElementById('jump');
    jump.disabled = false;
    jump.addEventListener('click', () => { player.time(3).play(); });
    player.bind('secondchange', (second) => {
      document.getElementById('seconds').value = second;
    });
  });
</script>)")},
      {"handle-name", Script, R"(window.film.ready().then((player) => {
  console.log(player.current().title, player.duration());
  const stop = player.bind('end', () => player.time(0).play());
  // stop() ends it.
});)"},
      {"playerjs", Script, R"(// npm install player.js
const player = new playerjs.Player(document.querySelector('iframe'));
player.on('ready', () => {
  player.on('timeupdate', ({ seconds, duration }) => console.log(seconds, duration));
  player.mute();
  player.setCurrentTime(3);
  player.play();
});)"},
      {"messages", Html, with(R"($RESPONSIVE
<p><button type="button" id="play" disabled>Play</button> <output id="state"></output></p>
<script>
  const frame = document.querySelector('iframe');
  const host = new URL(frame.src).origin;
  const send = (method, value) => frame.contentWindow.postMessage(
    JSON.stringify({ context: 'player.js', version: '0.0.11', method, value }), host);
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== host || source !== frame.contentWindow || typeof data !== 'string') return;
    const { event, value } = JSON.parse(data);
    if (event === 'ready') {
      send('addEventListener', 'timeupdate');
      document.getElementById('play').disabled = false;
    }
    if (event === 'timeupdate') document.getElementById('state').value = value.seconds;
  });
  document.getElementById('play').addEventListener('click', () => {
    send('mute');
    send('play');
  });
</script>)")},

      // The element.
      {"element", Html, code("embedType=web_component")},
      {"element-style", Html, with(R"(<style>
  svc-player { display: block; aspect-ratio: 16 / 9; }
</style>
<script src="$ELEMENT" async></script>
<svc-player media-id="$MEDIA" muted end-video-behavior="loop"></svc-player>)")},
      {"element-control", Html, with(R"(<script src="$ELEMENT" async></script>
<svc-player media-id="$MEDIA" style="display:block;aspect-ratio:16/9"></svc-player>
<p><button type="button" id="jump">Play from 0:03</button> <output id="seconds">0</output> s</p>
<script>
  const film = document.querySelector('svc-player');
  film.addEventListener('timeupdate', () => {
    document.getElementById('seconds').value = Math.floor(film.currentTime);
  });
  document.getElementById('jump').addEventListener('click', () => {
    film.currentTime = 3;
    film.play();
  });
</script>)")},

      {"react", React, with(R"(import { useEffect, useRef, useState } from 'react';
import type { SvcPlayerElement } from 'svc-player';
import type {} from 'svc-player/react';

export function Film({ id }: { id: string }) {
  const film = useRef<SvcPlayerElement>(null);
  const [second, setSecond] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    const show = ({ detail: [now] }: CustomEvent<[number]>) => setSecond(now);
    film.current?.addEventListener('secondchange', show, { signal: over.signal });
    return () => over.abort();
  }, []);
  const jump = () => {
    if (!film.current) return;
    film.current.currentTime = 3;
    film.current.play();
  };
  return (
    <>
      <script src="$ELEMENT" async />
      <svc-player ref={film} media-id={id} muted={true}
        style={{ display: 'block', aspectRatio: '16 / 9' }} />
      <button type="button" onClick={jump}>Play from 0:03</button> <output>{second}</output>
    </>
  );
})")},
      {"types", Shell, with("npm install $FILESsvc-player.tgz")},
      {"vue", Vue, R"(<script setup>
import { ref } from 'vue';

defineProps({ id: String });
const film = ref(null);
const second = ref(0);
const jump = () => {
  film.value.currentTime = 3;
  film.value.play();
};
</script>

<template>
  <svc-player ref="film" :media-id="id" muted style="display: block; aspect-ratio: 16 / 9"
    @secondchange="({ detail }) => { second = detail[0]; }" />
  <button type="button" @click="jump">Play from 0:03</button> <output>{{ second }}</output>
</template>)"},
      {"vue-config", Script, R"(// vite.config.js
import vue from '@vitejs/plugin-vue';

const isCustomElement = (tag) => tag === 'svc-player';
export default { plugins: [vue({ template: { compilerOptions: { isCustomElement } } })] };)"},

      // oEmbed.
      {"oembed", Shell, with("curl -fsS \"$OEMBED?url=$PAGE_ENCODED&maxwidth=800\"")},
      {"oembed-answer", Json,
       as_lines(embed::render(embed::Format::Json, request_of(film, "maxwidth=800"), film, site,
                              std::nullopt))},
      {"oembed-options", Shell,
       with(
           "curl -fsS \"$OEMBED?url=$PAGE_ENCODED&embedType=async&videoFoam=true&autoPlay=true\"")},
      {"discovery", Shell, "curl -fsS \"" + page + "\" | grep -o '<link rel=\"alternate\"[^>]*>'"},

      // Content-Security-Policy.
      {"policy-frame", Header, with("Content-Security-Policy: frame-src $HOST")},
      {"policy-async", Header,
       with("Content-Security-Policy: script-src $HOST; connect-src $SOURCES; "
            "media-src $SOURCES blob:; img-src $SOURCES; style-src 'unsafe-inline'")},
      {"policy-nonce", Header,
       with("Content-Security-Policy: script-src 'nonce-cjRuZDBt'; connect-src $SOURCES; "
            "media-src $SOURCES blob:; img-src $SOURCES; style-src 'unsafe-inline'")},
      {"nonce", Html, with_nonce(async)},

      // OAuth. The values of the application are the page's.
      {"proof", Shell, R"sh(verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')
state=$(openssl rand -hex 16))sh"},
      {"authorize", Shell,
       "echo \"" + site.url(paths::kAuthorize) +
           "?response_type=code&client_id=$client_id&redirect_uri=$redirect_uri"
           "&code_challenge=$challenge&code_challenge_method=S256&state=$state\""},
      {"answer", Shell, "read -r address"},
      {"code", Shell,
       R"sh(parameter() { printf %s "$address" | tr '?&' '\n\n' | sed -n "s/^$1=//p"; }
[ "$(parameter state)" = "$state" ] || echo "This is the answer to another request."
code=$(parameter code))sh"},
      {"exchange", Shell,
       "tokens=$(curl -fsS \"" + site.url(paths::kToken) +
           R"sh(" -u "$client_id:$client_secret" \
  -d grant_type=authorization_code -d "redirect_uri=$redirect_uri" \
  -d "code=$code" -d "code_verifier=$verifier")
echo "$tokens"
)sh" + std::string(kKeepTokens)},
      {"first-use", Shell,
       "curl -fsS \"" + site.url(paths::kAccount) + "\" -H \"Authorization: Bearer $token\""},
      {"refresh", Shell,
       "tokens=$(curl -fsS \"" + site.url(paths::kToken) +
           R"sh(" -u "$client_id:$client_secret" \
  -d grant_type=refresh_token -d "refresh_token=$refresh_token")
token=$(member access_token))sh"},
      {"revoke", Shell,
       "curl -fsS \"" + site.url(paths::kRevoke) +
           "\" -u \"$client_id:$client_secret\" -d \"token=$refresh_token\""},
      {"public-exchange", Shell,
       "tokens=$(curl -fsS \"" + site.url(paths::kToken) + R"sh(" -d "client_id=$client_id" \
  -d grant_type=authorization_code -d "redirect_uri=$redirect_uri" \
  -d "code=$code" -d "code_verifier=$verifier")
echo "$tokens"
)sh" + std::string(kKeepTokens)},
      {"public-refresh", Shell,
       "tokens=$(curl -fsS \"" + site.url(paths::kToken) + R"sh(" -d "client_id=$client_id" \
  -d grant_type=refresh_token -d "refresh_token=$refresh_token")
token=$(member access_token)
refresh_token=$(member refresh_token))sh"},
      {"browser", Html,
       filled(
           R"html(<button type="button" id="log-in">Log in</button> <output id="account"></output>
<script type="module">
  const clientId = 'CLIENT_ID';
  const redirectUri = location.origin + location.pathname;
  const encoded = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

  document.getElementById('log-in').addEventListener('click', async () => {
    const [verifier, state] = [random(), random()];
    sessionStorage.setItem(`verifier ${state}`, verifier);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    location.assign('$AUTHORIZE?' + new URLSearchParams({ response_type: 'code',
      client_id: clientId, redirect_uri: redirectUri, state,
      code_challenge: encoded(digest), code_challenge_method: 'S256' }));
  });

  async function json(url, options) {
    const response = await fetch(url, options);
    const body = await response.json();
    if (!response.ok) throw new Error(body.error);
    return body;
  }

  // Back from the user: only an answer to a question of this tab counts.
  const answer = new URLSearchParams(location.search);
  const verifier = sessionStorage.getItem(`verifier ${answer.get('state')}`);
  if (verifier && answer.has('code')) {
    sessionStorage.removeItem(`verifier ${answer.get('state')}`);
    history.replaceState(null, '', redirectUri);
    const tokens = await json('$TOKEN', { method: 'POST', body: new URLSearchParams({
      grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri,
      code: answer.get('code'), code_verifier: verifier }) });
    const headers = { Authorization: `Bearer ${tokens.access_token}` };
    const account = await json('$ACCOUNT', { headers });
    document.getElementById('account').value = account.name;
  }
</script>)html",
           {{"AUTHORIZE", site.url(paths::kAuthorize)},
            {"TOKEN", site.url(paths::kToken)},
            {"ACCOUNT", site.url(paths::kAccount)}})},
      {"device", Python,
       filled(R"py(# account.py: asks the user in a browser, and prints the account.
import base64, hashlib, http.server, json, secrets, sys, webbrowser
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import Request, urlopen

client_id = sys.argv[1]
verifier, state = secrets.token_urlsafe(32), secrets.token_urlsafe(16)
digest = hashlib.sha256(verifier.encode()).digest()
challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class Callback(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        address = urlsplit(self.path)
        answer = dict(parse_qsl(address.query))
        is_ours = address.path == "/callback" and answer.get("state") == state
        if is_ours:
            self.server.answer = answer
        self.send_response(200 if is_ours else 404)
        self.end_headers()
        self.wfile.write(b"You can close this window." if is_ours else b"")

    def log_message(self, *_):
        pass


# Any free port, only for programs of this device.
server = http.server.HTTPServer(("127.0.0.1", 0), Callback)
server.answer = None
redirect_uri = f"http://127.0.0.1:{server.server_port}/callback"
webbrowser.open("$AUTHORIZE?" + urlencode({
    "response_type": "code", "client_id": client_id, "redirect_uri": redirect_uri, "state": state,
    "code_challenge": challenge, "code_challenge_method": "S256"}))
while server.answer is None:
    server.handle_request()
if "error" in server.answer:
    sys.exit("not allowed: " + server.answer["error"])

body = urlencode({
    "grant_type": "authorization_code", "client_id": client_id, "redirect_uri": redirect_uri,
    "code": server.answer["code"], "code_verifier": verifier})
tokens = json.load(urlopen("$TOKEN", body.encode()))
headers = {"Authorization": "Bearer " + tokens["access_token"]}
print(json.load(urlopen(Request("$ACCOUNT", headers=headers)))["name"]))py",
              {{"AUTHORIZE", site.url(paths::kAuthorize)},
               {"TOKEN", site.url(paths::kToken)},
               {"ACCOUNT", site.url(paths::kAccount)}})},

      // Scripts and agents.
      {"script", Shell,
       "token=svcp_…\ncurl -fsS \"" + site.url(paths::kMediaList) +
           "?per_page=3&sort_direction=0\" -H \"Authorization: Bearer $token\""},
      {"service-allowed", Shell, "svcctl app set \"$client_id\" --client-credentials media:read"},
      {"service", Shell,
       "client_id=…\nclient_secret=…\ntokens=$(curl -fsS \"" + site.url(paths::kToken) +
           R"sh(" -u "$client_id:$client_secret" -d grant_type=client_credentials)
token=$(printf %s "$tokens" | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')
curl -fsS ")sh" +
           site.url(paths::kAccount) + "\" -H \"Authorization: Bearer $token\""},
      {"mcp-registered", Shell,
       R"sh(resource=https://mcp.example/mcp
svcctl app create --account ID --name 'Media for agents' --scopes media:read \
  --redirect-uri "$resource" --resource-server --resource "$resource")sh"},
      {"mcp-server", Python,
       filled(R"py(# media_server.py: a server of the Model Context Protocol with one tool.
import base64, http.server, json, os
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

resource = os.environ["RESOURCE"]
client = os.environ["CLIENT_ID"] + ":" + os.environ["CLIENT_SECRET"]
own_token = "Bearer " + os.environ["TOKEN"]
address = urlsplit(resource)
origin = f"{address.scheme}://{address.netloc}"
metadata_path = "$RESOURCE_METADATA" + address.path
metadata = {"resource": resource, "authorization_servers": ["$ISSUER"],
            "scopes_supported": ["media:read"]}
challenge = f'resource_metadata="{origin}{metadata_path}", scope="media:read"'
versions = ["2025-06-18", "2025-03-26"]
tools = [{"name": "list_media", "description": "The names of the newest media",
          "inputSchema": {"type": "object", "properties": {}}}]


def ask(url, authorization, fields=None):
    body = urlencode(fields).encode() if fields else None
    return json.load(urlopen(Request(url, body, {"Authorization": authorization})))


def refusal(authorization):
    """Of a token that must not call: the status and the challenge. None if it may."""
    if not authorization.startswith("Bearer "):
        return 401, f"Bearer {challenge}"
    basic = "Basic " + base64.b64encode(client.encode()).decode()
    known = ask("$INTROSPECT", basic, {"token": authorization.removeprefix("Bearer ")})
    audience = known.get("aud", [])
    audience = [audience] if isinstance(audience, str) else audience
    if not known["active"] or resource not in audience:  # ended, or for another server
        return 401, f'Bearer error="invalid_token", {challenge}'
    if known["account_id"] != account:  # its user may see the media of another account
        return 403, 'Bearer error="access_denied"'
    if not {"media:read", "all:read", "all:all"} & set(known["scope"].split()):
        return 403, f'Bearer error="insufficient_scope", {challenge}'
    return None


def result_of(method, parameters):
    if method == "initialize":
        asked = parameters.get("protocolVersion")
        return {"protocolVersion": asked if asked in versions else versions[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "media", "version": "1.0.0"}}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": tools}
    if method == "tools/call" and parameters.get("name") == "list_media":
        medias = ask("$MEDIAS?per_page=3&sort_direction=0", own_token)
        return {"content": [{"type": "text", "text": "\n".join(one["name"] for one in medias)}]}
    return None


def response_to(message):
    """None: a notification has none."""
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no request"}}
    if "id" not in message:
        return None
    parameters = message.get("params")
    result = result_of(message["method"], parameters if isinstance(parameters, dict) else {})
    outcome = {"result": result} if result is not None else {
        "error": {"code": -32601, "message": "no such method or tool"}}
    return {"jsonrpc": "2.0", "id": message["id"], **outcome}


class Server(http.server.BaseHTTPRequestHandler):
    def send(self, status, body=None, **headers):
        content = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        if self.path == metadata_path:
            self.send(200, metadata)
        elif self.path == address.path:
            self.send(405, Allow="POST")
        else:
            self.send(404)

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 20))
        if self.path != address.path:
            return self.send(404)
        # A page of another site, or of this address under another name.
        if self.headers.get("Origin", origin) != origin:
            return self.send(403)
        try:
            if refused := refusal(self.headers.get("Authorization", "")):
                return self.send(refused[0], WWW_Authenticate=refused[1])
            if self.headers.get("MCP-Protocol-Version", versions[0]) not in versions:
                return self.send(400)
            response = response_to(json.loads(body))
        except URLError:
            return self.send(502)
        except ValueError:
            return self.send(400)
        self.send(202 if response is None else 200, response)

    def log_message(self, *_):
        pass


account = ask("$ACCOUNT", own_token)["id"]
port = int(os.environ.get("PORT", 8000))
http.server.ThreadingHTTPServer(("127.0.0.1", port), Server).serve_forever())py",
              {{"RESOURCE_METADATA", std::string(paths::kResource.pattern)},
               {"ISSUER", site.base_of(paths::kMetadata.hosts)},
               {"INTROSPECT", site.url(paths::kIntrospect)},
               {"ACCOUNT", site.url(paths::kAccount)},
               {"MEDIAS", site.url(paths::kMediaList)}})},
      {"mcp-run", Shell,
       R"sh(RESOURCE=https://mcp.example/mcp CLIENT_ID=… CLIENT_SECRET=… TOKEN=svcp_… \
  PORT=8000 python3 media_server.py)sh"},
  };
}

}  // namespace svc::pages
