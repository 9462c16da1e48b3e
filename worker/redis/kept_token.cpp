#include "redis/kept_token.h"

#include <charconv>

#include "redis/record.h"

namespace svc::redis {

std::int64_t to_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view field(const ReplyView& fields, std::size_t index) {
  return index < fields.size() ? fields.at(index).text().value_or("") : std::string_view();
}

oauth::ScopeSet read_scopes(const std::string& key, std::string_view text) {
  const auto scopes = oauth::ScopeSet::parse(text);
  if (!scopes) corrupt_record(key, "a scope is unknown");
  return *scopes;
}

std::string_view name_of(oauth::TokenKind kind) {
  switch (kind) {
    case oauth::TokenKind::Code: return "code";
    case oauth::TokenKind::Access: return "access";
    case oauth::TokenKind::Refresh: return "refresh";
  }
  return "";
}

KeptToken KeptToken::in(const ReplyView& reply) {
  KeptToken kept;
  std::string_view rest = reply.text().value_or("");
  const bool lines = !rest.empty();
  std::size_t index = 0;
  const auto next = [&] {
    if (!lines) return field(reply, index++);
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
  };
  for (std::string_view KeptToken::*member :
       {&KeptToken::kind, &KeptToken::grant, &KeptToken::generation, &KeptToken::client,
        &KeptToken::contact, &KeptToken::account, &KeptToken::scopes, &KeptToken::issued,
        &KeptToken::expires}) {
    kept.*member = next();
  }
  if (lines || reply.size() < 13) return kept;
  kept.redirect_uri = field(reply, 9);
  kept.challenge = field(reply, 10);
  kept.consent = field(reply, 11);
  kept.spent = reply.at(12).text().has_value();
  return kept;
}

bool KeptToken::is_of(const oauth::Token& token) const {
  return kind == name_of(token.kind) && grant == token.grant.text;
}

oauth::Issued KeptToken::read(const std::string& key) const {
  return {{std::string(client)},    {to_number(contact)}, {to_number(account)},
          read_scopes(key, scopes), to_number(issued),    to_number(expires)};
}

}  // namespace svc::redis
