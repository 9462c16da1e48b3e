// KeptToken: how a code or token lies in the store, and how it is read: a code is a hash, a refresh
// token and an access token are a text with a line a field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "oauth/stores.h"
#include "oauth/token.h"
#include "redis/channel.h"
#include "redis/reply.h"

namespace svc::redis {

// What every kind has. Views of the reply it was read from.
struct KeptToken {
  std::string_view kind, grant, generation, client, contact, account, scopes, issued, expires;
  std::string_view mac{};  // of an access token only, since no key is named after it
  // Of a code only.
  std::string_view redirect_uri{}, challenge{}, consent{};
  bool spent = false;

  // The reply to read_token().
  static KeptToken in(const ReplyView& reply);
  // One entry of a stream of access tokens: [id, [name, text]].
  static KeptToken in_entry(const ReplyView& entry);

  // Whether it is what the token with that mac stands for. The value says again what its key says,
  // so that one which came to stand under another key, or another kind of key, is nobody's.
  bool is_of(const oauth::Token& token, std::string_view mac) const;
  // Throws base::Unavailable for a value that cannot be read; `key` is where it stands.
  oauth::Issued read(const std::string& key) const;
};

// Where a token with that mac is kept.
std::string key_of(const oauth::Token& token, std::string_view mac);

// An access token or refresh token as it is kept: the fields of KeptToken, a line each, an access
// token's mac behind them.
std::string to_lines(oauth::TokenKind kind, const oauth::GrantId& grant,
                     std::string_view generation, const oauth::Issued& issued,
                     std::string_view mac = {});

// The id of an entry in a stream of access tokens; and the place in one, 0 for what is none.
std::string entry_id(std::uint64_t place);
std::uint64_t place_in(std::string_view entry_id);

// A number as Redis keeps it, 0 for what is none; a field of an HMGET, "" for one that is not
// there.
std::int64_t to_number(std::string_view text);
std::string_view field(const ReplyView& fields, std::size_t index);
oauth::ScopeSet read_scopes(const std::string& key, std::string_view text);

// Sends the read of what is kept there of that token, for KeptToken::in().
Channel::Call read_token(Channel& channel, const oauth::Token& token, const std::string& key);

}  // namespace svc::redis
