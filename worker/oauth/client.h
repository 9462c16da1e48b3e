// Client: an application registered for OAuth, as the store keeps it.
//
// Its secret is never kept in clear: sealed, so that its owner can be shown it again, and as an
// HMAC, so that checking one needs no decryption.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/key_ring.h"
#include "base/result.h"
#include "media/id.h"
#include "oauth/scope_set.h"
#include "text/json_record.h"

namespace svc::oauth {

struct ClientId {
  std::string text;
  bool operator==(const ClientId&) const = default;
};

// 1 to 64 letters, digits, '-', '_' and '.'.
bool is_client_id(std::string_view text);

struct ClientSecret {
  std::string sealed;     // base::KeyRing::seal
  std::string mac;        // base::KeyRing::mac of the client id and the secret
  std::string created{};  // RFC 3339; empty: from before that was kept
  bool operator==(const ClientSecret&) const = default;
};

enum class ScopeFormat { Array, String };

struct Client {
  ClientId id;
  media::AccountId account;
  std::string name;
  std::string description;
  std::string redirect_uri;
  ScopeSet scopes;
  ScopeFormat scope_format = ScopeFormat::Array;
  bool require_pkce = false;
  bool exact_redirect = false;
  bool refuse_query_credentials = false;
  std::string created;                  // RFC 3339
  std::int64_t permission_version = 1;  // one more whenever the scopes change
  std::vector<ClientSecret> secrets;    // at most two, the newest first
};

// Reads a stored record. Parameter names in its redirect URI are not checked: a stored record stays
// readable when a release tightens the rule on them.
base::Result<Client, std::string> client_from_record(text::JsonRecord& record);
// Reads a record that is to be stored for the first time, or again: checks everything.
base::Result<Client, std::string> client_to_register(text::JsonRecord& record);
std::string to_record(const Client& client);
extern const std::vector<std::string_view> kClientKeys;  // of the import format

ClientSecret keep_secret(const base::KeyRing& keys, const ClientId& id, std::string_view secret,
                         base::Entropy& entropy, std::string created = {});
// What was kept; nothing when its key is not in the ring, or it is not that client's.
std::optional<std::string> open_secret(const base::KeyRing& keys, const ClientId& id,
                                       const ClientSecret& secret);
// The same secret kept with the ring's first key, and the very same where it is already. Nothing
// when it cannot be opened.
std::optional<ClientSecret> renew_secret(const base::KeyRing& keys, const ClientId& id,
                                         const ClientSecret& secret, base::Entropy& entropy);
// Returns true if `secret` is one of the client's. Opens what is sealed only where no MAC matches.
bool is_secret_of(const base::KeyRing& keys, const Client& client, std::string_view secret);

}  // namespace svc::oauth
