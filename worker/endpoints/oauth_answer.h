// oauth_answer: what the OAuth endpoints' answers have in common. RFC 6749 §5.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "http/endpoint.h"
#include "oauth/client_authentication.h"
#include "oauth/grant_error.h"
#include "oauth/token_request.h"

namespace svc::endpoints {

// `{"error":…,"error_description":…}` with its status, WWW-Authenticate and Retry-After.
http::Response oauth_refusal(const oauth::GrantError& error);

// OauthEndpoint: a POST by an authenticated client: reads the request and the client, and leaves
// the rest to begin_client(). Requests that are ready together share their trips to the store.
class OauthEndpoint : public http::Endpoint {
 public:
  explicit OauthEndpoint(oauth::ClientAuthentication& authentication)
      : authentication_(authentication) {}

  void prepare(const http::Request& request) final;
  void send_ahead(const http::Request& request) final;
  http::Response answer(const http::Request& request) final;
  // no-store, also for what the worker answers in our place.
  void add_common_headers(http::Response& response) const final;
  http::Response unavailable(const http::Request& request) const final;

 protected:
  using Rest = std::function<http::Response()>;

  // Before the client is known; what stands in the way of the whole request.
  virtual std::optional<oauth::GrantError> refuse_early(const oauth::TokenRequest&) { return {}; }
  virtual void expect(const oauth::TokenRequest& parameters) = 0;
  // Decides and sends without waiting; the rest waits. What is given lives until then.
  virtual Rest begin_client(const oauth::Client& client, const oauth::TokenRequest& parameters,
                            const http::Request& request) = 0;

 private:
  // A request between prepare() and answer().
  struct Turn {
    const http::Request* request;
    oauth::TokenRequest parameters;
    std::optional<oauth::Client> client;
    Rest rest;
  };

  base::Result<std::unique_ptr<Turn>, http::Response> read(const http::Request& request);
  void expect_all(const Turn& turn);
  void proceed(Turn& turn);

  oauth::ClientAuthentication& authentication_;
  std::vector<std::unique_ptr<Turn>> turns_;
};

}  // namespace svc::endpoints
