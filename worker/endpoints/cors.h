// cors: responses that pages of any origin may read (Fetch standard, CORS
// protocol).
#pragma once

#include <string_view>

#include "http/request.h"
#include "http/response.h"

namespace svc::endpoints::cors {

inline constexpr std::string_view kMethods = "GET, HEAD, OPTIONS";

// For every response, including refusals: otherwise a page cannot read the
// reason. Cross-origin isolated pages may also load it without CORS, as <script>
// and <video> do.
void allow_any_origin(http::Response& response);

// Responds to methods other than GET and HEAD: to OPTIONS as a preflight, to
// others with 405.
http::Response answer_other_method(const http::Request& request);

}  // namespace svc::endpoints::cors
