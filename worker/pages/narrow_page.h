// NarrowPage: the frame of login, authorization and problem pages: one narrow
// column under the product's name, around a body template.
#pragma once

#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "login/session.h"
#include "pages/languages.h"
#include "pages/template.h"

namespace svc::pages {

// In the frame of a page: if the request is a form, a browser that loads the
// page again or comes back to it opens `path`, a path of this service, instead.
void show_form_answer(Values& frame, const http::Request& request, std::string_view path);

class NarrowPage {
 public:
  // The window's title is "title · product". Languages outlive the page.
  NarrowPage(std::string_view title, std::string_view product, std::string_view body_template,
             const Language& language = english());

  Values& body() { return body_; }
  // A script of ours, e.g. /assets/show-password.js; the page must work without it.
  NarrowPage& with_script(std::string_view path);
  // As show_form_answer().
  NarrowPage& answers(const http::Request& request, std::string_view path);
  // As page_response(), with the page's language.
  http::Response respond(int status, const login::Visitor& visitor,
                         std::string_view redirect_origin = "") const;

 private:
  const Language& language_;
  Values frame_;
  Values body_;
};

}  // namespace svc::pages
