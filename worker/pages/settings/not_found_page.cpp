#include "pages/settings/not_found_page.h"

#include "base/paths.h"
#include "pages/problem_page.h"

namespace svc::pages {

loop::Task<http::Response> NotFoundPage::answer(const http::Request& request) {
  Problem problem;
  problem.status = 404;
  problem.title = "There is nothing here";
  problem.text = "There is no page at this address.";
  problem.link = base::paths::kSettings.pattern;
  problem.link_name = "My Settings";
  problem.product = site_.provider_name;
  co_return problem_page(problem, request, {});
}

}  // namespace svc::pages
