#include "oauth/grant_error.h"

namespace svc::oauth {

std::string_view name_of(GrantError::Code code) {
  switch (code) {
    case GrantError::Code::InvalidRequest: return "invalid_request";
    case GrantError::Code::InvalidClient: return "invalid_client";
    case GrantError::Code::TooManyFailures: return "temporarily_unavailable";
    case GrantError::Code::InvalidGrant: return "invalid_grant";
    case GrantError::Code::InvalidScope: return "invalid_scope";
    case GrantError::Code::InvalidTarget: return "invalid_target";
    case GrantError::Code::UnauthorizedClient: return "unauthorized_client";
    case GrantError::Code::UnsupportedGrantType: return "unsupported_grant_type";
  }
  return "invalid_request";
}

}  // namespace svc::oauth
