#include "pages/nothing_page.h"

#include "pages/flow.h"

namespace svc::pages {

loop::Task<http::Response> NothingPage::answer(const http::Request& request) {
  Problem problem;
  problem.status = 404;
  problem.title = "There is nothing here";
  problem.text = "There is no page at this address.";
  problem.link = "/settings";
  problem.link_name = "My Settings";
  problem.product = site_.provider_name;
  co_return problem_page(problem, request, {});
}

loop::Task<http::Response> HomePage::answer(const http::Request& request) {
  if (!request.is_get_or_head()) co_return http::method_not_allowed("GET, HEAD");
  co_return see_other(site_.app_url + "/settings", {});
}

}  // namespace svc::pages
