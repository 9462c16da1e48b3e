#include "pages/public/developers_page.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/api_paths.h"
#include "base/public_paths.h"
#include "embed/player_options.h"
#include "media/account.h"
#include "oauth/client_authentication.h"
#include "oauth/consent.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/public/api_reference.h"
#include "pages/template.h"
#include "text/ascii.h"
#include "text/csp_source.h"
#include "text/form.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

namespace paths = base::paths;

constexpr std::string_view kRedirectUri = "http://127.0.0.1:9090/callback";

constexpr std::pair<std::string_view, base::Path> kUrls[] = {
    {"ACCOUNT_URL", paths::kAccount},  {"AUTHORIZE_URL", paths::kAuthorize},
    {"DOCUMENT_URL", paths::kOpenApi}, {"INTROSPECT_URL", paths::kIntrospect},
    {"MEDIAS_URL", paths::kMediaList}, {"METADATA_URL", paths::kMetadata},
    {"OEMBED_URL", paths::kOembed},    {"PROVIDERS_URL", paths::kProviders},
    {"REVOKE_URL", paths::kRevoke},    {"TOKEN_URL", paths::kToken},
};

std::string in_upper_case(std::string name) {
  for (char& c : name) c = text::to_upper(c);
  return name;
}

// 21 600 → "6 hours"
std::string lifetime_text(std::int64_t seconds) {
  for (const auto& [length, one, many] :
       {std::tuple(86'400, "day", "days"), {3600, "hour", "hours"}, {60, "minute", "minutes"}}) {
    if (seconds >= 2 * length && seconds % length == 0) return counted(seconds / length, one, many);
  }
  return counted(seconds, "second", "seconds");
}

void show_site(Values& values, const embed::Site& site) {
  for (const auto& [name, path] : kUrls) values.set(name, site.url(path));
  // Without an example, the reader replaces this id.
  const std::string media = site.example_media.empty() ? "MEDIAID" : site.example_media;
  if (site.example_media.empty()) values.show("NO_EXAMPLE");
  const std::string page = site.media_page(media);
  const std::string embed_source = text::csp_source(site.embed_host);
  const std::string file_source = text::csp_source(site.asset_base);
  std::string product;
  text::json::append_string(product, site.provider_name);
  values.set("MEDIA", media)
      .set("MEDIA_PAGE", page)
      .set("MEDIA_PAGE_ENCODED", text::percent_encode(page))
      .set("EMBED_HOST", site.embed_host)
      .set("API_HOST", site.base_of(paths::kMediaList.hosts))
      .set("ISSUER", site.base_of(paths::kMetadata.hosts))
      .set("FILES_HOST", site.asset_base)
      .set("RESOURCE_PATH", paths::kResource.pattern)
      .set("PRODUCT_IN_JSON", product.substr(1, product.size() - 2))
      .set("PROVIDER_URL", site.provider_url)
      .set("EMBED_SOURCE", embed_source)
      .set("FILM_SOURCES", embed_source + (file_source == embed_source ? "" : " " + file_source));
}

void show_facts(Values& values, const DeveloperFacts& facts) {
  values.set("CODE_LIFETIME", lifetime_text(facts.limits.code))
      .set("ACCESS_LIFETIME", lifetime_text(facts.limits.access))
      .set("REFRESH_LIFETIME", lifetime_text(facts.limits.refresh_idle))
      .set("PUBLIC_IDLE", lifetime_text(facts.limits.public_refresh_idle))
      .set("PUBLIC_LIFETIME", lifetime_text(facts.limits.public_refresh_lifetime))
      .set("GUESSES", oauth::ClientAuthentication::kMaxGuesses)
      .set("GUESS_SECONDS", static_cast<long>(oauth::kGuessWindow.count()));
  for (const endpoints::DescribedScope& scope : facts.api.scopes)
    values.show_with("SCOPE_ROW")
        .set("NAME", scope.name)
        .set("TITLE", scope.title)
        .set("TEXT", scope.text);
  for (const DeveloperFacts::LimitedPaths& limited : facts.limited) {
    for (const std::string_view path : limited.paths)
      values.show_with("PATHS_" + in_upper_case(std::string(limited.zone))).set("PATTERN", path);
  }
  for (const DeveloperFacts::Size& size : facts.sizes)
    values.show_with("SIZE").set("OF", size.of).set("MOST", size.most);
  constexpr std::string_view kMust = "must be ";
  for (const embed::PlayerOption& option : embed::player_options())
    values.set("VALUES_" + in_upper_case(std::string(option.name)),
               option.is_customization() ? embed::words_of(option).substr(kMust.size())
                                         : "only in an embed code");
}

// Shows the values of an application, or placeholders.
void show_application(Values& values, const std::vector<oauth::Client>& applications,
                      std::string_view chosen) {
  const oauth::Client* client = applications.empty() ? nullptr : &applications.front();
  for (const oauth::Client& each : applications) {
    if (each.id.value() == chosen) client = &each;
  }
  for (const oauth::Client& each : applications) {
    Values option = values.show_with("APPLICATION");
    option.set("ID", each.id.value()).set("NAME", clipped(each.name, kMaxShownName));
    if (&each == client) option.show("SELECTED");
  }
  const bool is_public = client != nullptr && client->is_public();
  if (client != nullptr) values.show(is_public ? "CHOSEN_PUBLIC" : "CHOSEN_SECRET");
  if (!is_public) values.show("WITH_SECRET");
  values.set("REDIRECT_URI", kRedirectUri)
      .set("CLIENT_ID", client != nullptr ? client->id.value() : "…")
      .set("CLIENT_URI", client != nullptr ? client->redirect_uris.front() : kRedirectUri);
}

}  // namespace

// The visitor's request and data. All but the request are only for the page about OAuth.
struct DevelopersPage::Shown {
  const http::Request& request;
  std::optional<media::Contact> contact{};  // nullopt: not logged in
  std::string logout_token{};
  std::vector<oauth::Client> applications{};
  std::string_view chosen;  // a client id
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

http::Response DevelopersPage::page(const DeveloperGuide& guide, const Shown& shown) const {
  PageFrame frame(site_, PageFrame::Shape::Manual, guide.title, guide.file);
  frame.with_script("/assets/copy.js");
  if (shown.contact) {
    frame.for_user(
        Spot::Developers, shown.request,
        {clipped(shown.contact->name, kMaxShownName), shown.contact->email, shown.logout_token});
  } else if (shown.request.path == paths::kDeveloperOauth.pattern) {
    frame.for_visitor(Spot::Developers, shown.request);
  } else {
    frame.for_anyone(Spot::Developers, shown.request);
  }
  frame.head("developers_head.tpl")
      .set("DESCRIPTION", guide.about)
      .set("CANONICAL", site_.app_url + std::string(shown.request.path));
  Values& body = frame.body();
  show_site(body, site_);
  show_facts(body, facts_);
  show_application(body, shown.applications, shown.chosen);
  body.show(!shown.contact               ? "LOGGED_OUT"
            : shown.applications.empty() ? "NO_APPLICATION"
                                         : "CHOICE");
  if (guide.path == "api") show_api(body, site_, facts_.api);
  if (guide.path == "changelog") show_deprecations(body, facts_.api);
  return page_response(200, frame.html(), {});
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

loop::Task<http::Response> DevelopersPage::answer(const http::Request& request) {
  std::string_view path = request.path;
  path.remove_prefix(std::min(paths::kDeveloperPages.before().size(), path.size()));
  if (path.empty() && request.path.ends_with('/'))
    co_return see_other(site_.url(paths::kDevelopers), {});
  const auto guide = std::ranges::find(developer_guides(), path, &DeveloperGuide::path);
  if (guide == developer_guides().end()) {
    Problem problem;
    problem.status = 404;
    problem.title = "There is nothing here";
    problem.text = "There is no page at this address.";
    problem.link = paths::kDevelopers.pattern;
    problem.link_name = "For developers";
    co_return problem_page(problem, site_, request, {});
  }
  const text::Form form = text::Form::parse(request.query);
  Shown shown{.request = request, .chosen = form.find("application").value_or("")};
  if (request.path == paths::kDeveloperOauth.pattern) {
    const login::Visitor visitor = co_await visitors_.of(request);
    shown.contact = co_await login::contact_of(visitor, people_);
    if (shown.contact) {
      shown.applications = co_await applications_of(*shown.contact);
      shown.logout_token = login::form_token(keys_, visitor, kLogoutPurpose);
    }
  }
  co_return page(*guide, shown);
}

}  // namespace svc::pages
