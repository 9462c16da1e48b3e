#include "stores/access/account_tokens.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "stores/access/account_tokens.lua.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

constexpr std::int64_t kNoteTokenUseEvery = 60;
constexpr std::size_t kMostNotedTokens = 4096;  // about 0.1 KB each

redis::Store::Call read_account_token(redis::Store& store, const std::string& key) {
  return store.read({"HMGET", key, "mac", "name", "contact", "scopes", "created", "expires"});
}

// Returns nullopt if there is no such token. `access`: read_access() or listed_access().
std::optional<oauth::AccountTokenRecord> record_in(
    const oauth::AccountTokenId& id, const redis::ReplyView& fields, std::int64_t last_used,
    oauth::Access (*access)(const std::string&, std::string_view)) {
  if (field(fields, 0).empty()) return std::nullopt;
  return oauth::AccountTokenRecord{id,
                                   std::string(field(fields, 1)),
                                   {to_number(field(fields, 2))},
                                   access(keys::account_token(id), field(fields, 3)).scopes,
                                   to_number(field(fields, 4)),
                                   to_number(field(fields, 5)),
                                   last_used};
}

}  // namespace

// The key does not contain the mac, so one read finds it under all keys of the ring.
bool AccountTokens::is_of(std::string_view mac, const oauth::AccountToken& token) const {
  const auto macs = keys_.macs(oauth::AccountToken::kLabel, token.text);
  return std::ranges::any_of(
      macs, [&](const std::string& one) { return base::equal_in_constant_time(mac, one); });
}

loop::Task<std::optional<oauth::Issued>> AccountTokens::find(const oauth::AccountToken& token) {
  const std::string& id = token.id.value();
  const auto noted = noted_.find(id);
  const bool is_noted = noted != noted_.end() && clock_.now() - noted->second < kNoteTokenUseEvery;
  redis::Store::Call call = read_account_token(store_, keys::account_token(token.id));
  redis::Store::Calls used(store_);
  if (!is_noted) used.get(keys::account_token_used(token.id));
  const redis::Reply fields = co_await call;
  const auto record = record_in(token.id, fields, 0, read_access);
  if (!record || !is_of(field(fields, 0), token) || record->contact != token.holder.contact)
    co_return std::nullopt;
  // Redis expires the token too. This check also holds if its clock lags.
  if (record->expires != 0 && record->expires <= clock_.now()) co_return std::nullopt;
  if (!is_noted) {
    const redis::Reply last = co_await OrAbsent{used.next()};
    note_use(token, last.number(), record->expires);
  }
  co_return oauth::Issued{oauth::client_of(token.id),
                          record->contact,
                          record->account(),
                          record->scopes,
                          record->created,
                          record->expires};
}

// At most once per kNoteTokenUseEvery (60 s), instead of one write per request.
void AccountTokens::note_use(const oauth::AccountToken& token, std::int64_t before,
                             std::int64_t expires) {
  const std::int64_t now = clock_.now();
  if (noted_.size() >= kMostNotedTokens) noted_.clear();
  std::int64_t& noted = noted_[token.id.value()];
  noted = before;
  if (now - before < kNoteTokenUseEvery) return;
  store_.send_and_forget(
      {"SET", keys::account_token_used(token.id), std::to_string(now), "EX",
       std::to_string(expires == 0 ? functions::kAccountTokenSeconds : expires - now)});
  noted = now;
}

loop::Task<std::optional<oauth::AccountTokenRecord>> AccountTokens::inspect(
    const oauth::AccountToken& token) {
  redis::Store::Call call = store_.read({"HGET", keys::account_token(token.id), "mac"});
  auto finding = find(token.id);
  const redis::Reply mac = co_await OrAbsent{call};
  auto record = co_await finding;
  if (!record || !is_of(mac.text().value_or(""), token) || record->contact != token.holder.contact)
    co_return std::nullopt;
  co_return record;
}

// Of the calls that read the token and its last use.
loop::Task<std::optional<oauth::AccountTokenRecord>> AccountTokens::listed_in(
    const oauth::AccountTokenId& id, redis::Store::Call& call, redis::Store::Call& used_call) {
  bool is_unreadable = false;
  std::optional<redis::Reply> fields;
  try {
    fields = co_await call;
  } catch (const redis::WrongValue&) {
    is_unreadable = true;
  }
  const redis::Reply used = co_await OrAbsent{used_call};
  if (is_unreadable)
    co_return oauth::AccountTokenRecord{id, std::string(oauth::kUnreadableToken), {}, {}, 0, 0, 0};
  auto record = record_in(id, *fields, used.number(), listed_access);
  if (record && record->expires != 0 && record->expires <= clock_.now()) record.reset();
  co_return record;
}

