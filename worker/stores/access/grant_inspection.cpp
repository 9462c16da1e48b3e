#include "stores/access/grant_inspection.h"

#include "oauth/token_family.h"
#include "redis/scan.h"
#include "stores/access/grants.lua.h"
#include "stores/access/stored_family.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {

using oauth::TokenKind;

// A refresh token of a family that has ended is unknown, as its record is.
loop::Task<InspectedToken> GrantInspection::inspect_family(const oauth::Token& token) {
  const auto family = oauth::family_of(token, keys_);
  if (!family) co_return InspectedToken{};
  const std::string key = keys::grant(token.grant);
  redis::Store::Call call = store_.read({"HMGET", key, "client", "contact", "account",
                                         std::string(functions::kFamilyField) + family->name});
  const redis::Reply fields = co_await call;
  const auto stored = StoredFamily::in(field(fields, 3));
  if (!stored) co_return InspectedToken{};
  InspectedToken found;
  found.issued = {{std::string(field(fields, 0))},
                  {to_number(field(fields, 1))},
                  {to_number(field(fields, 2))},
                  {},
                  stored->began,
                  stored->expires(limits_)};
  oauth::Access granted = read_access(key, stored->granted);
  found.issued.scopes = granted.scopes;
  found.issued.resources = std::move(granted.resources);
  found.state = found.issued.expires <= clock_.now() ? TokenState::Expired
                : token.place <= stored->position    ? TokenState::Used
                                                     : TokenState::Alive;
  co_return found;
}

loop::Task<InspectedToken> GrantInspection::inspect(const oauth::Token& token) {
  if (token.kind == TokenKind::Refresh && token.is_of_family())
    co_return co_await inspect_family(token);
  for (const std::string& mac : keys_.macs(token.label(), token.text)) {
    const std::string key = key_of(token, mac);
    redis::Store::Call asked = read_token(store_, token, key);
    const redis::Reply reply = co_await asked;
    const StoredToken stored = StoredToken::in(reply);
    if (!stored.is_of(token, mac)) continue;
    InspectedToken found;
    found.issued = stored.read(key);
    redis::Store::Call asked_grant =
        store_.read({"HMGET", keys::grant(token.grant), "generation", "refresh", "consent"});
    const redis::Reply grant = co_await asked_grant;
    const bool code = token.kind == TokenKind::Code;
    const std::string_view of = field(grant, code ? 2 : 0);
    const bool of_grant = !of.empty() && of == (code ? stored.consent : stored.generation);
    const bool over = found.issued.expires != 0 && found.issued.expires <= clock_.now();
    found.state = !of_grant              ? TokenState::Revoked
                  : code && stored.spent ? TokenState::Spent
                  : over                 ? TokenState::Expired
                  : token.kind == TokenKind::Refresh && field(grant, 1) != mac
                      ? TokenState::Replaced
                      : TokenState::Alive;
    co_return found;
  }
  co_return InspectedToken{};
}

loop::Task<std::vector<LiveGrant>> GrantInspection::grants_of(const oauth::ClientId& client) {
  return grants_with("client", client.value());
}
loop::Task<std::vector<LiveGrant>> GrantInspection::grants_of(media::ContactId contact) {
  return grants_with("contact", std::to_string(contact.value()));
}
loop::Task<std::vector<LiveGrant>> GrantInspection::grants_of(media::AccountId account) {
  return grants_with("account", std::to_string(account.value()));
}

loop::Task<std::vector<LiveGrant>> GrantInspection::grants_with(std::string_view name,
                                                                std::string value) {
  const std::string_view prefix = "oauth:grant:{";
  std::vector<LiveGrant> all;
  redis::Scan found(store_, keys::grant({"*"}));
  while (true) {
    const std::vector<std::string> keys = co_await found.next();
    if (keys.empty()) co_return all;
    if (progress_) progress_(found.fraction_done(), all.size());
    redis::Store::Calls grants(store_);
    for (const std::string& key : keys)
      grants.read({"HMGET", key, name, "contact", "account", "refresh", "generation"});
    std::vector<LiveGrant> some;
    std::vector<std::string> generations;
    for (const std::string& key : keys) {
      const redis::Reply fields = co_await OrAbsent{grants.next()};
      if (field(fields, 0) != value) continue;
      some.push_back({{key.substr(prefix.size(), key.size() - prefix.size() - 1)},
                      {to_number(field(fields, 1))},
                      {to_number(field(fields, 2))},
                      0,
                      field(fields, 3).empty() ? 0 : 1});
      generations.emplace_back(field(fields, 4));
    }
    redis::Store::Calls families(store_);
    for (const LiveGrant& grant : some) families.read({"HGETALL", keys::grant(grant.id)});
    std::vector<std::vector<std::string>> streams;
    redis::Store::Calls tokens(store_);
    for (LiveGrant& grant : some) {
      const redis::Reply fields = co_await OrAbsent{families.next()};
      std::vector<std::string>& of_grant = streams.emplace_back(1, keys::access(grant.id));
      for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        const std::string_view field_name = field(fields, i);
        if (!field_name.starts_with(functions::kFamilyField)) continue;
        const auto family = StoredFamily::in(field(fields, i + 1));
        if (family && family->expires(limits_) > clock_.now()) ++grant.refresh_tokens;
        of_grant.push_back(
            keys::access(grant.id, field_name.substr(functions::kFamilyField.size())));
      }
      for (const std::string& stream : of_grant) tokens.read({"XRANGE", stream, "-", "+"});
    }
    // The streams also contain expired tokens.
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (std::size_t stream = 0; stream < streams[i].size(); ++stream) {
        const redis::Reply entries = co_await tokens.next();
        for (std::size_t entry = 0; entry < entries.size(); ++entry) {
          const StoredToken stored = StoredToken::in_entry(entries.at(entry));
          if (stored.generation == generations[i] && to_number(stored.expires) > clock_.now())
            ++some[i].access_tokens;
        }
      }
      all.push_back(std::move(some[i]));
    }
  }
}

}  // namespace svc::stores
