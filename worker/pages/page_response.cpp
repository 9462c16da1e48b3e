#include "pages/page_response.h"

#include <utility>

#include "text/csp_source.h"

namespace svc::pages {
namespace {

void add_headers(http::Response& response, const login::Visitor& visitor,
                 std::string_view redirect_origin, Requests requests, Window window,
                 const Foreign& foreign = {}) {
  const auto after_space = [](const std::string& text) { return text.empty() ? "" : " " + text; };
  const std::string target = text::csp_source(redirect_origin);
  response
      .with("Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'self'" +
                (target.empty() ? "" : " " + target) +
                "; style-src 'self'; script-src 'self'; img-src 'self' data:" +
                after_space(foreign.pictures) +
                (foreign.frames.empty() ? "" : "; frame-src " + foreign.frames) +
                "; frame-ancestors 'none'" +
                (requests == Requests::OwnOrigin ? "; connect-src 'self'" : ""))
      .with("Cache-Control", "no-store")
      .with("Referrer-Policy", "no-referrer")
      .with("X-Frame-Options", "DENY")
      .with("X-Content-Type-Options", "nosniff");
  if (window == Window::Own) response.with("Cross-Origin-Opener-Policy", "same-origin");
  if (!visitor.set_cookie.empty()) response.with("Set-Cookie", visitor.set_cookie);
}

}  // namespace

http::Response page_response(int status, std::string html, const login::Visitor& visitor,
                             std::string_view redirect_origin, Requests requests,
                             const Foreign& foreign) {
  http::Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::move(html);
  add_headers(response, visitor, redirect_origin, requests, window_for(redirect_origin), foreign);
  return response;
}

http::Response see_other(std::string location, const login::Visitor& visitor, Window window) {
  http::Response response;
  response.status = 303;
  response.with("Location", std::move(location));
  add_headers(response, visitor, "", Requests::No, window);
  return response;
}

}  // namespace svc::pages
