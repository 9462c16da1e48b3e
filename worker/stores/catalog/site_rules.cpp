#include "stores/catalog/site_rules.h"

#include <string>

#include "base/number.h"
#include "media/account.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {

loop::Task<media::SiteRule> SiteRules::of_account(media::AccountId id, media::Reads& reads) {
  const std::string key = keys::account(id);
  reads.note(key);
  if (hears()) {
    const auto known = rules_.find(id.value());
    if (known != rules_.end()) co_return known->second;
  }
  const std::uint64_t changes = changes_;
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  media::SiteRule rule;
  if (const auto text = reply.text())
    rule = read_record(document_, key, *text, media::account_from_record).site_rule();
  if (!hears() || changes != changes_) co_return rule;
  if (rules_.size() >= kMost) rules_.clear();
  rules_.insert_or_assign(id.value(), rule);
  co_return rule;
}

loop::Task<std::optional<media::Owner>> SiteRules::owner_of(media::AccountId id,
                                                            media::Reads& reads) {
  const std::string key = keys::account(id);
  reads.note(key);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  co_return read_record(document_, key, *text, media::account_from_record).owner();
}

void SiteRules::invalidated(std::string_view key) {
  constexpr std::string_view kPrefix = keys::kAccounts;
  if (!key.starts_with(kPrefix)) return;
  ++changes_;
  if (const auto id = base::parse_number<std::int64_t>(key.substr(kPrefix.size())))
    rules_.erase(*id);
}

void SiteRules::forget_all() {
  ++changes_;
  rules_.clear();
}

}  // namespace svc::stores
