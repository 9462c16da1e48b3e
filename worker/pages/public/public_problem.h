// public_problem: the page that says to people what went wrong, where nobody is logged in.
#pragma once

#include <string_view>

#include "embed/site.h"
#include "http/response.h"

namespace svc::pages {

// `request_id` is shown for quoting, where there is one.
http::Response public_problem(const embed::Site& site, int status, std::string_view title,
                              std::string_view text, std::string_view request_id = {});

// The page for `away`, a 503: the same status and headers.
http::Response public_unavailable(const embed::Site& site, http::Response away,
                                  std::string_view request_id);

}  // namespace svc::pages
