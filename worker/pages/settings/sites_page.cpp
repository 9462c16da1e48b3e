// SitesPage: Account → Settings → Where films may be shown. pages-W121.
//
//   /settings/accounts/<account>/sites       the list; POST: replace it
#include <algorithm>

#include "media/allowed_domains.h"
#include "pages/settings/library.h"

namespace svc::pages {
namespace {

constexpr std::string_view kNoReferrer = "no_referrer";
constexpr long kLeastRows = 5;

// A line each.
std::string domain_lines(const media::SiteRule& rule) {
  std::string lines;
  for (const std::string& domain : rule.domains) lines += domain + "\n";
  return lines;
}

std::string sites_edition(const media::SiteRule& rule) {
  return edition_of(domain_lines(rule) + (rule.allows_no_referrer ? "yes" : "no"));
}

class SitesPage : public LibraryPages {
  using LibraryPages::LibraryPages;

  loop::Task<http::Response> page(const InLibrary& in) override {
    return form(in, &SitesPage::show, &SitesPage::apply);
  }

  loop::Task<http::Response> show(const InLibrary& in, const Entered& entered) {
    const media::SiteRule saved = in.account.site_rule();
    const std::string domains = entered.text(media::kAllowedDomainsField, domain_lines(saved));
    SettingsPage page(parts_, in, entered, "Sites", "sites.tpl");
    Values& body = page.body();
    body.set("ACCOUNT", in.account_name())
        .set("LIST", in.medias)
        .set("EDITION", entered.edition(sites_edition(saved)))
        .set("DOMAINS", domains)
        .set("ROWS", std::max(rows_of(domains), kLeastRows))
        .set("SAVED",
             saved.domains.empty() ? "Every site" : clipped(domain_lines(saved), kMaxShownText));
    if (entered.is(kNoReferrer, "yes", saved.allows_no_referrer)) body.show("NO_REFERRER");
    co_return page.answer();
  }

  loop::Task<Applied> apply(const InLibrary& in, Entered& entered) {
    const std::string typed = entered.text(media::kAllowedDomainsField);
    const auto domains = media::canonical_domains(media::domain_texts(typed));
    if (!domains)
      co_return entered.refuse(media::kAllowedDomainsField,
                               "The list of sites " + domains.error() + ".");
    const media::SiteRule before = in.account.site_rule();
    const media::SiteRule after{*domains, entered.is(kNoReferrer, "yes", false)};
    // Sent twice, or another user had the same idea.
    if (after == before) co_return done(in, in.sites, "saved");
    if (!entered.began_with(sites_edition(before))) co_return entered.overtaken();
    const auto replaced = co_await library_.sites.replace(before, after, in.actor);
    if (!replaced)
      co_return entered.refuse(
          media::kAllowedDomainsField,
          "The list of sites must allow every site: " + replaced.error() + ".");
    if (!*replaced) co_return entered.overtaken();
    co_return done(in, in.sites, "saved");
  }
};

}  // namespace

OwnedPage sites_page(const SettingsParts& parts) { return std::make_unique<SitesPage>(parts); }

}  // namespace svc::pages
