// cors: answers that pages of any origin may read (Fetch standard, CORS protocol).
#pragma once

#include <string_view>

#include "http/request.h"
#include "http/response.h"

namespace svc::endpoints::cors {

inline constexpr std::string_view kMethods = "GET, HEAD, OPTIONS";

// For every answer, also a refusal: without it a page cannot even see why.
void allow_any_origin(http::Response& response);

// The response to a method other than GET and HEAD: to OPTIONS a preflight's, else 405.
http::Response answer_other_method(const http::Request& request);

}  // namespace svc::endpoints::cors
