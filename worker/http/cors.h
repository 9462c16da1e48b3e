// cors: responses that pages of any origin may read (Fetch standard, CORS protocol).
#pragma once

#include <string_view>

#include "http/response.h"

namespace svc::http::cors {

// For every response, including refusals: otherwise a page cannot read the
// reason. Cross-origin isolated pages may also load it without CORS, as <script>
// and <video> do.
void allow_any_origin(Response& response);

// Only for pages of that origin.
void allow_origin(Response& response, std::string_view origin);

// For pages of any origin that have a token: they may also read why it was refused.
void allow_any_origin_with_token(Response& response);

// The response to OPTIONS. `methods` as in Allow.
Response preflight(std::string_view methods);

// The same for requests with a token, which may only read. `methods`: those of the route.
Response preflight_with_token(std::string_view methods);

}  // namespace svc::http::cors
