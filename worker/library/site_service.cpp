#include "library/site_service.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "library/open_files.h"
#include "media/guard.h"

namespace svc::library {
namespace {

bool has(const media::AllowedDomains& domains, const std::string& domain) {
  return std::ranges::find(domains, domain) != domains.end();
}

bool with(media::AllowedDomains& domains, const std::string& domain) {
  domains.push_back(domain);
  const bool fits = static_cast<bool>(media::canonical_domains(domains));
  if (!fits) domains.pop_back();
  return fits;
}

}  // namespace

loop::Task<media::AllowedDomains> SiteService::list(const Actor& actor) {
  media::SiteRule rule = co_await site_rule_of(people_, actor.account);
  co_return std::move(rule.domains);
}

loop::Task<SiteService::Changed<SiteService::Added>> SiteService::add(const std::string& domain,
                                                                      const Actor& actor) {
  const media::AllowedDomains before = co_await list(actor);
  if (has(before, domain)) co_return Added::WasThere;
  media::AllowedDomains after = before;
  if (!with(after, domain)) co_return Added::Full;
  media::SiteRule former{before};
  media::SiteRule next{after};
  std::string open =
      co_await open_file_of(listings_, actor.account, std::move(former), std::move(next));
  if (!open.empty()) co_return base::Refusal{std::move(open)};
  std::vector<media::Guarded> guarded = co_await announce(before, after, actor);
  Added added = Added::Yes;
  std::function<bool(media::Account&)> change = [&](media::Account& account) {
    media::AllowedDomains domains = account.site_rule().domains;
    added = has(domains, domain)     ? Added::WasThere
            : !with(domains, domain) ? Added::Full
                                     : Added::Yes;
    account.allowed_domains = std::move(domains);
    return added == Added::Yes;
  };
  co_await records_.edit_account(actor.account, std::move(change));
  co_await uploads_.guard(std::move(guarded));
  co_return added;
}

loop::Task<bool> SiteService::remove(const std::string& domain, const Actor& actor) {
  const media::AllowedDomains before = co_await list(actor);
  if (!has(before, domain)) co_return false;
  media::AllowedDomains after = before;
  std::erase(after, domain);
  std::vector<media::Guarded> guarded = co_await announce(before, after, actor);
  std::function<bool(media::Account&)> change = [&](media::Account& account) {
    media::AllowedDomains domains = account.site_rule().domains;
    const bool removed = std::erase(domains, domain) > 0;
    account.allowed_domains = std::move(domains);
    return removed;
  };
  co_await records_.edit_account(actor.account, std::move(change));
  co_await uploads_.guard(std::move(guarded));
  co_return true;
}

loop::Task<SiteService::Changed<bool>> SiteService::replace(const media::SiteRule& before,
                                                            const media::SiteRule& after,
                                                            const Actor& actor) {
  std::string open = co_await open_file_of(listings_, actor.account, before, after);
  if (!open.empty()) co_return base::Refusal{std::move(open)};
  std::vector<media::Guarded> guarded = co_await announce(before.domains, after.domains, actor);
  bool is_overtaken = false;
  std::function<bool(media::Account&)> change = [&](media::Account& account) {
    is_overtaken = account.site_rule() != before;
    account.allowed_domains = after.domains;
    account.allow_no_referrer = after.allows_no_referrer;
    return !is_overtaken;
  };
  co_await records_.edit_account(actor.account, std::move(change));
  co_await uploads_.guard(std::move(guarded));
  co_return !is_overtaken;
}

loop::Task<std::vector<media::Guarded>> SiteService::announce(const media::AllowedDomains& before,
                                                              const media::AllowedDomains& after,
                                                              const Actor& actor) {
  const std::string detail = actor.about(std::string(media::kAllowedDomainsField));
  const oauth::AuditEvent event = actor.event(oauth::event_named<"sites.changed">(), detail);
  co_await audit_.record(event);
  std::vector<media::Guarded> guarded;
  if (changes_guards(media::SiteRule{before}, media::SiteRule{after}))
    guarded.push_back({actor.account});
  co_await uploads_.announce_guard(guarded);
  co_return guarded;
}

}  // namespace svc::library
