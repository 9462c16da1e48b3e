#include "http/cors.h"

#include <string>

namespace svc::http::cors {

void allow_any_origin(Response& response) {
  response.with("Access-Control-Allow-Origin", "*")
      .with("Cross-Origin-Resource-Policy", "cross-origin")
      .with("Timing-Allow-Origin", "*")
      .with("X-Content-Type-Options", "nosniff");
}

Response preflight(std::string_view methods) {
  Response response;
  response.status = 204;
  response.with("Allow", std::string(methods))
      .with("Access-Control-Allow-Methods", std::string(methods))
      .with("Access-Control-Allow-Headers", "*")
      .with("Access-Control-Max-Age", "86400");
  return response;
}

}  // namespace svc::http::cors
