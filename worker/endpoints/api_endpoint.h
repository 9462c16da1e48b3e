// ApiEndpoint: base class of the endpoints below /v1, which need an access
// token. RFC 6750.
//
// A subclass reads the token with oauth::bearer_token(), then calls check()
// beside its own reads, in one round trip.
#pragma once

#include <initializer_list>
#include <string_view>

#include "http/endpoint.h"
#include "oauth/bearer.h"

namespace svc::endpoints {

class ApiEndpoint : public http::Endpoint {
 public:
  // no-store: a response is for one token only.
  void add_common_headers(http::Response& response) const override;
  http::Response unavailable(const http::Request& request) const override;

 protected:
  // `any_of`: names of scopes. A token needs at least one of them.
  ApiEndpoint(oauth::Grants& grants, oauth::Standings& standings,
              std::initializer_list<std::string_view> any_of);

  // As oauth::check_bearer().
  loop::Task<base::Result<oauth::Issued, oauth::BearerError>> check(std::string_view token);
  // The response to a token that was refused. RFC 6750 §3
  http::Response refusal(const oauth::BearerError& error) const;

 private:
  oauth::Grants& grants_;
  oauth::Standings& standings_;
  oauth::ScopeSet any_of_;
};

}  // namespace svc::endpoints
