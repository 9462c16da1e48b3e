#include "redis/grant_inspection.h"

#include "redis/kept_token.h"
#include "redis/keys.h"
#include "redis/scan.h"

namespace svc::redis {

using oauth::TokenKind;

InspectedToken GrantInspection::inspect(const oauth::Token& token) {
  for (const std::string& mac : keys_.macs(token.label(), token.text)) {
    const std::string key = keys::tokens(token.kind, token.grant) + mac;
    const Reply reply = read_token(
        [this](std::initializer_list<std::string_view> words) { return connection_.read(words); },
        token.kind, key);
    const KeptToken kept = KeptToken::in(reply);
    if (!kept.is_of(token)) continue;
    InspectedToken found;
    found.issued = kept.read(key);
    const Reply grant =
        connection_.read({"HMGET", keys::grant(token.grant), "generation", "refresh", "consent"});
    const bool code = token.kind == TokenKind::Code;
    const std::string_view of = field(grant, code ? 2 : 0);
    const bool of_grant = !of.empty() && of == (code ? kept.consent : kept.generation);
    const bool over = found.issued.expires != 0 && found.issued.expires <= clock_.now();
    found.state = !of_grant            ? TokenState::Revoked
                  : code && kept.spent ? TokenState::Spent
                  : over               ? TokenState::Expired
                  : token.kind == TokenKind::Refresh && field(grant, 1) != mac
                      ? TokenState::Replaced
                      : TokenState::Alive;
    return found;
  }
  return {};
}

std::vector<LiveGrant> GrantInspection::grants_of(const oauth::ClientId& client) {
  const std::string_view prefix = "oauth:grant:{";
  std::vector<LiveGrant> all;
  scan(connection_, keys::grant({"*"}), [&](const std::vector<std::string>& keys) {
    for (const std::string& key : keys)
      connection_.send({"HMGET", key, "client", "contact", "account", "refresh"});
    std::vector<LiveGrant> of_client;
    for (const std::string& key : keys) {
      const Reply fields = connection_.receive();
      if (field(fields, 0) != client.text) continue;
      of_client.push_back({{key.substr(prefix.size(), key.size() - prefix.size() - 1)},
                           {to_number(field(fields, 1))},
                           {to_number(field(fields, 2))},
                           0,
                           field(fields, 3).empty() ? 0 : 1});
    }
    // The list names tokens that have expired, too; those that have not are there.
    for (const LiveGrant& grant : of_client)
      connection_.send({"LRANGE", keys::grant_access(grant.id), "0", "-1"});
    std::vector<std::vector<std::string>> names;
    for (const LiveGrant& grant : of_client) {
      const Reply macs = connection_.receive();
      auto& words = names.emplace_back(1, "EXISTS");
      for (std::size_t i = 0; i < macs.size(); ++i)
        words.push_back(keys::tokens(TokenKind::Access, grant.id) + std::string(field(macs, i)));
    }
    for (std::size_t i = 0; i < of_client.size(); ++i) {
      if (names[i].size() > 1) {
        const std::vector<std::string_view> words(names[i].begin(), names[i].end());
        of_client[i].access_tokens = connection_.read(words).integer();
      }
      all.push_back(std::move(of_client[i]));
    }
  });
  return all;
}

}  // namespace svc::redis
