// OauthEndpoint: the common part of the token, revocation and introspection
// endpoints. RFC 6749 §5.
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

// Returns `{"error":…,"error_description":…}` with its status, WWW-Authenticate
// and Retry-After.
http::Response oauth_refusal(const oauth::GrantError& error);

// Handles a POST by an authenticated client: parses the request;
// answer_client() does the rest.
class OauthEndpoint : public http::Endpoint {
 public:
  explicit OauthEndpoint(oauth::ClientAuthentication& authentication)
      : authentication_(authentication) {}

  loop::Task<http::Response> answer(const http::Request& request) final;
  // no-store, including responses that the worker makes instead.
  void add_common_headers(http::Response& response) const final;

 protected:
  using Authentication = loop::Task<base::Result<oauth::Client, oauth::GrantError>>;

  // `authentication` has not started. Await it with loop::all together with
  // other reads of the store, so that it needs no round trip of its own. Its
  // refusal takes precedence over refusals that follow from the store.
  // Parameters and request outlive the task.
  virtual loop::Task<http::Response> answer_client(Authentication authentication,
                                                   const oauth::TokenRequest& parameters,
                                                   const http::Request& request) = 0;

 private:
  Authentication authenticate(const oauth::TokenRequest& parameters, std::string_view address,
                              std::string& id);

  oauth::ClientAuthentication& authentication_;
};

}  // namespace svc::endpoints
