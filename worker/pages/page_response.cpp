#include "pages/page_response.h"

#include <cstddef>
#include <utility>

#include "text/ascii.h"

namespace svc::pages {
namespace {

// Returns a source of a Content-Security-Policy, CSP 3 §2.3.1. Its grammar has
// no IPv6 addresses, and browsers ignore invalid sources: return the scheme
// alone.
std::string as_source(std::string_view origin) {
  for (const char c : origin) {
    if (text::is_control(c) || c == ' ' || c == ';' || c == ',' || c == '\'') return {};
  }
  if (origin.find('[') != std::string_view::npos)
    return std::string(origin.substr(0, origin.find(':') + 1));
  return std::string(origin);
}

void add_headers(http::Response& response, const login::Visitor& visitor,
                 std::string_view redirect_origin, Requests requests) {
  const std::string target = as_source(redirect_origin);
  response
      .with("Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'self'" +
                (target.empty() ? "" : " " + target) +
                "; style-src 'self'; script-src 'self'; img-src data:; frame-ancestors 'none'" +
                (requests == Requests::OwnOrigin ? "; connect-src 'self'" : ""))
      .with("Cache-Control", "no-store")
      .with("Referrer-Policy", "no-referrer")
      .with("X-Frame-Options", "DENY")
      .with("X-Content-Type-Options", "nosniff");
  if (!visitor.set_cookie.empty()) response.with("Set-Cookie", visitor.set_cookie);
}

}  // namespace

http::Response page_response(int status, std::string html, const login::Visitor& visitor,
                             std::string_view redirect_origin, Requests requests) {
  http::Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::move(html);
  add_headers(response, visitor, redirect_origin, requests);
  return response;
}

http::Response see_other(std::string location, const login::Visitor& visitor) {
  http::Response response;
  response.status = 303;
  response.with("Location", std::move(location));
  add_headers(response, visitor, "", Requests::No);
  return response;
}

}  // namespace svc::pages
