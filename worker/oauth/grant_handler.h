// GrantHandler: one grant type of the token endpoint. The client is authenticated before.
//
// A request goes in three steps, so that those that are ready together share two trips to the
// store: expect() says what will be read, begin() decides and sends the one step that changes
// something, and what begin() gives back waits for it.
#pragma once

#include <functional>
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
  using Outcome = base::Result<TokenSet, GrantError>;
  using Rest = std::function<Outcome()>;

  virtual void expect(const TokenRequest& request) = 0;
  // `request_id` names the request, and stays the same when nginx sends it again. All of them, and
  // the handler, outlive the rest.
  virtual Rest begin(const Client& client, const TokenRequest& request,
                     std::string_view request_id) = 0;

  Outcome run(const Client& client, const TokenRequest& request, std::string_view request_id) {
    return begin(client, request, request_id)();
  }
};

// RFC 6749 §4.1.3: trades an authorization code for tokens.
class AuthorizationCodeHandler : public GrantHandler {
 public:
  AuthorizationCodeHandler(Grants& grants, Standings& standings, Audit& audit,
                           const Lifetimes& lifetimes, base::Entropy& entropy)
      : grants_(grants),
        standings_(standings),
        audit_(audit),
        lifetimes_(lifetimes),
        entropy_(entropy) {}

  void expect(const TokenRequest& request) override;
  Rest begin(const Client& client, const TokenRequest& request,
             std::string_view request_id) override;

 private:
  Grants& grants_;
  Standings& standings_;
  Audit& audit_;
  const Lifetimes lifetimes_;
  base::Entropy& entropy_;
};

// RFC 6749 §6: a new access token, the same refresh token.
class RefreshTokenHandler : public GrantHandler {
 public:
  RefreshTokenHandler(Grants& grants, Standings& standings, const Lifetimes& lifetimes,
                      base::Entropy& entropy)
      : grants_(grants), standings_(standings), lifetimes_(lifetimes), entropy_(entropy) {}

  void expect(const TokenRequest& request) override;
  Rest begin(const Client& client, const TokenRequest& request,
             std::string_view request_id) override;

 private:
  Grants& grants_;
  Standings& standings_;
  const Lifetimes lifetimes_;
  base::Entropy& entropy_;
};

}  // namespace svc::oauth