loop::Task<std::optional<oauth::AccountTokenRecord>> AccountTokens::find(
    const oauth::AccountTokenId& id) {
  redis::Store::Call call = read_account_token(store_, keys::account_token(id));
  redis::Store::Call used_call = store_.get(keys::account_token_used(id));
  co_return co_await listed_in(id, call, used_call);
}

// The contact's list first: an entry without a token is ignored, but a token must be in the list to
// end with its contact.
loop::Task<bool> AccountTokens::add(const oauth::AccountToken& token,
                                    const oauth::AccountTokenRecord& record, std::int64_t most) {
  const std::int64_t now = clock_.now();
  const std::int64_t end =
      record.expires == 0 ? now + functions::kAccountTokenSeconds : record.expires;
  const std::string list = keys::contact_account_tokens(record.contact);
  redis::Store::Calls listing(store_);
  listing.command({"ZREMRANGEBYSCORE", list, "-inf", std::to_string(now)});
  listing.command({"ZADD", list, std::to_string(end), token.id.value()});
  listing.command({"EXPIRE", list, std::to_string(functions::kAccountTokenSeconds)});
  while (listing.left() > 0) co_await listing.next();
  functions::AddAccountToken adding{.tokens = keys::account_tokens(record.account()),
                                    .token = keys::account_token(token.id),
                                    .id = token.id.value(),
                                    .most = most,
                                    .now = now,
                                    .ends = end,
                                    .mac = keys_.mac(oauth::AccountToken::kLabel, token.text),
                                    .name = record.name,
                                    .contact = record.contact.value(),
                                    .scopes = record.scopes.to_text(),
                                    .created = record.created,
                                    .expires = record.expires};
  const redis::Reply added = co_await store_.call(std::move(adding), redis::Durability::Replicated);
  co_return added.integer() == 1;
}

loop::Task<std::vector<oauth::AccountTokenRecord>> AccountTokens::of(media::AccountId account) {
  return listed(keys::account_tokens(account));
}

loop::Task<std::vector<oauth::AccountTokenRecord>> AccountTokens::of(media::ContactId contact) {
  return listed(keys::contact_account_tokens(contact));
}

loop::Task<std::vector<oauth::AccountTokenRecord>> AccountTokens::listed(std::string list) {
  redis::Store::Call call = store_.read({"ZRANGE", list, "0", "-1"});
  const redis::Reply entries = co_await call;
  std::vector<oauth::AccountTokenId> ids;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (auto id = oauth::AccountTokenId::parse(field(entries, i))) ids.push_back(std::move(*id));
  }
  redis::Store::Calls tokens(store_);
  for (const oauth::AccountTokenId& id : ids) {
    tokens.read({"HMGET", keys::account_token(id), "mac", "name", "contact", "scopes", "created",
                 "expires"});
    tokens.get(keys::account_token_used(id));
  }
  std::vector<oauth::AccountTokenRecord> records;
  for (const oauth::AccountTokenId& id : ids) {
    redis::Store::Call& fields = tokens.next();
    auto record = co_await listed_in(id, fields, tokens.next());
    if (record) records.push_back(std::move(*record));
  }
  std::ranges::sort(records, std::ranges::greater(), [](const oauth::AccountTokenRecord& record) {
    return std::pair(record.created, record.id);
  });
  co_return records;
}

loop::Task<bool> AccountTokens::end(const oauth::AccountTokenId& id) {
  functions::EndAccountToken ending{.tokens = keys::account_tokens(id.account()),
                                    .token = keys::account_token(id),
                                    .used = keys::account_token_used(id),
                                    .id = id.value()};
  const redis::Reply contact =
      co_await store_.call(std::move(ending), redis::Durability::Replicated);
  if (!contact.text()) co_return false;
  store_.send_and_forget({"ZREM", keys::contact_account_tokens({contact.number()}), id.value()});
  co_return true;
}

loop::Task<> AccountTokens::end_all(media::ContactId contact) {
  const std::string list = keys::contact_account_tokens(contact);
  const auto records = co_await listed(list);
  for (const oauth::AccountTokenRecord& record : records) co_await end(record.id);
  redis::Store::Call unlinking = store_.command({"UNLINK", list});
  co_await unlinking;
}

}  // namespace svc::stores
