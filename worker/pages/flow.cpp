#include "pages/flow.h"

#include "text/ascii.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

// A source of a Content-Security-Policy, CSP 3 §2.3.1. Its grammar has no IPv6 address, and
// browsers drop what they cannot read: there the scheme alone has to do.
std::string as_source(std::string_view origin) {
  for (const char c : origin) {
    if (text::is_control(c) || c == ' ' || c == ';' || c == ',' || c == '\'') return {};
  }
  if (origin.find('[') != std::string_view::npos)
    return std::string(origin.substr(0, origin.find(':') + 1));
  return std::string(origin);
}

void add_headers(http::Response& response, const login::Visitor& visitor,
                 std::string_view redirect_origin) {
  const std::string target = as_source(redirect_origin);
  response
      .with("Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'self'" +
                (target.empty() ? "" : " " + target) +
                "; style-src 'self'; script-src 'self'; img-src data:; frame-ancestors 'none'")
      .with("Cache-Control", "no-store")
      .with("Referrer-Policy", "no-referrer")
      .with("X-Frame-Options", "DENY")
      .with("X-Content-Type-Options", "nosniff");
  if (!visitor.set_cookie.empty()) response.with("Set-Cookie", visitor.set_cookie);
}

}  // namespace

FlowPage::FlowPage(std::string_view title, std::string_view product, std::string_view body_template)
    : frame_("flow"), body_(frame_.include("BODY", body_template)) {
  frame_.set("TITLE", title).set("PRODUCT", product);
}

FlowPage& FlowPage::with_script(std::string_view path) {
  frame_.show_with("SCRIPT").set("PATH", path);
  return *this;
}

http::Response flow_response(int status, std::string html, const login::Visitor& visitor,
                             std::string_view redirect_origin) {
  http::Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::move(html);
  add_headers(response, visitor, redirect_origin);
  return response;
}

http::Response see_other(std::string location, const login::Visitor& visitor) {
  http::Response response;
  response.status = 303;
  response.with("Location", std::move(location));
  add_headers(response, visitor, "");
  return response;
}

http::Response problem_page(const Problem& problem, const http::Request& request,
                            const login::Visitor& visitor) {
  FlowPage page(problem.title, problem.product.empty() ? request.host : problem.product,
                "flow_problem.tpl");
  page.body().set("TITLE", problem.title).set("TEXT", problem.text);
  if (!problem.next.empty()) page.body().show("HAS_NEXT").set("NEXT", problem.next);
  if (!problem.link.empty()) {
    page.body().show_with("HAS_LINK").set("LINK", problem.link).set("LINK_NAME", problem.link_name);
  }
  if (!problem.detail.empty()) page.body().show("HAS_DETAIL").set("DETAIL", problem.detail);
  if (!request.request_id.empty())
    page.body().show("HAS_REQUEST_ID").set("REQUEST_ID", request.request_id);
  return flow_response(problem.status, page.html(), visitor);
}

bool may_send_forms(std::string_view origin, std::string_view app_url) {
  if (origin.empty() || origin == "null") return true;
  // scheme://host[:port], what stands before the path. RFC 6454 §6.2
  const std::size_t host = app_url.find("://");
  const std::size_t path = host == std::string_view::npos
                               ? host
                               : app_url.find('/', host + std::string_view("://").size());
  return text::equal_ignoring_case(origin, app_url.substr(0, path));
}

}  // namespace svc::pages
