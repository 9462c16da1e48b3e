#include "http/cors.h"

#include <algorithm>
#include <string>
#include <utility>

namespace svc::http::cors {
namespace {

constexpr std::string_view kAllowOrigin = "Access-Control-Allow-Origin";
constexpr std::string_view kMaxAge = "86400";  // s

}  // namespace

void allow_any_origin(Response& response) {
  response.with(kAllowOrigin, "*")
      .with("Cross-Origin-Resource-Policy", "cross-origin")
      .with("Timing-Allow-Origin", "*")
      .with("X-Content-Type-Options", "nosniff");
}

void allow_origin(Response& response, std::string_view origin) {
  response.with(kAllowOrigin, std::string(origin));
}

void expose_headers(Response& response) {
  std::string names(kExposed.front());
  for (const Header& header : response.headers) {
    if (std::ranges::find(kExposed, header.name) != kExposed.end())
      names.append(", ").append(header.name);
  }
  response.with("Access-Control-Expose-Headers", std::move(names));
}

void allow_any_origin_with_token(Response& response) {
  response.with(kAllowOrigin, "*");
  expose_headers(response);
}

Response preflight_with_token(std::string_view methods) {
  Response response;
  response.status = 204;
  response.with("Allow", std::string(methods))
      .with(kAllowOrigin, "*")
      .with("Access-Control-Allow-Methods", "GET, HEAD")
      .with("Access-Control-Allow-Headers", std::string(kRequestHeaders))
      .with("Access-Control-Max-Age", std::string(kMaxAge));
  return response;
}

Response preflight(std::string_view methods) {
  Response response;
  response.status = 204;
  response.with("Allow", std::string(methods))
      .with("Access-Control-Allow-Methods", std::string(methods))
      // `*` leaves out Authorization, which a generic client of the API also sends here.
      .with("Access-Control-Allow-Headers", "*, Authorization")
      .with("Access-Control-Max-Age", std::string(kMaxAge));
  return response;
}

}  // namespace svc::http::cors
