// NarrowPage: the frame of login, authorization and problem pages: one narrow
// column under the product's name, around a body template.
#pragma once

#include <string>
#include <string_view>

#include "pages/template.h"

namespace svc::pages {

class NarrowPage {
 public:
  // The window's title is "title · product".
  NarrowPage(std::string_view title, std::string_view product, std::string_view body_template);

  Values& body() { return body_; }
  // A script of ours, e.g. /assets/show-password.js; the page must work without it.
  NarrowPage& with_script(std::string_view path);
  std::string html() const { return frame_.expand("narrow.tpl"); }

 private:
  Values frame_;
  Values body_;
};

}  // namespace svc::pages
