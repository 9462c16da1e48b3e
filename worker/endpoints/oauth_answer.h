// oauth_answer: what the OAuth endpoints' answers have in common. RFC 6749 §5.
#pragma once

#include "http/endpoint.h"
#include "oauth/client_authentication.h"
#include "oauth/grant_error.h"
#include "oauth/token_request.h"

namespace svc::endpoints {

// `{"error":…,"error_description":…}` with its status, WWW-Authenticate and Retry-After.
http::Response oauth_refusal(const oauth::GrantError& error);

// OauthEndpoint: a POST by an authenticated client: reads the request and the client, and leaves
// the rest to answer_client().
class OauthEndpoint : public http::Endpoint {
 public:
  explicit OauthEndpoint(oauth::ClientAuthentication& authentication)
      : authentication_(authentication) {}

  void prepare(const http::Request& request) final;
  http::Response answer(const http::Request& request) final;
  // no-store, also for what the worker answers in our place.
  void add_common_headers(http::Response& response) const final;
  http::Response unavailable(const http::Request& request) const final;

 protected:
  // Before the client is known; what stands in the way of the whole request.
  virtual std::optional<oauth::GrantError> refuse_early(const oauth::TokenRequest&) { return {}; }
  virtual void expect(const oauth::TokenRequest& parameters) = 0;
  virtual http::Response answer_client(const oauth::Client& client,
                                       const oauth::TokenRequest& parameters,
                                       const http::Request& request) = 0;

 private:
  oauth::ClientAuthentication& authentication_;
};

}  // namespace svc::endpoints
