#include "pages/problem_page.h"

#include "pages/page_frame.h"

namespace svc::pages {

http::Response problem_page(const Problem& problem, const embed::Site& site,
                            const http::Request& request, const login::Visitor& visitor,
                            const Language& language) {
  PageFrame page(site, PageFrame::Shape::Narrow, problem.title, "problem.tpl", language);
  page.unlisted().for_anyone(Spot::None, {});
  if (!problem.again.empty()) page.answers(request, problem.again);
  page.body().set("TITLE", problem.title).set("TEXT", problem.text);
  if (!problem.next.empty()) page.body().show("HAS_NEXT").set("NEXT", problem.next);
  if (!problem.link.empty()) {
    page.body().show_with("HAS_LINK").set("LINK", problem.link).set("LINK_NAME", problem.link_name);
  }
  if (!problem.detail.empty()) page.body().show("HAS_DETAIL").set("DETAIL", problem.detail);
  if (!request.request_id.empty())
    page.body().show("HAS_REQUEST_ID").set("REQUEST_ID", request.request_id);
  return page.respond(problem.status, visitor);
}

}  // namespace svc::pages
