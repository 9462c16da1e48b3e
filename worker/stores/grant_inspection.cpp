#include "stores/grant_inspection.h"

#include "redis/scan.h"
#include "stores/keys.h"
#include "stores/stored_token.h"

namespace svc::stores {

using oauth::TokenKind;

loop::Task<InspectedToken> GrantInspection::inspect(const oauth::Token& token) {
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
      const redis::Reply fields = co_await grants.next();
      if (field(fields, 0) != value) continue;
      some.push_back({{key.substr(prefix.size(), key.size() - prefix.size() - 1)},
                      {to_number(field(fields, 1))},
                      {to_number(field(fields, 2))},
                      0,
                      field(fields, 3).empty() ? 0 : 1});
      generations.emplace_back(field(fields, 4));
    }
    redis::Store::Calls tokens(store_);
    for (const LiveGrant& grant : some) tokens.read({"XRANGE", keys::access(grant.id), "-", "+"});
    // The stream also contains expired tokens.
    for (std::size_t i = 0; i < some.size(); ++i) {
      const redis::Reply entries = co_await tokens.next();
      for (std::size_t entry = 0; entry < entries.size(); ++entry) {
        const StoredToken stored = StoredToken::in_entry(entries.at(entry));
        if (stored.generation == generations[i] && to_number(stored.expires) > clock_.now())
          ++some[i].access_tokens;
      }
      all.push_back(std::move(some[i]));
    }
  }
}

}  // namespace svc::stores
