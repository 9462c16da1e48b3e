// KeptToken: how a code or token lies in the store, and how it is read: a code and a refresh token
// are hashes, an access token is one string with a line a field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "oauth/stores.h"
#include "oauth/token.h"
#include "redis/reply.h"

namespace svc::redis {

// What every kind has. Views of the reply it was read from.
struct KeptToken {
  std::string_view kind, grant, generation, client, contact, account, scopes, issued, expires;
  // Of a code only.
  std::string_view redirect_uri{}, challenge{}, consent{};
  bool spent = false;

  // The reply to read_token().
  static KeptToken in(const ReplyView& reply);

  // Whether it is what that token stands for. The value says again what its key says, so that one
  // which came to stand under another key, or another kind of key, is nobody's.
  bool is_of(const oauth::Token& token) const;
  // Throws base::Unavailable for a value that cannot be read; `key` is where it stands.
  oauth::Issued read(const std::string& key) const;
};

// access, refresh, code: what the value calls it.
std::string_view name_of(oauth::TokenKind kind);

// A number as Redis keeps it, 0 for what is none; a field of an HMGET, "" for one that is not
// there.
std::int64_t to_number(std::string_view text);
std::string_view field(const ReplyView& fields, std::size_t index);
oauth::ScopeSet read_scopes(const std::string& key, std::string_view text);

// Hands the words of the command that reads a token of that kind to `read`.
template <class Read>
auto read_token(Read read, oauth::TokenKind kind, const std::string& key) {
  if (kind == oauth::TokenKind::Access) return read({"GET", key});
  return read({"HMGET", key, "kind", "grant", "generation", "client", "contact", "account",
               "scopes", "issued", "expires", "redirect_uri", "challenge", "consent", "request"});
}

}  // namespace svc::redis
