// Revoke: `POST {base_url}/oauth/revoke`. RFC 7009.
#pragma once

#include "endpoints/oauth/oauth_endpoint.h"
#include "oauth/stores.h"

namespace svc::endpoints {

// A token that is unknown or belongs to another client gets the same 200, so a
// client cannot find out whether it exists. The hint is ignored: the token
// itself contains its kind.
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
