// Metadata: `GET {base_url}/.well-known/oauth-authorization-server`. RFC 8414.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "embed/site.h"
#include "endpoints/fixed.h"
#include "http/endpoint.h"
#include "oauth/stores.h"

namespace svc::endpoints {

// Whether there can be clients without a secret. oauth-D1
enum class PublicClients : bool { None, Exist };
// Whether a document can describe a client instead of a registration. oauth-M1
enum class Documents : bool { Refused, Taken };

// RFC 8414 §2, for the authorization server `issuer`.
std::string authorization_server_json(const embed::Site& site, std::string_view issuer,
                                      std::span<const std::string> languages, PublicClients clients,
                                      Documents documents);

class Metadata : public http::Endpoint {
 public:
  Metadata(const embed::Site& site, std::string_view issuer, std::span<const std::string> languages,
           oauth::PublicApplications& applications, Documents documents);

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  oauth::PublicApplications& applications_;
  Fixed without_public_;
  Fixed with_public_;
};

}  // namespace svc::endpoints
