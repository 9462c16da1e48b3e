// page_response: responses with the headers of login, authorization and
// settings: private to one visitor, never cached, never framed. oauth-A6 and
// §2.
#pragma once

#include <string>
#include <string_view>

#include "http/response.h"
#include "login/session.h"

namespace svc::pages {

// Whether the scripts of a page may send requests to this service.
enum class Requests { No, OwnOrigin };

// The resources of a page on other hosts: sources of a Content-Security-Policy, separated by
// spaces.
struct Foreign {
  std::string pictures{};
  std::string frames{};
};

// Whose window a response is for (Cross-Origin-Opener-Policy, oauth-A19). Own: a page of others
// that opened it loses it. Application: it is on the way back to an application, which may have
// opened a popup and waits for its callback to call it (window.opener).
enum class Window { Own, Application };

// Returns HTML with no-store, no-referrer, X-Frame-Options, nosniff and a
// strict Content-Security-Policy, whose form-action allows this service and,
// unless it is empty, `redirect_origin`: then it is on the way to an application. Sets the
// visitor's cookie if it has one to set.
http::Response page_response(int status, std::string html, const login::Visitor& visitor,
                             std::string_view redirect_origin = "",
                             Requests requests = Requests::No, const Foreign& foreign = {});

// 303 with the same headers, RFC 9110 §15.4.4.
http::Response see_other(std::string location, const login::Visitor& visitor,
                         Window window = Window::Own);
// The window of a page whose redirects lead to that origin.
constexpr Window window_for(std::string_view redirect_origin) {
  return redirect_origin.empty() ? Window::Own : Window::Application;
}

}  // namespace svc::pages
