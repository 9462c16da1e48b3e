#include "pages/problem_page.h"

#include "pages/narrow_page.h"
#include "pages/page_response.h"

namespace svc::pages {

http::Response problem_page(const Problem& problem, const http::Request& request,
                            const login::Visitor& visitor) {
  NarrowPage page(problem.title, problem.product.empty() ? request.host : problem.product,
                  "narrow_problem.tpl");
  if (!problem.again.empty()) page.answers(request, problem.again);
  page.body().set("TITLE", problem.title).set("TEXT", problem.text);
  if (!problem.next.empty()) page.body().show("HAS_NEXT").set("NEXT", problem.next);
  if (!problem.link.empty()) {
    page.body().show_with("HAS_LINK").set("LINK", problem.link).set("LINK_NAME", problem.link_name);
  }
  if (!problem.detail.empty()) page.body().show("HAS_DETAIL").set("DETAIL", problem.detail);
  if (!request.request_id.empty())
    page.body().show("HAS_REQUEST_ID").set("REQUEST_ID", request.request_id);
  return page_response(problem.status, page.html(), visitor);
}

http::Response form_only_page(const http::Request& request, const login::Visitor& visitor,
                              std::string_view product, std::string_view link,
                              std::string_view link_name) {
  Problem problem;
  problem.status = 405;
  problem.title = "There is no page here";
  problem.text = "This address only accepts forms of this site.";
  problem.next = "Go back to the previous page, and use its button.";
  problem.link = link;
  problem.link_name = link_name;
  problem.product = product;
  return problem_page(problem, request, visitor);
}

http::Response unavailable_page(const http::Request& request, std::string_view product) {
  Problem problem;
  problem.status = 503;
  problem.title = "Not available just now";
  problem.text = "This is our doing, not yours. Nothing was changed.";
  problem.next = "Please try again in a moment.";
  problem.product = product;
  http::Response response = problem_page(problem, request, {});
  response.with("Retry-After", "1");
  return response;
}

}  // namespace svc::pages
