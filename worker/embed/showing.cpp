#include "embed/showing.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "text/csp_source.h"

namespace svc::embed {
namespace {

// The sources of our own pages: the embed host, the web application, and the domains of media
// pages, which have scheme and port of the embed host.
std::vector<std::string> own_sources(const Site& site) {
  std::vector<std::string> sources{text::csp_source(site.embed_host),
                                   text::csp_source(site.app_url)};
  const std::string& embed = sources.front();
  const std::size_t host = embed.find("//") + 2;
  const std::string scheme = embed.substr(0, host);
  const std::string port = embed.substr(std::min(embed.find(':', host), embed.size()));
  for (const std::string* domain : {&site.service_domain, &site.short_domain}) {
    if (domain->empty()) continue;
    sources.push_back(scheme + *domain + port);
    sources.push_back(scheme + "*." + *domain + port);
  }
  return sources;
}

bool matches(std::string_view origin, std::string_view source) {
  const std::size_t star = source.find('*');
  if (star == std::string_view::npos) return origin == source;
  const std::string_view end = source.substr(star + 1);
  return origin.size() > star + end.size() && origin.starts_with(source.substr(0, star)) &&
         origin.ends_with(end);
}

}  // namespace

loop::Task<media::SiteRule> site_rule(media::SiteRules& rules, media::AccountId account,
                                      std::optional<media::AllowedDomains> own,
                                      media::Reads& reads) {
  if (own && own->empty()) co_return media::SiteRule{};
  media::SiteRule rule = co_await rules.of_account(account, reads);
  if (own) rule.domains = *std::move(own);
  co_return rule;
}

loop::Task<media::SiteRule> site_rule(media::SiteRules& rules, const Embeddable& subject,
                                      media::Reads& reads) {
  if (subject.link && !subject.link->domain.empty())
    co_return media::SiteRule{.domains = {subject.link->domain}};
  co_return co_await site_rule(rules, subject.account, subject.allowed_domains, reads);
}

bool is_guarded(const Embeddable& subject, const media::SiteRule& rule) {
  return subject.link.has_value() || !rule.is_everywhere();
}

bool is_own(const Site& site, std::string_view origin) {
  const auto canonical = text::csp_origin(origin);
  return canonical && std::ranges::any_of(own_sources(site), [&](const std::string& source) {
           return matches(*canonical, source);
         });
}

bool may_show(const media::SiteRule& rule, const Site& site, std::string_view origin) {
  if (rule.is_everywhere()) return true;
  if (origin.empty()) return rule.allows_no_referrer;
  return media::covers(rule.domains, origin) || is_own(site, origin);
}

std::string frame_ancestors(const media::SiteRule& rule, const Site& site) {
  if (rule.is_everywhere() || rule.allows_no_referrer) return "";
  std::string directive = "frame-ancestors 'self'";
  for (const std::string& source : own_sources(site)) directive += " " + source;
  return directive + " " + media::frame_sources(rule.domains);
}

}  // namespace svc::embed
