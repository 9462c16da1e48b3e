// Introspect: the state of a token. RFC 7662.
#pragma once

#include <string>
#include <string_view>

#include "endpoints/oauth/oauth_endpoint.h"
#include "oauth/stores.h"

namespace svc::endpoints {

class Introspect : public OauthEndpoint {
 public:
  Introspect(oauth::ClientAuthentication& authentication, oauth::Grants& grants,
             oauth::Standings& standings, const oauth::OwnResources& own, std::string_view issuer)
      : OauthEndpoint(authentication),
        grants_(grants),
        standings_(standings),
        own_(own),
        issuer_(issuer) {}

 protected:
  loop::Task<http::Response> answer_client(Authentication authentication,
                                           const oauth::TokenRequest& parameters,
                                           const http::Request& request) override;

 private:
  oauth::Grants& grants_;
  oauth::Standings& standings_;
  const oauth::OwnResources& own_;
  const std::string issuer_;
};

}  // namespace svc::endpoints
