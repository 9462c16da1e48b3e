// OauthEndpoint: what the token, revocation and introspection endpoints have in common. RFC 6749
// §5.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "oauth/client.h"
#include "oauth/client_authentication.h"
#include "oauth/grant_error.h"
#include "oauth/token_request.h"

namespace svc::endpoints {

// `{"error":…,"error_description":…}` with its status, WWW-Authenticate and Retry-After.
http::Response oauth_refusal(const oauth::GrantError& error);

// A POST by an authenticated client. Reads the request; the rest is one function of each endpoint.
class OauthEndpoint : public http::Endpoint {
 public:
  explicit OauthEndpoint(oauth::ClientAuthentication& authentication)
      : authentication_(authentication) {}

  loop::Task<http::Response> answer(const http::Request& request) final;
  // no-store, also for what the worker answers in our place.
  void add_common_headers(http::Response& response) const final;
  http::Response unavailable(const http::Request& request) const final;

 protected:
  using Authentication = loop::Task<base::Result<oauth::Client, oauth::GrantError>>;

  // `authentication` has not started: awaited by loop::all, together with what else is asked of the
  // store, it costs no trip of its own. Its refusal comes before every other that follows from the
  // store. Parameters and request outlive the task.
  virtual loop::Task<http::Response> answer_client(Authentication authentication,
                                                   const oauth::TokenRequest& parameters,
                                                   const http::Request& request) = 0;

 private:
  Authentication authenticate(const oauth::TokenRequest& parameters, std::string_view address,
                              std::string& id);

  oauth::ClientAuthentication& authentication_;
};

}  // namespace svc::endpoints
