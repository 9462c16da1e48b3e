// refusal_page: the page among the responses that the router makes (http/refusal.h).
#pragma once

#include <string_view>

#include "embed/site.h"
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
http::Response refusal_page(const embed::Site& site, const http::Request& request, int status,
                            const Language& language = english());

// 404.
http::Response page_not_found(const embed::Site& site, const http::Request& request);

}  // namespace svc::pages
