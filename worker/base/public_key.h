// PublicKey: a key whose private half somebody else has, and its signatures (RFC 9053 §2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::base {

// By the names of COSE: ECDSA with P-256 and SHA-256, RSASSA-PKCS1-v1_5 with SHA-256, Ed25519.
enum class SignatureKind : std::uint8_t { Es256, Rs256, Ed25519 };

struct PublicKey {
  SignatureKind kind = SignatureKind::Es256;
  // Big-endian: the coordinates of the point (Es256), the modulus and the exponent (Rs256), or the
  // key and nothing (Ed25519).
  std::string first, second;
};

// Returns whether such a key exists: a point is on its curve, a modulus has 2048 to 4096 bits.
bool is_usable(const PublicKey& key);

// Returns whether it is the signature of that message. ECDSA's is in DER. Returns false if the key
// is not usable.
bool verifies(const PublicKey& key, std::string_view message, std::string_view signature);

}  // namespace svc::base
