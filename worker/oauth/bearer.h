// bearer: finds the access token of an API request and checks it. RFC 6750.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "loop/task.h"
#include "oauth/account_tokens.h"
#include "oauth/stores.h"

namespace svc::oauth {

struct BearerError {
  // Missing: no token, so the response contains no error code (RFC 6750 §3.1).
  enum class Code { Missing, InvalidRequest, InvalidToken, InsufficientScope };
  Code code;
  std::string description;
};

// The parameters of a query that have a token.
inline constexpr std::array<std::string_view, 2> kTokenParameters{"access_token", "bearer_token"};

// Returns the token of a request: Authorization: Bearer (the scheme in any
// case), or one of kTokenParameters in the query string. Refuses a request
// with two tokens that differ: generated clients fill every place that they know. An empty
// parameter counts as absent. A header of another scheme is ignored.
base::Result<std::string, BearerError> bearer_token(std::string_view query,
                                                    std::string_view authorization);

// Returns the client, contact, account and scopes of the access token or account token. Refuses a
// token that has ended, whose contact may no longer authorize for its account, that is not for the
// data API, or that has none of these scopes. Throws base::Unavailable.
loop::Task<base::Result<Issued, BearerError>> check_bearer(
    Grants& grants, AccountTokens& account_tokens, Standings& standings, const OwnResources& own,
    std::string_view token, const ScopeSet& any_of);

}  // namespace svc::oauth
