// cors: responses that pages of any origin may read (Fetch standard, CORS protocol).
#pragma once

#include <string_view>

#include "http/response.h"

namespace svc::http::cors {

// For every response, including refusals: otherwise a page cannot read the
// reason. Cross-origin isolated pages may also load it without CORS, as <script>
// and <video> do.
void allow_any_origin(Response& response);

// The response to OPTIONS. `methods` as in Allow.
Response preflight(std::string_view methods);

}  // namespace svc::http::cors
