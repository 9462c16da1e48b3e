// flow: what the pages of login, authorization and settings have in common.
#pragma once

#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "login/return_path.h"
#include "login/session.h"
#include "pages/template.h"

namespace svc::pages {

// The frame of such a page around a template of its own: one narrow column, the product's name
// above it.
class FlowPage {
 public:
  // The window's title is "title · product".
  FlowPage(std::string_view title, std::string_view product, std::string_view body_template);

  Values& body() { return body_; }
  // A script of ours, e.g. /assets/flow.js; the page must work without it.
  FlowPage& with_script(std::string_view path);
  std::string html() const { return frame_.expand("flow.tpl"); }

 private:
  Values frame_;
  Values body_;
};

// An HTML answer with the headers of oauth.md A6 and §2: no-store, no-referrer, a strict
// Content-Security-Policy whose form-action allows ourselves and, when it is not empty,
// `redirect_origin`; frame-ancestors none, X-Frame-Options, nosniff. Sets the visitor's cookie when
// it has one to set.
http::Response flow_response(int status, std::string html, const login::Visitor& visitor,
                             std::string_view redirect_origin = "");

// 303 with the same headers, RFC 9110 §15.4.4.
http::Response see_other(std::string location, const login::Visitor& visitor);

// A page that says what happened, whose doing it is and what to do next (pages.md W7). `detail` is
// one line for developers of an application; empty: left out.
struct Problem {
  int status = 400;
  std::string title;
  std::string text;
  std::string next;
  std::string detail;
  std::string link;       // a path of ours where one can go on; empty: none
  std::string link_name;  // what is there
  std::string product;    // whose page it is; empty: the host that was asked
};
http::Response problem_page(const Problem& problem, const http::Request& request,
                            const login::Visitor& visitor);

// Whether the form came from a page of ours, as far as the browser says where it came from: our own
// pages send no referrer, and browsers then say `null`. `app_url` is what the pages lie under.
bool may_send_forms(std::string_view origin, std::string_view app_url);

// Whoever needs a logged-in person asks this for the answer that lets one log in and then go `to` a
// path of ours. Its redirect_origin is as above: browsers apply form-action to the redirects that
// follow.
class LoginPrompt {
 public:
  virtual ~LoginPrompt() = default;
  virtual http::Response ask(const http::Request& request, const login::Visitor& visitor,
                             const login::ReturnPath& to) = 0;
};

}  // namespace svc::pages
