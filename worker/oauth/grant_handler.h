// GrantHandler: one grant type of the token endpoint. The client is authenticated before.
#pragma once

#include <string_view>

#include "base/result.h"
#include "oauth/grant_error.h"
#include "oauth/stores.h"
#include "oauth/token_request.h"
#include "oauth/token_set.h"

namespace svc::oauth {

class GrantHandler {
 public:
  virtual ~GrantHandler() = default;
  // Says early what run() will ask for.
  virtual void expect(const TokenRequest& request) = 0;
  // `request_id` names the request, and stays the same when nginx sends it again.
  virtual base::Result<TokenSet, GrantError> run(const Client& client, const TokenRequest& request,
                                                 std::string_view request_id) = 0;
};

// RFC 6749 §4.1.3: trades an authorization code for tokens.
class AuthorizationCodeHandler : public GrantHandler {
 public:
  AuthorizationCodeHandler(Grants& grants, Audit& audit, const Lifetimes& lifetimes,
                           base::Entropy& entropy)
      : grants_(grants), audit_(audit), lifetimes_(lifetimes), entropy_(entropy) {}

  void expect(const TokenRequest& request) override;
  base::Result<TokenSet, GrantError> run(const Client& client, const TokenRequest& request,
                                         std::string_view request_id) override;

 private:
  Grants& grants_;
  Audit& audit_;
  const Lifetimes lifetimes_;
  base::Entropy& entropy_;
};

// RFC 6749 §6: a new access token, the same refresh token.
class RefreshTokenHandler : public GrantHandler {
 public:
  RefreshTokenHandler(Grants& grants, const Lifetimes& lifetimes, base::Entropy& entropy)
      : grants_(grants), lifetimes_(lifetimes), entropy_(entropy) {}

  void expect(const TokenRequest& request) override;
  base::Result<TokenSet, GrantError> run(const Client& client, const TokenRequest& request,
                                         std::string_view request_id) override;

 private:
  Grants& grants_;
  const Lifetimes lifetimes_;
  base::Entropy& entropy_;
};

}  // namespace svc::oauth
