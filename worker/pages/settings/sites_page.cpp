#include "pages/settings/sites_page.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "http/refusal.h"
#include "media/allowed_domains.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "text/form.h"

namespace svc::pages {
namespace {

constexpr std::string_view kNoReferrer = "no_referrer";
constexpr long kLeastRows = 5;

}  // namespace

SitesPage::Entered SitesPage::entered_of(const media::Account& account) {
  const media::SiteRule rule = account.site_rule();
  Entered entered{.domains = {}, .allows_no_referrer = rule.allows_no_referrer, .edition = {}};
  for (const std::string& domain : rule.domains) entered.domains += domain + "\n";
  entered.edition = edition_of(entered.domains + (rule.allows_no_referrer ? "yes" : "no"));
  return entered;
}

loop::Task<http::Response> SitesPage::show(const SettingsContext& context) {
  auto placing = place_of(context);
  const base::Result<Place, Refused> place = co_await placing;
  if (!place) co_return place.error().page;
  co_return page(context, *place, entered_of(place->account));
}

loop::Task<http::Response> SitesPage::take(const SettingsContext& context, const text::Form& form) {
  auto placing = place_of(context);
  const base::Result<Place, Refused> place = co_await placing;
  if (!place) co_return place.error().page;
  Entered entered{.domains = tidy(form.find(media::kAllowedDomainsField).value_or("")),
                  .allows_no_referrer = form.find(kNoReferrer) == "yes",
                  .edition = std::string(form.find("edition").value_or(""))};
  const std::vector<std::string> texts = media::domain_texts(entered.domains);
  const auto domains = media::canonical_domains(texts);
  if (!domains) {
    entered.problem = "The list of sites " + domains.error() + ".";
    entered.status = kNotSavedStatus;
    co_return page(context, *place, entered);
  }
  const media::SiteRule before = place->account.site_rule();
  const media::SiteRule after{*domains, entered.allows_no_referrer};
  // Sent twice, or another user had the same idea.
  if (after == before) co_return done(context, place->sites, "saved");
  Entered stored = entered_of(place->account);
  bool is_saved = entered.edition == stored.edition;
  if (is_saved) {
    const library::Actor actor = actor_of(context, *place);
    loop::Task<library::SiteService::Changed<bool>> replacing =
        library_.sites.replace(before, after, actor);
    const library::SiteService::Changed<bool> replaced = co_await replacing;
    if (!replaced) {
      entered.problem = "The list of sites must allow every site: " + replaced.error() + ".";
      entered.status = kNotSavedStatus;
      co_return page(context, *place, entered);
    }
    is_saved = *replaced;
  }
  if (is_saved) co_return done(context, place->sites, "saved");
  auto again = place_of(context);
  const base::Result<Place, Refused> now = co_await again;
  if (!now) co_return now.error().page;
  stored = entered_of(now->account);
  entered.edition = stored.edition;
  entered.overtaken = stored.domains.empty() ? "Every site" : stored.domains;
  entered.status = kOvertakenStatus;
  co_return page(context, *now, entered);
}

http::Response SitesPage::page(const SettingsContext& context, const Place& place,
                               const Entered& entered) const {
  const std::string title = entered.status == 200 ? "Sites" : "Not saved: Sites";
  SettingsPage page(parts_, context, title, "sites.tpl");
  page.show_done();
  Values& body = page.body();
  page.set_form(body, place.sites);
  body.set("ACCOUNT", clipped(place.account.name, kMaxShownName))
      .set("LIST", place.medias)
      .set("EDITION", entered.edition)
      .set("DOMAINS", entered.domains)
      .set("ROWS", std::max(rows_of(entered.domains), kLeastRows));
  if (entered.allows_no_referrer) body.show("NO_REFERRER");
  if (!entered.overtaken.empty())
    body.show_with("OVERTAKEN").set("DOMAINS", clipped(entered.overtaken, kMaxShownText));
  std::vector<FieldProblem> problems;
  if (!entered.problem.empty()) problems.push_back({media::kAllowedDomainsField, entered.problem});
  show_problems(body, problems);
  return page.answer(entered.status);
}

}  // namespace svc::pages
