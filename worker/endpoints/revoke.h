// Revoke: `POST {base_url}/oauth/revoke`. RFC 7009.
#pragma once

#include "endpoints/oauth_endpoint.h"
#include "oauth/stores.h"

namespace svc::endpoints {

// A token that is unknown, or another client's, is left alone and answered with the same 200:
// nobody learns whether it exists. The hint is not needed: a token tells its kind itself.
class Revoke : public OauthEndpoint {
 public:
  Revoke(oauth::ClientAuthentication& authentication, oauth::Grants& grants, oauth::Audit& audit)
      : OauthEndpoint(authentication), grants_(grants), audit_(audit) {}

 protected:
  loop::Task<http::Response> answer_client(Authentication authentication,
                                           const oauth::TokenRequest& parameters,
                                           const http::Request& request) override;

 private:
  oauth::Grants& grants_;
  oauth::Audit& audit_;
};

}  // namespace svc::endpoints
