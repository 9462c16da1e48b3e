#include "embed/showing.h"

#include <array>
#include <utility>

#include "text/csp_source.h"

namespace svc::embed {
namespace {

// Those with pages.
std::array<const std::string*, 2> own_hosts(const Site& site) {
  return {&site.embed_host, &site.app_url};
}

}  // namespace

loop::Task<media::SiteRule> site_rule(media::SiteRules& rules, media::AccountId account,
                                      std::optional<media::AllowedDomains> own,
                                      media::Reads& reads) {
  if (own && own->empty()) co_return media::SiteRule{};
  loop::Task<media::SiteRule> reading = rules.of_account(account, reads);
  media::SiteRule rule = co_await reading;
  if (own) rule.domains = *std::move(own);
  co_return rule;
}

bool is_own(const Site& site, std::string_view origin) {
  const auto canonical = text::csp_origin(origin);
  if (!canonical) return false;
  for (const std::string* host : own_hosts(site)) {
    if (*canonical == text::csp_source(*host)) return true;
  }
  return false;
}

bool may_show(const media::SiteRule& rule, const Site& site, std::string_view origin) {
  if (rule.is_everywhere()) return true;
  if (origin.empty()) return rule.allows_no_referrer;
  return media::covers(rule.domains, origin) || is_own(site, origin);
}

std::string frame_ancestors(const media::SiteRule& rule, const Site& site) {
  if (rule.is_everywhere() || rule.allows_no_referrer) return "";
  std::string directive = "frame-ancestors 'self'";
  for (const std::string* host : own_hosts(site)) directive += " " + text::csp_source(*host);
  return directive + " " + media::frame_sources(rule.domains);
}

}  // namespace svc::embed
