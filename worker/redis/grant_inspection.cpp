#include "redis/grant_inspection.h"

#include <charconv>

#include "redis/keys.h"
#include "redis/record.h"
#include "redis/scan.h"

namespace svc::redis {
namespace {

using oauth::TokenKind;

std::string_view field(const ReplyView& fields, std::size_t index) {
  return index < fields.size() ? fields.at(index).text().value_or("") : std::string_view();
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// As redis/grants writes it into the value.
std::string_view kind_of(const oauth::Token& token) {
  switch (token.kind) {
    case TokenKind::Code: return "code";
    case TokenKind::Access: return "access";
    case TokenKind::Refresh: break;
  }
  return "refresh";
}

}  // namespace

InspectedToken GrantInspection::inspect(const oauth::Token& token) {
  for (const std::string& mac : keys_.macs(token.label(), token.text)) {
    const std::string key = keys::tokens(token.kind, token.grant) + mac;
    const Reply fields =
        connection_.read({"HMGET", key, "client", "contact", "account", "scopes", "issued",
                          "expires", "generation", "consent", "request", "kind", "grant"});
    // As workers do: a value that came to stand under another key is nobody's.
    if (field(fields, 9) != kind_of(token) || field(fields, 10) != token.grant.text) continue;
    InspectedToken found;
    found.issued.client = {std::string(field(fields, 0))};
    found.issued.contact = {number(field(fields, 1))};
    found.issued.account = {number(field(fields, 2))};
    const auto scopes = oauth::ScopeSet::parse(field(fields, 3));
    if (!scopes) corrupt_record(key, "a scope is unknown");
    found.issued.scopes = *scopes;
    found.issued.issued = number(field(fields, 4));
    found.issued.expires = number(field(fields, 5));

    const Reply grant =
        connection_.read({"HMGET", keys::grant(token.grant), "generation", "refresh", "consent"});
    const bool code = token.kind == TokenKind::Code;
    const bool of_grant = code ? field(grant, 2) == field(fields, 7) && !field(grant, 2).empty()
                               : field(grant, 0) == field(fields, 6) && !field(grant, 0).empty();
    const bool over = found.issued.expires != 0 && found.issued.expires <= clock_.now();
    found.state = !of_grant                     ? TokenState::Revoked
                  : code && fields.at(8).text() ? TokenState::Spent
                  : over                        ? TokenState::Expired
                  : token.kind == TokenKind::Refresh && field(grant, 1) != mac
                      ? TokenState::Replaced
                      : TokenState::Alive;
    return found;
  }
  return {};
}

std::vector<LiveGrant> GrantInspection::grants_of(const oauth::ClientId& client) {
  const std::string_view prefix = "oauth:grant:{";
  const std::string since =
      std::to_string((clock_.now() - lifetimes_.access) * 1'000'000);  // µs, as the list has them
  std::vector<LiveGrant> all;
  scan(connection_, keys::grant({"*"}), [&](const std::vector<std::string>& keys) {
    for (const std::string& key : keys)
      connection_.send({"HMGET", key, "client", "contact", "account", "refresh"});
    std::vector<LiveGrant> of_client;
    for (const std::string& key : keys) {
      const Reply fields = connection_.receive();
      if (field(fields, 0) != client.text) continue;
      of_client.push_back({{key.substr(prefix.size(), key.size() - prefix.size() - 1)},
                           {number(field(fields, 1))},
                           {number(field(fields, 2))},
                           0,
                           field(fields, 3).empty() ? 0 : 1});
    }
    for (const LiveGrant& grant : of_client)
      connection_.send({"ZRANGE", keys::grant_access(grant.id), since, "+inf", "BYSCORE"});
    for (LiveGrant& grant : of_client) {
      grant.access_tokens = static_cast<std::int64_t>(connection_.receive().size());
      all.push_back(std::move(grant));
    }
  });
  return all;
}

}  // namespace svc::redis
