// GrantError: why a token, revocation or introspection request is refused. RFC
// 6749 §5.2.
#pragma once

#include <string>
#include <string_view>

namespace svc::oauth {

struct GrantError {
  enum class Code {
    InvalidRequest,
    InvalidClient,
    InvalidGrant,
    InvalidScope,
    InvalidTarget,  // RFC 8707 §2
    UnauthorizedClient,
    UnsupportedGrantType,
    TooManyFailures,  // 429, named temporarily_unavailable: its credentials may be right
  };

  Code code;
  std::string description;  // only characters %x20-21 / %x23-5B / %x5D-7E
};

std::string_view name_of(GrantError::Code code);  // invalid_request …

}  // namespace svc::oauth
