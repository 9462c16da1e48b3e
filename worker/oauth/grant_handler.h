// GrantHandler: one grant type of the token endpoint.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "loop/task.h"
#include "oauth/grant_error.h"
#include "oauth/stores.h"
#include "oauth/token_request.h"
#include "oauth/token_set.h"

namespace svc::oauth {

// What the handlers depend on. All of it outlives them.
struct GrantParts {
  Grants& grants;
  Standings& standings;
  ResourceServers& servers;
  Audit& audit;
  const Limits& limits;
  const base::KeyRing& keys;
  base::Entropy& entropy;
  const base::WallClock& clock;
  const OwnResources& own;
};

class GrantHandler {
 public:
  using Outcome = base::Result<TokenSet, GrantError>;

  explicit GrantHandler(const GrantParts& parts) : parts_(parts) {}
  virtual ~GrantHandler() = default;

  // Awaits `authentication` of the client together with the reads for the
  // request, in one round trip; its refusal takes precedence. `request_id`
  // stays the same if nginx sends the request again. The request and the
  // handler outlive the task. Throws base::Unavailable.
  virtual loop::Task<Outcome> run(loop::Task<base::Result<Client, GrantError>> authentication,
                                  const TokenRequest& request, std::string_view request_id) = 0;

 protected:
  const GrantParts parts_;
};

// RFC 6749 §4.1.3: exchanges an authorization code for tokens.
class AuthorizationCodeHandler : public GrantHandler {
 public:
  using GrantHandler::GrantHandler;

  loop::Task<Outcome> run(loop::Task<base::Result<Client, GrantError>> authentication,
                          const TokenRequest& request, std::string_view request_id) override;
};

// RFC 6749 §6: a new access token. A confidential client keeps its refresh token, that of a public
// one is replaced (oauth-P5).
class RefreshTokenHandler : public GrantHandler {
 public:
  using GrantHandler::GrantHandler;

  loop::Task<Outcome> run(loop::Task<base::Result<Client, GrantError>> authentication,
                          const TokenRequest& request, std::string_view request_id) override;

 private:
  // Presents a token of a family. With no scopes, which no request has, a used token is not
  // repeated.
  loop::Task<Outcome> rotate(const Token& refresh, const Issued& issued, const Access& asked,
                             ScopeFormat format);
};

// RFC 6749 §4.4: an access token of a confidential client that acts for its own account. oauth-C1
class ClientCredentialsHandler : public GrantHandler {
 public:
  using GrantHandler::GrantHandler;

  loop::Task<Outcome> run(loop::Task<base::Result<Client, GrantError>> authentication,
                          const TokenRequest& request, std::string_view request_id) override;
};

}  // namespace svc::oauth
