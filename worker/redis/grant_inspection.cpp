#include "redis/grant_inspection.h"

#include "redis/kept_token.h"
#include "redis/keys.h"
#include "redis/scan.h"

namespace svc::redis {

using oauth::TokenKind;

InspectedToken GrantInspection::inspect(const oauth::Token& token) {
  for (const std::string& mac : keys_.macs(token.label(), token.text)) {
    const std::string key = key_of(token, mac);
    const Reply reply = read_token(
        [this](std::initializer_list<std::string_view> words) { return connection_.read(words); },
        token, key);
    const KeptToken kept = KeptToken::in(reply);
    if (!kept.is_of(token, mac)) continue;
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
  return grants_with("client", client.text);
}
std::vector<LiveGrant> GrantInspection::grants_of(media::ContactId contact) {
  return grants_with("contact", std::to_string(contact.number));
}

std::vector<LiveGrant> GrantInspection::grants_with(std::string_view name, std::string_view value) {
  const std::string_view prefix = "oauth:grant:{";
  std::vector<LiveGrant> all;
  scan(connection_, keys::grant({"*"}), [&](const std::vector<std::string>& keys) {
    for (const std::string& key : keys)
      connection_.send({"HMGET", key, name, "contact", "account", "refresh", "generation"});
    std::vector<LiveGrant> some;
    std::vector<std::string> generations;
    for (const std::string& key : keys) {
      const Reply fields = connection_.receive();
      if (field(fields, 0) != value) continue;
      some.push_back({{key.substr(prefix.size(), key.size() - prefix.size() - 1)},
                      {to_number(field(fields, 1))},
                      {to_number(field(fields, 2))},
                      0,
                      field(fields, 3).empty() ? 0 : 1});
      generations.emplace_back(field(fields, 4));
    }
    for (const LiveGrant& grant : some)
      connection_.send({"XRANGE", keys::access(grant.id), "-", "+"});
    // Those that have expired are still there, among the rest.
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Reply entries = connection_.receive();
      for (std::size_t entry = 0; entry < entries.size(); ++entry) {
        const KeptToken kept = KeptToken::in_entry(entries.at(entry));
        if (kept.generation == generations[i] && to_number(kept.expires) > clock_.now())
          ++some[i].access_tokens;
      }
      all.push_back(std::move(some[i]));
    }
  });
  return all;
}

}  // namespace svc::redis
