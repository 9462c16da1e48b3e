// cors: answers that pages of any origin may read (Fetch standard, CORS protocol).
#pragma once

#include <string_view>

#include "http/response.h"

namespace svc::endpoints::cors {

inline constexpr std::string_view kMethods = "GET, HEAD, OPTIONS";

// For every answer, also a refusal: without it a page cannot even see why.
void allow_everybody(http::Response& response);

http::Response preflight();

}  // namespace svc::endpoints::cors
