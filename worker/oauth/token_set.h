// TokenSet: the content of a successful token response. RFC 6749 §5.1.
#pragma once

#include <cstdint>
#include <string>

#include "oauth/client.h"
#include "oauth/scope_set.h"

namespace svc::oauth {

struct TokenSet {
  std::string access_token;
  std::string refresh_token;  // empty: none
  std::int64_t expires_in;    // seconds
  ScopeSet scopes;
  ScopeFormat scope_format;
};

}  // namespace svc::oauth
