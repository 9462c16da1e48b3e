#include "stores/access/factors.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "redis/scan.h"
#include "stores/access/count.h"
#include "stores/access/factors.lua.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

std::vector<redis::Argument> arguments_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

loop::Task<std::optional<login::StoredFactor>> Factors::find(media::ContactId contact) {
  redis::Store::Call call =
      store_.read({"HMGET", keys::login_factor(contact), "secret", "created", "left", "passkeys"});
  const redis::Reply fields = co_await call;
  if (field(fields, 0).empty()) co_return std::nullopt;
  co_return login::StoredFactor{std::string(field(fields, 0)), to_number(field(fields, 1)),
                                to_number(field(fields, 2)), to_number(field(fields, 3))};
}

loop::Task<> Factors::write(media::ContactId contact, const login::StoredFactor& factor,
                            const std::vector<std::string>& codes) {
  functions::WriteFactor writing{.factor = keys::login_factor(contact),
                                 .secret = factor.sealed,
                                 .created = factor.created,
                                 .codes = arguments_of(codes)};
  co_await store_.call(std::move(writing), redis::Durability::Replicated);
}

loop::Task<bool> Factors::write_codes(media::ContactId contact,
                                      const std::vector<std::string>& codes) {
  functions::WriteCodes writing{.factor = keys::login_factor(contact),
                                .codes = arguments_of(codes)};
  const redis::Reply written =
      co_await store_.call(std::move(writing), redis::Durability::Replicated);
  co_return written.integer() == 1;
}

loop::Task<bool> Factors::spend_step(media::ContactId contact, std::string_view sealed,
                                     std::int64_t step) {
  functions::SpendStep spending{
      .factor = keys::login_factor(contact), .secret = sealed, .step = step};
  const redis::Reply spent =
      co_await store_.call(std::move(spending), redis::Durability::Replicated);
  co_return spent.integer() == 1;
}

loop::Task<bool> Factors::spend_code(media::ContactId contact,
                                     const std::vector<std::string>& macs) {
  functions::SpendCode spending{.factor = keys::login_factor(contact), .macs = arguments_of(macs)};
  const redis::Reply spent =
      co_await store_.call(std::move(spending), redis::Durability::Replicated);
  co_return spent.integer() == 1;
}

loop::Task<bool> Factors::remove(media::ContactId contact) {
  redis::Store::Call call = store_.command({"DEL", keys::login_factor(contact)});
  redis::Store::Call attempts = store_.command({"DEL", keys::login_codes(contact)});
  const redis::Reply removed = co_await call;
  co_await attempts;
  co_return removed.integer() == 1;
}

loop::Task<std::vector<media::AccountId>> Factors::requiring(
    const std::vector<media::AccountId>& accounts) {
  std::vector<media::AccountId> found;
  if (accounts.empty()) co_return found;
  std::vector<std::string> names;
  for (const media::AccountId account : accounts) names.push_back(std::to_string(account.value()));
  std::vector<std::string_view> words{"HMGET", keys::kLoginRequired};
  words.insert(words.end(), names.begin(), names.end());
  redis::Store::Call call = store_.read(words);
  std::optional<redis::Reply> fields;
  try {
    fields = co_await call;
  } catch (const redis::WrongValue&) {
    // Any of them may require one.
  }
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    if (!fields || !field(*fields, i).empty()) found.push_back(accounts[i]);
  }
  co_return found;
}

loop::Task<> Factors::require(media::AccountId account, bool is_required) {
  const std::string name = std::to_string(account.value());
  std::vector<std::string_view> words{is_required ? "HSET" : "HDEL", keys::kLoginRequired, name};
  if (is_required) words.emplace_back("1");
  redis::Store::Call call = store_.command(words);
  co_await call;
}

loop::Task<std::vector<media::ContactId>> Factors::contacts() {
  const std::string prefix = keys::login_factor({0}).substr(0, keys::login_factor({0}).size() - 1);
  std::vector<media::ContactId> found;
  redis::Scan scan(store_, prefix + "*");
  while (true) {
    const std::vector<std::string> some = co_await scan.next();
    if (some.empty()) co_return found;
    for (const std::string& key : some) {
      if (const auto id = base::parse_number<std::int64_t>(key.substr(prefix.size())))
        found.push_back({*id});
    }
  }
}

loop::Task<bool> Factors::reseal(media::ContactId contact, std::string_view before,
                                 std::string_view after) {
  functions::ResealFactor resealing{
      .factor = keys::login_factor(contact), .before = before, .after = after};
  const redis::Reply resealed =
      co_await store_.call(std::move(resealing), redis::Durability::Replicated);
  co_return resealed.integer() == 1;
}

loop::Task<std::optional<std::int64_t>> Factors::begin_attempt(media::ContactId contact) {
  std::string counter = keys::login_codes(contact);
  const Count codes = co_await count_event(store_, std::move(counter), login::kFactorSeconds);
  if (codes.events <= login::kMostWrongCodes) co_return std::nullopt;
  co_return std::max<std::int64_t>(codes.ends_in, 1);
}

loop::Task<> Factors::succeeded(media::ContactId contact) {
  redis::Store::Call call = store_.command({"DEL", keys::login_codes(contact)});
  co_await call;
}

}  // namespace svc::stores
