// Authenticator: a security key in memory, with the browser before it. It writes what toJSON() of a
// PublicKeyCredential writes, and whatever else a test wants.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/public_key.h"

namespace svc::fakes {

// CBOR, RFC 8949 §3.
std::string cbor_head(unsigned type, std::uint64_t value);
std::string cbor_integer(std::int64_t value);
std::string cbor_bytes(std::string_view bytes);
std::string cbor_text(std::string_view text);

class Authenticator {
 public:
  explicit Authenticator(base::SignatureKind kind = base::SignatureKind::Es256,
                         std::string id = "credential-of-tests");
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  // The data that browser and authenticator see. A test changes its subject.
  struct Ceremony {
    std::string challenge;  // base64url, as in the options
    std::string origin = "https://app.svc.example:8443";
    std::string rp_id = "app.svc.example";
    unsigned flags = 0x05;  // user present, user verified
    std::uint32_t count = 0;
    std::string type{};         // of the client data; empty: that of the ceremony
    std::string more{};         // members of the client data, with a comma before each
    std::string user_handle{};  // base64url
    std::string id{};           // base64url; empty: its own
    std::string key{};          // a COSE_Key; empty: its own
    std::string tail{};         // after the authenticator data
  };
  std::string registration(const Ceremony& ceremony) const;
  std::string assertion(const Ceremony& ceremony) const;
  // The same, with these bytes in place of the attestation object.
  std::string registration_of(const Ceremony& ceremony, std::string_view object) const;

  std::string attestation_object(const Ceremony& ceremony) const;
  std::string authenticator_data(const Ceremony& ceremony, bool with_credential) const;
  std::string cose_key() const;
  std::string id() const;  // base64url

 private:
  struct Key;
  std::string sign(std::string_view message) const;

  base::SignatureKind kind_;
  std::string id_;
  std::unique_ptr<Key> key_;
};

}  // namespace svc::fakes
