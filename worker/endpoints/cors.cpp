#include "endpoints/cors.h"

namespace svc::endpoints::cors {

void allow_everybody(http::Response& response) {
  response.with("Access-Control-Allow-Origin", "*")
      .with("Timing-Allow-Origin", "*")
      .with("X-Content-Type-Options", "nosniff");
}

http::Response preflight() {
  http::Response response;
  response.status = 204;
  response.with("Allow", std::string(kMethods))
      .with("Access-Control-Allow-Methods", std::string(kMethods))
      .with("Access-Control-Allow-Headers", "*")
      .with("Access-Control-Max-Age", "86400");
  return response;
}

}  // namespace svc::endpoints::cors
