// problem_page: a page that says what happened, whose doing it is and what to do next. pages.md W7
#pragma once

#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "login/session.h"

namespace svc::pages {

struct Problem {
  int status = 400;
  std::string title;
  std::string text;
  std::string next;
  std::string detail;     // one line for developers of an application; empty: left out
  std::string link;       // a path of ours where the visitor can continue; empty: none
  std::string link_name;  // the text of the link
  std::string product;    // whose page it is; empty: the host of the request
};
http::Response problem_page(const Problem& problem, const http::Request& request,
                            const login::Visitor& visitor);

// 405 for an address that only takes forms. `link` as in Problem.
http::Response form_only_page(const http::Request& request, const login::Visitor& visitor,
                              std::string_view product, std::string_view link,
                              std::string_view link_name);

// 503: what pages answer while the store is unavailable.
http::Response unavailable_page(const http::Request& request, std::string_view product);

}  // namespace svc::pages
