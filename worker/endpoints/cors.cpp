#include "endpoints/cors.h"

#include <string>

namespace svc::endpoints::cors {

void allow_any_origin(http::Response& response) {
  response.with("Access-Control-Allow-Origin", "*")
      .with("Cross-Origin-Resource-Policy", "cross-origin")
      .with("Timing-Allow-Origin", "*")
      .with("X-Content-Type-Options", "nosniff");
}

http::Response answer_other_method(const http::Request& request) {
  if (request.method != "OPTIONS") return http::method_not_allowed(kMethods);
  http::Response response;
  response.status = 204;
  response.with("Allow", std::string(kMethods))
      .with("Access-Control-Allow-Methods", std::string(kMethods))
      .with("Access-Control-Allow-Headers", "*")
      .with("Access-Control-Max-Age", "86400");
  return response;
}

}  // namespace svc::endpoints::cors
