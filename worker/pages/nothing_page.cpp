#include "pages/nothing_page.h"

#include "pages/flow.h"

namespace svc::pages {

http::Response NothingPage::answer(const http::Request& request) {
  Problem problem;
  problem.status = 404;
  problem.title = "There is nothing here";
  problem.text = "There is no page at this address.";
  problem.link = "/settings";
  problem.link_name = "My Settings";
  problem.product = site_.provider_name;
  return problem_page(problem, request, {});
}

http::Response HomePage::answer(const http::Request& request) {
  if (!request.is_get_or_head()) return http::method_not_allowed("GET, HEAD");
  return see_other(site_.app_url + "/settings", {});
}

}  // namespace svc::pages
