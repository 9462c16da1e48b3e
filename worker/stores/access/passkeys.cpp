#include "stores/access/passkeys.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/base64.h"
#include "stores/access/passkeys.lua.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"
#include "text/json_record.h"

namespace svc::stores {
namespace {

constexpr std::string_view kPasskeyField = "passkey:";
constexpr std::string_view kUsedField = "passkey_used:";
constexpr std::size_t kMaxKeyText = 2048;  // bytes; the longest RSA key has 700

std::string record_of(const login::Passkey& passkey) {
  std::string out;
  text::json::ObjectWriter object(out);
  object.string("name", passkey.name)
      .string("key", base::base64url_encode(passkey.public_key))
      .strings("transports", passkey.transports)
      .integer("created", passkey.created)
      .end();
  return out;
}

// Returns a passkey without a key if the record is malformed: it can be removed, and opens nothing.
login::Passkey passkey_of(std::string_view id, std::string_view text) {
  login::Passkey passkey;
  passkey.id = id;
  text::json::Document document;
  const auto value = document.parse(text, text::json::Origin::Ours);
  if (!value || !value->is_object()) return passkey;
  text::JsonRecord record(*value);
  passkey.name = record.text("name", 4 * login::kMostPasskeyName);
  passkey.created = record.integer("created", 0, std::int64_t{1} << 40);
  const auto key = base::base64url_decode(record.text("key", kMaxKeyText));
  const auto transports = record.array("transports");
  if (!record.ok()) return passkey;
  passkey.public_key = key.value_or("");
  for (std::size_t i = 0; i < transports->size(); ++i)
    passkey.transports.emplace_back(transports->at(i).string().value_or(""));
  return passkey;
}

}  // namespace

loop::Task<std::vector<login::Passkey>> Passkeys::of(media::ContactId contact) {
  redis::Store::Call call = store_.read({"HGETALL", keys::login_factor(contact)});
  const redis::Reply fields = co_await call;
  std::vector<login::Passkey> found;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string_view name = field(fields, i);
    if (name.starts_with(kPasskeyField))
      found.push_back(passkey_of(name.substr(kPasskeyField.size()), field(fields, i + 1)));
  }
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string_view name = field(fields, i);
    if (!name.starts_with(kUsedField)) continue;
    const auto passkey =
        std::ranges::find(found, name.substr(kUsedField.size()), &login::Passkey::id);
    if (passkey != found.end()) passkey->used = to_number(field(fields, i + 1));
  }
  std::ranges::sort(found, {}, [](const login::Passkey& passkey) {
    return std::tuple(passkey.created, std::string_view(passkey.id));
  });
  co_return found;
}

loop::Task<Passkeys::Added> Passkeys::add(media::ContactId contact, const login::Passkey& passkey,
                                          std::uint32_t count) {
  functions::AddPasskey adding{.factor = keys::login_factor(contact),
                               .id = passkey.id,
                               .record = record_of(passkey),
                               .count = count,
                               .most = login::kMostPasskeys};
  const redis::Reply added = co_await store_.call(std::move(adding), redis::Durability::Replicated);
  switch (added.integer()) {
    case 0: co_return Added::NoFactor;
    case 1: co_return Added::Yes;
    case 2: co_return Added::Exists;
    default: co_return Added::TooMany;
  }
}

loop::Task<bool> Passkeys::remove(media::ContactId contact, std::string_view id) {
  functions::RemovePasskey removing{.factor = keys::login_factor(contact), .id = id};
  const redis::Reply removed =
      co_await store_.call(std::move(removing), redis::Durability::Replicated);
  co_return removed.integer() == 1;
}

loop::Task<Passkeys::Used> Passkeys::use(media::ContactId contact, std::string_view id,
                                         const login::Assertion& assertion, std::int64_t now,
                                         std::string_view turn) {
  functions::UsePasskey use{.factor = keys::login_factor(contact),
                            .id = id,
                            .count = assertion.count,
                            .now = now,
                            .turn = turn,
                            .may_restart = assertion.is_synced};
  const redis::Reply used = co_await store_.call(std::move(use), redis::Durability::Replicated);
  switch (used.integer()) {
    case 0: co_return Used::Gone;
    case 1: co_return Used::Yes;
    default: co_return Used::Behind;
  }
}

loop::Task<bool> Passkeys::spend(std::string_view challenge_digest, std::string_view turn) {
  functions::SpendChallenge spending{.challenge = keys::login_challenge(challenge_digest),
                                     .turn = turn,
                                     .seconds = login::kChallengeSeconds};
  const redis::Reply spent =
      co_await store_.call(std::move(spending), redis::Durability::Replicated);
  co_return spent.integer() == 1;
}

}  // namespace svc::stores
