// OwnOrigins: lets pages of a public application read the responses of another endpoint to that
// application. Fetch standard, CORS protocol; oauth-P7.
//
// A preflight names no client: it is approved for an origin of any public application. A response
// is shared only with an origin of the client that the request names.
#pragma once

#include <string>
#include <string_view>

#include "http/endpoint.h"
#include "oauth/stores.h"

namespace svc::endpoints {

class OwnOrigins : public http::Endpoint {
 public:
  OwnOrigins(http::Endpoint& answering, oauth::Clients& clients,
             oauth::PublicApplications& applications)
      : answering_(answering), clients_(clients), applications_(applications) {}

  loop::Task<http::Response> answer(const http::Request& request) override;
  void add_common_headers(http::Response& response) const override;
  // Lets each page read it: without the store, the client's origins are unknown, and these
  // responses contain nothing of a client.
  void share_refusal(const http::Request& request, http::Response& response) const override;

 private:
  // To a page of another origin.
  loop::Task<http::Response> answer_page(const http::Request& request);
  loop::Task<http::Response> preflight(std::string_view origin);
  // Returns true if that is an origin of the public application with this id.
  loop::Task<bool> is_of_client(std::string_view origin, std::string id);

  http::Endpoint& answering_;
  oauth::Clients& clients_;
  oauth::PublicApplications& applications_;
};

}  // namespace svc::endpoints
