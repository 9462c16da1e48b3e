// bearer: which token an API request carries, and whether it may do what it asks. RFC 6750.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "loop/task.h"
#include "oauth/stores.h"

namespace svc::oauth {

struct BearerError {
  // Missing: no token, so no error code is told (RFC 6750 §3.1).
  enum class Code { Missing, InvalidRequest, InvalidToken, InsufficientScope };
  Code code;
  std::string description;
};

// The one token of a request: Authorization: Bearer (the scheme in any case), or access_token or
// bearer_token in the query string. Two of them, or one twice, are an invalid request; an empty
// parameter is an absent one, and a header of another scheme carries no token.
base::Result<std::string, BearerError> bearer_token(std::string_view query,
                                                    std::string_view authorization);

// What the token stands for, if it is alive, its contact may still authorize for its account, and
// it has one of these scopes.
loop::Task<base::Result<Issued, BearerError>> check_bearer(Grants& grants, Standings& standings,
                                                           std::string_view token,
                                                           const ScopeSet& any_of);

}  // namespace svc::oauth
