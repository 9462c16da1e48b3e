// StoredToken: the record of a code or token in the store. A code is a hash. A refresh token is a
// string with one line per field; an access token is the same as an entry of its grant's stream.
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
struct StoredToken {
  std::string_view kind, grant, generation, client, contact, account, scopes, issued, expires;
  std::string_view mac{};  // of an access token only, since no key is named after it
  // Of a code only.
  std::string_view redirect_uri{}, challenge{}, consent{};
  bool spent = false;

  // The reply to read_token().
  static StoredToken in(const ReplyView& reply);
  // One entry of a stream of access tokens: [id, [name, text]].
  static StoredToken in_entry(const ReplyView& entry);

  // Returns true if this is the record of the token with that mac. A record repeats what its key
  // says, so that a record under a wrong key, or a wrong kind of key, is refused.
  bool is_of(const oauth::Token& token, std::string_view mac) const;
  // Throws base::Unavailable for a record that cannot be read; `key` is for the message.
  oauth::Issued read(const std::string& key) const;
};

// The key of the record of a token with that mac.
std::string key_of(const oauth::Token& token, std::string_view mac);

// The record of an access or refresh token: one line per field of StoredToken, then the mac of an
// access token.
std::string to_lines(oauth::TokenKind kind, const oauth::GrantId& grant,
                     std::string_view generation, const oauth::Issued& issued,
                     std::string_view mac = {});

// The id of the entry at `place` of a stream of access tokens; and the place in such an id, 0 for
// any other text.
std::string entry_id(std::uint64_t place);
std::uint64_t place_in(std::string_view entry_id);

// The number that the text is, 0 for any other text; a field of a reply to HMGET, "" if it is nil
// or missing.
std::int64_t to_number(std::string_view text);
std::string_view field(const ReplyView& fields, std::size_t index);
oauth::ScopeSet read_scopes(const std::string& key, std::string_view text);

// Sends the read of that token's record, for StoredToken::in().
Channel::Call read_token(Channel& channel, const oauth::Token& token, const std::string& key);

}  // namespace svc::redis
