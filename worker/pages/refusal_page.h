// refusal_page: the page among the responses that the router makes (http/refusal.h).
#pragma once

#include <string_view>

#include "http/refusal.h"
#include "pages/languages.h"

namespace svc::pages {

struct RefusalWords {
  std::string_view title;
  std::string_view text;
  std::string_view next;
};
// `status` is http::kMethodNotAllowed or http::kUnavailable.
const RefusalWords& refusal_words(int status);

// For users of our pages, without Allow and Retry-After.
http::Response refusal_page(std::string_view product, const http::Request& request, int status,
                            const Language& language = english());

}  // namespace svc::pages
