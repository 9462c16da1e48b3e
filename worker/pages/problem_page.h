// problem_page: a page that tells what happened, who caused it and what to do
// next. pages-W7. Its texts are in the language already.
#pragma once

#include <string>
#include <string_view>

#include "embed/site.h"
#include "http/request.h"
#include "http/response.h"
#include "login/session.h"
#include "pages/languages.h"

namespace svc::pages {

struct Problem {
  int status = 400;
  std::string title;
  std::string text;
  std::string next;
  std::string detail;     // one line for the application's developers; empty: omitted
  std::string link;       // a path of this service to continue at; empty: none
  std::string link_name;  // the text of the link
  std::string again;      // as in PageFrame::answers(); empty: a form is sent again
};
http::Response problem_page(const Problem& problem, const embed::Site& site,
                            const http::Request& request, const login::Visitor& visitor,
                            const Language& language = english());

}  // namespace svc::pages
