// Token: `POST {base_url}/oauth/token`. RFC 6749 §3.2.
#pragma once

#include <string_view>

#include "endpoints/oauth/oauth_endpoint.h"
#include "oauth/grant_handler.h"

namespace svc::endpoints {

class Token : public OauthEndpoint {
 public:
  Token(oauth::ClientAuthentication& authentication, oauth::GrantHandler& authorization_code,
        oauth::GrantHandler& refresh_token, oauth::GrantHandler& client_credentials)
      : OauthEndpoint(authentication),
        authorization_code_(authorization_code),
        refresh_token_(refresh_token),
        client_credentials_(client_credentials) {}

 protected:
  loop::Task<http::Response> answer_client(Authentication authentication,
                                           const oauth::TokenRequest& parameters,
                                           const http::Request& request) override;

 private:
  // Returns nullptr for an unsupported grant type.
  oauth::GrantHandler* handler_of(std::string_view grant_type);

  oauth::GrantHandler& authorization_code_;
  oauth::GrantHandler& refresh_token_;
  oauth::GrantHandler& client_credentials_;
};

}  // namespace svc::endpoints
