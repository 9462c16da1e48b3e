// LoginPrompt: asks a visitor to log in, for pages that need a logged-in
// contact.
#pragma once

#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "login/return_path.h"
#include "login/session.h"

namespace svc::pages {

class LoginPrompt {
 public:
  virtual ~LoginPrompt() = default;
  // Returns the page that lets the visitor log in and then redirects to `to`, a
  // path of this service. Its redirect_origin is as in page_response():
  // browsers apply form-action to the redirects that follow. `problem`, an
  // English text that is translated, is shown at the top of the page.
  virtual http::Response ask(const http::Request& request, const login::Visitor& visitor,
                             const login::ReturnPath& to, std::string_view problem = "") = 0;
};

}  // namespace svc::pages
