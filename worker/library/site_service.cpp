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
  media::SiteRule was, is;
  std::function<bool(media::Account&)> change = [&](media::Account& account) {
    was = is = account.site_rule();
    media::AllowedDomains domains = account.site_rule().domains;
    added = has(domains, domain)     ? Added::WasThere
            : !with(domains, domain) ? Added::Full
                                     : Added::Yes;
    account.allowed_domains = std::move(domains);
    is = account.site_rule();
    return added == Added::Yes;
  };
  co_await records_.edit_account(actor.account, std::move(change));
  co_await guard(std::move(guarded), std::move(was), std::move(is), actor);
  co_return added;
}

loop::Task<bool> SiteService::remove(const std::string& domain, const Actor& actor) {
  const media::AllowedDomains before = co_await list(actor);
  if (!has(before, domain)) co_return false;
  media::AllowedDomains after = before;
  std::erase(after, domain);
  std::vector<media::Guarded> guarded = co_await announce(before, after, actor);
  media::SiteRule was, is;
  std::function<bool(media::Account&)> change = [&](media::Account& account) {
    was = is = account.site_rule();
    media::AllowedDomains domains = account.site_rule().domains;
    const bool removed = std::erase(domains, domain) > 0;
    account.allowed_domains = std::move(domains);
    is = account.site_rule();
    return removed;
  };
  co_await records_.edit_account(actor.account, std::move(change));
  co_await guard(std::move(guarded), std::move(was), std::move(is), actor);
  co_return true;
}

loop::Task<SiteService::Changed<bool>> SiteService::replace(const media::SiteRule& before,
                                                            const media::SiteRule& after,
                                                            const Actor& actor) {
  std::string open = co_await open_file_of(listings_, actor.account, before, after);
  if (!open.empty()) co_return base::Refusal{std::move(open)};
  std::vector<media::Guarded> guarded = co_await announce(before.domains, after.domains, actor);
  bool is_overtaken = false;
  media::SiteRule was, is;
  std::function<bool(media::Account&)> change = [&](media::Account& account) {
    was = account.site_rule();
    is_overtaken = was != before;
    account.allowed_domains = after.domains;
    account.allow_no_referrer = after.allows_no_referrer;
    is = is_overtaken ? was : after;
    return !is_overtaken;
  };
  co_await records_.edit_account(actor.account, std::move(change));
  co_await guard(std::move(guarded), std::move(was), std::move(is), actor);
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
    guarded.push_back({.account = actor.account});
  co_await uploads_.announce_guard(guarded);
  co_return guarded;
}

// Another writer may have changed the record since it was found.
loop::Task<> SiteService::guard(std::vector<media::Guarded> announced, media::SiteRule before,
                                media::SiteRule after, const Actor& actor) {
  if (!changes_guards(before, after)) co_return;
  using Turn = media::Guarded::Turn;
  std::vector<media::Guarded> guarded{
      {.account = actor.account, .turn = after.is_everywhere() ? Turn::Other : Turn::Awaited}};
  if (announced.empty()) {
    co_await uploads_.announce_guard(guarded);
  }
  co_await uploads_.guard(std::move(guarded));
}

}  // namespace svc::library
