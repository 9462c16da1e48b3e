// pages.md, W60, W90, W110, W112, W113: the pages for developers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/deprecations.h"
#include "app/version.h"
#include "embed/dimensions.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/player_options.h"
#include "embed/rendering.h"
#include "media/id.h"
#include "oauth/scope_set.h"
#include "rules/described.h"
#include "rules/settings/settings.h"
#include "text/ascii.h"
#include "text/form.h"

namespace svc::rules {
namespace {

// The addresses in the navigation of the pages for developers.
std::vector<std::string> guides_of(const Answer& page) {
  std::vector<std::string> found;
  const std::regex link(R"re(<a href="(/developers[^"#]*)")re");
  const std::string navigation = page.body.substr(page.body.find("<nav class=\"guides\""));
  const std::string_view end = "</nav>";
  const std::string inside = navigation.substr(0, navigation.find(end));
  for (std::sregex_iterator at(inside.begin(), inside.end(), link), none; at != none; ++at)
    found.push_back((*at)[1]);
  return found;
}

// The text of a block, as a browser has it.
std::string block_of(const Answer& page, const std::string& id) {
  std::string text = page.body.substr(page.body.find("\" id=\"" + id + "\">"));
  text = text.substr(text.find('>') + 1);
  text = std::regex_replace(text.substr(0, text.find("</code>")), std::regex("</?span[^>]*>"), "");
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    text = std::regex_replace(text, std::regex(entity), character);
  return text;
}

using DevelopersPage = Rules;

TEST_F(DevelopersPage, PagesW60HasEachOperationFieldAndRecordOfTheDescription) {
  const Answer page = ask("/developers/api");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Set-Cookie"), "none");
  EXPECT_TRUE(page.has("<title>API reference · "));
  const auto section = [&](const std::string& place) {
    const std::size_t at = page.body.find("<h3 id=\"" + place + "\">");
    EXPECT_NE(at, std::string::npos) << place;
    const std::size_t from = std::min(at, page.body.size());
    const std::size_t end = std::min(page.body.find("<div class=\"detail\">", from),
                                     page.body.find("</section>", from));
    return page.body.substr(from, end - from);
  };
  EXPECT_NE(section("get-medias").find("<code>GET /v1/medias</code>"), std::string::npos);
  for (const Described::Operation& operation : site_.described().operations()) {
    std::string place = text::to_lower(operation.method);
    for (const char c : operation.path.substr(sizeof("/v1") - 1)) {
      if (c == '/' || c == '.') place += '-';
      if (c != '/' && c != '.' && c != '{' && c != '}') place += c;
    }
    EXPECT_TRUE(page.has("<li><a href=\"#" + place + "\">")) << place;
    const std::string shown = section(place);
    const auto has = [&](const std::string& code) {
      EXPECT_NE(shown.find("<code>" + code + "</code>"), std::string::npos) << place << " " << code;
    };
    has(operation.method + " " + operation.path);
    for (const auto* fields : {&operation.query, &operation.headers, &operation.body}) {
      for (const Described::Field& field : *fields) has(field.name);
    }
    for (const int status : operation.statuses) has(std::to_string(status));
    if (operation.scopes.size() == oauth::ScopeSet::any().names().size()) continue;
    for (const std::string& scope : operation.scopes) has(scope);
  }
  for (const std::string& field : site_.described().fields()) {
    const std::size_t dot = field.find('.');
    EXPECT_NE(section("record-" + text::to_lower(field.substr(0, dot)))
                  .find("<dt><code>" + field.substr(dot + 1) + "</code>"),
              std::string::npos)
        << field;
  }
}

TEST_F(DevelopersPage, PagesW60LeadsToEachOfThem) {
  const Answer first = ask("/developers");
  EXPECT_EQ(first.status, 200);
  const std::vector<std::string> guides = guides_of(first);
  ASSERT_GE(guides.size(), 10U);
  const std::regex block(R"re(<code class="\w+" id="([^"]+)">)re");
  for (const std::string& path : guides) {
    const Answer page = ask(path);
    EXPECT_EQ(page.status, 200) << path;
    EXPECT_EQ(page.header("Set-Cookie"), "none") << path;
    EXPECT_EQ(guides_of(page), guides) << path;
    EXPECT_TRUE(page.has("<a href=\"" + path + "\" aria-current=\"page\">")) << path;
    for (std::sregex_iterator at(page.body.begin(), page.body.end(), block), none; at != none;
         ++at) {
      EXPECT_TRUE(page.has("data-copy=\"" + (*at)[1].str() + "\" hidden>Copy</button>"))
          << path << " " << (*at)[1];
    }
  }
  EXPECT_EQ(ask("/developers/elsewhere").status, 404);
  EXPECT_EQ(ask("/developers/").header("Location"), "https://app.svc.example/developers");
}

TEST_F(DevelopersPage, PagesW110HasWhatTheTablesHave) {
  const Answer player = ask("/developers/player");
  const auto row_of = [&](std::string_view name) {
    const std::string code = "<code>" + std::string(name) + "</code>";
    for (std::size_t at = player.body.find("<dt>"); at != std::string::npos;
         at = player.body.find("<dt>", at + 1)) {
      const std::string row = player.body.substr(at, player.body.find("</dd>", at) - at);
      if (row.substr(0, row.find("</dt>")).find(code) != std::string::npos) return row;
    }
    return std::string();
  };
  for (const embed::PlayerOption& option : embed::player_options()) {
    const std::string row = row_of(option.name);
    EXPECT_NE(row.find(option.is_customization() ? words_of(option).substr(sizeof("must be ") - 1)
                                                 : "only in an embed code"),
              std::string::npos)
        << option.name << row;
  }
  const Answer oembed = ask("/developers/oembed");
  for (const std::string_view name : embed::kEmbedParameters)
    EXPECT_TRUE(oembed.has("<code>" + std::string(name) + "</code>")) << name;
  EXPECT_FALSE(oembed.has("(oembed-"));
  const Answer control = ask("/developers/control");
  for (const char* part :
       {"<dt><code>play(): Promise&lt;void&gt;</code></dt>\n<dd>Resolves when playback begins.",
        "<dt><code>time(seconds: number): this</code></dt>",
        "<dt><code>secondchange: [second: number]</code></dt>\n<dd>Once per second"})
    EXPECT_TRUE(control.has(part)) << part;
  const Answer limits = ask("/developers/limits");
  for (const char* part :
       {"<code>/oembed.json</code>", "<dd>50 per second, 150 more at once, 64 at the same time<br>",
        "<code>/oauth/token</code>", "<dd>120 per minute, 40 more at once, 32 at the same time<br>",
        "<code>/oauth/introspect</code>", "<dd>16 at the same time<br>",
        "are at most 1000 per second. After 20 wrong secrets for an application from one address "
        "within 60 seconds, each further request there is a 429 "
        "<code>temporarily_unavailable</code> until these seconds are over, also with the right "
        "secret. One token",
        "<dd>8 KiB; all together four times as much</dd>", "<dt>An upload</dt>\n<dd>2 GiB</dd>",
        "<dt>Chapters of a media</dt>\n<dd>200,",
        "<dt>Redirect URIs of an application</dt>\n<dd>10, each of 2 KiB</dd>", "<dt>501</dt>"})
    EXPECT_TRUE(limits.has(part)) << part << limits.body;
  EXPECT_FALSE(limits.has("<code>/settings"));
  const Answer changes = ask("/developers/changelog");
  EXPECT_TRUE(changes.has("<h2 id=\"version-" + std::string(app::kVersion) + "\">"));
  EXPECT_TRUE(changes.has("<li>bytes-per-account limits the files of an account.</li>"));
  EXPECT_TRUE(ask("/developers").has("href=\"/developers/changelog\""));
}

TEST_F(DevelopersPage, PagesW90PrintsTheCodesThatTheServiceMakes) {
  embed::Embeddable film;
  film.id = *media::HashedId::parse("MEDIAID");
  film.title = "My film";
  film.poster = "/POSTER.jpg";
  film.duration = 8.0;
  const auto request = [&](std::string_view options) {
    return embed::read_embed_request({film.kind, film.id.value(), {}}, text::Form::parse(options));
  };
  const auto code = [&](std::string_view options) {
    return embed::build_page_code(request(options), film, site_.names());
  };
  struct Row {
    std::string page, block, code;
  };
  for (const Row& row : {
           Row{"", "responsive", code("")},
           Row{"/embed", "responsive", code("")},
           Row{"/embed", "fixed",
               embed::build_embed_code(request(""), film, embed::fit(request("").size, film.native),
                                       site_.names())},
           Row{"/embed", "lazy", code("loading=lazy")},
           Row{"/embed", "async", code("embedType=async")},
           Row{"/embed", "popover", code("embedType=async_popover")},
           Row{"/player", "options-iframe",
               code("autoPlay=true&muted=true&endVideoBehavior=loop&playerColor=c2410c")},
           Row{"/player", "options-async",
               code("embedType=async&time=3&volume=0.5&resumable=true")},
           Row{"/component", "element", code("embedType=web_component")},
       })
    EXPECT_EQ(block_of(ask("/developers" + row.page), row.block), row.code) << row.block;
  // Others have a code in them.
  EXPECT_NE(block_of(ask("/developers/embed"), "container").find(code("")), std::string::npos);
  const Answer control = ask("/developers/control");
  EXPECT_TRUE(block_of(control, "messages").starts_with(code("")));
  EXPECT_TRUE(block_of(control, "handle").starts_with(code("embedType=async&handle=film")));
  EXPECT_EQ(std::regex_replace(block_of(ask("/developers/policy"), "nonce"),
                               std::regex(" nonce=\"[^\"]*\""), ""),
            code("embedType=async"));
  // One member per line.
  std::string answer = block_of(ask("/developers/oembed"), "oembed-answer");
  answer = std::regex_replace(answer, std::regex("\n *"), "");
  EXPECT_EQ(std::regex_replace(answer, std::regex("\": "), "\":"),
            embed::render(embed::Format::Json, request("maxwidth=800"), film, site_.names(),
                          std::nullopt));
}

TEST_F(DevelopersPage, PagesW134SaysWhatMayChangeAndWhatIsDeprecated) {
  const Answer page = ask("/developers/changelog");
  for (const char* part :
       {"<h2 id=\"policy\">", "without notice", "at least 180 days", "<h2 id=\"deprecated\">",
        "<code>Deprecation</code> (RFC 9745)", "<code>Sunset</code> (RFC 8594)"})
    EXPECT_TRUE(page.has(part)) << part;
  const auto rows = app::deprecations();
  EXPECT_EQ(page.has("Nothing is deprecated in this version."), rows.empty());
  for (const http::Deprecation& row : rows)
    EXPECT_TRUE(page.has(std::string(row.method) + " " + std::string(row.pattern)));
}

TEST_F(DevelopersPage, PagesW112HasTheValuesOfAnApplicationOfTheUserOnly) {
  const std::string page = "/developers/oauth";
  const Answer anyone = ask(page);
  EXPECT_TRUE(anyone.has("client_id=…\n"));
  EXPECT_TRUE(anyone.has("redirect_uri=http://127.0.0.1:9090/callback"));
  EXPECT_FALSE(anyone.has("<select"));
  EXPECT_TRUE(anyone.has(">Log in</a>"));
  browser_.log_in(501);
  const Answer hers = browser_.ask(page);
  EXPECT_TRUE(hers.has("client_id=demo-client-0001\n")) << hers.body;
  EXPECT_TRUE(hers.has("<option value=\"demo-client-0001\" selected>Clip Scheduler</option>"));
  EXPECT_TRUE(hers.has("<option value=\"demo-client-0003\">Everything App</option>"));
  EXPECT_TRUE(hers.has("<summary><bdi>Olivia Owner</bdi></summary>"));
  EXPECT_EQ(hers.header("Cache-Control"), "no-store");
  EXPECT_FALSE(hers.has("not-for-production"));
  const Answer other = browser_.ask(page + "?application=demo-client-0003");
  EXPECT_TRUE(other.has("client_id=demo-client-0003\n"));
  EXPECT_TRUE(other.has("redirect_uri=http://127.0.0.1:9090/all"));
  // An application of an account that is not hers.
  EXPECT_TRUE(
      browser_.ask(page + "?application=demo-client-0002").has("client_id=demo-client-0001\n"));
  EXPECT_FALSE(browser_.ask(page).has("demo-client-0002"));
  // A visitor without a login never gets it.
  EXPECT_FALSE(ask(page).has("demo-client-"));
  EXPECT_FALSE(ask(page).has("Olivia Owner"));
  Browser user(site_);
  user.log_in(503);
  const Answer without = user.ask(page);
  EXPECT_TRUE(without.has("You have no application yet"));
  EXPECT_FALSE(without.has("demo-client-"));
}

TEST_F(DevelopersPage, PagesW113IsForSearchEngines) {
  std::set<std::string> descriptions;
  const std::vector<std::string> guides = guides_of(ask("/developers"));
  const std::regex description(R"re(<meta name="description" content="([^"]{20,160})">)re");
  for (const std::string& path : guides) {
    const Answer page = ask(path);
    EXPECT_TRUE(page.has("<link rel=\"canonical\" href=\"https://app.svc.example" + path + "\">"))
        << path;
    std::smatch found;
    ASSERT_TRUE(std::regex_search(page.body, found, description)) << path;
    descriptions.insert(found[1]);
    EXPECT_FALSE(page.has("noindex")) << path;
    EXPECT_EQ(page.header("X-Robots-Tag"), "none") << path;
  }
  EXPECT_EQ(descriptions.size(), guides.size());
  EXPECT_FALSE(ask("https://app.svc.example/robots.txt").has("Disallow"));
}

class DevelopersPageWithoutStore : public Rules {
 protected:
  DevelopersPageWithoutStore() : Rules({"--redis-state=unix:///nothing/is/here.sock"}) {}
};

TEST_F(DevelopersPageWithoutStore, PagesW60NeedsNoStore) {
  for (const std::string& path : guides_of(ask("/developers")))
    EXPECT_EQ(ask(path).status, 200) << path;
  EXPECT_EQ(ask("/v1/openapi.json").status, 200);
}

}  // namespace
}  // namespace svc::rules
