// cors: responses that pages of any origin may read (Fetch standard, CORS protocol).
#pragma once

#include <array>
#include <string_view>

#include "http/response.h"

namespace svc::http::cors {

// Headers of our responses that scripts of pages may read, besides those that each response shows;
// also of nginx's errors (scripts/derive-routes). The first is nginx's, of each response.
inline constexpr std::array<std::string_view, 10> kExposed{
    "X-Request-Id",     "ETag",        "Link",   "Location",         "Retry-After",
    "WWW-Authenticate", "Deprecation", "Sunset", "RateLimit-Policy", "RateLimit"};
// Headers of requests with a token.
inline constexpr std::string_view kRequestHeaders =
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match";

// For every response, including refusals: otherwise a page cannot read the
// reason. Cross-origin isolated pages may also load it without CORS, as <script>
// and <video> do.
void allow_any_origin(Response& response);

// Only for pages of that origin.
void allow_origin(Response& response, std::string_view origin);

// For pages of any origin that have a token.
void allow_any_origin_with_token(Response& response);

// Lets pages that may read the response read those of kExposed, too, that it has.
void expose_headers(Response& response);

// The response to OPTIONS. `methods` as in Allow.
Response preflight(std::string_view methods);

// The same for requests with a token, which may only read. `methods`: those of the route.
Response preflight_with_token(std::string_view methods);

}  // namespace svc::http::cors
