#include "stores/access/stored_token.h"

#include <array>

#include "base/digest.h"
#include "base/number.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {

std::int64_t to_number(std::string_view text) {
  return base::parse_number<std::int64_t>(text).value_or(0);
}

std::string_view field(const redis::ReplyView& fields, std::size_t index) {
  return index < fields.size() ? fields.at(index).text().value_or("") : std::string_view();
}

namespace {

constexpr const char* kUnknownScope = "a scope is unknown";

}  // namespace

oauth::Access read_access(const std::string& key, std::string_view text) {
  auto access = oauth::Access::parse(text);
  if (!access) corrupt_record(key, kUnknownScope);
  return *std::move(access);
}

oauth::Access listed_access(const std::string& key, std::string_view text) {
  auto access = oauth::Access::parse(text);
  if (!access) log_corrupt_record(key, kUnknownScope);
  return std::move(access).value_or(oauth::Access());
}

namespace {

// The name of the kind in the record.
std::string_view name_of(oauth::TokenKind kind) {
  switch (kind) {
    case oauth::TokenKind::Code: return "code";
    case oauth::TokenKind::Access: return "access";
    case oauth::TokenKind::Refresh: return "refresh";
  }
  return "";
}

// Only codes of clients whose documents lack the grant type have this value of `refreshes`.
constexpr std::string_view kNoRefresh = "no";

using Member = std::string_view StoredToken::*;
constexpr std::array<Member, 9> kMembers{
    &StoredToken::kind,   &StoredToken::grant,   &StoredToken::generation,
    &StoredToken::client, &StoredToken::contact, &StoredToken::account,
    &StoredToken::scopes, &StoredToken::issued,  &StoredToken::expires};

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

StoredToken in_lines(std::string_view lines) {
  StoredToken stored;
  for (const Member member : kMembers) stored.*member = take_line(lines);
  stored.mac = lines;
  return stored;
}

}  // namespace

std::string key_of(const oauth::Token& token, std::string_view mac) {
  switch (token.kind) {
    case oauth::TokenKind::Code: return keys::code(token.grant, mac);
    case oauth::TokenKind::Access: return keys::access(token.grant, token.family);
    case oauth::TokenKind::Refresh: return keys::refresh(token.grant, mac);
  }
  return "";
}

std::string to_lines(oauth::TokenKind kind, const oauth::GrantId& grant,
                     std::string_view generation, const oauth::Issued& issued,
                     std::string_view mac) {
  std::string lines(name_of(kind));
  const auto add = [&](std::string_view line) { (lines += '\n') += line; };
  add(grant.value());
  add(generation);
  add(issued.client.value());
  add(std::to_string(issued.contact.value()));
  add(std::to_string(issued.account.value()));
  add(issued.access().to_text());
  add(std::to_string(issued.issued));
  add(std::to_string(issued.expires));
  if (!mac.empty()) add(mac);
  return lines;
}

redis::Store::Call read_token(redis::Store& store, const oauth::Token& token,
                              const std::string& key) {
  switch (token.kind) {
    case oauth::TokenKind::Access: {
      const std::string id = entry_id(token.place);
      return store.read({"XRANGE", key, id, id});
    }
    case oauth::TokenKind::Refresh: return store.get(key);
    case oauth::TokenKind::Code: break;
  }
  return store.read({"HMGET", key, "kind", "grant", "generation", "client", "contact", "account",
                     "scopes", "issued", "expires", "redirect_uri", "challenge", "consent",
                     "request", "refreshes"});
}

// The ids are "0-*": Redis increments the second part for each entry.
std::string entry_id(std::uint64_t place) { return "0-" + std::to_string(place); }

std::uint64_t place_in(std::string_view entry_id) {
  constexpr std::string_view kFirst = "0-";
  if (!entry_id.starts_with(kFirst)) return 0;
  return base::parse_number<std::uint64_t>(entry_id.substr(kFirst.size())).value_or(0);
}

StoredToken StoredToken::in_entry(const redis::ReplyView& entry) {
  return in_lines(entry.size() == 2 ? field(entry.at(1), 1) : "");
}

StoredToken StoredToken::in(const redis::ReplyView& reply) {
  if (reply.size() == 1) return in_entry(reply.at(0));
  if (reply.size() < 14) return in_lines(reply.text().value_or(""));
  StoredToken stored;
  std::size_t index = 0;
  for (const Member member : kMembers) stored.*member = field(reply, index++);
  stored.redirect_uri = field(reply, 9);
  stored.challenge = field(reply, 10);
  stored.consent = field(reply, 11);
  stored.spent = reply.at(12).text().has_value();
  stored.refreshes = field(reply, 13) != kNoRefresh;
  return stored;
}

bool StoredToken::is_of(const oauth::Token& token, std::string_view mac_of_token) const {
  if (kind != name_of(token.kind) || grant != token.grant.value()) return false;
  if (token.holder && *token.holder != oauth::Holder{{to_number(contact)}, {to_number(account)}}) {
    return false;
  }
  // The place is sent with the token, so the holder of one token could name
  // another's place.
  return token.kind != oauth::TokenKind::Access || base::equal_in_constant_time(mac, mac_of_token);
}

oauth::Issued StoredToken::read(const std::string& key) const {
  oauth::Access access = read_access(key, scopes);
  oauth::Issued token{{std::string(client)}, {to_number(contact)}, {to_number(account)},
                      access.scopes,         to_number(issued),    to_number(expires)};
  token.resources = std::move(access.resources);
  return token;
}

}  // namespace svc::stores
