// Client: an application registered for OAuth, as stored.
//
// Its secrets are never stored in clear text. They are sealed, so that they can
// be shown to their owner again. Their HMAC is stored too, so that checking a
// secret needs no decryption.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "media/id.h"
#include "oauth/application_settings.h"
#include "text/json_record.h"

namespace svc::oauth {

using ClientId = base::Id<struct ClientIdKind, std::string>;

// 1 to 64 letters, digits, '-', '_' and '.'.
bool is_client_id(std::string_view text);

struct ClientSecret {
  std::string sealed;     // base::KeyRing::seal
  std::string mac;        // base::KeyRing::mac of the client id and the secret
  std::string created{};  // RFC 3339; empty: an old record without it
  bool operator==(const ClientSecret&) const = default;
};

// What operators decide about an application, by svcctl.
struct OperatorSettings {
  ScopeSet client_credentials{};         // what it may do for itself; empty: nothing. oauth-C1
  bool resource_server = false;          // oauth-R3
  std::vector<std::string> resources{};  // its own, up to kMostResources
  bool operator==(const OperatorSettings&) const = default;
};

inline constexpr std::size_t kMaxClientRecord = 40 * 1024;  // bytes

// Its settings are what users decide; the members after the secrets are those of OperatorSettings;
// the rest is the service's.
struct Client : ApplicationSettings {
  ClientId id;
  media::AccountId account;
  std::string created;                  // RFC 3339
  std::int64_t permission_version = 1;  // increases whenever the scopes change
  std::vector<ClientSecret> secrets;    // at most two, the newest first; none of a public one
  ScopeSet client_credentials;
  bool resource_server = false;
  std::vector<std::string> resources;

  bool is_public() const { return type == ClientType::Public; }
  OperatorSettings operated() const { return {client_credentials, resource_server, resources}; }
};

// The client's token_endpoint_auth_method, RFC 7591 §2.
constexpr std::string_view authentication_method(ClientType type) {
  return type == ClientType::Public ? "none" : "client_secret_basic";
}

// Reads a stored record. Does not check all rules for new settings: a stored
// record stays readable if a release makes one stricter. applications.h has
// client_to_register().
base::Result<Client, std::string> client_from_record(text::JsonRecord& record);
// `before`: the stored record that it replaces. Throws base::Unwritable (text/record_gate.h).
std::string to_record(const Client& client, const Client* before = nullptr);
extern const std::vector<std::string_view> kClientKeys;  // the import format's keys

ClientSecret keep_secret(const base::KeyRing& keys, const ClientId& id, std::string_view secret,
                         base::Entropy& entropy, std::string created = {});
// Returns the secret in clear text, or nullopt if its key is not in the ring or
// it belongs to another client.
std::optional<std::string> open_secret(const base::KeyRing& keys, const ClientId& id,
                                       const ClientSecret& secret);
// Returns the same secret, stored with the ring's first key; unchanged if it
// was already. Returns nullopt if it cannot be opened.
std::optional<ClientSecret> renew_secret(const base::KeyRing& keys, const ClientId& id,
                                         const ClientSecret& secret, base::Entropy& entropy);
// Returns true if `secret` is one of the client's. Opens sealed secrets only if
// no MAC matches.
bool is_secret_of(const base::KeyRing& keys, const Client& client, std::string_view secret);

}  // namespace svc::oauth
