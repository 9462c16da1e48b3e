// web_authn: checks what an authenticator sends through a browser (Web Authentication Level 3, §7).
//
// The JSON is that of PublicKeyCredential.toJSON(). Attestation is not checked: a passkey may be of
// any make. All functions are pure; the caller checks the challenge, and the signature counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/public_key.h"
#include "base/result.h"

namespace svc::login {

// This service as authenticators know it.
struct RelyingParty {
  std::string id;      // the host of app-url
  std::string origin;  // app-url, as browsers write it: lower case, without the default port
};
// Returns nullopt if the host of app-url is an address: passkeys are for names only.
std::optional<RelyingParty> relying_party(std::string_view app_url);

// The algorithms that we ask for, the preferred first (RFC 9053): EdDSA, ES256, RS256.
inline constexpr std::int64_t kPasskeyAlgorithms[] = {-8, -7, -257};

inline constexpr std::size_t kMaxCredentialJson = 16'384;  // bytes
inline constexpr std::size_t kMaxCredentialId = 1'023;     // bytes, §5.8.3

// Authenticator data, §6.1. Views are of what was read.
struct AuthenticatorData {
  std::string_view rp_id_hash;
  bool user_present = false;
  bool user_verified = false;
  bool backup_eligible = false;
  bool backed_up = false;
  std::uint32_t count = 0;
  // Attested credential data, §6.5.1; empty: none.
  std::string_view credential_id;
  std::string_view public_key;  // a COSE_Key
};
// Returns nullopt if the bytes are truncated, or more follow.
std::optional<AuthenticatorData> read_authenticator_data(std::string_view bytes);

// Returns the key of a COSE_Key (RFC 9052 §7) whose algorithm is one of kPasskeyAlgorithms. Returns
// nullopt for other algorithms, and for keys that do not exist.
std::optional<base::PublicKey> read_public_key(std::string_view cose);

// Why a credential is refused: words for the audit trail.
using CredentialRefusal = std::string_view;

struct NewCredential {
  std::string challenge;   // as it was sent, in bytes
  std::string id;          // base64url
  std::string public_key;  // a COSE_Key
  std::uint32_t count = 0;
  std::vector<std::string> transports;  // as the browser named them
};
// The checks of §7.1 but for the challenge.
base::Result<NewCredential, CredentialRefusal> read_registration(std::string_view json,
                                                                 const RelyingParty& party);

// The id in an assertion, base64url; "" if the JSON has none.
std::string credential_id_in(std::string_view json);

struct Assertion {
  std::string challenge;  // as it was sent, in bytes
  std::uint32_t count = 0;
  bool is_synced = false;  // it may be on several devices: backup eligible, §6.1.3
};
// The checks of §7.2 but for the challenge and the counter. `user_handle`: the user's, in bytes.
base::Result<Assertion, CredentialRefusal> read_assertion(std::string_view json,
                                                          const RelyingParty& party,
                                                          std::string_view public_key,
                                                          std::string_view user_handle);

}  // namespace svc::login
