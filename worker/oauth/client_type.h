// ClientType: whether an application can keep a secret. RFC 6749 §2.1. It never changes.
#pragma once

#include <cstdint>
#include <string>

namespace svc::oauth {

// Public: a program in a browser or on a user's device. It has no secret, proves each exchange by
// PKCE, and its refresh tokens rotate. oauth-P1
enum class ClientType : std::uint8_t { Confidential, Public };

inline std::string name_of(ClientType type) {
  return type == ClientType::Public ? "public" : "confidential";
}

}  // namespace svc::oauth
