// StoredToken: the record of a code or token in the store. A code is a hash. A
// refresh token is a string with one line per field. An access token has the
// same lines in an entry of its grant's stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "oauth/stores.h"
#include "oauth/token.h"
#include "redis/reply.h"
#include "redis/store.h"

namespace svc::stores {

// The fields of all kinds. Views of the reply: valid only as long as it.
struct StoredToken {
  std::string_view kind, grant, generation, client, contact, account, scopes, issued, expires;
  std::string_view mac{};  // for an access token only: its key does not contain the mac
  // Only set for a code.
  std::string_view redirect_uri{}, challenge{}, consent{};
  bool spent = false;
  bool refreshes = true;

  // Reads the reply to read_token(). All fields are empty if the record does
  // not exist.
  static StoredToken in(const redis::ReplyView& reply);
  // Reads one entry of a stream of access tokens: [id, [name, text]].
  static StoredToken in_entry(const redis::ReplyView& entry);

  // Returns true if this is the record of the token with that mac. A record
  // repeats the kind and grant of its key, so a record under a wrong key is
  // rejected.
  bool is_of(const oauth::Token& token, std::string_view mac) const;
  // Throws base::Unavailable if a scope is unknown; `key` is for the message.
  oauth::Issued read(const std::string& key) const;
};

// Returns the key of the record of a token with that mac.
std::string key_of(const oauth::Token& token, std::string_view mac);

// Returns the record of an access or refresh token: one line per field of
// StoredToken, then the mac if it is an access token.
std::string to_lines(oauth::TokenKind kind, const oauth::GrantId& grant,
                     std::string_view generation, const oauth::Issued& issued,
                     std::string_view mac = {});

// entry_id() returns the id of the entry at `place` of a stream of access
// tokens. place_in() returns the place in such an id, 0 for any other text.
std::string entry_id(std::uint64_t place);
std::uint64_t place_in(std::string_view entry_id);

// to_number() returns 0 if the text is not a number. field() returns "" if the
// field is nil or missing. read_access() throws base::Unreadable if a scope is
// unknown. listed_access() logs that, and returns no access: what lists it can still end it.
std::int64_t to_number(std::string_view text);
std::string_view field(const redis::ReplyView& fields, std::size_t index);
oauth::Access read_access(const std::string& key, std::string_view text);
oauth::Access listed_access(const std::string& key, std::string_view text);

// Sends the read of that token's record, for StoredToken::in().
redis::Store::Call read_token(redis::Store& store, const oauth::Token& token,
                              const std::string& key);

}  // namespace svc::stores
