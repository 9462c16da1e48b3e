// GrantHandler: one grant type of the token endpoint.
#pragma once

#include <string_view>

#include "base/result.h"
#include "loop/task.h"
#include "oauth/grant_error.h"
#include "oauth/stores.h"
#include "oauth/token_request.h"
#include "oauth/token_set.h"

namespace svc::oauth {

class GrantHandler {
 public:
  virtual ~GrantHandler() = default;
  using Outcome = base::Result<TokenSet, GrantError>;

  // Awaits `authentication` of the client together with the reads for the
  // request, in one round trip; its refusal takes precedence. `request_id`
  // stays the same if nginx sends the request again. The request and the
  // handler outlive the task. Throws base::Unavailable.
  virtual loop::Task<Outcome> run(loop::Task<base::Result<Client, GrantError>> authentication,
                                  const TokenRequest& request, std::string_view request_id) = 0;
};

// RFC 6749 §4.1.3: exchanges an authorization code for tokens.
class AuthorizationCodeHandler : public GrantHandler {
 public:
  AuthorizationCodeHandler(Grants& grants, Standings& standings, Audit& audit, const Limits& limits,
                           base::Entropy& entropy)
      : grants_(grants), standings_(standings), audit_(audit), limits_(limits), entropy_(entropy) {}

  loop::Task<Outcome> run(loop::Task<base::Result<Client, GrantError>> authentication,
                          const TokenRequest& request, std::string_view request_id) override;

 private:
  Grants& grants_;
  Standings& standings_;
  Audit& audit_;
  const Limits limits_;
  base::Entropy& entropy_;
};

// RFC 6749 §6: a new access token, the same refresh token.
class RefreshTokenHandler : public GrantHandler {
 public:
  RefreshTokenHandler(Grants& grants, Standings& standings, const Limits& limits,
                      base::Entropy& entropy)
      : grants_(grants), standings_(standings), limits_(limits), entropy_(entropy) {}

  loop::Task<Outcome> run(loop::Task<base::Result<Client, GrantError>> authentication,
                          const TokenRequest& request, std::string_view request_id) override;

 private:
  Grants& grants_;
  Standings& standings_;
  const Limits limits_;
  base::Entropy& entropy_;
};

}  // namespace svc::oauth
