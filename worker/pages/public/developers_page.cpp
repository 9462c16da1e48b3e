#include "pages/public/developers_page.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "base/paths.h"
#include "embed/player_options.h"
#include "media/account.h"
#include "media/contact.h"
#include "oauth/client_authentication.h"
#include "oauth/consent.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/public/api_reference.h"
#include "pages/public/code_block.h"
#include "pages/public/developer_examples.h"
#include "pages/public/reference_tables.h"
#include "pages/public/sources.h"
#include "pages/template.h"
#include "text/ascii.h"
#include "text/form.h"

namespace svc::pages {
namespace {

constexpr std::string_view kRedirectUri = "http://127.0.0.1:9090/callback";

struct Guide {
  std::string_view path;  // below /developers/; "": that page itself
  std::string_view title;
  std::string_view about;  // for search engines, and the first page
  const char* file;
  std::string_view group;
};

// In the order of the navigation.
constexpr auto kGuides = std::to_array<Guide>({
    {"", "Overview", "Embed videos in any page, control the player, and use the data API.",
     "developers_start.tpl", ""},
    {"embed", "Embed codes",
     "A film in your page that fills its place, in its own ratio: iframe, script, popover.",
     "developers_embed.tpl", "Player"},
    {"player", "Player options", "Autoplay, colour, controls, quality: every option of the player.",
     "developers_player.tpl", "Player"},
    {"control", "Control the player",
     "Play, seek and listen from your page: methods, events and the player.js protocol.",
     "developers_control.tpl", "Player"},
    {"component", "Web component",
     "An element of HTML for films: attributes, properties and events, in every framework.",
     "developers_component.tpl", "Player"},
    {"oembed", "oEmbed", "Turn the address of a film into an embed code: discovery and parameters.",
     "developers_oembed.tpl", "Player"},
    {"policy", "Content Security Policy", "What the policy of a page must allow for the player.",
     "developers_policy.tpl", "Player"},
    {"oauth", "Get a token",
     "Register an application and get an access token by OAuth 2 with PKCE, step by step.",
     "developers_oauth.tpl", "Data API"},
    {"scripts", "Scripts and agents",
     "Tokens without a browser: for a script, a service, and a server that agents call (MCP).",
     "developers_scripts.tpl", "Data API"},
    {"api", "API reference", "Each operation of the data API, with a command to try.",
     "developers_api.tpl", "Data API"},
    {"limits", "Errors and limits",
     "What responses that fail look like, and how many requests pass.", "developers_limits.tpl",
     "Data API"},
    {"changelog", "Changelog", "What is new in each version.", "developers_changelog.tpl",
     "Service"},
});

std::string path_of(const Guide& guide) {
  return guide.path.empty() ? std::string(base::paths::kDevelopers.pattern)
                            : base::paths::kDeveloperPages.with(guide.path);
}

// 21 600 → "6 hours"
std::string lifetime_text(std::int64_t seconds) {
  for (const auto& [length, one, many] :
       {std::tuple(86'400, "day", "days"), {3600, "hour", "hours"}, {60, "minute", "minutes"}}) {
    if (seconds >= 2 * length && seconds % length == 0) return counted(seconds / length, one, many);
  }
  return counted(seconds, "second", "seconds");
}

void show_navigation(Values& values, const Guide& current) {
  for (const auto* first = kGuides.begin(); first != kGuides.end();) {
    Values group = values.show_with("GROUP");
    const std::string_view name = first->group;
    if (!name.empty()) group.show_with("NAMED").set("GROUP_NAME", name);
    for (; first != kGuides.end() && first->group == name; ++first) {
      Values link = group.show_with("GUIDE");
      link.set("PATH", path_of(*first)).set("TITLE", first->title);
      if (first == &current) link.show("CURRENT");
    }
  }
}

// The headings of a page that have a place: <h2 id="PLACE">TITLE</h2>.
void show_contents(Values& values, std::string_view html) {
  constexpr std::string_view kBegin = "<h2 id=\"";
  std::vector<std::pair<std::string_view, std::string_view>> headings;
  for (std::size_t at = html.find(kBegin); at != std::string_view::npos;
       at = html.find(kBegin, at)) {
    at += kBegin.size();
    const std::size_t place_end = html.find("\">", at);
    const std::size_t end = html.find("</h2>", at);
    headings.emplace_back(html.substr(at, place_end - at),
                          html.substr(place_end + 2, end - place_end - 2));
  }
  if (headings.size() < 2) return;
  Values contents = values.show_with("CONTENTS");
  for (const auto& [place, title] : headings)
    contents.show_with("HEADING").set("PLACE", place).set("TITLE", Html(std::string(title)));
}

// A cell of a table, which begins in lower case, as a sentence.
std::string sentence(std::string_view cell) {
  std::string text = without_links(cell);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

// Each option of the player, by the rows of the player's own table.
void show_options(Values& values, const endpoints::ApiDescription& api) {
  constexpr std::string_view kMust = "must be ";
  for (const std::vector<std::string>& row : table_below(player_document(), "Options")) {
    Values shown = values.show_with("OPTION");
    std::vector<std::string> allowed;
    for (const std::string& name : codes_in(row.front())) {
      shown.show_with("NAME").set("CODE", name);
      const auto* const option =
          std::ranges::find(embed::kPlayerOptions, name, &embed::PlayerOption::name);
      if (option == embed::kPlayerOptions.end()) continue;
      std::string words = option->is_customization() ? embed::words_of(*option).substr(kMust.size())
                                                     : std::string("only in an embed code");
      if (std::ranges::find(allowed, words) == allowed.end()) allowed.push_back(std::move(words));
    }
    shown.set("EFFECT", marked(sentence(row.back()), api));
    for (const std::string& words : allowed) shown.show_with("VALUES").set("WORDS", words);
  }
}

void show_members(Values& values, const char* section, std::string_view interface,
                  const endpoints::ApiDescription& api) {
  for (const DeclaredMember& member : members_of(player_types(), interface)) {
    Values shown = values.show_with(section);
    shown.set("CODE", member.code);
    if (!member.about.empty()) shown.show_with("SAID").set("ABOUT", marked(member.about, api));
  }
}

void show_rows(Values& values, const char* section,
               const std::vector<std::vector<std::string>>& rows,
               const endpoints::ApiDescription& api) {
  for (const std::vector<std::string>& row : rows) {
    values.show_with(section)
        .set("NAME", marked(without_links(row.front()), api))
        .set("TEXT", marked(sentence(row.back()), api));
  }
}

void show_limits(Values& values, const DeveloperFacts& facts) {
  for (const DeveloperFacts::LimitedPaths& limited : facts.limits) {
    const RequestLimit limit = limit_of(request_limits(), limited.zone);
    Values shown = values.show_with("LIMIT");
    shown.set("ABOUT", limited.about).set("AT_ONCE", limit.at_once);
    if (!limit.rate.empty())
      shown.show_with("HAS_RATE").set("RATE", limit.rate).set("BURST", limit.burst);
    for (const std::string_view path : limited.paths) shown.show_with("PATH").set("PATTERN", path);
  }
  values.set("ADDRESS_RATE", limit_of(request_limits(), "oauth").rate)
      .set("GUESSES", oauth::ClientAuthentication::kMaxGuesses)
      .set("GUESS_SECONDS", static_cast<long>(oauth::kGuessWindow.count()))
      .set("TOKEN_TEXTS", limit_of(request_limits(), "text_of_token").at_once)
      .set("LINE", size_of(request_sizes(), "large_client_header_buffers"))
      .set("FORM", size_of(request_sizes(), "client_max_body_size"))
      .set("UPLOAD", size_of(upload_sizes(), "client_max_body_size"));
  for (const DeveloperFacts::Size& size : facts.sizes)
    values.show_with("SIZE").set("OF", size.of).set("MOST", size.most);
}

void show_changes(Values& values, std::string_view changelog) {
  for (const ChangedVersion& version : versions_in(changelog)) {
    Values shown = values.show_with("VERSION");
    shown.set("NUMBER", version.version).set("DATE", version.date);
    for (const std::string& change : version.changes) shown.show_with("CHANGE").set("TEXT", change);
  }
}

void show_deprecations(Values& values, const endpoints::ApiDescription& api) {
  if (api.deprecations.empty()) values.show("NOTHING_DEPRECATED");
  for (const http::Deprecation& each : api.deprecations) {
    Values shown = values.show_with("DEPRECATED");
    shown
        .set("PART", std::string(each.method) + " " + std::string(each.pattern) +
                         (each.name.empty() ? "" : ": ") + std::string(each.name))
        .set("SINCE", each.since)
        .set("INSTEAD", each.instead);
    if (!each.sunset.empty()) shown.show_with("SUNSET").set("DATE", each.sunset);
  }
}

void show_blocks(Values& values, const embed::Site& site) {
  for (const DeveloperExample& example : developer_examples(site)) {
    std::string name = "BLOCK_";
    for (const char c : example.id) {
      const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      name += c == '-' ? '_' : upper;
    }
    values.set(name, code_block(example.kind, example.id, example.code));
  }
}

}  // namespace

// What the page about OAuth has of its visitor.
struct DevelopersPage::Shown {
  std::optional<media::Contact> contact{};  // nullopt: not logged in
  std::string logout_token{};
  std::vector<oauth::Client> applications{};
  std::string_view chosen{};  // a client id
};

DevelopersPage::DevelopersPage(const embed::Site& site, DeveloperFacts facts,
                               login::Visitors& visitors, media::People& people,
                               oauth::Applications& applications, const base::KeyRing& keys)
    : site_(site),
      facts_(std::move(facts)),
      visitors_(visitors),
      people_(people),
      applications_(applications),
      keys_(keys) {}

std::string DevelopersPage::html_of(std::size_t number, const Shown& shown) const {
  const Guide& guide = kGuides.at(number);
  Values body;
  body.set("TITLE", guide.title)
      .set("PRODUCT", site_.provider_name)
      .set("MEDIA", example_media(site_))
      .set("MEDIA_PAGE", site_.media_page(example_media(site_)))
      .set("EMBED_HOST", site_.embed_host)
      .set("API_HOST", site_.base_of(base::paths::kMediaList.hosts))
      .set("OEMBED_URL", site_.url(base::paths::kOembed))
      .set("PROVIDERS_URL", site_.url(base::paths::kProviders))
      .set("METADATA_URL", site_.url(base::paths::kMetadata))
      .set("DOCUMENT_URL", site_.url(base::paths::kOpenApi))
      .set("REDIRECT_URI", kRedirectUri)
      .set("CODE_LIFETIME", lifetime_text(facts_.lifetimes.code))
      .set("ACCESS_LIFETIME", lifetime_text(facts_.lifetimes.access))
      .set("REFRESH_LIFETIME", lifetime_text(facts_.lifetimes.refresh_idle))
      .set("PUBLIC_IDLE", lifetime_text(facts_.lifetimes.public_refresh_idle))
      .set("PUBLIC_LIFETIME", lifetime_text(facts_.lifetimes.public_refresh_lifetime));
  if (site_.example_media.empty()) body.show("NO_EXAMPLE");
  show_blocks(body, site_);
  for (const Guide& other : kGuides) {
    if (other.path.empty()) continue;
    body.show_with("CARD")
        .set("PATH", path_of(other))
        .set("TITLE", other.title)
        .set("ABOUT", other.about);
  }
  for (const endpoints::DescribedScope& scope : facts_.api.scopes)
    body.show_with("SCOPE_ROW")
        .set("NAME", scope.name)
        .set("TITLE", scope.title)
        .set("TEXT", scope.text);
  if (guide.path == "api") show_api(body, site_, facts_.api);
  if (guide.path == "player") show_options(body, facts_.api);
  if (guide.path == "control") {
    show_members(body, "METHOD", "SvcPlayer", facts_.api);
    show_members(body, "EVENT", "SvcEvents", facts_.api);
  }
  if (guide.path == "component") {
    show_rows(body, "ATTRIBUTE", table_below(player_document(), "The element"), facts_.api);
    show_rows(body, "PROPERTY", table_below(player_document(), "The element", 1), facts_.api);
  }
  if (guide.path == "oembed")
    show_rows(body, "PARAMETER", table_below(oembed_document(), "Parameters"), facts_.api);
  if (guide.path == "oembed" || guide.path == "limits")
    show_rows(body, "OEMBED_STATUS", table_below(oembed_document(), "Statuses"), facts_.api);
  if (guide.path == "limits") show_limits(body, facts_);
  if (guide.path == "changelog") {
    show_deprecations(body, facts_.api);
    show_changes(body, facts_.changes);
  }
  if (guide.path == "oauth") {
    const auto chosen = std::ranges::find_if(shown.applications, [&](const oauth::Client& client) {
      return client.id.value() == shown.chosen;
    });
    const oauth::Client* const client =
        !shown.applications.empty()
            ? &(chosen != shown.applications.end() ? *chosen : shown.applications.front())
            : nullptr;
    body.show(!shown.contact ? "LOGGED_OUT" : client == nullptr ? "NO_APPLICATION" : "CHOICE");
    for (const oauth::Client& each : shown.applications) {
      Values option = body.show_with("APPLICATION");
      option.set("ID", each.id.value()).set("NAME", clipped(each.name, kMaxShownName));
      if (&each == client) option.show("SELECTED");
    }
    const std::string id = client != nullptr ? client->id.value() : "…";
    const std::string uri =
        client != nullptr ? client->redirect_uris.front() : std::string(kRedirectUri);
    const bool is_public = client != nullptr && client->is_public();
    if (client != nullptr) body.show(is_public ? "CHOSEN_PUBLIC" : "CHOSEN_SECRET");
    body.set("BLOCK_VALUES",
             code_block(CodeKind::Shell, "values",
                        "client_id=" + id + (is_public ? "\n" : "\nclient_secret=…\n") +
                            "redirect_uri=" + uri));
  }
  const std::string article = body.expand(guide.file);

  PageFrame frame(site_, PageFrame::Shape::Manual,
                  guide.path.empty() ? "For developers" : guide.title, "developers.tpl");
  frame.with_script("/assets/copy.js");
  if (shown.contact) {
    frame.for_user(
        Spot::Developers, path_of(guide),
        {clipped(shown.contact->name, kMaxShownName), shown.contact->email, shown.logout_token});
  } else if (guide.path == "oauth") {
    frame.for_visitor(Spot::Developers, path_of(guide));
  } else {
    frame.for_anyone(Spot::Developers, path_of(guide));
  }
  frame.head("developers_head.tpl")
      .set("DESCRIPTION", guide.about)
      .set("CANONICAL", site_.app_url + path_of(guide));
  Values& page = frame.body();
  page.set("CURRENT_TITLE", guide.title).set("ARTICLE", Html(article));
  show_navigation(page, guide);
  show_contents(page, article);
  if (number > 0)
    page.show_with("BEFORE")
        .set("PATH", path_of(kGuides.at(number - 1)))
        .set("TITLE", kGuides.at(number - 1).title);
  if (number + 1 < kGuides.size())
    page.show_with("AFTER")
        .set("PATH", path_of(kGuides.at(number + 1)))
        .set("TITLE", kGuides.at(number + 1).title);
  return frame.html();
}

loop::Task<std::vector<oauth::Client>> DevelopersPage::applications_of(
    const media::Contact& contact) {
  std::vector<oauth::Client> found;
  std::vector<media::AccountId> ids;
  for (const media::Membership& membership : contact.memberships) ids.push_back(membership.account);
  const std::vector<media::Account> accounts = co_await people_.find_accounts(ids);
  for (const media::Account& account : accounts) {
    if (oauth::barrier_of(oauth::standing_of(contact, account))) continue;
    std::vector<oauth::Client> own = co_await applications_.of(account.id);
    std::ranges::sort(own, {}, [](const oauth::Client& client) {
      return std::pair(client.name, client.id.value());
    });
    std::ranges::move(own, std::back_inserter(found));
  }
  co_return found;
}

loop::Task<http::Response> DevelopersPage::answer_oauth(const http::Request& request,
                                                        std::size_t guide) {
  Shown shown;
  const login::Visitor visitor = co_await visitors_.of(request);
  shown.contact = co_await login::contact_of(visitor, people_);
  if (shown.contact) {
    shown.applications = co_await applications_of(*shown.contact);
    shown.logout_token = login::form_token(keys_, visitor, kLogoutPurpose);
  }
  const text::Form form = text::Form::parse(request.query);
  shown.chosen = form.find("application").value_or("");
  co_return page_response(200, html_of(guide, shown), {});
}

loop::Task<http::Response> DevelopersPage::answer(const http::Request& request) {
  std::string_view path = request.path;
  path.remove_prefix(std::min(base::paths::kDeveloperPages.before().size(), path.size()));
  if (path.empty() && request.path.ends_with('/'))
    co_return see_other(site_.url(base::paths::kDevelopers), {});
  const auto* const guide = std::ranges::find(kGuides, path, &Guide::path);
  if (guide == kGuides.end()) {
    Problem problem;
    problem.status = 404;
    problem.title = "There is nothing here";
    problem.text = "There is no page at this address.";
    problem.link = base::paths::kDevelopers.pattern;
    problem.link_name = "For developers";
    co_return problem_page(problem, site_, request, {});
  }
  const auto number = static_cast<std::size_t>(guide - kGuides.begin());
  if (request.path == base::paths::kDeveloperOauth.pattern)
    co_return co_await answer_oauth(request, number);
  std::string& html = built_[number];
  if (html.empty()) html = html_of(number, Shown{});
  co_return page_response(200, html, {});
}

}  // namespace svc::pages
